"""Figures: what is counted, how many, in what unit, and how exactly.

Two figures of one kind are ``equal``, ``compatible`` (rounding, 至少, 近), an
``update`` (a later report with a larger toll) or in ``conflict``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from toolkit.elements.numerals import parse_number
from toolkit.language.normalise import fold
from toolkit.model import Field

_N = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[零〇一二三四五六七八九十百千两]+)(?:余|多|几)?(?:万|亿|千|百)*(?:余|多)?"  # noqa: E501
_AT_LEAST = ("至少", "不少于", "不低于", "最少", "逾", "超过", "超", "突破", "多于")
_ABOUT = ("约", "大约", "近", "将近", "接近", "左右", "上下", "大概", "据估计")
_AT_MOST = ("至多", "不超过", "不到", "不足", "最多", "低于")
_COMPARATOR = "|".join(sorted((*_AT_LEAST, *_ABOUT, *_AT_MOST), key=len, reverse=True))
_PERSON = r"(?:多)?(?:名|位|个)?(?:[\u4e00-\u9fff]{0,6}?)?人?(?:员)?"
_DEAD = r"(?:死亡|遇难|丧生|身亡|罹难|遇害|殉职|牺牲|死(?!者|因|刑|伤)|亡(?!羊))"
_HURT = r"(?:受伤|重伤|轻伤|轻微伤|负伤|烧伤|受轻伤|受重伤|伤(?!者|员|口|心|害|亡|势|感|残))"
_MISSING = r"(?:失踪|失联|下落不明)"
_RISE = r"(?:人数)?(?:已经?|共)?(?:上升|升|增|增加|达|达到|升高|攀升|增至|升至|为|是|至|到|有|共|超过|超|约|近|至少){0,3}"  # noqa: E501


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. ``comparator``: exact, at_least, at_most or about."""

    text: str
    start: int
    end: int
    field: Field
    kind: str
    value: float
    unit: str
    comparator: str = "exact"
    counts: str = ""

    def as_json(self) -> dict[str, object]:
        """The normalised value as plain JSON types."""
        return {
            "kind": self.kind, "value": self.value, "unit": self.unit,
            "comparator": self.comparator, "counts": self.counts or None,
        }  # fmt: skip


def _patterns() -> re.Pattern[str]:
    pre = rf"(?P<cmp>{_COMPARATOR})?"
    parts = []
    for kind, words in (("deaths", _DEAD), ("injured", _HURT), ("missing", _MISSING)):
        k = kind[0]
        parts.append(
            rf"(?:(?P<{k}c1>{_COMPARATOR})?(?P<{k}1>{_N})(?:多|余)?(?:名|位|个)?(?:[\u4e00-\u9fff]{{0,5}}?人|人|[\u4e00-\u9fff]{{2}}员|[\u4e00-\u9fff]{{0,2}}(?:乘客|旅客|矿工|学生|村民|司机|儿童|船员))?(?:当场|不幸|均|已|不同程度|确认){{0,2}}(?P<{k}w1>{words}))"
        )
        parts.append(
            rf"(?:(?P<{k}w2>{words}){_RISE}(?P<{k}c2>{_COMPARATOR})?(?P<{k}2>{_N})(?:余|多)?(?:名|位)?人)"
        )
    units = "|".join(sorted(_units(), key=len, reverse=True))
    general = rf"(?:{pre}(?P<g>{_N})(?:余|多)?(?P<u>{units})(?P<after>[\u4e00-\u9fff]{{0,4}}))"
    magnitude = r"(?:(?:发生|震级为?|里氏)?(?P<mag>\d(?:\.\d)?)级(?=左右|余震|强|大|地震|的))"
    percent = (
        r"(?:(?P<pct>\d+(?:\.\d+)?)(?:%|个百分点)|百分之(?P<pct2>[零一二三四五六七八九十百点\d.]+))"
    )
    return re.compile("|".join([*parts, magnitude, percent, general]))


