"""Figures: reading and comparing."""

from __future__ import annotations

import pytest

from toolkit.elements.figures import Figure, compare_figures, find_figures
from toolkit.elements.lexicon import news_lexicon
from toolkit.elements.numerals import parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,200", 1200), ("3.5万", 35000), ("二十一", 21), ("两千", 2000), ("一百零五", 105),
        ("十", 10), ("三十万", 300000), ("1.2万亿", 1.2e12), ("二〇二一", 2021), ("12万3千", 123000),  # noqa: E501
        ("百", 100), ("年", None), ("", None),
    ],
)  # fmt: skip
def test_numerals(text: str, value: float | None) -> None:
    assert parse_number(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "kind", "value", "comparator"),
    [
        ("事故造成6人死亡。", "deaths", 6, "exact"),
        ("事故造成至少6人死亡。", "deaths", 6, "at_least"),
        ("死亡人数升至21人。", "deaths", 21, "exact"),
        ("共有三十二人受伤。", "injured", 32, "exact"),
        ("两死三伤", "deaths", 2, "exact"),
        ("另有5人失踪。", "missing", 5, "exact"),
        ("当地发生5.4级地震。", "magnitude", 5.4, "exact"),
        ("公司被罚款约3.5亿元。", "money", 3.5e8, "about"),
        ("泄露40万条信息。", "count", 400000, "exact"),
        ("同比增长12%。", "percent", 12, "exact"),
        ("过火面积2平方公里。", "area", 2e6, "exact"),
        ("召回92300台。", "count", 92300, "exact"),
    ],
)
def test_reading(text: str, kind: str, value: float, comparator: str) -> None:
    found = [(f.kind, pytest.approx(f.value), f.comparator) for f in find_figures(text)]
    assert (kind, value, comparator) in found
    for f in find_figures(text):
        assert text[f.start : f.end] == f.text


def deaths(value: float, comparator: str = "exact") -> Figure:
    return Figure("", 0, 0, "body", "deaths", value, "人", comparator)


def test_comparing() -> None:
    assert compare_figures(deaths(6), deaths(6)) == "equal"
    assert compare_figures(deaths(6, "at_least"), deaths(9)) == "compatible"
    assert compare_figures(deaths(6), deaths(9), True) == "update"
    assert compare_figures(deaths(9), deaths(6), True) == "conflict"
    assert compare_figures(deaths(3), deaths(30)) == "conflict"


def test_lexicon() -> None:
    lexicon = news_lexicon()
    assert len(lexicon) >= 150
    assert len({lexicon.group(w) for w in ("死亡", "遇难", "丧生", "身亡", "罹难")}) == 1
    assert lexicon.group("坠毁") == lexicon.group("坠落") == lexicon.group("失事")
    assert lexicon.group("桌子") == "桌子"
