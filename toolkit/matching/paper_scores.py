"""Definitions 1 to 6 of the paper, for many pairs of pages at once.

Everything counted is kept: n, v, N, V, k, K of matched records, w, W, d, Dsim, D.
The named readings of ``PaperConfig`` choose how the scores follow from the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from toolkit.config import PaperConfig
from toolkit.matching.method import Pairs
from toolkit.matching.records import FIELD, Ints, RecordIndex

Floats = npt.NDArray[np.float64]
_CHUNK_RECORDS = 1500


@dataclass
class PairCounts:
    """Counts of m pairs of pages, and their M matched records.

    Record matches are one-to-one, best first, down to ``floor``; those of a higher
    Wsim threshold are the ones with ``wsim`` at least that, because the best are
    taken first. ``agree_a`` counts the phrases of record a that agree with one of
    record b, ``size_a`` all phrases of record a.
    """

    floor: float
    records_a: Ints  # (m,) W_i
    records_b: Ints
    total_a: Ints  # (m,) D_i
    total_b: Ints
    agreeing_a: Ints  # (m,) phrases of i that agree with one of j
    agreeing_b: Ints
    pair: Ints  # (M,) row of the pair
    a: Ints  # (M,) record of the first page
    b: Ints
    wsim: Floats
    n: Ints  # (M,) matched nouns
    v: Ints
    k: Ints
    agree_a: Ints
    agree_b: Ints
    size_a: Ints
    size_b: Ints

    def __len__(self) -> int:
        return len(self.records_a)


@dataclass
class PairScores:
    """Scores of m pairs under one set of settings; all arrays are (m,)."""

    w: Ints
    tsim: Floats
    phrases: Ints  # D
    agreeing: Ints  # d
    on_matched: Ints  # Dsim
    coherence: Floats
    credibility: Floats


def ratio(top: npt.ArrayLike, bottom: npt.ArrayLike) -> Floats:
    """top / bottom, 0 where bottom is 0."""
    numerator = np.asarray(top, dtype=np.float64)
    denominator = np.asarray(bottom, dtype=np.float64)
    out = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


def word_share(matched: Ints, a: Ints, b: Ints, reading: str) -> Floats:
    """Ssim and Ksim: matched words over words (Definitions 1 and 2)."""
    if reading == "longer":
        return ratio(matched, np.maximum(a, b))
    return ratio(2 * matched, a + b)


def count_pairs(index: RecordIndex, pairs: Pairs, config: PaperConfig, floor: float) -> PairCounts:
    """Match the records of every pair of pages.

    Args:
        pairs: (m, 2) page indices.
        floor: least Wsim of a record match; above 0.
    """
    floor = max(floor, 1e-6)
    i, j = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    m = len(pairs)
    agreeing_a = np.zeros(m, dtype=np.int64)
    agreeing_b = np.zeros(m, dtype=np.int64)
    collected: list[tuple[Ints, Ints, Ints, Floats, Ints]] = []
    transposed = index.packed.T.tocsr()
    reach_t, phrases_t = index.agreeing.T.tocsr(), index.phrases.T.tocsr()
    order = np.argsort(i, kind="stable")
    for pages in _page_chunks(index, np.unique(i)):
        low, high = np.searchsorted(i[order], [pages[0], pages[-1] + 1])
        rows = order[low:high]
        local = np.searchsorted(pages, i[rows])
        ours = (index.phrases[pages] @ reach_t).toarray()
        agreeing_a[rows] = ours[local, j[rows]]
        theirs = (index.agreeing[pages] @ phrases_t).toarray()
        agreeing_b[rows] = theirs[local, j[rows]]
        row_of = np.full((len(pages), index.pages), -1, dtype=np.int64)
        row_of[local, j[rows]] = rows
        matches = _record_matches(index, pages, row_of, transposed, config, floor)
        collected.append(_best_first(index, *matches))
    parts = [np.concatenate(part) for part in zip(*collected, strict=True)] if collected else []
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        parts = [empty, empty, empty, np.zeros(0), empty]
    pair, a, b, wsim, product = parts
    agree_a, agree_b = _agreeing_on(index, a, b)
    sizes = np.diff(index.phrase_first)
    counts = np.diff(index.first)
    return PairCounts(
        floor=floor,
        records_a=counts[i],
        records_b=counts[j],
        total_a=index.totals[i],
        total_b=index.totals[j],
        agreeing_a=agreeing_a,
        agreeing_b=agreeing_b,
        pair=pair,
        a=a,
        b=b,
        wsim=wsim,
        n=product % FIELD,
        v=product // FIELD % FIELD,
        k=product // (FIELD * FIELD),
        agree_a=agree_a,
        agree_b=agree_b,
        size_a=sizes[a],
        size_b=sizes[b],
    )


def _page_chunks(index: RecordIndex, pages: Ints) -> list[Ints]:
    """Pages in groups of about ``_CHUNK_RECORDS`` records."""
    if not len(pages):
        return []
    sizes = np.diff(index.first)[pages]
    group = np.cumsum(sizes) // _CHUNK_RECORDS
    return [np.asarray(part) for part in np.split(pages, np.flatnonzero(np.diff(group)) + 1)]


def _record_matches(
    index: RecordIndex,
    pages: Ints,
    row_of: Ints,
    transposed: object,
    config: PaperConfig,
    floor: float,
) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """All record pairs of the wanted page pairs with Wsim >= floor."""
    records = np.concatenate([np.arange(index.first[p], index.first[p + 1]) for p in pages])
    product = (index.packed[records] @ transposed).tocoo()
    a, b = records[product.row], product.col.astype(np.int64)
    local = np.searchsorted(pages, index.page_of[a])
    pair = row_of[local, index.page_of[b]]
    keep = pair >= 0
    a, b, pair, values = a[keep], b[keep], pair[keep], product.data[keep]
    wsim = wsim_of(index, a, b, values, config)
    keep = wsim >= floor - 1e-12
    return pair[keep], a[keep], b[keep], wsim[keep], values[keep]


def wsim_of(index: RecordIndex, a: Ints, b: Ints, packed: Ints, config: PaperConfig) -> Floats:
    """Wsim = (Ssim + Ksim) / 2 of record pairs (Definition 3)."""
    words = packed % FIELD + packed // FIELD % FIELD
    sizes = index.nouns + index.verbs
    ssim = word_share(words, sizes[a], sizes[b], config.word_share)
    core = packed // (FIELD * FIELD)
    ksim = word_share(core, index.cores[a], index.cores[b], config.word_share)
    return (ssim + ksim) / 2


def _best_first(
    index: RecordIndex, pair: Ints, a: Ints, b: Ints, wsim: Floats, product: Ints
) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """The matches a one-to-one matching keeps, by pair and best first."""
    order = np.lexsort((b, a, -wsim, pair))
    kept = order[one_to_one(pair[order], a[order], b[order], index.records)]
    return pair[kept], a[kept], b[kept], wsim[kept], product[kept]


def one_to_one(pair: Ints, a: Ints, b: Ints, records: int) -> npt.NDArray[np.bool_]:
    """Which rows a greedy one-to-one matching keeps; rows sorted by pair, best first."""
    keep = np.zeros(len(pair), dtype=bool)
    used_a = [-1] * records
    used_b = [-1] * records
    rows = zip(pair.tolist(), a.tolist(), b.tolist(), strict=True)
    for row, (number, first, second) in enumerate(rows):
        if used_a[first] != number and used_b[second] != number:
            used_a[first] = used_b[second] = number
            keep[row] = True
    return keep


def _agreeing_on(index: RecordIndex, a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Agreeing phrases of matched records, counted on either side."""
    sizes = np.diff(index.phrase_first)
    cells = sizes[a] * sizes[b]
    match = np.repeat(np.arange(len(a)), cells)
    within = np.arange(int(cells.sum())) - np.repeat(np.cumsum(cells) - cells, cells)
    width = sizes[b][match]
    x, y = within // np.maximum(width, 1), within % np.maximum(width, 1)
    left = index.phrase_ids[index.phrase_first[a[match]] + x]
    right = index.phrase_ids[index.phrase_first[b[match]] + y]
    wanted = left * index.distinct + right
    at = np.searchsorted(index.agree_keys, wanted)
    at = np.minimum(at, max(len(index.agree_keys) - 1, 0))
    agree = index.agree_keys[at] == wanted if len(wanted) else np.zeros(0, dtype=bool)
    most = int(sizes.max(initial=0)) + 1
    out = []
    for position in (x, y):
        cell = np.unique((match * most + position)[agree])
        out.append(np.bincount(cell // most, minlength=len(a)).astype(np.int64))
    return out[0], out[1]


def score_pairs(counts: PairCounts, config: PaperConfig) -> PairScores:
    """Tsim, Dcoherence and Dcredibility under the readings and ``wsim_min`` of ``config``."""
    m = len(counts)
    kept = counts.wsim >= config.wsim_min - 1e-12
    pair = counts.pair[kept]

    def per_pair(values: Ints) -> Ints:
        return np.bincount(pair, weights=values[kept], minlength=m).astype(np.int64)

    w = np.bincount(pair, minlength=m).astype(np.int64)
    agree_a, agree_b = per_pair(counts.agree_a), per_pair(counts.agree_b)
    size_a, size_b = per_pair(counts.size_a), per_pair(counts.size_b)
    phrases, agreeing, on_matched = _of_page(counts, agree_a, agree_b, config.phrase_total)
    if config.coherence == "printed":
        coherence = ratio(on_matched, agreeing)
    elif config.coherence == "layout":
        coherence = ratio(agreeing, on_matched)
    elif config.coherence_over == "all":
        coherence = ratio(agree_a + agree_b, counts.total_a + counts.total_b)
    else:
        coherence = ratio(agree_a + agree_b, size_a + size_b)
    return PairScores(
        w=w,
        tsim=ratio(w, np.minimum(counts.records_a, counts.records_b)),
        phrases=phrases,
        agreeing=agreeing,
        on_matched=on_matched,
        coherence=coherence,
        credibility=ratio(agreeing, phrases),
    )


def _of_page(
    counts: PairCounts, agree_a: Ints, agree_b: Ints, reading: str
) -> tuple[Ints, Ints, Ints]:
    """D, d and Dsim of the smaller page, the larger one, or both together."""
    d_a, d_b = counts.agreeing_a, counts.agreeing_b
    if reading == "both":
        return counts.total_a + counts.total_b, d_a + d_b, agree_a + agree_b
    first = counts.total_a < counts.total_b
    tie = counts.total_a == counts.total_b
    if reading == "larger":
        first = counts.total_a > counts.total_b
    phrases = np.where(first, counts.total_a, counts.total_b)
    agreeing = np.where(tie, np.minimum(d_a, d_b), np.where(first, d_a, d_b))
    matched = np.where(tie, np.minimum(agree_a, agree_b), np.where(first, agree_a, agree_b))
    return phrases, agreeing, matched


def join_scores(parts: Sequence[PairScores]) -> PairScores:
    """The scores of consecutive slices of pairs as one."""
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(PairScores)
    }
    return PairScores(**columns)


def gates(scores: PairScores, config: PaperConfig) -> npt.NDArray[np.bool_]:
    """True where the method may judge: D and Dcredibility exceed their thresholds."""
    return (scores.phrases > config.min_phrases) & (scores.credibility > config.credibility_min)


def margin(values: Floats, least: float) -> Floats:
    """A value in [0, 1] on a scale where exceeding ``least`` means at least 0.5.

    Monotone: [0, least] goes to [0, 0.5), (least, 1] to [0.5, 1].
    """
    clipped = np.clip(values, 0.0, 1.0)
    below = ratio(clipped, np.full_like(clipped, least)) * (0.5 - 1e-9)
    above = 0.5 + 0.5 * ratio(clipped - least, np.full_like(clipped, 1 - least))
    return np.where(clipped > least, above, below)


def decision_score(scores: PairScores, config: PaperConfig) -> Floats:
    """One number for RM: the smaller margin of Dcoherence and Tsim; >= 0.5 where RM = 1."""
    return np.minimum(
        margin(scores.coherence, config.coherence_min), margin(scores.tsim, config.tsim_min)
    )
