"""Exact overlap of candidate pairs of texts, block by block.

The shingles of a text are computed again for the block of pairs that needs them, so
that nothing per shingle is kept for the whole set. Pairs are ordered by the cluster
they belong to: a text is thus hashed in one block, seldom in two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from tqdm import tqdm

from toolkit.fingerprints.batch import Engine, choose_engine
from toolkit.fingerprints.clean import clean_codes, raw_codes, table
from toolkit.fingerprints.lsh import Pairs
from toolkit.fingerprints.shingles import base, pack, shared, unique_sorted, window_hashes
from toolkit.language.normalise import codepoints, shingle_text

_BLOCK = 4096


@dataclass(frozen=True)
class Overlaps:
    """Exact counts of pairs: distinct shingles in common, of the first, of the second."""

    common: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]

    @property
    def jaccard(self) -> npt.NDArray[np.float64]:
        """Jaccard similarities, shape (m,); 0 where a text has no shingle."""
        return _share(self.common, self.first + self.second - self.common)

    @property
    def containment(self) -> npt.NDArray[np.float64]:
        """Share of the smaller set that is in the larger, shape (m,)."""
        return _share(self.common, np.minimum(self.first, self.second))


def _share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def overlaps(
    texts: Sequence[str],
    pairs: Pairs,
    shingle: int = 5,
    seed: int = 1,
    engine: Engine = "auto",
    progress: bool = False,
) -> Overlaps:
    """Exact overlaps of pairs of texts that are not normalised yet."""
    m = len(pairs)
    counts = np.zeros((3, m), dtype=np.int64)
    order = _by_cluster(pairs, len(texts))
    count = _numba_counts if choose_engine(engine) == "numba" else _numpy_counts
    for start in tqdm(range(0, m, _BLOCK), desc="verify", unit="block", disable=not progress):
        rows = order[start : start + _BLOCK]
        needed, local = np.unique(pairs[rows], return_inverse=True)
        part = [texts[i] for i in needed.tolist()]
        counts[:, rows] = count(part, local.reshape(-1, 2), shingle, seed)
    return Overlaps(*counts)


def _by_cluster(pairs: Pairs, n: int) -> npt.NDArray[np.int64]:
    """An order of the pairs in which connected documents stand together."""
    if not len(pairs):
        return np.empty(0, dtype=np.int64)
    ones = np.ones(len(pairs), dtype=np.int8)
    graph = coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    return np.lexsort((pairs[:, 1], pairs[:, 0], labels[pairs[:, 0]]))


def _numpy_counts(
    texts: Sequence[str], local: npt.NDArray[np.int64], shingle: int, seed: int
) -> npt.NDArray[np.int64]:
    cleaned = clean_codes(texts)
    sets = pack(
        [unique_sorted(window_hashes(cleaned[i], shingle, seed)) for i in range(len(cleaned))]
    )
    common = [shared(sets[i], sets[j]) for i, j in local.tolist()]
    return np.stack([np.array(common), sets.sizes[local[:, 0]], sets.sizes[local[:, 1]]])


def _numba_counts(
    texts: Sequence[str], local: npt.NDArray[np.int64], shingle: int, seed: int
) -> npt.NDArray[np.int64]:
    from toolkit.fingerprints.kernels import clean_hashes, count_shared

    raw, edges = raw_codes(texts)
    hashes = np.empty(len(raw), dtype=np.uint64)
    counts = np.empty(len(texts), dtype=np.int64)
    odd = np.empty(len(texts), dtype=np.bool_)
    clean_hashes(raw, edges, table(), shingle, np.uint64(base(seed)), hashes, counts, odd)
    starts = edges[:-1].copy()
    if odd.any():  # their hashes may be more than the text has characters: put them at the end
        more = [hashes]
        at = len(hashes)
        for i in np.flatnonzero(odd).tolist():
            found = window_hashes(codepoints(shingle_text(texts[i])), shingle, seed)
            more.append(found)
            starts[i], counts[i] = at, len(found)
            at += len(found)
        hashes = np.concatenate(more)
    common = np.empty(len(local), dtype=np.int64)
    sizes = np.empty(len(texts), dtype=np.int64)
    first, second = np.ascontiguousarray(local.T)
    count_shared(hashes, starts, counts, first, second, common, sizes)
    return np.stack([common, sizes[first], sizes[second]])
