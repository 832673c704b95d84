"""Time expressions of a text: where they are, and what interval each one means.

``find_times`` finds expressions in folded text; ``resolve_times`` walks through a
document in reading order and gives each one calendar fields and, where the fields
suffice, an interval ``[start, end)`` in UTC. The rules of reading a news text:

* today, yesterday ... count from the dateline day, else from publication;
* a bare day or month-day is the latest one not after publication, unless words
  such as 将, 拟, 定于 announce a future one;
* 当天, 当日, 同日, 当晚 and a lone clock time belong to the last event day;
* a length of time (三天, 24小时) is no point in time and never gets an interval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone

from toolkit.elements import anchors as _anchors
from toolkit.elements import time_grammar as g
from toolkit.elements.numerals import parse_number
from toolkit.elements.time_parts import Parts, read_parts
from toolkit.language.normalise import fold
from toolkit.model import Field

GRANULARITIES = ("minute", "hour", "part", "day", "range", "week", "month", "season", "year")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """One time expression.

    ``kind``: point, until, range, event (事发后), now, then, vague, offset,
    duration or adverb. ``year``/``month``/``day`` are calendar fields in the local
    time of the report, None where the text and its anchors do not tell.
    ``minutes`` is the window [start, end) in minutes of the day. ``days`` is the
    number of days covered from the first one (0: unknown). ``start_utc`` and
    ``end_utc`` form the interval ``[start, end)``, None while the date is partial.
    ``anchor``: text, publication, dateline, event_day, document or none.
    """

    text: str
    start: int
    end: int
    field: Field
    kind: str
    granularity: str = ""
    year: int | None = None
    month: int | None = None
    day: int | None = None
    minutes: tuple[int, int] | None = None
    days: int = 1
    start_utc: datetime | None = None
    end_utc: datetime | None = None
    anchor: str = "none"
    confidence: float = 0.0
    approximate: bool = False
    zone: str = ""
    future: bool = False

    @property
    def dated(self) -> bool:
        """True when at least a day of the month is known."""
        return self.day is not None

    def value(self) -> dict[str, object]:
        """The normalised value as plain JSON types."""
        return {
            "kind": self.kind, "granularity": self.granularity, "year": self.year,
            "month": self.month, "day": self.day, "days": self.days,
            "minutes": list(self.minutes) if self.minutes else None,
            "start": self.start_utc.isoformat() if self.start_utc else None,
            "end": self.end_utc.isoformat() if self.end_utc else None,
            "anchor": self.anchor, "zone": self.zone or None,
        }  # fmt: skip


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Finder matches; the cheap first-character test makes the scan fast."""
    match, position, finder = g.FIRST.search(text), 0, g.FINDER
    while match:
        position = match.start()
        found = finder.match(text, position)
        if found and found.end() > position:
            yield found
            position = found.end()
        else:
            position += 1
        match = g.FIRST.search(text, position)


def find_times(text: str, field: Field = "body", folded: bool = False) -> list[TimeExpression]:
    """All time expressions of a text, unresolved, in order.

    Args:
        text: original text (offsets refer to it); ``folded`` if already folded.
        field: the field the text is.
    """
    plain = text if folded else fold(text)
    found: list[TimeExpression] = []
    for match in _matches(plain):
        kind = match.lastgroup or "point"
        start, end = match.span()
        words = match.group()
        if kind == "since":
            kind = "duration"
        elif kind == "duration":
            if re.search(r"(?:以|之)?[前后]$", words):
                kind = "offset"
        elif kind in ("point", "range", "until"):
            if _is_trap(plain, start, end, words):
                continue
            if (
                kind == "point"
                and plain[max(0, start - 1) : start] in ("至", "到")
                and _clocked(words)
            ):
                start, kind = start - 1, "until"
                if found and found[-1].end == start:
                    previous = found.pop()
                    start, kind = previous.start, "range"
        found.append(TimeExpression(text[start:end], start, end, field, kind))
    return found


_CLOCKED = re.compile(r"[时点:]")
_BARE_CLOCK = re.compile(
    r"(?:大?约|大概|将近|近)?(?:\d{1,2}|[零一二三四五六七八九十两〇]{1,3})[时点]"
)
_CLOCK_CONTEXT = re.compile(r"(?:[在于至到从,。;、（(约近日晨晚午天早\s]|截至|^)$")


def _clocked(words: str) -> bool:
    return bool(_CLOCKED.search(words))


def _is_trap(text: str, start: int, end: int, words: str) -> bool:
    """Strings that only look like a time."""
    before, after = text[max(0, start - 3) : start], text[end : end + 4]
    if ":" in words and (g.SCORE_AFTER.match(text, end) or before.endswith(("比分", "以"))):
        return True
    match = _BARE_CLOCK.match(words)
    if match and match.end() == len(words):
        # 12点, 六时 alone: only where a clock time can stand
        if words[-1] == "点" and not words[0].isdigit() and not _CLOCK_CONTEXT.search(before):
            return True
        if words[-1] == "点" and after[:1] not in (
            "",
            ",",
            "。",
            "、",
            "前",
            "后",
            "开",
            "起",
            "至",
            "到",
            "的",
            "在",
            "-",
        ):
            return True
        if words[0] in "一两" and len(words) == 2:
            return True
        if before.endswith(("第", "同")):
            return True
    number = match and parse_number(re.sub(r"[^\d零〇一二三四五六七八九十两]", "", match.group()))
    return bool(number and number > 24)


