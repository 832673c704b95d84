"""The headline of an article, without the name of the site.

The headline stands on the page as a line of its own and again at the head of the
``<title>`` element, followed by the names of section and site. The visible line
that opens ``<title>`` is therefore the best witness; it is also safe from quotes
that cut a meta tag short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.language.normalise import fold
from toolkit.pages.blocks import Block
from toolkit.pages.dom import Page
from toolkit.pages.metadata import Statements

_SEPARATOR = re.compile(
    r"\s*(?:[_|｜丨»›>]+|\s[-–—·•]+\s|--+|——|(?<=[^\w\s])[-–]|[-–](?=[^\w\s])|[-–—](?=[\u4e00-\u9fff]))\s*"
)
_NOT_WORD = re.compile(r"[\W_]+")
_TITLE_NAMES = re.compile(r"(?<![a-z])(?:title|tit|headline|biaoti|bt|subject|h1)(?![a-z])")
_SITE_WORDS = re.compile(
    r"(?:网|新闻|频道|资讯|中心|日报|晚报|在线|门户|首页|正文|官网|公众平台|网站|客户端|头条|财经|社区|博客|论坛|\.com|\.cn|news)$",
    re.I,
)
_MAX = 160


@dataclass(frozen=True, slots=True)
class Title:
    """The headline, the signal that won, the next best and where it stands."""

    text: str
    signal: str | None
    runner_up: tuple[str, str] | None
    index: int | None


def _key(text: str) -> str:
    return _NOT_WORD.sub("", fold(text))


def find_title(page: Page, blocks: Sequence[Block], found: Statements) -> Title:
    """Choose the headline of the page.

    Args:
        page: the parsed page.
        blocks: all its blocks, hidden ones included.
        found: its machine-readable statements.
    """
    element_title = next((e.text(400) for e in page.find("title") if e.text(400)), "")
    whole = _key(element_title)
    meta = [(signal, value) for signal, value in found.get("title") if len(value) <= _MAX]
    witnesses = [whole, *(_key(value) for _, value in meta)]
    candidates: list[tuple[float, str, str, int | None]] = []
    for block in blocks:
        text = block.text
        if not 4 <= len(text) <= _MAX:
            continue
        level = _level(block)
        named = bool(_TITLE_NAMES.search(block.element.names + block.inner.names))
        key = _key(text)
        if len(key) < 4:
            continue
        opens = bool(whole) and whole.startswith(key)
        share = len(key) / len(whole) if opens else 0.0
        agreed = sum(
            1
            for w in witnesses[1:]
            if w and (w == key or (w.startswith(key) and len(key) > 0.6 * len(w)))
        )
        if not opens and not agreed and not level and not named:
            continue
        score = (6.0 * min(1.0, share / 0.5) if opens else 0.0) + 2.0 * min(agreed, 2)
        score += {1: 3.0, 2: 1.5, 3: 1.0}.get(level, 0.0) + (1.0 if named else 0.0)
        score += min(len(key), 20) * 0.05
        score -= 1.5 if block.hidden else 0.0
        score -= 2.0 if block.link_share > 0.5 else 0.0
        score -= 0.002 * block.index
        signal = f"h{level}" if level else ("class:title" if named else "text")
        candidates.append((score, f"{signal}{'=<title>' if opens else ''}", text, block.index))
    for rank, (signal, value) in enumerate(meta):
        key = _key(value)
        score = 3.0 - 0.2 * rank
        if whole and key and whole.startswith(key):
            score += 3.5
        candidates.append((score, signal, strip_site(value, found), None))
    if element_title:
        candidates.append((2.5, "<title>", strip_site(element_title, found), None))
    candidates = [c for c in candidates if c[2]]
    if not candidates:
        return Title("", None, None, None)
    candidates.sort(key=lambda c: -c[0])
    _, signal, text, index = candidates[0]
    other = next((c for c in candidates[1:] if _key(c[2]) != _key(text)), None)
    if index is None:
        index = _place(blocks, text)
    return Title(text, signal, (other[1], other[2]) if other else None, index)


def _level(block: Block) -> int:
    node = block.inner
    for element in (node, *node.ancestors()):
        if len(element.tag) == 2 and element.tag[0] == "h" and element.tag[1] in "123456":
            return int(element.tag[1])
        if element is block.element:
            break
    return 0


def _place(blocks: Sequence[Block], title: str) -> int | None:
    """Index of the first visible block that shows the title, if any."""
    key = _key(title)
    for block in blocks:
        if not block.hidden and len(block.text) <= 2 * _MAX and _key(block.text) == key:
            return block.index
    return None


def strip_site(title: str, found: Statements) -> str:
    """A ``<title>`` without the names of section and site behind (or before) it."""
    sites = {_key(v) for _, v in found.get("site_name")} | {
        _key(v) for _, v in found.get("section")
    }
    pieces = _SEPARATOR.split(title)
    marks = _SEPARATOR.findall(title)
    if len(pieces) < 2:
        return title.strip()
    first, last = 0, len(pieces)
    while last - first > 1 and _is_site(pieces[last - 1], pieces[first : last - 1], sites):
        last -= 1
    while last - first > 1 and _key(pieces[first]) in sites:
        first += 1
    kept = pieces[first]
    for piece, mark in zip(pieces[first + 1 : last], marks[first:], strict=False):
        kept += mark + piece
    return kept.strip()


def _is_site(piece: str, before: list[str], sites: set[str]) -> bool:
    key = _key(piece)
    if not key or key in sites:
        return True
    rest = sum(len(p) for p in before)
    if len(key) <= 12 and _SITE_WORDS.search(piece.strip()):
        return True
    return len(key) <= 8 and rest >= 2 * len(piece)
