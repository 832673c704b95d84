"""Which articles are one page: their canonical URL keys."""

from __future__ import annotations

from toolkit.model import Article


def page_key(article: Article) -> str | None:
    """The canonical key of an article's URL; None when it has no URL."""
    url = article.canonical_url or article.url
    if not url:
        return None
    try:
        from toolkit.pages.urls import canonical_key
    except ImportError:
        return url
    return canonical_key(url)
