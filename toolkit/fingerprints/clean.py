"""``shingle_text`` for many texts at once, on arrays of code points, with offsets.

The normaliser of ``toolkit.language.normalise`` maps most characters one to one.
Those are translated by a table; a text that holds any other character (one that
NFKC expands or composes, or whose lower case depends on its neighbours) is passed
through ``shingle_text`` itself, so that the result is the same for every text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from toolkit.language.normalise import codepoints, shingle_text

Codes = npt.NDArray[np.uint32]

#: table values: 0 drops the character, ODD sends the whole text through ``shingle_text``
ODD = 0xFFFFFFFF
#: above this code point there are no letters in use; such characters are ODD
_END = 0x323B0
_DROP = re.compile(r"[^\w\n]|_")


@lru_cache(maxsize=1)
def table() -> Codes:
    """What each code point becomes, shape (0x110000,)."""
    result = np.full(0x110000, ODD, dtype=np.uint32)
    characters = [chr(c) for c in range(_END) if not 0xD800 <= c < 0xE000]
    result[ord("\n")] = 0
    characters.remove("\n")
    joined = unicodedata.normalize("NFKC", "\n".join(characters))
    forms = _DROP.sub("", joined.lower()).split("\n")
    for character, full, form in zip(characters, joined.split("\n"), forms, strict=True):
        if len(form) <= 1 and not any(map(_depends_on_neighbours, character + full)):
            result[ord(character)] = ord(form) if form else 0
    result.setflags(write=False)
    return result


def _depends_on_neighbours(character: str) -> bool:
    """Marks that compose with the letter before them, jamo, and the Greek sigma."""
    if character < "\u0300":
        return False
    return (
        unicodedata.combining(character) != 0
        or unicodedata.category(character) in ("Mn", "Mc")
        or "\u1100" <= character < "\u1200"
        or character in "Σς"
    )


@dataclass(frozen=True)
class Cleaned:
    """Normalised texts, packed: text i is ``codes[indptr[i]:indptr[i + 1]]``."""

    codes: Codes
    indptr: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, i: int) -> Codes:
        return self.codes[self.indptr[i] : self.indptr[i + 1]]


@lru_cache(maxsize=1)
def identity() -> Codes:
    """The table that leaves a normalised text as it is, shape (0x110000,)."""
    result = np.arange(0x110000, dtype=np.uint32)
    result.setflags(write=False)
    return result


def raw_codes(texts: Sequence[str]) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Code points of texts as they are: (codes, edges); text i is edges[i] to edges[i + 1]."""
    lengths = np.fromiter((len(t) for t in texts), dtype=np.int64, count=len(texts))
    edges = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=edges[1:])
    return codepoints("".join(texts)), edges


def clean_codes(texts: Sequence[str]) -> Cleaned:
    """Normalise texts; the codes of text i spell ``shingle_text(texts[i])``."""
    raw, edges = raw_codes(texts)
    mapped = table()[raw]
    kept = mapped != 0
    before = np.concatenate([[0], np.cumsum(kept)])
    odd = mapped == ODD
    if not odd.any():
        return Cleaned(mapped[kept], before[edges])
    strange = set((np.searchsorted(edges, np.flatnonzero(odd), side="right") - 1).tolist())
    parts = [
        codepoints(shingle_text(texts[i]))
        if i in strange
        else mapped[edges[i] : edges[i + 1]][kept[edges[i] : edges[i + 1]]]
        for i in range(len(texts))
    ]
    indptr = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
    return Cleaned(np.concatenate(parts), indptr)


def clean_with_offsets(text: str) -> tuple[str, npt.NDArray[np.int64]]:
    """The normalised text and each of its characters' offset in the original.

    Where NFKC joins characters (combining marks) each keeps its own form here, so
    that an offset exists; the text may then differ from ``shingle_text(text)``.
    """
    mapped = table()[codepoints(text)]
    if not (mapped == ODD).any():
        offsets = np.flatnonzero(mapped)
        return decode(mapped[offsets]), offsets
    forms = [shingle_text(character) for character in text]
    positions = np.repeat(np.arange(len(text)), [len(f) for f in forms])
    return "".join(forms), positions


def decode(codes: Codes) -> str:
    """Code points to text."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
