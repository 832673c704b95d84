"""The kernel of a clause by the table of patterns (specification, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import yaml

from toolkit.elements.clauses import Item
from toolkit.model import Kernel

FALLBACK = "fallback"


@dataclass(frozen=True)
class Pattern:
    """One row of the table: P, N, V in order, and which words are the kernel."""

    number: str
    sequence: tuple[str, ...]
    kernel: tuple[tuple[str, str], ...]  # ("first" or "last", "N" or "V")


@lru_cache(maxsize=1)
def patterns() -> dict[tuple[str, ...], Pattern]:
    """The table of ``data/patterns.yaml`` by sequence."""
    source = resources.files("toolkit.elements") / "data" / "patterns.yaml"
    table = {}
    for row in yaml.safe_load(source.read_text(encoding="utf-8"))["patterns"]:
        kernel = tuple((rule.split()[0], rule.split()[1]) for rule in row["kernel"])
        pattern = Pattern(str(row["number"]), tuple(row["sequence"].split()), kernel)
        table[pattern.sequence] = pattern
    return table


_LETTER = {"phrase": "P", "n": "N", "v": "V"}


def sequence_of(items: Sequence[Item]) -> tuple[str, ...]:
    """The items as P, N, V; adjacent phrases count as one."""
    letters: list[str] = []
    for item in items:
        letter = _LETTER[item.kind]
        if letter != "P" or not letters or letters[-1] != "P":
            letters.append(letter)
    return tuple(letters)


def _absorbed(items: Sequence[Item]) -> list[Item]:
    """The items without the bare place names that stand directly before a noun."""
    return [
        item
        for k, item in enumerate(items)
        if not (item.bare and k + 1 < len(items) and items[k + 1].kind == "n")
    ]


def kernel_of(items: Sequence[Item]) -> Kernel:
    """Core words of a clause and the pattern that chose them.

    The clause is matched as it stands; if no pattern fits, without the place names
    directly before a noun; if none fits then either, the fallback: first N + last V,
    + last N when it follows the last V.
    """
    nouns = [item.text for item in items if item.kind == "n"]
    verbs = [item.text for item in items if item.kind == "v"]
    pattern = patterns().get(sequence_of(items)) or patterns().get(sequence_of(_absorbed(items)))
    if pattern:
        words = {"N": nouns, "V": verbs}
        chosen = (words[kind][0 if which == "first" else -1] for which, kind in pattern.kernel)
        return Kernel(tuple(chosen), pattern.number)
    core = nouns[:1] + verbs[-1:]
    last = next((item for item in reversed(items) if item.kind != "phrase"), None)
    if verbs and len(nouns) > 1 and last is not None and last.kind == "n":
        core.append(nouns[-1])
    return Kernel(tuple(core), FALLBACK)
