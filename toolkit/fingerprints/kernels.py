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
ODD = np.uint32(0xFFFFFFFF)


@njit(cache=True, inline="always")
def _mix(value):  # type: ignore[no-untyped-def]
    value ^= value >> _S33
    value *= _MIX_1
    value ^= value >> _S33
    value *= _MIX_2
    value ^= value >> _S33
    return value


@njit(cache=True)
def clean_minima(raw, edges, table, n, base, minima, lengths, odd):  # type: ignore[no-untyped-def]
    """Clean texts and keep the smallest hash of every bin (see ``minhash.signatures``).

    Args:
        raw: uint32 code points of all texts; ``edges`` (m + 1) delimits them.
        table: see ``clean.table``. n: characters of a shingle. base: odd, uint64.
        minima: uint64 (m, k), filled with EMPTY; written.
        lengths: int64 (m,), number of characters kept; written.
        odd: bool (m,), texts the table cannot clean; written. Their minima are void.
    """
    bins = np.uint64(minima.shape[1])
    leaving = np.uint64(1)  # base ** n: weight of the character that leaves the window
    for _ in range(n):
        leaving *= base
    ring = np.zeros(n, dtype=np.uint64)
    for document in range(len(edges) - 1):
        rolling = np.uint64(0)
        kept = 0
        slot = 0
        for k in range(n):
            ring[k] = 0
        odd[document] = False
        row = minima[document]
        for position in range(edges[document], edges[document + 1]):
            code = table[raw[position]]
            if code == 0:
                continue
            if code == ODD:
                odd[document] = True
                break
            wide = np.uint64(code)
            rolling = rolling * base + wide - leaving * ring[slot]
            ring[slot] = wide
            slot += 1
            if slot == n:
                slot = 0
            kept += 1
            if kept >= n:
                value = _mix(rolling)
                cell = ((value >> _S32) * bins) >> _S32
                # without a branch: whether a value is smaller cannot be predicted
                row[cell] = min(row[cell], value)
        lengths[document] = kept


@njit(cache=True)
def clean_hashes(raw, edges, table, n, base, hashes, counts, odd):  # type: ignore[no-untyped-def]
    """Clean texts and write all their shingle hashes.

    As ``clean_minima``; the hashes of text i go to ``hashes[edges[i]:]``, and their
    number, repeats included, to ``counts[i]``.
    """
    leaving = np.uint64(1)
    for _ in range(n):
        leaving *= base
    ring = np.zeros(n, dtype=np.uint64)
    for document in range(len(edges) - 1):
        rolling = np.uint64(0)
        kept = 0
        slot = 0
        for k in range(n):
            ring[k] = 0
        odd[document] = False
        out = edges[document]
        for position in range(edges[document], edges[document + 1]):
            code = table[raw[position]]
            if code == 0:
                continue
            if code == ODD:
                odd[document] = True
                break
            wide = np.uint64(code)
            rolling = rolling * base + wide - leaving * ring[slot]
            ring[slot] = wide
            slot += 1
            if slot == n:
                slot = 0
            kept += 1
            if kept >= n:
                hashes[out] = _mix(rolling)
                out += 1
        counts[document] = out - edges[document]


@njit(cache=True)
def count_shared(  # type: ignore[no-untyped-def]
    hashes, starts, counts, first, second, shared, sizes
):
    """Exact numbers of distinct shingles, and of those two texts have in common.

    Args:
        hashes: uint64; those of text i are ``hashes[starts[i]:starts[i] + counts[i]]``,
            in any order, repeats allowed.
        first, second: int64 (p,), numbers of the texts of each pair, grouped by first.
        shared: int64 (p,), written. sizes: int64 (m,), written for texts in pairs.
    """
    longest = 0
    for text in range(len(counts)):
        longest = max(longest, counts[text])
        sizes[text] = -1
    capacity = 16
    while capacity < 2 * longest:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    one = np.uint64(1)
    table = np.zeros(capacity, dtype=np.uint64)
    owner = np.zeros(capacity, dtype=np.int32)  # which insertion filled the slot
    seen = np.zeros(capacity, dtype=np.int32)  # which pair met it last
    stamp = np.int32(0)
    turn = np.int32(0)
    current = -1
    for pair in range(len(first)):
        if first[pair] != current:
            current = first[pair]
            stamp += np.int32(1)
            distinct = 0
            for position in range(starts[current], starts[current] + counts[current]):
                value = hashes[position]
                slot = value & mask
                while owner[slot] == stamp and table[slot] != value:
                    slot = (slot + one) & mask
                if owner[slot] != stamp:
                    owner[slot] = stamp
                    table[slot] = value
                    distinct += 1
            sizes[current] = distinct
        common = 0
        turn += np.int32(1)
        other = second[pair]
        for position in range(starts[other], starts[other] + counts[other]):
            value = hashes[position]
            slot = value & mask
            while owner[slot] == stamp and table[slot] != value:
                slot = (slot + one) & mask
            if owner[slot] == stamp and seen[slot] != turn:
                seen[slot] = turn
                common += 1
        shared[pair] = common
    for pair in range(len(second)):
        text = second[pair]
        if sizes[text] >= 0:
            continue
        distinct = 0
        stamp += np.int32(1)
        for position in range(starts[text], starts[text] + counts[text]):
            value = hashes[position]
            slot = value & mask
            while owner[slot] == stamp and table[slot] != value:
                slot = (slot + one) & mask
            if owner[slot] != stamp:
                owner[slot] = stamp
                table[slot] = value
                distinct += 1
        sizes[text] = distinct
