"""Loads the wording tables of this folder once and compiles them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml


@lru_cache(maxsize=8)
def table(name: str) -> dict[str, Any]:
    """The YAML table ``data/<name>.yaml`` of this folder."""
    text = resources.files("toolkit.pages").joinpath(f"data/{name}.yaml").read_text("utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(text, Loader=loader)
    return data


@lru_cache(maxsize=64)
def pattern(name: str, key: str) -> re.Pattern[str]:
    """The alternatives under ``key`` of a table as one expression (no anchors)."""
    return re.compile("(?:" + "|".join(f"(?:{p})" for p in table(name)[key]) + ")", re.I)


@lru_cache(maxsize=64)
def name_pattern(name: str, key: str) -> re.Pattern[str]:
    """The alternatives under ``key`` matched as whole parts of class and id names."""
    alternatives = "|".join(f"(?:{p})" for p in table(name)[key])
    return re.compile(rf"(?<![a-z0-9])(?:{alternatives})(?![a-z])")
