"""Candidate pairs from band keys, without all-pairs blow-up.

Documents with the same key in one band share a bucket, in the order of their
numbers. Each is paired with the ``window`` members before it and with the first
``HEAD`` members. A bucket of at most ``window`` + 1 documents thus gives every pair;
a larger (hot) one gives about n * (window + HEAD) pairs instead of n**2 / 2, and
stays connected. The rule looks only backwards: a document that arrives later never
changes what was paired before, so batch and incremental use agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.shingles import Hashes

Pairs = npt.NDArray[np.int32]

WINDOW = 128
HEAD = 2


@dataclass(frozen=True)
class Buckets:
    """What the buckets gave: pairs (m, 2) with i < j, and the sizes of hot buckets."""

    pairs: Pairs
    hot: tuple[int, ...]


def bucket_pairs(
    keys: Hashes, usable: npt.NDArray[np.bool_] | None = None, window: int = WINDOW
) -> Buckets:
    """All distinct pairs of documents that share a key in some band.

    Args:
        keys: shape (n, bands); keys of different bands are never compared.
        usable: shape (n,); documents to leave out are False (empty sets).
        window: see the module's text; n or more gives every pair.
    """
    n = len(keys)
    index = np.arange(n, dtype=np.int64) if usable is None else np.flatnonzero(usable)
    codes = np.empty(0, np.int64)
    hot: list[int] = []
    for band in range(keys.shape[1] if len(index) else 0):
        column = keys[index, band]
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        indptr = np.append(starts, len(ordered))
        sizes = np.diff(indptr)
        hot.extend(sizes[sizes > window + 1].tolist())
        found = distinct(step_pairs(index[order], indptr, n, window))
        # merged band by band, so that memory follows the distinct pairs
        codes = distinct(np.concatenate([codes, found])) if len(found) else codes
    return Buckets(decode_pairs(codes, n), tuple(sorted(hot, reverse=True)))


def step_pairs(
    documents: npt.NDArray[np.int64], indptr: npt.NDArray[np.int64], n: int, window: int = WINDOW
) -> npt.NDArray[np.int64]:
    """Pair codes i * n + j of buckets; a pair of several buckets is given as often.

    Args:
        documents: members of all buckets, ascending inside each bucket.
        indptr: bucket k is ``documents[indptr[k]:indptr[k + 1]]``.
    """
    sizes = np.diff(indptr)
    starts = indptr[:-1][sizes > 1]
    sizes = sizes[sizes > 1]
    codes = [np.empty(0, np.int64)]
    for step in range(1, int(min(sizes.max(initial=1) - 1, window)) + 1):
        reach = sizes > step
        starts, sizes = starts[reach], sizes[reach]
        first = ranges(starts, sizes - step)
        codes.append(documents[first] * n + documents[first + step])
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        if size <= window + 1:
            continue
        for head in range(HEAD):  # members further from the head than the window
            later = documents[start + head + window + 1 : start + size]
            codes.append(documents[start + head] * n + later)
    return np.concatenate(codes)


def ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The ranges start .. start + length - 1 of all rows, one after the other."""
    total = int(lengths.sum())
    if not total:
        return np.empty(0, np.int64)
    shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return np.arange(total, dtype=np.int64) + shift


def distinct(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Distinct values, ascending; sorts in place."""
    codes.sort()
    if len(codes) < 2:
        return codes
    return codes[np.concatenate([[True], codes[1:] != codes[:-1]])]


def decode_pairs(codes: npt.NDArray[np.int64], n: int) -> Pairs:
    """Pairs (i, j) of codes i * n + j, shape (m, 2)."""
    if not len(codes):
        return np.empty((0, 2), dtype=np.int32)
    return np.column_stack(np.divmod(codes, n)).astype(np.int32)


def encode_pairs(pairs: Pairs, n: int) -> npt.NDArray[np.int64]:
    """Codes i * n + j of pairs, shape (m,)."""
    return pairs[:, 0].astype(np.int64) * n + pairs[:, 1]
