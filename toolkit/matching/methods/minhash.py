"""MinHash-LSH on char-5 shingles, confirmed by exact Jaccard."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.fingerprints.lsh import bucket_pairs
from toolkit.fingerprints.minhash import band_keys, signatures
from toolkit.fingerprints.shingles import jaccard, shared, shingle_sets
from toolkit.language.normalise import shingle_text
from toolkit.matching.alignment import mapped, run_matches
from toolkit.matching.method import PairMethod, Pairs, Scores, register
from toolkit.model import Article


@register
class Minhash(PairMethod):
    """64 permutations = 16 bands x 4 rows; the score is the exact Jaccard similarity.

    A pair of Jaccard J is a candidate with probability 1 - (1 - J**rows)**bands:
    0.64 at J = 0.5, 0.9998 at J = 0.8. An empty shingle set never matches.
    """

    name = "minhash"
    summary = "MinHash-LSH on char-5 shingles of the body, confirmed by exact Jaccard"
    threshold_source = "the usual threshold of the literature"
    duplicate_relation = "reprint"

    @property
    def threshold(self) -> float:
        """Least Jaccard similarity."""
        return self.config.minhash.threshold

    def fit(self, articles: Sequence[Article]) -> Minhash:
        """Shingle every body and compute its signature."""
        settings = self.config.minhash
        self.articles = articles
        texts = (shingle_text(a.body) for a in articles)
        self.sets = shingle_sets(texts, settings.shingle, settings.seed)
        bins = settings.bands * settings.rows
        self.signatures = signatures(self.sets, bins, settings.seed)
        return self

    def candidates(self) -> Pairs:
        """Pairs that share a bucket in at least one band."""
        settings = self.config.minhash
        keys = band_keys(self.signatures, settings.bands, settings.rows)
        buckets = bucket_pairs(keys, self.sets.sizes > 0)
        self.hot_buckets = buckets.hot
        return buckets.pairs

    def score(self, pairs: Pairs) -> Scores:
        """Exact Jaccard similarities; 0 where a set is empty."""
        return jaccard(self.sets, pairs)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Counts behind the score, and the estimate by signature."""
        a, b = self.sets[i], self.sets[j]
        common = shared(a, b)
        usable = len(a) > 0 and len(b) > 0
        equal = (self.signatures[i] == self.signatures[j]).mean() if usable else 0.0
        return {
            "shared_shingles": common,
            "shingles_a": len(a),
            "shingles_b": len(b),
            "estimate": round(float(equal), 4),
        }

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The longest common runs of the bodies."""
        return run_matches(mapped(self.articles[i].body), mapped(self.articles[j].body))
