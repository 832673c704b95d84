"""Wrapping of reports: what is found, what it tells, and what must never be taken."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.language.wrapping import KINDS, read_wrapped, unwrap, with_wrapping
from toolkit.model import Article

TEXT = "山城昨夜大雨，城南两条街道积水，消防队疏散居民四十人。"


@pytest.mark.parametrize(
    ("line", "agency", "place", "month", "day", "reporters"),
    [
        ("新华社北京12月6日电（记者张三、李四）", "新华社", "北京", 12, 6, ("张三", "李四")),
        ("新华社北京１２月６日电（记者张三 李四）", "新华社", "北京", 12, 6, ("张三", "李四")),
        ("据新华社北京12月6日电 ", "新华社", "北京", 12, 6, ()),
        ("本报讯（记者王五）", "本报", None, None, None, ("王五",)),
        ("本报讯（见习记者王五 通讯员赵六）", "本报", None, None, None, ("王五", "赵六")),
        ("本报山城12月6日电（记者 王五）", "本报", "山城", 12, 6, ("王五",)),
        ("中新网12月6日电 ", "中新网", None, 12, 6, ()),
        ("中新网山城12月6日电(王五)", "中新网", "山城", 12, 6, ("王五",)),
        ("中新网12月6日电 综合报道，", "中新网", None, 12, 6, ()),
        ("江城网讯 ", "江城网", None, None, None, ()),
        ("江城日报客户端12月6日讯（记者 王五）", "江城日报客户端", None, 12, 6, ("王五",)),
        ("江城晚报快讯（记者王五）", "江城晚报", None, None, None, ("王五",)),
        ("【江城时报综合报道】", "江城时报", None, None, None, ()),
        ("【江城网报道 记者 王五】", "江城网", None, None, None, ("王五",)),
        ("江城网综合报道 ", "江城网", None, None, None, ()),
        ("新華社臺北十二月六日電（記者陳大文）", "新华社", "台北", 12, 6, ("陈大文",)),
        ("〔記者王小明／高雄報導〕", None, "高雄", None, None, ("王小明",)),
        ("江城网消息（晚间新闻）：", "江城网", None, None, None, ()),
        ("法新社巴黎6日电 ", "法新社", "巴黎", None, 6, ()),
    ],
)
def test_datelines(line, agency, place, month, day, reporters):
    found = unwrap("", line + TEXT)
    dateline = found.wrapping.dateline
    assert dateline is not None
    assert (dateline.agency, dateline.place) == (agency, place)
    assert (dateline.month, dateline.day) == (month, day)
    assert dateline.reporters == reporters
    assert found.text == TEXT


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("来源：江城晚报", "source"),
        ("（来源：江城晚报）", "source"),
        ("來源：江城晚報", "source"),
        ("文章来源：江城晚报", "source"),
        ("2019年12月6日 10:20 来源：江城晚报", "source"),
        ("转载自：江城晚报", "source"),
        ("据江城晚报报道", "source"),
        ("原标题：山城昨夜突降大雨", "original_title"),
        ("（原标题：山城昨夜突降大雨）", "original_title"),
        ("原標題：山城昨夜突降大雨", "original_title"),
        ("（完）", "end_mark"),
        ("责任编辑：张三", "credit"),
        ("（责任编辑：张三）", "credit"),
        ("編輯：張三", "credit"),
        ("编辑：张三 校对：李四", "credit"),
        ("作者：张三", "credit"),
        ("文/张三", "credit"),
        ("记者 张三 李四", "credit"),
        ("本报记者 张三 山城报道", "credit"),
        ("江城晚报记者 张三 摄", "caption"),
        ("山城街头积水。记者 张三 摄", "caption"),
        ("图片来源：江城晚报", "caption"),
        ("资料图：去年夏天的山城", "caption"),
        ("第1页/共3页", "page_mark"),
        ("[1] [2] [3] 下一页", "page_mark"),
        ("下一页", "page_mark"),
        ("点击图片进入下一页", "page_mark"),
        ("分享到：微信 微博 QQ空间", "share"),
        ("返回搜狐，查看更多", "share"),
        ("扫描下方二维码，关注江城晚报", "promo"),
        ("微信公众号：jiangchengwanbao", "promo"),
        ("更多精彩内容请下载江城客户端", "promo"),
        ("版权声明：本文版权归江城晚报所有，未经授权不得转载。", "copyright"),
        ("免责声明：本文仅代表作者个人观点，与本网无关。", "copyright"),
        ("未经授权，不得转载", "copyright"),
        ("以上内容不构成投资建议，据此操作风险自担。", "copyright"),
    ],
)
def test_lines_of_their_own(line, kind):
    body = f"{TEXT}\n{line}\n{TEXT}"
    found = unwrap("江边步道开放", body)
    assert [s.kind for s in found.wrapping.spans] == [kind]
    assert found.text == f"{TEXT}\n{TEXT}"
    assert kind in KINDS


@pytest.mark.parametrize(
    ("tail", "kind"),
    [
        ("（完）", "end_mark"),
        ("(责任编辑：张三)", "credit"),
        ("责任编辑：张三", "credit"),
        ("（记者张三 通讯员李四）", "credit"),
        ("（江城晚报记者 张三）", "credit"),
        ("（据江城晚报）", "source"),
        ("（来源：江城晚报）", "source"),
        ("来源：江城晚报", "source"),
        ("返回搜狐，查看更多", "share"),
        ("[详细]", "share"),
        ("（本文仅代表作者观点）", "copyright"),
    ],
)
def test_tails_of_a_paragraph(tail, kind):
    found = unwrap("", TEXT + tail)
    assert [s.kind for s in found.wrapping.spans] == [kind]
    assert found.text == TEXT


@pytest.mark.parametrize(
    "sentence",
    [
        "他说，这笔钱的来源：一是捐款，二是贷款，都已入账。",
        "记者从警方了解到，事故原因正在调查。",
        "据江城日报报道，山城昨夜起火，无人伤亡。",
        "据法新社6日报道，两国外长将会面。",
        "记者：你当时在哪里？他答：我在江边。",
        "记者调查",
        "记者手记",
        "作者在书中写道，江水一年比一年清。",
        "编辑部收到读者来信三十多封。",
        "市民扫描二维码即可乘车。",
        "市民关注公众号后可以预约。",
        "转载量最高的一篇文章谈的是教育。",
        "版权纠纷案昨天开庭，原告要求赔偿十万元。",
        "他在声明中表示，公司没有违法。",
        "山城通讯（600001）昨天公告称，业绩预增。",
        "山城通讯6日公告称，业绩预增。",
        "下一页历史由他们书写。",
        "会议强调，推荐阅读工作要抓好。",
        "警方表示，此案（记者一度被拒之门外。）已移送检察机关。",
        "分享经济正在改变城市。",
        "新闻背景",
        "更多的人选择留下。",
        "原标题党改行做了正经新闻。",
        "图为我们提供了线索，他说。",
        "电（力）公司昨天抢修线路。",
        "▲一是加强巡查，二是公开结果。",
        "2019年12月6日",
        "据江城晚报此前报道，调查组认定，两名律师未经许可擅自退庭。",
        "江城网消息（晚间新闻）的评论员说，此举未经安理会授权。",
        "江城日报未经许可转载该文，法院判其侵权。",
        "如有侵权行为，法院将判令停止。",
        "上述行为不构成犯罪，检方决定不起诉。",
        "据江城日报10日消息，两国将会谈。",
    ],
)
def test_sentences_and_subheads_stay(sentence):
    body = f"{TEXT}\n{sentence}\n{TEXT}"
    assert unwrap("江边步道开放", body).text == body


def test_fields_values_and_offsets():
    body = (
        "江边步道开放\n原标题：江边步道今日开放\n来源：江城晚报 作者：张三\n"
        f"本报讯（记者王五）{TEXT}\n　　{TEXT}（完）\n责任编辑：李四SN012\n"
    )
    found = unwrap("江边步道开放 - 江城网", body)
    wrapping = found.wrapping
    assert wrapping.original_title == "江边步道今日开放"
    assert wrapping.source == "江城晚报"
    assert wrapping.editor == "李四"
    assert [s.kind for s in wrapping.spans] == [
        "title_line", "original_title", "source", "dateline", "end_mark", "credit",
    ]  # fmt: skip
    assert found.text == f"{TEXT}\n　　{TEXT}"
    assert "".join(body[i] for i in found.offsets) == found.text
    assert found.offsets.dtype == np.int32


def test_a_list_of_other_news_ends_where_the_text_goes_on():
    headlines = "山城下月办灯会\n江城大桥通车一年\n湖边新开三条步道"
    at_tail = unwrap("", f"{TEXT}\n相关阅读：\n{headlines}")
    assert at_tail.text == TEXT
    inside = unwrap("", f"{TEXT}\n【推荐阅读】\n{headlines}\n{TEXT}")
    assert inside.text == f"{TEXT}\n{TEXT}"
    glued = unwrap("", f"{TEXT}>>>推荐阅读：山城下月办灯会")
    assert glued.text == TEXT


def test_a_background_section_of_the_report_stays():
    body = f"{TEXT}\n新闻背景\n{TEXT}\n事件回顾\n七天七夜\n8月19日\n8月20日\n{TEXT}"
    assert unwrap("", body).text == body


def test_only_wrapping_is_said_and_nothing_is_lost():
    body = "来源：江城晚报\n责任编辑：张三\n返回搜狐，查看更多"
    found = unwrap("江边步道开放", body)
    assert found.only_wrapping
    assert found.text == body
    assert len(found.offsets) == len(body)
    title_only = unwrap("江边步道开放", "江边步道开放")
    assert title_only.only_wrapping
    assert title_only.text == "江边步道开放"


@pytest.mark.parametrize(
    "body", ["", "\n\n", "　", "：", "（", "（完）", "来源：", "\u2028", "()" * 400]
)
def test_odd_bodies(body):
    found = unwrap("", body)
    assert len(found.offsets) == len(found.text)
    assert found.text.strip() or not any(c.isalnum() for c in body)


PIECES = [
    *(
        "新华社",
        "12月6日电",
        "（记者",
        "张三）",
        "来源：",
        "江城晚报",
        "\n",
        "　　",
        "。",
        "（完）",
    ),
    *("责任编辑：", "相关阅读", "下一页", "版权", "原标题：", TEXT, "a", "\r\n", "▲", "【"),
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=25), st.text(max_size=12))
def test_spans_are_exact_in_order_and_never_overlap(pieces, title):
    body = "".join(pieces)
    found = unwrap(title, body)
    position = 0
    for span in found.wrapping.spans:
        assert position <= span.start < span.end <= len(body)
        assert body[span.start : span.end] == span.text
        position = span.end
    assert "".join(body[i] for i in found.offsets) == found.text
    assert found.text or not body.strip()


def test_with_wrapping_fills_and_never_overwrites():
    body = f"新华社北京12月6日电（记者张三）{TEXT}\n来源：江城晚报"
    filled = with_wrapping(Article(id="a", title="大雨", body=body))
    assert (filled.source, filled.author, filled.body) == ("江城晚报", "张三", body)
    record = filled.extra["wrapping"]
    assert record["dateline"] == {
        "agency": "新华社", "place": "北京", "month": 12, "day": 6, "reporters": ["张三"],
    }  # fmt: skip
    json.dumps(record)
    kept = with_wrapping(
        Article(id="a", body=body, source="湖城网", author="李四", extra={"wrapping": 1})
    )
    assert (kept.source, kept.author, kept.extra) == ("湖城网", "李四", {"wrapping": 1})
    own = with_wrapping(Article(id="c", body=f"本报讯（记者张三）{TEXT}"))
    assert (own.source, own.author) == (None, "张三")
    plain = Article(id="b", body=TEXT)
    assert with_wrapping(plain) is plain


def test_read_wrapped(tmp_path):
    path = tmp_path / "docs.jsonl"
    body = f"新华社北京12月6日电 {TEXT}"
    path.write_text(json.dumps({"id": "a", "title": "大雨", "body": body}), "utf-8")
    documents = read_wrapped(path)
    assert [a.source for a in documents.articles] == ["新华社"]
    assert documents.articles[0].body == body


def test_a_list_under_an_open_heading_inside_the_text_goes_too():
    headlines = "山城警方通报昨夜街道积水\n市教委回应学校停课一事\n水务集团就停水公开致歉"
    assert unwrap("", f"{TEXT}\n事件回顾：\n{headlines}\n{TEXT}").text == f"{TEXT}\n{TEXT}"
    found = unwrap("", f"{TEXT}\n事件回顾：\n{headlines}\n责任编辑：张三")
    assert (found.text, found.wrapping.editor) == (TEXT, "张三")


def test_long_lines_take_linear_time():
    bodies = [
        "（记者" * 20000,
        "来源：" * 20000,
        "据新华社" * 20000,
        "编辑、" * 20000 + "）",
        "新闻网" * 30,
    ]
    started = time.process_time()
    for body in bodies * 3:
        unwrap("", body)
    assert time.process_time() - started < 3
