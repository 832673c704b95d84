"""Pair decisions to story lines, events and copy clusters.

``build_stories`` is the whole step: it groups, chooses representatives and records why
a join was refused. The result answers questions (``why``, ``graph``, ``rows``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.model import Article, Event, Story
from toolkit.stories import facts as fact_reader
from toolkit.stories.graph import bridge_report, story_graph
from toolkit.stories.levels import Levels, guarded_levels, plain_levels
from toolkit.stories.linkage import REASONS
from toolkit.stories.pairs import DecidedPairs, id_hashes
from toolkit.stories.representative import Signals, choose, host_outlets, signals


@dataclass(frozen=True)
class Refusal:
    """Two events kept apart although a pair between them was decided duplicate.

    ``pairs`` counts those pairs; ``support`` is the mean support between the two
    groups of reports; ``bridges`` are the pairs that alone held both sides together.
    """

    first: str
    second: str
    reason: str
    support: float
    pairs: int
    bridges: tuple[tuple[str, str], ...] = ()

    def sentence(self, config: RunConfig) -> str:
        """The refusal in words."""
        s = config.stories
        why = {
            "cohesion": f"mean support {self.support:.2f} is too low "
            f"(groups {s.event_cohesion:.2f}, a single report {s.attach_cohesion:.2f})",
            "contradiction": "the days or magnitudes they report contradict each other",
            "cannot_link": "two of their articles are issues of one series or marked as different",
            "span": f"together they would span more than {s.event_days:g} days",
        }[self.reason]
        bridge = f"; held together by the single pair {self.bridges[0]}" if self.bridges else ""
        return f"{self.first} and {self.second} kept apart: {why}{bridge}"


@dataclass(frozen=True)
class StoriesResult:
    """Story lines of a set of articles and everything they were built from."""

    articles: Sequence[Article]
    stories: tuple[Story, ...]
    decided: DecidedPairs
    levels: Levels
    config: RunConfig
    refusals: tuple[Refusal, ...] = ()
    #: origin (article id) of each article's copy cluster, events of two or more only
    origins: dict[str, str] = field(default_factory=dict)
    signals: dict[str, Signals] = field(default_factory=dict)

    @cached_property
    def place(self) -> dict[str, tuple[int, int]]:
        """Article id -> (story number, event number in the story)."""
        return {
            a: (s, e)
            for s, story in enumerate(self.stories)
            for e, event in enumerate(story.events)
            for a in event.articles
        }

    @cached_property
    def index(self) -> dict[str, int]:
        """Article id -> position in ``articles``."""
        return {article.id: i for i, article in enumerate(self.articles)}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows of ``stories.jsonl``."""
        for story in self.stories:
            yield {
                "story_id": story.story_id,
                "articles": list(story.articles),
                "representative": story.representative,
                "events": [
                    {"event_id": e.event_id, "articles": list(e.articles),
                     "representative": e.representative, "reason": e.reason}
                    for e in story.events
                ],
            }  # fmt: skip

    @cached_property
    def _pairs_of(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        label = self.levels.stories
        pairs = self.decided.pairs
        key = np.where(
            label[pairs[:, 0]] == label[pairs[:, 1]], label[pairs[:, 0]], -1
        )  # pairs across stories come first
        order = np.argsort(key, kind="stable")
        return order, key[order]

    def pairs_in(self, story: Story) -> npt.NDArray[np.int64]:
        """Positions in ``decided`` of the pairs inside one story."""
        order, keys = self._pairs_of
        label = self.levels.stories[self.index[story.articles[0]]]
        low, high = np.searchsorted(keys, [label, label + 1])
        return order[low:high]

    def graph(self, story: Story) -> nx.Graph:
        """The networkx graph of one story (see ``toolkit.stories.graph``)."""
        return story_graph(self, story)

    def why(self, identifier: str) -> list[str]:
        """Why an article, event or story stands where it does, as sentences.

        Raises:
            UserError: no article, event or story has this id.
        """
        from toolkit.stories.explain import why

        return why(self, identifier)

    def find(self, identifier: str) -> tuple[Story, Event | None]:
        """The story (and event) of an article, event or story id.

        Raises:
            UserError: nothing has this id.
        """
        if identifier in self.place:
            s, e = self.place[identifier]
            return self.stories[s], self.stories[s].events[e]
        for story in self.stories:
            if story.story_id == identifier:
                return story, None
            for event in story.events:
                if event.event_id == identifier:
                    return story, event
        raise UserError(f"no article, event or story is called '{identifier}'; see stories.jsonl")


def build_stories(
    articles: Sequence[Article],
    decided_pairs: DecidedPairs,
    config: RunConfig,
    apart: npt.NDArray[np.int32] | None = None,
) -> StoriesResult:
    """Group articles into events and story lines.

    Args:
        articles: all articles; every one is in exactly one event of one story.
        decided_pairs: compared pairs (indices into ``articles``).
        config: ``config.stories`` holds the guards and the representative's rule.
        apart: pairs that must not be in one event (cannot-link), shape (k, 2).

    Returns:
        StoriesResult: independent of the order of the input.
    """
    n = len(articles)
    settings = config.stories
    linked = np.zeros(n, bool)
    linked[decided_pairs.pairs[decided_pairs.duplicate].ravel()] = True
    if settings.closure == "plain":
        facts = fact_reader.collect(articles, np.zeros(n, bool))
        levels = plain_levels(n, decided_pairs)
    else:
        facts = fact_reader.collect(articles, linked if settings.conflicts else np.zeros(n, bool))
        hashes = id_hashes([a.id for a in articles])
        if settings.conflicts:
            series = fact_reader.series_conflicts(
                articles, decided_pairs.pairs[decided_pairs.duplicate & ~decided_pairs.same_text]
            )
            apart = series if apart is None else np.concatenate([apart, series])
        levels = guarded_levels(hashes, facts, decided_pairs, settings, apart)
    return _Assembler(articles, decided_pairs, config, levels, facts.published).result()


class _Assembler:
    """Labels to named stories with representatives."""

    def __init__(
        self, articles: Sequence[Article], decided: DecidedPairs, config: RunConfig,
        levels: Levels, published: npt.NDArray[np.float64],
    ) -> None:  # fmt: skip
        self.articles = articles
        self.decided = decided
        self.config = config
        self.levels = levels
        time = np.where(np.isnan(published), np.inf, published)
        by_id = np.argsort(np.array([a.id for a in articles], dtype=object), kind="stable")
        rank = np.empty(len(articles), np.int64)
        rank[by_id] = np.arange(len(articles))
        #: articles in order of publication, then id
        self.order = np.lexsort((rank, time))
        self.origins: dict[str, str] = {}
        self.signals: dict[str, Signals] = {}

    def result(self) -> StoriesResult:
        """All stories, in order of their first article."""
        levels = self.levels
        hosts = host_outlets(self.articles)
        events: dict[int, list[int]] = {}
        for i in self.order.tolist():
            events.setdefault(int(levels.events[i]), []).append(i)
        stories: dict[int, list[int]] = {}
        for label, members in events.items():
            stories.setdefault(int(levels.stories[members[0]]), []).append(label)
        names: dict[int, str] = {}
        built: list[Story] = []
        for labels in stories.values():
            made = []
            for label in labels:
                event = self._event(events[label], hosts)
                names[label] = event.event_id
                made.append(event)
            built.append(self._story(made))
        return StoriesResult(
            self.articles, tuple(built), self.decided, levels, self.config,
            tuple(self._refusals(names, events)), self.origins, self.signals,
        )  # fmt: skip

    def _event(self, members: list[int], hosts: dict[str, frozenset[str]]) -> Event:
        articles = [self.articles[i] for i in members]
        name = _name("e", articles[0].id)
        if len(members) == 1:
            return Event(name, (articles[0].id,), articles[0].id, "only article")
        found = [signals(a, hosts) for a in articles]
        groups: dict[int, list[int]] = {}
        for position, i in enumerate(members):
            groups.setdefault(int(self.levels.copies[i]), []).append(position)
        rule = self.config.stories.representative
        best, reason, origins = choose(articles, found, list(groups.values()), rule)
        for position, origin in origins.items():
            self.origins[articles[position].id] = articles[origin].id
            self.signals[articles[position].id] = found[position]
        return Event(name, tuple(a.id for a in articles), articles[best].id, reason)

    def _story(self, events: list[Event]) -> Story:
        # the line is shown by its best covered event, the earlier one on equal terms
        main = max(range(len(events)), key=lambda k: (len(events[k].articles), -k))
        if len(events) == 1:
            ordered: tuple[str, ...] = events[0].articles
        else:
            members = {a for e in events for a in e.articles}
            position = self._position
            ordered = tuple(sorted(members, key=position.__getitem__))
        name = "s" + events[0].event_id[1:]
        return Story(name, ordered, events[main].representative, tuple(events))

    @cached_property
    def _position(self) -> dict[str, int]:
        return {self.articles[i].id: k for k, i in enumerate(self.order.tolist())}

    def _refusals(self, names: dict[int, str], events: dict[int, list[int]]) -> Iterator[Refusal]:
        refused = self.levels.refused
        if refused is None or not len(refused.first):
            return
        pairs = self.decided.pairs[self.decided.duplicate]
        a, b = self.levels.events[pairs[:, 0]], self.levels.events[pairs[:, 1]]
        across = a != b
        counts: dict[tuple[int, int], list[int]] = {}
        for row in np.flatnonzero(across).tolist():
            x, y = int(a[row]), int(b[row])
            counts.setdefault((min(x, y), max(x, y)), []).append(row)
        bridges = bridge_report(pairs, self.levels.closure, across)
        made = []
        for x, y, reason, support in zip(
            refused.first.tolist(), refused.second.tolist(), refused.reason.tolist(),
            refused.support.tolist(), strict=True,
        ):  # fmt: skip
            rows = counts.get((min(x, y), max(x, y)), [])
            one, two = sorted((names[x], names[y]))
            held = tuple(
                sorted(
                    (min(u, v), max(u, v))
                    for u, v in (
                        (self.articles[pairs[r, 0]].id, self.articles[pairs[r, 1]].id)
                        for r in rows
                        if r in bridges
                    )
                )
            )
            made.append(Refusal(one, two, REASONS[reason], float(support), len(rows), held))
        yield from sorted(made, key=lambda r: (r.first, r.second))


def _name(prefix: str, identifier: str) -> str:
    return f"{prefix}{int(id_hashes([identifier])[0]):016x}"
