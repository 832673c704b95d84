"""The embedded store: one SQLite file in WAL mode, one writer and many readers.

Tables: ``articles`` (every article that arrived, with its decision), ``postings``
(fingerprint key -> articles; a 64-bit key stands for an LSH band, an anchor, a page
or a short text), ``pairs`` (every compared pair), ``urls`` (fetch keys), ``groups``
and ``changes`` (stories of the last run and what changed), ``meta``.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from toolkit.config import CopiesConfig
from toolkit.errors import UserError

VERSION = 1
APPLICATION = 0x6E657773  # "news"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE articles (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, row BLOB NOT NULL, page_key TEXT,
  anchors INTEGER NOT NULL, decision TEXT NOT NULL, of INTEGER, relation TEXT,
  score REAL NOT NULL, story TEXT NOT NULL);
CREATE TABLE postings (key INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (key, n))
  WITHOUT ROWID;
CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, score REAL NOT NULL,
  outcome INTEGER NOT NULL, relation INTEGER NOT NULL, PRIMARY KEY (b, a)) WITHOUT ROWID;
CREATE TABLE urls (key TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
CREATE TABLE groups (level TEXT NOT NULL, name TEXT NOT NULL, article TEXT NOT NULL,
  PRIMARY KEY (level, article)) WITHOUT ROWID;
CREATE TABLE changes (number INTEGER PRIMARY KEY, run INTEGER NOT NULL, row TEXT NOT NULL);
"""


def settings_name(settings: CopiesConfig) -> str:
    """What a store's fingerprints depend on; stores of different names do not mix."""
    return (
        f"copies {settings.bands}x{settings.rows} shingle {settings.shingle} seed {settings.seed}"
    )


def open_store(
    path: str | Path,
    settings: CopiesConfig | None = None,
    write: bool = False,
    wait: float = 5.0,
) -> sqlite3.Connection:
    """Open (for writing: create) a store.

    Args:
        path: the file.
        settings: the fingerprint settings it must have been made with.
        write: open for writing; readers never block the writer nor each other.
        wait: seconds to wait for another writer.

    Raises:
        UserError: no such store, not a store, another version or other settings, or
            another process is writing.
    """
    target = Path(path)
    if not write and not target.is_file():
        raise UserError(
            f"{path}: no such store; make one with: toolkit add ARTICLES --store {path}"
        )
    if write and not target.parent.is_dir():
        raise UserError(f"{path}: its folder does not exist; create it first")
    connection = None
    try:
        if write:
            connection = sqlite3.connect(target, timeout=wait, isolation_level=None)
        else:
            uri = f"{target.resolve().as_uri()}?mode=ro"
            connection = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)
        _prepare(connection, path, settings, write)
        return connection
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise translated(error, path) from None
    except UserError:
        if connection is not None:
            connection.close()
        raise


def translated(error: sqlite3.Error, path: str | Path) -> UserError:
    """A database error as one line a user can act on."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return UserError(f"{path}: another process is writing to this store; try again later")
    if "not a database" in text or "malformed" in text:
        return UserError(f"{path}: is not a store or is damaged ({text}); give another file")
    if "full" in text or "disk I/O" in text:
        return UserError(f"{path}: cannot be written ({text}); check the space on the disk")
    return UserError(f"{path}: cannot be used as a store ({text}); check the path")


def _prepare(
    connection: sqlite3.Connection, path: str | Path, settings: CopiesConfig | None, write: bool
) -> None:
    def pragma(name: str) -> int:
        return int(connection.execute(f"PRAGMA {name}").fetchone()[0])

    if write:
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        connection.execute("PRAGMA cache_size = -262144")
    connection.execute("PRAGMA mmap_size = 1073741824")
    if pragma("application_id") == 0 and write:
        connection.execute("BEGIN IMMEDIATE")
        empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if empty:
            for statement in _SCHEMA.split(";"):
                if statement.strip():
                    connection.execute(statement)
            name = settings_name(settings or CopiesConfig())
            connection.execute("INSERT INTO meta VALUES ('settings', ?)", (name,))
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    if pragma("application_id") != APPLICATION:
        raise UserError(f"{path}: is a database but not a store of this toolkit; give another file")
    version = pragma("user_version")
    if version != VERSION:
        raise UserError(
            f"{path}: is a store of version {version}, this toolkit reads version {VERSION}; "
            "add its articles again to a new store"
        )
    if settings is not None:
        row = connection.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()
        if row[0] != settings_name(settings):
            raise UserError(
                f"{path}: was made with '{row[0]}', this run asks for "
                f"'{settings_name(settings)}'; use the same settings or a new store"
            )
