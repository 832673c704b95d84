"""The inner loops, compiled by numba (extra ``fast``) and cached on disk.

Each does exactly the arithmetic of its numpy counterpart, bit by bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_S33 = np.uint64(33)
_S32 = np.uint64(32)


@njit(cache=True, inline="always")
def _mix(value):  # type: ignore[no-untyped-def]
    value ^= value >> _S33
    value *= _MIX_1
    value ^= value >> _S33
    value *= _MIX_2
    value ^= value >> _S33
    return value


@njit(cache=True)
def bin_minima(codes, indptr, n, base, minima):  # type: ignore[no-untyped-def]
    """Smallest hash of every bin (see ``minhash.signatures``), written to ``minima``.

    Args:
        codes: uint32 code points of all texts; ``indptr`` (m + 1) delimits them.
        n: characters of a shingle. base: the odd base as uint64.
        minima: uint64, shape (m, k), filled with EMPTY.
    """
    bins = np.uint64(minima.shape[1])
    leaving = np.uint64(1)  # base ** n: weight of the character that leaves the window
    for _ in range(n):
        leaving *= base
    for document in range(len(indptr) - 1):
        start = indptr[document]
        end = indptr[document + 1]
        if end - start < n:
            continue
        rolling = np.uint64(0)
        for position in range(start, end):
            rolling = rolling * base + np.uint64(codes[position])
            if position - start >= n:
                rolling -= leaving * np.uint64(codes[position - n])
            if position - start >= n - 1:
                value = _mix(rolling)
                cell = ((value >> _S32) * bins) >> _S32
                if value < minima[document, cell]:
                    minima[document, cell] = value


@njit(cache=True)
def count_shared(hashes, indptr, first, second, shared, sizes):  # type: ignore[no-untyped-def]
    """Exact numbers of distinct shingles, and of those two texts have in common.

    Args:
        hashes: uint64, all shingle hashes of all texts, in any order, repeats allowed;
            ``indptr`` (m + 1) delimits the texts.
        first, second: int64 (p,), numbers of the texts of each pair, grouped by first.
        shared: int64 (p,), filled. sizes: int64 (m,), filled for texts in ``first``
            and ``second``.
    """
    longest = 0
    for text in range(len(indptr) - 1):
        longest = max(longest, indptr[text + 1] - indptr[text])
    capacity = 16
    while capacity < 2 * longest:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    table = np.zeros(capacity, dtype=np.uint64)
    owner = np.full(capacity, -1, dtype=np.int64)  # which insertion filled the slot
    seen = np.full(capacity, -1, dtype=np.int64)  # which pair met it last
    for text in range(len(indptr) - 1):
        sizes[text] = -1
    current = -1
    for pair in range(len(first)):
        if first[pair] != current:
            current = first[pair]
            distinct = 0
            for position in range(indptr[current], indptr[current + 1]):
                value = hashes[position]
                slot = value & mask
                while owner[slot] == pair and table[slot] != value:
                    slot = (slot + np.uint64(1)) & mask
                if owner[slot] != pair:
                    owner[slot] = pair
                    table[slot] = value
                    seen[slot] = -1
                    distinct += 1
            sizes[current] = distinct
            stamp = pair
        common = 0
        other = second[pair]
        for position in range(indptr[other], indptr[other + 1]):
            value = hashes[position]
            slot = value & mask
            while owner[slot] == stamp and table[slot] != value:
                slot = (slot + np.uint64(1)) & mask
            if owner[slot] == stamp and seen[slot] != pair:
                seen[slot] = pair
                common += 1
        shared[pair] = common
    for pair in range(len(second)):
        text = second[pair]
        if sizes[text] >= 0:
            continue
        distinct = 0
        stamp = len(first) + text
        for position in range(indptr[text], indptr[text + 1]):
            value = hashes[position]
            slot = value & mask
            while owner[slot] == stamp and table[slot] != value:
                slot = (slot + np.uint64(1)) & mask
            if owner[slot] != stamp:
                owner[slot] = stamp
                table[slot] = value
                distinct += 1
        sizes[text] = distinct
