"""Write README.md's tables from the stored results.

python experiments/near/report.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolkit.io import write_text

HERE = Path(__file__).parent
START, END = "<!-- results -->", "<!-- end of results -->"


def read(name: str) -> dict[str, Any] | None:
    """A stored result, or None."""
    path = HERE / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def scale_table(name: str) -> list[str]:
    """The table of one scale run."""
    result = read(name)
    if result is None:
        return []
    lines = [
        f"### {result['documents']:,} articles, {result['megabytes']} MB,"
        f" {result['true_pairs']:,} pairs with char-5 Jaccard >= 0.8",
        "",
        "| pipeline | CPU s (median) | runs | peak MB | pairs given | recall | precision |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in result["rows"]:
        what = "texts to verified pairs" if row["verified"] else "candidates only"
        lines.append(
            f"| {row['pipeline']} ({what}) | {row['cpu_s']} | {row['runs']} | {row['peak_mb']} |"
            f" {row['pairs']:,} | {row['recall']} | {row['precision']} |"
        )
    versions = ", ".join(f"{k} {v}" for k, v in result["versions"].items() if v)
    return [*lines, "", f"Versions: {versions}.", ""]


def reading_table() -> list[str]:
    """The table of the reading decisions."""
    result = read("reading.json")
    if result is None:
        return []
    counts = ", ".join(f"{n} {label}" for label, n in result["labels"].items())
    lines = [f"### Reading decisions: {result['pairs']} labelled pairs ({counts})", ""]
    for key, title in (
        ("reprint_against_rest_without_excerpts", "reprint, excerpts left out"),
        ("reprint_and_excerpt_against_rest", "reprint or excerpt"),
    ):
        lines += [f"| {title} | precision | recall | F1 |", "|---|---|---|---|"]
        for name, row in result[key].items():
            figures = " | ".join(f"{row[k]:.3f}" for k in ("precision", "recall", "f1"))
            lines.append(f"| {name} | {figures} |")
        lines.append("")
    recall = result["candidates"]["recall"]
    lines.append(
        f"Boilerplate pairs not called a copy: {result['boilerplate_not_called_copy']} of"
        f" {result['labels']['boilerplate']}. Candidate recall: "
        + ", ".join(f"{label} {value:.3f}" for label, value in recall.items())
        + "; by MinHash bands alone: "
        + ", ".join(f"{k} {v:.3f}" for k, v in result["candidates"]["recall_bands_only"].items())
        + "."
    )
    return [*lines, ""]


def formulaic_table() -> list[str]:
    """What is merged in formulaic news."""
    result = read("formulaic.json")
    if result is None:
        return []
    lines = [
        f"### Formulaic news: {result['documents']:,} items of one broadcaster,"
        f" {result['candidates']:,} candidates, {result['merged']} merged",
        "",
        "| reason | pairs |",
        "|---|---|",
    ]
    lines += [f"| {reason} | {count} |" for reason, count in result["reasons"].items()]
    return [
        *lines,
        "",
        "The reasons are assigned by rule from the relation, the days between and the"
        " overlap; every merged pair is listed by id in `formulaic.json`.",
        "",
    ]


def simhash_table() -> list[str]:
    """What a SimHash distance means at each length."""
    result = read("simhash_short.json")
    if result is None:
        return []
    lines = [
        f"### SimHash by text length ({result['pairs_per_length']} pairs of each kind)",
        "",
        "| characters | copies within 3 / 7 / 10 | one form, three names changed, within 3 / 7 / 10"
        " | unrelated within 10 | median distance of copies |",
        "|---|---|---|---|---|",
    ]
    for row in result["rows"]:
        copies, forms = (
            " / ".join(f"{row[f'{kind}_within'][k]:.2f}" for k in ("3", "7", "10"))
            for kind in ("copies", "forms")
        )
        lines.append(
            f"| {row['length']} | {copies} | {forms} | {row['unrelated_within']['10']:.3f} |"
            f" {row['copies_median']:g} |"
        )
    return [*lines, ""]


def main() -> None:
    """Replace the part between the two marks of README.md."""
    path = HERE / "README.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    lines = [
        *scale_table("result.json"),
        *scale_table("result_300k.json"),
        *scale_table("result_1m.json"),
        *scale_table("result_10k.json"),
        *reading_table(),
        *formulaic_table(),
        *simhash_table(),
    ]
    write_text(path, before + START + "\n" + "\n".join(lines) + END + after)


if __name__ == "__main__":
    main()
