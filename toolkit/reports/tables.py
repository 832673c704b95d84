"""Terminal tables of an evaluation."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def number(value: float | None, digits: int = 2) -> str:
    """A share to two digits without the leading zero; a dash when there is none."""
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def with_range(figures: dict[str, Any] | None, name: str = "f1") -> str:
    """``.83 [.71 .92]``; without an interval the counts: ``.83 (5/6)``."""
    if figures is None:
        return "-"
    value = number(figures[name])
    if figures.get("interval"):
        low, high = figures["interval"][name]
        return f"{value} [{number(low)} {number(high)}]"
    total = figures["tp"] + (figures["fp"] if name == "precision" else figures["fn"])
    return value if name == "f1" else f"{value} ({figures['tp']}/{total})"


def heading(summary: dict[str, Any]) -> list[str]:
    """What was counted, in a few lines."""
    corpus, protocol = summary["corpus"], summary["protocol"]
    lines = [
        f"{corpus['label']}: {corpus['counted_documents']} documents counted of "
        f"{corpus['documents']}, {corpus['stories']} stories"
        + (f", {corpus['events']} events, {corpus['duplicate_pages']} duplicate pages"
           if corpus["events"] is not None else ""),
        f"{corpus['pairs_scored']:,} pairs scored ({corpus['positives']} positive, target "
        f"{protocol['target']}; {corpus['pairs_doubtful']} doubtful left out); "
        + protocol["thresholds"],
    ]  # fmt: skip
    if corpus["skipped"] or corpus["lost_labels"]:
        lines.append(
            f"{corpus['skipped']} rows or pages skipped; labels lost with them: "
            f"{len(corpus['lost_labels'])}"
        )
    lines.append("intervals: 95 % bootstrap by story; undecided counts as not found")
    return lines


def page_table(summary: dict[str, Any]) -> Table:
    """Page-level figures as the paper counts them, at the chosen threshold."""
    table = _table(
        "Pages (found = the run would replace it; right = the page kept reports the same event)",
        ("P", "R", "F1", "F1 reworded", "F1 copies", "B-cubed", "decided"),
    )
    for name, method in _ran(summary):
        chosen = method["columns"]["chosen"]
        pages = chosen["pages"]
        table.add_row(
            name,
            number(pages["precision"]),
            number(pages["recall"]),
            with_range(pages),
            with_range(chosen["pages_reworded"]),
            with_range(chosen["pages_copies"]),
            number(chosen["clusters"]["b_cubed"]["f1"]),
            number(chosen["coverage"]),
        )
    return table


def pair_table(summary: dict[str, Any]) -> Table:
    """Pairwise figures: thresholds chosen honestly, as shipped, and the upper bound."""
    table = _table(
        "Pairs (chosen = from dev or cross-validated; oracle = best on these very pairs)",
        (
            "P", "R", "F1 chosen", "shipped", "oracle", "lenient", "AP", "cand. R",
            "look-alikes merged", "decided", "CPU s", "MB",
        ),
    )  # fmt: skip
    for name, method in _ran(summary):
        columns = method["columns"]
        chosen = columns["chosen"]
        pairs = chosen["pairs_strict"]
        merged, total = (sum(c[k] for c in chosen["hard_negatives"].values()) for k in (0, 1))
        table.add_row(
            name,
            number(pairs["precision"]),
            number(pairs["recall"]),
            with_range(pairs),
            *(number(columns[c]["pairs_strict"]["f1"]) for c in ("shipped", "oracle")),
            number(chosen["pairs_lenient"]["f1"]),
            number(method["ranking"]["ap_strict"]),
            number(method["candidates"]["recall"]),
            f"{merged}/{total}" if total else "-",
            number(chosen["coverage"]),
            f"{method['cost']['cpu_s']:.1f}",
            f"{method['cost']['peak_mb']:.0f}",
        )
    return table


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("method", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _ran(summary: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(n, m) for n, m in summary["methods"].items() if m["status"] == "ok"]


def comparison_lines(summary: dict[str, Any]) -> list[str]:
    """The primary comparison in words."""
    found = summary["comparisons"]
    primary = found["primary"]
    if primary is None:
        return [
            f"primary comparison: not run ({found['reason'] or 'the other method did not run'})"
        ]
    text = (
        f"primary comparison ({primary['figure']}): {primary['first']} - {primary['second']} = "
        f"{primary['difference']:+.3f}"
    )
    if primary["interval"] is None:
        return [text + f" (no interval: {primary['positives']} positives)"]
    low, high = primary["interval"]
    return [f"{text} [{low:+.3f} {high:+.3f}], p = {primary['p']:.4f}"]


def print_summary(summary: dict[str, Any], console: Console | None = None) -> None:
    """Print an evaluation on the terminal."""
    console = console or Console()
    if not console.is_terminal:
        console = Console(file=console.file, width=140)
    for line in heading(summary):
        console.print(line, highlight=False, markup=False)
    if not summary["protocol"]["listed_pairs_only"]:
        console.print(page_table(summary))
    console.print(pair_table(summary))
    for name, method in summary["methods"].items():
        if method["status"] != "ok":
            console.print(f"{name}: unavailable: {method['reason']}", highlight=False, markup=False)
    for line in comparison_lines(summary):
        console.print(line, highlight=False, markup=False)
