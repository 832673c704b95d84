"""SimHash on characters, on words, and on title and lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from toolkit.config import SimhashConfig
from toolkit.fingerprints.shingles import Hashes, token_hashes, window_hashes
from toolkit.fingerprints.simhash import BITS, fingerprints, hamming, near_pairs
from toolkit.language.normalise import codepoints, shingle_text
from toolkit.matching.alignment import mapped, run_matches
from toolkit.matching.method import (
    DIFFERENT,
    DUPLICATE,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    register,
)  # fmt: skip
from toolkit.model import Article

_SEED = 1


def grade(distance: int) -> str:
    """The customary reading of a Hamming distance."""
    if distance <= 2:
        return "0-2"
    return "3-4" if distance <= 4 else "5+"


@register
class Simhash(PairMethod):
    """64-bit SimHash; score = 1 - Hamming distance / 64.

    The largest distance that counts depends on the length of the shorter text
    (``hamming``, ``hamming_short`` below ``short_text`` characters). Candidates
    share one of four blocks of 16 bits, which finds every pair up to distance 3;
    a larger setting takes one block more than the distance.
    """

    name: ClassVar[str] = "simhash"
    summary = "SimHash of character n-grams of the body"
    threshold_source = "Hamming 3, the usual threshold of the literature"
    duplicate_relation = "reprint"

    @property
    def settings(self) -> SimhashConfig:
        """This variant's config section."""
        section = getattr(self.config, self.name)
        assert isinstance(section, SimhashConfig)
        return section

    @property
    def threshold(self) -> float:
        """1 - largest Hamming distance / 64."""
        return 1 - self.settings.hamming / BITS

    def fit(self, articles: Sequence[Article]) -> Simhash:
        """Compute the fingerprint of every article."""
        self.articles = articles
        features = [self._features_of(a) for a in articles]
        self.prints = fingerprints(features)
        self.usable = np.array([len(f) > 0 for f in features], dtype=bool)
        self.lengths = np.array([self._length(a) for a in articles], dtype=np.int64)
        return self

    def _text(self, article: Article) -> str:
        if self.settings.tokens == "title_lead":
            return article.title + article.body[: self.settings.lead_chars]
        return article.body

    def _length(self, article: Article) -> int:
        return len(shingle_text(self._text(article)))

    def _features_of(self, article: Article) -> Hashes:
        settings = self.settings
        if settings.tokens == "words":
            return word_features(self._text(article), settings.shingle)
        text = shingle_text(self._text(article))
        return window_hashes(codepoints(text), settings.shingle, _SEED)

    def candidates(self) -> Pairs:
        """Pairs that share a block of bits."""
        limit = max(self.settings.hamming, self.settings.hamming_short)
        return near_pairs(self.prints, self.usable, limit)

    def distances(self, pairs: Pairs) -> np.ndarray:
        """Hamming distances of pairs; 64 where a text has no features."""
        i, j = pairs[:, 0], pairs[:, 1]
        both = self.usable[i] & self.usable[j]
        return np.where(both, hamming(self.prints[i], self.prints[j]), BITS)

    def score(self, pairs: Pairs) -> Scores:
        """1 - Hamming distance / 64."""
        return 1 - self.distances(pairs) / BITS

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """Shipped: by distance and text length; a given threshold holds for every length."""
        if threshold is not None:
            return super().decide(pairs, scores, threshold)
        settings = self.settings
        shorter = np.minimum(self.lengths[pairs[:, 0]], self.lengths[pairs[:, 1]])
        most = np.where(shorter < settings.short_text, settings.hamming_short, settings.hamming)
        outcome = np.where(scores >= 1 - most / BITS, DUPLICATE, DIFFERENT).astype(np.int8)
        relation = [self.duplicate_relation if o else "different" for o in outcome.tolist()]
        return Decisions(outcome, relation)

    def features(self, i: int, j: int) -> dict[str, object]:
        """The distance, its grade and both fingerprints."""
        distance = int(self.distances(np.array([[i, j]], dtype=np.int32))[0])
        return {
            "hamming": distance,
            "grade": grade(distance),
            "fingerprint_a": f"{int(self.prints[i]):016x}",
            "fingerprint_b": f"{int(self.prints[j]):016x}",
            "shorter_length": int(min(self.lengths[i], self.lengths[j])),
        }

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The longest common runs of the bodies."""
        return run_matches(mapped(self.articles[i].body), mapped(self.articles[j].body), most=5)


def word_features(text: str, n: int = 1) -> Hashes:
    """Hashes of the n-grams of the words of a text (jieba's dictionary).

    Words without a letter, digit or hanzi are left out.
    """
    import rjieba

    words = [word for word in map(shingle_text, rjieba.cut(text)) if word]
    grams = [" ".join(words[k : k + n]) for k in range(len(words) - n + 1)]
    return token_hashes(grams, _SEED)


@register
class SimhashWords(Simhash):
    """SimHash on the body's words."""

    name = "simhash_words"
    summary = "SimHash of the body's words (jieba dictionary)"


@register
class SimhashTitleLead(Simhash):
    """SimHash on title and lead."""

    name = "simhash_title_lead"
    summary = "SimHash of character n-grams of title and lead"
