"""MinHash signatures by one-permutation hashing with optimal densification.

One hash per shingle is enough: its high part chooses one of ``k`` bins, and each
bin keeps its smallest hash (Li, Owen, Zhang 2012). An empty bin borrows from a
filled one chosen by a fixed random walk (Shrivastava 2017), so that the share of
equal bins of two documents is an unbiased estimate of their Jaccard similarity.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.shingles import Hashes, ShingleSets, mix

Signatures = npt.NDArray[np.uint64]

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_MAX_STEPS = 4096


def bins(hashes: Hashes, k: int) -> npt.NDArray[np.int64]:
    """The bin of each hash: its high 32 bits scaled to 0 .. k - 1."""
    return (((hashes >> np.uint64(32)) * np.uint64(k)) >> np.uint64(32)).astype(np.int64)


@lru_cache(maxsize=8)
def walks(k: int, seed: int) -> npt.NDArray[np.int32]:
    """For each bin the bins to borrow from, in order, shape (k, steps)."""
    steps = min(_MAX_STEPS, 16 * k)
    start = np.arange(k * steps, dtype=np.uint64).reshape(k, steps)
    start += np.uint64((seed * 0x9E3779B97F4A7C15 + 0x51ED270B) % 2**64)
    walk = bins(mix(start), k).astype(np.int32)
    walk.setflags(write=False)
    return walk


def signatures(sets: ShingleSets, k: int, seed: int = 1) -> Signatures:
    """Signatures of ``k`` bins, shape (n, k); rows of ``EMPTY`` for empty sets."""
    n = len(sets)
    minima = np.full(n * k, EMPTY, dtype=np.uint64)
    if len(sets.hashes):
        document = np.repeat(np.arange(n, dtype=np.int64), sets.sizes)
        cell = document * k + bins(sets.hashes, k)
        # the hashes of a document ascend and the bin is their high part, so the
        # first hash of every run of equal cells is the smallest of its bin
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        minima[cell[first]] = sets.hashes[first]
    return densify(minima.reshape(n, k), seed)


def densify(minima: Signatures, seed: int = 1) -> Signatures:
    """Fill empty bins in place; rows without any filled bin stay ``EMPTY``."""
    k = minima.shape[1]
    empty = minima == EMPTY
    rows = np.flatnonzero(empty.any(axis=1) & ~empty.all(axis=1))
    if not len(rows):
        return minima
    walk = walks(k, seed)
    row, column = np.nonzero(empty[rows])
    row = rows[row]
    values = np.full(len(row), EMPTY, dtype=np.uint64)
    open_cells = np.arange(len(row))
    for step in range(walk.shape[1]):
        source = walk[column[open_cells], step]
        filled = ~empty[row[open_cells], source]
        done = open_cells[filled]
        values[done] = minima[row[done], source[filled]]
        open_cells = open_cells[~filled]
        if not len(open_cells):
            break
    for cell in open_cells.tolist():  # practically never: the walk missed every filled bin
        values[cell] = minima[row[cell]].min()
    minima[row, column] = values
    return minima


def band_keys(signature: Signatures, bands: int, rows: int) -> Hashes:
    """One 64-bit key per band, shape (n, bands).

    Raises:
        ValueError: the signatures have fewer than bands * rows bins.
    """
    n, k = signature.shape
    if bands * rows > k:
        raise ValueError(f"{bands} bands of {rows} rows need {bands * rows} bins, not {k}")
    parts = signature[:, : bands * rows].reshape(n, bands, rows)
    keys = np.zeros((n, bands), dtype=np.uint64)
    for row in range(rows):
        keys = mix(keys * np.uint64(0x9E3779B97F4A7C15) + parts[:, :, row])
    return keys
