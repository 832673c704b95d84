"""Same event, cross-validated over stories: ``python experiments/same_event/run.py --shared DIR``.

Folds are stories; a pair whose documents lie in two folds is scored by the model and
threshold of the fold of its first document and used to train neither. The threshold is
chosen inside the training folds. ``shipped`` is the fixed threshold 0.5. Intervals are
bootstrap intervals over stories (of the first document). With ``--closing`` the untouched
last third of the `ecob_zh` stories is scored once by a model that never saw it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.io import write_json, write_text
from toolkit.matching.element_features import COLUMNS, GROUPS, SCALE
from toolkit.matching.train_decision import (
    TrainingSet,
    best_threshold,
    corpus_set,
    load_sets,
    train,
)

HERE = Path(__file__).parent
FOLDS = 5
SEED = 20240601
#: the segments of the text cosine add up to the cosine itself
TEXT = [i for i, c in enumerate(COLUMNS) if c.startswith("text>") and "|" not in c]
Floats = npt.NDArray[np.float64]


def f1(said: npt.NDArray[np.bool_], true: npt.NDArray[np.int8]) -> float:
    """F1 of the positives."""
    return float(2 * (said & (true == 1)).sum() / max(1, said.sum() + true.sum()))


def family(name: str) -> str:
    """A set and its undated copy are one corpus."""
    return name.removesuffix("_undated")


def keep_columns(drop: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> npt.NDArray[np.bool_]:
    """Mask of columns without (or only with) some kinds of evidence."""
    kept = []
    for column in COLUMNS:
        feature = column.split("=")[0].split(">")[0]
        kind = next(g for g, fs in GROUPS.items() if feature in fs)
        kept.append((not only or kind in (*only, "circumstances")) and kind not in drop)
    return np.array(kept)


def cross_validate(
    sets: list[TrainingSet],
    name: str,
    columns: npt.NDArray[np.bool_] | None = None,
    tfidf: bool = False,
) -> tuple[Floats, Floats]:
    """(scores, thresholds) of all pairs of a set, each by a model that did not see it."""
    data = next(s for s in sets if s.name == name)
    fold = np.random.default_rng(SEED).integers(0, FOLDS, data.group.max() + 1)
    first, second = fold[data.group[:, 0]], fold[data.group[:, 1]]
    scores, cuts = np.zeros(len(data.pairs)), np.zeros(len(data.pairs))
    others = [s for s in sets if family(s.name) != name]
    for k in range(FOLDS):
        inside, test = (first != k) & (second != k), first == k
        if tfidf:
            cosine = data.rows[:, TEXT].sum(axis=1) / SCALE
            found, training = cosine[test], cosine[inside]
        else:
            model = train([data.where(inside), *others], columns=columns)
            mask = 1.0 if columns is None else columns
            found = model.event_probability(data.rows[test] * mask)
            training = model.event_probability(data.rows[inside] * mask)
        scores[test] = found
        cuts[test] = best_threshold(training, data.event[inside])[0]
    return scores, cuts


def interval(
    data: TrainingSet, said: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_] | None = None
) -> list[float]:
    """95 % bootstrap interval over stories of F1 (or of the difference of two F1)."""
    stories = np.unique(data.group[:, 0])
    rng = np.random.default_rng(SEED)
    rows = [np.flatnonzero(data.group[:, 0] == s) for s in stories]
    count = [
        np.array([(said[r] & (data.event[r] == 1)).sum(), said[r].sum(), data.event[r].sum()])
        for r in rows
    ]
    table = np.array(count)
    second = None
    if other is not None:
        second = np.array(
            [
                [(other[r] & (data.event[r] == 1)).sum(), other[r].sum(), data.event[r].sum()]
                for r in rows
            ]
        )
    values = []
    for _ in range(1000):
        pick = rng.integers(0, len(stories), len(stories))
        tp, p, y = table[pick].sum(axis=0)
        value = 2 * tp / max(1, p + y)
        if second is not None:
            tp2, p2, y2 = second[pick].sum(axis=0)
            value -= 2 * tp2 / max(1, p2 + y2)
        values.append(value)
    return [round(float(v), 3) for v in np.percentile(values, [2.5, 97.5])]


def report(
    data: TrainingSet, scores: Floats, cuts: Floats, fixed: float | None = 0.5
) -> dict[str, Any]:
    """Strict and lenient figures of one method on one set."""
    lenient = ~((data.story == 1) & (data.event == 0))
    said = scores >= cuts
    row: dict[str, Any] = {
        "pairs": len(data.pairs),
        "same_event": int(data.event.sum()),
        "strict": round(f1(said, data.event), 3),
        "strict_interval": interval(data, said),
        "lenient": round(f1(said[lenient], data.event[lenient]), 3),
        "wrong_merges": int((said & (data.event == 0)).sum()),
        "misses": int((~said & (data.event == 1)).sum()),
        "best_possible": round(best_threshold(scores, data.event)[1], 3),
    }
    if fixed is not None:
        at = scores >= fixed
        row["shipped_strict"] = round(f1(at, data.event), 3)
        row["shipped_lenient"] = round(f1(at[lenient], data.event[lenient]), 3)
        row["shipped_wrong"] = int((at & (data.event == 0)).sum())
        row["shipped_found"] = int((at & (data.event == 1)).sum())
    return row


def main() -> None:
    """Run everything and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", required=True)
    parser.add_argument("--mini", default="corpora/mini")
    parser.add_argument("--closing", action="store_true")
    options = parser.parse_args()
    sets = load_sets(Path(options.shared), Path(options.mini))
    names = [s.name for s in sets if not s.name.endswith("_undated") and s.event.any()]
    result: dict[str, Any] = {
        "columns": len(COLUMNS), "folds": FOLDS, "seed": SEED,
        "checksums": {s.name: s.checksum for s in sets}, "cross_validated": {}, "ablation": {}, "transfer": {},  # noqa: E501
    }  # fmt: skip
    for name in names:
        data = next(s for s in sets if s.name == name)
        scores, cuts = cross_validate(sets, name)
        base, base_cuts = cross_validate(sets, name, tfidf=True)
        entry = {
            "elements": report(data, scores, cuts),
            "tfidf": report(data, base, base_cuts, None),
        }
        entry["difference_interval"] = interval(data, scores >= cuts, base >= base_cuts)
        result["cross_validated"][name] = entry
        print(name, entry, file=sys.stderr)
        for kind in GROUPS:
            if kind != "circumstances":
                s, c = cross_validate(sets, name, keep_columns(drop=(kind,)))
                result["ablation"].setdefault(name, {})[f"without {kind}"] = report(data, s, c)
        s, c = cross_validate(sets, name, keep_columns(only=("text",)))
        result["ablation"][name]["text only"] = report(data, s, c)
        model = train([x for x in sets if family(x.name) != name])
        out = model.event_probability(data.rows)
        result["transfer"][name] = report(data, out, np.full(len(out), 0.5))
    if options.closing:
        result["closing"] = closing(sets, Path(options.shared))
        print(result["closing"], file=sys.stderr)
    elif (HERE / "result.json").exists():
        # the closing run is made once; later runs keep what came out
        before = json.loads((HERE / "result.json").read_text(encoding="utf-8"))
        if "closing" in before:
            result["closing"] = before["closing"]
    write_json(HERE / "result.json", result)
    write_text(HERE / "table.md", table(result))


