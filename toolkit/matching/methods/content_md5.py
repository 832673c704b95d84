"""Equal bodies after cleaning, and the base of both digest methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from toolkit.fingerprints.digests import cleaned_md5, group_keys
from toolkit.fingerprints.lsh import bucket_pairs
from toolkit.matching.alignment import mapped
from toolkit.matching.method import PairMethod, Pairs, Scores, register
from toolkit.model import Article, Field


class Digest(PairMethod):
    """Score 1 for equal digests of a cleaned text, else 0; an empty text never matches."""

    field: ClassVar[Field] = "body"

    @property
    def threshold(self) -> float:
        """Equal or not."""
        return 1.0

    @abstractmethod
    def text_of(self, article: Article) -> str:
        """The text that is digested."""

    def fit(self, articles: Sequence[Article]) -> Digest:
        """Digest every article."""
        self.articles = articles
        self.digests = [cleaned_md5(self.text_of(a)) for a in articles]
        self._keys, self._usable = group_keys(self.digests)
        return self

    def candidates(self) -> Pairs:
        """Pairs with equal digests; huge groups are chained (see ``lsh.bucket_pairs``)."""
        window = self.config.evaluation.max_all_pairs
        return bucket_pairs(self._keys.reshape(-1, 1), self._usable, window=window).pairs

    def score(self, pairs: Pairs) -> Scores:
        """1.0 where both digests exist and are equal, else 0.0."""
        i, j = pairs[:, 0], pairs[:, 1]
        both = self._usable[i] & self._usable[j]
        return (both & (self._keys[i] == self._keys[j])).astype(np.float64)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Both digests."""
        return {"md5_a": self.digests[i], "md5_b": self.digests[j]}

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The whole texts when their digests are equal."""
        if not self._usable[i] or self.digests[i] != self.digests[j]:
            return ()
        a = mapped(self.text_of(self.articles[i]), self.field)
        b = mapped(self.text_of(self.articles[j]), self.field)
        if not a.text or not b.text:
            return ()
        return ({"kind": "equal_text", "a": a.span(0, len(a.text)), "b": b.span(0, len(b.text))},)


@register
class ContentMd5(Digest):
    """MD5 of the cleaned body."""

    name = "content_md5"
    summary = "MD5 of the cleaned body"
    threshold_source = "exact: equal or not"
    duplicate_relation = "identical"

    def text_of(self, article: Article) -> str:
        """The body."""
        return article.body
