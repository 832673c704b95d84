"""What the `copies` layer needs to know of one article."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolkit.config import CopiesConfig
from toolkit.fingerprints.anchors import anchors
from toolkit.fingerprints.digests import text_md5
from toolkit.fingerprints.minhash import Signatures, band_keys, signatures
from toolkit.fingerprints.shingles import Hashes, pack, unique_sorted, window_hashes
from toolkit.language.normalise import codepoints, shingle_text
from toolkit.matching.alignment import Mapped, mapped
from toolkit.model import Article


def report_text(article: Article) -> Mapped:
    """The text that is compared: the body, normalised, with offsets into it."""
    return mapped(article.body)


@dataclass(frozen=True)
class CopyParts:
    """One article as the copy layer sees it.

    ``keys`` are the LSH band keys, shape (bands,); they mean nothing when
    ``shingles`` is empty. ``digest`` is the MD5 of the normalised text, None when
    nothing is left of it.
    """

    text: Mapped
    title: frozenset[str]
    digest: str | None
    shingles: Hashes
    keys: Hashes
    anchors: Hashes


def title_bigrams(title: str) -> frozenset[str]:
    """Distinct pairs of neighbouring characters of the normalised title."""
    text = shingle_text(title)
    return frozenset(text[k : k + 2] for k in range(len(text) - 1))


def copy_parts(article: Article, settings: CopiesConfig) -> CopyParts:
    """Compute the parts of one article; depends on nothing but it and the settings."""
    text = report_text(article)
    codes = codepoints(text.text)
    shingles = unique_sorted(window_hashes(codes, settings.shingle, settings.seed))
    signature = sign(shingles, settings)
    return CopyParts(
        text=text,
        title=title_bigrams(article.title),
        digest=text_md5(text.text) if text.text else None,
        shingles=shingles,
        keys=band_keys(signature, settings.bands, settings.rows)[0],
        anchors=anchors(codes),
    )


def sign(shingles: Hashes, settings: CopiesConfig) -> Signatures:
    """The signature of one shingle set, shape (1, bands * rows)."""
    return signatures(pack([shingles]), settings.bands * settings.rows, settings.seed)


def dice(first: frozenset[str], second: frozenset[str]) -> float:
    """Dice coefficient of two sets; 0 when both are empty."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


def support(title: frozenset[str], text: str) -> float:
    """Share of a title's bigrams that occur in a text; 0 for an empty title."""
    return sum(bigram in text for bigram in title) / len(title) if title else 0.0


def stack_keys(parts: list[CopyParts], bands: int) -> Hashes:
    """Band keys of all articles, shape (n, bands)."""
    if not parts:
        return np.empty((0, bands), dtype=np.uint64)
    return np.stack([part.keys for part in parts])
