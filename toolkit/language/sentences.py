"""Sentences and blocks of a text, as offsets.

A sentence ends at 。！？； or at the end of a paragraph. A block (块) is a sentence
cut at punctuation; numbers such as ``6.1``, ``2,731`` and ``C-130`` and times such
as ``20:27`` are not cut (specification of the paper's method, section 1).
"""

from __future__ import annotations

import re

from toolkit.language.normalise import fold

Offsets = tuple[int, int]

_CLOSERS = '”’』」】）》")'
# On the folded text: the full-width forms of ! ? ; , : ( ) are the ASCII ones there.
_SENTENCE_END = re.compile(
    rf"(?:[。｡!?;]+[{re.escape(_CLOSERS)}]*|[\r\n\u2028\u2029\x0b\x0c\x85]+)"
)
_CUTS = re.compile(r"[,:、()\[\]{}“”‘’\"「」『』【】《》〈〉〔〕。!?;…|]|—+|--+|\s+")
_GROUPED = re.compile(r"(?<=[0-9]),[0-9]{3}(?![0-9])")  # 2,731
_CLOCK = re.compile(r"(?<=[0-9]):[0-5][0-9](?![0-9])")  # 20:27, not 3:1


def split_sentences(text: str) -> list[Offsets]:
    """(start, end) of every sentence, without surrounding blanks; empty ones are left out."""
    folded = fold(text)
    found: list[Offsets] = []
    start = 0
    for match in _SENTENCE_END.finditer(folded):
        _add(text, start, match.end(), found)
        start = match.end()
    _add(text, start, len(text), found)
    return found


def _add(text: str, start: int, end: int, found: list[Offsets]) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        start += len(piece) - len(piece.lstrip())
        found.append((start, start + len(stripped)))


def split_blocks(sentence: str) -> list[Offsets]:
    """(start, end) of every block of a sentence; punctuation lies between the blocks."""
    folded = fold(sentence)
    found: list[Offsets] = []
    start = 0
    for match in _CUTS.finditer(folded):
        if match.start() >= start and _cuts(sentence, folded, match):
            _add(sentence, start, match.start(), found)
            start = match.end()
    _add(sentence, start, len(sentence), found)
    return found


def _cuts(sentence: str, folded: str, match: re.Match[str]) -> bool:
    mark, at, end = match.group(), match.start(), match.end()
    if mark.isspace():  # a blank between two hanzi often stands for punctuation (titles)
        inside = at > 0 and end < len(folded)
        return inside and ord(folded[at - 1]) >= 0x3400 and ord(folded[end]) >= 0x3400
    if mark == ":":
        return not _CLOCK.match(folded, at)
    if mark == ",":  # 2021，300人 is cut: a wide comma groups wide digits only
        grouped = _GROUPED.match(folded, at) is not None
        return not (grouped and sentence[at].isascii() == sentence[at - 1].isascii())
    return True
