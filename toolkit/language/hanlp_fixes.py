"""Known faults of HanLP 2.1.5 and how they are worked around, all in one place.

* A failed load imports ``pkg_resources`` (gone from setuptools 82 and later) and asks
  the package index for a newer version, which hides the real error and hangs offline.
* ``RNNTokenizer`` can be neither trained nor run: its data set takes a list of transforms
  for one, and its ``update_metrics`` lacks an argument that its trainer passes. The
  tokeniser trained here is therefore HanLP's ``RNNTagger`` over characters with the tags
  B, M, E, S; ``is_character_tagger`` recognises one and ``words_of`` reads its answer.
* RNN models with ``crf=True`` decode wrongly without an error: they are refused.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from toolkit.errors import UserError

UPSTREAM = "2.1.5"
BMES = frozenset("BMES")


@contextmanager
def honest_loading() -> Iterator[None]:
    """While a model is loaded: no look-up of newer versions, a stand-in for pkg_resources."""
    from hanlp import version
    from hanlp.utils import component_util
    from packaging.version import parse

    look_up = component_util.get_latest_info_from_pypi
    component_util.get_latest_info_from_pypi = lambda *_: parse(version.__version__)
    stand_in = None
    try:
        import pkg_resources  # noqa: F401
    except ImportError:
        stand_in = types.ModuleType("pkg_resources")
        stand_in.parse_version = parse  # type: ignore[attr-defined]
        sys.modules["pkg_resources"] = stand_in
    try:
        yield
    finally:
        component_util.get_latest_info_from_pypi = look_up
        if stand_in is not None and sys.modules.get("pkg_resources") is stand_in:
            del sys.modules["pkg_resources"]


def refuse_crf(component: Any, where: str) -> None:
    """Raise UserError for an RNN model trained with a CRF layer."""
    if "RNN" in type(component).__name__ and component.config.get("crf"):
        raise UserError(
            f"{where}: trained with crf=True, which HanLP {UPSTREAM} decodes wrongly; "
            "train it again with crf=False (toolkit tagger train does)"
        )


def is_character_tagger(component: Any) -> bool:
    """A tagger whose tags are B, M, E, S: a tokeniser in disguise."""
    vocabs = getattr(component, "vocabs", None) or {}
    return "tag" in vocabs and set(vocabs["tag"].idx_to_token) <= BMES


def words_of(characters: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Words from B, M, E, S tags; an impossible sequence still gives every character once."""
    words: list[str] = []
    current = ""
    for character, tag in zip(characters, tags, strict=True):
        if tag in "BS" and current:
            words.append(current)
            current = ""
        current += character
        if tag in "ES":
            words.append(current)
            current = ""
    return [*words, current] if current else words
