"""Taggers: a batch of sentences in, words with PKU-based tags and exact offsets out.

Backends: ``rjieba`` (jieba's dictionary and hidden Markov model in Rust, the fast
default), ``jieba`` (posseg, the reference), ``hanlp`` (see ``hanlp_backend``) and
``pretagged`` (word/tag text). All see the folded sentence (half-width, simplified),
which is as long as the original; the words' texts are slices of the original.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from toolkit.config import TaggerConfig
from toolkit.errors import UserError
from toolkit.language.joins import join_words
from toolkit.language.normalise import fold
from toolkit.language.sentences import split_sentences
from toolkit.language.tags import map_tag, tag_table
from toolkit.model import Word


class Tagger(Protocol):
    """Anything that tags sentences.

    ``tag`` returns one list of words per sentence, in order. Offsets count
    characters of that sentence: ``word.text == sentence[word.start:word.end]``;
    words do not overlap and leave out nothing but blanks.
    """

    name: str

    def tag(self, sentences: Sequence[str]) -> list[list[Word]]:
        """Words of every sentence."""
        ...


def align(sentence: str, tokens: Iterable[tuple[str, str]], table: dict[str, str]) -> list[Word]:
    """Give tokens of the folded sentence their offsets in the sentence itself.

    Tokens are matched character by character, so that blanks dropped by a backend cost
    no offset; a token that the backend changed beyond recognition is taken to stand at
    the next visible characters.
    """
    folded = fold(sentence)
    words: list[Word] = []
    cursor = 0
    for token, tag in tokens:
        token = token.strip()
        if not token:
            continue
        while cursor < len(folded) and folded[cursor].isspace():
            cursor += 1
        end = _end_of(token, folded, cursor)
        if cursor < end:
            words.append(Word(sentence[cursor:end], map_tag(table, tag, token), cursor, end))
            cursor = end
    return words


def _end_of(token: str, folded: str, start: int) -> int:
    if folded.startswith(token, start):
        return start + len(token)
    at = start
    for character in token:
        while at < len(folded) and folded[at].isspace() and not character.isspace():
            at += 1
        if at >= len(folded):
            break
        at += 1
    return at


class RjiebaTagger:
    """jieba's dictionary and tags by the Rust engine: about 60 times faster."""

    name = "rjieba"

    def __init__(self) -> None:
        import rjieba

        self._tag = rjieba.tag
        self._table = tag_table("jieba")

    def tag(self, sentences: Sequence[str]) -> list[list[Word]]:
        """Words of every sentence."""
        out = []
        for sentence in sentences:
            words = align(sentence, self._tag(fold(sentence)), self._table)
            out.append(join_words(sentence, words))
        return out


class JiebaTagger:
    """jieba.posseg, the reference implementation."""

    name = "jieba"

    def __init__(self) -> None:
        import jieba
        from jieba import posseg

        jieba.setLogLevel(logging.WARNING)
        self._posseg = posseg.POSTokenizer(jieba.Tokenizer())
        self._table = tag_table("jieba")

    def tag(self, sentences: Sequence[str]) -> list[list[Word]]:
        """Words of every sentence."""
        out = []
        for sentence in sentences:
            tokens = ((pair.word, pair.flag) for pair in self._posseg.cut(fold(sentence)))
            out.append(join_words(sentence, align(sentence, tokens, self._table)))
        return out


def parse_pretagged(line: str, where: str = "tagged text") -> list[tuple[str, str]]:
    """(word, PKU tag) of one line such as ``飞机/n 在/p 撞击/v 后/f``.

    Compound brackets of the People's Daily corpus (``[中央/n 电台/n]nt``) are dropped.

    Raises:
        UserError: a token has no tag.
    """
    pairs = []
    for token in line.split():
        token = token[1:] if token.startswith("[") and len(token) > 1 and "/" in token else token
        word, slash, tag = token.rpartition("/")
        if slash and "]" in tag:
            tag = tag.partition("]")[0]
        if not slash or not word or not tag:
            raise UserError(f"{where}: '{token}' is not word/tag; write each word as 飞机/n")
        pairs.append((word, tag))
    return pairs


class PretaggedTagger:
    """Sentences whose words and tags are given.

    Args:
        lines: lines of word/tag text; a line may hold several sentences. A sentence
            asked for must be the words of the given text written together.
    """

    name = "pretagged"

    def __init__(self, lines: Iterable[str], where: str = "tagged text") -> None:
        self._table = tag_table("pku")
        self._known: dict[str, list[Word]] = {}
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._add(parse_pretagged(line, f"{where}:{number}"))

    def _add(self, pairs: list[tuple[str, str]]) -> None:
        text = "".join(word for word, _ in pairs)
        words, start = [], 0
        for word, tag in pairs:
            words.append(Word(word, self._table.get(tag, "x"), start, start + len(word)))
            start += len(word)
        for low, high in split_sentences(text):
            inside = [
                Word(w.text, w.tag, w.start - low, w.end - low)
                for w in words
                if low <= w.start and w.end <= high
            ]
            self._known[text[low:high]] = join_words(text[low:high], inside)

    def tag(self, sentences: Sequence[str]) -> list[list[Word]]:
        """Words of every sentence, looked up.

        Raises:
            UserError: a sentence is not in the tagged text.
        """
        out = []
        for sentence in sentences:
            words = self._known.get(sentence)
            if words is None:
                raise UserError(
                    f"tagger pretagged: no tagged text for '{sentence[:20]}'; "
                    "add its line to the file named by tagger.model"
                )
            out.append(words)
        return out


def create_tagger(config: TaggerConfig | None = None) -> Tagger:
    """The tagger a config section asks for.

    Raises:
        UserError: a model or file is missing.
        MissingExtra: the backend's extra is not installed.
    """
    config = config or TaggerConfig()
    if config.backend == "rjieba":
        return RjiebaTagger()
    if config.backend == "jieba":
        return JiebaTagger()
    if config.backend == "pretagged":
        if not config.model:
            raise UserError("tagger.model: name the word/tag file the backend pretagged reads")
        path = Path(config.model)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{path}: cannot be read as UTF-8 word/tag text ({error})") from None
        return PretaggedTagger(lines, str(path))
    from toolkit.language.hanlp_backend import HanlpTagger

    return HanlpTagger(config)
