"""The body: what is kept, what is left out, on several kinds of templates."""

from __future__ import annotations

import json

import pytest
from extraction_pages import PARAGRAPHS, RELATED, TITLE, article, links, paragraphs

from toolkit.pages.extract import extract_page

BODY = "\n".join(PARAGRAPHS)


def body(html: str) -> str:
    return extract_page(html).body


@pytest.mark.parametrize(
    "inner",
    [
        paragraphs(),
        "<br><br>　　".join(PARAGRAPHS),
        "".join(f"<div>{p}</div>" for p in PARAGRAPHS),
        "".join(
            f"<section><section><p><span>{p}</span></p></section></section>" for p in PARAGRAPHS
        ),
        f"<table><tr><td>{paragraphs()}</td></tr></table>",
        f"<div>{paragraphs(PARAGRAPHS[:2])}</div><div>{paragraphs(PARAGRAPHS[2:])}</div>",
        "".join(f"<p><font>{p[:9]}</font>{p[9:]}</p>" for p in PARAGRAPHS),
    ],
)
def test_paragraphs_in_every_kind_of_markup(inner: str) -> None:
    assert body(article(body=inner)) == BODY


@pytest.mark.parametrize(
    "box", ["", "x1f", "share-content", "right", "ad-main", "detail", "tool_box"]
)
def test_name_of_the_box_does_not_decide(box: str) -> None:
    assert body(article(box=box)) == BODY


def test_short_paragraphs_and_subheads_are_kept() -> None:
    texts = (PARAGRAPHS[0], "他点点头。", "备汛", PARAGRAPHS[1], "为什么？", PARAGRAPHS[2])
    assert body(article(body=paragraphs(texts))) == "\n".join(texts)


@pytest.mark.parametrize(
    "foreign",
    [
        '<div class="share">分享到：微信 微博 QQ空间</div>',
        "<p>责任编辑：林一苇</p>",
        "<p>（责编：林一苇、何田田）</p>",
        "<p>来源：云溪晚报</p>",
        '<p style="display:none">隐藏的推广文字，不应当出现在正文里面，读者看不到它。</p>',
        '<p>更多消息，请<a href="/app">下载客户端</a></p>',
        "<p>版权声明：本文版权归云溪新闻网所有，未经授权不得转载。</p>",
        "<p>扫描下方二维码关注我们</p>",
        f"<p>延伸阅读</p>{links(RELATED)}",
        f'<div class="recommend"><p>推荐阅读</p>{links(RELATED)}</div>',
        '<div class="comments"><p>写得真好，支持家乡的建设，希望以后越来越好！</p></div>',
        "<script>var a = '脚本里的文字，不是正文。';</script><style>p{color:red}</style>",
        "<p>上一篇：<a href='/1'>南湖公园荷花进入盛花期</a></p>",
    ],
)
def test_page_matter_at_the_end_is_left_out(foreign: str) -> None:
    assert body(article(body=paragraphs() + foreign)) == BODY


@pytest.mark.parametrize(
    "foreign",
    [
        f"<p>{TITLE}</p>",
        "<p>（原标题：云溪将迎强降雨）</p>",
        "<div>字号：大 中 小</div>",
        "<p>2023-06-18 07:45　来源：云溪晚报　作者：何田田</p>",
        '<p>点击<a href="/v">报名参加</a>本周活动，名额有限，快来加入我们的大家庭吧！</p>',
    ],
)
def test_page_matter_at_the_head_is_left_out(foreign: str) -> None:
    assert body(article(body=foreign + paragraphs())) == BODY


def test_boxes_inside_the_article_are_left_out() -> None:
    inside = (
        f'<div class="tj"><h4>相关阅读</h4>{links(RELATED[:3])}<p>一行说明，带有标点。</p></div>'
    )
    html = paragraphs(PARAGRAPHS[:2]) + inside + paragraphs(PARAGRAPHS[2:])
    assert body(article(body=html)) == BODY


def test_sentences_that_only_look_like_page_matter_stay() -> None:
    texts = (
        PARAGRAPHS[0],
        "编辑部的同事连夜赶到现场，带回了第一批照片，也带回了居民的讲述。",
        "市民扫描二维码即可查询积水点位，这项服务上线两天，访问量超过三万次。",
        "来源不明的通知不要轻信，气象台说，一切以官方渠道发布的消息为准。",
        PARAGRAPHS[1],
        PARAGRAPHS[2],
    )
    assert body(article(body=paragraphs(texts))) == "\n".join(texts)


