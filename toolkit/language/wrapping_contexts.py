"""How many unrelated articles a repeated unit of text stands in.

Titles tell what articles are about; pairs of neighbouring characters (bigrams) of the
titles are compared with one another, with the unit and with the rest of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.language.normalise import fold
from toolkit.language.wrapping_units import I64, Units
from toolkit.model import Article

#: articles of one unit that are compared; more are sampled evenly
_SAMPLE = 40
#: Dice of title bigrams from which two titles are taken for one report
_SAME_REPORT = 0.2
#: a copy shares this much of its text, and that text holds this much of its title
_SHARED = 0.5
_TITLE_COVERED = 0.3
#: largest share of articles whose title has one / two bigrams in common with boilerplate
_ONE_BIGRAM = 0.2
_TWO_BIGRAMS = 0.1
#: the same for a unit that belongs to a block of boilerplate
_NEARLY = 0.35
#: characters before and after a block that do not keep it from an edge (other wrapping)
_HEAD_SLACK = 40
_TAIL_SLACK = 80
_PARTS = re.compile(r"\s*[_|丨]\s*|\s+[-–—]\s+|[-–—]")
_WORDLESS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``unrelated``: titles without a common bigram; ``titles``: different reports."""

    off_topic: bool
    nearly: bool
    unrelated: int = 0
    titles: int = 0


