"""What a report says of its occurrence: the day in its lead, figures, the dateline.

These are the facts that speak against a join (two days, two magnitudes) and that are
followed over time (deaths). They are read from title and lead by tables in ``data``;
the reading is cautious: what is not clear is left unknown and contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash
import yaml

from toolkit.io import CHINA_TIME
from toolkit.language.normalise import fold
from toolkit.model import Article

LEAD = 160
#: a day this long before the publication is still the day of the news
RECENT = 4
#: characters behind a date that make the form of a bulletin
FORM = 14
_MARKS = re.compile(r"[^\w#]+")
_DIGIT_RUN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
#: calendar days near New Year are left unknown, so that the count never wraps
_CALENDAR = (8, 358)
_DATE = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>1[0-2]|0?[1-9])月(?P<day>3[01]|[12]\d|0?[1-9])[日号]"
)
_BARE_DAY = re.compile(r"(?<![\d月.第])(?P<day>3[01]|[12]\d|[1-9])日(?![元均益程报间])")
_NUMBER = r"(?P<n>\d+(?:\.\d+)?万?|[一二两三四五六七八九十百千]+)"
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}


@dataclass(frozen=True)
class Figure:
    """One figure: its kind (a key of figures.yaml), value and place in title + body."""

    kind: str
    value: float
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Facts:
    """Facts of n articles as arrays.

    ``low``/``high`` (n, 3): day (days since 1970), calendar day (day of the year),
    magnitude; -inf/inf where unknown. ``published`` (n,) in days, NaN where unknown.
    """

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    tolerance: npt.NDArray[np.float64]
    published: npt.NDArray[np.float64]


@lru_cache(maxsize=4)
def _table(name: str) -> dict[str, Any]:
    text = resources.files("toolkit.stories").joinpath(f"data/{name}.yaml").read_text("utf-8")
    return dict(yaml.safe_load(text))


@lru_cache(maxsize=1)
def _figure_patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (kind, re.compile(p.replace("{n}", _NUMBER)))
        for kind, row in _table("figures").items()
        for p in row["patterns"]
    ]


@lru_cache(maxsize=1)
def _datelines() -> list[re.Pattern[str]]:
    return [re.compile(p) for p in _table("lead_patterns")["dateline"]]


def figure_kinds() -> dict[str, dict[str, Any]]:
    """The table of figure kinds: label, growing, tolerance, patterns."""
    return _table("figures")


def read_number(text: str) -> float | None:
    """A number in digits (with 万) or in hanzi below ten thousand; None if neither."""
    if text[:1].isdigit():
        scale = 10000 if text.endswith("万") else 1
        return float(text.rstrip("万")) * scale
    total = digit = 0
    for character in text:
        if character in _TENS:
            total += (digit or 1) * _TENS[character]
            digit = 0
        elif character in _DIGITS:
            digit = _DIGITS[character]
        else:
            return None
    return float(total + digit)


def dateline(article: Article) -> tuple[str | None, int]:
    """(agency, end): who wrote the report by its dateline, and where that ends in the body.

    The agency is None when there is no dateline or it names the paper itself (本报讯).
    """
    head = fold(article.body[:LEAD])
    for pattern in _datelines():
        match = pattern.match(head)
        if match:
            agency = match["agency"]
            own = any(agency.startswith(word) for word in _table("lead_patterns")["own_words"])
            return (None if own else agency), match.end()
    return None, 0


def figures(article: Article) -> list[Figure]:
    """All figures of title and body; offsets count in title + "\\n" + body."""
    text = fold(f"{article.title}\n{article.body}")
    found: dict[tuple[int, str], Figure] = {}
    for kind, pattern in _figure_patterns():
        for match in pattern.finditer(text):
            value = read_number(match["n"])
            if value is None or (kind, value) == ("deaths", 0.0):
                continue
            key = (match.start("n"), kind)
            if key not in found:
                found[key] = Figure(kind, value, match.start(), match.end(), match[0])
    return sorted(found.values(), key=lambda f: (f.start, f.kind))


def published_day(article: Article) -> float:
    """Time of publication in days since 1970 (UTC), NaN when unknown."""
    moment = article.published
    if moment is None:
        return float("nan")
    return (moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)


def _lead(article: Article) -> str:
    """Title and first paragraph (at most ``LEAD`` characters) without the dateline, folded."""
    _, end = dateline(article)
    lead = article.body[end : end + LEAD]
    stop = lead.find("\n", 40)
    return fold(article.title + "\n" + (lead if stop < 0 else lead[:stop]))


def lead_days(article: Article) -> tuple[list[date], list[date]]:
    """(days with a sure year, calendar days) named in title and lead.

    The year is sure when the text prints it, or when the day was reckoned from the
    time of publication (今天, 21日). A bare 5月21日 gives a calendar day only: the year
    would come from the page, and pages err. A day counts as the day of the occurrence
    only when it lies close before the publication; older days are background, and
    without a time of publication nothing tells the two apart, so all stays unknown.
    """
    if article.published is None:
        return [], []
    text = _lead(article)
    today = article.published.astimezone(CHINA_TIME).date()
    sure: list[date] = []
    calendar: list[date] = []
    for match in _DATE.finditer(text):
        year = int(match["year"]) if match["year"] else today.year
        try:
            day = date(year, int(match["month"]), int(match["day"]))
        except ValueError:
            continue
        if not match["year"] and day > today + timedelta(days=180) and year > 1:
            day = day.replace(year=year - 1) if (day.month, day.day) != (2, 29) else day
        if -1 <= (today - day).days <= RECENT:
            calendar.append(day)
            if match["year"]:
                sure.append(day)
    if calendar:
        return sure, calendar
    for match in _BARE_DAY.finditer(text):
        resolved = _last_day(int(match["day"]), today)
        if resolved is not None and (today - resolved).days <= RECENT:
            sure.append(resolved)
    if not sure and not _DATE.search(text):
        for word, reach in _table("lead_patterns")["relative"].items():
            if word in text:
                sure.extend(today - timedelta(days=d) for d in reach)
                # a reprint of the next day often keeps the word
                sure.append(today - timedelta(days=reach[1] + 1))
    return sure, calendar + sure


def series_keys(article: Article) -> dict[int, tuple[int, int]]:
    """Form of each dated clause of the lead -> (month or 0, day) in it.

    The form is a hash of the characters behind a date with all numbers masked. Two
    articles with one form and two dates are issues of a series (daily bulletins).
    """
    text = _lead(article)
    found: dict[int, tuple[int, int]] = {}
    for pattern in (_DATE, _BARE_DAY):
        for match in pattern.finditer(text):
            behind = _MARKS.sub("", _DIGIT_RUN.sub("#", text[match.end() : match.end() + 60]))
            if len(behind) >= FORM:
                key = xxhash.xxh3_64_intdigest(behind[:FORM].encode("utf-8", "surrogatepass"))
                month = int(match.groupdict().get("month") or 0)
                found.setdefault(key, (month, int(match["day"])))
        if found:
            break
    return found


def series_conflicts(
    articles: Sequence[Article], pairs: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Those of ``pairs`` (m, 2) that are two issues of one series, shape (k, 2)."""
    keys = {int(i): series_keys(articles[int(i)]) for i in np.unique(pairs)}
    rows = []
    for i, j in pairs.tolist():
        a, b = keys[i], keys[j]
        differ = [_other_day(a[form], b[form]) for form in a.keys() & b.keys()]
        if differ and all(differ):
            rows.append((i, j))
    return np.array(rows, np.int32).reshape(-1, 2)


