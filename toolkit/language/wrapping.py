"""The wrapping of a report: dateline, source, credits, notices. Text in, spans out.

Outlets put much round a report that is not the report: the agency's dateline, the
outlet it was taken from, editors, page marks, lists of other news, legal notices.
``find_wrapping`` says where it stands and what it tells; ``unwrap`` takes it off and
keeps the way back to the original offsets; ``with_wrapping`` fills an article's
empty fields from it. What counts as wrapping is data (``data/wrapping.yaml``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.io import Documents, read_documents
from toolkit.language.normalise import count_hanzi
from toolkit.language.wrapping_scan import scan
from toolkit.model import Article

#: every kind a span may have
KINDS = (
    "dateline", "source", "original_title", "end_mark", "credit", "title_line", "page_mark",
    "related", "promo", "share", "copyright", "caption", "date_line",
)  # fmt: skip


#: what an outlet calls itself in a dateline; no name anybody else could use
_OUR_OWN = frozenset({"本报", "本网", "本台", "本刊", "本社", "本站"})


@dataclass(frozen=True, slots=True)
class WrapSpan:
    """One piece of wrapping: ``text == body[start:end]``; ``value`` is what it tells."""

    kind: str
    start: int
    end: int
    text: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Dateline:
    """What a dateline says; None or () where it does not say it."""

    agency: str | None
    place: str | None
    month: int | None
    day: int | None
    reporters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wrapping:
    """All wrapping of one body, in the order of the text, spans not overlapping."""

    spans: tuple[WrapSpan, ...]
    dateline: Dateline | None = None
    source: str | None = None
    editor: str | None = None
    original_title: str | None = None
    reprinted_from: str | None = None


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A body without its wrapping.

    ``offsets[i]`` is the offset in the body of ``text[i]``, shape (len(text),).
    ``only_wrapping`` says that nothing but wrapping was found; ``text`` is then the
    whole body, so that a body never becomes empty without a word.
    """

    text: str
    offsets: npt.NDArray[np.int32]
    wrapping: Wrapping
    only_wrapping: bool = False


def find_wrapping(title: str, body: str) -> Wrapping:
    """Find the wrapping of a body.

    Args:
        title: the article's title (a pasted copy of it in the body is wrapping); may
            be empty.
        body: the text as the article holds it; offsets count its code points.
    """
    found = scan(title, body)
    spans = tuple(WrapSpan(s.kind, s.start, s.end, body[s.start : s.end], s.value)
                  for s in found.spans)  # fmt: skip
    line = found.dateline
    return Wrapping(
        spans,
        Dateline(line.agency, line.place, line.month, line.day, line.reporters) if line else None,
        found.fields.get("source"),
        found.fields.get("editor"),
        found.fields.get("original_title"),
        found.fields.get("reprinted_from"),
    )


def unwrap(title: str, body: str, wrapping: Wrapping | None = None) -> Unwrapped:
    """Take the wrapping off a body.

    Lines that are emptied by it go with their line break, and blanks at both ends of
    what is left go too. When no hanzi, letter or
    digit would be left, the whole body is kept and ``only_wrapping`` is set.
    """
    wrapping = wrapping or find_wrapping(title, body)
    pieces: list[tuple[int, int]] = []
    position = 0
    for span in wrapping.spans:
        start, end = _with_blanks(body, span.start, span.end)
        if start > position:
            pieces.append((position, start))
        position = max(position, end)
    if position < len(body):
        pieces.append((position, len(body)))
    text = "".join(body[a:b] for a, b in pieces)
    if wrapping.spans and not any(c.isalnum() for c in text):
        whole = np.arange(len(body), dtype=np.int32)
        return Unwrapped(body, whole, wrapping, True)
    if not pieces:
        return Unwrapped("", np.zeros(0, np.int32), wrapping)
    offsets = np.concatenate([np.arange(a, b, dtype=np.int32) for a, b in pieces])
    if wrapping.spans:  # line breaks that stood before wrapping are left over at the ends
        first = len(text) - len(text.lstrip())
        last = len(text.rstrip())
        text, offsets = text[first:last], offsets[first:last]
    return Unwrapped(text, offsets, wrapping)


def _with_blanks(body: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span over the blanks beside it, and over its line break if it is a line."""
    first = start
    while first > 0 and body[first - 1] in " \t\u3000\xa0\r":
        first -= 1
    last = end
    while last < len(body) and body[last] in " \t\u3000\xa0\r":
        last += 1
    at_start = first == 0 or body[first - 1] == "\n"
    at_end = last == len(body) or body[last] == "\n"
    if at_start and at_end:
        if last < len(body):
            return first, last + 1
        return max(first - 1, 0), last
    if at_end:
        return first, last
    return start, last


def with_wrapping(article: Article) -> Article:
    """Fill what an article leaves empty from what its wrapping tells.

    ``source`` comes from a source line, then a reprint line, then the dateline's
    agency; ``author`` from the dateline's reporters. Nothing that is set is changed;
    the body stays as it is. The rest is kept in ``extra["wrapping"]`` (plain JSON
    types; only what was found), unless the row brought a field of that name.
    """
    if not article.body:
        return article
    wrapping = find_wrapping(article.title, article.body)
    if not wrapping.spans:
        return article
    line = wrapping.dateline
    agency = line.agency if line and line.agency not in _OUR_OWN else None
    source = article.source or wrapping.source or wrapping.reprinted_from or agency
    author = article.author
    if not author and line and line.reporters:
        author = "、".join(line.reporters)
    extra = article.extra
    if "wrapping" not in extra:
        extra = {**extra, "wrapping": wrapping_record(wrapping)}
    return replace(article, source=source, author=author, extra=extra)


def read_wrapped(path: str | Path) -> Documents:
    """Read a file of documents (``toolkit.io.read_documents``), each ``with_wrapping``.

    Raises:
        UserError: the file cannot be opened, or not one row of it is a document.
    """
    documents = read_documents(path)
    documents.articles[:] = map(with_wrapping, documents.articles)
    return documents


def wrapping_record(wrapping: Wrapping) -> dict[str, Any]:
    """What was found as plain JSON types: fields that are set, and [kind, start, end]."""
    record: dict[str, Any] = {}
    if wrapping.dateline:
        line = wrapping.dateline
        values = {"agency": line.agency, "place": line.place, "month": line.month,
                  "day": line.day, "reporters": list(line.reporters)}  # fmt: skip
        record["dateline"] = {name: value for name, value in values.items() if value}
    for name in ("source", "editor", "original_title", "reprinted_from"):
        value = getattr(wrapping, name)
        if value:
            record[name] = value
    record["spans"] = [[s.kind, s.start, s.end] for s in wrapping.spans]
    return record


def wrapped_share(body: str, wrapping: Wrapping) -> float:
    """Share of the body's hanzi that stand in wrapping, 0 to 1."""
    total = count_hanzi(body)
    return sum(count_hanzi(s.text) for s in wrapping.spans) / total if total else 0.0
