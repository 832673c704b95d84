"""Cosine similarity of sparse rows, in blocks: never a dense matrix of all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

_BLOCK = 256


def unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows scaled to length 1; empty rows stay 0."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sparse.csr_matrix(sparse.diags(scale) @ matrix)


def pair_cosines(
    unit: sparse.csr_matrix, pairs: npt.NDArray[np.int32], block: int = 65536
) -> npt.NDArray[np.float64]:
    """Cosines of the given pairs of unit rows, shape (m,), clipped to 0 .. 1."""
    result = np.zeros(len(pairs))
    for start in range(0, len(pairs), block):
        part = pairs[start : start + block]
        product = unit[part[:, 0]].multiply(unit[part[:, 1]])
        result[start : start + block] = np.asarray(product.sum(axis=1)).ravel()
    return np.clip(result, 0.0, 1.0)


def pairs_above(unit: sparse.csr_matrix, floor: float) -> npt.NDArray[np.int32]:
    """Pairs (i, j), i < j, whose cosine is above ``floor`` (0: any overlap), shape (m, 2)."""
    n = unit.shape[0]
    transposed = unit.T.tocsc()
    found = [np.empty((0, 2), dtype=np.int32)]
    for start in range(0, n, _BLOCK):
        product = (unit[start : start + _BLOCK] @ transposed[:, start:]).tocoo()
        keep = (product.data > floor) & (product.col > product.row)
        rows, columns = product.row[keep] + start, product.col[keep] + start
        order = np.lexsort((columns, rows))
        found.append(np.column_stack([rows, columns])[order].astype(np.int32))
    return np.concatenate(found)
