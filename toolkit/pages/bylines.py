"""Outlet (来源), author and editor of an article, with the signals that said so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from toolkit.pages.blocks import Block
from toolkit.pages.date_parse import read_all
from toolkit.pages.dom import Page, squeeze
from toolkit.pages.metadata import Statements
from toolkit.pages.patterns import name_pattern, pattern, table

_TABLE = "byline_patterns"
_ROLES = ("source", "author", "editor")
#: What ends a value: another label, a bar, a bracket, two blanks, a figure of readers.
_VALUE_END = re.compile(
    r"[|｜丨【】\[\]<>《》\n\t;；]|\s{2,}|(?<=\S)[\(（](?!图|文)|\d{4}[-年/.]\d"
)
_TRIM = " \t:：-—|｜/,，.。、\"“”'()（）[]【】·•>"
_CONFIDENT = re.compile(r"[:：丨|｜/／]")
_HANZI_OR_LETTER = re.compile(r"[\u4e00-\u9fffA-Za-z]")


@dataclass
class Bylines:
    """Chosen value, signal and runner-up (signal, value) per role."""

    values: dict[str, str] = field(default_factory=dict)
    signals: dict[str, str] = field(default_factory=dict)
    runners_up: dict[str, tuple[str, str]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _labels() -> re.Pattern[str]:
    """One expression that finds any label with its separator; the group names the role."""
    data = table(_TABLE)
    parts = []
    for role in ("editor", "source", "author", "published", "modified"):
        words = "|".join(data[f"{role}_labels"])
        parts.append(rf"(?P<{role}>(?:{words}))")
    return re.compile(
        rf"(?<![\u4e00-\u9fffA-Za-z])(?:{'|'.join(parts)})\s*(?:[:：丨|｜/／]|\s(?=\S))\s*", re.I
    )


def split_labels(text: str) -> list[tuple[str, str, bool]]:
    """(role, value, with a colon) for every label in a line, in order."""
    found = []
    matches = [m for m in _labels().finditer(text)]
    for number, match in enumerate(matches):
        end = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        value = text[match.end() : end]
        stop = _VALUE_END.search(value)
        if stop:
            value = value[: stop.start()]
        found.append((match.lastgroup or "", value.strip(_TRIM), bool(_CONFIDENT.search(match[0]))))
    return found


class BylineFinder:
    """Finds outlet, author and editor of one page.

    Args:
        page, blocks, found: the page, its blocks, its statements.
        header: indices of the blocks around the headline and before the body.
        tail: indices of the blocks at the end of the body and right behind it.
        date_line: the block in which the date was printed, if any.
        title: the headline, never taken for a name.
    """

    def __init__(
        self, page: Page, blocks: Sequence[Block], found: Statements, header: range,
        tail: Sequence[int], date_line: Block | None, title: str,
    ) -> None:  # fmt: skip
        self.page = page
        self.blocks = blocks
        self.found = found
        self.header = header
        self.tail = tail
        self.date_line = date_line
        self.title = title
        self.candidates: dict[str, list[tuple[float, str, str]]] = {r: [] for r in _ROLES}
        self.stop = pattern(_TABLE, "stop_words")

    def find(self) -> Bylines:
        """Collect every candidate and keep the strongest per role."""
        self._labelled()
        self._named()
        self._beside_date()
        self._platforms()
        for role, bonus in (("source", 1.0), ("author", 1.5), ("editor", 2.0)):
            for rank, (signal, value) in enumerate(self.found.get(role)):
                self._add(role, bonus - 0.1 * rank, signal, value)
        result = Bylines()
        for role in _ROLES:
            ordered = sorted(self.candidates[role], key=lambda c: -c[0])
            if not ordered:
                continue
            _, signal, value = ordered[0]
            result.values[role], result.signals[role] = value, signal
            other = next((c for c in ordered[1:] if c[2] != value), None)
            if other:
                result.runners_up[role] = (other[1], other[2])
        return result

    # -------------------------------------------------------------- candidates
    def _add(self, role: str, score: float, signal: str, value: str) -> None:
        value = clean_name(value)
        if role == "editor":
            value = re.sub(r"[_\s]+[A-Z]{1,3}\d+$", "", value)
        if not 2 <= len(value) <= 40 or not _HANZI_OR_LETTER.search(value):
            return
        if value.startswith(("http", "www.")) or value == self.title or self.stop.fullmatch(value):
            return
        self.candidates[role].append((score, signal, value))

    def _labelled(self) -> None:
        """来源：X, 作者：X, 责任编辑：X in the lines around headline and body."""
        for region, base in ((self.header, 4.0), (self.tail, 3.0)):
            for index in region:
                block = self.blocks[index]
                text = block.text
                if len(text) > 160 or (block.stops > 6 and region is self.header):
                    continue
                for role, value, colon in split_labels(text):
                    if role not in _ROLES or (not colon and len(text) > 60):
                        continue
                    score = base if colon else base - 2.0
                    score -= 0.5 if block.hidden else 0.0
                    if not value and colon:
                        value = self._next_text(index)
                    self._add(
                        role, score - 0.01 * len(self.candidates[role]), f"label:{role}", value
                    )

    def _next_text(self, index: int) -> str:
        """The text of the next block when a label stands alone in its own."""
        if index + 1 >= len(self.blocks):
            return ""
        text = self.blocks[index + 1].text
        return "" if len(text) > 30 or _labels().match(text) or read_all(text) else text

    def _named(self) -> None:
        """Elements of the header whose class says what they hold."""
        if not len(self.header):
            return
        first = self.blocks[self.header[0]].inner.order
        last = self.blocks[self.header[-1]].inner.order
        for role in ("source", "author"):
            names = name_pattern(_TABLE, f"{role}_names")
            for element in self.page.elements[first : last + 1]:
                if not element.names or not names.search(element.names):
                    continue
                text = element.text(120)
                if not 2 <= len(text) <= 30:
                    continue
                labelled = [v for r, v, _ in split_labels(text) if r == role]
                if not labelled and _labels().search(text):
                    continue
                value = labelled[0] if labelled else remainder(text)
                if value and value.count(" ") < 3:
                    self._add(role, 2.6 - 0.5 * element.hidden, f"class:{role}", value)

    def _beside_date(self) -> None:
        """A bare name in the date line: ``2019年09月07日 04:04 北京日报``."""
        line = self.date_line
        if line is None or len(line.text) > 80 or line.stops > 4:
            return
        text = line.text
        matches = list(_labels().finditer(text))
        readings = read_all(text)
        if not readings:
            return
        spans = [(r.start, r.end) for r in readings]
        end = matches[0].start() if matches and matches[0].start() > spans[-1][1] else None
        after = remainder(text[spans[-1][1] : end]) if end is None or end else ""
        before = (
            "" if matches and matches[0].start() < spans[0][0] else remainder(text[: spans[0][0]])
        )
        for score, value in ((2.0, after), (1.8, before)):
            if value and len(value) <= 20 and value.count(" ") < 2:
                self._add("source", score, "beside date", value)

    def _platforms(self) -> None:
        """The account that published on a platform, from script variables."""
        for _, script in self.page.scripts:
            match = re.search(
                r"(?:var\s+|[\"'])(?:nickname|nick_name|mediaName|media_name)[\"']?\s*[:=]\s*"
                r"(?:htmlDecode\()?[\"']([^\"'\\<>]{2,30})[\"']",
                script[:400_000],
            )
            if match:
                self._add("source", 1.6, "script:account", match[1])
                break


def remainder(text: str) -> str:
    """What is left of a date line without dates and tool words."""
    for reading in reversed(read_all(text)):
        text = text[: reading.start] + "|" + text[reading.end :]
    stop = pattern(_TABLE, "stop_words")
    pieces = []
    for piece in re.split(r"[|｜丨\n·•]|\s+", text):
        bare = piece.strip(_TRIM)
        if not bare or stop.fullmatch(bare) or re.fullmatch(r"[\d,.万+\-:：\s\(\)（）]*", bare):
            continue
        if re.fullmatch(r"(?:[\d,.]*(?:" + stop.pattern + r")[\d,.]*)+", bare):
            continue
        pieces.append(bare)
    return " ".join(pieces)


def clean_name(value: str) -> str:
    """A name without brackets around it, trailing tool words and marks."""
    value = squeeze(value)
    match = _VALUE_END.search(value)
    if match and match.start() >= 2:
        value = value[: match.start()]
    value = value.strip(_TRIM)
    return re.sub(
        r"\s+(?:我有话说|分享|收藏|举报|打印|字号|评论|参与|点击|浏览|阅读).*$", "", value
    ).strip(_TRIM)
