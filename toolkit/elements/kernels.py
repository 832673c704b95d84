"""Kernels of clauses: what the acts of a sentence are done by and to.

A dependency-free reading: the clause is cut at its act (a word of the news lexicon or
a verb); passive 被 and 把 swap or move the sides; attribution (警方称) is set apart;
light verbs give way to the noun behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolkit.elements.lexicon import LIGHT_VERBS, Lexicon, news_lexicon

ATTRIBUTION = frozenset(
    [
        "称",
        "说",
        "表示",
        "指出",
        "透露",
        "介绍",
        "强调",
        "报道",
        "认为",
        "坦言",
        "宣布",
        "通报",
        "据",
        "获悉",
        "消息",
    ]
)
_CLAUSE = re.compile(r"[,，。;；!！?？:：\n]")
_NOUN_TAGS = ("n", "j", "l", "i", "eng")


@dataclass(frozen=True, slots=True)
class EventKernel:
    """actor - act - object of one clause; sides are head nouns or ""."""

    actor: str
    act: str
    object: str
    start: int
    end: int
    attributed: bool = False
    passive: bool = False


def find_kernels(
    folded: str, words: list[tuple[str, str, int]], lexicon: Lexicon | None = None
) -> list[EventKernel]:
    """Kernels of a tagged text, in order; synonyms are folded by the lexicon."""
    table = lexicon or news_lexicon()
    clauses: list[list[tuple[str, str, int]]] = [[]]
    for item in words:
        if _CLAUSE.match(item[0]):
            clauses.append([])
        else:
            clauses[-1].append(item)
    kernels = []
    for clause in clauses:
        kernel = _kernel(clause, table)
        if kernel:
            kernels.append(kernel)
    return kernels


def _kernel(clause: list[tuple[str, str, int]], table: Lexicon) -> EventKernel | None:
    known = news_lexicon().words
    attributed, start = False, 0
    for i, (word, _, _) in enumerate(clause):
        if word in ATTRIBUTION and i < len(clause) - 2:
            attributed, start = True, i + 1
            break
    items = clause[start:]
    act_at = -1
    light = -1
    for i, (word, tag, _) in enumerate(items):
        if word in LIGHT_VERBS:
            light = i
        elif (word in known and tag[:1] in ("v", "n", "a", "i", "l")) or (
            tag.startswith("v") and len(word) >= 2 and tag != "vn"
        ):
            act_at = i
            if tag.startswith("v") or light >= 0:
                break
    if act_at < 0:
        return None
    passive = next((i for i, (w, _, _) in enumerate(items[:act_at]) if w in ("被", "遭", "获")), -1)
    moved = next((i for i, (w, _, _) in enumerate(items[:act_at]) if w in ("把", "将")), -1)
    before = _heads(items[:act_at])
    after = _heads(items[act_at + 1 :])
    actor, target = (before[-1] if before else ""), (after[-1] if after else "")
    if passive >= 0:
        actor_part, target_part = _heads(items[passive + 1 : act_at]), _heads(items[:passive])
        actor, target = (
            (actor_part[-1] if actor_part else ""),
            (target_part[-1] if target_part else ""),
        )
    elif moved >= 0:
        actor_part, target_part = _heads(items[:moved]), _heads(items[moved + 1 : act_at])
        actor, target = (
            (actor_part[-1] if actor_part else ""),
            (target_part[-1] if target_part else target),
        )
    first, last = items[0], items[-1]
    return EventKernel(
        table.group(actor) if actor else "", table.group(items[act_at][0]),
        table.group(target) if target else "", first[2], last[2] + len(last[0]), attributed, passive >= 0,  # noqa: E501
    )  # fmt: skip


def _heads(items: list[tuple[str, str, int]]) -> list[str]:
    """Head nouns: the last noun of each run (the rest modifies it)."""
    heads: list[str] = []
    run = ""
    for word, tag, _ in items:
        if tag.startswith(_NOUN_TAGS) and not tag.startswith("ns"):
            run = word
        elif run and tag[:1] != "u":
            heads.append(run)
            run = ""
    if run:
        heads.append(run)
    return heads
