"""Equal titles after cleaning."""

from __future__ import annotations

from toolkit.matching.method import register
from toolkit.matching.methods.content_md5 import Digest
from toolkit.model import Article


@register
class TitleMd5(Digest):
    """MD5 of the cleaned title: one page is one title."""

    name = "title_md5"
    summary = "MD5 of the cleaned title"
    duplicate_relation = "same_event"
    field = "title"

    def text_of(self, article: Article) -> str:
        """The title."""
        return article.title
