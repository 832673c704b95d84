"""Span F1 of time expressions and places against the gold spans of `cec`.

One-to-one matching: a predicted and a gold span match when they overlap by at least
half of the longer. Spans of other gold kinds (duration, offset, adverb; bare) and the
predictions that match those are scored apart.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable

Spans = list[tuple[int, int, str]]


def match_spans(gold: Spans, predicted: Spans) -> list[tuple[int, int]]:
    """Greedy one-to-one matching by overlap, best first."""
    options = []
    for i, (a, b, _) in enumerate(gold):
        for j, (c, d, _) in enumerate(predicted):
            overlap = min(b, d) - max(a, c)
            if overlap > 0 and 2 * overlap >= max(b - a, d - c):
                options.append((-overlap / max(b - a, d - c), i, j))
    used_gold: set[int] = set()
    used_predicted: set[int] = set()
    pairs = []
    for _, i, j in sorted(options):
        if i not in used_gold and j not in used_predicted:
            used_gold.add(i)
            used_predicted.add(j)
            pairs.append((i, j))
    return pairs


def span_scores(
    documents: Iterable[tuple[str, Spans, Spans]], gold_kinds: set[str], predicted_kinds: set[str]
) -> dict[str, object]:
    """Precision, recall and F1 of the wanted kinds.

    A prediction of a wanted kind that matches a gold span of another kind, and a gold
    span of a wanted kind found with another kind, are counted as errors in ``strict``
    and left out of the counts otherwise.
    """
    counts: collections.Counter[str] = collections.Counter()
    errors: list[tuple[str, str, int, int, str]] = []
    for identifier, gold, predicted in documents:
        pairs = match_spans(gold, predicted)
        matched_gold = {i: j for i, j in pairs}
        matched_predicted = {j: i for i, j in pairs}
        for i, (a, b, kind) in enumerate(gold):
            if kind not in gold_kinds:
                continue
            j = matched_gold.get(i)
            if j is None:
                counts["missed"] += 1
                errors.append((identifier, "missed", a, b, kind))
            elif predicted[j][2] in predicted_kinds:
                counts["hit"] += 1
            else:
                counts["other_kind_predicted"] += 1
                errors.append((identifier, "as " + predicted[j][2], a, b, kind))
        for j, (a, b, kind) in enumerate(predicted):
            if kind not in predicted_kinds:
                continue
            i2 = matched_predicted.get(j)
            if i2 is None:
                counts["spurious"] += 1
                errors.append((identifier, "spurious", a, b, kind))
            elif gold[i2][2] not in gold_kinds:
                counts["other_kind_gold"] += 1
                errors.append((identifier, "gold " + gold[i2][2], a, b, kind))

    def f1(hit: int, wrong: int, missed: int) -> dict[str, float]:
        precision = hit / max(1, hit + wrong)
        recall = hit / max(1, hit + missed)
        return {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4),
        }

    hit, missed = counts["hit"], counts["missed"] + counts["other_kind_predicted"]
    return {
        "counts": dict(counts),
        "apart": f1(hit, counts["spurious"], missed),
        "strict": f1(hit, counts["spurious"] + counts["other_kind_gold"], missed),
        "errors": errors,
    }