def resolve_times(
    expressions: list[TimeExpression],
    texts: dict[str, str],
    published: datetime | None = None,
    local_hours: float | None = None,
) -> list[TimeExpression]:
    """Give each expression its meaning, in reading order (title, then body).

    Args:
        expressions: of title and body, each in order.
        texts: folded texts by field.
        published: publication time (aware) or None.
        local_hours: hours east of Greenwich of 当地时间 when the place is known.
    """
    body = texts.get("body", "")
    state = _anchors.Anchors.start(body, published)
    resolved: list[TimeExpression] = []
    order = [e for e in expressions if e.field == "body"] + [
        e for e in expressions if e.field == "title"
    ]
    for expression in order:
        if expression.field == "title" and state.event is None:
            state.title = True
        text = texts.get(expression.field, "")
        resolved.append(_resolve(expression, text, state, local_hours))
    return [e for e in resolved if e.field == "title"] + [e for e in resolved if e.field == "body"]


def document_times(
    title: str, body: str, published: datetime | None = None, local_hours: float | None = None
) -> list[TimeExpression]:
    """Find and resolve the time expressions of a report."""
    folded: dict[str, str] = {"title": fold(title), "body": fold(body)}
    found = find_times(folded["title"], "title", True) + find_times(folded["body"], "body", True)
    originals = {"title": title, "body": body}
    found = [replace(e, text=originals[e.field][e.start : e.end]) for e in found]
    return resolve_times(found, folded, published, local_hours)


def _resolve(
    e: TimeExpression, text: str, state: _anchors.Anchors, local_hours: float | None
) -> TimeExpression:
    if e.kind in ("duration", "offset", "adverb", "vague", "then"):
        return e
    if e.kind == "event":
        return _with_day(e, state.event, "event_day", 0.4) if state.event else e
    if e.kind == "now":
        day = state.today
        return _with_day(e, day, state.today_anchor, 0.6) if day else e
    folded = text[e.start : e.end]
    parts = read_parts(folded)
    if parts.empty:
        return e
    future = bool(_anchors.FUTURE.search(text[max(0, e.start - 10) : e.start]))
    fields = state.place_on_calendar(parts, future, text, e.start)
    zone = parts.zone
    hours = g.ZONE_HOURS.get(zone, 8.0)
    if zone == "当地时间" and local_hours is not None:
        hours = local_hours
    start_utc, end_utc = _interval(fields, parts, hours)
    confidence = fields.confidence
    if zone == "当地时间" and local_hours is None:
        confidence = min(confidence, 0.8)
    return replace(
        e, granularity=parts.granularity, year=fields.year, month=fields.month, day=fields.day,
        minutes=parts.minutes, days=fields.days, start_utc=start_utc, end_utc=end_utc,
        anchor=fields.anchor, confidence=round(confidence, 2), approximate=parts.approximate,
        zone=zone, future=future,
    )  # fmt: skip


def _with_day(e: TimeExpression, day: date, anchor: str, confidence: float) -> TimeExpression:
    start = datetime(day.year, day.month, day.day, tzinfo=timezone(timedelta(hours=8)))
    return replace(
        e, granularity="day", year=day.year, month=day.month, day=day.day,
        start_utc=start.astimezone(UTC), end_utc=(start + timedelta(days=1)).astimezone(UTC),
        anchor=anchor, confidence=confidence,
    )  # fmt: skip


def _interval(
    fields: _anchors.Fields, parts: Parts, hours: float
) -> tuple[datetime | None, datetime | None]:
    if fields.year is None:
        return None, None
    zone = timezone(timedelta(hours=hours))
    try:
        if fields.day is not None and fields.month is not None:
            start = datetime(fields.year, fields.month, fields.day, tzinfo=zone)
            end = start + timedelta(days=max(fields.days, 1))
            if parts.minutes and fields.days <= 1:
                start, end = (
                    start + timedelta(minutes=parts.minutes[0]),
                    start + timedelta(minutes=parts.minutes[1]),
                )
        elif fields.month is not None:
            start = datetime(fields.year, fields.month, 1, tzinfo=zone)
            following = (start + timedelta(days=32)).replace(day=1)
            end = following
            if parts.month_part:
                first, last = parts.month_part
                end = min(following, start + timedelta(days=last))
                start = start + timedelta(days=first)
        else:
            first_month, last_month = parts.year_part or (1, 12)
            start = datetime(fields.year, first_month, 1, tzinfo=zone)
            year, month = divmod(fields.year * 12 + last_month, 12)
            end = datetime(year, month + 1, 1, tzinfo=zone)
        return start.astimezone(UTC), end.astimezone(UTC)
    except (ValueError, OverflowError):
        return None, None
