"""Chains made on purpose: articles that are pairwise alike and tell of many events.

Four kinds, all invented: daily follow-ups of one affair (each day keeps most sentences
of the day before), weather reports, market reports (one form, other days and figures)
and anniversaries (the old event retold every year). Every day or year is an event.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from toolkit.io import CHINA_TIME
from toolkit.model import Article

TOWNS = ["青禾镇", "柳湾县", "东岭市", "白石港", "云坡县", "北泽市", "林口镇", "沙溪县"]
ACTS = [
    "公布",
    "核实",
    "复查",
    "通报",
    "部署",
    "检查",
    "整改",
    "走访",
    "调解",
    "评估",
    "验收",
    "登记",
]
OFFICES = ["水务局", "应急办", "住建局", "卫健委", "教育局", "交管所", "镇政府", "调查组", "环保站"]
THINGS = [
    "堤坝",
    "桥面",
    "管线",
    "仓库",
    "校舍",
    "车站",
    "码头",
    "市场",
    "水厂",
    "隧道",
    "粮库",
    "围墙",
]
ENDS = [
    "没有发现新的险情",
    "将在一周内给出结论",
    "有关费用由县里承担",
    "居民可以拨打热线反映",
    "现场仍有人员值守",
    "周边道路恢复通行",
    "所有记录已经存档",
    "专家给出三条意见",
]


_PRICES = ((380, 520), (300, 420), (800, 990))


def sentence(rng: random.Random) -> str:
    """One invented sentence of about thirty hanzi."""
    return (
        f"{rng.choice(TOWNS)}{rng.choice(OFFICES)}派出{rng.choice('三五七九')}个小组"
        f"{rng.choice(ACTS)}{rng.choice(THINGS)}和{rng.choice(THINGS)}的情况，{rng.choice(ENDS)}。"
    )


def _day(number: int, start: datetime) -> datetime:
    return start + timedelta(days=number)


def follow_ups(days: int, seed: int) -> list[tuple[Article, int]]:
    """One affair reported daily by two outlets; each day replaces one sentence of twelve."""
    rng = random.Random(seed)
    start = datetime(2022, 3, 1, 9, tzinfo=CHINA_TIME)
    kept = [sentence(rng) for _ in range(12)]
    rows = []
    for number in range(days):
        kept = [*kept[1:], sentence(rng)]
        day = _day(number, start)
        for outlet in range(2):
            body = "".join(kept[outlet:])
            lead = (
                "青禾镇堤坝渗水一事有了新进展。"
                if outlet
                else f"{day.day}日，堤坝渗水处置工作继续。"
            )
            rows.append(
                (_article(f"follow{number:03d}{'ab'[outlet]}", "青禾镇堤坝渗水追踪", lead + body,
                          day + timedelta(hours=outlet)), number)
            )  # fmt: skip
    return rows


def weather(days: int, seed: int, dated: bool = True) -> list[tuple[Article, int]]:
    """A daily weather report of one form by two outlets."""
    rng = random.Random(seed)
    start = datetime(2022, 1, 10, 17, tzinfo=CHINA_TIME)
    rows = []
    for number in range(days):
        day = _day(number, start)
        low, high = rng.randint(-5, 12), rng.randint(13, 33)
        text = (
            f"东岭市气象台{day.month}月{day.day}日发布天气预报。预计未来二十四小时全市多云到晴，"
            f"偏北风三到四级，最低气温{low}度，最高气温{high}度。沿海水域风力五级，阵风七级，"
            "过往船只请注意安全。早晚温差较大，请市民及时增减衣物，注意用火用电安全。"
            "未来三天无明显降水过程，森林火险等级较高，请严防野外火源。"
        )
        for outlet in range(2):
            body = text if outlet == 0 else f"（本报讯）{text}（责任编辑：甲乙）"
            when = day + timedelta(hours=outlet) if dated else None
            name = f"weather{number:03d}{'ab'[outlet]}"
            rows.append((_article(name, "东岭市天气预报", body, when), number))
    return rows


def market(days: int, seed: int) -> list[tuple[Article, int]]:
    """A daily market report of one form; the day is told as 今天 only."""
    rng = random.Random(seed)
    start = datetime(2021, 6, 1, 15, 30, tzinfo=CHINA_TIME)
    rows = []
    for number in range(days):
        rice, flour, oil = (rng.randint(a, b) / 100 for a, b in _PRICES)
        text = (
            f"今天，白石港粮油批发市场交易平稳。大米批发均价每公斤{rice}元，"
            f"面粉每公斤{flour}元，大豆油每公斤{oil}元。"
            "市场管理方表示，货源充足，车辆进出有序，摊位全部营业。分析人士认为，随着新粮上市，"
            "价格将保持稳定，短期内不会出现大的波动。监管部门将继续开展巡查，打击囤积居奇行为。"
        )
        when = _day(number, start)
        rows.append((_article(f"market{number:03d}", "白石港粮油市场行情", text, when), number))
    return rows


def anniversaries(years: int, seed: int) -> list[tuple[Article, int]]:
    """The old event retold on the same day of every year."""
    rng = random.Random(seed)
    old = "".join(sentence(rng) for _ in range(8))
    rows = []
    for number in range(years):
        day = datetime(1990 + number, 8, 12, 10, tzinfo=CHINA_TIME)
        body = f"8月12日，柳湾县各界纪念抗洪抢险{number + 3}周年。{old}{sentence(rng)}"
        rows.append((_article(f"anniv{number:02d}", "柳湾县纪念抗洪抢险", body, day), number))
    return rows


def _article(name: str, title: str, body: str, day: datetime | None) -> Article:
    return Article(name, title, body, published=day,
                   published_precision=None if day is None else "minute")  # fmt: skip


def chain_sets() -> dict[str, list[tuple[Article, int]]]:
    """All stress sets by name: (article, event number)."""
    return {
        "follow_ups": follow_ups(120, 1),
        "weather": weather(180, 2),
        "weather_undated": weather(180, 2, dated=False),
        "market": market(240, 3),
        "anniversaries": anniversaries(30, 4),
    }
