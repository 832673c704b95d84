"""Every figure against an independent computation: by hand, brute force or sklearn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support
from small_corpus import Write

from toolkit.config import EvaluationConfig
from toolkit.evaluation.corpus import HardNegative, LabelledCorpus, load_corpus
from toolkit.evaluation.metrics import (
    Tally,
    b_cubed,
    ceaf_e,
    cluster_figures,
    hard_negative_counts,
    kept_page,
    page_tallies,
    pair_tally,
    relation_counts,
)
from toolkit.evaluation.sweep import (
    average_precision,
    best_threshold,
    precision_recall,
    threshold_curve,
)
from toolkit.evaluation.universe import components, make_universe
from toolkit.model import Article


def small(
    events: list[int], stories: list[int], sizes: list[int] | None = None,
    relations: dict[tuple[int, int], str] | None = None,
) -> LabelledCorpus:  # fmt: skip
    """A corpus of bodies of the given sizes."""
    n = len(events)
    return LabelledCorpus(
        name="small", label="small",
        articles=[Article(f"d{i}", "t", "字" * (sizes or [10] * n)[i]) for i in range(n)],
        event=np.array(events, dtype=np.int32), story=np.array(stories, dtype=np.int32),
        event_ids=[str(e) for e in range(max(events) + 1)],
        story_ids=[str(s) for s in range(max(stories) + 1)],
        split=None, kinds=[""] * n, relations=relations or {},
    )  # fmt: skip


def rows(universe, pairs: list[tuple[int, int]]) -> np.ndarray:  # type: ignore[no-untyped-def]
    return np.array([tuple(p) in set(pairs) for p in universe.pairs.tolist()])


def test_pairs_agree_with_sklearn(write_corpus: Write) -> None:
    universe = make_universe(load_corpus(write_corpus()))
    found = np.random.default_rng(3).random(len(universe.pairs)) < 0.1 + 0.5 * universe.positive
    for counted in (universe.scored, universe.lenient):
        figures = pair_tally(universe, found, counted).figures()
        expected = precision_recall_fscore_support(
            universe.positive[counted], found[counted], average="binary"
        )
        assert [figures[k] for k in ("precision", "recall", "f1")] == pytest.approx(expected[:3])


def test_wrong_merges_between_stories_are_in_the_tally() -> None:
    universe = make_universe(small([0, 0, 1, 2], [0, 0, 0, 1]))
    tally = pair_tally(universe, rows(universe, [(0, 1), (1, 2), (2, 3)]), universe.scored)
    assert tally.tp.tolist() == [1, 0]
    assert tally.fp.tolist() == [1, 0]
    assert tally.cross is not None
    assert tally.cross.tolist() == [[0, 1], [0, 0]]
    assert tally.figures()["precision"] == pytest.approx(1 / 3)
    weights = np.array([[1.0, 1.0], [2.0, 0.0], [2.0, 3.0]])
    precision, recall, _ = tally.drawn(weights)
    assert precision.tolist() == pytest.approx([1 / 3, 2 / 4, 2 / (2 + 2 + 6)])
    assert recall.tolist() == [1, 1, 1]


def test_the_smaller_page_is_replaced() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    scores = np.array([0.9, 0.8, 0.7])
    # 0 is the largest; 1 and 2 are of one size (the earlier id stays); 3 is smallest
    kept = kept_page(5, pairs, scores, np.array([9, 5, 5, 1, 7]))
    assert kept.tolist() == [0, 0, 0, 0, 4]
    # page 1 has two larger duplicates: the more similar one takes its place
    kept = kept_page(3, np.array([[0, 1], [1, 2]]), np.array([0.5, 0.6]), np.array([9, 1, 3]))
    assert kept.tolist() == [0, 2, 2]


def test_page_figures_by_hand() -> None:
    # event 0: pages 0 1 2; event 1: pages 3 4; page 5 alone. Sizes fall with the number.
    corpus = small([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2], [60, 50, 40, 30, 20, 10])
    universe = make_universe(corpus)
    scores = np.ones(len(universe.pairs))
    tally = page_tallies(universe, rows(universe, [(0, 1), (2, 3), (4, 5)]), scores)["all"]
    # replaced: 1 by 0 (right), 3 by 2 (wrong), 5 by 4 (wrong); duplicates: 2 + 1
    assert tally.figures() == pytest.approx(
        {"tp": 1, "fp": 2, "fn": 2, "precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3}
    )


def test_the_two_groups_of_the_paper() -> None:
    # one event of four pages: 1 copies 0, 3 copies 2; event 1 is page 4
    relations = {(0, 1): "reprint", (2, 3): "excerpt"}
    universe = make_universe(small([0] * 4 + [1], [0] * 5, [50, 40, 30, 20, 10], relations))
    scores = np.ones(len(universe.pairs))
    copies_only = page_tallies(universe, rows(universe, [(0, 1), (2, 3)]), scores)
    assert copies_only["all"].figures()["recall"] == pytest.approx(2 / 3)
    assert copies_only["copies"].figures()["f1"] == 1
    assert copies_only["reworded"].figures()["tp"] == 0
    assert copies_only["reworded"].figures()["fn"] == 1
    apart = page_tallies(universe, rows(universe, [(0, 2)]), scores)
    assert apart["reworded"].figures()["f1"] == 1
    assert apart["copies"].figures()["fp"] == 0  # one event, two groups: not an error here
    assert apart["copies"].figures()["recall"] == 0


def test_b_cubed_by_brute_force() -> None:
    generator = np.random.default_rng(5)
    truth, found = (generator.integers(0, 4, 12).astype(np.int32) for _ in range(2))
    truth, found = (np.unique(x, return_inverse=True)[1].astype(np.int32) for x in (truth, found))
    precision = recall = 0.0
    for i in range(12):
        mine = [j for j in range(12) if found[j] == found[i]]
        gold = [j for j in range(12) if truth[j] == truth[i]]
        both = len(set(mine) & set(gold))
        precision += both / len(mine) / 12
        recall += both / len(gold) / 12
    figures = b_cubed(truth, found)
    assert figures["precision"] == pytest.approx(precision)
    assert figures["recall"] == pytest.approx(recall)


def test_ceaf_by_trying_every_alignment() -> None:
    truth = np.array([0, 0, 0, 1, 1, 2, 2], dtype=np.int32)
    found = np.array([0, 0, 1, 1, 1, 2, 3], dtype=np.int32)
    gold = [set(np.flatnonzero(truth == k)) for k in range(3)]
    mine = [set(np.flatnonzero(found == k)) for k in range(4)]
    best = max(
        sum(2 * len(gold[k] & mine[p]) / (len(gold[k]) + len(mine[p])) for k, p in enumerate(order))
        for order in itertools.permutations(range(4), 3)
    )
    figures = ceaf_e(truth, found)
    assert figures["precision"] == pytest.approx(best / 4)
    assert figures["recall"] == pytest.approx(best / 3)


def test_ari_by_its_definition() -> None:
    universe = make_universe(small([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2]))
    figures = cluster_figures(universe, rows(universe, [(0, 1), (3, 4), (4, 5)]))
    # pairs together: in both 2, in truth 4, in found 4, of 15
    expected = 4 * 4 / 15
    assert figures["ari"] == pytest.approx((2 - expected) / (4 - expected))
    assert figures["clusters"] == 3
    assert figures["largest"] == 3


def test_components_are_numbered_by_first_document() -> None:
    found = components(5, np.array([[1, 4], [2, 3]], dtype=np.int32))
    assert found.tolist() == [0, 1, 2, 2, 1]


def test_relations_and_hard_negatives() -> None:
    from dataclasses import replace

    corpus = small([0, 0, 1, 2], [0, 0, 0, 1], relations={(0, 1): "revision"})
    negatives = (HardNegative(1, 2, "follow_up", ""), HardNegative(2, 3, "near_date", ""))
    universe = make_universe(replace(corpus, hard_negatives=negatives))
    found = rows(universe, [(0, 1), (1, 2)])
    assert relation_counts(universe, found) == {
        "revision": [1, 1], "same_story": [1, 2], "different": [0, 3],
    }  # fmt: skip
    assert hard_negative_counts(universe, found) == {"follow_up": [1, 1], "near_date": [0, 1]}


def test_average_precision_by_hand() -> None:
    scores, truth = np.array([0.9, 0.8, 0.7, 0.6, 0.5]), np.array([1, 0, 1, 0, 1], dtype=bool)
    assert average_precision(scores, truth) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert average_precision(scores, np.zeros(5, dtype=bool)) is None


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_the_sweep_finds_the_best_cut(beta: float) -> None:
    generator = np.random.default_rng(11)
    truth = generator.random(200) < 0.2
    scores = np.round(generator.random(200) * 0.6 + 0.3 * truth, 2)
    settings = EvaluationConfig(beta=beta)

    def value(cut: float) -> float:
        found = scores >= cut
        tp, fp, fn = (found & truth).sum(), (found & ~truth).sum(), (~found & truth).sum()
        square = beta * beta
        return float((1 + square) * tp / ((1 + square) * tp + square * fn + fp)) if tp else 0.0

    chosen = best_threshold(scores, truth, settings)
    assert chosen is not None
    assert value(chosen) == pytest.approx(max(value(c) for c in np.unique(scores)))
    assert chosen not in scores  # halfway between two scores


def test_the_sweep_by_cost() -> None:
    scores, truth = np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 0, 1, 1], dtype=bool)
    cheap = best_threshold(scores, truth, EvaluationConfig(objective="cost", cost_ratio=0.5))
    dear = best_threshold(scores, truth, EvaluationConfig(objective="cost", cost_ratio=5))
    assert cheap == pytest.approx(0.6)
    assert dear == pytest.approx(0.85)
    wrong = np.array([0, 1], dtype=bool)
    never = best_threshold(
        np.array([0.9, 0.1]), wrong, EvaluationConfig(objective="cost", cost_ratio=9)
    )
    assert never is not None
    assert never > 0.9


def test_pairs_that_are_no_candidates_are_never_found() -> None:
    scores, truth = np.array([0.9, 0.8]), np.array([True, True])
    usable = np.array([False, True])
    assert precision_recall(scores, truth, usable) == [[0.5, 1.0]]
    assert best_threshold(scores, truth, EvaluationConfig(), ~truth) is None
    curve = threshold_curve(
        np.array([0.2, 0.8, 0.6]), np.array([0, 1, 1], dtype=bool), np.ones(3, bool), 4
    )
    assert curve[0] == [0.2, pytest.approx(2 / 3, abs=1e-5), 1.0, 0.8]
    assert curve[-1] == [0.8, 1.0, 0.5, pytest.approx(2 / 3, abs=1e-5)]


def test_a_tally_without_anything() -> None:
    zero = np.zeros(2)
    assert Tally(zero, zero, zero).figures()["f1"] == 0
