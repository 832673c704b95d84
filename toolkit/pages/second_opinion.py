"""A maintained general extractor beside our own, for audit.

Where the two disagree on the body the article carries a warning. The body itself is
never replaced: on Chinese pages the general tool is wrong more often.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from toolkit.errors import MissingExtra
from toolkit.pages.blocks import text_key

#: Bodies that agree less than this (Dice of character 4-grams) are reported.
AGREEMENT = 0.8
_GRAM = 4


@lru_cache(maxsize=1)
def _readability() -> Any:
    try:
        from readability import Document
    except ImportError:
        raise MissingExtra("the second opinion", "second-opinion") from None
    return Document


def require() -> None:
    """Fail early if the general extractor is asked for and missing.

    Raises:
        MissingExtra: readability-lxml is not installed.
    """
    _readability()


@lru_cache(maxsize=1)
def available() -> bool:
    """The general extractor is installed."""
    try:
        require()
    except MissingExtra:
        return False
    return True


def other_body(html: str) -> str:
    """The body as readability-lxml sees it, "" if it finds none.

    Raises:
        MissingExtra: readability-lxml is not installed.
    """
    document = _readability()
    import lxml.html

    try:
        summary = document(html).summary(html_partial=True)
        return "\n".join(lxml.html.fromstring(summary).itertext()) if summary else ""
    except Exception:  # the other tool's failures are its own; no opinion is no warning
        return ""


def agreement(a: str, b: str) -> float:
    """Dice coefficient of the character 4-grams (letters, digits, hanzi), 0 to 1."""
    first, second = _grams(a), _grams(b)
    total = sum(first.values()) + sum(second.values())
    if not total:
        return 1.0
    return 2 * sum((first & second).values()) / total


def _grams(text: str) -> Counter[str]:
    key = text_key(text)
    return Counter(key[i : i + _GRAM] for i in range(len(key) - _GRAM + 1))


def second_opinion(html: str, body: str) -> tuple[float, str | None]:
    """(agreement with the other tool, warning or None)."""
    other = other_body(html)
    if not other.strip():
        return 1.0, None
    share = agreement(body, other)
    if share >= AGREEMENT:
        return share, None
    mine, theirs = len(text_key(body)), len(text_key(other))
    return share, (
        f"second opinion (readability) agrees by {share:.2f}: {mine} against {theirs} characters"
    )
