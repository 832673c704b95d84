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

#: More of our text than this share that the other tool leaves out is reported: it may
#: be foreign text. The other way round says little, since the general tool keeps
#: credits, captions and lists; only a body of twice our size is reported.
UNSUPPORTED = 0.01
LARGER = 0.5
#: With fewer letters than this the other tool has found a slogan, not an article.
FEW_LETTERS = 60
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


def agreement(ours: str, theirs: str) -> tuple[float, float]:
    """(share of our text that they have, share of their text that we have), 0 to 1.

    Texts are compared as bags of character 4-grams of letters, digits and hanzi.
    """
    first, second = _grams(ours), _grams(theirs)
    both = sum((first & second).values())
    return both / max(1, sum(first.values())), both / max(1, sum(second.values()))


def _grams(text: str) -> Counter[str]:
    key = text_key(text)
    return Counter(key[i : i + _GRAM] for i in range(len(key) - _GRAM + 1))


def second_opinion(html: str, body: str) -> tuple[float | None, str | None]:
    """(agreement as Dice coefficient, warning or None).

    A tool that finds next to no text has no opinion: (None, None).
    """
    theirs = other_body(html)
    if len(text_key(theirs)) < FEW_LETTERS:
        return None, None
    supported, covered = agreement(body, theirs)
    dice = 2 * supported * covered / (supported + covered) if supported + covered else 0.0
    if not covered:
        return dice, "second opinion (readability) finds another body"
    if supported < 1 - UNSUPPORTED:
        return dice, f"second opinion (readability) leaves out {1 - supported:.1%} of this body"
    if covered < LARGER:
        return dice, f"second opinion (readability) finds {1 / covered:.1f} times as much text"
    return dice, None