def closing(sets: list[TrainingSet], shared: Path) -> dict[str, Any]:
    """The untouched last third of the ECOB stories, scored once."""
    whole = corpus_set("ecob_zh", shared / "ecob_zh")
    seen = {a.id for s in sets if s.name == "ecob_zh" for a in s.articles}
    fresh = np.array([a.id not in seen for a in whole.articles])
    data = whole.where(fresh[whole.pairs[:, 0]] & fresh[whole.pairs[:, 1]])
    out = train(sets).event_probability(data.rows)
    return report(data, out, np.full(len(out), 0.5))


def table(result: dict[str, Any]) -> str:
    """The tables of the README, from the stored result."""
    lines = [
        "| set | method | strict F1 (95 %) | lenient | strict at 0.5 | lenient at 0.5 | wrong / missed |",  # noqa: E501
        "|---|---|---|---|---|---|---|",
    ]
    for name, entry in result["cross_validated"].items():
        for method in ("elements", "tfidf"):
            r = entry[method]
            low, high = r["strict_interval"]
            lines.append(
                f"| {name} | {method} | {r['strict']:.3f} ({low:.2f}-{high:.2f}) | {r['lenient']:.3f} "  # noqa: E501
                f"| {r.get('shipped_strict', '-')} | {r.get('shipped_lenient', '-')} | {r['wrong_merges']} / {r['misses']} |"  # noqa: E501
            )
        low, high = entry["difference_interval"]
        lines.append(f"| {name} | elements - tfidf | ({low:.2f} to {high:.2f}) | | | | |")
    lines += [
        "",
        "| set | variant | strict F1 | lenient | strict at 0.5 |",
        "|---|---|---|---|---|",
    ]
    for name, variants in result["ablation"].items():
        for variant, r in variants.items():
            lines.append(
                f"| {name} | {variant} | {r['strict']:.3f} | {r['lenient']:.3f} | {r['shipped_strict']:.3f} |"  # noqa: E501
            )
    for name, r in result["transfer"].items():
        lines.append(
            f"| {name} | trained on the other sets only | - | - | {r['shipped_strict']:.3f} (best {r['best_possible']:.3f}) |"  # noqa: E501
        )
    if "closing" in result:
        r = result["closing"]
        lines += [
            "",
            f"Last third of the ECOB stories, one run: strict F1 {r['shipped_strict']:.3f}, lenient {r['shipped_lenient']:.3f} at 0.5 ({r['pairs']} pairs, {r['same_event']} same event).",  # noqa: E501
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
