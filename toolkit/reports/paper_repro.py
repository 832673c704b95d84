"""``paper_repro.md``: the reproduction, generated from stored results.

    python -m toolkit.reports.paper_repro          writes paper_repro.md
    python -m toolkit.reports.paper_repro --check  exits with 1 when it is out of date

Nothing in the file is typed by hand: figures come from
``experiments/paper/results/*.json``, the sentences around them from the template.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2

from toolkit.errors import UserError
from toolkit.io import write_text
from toolkit.reports.claims import weigh_all
from toolkit.reports.tables import number, with_range

Result = dict[str, Any]
ORDER = ("mini", "ecob_zh", "cec", "eventmonitor")
#: comparisons printed; the stored results hold the others too
COMPARED = ("pages_reworded", "pages_reworded_apart", "pages_copies")
PARAMETERS = {
    "min_phrases": "D (printed: D > 7)",
    "credibility_min": "Dcredibility",
    "coherence_min": "Dcoherence",
    "tsim_min": "Tsim",
    "wsim_min": "Wsim (ours)",
}


def load_results(folder: Path) -> dict[str, Result]:
    """The stored results by corpus, the own corpus first.

    Raises:
        UserError: the own corpus's result is missing.
    """
    results = {}
    for name in ORDER:
        path = folder / f"{name}.json"
        if path.is_file():
            results[name] = json.loads(path.read_text(encoding="utf-8"))
    if "mini" not in results:
        raise UserError(f"{folder}/mini.json: not there; run python experiments/paper/run.py")
    return results


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def render(results: dict[str, Result]) -> str:
    """The whole document."""
    mini = results["mini"]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("toolkit.reports"),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template("paper_repro.md.j2").render(
        claims=claims_table(results),
        words=[row for result in results.values() if (row := in_words(result))],
        corpora=corpora_table(results),
        copies=group_table(mini, "pages_copies"),
        reworded=group_table(mini, "pages_reworded"),
        sections=[corpus_section(name, result) for name, result in results.items()],
        parameters=parameter_table(mini),
        kinds=kind_table(mini),
        readings=reading_table(mini),
        comparisons=comparison_table(mini),
        layers=layer_table(mini),
        shares=layer_shares(mini),
    )
    return text.rstrip() + "\n"


def claims_table(results: dict[str, Result]) -> str:
    """Each claim on each corpus: held, not held, or cannot be tested."""
    rows = [
        (w.claim, w.corpus, f"**{w.verdict}**", w.figure, _pairs(w.examples))
        for w in weigh_all(results)
    ]
    return table(("claim", "corpus", "verdict", "figure", "examples"), rows)


def in_words(result: Result) -> dict[str, Any] | None:
    """What the literal method does on one corpus, as fields of a sentence."""
    paper = result["methods"].get("paper", {})
    if paper.get("status") != "ok" or "pages" not in paper["columns"]["chosen"]:
        return None
    chosen = paper["columns"]["chosen"]
    found, total = chosen["relation_recall"].get("same_event", [0, 0])
    share = found / total if total else 0.0
    if share < 0.2:
        verdict = "On reworded reports it does badly here."
    elif share < 0.6:
        verdict = "It finds a part of the reworded reports here."
    else:
        verdict = "It finds most reworded reports here."
    return {
        "label": result["corpus"]["label"],
        "found": found,
        "total": total,
        "coverage": number(chosen["coverage"]),
        "coverage_positives": number(chosen["coverage_positives"]),
        "copies": _level(chosen["pages_copies"]),
        "reworded": _level(chosen["pages_reworded"]),
        "verdict": verdict,
    }


def corpora_table(results: dict[str, Result]) -> str:
    """What was counted."""
    rows = []
    for result in results.values():
        c = result["corpus"]
        sizes = (c["counted_documents"], c["stories"], c["events"], c["duplicate_pages"])
        rows.append(
            (
                c["label"],
                *("-" if size is None else size for size in sizes),
                f"{c['pairs_scored']:,}",
                c["positives"],
                result["protocol"]["thresholds"],
                f"`{c['checksum'][:12]}`",
            )
        )
    header = (
        "corpus", "documents", "stories", "events", "duplicate pages", "pairs scored", "positive",
        "thresholds", "checksum",
    )  # fmt: skip
    return table(header, rows)


def group_table(mini: Result, key: str) -> str:
    """One of the paper's two groups: page-level figures of all methods."""
    rows = []
    for name, method in _ran(mini):
        columns = method["columns"]
        chosen = columns["chosen"]
        rows.append(
            (
                name,
                with_range(chosen[key], "precision"),
                with_range(chosen[key], "recall"),
                with_range(chosen[key]),
                with_range(columns["chosen_apart"][key]),
                with_range(columns["oracle"][key]),
                number(chosen["coverage"]),
            )
        )
    header = ("method", "precision", "recall", "F1", "F1, apart", "F1, oracle", "decided")
    return table(header, rows)


