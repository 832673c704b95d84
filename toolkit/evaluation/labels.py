"""Labels of a corpus: clusters, relations, split, hard negatives, listed pairs.

The shape is one JSON object: ``docs`` [id]; ``event_clusters`` and
``story_clusters`` [{id, docs}]; ``reprint_pairs`` [[a, b]]; ``relations``
[[a, b, relation]]; ``hard_negatives`` [[a, b, why]] or [[a, b, tag, why]];
``doubtful`` [[a, b, ...]]; ``split`` {story id: dev | test}; ``kinds``
{story id: kind}. All but ``docs`` or the clusters may be missing. Listed pairs
(only these are known) are JSON Lines {a, b, label, story}.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolkit.errors import UserError
from toolkit.io import iter_rows
from toolkit.model import DUPLICATE_RELATIONS, RELATIONS, Skipped

UNTAGGED = "untagged"


@dataclass
class Labels:
    """Labels by document id, checked for their shape."""

    docs: list[str] = field(default_factory=list)
    event: dict[str, str] = field(default_factory=dict)
    story: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    hard_negatives: list[tuple[str, str, str, str]] = field(default_factory=list)
    doubtful: list[tuple[str, str]] = field(default_factory=list)
    split: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    #: None, or the only pairs whose label is known: (a, b, relation)
    listed: list[tuple[str, str, str]] | None = None
    skipped: list[Skipped] = field(default_factory=list)

    def named(self) -> set[str]:
        """Every document id that occurs anywhere."""
        ids = set(self.docs) | set(self.event) | set(self.story)
        rows: list[Iterable[tuple[str, ...]]] = [
            self.relations, self.hard_negatives, self.doubtful, self.listed or [],
        ]  # fmt: skip
        for table in rows:
            for row in table:
                ids.update(row[:2])
        return ids


def read_labels(path: Path) -> Labels:
    """Read a labels file.

    Raises:
        UserError: it is missing, not JSON, or a part has another shape.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UserError(f"{path}: no labels there; set corpus.labels to the labels file") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: labels are not JSON ({reason}); mend the file") from None
    if not isinstance(data, dict):
        raise UserError(f"{path}: labels must be a JSON object with event_clusters")
    labels = Labels()
    labels.event = _clusters(data, "event_clusters", path)
    labels.story = _clusters(data, "story_clusters", path)
    docs = data.get("docs", [])
    if not _is_texts(docs):
        raise UserError(f"{path}: 'docs' must be a list of document ids")
    labels.docs = list(dict.fromkeys([*docs, *labels.event, *labels.story]))
    if not labels.docs:
        raise UserError(f"{path}: labels name no document; give event_clusters")
    for a, b, *rest in _pairs(data, "relations", path, 3):
        if rest[0] not in RELATIONS:
            raise UserError(f"{path}: relations: '{rest[0]}' is none of {', '.join(RELATIONS)}")
        labels.relations.append((a, b, rest[0]))
    known = {frozenset(r[:2]) for r in labels.relations}
    for a, b, *_ in _pairs(data, "reprint_pairs", path, 2):
        if frozenset((a, b)) not in known:
            labels.relations.append((a, b, "reprint"))
    for a, b, *rest in _pairs(data, "hard_negatives", path, 2):
        tag, why = (rest[0], rest[1]) if len(rest) > 1 else (UNTAGGED, rest[0] if rest else "")
        labels.hard_negatives.append((a, b, tag, why))
    labels.doubtful = [(a, b) for a, b, *_ in _pairs(data, "doubtful", path, 2)]
    labels.split = _mapping(data, "split", path)
    labels.kinds = _mapping(data, "kinds", path)
    wrong = sorted(set(labels.split.values()) - {"dev", "test"})
    if wrong:
        raise UserError(f"{path}: split: '{wrong[0]}' is neither dev nor test")
    _complete(labels)
    return labels


