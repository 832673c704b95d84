"""A file of documents to a file of stories, with the configured method."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from toolkit.config import RunConfig
from toolkit.io import write_jsonl
from toolkit.language.wrapping import read_wrapped
from toolkit.matching.method import create_method
from toolkit.model import COPY_RELATIONS, Article
from toolkit.stories.cluster import StoriesResult, build_stories
from toolkit.stories.pairs import DecidedPairs, overlay, pairs_of_method

Progress = Callable[[str], None]


def stderr_progress(message: str) -> None:
    """Print one line to stderr."""
    print(message, file=sys.stderr, flush=True)


def stories_of(
    articles: Sequence[Article], config: RunConfig, progress: Progress | None = None
) -> StoriesResult:
    """Group articles with the method ``config.stories.method`` of the registry.

    Raises:
        UserError: the method is unknown or lacks something it needs.
    """
    say = progress or (lambda message: None)
    decided = decide_pairs(articles, config, say)
    result = build_stories(articles, decided, config)
    events = sum(len(s.events) for s in result.stories)
    say(f"{len(result.stories)} stories, {events} events, {len(result.refusals)} joins refused")
    return result


def decide_pairs(
    articles: Sequence[Article],
    config: RunConfig,
    say: Progress,
    threshold: float | None = None,
) -> DecidedPairs:
    """The pairs of the configured method, copies named by the copy layer.

    Args:
        threshold: another threshold for the method (None: the shipped one).
    """
    method = create_method(config.stories.method, config)
    say(f"{method.name}: reading {len(articles)} articles")
    method.fit(articles)
    say(f"{method.name}: comparing candidates")
    decided = pairs_of_method(method, threshold)
    say(f"{method.name}: {len(decided)} pairs compared, {int(decided.duplicate.sum())} duplicates")
    if config.stories.copy_layer and method.duplicate_relation not in COPY_RELATIONS:
        say("copies: naming the copies")
        copies = create_method("copies", config)
        copies.fit(articles)
        decided = overlay(decided, pairs_of_method(copies), len(articles))
        say(f"copies: {int(decided.copy.sum())} pairs of copies")
    return decided


def stories_from_documents(
    path: str | Path,
    out: str | Path | None,
    config: RunConfig,
    progress: Progress | None = stderr_progress,
) -> StoriesResult:
    """Read documents, group them, write ``stories.jsonl``.

    Args:
        path: JSON Lines of documents (``-`` is stdin).
        out: the file to write; a folder (or a name without suffix) gets
            ``stories.jsonl`` in it; None writes nothing; ``-`` is stdout.
        config: the run's settings.
        progress: called with one line per step (None: silent).

    Raises:
        UserError: the file cannot be read, has no documents, or the method is unknown.
    """
    documents = read_wrapped(path)
    if progress:
        for skipped in documents.skipped[:20]:
            progress(f"skipped {skipped.where}: {skipped.reason}")
        for warning in documents.warnings[:20]:
            progress(f"warning: {warning}")
    result = stories_of(documents.articles, config, progress)
    if out is not None:
        write_jsonl(target(out), result.rows())
    return result


def target(out: str | Path) -> str | Path:
    """The file to write for ``out`` (see ``stories_from_documents``)."""
    if str(out) == "-":
        return out
    path = Path(out)
    return path / "stories.jsonl" if path.is_dir() or not path.suffix else path
