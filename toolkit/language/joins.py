"""Words joined by rule after any tagger: dates, clock times, numbers, Latin names.

The rules are data (``data/joins.yaml``). A rule matches the folded sentence; words
inside a match become one word, a word that a match cuts through is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import yaml

from toolkit.language.normalise import fold
from toolkit.model import Word


@dataclass(frozen=True)
class JoinRules:
    """The compiled rules."""

    pattern: re.Pattern[str]
    tags: tuple[str, ...]
    remainders: dict[str, str]


@lru_cache(maxsize=1)
def join_rules() -> JoinRules:
    """Read and compile ``data/joins.yaml``."""
    source = resources.files("toolkit.language") / "data" / "joins.yaml"
    data = yaml.safe_load(source.read_text(encoding="utf-8"))
    parts: dict[str, str] = data["parts"]
    tags, patterns = [], []
    for number, rule in enumerate(data["rules"]):
        pattern = rule["pattern"]
        for name, part in parts.items():
            pattern = pattern.replace("{" + name + "}", part)
        patterns.append(f"(?P<r{number}>{pattern})")
        tags.append(rule["tag"])
    return JoinRules(re.compile("|".join(patterns)), tuple(tags), data["remainders"])


_WORTH_A_LOOK = re.compile(
    r"[0-9a-z〇零○]|[一二三四五六七八九十正腊][月日号时点]"
    r"|初[一二三四五六七八九十]|时间|[该是翌]|同[年月]"
)


def join_words(sentence: str, words: Sequence[Word]) -> list[Word]:
    """Apply the rules to the words of one sentence; offsets stay exact.

    Args:
        sentence: the text the words' offsets count in. Where the words leave out
            characters of it (blanks), a match across the gap becomes one word.
    """
    folded = fold(sentence)
    if not _WORTH_A_LOOK.search(folded):
        return list(words)
    rules = join_rules()
    matches = [
        (m.start(), m.end(), rules.tags[int((m.lastgroup or "r0")[1:])])
        for m in rules.pattern.finditer(folded)
    ]
    if not matches:
        return list(words)
    out: list[Word] = []
    k = 0
    for word in words:
        start = word.start
        while k < len(matches) and matches[k][1] <= start:
            k += 1
        position = start
        at = k
        while at < len(matches) and matches[at][0] < word.end:
            low, high, tag = matches[at]
            if low > position:
                out.append(_piece(sentence, word, position, low, rules))
            if not out or out[-1].start != low or out[-1].end != high:
                out.append(Word(sentence[low:high], tag, low, high))
            position = max(position, min(high, word.end))
            at += 1
        if position < word.end:
            out.append(_piece(sentence, word, position, word.end, rules))
    return out


def _piece(sentence: str, word: Word, start: int, end: int, rules: JoinRules) -> Word:
    if start == word.start and end == word.end:
        return word
    text = sentence[start:end]
    return Word(text, rules.remainders.get(text, word.tag), start, end)