class Judge:
    """Judges units of a set of articles; what it computes is kept.

    Args:
        articles: the set.
        units: lines and sentences of their bodies.
        spread: in how many articles each unit stands (0 for a repetition within one).
    """

    def __init__(self, articles: Sequence[Article], units: Units, spread: I64) -> None:
        self.articles = articles
        self.units = units
        self.spread = spread
        self.first = np.searchsorted(units.doc, np.arange(len(articles) + 1))
        self.topics: dict[int, frozenset[str]] = {}
        self.groups: dict[bytes, tuple[int, int]] = {}

    def verdict(self, rows: I64, docs: I64) -> Verdict:
        """Judge one unit by the articles it stands in (rows and documents in step)."""
        if len(docs) > _SAMPLE:
            docs = docs[np.linspace(0, len(docs) - 1, _SAMPLE).astype(np.int64)]
        text = clean(self._text(int(rows[0])))
        hits = [
            sum(b in text for b in topic) for doc in docs.tolist() if (topic := self._topic(doc))
        ]
        if not hits:
            return Verdict(False, False)
        one = sum(h >= 1 for h in hits) / len(hits)
        two = sum(h >= 2 for h in hits) / len(hits)
        if two > _NEARLY or one > 2 * _NEARLY:
            return Verdict(False, False)
        group = docs.tobytes()
        if group not in self.groups:
            self.groups[group] = self._count(docs.tolist())
        off_topic = one <= _ONE_BIGRAM and two <= _TWO_BIGRAMS
        return Verdict(off_topic, True, *self.groups[group])

    def _count(self, docs: list[int]) -> tuple[int, int]:
        """Greedy: an article counts if it is related to none counted before it."""
        copies = self._copies(docs)
        unrelated: list[frozenset[str]] = []
        reports: list[frozenset[str]] = []
        for doc in docs:
            topic = self._topic(doc)
            if not topic or (doc in copies and copies[doc] != doc):
                continue
            if not any(topic & other for other in unrelated):
                unrelated.append(topic)
            if all(
                2 * len(topic & other) < _SAME_REPORT * (len(topic) + len(other))
                for other in reports
            ):
                reports.append(topic)
        return len(unrelated), len(reports)

    def _copies(self, docs: list[int]) -> dict[int, int]:
        """Articles that share most of their text on their topic -> the first of its copies."""
        rows = [self._sentences(doc) for doc in docs]
        keys = [self.units.key[r].tolist() for r in rows]
        holders = Counter(k for ks in keys for k in set(ks))
        everywhere = 0.9 * len(docs)
        leader: dict[int, int] = {}
        result: dict[int, int] = {}
        for doc, r, ks in zip(docs, rows, keys, strict=True):
            count = np.array([holders[k] for k in ks])
            length = self.units.length[r]
            rest = count < everywhere
            if not rest.any():  # text that all hold proves a copy only by its topic
                rest = np.ones(len(r), dtype=bool)
            shared = rest & (count >= 2)
            if length[shared].sum() < _SHARED * max(1, int(length[rest].sum())):
                continue
            if (count >= 2).all():  # the whole body; short sentences are no units of their own
                text = clean(self.articles[doc].body)
            else:
                text = clean("".join(self._text(int(i)) for i in r[count >= 2]))
            if covered(self._topic(doc), text) < _TITLE_COVERED:
                continue
            mine = [k for k, is_shared in zip(ks, shared.tolist(), strict=True) if is_shared]
            known = Counter(leader[k] for k in mine if k in leader)
            first = known.most_common(1)[0][0] if known else doc
            result[doc] = first
            for k in mine:
                leader.setdefault(k, first)
        return result

    def at_edge(self, postings: Sequence[I64]) -> npt.NDArray[np.bool_]:
        """Which units stand at the head or tail of a body, alone or in a block of such.

        Returns:
            shape (number of units,); False for all but the units of ``postings``.
        """
        result = np.zeros(len(self.units), dtype=bool)
        if not postings:
            return result
        rows = np.unique(np.concatenate(postings))  # rows are in the order of the text
        units = self.units
        block: list[int] = []
        low = high = 0
        for row in [*rows.tolist(), -1]:
            if block and row >= 0 and units.doc[row] == units.doc[block[0]]:
                body = self.articles[int(units.doc[row])].body
                start = int(units.start[row])
                if start <= high + 60 and sum(map(str.isalnum, body[high:start])) <= 40:
                    block.append(row)
                    high = max(high, int(units.end[row]))
                    continue
            if block:
                size = len(self.articles[int(units.doc[block[0]])].body)
                result[block] = low <= _HEAD_SLACK or high >= size - _TAIL_SLACK
            if row >= 0:
                block, low, high = [row], int(units.start[row]), int(units.end[row])
        return result

    def _sentences(self, doc: int) -> I64:
        """Rows of a document that do not lie in one another: sentences, and lines without."""
        rows = np.arange(self.first[doc], self.first[doc + 1], dtype=np.int64)
        is_line = self.units.line[rows]
        has_inner = np.zeros(len(rows), dtype=bool)
        inside = self.units.start[rows[1:]] < self.units.end[rows[:-1]]
        has_inner[:-1] = is_line[:-1] & ~is_line[1:] & inside
        return rows[~has_inner]

    def _text(self, row: int) -> str:
        units = self.units
        return self.articles[int(units.doc[row])].body[int(units.start[row]) : int(units.end[row])]

    def _topic(self, doc: int) -> frozenset[str]:
        """Bigrams of the title; without a title, of the longest unit that is no one else's."""
        if doc not in self.topics:
            topic = bigrams(title_core(self.articles[doc].title))
            if not topic:
                rows = np.arange(self.first[doc], self.first[doc + 1])
                own = rows[self.spread[rows] == 1]
                if len(own):
                    topic = bigrams(self._text(int(own[np.argmax(self.units.length[own])]))[:40])
            self.topics[doc] = topic
        return self.topics[doc]


def clean(text: str) -> str:
    """Folded letters, digits and hanzi."""
    return _WORDLESS.sub("", fold(text))


def title_core(title: str) -> str:
    """The longest part of a title: without what the site hangs on it."""
    return max(_PARTS.split(title), key=len)


def bigrams(text: str) -> frozenset[str]:
    """Pairs of neighbouring characters, pairs of digits left out."""
    text = clean(text)
    return frozenset(
        text[i : i + 2] for i in range(len(text) - 1) if not text[i : i + 2].isdecimal()
    )


def covered(pairs: frozenset[str], text: str) -> float:
    """Share of the bigrams that stand in the text."""
    return sum(b in text for b in pairs) / len(pairs) if pairs else 0.0
