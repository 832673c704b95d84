"""Intervals by story, paired comparison of two methods, Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from toolkit.evaluation.metrics import Floats, Tally
from toolkit.evaluation.sweep import f_beta

#: a set with fewer positives gets counts and no interval
LEAST_POSITIVES = 15
#: draws of the randomisation test: enough for a small p to survive Holm's correction
RANDOMISATIONS = 20_000


def story_weights(stories: int, draws: int, seed: int) -> Floats:
    """How often each story is drawn, shape (draws, stories); rows sum to ``stories``."""
    generator = np.random.default_rng(seed)
    share = np.full(stories, 1 / stories)
    return generator.multinomial(stories, share, size=draws).astype(float)


def with_interval(tally: Tally, weights: Floats | None) -> dict[str, Any]:
    """The figures of a tally with 95 % bootstrap intervals by story.

    ``interval`` is None when there are under 15 positives or no draws.
    """
    figures: dict[str, Any] = dict(tally.figures())
    figures["interval"] = None
    if weights is not None and len(weights) and tally.tp.sum() + tally.fn.sum() >= LEAST_POSITIVES:
        names = ("precision", "recall", "f1")
        figures["interval"] = {
            name: [float(v) for v in np.percentile(values, [2.5, 97.5])]
            for name, values in zip(names, tally.drawn(weights), strict=True)
        }
    return figures


def compare(first: Tally, second: Tally, weights: Floats, seed: int) -> dict[str, Any]:
    """Difference in F1 (first - second) on the same stories.

    The interval is the paired bootstrap by story (both methods under the same
    draws); ``p`` is the two-sided paired randomisation test by story: under the
    null hypothesis the two methods' counts of a story may be swapped.
    """
    difference = float(first.figures()["f1"] or 0) - float(second.figures()["f1"] or 0)
    positives = int(first.tp.sum() + first.fn.sum())
    result: dict[str, Any] = {"difference": difference, "positives": positives}
    if positives < LEAST_POSITIVES or not len(weights):
        return {**result, "interval": None, "p": None}
    drawn = first.drawn(weights)[2] - second.drawn(weights)[2]
    result["interval"] = [float(v) for v in np.percentile(drawn, [2.5, 97.5])]
    result["p"] = randomisation_p(first, second, RANDOMISATIONS, seed)
    return result


def randomisation_p(first: Tally, second: Tally, draws: int, seed: int) -> float:
    """Two-sided p of the F1 difference when stories swap methods at random.

    Wrong merges between two stories go with the story of the first document.
    """
    swap = _swaps(draws, len(first.tp), seed)

    def counts(tally: Tally) -> list[Floats]:
        cross = 0 if tally.cross is None else tally.cross.sum(axis=1)
        return [tally.tp, tally.fp + cross, tally.fn]

    def f1(mine: list[Floats], other: list[Floats]) -> Floats:
        tp, fp, fn = ((1 - swap) @ m + swap @ o for m, o in zip(mine, other, strict=True))
        return 2 * tp / np.maximum(2 * tp + fp + fn, 1)

    one, two = counts(first), counts(second)
    observed = abs(_f1(one) - _f1(two))
    drawn = np.abs(f1(one, two) - f1(two, one))
    return float((1 + (drawn >= observed - 1e-12).sum()) / (1 + draws))


@lru_cache(maxsize=1)
def _swaps(draws: int, stories: int, seed: int) -> Floats:
    """Which stories swap methods in each draw, 0 or 1, shape (draws, stories)."""
    swap = np.random.default_rng(seed).integers(0, 2, size=(draws, stories)).astype(float)
    swap.setflags(write=False)
    return swap


def _f1(counts: list[Floats]) -> float:
    tp, fp, fn = (float(c.sum()) for c in counts)
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return float(f_beta(precision, recall))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values; None stays None and does not count."""
    known = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, k) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[k] = highest
    return adjusted
