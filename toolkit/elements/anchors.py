"""What relative and partial dates count from: publication, dateline, event day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

from toolkit.elements.lunar import HOLIDAY_DAYS, festival, solar_date
from toolkit.elements.numerals import parse_number
from toolkit.elements.time_parts import Parts

CHINA = timezone(timedelta(hours=8))
#: words before a date that announce the future
FUTURE = re.compile(
    r"(?:将于|将在|将会?|拟于?|定于|计划|预计|预定|有望|推迟至|延期至|定在|改到|延至|截止日期)[^,。;]{0,6}$"
)
#: the dateline, e.g. 新华社郑州8月21日电 / (记者 ...) / 中新网7月24日电
DATELINE = re.compile(
    r"(?:社|网|报|台|者)[^,。;]{0,14}?((?:\d{4}年)?(?:(\d{1,2}|[一二三四五六七八九十]{1,3})月)?"
    r"(\d{1,2}|[一二三四五六七八九十]{1,3})日)(?:电|消息|讯|专电|报道)"
)
#: a mention in such a context is background and does not become the event day
BACKGROUND = re.compile(
    r"(?:此前|早前|之前|曾于|曾在|去年|早在|前年|据悉,?早|回顾|自从?|成立于|出生于|生于)[^,。;]{0,8}$"
)
_SAME = frozenset({"当天", "当日", "同一天", "同日", "当", "同", "是日", "是", "即日"})
_NEXT = frozenset({"次日", "翌日", "隔天", "隔日", "第二天", "次"})
_OFFSET = {"大前天": -3, "前天": -2, "前日": -2, "前": -2, "昨天": -1, "昨日": -1, "昨": -1,
           "今天": 0, "今日": 0, "今": 0, "明天": 1, "明日": 1, "明": 1, "后天": 2, "大后天": 3}  # fmt: skip  # noqa: E501
_YEAR_OFFSET = {"今": 0, "本": 0, "去": -1, "上": -1, "前": -2, "明": 1, "翌": 1, "后": 2}


@dataclass(frozen=True, slots=True)
class Fields:
    """Calendar fields of one expression after anchoring."""

    year: int | None
    month: int | None
    day: int | None
    days: int
    anchor: str
    confidence: float


@dataclass(slots=True)
class Anchors:
    """The state a reader keeps while going through a report."""

    published: date | None = None
    dateline: date | None = None
    dateline_fields: tuple[int | None, int | None] = (None, None)
    event: date | None = None
    #: year, month, day of the last event day while the date is partial
    last: tuple[int | None, int | None, int | None] = (None, None, None)
    title: bool = False

    @classmethod
    def start(cls, body: str, published: datetime | None) -> Anchors:
        """Anchors at the beginning of a folded body."""
        day = published.astimezone(CHINA).date() if published else None
        state = cls(published=day)
        match = DATELINE.search(body[:150])
        if match:
            month = int(parse_number(match.group(2)) or 0) if match.group(2) else None
            number = int(parse_number(match.group(3)) or 0) or None
            year = re.match(r"\d{4}", match.group(1))
            state.dateline_fields = (month, number)
            if year and month and number:
                state.dateline = _safe(int(year.group()), month, number)
            elif day and number:
                state.dateline = _latest(day, month, number)
        return state

    @property
    def today(self) -> date | None:
        """The day 今天 means."""
        return self.dateline or self.published

    @property
    def today_anchor(self) -> str:
        """Where ``today`` comes from."""
        return "dateline" if self.dateline else "publication" if self.published else "none"

    def place_on_calendar(self, p: Parts, future: bool, text: str, start: int) -> Fields:
        """The calendar fields of an expression; remembers the event day."""
        fields = self._fields(p, future)
        is_dateline = bool(DATELINE.match(text, max(0, text.rfind("社", 0, start))))
        after = text[start : start + 24]
        is_dateline = is_dateline or bool(
            re.match(r"[\d年月日一二三四五六七八九十]+(?:电|讯|专电)", after)
        )
        background = bool(BACKGROUND.search(text[max(0, start - 12) : start]))
        if fields.day is not None and not is_dateline and not background and not future:
            self.last = (fields.year, fields.month, fields.day)
            if fields.year and fields.month:
                self.event = _safe(fields.year, fields.month, fields.day)
        elif fields.month is not None and not background and fields.day is None:
            self.last = (
                fields.year,
                fields.month,
                self.last[2] if self.last[1] == fields.month else None,
            )
        return fields

    def _fields(self, p: Parts, future: bool) -> Fields:
        if p.relative and p.day is None:
            return self._relative(p)
        if p.weekday is not None and p.day is None:
            return self._weekday(p)
        if p.lunar or p.festival:
            return self._festival(p)
        year, how = self._year(p)
        month = p.month
        if p.month_word and self.today:
            shift = {"上": -1, "下": 1}.get(p.month_word[:1], 0)
            index = self.today.year * 12 + self.today.month - 1 + shift
            if p.month_word in ("当月", "同月") and self.last[1]:
                year, month = self.last[0], self.last[1]
            else:
                year, month = divmod(index, 12)[0], index % 12 + 1
            how = self.today_anchor
        if p.day is not None:
            return self._day(p, year, month, how, future)
        if month is not None:
            if year is None and self.today:
                year = self.today.year
                if month > self.today.month and not future:
                    year -= 1
                how = self.today_anchor
            return Fields(year, month, None, 0, how, 0.9 if year else 0.6)
        if year is not None:
            return Fields(year, None, None, 0, how, 0.9)
        if p.year_word:
            return Fields(None, None, None, 0, "none", 0.2)
        return self._clock_only()

    def _year(self, p: Parts) -> tuple[int | None, str]:
        if p.year is not None:
            return p.year, "text"
        if p.year_word in ("同", "当", "次"):
            year = self.last[0]
            return (year + (p.year_word == "次") if year else None), "event_day"
        if p.year_word in _YEAR_OFFSET and self.today:
            return self.today.year + _YEAR_OFFSET[p.year_word], self.today_anchor
        return None, "text"

    def _day(self, p: Parts, year: int | None, month: int | None, how: str, future: bool) -> Fields:
        day = p.day
        assert day is not None
        if year is not None and month is not None:
            return Fields(year, month, day, p.days, how, 1.0 if how == "text" else 0.95)
        reference = self.published or self.dateline
        if reference is None:
            if month is None and self.dateline_fields[0]:
                return Fields(None, self.dateline_fields[0], day, p.days, "dateline", 0.6)
            return Fields(year, month, day, p.days, "text", 0.7 if month else 0.4)
        if future:
            found = _next(reference, month, day)
        else:
            found = _latest(reference, month, day)
        if found is None:
            return Fields(year, month, day, p.days, "text", 0.3)
        confidence = 0.9 if month else 0.8
        if month is None and self.event and self.last[2] and abs((found - self.event).days) > 20:
            # a bare day far from the event day is most likely in the event's month
            near = _safe(self.event.year, self.event.month, day)
            if near and near <= reference:
                return Fields(near.year, near.month, near.day, p.days, "event_day", 0.6)
        return Fields(found.year, found.month, found.day, p.days, "publication", confidence)

    def _relative(self, p: Parts) -> Fields:
        word = p.relative
        if word in _SAME or word in _NEXT or word == "第三天":
            shift = 0 if word in _SAME else 2 if word == "第三天" else 1
            if self.event:
                day = self.event + timedelta(days=shift)
                return Fields(day.year, day.month, day.day, 1, "event_day", 0.85)
            if self.last[2]:
                year, month, number = self.last
                return Fields(year, month, number if not shift else None, 1, "event_day", 0.6)
            if self.today and word in _SAME and not self.title:
                day = self.today
                return Fields(day.year, day.month, day.day, 1, self.today_anchor, 0.4)
            return Fields(None, None, None, 1, "none", 0.2)
        if self.today:
            day = self.today + timedelta(days=_OFFSET.get(word, 0))
            return Fields(day.year, day.month, day.day, 1, self.today_anchor, 0.9)
        month, number = self.dateline_fields
        if number and word in _OFFSET:
            number += _OFFSET[word]
            if 1 <= number <= 31:
                return Fields(None, month, number, 1, "dateline", 0.6)
        return Fields(None, None, None, 1, "none", 0.2)

    def _weekday(self, p: Parts) -> Fields:
        assert p.weekday is not None
        if self.today is None:
            return Fields(None, None, None, 1, "none", 0.2)
        today = self.today
        monday = today - timedelta(days=today.weekday())
        if p.week_word == "上":
            day = monday + timedelta(days=p.weekday - 7)
        elif p.week_word == "下":
            day = monday + timedelta(days=p.weekday + 7)
        else:
            day = monday + timedelta(days=p.weekday)
            if day > today and not p.week_word:
                day -= timedelta(days=7)
        return Fields(day.year, day.month, day.day, 1, self.today_anchor, 0.75)

    def _festival(self, p: Parts) -> Fields:
        year, how = self._year(p)
        if year is None:
            if self.today is None:
                if p.festival in (
                    "国庆",
                    "十一",
                    "五一",
                    "元旦",
                    "圣诞",
                    "平安夜",
                    "双11",
                    "双十一",
                ):
                    day = festival(p.festival, 2001)
                    assert day is not None
                    return Fields(None, day.month, day.day, self._span(p), "text", 0.5)
                return Fields(None, None, None, 1, "none", 0.2)
            years: tuple[int, ...] = (self.today.year + 1, self.today.year, self.today.year - 1)
            how = self.today_anchor
        else:
            years = (year,)
        for candidate in years:
            if p.lunar:
                month, number = p.lunar
                day = solar_date(candidate - (month == 12), month, number)
            else:
                day = festival(p.festival, candidate)
            # a feast a few days ahead is spoken of before it comes
            if day and (len(years) == 1 or day <= self.today + timedelta(days=30)):  # type: ignore[operator]
                return Fields(day.year, day.month, day.day, self._span(p), how, 0.8)
        return Fields(None, None, None, 1, "none", 0.2)

    @staticmethod
    def _span(p: Parts) -> int:
        if p.festival_span in ("期间", "假期", "长假", "小长假", "黄金周"):
            return HOLIDAY_DAYS.get(p.festival, 3)
        return 1

    def _clock_only(self) -> Fields:
        if self.event:
            return Fields(self.event.year, self.event.month, self.event.day, 1, "event_day", 0.6)
        if self.last[2]:
            return Fields(*self.last, 1, "event_day", 0.5)
        if self.today:
            day = self.today
            return Fields(day.year, day.month, day.day, 1, self.today_anchor, 0.3)
        return Fields(None, None, None, 1, "none", 0.2)


def _safe(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _latest(reference: date, month: int | None, day: int) -> date | None:
    """The latest such day that is not after the reference day."""
    if month is not None:
        for year in range(reference.year, reference.year - 9, -1):
            found = _safe(year, month, day)
            if found and found <= reference:
                return found
        return None
    index = reference.year * 12 + reference.month - 1
    for back in range(0, 4):
        found = _safe((index - back) // 12, (index - back) % 12 + 1, day)
        if found and found <= reference:
            return found
    return None


def _next(reference: date, month: int | None, day: int) -> date | None:
    """The first such day that is not before the reference day."""
    if month is not None:
        for year in range(reference.year, reference.year + 9):
            found = _safe(year, month, day)
            if found and found >= reference:
                return found
        return None
    index = reference.year * 12 + reference.month - 1
    for ahead in range(0, 4):
        found = _safe((index + ahead) // 12, (index + ahead) % 12 + 1, day)
        if found and found >= reference:
            return found
    return None
