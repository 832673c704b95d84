"""Where two texts agree: aligned runs and the edits between them, with offsets.

Comparison is done on the normalised characters (letters, digits, hanzi); all
offsets are offsets into the original texts.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.clean import clean_with_offsets
from toolkit.fingerprints.shingles import window_hashes
from toolkit.language.normalise import codepoints
from toolkit.model import Field, Span


@dataclass(frozen=True)
class Mapped:
    """A normalised text and, for each of its characters, its offset in the original."""

    original: str
    text: str
    offsets: npt.NDArray[np.int64]
    field: Field = "body"

    def span(self, start: int, end: int) -> Span:
        """The stretch of the original behind ``text[start:end]`` (not empty)."""
        low, high = int(self.offsets[start]), int(self.offsets[end - 1]) + 1
        return Span(low, high, self.original[low:high], self.field)


@dataclass(frozen=True)
class Run:
    """``a.text[a_start:a_start + length] == b.text[b_start:b_start + length]``."""

    a_start: int
    b_start: int
    length: int


def mapped(original: str, field: Field = "body") -> Mapped:
    """Normalise a text and keep where each character came from."""
    text, offsets = clean_with_offsets(original)
    return Mapped(original, text, offsets, field)


def common_runs(a: str, b: str, shortest: int = 8, most: int = 200) -> list[Run]:
    """Maximal common runs, longest first, not overlapping in either text.

    Greedy string tiling: shared windows of ``shortest`` characters are found by
    hash and grown to maximal runs; the longest run is taken first and what it
    covers is closed to the others. Moved paragraphs are found too.
    """
    grown = _maximal_runs(a, b, shortest)
    grown.sort(key=lambda run: (-run.length, run.a_start, run.b_start))
    free_a = np.ones(len(a), dtype=bool)
    free_b = np.ones(len(b), dtype=bool)
    taken: list[Run] = []
    while grown and len(taken) < most:
        run = grown.pop(0)
        part = _free_part(run, free_a, free_b)
        if part is None or part.length < shortest:
            continue
        if part.length < run.length:
            position = 0
            while position < len(grown) and grown[position].length > part.length:
                position += 1
            grown.insert(position, part)
            continue
        taken.append(part)
        free_a[part.a_start : part.a_start + part.length] = False
        free_b[part.b_start : part.b_start + part.length] = False
    return taken


def _free_part(
    run: Run, free_a: npt.NDArray[np.bool_], free_b: npt.NDArray[np.bool_]
) -> Run | None:
    both = (
        free_a[run.a_start : run.a_start + run.length]
        & free_b[run.b_start : run.b_start + run.length]
    )
    if both.all():
        return run
    edges = np.flatnonzero(np.diff(np.concatenate([[0], both.view(np.int8), [0]])))
    if not len(edges):
        return None
    starts, ends = edges[::2], edges[1::2]
    best = int(np.argmax(ends - starts))
    start = int(starts[best])
    return Run(run.a_start + start, run.b_start + start, int(ends[best]) - start)


def _maximal_runs(a: str, b: str, shortest: int, repeats: int = 8) -> list[Run]:
    hashes_a = window_hashes(codepoints(a), shortest, seed=1)
    hashes_b = window_hashes(codepoints(b), shortest, seed=1)
    if not len(hashes_a) or not len(hashes_b):
        return []
    order = np.argsort(hashes_b, kind="stable")
    ordered = hashes_b[order]
    low = np.searchsorted(ordered, hashes_a, side="left")
    high = np.searchsorted(ordered, hashes_a, side="right")
    counts = np.minimum(high - low, repeats)  # a phrase repeated all over is not followed
    total = int(counts.sum())
    if not total:
        return []
    starts_a = np.repeat(np.arange(len(hashes_a)), counts)
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    starts_b = order[np.repeat(low, counts) + within]
    diagonal = starts_a - starts_b
    order = np.lexsort((starts_a, diagonal))
    starts_a, starts_b, diagonal = starts_a[order], starts_b[order], diagonal[order]
    breaks = np.flatnonzero((np.diff(diagonal) != 0) | (np.diff(starts_a) != 1)) + 1
    first = np.concatenate([[0], breaks])
    last = np.append(breaks, total) - 1
    lengths = starts_a[last] - starts_a[first] + shortest
    return [
        Run(int(x), int(y), int(size))
        for x, y, size in zip(starts_a[first], starts_b[first], lengths, strict=True)
    ]


def longest_run(a: str, b: str, shortest: int = 8) -> int:
    """Length of the longest common run, 0 when it is below ``shortest``."""
    return max((run.length for run in _maximal_runs(a, b, shortest)), default=0)


def run_matches(
    a: Mapped, b: Mapped, shortest: int = 8, most: int = 20
) -> tuple[dict[str, object], ...]:
    """The common runs as evidence, longest first."""
    return tuple(
        {
            "kind": "common_run",
            "a": a.span(run.a_start, run.a_start + run.length),
            "b": b.span(run.b_start, run.b_start + run.length),
            "length": run.length,
        }
        for run in common_runs(a.text, b.text, shortest, most)
    )


def ratio(a: str, b: str) -> float:
    """difflib's ratio of two texts, without its popularity heuristic; 0 if one is empty."""
    if not a or not b:
        return 0.0
    ratio_of_pair: float = _sequence_matcher()(None, a, b, autojunk=False).ratio()
    return ratio_of_pair


