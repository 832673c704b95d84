"""A block as the paper sees it: phrases, head nouns and verbs in order (section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolkit.elements.grammar import grammar
from toolkit.elements.phrases import Chunk, find_phrases
from toolkit.model import Word

ItemKind = Literal["phrase", "n", "v"]


@dataclass(frozen=True)
class Item:
    """One kept part of a clause; offsets count in the sentence.

    ``kinds`` and ``bare`` are meaningful for phrases only.
    """

    kind: ItemKind
    text: str
    start: int
    end: int
    kinds: frozenset[str] = frozenset()
    bare: bool = False


def clause_items(words: Sequence[Word], sentence: str) -> list[Item]:
    """Phrases, head nouns and verbs of one block of tagged words, in order."""
    chunks = find_phrases(words)
    items: list[Item] = []
    position = 0
    for chunk in [*chunks, None]:
        end = chunk.start if chunk else len(words)
        items.extend(_nouns_and_verbs(words, position, end))
        if chunk:
            items.append(_phrase_item(words, chunk, sentence))
            position = chunk.end
    return items


def _phrase_item(words: Sequence[Word], chunk: Chunk, sentence: str) -> Item:
    start, end = words[chunk.start].start, words[chunk.end - 1].end
    return Item("phrase", sentence[start:end], start, end, chunk.kinds, chunk.bare)


def _nouns_and_verbs(words: Sequence[Word], start: int, end: int) -> list[Item]:
    g = grammar()
    items: list[Item] = []
    run: list[Word] = []

    def close() -> None:
        head = head_noun(run)
        if head:
            items.append(Item("n", head.text, head.start, head.end))
        run.clear()

    for k in range(start, end):
        word = words[k]
        follower = words[k + 1] if k + 1 < end else None
        joins = word.text in g.attributive or (
            word.text in g.coordination and follower is not None and follower.tag in g.run_tags
        )
        if word.tag in g.run_tags or (run and joins):
            run.append(word)
        else:
            close()
            if word.tag == "v" and not _modal(words, k):
                items.append(Item("v", word.text, word.start, word.end))
    close()
    return items


def _modal(words: Sequence[Word], k: int) -> bool:
    """能, 会, 应 ... fall away before the verb they modify (adverbs may stand between)."""
    if words[k].text not in grammar().modal_verbs:
        return False
    for word in words[k + 1 :]:
        if word.tag == "v":
            return True
        if word.tag not in ("d", "ad", "vd"):
            return False
    return False


def head_noun(run: Sequence[Word]) -> Word | None:
    """The head of a noun run, None when it holds no noun.

    Behind the last 的 the first conjunct counts; in it the last common noun, or the
    last name where there are only names (总理吴仪 gives 总理, 吴仪 gives 仪).
    """
    g = grammar()
    segments: list[list[Word]] = [[]]
    for word in run:
        if word.text in g.attributive and word.tag not in g.run_tags:
            segments.append([])
        else:
            segments[-1].append(word)
    for segment in reversed(segments):
        conjuncts: list[list[Word]] = [[]]
        for word in segment:
            if word.text in g.coordination and word.tag not in g.run_tags:
                conjuncts.append([])
            else:
                conjuncts[-1].append(word)
        for conjunct in conjuncts:
            for tags in (g.common_nouns, g.names):
                for word in reversed(conjunct):
                    if word.tag in tags and word.text not in g.quantities | g.units_of_time:
                        return word
    return None
