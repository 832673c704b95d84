"""Band keys and anchors of many texts, in chunks: the fast road from texts to keys.

Two engines do the same arithmetic and give the same bits: numpy, and a kernel
compiled by numba (extra ``fast``). Per chunk the texts are cleaned, hashed once and
reduced to signatures; nothing per shingle is kept, so memory does not grow with the
length of the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from toolkit.errors import MissingExtra
from toolkit.fingerprints.anchors import ANCHOR_SEED, SAMPLE, WIDTH
from toolkit.fingerprints.clean import Cleaned, clean_codes, identity, raw_codes, table
from toolkit.fingerprints.minhash import EMPTY, Signatures, band_keys, bins, densify
from toolkit.fingerprints.shingles import Hashes, ShingleSets, base, window_hashes
from toolkit.language.normalise import shingle_text

Engine = Literal["auto", "numpy", "numba"]

_CHUNK = 512


@dataclass(frozen=True)
class Fingerprints:
    """What candidates are found with.

    ``keys``: band keys, shape (n, bands). ``usable``: False where a text is shorter
    than one shingle. ``anchors``: the anchors of each text, empty when not asked for.
    """

    keys: Hashes
    usable: npt.NDArray[np.bool_]
    anchors: ShingleSets


def choose_engine(engine: Engine) -> Literal["numpy", "numba"]:
    """The engine to use: "auto" takes numba where it is installed.

    Raises:
        MissingExtra: numba was asked for and is not installed.
    """
    if engine == "numpy":
        return "numpy"
    try:
        import numba  # noqa: F401
    except ImportError:
        if engine == "numba":
            raise MissingExtra("fingerprint engine numba", "fast") from None
        return "numpy"
    return "numba"


def fingerprint_texts(
    texts: Sequence[str],
    bands: int,
    rows: int,
    shingle: int = 5,
    seed: int = 1,
    engine: Engine = "auto",
    with_anchors: bool = True,
    progress: bool = False,
) -> Fingerprints:
    """Fingerprints of texts that are not normalised yet."""
    n, k = len(texts), bands * rows
    keys = np.empty((n, bands), dtype=np.uint64)
    usable = np.empty(n, dtype=bool)
    held: list[Hashes] = []
    counts: list[npt.NDArray[np.int64]] = []
    reduce = _numba_minima if choose_engine(engine) == "numba" else _numpy_minima
    starts = range(0, n, _CHUNK)
    for start in tqdm(starts, desc="fingerprints", unit="chunk", disable=not progress):
        stop = min(start + _CHUNK, n)
        part = texts[start:stop]
        minima, lengths = reduce(part, k, shingle, seed)
        usable[start:stop] = lengths >= shingle
        keys[start:stop] = band_keys(densify(minima, seed), bands, rows)
        if with_anchors:
            anchors = chunk_anchors(clean_codes(part))
            held.append(anchors.hashes)
            counts.append(anchors.sizes)
    sizes = np.concatenate(counts) if counts else np.zeros(n, dtype=np.int64)
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    hashes = np.concatenate(held) if held else np.empty(0, dtype=np.uint64)
    return Fingerprints(keys, usable, ShingleSets(hashes, indptr))


Lengths = npt.NDArray[np.int64]


def _numba_minima(
    texts: Sequence[str], k: int, shingle: int, seed: int
) -> tuple[Signatures, Lengths]:
    from toolkit.fingerprints.kernels import clean_minima

    raw, edges = raw_codes(texts)
    minima = np.full((len(texts), k), EMPTY, dtype=np.uint64)
    lengths = np.empty(len(texts), dtype=np.int64)
    odd = np.empty(len(texts), dtype=np.bool_)
    factor = np.uint64(base(seed))
    clean_minima(raw, edges, table(), shingle, factor, minima, lengths, odd)
    for i in np.flatnonzero(odd).tolist():
        codes, ends = raw_codes([shingle_text(texts[i])])
        minima[i] = EMPTY
        rows = (minima[i : i + 1], lengths[i : i + 1], odd[i : i + 1])
        clean_minima(codes, ends, identity(), shingle, factor, *rows)
    return minima, lengths


def _numpy_minima(
    texts: Sequence[str], k: int, shingle: int, seed: int
) -> tuple[Signatures, Lengths]:
    cleaned = clean_codes(texts)
    hashes = window_hashes(cleaned.codes, shingle, seed)
    minima = np.full(len(cleaned) * k, EMPTY, dtype=np.uint64)
    counts = np.maximum(np.diff(cleaned.indptr) - shingle + 1, 0)
    document = np.repeat(np.arange(len(cleaned), dtype=np.int64), counts)
    if len(document) != len(hashes):  # windows that reach into the next text
        hashes = hashes[_inner(cleaned, counts)]
    np.minimum.at(minima, document * k + bins(hashes, k), hashes)
    return minima.reshape(len(cleaned), k), np.diff(cleaned.indptr)


def _inner(cleaned: Cleaned, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Positions of the windows that lie inside one text."""
    shift = np.repeat(cleaned.indptr[:-1] - (np.cumsum(counts) - counts), counts)
    return np.arange(int(counts.sum()), dtype=np.int64) + shift


def chunk_anchors(cleaned: Cleaned) -> ShingleSets:
    """The distinct anchors of every text of a chunk (see ``anchors``)."""
    hashes = window_hashes(cleaned.codes, WIDTH, ANCHOR_SEED)
    chosen = np.flatnonzero(hashes % np.uint64(SAMPLE) == 0)
    document = np.searchsorted(cleaned.indptr, chosen, side="right") - 1
    inside = chosen + WIDTH <= cleaned.indptr[document + 1]
    document, hashes = document[inside], hashes[chosen[inside]]
    order = np.lexsort((hashes, document))
    document, hashes = document[order], hashes[order]
    if len(hashes):
        fresh = np.concatenate(
            [[True], (hashes[1:] != hashes[:-1]) | (document[1:] != document[:-1])]
        )
        document, hashes = document[fresh], hashes[fresh]
    sizes = np.bincount(document, minlength=len(cleaned))
    return ShingleSets(hashes, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
