"""When two words are similar: named strategies that give each word a class.

Words are similar when their classes are equal, which makes the one-to-one matching
of two word lists a multiset intersection. The paper uses fuzzy matching and names
HowNet as future work; a further lexicon is one more entry here.
"""

from __future__ import annotations

from collections.abc import Callable

from toolkit.errors import UserError
from toolkit.language.lexicon import synonyms
from toolkit.language.normalise import fold

WordClass = Callable[[str], str]


def exact(word: str) -> str:
    """The word itself, whatever its width, case or script."""
    return fold(word)


def synonym(word: str) -> str:
    """The first word of its group in the table of news synonyms, else the word."""
    folded = fold(word)
    return synonyms().get(folded, folded)


_MATCHERS: dict[str, WordClass] = {"exact": exact, "synonym": synonym}


def word_matcher(name: str) -> WordClass:
    """The strategy called ``name``.

    Raises:
        UserError: no such strategy.
    """
    if name not in _MATCHERS:
        raise UserError(f"paper.matcher: unknown '{name}'; known: {', '.join(_MATCHERS)}")
    return _MATCHERS[name]
