"""Labels such as 来源：, 作者：, 责任编辑： and the values behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from toolkit.language.normalise import to_simplified
from toolkit.pages.date_parse import read_all
from toolkit.pages.dom import squeeze
from toolkit.pages.patterns import pattern, table

_TABLE = "byline_patterns"
TRIM = " \t:：-—|｜/,，.。、\"“”'()（）[]【】·•>"
#: What ends a value: a bar, a bracket, two blanks, a date.
_VALUE_END = re.compile(
    r"[|｜丨【】\[\]<>《》\n\t;；]|\s{2,}|(?<=\S)[\(（](?!图|文)|\d{4}[-年/.]\d"
    r"|\s+(?:我有话说|分享|收藏|举报|打印|字号|字体|评论|参与|点击|浏览|阅读|人气|访问|查看|热度|次数|[\d,.]+\s*(?:次|人|条)|摄影|图片|视频)"
)
_CONFIDENT = re.compile(r"[:：丨|｜/／]")
_NAMES = r"[\u4e00-\u9fff·]{2,5}(?:[\s、，和]{1,2}[\u4e00-\u9fff·]{2,5}){0,4}"
_DATELINE_NAMES = re.compile(
    rf"[\(（](?:[^()（）]{{0,12}})?(?:记者|通讯员|作者|实习生)\s*[:：]?\s*(?P<names>{_NAMES})"
    r"[^()（）]{0,24}[\)）]"
)
_HEAD_NAMES = re.compile(
    r"^(?:【?\s*文\s*[/／|丨]\s*|.{0,10}(?:记者|作者|撰文|执笔)\s*[:：/／]?\s+)(?P<names>{_NAMES}|[A-Za-z]{{2,12}})\s*】?$"
)
_SIGNATURE = re.compile(
    rf"[\(（](?:文/?图?\s*[:：/]?\s*|作者\s*[:：]?\s*|记者\s*[:：]?\s*|通讯员\s*[:：]?\s*|本报记者\s*)?(?P<names>{_NAMES})[\)）]\s*$"
)
_FIGURES = re.compile(r"[\d,.万+\-:：()（）]+")
_ROLE_WORD = re.compile(r"[\s、，](?:整合|整理|报道|摄影|文|图|图文|通讯员.*|实习生.*|发自.*)$")
_PLATFORM = re.compile(r"\s*(?:企鹅号|头条号|百家号|搜狐号|网易号|大鱼号|澎湃号)$")
_FUNCTION = re.compile(r"[的了在是为有不]|完|编辑|整理|摄|图|供稿|来源|单位|以下|同上|记者")


@dataclass(frozen=True, slots=True)
class Label:
    """A label in a line: its role, text, place and the value behind it."""

    role: str
    text: str
    start: int
    value: str
    colon: bool


@lru_cache(maxsize=1)
def label_pattern() -> re.Pattern[str]:
    """Finds any label with its separator; the name of the group that matched is the role."""
    data = table(_TABLE)
    parts = []
    for role in ("editor", "source", "author", "published", "modified"):
        words = "|".join(data[f"{role}_labels"])
        parts.append(rf"(?P<{role}>(?:{words}))")
    glued = "|".join(data["glued_labels"])
    return re.compile(
        rf"(?:(?<![\u4e00-\u9fffA-Za-z])|(?=(?:{glued})\s*[:：]))(?:{'|'.join(parts)})"
        r"\s*(?:[:：丨|｜/／]|\s(?=\S))\s*",
        re.I,
    )


@lru_cache(maxsize=1)
def _glued_pattern() -> re.Pattern[str]:
    """来源X and 作者X without any separator, as one whole segment of a line."""
    data = table(_TABLE)
    parts = [
        rf"(?P<{role}>{'|'.join(data[f'{role}_labels'])})"
        for role in ("source", "author", "editor")
    ]
    return re.compile(rf"(?:{'|'.join(parts)})(?P<value>[^\s:：/|｜]{{2,16}})", re.I)


def split_labels(text: str, plain: str | None = None) -> list[Label]:
    """Every label in a line with its value, in order.

    Args:
        text: the line.
        plain: the same in simplified hanzi (labels are looked for in it), if it differs.
    """
    found = []
    matches = list(label_pattern().finditer(plain or text))
    for number, match in enumerate(matches):
        end = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        value = text[match.end() : end]
        stop = _VALUE_END.search(value)
        if stop:
            value = value[: stop.start()]
        role = match.lastgroup or ""
        colon = bool(_CONFIDENT.search(match[0]))
        found.append(Label(role, match[role], match.start(), value.strip(TRIM), colon))
    if not found and len(text) < 100 and re.search(r"[|｜丨]", text):
        start = 0
        for segment in re.split(r"[|｜丨]", text):
            glued = _glued_pattern().fullmatch(segment.strip())
            if glued:
                role = next(r for r in ("source", "author", "editor") if glued[r])
                found.append(Label(role, glued[role], start, glued["value"].strip(TRIM), True))
            start += len(segment) + 1
    return found


def remainder(text: str) -> str:
    """What is left of a date line without dates and tool words."""
    for reading in reversed(read_all(text)):
        text = text[: reading.start] + "|" + text[reading.end :]
    words, phrases = pattern(_TABLE, "stop_words"), pattern(_TABLE, "stop_phrases")
    pieces = []
    for piece in re.split(r"[|｜丨\n·•]|\s+", text):
        bare = piece.strip(TRIM)
        if label_pattern().fullmatch(f"{to_simplified(bare)}："):
            continue
        # figures and tool words in any order are left out: 评论12 阅读(1.2万)
        letters = words.sub("", _FIGURES.sub("", to_simplified(bare))) if len(bare) < 24 else bare
        if not letters or phrases.fullmatch(bare):
            continue
        pieces.append(bare)
    return " ".join(pieces)


def clean_name(value: str) -> str:
    """A name without brackets around it, trailing tool words and marks."""
    value = squeeze(value)
    match = _VALUE_END.search(value)
    if match and match.start() >= 2:
        value = value[: match.start()]
    value = value.strip(TRIM)
    return _PLATFORM.sub("", value) if len(value) > 5 else value


def credits_in_text(head: Sequence[str], last: str) -> Iterator[tuple[float, str, str]]:
    """(score, signal, names) of reporters named in the first or last paragraphs."""
    for number, text in enumerate(head):
        match = _DATELINE_NAMES.search(text[:80])
        if match:
            yield 2.0 - 0.1 * number, "dateline", _ROLE_WORD.sub("", match["names"])
        match = _HEAD_NAMES.match(text[:60])
        if match:
            yield 1.8 - 0.1 * number, "first lines", match["names"]
    match = _SIGNATURE.search(last[-60:])
    if match and not _FUNCTION.search(match["names"]):
        yield 1.6, "signature", match["names"]
