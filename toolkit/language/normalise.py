"""The one place that normalises text.

``fold`` keeps the length, so that every offset in the folded text is an offset in
the original: full-width forms become half-width, traditional hanzi simplified,
Latin lower case. ``shingle_text`` drops what is not a letter, digit or hanzi.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

import numpy as np
import numpy.typing as npt

#: from this length on, folding by an array beats ``str.translate``
_ARRAY_FROM = 100
_NOT_WORD = re.compile(r"[\W_]+")
_HANZI = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ebef]")


@lru_cache(maxsize=1)
def _simplified() -> dict[int, int]:
    """Traditional to simplified, character by character (table: OpenCC)."""
    import opencc

    blocks = [(0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00)]
    characters = [chr(c) for start, end in blocks for c in range(start, end)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    table = {}
    for before, after in zip(characters, converted, strict=True):
        if before != after and len(after) == 1:
            table[ord(before)] = ord(after)
    return table


@lru_cache(maxsize=1)
def _fold_table() -> dict[int, int]:
    table: dict[int, int] = {}
    for code in [*range(0x00A0, 0x3400), *range(0xFE30, 0xFFEF)]:
        form = unicodedata.normalize("NFKC", chr(code)).lower()
        if len(form) == 1 and form != chr(code):
            table[code] = ord(form)
    table.update({c: c + 32 for c in range(ord("A"), ord("Z") + 1)})
    table.update({0x3000: 0x20, 0x00A0: 0x20, 0x3007: 0x3007})
    table.update(_simplified())
    return table


@lru_cache(maxsize=1)
def _fold_array() -> npt.NDArray[np.uint32]:
    """The same table as an array over all code points."""
    array = np.arange(0x110000, dtype=np.uint32)
    table = _fold_table()
    array[np.fromiter(table, dtype=np.int64)] = np.fromiter(table.values(), dtype=np.uint32)
    return array


def fold(text: str) -> str:
    """Half-width, simplified, lower case; ``len(fold(t)) == len(t)`` always."""
    if len(text) < _ARRAY_FROM:
        return text.translate(_fold_table())
    folded = _fold_array()[codepoints(text)].astype("<u4")
    return folded.tobytes().decode("utf-32-le", "surrogatepass")


def to_simplified(text: str) -> str:
    """Traditional hanzi to simplified, one character for one."""
    return text.translate(_simplified())


def shingle_text(text: str) -> str:
    """NFKC, lower case, only letters, digits and hanzi: what shingles are cut from."""
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", text).lower())


def count_hanzi(text: str) -> int:
    """The number of hanzi."""
    return len(_HANZI.findall(text))


def codepoints(text: str) -> npt.NDArray[np.uint32]:
    """The text as an array of code points, shape (len(text),)."""
    name = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
    return np.frombuffer(text.encode(name, "surrogatepass"), dtype=np.uint32)
