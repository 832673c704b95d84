"""What a collection knows from one run to the next: an SQLite file beside the pages.

Every step is one transaction, so a run that was killed goes on where it stood. The
entries of a list and its ETag are stored together: a list is never taken as read
before its entries are safe.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import UserError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,
    etag TEXT, last_modified TEXT, fetched REAL
);
CREATE INDEX IF NOT EXISTS pages_state ON pages (state);
CREATE TABLE IF NOT EXISTS lists (
    url TEXT PRIMARY KEY, etag TEXT, last_modified TEXT, fetched REAL
);
"""


@dataclass(frozen=True, slots=True)
class Validators:
    """ETag, Last-Modified and time (seconds since 1970) of the copy at hand."""

    etag: str | None = None
    last_modified: str | None = None
    fetched: float | None = None


class State:
    """Pages by fetch key (pending, done, failed) and lists by address."""

    def __init__(self, path: str | Path) -> None:
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path), timeout=1.0)
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            with self._db:
                self._db.execute("BEGIN EXCLUSIVE")
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
        except sqlite3.OperationalError as error:
            hint = "another run uses it" if "locked" in str(error) else "check the folder"
            raise UserError(f"{path}: state cannot be opened ({error}); {hint}") from None
        except sqlite3.DatabaseError as error:
            raise UserError(
                f"{path}: is no state of a collection ({error}); move it away"
            ) from None
        except OSError as error:
            raise UserError(f"{path}: cannot be written ({error.strerror})") from None

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def page_state(self, key: str) -> str | None:
        """``pending``, ``done``, ``failed``, or None for an unknown key."""
        row = self._db.execute("SELECT state FROM pages WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def pending(self) -> Iterator[tuple[str, str]]:
        """(key, url) of pages still to fetch, in the order they were found."""
        yield from self._db.execute(
            "SELECT key, url FROM pages WHERE state = 'pending' ORDER BY rowid"
        ).fetchall()

    def counts(self) -> dict[str, int]:
        """Pages by state."""
        return dict(self._db.execute("SELECT state, count(*) FROM pages GROUP BY state"))

    def page_validators(self, key: str) -> Validators:
        """What is known of the copy of a page."""
        return self._validators("SELECT etag, last_modified, fetched FROM pages WHERE key = ?", key)

    def list_validators(self, url: str) -> Validators:
        """What is known of the copy of a list."""
        return self._validators("SELECT etag, last_modified, fetched FROM lists WHERE url = ?", url)

    def _validators(self, query: str, name: str) -> Validators:
        row = self._db.execute(query, (name,)).fetchone()
        return Validators(*row) if row else Validators()

    def store_list(
        self, url: str, validators: Validators, pages: Iterable[tuple[str, str]]
    ) -> None:
        """Store a list that was read together with the pages it brought.

        A page known before becomes pending again; the caller gives only such as
        are to be fetched.
        """
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO lists VALUES (?, ?, ?, ?)",
                (url, validators.etag, validators.last_modified, validators.fetched),
            )
            self._db.executemany(
                "INSERT INTO pages (key, url, state) VALUES (?, ?, 'pending') "
                "ON CONFLICT (key) DO UPDATE SET state = 'pending', reason = NULL",
                pages,
            )

    def finish_page(
        self, key: str, url: str, state: str, reason: str | None = None,
        validators: Validators | None = None,
    ) -> None:  # fmt: skip
        """Say how a page ended; validators replace the stored ones where given."""
        with self._db:
            self._db.execute(
                "INSERT INTO pages (key, url, state, reason) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET state = excluded.state, reason = excluded.reason",
                (key, url, state, reason),
            )
            if validators is not None:
                self._db.execute(
                    "UPDATE pages SET etag = ?, last_modified = ?, fetched = ? WHERE key = ?",
                    (validators.etag, validators.last_modified, validators.fetched, key),
                )
