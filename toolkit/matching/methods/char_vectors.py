"""Cosine of character frequencies over the GB2312 hanzi."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from toolkit.fingerprints.char_vectors import count_matrix, gb2312_hanzi
from toolkit.fingerprints.cosine import pair_cosines, pairs_above, unit_rows
from toolkit.matching.alignment import mapped, run_matches
from toolkit.matching.method import PairMethod, Pairs, Scores, register
from toolkit.model import Article


class SparseCosine(PairMethod):
    """Base of the vector baselines: cosine of sparse rows, one row per document.

    Up to ``evaluation.max_all_pairs`` documents every pair with a score above 0 is
    a candidate; beyond that only pairs at or above the shipped threshold are kept.
    """

    def vectors(self, articles: Sequence[Article]) -> sparse.csr_matrix:
        """One row per article, any scale."""
        raise NotImplementedError

    def fit(self, articles: Sequence[Article]) -> SparseCosine:
        """Turn every article into a row of length 1."""
        self.articles = articles
        self.rows = unit_rows(self.vectors(articles))
        return self

    def candidates(self) -> Pairs:
        """Pairs with a score above 0, or near the threshold in a large set."""
        small = len(self.articles) <= self.config.evaluation.max_all_pairs
        # rounding must not lose a pair that lies on the threshold
        return pairs_above(self.rows, 0.0 if small else (self.threshold or 0.0) - 1e-9)

    def score(self, pairs: Pairs) -> Scores:
        """Cosines."""
        return pair_cosines(self.rows, pairs)

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The longest common runs of the bodies."""
        return run_matches(mapped(self.articles[i].body), mapped(self.articles[j].body), most=5)

    def top_terms(self, i: int, j: int, names: Sequence[str], count: int = 8) -> dict[str, float]:
        """What contributes most to the cosine of a pair."""
        product = self.rows[i].multiply(self.rows[j]).tocoo()
        order = np.argsort(-product.data, kind="stable")[:count]
        return {str(names[product.col[k]]): round(float(product.data[k]), 4) for k in order}


@register
class CharVectors(SparseCosine):
    """Raw counts of the 6,763 hanzi of GB2312 in title and body."""

    name = "char_vectors"
    summary = "cosine of character frequencies over the 6,763 GB2312 hanzi"
    threshold_source = "best F1 on ecob_zh, all stories"

    @property
    def threshold(self) -> float:
        """Least cosine."""
        return self.config.char_vectors.threshold

    def vectors(self, articles: Sequence[Article]) -> sparse.csr_matrix:
        """Raw counts."""
        self.counts = count_matrix(a.text for a in articles)
        return self.counts

    def features(self, i: int, j: int) -> dict[str, object]:
        """Counts of hanzi, and the characters that contribute most."""
        return {
            "hanzi_a": int(self.counts[i].sum()),
            "hanzi_b": int(self.counts[j].sum()),
            "shared_characters": int(self.counts[i].multiply(self.counts[j]).nnz),
            "top": self.top_terms(i, j, gb2312_hanzi()),
        }
