"""One method on one corpus: its candidates, scores, choices and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from toolkit.config import EvaluationConfig, RunConfig
from toolkit.evaluation.corpus import LabelledCorpus
from toolkit.evaluation.measure import Cost, measured
from toolkit.evaluation.sweep import Choice, apply, choose
from toolkit.evaluation.universe import Bools, Universe, make_universe, pair_codes
from toolkit.matching.method import DUPLICATE, UNDECIDED, PairMethod, Scores, create_method

#: ways to set the threshold. ``chosen_apart`` is chosen like ``chosen``, but only on
#: reports written apart, so that copies do not dominate the choice; ``oracle`` is
#: chosen on the counted pairs themselves and is an upper bound, never a result.
COLUMNS = ("shipped", "chosen", "chosen_apart", "oracle")


@dataclass
class Column:
    """Decisions of every pair under one way to set the threshold."""

    scores: Scores
    duplicate: Bools
    undecided: Bools
    relation: list[str]
    choices: list[Choice | None]


@dataclass
class Outcome:
    """A method that ran: columns over one universe, candidates, cost."""

    method: PairMethod
    universe: Universe
    candidate: Bools
    candidates: int
    scores: Scores
    columns: dict[str, Column]
    cost: Cost
    dev: DevRun | None = None
    folds: npt.NDArray[np.int64] | None = None


@dataclass
class DevRun:
    """The development part of a split corpus, fitted and scored."""

    method: PairMethod
    universe: Universe
    candidate: Bools
    scores: Scores
    cost: Cost = field(default_factory=Cost)


def run_method(name: str, corpus: LabelledCorpus, config: RunConfig) -> Outcome:
    """Run one method and choose its thresholds honestly.

    With a split: fitted on the dev documents to choose, on the test documents to
    count. Without one: thresholds are cross-validated, and folds are whole stories.
    Cost is that of the run that is counted, without the choosing.

    Raises:
        UserError: the method cannot run here (its message says why).
    """
    settings = config.evaluation
    dev = folds = None
    if corpus.split is None:
        run = _fit(name, corpus, config)
        folds = story_folds(corpus, settings.folds, settings.seed)
        columns = {
            "chosen": _crossed(run, folds, settings, run.universe.scored),
            "chosen_apart": _crossed(run, folds, settings, _apart(run.universe)),
        }
    else:
        dev = _fit(name, corpus.part("dev"), config)
        run = _fit(name, corpus.part("test"), config)
        columns = {
            "chosen": _column(run, [_chosen(dev, dev.universe.scored, settings)], None),
            "chosen_apart": _column(run, [_chosen(dev, _apart(dev.universe), settings)], None),
        }
    columns["shipped"] = _column(run, [None], None)
    columns["oracle"] = _column(run, [_chosen(run, run.universe.scored, settings)], None)
    columns = {name: columns[name] for name in COLUMNS}
    return Outcome(
        method=run.method, universe=run.universe, candidate=run.candidate,
        candidates=int(run.candidate.sum()), scores=run.scores, columns=columns, cost=run.cost,
        dev=dev, folds=folds,
    )  # fmt: skip


def _fit(name: str, corpus: LabelledCorpus, config: RunConfig) -> DevRun:
    universe = make_universe(corpus, config.evaluation.target)
    with measured() as cost:
        method = create_method(name, config).fit(universe.articles)
        found = method.candidates()
        n = len(corpus)
        candidate = np.isin(universe.codes, pair_codes(np.asarray(found).reshape(-1, 2), n))
        scores = rounded(method.score(universe.pairs))
        method.decide(universe.pairs[candidate], scores[candidate])
    if not np.isfinite(scores).all():
        raise ValueError(f"method {name} gave a score that is not a number")
    return DevRun(method, universe, candidate, scores, cost)


def rounded(scores: Scores) -> Scores:
    """Scores to nine digits: the last bits of a float must not rank equal pairs."""
    values: Scores = np.asarray(scores, dtype=np.float64)
    return values.round(9)


def _chosen(run: DevRun, rows: Bools, settings: EvaluationConfig) -> Choice:
    """The choice made on some pairs of a run."""
    universe = run.universe
    return choose(
        run.method, universe.pairs[rows], run.scores[rows], universe.positive[rows],
        run.candidate[rows], settings,
    )  # fmt: skip


def _column(run: DevRun, choices: Sequence[Choice | None], parts: list[Bools] | None) -> Column:
    """Decisions where part k of the pairs is decided under choice k (None: one part)."""
    universe = run.universe
    m = len(universe.pairs)
    scores = np.zeros(m)
    outcome = np.zeros(m, dtype=np.int8)
    relation = np.full(m, "different", dtype=object)
    for choice, part in zip(choices, parts or [np.ones(m, dtype=bool)], strict=True):
        rows = np.flatnonzero(part)
        if not len(rows):
            continue
        new, decisions = apply(run.method, choice, universe.pairs[rows], run.scores[rows])
        scores[rows], outcome[rows] = rounded(new), decisions.outcome
        relation[rows] = decisions.relation
    # a pair the candidate stage never proposed is never called a duplicate
    duplicate = (outcome == DUPLICATE) & run.candidate
    relation[~run.candidate] = "different"
    undecided = (outcome == UNDECIDED) & run.candidate
    return Column(scores, duplicate, undecided, relation.tolist(), list(choices))


def _apart(universe: Universe) -> Bools:
    """Scored pairs of reports written apart (all scored ones of listed pairs)."""
    if universe.listed:
        return universe.scored
    kept = universe.written_apart()
    return universe.scored & kept[universe.pairs[:, 0]] & kept[universe.pairs[:, 1]]


def _crossed(
    run: DevRun, folds: npt.NDArray[np.int64], settings: EvaluationConfig, usable: Bools
) -> Column:
    """Each pair decided by the fold of its first document; that fold's choice never saw
    a pair with a document of the fold."""
    pairs = run.universe.pairs
    first, second = folds[pairs[:, 0]], folds[pairs[:, 1]]
    choices, parts = [], []
    for fold in np.unique(folds):
        training = usable & (first != fold) & (second != fold)
        choices.append(_chosen(run, training, settings))
        parts.append(first == fold)
    return _column(run, choices, parts)


def story_folds(corpus: LabelledCorpus, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Fold of each document, shape (n,); a story is never split.

    Stories are dealt largest first to the smallest fold, in an order drawn by
    ``seed`` among stories of one size, so that folds hold about equally many
    documents. Never more folds than stories.
    """
    sizes = np.bincount(corpus.story)
    chance = np.random.default_rng(seed).random(len(sizes))
    count = min(folds, len(sizes))
    load = np.zeros(count)
    fold_of = np.zeros(len(sizes), dtype=np.int64)
    for story in np.lexsort((chance, -sizes)):
        fold = int(np.argmin(load))
        fold_of[story] = fold
        load[fold] += sizes[story]
    return fold_of[corpus.story]
