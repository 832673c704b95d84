"""Character frequencies over the 6,763 hanzi of GB2312."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from scipy import sparse

from toolkit.language.normalise import codepoints


@lru_cache(maxsize=1)
def gb2312_hanzi() -> str:
    """The 6,763 hanzi in the order of the standard (rows 16 to 87)."""
    cells = bytearray()
    for row in range(0xA0 + 16, 0xA0 + 88):
        for column in range(0xA1, 0xFF):
            cells += bytes((row, column))
    return bytes(cells).decode("gb2312", "ignore")


@lru_cache(maxsize=1)
def _columns() -> np.ndarray:
    table = np.full(0x110000, -1, dtype=np.int32)
    hanzi = gb2312_hanzi()
    table[codepoints(hanzi)] = np.arange(len(hanzi), dtype=np.int32)
    table.setflags(write=False)
    return table


def count_matrix(texts: Iterable[str]) -> sparse.csr_matrix:
    """Raw counts of each hanzi, shape (n, 6763)."""
    table = _columns()
    indices, data, indptr = [np.empty(0, np.int32)], [np.empty(0, np.int64)], [0]
    for text in texts:
        columns = table[codepoints(text)]
        values, counts = np.unique(columns[columns >= 0], return_counts=True)
        indices.append(values)
        data.append(counts)
        indptr.append(indptr[-1] + len(values))
    shape = (len(indptr) - 1, len(gb2312_hanzi()))
    matrix = (np.concatenate(data).astype(np.float64), np.concatenate(indices), indptr)
    return sparse.csr_matrix(matrix, shape=shape)
