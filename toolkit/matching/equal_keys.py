"""The base of methods that call two articles one when their keys are equal."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from toolkit.fingerprints.digests import group_keys
from toolkit.fingerprints.lsh import bucket_pairs
from toolkit.matching.method import PairMethod, Pairs, Scores
from toolkit.model import Article


class EqualKeys(PairMethod):
    """Score 1 for equal keys, else 0; an article without a key never matches."""

    threshold_source = "exact: equal or not"

    @property
    def threshold(self) -> float:
        """Equal or not."""
        return 1.0

    @abstractmethod
    def keys_of(self, articles: Sequence[Article]) -> list[str | None]:
        """One key per article, None where it has none."""

    def fit(self, articles: Sequence[Article]) -> Self:
        """Compute the key of every article."""
        self.articles = articles
        self.keys = self.keys_of(articles)
        self._groups, self._usable = group_keys(self.keys)
        return self

    def candidates(self) -> Pairs:
        """Pairs with equal keys; huge groups are chained (see ``lsh.bucket_pairs``)."""
        window = self.config.evaluation.max_all_pairs
        return bucket_pairs(self._groups.reshape(-1, 1), self._usable, window=window).pairs

    def score(self, pairs: Pairs) -> Scores:
        """1.0 where both have a key and the keys are equal, else 0.0."""
        i, j = pairs[:, 0], pairs[:, 1]
        both = self._usable[i] & self._usable[j]
        return (both & (self._groups[i] == self._groups[j])).astype(np.float64)
