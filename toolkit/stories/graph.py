"""The networkx graph of a story, and bridges in the closure of the pair decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import numpy.typing as npt

from toolkit.model import RELATIONS, Story
from toolkit.stories.pairs import evidence_id

if TYPE_CHECKING:
    from toolkit.stories.cluster import StoriesResult

#: closure components larger than this are not searched for bridges (time, memory)
MAX_COMPONENT = 5_000
MAX_EDGES = 400_000


def story_graph(result: StoriesResult, story: Story) -> nx.Graph:
    """Articles of one story as nodes, decided pairs as typed edges.

    Node attributes: ``title``, ``event``, ``copies`` (number of its copy cluster),
    ``published``, ``source``. Edge attributes: ``relation``, ``score``, ``evidence``
    (id of the pair's evidence), ``kept`` (both ends are in one event).
    """
    graph = nx.Graph(story_id=story.story_id)
    for event in story.events:
        for identifier in event.articles:
            i = result.index[identifier]
            article = result.articles[i]
            graph.add_node(
                identifier,
                title=article.title,
                event=event.event_id,
                copies=int(result.levels.copies[i]),
                published=article.published.isoformat() if article.published else "",
                source=article.source or "",
                representative=identifier == event.representative,
            )
    decided = result.decided
    positive = decided.duplicate | decided.same_story
    rows = result.pairs_in(story)
    for row in rows[positive[rows]].tolist():
        i, j = (int(k) for k in decided.pairs[row])
        a, b = result.articles[i].id, result.articles[j].id
        graph.add_edge(
            a, b,
            relation=RELATIONS[int(decided.relation[row])],
            score=float(decided.score[row]),
            evidence=evidence_id(a, b, decided.method),
            kept=bool(result.levels.events[i] == result.levels.events[j]),
        )  # fmt: skip
    return graph


def bridge_report(
    pairs: npt.NDArray[np.int32],
    closure: npt.NDArray[np.int64],
    refused: npt.NDArray[np.bool_],
) -> set[int]:
    """Which refused pairs were bridges: without them the closure falls apart.

    Args:
        pairs: duplicate pairs, shape (m, 2).
        closure: closure label of every article.
        refused: pairs between two events, shape (m,).

    Returns:
        set of int: rows of ``pairs``. Components above ``MAX_COMPONENT`` articles are
        left out (their cohesion says enough), as is all beyond ``MAX_EDGES`` pairs.
    """
    if not refused.any():
        return set()
    sizes = np.bincount(closure)
    label = closure[pairs[:, 0]]
    wanted = np.unique(label[refused])
    wanted = wanted[sizes[wanted] <= MAX_COMPONENT]
    rows = np.flatnonzero(np.isin(label, wanted))
    if not len(rows) or len(rows) > MAX_EDGES:
        return set()
    graph = nx.Graph()
    graph.add_edges_from(pairs[rows].tolist())
    cut = {(min(u, v), max(u, v)) for u, v in nx.bridges(graph)}
    return {r for r in np.flatnonzero(refused).tolist()
            if (min(pairs[r].tolist()), max(pairs[r].tolist())) in cut}  # fmt: skip


def articulation_articles(graph: nx.Graph) -> list[str]:
    """Articles of a story graph without which it would fall apart, sorted."""
    return sorted(nx.articulation_points(graph))
