"""What `copies` merges among the items of one broadcaster, and why.

    python experiments/near/formulaic.py SHARED/data/xwlb

The news there is written on set forms. No labels exist: each merged pair is listed by
id with its figures, grouped by the reason it was merged, for a person to look up.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.config import RunConfig
from toolkit.io import read_documents, write_json
from toolkit.matching.methods.copies import Copies

HERE = Path(__file__).parent
_SHOWN = ("jaccard", "covered_shorter", "longest_run", "own_words_a", "own_words_b")


def reason(relation: str, days: float, values: dict[str, float]) -> str:
    """Why a pair was merged, in one of a few kinds."""
    if relation == "identical":
        return "equal text" if days < 3 else "equal text, days or years apart: an annual notice"
    if values["jaccard"] >= 0.9:
        return "nearly equal text: a notice repeated with one figure or date changed"
    if relation == "excerpt":
        return "consecutive days: an item quotes or sums up the item before"
    return "consecutive days: an announcement is repeated or carried on"


def main() -> None:
    """List the merged pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    articles = read_documents(arguments.folder / "docs.jsonl.gz").articles
    method = Copies(RunConfig()).fit(articles)
    pairs = method.candidates()
    scores = method.score(pairs)
    decisions = method.decide(pairs, scores)
    merged: list[list[Any]] = []
    reasons: Counter[str] = Counter()
    for row in np.flatnonzero(decisions.outcome == 1).tolist():
        i, j = pairs[row].tolist()
        a, b = articles[i], articles[j]
        verdict = method.verdict(i, j)
        days = 0.0
        if a.published and b.published:
            days = abs((a.published - b.published).total_seconds()) / 86400
        why = reason(verdict.relation, days, verdict.values)
        reasons[why] += 1
        figures = {k: round(verdict.values[k], 3) for k in _SHOWN if k in verdict.values}
        merged.append([a.id, b.id, verdict.relation, round(days), why, figures])
    result = {
        "question": "false matches between unrelated items of formulaic language",
        "documents": len(articles),
        "candidates": len(pairs),
        "relations": dict(sorted(Counter(decisions.relation).items())),
        "merged": len(merged),
        "reasons": dict(reasons.most_common()),
        "pairs": merged,
    }
    write_json(HERE / "formulaic.json", result)
    print({k: v for k, v in result.items() if k != "pairs"}, file=sys.stderr)


if __name__ == "__main__":
    main()
