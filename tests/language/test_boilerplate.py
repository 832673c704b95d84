"""Boilerplate is found by what it repeats; reprints and quotations are left alone."""

from __future__ import annotations

import random
import time

import pytest

from toolkit.language.boilerplate import BoilerplateIndex
from toolkit.language.wrapping_units import units_of
from toolkit.model import Article

PLACES = [
    *("山城", "江城", "湖城", "海州", "云岭", "北桥", "南浦", "东陵", "西坪", "石湾"),
    *("柳河", "青溪", "白塔", "红崖", "金沙", "银滩", "龙潭", "凤台", "马家", "牛首"),
]
SUBJECTS = [
    *("暴雨淹街", "大桥通车", "夜市开张", "球队夺冠", "名画失窃", "果园丰收", "列车晚点"),
    *("医院搬迁", "展馆闭门", "渔船获救", "古树移栽", "油价下调", "学校扩建", "飞机返航"),
    *("工厂停产", "灯会延期", "村民迁居", "冰面开裂", "水库蓄满", "图书捐赠"),
]
SYLLABLES = "春夏秋冬山川草木鸟兽虫鱼风云雷雨冰雪霜露金银铜铁锡玉石砂土泥松柏竹梅兰菊荷桂桃李杏"
NOTICE = "此栏文字由读者自愿寄送，编者未逐一核对，有出入处请拨打值班电话告知，我们会尽快改正。"


def _sentence(draw: random.Random, length: int = 24) -> str:
    return "".join(draw.choice(SYLLABLES) for _ in range(length)) + "。"


def _unrelated(n: int = 20, seed: int = 1) -> list[Article]:
    """Articles on different things, each with text of its own that names its subject."""
    draw = random.Random(seed)
    articles = []
    for i in range(n):
        title = PLACES[i % 20] + SUBJECTS[i % 20]
        paragraphs = [
            f"昨天，{title}，" + "".join(_sentence(draw) for _ in range(3)) for _ in range(4)
        ]
        articles.append(Article(f"u{i}", title, "\n".join(paragraphs), source=f"{i % 7}号报"))
    return articles


def _with(article: Article, text: str, place: str) -> Article:
    lines = article.body.split("\n")
    if place == "tail":
        lines.append(text)
    elif place == "head":
        lines.insert(0, text)
    elif place == "middle":
        lines.insert(2, text)
    elif place == "glued":
        lines[-1] += text
    else:  # inside a paragraph
        first, rest = lines[1].split("。", 1)
        lines[1] = f"{first}。{text}{rest}"
    return Article(article.id, article.title, "\n".join(lines), source=article.source)


@pytest.mark.parametrize("place", ["tail", "head", "middle", "glued", "inside"])
def test_a_new_notice_in_twenty_unrelated_articles_is_found(place):
    articles = [_with(a, NOTICE, place) for a in _unrelated()]
    index = BoilerplateIndex().fit(articles)
    for article, spans in zip(articles, index.spans_of(articles), strict=True):
        assert [s.text for s in spans] == [NOTICE], article.id
        (span,) = spans
        assert article.body[span.start : span.end] == NOTICE
        assert span.articles == 20
        assert index.is_boilerplate(article) is None
    stranger = Article("z", "别处的消息", f"{_sentence(random.Random(9))}\n{NOTICE}")
    assert [s.text for s in index.spans(stranger)] == [NOTICE]


def test_a_notice_is_found_among_many_other_articles_and_without_titles():
    plain = _unrelated(20, seed=2)
    articles = [_with(a, NOTICE, "tail") for a in _unrelated()]
    index = BoilerplateIndex().fit(plain + articles)
    assert not any(index.spans_of(plain))
    assert all(index.spans_of(articles))
    untitled = [Article(a.id, "", a.body) for a in articles]
    assert all(BoilerplateIndex().fit(untitled).spans_of(untitled))


def test_reprints_by_many_outlets_are_not_boilerplate():
    original = _unrelated(1)[0]
    titles = ["山城暴雨淹街", "暴雨来袭 山城街道被淹", "山城一夜暴雨，街成河", "街道积水：山城暴雨",
              "山城暴雨淹街|山城|暴雨", "今早山城暴雨", "雨淹山城", "山城：暴雨淹了街"]  # fmt: skip
    copies = [Article(f"r{i}", t, original.body, source=f"{i}报") for i, t in enumerate(titles)]
    others = _unrelated(20, seed=3)[1:]
    index = BoilerplateIndex().fit(copies + others)
    assert not any(index.spans_of(copies))
    assert all(index.is_boilerplate(a) is None for a in copies)


def test_reprints_under_quite_different_titles_are_not_boilerplate():
    body = (
        _unrelated(1)[0].body + "\n消防员划艇救出老人，医院停电两小时，市长彻夜巡堤，学校今天停课。"
    )
    titles = ["消防员划艇救出老人", "医院停电两小时", "市长彻夜巡堤", "学校今天停课",
              "山城暴雨淹街", "昨天山城大雨"]  # fmt: skip
    copies = [Article(f"r{i}", t, body) for i, t in enumerate(titles)]
    assert not any(BoilerplateIndex().fit(copies + _unrelated(20, seed=5)[1:]).spans_of(copies))


