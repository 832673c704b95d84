"""Shared text that says nothing about the news: it repeats where nothing else does.

A legal notice, a recruiting text, a list of captions or a stock background paragraph
stands on many pages. Passages are followed by their anchors
(``toolkit.fingerprints.anchors``); a passage is boilerplate when its carriers are
unrelated: their titles have nothing in common, or none of their titles is told of
in the passage. Only articles up to the later one of a pair are asked, so that the
verdict is the same for a batch and for articles that arrive one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.anchors import ANCHOR_SEED, WIDTH
from toolkit.fingerprints.shingles import Hashes, window_hashes
from toolkit.language.normalise import codepoints
from toolkit.matching.copy_parts import CopyParts, dice, support

#: carriers that must be known before titles are compared, and before they are read
LEAST_CARRIERS = 3
LEAST_CARRIERS_READ = 4
#: mean Dice of the carriers' titles below this: unrelated (reprints: 0.2 to 0.9)
TITLES_UNRELATED = 0.10
#: mean share of the titles found in the passage below this: it tells of something else
TITLES_UNTOLD = 0.12
#: a shorter passage cannot be expected to tell of the title
LEAST_PASSAGE = 80
#: a title of fewer bigrams says too little
_LEAST_TITLE = 4
_MOST_CARRIERS = 12


@dataclass(frozen=True)
class Repeats:
    """How much of what two texts share is boilerplate.

    ``share`` is the share of their common anchors on boilerplate passages;
    ``carriers`` the largest number of articles seen to carry one of those.
    """

    share: float = 0.0
    carriers: int = 0


def repeats(
    a: CopyParts,
    b: CopyParts,
    later: int,
    carriers: Callable[[int], npt.NDArray[np.int32]],
    titles: Callable[[int], frozenset[str]],
) -> Repeats:
    """Judge the passages two articles share.

    Args:
        a, b: the two articles.
        later: number of the later of them.
        carriers: gives the numbers of the articles that hold an anchor, ascending.
        titles: gives the title bigrams of an article by its number.
    """
    common = common_anchors(a, b)
    if not len(common):
        return Repeats()
    passages: dict[bytes, list[int]] = {}
    for anchor in common.tolist():
        holders = carriers(anchor)
        holders = holders[: int(np.searchsorted(holders, later, side="right"))]
        if len(holders) >= LEAST_CARRIERS:
            passages.setdefault(holders.astype(np.int64).tobytes(), []).append(anchor)
    if not passages:
        return Repeats()
    flagged, most = 0, 0
    hashes = window_hashes(codepoints(a.text.text), WIDTH, ANCHOR_SEED)
    for key, group in passages.items():
        holders = np.frombuffer(key, dtype=np.int64)
        recent = [titles(int(i)) for i in holders[-_MOST_CARRIERS:]]
        where = np.flatnonzero(np.isin(hashes, np.array(group, dtype=np.uint64)))
        passage = a.text.text[int(where.min()) : int(where.max()) + WIDTH]
        if _unrelated(recent, passage):
            flagged += len(group)
            most = max(most, len(holders))
    return Repeats(flagged / len(common), most)


def _unrelated(titles: Sequence[frozenset[str]], passage: str) -> bool:
    titles = [title for title in titles if len(title) >= _LEAST_TITLE]
    if len(titles) < LEAST_CARRIERS:
        return False
    alike = [dice(a, b) for k, a in enumerate(titles) for b in titles[:k]]
    if sum(alike) / len(alike) < TITLES_UNRELATED:
        return True
    if len(titles) < LEAST_CARRIERS_READ or len(passage) < LEAST_PASSAGE:
        return False
    return sum(support(title, passage) for title in titles) / len(titles) < TITLES_UNTOLD


def common_anchors(a: CopyParts, b: CopyParts) -> Hashes:
    """The anchors both articles hold."""
    return np.intersect1d(a.anchors, b.anchors, assume_unique=True)
