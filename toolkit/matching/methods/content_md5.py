"""Equal bodies after cleaning, and the base of both digest methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from toolkit.fingerprints.digests import cleaned_md5
from toolkit.matching.alignment import mapped
from toolkit.matching.equal_keys import EqualKeys
from toolkit.matching.method import register
from toolkit.model import Article, Field


class Digest(EqualKeys):
    """Score 1 for equal digests of a cleaned text, else 0; an empty text never matches."""

    field: ClassVar[Field] = "body"

    @abstractmethod
    def text_of(self, article: Article) -> str:
        """The text that is digested."""

    def keys_of(self, articles: Sequence[Article]) -> list[str | None]:
        """The digest of every article's text."""
        return [cleaned_md5(self.text_of(a)) for a in articles]

    def features(self, i: int, j: int) -> dict[str, object]:
        """Both digests."""
        return {"md5_a": self.keys[i], "md5_b": self.keys[j]}

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The whole texts when their digests are equal."""
        if not self._usable[i] or self.keys[i] != self.keys[j]:
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
    duplicate_relation = "identical"

    def text_of(self, article: Article) -> str:
        """The body."""
        return article.body
