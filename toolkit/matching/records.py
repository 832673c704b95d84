"""Records of many pages as integer arrays, and which of their phrases agree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from toolkit.language.normalise import fold
from toolkit.model import Phrase, Record

Ints = npt.NDArray[np.int64]
_NUMERALS = frozenset("0123456789一二三四五六七八九十百千〇零")


class Ids:
    """Dense integer ids of keys, in order of first sight."""

    def __init__(self) -> None:
        self.table: dict[Hashable, int] = {}

    def __call__(self, key: Hashable) -> int:
        return self.table.setdefault(key, len(self.table))

    def __len__(self) -> int:
        return len(self.table)


#: weights of nouns, verbs and core words in one product (see ``RecordIndex.packed``)
NOUN, VERB, CORE = 1, 64, 4096
FIELD = 4096


@dataclass
class RecordIndex:
    """The records of n pages, R in all, with U different phrases.

    ``packed`` (R x features, int64) holds one column per word class and occurrence,
    weighted so that a row product is ``n + 4096 v + 4096**2 k``: the one-to-one
    matches among nouns, verbs and core words of two records.
    """

    pages: int
    page_of: Ints  # (R,)
    first: Ints  # (n + 1,) first record of each page
    packed: sparse.csr_matrix
    nouns: Ints  # (R,) how many
    verbs: Ints
    cores: Ints
    phrase_ids: Ints  # flattened per record
    phrase_first: Ints  # (R + 1,)
    agree_keys: Ints  # sorted a * U + b of agreeing phrases
    distinct: int  # U
    phrases: sparse.csr_matrix  # (n, U) counts
    agreeing: sparse.csr_matrix  # (n, U) 1 where a phrase agrees with one of the page
    totals: Ints  # (n,) phrases of each page
    keys: sparse.csr_matrix  # (n, keys) 1: equal phrases and core words, for candidates

    @property
    def records(self) -> int:
        """R."""
        return len(self.nouns)

    def records_of(self, page: int) -> range:
        """Indices of a page's records."""
        return range(int(self.first[page]), int(self.first[page + 1]))


@dataclass(frozen=True)
class Values:
    """How phrases agree by value: a test, and keys of which agreeing ones share one."""

    compatible: Callable[[Phrase, Phrase], bool]
    keys: Callable[[Phrase], Iterable[Hashable]]


def build_index(
    pages: Sequence[Sequence[Record]],
    word_class: Callable[[str], str],
    values: Values | None = None,
) -> RecordIndex:
    """Index the records of pages.

    Args:
        word_class: the word matcher (see ``matching.words``).
        values: a further way in which two phrases agree, by their normalised values.
    """
    features, keys, phrases = Ids(), Ids(), Ids()
    samples: list[Phrase] = []
    rows: list[int] = []
    columns: list[int] = []
    weights: list[int] = []
    key_rows: list[int] = []
    key_columns: list[int] = []
    nouns, verbs, cores, page_of = [], [], [], []
    phrase_ids: list[int] = []
    phrase_first = [0]
    first = [0]
    row = 0
    for page, records in enumerate(pages):
        for record in records:
            for kind, words, weight in (
                ("n", record.nouns, NOUN),
                ("v", record.verbs, VERB),
                ("k", record.kernel.words, CORE),
            ):
                seen: dict[str, int] = {}
                for word in words:
                    name = word_class(word)
                    seen[name] = seen.get(name, 0) + 1
                    rows.append(row)
                    columns.append(features((kind, name, seen[name])))
                    weights.append(weight)
                    if kind == "k":
                        key_rows.append(page)
                        key_columns.append(keys(("k", name)))
            for phrase in record.phrases:
                value = phrase.normalised if values else None
                number = phrases((fold(phrase.text), phrase.kinds, repr(value)))
                if number == len(samples):
                    samples.append(phrase)
                phrase_ids.append(number)
                key_rows.append(page)
                key_columns.append(keys(("p", fold(phrase.text))))
            phrase_first.append(len(phrase_ids))
            nouns.append(len(record.nouns))
            verbs.append(len(record.verbs))
            cores.append(len(record.kernel.words))
            page_of.append(page)
            row += 1
        first.append(row)
    n, distinct = len(pages), len(samples)
    pairs = agreeing_phrases(samples, values)
    identifiers = np.asarray(phrase_ids, dtype=np.int64)
    page_index = np.asarray(page_of, dtype=np.int64)
    per_record: Ints = np.diff(np.asarray(phrase_first, dtype=np.int64)).astype(np.int64)
    counts = _matrix(np.repeat(page_index, per_record), identifiers, None, (n, distinct))
    agree = _matrix(pairs[:, 0], pairs[:, 1], None, (max(distinct, 1), distinct))
    reach = (_binary(counts) @ agree).tocsr()
    key_matrix = _matrix(np.asarray(key_rows), np.asarray(key_columns), None, (n, len(keys)))
    return RecordIndex(
        pages=n,
        page_of=page_index,
        first=np.asarray(first, dtype=np.int64),
        packed=_matrix(np.asarray(rows), np.asarray(columns), weights, (row, len(features))),
        nouns=np.asarray(nouns, dtype=np.int64),
        verbs=np.asarray(verbs, dtype=np.int64),
        cores=np.asarray(cores, dtype=np.int64),
        phrase_ids=identifiers,
        phrase_first=np.asarray(phrase_first, dtype=np.int64),
        agree_keys=np.sort(pairs[:, 0] * distinct + pairs[:, 1]),
        distinct=distinct,
        phrases=counts,
        agreeing=_binary(reach),
        totals=np.asarray(counts.sum(axis=1), dtype=np.int64).ravel(),
        keys=_binary(key_matrix),
    )


