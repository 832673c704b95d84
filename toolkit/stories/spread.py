"""How a story spread: who carried it when, from whom, and what figures they gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from toolkit.fingerprints.shingles import shared, shingle_set
from toolkit.language.normalise import shingle_text
from toolkit.model import Article, Story
from toolkit.stories.cluster import StoriesResult
from toolkit.stories.facts import Figure, figure_kinds, figures
from toolkit.stories.representative import Signals, host, host_outlets, same_outlet, signals

#: copy clusters above this size get no minimum-edit parents (all hang on the origin)
MOST_COMPARED = 300


@dataclass(frozen=True)
class Reprint:
    """One edge of the wire-origin tree: ``article`` has its text from ``parent``.

    ``by``: 来源, dateline, "least edits" or "origin"; ``parent`` None = a root, then
    ``outside`` may name an outlet that is not among the articles.
    """

    article: str
    parent: str | None
    by: str
    outside: str | None = None


@dataclass(frozen=True)
class FigureLine:
    """What was said of one figure, in order of time.

    ``values``: (time or None, value, article, outlet); ``verdict``: "stable",
    "update" (only grew), "conflict" (a later value is smaller, or values that cannot
    change differ).
    """

    kind: str
    label: str
    event_id: str
    values: tuple[tuple[str | None, float, str, str], ...]
    verdict: str


@dataclass(frozen=True)
class Spread:
    """The spread of one story; times are ISO 8601, lengths are hours."""

    story_id: str
    articles: int
    dated: int
    first: str | None
    last: str | None
    first_hour: int
    first_day: int
    half_life_hours: float | None
    outlets: tuple[dict[str, Any], ...]
    independent: int
    reprints: int
    tree: tuple[Reprint, ...]
    figures: tuple[FigureLine, ...]

    def row(self) -> dict[str, Any]:
        """The spread as JSON types."""
        return {
            "story_id": self.story_id, "articles": self.articles, "dated": self.dated,
            "first": self.first, "last": self.last, "first_hour": self.first_hour,
            "first_day": self.first_day, "half_life_hours": self.half_life_hours,
            "outlets": list(self.outlets), "independent": self.independent,
            "reprints": self.reprints,
            "tree": [{"article": r.article, "parent": r.parent, "by": r.by, "outside": r.outside}
                     for r in self.tree],
            "figures": [{"kind": f.kind, "label": f.label, "event_id": f.event_id,
                         "values": [list(v) for v in f.values], "verdict": f.verdict}
                        for f in self.figures],
        }  # fmt: skip


def outlet_of(article: Article, found: Signals | None = None) -> str:
    """The outlet that carried an article, as well as the row tells."""
    for name in ("outlet", "outlet_name", "site_name"):
        value = article.extra.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    if found is not None and found.named is None and article.source:
        return article.source
    return host(article) or article.source or "?"


def spread(result: StoriesResult, story: Story) -> Spread:
    """Compute the spread of one story."""
    articles = [result.articles[result.index[a]] for a in story.articles]
    hosts = host_outlets(articles)
    found = {a.id: signals(a, hosts) for a in articles}
    times = sorted(a.published for a in articles if a.published is not None)
    first = times[0] if times else None
    half = None
    if first is not None:
        middle = times[(len(times) + 1) // 2 - 1]
        half = round((middle - first) / timedelta(hours=1), 2)
    clusters: dict[int, list[Article]] = {}
    for a in articles:
        clusters.setdefault(int(result.levels.copies[result.index[a.id]]), []).append(a)
    tree: list[Reprint] = []
    for members in clusters.values():
        root = result.origins.get(members[0].id, members[0].id)
        tree.extend(reprint_tree(members, root, found))
    order = {a.id: k for k, a in enumerate(articles)}
    return Spread(
        story.story_id, len(articles), len(times),
        first.isoformat() if first else None, times[-1].isoformat() if times else None,
        _within(times, timedelta(hours=1)), _within(times, timedelta(days=1)), half,
        tuple(_outlets(articles, found)), len(clusters), len(articles) - len(clusters),
        tuple(sorted(tree, key=lambda r: order[r.article])),
        tuple(figure_lines(result, story, found)),
    )  # fmt: skip


def _within(times: Sequence[datetime], reach: timedelta) -> int:
    return sum(t - times[0] <= reach for t in times)


def _outlets(articles: Sequence[Article], found: dict[str, Signals]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for a in articles:  # in order of publication
        name = outlet_of(a, found[a.id])
        row = rows.setdefault(name, {"outlet": name, "articles": 0, "first": None, "urls": []})
        row["articles"] += 1
        if row["first"] is None and a.published is not None:
            row["first"] = a.published.isoformat()
        if a.url:
            row["urls"].append(a.url)
    return list(rows.values())


def reprint_tree(members: Sequence[Article], root: str, found: dict[str, Signals]) -> list[Reprint]:
    """The wire-origin tree of one copy cluster.

    A page that names its source hangs on the earliest page of that outlet; the others
    hang on the earlier page from which the fewest shingles were changed.
    """
    edges = []
    compare = 2 < len(members) <= MOST_COMPARED
    sets = {a.id: shingle_set(shingle_text(a.body), 5) for a in members} if compare else {}
    rank = {a.id: (a.id != root, found[a.id].time, a.id) for a in members}
    ordered = sorted(members, key=lambda a: rank[a.id])
    for position, a in enumerate(ordered):
        signal = found[a.id]
        if a.id == root:
            edges.append(Reprint(a.id, None, signal.by, signal.named))
            continue
        earlier = ordered[:position]
        named = signal.named
        sources = [
            b for b in earlier if named and any(same_outlet(named, o) for o in found[b.id].outlets)
        ]
        if sources:
            edges.append(Reprint(a.id, sources[0].id, signal.by))
        elif not compare:
            edges.append(Reprint(a.id, root, "origin", named))
        else:
            parent = min(earlier, key=lambda b: (_changed(sets[a.id], sets[b.id]), rank[b.id]))
            edges.append(Reprint(a.id, parent.id, "least edits", named))
    return edges


def _changed(a: Any, b: Any) -> int:
    return len(a) + len(b) - 2 * shared(a, b)


def figure_lines(
    result: StoriesResult, story: Story, found: dict[str, Signals]
) -> list[FigureLine]:
    """Figures of each event over time; of one text only the first carrier speaks."""
    kinds = figure_kinds()
    lines = []
    for event in story.events:
        said: dict[str, list[tuple[float, tuple[str | None, float, str, str]]]] = {}
        seen: set[tuple[str, int, float]] = set()
        for identifier in event.articles:
            i = result.index[identifier]
            article = result.articles[i]
            for kind, figure in first_of_kind(figures(article)).items():
                key = (kind, int(result.levels.copies[i]), figure.value)
                if key in seen:
                    continue
                seen.add(key)
                when = article.published.isoformat() if article.published else None
                outlet = outlet_of(article, found[identifier])
                said.setdefault(kind, []).append(
                    (found[identifier].time, (when, figure.value, identifier, outlet))
                )
        for kind, rows in said.items():
            rows.sort(key=lambda r: (r[0], r[1][2]))
            values = tuple(r[1] for r in rows)
            lines.append(FigureLine(kind, str(kinds[kind]["label"]), event.event_id, values,
                                    verdict_of(kinds[kind], [v[1] for v in values])))  # fmt: skip
    return lines


def first_of_kind(found: Sequence[Figure]) -> dict[str, Figure]:
    """The first figure of each kind: what an article says in its title or lead."""
    out: dict[str, Figure] = {}
    for figure in found:
        out.setdefault(figure.kind, figure)
    return out


def verdict_of(kind: dict[str, Any], values: Sequence[float]) -> str:
    """ "stable", "update" or "conflict" for values in order of time."""
    if len(set(values)) < 2:
        return "stable"
    if kind["growing"]:
        highest = values[0]
        for value in values[1:]:
            if value < highest:
                return "conflict"
            highest = value
        return "update"
    tolerance = kind.get("tolerance")
    if tolerance is None:
        return "update"
    return "conflict" if max(values) - min(values) > tolerance else "stable"