def test_reprints_titled_with_their_own_short_sentences_are_not_boilerplate():
    draw = random.Random(8)
    titles = [_sentence(draw, 9).rstrip("。") for _ in range(8)]
    body = "。".join(t + "。" + _sentence(draw, 30).rstrip("。") for t in titles) + "。"
    copies = [Article(f"r{i}", t, body) for i, t in enumerate(titles)]
    assert not any(BoilerplateIndex().fit(copies + _unrelated(20, seed=6)).spans_of(copies))


def test_a_statement_quoted_in_many_reports_of_one_event_is_not_boilerplate():
    draw = random.Random(4)
    quote = "我方重视对方的关切，将如实转告，并愿意继续以对话方式处理分歧。"
    articles = []
    for i in range(12):
        title = f"两国商谈{SUBJECTS[i]}"
        lines = [_sentence(draw, 60), quote, f"{title}，{_sentence(draw, 40)}"]
        lines += [_sentence(draw, 60) for _ in range(3)]
        articles.append(Article(f"q{i}", title, "\n".join(lines)))
    assert not any(BoilerplateIndex().fit(articles).spans_of(articles))


def test_bodies_of_nothing_but_boilerplate_are_told_with_a_reason():
    articles = [_with(a, NOTICE, "tail") for a in _unrelated()]
    empty = [Article(f"e{i}", SUBJECTS[i], NOTICE) for i in range(3)]
    index = BoilerplateIndex().fit(articles + empty)
    for article in empty:
        assert "23 articles" in (index.is_boilerplate(article) or "")
    flash = Article("f", "云岭列车晚点", f"云岭列车晚点两小时。\n{NOTICE}")
    assert index.is_boilerplate(flash) is None


def test_bodies_that_are_no_text():
    index = BoilerplateIndex()
    assert index.is_boilerplate(Article("a", "标题", " \n")) == "empty body"
    gallery = '{"info": {"name": "灯会", "n": 3}, "list": [{"id": "A1", "note": "灯会一景"}]}'
    assert (index.is_boilerplate(Article("a", "灯会", gallery)) or "").startswith("data or script")
    only = "责任编辑：张三\n返回搜狐，查看更多"
    assert (index.is_boilerplate(Article("a", "灯会", only)) or "").startswith("only wrapping")
    assert index.is_boilerplate(Article("a", "灯会今晚开幕", "灯会今晚开幕")) is None
    assert index.is_boilerplate(Article("a", "灯会", "灯会今晚开幕。")) is None


def test_nothing_to_learn_from():
    assert len(BoilerplateIndex().fit([])) == 0
    assert len(BoilerplateIndex().fit([Article("a", "标题", "")])) == 0
    assert BoilerplateIndex().fit([]).spans(Article("a", "标题", NOTICE)) == ()


def test_units_have_exact_offsets_and_equal_keys_for_equal_text():
    texts = [
        f"前言一段文字。\n{NOTICE}",
        f"别的开头，很长很长很长很长。{NOTICE}“引语完了。”他说。",
        "",
    ]
    units = units_of(texts, 4, 4)
    cut = [texts[d][s:e] for d, s, e in zip(units.doc, units.start, units.end, strict=True)]
    assert cut.count(NOTICE) == 2
    keys = {int(k) for k, t in zip(units.key, cut, strict=True) if t == NOTICE}
    assert len(keys) == 1
    assert "“引语完了。”" in cut
    wide, narrow = units_of(["ＡＢＣ１２３，很好很好"], 4, 4), units_of(["abc123很好，很好"], 4, 4)
    assert wide.key.tolist() == narrow.key.tolist()


def test_time_grows_with_the_text_only():
    def cost(n: int) -> float:
        articles = [
            Article(f"{j}-{a.id}", a.title, _with(a, NOTICE, "tail").body)
            for j in range(n)
            for a in _unrelated(20, seed=j)
        ]
        started = time.process_time()
        BoilerplateIndex().fit(articles)
        return time.process_time() - started

    cost(2)
    assert cost(80) < 16 * max(cost(20), 0.02)


@pytest.mark.shared
def test_on_labelled_pairs(shared_data):
    """Every pair of garbage bodies is seen through, and no reprint is hurt."""
    import json

    from toolkit.io import read_documents

    folder = shared_data / "eventmonitor"
    articles = read_documents(folder / "docs.jsonl.gz").articles
    by_id = {a.id: a for a in articles}
    index = BoilerplateIndex().fit(articles)
    rows = [json.loads(r) for r in (folder / "reprint_pairs.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        if row["label"] in ("reprint", "excerpt"):
            assert not any(index.is_boilerplate(by_id[row[x]]) for x in "ab"), row["a"]
    covered = sum(s.end - s.start for spans in index.spans_of(articles) for s in spans)
    assert covered < 0.02 * sum(len(a.body) for a in articles)
