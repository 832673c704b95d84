"""Labelled corpora: articles together with what is known about their pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.evaluation.labels import Labels, read_labels, read_listed
from toolkit.io import Documents, article_from_row, read_documents
from toolkit.model import Article, Skipped

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class HardNegative:
    """A pair (indices, i < j) that looks alike and reports two events."""

    i: int
    j: int
    tag: str
    why: str


@dataclass(frozen=True)
class LabelledCorpus:
    """Articles in order of their ids, with labels by index.

    ``event`` and ``story`` (shape (n,)) number the clusters; ``relations`` holds
    named relations of pairs (i < j); ``listed`` is None, or the only pairs whose
    relation is known (then ``event`` says nothing). ``lost`` are labelled
    documents whose row could not be read.
    """

    name: str
    label: str
    articles: list[Article]
    event: Ints
    story: Ints
    event_ids: list[str]
    story_ids: list[str]
    split: list[str] | None
    kinds: list[str]
    relations: dict[tuple[int, int], str] = field(default_factory=dict)
    doubtful: frozenset[tuple[int, int]] = frozenset()
    hard_negatives: tuple[HardNegative, ...] = ()
    listed: tuple[tuple[int, int, str], ...] | None = None
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    checksum: str = ""

    def __len__(self) -> int:
        return len(self.articles)

    def subset(self, keep: Sequence[int] | Ints) -> LabelledCorpus:
        """The corpus of some of its documents (indices, ascending)."""
        rows = np.asarray(keep, dtype=np.int32)
        place = {int(old): new for new, old in enumerate(rows)}
        events, event = np.unique(self.event[rows], return_inverse=True)
        stories, story = np.unique(self.story[rows], return_inverse=True)

        def inside(i: int, j: int) -> bool:
            return i in place and j in place

        listed = self.listed
        if listed is not None:
            listed = tuple((place[i], place[j], r) for i, j, r in listed if inside(i, j))
        return replace(
            self,
            articles=[self.articles[i] for i in rows],
            event=event.astype(np.int32),
            story=story.astype(np.int32),
            event_ids=[self.event_ids[e] for e in events],
            story_ids=[self.story_ids[s] for s in stories],
            split=None if self.split is None else [self.split[i] for i in rows],
            kinds=[self.kinds[i] for i in rows],
            relations={
                (place[i], place[j]): r for (i, j), r in self.relations.items() if inside(i, j)
            },
            doubtful=frozenset((place[i], place[j]) for i, j in self.doubtful if inside(i, j)),
            hard_negatives=tuple(
                replace(h, i=place[h.i], j=place[h.j])
                for h in self.hard_negatives
                if inside(h.i, h.j)
            ),
            listed=listed,
        )

    def part(self, name: str) -> LabelledCorpus:
        """The documents of the dev or test split."""
        if self.split is None:
            raise ValueError(f"corpus {self.name} has no split")
        return self.subset([i for i, s in enumerate(self.split) if s == name])


def load_corpus(config: RunConfig, progress: bool = False) -> LabelledCorpus:
    """Read the corpus named in ``config.corpus``.

    Broken rows are skipped, counted and listed; labels of documents lost that way
    are dropped. Documents without a label take no part.

    Raises:
        UserError: the folder, the documents or the labels are missing or empty, or
            the labels name documents that were never there.
    """
    settings = config.corpus
    root = Path(settings.root)
    if not root.is_dir():
        raise UserError(
            f"{root}: no such corpus folder; set corpus.root to the folder of corpus "
            f"'{settings.name}' (--set corpus.root=FOLDER), or fetch it: "
            f"toolkit corpus get {settings.name}"
        )
    documents, sources = _documents(root, config, progress)
    if settings.pairs:
        label_path = root / settings.pairs
        labels = read_listed(label_path)
    elif settings.labels:
        label_path = root / settings.labels
        labels = read_labels(label_path)
    else:
        raise UserError("corpus.labels is empty: an evaluation needs labels (or corpus.pairs)")
    corpus = _assemble(config, documents, labels, label_path)
    return replace(corpus, checksum=checksum(root, [*sources, label_path]))


def _documents(root: Path, config: RunConfig, progress: bool) -> tuple[Documents, list[Path]]:
    """The articles, from web pages or from JSON Lines, and the files they came from."""
    settings = config.corpus
    pages = root / settings.pages if settings.pages else root / "pages"
    if settings.pages or (not settings.docs and pages.is_dir()):
        if not pages.is_dir():
            raise UserError(f"{pages}: no such folder of pages; set corpus.pages")
        documents = _extracted(pages, config, progress)
        if not documents.articles:
            raise UserError(f"{pages}: not one article in these pages; is it the right folder?")
        manifest = root / "pages.jsonl"
        files = sorted(p for p in pages.rglob("*") if p.is_file())
        return documents, [*files, *([manifest] if manifest.is_file() else [])]
    names = [settings.docs] if settings.docs else ["docs.jsonl", "docs.jsonl.gz"]
    for name in names:
        if (root / name).is_file():
            return read_documents(root / name), [root / name]
    raise UserError(f"{root / names[0]}: no documents there; set corpus.docs or corpus.pages")


def _extracted(pages: Path, config: RunConfig, progress: bool) -> Documents:
    """The articles of a folder of pages; a page without an article is listed as skipped."""
    from toolkit.pages.run import extract_pages

    documents = Documents()
    extraction = extract_pages(pages, config.pages, progress)
    seen: set[str] = set()
    for row in extraction:
        where = f"{pages}/{row.get('page') or row.get('id')}"
        try:
            article = article_from_row(row, where, documents.warnings)
        except ValueError as error:
            documents.skipped.append(Skipped(where, str(error)))
            continue
        if article.id in seen:
            documents.skipped.append(Skipped(where, f"id '{article.id}' was read before"))
            continue
        seen.add(article.id)
        documents.articles.append(article)
    documents.skipped.extend(extraction.skipped)
    return documents


def checksum(root: Path, files: Sequence[Path]) -> str:
    """SHA-256 over names (below ``root``) and contents, in name order."""
    names = {
        (f.relative_to(root) if f.is_relative_to(root) else f.name): f for f in sorted(set(files))
    }
    total = hashlib.sha256()
    for name, path in sorted((Path(k).as_posix(), v) for k, v in names.items()):
        total.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _assemble(
    config: RunConfig, documents: Documents, labels: Labels, path: Path
) -> LabelledCorpus:
    by_id = {a.id: a for a in documents.articles}
    skipped = [*documents.skipped, *labels.skipped]
    warnings = list(documents.warnings)
    unknown = sorted(labels.named() - by_id.keys())
    if len(unknown) > len(documents.skipped):
        raise UserError(
            f"{path}: labels name {len(unknown)} documents the corpus does not hold "
            f"(first: '{unknown[0]}'); {len(by_id)} documents were read and "
            f"{len(documents.skipped)} rows skipped: do labels and documents belong together?"
        )
    lost = set(unknown)
    ids = sorted(set(labels.docs) - lost)
    if len(ids) < 2:
        raise UserError(f"{path}: fewer than two labelled documents; nothing to compare")
    unlabelled = len(by_id) - len(ids)
    if unlabelled and labels.listed is None:
        warnings.append(f"{unlabelled} documents have no label and take no part")
    index = {doc: i for i, doc in enumerate(ids)}

    def pair(a: str, b: str) -> tuple[int, int] | None:
        if a not in index or b not in index:
            return None
        return min(index[a], index[b]), max(index[a], index[b])

    event_of = labels.event if labels.listed is None else {d: d for d in ids}
    event_ids = list(dict.fromkeys(event_of[d] for d in ids))
    story_ids = list(dict.fromkeys(labels.story[d] for d in ids))
    event_number = {e: k for k, e in enumerate(event_ids)}
    story_number = {s: k for k, s in enumerate(story_ids)}
    event = np.array([event_number[event_of[d]] for d in ids], dtype=np.int32)
    split = None
    if labels.split:
        absent = sorted({labels.story[d] for d in ids} - labels.split.keys())
        if absent:
            raise UserError(f"{path}: split does not name story '{absent[0]}'")
        split = [labels.split[labels.story[d]] for d in ids]
    relations: dict[tuple[int, int], str] = {}
    for a, b, relation in labels.relations:
        found = pair(a, b)
        if found:
            relations[found] = relation
    outside = [p for p in relations if event[p[0]] != event[p[1]]]
    if outside:
        warnings.append(f"{len(outside)} labelled relations join two events and are not used")
        relations = {p: r for p, r in relations.items() if event[p[0]] == event[p[1]]}
    negatives = [
        HardNegative(*p, tag, why) for a, b, tag, why in labels.hard_negatives if (p := pair(a, b))
    ]
    listed = None
    if labels.listed is not None:
        listed = tuple(sorted((*p, r) for a, b, r in labels.listed if (p := pair(a, b))))
    return LabelledCorpus(
        name=config.corpus.name,
        label=config.corpus.label or config.corpus.name,
        articles=[by_id[d] for d in ids],
        event=event,
        story=np.array([story_number[labels.story[d]] for d in ids], dtype=np.int32),
        event_ids=event_ids,
        story_ids=story_ids,
        split=split,
        kinds=[labels.kinds.get(labels.story[d], "") for d in ids],
        relations=relations,
        doubtful=frozenset(p for a, b in labels.doubtful if (p := pair(a, b))),
        hard_negatives=tuple(negatives),
        listed=listed,
        skipped=tuple(skipped),
        warnings=tuple(warnings),
        lost=tuple(sorted(lost)),
    )
