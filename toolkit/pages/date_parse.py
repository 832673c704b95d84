"""Readings of dates as pages print and encode them.

A reading never invents what is not written: a month without a day is no date, and a
time is only there if it was printed. No zone given means China time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from toolkit.io import CHINA_TIME

#: The web has no news pages from before this year.
FIRST_YEAR = 1994

_MONTH_NAMES = (
    "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august"
    "|sep sept september|oct october|nov november|dec december"
)
_MONTHS = {
    name: number
    for number, names in enumerate(_MONTH_NAMES.split("|"), start=1)
    for name in names.split()
}
_TIME = (
    r"(?:[\sT,，|｜/·・\-—　]*(?:[\(（]?(?:星期|周|礼拜)[一二三四五六日天][\)）]?[\s,，]*)?[\(（]?"
    r"(?P<half>凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|晚间|AM|PM)?\s*"
    r"(?P<hour>[01]?\d|2[0-3])\s*[:：时点]\s*(?P<minute>[0-5]\d)(?:\s*[:：分]\s*(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
    r"(?P<half2>\s*[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z(?![a-z])|UTC|GMT(?!\s*[+-])|(?:UTC|GMT)?\s*[+-]\d{2}:?\d{2}(?!\d))?)?"
)
_FULL = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s*(?P<sep>[-/.年|_—–]|\s)\s*(?P<month>0?[1-9]|1[0-2])\s*"
    r"(?:[-/.月|_—–]|\s)\s*(?P<day>[12]\d|3[01]|0?[1-9])(?!\d(?!\d?[:：]))\s*[日号]?" + _TIME,
    re.I,
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])"
    r"(?:T?(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?P<zone>Z)?)?(?!\d)"
)
_SHORT_YEAR = re.compile(
    r"(?<!\d)(?P<year>\d{2})[-/.](?P<month>0[1-9]|1[0-2])[-/.](?P<day>[0-2]\d|3[01])" + _TIME, re.I
)
_NO_YEAR = re.compile(
    r"(?<![\d\-/.年])(?P<month>0?[1-9]|1[0-2])(?:[-/]|月)(?P<day>[12]\d|3[01]|0?[1-9])日?(?![\d\-/.]*[-/.年])"
    + _TIME,
    re.I,
)
_ENGLISH = re.compile(
    r"(?:(?P<month>[A-Z][a-z]{2,8})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>20\d{2}|19\d{2})"
    r"|(?P<day2>\d{1,2})(?:st|nd|rd|th)?\s+(?P<month2>[A-Z][a-z]{2,8})\.?,?\s+(?P<year2>20\d{2}|19\d{2}))"
    + _TIME
)
_RELATIVE = re.compile(
    r"(?P<now>刚刚|刚才)|(?P<count>\d{1,3}|半)\s*个?(?P<unit>秒钟?|分钟|小时|天|周)(?:之)?前"
    r"|(?P<dayword>今天|昨天|前天|今日|昨日)(?:\s*(?P<hour>[01]?\d|2[0-3])[:：](?P<minute>[0-5]\d))?"
)
_UNITS = {"秒": 1, "秒钟": 1, "分钟": 60, "小时": 3600, "天": 86400, "周": 604800}
_EPOCH = re.compile(r"^(1[0-9]{9})(\d{3})?$|^([7-9]\d{8})$")


@dataclass(frozen=True, slots=True)
class Reading:
    """One date read from a text.

    Attributes:
        value: aware datetime (midnight China time if only the day is known).
        precision: "second", "minute" or "day".
        start, end: where it stands in the text.
        raw: the text that was read.
        zone: "stated", "china" (assumed) or "relative" (counted from the fetch time).
        year_known: False if the year was not printed and had to be lent.
    """

    value: datetime
    precision: str
    start: int
    end: int
    raw: str
    zone: str = "china"
    year_known: bool = True

    @property
    def timed(self) -> bool:
        """A time of day is known."""
        return self.precision != "day"


def _build(match: re.Match[str], year: int, month: int, day: int) -> Reading | None:
    groups = match.groupdict()
    hour, minute, second = groups.get("hour"), groups.get("minute"), groups.get("second")
    zone, stated = CHINA_TIME, "china"
    precision = "day"
    hours = 0
    if hour is not None and minute is not None:
        hours = int(hour)
        half = (
            ((groups.get("half") or "") + (groups.get("half2") or ""))
            .strip()
            .lower()
            .replace(".", "")
        )
        if half in ("下午", "傍晚", "晚上", "晚间", "pm") and 1 <= hours < 12:
            hours += 12
        elif half in ("凌晨", "am") and hours == 12:
            hours = 0
        precision = "second" if second is not None else "minute"
        offset = _zone(groups.get("zone"))
        if offset is not None:
            zone, stated = offset, "stated"
    try:
        value = datetime(year, month, day, hours, int(minute or 0), int(second or 0), tzinfo=zone)
        value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Reading(value, precision, match.start(), match.end(), match[0].strip(), stated)


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    digits = re.search(r"([+-])(\d{2}):?(\d{2})", text)
    if digits is None:
        return timezone.utc  # noqa: UP017 (a timezone object, as the annotation says)
    minutes = int(digits[2]) * 60 + int(digits[3])
    if minutes > 14 * 60:
        return None
    return timezone(timedelta(minutes=minutes if digits[1] == "+" else -minutes))


def read_all(text: str, *, compact: bool = False) -> list[Reading]:
    """Every full date (year, month and day printed) in ``text``, in order."""
    readings = []
    patterns = (_FULL, _COMPACT) if compact else (_FULL,)
    for expression in patterns:
        for match in expression.finditer(text):
            if match.groupdict().get("sep") == "" or not match["year"]:
                continue
            reading = _build(match, int(match["year"]), int(match["month"]), int(match["day"]))
            if reading:
                readings.append(reading)
    if not readings:
        for match in _ENGLISH.finditer(text):
            month = _MONTHS.get((match["month"] or match["month2"]).lower())
            if month:
                year, day = match["year"] or match["year2"], match["day"] or match["day2"]
                reading = _build(match, int(year), month, int(day))
                if reading:
                    readings.append(reading)
    return sorted(readings, key=lambda r: r.start)


def read_short(text: str, years: dict[tuple[int, int], int]) -> list[Reading]:
    """Dates with two digits of the year, or none, in ``text``.

    Args:
        text: a date line.
        years: (month, day) -> year as known from other dates of the page.
    """
    readings = []
    for match in _SHORT_YEAR.finditer(text):
        reading = _build(match, 2000 + int(match["year"]), int(match["month"]), int(match["day"]))
        if reading:
            readings.append(reading)
    if readings:
        return readings
    for match in _NO_YEAR.finditer(text):
        month, day = int(match["month"]), int(match["day"])
        year = years.get((month, day))
        if year is None or match["hour"] is None:
            continue
        found = _build(match, year, month, day)
        if found:
            readings.append(
                Reading(
                    found.value,
                    found.precision,
                    found.start,
                    found.end,
                    found.raw,
                    found.zone,
                    False,
                )
            )
    return readings


def read_relative(text: str, fetched: datetime) -> Reading | None:
    """昨天 12:30, 3小时前 and the like, counted from the time of the fetch."""
    match = _RELATIVE.search(text)
    if match is None:
        return None
    local = fetched.astimezone(CHINA_TIME)
    precision = "minute"
    if match["now"]:
        value = local
    elif match["unit"]:
        count = 0.5 if match["count"] == "半" else float(match["count"])
        value = local - timedelta(seconds=count * _UNITS[match["unit"]])
        if match["unit"] in ("天", "周"):
            precision = "day"
    else:
        back = {"今": 0, "昨": 1, "前": 2}[match["dayword"][0]]
        value = local - timedelta(days=back)
        if match["hour"] is None:
            precision = "day"
        else:
            value = value.replace(hour=int(match["hour"]), minute=int(match["minute"]))
    value = value.replace(second=0, microsecond=0)
    if precision == "day":
        value = value.replace(hour=0, minute=0)
    return Reading(value, precision, match.start(), match.end(), match[0], "relative")


def read_machine(text: str) -> Reading | None:
    """A machine date: ISO 8601, epoch seconds or milliseconds, RFC 2822, or as printed.

    A time of 00:00:00 or 23:59:59 is a placeholder: only the day is taken.
    """
    text = text.strip()
    epoch = _EPOCH.match(text)
    if epoch:
        seconds = int(epoch[1] or epoch[3])
        value = datetime.fromtimestamp(seconds, UTC).astimezone(CHINA_TIME)
        return Reading(value, "second", 0, len(text), text, "stated")
    readings = read_all(text, compact=True)
    reading = readings[0] if readings else None
    if reading is None and re.search(r"\d{1,2} [A-Z][a-z]{2} \d{4}", text):
        try:
            value = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError):
            return None
        if value.tzinfo is None:
            value = value.replace(tzinfo=CHINA_TIME)
        reading = Reading(value, "second", 0, len(text), text, "stated")
    if reading is not None and reading.precision == "second":
        clock = (reading.value.hour, reading.value.minute, reading.value.second)
        if clock in ((0, 0, 0), (23, 59, 59)):
            day = reading.value.replace(hour=0, minute=0, second=0)
            return Reading(day, "day", reading.start, reading.end, reading.raw, reading.zone)
    return reading


_URL_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d{2})[-/_]?(0[1-9]|1[0-2])[-/_]?(0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)((?:19|20)\d{2})[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])(?!\d)"
)


def read_url(url: str) -> Reading | None:
    """The day in the path of an address, such as ``/2019-09/07/`` or ``/t20190907_``."""
    path = url.split("?", 1)[0].split("//", 1)[-1]
    match = _URL_DATE.search(path)
    if match is None:
        return None
    year, month, day = (int(g) for g in match.groups() if g is not None)
    try:
        value = datetime(year, month, day, tzinfo=CHINA_TIME)
    except ValueError:
        return None
    return Reading(value, "day", match.start(), match.end(), match[0])
