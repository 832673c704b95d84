"""The pairs a figure is counted over, and what is true of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from toolkit.evaluation.corpus import LabelledCorpus
from toolkit.matching.method import Pairs, all_pairs
from toolkit.model import COPY_RELATIONS, DUPLICATE_RELATIONS, RELATIONS, Article

Bools = npt.NDArray[np.bool_]

#: relations that are positives, by target
TARGETS: dict[str, frozenset[str]] = {
    "event": DUPLICATE_RELATIONS,
    "copy": COPY_RELATIONS,
    "reprint": frozenset({"url_variant", "identical", "reprint"}),
}


@dataclass(frozen=True)
class Universe:
    """Every pair of a corpus (or the listed ones) with its true relation.

    ``relation`` (m,) indexes ``RELATIONS``; ``scored`` is False for doubtful pairs;
    ``positive`` says what counts as a duplicate under the target.
    """

    corpus: LabelledCorpus
    pairs: Pairs
    relation: npt.NDArray[np.int8]
    scored: Bools
    positive: Bools

    @property
    def articles(self) -> list[Article]:
        """The documents, in index order."""
        return self.corpus.articles

    @property
    def listed(self) -> bool:
        """True when only some pairs are known."""
        return self.corpus.listed is not None

    @cached_property
    def lenient(self) -> Bools:
        """Scored pairs without those that are only of one story."""
        return self.scored & (self.relation != RELATIONS.index("same_story"))

    @cached_property
    def copies(self) -> Bools:
        """Pairs of which one text was made from the other."""
        return self.of(COPY_RELATIONS)

    @cached_property
    def codes(self) -> npt.NDArray[np.int64]:
        """One number per pair, ascending for all pairs."""
        return pair_codes(self.pairs, len(self.corpus))

    def of(self, relations: frozenset[str] | set[str]) -> Bools:
        """Which pairs have one of these relations."""
        wanted = [RELATIONS.index(r) for r in relations]
        return np.isin(self.relation, wanted)

    def copy_groups(self) -> npt.NDArray[np.int32]:
        """Number of the group of copies each document belongs to, shape (n,)."""
        return components(len(self.corpus), self.pairs[self.copies])

    def written_apart(self) -> Bools:
        """One document of each group of copies: the reports truly written apart.

        Of a group the document with the smallest id is kept (an original's id is
        a prefix of its copies' ids where the corpus names them so).
        """
        groups = self.copy_groups()
        keep = np.zeros(len(groups), dtype=bool)
        keep[np.unique(groups, return_index=True)[1]] = True
        return keep


def pair_codes(pairs: Pairs, n: int) -> npt.NDArray[np.int64]:
    """i * n + j of each pair."""
    return pairs[:, 0].astype(np.int64) * n + pairs[:, 1]


def components(n: int, pairs: Pairs) -> npt.NDArray[np.int32]:
    """Connected components of n documents, numbered by their first document."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(pairs), dtype=np.int8)
    graph = coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    found = connected_components(graph, directed=False)[1]
    first = np.unique(found, return_index=True)[1]
    order = np.argsort(np.argsort(first))
    return order[found].astype(np.int32)


def make_universe(corpus: LabelledCorpus, target: str = "event") -> Universe:
    """Lay out the pairs of a corpus under a target (see ``TARGETS``)."""
    number = {name: k for k, name in enumerate(RELATIONS)}
    if corpus.listed is not None:
        pairs = np.array([p[:2] for p in corpus.listed], dtype=np.int32).reshape(-1, 2)
        relation = np.array([number[p[2]] for p in corpus.listed], dtype=np.int8)
    else:
        pairs = all_pairs(len(corpus))
        i, j = pairs[:, 0], pairs[:, 1]
        relation = np.full(len(pairs), number["different"], dtype=np.int8)
        relation[corpus.story[i] == corpus.story[j]] = number["same_story"]
        relation[corpus.event[i] == corpus.event[j]] = number["same_event"]
        named = {i * len(corpus) + j: r for (i, j), r in corpus.relations.items()}
        codes = pair_codes(pairs, len(corpus))
        for code, name in named.items():
            relation[np.searchsorted(codes, code)] = number[name]
    scored = np.ones(len(pairs), dtype=bool)
    if corpus.doubtful:
        doubtful = [i * len(corpus) + j for i, j in corpus.doubtful]
        scored = ~np.isin(pair_codes(pairs, len(corpus)), doubtful)
    positive = np.isin(relation, [number[r] for r in TARGETS[target]])
    return Universe(corpus, pairs, relation, scored, positive)
