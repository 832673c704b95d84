"""Readers of the public originals: a downloaded file to titles, bodies and dates."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from toolkit.errors import UserError


@dataclass(frozen=True)
class Original:
    """One document as the original has it."""

    title: str
    body: str
    published: str | None = None


def read_ecob(path: Path) -> Iterator[Original]:
    """ECOB ``*.doc.json``: a list of {Descriptor, Doc: {title, content: [{sent_text}]}}.

    Sentences are joined without a space; a single instance per line is read too.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        rows = json.loads(text)
    except ValueError:
        try:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise UserError(f"{path}: not the JSON of ECOB ({error})") from None
    for row in rows if isinstance(rows, list) else [rows]:
        doc: Any = row.get("Doc", {}) if isinstance(row, dict) else {}
        body = "".join(str(s.get("sent_text", "")) for s in doc.get("content", []))
        yield Original(str(doc.get("title", "")), body)


def read_cec(path: Path) -> Iterator[Original]:
    """CEC: a ZIP of XML files; white space inside a paragraph is layout, not text."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    for _, data in _members(path, ".xml"):
        root = etree.fromstring(data, parser)
        if root is None or root.find("Content") is None:
            continue
        paragraphs = [
            "".join("".join(p.itertext()).split()) for p in root.find("Content").iter("Paragraph")
        ]
        title = "".join((root.findtext("Title") or "").split())
        yield Original(title, "\n".join(paragraphs), _iso_day(root.findtext("ReportTime")))


def read_eventmonitor(path: Path) -> Iterator[Original]:
    """EventMonitor and ImportantEventExtractor: a ZIP of text files below ``news/``.

    Either the file has lines 标题: / 发布时间: / 正文:, or its name is ``date@title.txt``
    and its text is the body.
    """
    for name, data in _members(path, ""):
        if "/news/" not in f"/{name}":
            continue
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if text.startswith("标题:") and "\n正文:" in text:
            head, body = text.split("\n正文:", 1)
            fields = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
            yield Original(fields["标题"].strip(), body.strip(), fields.get("发布时间"))
        else:
            date, at, title = PurePosixPath(name).name.removesuffix(".txt").partition("@")
            if at:
                yield Original(title.strip(), text.strip(), date.strip())


CONVERTERS: dict[str, Callable[[Path], Iterator[Original]]] = {
    "ecob": read_ecob,
    "cec": read_cec,
    "eventmonitor": read_eventmonitor,
}


def _members(path: Path, ending: str) -> Iterator[tuple[str, bytes]]:
    """Files of a ZIP in name order; nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda i: i.filename):
                if not info.is_dir() and info.filename.endswith(ending):
                    yield info.filename, archive.read(info)
    except (zipfile.BadZipFile, OSError) as error:
        raise UserError(f"{path}: not a ZIP archive that can be read ({error})") from None


def _iso_day(text: str | None) -> str | None:
    """``2008-6-7`` as ``2008-06-07``; None when there is no such date."""
    parts = (text or "").strip().split("-")
    if len(parts) != 3 or not all(p.isdigit() for p in parts):
        return None
    year, month, day = (int(p) for p in parts)
    return f"{year:04d}-{month:02d}-{day:02d}"