@lru_cache(maxsize=1)
def _sequence_matcher() -> Any:
    """cydifflib gives difflib's results several times faster, where it is installed."""
    try:
        from cydifflib import SequenceMatcher
    except ImportError:
        return difflib.SequenceMatcher
    return SequenceMatcher


def in_order(runs: list[Run]) -> tuple[list[Run], list[Run]]:
    """Split runs into those that keep their order in both texts, and moved ones.

    The kept ones are the heaviest chain that increases in both texts.
    """
    ordered = sorted(runs, key=lambda run: run.a_start)
    best: list[int] = []
    back: list[int] = []
    for i, run in enumerate(ordered):
        weight, previous = 0, -1
        for j in range(i):
            before = ordered[j]
            if before.b_start + before.length <= run.b_start and best[j] > weight:
                weight, previous = best[j], j
        best.append(weight + run.length)
        back.append(previous)
    chain: set[int] = set()
    at = int(np.argmax(best)) if best else -1
    while at >= 0:
        chain.add(at)
        at = back[at]
    kept = [run for i, run in enumerate(ordered) if i in chain]
    return kept, [run for i, run in enumerate(ordered) if i not in chain]


def edits(a: Mapped, b: Mapped, runs: list[Run]) -> tuple[dict[str, object], ...]:
    """What was done to text a to get text b, in the order of the texts.

    Each entry has a ``kind`` and the spans it concerns: "kept" and "moved" (a, b),
    "removed" (a), "added" (b), "replaced" (a, b).
    """
    kept, moved = in_order(runs)
    entries: list[tuple[int, int, dict[str, object]]] = []
    for kind, group in (("kept", kept), ("moved", moved)):
        for run in group:
            spans = {
                "a": a.span(run.a_start, run.a_start + run.length),
                "b": b.span(run.b_start, run.b_start + run.length),
            }
            entries.append((run.a_start, run.b_start, {"kind": kind, **spans}))
    end = Run(len(a.text), len(b.text), 0)
    at_a = at_b = 0
    for run in [*kept, end]:
        only_a = _without(at_a, run.a_start, [(m.a_start, m.length) for m in moved])
        only_b = _without(at_b, run.b_start, [(m.b_start, m.length) for m in moved])
        if len(only_a) == 1 and len(only_b) == 1:
            (a_low, a_high), (b_low, b_high) = only_a[0], only_b[0]
            spans = {"a": a.span(a_low, a_high), "b": b.span(b_low, b_high)}
            entries.append((a_low, b_low, {"kind": "replaced", **spans}))
        else:
            for low, high in only_a:
                entries.append((low, at_b, {"kind": "removed", "a": a.span(low, high)}))
            for low, high in only_b:
                entries.append((at_a, low, {"kind": "added", "b": b.span(low, high)}))
        at_a, at_b = run.a_start + run.length, run.b_start + run.length
    entries.sort(key=lambda entry: (entry[0], entry[1]))
    return tuple(entry for _, _, entry in entries)


def _without(start: int, end: int, holes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of start .. end that no hole (start, length) covers."""
    parts = []
    for low, length in sorted(holes):
        if low >= end or low + length <= start:
            continue
        if low > start:
            parts.append((start, low))
        start = max(start, low + length)
    if start < end:
        parts.append((start, end))
    return parts
