"""The one place that reads documents and writes results.

Documents are JSON Lines (UTF-8, ``.gz`` read as is, ``-`` is stdin). A bad row is
counted and listed as skipped with its reason; it never loses the others. Files are
written under a temporary name and renamed, so nothing on disk is half-written.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import IO, Any

import orjson

from toolkit.errors import UserError
from toolkit.model import Article, Skipped

CHINA_TIME = timezone(timedelta(hours=8))
FIRST_YEAR, LAST_YEAR = 1800, 2200
_TEXT_FIELDS = ("url", "canonical_url", "source", "author", "section", "language")
_TIME_FIELDS = ("published", "modified", "fetched")
_KNOWN = {"id", "title", "body", *_TEXT_FIELDS, *_TIME_FIELDS}


@dataclass
class Documents:
    """Articles read from one file, with what was left out and why."""

    articles: list[Article] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def parse_time(value: Any) -> tuple[datetime | None, str | None]:
    """Read an ISO 8601 time; no zone means China time.

    Returns:
        (aware datetime or None, precision "minute" or "day" or None).

    Raises:
        ValueError: the value is not None and cannot be read.
    """
    if value is None or value == "":
        return None, None
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}")
    text = value.strip()
    try:
        if len(text) <= 10:
            day = date.fromisoformat(text)
            return _in_range(datetime.combine(day, time(), CHINA_TIME), value), "day"
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"not an ISO 8601 time: {value!r}") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=CHINA_TIME)
    return _in_range(moment, value), "minute"


def _in_range(moment: datetime, value: str) -> datetime:
    """News has a date near ours; year 1 or 9999 is a placeholder, not a time."""
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"out of range {FIRST_YEAR} to {LAST_YEAR}: {value!r}")
    return moment


def article_from_row(row: Any, where: str, warnings: list[str]) -> Article:
    """Make an Article of one JSON row.

    Raises:
        ValueError: the row has no usable id, or title and body are both missing.
    """
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    identifier = row.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if not isinstance(identifier, str) or not identifier.strip():
        raise ValueError("no id (a non-empty string is needed)")
    if _without_surrogates(identifier) != identifier:
        raise ValueError("id holds a lone surrogate, which cannot be written as UTF-8")
    texts: dict[str, str] = {}
    for name in ("title", "body"):
        value = row.get(name)
        if value is None:
            value = ""
        if not isinstance(value, str):
            raise ValueError(f"{name} is not a string")
        texts[name] = _without_surrogates(value)
    if not texts["title"].strip() and not texts["body"].strip():
        raise ValueError("title and body are both empty")
    values: dict[str, Any] = {}
    for name in _TEXT_FIELDS:
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            warnings.append(f"{where}: {name} is not a string; read as null")
            value = None
        values[name] = value or None
    for name in _TIME_FIELDS:
        try:
            values[name], precision = parse_time(row.get(name))
        except ValueError as error:
            warnings.append(f"{where}: {name} {error}; read as null")
            values[name], precision = None, None
        if name == "published":
            values["published_precision"] = precision
    extra = {k: v for k, v in row.items() if k not in _KNOWN}
    return Article(id=identifier, title=texts["title"], body=texts["body"], **values, extra=extra)


def _without_surrogates(text: str) -> str:
    """Lone surrogates (from bad JSON escapes) cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@contextmanager
