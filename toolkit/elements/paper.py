"""The paper's records of a page: phrases with their nouns, verbs and core words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolkit.elements.clauses import Item, clause_items
from toolkit.elements.patterns import kernel_of
from toolkit.language.sentences import split_blocks, split_sentences
from toolkit.language.taggers import Tagger
from toolkit.model import Article, Field, Phrase, Record, Word


def extract_records(article: Article, tagger: Tagger) -> tuple[Record, ...]:
    """The records of an article's title and body, in order.

    One record per block that holds a phrase. Offsets are offsets into the title or
    the body as the article holds it.
    """
    return next(iter(extract_many([article], tagger)))


def extract_many(
    articles: Iterable[Article], tagger: Tagger, batch: int = 64
) -> Iterator[tuple[Record, ...]]:
    """The records of every article; sentences are tagged ``batch`` articles at a time."""
    waiting: list[Article] = []
    for article in articles:
        waiting.append(article)
        if len(waiting) == batch:
            yield from _extract_batch(waiting, tagger)
            waiting = []
    if waiting:
        yield from _extract_batch(waiting, tagger)


def _extract_batch(articles: Sequence[Article], tagger: Tagger) -> Iterator[tuple[Record, ...]]:
    places: list[list[tuple[Field, int, str]]] = []
    for article in articles:
        found: list[tuple[Field, int, str]] = []
        texts: tuple[tuple[Field, str], ...] = (("title", article.title), ("body", article.body))
        for name, text in texts:
            found.extend((name, start, text[start:end]) for start, end in split_sentences(text))
        places.append(found)
    tagged = iter(tagger.tag([sentence for found in places for _, _, sentence in found]))
    for found in places:
        records: list[Record] = []
        for name, start, sentence in found:
            records.extend(sentence_records(sentence, next(tagged), start, name))
        yield tuple(records)


def sentence_records(
    sentence: str, words: Sequence[Word], offset: int = 0, field: Field = "body"
) -> list[Record]:
    """The records of one tagged sentence that starts at ``offset`` of the field."""
    blocks = sentence_items(sentence, words)
    records = []
    for number, items in enumerate(blocks):
        if not any(item.kind == "phrase" for item in items):
            continue
        clause = sorted(
            [*items, *borrowed(blocks, number)], key=lambda item: (item.start, item.end)
        )
        phrases = tuple(
            Phrase(item.kinds, item.text, item.start + offset, item.end + offset, field)
            for item in items
            if item.kind == "phrase"
        )
        records.append(
            Record(
                phrases=phrases,
                nouns=tuple(item.text for item in clause if item.kind == "n"),
                verbs=tuple(item.text for item in clause if item.kind == "v"),
                kernel=kernel_of(clause),
                items=tuple((item.kind, item.text) for item in clause),
                start=offset,
                end=offset + len(sentence),
                field=field,
            )
        )
    return records


def sentence_items(sentence: str, words: Sequence[Word]) -> list[list[Item]]:
    """Phrases, head nouns and verbs of every block of a tagged sentence."""
    blocks = []
    k = 0
    for start, end in split_blocks(sentence):
        while k < len(words) and words[k].end <= start:
            k += 1
        inside = []
        while k < len(words) and words[k].start < end:
            if words[k].tag != "w":
                inside.append(words[k])
            k += 1
        blocks.append(clause_items(inside, sentence))
    return blocks


def borrowed(blocks: Sequence[Sequence[Item]], number: int) -> list[Item]:
    """The noun and the verb a block lacks, from the nearest block that has one.

    Blocks are tried by their distance, on a tie the following one first; of a
    following block the first word is nearest, of a preceding one the last.
    """
    found = []
    for kind in ("n", "v"):
        if any(item.kind == kind for item in blocks[number]):
            continue
        for distance in range(1, len(blocks)):
            word = _word_at(blocks, number + distance, kind, first=True) or _word_at(
                blocks, number - distance, kind, first=False
            )
            if word:
                found.append(word)
                break
    return found


def _word_at(blocks: Sequence[Sequence[Item]], number: int, kind: str, first: bool) -> Item | None:
    if not 0 <= number < len(blocks):
        return None
    words = [item for item in blocks[number] if item.kind == kind]
    return (words[0] if first else words[-1]) if words else None
