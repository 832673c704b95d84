"""Terminal tables of an evaluation."""

from __future__ import annotations

from typing import Any

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


def main_table(summary: dict[str, Any]) -> Table:
    """One row per method; chosen = threshold from dev or cross-validation."""
    listed = summary["protocol"]["listed_pairs_only"]
    table = Table(title=f"Evaluation '{summary['run']}'", title_justify="left")
    table.add_column("method", no_wrap=True)
    if not listed:
        for name in ("pages P", "pages R", "pages F1", "reworded F1", "copies F1"):
            table.add_column(name, justify="right")
    for name in ("pairs P", "pairs R", "F1 chosen", "F1 shipped", "F1 oracle", "lenient", "AP"):
        table.add_column(name, justify="right")
    if not listed:
        table.add_column("B³", justify="right")
    for name in ("decided", "CPU s", "MB"):
        table.add_column(name, justify="right")
    for name, method in summary["methods"].items():
        if method["status"] != "ok":
            continue
        chosen = method["columns"]["chosen"]
        row = [name]
        if not listed:
            pages = chosen["pages"]
            row += [number(pages["precision"]), number(pages["recall"]), with_range(pages)]
            row += [with_range(chosen["pages_reworded"]), number(chosen["pages_copies"]["f1"])]
        pairs = chosen["pairs_strict"]
        row += [number(pairs["precision"]), number(pairs["recall"]), with_range(pairs)]
        row += [number(method["columns"][c]["pairs_strict"]["f1"]) for c in ("shipped", "oracle")]
        row += [number(chosen["pairs_lenient"]["f1"]), number(method["ranking"]["ap_strict"])]
        if not listed:
            row.append(number(chosen["clusters"]["b_cubed"]["f1"]))
        row += [number(chosen["coverage"]), f"{method['cost']['cpu_s']:.1f}"]
        row.append(f"{method['cost']['peak_mb']:.0f}")
        table.add_row(*row)
    return table


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
        console = Console(file=console.file, width=200)
    for line in heading(summary):
        console.print(line, highlight=False, markup=False)
    console.print(main_table(summary))
    for name, method in summary["methods"].items():
        if method["status"] != "ok":
            console.print(f"{name}: unavailable: {method['reason']}", highlight=False, markup=False)
    for line in comparison_lines(summary):
        console.print(line, highlight=False, markup=False)
