"""The word lists and tables of the paper's phrase and clause grammar, read once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml


@dataclass(frozen=True)
class Grammar:
    """``data/localisers.yaml`` as sets."""

    time: frozenset[str]
    either: frozenset[str]
    place: frozenset[str]
    localiser_tags: frozenset[str]
    ignored: frozenset[str]
    after_verb: frozenset[str]
    quantities: frozenset[str]
    time_tails: frozenset[str]
    instants: frozenset[str]
    time_words: frozenset[str]
    not_time: frozenset[str]
    time_characters: frozenset[str]
    not_place: frozenset[str]
    units_of_time: frozenset[str]
    needs_evidence: frozenset[str]
    run_tags: frozenset[str]
    common_nouns: frozenset[str]
    names: frozenset[str]
    phrase_tags: frozenset[str]
    attributive: frozenset[str]
    coordination: frozenset[str]
    modal_verbs: frozenset[str]
    openers: dict[str, frozenset[str]]
    duration: re.Pattern[str]


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The tables of ``data/localisers.yaml``."""
    source = resources.files("toolkit.elements") / "data" / "localisers.yaml"
    data: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    openers = {word: frozenset(tags) for word, tags in data.pop("openers").items()}
    duration = re.compile(data.pop("duration"))
    return Grammar(
        openers=openers,
        duration=duration,
        **{name: frozenset(words) for name, words in data.items()},
    )
