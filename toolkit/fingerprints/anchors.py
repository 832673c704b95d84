"""Anchors: sampled windows of text, a candidate source for excerpts.

MinHash finds sets that are alike as wholes; a short text inside a long one is not.
A window of ``WIDTH`` characters whose hash falls in a fixed sample of all hashes is
an anchor (Manber 1994): wherever the passage is reprinted, its anchors are too. Two
texts that share enough of their anchors, counted by the shorter one, are candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.lsh import Pairs, decode_pairs, step_pairs
from toolkit.fingerprints.shingles import Hashes, ShingleSets, unique_sorted, window_hashes

#: characters of a window; formulas and names are shorter, quoted sentences longer
WIDTH = 16
#: one window in SAMPLE is kept: a shared run of 90 characters holds one with p = 0.99
SAMPLE = 16
ANCHOR_SEED = 7
#: least share of the smaller number of anchors
LEAST_SHARE = 0.15


def anchors(codes: npt.NDArray[np.uint32], width: int = WIDTH, sample: int = SAMPLE) -> Hashes:
    """The distinct anchors of one normalised text, ascending."""
    hashes = window_hashes(codes, width, ANCHOR_SEED)
    return unique_sorted(hashes[hashes % np.uint64(sample) == 0])


@dataclass(frozen=True)
class Postings:
    """Anchors with the documents that hold them.

    Anchor k is ``hashes[k]``; its documents, ascending, are
    ``documents[indptr[k]:indptr[k + 1]]``. Only anchors of two or more documents
    are kept.
    """

    hashes: Hashes
    indptr: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]

    def carriers(self, anchor: int) -> npt.NDArray[np.int32]:
        """The documents that hold an anchor; empty when fewer than two do."""
        k = int(np.searchsorted(self.hashes, np.uint64(anchor)))
        if k == len(self.hashes) or int(self.hashes[k]) != anchor:
            return np.empty(0, dtype=np.int32)
        return self.documents[self.indptr[k] : self.indptr[k + 1]]


def postings(sets: ShingleSets) -> Postings:
    """Which documents hold each anchor."""
    documents = np.repeat(np.arange(len(sets), dtype=np.int32), sets.sizes)
    order = np.argsort(sets.hashes, kind="stable")
    hashes = sets.hashes[order]
    documents = documents[order]
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    if not len(hashes):
        starts = starts[:0]
    sizes = np.diff(np.append(starts, len(hashes)))
    common = sizes > 1
    kept = np.repeat(common, sizes)
    indptr = np.concatenate([[0], np.cumsum(sizes[common])]).astype(np.int64)
    return Postings(hashes[starts[common]], indptr, documents[kept])


def containment_pairs(
    held: Postings, sizes: npt.NDArray[np.int64], least: float = LEAST_SHARE
) -> Pairs:
    """Pairs that share at least ``least`` of the smaller number of anchors.

    A pair with a single shared anchor counts only when one text has at most four.
    An anchor held by many documents gives pairs by the rule of ``lsh``.

    Args:
        sizes: number of anchors of each document, shape (n,).
    """
    n = len(sizes)
    codes = step_pairs(held.documents.astype(np.int64), held.indptr, n)
    if not len(codes):
        return np.empty((0, 2), dtype=np.int32)
    codes.sort()
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    shared = np.diff(np.append(starts, len(codes)))
    pairs = decode_pairs(codes[starts], n)
    smaller = np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
    enough = (shared >= least * smaller) & ((shared > 1) | (smaller <= 4))
    return pairs[enough]
