"""The banding curve."""

from __future__ import annotations

import pytest

from toolkit.errors import InvalidSetting
from toolkit.fingerprints.bands import (
    bands_table,
    candidate_probability,
    choices,
    recommended,
)  # fmt: skip


def test_curve_by_hand() -> None:
    assert candidate_probability(0.5, 2, 1) == pytest.approx(0.75)
    assert candidate_probability(0.8, 16, 4) == pytest.approx(1 - 0.5904**16)
    assert candidate_probability(0.0, 16, 4) == 0.0
    assert candidate_probability(1.0, 16, 4) == 1.0


def test_choices_use_nearly_every_permutation() -> None:
    assert all(64 - c.rows < c.bands * c.rows <= 64 for c in choices(64))


def test_recommendation_finds_enough_with_most_rows() -> None:
    best = recommended(0.8, 64)
    assert (
        best.found(0.8) >= 0.99 > candidate_probability(0.8, 64 // (best.rows + 1), best.rows + 1)
    )
    assert "take more permutations" in bands_table(0.02, 8)
    assert "16 x 4" in bands_table(0.8)


@pytest.mark.parametrize(("threshold", "permutations"), [(0.0, 64), (1.5, 64), (0.5, 0)])
def test_bad_settings(threshold: float, permutations: int) -> None:
    with pytest.raises(InvalidSetting):
        bands_table(threshold, permutations)
