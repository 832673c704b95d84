"""Candidate pairs from band keys, without all-pairs blow-up.

Documents with the same key in one band share a bucket. Every pair of a bucket of at
most ``hot`` documents is a candidate. In a larger (hot) bucket each document is
paired with the next ``window`` ones and with the first one only, so that n members
give about n * (window + 1) pairs and stay connected. Hot buckets are counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.shingles import Hashes

Pairs = npt.NDArray[np.int32]

HOT = 256
WINDOW = 16


@dataclass(frozen=True)
class Buckets:
    """What the buckets gave: pairs (m, 2) with i < j, and the hot ones' sizes."""

    pairs: Pairs
    hot: tuple[int, ...]


def bucket_pairs(
    keys: Hashes,
    usable: npt.NDArray[np.bool_] | None = None,
    hot: int = HOT,
    window: int = WINDOW,
) -> Buckets:
    """All distinct pairs of documents that share a key in some band.

    Args:
        keys: shape (n, bands); keys of different bands are never compared.
        usable: shape (n,); documents to leave out are False (empty sets).
        hot: largest bucket of which every pair is given.
        window: neighbours paired with in a larger bucket.
    """
    n = len(keys)
    index = np.arange(n, dtype=np.int64) if usable is None else np.flatnonzero(usable)
    found: list[npt.NDArray[np.int64]] = []
    hot_sizes: list[int] = []
    for band in range(keys.shape[1] if n else 0):
        codes, large = _one_band(keys[index, band], index, n, hot, window)
        found.append(codes)
        hot_sizes.extend(large)
    codes = distinct(np.concatenate(found)) if found else np.empty(0, np.int64)
    return Buckets(decode_pairs(codes, n), tuple(sorted(hot_sizes, reverse=True)))


def _one_band(
    keys: Hashes, index: npt.NDArray[np.int64], n: int, hot: int, window: int
) -> tuple[npt.NDArray[np.int64], list[int]]:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    documents = index[order]  # ascending inside a bucket: the sort is stable
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.append(starts, len(ordered)))
    kept = sizes > 1
    starts, sizes = starts[kept], sizes[kept]
    large = sizes > hot
    codes = [np.empty(0, np.int64)]
    # step s pairs each member with the one s places after it
    for step in range(1, int(min(sizes.max(initial=1) - 1, hot - 1)) + 1):
        reach = sizes > step if step <= window else (sizes > step) & ~large
        first = ranges(starts[reach], sizes[reach] - step)
        if not len(first):
            break
        codes.append(documents[first] * n + documents[first + step])
    for start, size in zip(starts[large].tolist(), sizes[large].tolist(), strict=True):
        members = documents[start : start + size]
        codes.append(members[0] * n + members[1:])
    return np.concatenate(codes), sizes[large].tolist()


def ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The ranges start .. start + length - 1 of all rows, one after the other."""
    total = int(lengths.sum())
    if not total:
        return np.empty(0, np.int64)
    ends = np.cumsum(lengths)
    shift = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + shift


def distinct(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Distinct values, ascending."""
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


def group_pairs(keys: Hashes, usable: npt.NDArray[np.bool_] | None = None) -> Pairs:
    """All pairs with an equal key; large groups are joined as in ``bucket_pairs``."""
    return bucket_pairs(keys.reshape(-1, 1), usable).pairs
