"""How figures are printed."""

from __future__ import annotations

import pytest

from toolkit.reports.evaluation_html import plain
from toolkit.reports.plots import kinds_plot, precision_recall_plot, sensitivity_plot
from toolkit.reports.tables import number, with_range


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, ".50"), (1.0, "1.00"), (0.0, ".00"), (None, "-"), (-0.25, "-0.25")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_counts_where_there_is_no_interval() -> None:
    few = {
        "precision": 0.5,
        "recall": 0.25,
        "f1": 1 / 3,
        "tp": 1,
        "fp": 1,
        "fn": 3,
        "interval": None,
    }
    assert with_range(few, "precision") == ".50 (1/2)"
    assert with_range(few, "recall") == ".25 (1/4)"
    assert with_range({**few, "interval": {"f1": [0.1, 0.6]}}) == ".33 [.10 .60]"


def test_plain_values() -> None:
    assert plain({"a": [1, 0.123456], "b": None}) == "a = 1, 0.1235, b = -"


def test_plots_are_svg_and_repeatable() -> None:
    curve = {"one": [[0.1, 1.0], [0.5, 0.8], [1.0, 0.2]], "none": []}
    first = precision_recall_plot(curve)
    assert first.startswith("<svg")
    assert first == precision_recall_plot(curve)
    rows = [[0.1, 1.0, 0.2, 0.3], [0.2, 0.9, 0.3, 0.4]]
    assert "Tsim" in sensitivity_plot({"Tsim": rows, "none": []})
    assert sensitivity_plot({}) == ""
    assert "fire" in kinds_plot({"fire": {"Tsim": rows}})
    assert kinds_plot({}) == ""
