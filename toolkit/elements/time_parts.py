"""Reading the parts of one time expression: year, month, day, day part, clock."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolkit.elements import time_grammar as g
from toolkit.elements.numerals import parse_number

_MONTH_PART = {
    "上旬": (0, 10),
    "中旬": (10, 20),
    "下旬": (20, 31),
    "初": (0, 10),
    "底": (20, 31),
    "末": (20, 31),
    "中": (9, 21),
}
_YEAR_PART = {"初": (1, 3), "底": (11, 12), "末": (11, 12), "中": (5, 8), "上半年": (1, 6), "下半年": (7, 12),  # noqa: E501
              "春": (2, 5), "夏": (5, 8), "秋": (8, 11), "冬": (11, 12)}  # fmt: skip
_WEEKDAYS = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_LUNAR_MONTH = {"正": 1, "冬": 11, "腊": 12}


@dataclass(slots=True)
class Parts:
    """What the words of one expression say, before any anchor is used."""

    zone: str = ""
    year: int | None = None
    year_word: str = ""
    year_part: tuple[int, int] | None = None
    month: int | None = None
    month_word: str = ""
    month_part: tuple[int, int] | None = None
    day: int | None = None
    days: int = 1
    relative: str = ""
    weekday: int | None = None
    week_word: str = ""
    lunar: tuple[int, int] | None = None
    festival: str = ""
    festival_span: str = ""
    minutes: tuple[int, int] | None = None
    approximate: bool = False
    granularity: str = ""
    empty: bool = False
    #: day after a range: 5日至8日 gives days = 4
    last: Parts | None = None


def _number(text: str) -> int | None:
    value = parse_number(text)
    return None if value is None else int(value)


def read_parts(text: str) -> Parts:
    """Read a folded expression (as found by the finder) into its parts."""
    p = Parts()
    position = 0
    for word in ("截至到", "截至", "截止到", "截止", "直至", "直到", "至", "到"):
        if text.startswith(word):
            position = len(word)
            break
    position = _read(text, position, p)
    while position < len(text) and text[position] in "至到-—~":
        position += 1
        if position < len(text) and text[position] not in "至到-—~":
            second = Parts()
            position = _read(text, position, second)
            p.last = second
            break
    _set_granularity(p)
    if p.last is not None:
        _join_range(p)
    return p


def _join_range(p: Parts) -> None:
    second = p.last
    assert second is not None
    _set_granularity(second)
    if p.day and second.day and (second.month in (None, p.month)):
        p.days = max(1, second.day - p.day + 1)
        if p.days > 1:
            p.granularity, p.minutes = "range", None
    elif p.minutes and second.minutes and not second.day:
        p.minutes = (p.minutes[0], max(p.minutes[1], second.minutes[1]))
    elif p.day is None and second.day and p.month is None:
        p.day = None


def _read(text: str, position: int, p: Parts) -> int:
    match = g.C_ZONE.match(text, position)
    if match:
        p.zone, position = match.group(), _space(text, match.end())
    position = _space(text, _read_date(text, position, p))
    match = g.C_PART.match(text, position)
    part = ""
    if match and match.group():
        part = match.group()
        p.minutes = g.PART_MINUTES.get(part)
        position = _space(text, match.end())
    match = g.C_CLOCK.match(text, position)
    if match:
        _read_clock(match, part, p)
        position = match.end()
    return position


def _space(text: str, position: int) -> int:
    return position + 1 if position < len(text) and text[position] == " " else position


def _read_date(text: str, position: int, p: Parts) -> int:
    match = g.C_ISO.match(text, position)
    if match:
        p.year, p.month, p.day = (int(x) for x in match.groups())
        return match.end()
    match = g.C_LUNAR.match(text, position)
    if match:
        month = match.group(1) or "正月"
        name = month.removeprefix("农历").rstrip("初").removesuffix("月")
        number = _LUNAR_MONTH.get(name) or _number(name) or 1
        day = _number(match.group(2).replace("廿", "二十"))
        if day:
            p.lunar = (number, day)
        return match.end()
    match = g.C_FESTIVAL.match(text, position)
    if match and not (
        match.group(3) == "十一" and text[match.end() - 1 : match.end() + 1].endswith("月")
    ):
        p.year = _number(match.group(1)) if match.group(1) else None
        p.year_word = match.group(2) or ""
        p.festival = "除夕" if match.group(3) == "大年三十" else match.group(3)
        p.festival_span = match.group(4) or ""
        return match.end()
    match = g.C_YEAR.match(text, position)
    if match:
        if match.group(1):
            year = _number(match.group(1).lstrip("'").replace("○", "0").replace("o", "0"))
            p.year = year + 2000 if year is not None and year < 100 else year
        else:
            p.year_word = match.group(2)
        if match.group(3):
            word = match.group(3).lstrip("年")
            p.year_part = _YEAR_PART.get(word) or _YEAR_PART.get(word[:1])
        position = _space(text, match.end())
    match = g.C_MONTH.match(text, position)
    if match:
        if match.group(1):
            month = _number(match.group(1))
            p.month = month if month and 1 <= month <= 12 else None
        else:
            p.month_word = match.group(2)
        if match.group(3):
            p.month_part = _MONTH_PART[match.group(3)]
        position = match.end()
    match = g.C_DAY_RANGE.match(text, position)
    if match:
        first, last = _number(match.group(1)), _number(match.group(2))
        if first and last and 1 <= first <= 31 and 1 <= last <= 31:
            p.day, p.days = first, max(1, last - first + 1)
        return match.end()
    match = g.C_DAY.match(text, position)
    if match:
        day = _number(match.group(1))
        p.day = day if day and 1 <= day <= 31 else None
        return match.end()
    match = g.C_WEEKDAY.match(text, position)
    if match:
        p.week_word = (match.group(1) or "").rstrip("个")
        p.weekday = _WEEKDAYS[match.group(2)]
        return _paren(text, match.end(), p)
    match = g.C_RELATIVE.match(text, position)
    if match and p.year is None and p.month is None and not p.year_word:
        p.relative = match.group(1)
        return _paren(text, match.end(), p)
    return position


def _paren(text: str, position: int, p: Parts) -> int:
    match = g.C_PAREN.match(text, position)
    if not match:
        return position
    p.month = _number(match.group(1)) if match.group(1) else p.month
    day = _number(match.group(2))
    p.day = day if day and day <= 31 else None
    return match.end()


def _read_clock(match: re.Match[str], part: str, p: Parts) -> None:
    p.approximate = bool(match.group(1)) or any(
        w in match.group(7) for w in ("左右", "许", "前后", "多", "过", "不")
    )
    minute = None
    if match.group(2):
        hour, minute = int(match.group(2)), int(match.group(3))
    else:
        value = _number(match.group(5))
        if value is None:
            return
        hour = value
        word = match.group(6)
        if word:
            fixed = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}
            minute = fixed[word] if word in fixed else _number(word.lstrip("零〇") or "0")
    if hour > 24 or (minute or 0) > 59:
        return
    window = g.PART_MINUTES.get(part)
    if hour < 12 and (part in g.AFTERNOON_PARTS or (part == "中午" and hour < 3)):
        if not (part in ("晚上", "晚", "深夜", "夜间", "夜里", "夜", "半夜") and hour < 5):
            hour += 12
        else:
            hour += 24
    elif part in ("凌晨", "半夜") and hour == 12:
        hour = 0
    elif window and hour == 12 and part in ("晚上", "晚", "深夜", "午夜"):
        hour = 24
    start = hour * 60 + (minute or 0)
    length = 1 if minute is not None else 60
    p.minutes = (start, start + length)
    p.granularity = "minute" if minute is not None else "hour"


def _set_granularity(p: Parts) -> None:
    if p.granularity:
        return
    if p.minutes:
        p.granularity = "part"
    elif p.day or p.relative or p.lunar or p.weekday is not None:
        p.granularity = "day" if p.days <= 1 else "range"
    elif p.festival:
        p.granularity = "range" if p.festival_span and p.festival_span != "当天" else "day"
    elif p.month or p.month_word:
        p.granularity = "month"
    elif p.year or p.year_word:
        p.granularity = "season" if p.year_part else "year"
    else:
        p.empty = True
