"""The figures of one method: one block per column, ready for ``summary.json``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from toolkit.evaluation.metrics import (
    Floats,
    Tally,
    cluster_figures,
    hard_negative_counts,
    kind_tallies,
    page_tallies,
    pair_tally,
    relation_counts,
)
from toolkit.evaluation.outcome import Column, Outcome
from toolkit.evaluation.significance import with_interval
from toolkit.evaluation.sweep import (
    Choice,
    average_precision,
    cuts,
    f_beta,
    precision_recall,
    threshold_curve,
)
from toolkit.evaluation.universe import TARGETS, Bools, Universe

#: figures that can be compared between methods, by the name used in results
Tallies = dict[str, Tally]
#: kinds of news with fewer positives get no sensitivity curve of their own
_KIND_POSITIVES = 10


def column_tallies(universe: Universe, column: Column) -> Tallies:
    """Counts by story of every figure that gets an interval."""
    found = column.duplicate
    tallies = {
        "pairs_strict": pair_tally(universe, found, universe.scored),
        "pairs_lenient": pair_tally(universe, found, universe.lenient),
    }
    if universe.listed:
        return tallies
    apart = universe.written_apart()
    rows = apart[universe.pairs[:, 0]] & apart[universe.pairs[:, 1]]
    tallies["pairs_reworded"] = pair_tally(universe, found, universe.scored & rows)
    for group, tally in page_tallies(universe, found, column.scores).items():
        tallies["pages" if group == "all" else f"pages_{group}"] = tally
    return tallies


def column_block(
    universe: Universe, column: Column, tallies: Tallies, weights: Floats | None
) -> dict[str, Any]:
    """All figures of one column."""
    scored = universe.scored
    undecided = column.undecided & scored
    positives = universe.positive & scored
    block: dict[str, Any] = {
        "threshold": describe_choices(column.choices),
        "coverage": _share(int((scored & ~undecided).sum()), int(scored.sum())),
        "coverage_positives": _share(int((positives & ~undecided).sum()), int(positives.sum())),
        "undecided": int(undecided.sum()),
    }
    for name, tally in tallies.items():
        block[name] = with_interval(tally, weights)
    block["relation_recall"] = relation_counts(universe, column.duplicate)
    block["hard_negatives"] = hard_negative_counts(universe, column.duplicate)
    block["kinds"] = kind_tallies(universe, column.duplicate)
    if not universe.listed:
        block["clusters"] = cluster_figures(universe, column.duplicate)
    return block


def describe_choices(choices: Iterable[Choice | None]) -> list[Any]:
    """Per fold the threshold (number) or settings (object); null = as shipped."""
    return [
        None if c is None else (c.settings if c.settings is not None else c.threshold)
        for c in choices
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def candidate_block(outcome: Outcome) -> dict[str, Any]:
    """The candidate stage apart from the decision."""
    universe = outcome.universe
    scored = universe.scored
    positives = universe.positive & scored
    pairs, hits = int(scored.sum()), int((outcome.candidate & scored).sum())
    return {
        "pairs": hits,
        "recall": _share(int((positives & outcome.candidate).sum()), int(positives.sum())),
        "reduction": _share(pairs - hits, pairs),
    }


def ranking_block(universe: Universe, scores: Floats, candidate: Bools) -> dict[str, Any]:
    """The ranking of all scored pairs, apart from candidates and thresholds.

    Average precision, the same with pairs that are no candidates last, and the
    best F1 any single threshold reaches (an upper bound, chosen on these pairs).
    """
    below = float(scores.min()) - 1 if len(scores) else 0.0
    limited = np.where(candidate, scores, below)
    parts = {"strict": universe.scored, "lenient": universe.lenient}
    block: dict[str, Any] = {}
    for name, rows in parts.items():
        positive = universe.positive[rows]
        block[f"ap_{name}"] = average_precision(scores[rows], positive)
        block[f"ap_candidates_{name}"] = average_precision(limited[rows], positive)
        table = cuts(scores[rows], positive)
        best = f_beta(table.precision, table.recall) if len(table.score) else np.zeros(1)
        block[f"best_f1_{name}"] = float(np.max(best))
    return block


def curve_block(outcome: Outcome) -> dict[str, Any]:
    """Precision-recall curve and the sensitivity of every threshold, also by kind.

    Sensitivity is measured on the dev part where there is one (``sensitivity``,
    what a choice was made on) and on the counted part (``sensitivity_counted``).
    """
    universe = outcome.universe
    rows = universe.scored
    block: dict[str, Any] = {
        "precision_recall": precision_recall(
            outcome.columns["chosen"].scores[rows], universe.positive[rows], outcome.candidate[rows]
        )
    }
    counted = outcome.method, universe, outcome.candidate, outcome.scores
    block["sensitivity_counted"] = _sensitivity(*counted, rows)
    if outcome.dev is not None:
        dev = outcome.dev
        block["sensitivity"] = _sensitivity(
            dev.method, dev.universe, dev.candidate, dev.scores, dev.universe.scored
        )
    else:
        block["sensitivity"] = block["sensitivity_counted"]
    kinds = np.array(universe.corpus.kinds)[universe.pairs[:, 0]]
    block["sensitivity_by_kind"] = {
        str(kind): _sensitivity(*counted, rows & (kinds == kind))
        for kind in np.unique(kinds)
        if kind and (universe.positive & rows & (kinds == kind)).sum() >= _KIND_POSITIVES
    }
    return block


def _sensitivity(
    method: Any, universe: Universe, candidate: Bools, scores: Floats, rows: Bools
) -> dict[str, list[list[float]]]:
    own = method.sensitivity(universe.pairs[rows], universe.positive[rows])
    if own is not None:
        names = ("value", "precision", "recall", "f1")
        return {k: [[round(row[n], 6) for n in names] for row in table] for k, table in own.items()}
    return {"threshold": threshold_curve(scores[rows], universe.positive[rows], candidate[rows])}


def examples(outcome: Outcome, most: int = 3) -> dict[str, list[list[str]]]:
    """Pairs by id for each kind of result at the chosen threshold, highest score first."""
    universe, column = outcome.universe, outcome.columns["chosen"]
    scored, copies = universe.scored, universe.copies
    found, positive = column.duplicate & scored, universe.positive & scored
    apart = positive & ~copies
    groups = {
        "reworded_found": apart & found,
        "reworded_missed": apart & ~found,
        "copies_found": positive & copies & found,
        "copies_missed": positive & copies & ~found,
        "wrong_merges": found & ~positive,
    }
    ids = [a.id for a in universe.articles]
    listed = {}
    for name, rows in groups.items():
        members = np.flatnonzero(rows)
        order = members[np.argsort(-column.scores[members], kind="stable")][:most]
        listed[name] = [[ids[i], ids[j]] for i, j in universe.pairs[order].tolist()]
    return listed


def other_targets(outcome: Outcome, target: str) -> dict[str, Any]:
    """With listed pairs: the same decisions and ranking against the other targets."""
    universe = outcome.universe
    if not universe.listed:
        return {}
    from toolkit.evaluation.universe import make_universe

    blocks = {}
    for name in TARGETS:
        if name == target:
            continue
        other = make_universe(universe.corpus, name)
        found = outcome.columns["shipped"].duplicate
        blocks[name] = {
            "positives": int((other.positive & other.scored).sum()),
            "shipped": pair_tally(other, found, other.scored).figures(),
            "oracle": _oracle(other, outcome),
            **ranking_block(other, outcome.scores, outcome.candidate),
        }
    return blocks


def _oracle(universe: Universe, outcome: Outcome) -> dict[str, Any]:
    from toolkit.evaluation.sweep import apply, choose

    rows = universe.scored
    pairs, scores = universe.pairs[rows], outcome.scores[rows]
    positive, candidate = universe.positive[rows], outcome.candidate[rows]
    settings = outcome.method.config.evaluation
    choice = choose(outcome.method, pairs, scores, positive, candidate, settings)
    _, decisions = apply(outcome.method, choice, pairs, scores)
    found = np.zeros(len(universe.pairs), dtype=bool)
    found[rows] = (decisions.outcome == 1) & candidate
    return pair_tally(universe, found, rows).figures()
