"""Decided pairs as arrays: what the story layer is built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from toolkit.matching.method import DUPLICATE, Decisions, PairMethod, Pairs, Scores
from toolkit.model import COPY_RELATIONS, DUPLICATE_RELATIONS, RELATIONS

RELATION_CODE = {name: code for code, name in enumerate(RELATIONS)}
_COPY = np.array([name in COPY_RELATIONS for name in RELATIONS])
_DUPLICATE = np.array([name in DUPLICATE_RELATIONS for name in RELATIONS])
_SAME_TEXT = np.array([name in ("url_variant", "identical") for name in RELATIONS])


@dataclass(frozen=True)
class DecidedPairs:
    """Pairs a method compared, and what it said.

    ``pairs`` int32 (m, 2), indices into the articles; ``score`` float64 (m,);
    ``outcome`` int8 (m,) as in ``toolkit.matching.method``; ``relation`` int8 (m,),
    positions in ``toolkit.model.RELATIONS``. Pairs that were compared and found
    different belong here too: they speak against a cluster.
    """

    pairs: Pairs
    score: Scores
    outcome: npt.NDArray[np.int8]
    relation: npt.NDArray[np.int8]
    method: str = ""
    threshold: float | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def duplicate(self) -> npt.NDArray[np.bool_]:
        """Pairs decided to be of one event or closer, shape (m,)."""
        return (self.outcome == DUPLICATE) & _DUPLICATE[self.relation]

    @property
    def copy(self) -> npt.NDArray[np.bool_]:
        """Pairs of which one text was made from the other, shape (m,)."""
        return (self.outcome == DUPLICATE) & _COPY[self.relation]

    @property
    def same_text(self) -> npt.NDArray[np.bool_]:
        """Pairs of one text (identical or one page under two URLs), shape (m,)."""
        return (self.outcome == DUPLICATE) & _SAME_TEXT[self.relation]

    @property
    def excerpt(self) -> npt.NDArray[np.bool_]:
        """Pairs of which one text holds only a passage of the other, shape (m,)."""
        return (self.outcome == DUPLICATE) & (self.relation == RELATION_CODE["excerpt"])

    @property
    def same_story(self) -> npt.NDArray[np.bool_]:
        """Pairs of one story line but not one event, shape (m,)."""
        return self.relation == RELATION_CODE["same_story"]

    @property
    def strength(self) -> Scores:
        """0.5 at the threshold to 1 at score 1 for duplicates, 0 for the others."""
        low = 0.0 if self.threshold is None else float(self.threshold)
        room = max(1.0 - low, 1e-9)
        value = 0.5 + 0.5 * np.clip((self.score - low) / room, 0.0, 1.0)
        return np.where(self.duplicate, value, 0.0)


def decided_pairs(
    pairs: Pairs,
    score: Scores,
    decisions: Decisions,
    method: str = "",
    threshold: float | None = None,
) -> DecidedPairs:
    """Pack the answers of a method's ``score`` and ``decide``."""
    codes = np.fromiter(
        (RELATION_CODE[name] for name in decisions.relation), np.int8, len(decisions.relation)
    )
    return DecidedPairs(
        np.asarray(pairs, np.int32).reshape(-1, 2),
        np.asarray(score, np.float64),
        np.asarray(decisions.outcome, np.int8),
        codes,
        method,
        threshold,
    )


def pairs_of_method(method: PairMethod, threshold: float | None = None) -> DecidedPairs:
    """Candidates of a fitted method, scored and decided."""
    pairs = method.candidates()
    scores = method.score(pairs)
    decisions = method.decide(pairs, scores, threshold)
    cut = method.threshold if threshold is None else threshold
    return decided_pairs(pairs, scores, decisions, method.name, cut)


def overlay(decided: DecidedPairs, copies: DecidedPairs, n: int) -> DecidedPairs:
    """Add what the copy layer found to the decisions of an event method.

    A pair the copy layer calls a copy keeps that relation whatever the event method
    says: one text tells of one event. An excerpt is weaker, since the shared passage may
    be background: there the event method, where it compared the pair, has the last word.
    All other pairs stay as they are; pairs only the copy layer compared are taken over.

    Args:
        decided: decisions of the event method.
        copies: decisions of the method ``copies`` on the same articles.
        n: number of articles.
    """

    def codes(pairs: Pairs) -> npt.NDArray[np.int64]:
        low = np.minimum(pairs[:, 0], pairs[:, 1]).astype(np.int64)
        return low * n + np.maximum(pairs[:, 0], pairs[:, 1])

    ours, theirs = codes(decided.pairs), codes(copies.pairs)
    refused = np.isin(theirs, ours[~decided.duplicate])
    copied = copies.copy & ~(copies.excerpt & refused)
    strong = theirs[copied]
    keep = ~np.isin(ours, strong)
    add = copied | ~np.isin(theirs, ours)

    def joined(a: npt.NDArray[np.generic], b: npt.NDArray[np.generic]) -> Any:
        return np.concatenate([a[keep], b[add]])

    return DecidedPairs(
        joined(decided.pairs, copies.pairs), joined(decided.score, copies.score),
        joined(decided.outcome, copies.outcome), joined(decided.relation, copies.relation),
        decided.method, decided.threshold,
    )  # fmt: skip


def evidence_id(a: str, b: str, method: str) -> str:
    """A stable name for the evidence of one pair under one method."""
    first, second = sorted((a, b))
    key = f"{method}\x00{first}\x00{second}".encode("utf-8", "surrogatepass")
    return f"p{xxhash.xxh3_64_intdigest(key):016x}"


def id_hashes(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of every id: ties are broken by it, so that order does not matter."""
    return np.fromiter(
        (xxhash.xxh3_64_intdigest(i.encode("utf-8", "surrogatepass")) for i in ids),
        np.uint64,
        len(ids),
    )
