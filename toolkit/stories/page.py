"""A self-contained page of one story: timeline, tree of reprints, figures, texts, edits.

Everything is inline and escaped; the page asks the network for nothing and carries a
content security policy that would refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jinja2

from toolkit.io import write_text
from toolkit.matching.alignment import Mapped, common_runs, mapped
from toolkit.model import Article, Story
from toolkit.stories.cluster import StoriesResult
from toolkit.stories.explain import why
from toolkit.stories.facts import figures
from toolkit.stories.spread import Reprint, Spread, outlet_of, spread

#: texts and edits are shown for the first articles only; the others are listed
MOST_TEXTS = 60
WIDTH, ROW = 900, 22
Pieces = list[tuple[str, str]]


@dataclass(frozen=True)
class Dot:
    """One article on the timeline."""

    x: float
    y: float
    label: str
    article: str
    kind: str


def write_story_page(result: StoriesResult, story: Story, path: str | Path) -> None:
    """Write the page of one story (see ``story_page``)."""
    write_text(path, story_page(result, story))


def write_story_pages(
    result: StoriesResult, folder: str | Path, smallest: int = 2, most: int = 200
) -> list[Path]:
    """Pages of the largest stories of at least ``smallest`` articles."""
    chosen = [s for s in result.stories if len(s.articles) >= smallest]
    chosen.sort(key=lambda s: (-len(s.articles), s.story_id))
    paths = []
    for story in chosen[:most]:
        path = Path(folder) / f"{story.story_id}.html"
        write_story_page(result, story, path)
        paths.append(path)
    return paths


def story_page(result: StoriesResult, story: Story) -> str:
    """The page as HTML."""
    told = spread(result, story)
    articles = [result.articles[result.index[a]] for a in story.articles]
    heads = {e.representative for e in story.events}
    numbers = {a: k for k, e in enumerate(story.events, 1) for a in e.articles}
    parents = {r.article: r for r in told.tree}
    cards = [
        _card(result, a, parents[a.id], numbers[a.id], a.id in heads) for a in articles[:MOST_TEXTS]
    ]
    dots, ticks, height = _timeline(articles, heads, parents)
    main = result.articles[result.index[story.representative]]
    return _template().render(
        story=story, title=main.title, spread=told, cards=cards, dots=dots, ticks=ticks,
        height=height, width=WIDTH, rest=len(articles) - len(cards),
        tree=_tree(told, result), reasons=why(result, story.story_id),
        titles={a.id: a.title for a in articles},
    )  # fmt: skip


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("toolkit.stories", "templates"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    return environment.get_template("story.html")


def safe_url(url: str | None) -> str | None:
    """An http(s) address, None for anything else (``javascript:`` and the like)."""
    if not url:
        return None
    try:
        return url if urlsplit(url.strip()).scheme.lower() in ("http", "https") else None
    except ValueError:
        return None


def _card(
    result: StoriesResult, article: Article, edge: Reprint, event: int, head: bool
) -> dict[str, Any]:
    pieces: Pieces
    removed: list[str] = []
    if edge.parent is not None:
        parent = result.articles[result.index[edge.parent]]
        pieces, removed = show_edits(parent.body, article.body)
    else:
        pieces = show_figures(article)
    return {
        "id": article.id, "title": article.title, "outlet": outlet_of(article),
        "time": article.published.strftime("%Y-%m-%d %H:%M") if article.published else "?",
        "url": safe_url(article.url), "event": event, "head": head, "parent": edge.parent,
        "by": edge.by, "outside": edge.outside, "pieces": pieces, "removed": removed,
    }  # fmt: skip


def show_edits(before: str, after: str) -> tuple[Pieces, list[str]]:
    """(pieces of ``after`` as ("same" | "new", text), stretches of ``before`` left out)."""
    a, b = mapped(before), mapped(after)
    runs = common_runs(a.text, b.text)
    kept_b = _original(b, [(r.b_start, r.b_start + r.length) for r in runs])
    kept_a = _original(a, [(r.a_start, r.a_start + r.length) for r in runs])
    pieces = _cut(after, kept_b, "same", "new")
    removed = [text.strip() for kind, text in _cut(before, kept_a, "same", "gone")
               if kind == "gone" and len(text.strip()) > 1]  # fmt: skip
    return pieces, removed


def _original(text: Mapped, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found = [text.span(low, high) for low, high in spans]
    return sorted((s.start, s.end) for s in found)


def _cut(text: str, spans: Sequence[tuple[int, int]], inside: str, outside: str) -> Pieces:
    pieces: Pieces = []
    place = 0
    for low, high in spans:
        low = max(low, place)
        if low > place:
            pieces.append((outside, text[place:low]))
        if high > low:
            pieces.append((inside, text[low:high]))
            place = high
    if place < len(text):
        pieces.append((outside, text[place:]))
    # marks and line breaks alone are not worth a mark
    return [(inside if kind == outside and not any(c.isalnum() for c in part) else kind, part)
            for kind, part in pieces]  # fmt: skip


def show_figures(article: Article) -> Pieces:
    """The body with its figures marked."""
    shift = len(article.title) + 1
    spans = [(f.start - shift, f.end - shift) for f in figures(article) if f.start >= shift]
    return _cut(article.body, sorted(spans), "figure", "same")


def _timeline(
    articles: Sequence[Article], heads: set[str], parents: dict[str, Reprint]
) -> tuple[list[Dot], list[tuple[float, str]], int]:
    dated = [a for a in articles if a.published is not None]
    if not dated:
        return [], [], 0
    times = [a.published for a in dated if a.published is not None]
    first, last = times[0], max(times)
    length = max((last - first).total_seconds(), 1.0)
    lanes: list[float] = []
    dots = []
    for a in dated[:400]:
        assert a.published is not None
        x = 20 + (WIDTH - 40) * (a.published - first).total_seconds() / length
        lane = next((k for k, end in enumerate(lanes) if end < x - 12), len(lanes))
        if lane == len(lanes):
            lanes.append(x)
        lanes[lane] = x
        kind = "head" if a.id in heads else "copy" if parents[a.id].parent else "own"
        label = f"{a.published:%Y-%m-%d %H:%M} {outlet_of(a)}: {a.title}"
        dots.append(Dot(round(x, 1), 20 + lane * ROW * 0.6, label, a.id, kind))
    ticks = [(20 + (WIDTH - 40) * k / 4, _tick(first + (last - first) * k / 4)) for k in range(5)]
    return dots, ticks, int(60 + len(lanes) * ROW * 0.6)


def _tick(moment: datetime) -> str:
    return moment.strftime("%m-%d %H:%M")


def _tree(told: Spread, result: StoriesResult) -> list[dict[str, Any]]:
    """The forest of reprints as a list with depths, parents before children."""
    children: dict[str | None, list[Reprint]] = {}
    for edge in told.tree:
        children.setdefault(edge.parent, []).append(edge)
    rows: list[dict[str, Any]] = []
    stack = [(edge, 0) for edge in reversed(children.get(None, []))]
    while stack:
        edge, depth = stack.pop()
        a = result.articles[result.index[edge.article]]
        rows.append({"depth": min(depth, 20), "article": a.id, "title": a.title,
                     "outlet": outlet_of(a), "by": edge.by, "outside": edge.outside})  # fmt: skip
        stack.extend((e, depth + 1) for e in reversed(children.get(edge.article, [])))
    return rows
