"""Choosing thresholds, and the curves behind the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.config import EvaluationConfig
from toolkit.evaluation.universe import Bools
from toolkit.matching.method import Decisions, PairMethod, Pairs, Scores


@dataclass(frozen=True)
class Choice:
    """What a sweep chose: one threshold, or settings of the method's section.

    Both None: nothing could be chosen (no positive was ranked), so the shipped
    decision stands.
    """

    threshold: float | None = None
    settings: dict[str, Any] | None = None


@dataclass(frozen=True)
class Cuts:
    """Counts at every distinct score, highest first: pairs with score >= it."""

    score: Scores
    tp: npt.NDArray[np.int64]
    fp: npt.NDArray[np.int64]
    positives: int

    @property
    def precision(self) -> Scores:
        """Share of the pairs above each cut that are positive."""
        return self.tp / np.maximum(self.tp + self.fp, 1)

    @property
    def recall(self) -> Scores:
        """Share of all positives above each cut."""
        return self.tp / max(self.positives, 1)


def cuts(scores: Scores, positive: Bools, usable: Bools | None = None) -> Cuts:
    """Counts at every distinct score; pairs that are not ``usable`` are never found."""
    usable = np.ones(len(scores), dtype=bool) if usable is None else usable
    order = np.argsort(-scores[usable], kind="stable")
    ranked, truth = scores[usable][order], positive[usable][order]
    if not len(ranked):
        empty = np.zeros(0, dtype=np.int64)
        return Cuts(ranked, empty, empty, int(positive.sum()))
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    tp = np.cumsum(truth, dtype=np.int64)[last]
    return Cuts(ranked[last], tp, last + 1 - tp, int(positive.sum()))


def f_beta(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """F-beta; 0 where both are 0."""
    square = beta * beta
    below = square * precision + recall
    return np.where(below > 0, (1 + square) * precision * recall / np.where(below > 0, below, 1), 0)


def objective(table: Cuts, settings: EvaluationConfig) -> Scores:
    """What the sweep maximises at each cut (F-beta, or minus the cost in misses)."""
    if settings.objective == "cost":
        return -(settings.cost_ratio * table.fp + (table.positives - table.tp)).astype(float)
    return np.asarray(f_beta(table.precision, table.recall, settings.beta))


def best_threshold(
    scores: Scores, positive: Bools, settings: EvaluationConfig, usable: Bools | None = None
) -> float | None:
    """The best cut, halfway to the next lower score; None when no positive is ranked.

    Under the cost objective merging nothing at all may be cheapest; the threshold
    then lies above every score.
    """
    table = cuts(scores, positive, usable)
    if not len(table.score) or not table.tp[-1]:
        return None
    value = objective(table, settings)
    best = int(np.argmax(value))
    if settings.objective == "cost" and value[best] < -table.positives:
        return float(np.nextafter(table.score[0], np.inf))
    if best + 1 < len(table.score):
        return float((table.score[best] + table.score[best + 1]) / 2)
    return float(table.score[best])


def choose(
    method: PairMethod,
    pairs: Pairs,
    scores: Scores,
    positive: Bools,
    usable: Bools,
    settings: EvaluationConfig,
) -> Choice:
    """Choose the method's own settings, or one threshold on its score."""
    if not positive.any():
        return Choice()
    cost = settings.cost_ratio if settings.objective == "cost" else None
    tuned = method.tune(pairs, positive, beta=settings.beta, cost_ratio=cost)
    if tuned is not None:
        return Choice(settings=dict(tuned.settings))
    return Choice(threshold=best_threshold(scores, positive, settings, usable))


def apply(
    method: PairMethod, choice: Choice | None, pairs: Pairs, scores: Scores
) -> tuple[Scores, Decisions]:
    """Scores and decisions under a choice (None: as shipped); the method is left as it was."""
    if choice is None or (choice.threshold is None and choice.settings is None):
        return scores, method.decide(pairs, scores)
    if choice.settings is None:
        return scores, method.decide(pairs, scores, choice.threshold)
    before = method.config
    try:
        method.use(choice.settings)
        scores = method.score(pairs)
        return scores, method.decide(pairs, scores)
    finally:
        method.config = before


def threshold_curve(
    scores: Scores, positive: Bools, usable: Bools, steps: int = 41
) -> list[list[float]]:
    """Rows [threshold, precision, recall, f1] on an even grid over the scores seen."""
    if not usable.any() or not positive.any():
        return []
    low, high = float(scores[usable].min()), float(scores[usable].max())
    table = cuts(scores, positive, usable)
    rows = []
    for cut in np.linspace(low, high, steps):
        above = int(np.searchsorted(-table.score, -cut, side="right")) - 1
        p = float(table.precision[above]) if above >= 0 else 0.0
        r = float(table.recall[above]) if above >= 0 else 0.0
        rows.append([round(float(cut), 6), round(p, 6), round(r, 6), round(float(f_beta(p, r)), 6)])
    return rows


def precision_recall(
    scores: Scores, positive: Bools, usable: Bools, most: int = 150
) -> list[list[float]]:
    """Points [recall, precision] of the ranking, thinned to ``most``."""
    table = cuts(scores, positive, usable)
    count = len(table.score)
    if not count or not table.positives:
        return []
    keep = np.unique(
        np.concatenate([
            np.searchsorted(table.recall, np.linspace(0, table.recall[-1], most)),
            [0, count - 1],
        ])
    )  # fmt: skip
    keep = keep[keep < count]
    return [[round(float(table.recall[k]), 5), round(float(table.precision[k]), 5)] for k in keep]


def average_precision(scores: Scores, positive: Bools) -> float | None:
    """Average precision of the ranking of all pairs; None without a positive."""
    if not positive.any():
        return None
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(positive, scores))
