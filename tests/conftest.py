"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's root folder."""
    return PROJECT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The developers' labelled data; its texts never enter the project."""
    root = Path(os.environ.get("TOOLKIT_SHARED", PROJECT.parent / "shared"))
    data = root / "data"
    if not data.is_dir():
        pytest.skip(f"no labelled data at {root} (set TOOLKIT_SHARED to a folder that has data/)")
    return data
