"""Same-URL exclusion: equal canonical keys are one page."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.matching.equal_keys import EqualKeys
from toolkit.matching.method import register
from toolkit.model import Article
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import article_key, canonical_key


@register
class Url(EqualKeys):
    """Score 1 for equal keys, else 0; an article without an address never matches."""

    name = "url"
    summary = "the same page by its address (site rules, canonical link)"
    duplicate_relation = "url_variant"

    def keys_of(self, articles: Sequence[Article]) -> list[str | None]:
        """The canonical key of every article's address."""
        self.rules = load_site_rules(self.config.pages.site_rules)
        return [article_key(article, self.rules) for article in articles]

    def features(self, i: int, j: int) -> dict[str, object]:
        """Both keys and the rules that made them."""
        found: dict[str, object] = {}
        for side, k in (("a", i), ("b", j)):
            article = self.articles[k]
            found[f"url_{side}"] = article.url
            found[f"key_{side}"] = self.keys[k]
            if self.keys[k] is not None:
                key = canonical_key(article.url, article.canonical_url, self.rules)
                found[f"rules_{side}"] = list(key.rules)
                if key.refused:
                    found[f"canonical_refused_{side}"] = key.refused
        return found
