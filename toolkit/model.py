"""The nouns everybody shares: articles, phrases, kernels, pair evidence, stories.

All are small frozen dataclasses. Offsets are character offsets (code points) into
the text named by ``field`` ("title" or "body") exactly as the article holds it,
``start`` inclusive and ``end`` exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Relation = Literal[
    "url_variant", "identical", "reprint", "revision", "excerpt",
    "same_event", "same_story", "boilerplate", "different", "undecided",
]  # fmt: skip
#: Every relation a pair may have, closest first.
RELATIONS: tuple[str, ...] = (
    "url_variant", "identical", "reprint", "revision", "excerpt",
    "same_event", "same_story", "boilerplate", "different", "undecided",
)  # fmt: skip
#: Relations that count as a duplicate: the same event or closer.
DUPLICATE_RELATIONS = frozenset(RELATIONS[:6])
#: Relations in which one text was made from the other.
COPY_RELATIONS = frozenset(RELATIONS[:5])

Outcome = Literal["duplicate", "different", "undecided"]
Field = Literal["title", "body"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text: ``text == article.<field>[start:end]``."""

    start: int
    end: int
    text: str
    field: Field = "body"


@dataclass(frozen=True, slots=True)
class Article:
    """One news report as every part of the toolkit sees it.

    ``published``, ``modified`` and ``fetched`` are aware datetimes or None.
    ``published_precision`` tells what the source printed: "day" means that the
    time of day is not known (midnight is stored). ``extra`` keeps every further
    field of the input row, so that nothing is dropped on the way through.
    """

    id: str
    title: str = ""
    body: str = ""
    url: str | None = None
    canonical_url: str | None = None
    published: datetime | None = None
    modified: datetime | None = None
    fetched: datetime | None = None
    source: str | None = None
    author: str | None = None
    section: str | None = None
    language: str | None = None
    published_precision: Literal["minute", "day"] | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Title + 。 + body: the text the vector baselines compare."""
        return f"{self.title}。{self.body}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """One input row or page that could not be used, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Word:
    """One tagged word: ``text == sentence[start:end]``; ``tag`` is PKU-based."""

    text: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """A time or place phrase (paper, section 2 and 3 of the specification).

    ``kinds`` holds "time", "place" or both. ``normalised`` is None in the paper's
    method; the `elements` method fills it with a comparable value.
    """

    kinds: frozenset[str]
    text: str
    start: int
    end: int
    field: Field = "body"
    normalised: Any = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel of a clause: its core words, and the pattern that chose them.

    ``pattern`` is "1".."8" for the paper's table and "fallback" otherwise.
    """

    words: tuple[str, ...]
    pattern: str


@dataclass(frozen=True, slots=True)
class Record:
    """One extracted clause: phrases W, nouns n, verbs v and the kernel k.

    ``items`` is the clause as (kind, text) in order, kind in "phrase", "n", "v".
    ``start``/``end`` are the span of the sentence the record came from.
    """

    phrases: tuple[Phrase, ...]
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    kernel: Kernel
    items: tuple[tuple[str, str], ...]
    start: int
    end: int
    field: Field = "body"


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """Why a pair was decided as it was; ``explain`` only prints what stands here.

    ``features`` holds every count and score by name; ``matches`` holds aligned
    spans ``{"kind", "a": Span, "b": Span, ...}``; ``notes`` are plain sentences.
    """

    a: str
    b: str
    method: str
    score: float
    outcome: Outcome
    relation: str
    features: dict[str, Any] = field(default_factory=dict)
    matches: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Articles that report one concrete occurrence."""

    event_id: str
    articles: tuple[str, ...]
    representative: str
    reason: str


@dataclass(frozen=True, slots=True)
class Story:
    """A story line: one or more events and every article that tells of them."""

    story_id: str
    articles: tuple[str, ...]
    representative: str
    events: tuple[Event, ...]
