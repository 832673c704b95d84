"""Comparable values for the paper's phrases (setting ``paper.normalised_phrases``).

A time phrase gets the intervals of the time expressions in it, a place phrase the
gazetteer entries; both come from the same parts the method `elements` uses.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from toolkit.elements.gazetteer import load_gazetteer
from toolkit.elements.places import document_places
from toolkit.elements.times import document_times
from toolkit.model import Article, Phrase, Record

#: longer intervals (a year, a quarter) say too little to make two phrases agree
LONGEST_DAYS = 40


@dataclass(frozen=True, slots=True)
class PhraseValue:
    """Intervals [start, end) in UTC, and gazetteer ids."""

    intervals: tuple[tuple[datetime, datetime], ...] = ()
    places: tuple[str, ...] = ()


def with_values(article: Article, records: Sequence[Record]) -> tuple[Record, ...]:
    """The records with ``normalised`` filled where a phrase could be resolved."""
    times = [
        t
        for t in document_times(article.title, article.body, article.published)
        if t.start_utc is not None and t.end_utc is not None
    ]
    places = [p for p in document_places(article.title, article.body) if p.place]

    def valued(phrase: Phrase) -> Phrase:
        def inside(start: int, end: int, field: str) -> bool:
            return field == phrase.field and start < phrase.end and phrase.start < end

        intervals = tuple(
            (t.start_utc, t.end_utc)
            for t in times
            if t.start_utc and t.end_utc and inside(t.start, t.end, t.field)
        )
        found = tuple(p.place for p in places if inside(p.start, p.end, p.field))
        value = PhraseValue(
            intervals if "time" in phrase.kinds else (), found if "place" in phrase.kinds else ()
        )
        return replace(phrase, normalised=value) if value != PhraseValue() else phrase

    return tuple(
        replace(record, phrases=tuple(valued(p) for p in record.phrases)) for record in records
    )


def value_keys(phrase: Phrase) -> Iterator[Hashable]:
    """Keys of which two compatible phrases share at least one."""
    value = phrase.normalised
    if not isinstance(value, PhraseValue):
        return
    for start, end in value.intervals:
        day = start.date()
        if end - start <= timedelta(days=LONGEST_DAYS):
            while day <= end.date():
                yield day
                day += timedelta(days=1)
    for place in value.places:
        yield from _lineage(place)


def compatible(a: Phrase, b: Phrase) -> bool:
    """One interval lies in the other, or one place lies in (or is) the other."""
    x, y = a.normalised, b.normalised
    if not isinstance(x, PhraseValue) or not isinstance(y, PhraseValue):
        return False
    longest = timedelta(days=LONGEST_DAYS)
    for start, end in x.intervals:
        for other_start, other_end in y.intervals:
            if max(end - start, other_end - other_start) > longest:
                continue
            if (start <= other_start and other_end <= end) or (
                other_start <= start and end <= other_end
            ):
                return True
    return any(p in _lineage(q) or q in _lineage(p) for p in x.places for q in y.places)


def _lineage(place: str) -> tuple[str, ...]:
    """The place and what it lies in, countries left out."""
    gazetteer = load_gazetteer()
    held = [place, *gazetteer.lineage(place)]
    top = held[-1] if len(set(held)) > 1 else None
    return tuple(dict.fromkeys(p for p in held if p != top))
