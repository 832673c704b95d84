"""Text to sets of 64-bit shingle hashes: one shingler and one hash for all methods.

A character shingle is ``n`` neighbouring code points of the normalised text
(``toolkit.language.normalise.shingle_text``). Its hash is a polynomial in the code
points modulo 2**64 with a seeded odd base, finished by the 64-bit mixer of
MurmurHash3. Nothing depends on the process or the machine, so signatures may be
stored and compared later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import xxhash

from toolkit.language.normalise import codepoints

Hashes = npt.NDArray[np.uint64]

_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)


def base(seed: int) -> int:
    """The odd 64-bit base of the polynomial for a seed."""
    return xxhash.xxh64_intdigest(b"shingle base", seed=seed) | 1


def mix(values: Hashes) -> Hashes:
    """Spread every input bit over all 64 bits (MurmurHash3's finaliser), in place."""
    values ^= values >> _SHIFT
    values *= _MIX_1
    values ^= values >> _SHIFT
    values *= _MIX_2
    values ^= values >> _SHIFT
    return values


def window_hashes(codes: npt.NDArray[np.uint32], n: int, seed: int) -> Hashes:
    """Hashes of all windows of ``n`` code points, shape (max(len - n + 1, 0),)."""
    count = len(codes) - n + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    factor = np.uint64(base(seed))
    wide = codes.astype(np.uint64)
    hashes = wide[:count].copy()
    for offset in range(1, n):
        hashes *= factor
        hashes += wide[offset : offset + count]
    return mix(hashes)


def token_hashes(tokens: Sequence[str], seed: int) -> Hashes:
    """Hashes of words, shape (len(tokens),)."""
    return np.fromiter(
        (xxhash.xxh3_64_intdigest(t.encode("utf-8", "surrogatepass"), seed=seed) for t in tokens),
        dtype=np.uint64,
        count=len(tokens),
    )


@dataclass(frozen=True)
class ShingleSets:
    """The shingle set of every document, packed.

    ``hashes[indptr[i]:indptr[i + 1]]`` are the distinct hashes of document i in
    ascending order. A document shorter than one shingle has an empty set.
    """

    hashes: Hashes
    indptr: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, i: int) -> Hashes:
        return self.hashes[self.indptr[i] : self.indptr[i + 1]]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of distinct shingles of each document, shape (n,)."""
        return np.diff(self.indptr)


def shingle_set(text: str, n: int, seed: int = 1) -> Hashes:
    """Distinct hashes of the char-n shingles of one normalised text, ascending."""
    return unique_sorted(window_hashes(codepoints(text), n, seed))


def unique_sorted(hashes: Hashes) -> Hashes:
    """Sorts in place and drops repeats (``np.unique`` without its overhead)."""
    if len(hashes) < 2:
        return hashes
    hashes.sort()
    keep = np.empty(len(hashes), dtype=bool)
    keep[0] = True
    np.not_equal(hashes[1:], hashes[:-1], out=keep[1:])
    return hashes[keep]


def shingle_sets(texts: Iterable[str], n: int, seed: int = 1) -> ShingleSets:
    """Shingle sets of normalised texts."""
    return pack([shingle_set(text, n, seed) for text in texts])


def pack(sets: Sequence[Hashes]) -> ShingleSets:
    """Join per-document sets into one packed structure."""
    indptr = np.zeros(len(sets) + 1, dtype=np.int64)
    np.cumsum([len(s) for s in sets], out=indptr[1:])
    hashes = np.concatenate(sets) if sets else np.empty(0, dtype=np.uint64)
    return ShingleSets(hashes, indptr)


def shared(first: Hashes, second: Hashes) -> int:
    """Size of the intersection of two ascending sets of hashes."""
    if not len(first) or not len(second):
        return 0
    both = np.concatenate([first, second])
    both.sort()
    return int(np.count_nonzero(both[1:] == both[:-1]))


def intersections(sets: ShingleSets, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Exact intersection sizes of pairs of documents, shape (m,)."""
    return np.fromiter(
        (shared(sets[i], sets[j]) for i, j in pairs.tolist()), dtype=np.int64, count=len(pairs)
    )


def jaccard(sets: ShingleSets, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Exact Jaccard similarity of pairs, shape (m,); 0 where a set is empty."""
    common = intersections(sets, pairs)
    sizes = sets.sizes
    union = sizes[pairs[:, 0]] + sizes[pairs[:, 1]] - common if len(pairs) else common
    return np.divide(common, union, out=np.zeros(len(pairs)), where=union > 0)
