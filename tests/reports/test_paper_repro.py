"""The committed reproduction follows from the stored results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from toolkit.errors import UserError
from toolkit.reports.claims import RIVALS, weigh_all, weigh_better, weigh_equal, weigh_level
from toolkit.reports.paper_repro import load_results, render, table

RESULTS = "experiments/paper/results"
HANZI = re.compile(r"[\u4e00-\u9fff]")


def test_the_committed_file_is_what_the_results_give(project: Path) -> None:
    text = render(load_results(project / RESULTS))
    assert (project / "paper_repro.md").read_text(encoding="utf-8") == text


def test_stored_results_hold_no_text(project: Path) -> None:
    for path in (project / RESULTS).glob("*.json"):
        assert not HANZI.search(path.read_text(encoding="utf-8")), path.name


def test_the_own_corpus_has_not_changed_since(project: Path) -> None:
    stored = json.loads((project / RESULTS / "mini.json").read_text())
    frozen = (project / "corpora/mini/CHECKSUM").read_text().strip()
    assert stored["corpus"]["checksum"] == frozen, "rerun python experiments/paper/run.py"
    for path in (project / RESULTS).glob("*.json"):
        assert json.loads(path.read_text()).get("carried_from", frozen) == frozen, path.name


def test_every_claim_is_weighed_on_every_corpus(project: Path) -> None:
    results = load_results(project / RESULTS)
    weighed = weigh_all(results)
    assert len(weighed) == 5 * len(results)
    assert {w.verdict for w in weighed} <= {"held", "not held", "cannot be tested"}
    assert all(len(w.examples) <= 3 for w in weighed)


def test_a_missing_result(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"mini\.json: not there"):
        load_results(tmp_path)


def test_bars_in_cells() -> None:
    assert table(("a",), [("x|y",)]) == "| a |\n|---|\n| x\\|y |\n"


def result(recall: float, interval: list[float] | None, differences: list[Any]) -> dict[str, Any]:
    pages = {
        "precision": 1.0, "recall": recall, "f1": 0.5, "tp": 4, "fp": 0, "fn": 4,
        "interval": interval and {"recall": interval, "precision": [0.9, 1.0]},
    }  # fmt: skip
    rows = [
        {"first": "paper", "second": rival, "figure": figure, "difference": difference,
         "interval": interval and [difference - 0.1, difference + 0.1], "positives": 8}
        for rival, difference in zip(RIVALS, differences, strict=True)
        for figure in ("pages_reworded", "pages_copies")
    ]  # fmt: skip
    examples = {
        k: [["a", "b"]]
        for k in ("wrong_merges", "reworded_missed", "reworded_found", "copies_missed")
    }
    method = {"status": "ok", "columns": {"chosen": {"pages": pages}}, "examples": examples}
    return {
        "corpus": {"label": "x"}, "methods": {"paper": method},
        "comparisons": {"primary": None, "others": rows},
        "protocol": {"listed_pairs_only": False, "target": "event"},
    }  # fmt: skip


def test_verdicts() -> None:
    good = result(0.9, [0.8, 0.985], [0.2, 0.3, 0.15])
    assert weigh_level(good, "recall").verdict == "held"
    assert weigh_level(result(0.9, [0.8, 0.95], [0, 0, 0]), "recall").verdict == "not held"
    few = result(0.9, None, [0.2, 0.2, 0.2])
    assert weigh_level(few, "recall").verdict == "cannot be tested"
    assert "8 duplicate pages" in weigh_level(few, "recall").figure
    assert weigh_better(good).verdict == "held"
    assert weigh_better(result(0.9, [0.8, 1], [0.2, 0.05, 0.2])).verdict == "not held"
    assert weigh_better(few).verdict == "cannot be tested"
    assert weigh_equal(result(0.9, [0.8, 1], [0.2, 0.05, -0.05])).verdict == "held"
    assert weigh_equal(result(0.9, [0.8, 1], [0.2, 0.05, -0.2])).verdict == "not held"
    assert weigh_equal(few).verdict == "cannot be tested"
