"""特征码: shared codes around full stops over the smaller number of codes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from scipy import sparse

from toolkit.fingerprints.cosine import pairs_above
from toolkit.fingerprints.feature_codes import Code, codes
from toolkit.matching.all_pairs import require_small
from toolkit.matching.method import PairMethod, Pairs, Scores, register
from toolkit.model import Article, Span


@register
class FeatureCodes(PairMethod):
    """Hanzi on each side of every full stop of the body."""

    name = "feature_codes"
    summary = "hanzi on each side of every full stop; shared codes / smaller count"
    threshold_source = "best F1 on the listed pairs of eventmonitor"
    duplicate_relation = "reprint"

    @property
    def threshold(self) -> float:
        """Least share of shared codes."""
        return self.config.feature_codes.threshold

    def fit(self, articles: Sequence[Article]) -> FeatureCodes:
        """Cut the codes of every body."""
        self.articles = articles
        width = self.config.feature_codes.hanzi
        self.sets = [frozenset(c.code for c in codes(a.body, width)) for a in articles]
        vocabulary: dict[str, int] = {}
        for code in chain.from_iterable(sorted(s) for s in self.sets):
            vocabulary.setdefault(code, len(vocabulary))
        rows = np.repeat(np.arange(len(articles)), [len(s) for s in self.sets])
        columns = [vocabulary[c] for s in self.sets for c in sorted(s)]
        shape = (len(articles), max(len(vocabulary), 1))
        self._matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        return self

    def candidates(self) -> Pairs:
        """Every pair that shares a code."""
        require_small(self)
        return pairs_above(self._matrix, 0.0)

    def score(self, pairs: Pairs) -> Scores:
        """Shared codes / smaller number of codes; 0 where one text has none."""
        result = np.zeros(len(pairs))
        for row, (i, j) in enumerate(pairs.tolist()):
            a, b = self.sets[i], self.sets[j]
            if a and b:
                result[row] = len(a & b) / min(len(a), len(b))
        return result

    def features(self, i: int, j: int) -> dict[str, object]:
        """The counts behind the score."""
        a, b = self.sets[i], self.sets[j]
        return {"shared": len(a & b), "codes_a": len(a), "codes_b": len(b)}

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """Each shared code where it first stands in both bodies."""
        shared = self.sets[i] & self.sets[j]
        first_a, first_b = self._first(i), self._first(j)
        return tuple(
            {
                "kind": "feature_code",
                "code": code,
                "a": self._span(i, first_a[code]),
                "b": self._span(j, first_b[code]),
            }
            for code in first_a
            if code in shared
        )

    def _first(self, i: int) -> dict[str, Code]:
        first: dict[str, Code] = {}
        for code in codes(self.articles[i].body, self.config.feature_codes.hanzi):
            first.setdefault(code.code, code)
        return first

    def _span(self, i: int, code: Code) -> Span:
        return Span(code.start, code.end, self.articles[i].body[code.start : code.end])
