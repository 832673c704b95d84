"""``toolkit add``: decide each arriving article at once, and keep everything.

A row is given out only after the transaction that holds it was committed to disk, so
what was acknowledged survives a kill at any moment. Adding a file again is harmless:
articles that are stored are answered as ``known`` with their first decision.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from toolkit.config import RunConfig
from toolkit.io import iter_articles
from toolkit.language.wrapping import with_wrapping
from toolkit.model import Article, Skipped
from toolkit.store.incremental import Decision, IncrementalCopies
from toolkit.store.schema import open_store, translated
from toolkit.store.urls import UrlSet, key_of
from toolkit.stories.pairs import id_hashes

#: articles decided in one transaction: the cost of one sync to disk is shared
BATCH = 32

Row = dict[str, Any]


class Store:
    """A store open for writing: one writer, any number of readers.

    Args:
        path: the file; made when it does not exist.
        config: sections ``copies`` and ``store``.

    Raises:
        UserError: see ``toolkit.store.schema.open_store``.
    """

    def __init__(self, path: str | Path, config: RunConfig) -> None:
        self.path = path
        self.db = open_store(path, config.copies, write=True)
        self.copies = IncrementalCopies(self.db, config)
        self.urls = UrlSet(self.db, config.store)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was not committed is forgotten."""
        self.db.close()

    def add(self, articles: Iterable[Article], batch: int = BATCH) -> Iterator[Row]:
        """Decide and store articles in order; rows come after their commit.

        Yields:
            ``{id, decision, of, relation, score, story_id}``: decision is "new",
            "duplicate" or "known" (stored before); ``of`` is the id of the closest
            earlier article, ``relation`` and ``score`` how it relates.
        """
        iterator = iter(articles)
        while chunk := list(islice(iterator, max(1, batch))):
            yield from self._commit(chunk)

    def _commit(self, articles: list[Article]) -> list[Row]:
        prints = self.copies.prints(articles)
        try:
            self.db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise translated(error, self.path) from None
        try:
            last = self.db.execute("SELECT max(n) FROM articles").fetchone()[0]
            if (-1 if last is None else last) + 1 != self.copies.next:
                self.copies.forget()  # another writer was here in between
            rows = [self._one(a, p) for a, p in zip(articles, prints, strict=True)]
            self.db.execute("COMMIT")
            return rows
        except BaseException as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            self.copies.forget()
            if isinstance(error, sqlite3.Error):
                raise translated(error, self.path) from None
            raise

    def _one(self, article: Article, prints: Any) -> Row:
        known = self.db.execute(
            "SELECT decision, of, relation, score, story FROM articles WHERE id = ?", (article.id,)
        ).fetchone()
        if known is not None:
            found = Decision("known", known[1], known[2], known[3])
            return self._row(article.id, found, known[4])
        decision, pairs, parts = self.copies.decide(article, prints)
        if decision.of is None:
            story = f"s{int(id_hashes([article.id])[0]):016x}"
        else:
            story = self.db.execute(
                "SELECT story FROM articles WHERE n = ?", (decision.of,)
            ).fetchone()[0]
        n = self.copies.insert(article, prints, decision, pairs, parts, story)
        urls = [u for u in (article.url, article.canonical_url) if u]
        if urls:
            self.urls.add_keys((key_of(u), n) for u in urls)
        return self._row(article.id, decision, story)

    def _row(self, identifier: str, decision: Decision, story: str) -> Row:
        of = None
        if decision.of is not None:
            of = self.db.execute("SELECT id FROM articles WHERE n = ?", (decision.of,)).fetchone()[
                0
            ]
        return {
            "id": identifier, "decision": decision.decision, "of": of,
            "relation": decision.relation, "score": round(decision.score, 6), "story_id": story,
        }  # fmt: skip


def add_documents(
    path: str | Path,
    store: str | Path,
    config: RunConfig,
    skipped: list[Skipped] | None = None,
    warnings: list[str] | None = None,
    batch: int = BATCH,
) -> Iterator[Row]:
    """Add a JSON Lines file of documents (``-`` is stdin) to a store.

    Args:
        path, store, config: documents, store file, settings.
        skipped, warnings: filled with what could not be read.
        batch: articles per commit; 1 answers each line as soon as it arrives.

    Yields:
        One decision row per article (see ``Store.add``), after it is on disk.

    Raises:
        UserError: the file or the store cannot be opened, read or written.
    """
    dropped: list[Skipped] = [] if skipped is None else skipped
    notes: list[str] = [] if warnings is None else warnings
    with Store(store, config) as opened:
        articles = map(with_wrapping, iter_articles(path, dropped, notes))
        yield from opened.add(articles, batch)
