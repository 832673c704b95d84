"""The copies method: relations, boilerplate, forms, order of arrival."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from toolkit.config import RunConfig
from toolkit.matching.method import create_method
from toolkit.matching.methods.copies import Copies
from toolkit.model import Article

PAIRS = (
    "村口石桥大雨清晨老人学校书记卡车玉米水库电线医生铁路商店消防队员孩子屋顶河堤道路中断恢复转移"
    "记录通知等待修理检查运来发现决定报告询问离开到达清理安排搬走三十二百十二上午下午随后已经仍然"
    "全部部分附近南边北坡镇上县里山脚渡口仓库"
)
WORDS = [PAIRS[k : k + 2] for k in range(0, len(PAIRS), 2)]
START = datetime(2024, 3, 4, 8, 0, tzinfo=UTC)


def story(seed: int, sentences: int = 14) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(WORDS, k=rng.randint(10, 16))) + "。" for _ in range(sentences)]


def article(name: str, lines: list[str], hours: float = 0, **fields: object) -> Article:
    title = str(fields.pop("title", lines[0][:14]))
    return Article(
        name, title, "\n".join(lines), published=START + timedelta(hours=hours), **fields
    )  # type: ignore[arg-type]


def relation(articles: list[Article], i: int = 0, j: int = 1) -> str:
    return Copies(RunConfig()).fit(articles).explain(i, j).relation


BASE = article("a", story(1), source="甲报")


def test_reprint_with_credits_and_new_title() -> None:
    lines = ["甲报讯（记者 某某）" + story(1)[0], *story(1)[1:-1], "（责任编辑：某人）"]
    copy = article("b", lines, 5, source="乙网", title=story(1)[0][:8] + "：" + story(1)[1][:6])
    assert relation([BASE, copy]) == "reprint"


def test_identical_but_for_width_and_spaces() -> None:
    copy = replace(BASE, id="b", body=BASE.body.replace("。", " 。 "), source="乙网")
    assert relation([BASE, copy]) == "identical"


def test_excerpt_inside_another_report() -> None:
    lines = [*story(2, 16), *story(1)[:6], *story(3, 10)]
    assert relation([article("long", lines, 3), article("short", story(1)[:6])]) == "excerpt"


def test_revision_is_the_later_of_one_outlet() -> None:
    lines = [*story(1)[:10], story(9)[0], *story(1)[10:]]
    later = article("b", lines, 7, source="甲报")
    evidence = Copies(RunConfig()).fit([later, BASE]).explain(1, 0)
    assert evidence.relation == "revision"
    assert evidence.features["later"] == "b"
    assert {m["kind"] for m in evidence.matches} == {"kept", "added"}
    swapped = Copies(RunConfig()).fit([later, BASE]).explain(0, 1)
    assert swapped.features["later"] == "a"
    assert {m["kind"] for m in swapped.matches} == {"kept", "removed"}


def test_unrelated() -> None:
    assert relation([BASE, article("b", story(5))]) == "different"


def test_same_page() -> None:
    one = replace(BASE, url="https://news.qinglan.example/a/2024/0304/17.html")
    two = replace(one, id="b", url=one.url + "?from=timeline", title=BASE.title + "_甲报网")
    assert relation([one, two]) == "url_variant"


def test_notice_on_unrelated_pages_is_boilerplate() -> None:
    notice = story(77, 6)
    pages = [article(f"n{k}", notice, k, title=story(100 + k)[0][:16]) for k in range(6)]
    method = Copies(RunConfig()).fit(pages)
    assert method.verdict(4, 5).relation == "boilerplate"
    assert (
        method.decide(np.array([[4, 5]], np.int32), method.score(np.array([[4, 5]]))).outcome[0]
        == 0
    )


def test_form_filled_in_for_another_guest_is_no_copy() -> None:
    form = (
        "{}上午，省长在迎宾广场举行仪式，欢迎{}代表团来访。仪仗队列队致敬，军乐团奏响两地歌曲。"
        "省长陪同{}代表团检阅仪仗队。随后双方在会议厅举行会谈，签署合作文件。"
    )
    one = Article("a", "省长举行仪式欢迎澜沧代表团", form.format("3日", "澜沧", "澜沧"))
    two = Article("b", "省长举行仪式欢迎贝加代表团", form.format("9日", "贝加", "贝加"))
    assert relation([one, two]) in ("boilerplate", "different")


def test_text_that_returns_months_later_is_no_copy() -> None:
    lines = [*story(1)[:10], *story(8, 5)]
    soon, late = article("b", lines, 9), article("b", lines, 24 * 120)
    assert relation([BASE, soon]) == "reprint"
    assert relation([BASE, late]) == "boilerplate"


def test_next_report_of_a_series_is_no_revision() -> None:
    lines = [*story(1)[:6], story(9)[0], *story(1)[7:]]
    soon = article("b", lines, 20, source="甲报", title=BASE.title)
    later = article("c", lines, 24 * 7, source="甲报", title=BASE.title)
    assert relation([BASE, soon]) == "revision"
    assert relation([BASE, later]) == "boilerplate"
    assert relation([BASE, replace(later, source="乙网")]) == "reprint"


def test_short_texts_are_compared_exactly() -> None:
    articles = [
        Article("a", "一", "停水。"),
        Article("b", "二", "停 水"),
        Article("c", "三", "停电"),
    ]
    method = Copies(RunConfig()).fit(articles)
    pairs = method.candidates()
    assert pairs.tolist() == [[0, 1]]
    assert method.verdict(0, 1).relation == "identical"
    assert method.too_short == 3


@pytest.mark.parametrize("size", [5, 9, 12])
def test_later_arrivals_change_no_decision(size: int) -> None:
    """What a prefix decides is what the whole set decides on the same pairs."""
    notice = story(77, 5)
    articles = [
        article(f"d{k}", (story(k % 4) if k % 3 else notice + story(50 + k, 2)), k)
        for k in range(12)
    ]
    whole = create_method("copies").fit(articles)
    part = create_method("copies").fit(articles[:size])
    pairs = whole.candidates()
    inside = pairs[pairs[:, 1] < size]
    assert inside.tolist() == part.candidates().tolist()
    assert whole.decide(inside, whole.score(inside)).relation == (
        part.decide(inside, part.score(inside)).relation
    )
