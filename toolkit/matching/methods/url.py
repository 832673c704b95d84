"""Same-URL exclusion: equal canonical keys are one page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolkit.fingerprints.digests import group_keys
from toolkit.fingerprints.lsh import bucket_pairs
from toolkit.matching.method import PairMethod, Pairs, Scores, register
from toolkit.model import Article
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import article_key, canonical_key


@register
class Url(PairMethod):
    """Score 1 for equal keys, else 0; an article without an address never matches."""

    name = "url"
    summary = "the same page by its address (site rules, canonical link)"
    threshold_source = "exact: equal or not"
    duplicate_relation = "url_variant"

    @property
    def threshold(self) -> float:
        """Equal or not."""
        return 1.0

    def fit(self, articles: Sequence[Article]) -> Url:
        """Compute the key of every article."""
        self.articles = articles
        self.rules = load_site_rules(self.config.pages.site_rules)
        self.urls = [article_key(article, self.rules) for article in articles]
        self._keys, self._usable = group_keys(self.urls)
        return self

    def candidates(self) -> Pairs:
        """Pairs with equal keys; huge groups are chained (see ``lsh.bucket_pairs``)."""
        window = self.config.evaluation.max_all_pairs
        return bucket_pairs(self._keys.reshape(-1, 1), self._usable, window=window).pairs

    def score(self, pairs: Pairs) -> Scores:
        """1.0 where both have a key and the keys are equal, else 0.0."""
        i, j = pairs[:, 0], pairs[:, 1]
        both = self._usable[i] & self._usable[j]
        return (both & (self._keys[i] == self._keys[j])).astype(np.float64)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Both keys and the rules that made them."""
        found: dict[str, object] = {}
        for side, k in (("a", i), ("b", j)):
            article = self.articles[k]
            found[f"url_{side}"] = article.url
            found[f"key_{side}"] = self.urls[k]
            if self.urls[k] is not None:
                key = canonical_key(article.url, article.canonical_url, self.rules)
                found[f"rules_{side}"] = list(key.rules)
                if key.refused:
                    found[f"canonical_refused_{side}"] = key.refused
        return found
