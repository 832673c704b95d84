"""The verbs as functions; the command line and ``import toolkit`` share them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.io import Documents, write_jsonl
from toolkit.language.wrapping import read_wrapped
from toolkit.matching.method import DUPLICATE, PairMethod, create_method
from toolkit.model import Article

_ROWS_AT_ONCE = 50_000


def decide_pairs(
    articles: Sequence[Article], method: str | PairMethod, config: RunConfig | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one row ``a, b, score, duplicate, relation`` per candidate pair.

    Args:
        articles: the documents, ids unique.
        method: a registered method's name, or an unfitted method.
        config: settings of the run.
    """
    decider = create_method(method, config) if isinstance(method, str) else method
    decider.fit(articles)
    pairs = decider.candidates()
    for start in range(0, len(pairs), _ROWS_AT_ONCE):
        part = pairs[start : start + _ROWS_AT_ONCE]
        scores = decider.score(part)
        decisions = decider.decide(part, scores)
        for (i, j), score, outcome, relation in zip(
            part.tolist(),
            scores.tolist(),
            decisions.outcome.tolist(),
            decisions.relation,
            strict=True,
        ):
            yield {
                "a": articles[i].id,
                "b": articles[j].id,
                "score": round(score, 6),
                "duplicate": outcome == DUPLICATE,
                "relation": relation,
            }


def pairs_to_file(
    docs: str | Path,
    method: str,
    out: str | Path,
    config: RunConfig | None = None,
    progress: bool = False,
) -> tuple[Documents, int]:
    """Decide on the candidate pairs of a document file; returns (documents, rows)."""
    decider = create_method(method, config)
    documents = read_wrapped(docs)
    rows: Iterator[dict[str, Any]] = decide_pairs(documents.articles, decider, config)
    if progress:
        from tqdm import tqdm

        rows = iter(
            tqdm(rows, desc=f"pairs ({method})", unit="pair", mininterval=0.5, disable=None)
        )
    return documents, write_jsonl(out, rows)


def elements_to_file(
    docs: str | Path, out: str | Path, config: RunConfig | None = None, progress: bool = False
) -> Documents:
    """Write the elements of every document; returns what was read and skipped."""
    from tqdm import tqdm

    from toolkit.elements.extract import elements_row
    from toolkit.language.taggers import create_tagger

    tagger = create_tagger((config or RunConfig()).tagger)
    documents = read_wrapped(docs)
    bar = tqdm(documents.articles, desc="elements", unit="doc", disable=None if progress else True)
    write_jsonl(out, (elements_row(article, tagger) for article in bar))
    return documents


def explain_pair(
    docs: str | Path,
    pair: tuple[str, str],
    method: str,
    config: RunConfig | None = None,
    as_json: bool = False,
) -> tuple[Documents, str]:
    """The evidence for one pair as text or JSON.

    The method is fitted on all documents of the file, since some scores (TF-IDF)
    depend on them.

    Raises:
        UserError: an id is not in the file.
    """
    from toolkit.reports.explain import evidence_to_dict, evidence_to_text

    decider = create_method(method, config)
    documents = read_wrapped(docs)
    index = {article.id: n for n, article in enumerate(documents.articles)}
    for identifier in pair:
        if identifier not in index:
            raise UserError(f"{docs}: no document with id '{identifier}'; check --pair")
    if pair[0] == pair[1]:
        raise UserError(f"--pair {pair[0]} {pair[1]}: give two different ids")
    decider.fit(documents.articles)
    first, second = sorted((index[pair[0]], index[pair[1]]))
    evidence = decider.explain(first, second)
    if as_json:
        text = json.dumps(evidence_to_dict(evidence), ensure_ascii=False, default=_plain)
    else:
        a, b = documents.articles[first], documents.articles[second]
        text = evidence_to_text(evidence, a, b)
    return documents, text


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)
