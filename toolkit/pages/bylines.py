"""Outlet (来源), author and editor of an article, with the signals that said so.

Labels win over names of classes, these over a bare name in the date line, these over
meta tags. The labels themselves are found in ``labels.py``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolkit.pages.blocks import Block
from toolkit.pages.date_parse import read_all
from toolkit.pages.labels import (
    TRIM,
    clean_name,
    credits_in_text,
    label_pattern,
    remainder,
    split_labels,
)
from toolkit.pages.metadata import Statements
from toolkit.pages.parse import Page
from toolkit.pages.patterns import name_pattern, pattern

_TABLE = "byline_patterns"
ROLES = ("source", "author", "editor")
_HANZI_OR_LETTER = re.compile(r"[\u4e00-\u9fffA-Za-z]")
_ACCOUNT_NAMES = ("nickname", "nick_name", "mediaName", "media_name")
_ACCOUNT = re.compile(
    r"(?:var\s+|[\"'])(?:nickname|nick_name|mediaName|media_name)[\"']?\s*[:=]\s*"
    r"(?:htmlDecode\()?[\"']([^\"'\\<>]{2,30})[\"']"
)
_PERSON = re.compile(r"[\u4e00-\u9fff·]{2,4}(?: [\u4e00-\u9fff·]{2,4})*|[A-Za-z][A-Za-z .]{2,20}")
_CODE = re.compile(r"[_\s]+[A-Z]{1,3}\d+$|\s*[A-Z]{2}\d{3,}$")


def _stop_phrase(value: str) -> bool:
    return pattern(_TABLE, "stop_phrases").fullmatch(value) is not None


@dataclass
class Bylines:
    """Chosen value, signal and runner-up (signal, value) per role."""

    values: dict[str, str] = field(default_factory=dict)
    signals: dict[str, str] = field(default_factory=dict)
    runners_up: dict[str, tuple[str, str]] = field(default_factory=dict)


class BylineFinder:
    """Finds outlet, author and editor of one page.

    Args:
        page, blocks, found: the page, its blocks, its statements.
        header: indices of the blocks around the headline and before the body.
        tail: indices of the blocks at the end of the body and right behind it.
        date_line: the block in which the date was printed, if any.
        title: the headline, never taken for a name.
        title_last: index of the last line of the headline, if it is on the page.
        body: the paragraphs.
    """

    def __init__(
        self, page: Page, blocks: Sequence[Block], found: Statements, header: Sequence[int],
        tail: Sequence[int], date_line: Block | None, title: str, title_last: int | None,
        body: Sequence[Block],
    ) -> None:  # fmt: skip
        self.page = page
        self.blocks = blocks
        self.found = found
        self.header = header
        self.tail = tail
        self.date_line = date_line
        self.title = title
        self.title_last = title_last
        self.body = body
        self.candidates: dict[str, list[tuple[float, str, str]]] = {r: [] for r in ROLES}
        self.sections = {value for _, value in found.get("section")}
        self.stop = pattern(_TABLE, "stop_words")

    def find(self) -> Bylines:
        """Collect every candidate and keep the strongest per role."""
        self._labelled()
        self._named()
        self._beside_date()
        self._bare_lines()
        self._platforms()
        self._in_text()
        for role, bonus in (("source", 1.0), ("editor", 2.0)):
            for rank, (signal, value) in enumerate(self.found.get(role)):
                self._add(role, bonus - 0.1 * rank, signal, value)
        result = Bylines()
        self._settle("source", result)
        self._authors_of_meta(result.values.get("source"))
        self._settle("source", result)
        # an account is one name: it is the outlet, not a person of its own
        source = result.values.get("source")
        self.candidates["author"] = [
            c for c in self.candidates["author"] if c[2] != source or c[1].startswith("label")
        ]
        self._settle("author", result)
        self._settle("editor", result)
        return result

    def _settle(self, role: str, result: Bylines) -> None:
        ordered = sorted(self.candidates[role], key=lambda c: -c[0])
        if not ordered:
            return
        _, signal, value = ordered[0]
        result.values[role], result.signals[role] = value, signal
        other = next((c for c in ordered[1:] if c[2] != value), None)
        if other:
            result.runners_up[role] = (other[1], other[2])

    # -------------------------------------------------------------- candidates
    def _add(self, role: str, score: float, signal: str, value: str) -> None:
        value = clean_name(value)
        if role == "editor":
            value = _CODE.sub("", value)
        elif role == "source" and pattern(_TABLE, "vague_sources").fullmatch(value):
            score = min(score, 0.6)
        elif role == "source" and re.search(r"[，。？！：；]", value):
            return
        elif role == "author":
            value = re.sub(r"^.{0,10}(?:记者|作者|通讯员|撰文)\s+(?=\S)", "", value)
            value = re.split(r"[，。]", value)[0]
        if not 2 <= len(value) <= 40 or not _HANZI_OR_LETTER.search(value):
            return
        if value.startswith(("http", "www.")) or value == self.title:
            return
        if self.stop.fullmatch(value):
            return
        if not signal.startswith(("label", "meta")) and _stop_phrase(value):
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
                whole_line = len(text) < 60
                for label in split_labels(text, block.plain):
                    if label.role not in ROLES or not (label.colon or whole_line):
                        continue
                    if label.text.isascii() and label.start and not label.colon:
                        continue
                    score = base if label.colon else base - 2.0
                    score -= 0.5 if block.hidden else 0.0
                    # 责任编辑 speaks for the page, 编辑 may belong to the reprinted text
                    score += 0.5 if label.text.startswith("责") else 0.0
                    # a label in the middle of a sentence is hardly one
                    score -= 1.5 if label.start > 30 and not whole_line else 0.0
                    value = label.value
                    if not value and label.colon:
                        value = self._next_text(index)
                    score -= 0.01 * len(self.candidates[label.role])
                    self._add(label.role, score, f"label:{label.text}", value)

    def _next_text(self, index: int) -> str:
        """The text of the next block when a label stands alone in its own."""
        if index + 1 >= len(self.blocks):
            return ""
        text = self.blocks[index + 1].text
        return "" if len(text) > 30 or label_pattern().match(text) or read_all(text) else text

    def _named(self) -> None:
        """Elements of the header whose class says what they hold."""
        if not len(self.header):
            return
        first = self.blocks[self.header[0]].inner.order
        end = self.body[0].index if self.body else self.header[-1] + 1
        last = self.blocks[min(end, self.header[-1] + 1) - 1].inner.order
        for role in ("source", "author"):
            names = name_pattern(_TABLE, f"{role}_names")
            for element in self.page.elements[first : last + 1]:
                if not element.names or not names.search(element.names):
                    continue
                text = element.text(120)
                if not 2 <= len(text) <= 30:
                    continue
                labels = split_labels(text)
                own = [label.value for label in labels if label.role == role]
                if not own and labels:
                    continue
                value = own[0] if own else remainder(text)
                if value and value.count(" ") < 3:
                    score = 2.6 - 0.5 * element.hidden
                    self._add(role, score, f"class:{role}", value)
                    if role == "author" and self._is_outlet(value):
                        # on platforms the account is both
                        self._add("source", 1.4, "class:author", value)

    def _is_outlet(self, value: str) -> bool:
        return bool(re.search(f"{pattern(_TABLE, 'outlet_words').pattern}$", value))

    def _beside_date(self) -> None:
        """A bare name in the date line: ``2019年09月07日 04:04 北京日报``."""
        line = self.date_line
        if line is None or len(line.text) > 80 or line.stops > 4:
            return
        text = line.text
        readings = read_all(text)
        if not readings:
            return
        labels = split_labels(text, line.plain)
        start, end = readings[0].start, readings[-1].end
        behind = next((label.start for label in labels if label.start >= end), None)
        after = remainder(text[end:behind])
        before = "" if any(lab.start < start for lab in labels) else remainder(text[:start])
        for score, value in ((2.0, after), (1.8, before)):
            if value and len(value) <= 24 and value.count(" ") < 3:
                parts = value.split(" ")
                outlet = next((p for p in parts if self._is_outlet(p)), parts[0])
                self._add("source", score, "beside date", outlet)
                rest = " ".join(p for p in parts if p != outlet)
                if rest:
                    self._add("author", 0.9, "beside date", rest)

    def _bare_lines(self) -> None:
        """A short line between headline and body that holds a name and nothing else."""
        start = self.title_last
        if start is None or not self.body:
            return
        end = self.body[0].index
        if not 0 < end - start <= 15:
            return
        for block in self.blocks[start + 1 : end]:
            text = block.text
            if block.hidden or len(text) > 30 or block.stops or read_all(text):
                continue
            if block.link_share > 0.5 and len(block.links) > 1:
                continue
            if split_labels(text, block.plain) or label_pattern().search(block.plain):
                continue
            person, slash, outlet = text.partition("/")
            if slash and self._is_outlet(outlet.strip(TRIM)):
                self._add("source", 2.4, "line below headline", outlet)
                self._add("author", 2.2, "line below headline", person)
                continue
            value = remainder(text)
            if value in self.sections or re.search(r"\d", value):
                continue
            if not 2 <= len(value) <= 16 or value.count(" ") > 2:
                continue
            match = re.match(
                r"(.*?)(?:首席|见习|实习|高级|特约)?(?:记者|作者|通讯员)\s+(.+)$", value
            )
            if match:
                self._add("author", 2.4, "line below headline", match[2])
                self._add("source", 1.2, "line below headline", match[1])
            elif self._is_outlet(value):
                self._add("source", 2.1, "line below headline", value)
            elif self._beside_line(block) and _PERSON.fullmatch(value):
                self._add("source", 1.1, "line below headline", value)
                self._add("author", 1.1, "line below headline", value)

    def _beside_line(self, block: Block) -> bool:
        return self.date_line is not None and abs(block.index - self.date_line.index) == 1

    def _platforms(self) -> None:
        """The account that published on a platform, from script variables."""
        for _, script in self.page.scripts:
            if not any(name in script for name in _ACCOUNT_NAMES):
                continue
            match = _ACCOUNT.search(script[:400_000])
            if match:
                self._add("source", 1.6, "script:account", match[1])
                break

    def _in_text(self) -> None:
        """Names of reporters in the dateline or the signature of the text."""
        if not self.body:
            return
        head = [block.text for block in self.body[:3]]
        for score, signal, names in credits_in_text(head, self.body[-1].text):
            self._add("author", score, signal, names)

    def _authors_of_meta(self, source: str | None) -> None:
        """``<meta name=author>``, unless it names the outlet or the site."""
        sites = {v for _, v in self.found.get("site_name")}
        for rank, (signal, value) in enumerate(self.found.get("author")):
            name = clean_name(value)
            if name == source or name in sites or self._is_outlet(name) or "." in name:
                if self._is_outlet(name):
                    self._add("source", 0.8 - 0.1 * rank, signal, name)
                continue
            if name in self.found.page_title:
                continue
            self._add("author", 1.5 - 0.1 * rank, signal, name)