def _other_day(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[1] != b[1] or (a[0] != b[0] and a[0] > 0 and b[0] > 0)


def _last_day(number: int, today: date) -> date | None:
    """The last day with this number not after tomorrow."""
    latest = today + timedelta(days=1)
    for back in range(0, 45):
        day = latest - timedelta(days=back)
        if day.day == number:
            return day
    return None


def collect(articles: Sequence[Article], wanted: npt.NDArray[np.bool_] | None = None) -> Facts:
    """Facts of all articles; where ``wanted`` is False only the time is read."""
    n = len(articles)
    low = np.full((n, 3), -np.inf)
    high = np.full((n, 3), np.inf)
    published = np.full(n, np.nan)
    for i, article in enumerate(articles):
        published[i] = published_day(article)
        if wanted is not None and not wanted[i]:
            continue
        sure, calendar = lead_days(article)
        if sure:
            ordinals = [d.toordinal() - 719163 for d in sure]
            low[i, 0], high[i, 0] = min(ordinals), max(ordinals)
        numbers = [d.timetuple().tm_yday for d in calendar]
        if numbers and _CALENDAR[0] <= min(numbers) and max(numbers) <= _CALENDAR[1]:
            low[i, 1], high[i, 1] = min(numbers), max(numbers)
        size = _magnitudes(article)
        if size:
            low[i, 2], high[i, 2] = min(size), max(size)
    tolerance = np.array([1.0, 1.0, float(figure_kinds()["magnitude"]["tolerance"])])
    return Facts(low, high, tolerance, published)


def _magnitudes(article: Article) -> list[float]:
    text = fold(f"{article.title}\n{article.body[: 2 * LEAD]}")
    if "级" not in text or "震" not in text:
        return []
    return [
        float(m["n"])
        for kind, pattern in _figure_patterns()
        if kind == "magnitude"
        for m in pattern.finditer(text)
        if 2.0 <= float(m["n"]) <= 10.0
    ]
