"""difflib's ratio of the cleaned bodies; quadratic in length and number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from toolkit.language.normalise import shingle_text
from toolkit.matching.alignment import mapped, ratio, run_matches
from toolkit.matching.all_pairs import require_small
from toolkit.matching.method import PairMethod, Pairs, Scores, all_pairs, register
from toolkit.model import Article


@register
class DifflibRatio(PairMethod):
    """``SequenceMatcher.ratio`` (2 * matched / total length) of the cleaned bodies."""

    name = "difflib"
    summary = "difflib ratio of the cleaned bodies (small sets only)"
    threshold_source = "best F1 on cec, which has five true pairs: rough"
    duplicate_relation = "reprint"

    @property
    def threshold(self) -> float:
        """Least ratio."""
        return self.config.difflib.threshold

    def fit(self, articles: Sequence[Article]) -> DifflibRatio:
        """Clean every body.

        Raises:
            UserError: there are more than ``difflib.max_documents`` articles.
        """
        self.articles = articles
        require_small(self, self.config.difflib.max_documents, "difflib.max_documents")
        self.texts = [shingle_text(a.body) for a in articles]
        self._known: dict[tuple[int, int], float] = {}
        return self

    def candidates(self) -> Pairs:
        """Every pair with a score above 0."""
        pairs = all_pairs(len(self.articles))
        return pairs[self.score(pairs) > 0]

    def score(self, pairs: Pairs) -> Scores:
        """Ratios; 0 where one text is empty."""
        missing = len(pairs) > 2000
        rows = tqdm(pairs.tolist(), desc="difflib", unit="pair", disable=not missing, leave=False)
        return np.array([self._ratio(i, j) for i, j in rows], dtype=np.float64)

    def _ratio(self, i: int, j: int) -> float:
        value = self._known.get((i, j))
        if value is None:
            value = ratio(self.texts[i], self.texts[j])
            self._known[i, j] = value
        return value

    def features(self, i: int, j: int) -> dict[str, object]:
        """Lengths of the cleaned bodies."""
        return {"length_a": len(self.texts[i]), "length_b": len(self.texts[j])}

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The longest common runs of the bodies."""
        return run_matches(mapped(self.articles[i].body), mapped(self.articles[j].body))
