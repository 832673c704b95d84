"""Invented articles with copies of several kinds, in order of arrival."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from toolkit.io import CHINA_TIME
from toolkit.model import Article

WHO = [
    "渔业协会",
    "档案馆",
    "少年宫",
    "花木公司",
    "地铁集团",
    "气象所",
    "博物院",
    "农机站",
    "剧团",
    "书店",
]
DID = ["启用", "搬迁", "修缮", "招募", "试运行", "暂停", "扩建", "展出", "核对", "更换"]
WHAT = [
    "旧码头的灯塔",
    "三号线的闸机",
    "城南的温室",
    "百年的戏台",
    "河边的水车",
    "山路的护栏",
    "街角的钟楼",
    "湖心的亭子",
    "林场的瞭望台",
    "老城的水井",
]
NOTE = [
    "市民表示欢迎",
    "工期约三个月",
    "费用由财政承担",
    "需要提前预约",
    "周末照常开放",
    "夜间有人值守",
    "细节仍在商议",
    "名额已经报满",
]
LEGAL = (
    "本网站刊载的全部内容均由供稿单位负责，未经书面许可任何人不得复制或者改编，如有疑问请在三十日之内联系我们处理。"
    * 3
)


def sentence(rng: random.Random) -> str:
    return (
        f"{rng.choice(WHO)}第{rng.randint(2, 99)}次{rng.choice(DID)}{rng.choice(WHAT)}，"
        f"{rng.choice(NOTE)}，编号为{rng.randint(1000, 9999)}。"
    )


def corpus(n: int, seed: int = 1) -> list[Article]:
    """n articles; about two in five are copies (whole, cut, extended, excerpt, same page)."""
    rng = random.Random(seed)
    start = datetime(2024, 2, 1, 6, tzinfo=CHINA_TIME)
    out: list[Article] = []
    originals: list[Article] = []
    for k in range(n):
        when = start + timedelta(minutes=7 * k)
        url = f"https://news{rng.randint(1, 9)}.example/{k}.html"
        kind = rng.random()
        if originals and kind < 0.4:
            base = rng.choice(originals[-200:])
            text = base.body.split("\n")
            if kind < 0.1:
                pass
            elif kind < 0.2:
                text = [*text[:-1], sentence(rng)]
            elif kind < 0.28:
                text = [sentence(rng), *text, "责任编辑：某某"]
            elif kind < 0.36:
                text = text[1:3]
            else:
                url = f"{base.url}?utm_source=x{k}"
            title = base.title if rng.random() < 0.5 else f"快讯：{base.title}"
            body = "\n".join(text)
        elif kind < 0.43:
            title, body = sentence(rng)[:14], LEGAL
        elif kind < 0.45:
            title, body = sentence(rng)[:14], rng.choice(["见图", "快讯", "", "图片"])
        else:
            title = sentence(rng)[:16]
            body = "\n".join(
                "".join(sentence(rng) for _ in range(3)) for _ in range(rng.randint(3, 5))
            )
        article = Article(
            f"a{k:05d}", title, body, url=url, published=when, published_precision="minute",
            source=rng.choice(["甲报", "乙网", None]),
        )  # fmt: skip
        out.append(article)
        if kind >= 0.45:
            originals.append(article)
    return out
