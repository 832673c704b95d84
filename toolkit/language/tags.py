"""Tag sets of the backends, mapped to one PKU-based set by data tables."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib import resources

_TAGS = """a ad an b c d e f h i j k l m n nr ns nt nx nz o p q r s t u v vd vn w x y z"""
#: The tags every part of the toolkit may meet.
TAGS = frozenset(_TAGS.split())


@lru_cache(maxsize=8)
def tag_table(name: str) -> dict[str, str]:
    """The mapping of one tag set ("jieba", "pku", "ctb") to ours."""
    source = resources.files("toolkit.language") / "data" / f"tags_{name}.tsv"
    table = {}
    for line in source.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            theirs, _, ours = line.partition("\t")
            table[theirs] = ours
    return table


def is_punctuation(text: str) -> bool:
    """No letter, digit or hanzi in it, and something visible."""
    return bool(text.strip()) and all(
        unicodedata.category(c)[0] in "PSZ" or c.isspace() for c in text
    )


def map_tag(table: dict[str, str], tag: str, text: str) -> str:
    """Our tag for one word; punctuation is w whatever the backend says, blanks x."""
    if tag in ("x", "w", "m", "eng") or tag not in table:
        if is_punctuation(text):
            return "w"
        if text.isascii() and text.isdigit():
            return "m"
    return table.get(tag, tag if tag in TAGS else "x")
