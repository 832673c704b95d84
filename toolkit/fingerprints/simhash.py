"""64-bit SimHash fingerprints and the search for near ones.

Every feature votes with its weight on each of the 64 bits of its hash; the
fingerprint holds the signs (Charikar 2002). Two fingerprints at Hamming distance d
agree in at least one of b blocks when d < b (pigeonhole), which gives candidates
(Manku, Jain, Das Sarma 2007).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.lsh import Pairs, bucket_pairs, decode_pairs
from toolkit.fingerprints.shingles import Hashes

BITS = 64
#: with more blocks than this the blocks are too short to narrow anything down
_MAX_BLOCKS = 8


def fingerprint(features: Hashes) -> int:
    """SimHash of feature hashes; a repeated feature counts as often as it occurs."""
    bits = np.unpackbits(features.astype("<u8").view(np.uint8), bitorder="little")
    votes = bits.reshape(-1, BITS).sum(axis=0, dtype=np.int64) * 2 - len(features)
    # a tie is decided by the bit's place, so that it is the same everywhere
    ones = (votes > 0) | ((votes == 0) & (np.arange(BITS) % 2 == 0))
    return int(np.packbits(ones, bitorder="little").view("<u8")[0])


def fingerprints(documents: Iterable[Hashes]) -> Hashes:
    """Fingerprints of documents given as feature hashes, shape (n,)."""
    return np.array([fingerprint(features) for features in documents], dtype=np.uint64)


def hamming(first: Hashes, second: Hashes) -> npt.NDArray[np.int64]:
    """Number of differing bits, elementwise."""
    return np.bitwise_count(first ^ second).astype(np.int64)


def blocks(prints: Hashes, count: int) -> Hashes:
    """The fingerprints cut into ``count`` blocks of bits, shape (n, count)."""
    edges = [BITS * b // count for b in range(count + 1)]
    columns = [
        (prints >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1)
        for low, high in pairwise(edges)
    ]
    return np.column_stack(columns)


def near_pairs(
    prints: Hashes, usable: npt.NDArray[np.bool_], k: int, window: int | None = None
) -> Pairs:
    """Pairs that share a block: every pair with Hamming distance <= k is among them.

    Four blocks of 16 bits up to k = 3, k + 1 blocks up to k = 7; beyond that all
    pairs are compared directly and those within k are given. A block value that
    more than ``window`` fingerprints share is capped as in ``lsh.bucket_pairs``
    (None: never, the search is exact).
    """
    count = max(4, k + 1)
    if count <= _MAX_BLOCKS:
        limit = len(prints) + 1 if window is None else window
        return bucket_pairs(blocks(prints, count), usable, window=limit).pairs
    n = len(prints)
    found = []
    index = np.flatnonzero(usable)
    for position, i in enumerate(index.tolist()):
        others = index[position + 1 :]
        near = others[hamming(prints[others], prints[i]) <= k]
        found.append(i * n + near)
    return decode_pairs(np.concatenate(found) if found else np.empty(0, np.int64), n)
