"""All elements of one report: the entry point of this folder."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from toolkit.elements import main_event as m
from toolkit.elements.figures import Figure, find_figures
from toolkit.elements.gazetteer import load_gazetteer
from toolkit.elements.kernels import EventKernel, find_kernels
from toolkit.elements.paper import extract_records
from toolkit.elements.participants import Participant, find_participants, tag_words
from toolkit.elements.places import PlacePhrase, document_places
from toolkit.elements.times import TimeExpression, document_times
from toolkit.language.normalise import fold
from toolkit.language.taggers import Tagger, create_tagger
from toolkit.model import Article

#: only this much of a body is tagged word by word; times, places and figures see all of it
TAGGED_CHARS = 1200
_DATELINE_TAIL = re.compile(r"(?:电|讯|专电|消息)")
Day = tuple[int | None, int | None, int]
_DAY_GRAINS = ("minute", "hour", "part", "day", "range")


@dataclass(frozen=True)
class DocumentElements:
    """Elements of one report.

    ``days`` maps calendar days (year, month, day; None = unknown) to weights,
    ``places`` gazetteer ids to weights, ``own_places`` names of roads, facilities
    and villages to weights, ``names`` canonical participants to weights and ``acts``
    lexicon groups to weights. ``title_kind`` is comment, answer, state or report.
    """

    id: str
    times: list[TimeExpression]
    place_phrases: list[PlacePhrase]
    figures: list[Figure]
    participants: list[Participant]
    kernels: list[EventKernel]
    sentences: m.Sentences
    days: dict[Day, float] = field(default_factory=dict)
    places: dict[str, float] = field(default_factory=dict)
    own_places: dict[str, float] = field(default_factory=dict)
    names: dict[str, float] = field(default_factory=dict)
    acts: dict[str, float] = field(default_factory=dict)
    title_acts: tuple[str, ...] = ()
    title_verbs: tuple[str, ...] = ()
    title_kind: str = "report"

    @property
    def main_day(self) -> Day | None:
        """The event's day: the one with the largest weight."""
        return max(self.days, key=lambda d: self.days[d]) if self.days else None

    @property
    def main_place(self) -> str:
        """The smallest gazetteer place of the event, "" when none is named."""
        gazetteer = load_gazetteer()
        best, score = "", 0.0
        for place, weight in self.places.items():
            # a county inside the named province is the better answer than the province
            inner = weight * (1 + 0.35 * gazetteer.level(place))
            if inner > score:
                best, score = place, inner
        return best


def document_elements(article: Article, with_kernels: bool = True) -> DocumentElements:
    """Extract and weigh the elements of a report.

    Args:
        article: offsets of all results count characters of its title and body.
        with_kernels: False leaves the kernels of the body out (faster).
    """
    title, body = fold(article.title), fold(article.body)
    sentences = m.weigh_sentences(body)
    places = document_places(article.title, article.body)
    times = document_times(article.title, article.body, article.published)
    figures = find_figures(title, "title", True) + find_figures(body, "body", True)
    title_words = tag_words(title)
    body_words = tag_words(body[:TAGGED_CHARS])
    people = find_participants(title, article.title, "title", title_words)
    people += find_participants(body[:TAGGED_CHARS], article.body, "body", body_words)
    kernels = find_kernels(body, body_words) if with_kernels else []

    def weight(where: str, offset: int) -> float:
        return 3.0 if where == "title" else sentences.at(offset)[0]

    names: dict[str, float] = defaultdict(float)
    for person in people:
        names[person.name] += weight(person.field, person.start)
    title_acts, title_verbs = m.acts_of(title_words)
    acts: dict[str, float] = defaultdict(float)
    for group in title_acts:
        acts[group] += 3.0
    lead_acts, _ = m.acts_of([w for w in body_words if w[2] < m.LEAD])
    for group in lead_acts:
        acts[group] += 1.0
    place_weights, own = _weigh_places(places, weight)
    return DocumentElements(
        article.id, times, places, figures, people, kernels, sentences,
        days=_weigh_days(times, weight, body), places=place_weights, own_places=own, names=dict(names),  # noqa: E501
        acts=dict(acts), title_acts=tuple(title_acts), title_verbs=tuple(title_verbs),
        title_kind=m.title_act(title),
    )  # fmt: skip


