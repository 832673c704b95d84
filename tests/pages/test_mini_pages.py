"""The extraction on the project's own corpus of pages, against the texts they were made from.

The pages' templates were written without knowledge of the extraction.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from toolkit.config import PagesConfig
from toolkit.pages.run import extract_pages


@pytest.fixture(scope="module")
def sources(project: Path) -> dict[str, Any]:
    path = project / "corpora" / "mini" / "build.py"
    spec = importlib.util.spec_from_file_location("mini_build_for_pages", path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    texts, _ = module.read_sources()
    return {text.id: text for text in texts}


@pytest.fixture(scope="module")
def rows(project: Path) -> list[dict[str, Any]]:
    config = PagesConfig(second_opinion_share=0)
    return list(extract_pages(project / "corpora" / "mini" / "pages", config, progress=False))


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def articles(
    rows: list[dict[str, Any]], sources: dict[str, Any]
) -> list[tuple[dict[str, Any], Any]]:
    known = [(row, sources.get(row["id"].split("__")[0])) for row in rows]
    return [(row, text) for row, text in known if text is not None]


def test_headlines_and_days(rows: list[dict[str, Any]], sources: dict[str, Any]) -> None:
    wrong = [
        row["page"]
        for row, text in articles(rows, sources)
        if bare(row["title"]) != bare(text.title)
        or (row["published"] or "")[:10] != text.published.date().isoformat()
    ]
    assert wrong == []


def test_printed_sources(rows: list[dict[str, Any]], sources: dict[str, Any]) -> None:
    printed = [(row, text) for row, text in articles(rows, sources) if text.source]
    right = sum(row["source"] == text.source for row, text in printed)
    assert right >= 0.97 * len(printed)


def test_bodies_hold_the_paragraphs_and_nothing_else(
    rows: list[dict[str, Any]], sources: dict[str, Any]
) -> None:
    weak = []
    foreign: Counter[str] = Counter()
    for row, text in articles(rows, sources):
        body, gold = bare(row["body"]), bare("\n".join(text.printed))
        long_ones = [bare(p) for p in text.printed if len(p) >= 50]
        # a copy's appended notices and lists of other news may go, its report may not
        if sum(p in body for p in long_ones) < len(long_ones):
            weak.append(row["page"])
        foreign.update(row["page"] for p in row["body"].split("\n") if bare(p) not in gold)
    assert len(weak) <= 0.02 * len(rows)
    assert len(foreign) <= 0.05 * len(rows)


def test_lists_and_joined_pages(rows: list[dict[str, Any]], sources: dict[str, Any]) -> None:
    lists = [row["page"] for row in rows if not row["is_article"]]
    assert sorted(lists) == ["lingyuan/roll.html", "qingshi/roll.html"]
    assert all(row["quality"] == "good" for row, _ in articles(rows, sources))
    joined = [row for row in rows if row.get("pages")]
    assert joined
    for row in joined:
        text = sources[row["id"]]
        assert bare(text.printed[-1])[-20:] in bare(row["body"])