def _complete(labels: Labels) -> None:
    """Documents without a cluster become clusters of one; an event implies its story."""
    for doc in labels.docs:
        labels.event.setdefault(doc, f"event of {doc}")
    by_event: dict[str, str] = {}
    for doc, event in labels.event.items():
        if doc in labels.story:
            by_event.setdefault(event, labels.story[doc])
    for doc, event in labels.event.items():
        labels.story.setdefault(doc, by_event.get(event, f"story of {event}"))
    _join_crossed(labels)


def _join_crossed(labels: Labels) -> None:
    """An event that lies in two stories makes them one: folds must never split it."""
    first: dict[str, str] = {}
    links = []
    for doc in labels.docs:
        story = labels.story[doc]
        links.append((first.setdefault(labels.event[doc], story), story))
    labels.story = _joined(labels.story, links)


def _joined(story: dict[str, str], links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Stories after joining those that are linked; the smallest name stands for all."""
    parent = {name: name for name in story.values()}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for a, b in links:
        first, second = sorted((root(a), root(b)))
        parent[second] = first
    return {doc: root(name) for doc, name in story.items()}


def read_listed(path: Path) -> Labels:
    """Read pair labels of a corpus of which only the listed pairs are known.

    A document's story is the one its first row names; rows that say two documents
    belong together join their stories.

    Raises:
        UserError: the file is missing or holds not one labelled pair.
    """
    labels = Labels(listed=[])
    assert labels.listed is not None
    seen: set[frozenset[str]] = set()
    for where, row in iter_rows(path, labels.skipped):
        values: list[Any] = (
            [row.get(k) for k in ("a", "b", "label")] if isinstance(row, dict) else []
        )
        if not _is_texts(values) or len(values) != 3 or values[2] not in RELATIONS:
            reason = f"not a pair {{a, b, label}} with label one of {', '.join(RELATIONS)}"
            labels.skipped.append(Skipped(where, reason))
            continue
        a, b, relation = values
        if a == b or frozenset((a, b)) in seen:
            labels.skipped.append(Skipped(where, f"pair {a}, {b} is listed before or of one page"))
            continue
        seen.add(frozenset((a, b)))
        labels.listed.append((a, b, relation))
        story = row.get("story") if isinstance(row.get("story"), str) else None
        for doc in (a, b):
            labels.story.setdefault(doc, story or f"story of {doc}")
    if not labels.listed:
        raise UserError(f"{path}: no labelled pairs in it; rows are {{a, b, label, story}}")
    together = DUPLICATE_RELATIONS | {"same_story"}
    labels.story = _joined(
        labels.story,
        [(labels.story[a], labels.story[b]) for a, b, r in labels.listed if r in together],
    )
    labels.docs = sorted(labels.story)
    return labels


def _is_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, str) and v for v in values)


def _clusters(data: dict[str, Any], key: str, path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    rows = data.get(key, [])
    if not isinstance(rows, list):
        raise UserError(f"{path}: '{key}' must be a list of {{id, docs}}")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not _is_texts(row.get("docs")):
            raise UserError(f"{path}: {key} row {number} is not {{id, docs: [id]}}")
        name = str(row.get("id", number))
        for doc in row["docs"]:
            if found.setdefault(doc, name) != name:
                raise UserError(
                    f"{path}: {key}: document '{doc}' is in '{found[doc]}' and in '{name}'; "
                    "each document belongs to one cluster"
                )
    return found


def _pairs(data: dict[str, Any], key: str, path: Path, least: int) -> list[list[str]]:
    rows = data.get(key, [])
    if not isinstance(rows, list):
        raise UserError(f"{path}: '{key}' must be a list of pairs")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) < least or not _is_texts(row[:2]):
            raise UserError(f"{path}: {key} row {number} is not [a, b, ...] of document ids")
    return [[str(value) for value in row] for row in rows if row[0] != row[1]]


def _mapping(data: dict[str, Any], key: str, path: Path) -> dict[str, str]:
    values = data.get(key, {})
    if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
        raise UserError(f"{path}: '{key}' must map story ids to names")
    return dict(values)
