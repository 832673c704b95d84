"""The section an article stands in, from meta tags or the breadcrumb."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolkit.pages.blocks import Block
from toolkit.pages.metadata import Statements
from toolkit.pages.titles import Title

_CRUMB_NAMES = re.compile(
    r"(?<![a-z])(?:crumbs?|breadcrumbs?|bread|path|position|location|weizhi|nav-?path|where|channel-path|place)(?![a-z])"
)
_STEP = re.compile(r"\s*(?:>>|>|»|›|→|/|＞|-&gt;|\\|\|)\s*")
_LEADING = re.compile(
    r"^.{0,8}?(?:当前|现在|所在|您的|你的|您)?(?:的)?(?:位置|在)\s*[:：是]?\s*|^位置[:：]\s*"
)
_LAST = re.compile(
    r"^(?:正文|文章|内容|详情|新闻详情|文章详情|查看|阅读|详细|全文|浏览)?(?:页|内容|正文)?$"
)


def find_section(
    blocks: Sequence[Block], found: Statements, title: Title
) -> tuple[str | None, str | None]:
    """(section, signal), or (None, None)."""
    for signal, value in found.get("section"):
        if 2 <= len(value) <= 20:
            return value, signal
    limit = title.index if title.index is not None else min(len(blocks), 200)
    for block in blocks[: limit + 1]:
        text = block.text
        if len(text) > 120 or block.hidden:
            continue
        names = block.element.names + block.inner.names
        if block.element.parent is not None:
            names += block.element.parent.names
        if not (_CRUMB_NAMES.search(names) or _LEADING.match(text)):
            continue
        steps = [s for s in _STEP.split(_LEADING.sub("", text)) if s]
        while steps and (_LAST.match(steps[-1]) or steps[-1] == title.text or len(steps[-1]) > 20):
            steps.pop()
        if len(steps) >= 2 or (steps and "正文" in text):
            return steps[-1].strip(), "breadcrumb"
    return None, None
