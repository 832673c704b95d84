"""Words of a report by role: named participants, acts, content words.

Tags come from the fast tagger (jieba's dictionary, PKU-based). Name variants
(特朗普, 川普) are one participant by ``data/aliases.tsv``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from toolkit.model import Field

_PATTERNS = re.compile(
    r"(?P<person>(?<![\u4e00-\u9fff])[\u4e00-\u9fff]某(?:某|[\u4e00-\u9fff])?|[\u4e00-\u9fff]{1,6}(?:·[\u4e00-\u9fff]{1,8})+)"
    r"|(?P<flight>(?<![a-z0-9])(?:[a-z]{2}\d{3,4}(?!\d)(?:航班|次航班)?|[a-z0-9]{2}\d{3,4}(?:次)?航班))"
    r"|(?P<train>(?<![a-z0-9])[gdckzt]\d{1,4}次)"
    r"|(?P<plate>[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][a-z][a-z0-9]{4,6})"
    r"|(?P<work>[《<][^《》<>]{2,24}[》>])"
    r"|(?P<latin>[a-z][a-z0-9\-]{1,20})"
)
_NAME_TAGS = frozenset({"nr", "nrt", "nrfg", "nz", "nt", "nto"})
_STOP = frozenset(
    [
        "记者",
        "新华社",
        "中新社",
        "央视",
        "本报讯",
        "编辑",
        "来源",
        "责任编辑",
        "中新网",
        "新华网",
        "人民网",
        "报道",
        "http",
        "www",
        "com",
        "cn",
        "html",
        "图",
        "视频",
    ]
)


@dataclass(frozen=True, slots=True)
class Participant:
    """One named participant. ``name`` is the canonical, folded name."""

    text: str
    start: int
    end: int
    field: Field
    kind: str
    name: str


@lru_cache(maxsize=1)
def aliases() -> dict[str, str]:
    """Variant to canonical name."""
    table = {}
    source = resources.files("toolkit.elements").joinpath("data/aliases.tsv")
    for line in source.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, variants = line.split("\t")
            table[name] = name
            for variant in variants.split():
                table[variant] = name
    return table


@lru_cache(maxsize=1)
def _alias_automaton():  # type: ignore[no-untyped-def]
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for word, name in aliases().items():
        if not word.isascii():
            automaton.add_word(word, (len(word), name))
    automaton.make_automaton()
    return automaton


def tag_words(folded: str) -> list[tuple[str, str, int]]:
    """(word, tag, start) of a folded text by the fast tagger."""
    import rjieba

    words = []
    cursor = 0
    for word, tag in rjieba.tag(folded):
        start = folded.find(word, cursor)
        if start < 0:
            continue
        words.append((word, tag, start))
        cursor = start + len(word)
    return words


def find_participants(
    folded: str, original: str, field: Field, words: list[tuple[str, str, int]]
) -> list[Participant]:
    """People, organisations, vehicles and works named in a text."""
    found: list[Participant] = []
    table = aliases()
    covered = bytearray(len(folded))

    def add(start: int, end: int, kind: str, name: str) -> None:
        if name in _STOP or any(covered[start:end]):
            return
        covered[start:end] = b"\1" * (end - start)
        found.append(
            Participant(original[start:end], start, end, field, kind, table.get(name, name))
        )

    for last, (length, name) in _alias_automaton().iter_long(folded):
        add(last + 1 - length, last + 1, "known", name)
    for match in _PATTERNS.finditer(folded):
        kind = match.lastgroup or "latin"
        name = match.group().strip("《》<>") if kind == "work" else match.group()
        if kind == "person" and "·" in name:
            table_name = name.split("·")[-1]
            name = table.get(table_name, table_name)
        add(match.start(), match.end(), kind, name.removesuffix("次航班").removesuffix("航班"))
    for word, tag, start in words:
        if tag in _NAME_TAGS and len(word) >= 2:
            add(start, start + len(word), "person" if tag.startswith("nr") else "name", word)
    found.sort(key=lambda p: p.start)
    return found
