"""Where pages come from: folders, single files, JSON Lines, WARC.

Every kind yields the same ``PageInput``. What cannot be read is listed as skipped
with its reason and never stops the run.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from toolkit.errors import MissingExtra, UserError
from toolkit.io import iter_rows, open_binary, parse_time
from toolkit.model import Skipped

HTML_SUFFIXES = frozenset({".html", ".htm", ".shtml", ".xhtml", ".shtm", ".jhtml", ".dhtml"})
JSONL_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json"})
#: Bytes of one page that are read; the parser's own limit is lower.
MAX_BYTES = 64 * 1024 * 1024
MANIFESTS = ("urls.tsv", "pages.jsonl")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)


@dataclass(frozen=True, slots=True)
class PageInput:
    """One page to be read. ``page`` is its path below the folder, or its address."""

    page: str
    html: bytes | str
    url: str | None = None
    fetched: datetime | None = None
    identifier: str | None = None
    charset: str | None = None


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What a manifest says about a page."""

    url: str | None
    fetched: datetime | None
    identifier: str | None


def kind_of(path: Path) -> str:
    """ "folder", "warc", "jsonl" or "html".

    Raises:
        UserError: there is nothing at ``path``.
    """
    if path.is_dir():
        return "folder"
    if not path.exists():
        raise UserError(f"{path}: no such file or folder; check the path")
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".warc"):
        return "warc"
    return "jsonl" if Path(name).suffix in JSONL_SUFFIXES else "html"


def count_inputs(path: Path) -> int | None:
    """The number of pages if it can be told without reading them (for progress)."""
    return sum(1 for _ in _files(path)) if path.is_dir() else None


def iter_inputs(path: Path, skipped: list[Skipped]) -> Iterator[PageInput]:
    """Every page at ``path``, in a fixed order.

    Args:
        path: a folder (searched recursively), an HTML file, JSON Lines of
            ``{url, html, fetched}`` or a WARC file.
        skipped: gets what could not be read.

    Raises:
        UserError: nothing is there, or a folder holds no page.
    """
    kind = kind_of(path)
    if kind == "folder":
        yield from _folder(path, skipped)
    elif kind == "warc":
        yield from _warc(path, path.name, skipped)
    elif kind == "jsonl":
        yield from _jsonl(path, path.name, skipped)
    else:
        manifest = read_manifest(path.parent, skipped)
        yield from _file(path, path.name, manifest, skipped)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            bare = name.lower().removesuffix(".gz")
            if name.startswith(".") or name in MANIFESTS:
                continue
            if Path(bare).suffix in HTML_SUFFIXES or bare.endswith(".warc"):
                yield Path(folder) / name


def _folder(root: Path, skipped: list[Skipped]) -> Iterator[PageInput]:
    manifest = read_manifest(root, skipped)
    empty = True
    for file in _files(root):
        empty = False
        page = file.relative_to(root).as_posix()
        if file.name.lower().removesuffix(".gz").endswith(".warc"):
            yield from _warc(file, page, skipped)
        else:
            yield from _file(file, page, manifest, skipped)
    if empty:
        raise UserError(
            f"{root}: no pages in it; looked for {', '.join(sorted(HTML_SUFFIXES))} and .warc files"
        )


def _file(
    file: Path, page: str, manifest: dict[str, ManifestEntry], skipped: list[Skipped]
) -> Iterator[PageInput]:
    try:
        with open_binary(file) as handle:
            data = handle.read(MAX_BYTES)
    except (UserError, OSError, EOFError, gzip.BadGzipFile) as error:
        skipped.append(Skipped(page, str(error)))
        return
    entry = manifest.get(page) or manifest.get(Path(page).name)
    if entry is None:
        yield PageInput(page, data)
    else:
        yield PageInput(page, data, entry.url, entry.fetched, entry.identifier)


