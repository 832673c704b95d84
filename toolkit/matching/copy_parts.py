"""What the `copies` layer needs to know of one article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolkit.config import CopiesConfig
from toolkit.fingerprints.anchors import anchors
from toolkit.fingerprints.batch import Fingerprints, fingerprint_texts
from toolkit.fingerprints.digests import cleaned_md5
from toolkit.fingerprints.shingles import Hashes, unique_sorted, window_hashes
from toolkit.language.normalise import codepoints, shingle_text
from toolkit.language.wrapping import unwrap
from toolkit.matching.alignment import Mapped, mapped
from toolkit.model import Article


def report_text(article: Article) -> Mapped:
    """The text that is compared: the body without its wrapping, normalised.

    The offsets lead into the body as it is.
    """
    bare = unwrap(article.title, article.body)
    inner = mapped(bare.text)
    offsets = np.asarray(bare.offsets, dtype=np.int64)[inner.offsets]
    return Mapped(article.body, inner.text, offsets)


@dataclass(frozen=True)
class CopyParts:
    """One article as the copy layer sees it.

    ``text`` is the report (``report_text``), ``shingles`` and ``anchors`` are those
    of it. ``digest`` is the MD5 of the whole normalised body, None when it is empty.
    """

    text: Mapped
    title: frozenset[str]
    digest: str | None
    shingles: Hashes
    anchors: Hashes


def title_bigrams(title: str) -> frozenset[str]:
    """Distinct pairs of neighbouring characters of the normalised title."""
    text = shingle_text(title)
    return frozenset(text[k : k + 2] for k in range(len(text) - 1))


def copy_parts(article: Article, settings: CopiesConfig) -> CopyParts:
    """Compute the parts of one article; depends on nothing but it and the settings."""
    text = report_text(article)
    codes = codepoints(text.text)
    return CopyParts(
        text=text,
        title=title_bigrams(article.title),
        digest=cleaned_md5(article.body),
        shingles=unique_sorted(window_hashes(codes, settings.shingle, settings.seed)),
        anchors=anchors(codes),
    )


def copy_fingerprints(
    articles: Sequence[Article], settings: CopiesConfig, progress: bool = False
) -> Fingerprints:
    """Band keys and anchors of the bodies: what candidates are found with.

    One article alone gets the same keys as in any batch.
    """
    return fingerprint_texts(
        [article.body for article in articles],
        settings.bands,
        settings.rows,
        settings.shingle,
        settings.seed,
        settings.engine,
        progress=progress,
    )


def dice(first: frozenset[str], second: frozenset[str]) -> float:
    """Dice coefficient of two sets; 0 when both are empty."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


def support(title: frozenset[str], text: str) -> float:
    """Share of a title's bigrams that occur in a text; 0 for an empty title."""
    return sum(bigram in text for bigram in title) / len(title) if title else 0.0


def own_words(a: CopyParts, b: CopyParts) -> tuple[float, float]:
    """For each article the share of its title that its own text tells and the other's does not.

    Reports written on one form (a reception, an obituary, a verdict) are alike but
    for the names, and the titles hold the names.
    """
    return _told_only(a.title, a.text.text, b.text.text), _told_only(
        b.title, b.text.text, a.text.text
    )


def _told_only(title: frozenset[str], own: str, other: str) -> float:
    told = sum(bigram in own and bigram not in other for bigram in title)
    return told / len(title) if title else 0.0
