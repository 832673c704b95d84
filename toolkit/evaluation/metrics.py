"""Figures of a set of decisions: pairs, pages, clusters, relations, hard negatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.evaluation.sweep import f_beta
from toolkit.evaluation.universe import Bools, Universe, components
from toolkit.language.normalise import shingle_text
from toolkit.matching.method import Pairs, Scores
from toolkit.model import RELATIONS, Article

Floats = npt.NDArray[np.float64]
Figures = dict[str, float | int | None]


@dataclass(frozen=True)
class Tally:
    """Counts kept by story, so that whole stories can be drawn again.

    ``tp``, ``fp``, ``fn`` have shape (stories,); ``cross`` (stories, stories) holds
    wrong merges between two stories, or None.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    cross: Floats | None = None

    def figures(self) -> Figures:
        """Counts with precision, recall and F1 (0 where nothing was found)."""
        tp, fn = int(self.tp.sum()), int(self.fn.sum())
        fp = int(self.fp.sum() + (0 if self.cross is None else self.cross.sum()))
        precision = tp / (tp + fp) if tp + fp else 0.0
        recall = tp / (tp + fn) if tp + fn else 0.0
        return {
            "tp": tp, "fp": fp, "fn": fn, "precision": precision, "recall": recall,
            "f1": float(f_beta(precision, recall)),
        }  # fmt: skip

    def drawn(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Precision, recall and F1 of each draw; ``weights`` has shape (draws, stories).

        A wrong merge between two stories counts as often as both were drawn
        together (the product of their weights).
        """
        tp, fp, fn = weights @ self.tp, weights @ self.fp, weights @ self.fn
        if self.cross is not None:
            fp = fp + ((weights @ self.cross) * weights).sum(axis=1)
        precision = tp / np.where(tp + fp > 0, tp + fp, 1)
        recall = tp / np.where(tp + fn > 0, tp + fn, 1)
        return precision, recall, np.asarray(f_beta(precision, recall))


def pair_tally(universe: Universe, found: Bools, counted: Bools) -> Tally:
    """Pairwise counts over the ``counted`` pairs, by story."""
    story = universe.corpus.story
    stories = int(story.max()) + 1 if len(story) else 0
    first, second = story[universe.pairs[:, 0]], story[universe.pairs[:, 1]]
    positive = universe.positive & counted
    wrong = found & counted & ~universe.positive
    same = first == second
    cross = np.zeros((stories, stories))
    np.add.at(cross, (first[wrong & ~same], second[wrong & ~same]), 1)

    def by_story(mask: Bools) -> Floats:
        return np.bincount(first[mask], minlength=stories).astype(float)

    return Tally(
        by_story(positive & found), by_story(wrong & same), by_story(positive & ~found), cross
    )


def content_size(articles: list[Article]) -> npt.NDArray[np.int64]:
    """How much content each page has: letters, digits and hanzi of its body."""
    return np.array([len(shingle_text(a.body)) for a in articles], dtype=np.int64)


def kept_page(
    n: int, pairs: Pairs, scores: Scores, size: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each page the page that stays in its place (itself when it is kept).

    ``pairs`` are the duplicates found. Of a duplicate pair the page with less
    content is replaced (on a tie the one with the later id); a page goes to the
    most similar of the larger ones, and on along the chain to a page that stays.
    """
    order = np.lexsort((np.arange(n), -size))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    kept = np.arange(n)
    if not len(pairs):
        return kept
    i, j = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    larger = np.where(place[i] < place[j], i, j)
    smaller = np.where(place[i] < place[j], j, i)
    rows = np.lexsort((place[larger], -scores, smaller))
    chosen = rows[np.unique(smaller[rows], return_index=True)[1]]
    kept[smaller[chosen]] = larger[chosen]
    for page in order:  # larger pages first: their own target is final by then
        kept[page] = kept[kept[page]]
    return kept


def page_tally(
    universe: Universe,
    found: Bools,
    scores: Scores,
    truth: npt.NDArray[np.int32],
    pages: Bools,
    left_out: Bools,
) -> Tally:
    """Page-level counts as the paper counts them, by the story of the page replaced.

    found = the run would replace the page; right = the page kept belongs to the
    same ``truth`` cluster. All duplicates = pages - 1 of each cluster. Only
    ``pages`` take part, and pairs ``left_out`` of scoring merge nothing.
    """
    story = universe.corpus.story
    n, stories = len(story), int(story.max()) + 1
    i, j = universe.pairs[:, 0], universe.pairs[:, 1]
    use = found & ~left_out & pages[i] & pages[j]
    kept = kept_page(n, universe.pairs[use], scores[use], content_size(universe.articles))
    replaced = (kept != np.arange(n)) & pages
    right = replaced & (truth == truth[kept])
    total = np.bincount(story[pages], minlength=stories).astype(float)
    clusters, first = np.unique(np.where(pages, truth, -1), return_index=True)
    heads = first[clusters >= 0]
    total -= np.bincount(story[heads], minlength=stories)
    tp = np.bincount(story[right], minlength=stories).astype(float)
    fp = np.bincount(story[replaced & ~right], minlength=stories).astype(float)
    return Tally(tp, fp, np.maximum(total - tp, 0))


def page_tallies(universe: Universe, found: Bools, scores: Scores) -> dict[str, Tally]:
    """Page-level counts over all pages and over the paper's two groups.

    ``reworded``: one page of each group of copies, so that only reports written
    apart are left. ``copies``: pages that have a copy, where the clusters are
    the groups of copies and merges of one event between groups do not count.
    """
    event = universe.corpus.event
    everything = np.ones(len(event), dtype=bool)
    none = ~universe.scored
    groups = universe.copy_groups()
    copied = np.bincount(groups)[groups] > 1
    i, j = universe.pairs[:, 0], universe.pairs[:, 1]
    between = (event[i] == event[j]) & (groups[i] != groups[j])
    return {
        "all": page_tally(universe, found, scores, event, everything, none),
        "reworded": page_tally(universe, found, scores, event, universe.written_apart(), none),
        "copies": page_tally(universe, found, scores, groups, copied, none | between),
    }


def b_cubed(truth: npt.NDArray[np.int32], found: npt.NDArray[np.int32]) -> Figures:
    """B-cubed precision, recall and F1 (Bagga and Baldwin 1998), averaged over documents."""
    table = contingency(truth, found)
    both = table[truth, found].astype(float)
    precision = float((both / table.sum(axis=0)[found]).mean())
    recall = float((both / table.sum(axis=1)[truth]).mean())
    return {"precision": precision, "recall": recall, "f1": float(f_beta(precision, recall))}


def ceaf_e(truth: npt.NDArray[np.int32], found: npt.NDArray[np.int32]) -> Figures:
    """Entity-based CEAF (Luo 2005): clusters aligned one to one, phi4 similarity."""
    from scipy.optimize import linear_sum_assignment

    table = contingency(truth, found).astype(float)
    similarity = 2 * table / (table.sum(axis=1)[:, None] + table.sum(axis=0)[None, :])
    rows, columns = linear_sum_assignment(-similarity)
    total = float(similarity[rows, columns].sum())
    precision, recall = total / table.shape[1], total / table.shape[0]
    return {"precision": precision, "recall": recall, "f1": float(f_beta(precision, recall))}


def contingency(
    truth: npt.NDArray[np.int32], found: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Documents in each (true cluster, found cluster); clusters are numbered from 0."""
    table = np.zeros((int(truth.max()) + 1, int(found.max()) + 1), dtype=np.int64)
    np.add.at(table, (truth, found), 1)
    return table


def cluster_figures(universe: Universe, found: Bools) -> dict[str, object]:
    """B-cubed, ARI and CEAF-e of the plain closure of the decisions."""
    from sklearn.metrics import adjusted_rand_score

    truth = universe.corpus.event
    clusters = components(len(truth), universe.pairs[found & universe.scored])
    return {
        "clusters": int(clusters.max()) + 1,
        "largest": int(np.bincount(clusters).max()),
        "b_cubed": b_cubed(truth, clusters),
        "ari": float(adjusted_rand_score(truth, clusters)),
        "ceaf_e": ceaf_e(truth, clusters),
    }


def relation_counts(universe: Universe, found: Bools) -> dict[str, list[int]]:
    """Per true relation [pairs called duplicate, pairs scored]."""
    counts = {}
    for number, name in enumerate(RELATIONS):
        rows = (universe.relation == number) & universe.scored
        if rows.any():
            counts[name] = [int((found & rows).sum()), int(rows.sum())]
    return counts


def hard_negative_counts(universe: Universe, found: Bools) -> dict[str, list[int]]:
    """Per tag [hard negatives wrongly merged, hard negatives scored]."""
    n = len(universe.corpus)
    codes = universe.codes
    counts: dict[str, list[int]] = {}
    for negative in universe.corpus.hard_negatives:
        row = int(np.searchsorted(codes, negative.i * n + negative.j))
        if universe.listed or universe.positive[row] or not universe.scored[row]:
            continue
        entry = counts.setdefault(negative.tag, [0, 0])
        entry[0] += int(found[row])
        entry[1] += 1
    return dict(sorted(counts.items()))


def kind_tallies(universe: Universe, found: Bools) -> dict[str, Figures]:
    """Pairwise figures per kind of news; a pair belongs to the kind of its first document."""
    kinds = np.array(universe.corpus.kinds)
    if not any(universe.corpus.kinds):
        return {}
    first = kinds[universe.pairs[:, 0]]
    rows = {}
    for kind in sorted(set(universe.corpus.kinds)):
        rows[kind] = pair_tally(universe, found, universe.scored & (first == kind)).figures()
    return rows