def read_manifest(folder: Path, skipped: list[Skipped]) -> dict[str, ManifestEntry]:
    """``urls.tsv`` (page, url, fetched, id; header line) or JSON Lines of the same.

    The latter is ``pages.jsonl`` in the folder, or ``NAME.jsonl`` beside a folder NAME.
    """
    entries: dict[str, ManifestEntry] = {}
    table = folder / "urls.tsv"
    if table.is_file():
        lines = table.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        header = [h.strip().lower() for h in lines[0].split("\t")] if lines else []
        if "page" not in header or "url" not in header:
            raise UserError(f"{table}: the first line must name the columns page, url, fetched")
        for number, line in enumerate(lines[1:], start=2):
            if line.strip():
                row = dict(zip(header, (c.strip() for c in line.split("\t")), strict=False))
                _entry(row, f"{table.name}:{number}", entries, skipped)
    for rows in (folder / "pages.jsonl", folder.parent / f"{folder.name}.jsonl"):
        if not rows.is_file():
            continue
        for where, row in iter_rows(rows, skipped):
            if isinstance(row, dict):
                _entry(row, where, entries, skipped)
    return entries


def _entry(
    row: dict[str, Any], where: str, entries: dict[str, ManifestEntry], skipped: list[Skipped]
) -> None:
    page = row.get("page")
    if not isinstance(page, str) or not page:
        skipped.append(Skipped(where, "no page in this line of the manifest"))
        return
    fetched = _time(row.get("fetched"), where, skipped)
    url, identifier = row.get("url"), row.get("id")
    entries[page] = ManifestEntry(
        url if isinstance(url, str) and url else None,
        fetched,
        identifier if isinstance(identifier, str) and identifier else None,
    )


def _time(value: Any, where: str, skipped: list[Skipped]) -> datetime | None:
    try:
        return parse_time(value)[0]
    except ValueError as error:
        skipped.append(Skipped(where, f"fetched {error}; page read without it"))
        return None


def _jsonl(path: Path, name: str, skipped: list[Skipped]) -> Iterator[PageInput]:
    number = 0
    for where, row in iter_rows(path, skipped):
        number += 1
        html = row.get("html") if isinstance(row, dict) else None
        if not isinstance(html, str):
            skipped.append(Skipped(where, "no html (a row needs url, html, fetched)"))
            continue
        url = row.get("url") if isinstance(row.get("url"), str) else None
        identifier = row.get("id")
        page = row.get("page") or url or f"{name}:{number}"
        yield PageInput(
            str(page),
            html,
            url or None,
            _time(row.get("fetched"), where, skipped),
            str(identifier) if isinstance(identifier, str | int) else None,
        )


def _warc(path: Path, name: str, skipped: list[Skipped]) -> Iterator[PageInput]:
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed
    except ImportError:
        raise MissingExtra("reading WARC files", "collect") from None
    number = 0
    with open(path, "rb") as handle:
        records = ArchiveIterator(handle)
        while True:
            try:
                record = next(records)
                number += 1
                if record.rec_type not in ("response", "resource"):
                    continue
                page = _record(record, f"{name}:{number}", skipped)
            except StopIteration:
                if number == 0:
                    skipped.append(Skipped(name, "no WARC records in it; it may be cut off"))
                return
            except (ArchiveLoadFailed, OSError, EOFError, ValueError) as error:
                skipped.append(Skipped(f"{name}:{number}", f"WARC breaks off here ({error})"))
                return
            if page is not None:
                yield page


def _record(record: Any, where: str, skipped: list[Skipped]) -> PageInput | None:
    headers = record.rec_headers
    url = headers.get_header("WARC-Target-URI")
    kind = ""
    if record.http_headers is not None:
        status = record.http_headers.get_statuscode()
        if status != "200":
            skipped.append(Skipped(url or where, f"status {status}"))
            return None
        kind = record.http_headers.get_header("Content-Type") or ""
    else:
        kind = headers.get_header("Content-Type") or ""
    if kind and "html" not in kind.lower():
        return None
    data = record.content_stream().read(MAX_BYTES)
    charset = _CHARSET.search(kind)
    return PageInput(
        url or where,
        data,
        url,
        _time(headers.get_header("WARC-Date"), where, skipped),
        None,
        charset[1] if charset else None,
    )
