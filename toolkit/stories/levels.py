"""The four nested levels of a story line, as labels of articles.

same text < copy cluster < event < story line. Each level links the groups of the one
below it; ``plain`` closure takes connected components instead (the baseline).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.config import StoriesConfig
from toolkit.stories.facts import Facts
from toolkit.stories.linkage import (
    COHESION,
    Edges,
    Ints,
    Linked,
    Units,
    components,
    contract,
    link,
)
from toolkit.stories.pairs import DecidedPairs

Mask = npt.NDArray[np.bool_]

#: an excerpt alone attaches a single text to a copy cluster (>= ATTACH_COPY) but never
#: joins two clusters (< copy_cohesion); as evidence of one event it is worth a third of a
#: reprint, so that it does not outweigh a compared pair found different
EXCERPT_COPY, ATTACH_COPY, EXCERPT_EVENT = 0.55, 0.5, 0.35


@dataclass(frozen=True)
class Levels:
    """Labels (n,) of each level, the closure of all duplicates, and what was refused.

    ``refused`` holds event labels left apart in spite of a duplicate pair between
    them, with the reason (see ``toolkit.stories.linkage.REASONS``).
    """

    same_text: Ints
    copies: Ints
    events: Ints
    stories: Ints
    closure: Ints
    refused: Linked | None


def _units(
    label: Ints, hashes: npt.NDArray[np.uint64], facts: Facts, settings: StoriesConfig
) -> Units:
    """What the groups ``label`` know: the union of their members' intervals."""
    count = int(label.max()) + 1 if len(label) else 0
    name = np.full(count, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(name, label, hashes)
    low = np.full((count, facts.low.shape[1]), np.inf)
    high = np.full((count, facts.low.shape[1]), -np.inf)
    start, end = np.full(count, np.inf), np.full(count, -np.inf)
    for column in range(facts.low.shape[1]):
        known = np.isfinite(facts.low[:, column])
        np.minimum.at(low[:, column], label[known], facts.low[known, column])
        np.maximum.at(high[:, column], label[known], facts.high[known, column])
    unknown = low == np.inf
    low[unknown], high[unknown] = -np.inf, np.inf
    dated = np.isfinite(facts.published)
    np.minimum.at(start, label[dated], facts.published[dated])
    np.maximum.at(end, label[dated], facts.published[dated])
    tolerance = facts.tolerance.copy()
    tolerance[:2] = settings.day_tolerance
    return Units(name, low, high, tolerance, start, end)


def _edges(
    label: Ints, decided: DecidedPairs, positive: Mask, considered: Mask, excerpt: float = 1.0
) -> Edges:
    """Pairs of articles as edges between groups; support = positive share of the compared.

    An excerpt counts as ``excerpt`` of a pair: a shared passage may be background.
    """
    pairs = decided.pairs[considered].astype(np.int64)
    yes = np.where(decided.excerpt, excerpt, 1.0)[considered] * positive[considered]
    strength = decided.strength
    first, second, sums = contract(
        label, pairs[:, 0], pairs[:, 1], yes, strength[considered] * yes, np.ones(len(pairs))
    )
    share, power, known = sums
    return Edges(first, second, share / known, power / known, known)


def plain_levels(n: int, decided: DecidedPairs) -> Levels:
    """Transitive closure at every level: the baseline."""
    pairs = decided.pairs.astype(np.int64)

    def closure(mask: Mask) -> Ints:
        return components(n, pairs[mask, 0], pairs[mask, 1])

    events = closure(decided.duplicate)
    stories = closure(decided.duplicate | decided.same_story)
    copies = closure(decided.copy)
    return Levels(closure(decided.same_text), copies, events, stories, events, None)


def guarded_levels(
    hashes: npt.NDArray[np.uint64],
    facts: Facts,
    decided: DecidedPairs,
    settings: StoriesConfig,
    apart: npt.NDArray[np.int32] | None = None,
) -> Levels:
    """Group articles with guards.

    Args:
        hashes: 64-bit hashes of the ids, shape (n,).
        facts: what the articles say of their occurrence.
        decided: the compared pairs.
        settings: cuts, spans and tolerance.
        apart: cannot-link pairs from elsewhere, shape (k, 2).
    """
    n = len(hashes)
    pairs = decided.pairs.astype(np.int64)
    duplicate = decided.duplicate
    closure = components(n, pairs[duplicate, 0], pairs[duplicate, 1])
    inside = closure[pairs[:, 0]] == closure[pairs[:, 1]]

    def forbidden(label: Ints) -> tuple[Ints, Ints] | None:
        if apart is None or not len(apart):
            return None
        a, b, _ = contract(label, apart[:, 0].astype(np.int64), apart[:, 1].astype(np.int64))
        return a, b

    # 1. one text: plain closure, only bounded by the publication span
    label = np.arange(n, dtype=np.int64)
    same = decided.same_text
    if same.any():
        units = _units(label, hashes, facts, settings)
        edges = _edges(label, decided, same, same)
        label = link(units, edges, 0.0, settings.copy_days, "known", contradictions=False).labels
    same_text = label
    # 2. copies: most of the compared pairs between two groups must be copies
    copy = decided.copy
    if (copy & ~same).any():
        within = components(n, pairs[copy, 0], pairs[copy, 1])
        considered = within[pairs[:, 0]] == within[pairs[:, 1]]
        units = _units(same_text, hashes, facts, settings)
        edges = _edges(same_text, decided, copy, considered, EXCERPT_COPY)
        linked = link(
            units, edges, settings.copy_cohesion, settings.copy_days, "known",
            forbidden(same_text), settings.conflicts, ATTACH_COPY,
        )  # fmt: skip
        label = linked.labels[same_text]
    copies = label
    # 3. events: copy clusters are the independent reports
    units = _units(copies, hashes, facts, settings)
    units.texts = np.bincount(contract_labels(copies, same_text), minlength=len(units))
    edges = _edges(copies, decided, duplicate, inside, EXCERPT_EVENT)
    edges = _positive(edges)
    linked = link(
        units, edges, settings.event_cohesion, settings.event_days, "all",
        forbidden(copies), settings.conflicts, settings.attach_cohesion,
    )  # fmt: skip
    events = linked.labels[copies]
    # 4. story lines: related events, and events left apart for want of cohesion only
    count = int(events.max()) + 1 if n else 0
    sizes = np.bincount(events, minlength=count).astype(np.float64)
    related = decided.same_story
    weak = linked.reason == COHESION
    first, second, sums = contract(
        np.arange(count, dtype=np.int64),
        np.concatenate([events[pairs[related, 0]], linked.first[weak]]),
        np.concatenate([events[pairs[related, 1]], linked.second[weak]]),
        np.ones(int(related.sum()) + int(weak.sum())),
    )
    stories = np.arange(count, dtype=np.int64)
    if len(first):
        share = np.minimum(1.0, sums[0] / np.minimum(sizes[first], sizes[second]))
        stories = link(
            _units(events, hashes, facts, settings),
            Edges(first, second, share, share, sums[0]),
            settings.story_cohesion, settings.story_days, "all", contradictions=False,
        ).labels  # fmt: skip
    return Levels(same_text, copies, events, stories[events], closure, linked)


def contract_labels(upper: Ints, lower: Ints) -> Ints:
    """The upper label of each lower group, shape (number of lower groups,)."""
    out = np.zeros(int(lower.max()) + 1 if len(lower) else 0, np.int64)
    out[lower] = upper
    return out


def _positive(edges: Edges) -> Edges:
    keep = edges.support > 0
    return Edges(
        edges.first[keep], edges.second[keep], edges.support[keep], edges.strength[keep],
        edges.known[keep],
    )  # fmt: skip