def open_binary(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file, a gzip file (by content) or stdin (``-``) for reading bytes."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        handle = open(path, "rb")  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder; give a JSON Lines file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    with handle:
        if handle.read(2) == b"\x1f\x8b":
            handle.seek(0)
            with gzip.open(handle) as unzipped:
                yield unzipped  # type: ignore[misc]
        else:
            handle.seek(0)
            yield handle


def iter_rows(path: str | Path, skipped: list[Skipped]) -> Iterator[tuple[str, Any]]:
    """Yield (where, JSON value) of each row; unreadable rows go to ``skipped``."""
    number = 0
    with open_binary(path) as handle:
        lines = iter(handle)
        while True:
            number += 1
            where = f"{path}:{number}"
            try:
                line = next(lines)
            except StopIteration:
                return
            except (EOFError, OSError, zlib.error) as error:
                skipped.append(Skipped(where, f"compressed file breaks off here ({error})"))
                return
            if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                line = line[3:]
            if not line.strip():
                continue
            try:
                yield where, orjson.loads(line)
            except orjson.JSONDecodeError:
                try:  # orjson refuses lone surrogate escapes and NaN; json reads the former
                    yield where, json.loads(line.decode("utf-8"))
                except UnicodeDecodeError:
                    skipped.append(Skipped(where, "not UTF-8"))
                except (ValueError, RecursionError) as error:
                    skipped.append(Skipped(where, f"not JSON ({error})"))


def iter_articles(
    path: str | Path, skipped: list[Skipped], warnings: list[str]
) -> Iterator[Article]:
    """Stream articles; a second row with a known id is skipped and listed."""
    seen: set[str] = set()
    for where, row in iter_rows(path, skipped):
        try:
            article = article_from_row(row, where, warnings)
        except ValueError as error:
            skipped.append(Skipped(where, str(error)))
            continue
        if article.id in seen:
            skipped.append(Skipped(where, f"id '{article.id}' was read before"))
            continue
        seen.add(article.id)
        yield article


def read_documents(path: str | Path) -> Documents:
    """Read a whole JSON Lines file of documents.

    Raises:
        UserError: the file cannot be opened, or not one row of it is a document.
    """
    documents = Documents()
    documents.articles.extend(iter_articles(path, documents.skipped, documents.warnings))
    if not documents.articles:
        reason = f" (first row: {documents.skipped[0].reason})" if documents.skipped else ""
        raise UserError(
            f"{path}: no documents in it{reason}; "
            "each line must be a JSON object with id, title, body"
        )
    return documents


def article_row(article: Article) -> dict[str, Any]:
    """The JSON row of an article: the fixed fields, then the extra ones."""
    row: dict[str, Any] = {"id": article.id, "title": article.title, "body": article.body}
    for name in ("url", "canonical_url", "published", "modified", "fetched"):
        value = getattr(article, name)
        if isinstance(value, datetime):
            day_only = name == "published" and article.published_precision == "day"
            value = value.date().isoformat() if day_only else value.isoformat()
        row[name] = value
    for name in ("source", "author", "section", "language"):
        row[name] = getattr(article, name)
    row.update(article.extra)
    return row


@contextmanager
def atomic_writer(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name, renamed when complete.

    ``-`` writes to stdout; a name that ends in ``.gz`` is compressed.
    """
    if str(path) == "-":
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            # what is still buffered cannot be written either, not even at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise UserError(f"stdout: cannot be written ({error.strerror})") from None
        return
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}); check the folder") from None
    try:
        with os.fdopen(descriptor, "wb") as handle:
            if target.suffix == ".gz":
                with gzip.GzipFile(fileobj=handle, mode="wb", mtime=0) as zipped:
                    yield zipped  # type: ignore[misc]
            else:
                yield handle
            handle.flush()
            os.fsync(handle.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        try:
            os.replace(name, target)
        except OSError as error:
            reason = f"{error.strerror}; give the name of a file"
            raise UserError(f"{path}: cannot be written ({reason})") from None
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise UserError(f"{path}: cannot be written ({error.strerror}); free some") from None
        raise


def dumps(value: Any) -> bytes:
    """One compact JSON line without the newline; NaN becomes null."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


def write_jsonl(path: str | Path, rows: Iterable[Any]) -> int:
    """Write JSON Lines atomically; returns the number of rows."""
    count = 0
    with atomic_writer(path) as handle:
        for row in rows:
            handle.write(dumps(row) + b"\n")
            count += 1
    return count


def write_json(path: str | Path, value: Any) -> None:
    """Write one JSON document, indented, keys in the given order."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    with atomic_writer(path) as handle:
        handle.write(orjson.dumps(value, option=option) + b"\n")


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file atomically."""
    with atomic_writer(path) as handle:
        handle.write(text.encode("utf-8"))