def corpus_section(name: str, result: Result) -> dict[str, Any]:
    """All methods on one corpus: carried and own thresholds, pages and pairs."""
    listed = result["protocol"]["listed_pairs_only"]
    rows = []
    for method_name, method in _ran(result):
        columns, ranking = method["columns"], method["ranking"]
        row = [method_name]
        if not listed:
            row += [with_range(columns[c]["pages"]) for c in ("shipped", "chosen")]
        row += [with_range(columns[c]["pairs_strict"]) for c in ("shipped", "chosen", "oracle")]
        row += [with_range(columns["chosen"]["pairs_lenient"]), number(ranking["ap_strict"])]
        if not listed:
            row.append(number(columns["chosen"]["clusters"]["b_cubed"]["f1"]))
        row += [number(columns["chosen"]["coverage"]), number(method["candidates"]["recall"])]
        rows.append(row)
    first = "shipped" if name == "mini" else "carried"
    header = ["method"]
    header += [] if listed else [f"pages F1, {first}", "pages F1"]
    header += [f"pairs F1, {first}", "pairs F1", "pairs F1, oracle", "lenient", "AP"]
    header += [] if listed else ["B-cubed"]
    return {
        "label": result["corpus"]["label"],
        "table": table([*header, "decided", "candidate recall"], rows),
        "failed": [
            f"{n}: not run: {m['reason']}"
            for n, m in result["methods"].items()
            if m["status"] != "ok"
        ],
    }


def parameter_table(mini: Result) -> str:
    """The recovered parameters and how much each matters."""
    paper = mini["methods"]["paper"]
    (settings,) = paper["columns"]["chosen"]["threshold"]
    (apart,) = paper["columns"]["chosen_apart"]["threshold"]
    rows = []
    for name, label in PARAMETERS.items():
        curve = paper["sensitivity"].get(name, [])
        scores = [row[3] for row in curve]
        spread = f"{number(min(scores))} to {number(max(scores))}" if scores else "-"
        steps = ", ".join(f"{row[0]:g}: {number(row[3])}" for row in curve)
        values = [f"{s[name]:g}" if s else "-" for s in (settings, apart)]
        rows.append((label, *values, spread, steps))
    header = (
        "parameter",
        "chosen on dev",
        "on dev, apart",
        "F1 over its range",
        "F1 at each value",
    )
    return table(header, rows)


def kind_table(mini: Result) -> str:
    """Best value of each parameter alone for each kind of news."""
    rows = []
    for kind, curves in mini["methods"]["paper"]["sensitivity_by_kind"].items():
        row = [kind]
        for name in PARAMETERS:
            best = max(curves.get(name, []), key=lambda r: r[3], default=None)
            row.append(f"{best[0]:g} ({number(best[3])})" if best else "-")
        rows.append(row)
    return table(("kind", *PARAMETERS.values()), rows)


def reading_table(mini: Result) -> str:
    """What other readings of the text change."""
    rows = []
    for row in mini.get("readings", []):
        name = ", ".join(f"{k} = {v}" for k, v in row["reading"].items()) or "as implemented"
        keys = ("pages", "pages_reworded", "pages_copies")
        rows.append((name, *(number(row[k]["f1"]) for k in keys)))
    return table(("reading", "all pages", "reworded", "near-copies"), rows)


def comparison_table(mini: Result) -> str:
    """The comparison named beforehand, and the others under Holm."""
    found = mini["comparisons"]
    rows = []
    for row in filter(None, [found["primary"], *found["others"]]):
        if row["figure"] not in COMPARED:
            continue
        low, high = row["interval"] or (None, None)
        p = row.get("p_holm", row["p"])
        rows.append(
            (
                "**primary**" if row is found["primary"] else "",
                f"{row['first']} - {row['second']}",
                row["figure"],
                f"{row['difference']:+.3f}",
                f"{row['positives']} positives" if low is None else f"{low:+.3f} to {high:+.3f}",
                "-" if p is None else f"{p:.4f}",
            )
        )
    return table(("", "methods", "figure", "difference in F1", "interval", "p"), rows)


def layer_table(mini: Result) -> str:
    """What each layer of the layered pipeline caught."""
    rows = [
        (
            name,
            *(c[k] for k in ("first", "first_right", "all", "only", "only_right")),
            _pairs(c["only_examples"]),
        )
        for name, c in _layers(mini).items()
    ]
    header = (
        "layer",
        "caught first",
        "right",
        "caught in all",
        "caught alone",
        "right",
        "examples",
    )
    return table(header, rows)


def layer_shares(mini: Result) -> str:
    """Shares of what each layer caught first."""
    counts = [c["first"] for c in _layers(mini).values()]
    return " / ".join(f"{count / max(sum(counts), 1):.0%}" for count in counts) or "nothing"


def _level(figures: dict[str, Any]) -> str:
    """F1 with its interval; says so where there was nothing to find."""
    return with_range(figures) if figures["tp"] + figures["fn"] else "- (there are none)"


def _layers(mini: Result) -> dict[str, Any]:
    return dict(mini["methods"].get("layers", {}).get("layers", {}))


def _ran(result: Result) -> list[tuple[str, Result]]:
    return [(n, m) for n, m in result["methods"].items() if m["status"] == "ok"]


def _pairs(pairs: Iterable[Sequence[str]]) -> str:
    return "; ".join(f"{a} + {b}" for a, b in pairs) or "none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the document; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    text = render(load_results(Path("experiments/paper/results")))
    target = Path("paper_repro.md")
    if "--check" in arguments:
        current = target.read_text(encoding="utf-8") if target.is_file() else ""
        return int(current != text)
    write_text(target, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
