"""Document frequencies of a background corpus, as a table of hashes.

``python -m toolkit.matching.background DOCS`` makes ``data/background.npz`` from any
JSON Lines documents. The table holds no text: for each hash bucket of character
bigrams, named participants and place ids it keeps one byte, the rarity
``8 ln((n + 1) / (df + 1))``. Rarity never depends on the documents being judged, so a
pair's score is the same alone and among ten thousand others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from toolkit.io import atomic_writer, read_documents
from toolkit.language.normalise import codepoints, fold, shingle_text

BITS = 18
TERM_BITS = 16
_PATH = Path(__file__).parent / "data" / "background.npz"
Floats = npt.NDArray[np.float64]


def bigram_buckets(text: str) -> npt.NDArray[np.int64]:
    """Hash buckets of a text's character bigrams, one per position."""
    points = codepoints(shingle_text(fold(text))).astype(np.uint64)
    if len(points) < 2:
        return np.zeros(0, np.int64)
    mixed = points[:-1] * np.uint64(0x9E3779B97F4A7C15) + points[1:] * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(64 - BITS)).astype(np.int64)


def term_bucket(term: str) -> int:
    """Hash bucket of a name or a place id."""
    import xxhash

    return xxhash.xxh3_64_intdigest(term.encode()) >> (64 - TERM_BITS)


class Background:
    """Rarity (natural-log IDF) of bigrams and terms."""

    def __init__(
        self, grams: npt.NDArray[np.uint8], terms: npt.NDArray[np.uint8], documents: int
    ) -> None:
        self.grams: Floats = grams.astype(np.float64) / 8.0
        self.terms: Floats = terms.astype(np.float64) / 8.0
        self.documents = documents

    def term(self, term: str) -> float:
        """Rarity of a name or a place id."""
        return float(self.terms[term_bucket(term)])

    def vectors(self, texts: Iterable[str]) -> sp.csr_matrix:
        """L2-normalised sublinear TF-IDF rows of texts, shape (n, 2**BITS)."""
        indptr, indices, data = [0], [], []
        for text in texts:
            buckets, counts = np.unique(bigram_buckets(text), return_counts=True)
            values = (1 + np.log(counts)) * self.grams[buckets]
            norm = np.sqrt((values**2).sum())
            indices.append(buckets.astype(np.int32))
            data.append((values / norm if norm > 0 else values).astype(np.float32))
            indptr.append(indptr[-1] + len(buckets))
        empty = np.zeros(0, np.float32)
        return sp.csr_matrix(
            (
                np.concatenate(data) if data else empty,
                np.concatenate(indices) if indices else empty.astype(np.int32),
                np.array(indptr),
            ),
            shape=(len(indptr) - 1, 1 << BITS),
        )


@lru_cache(maxsize=1)
def load_background() -> Background:
    """The shipped table, read once."""
    with np.load(_PATH) as data:
        return Background(data["grams"], data["terms"], int(data["documents"]))


def build(path: str) -> int:
    """Make the table from documents; returns their number."""
    from tqdm import tqdm

    from toolkit.elements.participants import find_participants, tag_words
    from toolkit.elements.places import document_places

    articles = read_documents(path).articles
    grams = np.zeros(1 << BITS, np.int64)
    terms = np.zeros(1 << TERM_BITS, np.int64)
    for article in tqdm(articles, file=sys.stderr, unit="doc"):
        grams[np.unique(bigram_buckets(article.text))] += 1
        text = fold(article.text)[:1500]
        names = {p.name for p in find_participants(text, text, "body", tag_words(text))}
        for phrase in document_places(article.title, article.body[:1500]):
            names.update(x for x in (phrase.place, phrase.within, phrase.name) if x)
        for bucket in {term_bucket(n) for n in names}:
            terms[bucket] += 1
    n = len(articles)

    def pack(df: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        return np.clip(np.rint(8 * np.log((n + 1) / (df + 1))), 0, 255).astype(np.uint8)

    with atomic_writer(_PATH) as handle:
        np.savez_compressed(handle, grams=pack(grams), terms=pack(terms), documents=np.array(n))
    return n


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m toolkit.matching.background DOCS.jsonl[.gz]")
    print(f"{build(sys.argv[1])} documents")
