"""Lexicons: which words count as one (exact forms, or a table of synonyms)."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from toolkit.errors import UserError
from toolkit.language.normalise import fold


def read_groups(text: str, where: str) -> dict[str, str]:
    """Word -> name of its group, from lines of tab-separated words.

    Raises:
        UserError: a word stands in two groups.
    """
    table: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = [fold(word.strip()) for word in line.split("\t") if word.strip()]
        if line.startswith("#") or not words:
            continue
        for word in words:
            if table.setdefault(word, words[0]) != words[0]:
                raise UserError(
                    f"{where}:{number}: '{word}' stands in two groups; keep it in one of them"
                )
    return table


@lru_cache(maxsize=4)
def synonyms(path: str | None = None) -> dict[str, str]:
    """The shipped table of news synonyms, or a user's of the same format."""
    if path is None:
        source = resources.files("toolkit.language") / "data" / "synonyms.tsv"
        return read_groups(source.read_text(encoding="utf-8"), "synonyms.tsv")
    try:
        return read_groups(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a readable UTF-8 synonym table ({error})") from None
