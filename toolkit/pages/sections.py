"""The section an article stands in, from meta tags or the breadcrumb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolkit.pages.blocks import Block, text_key
from toolkit.pages.metadata import Statements
from toolkit.pages.titles import Title

_CRUMB_NAMES = re.compile(
    r"(?<![a-z])(?:crumbs?|breadcrumbs?|bread|path|position|location|weizhi|nav-?path|where"
    r"|channel-path|place|current|dqwz|crumb-?nav)(?![a-z])"
)
_STEP = re.compile(r"\s*(?:>>|>|»|›|→|＞|-&gt;|\\|\||/|·|\s-\s)\s*")
_MARKED = re.compile(
    r"^.{0,8}?(?:当前|现在|所在|您的|你的|您)?(?:的)?(?:位置|在)\s*[:：是]\s*|^位置[:：]\s*"
)
_HOME = re.compile(r"^.{0,8}?(?:首页|主页|Home)\s*(?=[>»›→＞/|\\-])", re.I)
_NO_SECTION = re.compile(
    r"(?:正文|文章|内容|详情|查看|阅读|详细|全文|浏览|资讯正文|首页|主页|Home|.{0,6}(?:正文|详情|内容)页?)",
    re.I,
)
#: Meta names that say the section and nothing else; the others may name the site.
_STRONG = ("json-ld:articleSection", "microdata:articlesection", "meta:article:section")
_LOOK = 400


def find_section(
    blocks: Sequence[Block], found: Statements, title: Title
) -> tuple[str | None, str | None]:
    """(section, signal), or (None, None)."""
    stated = [(signal, value) for signal, value in found.get("section") if 2 <= len(value) <= 20]
    for signal, value in stated:
        if signal in _STRONG:
            return value, signal
    for steps in _breadcrumbs(blocks, title):
        section = _last(steps, title.text)
        if section:
            return section, "breadcrumb"
    return (stated[0][1], stated[0][0]) if stated else (None, None)


def _breadcrumbs(blocks: Sequence[Block], title: Title) -> Iterator[list[str]]:
    """The steps of every breadcrumb above the headline (or right below it)."""
    limit = title.index + 3 if title.index is not None else min(len(blocks), _LOOK)
    shown = [b for b in blocks[: limit + 1] if not b.hidden]
    for place, block in enumerate(shown):
        text = block.plain
        if len(text) > 120:
            continue
        marked = _MARKED.match(text)
        named = _CRUMB_NAMES.search(block.element.names + block.inner.names) or (
            block.element.parent is not None and _CRUMB_NAMES.search(block.element.parent.names)
        )
        if not (marked or named or _HOME.match(text)):
            continue
        steps = [s for s in _STEP.split(block.text[marked.end() if marked else 0 :]) if s]
        if marked and len(steps) <= 1:
            # one box per step
            for other in shown[place + 1 : place + 6]:
                if len(other.text) > 16 or other.link_share < 0.4:
                    break
                steps += [s for s in _STEP.split(other.text) if s]
        if len(steps) >= 2:
            yield steps


def _last(steps: list[str], title: str) -> str | None:
    """The last step that is a section."""
    key = text_key(title)
    for step in reversed(steps):
        step = step.strip(" :：")
        own = text_key(step)
        if not own or _NO_SECTION.fullmatch(step):
            continue
        if own in key or key.startswith(own[:8]) or len(step) > 16:
            continue
        return step
    return None
