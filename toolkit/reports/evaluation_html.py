"""``report.html`` of an evaluation: one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from toolkit.io import write_text
from toolkit.reports.plots import kinds_plot, precision_recall_plot, sensitivity_plot
from toolkit.reports.tables import comparison_lines, heading, number, with_range

FIGURE_NAMES = {
    "pages": "pages, all",
    "pages_reworded": "pages, reports written apart",
    "pages_copies": "pages, near-copies",
    "pairs_strict": "pairs, one story counts as different",
    "pairs_lenient": "pairs, one story left out",
    "pairs_reworded": "pairs, reports written apart",
}


def environment() -> jinja2.Environment:
    """Templates of the reports; every value is escaped."""
    env = jinja2.Environment(
        loader=jinja2.PackageLoader("toolkit.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["share"] = number
    env.filters["range"] = with_range
    env.filters["plain"] = plain
    return env


def plain(value: Any) -> str:
    """A recorded value in one line of text."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{k} = {plain(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(plain(v) for v in value)
    return "-" if value is None else str(value)


def render_report(path: Path, summary: dict[str, Any], errors: dict[str, Any]) -> None:
    """Write the report of an evaluation.

    Args:
        path: the file to write.
        summary: what ``summary.json`` holds.
        errors: per method ``false_merges`` and ``misses`` with texts and evidence.
    """
    ran = {n: m for n, m in summary["methods"].items() if m["status"] == "ok"}
    plots = {
        name: {
            key: Markup(svg)
            for key, svg in (
                ("sensitivity", sensitivity_plot(method["curves"]["sensitivity"])),
                ("kinds", kinds_plot(method["curves"]["sensitivity_by_kind"])),
            )
            if svg
        }
        for name, method in ran.items()
    }
    curves = {name: method["curves"]["precision_recall"] for name, method in ran.items()}
    first = next(iter(ran.values()), None)
    chosen = first["columns"]["chosen"] if first else {}
    text = (
        environment()
        .get_template("evaluation.html.j2")
        .render(
            summary=summary,
            ran=ran,
            failed={n: m for n, m in summary["methods"].items() if m["status"] != "ok"},
            errors=errors,
            plots=plots,
            curve_plot=Markup(precision_recall_plot(curves)),
            heading=heading(summary),
            comparison=comparison_lines(summary),
            figures={k: v for k, v in FIGURE_NAMES.items() if k in chosen},
            relations=list(summary["corpus"]["relations"]),
            tags=sorted(
                {t for m in ran.values() for t in m["columns"]["chosen"]["hard_negatives"]}
            ),
            kinds=sorted({k for m in ran.values() for k in m["columns"]["chosen"]["kinds"]}),
        )
    )
    write_text(path, text)
