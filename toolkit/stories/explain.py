"""``toolkit stories --why ID``: the recorded reasons of a story, told in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toolkit.model import RELATIONS, Event
from toolkit.stories.graph import articulation_articles

if TYPE_CHECKING:
    from toolkit.stories.cluster import StoriesResult


def cohesion(result: StoriesResult, event: Event) -> tuple[int, int, float, float]:
    """(pairs decided duplicate, all pairs, minimum, mean score of the former)."""
    size = len(event.articles)
    total = size * (size - 1) // 2
    story = result.stories[result.place[event.articles[0]][0]]
    rows = result.pairs_in(story)
    label = result.levels.events[result.index[event.articles[0]]]
    pairs = result.decided.pairs[rows]
    inside = (result.levels.events[pairs] == label).all(axis=1)
    rows = rows[inside & result.decided.duplicate[rows]]
    if not len(rows):
        return 0, total, 0.0, 0.0
    scores = result.decided.score[rows]
    return len(rows), total, float(scores.min()), float(scores.mean())


def why(result: StoriesResult, identifier: str) -> list[str]:
    """Sentences about one article, event or story (see ``StoriesResult.why``)."""
    story, event = result.find(identifier)
    lines: list[str] = []
    if identifier in result.place and event is not None:
        lines.append(f"{identifier} is in event {event.event_id} of story {story.story_id}")
        lines.extend(_joins(result, identifier))
        origin = result.origins.get(identifier)
        if origin and origin != identifier:
            lines.append(f"its text comes from {origin}")
        signal = result.signals.get(identifier)
        if signal and signal.named:
            lines.append(f"it names {signal.named} as its source ({signal.by})")
    for one in [event] if event is not None else story.events:
        lines.append(
            f"event {one.event_id}: {len(one.articles)} articles, representative "
            f"{one.representative} ({one.reason})"
        )
        if len(one.articles) > 1:
            count, total, least, mean = cohesion(result, one)
            lines.append(
                f"  cohesion: {count} of {total} pairs decided duplicate, "
                f"score at least {least:.3f}, mean {mean:.3f}"
            )
        names = {one.event_id}
        for refusal in result.refusals:
            if names & {refusal.first, refusal.second}:
                lines.append("  " + refusal.sentence(result.config))
    if event is None and len(story.articles) > 2:
        cut = articulation_articles(result.graph(story))
        if cut:
            lines.append(f"articles that alone hold parts together: {', '.join(cut[:10])}")
    return lines


def _joins(result: StoriesResult, identifier: str) -> list[str]:
    i = result.index[identifier]
    decided = result.decided
    rows = np.flatnonzero((decided.pairs == i).any(axis=1) & decided.duplicate)
    lines = []
    for row in sorted(rows.tolist(), key=lambda r: -decided.score[r])[:8]:
        j = int(decided.pairs[row].sum()) - i
        same = result.levels.events[i] == result.levels.events[j]
        lines.append(
            f"  {'joined to' if same else 'kept apart from'} {result.articles[j].id}: "
            f"{RELATIONS[int(decided.relation[row])]}, score {decided.score[row]:.3f}"
        )
    if not lines:
        lines.append("  no pair with it was decided duplicate")
    return lines
