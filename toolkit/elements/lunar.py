"""Festivals and the lunar calendar (library: lunardate)."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

#: (month, day) in the lunar calendar
LUNAR_FESTIVALS = {
    "春节": (1, 1), "元宵": (1, 15), "端午": (5, 5), "七夕": (7, 7),
    "中秋": (8, 15), "重阳": (9, 9), "腊八": (12, 8),
}  # fmt: skip
#: (month, day) in the solar calendar
SOLAR_FESTIVALS = {
    "元旦": (1, 1), "情人节": (2, 14), "清明": (4, 4), "五一": (5, 1), "国庆": (10, 1),
    "十一": (10, 1), "双11": (11, 11), "双十一": (11, 11), "平安夜": (12, 24), "圣诞": (12, 25),
    "愚人节": (4, 1), "六一": (6, 1), "双12": (12, 12), "双十二": (12, 12),
}  # fmt: skip
#: usual length of the holiday in days
HOLIDAY_DAYS = {"春节": 7, "国庆": 7, "十一": 7, "五一": 5, "元旦": 3, "清明": 3, "中秋": 3}


@lru_cache(maxsize=4096)
def solar_date(year: int, month: int, day: int) -> date | None:
    """The solar date of a lunar date, None outside the library's tables."""
    from lunardate import LunarDate

    try:
        return LunarDate(year, month, day).to_solar_date()
    except (ValueError, IndexError, KeyError, TypeError, OverflowError):
        return None


def new_years_eve(year: int) -> date | None:
    """除夕 that ends the lunar year before ``year``'s spring festival."""
    first = solar_date(year, 1, 1)
    return first - timedelta(days=1) if first else None


def festival(name: str, year: int) -> date | None:
    """The first day of a festival in a solar year, None when it is unknown."""
    if name == "除夕":
        return new_years_eve(year)
    if name in LUNAR_FESTIVALS:
        month, day = LUNAR_FESTIVALS[name]
        # the twelfth lunar month mostly falls into the next solar year
        return solar_date(year - 1 if month == 12 else year, month, day)
    if name in SOLAR_FESTIVALS:
        return date(year, *SOLAR_FESTIVALS[name])
    return None
