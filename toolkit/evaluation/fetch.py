"""``toolkit corpus get``: download a public corpus, convert it, add our labels.

``corpora/NAME/manifest.yaml`` says where the original is (repository, commit, path,
licence), ``documents.tsv`` which documents belong to the corpus (id and checksums
of body and title without white space), and the label files hold ids only. A
document is recognised by its checksum, so a changed original cannot slip in.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from toolkit.errors import UserError
from toolkit.evaluation.originals import CONVERTERS, Original
from toolkit.io import iter_rows, write_json, write_jsonl
from toolkit.model import Skipped

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """One file of an original: where it is and its SHA-256 (None: not known)."""

    url: str
    file: str
    sha256: str | None


@dataclass(frozen=True)
class Manifest:
    """What ``manifest.yaml`` says."""

    name: str
    folder: Path
    licence: str
    converter: str
    sources: tuple[Source, ...]
    labels: str


def corpora_folder() -> Path:
    """The folder of manifests: below the working folder, else beside the package."""
    here = Path("corpora")
    return here if here.is_dir() else Path(__file__).resolve().parents[2] / "corpora"


def read_manifest(name: str, corpora: Path | None = None) -> Manifest:
    """Read a corpus's manifest.

    Raises:
        UserError: there is none of this name, or it is not complete.
    """
    corpora = corpora or corpora_folder()
    path = corpora / name / "manifest.yaml"
    if not path.is_file():
        known = sorted(p.parent.name for p in corpora.glob("*/manifest.yaml"))
        raise UserError(
            f"no corpus '{name}'; known: {', '.join(known) or 'none'} (below {corpora})"
        )
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        sources = tuple(
            Source(s["url"], s["file"], None if s.get("sha256") is None else str(s["sha256"]))
            for s in data["sources"]
        )
        manifest = Manifest(
            name, path.parent, data["licence"], data["converter"], sources, data["labels"]
        )
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not a complete manifest ({error})") from None
    if manifest.converter not in CONVERTERS:
        raise UserError(f"{path}: no converter '{manifest.converter}'")
    return manifest


def get_corpus(name: str, root: str | Path, corpora: Path | None = None) -> Path:
    """Download, check and convert a corpus into ``root`` (``docs.jsonl`` and labels).

    Originals are kept in ``root/original``; a file already there is used again, so
    it can also be put there by hand.

    Returns:
        ``root``; set ``corpus.root`` to it.

    Raises:
        UserError: unknown corpus, no connection, a wrong checksum, or an original
            that holds none of the documents.
    """
    manifest = read_manifest(name, corpora)
    root = Path(root)
    files = [_download(source, root / "original") for source in manifest.sources]
    wanted = _wanted(manifest.folder / "documents.tsv")
    rows = {
        row["id"]: row
        for file in files
        for row in _recognised(CONVERTERS[manifest.converter](file), wanted)
    }
    total = sum(len(group) for group in wanted.values()) + len(rows)
    if not rows:
        raise UserError(
            f"corpus '{name}': none of its {total} documents is in {files[0]}; "
            "is it the commit named in the manifest?"
        )
    if len(rows) < total:
        LOG.warning("corpus %s: %d of %d documents were recognised", name, len(rows), total)
    write_jsonl(root / "docs.jsonl", (rows[doc] for doc in sorted(rows)))
    _copy_labels(manifest.folder / manifest.labels, root / manifest.labels, set(rows))
    return root


def _download(source: Source, folder: Path) -> Path:
    import pooch

    pooch.get_logger().setLevel("WARNING")
    target = folder / source.file
    known = f"sha256:{source.sha256}" if source.sha256 else None
    try:
        if target.is_file() and known is None:
            return target
        folder.mkdir(parents=True, exist_ok=True)
        return Path(pooch.retrieve(source.url, known, fname=source.file, path=folder))
    except ValueError:
        raise UserError(
            f"{source.url}: its SHA-256 is not {source.sha256}: the original has changed or the "
            "download is damaged; try again, or take the commit named in the manifest"
        ) from None
    except OSError as error:
        reason = " ".join(str(error).split())[:160]
        raise UserError(
            f"{source.url}: cannot be downloaded ({reason}); or put the file at {target} by hand"
        ) from None


Wanted = dict[str, list[tuple[str, str]]]


def _wanted(path: Path) -> Wanted:
    """Body checksum -> [(id, title checksum)]."""
    wanted: Wanted = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    for line in lines:
        if line and not line.startswith("#"):
            doc, body, title = line.split("\t")
            wanted.setdefault(body, []).append((doc, title))
    return wanted


def fingerprint(text: str) -> str:
    """First 16 hex digits of the SHA-256 of a text without white space."""
    return hashlib.sha256("".join(text.split()).encode("utf-8", "replace")).hexdigest()[:16]


def _recognised(originals: Iterator[Original], wanted: Wanted) -> Iterator[dict[str, Any]]:
    """Rows of the documents that belong to the corpus; each id is given once."""
    for original in originals:
        group = wanted.get(fingerprint(original.body))
        if not group:
            continue
        title = fingerprint(original.title)
        chosen = next((entry for entry in group if entry[1] == title), group[0])
        group.remove(chosen)
        yield {
            "id": chosen[0],
            "title": original.title,
            "body": original.body,
            "published": original.published,
            "source": None,
        }


def _copy_labels(source: Path, target: Path, found: set[str]) -> None:
    """The labels of the documents that were found."""
    if source.suffix == ".jsonl":
        skipped: list[Skipped] = []
        rows = [row for _, row in iter_rows(source, skipped)]
        write_jsonl(target, (r for r in rows if r["a"] in found and r["b"] in found))
        return
    data = json.loads(source.read_text(encoding="utf-8"))
    kept: dict[str, Any] = {}
    for key, value in data.items():
        if key == "docs":
            value = [doc for doc in value if doc in found]
        elif key in ("event_clusters", "story_clusters"):
            value = [{**c, "docs": [d for d in c["docs"] if d in found]} for c in value]
            value = [c for c in value if c["docs"]]
        elif isinstance(value, list):
            value = [row for row in value if row[0] in found and row[1] in found]
        kept[key] = value
    write_json(target, kept)