def test_captions_are_kept_apart() -> None:
    figure = (
        '<p style="text-align:center"><img src="a.jpg"></p>'
        '<p style="text-align:center">水库正在泄洪 何田田 摄</p>'
    )
    page = extract_page(
        article(body=paragraphs(PARAGRAPHS[:2]) + figure + paragraphs(PARAGRAPHS[2:]))
    )
    assert page.body == BODY
    assert page.captions == ("水库正在泄洪 何田田 摄",)


def test_longer_recommended_article_below_is_not_taken() -> None:
    other = tuple(
        f"另一篇文章的第{n}段，讲的是邻市一家工厂的搬迁，内容很长，与本文没有关系。"
        for n in range(9)
    )
    head = "<h2>邻市工厂搬迁记：三代人的选择</h2><div>2023-06-17 10:00</div>"
    tail = f'<div class="more">{head}{paragraphs(other)}</div>'
    assert body(article(tail=tail)) == BODY


def test_comments_longer_than_the_article() -> None:
    rules = "".join(
        f"<li>留言时请遵守第{n}条规定，不得发布广告，不得攻击他人，违者删除。</li>"
        for n in range(12)
    )
    short = paragraphs(PARAGRAPHS[:2])
    html = article(
        body=short, tail=f'<section class="comments"><h4>发表评论</h4><ul>{rules}</ul></section>'
    )
    assert body(html) == "\n".join(PARAGRAPHS[:2])


def test_discussion_without_a_name_is_told_by_its_stamps() -> None:
    remarks = "".join(
        f"<div><p>用户{n}</p><p>第{n}条评论写得很长很长，说的是各人的看法，与报道没有关系。</p><p>{n}小时前</p></div>"
        for n in range(1, 9)
    )
    assert body(article(body=paragraphs() + f"<div><p>大家说</p>{remarks}</div>")) == BODY


def test_repeated_paragraph_is_kept_once() -> None:
    texts = (*PARAGRAPHS, PARAGRAPHS[0])
    assert body(article(body=paragraphs(texts))) == BODY


def test_traditional_page() -> None:
    texts = (
        "雲溪市氣象臺昨天傍晚發佈消息，受高空槽影響，未來三天全市將有一次明顯的降雨過程。",
        "市應急管理局介紹，目前已有六座水庫提前騰出庫容，兩百多名搶險隊員在崗值守。",
    )
    html = article(
        title="雲溪未來三天有明顯降雨", line="2023-06-18 07:45　來源：雲溪晚報", lang="zh-TW",
        body=paragraphs(texts) + "<p>責任編輯：林一葦</p>",
    )  # fmt: skip
    page = extract_page(html)
    assert page.body == "\n".join(texts)
    assert (page.language, page.source, page.editor) == ("zh-Hant", "雲溪晚報", "林一葦")


def test_stray_end_tag_in_the_header() -> None:
    html = article().replace('<div class="main">', '</html><div class="main">')
    assert body(html) == BODY


class TestBodiesThatAScriptWouldShow:
    shell = (
        "<html><head><title>{title}</title></head><body><div id='app'></div>{extra}</body></html>"
    )

    def page(self, extra: str) -> str:
        return self.shell.format(title=TITLE, extra=extra)

    def test_json_ld_article_body(self) -> None:
        data = json.dumps({"@type": "NewsArticle", "headline": TITLE, "articleBody": BODY})
        page = extract_page(self.page(f'<script type="application/ld+json">{data}</script>'))
        assert page.body == BODY
        assert page.signals["body"]["won"] == "json-ld:articleBody"

    def test_string_in_embedded_data(self) -> None:
        data = json.dumps({"detail": {"content": paragraphs()}}).replace("<", "\\u003c")
        page = extract_page(self.page(f"<script>window.DATA = {data};</script>"))
        assert page.body == BODY
        assert page.signals["body"]["won"] == "script:content"

    def test_encoded_article_in_a_textarea(self) -> None:
        coded = paragraphs().replace("<", "&lt;").replace(">", "&gt;")
        page = extract_page(self.page(f'<textarea class="article-content">{coded}</textarea>'))
        assert page.body == BODY

    def test_box_that_is_still_hidden(self) -> None:
        page = extract_page(article(body=f'<div style="display:none">{paragraphs()}</div>'))
        assert page.body == BODY
        assert page.signals["body"]["won"].startswith("hidden")

    def test_visibility_hidden_is_how_one_platform_delivers(self) -> None:
        inner = f'<div id="js_content" style="visibility: hidden;">{paragraphs()}</div>'
        assert body(article(body=inner)) == BODY


def test_code_lines_survive() -> None:
    code = "<pre>import os\nprint(os.name)\n</pre>"
    texts = body(
        article(body=paragraphs() + code + paragraphs((PARAGRAPHS[0][:40] + "。",)))
    ).split("\n")
    assert "import os" in texts
    assert "print(os.name)" in texts
