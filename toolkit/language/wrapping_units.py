"""Cuts many texts into lines and sentences and gives each a 64-bit fingerprint.

All on arrays. The fingerprint of a unit is a polynomial hash of its folded letters,
digits and hanzi, taken from prefix sums: with ``C[j] = sum(v[i] * B**i for i < j)``
(arithmetic modulo 2**64, B odd and so invertible) the unit ``[a, b)`` has the hash
``(C[b] - C[a]) * B**-a``, whatever stands before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from toolkit.language.normalise import codepoints, fold

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
#: characters handled at once; bounds the memory of the temporary arrays
_CHUNK = 2_000_000
_WORD, _STOP, _CLOSER, _BREAK, _BLANK = 1, 2, 4, 8, 16
_LAST = 0x32000


@dataclass(frozen=True)
class Units:
    """Lines and sentences of many texts, in the order of the texts.

    Unit i is ``texts[doc[i]][start[i]:end[i]]``; ``length`` counts its letters, digits
    and hanzi; ``line`` tells lines from sentences. All arrays have shape (n,).
    """

    doc: I64
    start: I64
    end: I64
    length: I64
    key: U64
    line: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.doc)

    def where(self, mask: npt.NDArray[np.bool_]) -> Units:
        """The units a mask (or index) chooses."""
        return Units(
            self.doc[mask],
            self.start[mask],
            self.end[mask],
            self.length[mask],
            self.key[mask],
            self.line[mask],
        )


@lru_cache(maxsize=1)
def _tables() -> tuple[npt.NDArray[np.uint8], U64]:
    """Class of each code point, and the value that its folded form adds to a hash."""
    characters = "".join(chr(c) if not 0xD800 <= c < 0xE000 else " " for c in range(_LAST))
    folded = fold(characters)
    flags = np.zeros(0x110000, dtype=np.uint8)
    flags[:_LAST] = np.fromiter((c.isalnum() for c in folded), dtype=np.uint8, count=_LAST)
    for group, flag in (
        ("。！？!?；", _STOP),
        ("”’」』）)]】》\"'", _CLOSER),
        ("\n\u2028", _BREAK),
    ):
        for character in group:
            flags[ord(character)] = flag
    for character in " \t\r\u3000\xa0\u200b\ufeff":
        flags[ord(character)] = _BLANK
    values = np.zeros(0x110000, dtype=np.uint64)
    values[:_LAST] = _mix(codepoints(folded).astype(np.uint64) + np.uint64(1))
    return flags, values


def _unsigned(x: I64) -> U64:
    return x.astype(np.uint64)


def _mix(x: U64) -> U64:
    """Spread the bits (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def units_of(texts: Sequence[str], line_min: int, sentence_min: int) -> Units:
    """Cut texts into lines and sentences; shorter ones than the minima are left out.

    A line of one sentence is given once, as a line. An indent of two ideographic
    spaces opens a line as a line break does.
    """
    parts: list[Units] = []
    first = 0
    while first < len(texts):
        last, size = first, 0
        while last < len(texts) and (size == 0 or size + len(texts[last]) < _CHUNK):
            size += len(texts[last]) + 1
            last += 1
        parts.append(_chunk(texts[first:last], first, line_min, sentence_min))
        first = last
    if not parts:
        empty = np.zeros(0, np.int64)
        return Units(empty, empty, empty, empty, empty.astype(np.uint64), empty.astype(bool))
    joined = [np.concatenate([getattr(p, n) for p in parts]) for n in Units.__dataclass_fields__]
    return Units(*joined)


def _chunk(texts: Sequence[str], first: int, line_min: int, sentence_min: int) -> Units:
    lengths = np.fromiter((len(t) + 1 for t in texts), dtype=np.int64, count=len(texts))
    edges = np.concatenate([[0], np.cumsum(lengths)])
    codes = codepoints("\n".join(texts) + "\n")
    flags, values = _tables()
    flag = flags[codes]
    words = np.flatnonzero(flag == _WORD)
    solid = np.flatnonzero((flag != _BREAK) & (flag != _BLANK))
    powers = np.cumprod(np.full(len(words) + 1, _BASE, dtype=np.uint64))
    inverse = np.cumprod(np.full(len(words) + 1, _INVERSE, dtype=np.uint64))
    sums = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(values[codes[words]] * powers[:-1], out=sums[1:])

    breaks = flag == _BREAK
    indent = codes == 0x3000
    breaks[1:] |= indent[1:] & indent[:-1]
    line_ends = np.flatnonzero(breaks) + 1
    stop = flag == _STOP
    closer = flag == _CLOSER
    ended = stop.copy()
    for _ in range(2):  # up to two closing quotes or brackets belong to the sentence
        ended[1:] |= closer[1:] & ended[:-1]
    # 。” ends after the quote
    ended[:-1] &= ~(closer[1:] & ended[1:])
    sentence_ends = np.flatnonzero(ended | breaks) + 1

    rows: list[tuple[I64, I64, I64, U64, npt.NDArray[np.bool_]]] = []
    for ends, least, is_line in ((line_ends, line_min, True), (sentence_ends, sentence_min, False)):
        starts = np.concatenate([[0], ends[:-1]])
        a, b = np.searchsorted(words, starts), np.searchsorted(words, ends)
        keep = b - a >= least
        starts, ends, a, b = starts[keep], ends[keep], a[keep], b[keep]
        keys = _mix(_unsigned((sums[b] - sums[a]) * inverse[a]) + _unsigned(b - a))
        first_solid = solid[np.searchsorted(solid, starts)] if len(starts) else starts
        last_solid = solid[np.searchsorted(solid, ends) - 1] + 1 if len(ends) else ends
        rows.append((first_solid, last_solid, b - a, keys, np.full(len(a), is_line)))
    low = np.concatenate([r[0] for r in rows])
    high = np.concatenate([r[1] for r in rows])
    size = np.concatenate([r[2] for r in rows])
    key = np.concatenate([r[3] for r in rows])
    line = np.concatenate([r[4] for r in rows])
    order = np.lexsort((~line, low))
    # a line of one sentence comes up as both
    again = np.zeros(len(low), dtype=bool)
    again[1:] = (low[order][1:] == low[order][:-1]) & (key[order][1:] == key[order][:-1])
    order = order[~again]
    low, high, size, key, line = low[order], high[order], size[order], key[order], line[order]
    doc = np.searchsorted(edges, low, side="right") - 1
    return Units(doc + first, low - edges[doc], high - edges[doc], size, key, line)
