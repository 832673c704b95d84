"""Synonyms: which words mean one thing in the news.

``Lexicon`` is the protocol; ``NewsLexicon`` is the project's own table
(``data/lexicon.tsv``), ``CilinLexicon`` reads a Cilin file and ``HowNetLexicon`` a
table exported from HowNet, both from a path the user gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Protocol

from toolkit.errors import UserError

#: verbs without content of their own: the noun behind them is the act
LIGHT_VERBS = frozenset(
    [
        "发生",
        "造成",
        "进行",
        "作出",
        "做出",
        "予以",
        "给予",
        "加以",
        "引发",
        "导致",
        "出现",
        "开展",
        "举行",
        "实施",
        "展开",
        "遭遇",
        "遭到",
        "受到",
        "遭受",
        "产生",
    ]
)


class Lexicon(Protocol):
    """Anything that tells whether two words mean the same."""

    name: str

    def group(self, word: str) -> str:
        """A key that words of one meaning share; the word itself when unknown."""
        ...


class ExactLexicon:
    """Only equal words mean the same."""

    name = "exact"

    def group(self, word: str) -> str:
        """The word itself."""
        return word


class TableLexicon:
    """A lexicon made of groups of words."""

    def __init__(self, name: str, groups: Iterable[list[str]]) -> None:
        self.name = name
        self._group: dict[str, str] = {}
        for words in groups:
            for word in words:
                self._group.setdefault(word, words[0])

    def group(self, word: str) -> str:
        """The first word of the group."""
        return self._group.get(word, word)

    def __len__(self) -> int:
        return len(set(self._group.values()))


class NewsLexicon(TableLexicon):
    """The project's own news table; each group also has an act class."""

    def __init__(self) -> None:
        self.acts: dict[str, str] = {}
        groups = []
        source = resources.files("toolkit.elements").joinpath("data/lexicon.tsv")
        for line in source.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                act, words = line.split("\t")
                groups.append(words.split())
                self.acts[groups[-1][0]] = act
        super().__init__("news", groups)

    def act(self, word: str) -> str:
        """The act class of a word, "" when unknown."""
        return self.acts.get(self.group(word), "")

    @property
    def words(self) -> dict[str, str]:
        """Every word and its group."""
        return self._group


@lru_cache(maxsize=1)
def news_lexicon() -> NewsLexicon:
    """The shipped table, read once."""
    return NewsLexicon()


def cilin_lexicon(path: str | Path) -> TableLexicon:
    """Cilin: lines ``Aa01A01= 人 士 人物``; only the groups marked ``=`` are synonyms.

    Raises:
        UserError: the file is missing or holds no such line.
    """
    groups = []
    for line in _lines(path):
        code, _, words = line.partition("=")
        if words and len(code) <= 8:
            groups.append(words.split())
    if not groups:
        raise UserError(f"{path}: no Cilin group (lines such as 'Aa01A01= 人 士') in it")
    return TableLexicon("cilin", groups)


def hownet_lexicon(path: str | Path) -> TableLexicon:
    """HowNet exported as ``definition<TAB>word`` lines; one definition is one group.

    Raises:
        UserError: the file is missing or holds no such line.
    """
    groups: dict[str, list[str]] = {}
    for line in _lines(path):
        definition, tab, word = line.rstrip("\n").partition("\t")
        if tab and word.strip():
            groups.setdefault(definition, []).append(word.strip())
    if not groups:
        raise UserError(f"{path}: no 'definition<TAB>word' line in it")
    return TableLexicon("hownet", groups.values())


def _lines(path: str | Path) -> list[str]:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding).splitlines()
        except UnicodeDecodeError:
            continue
    raise UserError(f"{path}: neither UTF-8 nor GB18030; convert it to UTF-8")
