"""The array normaliser spells the same text as the one-text normaliser."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.fingerprints.clean import clean_codes, clean_with_offsets, decode
from toolkit.language.normalise import shingle_text

AWKWARD = [
    "", "，。！", "ＡＢＣ１２３", "ﾊﾞｽ", "e\u0301tude", "\u1100\u1161\u11a8", "㎡①…—“”",
    "ΌΔΟΣ", "İstanbul", "2024年5月1日\n下午", "臺灣。", "\U0001f600的", "\u314e\u314f",
]  # fmt: skip


def test_awkward_texts() -> None:
    cleaned = clean_codes(AWKWARD)
    assert [decode(cleaned[i]) for i in range(len(AWKWARD))] == [shingle_text(t) for t in AWKWARD]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_texts(texts: list[str]) -> None:
    cleaned = clean_codes(texts)
    assert [decode(cleaned[i]) for i in range(len(texts))] == [shingle_text(t) for t in texts]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_offsets_point_at_the_source(text: str) -> None:
    cleaned, offsets = clean_with_offsets(text)
    assert len(cleaned) == len(offsets)
    assert (np.diff(offsets) >= 0).all()
    for character, offset in zip(cleaned, offsets.tolist(), strict=True):
        assert character in shingle_text(text[offset])
