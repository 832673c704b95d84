"""The paper's thresholds: swept together on labelled pairs, and varied one by one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.config import PaperConfig
from toolkit.matching.paper_scores import PairCounts, PairScores, decision_score, gates, score_pairs

#: lost in the paper's text, and ``wsim_min``, which is ours
RECOVERED = ("wsim_min", "credibility_min", "coherence_min", "tsim_min")
#: with D > 7, which the paper prints
ALL_THRESHOLDS = ("min_phrases", *RECOVERED)

GRID: dict[str, tuple[float, ...]] = {
    "min_phrases": (0, 2, 3, 5, 7, 9, 12),
    "wsim_min": (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8),
    "credibility_min": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
    "coherence_min": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "tsim_min": (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6),
}


@dataclass(frozen=True)
class TuneResult:
    """The best thresholds found and how good they are on the pairs they were found on."""

    settings: dict[str, float]
    value: float
    precision: float
    recall: float
    coverage: float
    tried: int
    objective: str
    best: tuple[dict[str, float], ...] = field(default=())


def objective_value(
    tp: npt.NDArray[Any],
    fp: npt.NDArray[Any],
    positives: int,
    beta: float,
    cost_ratio: float | None,
) -> npt.NDArray[np.float64]:
    """F-beta, or minus the cost (a false merge costs ``cost_ratio`` missed duplicates)."""
    missed = positives - tp
    if cost_ratio is not None:
        return -(missed + cost_ratio * fp).astype(np.float64)
    square = beta * beta
    top = (1 + square) * tp
    bottom = top + square * missed + fp
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0)


def tune(
    counts: PairCounts,
    labels: npt.ArrayLike,
    config: PaperConfig,
    *,
    free: Sequence[str] = RECOVERED,
    grid: Mapping[str, Sequence[float]] = GRID,
    beta: float = 1.0,
    cost_ratio: float | None = None,
    missed: int = 0,
) -> TuneResult:
    """Try every combination of the free thresholds.

    Args:
        labels: (m,) true where a pair is a duplicate.
        free: the thresholds to sweep; the others stay as configured.
        cost_ratio: None for F-beta, else the price of a false merge.
        missed: duplicates that are no candidates at all; they count as not found.

    ``undecided`` counts as not found. Of equally good settings the one that decides
    more pairs wins, then the higher thresholds.
    """
    truth = np.asarray(labels, dtype=bool)
    positives = int(truth.sum()) + missed
    values = {
        name: tuple(sorted(grid[name])) if name in free else (getattr(config, name),)
        for name in ALL_THRESHOLDS
    }
    rows: list[tuple[float, float, tuple[float, ...], int, int]] = []
    for wsim_min in values["wsim_min"]:
        scores = score_pairs(counts, config.model_copy(update={"wsim_min": wsim_min}))
        coherence = _bins(scores.coherence, values["coherence_min"])
        tsim = _bins(scores.tsim, values["tsim_min"])
        for phrases, credible in itertools.product(
            values["min_phrases"], values["credibility_min"]
        ):
            judged = (scores.phrases > phrases) & (scores.credibility > credible)
            coverage = float(judged.mean()) if len(judged) else 0.0
            tp = _exceeding(coherence, tsim, judged & truth, values)
            fp = _exceeding(coherence, tsim, judged & ~truth, values)
            objective = objective_value(tp, fp, positives, beta, cost_ratio)
            for at in _best_cells(objective, 3):
                thresholds = (values["coherence_min"][at[0]], values["tsim_min"][at[1]])
                found = (phrases, wsim_min, credible, *thresholds)
                rows.append((float(objective[at]), coverage, found, int(tp[at]), int(fp[at])))
    rows.sort(key=lambda row: row[:3], reverse=True)
    value, coverage, setting, tp_best, fp_best = rows[0]
    return TuneResult(
        settings=_named(setting),
        value=value,
        precision=tp_best / max(tp_best + fp_best, 1),
        recall=tp_best / max(positives, 1),
        coverage=coverage,
        tried=int(np.prod([len(v) for v in values.values()])),
        objective="cost" if cost_ratio is not None else f"F{beta:g}",
        best=tuple({"value": row[0], **_named(row[2])} for row in rows[:10]),
    )


def _named(setting: tuple[float, ...]) -> dict[str, float]:
    names = ("min_phrases", "wsim_min", "credibility_min", "coherence_min", "tsim_min")
    named = dict(zip(names, setting, strict=True))
    named["min_phrases"] = int(named["min_phrases"])
    return named


def _bins(scores: npt.NDArray[np.float64], thresholds: Sequence[float]) -> npt.NDArray[np.int64]:
    """How many thresholds each score exceeds."""
    return np.searchsorted(np.asarray(thresholds, dtype=np.float64), scores, side="left")


def _exceeding(
    coherence: npt.NDArray[np.int64],
    tsim: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.bool_],
    values: Mapping[str, Sequence[float]],
) -> npt.NDArray[np.int64]:
    """(coherence thresholds, tsim thresholds): chosen pairs that exceed both."""
    shape = (len(values["coherence_min"]) + 1, len(values["tsim_min"]) + 1)
    cells = np.bincount(coherence[chosen] * shape[1] + tsim[chosen], minlength=shape[0] * shape[1])
    table = cells.reshape(shape)[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return table[1:, 1:]


def _best_cells(objective: npt.NDArray[np.float64], most: int) -> list[tuple[int, int]]:
    order = np.argsort(-objective, axis=None, kind="stable")[:most]
    return [(int(k) // objective.shape[1], int(k) % objective.shape[1]) for k in order]


def outcomes(scores: PairScores, config: PaperConfig) -> npt.NDArray[np.int8]:
    """RM: 1 duplicate, 0 different, -1 undecided (below a gate)."""
    duplicate = decision_score(scores, config) >= 0.5
    return np.where(gates(scores, config), duplicate.astype(np.int8), -1).astype(np.int8)


def sensitivity(
    counts: PairCounts,
    labels: npt.ArrayLike,
    config: PaperConfig,
    *,
    grid: Mapping[str, Sequence[float]] = GRID,
    missed: int = 0,
) -> dict[str, list[dict[str, float]]]:
    """Rows of value, precision, recall, f1 and coverage as each threshold alone is varied."""
    truth = np.asarray(labels, dtype=bool)
    positives = int(truth.sum()) + missed
    curves: dict[str, list[dict[str, float]]] = {}
    for name in ALL_THRESHOLDS:
        curve = []
        for value in sorted({*grid[name], getattr(config, name)}):
            if name == "wsim_min" and value < counts.floor - 1e-9:
                continue
            changed = config.model_copy(update={name: value})
            outcome = outcomes(score_pairs(counts, changed), changed)
            tp = int((truth & (outcome == 1)).sum())
            found = int((outcome == 1).sum())
            precision, recall = tp / max(found, 1), tp / max(positives, 1)
            f1 = 2 * tp / max(found + positives, 1)
            coverage = float((outcome >= 0).mean()) if len(outcome) else 0.0
            curve.append(
                {
                    "value": float(value),
                    "precision": precision,
                    "recall": recall,
                    "f1": f1,
                    "coverage": coverage,
                }
            )
        curves[name] = curve
    return curves