def _matrix(rows: Any, columns: Any, data: Any, shape: tuple[int, int]) -> sparse.csr_matrix:
    values = np.ones(len(rows), dtype=np.int64) if data is None else np.asarray(data, np.int64)
    shape = (shape[0], max(shape[1], 1))
    cells = (np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64))
    return sparse.csr_matrix((values, cells), shape=shape, dtype=np.int64)


def _binary(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    out = matrix.copy()
    out.data = np.ones_like(out.data)
    return out


def contains(outer: str, inner: str) -> bool:
    """``inner`` stands in ``outer`` without cutting through a number.

    6日 is in 6日下午 but not in 16日: the containment the paper means is of phrases.
    """
    at = outer.find(inner)
    while at >= 0:
        if _whole_numbers(outer, at, at + len(inner)):
            return True
        at = outer.find(inner, at + 1)
    return False


def _whole_numbers(text: str, start: int, end: int) -> bool:
    for edge in (start, end):
        if 0 < edge < len(text) and text[edge - 1] in _NUMERALS and text[edge] in _NUMERALS:
            return False
    return True


def phrases_agree(a: Phrase, b: Phrase, values: Values | None = None) -> bool:
    """One kind, and equal, or one contains the other, or compatible by value."""
    if not a.kinds & b.kinds:
        return False
    x, y = fold(a.text), fold(b.text)
    if x == y or contains(x, y) or contains(y, x):
        return True
    return values is not None and values.compatible(a, b)


def agreeing_phrases(samples: Sequence[Phrase], values: Values | None = None) -> Ints:
    """All ordered pairs (a, b) of agreeing phrases, a with itself included; (m, 2).

    Every stretch of a phrase is looked up among the phrases, so that the cost grows
    with the number of phrases and not with its square; values are compared where a
    key is shared.
    """
    by_text: dict[str, list[int]] = {}
    for number, phrase in enumerate(samples):
        by_text.setdefault(fold(phrase.text), []).append(number)
    found: set[tuple[int, int]] = set()
    for text, holders in by_text.items():
        inside: set[int] = set()
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + 40) + 1):
                numbers = by_text.get(text[start:end])
                if numbers and _whole_numbers(text, start, end):
                    inside.update(numbers)
        for outer in holders:
            for inner in inside:
                if samples[outer].kinds & samples[inner].kinds:
                    found.add((outer, inner))
                    found.add((inner, outer))
    if values is not None:
        found.update(_compatible_pairs(samples, values))
    return np.asarray(sorted(found), dtype=np.int64).reshape(-1, 2)


def _compatible_pairs(samples: Sequence[Phrase], values: Values) -> Iterable[tuple[int, int]]:
    buckets: dict[Hashable, list[int]] = {}
    for number, phrase in enumerate(samples):
        for key in set(values.keys(phrase)):
            buckets.setdefault(key, []).append(number)
    tried: set[tuple[int, int]] = set()
    for numbers in buckets.values():
        for x, a in enumerate(numbers):
            for b in numbers[:x]:
                if (a, b) in tried:
                    continue
                tried.add((a, b))
                if samples[a].kinds & samples[b].kinds and values.compatible(
                    samples[a], samples[b]
                ):
                    yield a, b
                    yield b, a
