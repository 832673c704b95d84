"""Stories of a store: built from the stored pairs, under ids that last."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from toolkit.config import RunConfig
from toolkit.io import article_from_row, dumps
from toolkit.matching.copy_relation import CUT
from toolkit.model import Article, Story
from toolkit.store.schema import open_store, translated
from toolkit.stories.cluster import StoriesResult, build_stories
from toolkit.stories.pairs import DecidedPairs
from toolkit.stories.stable_ids import Change, keep_ids


def stored_articles(connection: sqlite3.Connection) -> Iterator[Article]:
    """All articles in order of arrival."""
    for (row,) in connection.execute("SELECT row FROM articles ORDER BY n"):
        yield article_from_row(orjson.loads(row), "store", [])


def stored_pairs(connection: sqlite3.Connection) -> DecidedPairs:
    """All compared pairs; indices are numbers of arrival."""
    rows = connection.execute(
        "SELECT a, b, score, outcome, relation FROM pairs ORDER BY a, b"
    ).fetchall()
    table = np.array(rows, np.float64).reshape(-1, 5)
    return DecidedPairs(
        table[:, :2].astype(np.int32), table[:, 2].copy(), table[:, 3].astype(np.int8),
        table[:, 4].astype(np.int8), "copies", CUT,
    )  # fmt: skip


def stories_of_store(
    path: str | Path, config: RunConfig, save: bool = True
) -> tuple[StoriesResult, list[Change]]:
    """Group everything in a store.

    Ids are those of the last saved run wherever the articles overlap most; the changes
    (merged, split, new, gone) are returned and, with ``save``, logged in the store.

    Raises:
        UserError: the store cannot be opened.
    """
    connection = open_store(path, config.copies, write=save)
    try:
        articles = list(stored_articles(connection))
        result = build_stories(articles, stored_pairs(connection), config)
        stories, changes = keep_ids(
            result.stories, saved_groups(connection, "story"), saved_groups(connection, "event")
        )
        names = {
            old.event_id: new.event_id
            for a, b in zip(result.stories, stories, strict=True)
            for old, new in zip(a.events, b.events, strict=True)
        }
        refusals = tuple(
            replace(r, first=names[r.first], second=names[r.second]) for r in result.refusals
        )
        result = replace(result, stories=stories, refusals=refusals)
        if save:
            _save(connection, stories, changes)
        return result, changes
    except sqlite3.Error as error:
        raise translated(error, path) from None
    finally:
        connection.close()


def saved_groups(connection: sqlite3.Connection, level: str) -> dict[str, list[str]]:
    """Groups of the last saved run: name -> article ids."""
    groups: dict[str, list[str]] = {}
    for name, article in connection.execute(
        "SELECT name, article FROM groups WHERE level = ?", (level,)
    ):
        groups.setdefault(name, []).append(article)
    return groups


def saved_changes(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """The log of merges and splits, oldest first."""
    rows = connection.execute("SELECT run, row FROM changes ORDER BY number")
    return [{"run": run, **orjson.loads(row)} for run, row in rows]


def _save(
    connection: sqlite3.Connection, stories: Iterable[Story], changes: Iterable[Change]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        run = 1 + int(connection.execute("SELECT coalesce(max(run), 0) FROM changes").fetchone()[0])
        connection.execute("DELETE FROM groups")
        rows: list[tuple[str, str, str]] = []
        for story in stories:
            rows.extend(("story", story.story_id, a) for a in story.articles)
            rows.extend(("event", e.event_id, a) for e in story.events for a in e.articles)
        connection.executemany("INSERT INTO groups VALUES (?, ?, ?)", rows)
        connection.executemany(
            "INSERT INTO changes (run, row) VALUES (?, ?)",
            [(run, dumps(c.row()).decode()) for c in changes if c.kind in ("merged", "split")],
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
