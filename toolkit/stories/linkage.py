"""Average linkage on a sparse graph with vetoes, in rounds of whole arrays.

Two groups join when each is the other's best neighbour, their mean support reaches
the cut and nothing speaks against it. Average linkage is reducible (joining A and B
makes neither more alike to C than the better of the two was), and every veto is
monotone (what is refused stays refused as groups grow), so joining all mutual best
neighbours of a round at once gives the same groups as joining one pair at a time
(Murtagh 1983, reciprocal nearest neighbours). Ties are broken by a hash of ids, so
the order of the input plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Why two groups with an edge between them were not joined.
REASONS = ("joined", "cohesion", "contradiction", "cannot_link", "span")
JOINED, COHESION, CONTRADICTION, CANNOT_LINK, SPAN = range(5)


@dataclass
class Edges:
    """Undirected edges between n units, first < second, each pair once.

    ``support`` is the share (0..1) of compared pairs behind the edge that were decided
    positive; ``strength`` orders the joins; ``known`` counts the compared pairs.
    """

    first: Ints
    second: Ints
    support: Floats
    strength: Floats
    known: Floats

    def __len__(self) -> int:
        return len(self.first)


@dataclass
class Units:
    """What is known of each of n units.

    ``low``/``high`` (n, d) are intervals of properties of the occurrence (day,
    calendar day, magnitude), -inf/inf where unknown; two units contradict each other
    when the gap between their intervals exceeds ``tolerance`` (d,). ``start``/``end``
    (n,) are first and last publication in days, inf/-inf where unknown.
    """

    hashes: npt.NDArray[np.uint64]
    low: Floats
    high: Floats
    tolerance: Floats
    start: Floats
    end: Floats
    #: texts in each unit (None: one each); two single texts may always form a pair
    texts: Ints | None = None

    def __len__(self) -> int:
        return len(self.hashes)


def components(n: int, first: Ints, second: Ints) -> Ints:
    """Connected components of n units, shape (n,), labels 0 .. k - 1."""
    ones = np.ones(len(first), np.int8)
    graph = coo_matrix((ones, (first, second)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def contract(
    label: Ints, first: Ints, second: Ints, *values: Floats
) -> tuple[Ints, Ints, list[Floats]]:
    """Edges between labels: loops dropped, parallel edges summed."""
    a, b = label[first], label[second]
    low, high = np.minimum(a, b), np.maximum(a, b)
    keep = low != high
    if not keep.all():
        low, high = low[keep], high[keep]
        values = tuple(v[keep] for v in values)
    if not len(low):
        return low, high, list(values)
    span = int(high.max()) + 1
    codes = low * span + high
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    low, high = np.divmod(codes[starts], span)
    return low, high, [np.add.reduceat(v[order], starts) for v in values]


def _pair_hash(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    value = (a ^ b) + (a & b) * np.uint64(3)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(29)
    return value


@dataclass
class _State:
    """Groups during the rounds; row r is the group whose root is unit r."""

    hashes: npt.NDArray[np.uint64]
    low: Floats
    high: Floats
    start: Floats
    end: Floats
    weight: Floats  # units in the group, in the measure of the denominators
    count: Ints  # texts in the group

    def merge(self, kept: Ints, gone: Ints) -> None:
        self.hashes[kept] = np.minimum(self.hashes[kept], self.hashes[gone])
        self.low[kept] = np.maximum(self.low[kept], self.low[gone])
        self.high[kept] = np.minimum(self.high[kept], self.high[gone])
        self.start[kept] = np.minimum(self.start[kept], self.start[gone])
        self.end[kept] = np.maximum(self.end[kept], self.end[gone])
        self.weight[kept] += self.weight[gone]
        self.count[kept] += self.count[gone]


@dataclass(frozen=True)
class Linked:
    """Labels (n,) and, for each pair of groups left apart, why.

    ``first``/``second`` are labels of groups, ``reason`` positions in ``REASONS``,
    ``support`` the mean support between them.
    """

    labels: Ints
    first: Ints
    second: Ints
    reason: npt.NDArray[np.int8]
    support: Floats


def link(
    units: Units,
    edges: Edges,
    cut: float,
    max_span: float = np.inf,
    over: str = "all",
    apart: tuple[Ints, Ints] | None = None,
    contradictions: bool = True,
    attach: float | None = None,
) -> Linked:
    """Group units by guarded average linkage.

    Args:
        units, edges: see their classes.
        cut: least mean support of a join, 0..1.
        max_span: longest publication span of a group of three or more, in days.
        over: "all" divides by all pairs between two groups (pairs never compared
            count as not supported); "known" by the compared ones only.
        apart: pairs of units that must not be in one group (cannot-link).
        contradictions: use the intervals of the units as vetoes.
        attach: least mean support between a group and one unit (None: ``cut``).
    """
    n = len(units)
    state = _State(
        units.hashes.copy(), units.low.copy(), units.high.copy(), units.start.copy(),
        units.end.copy(), np.ones(n),
        np.ones(n, np.int64) if units.texts is None else units.texts.copy(),
    )  # fmt: skip
    root = np.arange(n, dtype=np.int64)
    positive = edges.support * edges.known if over == "known" else edges.support
    a, b, parts = contract(root, edges.first, edges.second, positive, edges.strength, edges.known)
    support, strength, known = parts
    no = np.empty(0, np.int64)
    c, d = (no, no) if apart is None else contract(root, apart[0], apart[1])[:2]
    tolerance = units.tolerance

    def veto(a: Ints, b: Ints, c: Ints, d: Ints) -> npt.NDArray[np.int8]:
        reason = np.zeros(len(a), np.int8)
        both = state.count[a] + state.count[b] > 2
        with np.errstate(invalid="ignore"):
            span = np.maximum(state.end[a], state.end[b]) - np.minimum(
                state.start[a], state.start[b]
            )
        reason[both & (span > max_span)] = SPAN
        if contradictions:
            gap = np.maximum(state.low[a], state.low[b]) - np.minimum(state.high[a], state.high[b])
            reason[(gap > tolerance).any(axis=1)] = CONTRADICTION
        if len(c):
            reason[np.isin(a * n + b, c * n + d)] = CANNOT_LINK
        return reason

    def mean(value: Floats, a: Ints, b: Ints, known: Floats) -> Floats:
        return value / (known if over == "known" else state.weight[a] * state.weight[b])

    single = cut if attach is None else min(attach, cut)

    while len(a):
        reason = veto(a, b, c, d)
        needed = np.where(np.minimum(state.weight[a], state.weight[b]) < 2, single, cut)
        live = (mean(support, a, b, known) >= needed - 1e-9) & (reason == 0)
        if not live.any():
            break
        # a group without a live edge never gets one: leave its edges out from here on
        awake = np.zeros(n, bool)
        awake[a[live]] = True
        awake[b[live]] = True
        keep = awake[a] & awake[b]
        if not keep.all():
            a, b, live = a[keep], b[keep], live[keep]
            support, strength, known = support[keep], strength[keep], known[keep]
        x, y = a[live], b[live]
        level = mean(strength[live], x, y, known[live])
        key = (np.minimum(np.rint(level * 4000), 65535).astype(np.uint64) << np.uint64(48)) | (
            _pair_hash(state.hashes[x], state.hashes[y]) >> np.uint64(16)
        )
        best = np.zeros(n, np.uint64)
        np.maximum.at(best, x, key)
        np.maximum.at(best, y, key)
        mutual = (key == best[x]) & (key == best[y])
        kept, gone = x[mutual], y[mutual]
        alone = np.bincount(kept, minlength=n)[kept] + np.bincount(gone, minlength=n)[gone] == 2
        chained = np.isin(kept, gone) | np.isin(gone, kept)
        if (alone & ~chained).any():  # equal keys of one group: a collision, next round
            kept, gone = kept[alone & ~chained], gone[alone & ~chained]
        else:
            kept, gone = kept[:1], gone[:1]
        state.merge(kept, gone)
        step = np.arange(n, dtype=np.int64)
        step[gone] = kept
        root = step[root]
        a, b, parts = contract(step, a, b, support, strength, known)
        support, strength, known = parts
        if len(c):
            c, d, _ = contract(step, c, d)

    names, labels = np.unique(root, return_inverse=True)
    a, b, parts = contract(root, edges.first, edges.second, positive, edges.known)
    final = contract(root, apart[0], apart[1])[:2] if apart is not None and len(apart[0]) else None
    reason = veto(a, b, *(final or (no, no)))
    value = mean(parts[0], a, b, parts[1])
    reason[reason == 0] = COHESION
    return Linked(labels, np.searchsorted(names, a), np.searchsorted(names, b), reason, value)