@lru_cache(maxsize=1)
def _units() -> dict[str, tuple[str, str, float]]:
    """unit -> (kind, base unit, factor), from data/units.tsv."""
    table = {}
    source = resources.files("toolkit.elements").joinpath("data/units.tsv")
    for line in source.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, base, factor, names = line.split("\t")
            for name in names.split():
                table[name] = (kind, base, float(factor))
    return table


@lru_cache(maxsize=1)
def _finder() -> re.Pattern[str]:
    return _patterns()


_START = re.compile(
    r"[\d零〇一二三四五六七八九十百千两至逾超约近不最将接大据突多低据死遇丧身罹殉牺亡受重轻负烧伤失下里震发百]"
)


def comparator_of(word: str | None, tail: str = "") -> str:
    """The comparator a word stands for; 余, 多 and 左右 behind the number count too."""
    if word in _AT_LEAST:
        return "at_least"
    if word in _AT_MOST:
        return "at_most"
    if word in _ABOUT or "左右" in tail:
        return "about"
    if "余" in tail or "多" in tail:
        return "at_least"
    return "exact"


def find_figures(text: str, field: Field = "body", folded: bool = False) -> list[Figure]:
    """All figures of a text in order (lengths of time and dates are not figures)."""
    plain = text if folded else fold(text)
    found: list[Figure] = []
    finder = _finder()
    position, match = 0, _START.search(plain)
    while match:
        position = match.start()
        hit = finder.match(plain, position)
        figure = _read(hit, text, field, plain) if hit else None
        if figure:
            found.append(figure)
            position = figure.end
        else:
            position += 1
            while (
                position < len(plain)
                and plain[position - 1].isdigit()
                and plain[position].isdigit()
            ):
                position += 1
        match = _START.search(plain, position)
    return found


def _read(hit: re.Match[str], text: str, field: Field, plain: str) -> Figure | None:
    groups = hit.groupdict()
    for kind in ("deaths", "injured", "missing"):
        k = kind[0]
        for form in ("1", "2"):
            number = groups[k + form]
            if number:
                value = parse_number(number)
                if value is None:
                    return None
                return Figure(
                    text[hit.start() : hit.end()], hit.start(), hit.end(), field, kind, value, "人",
                    comparator_of(groups[f"{k}c{form}"], number), groups[f"{k}w{form}"],
                )  # fmt: skip
    span = (hit.start(), hit.end())
    if groups["mag"]:
        return Figure(
            text[span[0] : span[1]], *span, field, "magnitude", float(groups["mag"]), "级"
        )
    percent = groups["pct"] or groups["pct2"]
    if percent:
        value = parse_number(percent) if groups["pct2"] else float(percent)
        if value is None:
            return None
        return Figure(text[span[0] : span[1]], *span, field, "percent", value, "%")
    if groups["g"]:
        value = parse_number(groups["g"])
        unit = _units().get(groups["u"])
        if value is None or unit is None:
            return None
        kind, base, factor = unit
        end = hit.end("u")
        after = "" if kind != "count" else groups["after"][:2]
        return Figure(
            text[hit.start() : end], hit.start(), end, field, kind, value * factor, base,
            comparator_of(groups["cmp"], groups["g"] + plain[end : end + 2]), after,
        )  # fmt: skip
    return None


def compare_figures(a: Figure, b: Figure, a_first: bool | None = None) -> str:
    """equal, compatible, update or conflict for two figures of one kind.

    Args:
        a_first: True when ``a``'s report is the earlier one, None when unknown.
    """
    if a.value == b.value:
        return "equal"
    low, high = (a, b) if a.value < b.value else (b, a)
    if low.comparator == "at_least" or high.comparator == "at_most":
        return "compatible"
    if low.value > 0 and (high.value - low.value) / high.value <= 0.05 and high.value >= 20:
        return "compatible"
    if "about" in (low.comparator, high.comparator) and low.value / high.value >= 0.85:
        return "compatible"
    if a.kind in ("deaths", "injured") and (a_first is None or (low is a) == a_first):
        return (
            "update"
            if a_first is not None
            else "compatible"
            if low.value / high.value >= 0.7
            else "conflict"
        )
    return "conflict"
