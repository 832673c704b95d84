"""Floors of the extraction on the developers' hand-read pages (not part of the project).

Floors may be raised, never lowered in silence.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def experiment(project: Path) -> ModuleType:
    path = project / "experiments" / "extraction" / "run.py"
    spec = importlib.util.spec_from_file_location("extraction_experiment", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(
    experiment: ModuleType, shared_data: Path
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    folder = shared_data / "html"
    with open(folder / "gold.jsonl", encoding="utf-8") as handle:
        gold = [json.loads(line) for line in handle]
    return experiment.ours(folder, gold)


def test_bodies(measured: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    _, row = measured
    assert row["body_f1_mean"] >= 0.985
    assert row["body_f1_min"] >= 0.90
    found, all_of_them = row["unwanted"]
    assert found <= 0.01 * all_of_them


@pytest.mark.parametrize(
    ("field", "floor"), [("title", 66), ("day", 66), ("minute", 56), ("source", 50), ("editor", 31)]
)
def test_fields(
    measured: tuple[list[dict[str, Any]], dict[str, Any]], field: str, floor: int
) -> None:
    assert measured[1][field][0] >= floor


def test_lists(measured: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    _, row = measured
    assert row["lists"] == [2, 2]
    assert row["articles_called_list"] == 0


def test_re_encoded_copies_give_the_same_article(experiment: ModuleType, shared_data: Path) -> None:
    result = experiment.encodings(shared_data / "html")
    assert result["differences"] == []
    assert result["same_article"] == result["copies"] == 24