def _weigh_days(times: list[TimeExpression], weight: Any, body: str) -> dict[Day, float]:
    days: dict[Day, float] = defaultdict(float)
    for e in times:
        if e.day is None or e.granularity not in _DAY_GRAINS or e.kind in ("event", "now"):
            continue
        if e.kind == "range" and (e.days > 10 or e.granularity == "day"):
            continue  # a period (produced from ... to ...) is not the event's day
        value = weight(e.field, e.start) * e.confidence
        if e.field == "body" and _DATELINE_TAIL.match(body, e.end):
            value *= 0.15
        if e.kind == "until":
            value *= 0.5
        if e.future:
            value *= 0.5
        if e.anchor == "event_day" and e.granularity in ("minute", "hour", "part"):
            value *= 0.3
        days[(e.year, e.month, e.day)] += value
    # a partial day that agrees with a full one is the same day
    for day in [d for d in days if d[0] is None or d[1] is None]:
        full = [
            d
            for d in days
            if d != day and d[2] == day[2] and (day[1] is None or d[1] == day[1]) and d[1]
        ]
        if full:
            best = max(full, key=lambda d: days[d])
            days[best] += days.pop(day)
    return dict(days)


def _weigh_places(
    phrases: list[PlacePhrase], weight: Any
) -> tuple[dict[str, float], dict[str, float]]:
    places: dict[str, float] = defaultdict(float)
    own: dict[str, float] = defaultdict(float)
    for p in phrases:
        if p.kind == "local":
            continue
        value = weight(p.field, p.start) * p.confidence
        identifier = p.place or p.within
        if identifier:
            places[identifier] += value
        if p.name and len(p.name) >= 3:
            own[p.name] += value
    return dict(places), dict(own)


def elements_row(article: Article, tagger: Tagger | None = None) -> dict[str, Any]:
    """Everything found in a report as one JSON row (for ``toolkit elements``).

    Args:
        article: offsets count characters of its title and body.
        tagger: tags the words for the paper's records; None = the default one.
    """
    found = document_elements(article)
    gazetteer = load_gazetteer()
    phrases: list[dict[str, Any]] = []
    for e in found.times:
        kind = "duration" if e.kind == "duration" else "time"
        phrases.append(_phrase(kind, e.field, e.text, e.start, e.end, e.value(), e.confidence))
    for p in found.place_phrases:
        phrases.append(_phrase("place", p.field, p.text, p.start, p.end, p.value(), p.confidence))
    for f in found.figures:
        phrases.append(_phrase("figure", f.field, f.text, f.start, f.end, f.as_json(), 1.0))
    for n in found.participants:
        value: dict[str, Any] = {"kind": n.kind, "name": n.name}
        phrases.append(_phrase("participant", n.field, n.text, n.start, n.end, value, 0.8))
    phrases.sort(key=lambda r: (r["field"] != "title", r["start"], r["end"]))
    place = found.main_place
    names = sorted(found.names, key=lambda n: -found.names[n])
    return {
        "id": article.id,
        "phrases": phrases,
        "figures": [f.as_json() | {"start": f.start, "end": f.end, "field": f.field} for f in found.figures],  # noqa: E501
        "kernels": [
            {"actor": k.actor, "act": k.act, "object": k.object, "start": k.start, "end": k.end,
             "attributed": k.attributed, "passive": k.passive}
            for k in found.kernels
        ],
        "records": _paper_records(article, tagger or create_tagger()),
        "main_event": {
            "day": list(found.main_day) if found.main_day else None,
            "place": place or None,
            "place_lineage": [gazetteer.places[i].name for i in gazetteer.lineage(place) if i in gazetteer.places],  # noqa: E501
            "sites": sorted(found.own_places, key=lambda n: -found.own_places[n])[:3],
            "participants": names[:8],
            "acts": list(found.title_acts) or sorted(found.acts, key=lambda a: -found.acts[a])[:4],
            "title_kind": found.title_kind,
        },
        "background": [
            [found.sentences.starts[i], found.sentences.starts[i + 1] if i + 1 < len(found.sentences.starts) else len(article.body)]  # noqa: E501
            for i, flag in enumerate(found.sentences.background) if flag
        ],
    }  # fmt: skip


def _phrase(
    kind: str, where: str, text: str, start: int, end: int, value: Any, confidence: float
) -> dict[str, Any]:
    return {
        "kind": kind, "field": where, "text": text, "start": start, "end": end,
        "normalised": value, "confidence": round(float(confidence), 2),
    }  # fmt: skip


def _paper_records(article: Article, tagger: Tagger) -> list[dict[str, Any]]:
    """The paper's records as plain JSON types."""
    return [_plain(asdict(record)) for record in extract_records(article, tagger)]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(v) for v in value)
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value
