"""Plots of an evaluation as inline SVG (no file, no script, no font embedded)."""

from __future__ import annotations

import io
from typing import Any

_PALETTE = (
    "#1b6ca8", "#d1495b", "#3c8d53", "#8e5ea2", "#e0912f", "#5b7065", "#a63d40", "#2e4057",
    "#66a182", "#c08497", "#7d8491", "#b5a642", "#4b7f97", "#6a4c93",
)  # fmt: skip


def _svg(figure: Any) -> str:
    """The figure as an ``<svg>`` element; the same input gives the same text."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "toolkit"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _figure(columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.set_xlim(0, 1.02)
        axis.set_ylim(0, 1.02)
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.tick_params(labelsize=8)
    return figure, list(axes)


def precision_recall_plot(curves: dict[str, list[list[float]]]) -> str:
    """Precision-recall curves of all methods; each is rows [recall, precision]."""
    figure, (axis,) = _figure(1, 7, 4.6)
    for number, (name, rows) in enumerate(curves.items()):
        if rows:
            x, y = zip(*rows, strict=True)
            style = "-" if len(rows) > 2 else "o"
            colour = _PALETTE[number % len(_PALETTE)]
            axis.plot(x, y, style, label=name, color=colour, linewidth=1.4, markersize=4)
    axis.set_xlabel("recall")
    axis.set_ylabel("precision")
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=7, ncols=2, loc="best")
    return _svg(figure)


def sensitivity_plot(tables: dict[str, list[list[float]]]) -> str:
    """One panel per parameter: precision, recall and F1 over its values."""
    tables = {name: rows for name, rows in tables.items() if rows}
    if not tables:
        return ""
    figure, axes = _figure(len(tables), min(3.1 * len(tables) + 0.6, 15), 2.6)
    for axis, (name, rows) in zip(axes, tables.items(), strict=True):
        values = [row[0] for row in rows]
        for column, label in ((1, "precision"), (2, "recall"), (3, "F1")):
            width = 1.8 if column == 3 else 1.0
            axis.plot(
                values,
                [row[column] for row in rows],
                label=label,
                color=_PALETTE[column - 1],
                linewidth=width,
            )
        _span(axis, values)
        axis.set_title(name, fontsize=9)
    axes[0].legend(fontsize=7)
    return _svg(figure)


def kinds_plot(by_kind: dict[str, dict[str, list[list[float]]]]) -> str:
    """One panel per parameter: F1 over its values, a line per kind of news."""
    names = sorted({name for tables in by_kind.values() for name, rows in tables.items() if rows})
    if not names:
        return ""
    figure, axes = _figure(len(names), min(3.1 * len(names) + 1.6, 15), 3.0)
    for axis, name in zip(axes, names, strict=True):
        seen: list[float] = []
        for number, (kind, tables) in enumerate(by_kind.items()):
            rows = tables.get(name) or []
            values = [row[0] for row in rows]
            seen += values
            colour = _PALETTE[number % len(_PALETTE)]
            axis.plot(values, [row[3] for row in rows], label=kind, color=colour, linewidth=1)
        _span(axis, seen)
        axis.set_title(f"{name}: F1 by kind", fontsize=9)
    axes[0].legend(fontsize=6)
    return _svg(figure)


def _span(axis: Any, values: list[float]) -> None:
    if values and min(values) < max(values):
        axis.set_xlim(min(values), max(values))
    elif values:
        axis.set_xlim(values[0] - 0.5, values[0] + 0.5)
