"""The pairs a method got wrong, worst first, with the evidence it recorded."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from toolkit.evaluation.outcome import Outcome
from toolkit.evaluation.sweep import Choice
from toolkit.model import RELATIONS, Article

#: pairs listed per method and kind of error
LISTED = 8
_BODY_SHOWN = 700


def error_lists(outcome: Outcome, most: int = LISTED) -> dict[str, list[dict[str, Any]]]:
    """False merges (highest score first) and misses (highest score first).

    A miss says whether it was never a candidate, undecided, or below the threshold.
    Each entry holds both texts: it belongs in a report, never in the repository.
    """
    universe, column = outcome.universe, outcome.columns["chosen"]
    wrong = np.flatnonzero(column.duplicate & ~universe.positive & universe.scored)
    missed = np.flatnonzero(~column.duplicate & universe.positive & universe.scored)
    lists = {}
    for name, rows in (("false_merges", wrong), ("misses", missed)):
        order = np.argsort(-column.scores[rows], kind="stable")[:most]
        lists[name] = [_entry(outcome, int(k)) for k in rows[order]]
    return lists


def _entry(outcome: Outcome, row: int) -> dict[str, Any]:
    universe, column = outcome.universe, outcome.columns["chosen"]
    i, j = (int(v) for v in universe.pairs[row])
    evidence = _explained(outcome, row, i, j)
    if not outcome.candidate[row]:
        how = "never a candidate"
    elif column.undecided[row]:
        how = "undecided"
    else:
        how = "called duplicate" if column.duplicate[row] else "below the threshold"
    return {
        "a": _shown(universe.articles[i]),
        "b": _shown(universe.articles[j]),
        "score": float(column.scores[row]),
        "truth": RELATIONS[universe.relation[row]],
        "how": how,
        "features": evidence.features,
        "matches": [_match(m) for m in evidence.matches[:12]],
        "notes": list(evidence.notes),
    }


def _explained(outcome: Outcome, row: int, i: int, j: int) -> Any:
    """Evidence under the settings the pair was decided with."""
    method = outcome.method
    choices = outcome.columns["chosen"].choices
    choice: Choice | None = choices[0]
    if outcome.folds is not None:
        fold = outcome.folds[i]
        choice = choices[int(np.searchsorted(np.unique(outcome.folds), fold))]
    before = method.config
    try:
        if choice is not None and choice.settings is not None:
            method.use(choice.settings)
        return method.explain(i, j)
    finally:
        method.config = before


def _match(match: dict[str, Any]) -> dict[str, Any]:
    return {
        k: v.text if hasattr(v, "text") and hasattr(v, "start") else v
        for k, v in (
            dataclasses.asdict(match) if dataclasses.is_dataclass(match) else match  # type: ignore[arg-type]
        ).items()
    }


def _shown(article: Article) -> dict[str, Any]:
    body = article.body
    return {
        "id": article.id,
        "title": article.title,
        "body": body if len(body) <= _BODY_SHOWN else body[:_BODY_SHOWN] + "…",
        "published": article.published.isoformat() if article.published else None,
        "source": article.source,
    }
