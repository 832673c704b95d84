"""The paper's claims, each weighed against stored figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from toolkit.reports.tables import number

Verdict = Literal["held", "not held", "cannot be tested"]
#: what the paper prints, counted over pages
CLAIMED = {"recall": 0.98, "precision": 0.95}
#: the earlier methods the paper compares itself with
RIVALS = ("url", "char_vectors", "feature_codes")


@dataclass(frozen=True)
class Weighed:
    """One claim on one corpus."""

    claim: str
    corpus: str
    verdict: Verdict
    figure: str
    examples: tuple[tuple[str, str], ...]


def weigh_level(result: dict[str, Any], measure: str) -> Weighed:
    """Recall or precision over pages: held when the claimed value is reached or lies
    inside the 95 % interval."""
    claim = f"{measure} {CLAIMED[measure]:.0%} over pages"
    paper = result["methods"]["paper"]
    label = result["corpus"]["label"]
    kind = "wrong_merges" if measure == "precision" else "reworded_missed"
    examples = _ids(paper, kind)
    if "pages" not in paper["columns"]["chosen"]:
        return Weighed(claim, label, "cannot be tested", "only listed pairs are known", examples)
    figures = paper["columns"]["chosen"]["pages"]
    value, interval = figures[measure], figures["interval"]
    text = _ranged(value, interval[measure] if interval else None)
    if interval is None:
        total = figures["tp"] + figures["fn"]
        return Weighed(
            claim, label, "cannot be tested", f"{text}; {total} duplicate pages", examples
        )
    held = max(value, interval[measure][1]) >= CLAIMED[measure]
    return Weighed(claim, label, "held" if held else "not held", text, examples)


def weigh_better(result: dict[str, Any], apart: bool = False) -> Weighed:
    """Clearly better on reworded reports: every difference to a rival is above 0 with
    its whole interval (``apart``: thresholds chosen on reports written apart)."""
    claim = "clearly better than each earlier method on differently worded reports (F1, pages)"
    if apart:
        claim += ", thresholds chosen on such reports"
    rows = _differences(result, "pages_reworded_apart" if apart else "pages_reworded")
    examples = _ids(result["methods"]["paper"], "reworded_found")
    verdict: Verdict = "cannot be tested"
    if rows and all(row["interval"] for row in rows):
        verdict = "held" if all(row["interval"][0] > 0 for row in rows) else "not held"
    return Weighed(claim, result["corpus"]["label"], verdict, _listed(rows, result), examples)


def weigh_equal(result: dict[str, Any]) -> Weighed:
    """Level on near-copies: the interval of the difference to the best rival is not
    wholly below 0."""
    claim = "about level with the best earlier method on near-identical pages (F1, pages)"
    listed = result["protocol"]["listed_pairs_only"] and result["protocol"]["target"] != "event"
    if listed:
        claim = claim.replace("F1, pages", "F1, listed pairs of copies")
    rows = _differences(result, "pairs_strict" if listed else "pages_copies")
    examples = _ids(result["methods"]["paper"], "copies_missed")
    label = result["corpus"]["label"]
    if not rows:
        return Weighed(claim, label, "cannot be tested", _listed(rows, result), examples)
    best = min(rows, key=lambda row: row["difference"])
    verdict: Verdict = "cannot be tested"
    if best["interval"]:
        high = best["interval"][1]
        verdict = "held" if high >= 0 else "not held"
    return Weighed(claim, label, verdict, _listed([best], result), examples)


def weigh_all(results: dict[str, dict[str, Any]]) -> list[Weighed]:
    """Every claim on every stored corpus."""
    weighed = []
    for result in results.values():
        if result["methods"].get("paper", {}).get("status") != "ok":
            continue
        weighed += [weigh_level(result, "recall"), weigh_level(result, "precision")]
        weighed += [weigh_better(result), weigh_better(result, apart=True), weigh_equal(result)]
    return weighed


def _differences(result: dict[str, Any], figure: str) -> list[dict[str, Any]]:
    comparisons = result["comparisons"]
    rows = [comparisons["primary"], *comparisons["others"]]
    return [row for row in rows if row and row["figure"] == figure and row["second"] in RIVALS]


def _listed(rows: list[dict[str, Any]], result: dict[str, Any]) -> str:
    if not rows:
        return "only listed pairs are known"
    parts = []
    for row in rows:
        text = f"{row['first']} - {row['second']} {row['difference']:+.2f}"
        if row["interval"]:
            text += f" [{row['interval'][0]:+.2f} {row['interval'][1]:+.2f}]"
        else:
            text += f" ({row['positives']} duplicate pages: no interval)"
        parts.append(text)
    return "; ".join(parts)


def _ranged(value: float, interval: list[float] | None) -> str:
    text = number(value)
    return text if interval is None else f"{text} [{number(interval[0])} {number(interval[1])}]"


def _ids(method: dict[str, Any], kind: str) -> tuple[tuple[str, str], ...]:
    return tuple((a, b) for a, b in method["examples"][kind][:3])
