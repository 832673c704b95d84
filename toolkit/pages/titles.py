"""The headline of an article, without the name of the site.

The headline stands on the page as a line of its own and again in the ``<title>``
element, beside the names of section and site. The visible line that is one part of
``<title>`` is therefore the best witness; it is also safe from quotes that cut a
meta tag short. Where ``<title>`` names only the site, the heading or the line named
"title" that stands before date line and body is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolkit.pages.blocks import Block, text_key
from toolkit.pages.date_parse import read_all
from toolkit.pages.dom import HEADINGS, Element
from toolkit.pages.metadata import Statements

_SEPARATOR = re.compile(
    r"\s*(?:[_|｜丨»›>]+|\s[-–—·•/]+\s|--+|——|(?<=[^\w\s])[-–](?=[\u4e00-\u9fffA-Za-z])"
    r"|[-–](?=[^\w\s])|(?<=[\u4e00-\u9fff])[-–—](?=[\u4e00-\u9fff])|(?<=[\w》”])\s*[-–—](?=[\u4e00-\u9fff]{2,8}$))\s*"
)
_TITLE_NAMES = re.compile(
    r"(?<![a-z])(?:title|tit|headline|biaoti|bt|subject|subtitle|h1)(?![a-z])"
)
_SITE_WORDS = re.compile(
    r"(?:网|新闻|频道|资讯|中心|日报|晚报|早报|时报|商报|在线|门户|首页|正文|官网|公众平台|网站|客户端|头条|财经|社区|博客|论坛|学会|政府|通讯社|杂志|周刊|电视台|视频|\.com|\.cn|news)$",
    re.I,
)
_MAX = 160
#: Signals of which several must agree before a headline is believed without the body.
_STRONG = 6.0
_LABEL = re.compile(r"^(?:原创|转载|置顶|独家|热门|推荐)(?=\S)")


@dataclass(frozen=True, slots=True)
class Title:
    """The headline, the signal that won, the next best and where it stands.

    ``last`` is the index of its last line (headlines may run over several blocks);
    ``strong`` is False if only weak signals were found: look again with the body.
    """

    text: str
    signal: str | None
    runner_up: tuple[str, str] | None
    index: int | None
    strong: bool = True
    last: int | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    signal: str
    text: str
    index: int | None
    lines: int = 1


def find_title(blocks: Sequence[Block], found: Statements, body_start: int | None = None) -> Title:
    """Choose the headline of the page.

    Args:
        blocks: all blocks of the page, hidden ones included.
        found: its machine-readable statements.
        body_start: index of the first paragraph, once it is known.
    """
    whole = found.page_title
    meta = [(signal, value) for signal, value in found.get("title") if len(value) <= _MAX]
    candidates = list(_on_page(blocks, whole, [v for _, v in meta], body_start))
    whole_key = text_key(whole)
    for rank, (signal, value) in enumerate(meta):
        key = text_key(value)
        agrees = bool(whole_key and key and key in whole_key)
        score = 3.0 - 0.2 * rank + (2.5 if agrees else 0.0)
        candidates.append(_Candidate(score, signal, strip_site(value, found), None))
    if whole:
        stripped = strip_site(whole, found)
        score = 2.5 if len(text_key(stripped)) >= 8 else 0.5
        candidates.append(_Candidate(score, "<title>", stripped, None))
    candidates = [c for c in candidates if c.text]
    if not candidates:
        return Title("", None, None, None, False)
    candidates.sort(key=lambda c: -c.score)
    best = candidates[0]
    other = next((c for c in candidates[1:] if text_key(c.text) != text_key(best.text)), None)
    index = best.index if best.index is not None else _place(blocks, best.text)
    text = best.text
    label = _LABEL.match(text)
    if label and text_key(text[label.end() :]) in whole_key and text_key(text) not in whole_key:
        text = text[label.end() :].strip()
    return Title(
        text,
        best.signal,
        (other.signal, other.text) if other else None,
        index,
        best.score >= _STRONG,
        index + best.lines - 1 if index is not None else None,
    )


def _on_page(
    blocks: Sequence[Block], whole: str, meta: list[str], body_start: int | None
) -> Iterator[_Candidate]:
    """Lines of the page that may be the headline."""
    whole_key = text_key(whole)
    segments = {text_key(s) for s in _SEPARATOR.split(whole)} - {""}
    witnesses = [text_key(v) for v in meta]
    for block in blocks:
        text = block.text
        if not 4 <= len(text) <= _MAX:
            continue
        level = heading_level(block)
        if block.link_share > 0.5 and not level:
            continue
        named = bool(_TITLE_NAMES.search(block.element.names + block.inner.names))
        near = body_start is not None and 0 < body_start - block.index <= 8
        if not (level or named or near) and text[:2] not in whole and text[-2:] not in whole:
            continue  # no part of <title>, and nothing else speaks for it
        key = text_key(text)
        if len(key) < 4:
            continue
        joined, key, lines = _continued(blocks, block.index, key, whole_key, text)
        share = _share(key, whole_key, segments)
        agreed = sum(
            1 for w in witnesses if w == key or (w.startswith(key) and len(key) > 0.6 * len(w))
        )
        if not share and not agreed and not level and not named and not near:
            continue
        score = (3.0 + 3.0 * min(1.0, share / 0.5) if share else 0.0) + 2.0 * min(agreed, 2)
        score += {1: 3.0, 2: 1.5, 3: 1.0, 4: 0.7, 5: 0.5}.get(level, 0.0) + (1.0 if named else 0.0)
        score += min(len(key), 20) * 0.05 - 0.002 * block.index
        score -= 1.5 if block.hidden else 0.0
        score -= 3.0 if block.link_share > 0.5 else 0.0
        if near and body_start is not None:
            score += _nearness(blocks, block, body_start, bool(level or named))
        elif body_start is not None and block.index > body_start and not share:
            score -= 3.0
        mark = f"h{level}" if level else ("class:title" if named else "text")
        yield _Candidate(score, mark + ("=<title>" if share else ""), joined, block.index, lines)


def _share(key: str, whole: str, segments: set[str]) -> float:
    """How much of ``<title>`` a line makes up, 0 if it is no part of it."""
    if not whole or len(key) < 4:
        return 0.0
    if whole.startswith(key) or key in segments:
        return len(key) / len(whole)
    if len(key) >= 8 and key in whole:
        return 0.8 * len(key) / len(whole)
    return 0.0


def _continued(
    blocks: Sequence[Block], index: int, key: str, whole: str, text: str
) -> tuple[str, str, int]:
    """Join the next lines while they go on as ``<title>`` does: headlines over two lines."""
    if not whole.startswith(key) or len(key) == len(whole):
        return text, key, 1
    lines = 1
    level = blocks[index].element.parent
    for block in blocks[index + 1 : index + 4]:
        more = text_key(block.text)
        if len(more) < 2 or block.element.parent is not level or not whole.startswith(key + more):
            break
        glue = " " if text[-1:].isascii() and block.text[:1].isascii() else ""
        text, key, lines = text + glue + block.text, key + more, lines + 1
    return text, key, lines


def _nearness(blocks: Sequence[Block], block: Block, body_start: int, marked: bool) -> float:
    """Weight of standing right before date line and body."""
    if block.stops > 6 or block.link_share > 0.3 or read_all(block.text):
        return 0.0
    between = blocks[block.index + 1 : body_start + 1]
    dated = any(len(b.text) < 120 and read_all(b.text) for b in between[:4])
    return (2.0 if dated else 0.0) + (1.5 if marked else 0.0) + 0.5


def heading_level(block: Block) -> int:
    """1 to 6 if the block is in a heading element, else 0."""
    element: Element | None = block.inner
    while element is not None:
        if element.tag in HEADINGS:
            return int(element.tag[1])
        if element is block.element:
            break
        element = element.parent
    return 0


def _place(blocks: Sequence[Block], title: str) -> int | None:
    """Index of the first visible block that shows the title, if any."""
    key = text_key(title)
    for block in blocks:
        if not block.hidden and len(block.text) <= 2 * _MAX and text_key(block.text) == key:
            return block.index
    return None


def strip_site(title: str, found: Statements) -> str:
    """A ``<title>`` without the names of section and site behind (or before) it."""
    sites = {text_key(v) for name in ("site_name", "section") for _, v in found.get(name)}
    pieces = _SEPARATOR.split(title)
    marks = _SEPARATOR.findall(title)
    if len(pieces) < 2:
        return title.strip()
    first, last = 0, len(pieces)
    while last - first > 1 and _is_site(pieces[last - 1], pieces[first : last - 1], sites):
        last -= 1
    while last - first > 1 and text_key(pieces[first]) in sites:
        first += 1
    kept = pieces[first]
    for piece, mark in zip(pieces[first + 1 : last], marks[first:], strict=False):
        kept += mark + piece
    return kept.strip()


def _is_site(piece: str, before: list[str], sites: set[str]) -> bool:
    key = text_key(piece)
    if not key or key in sites:
        return True
    if len(key) <= 12 and _SITE_WORDS.search(piece.strip()):
        return True
    return len(key) <= 8 and sum(len(p) for p in before) >= 2 * len(piece)
