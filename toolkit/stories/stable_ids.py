"""Story ids that survive a new run: matched to the earlier run by overlap, with a log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from toolkit.model import Event, Story


@dataclass(frozen=True)
class Change:
    """What became of the groups of the earlier run.

    ``kind``: "merged" (several earlier groups went into one), "split" (one earlier
    group is now in several), "new" or "gone". ``before``/``after`` are ids.
    """

    kind: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    articles: int

    def row(self) -> dict[str, object]:
        """The change as a JSON row."""
        return {"kind": self.kind, "before": list(self.before), "after": list(self.after),
                "articles": self.articles}  # fmt: skip


Groups = Mapping[str, Iterable[str]]


def match_groups(before: Groups, after: Groups) -> tuple[dict[str, str], list[Change]]:
    """Names for the groups of a new run.

    Each new group takes the name of the earlier group it shares most articles with;
    an earlier name is given once. Larger overlaps choose first; ties go to the larger
    share of the earlier group, then by id.

    Args:
        before, after: id -> articles; an article is in at most one group of each.

    Returns:
        (new id -> id to use, changes).
    """
    home = {a: name for name, articles in before.items() for a in articles}
    size_before = {name: len(list(articles)) for name, articles in before.items()}
    shared: dict[tuple[str, str], int] = {}
    size_after: dict[str, int] = {}
    for name, articles in after.items():
        listed = list(articles)
        size_after[name] = len(listed)
        for a in listed:
            if a in home:
                key = (home[a], name)
                shared[key] = shared.get(key, 0) + 1
    ranked = sorted(shared.items(), key=lambda kv: (-kv[1], -kv[1] / size_before[kv[0][0]], kv[0]))
    given: dict[str, str] = {}
    used: set[str] = set()
    for (old, new), _ in ranked:
        if new not in given and old not in used:
            given[new] = old
            used.add(old)
    taken = set(before)
    for name in sorted(after):
        if name not in given:
            fresh, number = name, 2
            while fresh in taken:
                fresh = f"{name}.{number}"
                number += 1
            given[name] = fresh
            taken.add(fresh)
    return given, _changes(before, shared, given, size_before, size_after)


def _changes(
    before: Groups, shared: dict[tuple[str, str], int], given: dict[str, str],
    size_before: dict[str, int], size_after: dict[str, int],
) -> list[Change]:  # fmt: skip
    parts: dict[str, list[str]] = {}
    sources: dict[str, list[str]] = {}
    for old, new in sorted(shared):
        parts.setdefault(old, []).append(given[new])
        sources.setdefault(new, []).append(old)
    changes = []
    for new, name in sorted(given.items(), key=lambda kv: kv[1]):
        olds = sources.get(new, [])
        if not olds:
            changes.append(Change("new", (), (name,), size_after[new]))
        elif len(olds) > 1:
            changes.append(Change("merged", tuple(olds), (name,), size_after[new]))
    for old in sorted(before):
        news = sorted(parts.get(old, []))
        if not news:
            changes.append(Change("gone", (old,), (), size_before[old]))
        elif len(news) > 1:
            changes.append(Change("split", (old,), tuple(news), size_before[old]))
    return changes


def keep_ids(
    stories: Iterable[Story], before_stories: Groups, before_events: Groups
) -> tuple[tuple[Story, ...], list[Change]]:
    """The stories under the names of the earlier run, and what changed."""
    listed = list(stories)
    names, changes = match_groups(before_stories, {s.story_id: s.articles for s in listed})
    event_names, event_changes = match_groups(
        before_events, {e.event_id: e.articles for s in listed for e in s.events}
    )

    def rename(event: Event) -> Event:
        return replace(event, event_id=event_names[event.event_id])

    renamed = tuple(
        replace(s, story_id=names[s.story_id], events=tuple(rename(e) for e in s.events))
        for s in listed
    )
    return renamed, [*changes, *event_changes]


def agreement(before: Groups, after: Groups) -> float:
    """Share of the articles of both runs whose group keeps its name."""
    home = {a: name for name, articles in before.items() for a in articles}
    same = [home[a] == name for name, articles in after.items() for a in articles if a in home]
    return float(np.mean(same)) if same else 1.0
