"""Intervals, paired comparison and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.evaluation.metrics import Tally
from toolkit.evaluation.significance import (
    compare,
    holm,
    randomisation_p,
    story_weights,
    with_interval,
)


def tally(tp: list[int], fp: list[int], fn: list[int]) -> Tally:
    return Tally(*(np.array(x, dtype=float) for x in (tp, fp, fn)))


def test_draws_keep_the_number_of_stories() -> None:
    weights = story_weights(7, 100, 1)
    assert weights.shape == (100, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == story_weights(7, 100, 1)).all()


def test_no_interval_under_fifteen_positives() -> None:
    few, many = tally([7, 7], [0, 0], [0, 0]), tally([7, 8], [0, 0], [0, 0])
    weights = story_weights(2, 50, 1)
    assert with_interval(few, weights)["interval"] is None
    assert with_interval(many, weights)["interval"]["f1"] == [1, 1]
    assert compare(few, few, weights, 1)["p"] is None


def test_the_interval_agrees_with_a_plain_loop() -> None:
    counts = tally([4, 9, 1, 6, 3], [1, 0, 5, 2, 2], [3, 1, 4, 0, 2])
    weights = story_weights(5, 400, 9)
    drawn = []
    for row in weights:
        stories = [s for s in range(5) for _ in range(int(row[s]))]
        tp, fp, fn = (sum(x[s] for s in stories) for x in (counts.tp, counts.fp, counts.fn))
        drawn.append(2 * tp / (2 * tp + fp + fn))
    expected = np.percentile(drawn, [2.5, 97.5])
    assert with_interval(counts, weights)["interval"]["f1"] == pytest.approx(expected)


def test_the_randomisation_test_by_enumeration() -> None:
    one, two = tally([5, 4, 6], [0, 1, 0], [1, 2, 0]), tally([2, 4, 1], [3, 0, 2], [4, 2, 5])

    def f1(first: Tally, second: Tally, swaps: tuple[int, ...]) -> float:
        tp, fp, fn = (
            sum((b if s else a)[k] for k, s in enumerate(swaps))
            for a, b in ((first.tp, second.tp), (first.fp, second.fp), (first.fn, second.fn))
        )
        return 2 * tp / (2 * tp + fp + fn)

    every = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    differences = [abs(f1(one, two, s) - f1(two, one, s)) for s in every]
    exact = np.mean([d >= differences[0] - 1e-12 for d in differences])
    assert randomisation_p(one, two, 20_000, 1) == pytest.approx(exact, abs=0.02)
    assert randomisation_p(one, one, 100, 1) == 1


def test_holm_by_hand() -> None:
    # sorted .01 .02 .03 .04 -> .04, .06, .06 (monotone), .06
    assert holm([0.04, None, 0.01, 0.03, 0.02]) == pytest.approx([0.06, None, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
