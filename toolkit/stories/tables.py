"""Tables and graphs of a result: CSV, Parquet and GraphML."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from toolkit.errors import MissingExtra
from toolkit.io import atomic_writer, write_text
from toolkit.model import RELATIONS
from toolkit.stories.cluster import StoriesResult
from toolkit.stories.pairs import evidence_id
from toolkit.stories.representative import host

#: characters XML 1.0 cannot hold
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: a spreadsheet would run a cell that starts like this as a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

COLUMNS: dict[str, dict[str, str]] = {
    "articles": {
        "id": "string", "story_id": "string", "event_id": "string", "copy_cluster": "int64",
        "origin": "string", "representative": "bool", "title": "string", "url": "string",
        "host": "string", "source": "string", "published": "string",
    },
    "edges": {
        "a": "string", "b": "string", "relation": "string", "score": "float64",
        "outcome": "string", "same_event": "bool", "same_story": "bool", "evidence": "string",
    },
    "stories": {
        "story_id": "string", "articles": "int64", "events": "int64", "independent": "int64",
        "representative": "string", "title": "string", "first": "string", "last": "string",
    },
}  # fmt: skip


def article_rows(result: StoriesResult) -> Iterator[dict[str, Any]]:
    """One row per article."""
    for story in result.stories:
        for event in story.events:
            for identifier in event.articles:
                i = result.index[identifier]
                a = result.articles[i]
                yield {
                    "id": identifier, "story_id": story.story_id, "event_id": event.event_id,
                    "copy_cluster": int(result.levels.copies[i]),
                    "origin": result.origins.get(identifier, identifier),
                    "representative": identifier == event.representative, "title": a.title,
                    "url": a.url, "host": host(a), "source": a.source,
                    "published": a.published.isoformat() if a.published else None,
                }  # fmt: skip


def edge_rows(result: StoriesResult) -> Iterator[dict[str, Any]]:
    """One row per pair decided duplicate or same story."""
    decided = result.decided
    rows = np.flatnonzero(decided.duplicate | decided.same_story)
    levels = result.levels
    for row in rows.tolist():
        i, j = (int(k) for k in decided.pairs[row])
        a, b = result.articles[i].id, result.articles[j].id
        yield {
            "a": a, "b": b, "relation": RELATIONS[int(decided.relation[row])],
            "score": float(decided.score[row]),
            "outcome": "duplicate" if decided.duplicate[row] else "different",
            "same_event": bool(levels.events[i] == levels.events[j]),
            "same_story": bool(levels.stories[i] == levels.stories[j]),
            "evidence": evidence_id(a, b, decided.method),
        }  # fmt: skip


def story_rows(result: StoriesResult) -> Iterator[dict[str, Any]]:
    """One row per story."""
    for story in result.stories:
        members = [result.articles[result.index[a]] for a in story.articles]
        times = sorted(m.published for m in members if m.published is not None)
        copies = {int(result.levels.copies[result.index[a]]) for a in story.articles}
        yield {
            "story_id": story.story_id, "articles": len(members), "events": len(story.events),
            "independent": len(copies), "representative": story.representative,
            "title": result.articles[result.index[story.representative]].title,
            "first": times[0].isoformat() if times else None,
            "last": times[-1].isoformat() if times else None,
        }  # fmt: skip


_ROWS = {"articles": article_rows, "edges": edge_rows, "stories": story_rows}


def write_tables(
    result: StoriesResult, folder: str | Path, formats: Iterable[str] = ("csv",)
) -> list[Path]:
    """Write articles, edges and stories as tables.

    Args:
        result, folder: what to write, and where.
        formats: any of "csv", "parquet" (extra ``tables``), "graphml".

    Raises:
        MissingExtra: Parquet without pyarrow.
        ValueError: an unknown format.
    """
    written = []
    base = Path(folder)
    for form in formats:
        if form == "graphml":
            path = base / "stories.graphml"
            write_graphml(result, path)
            written.append(path)
            continue
        if form not in ("csv", "parquet"):
            raise ValueError(f"unknown format {form}; known: csv, parquet, graphml")
        for name, rows in _ROWS.items():
            path = base / f"{name}.{form}"
            (_csv if form == "csv" else _parquet)(path, COLUMNS[name], rows(result))
            written.append(path)
    return written


def _csv(path: Path, columns: dict[str, str], rows: Iterable[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in columns])
    write_text(path, "\ufeff" + text.getvalue())  # the mark tells spreadsheets that it is UTF-8


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value


def _parquet(path: Path, columns: dict[str, str], rows: Iterable[dict[str, Any]]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra("Parquet tables", "tables") from None
    types = {
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    table = pa.Table.from_pylist(list(rows), schema=schema)
    with atomic_writer(path) as handle:
        pq.write_table(table, handle)


def write_graphml(result: StoriesResult, path: str | Path) -> None:
    """All stories of two or more articles as one GraphML file."""
    whole = nx.Graph()
    for story in result.stories:
        if len(story.articles) > 1:
            graph = result.graph(story)
            nx.set_node_attributes(graph, story.story_id, "story")
            whole.update(graph)
    whole.graph.clear()
    for _, data in whole.nodes(data=True):
        for key, value in data.items():
            if isinstance(value, str):
                data[key] = _NOT_XML.sub("\ufffd", value)
    names = {n: _NOT_XML.sub("\ufffd", n) for n in whole if _NOT_XML.search(n)}
    if names:
        whole = nx.relabel_nodes(whole, names)
    with atomic_writer(path) as handle:
        nx.write_graphml(whole, handle)
