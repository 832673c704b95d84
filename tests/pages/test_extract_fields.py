"""Headline, dates, outlet, names, section, language and the signals that won."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from extraction_pages import PARAGRAPHS, TITLE, article, paragraphs

from toolkit.config import PagesConfig
from toolkit.pages.extract import ExtractedPage, extract_page

CHINA = timezone(timedelta(hours=8))
STAMP = "2023-06-18T07:45:30+08:00"
DATED = {"datePublished": STAMP}
LD_OPEN = '<script type="application/ld+json">'
STATED = f'{{"@type":"ReportageNewsArticle","datePublished":"{STAMP}"'


def ld(**values: object) -> str:
    data = {"@context": "https://schema.org", **values}
    return f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def meta(name: str, content: str, attribute: str = "name") -> str:
    return f'<meta {attribute}="{name}" content="{content}">'


class TestTitles:
    @pytest.mark.parametrize(
        "doc_title",
        [
            TITLE + "_要闻_云溪新闻网",
            TITLE + " - 云溪日报",
            TITLE + "|云溪|降雨_云溪新闻",
            TITLE + "—云溪新闻网",
            "云溪新闻网",
            "要闻--" + TITLE,
            "",
        ],
    )
    def test_without_the_name_of_the_site(self, doc_title: str) -> None:
        assert extract_page(article(doc_title=doc_title)).title == TITLE

    @pytest.mark.parametrize(
        "title",
        [
            '专家：“桥梁完好” 市民称"终于放心"',
            "12条线路调整-2024年最后一次",
            "林一苇：《山河故人》为什么打动我？",
            "[快讯]云溪南站恢复通车",
            "GDP增长5.2%！云溪上半年“成绩单”来了",
            "云溪—南湖城际列车明起试运行",
        ],
    )
    def test_no_cut_at_quotes_and_dashes(self, title: str) -> None:
        head = f'<meta property="og:title" content="{title.split(chr(34))[0]}">'
        assert extract_page(article(title=title, head=head)).title == title

    def test_heading_of_the_site_is_no_headline(self) -> None:
        html = article().replace(
            '<div class="main">', '<h1><a href="/">云溪新闻网</a></h1><div class="main">'
        )
        assert extract_page(html).title == TITLE

    def test_headline_over_two_lines(self) -> None:
        html = article().replace(
            f"<h1>{TITLE}</h1>", f"<div><p>{TITLE[:11]}</p><p>{TITLE[11:].strip()}</p></div>"
        )
        assert extract_page(html).title.replace(" ", "") == TITLE.replace(" ", "")

    def test_no_heading_element_and_title_names_only_the_site(self) -> None:
        html = article(doc_title="云溪市人民政府门户网站").replace("h1>", "h5>")
        assert extract_page(html).title == TITLE

    def test_from_the_title_element_alone(self) -> None:
        html = article().replace(f"<h1>{TITLE}</h1>", "")
        assert extract_page(html).title == TITLE

    def test_signal_and_runner_up(self) -> None:
        head = '<meta property="og:title" content="云溪将有强降雨">'
        signal = extract_page(article(head=head)).signals["title"]
        assert signal["won"] == "h1=<title>"
        assert signal["runner_up"] == ["meta:og:title", "云溪将有强降雨"]


def dated(page: ExtractedPage) -> tuple[str | None, str | None]:
    return (page.published.isoformat() if page.published else None), page.precision


class TestDates:
    @pytest.mark.parametrize(
        ("line", "expected", "precision"),
        [
            ("2023-06-18 07:45　来源：云溪晚报", "2023-06-18T07:45:00+08:00", "minute"),
            ("2023年6月18日7时45分 云溪晚报", "2023-06-18T07:45:00+08:00", "minute"),
            ("发布时间：2023/6/18 7:45:09", "2023-06-18T07:45:09+08:00", "minute"),
            ("2023年06月18日07:45 | 来源：云溪晚报", "2023-06-18T07:45:00+08:00", "minute"),
            ("发布日期：2023-06-18", "2023-06-18T00:00:00+08:00", "day"),
            ("2023.06.18　下午3:05", "2023-06-18T15:05:00+08:00", "minute"),
            ("2023-06-18（星期日）22:10", "2023-06-18T22:10:00+08:00", "minute"),
            ("<b>2023</b><p>06/18</p><p>07:45</p>", "2023-06-18T07:45:00+08:00", "minute"),
            ("Published 18 June 2023", "2023-06-18T00:00:00+08:00", "day"),
            (
                "更新时间：2023-06-19 09:00 发布时间：2023-06-18 07:45",
                "2023-06-18T07:45:00+08:00",
                "minute",
            ),
            ("2023年6月", None, None),
            ("2023年", None, None),
            ("2023-02-30 10:00", None, None),
            ("", None, None),
        ],
    )
    def test_printed(self, line: str, expected: str | None, precision: str | None) -> None:
        page = extract_page(article(line=line))
        assert dated(page) == (expected, precision)
        if expected:
            assert "China time" in page.signals["published"]["won"]

    @pytest.mark.parametrize(
        ("head", "expected"),
        [
            (meta("article:published_time", STAMP, "property"), STAMP),
            (meta("pubdate", "2023-06-18 07:45"), "2023-06-18T07:45:00+08:00"),
            (meta("weibo: article:create_at", "2023-6-18 7:45:30"), "2023-06-18T07:45:30+08:00"),
            (ld(**{"@type": "NewsArticle", "datePublished": "2023-06-17T23:45:30Z"}),
             "2023-06-17T23:45:30+00:00"),
            (ld(**{"@graph": [{"@type": "WebSite"}, {"@type": ["Article"], **DATED}]}), STAMP),
            (f"{LD_OPEN}[{STATED},}}]</script>", STAMP),
            (meta("publishdate", "1687045530"), "2023-06-18T07:45:30+08:00"),
            (meta("pubdate", "Sun, 18 Jun 2023 07:45:30 +0800"), "2023-06-18T07:45:30+08:00"),
            ("<script>var ct = \"1687045530\";</script>", "2023-06-18T07:45:30+08:00"),
        ],
    )  # fmt: skip
    def test_machine_dates(self, head: str, expected: str) -> None:
        assert dated(extract_page(article(line="", head=head)))[0] == expected

    def test_microdata(self) -> None:
        html = article(line=f'<time itemprop="datePublished" datetime="{STAMP}">早些时候</time>')
        page = extract_page(html)
        assert dated(page)[0] == "2023-06-18T07:45:30+08:00"
        assert page.signals["published"]["won"] == "microdata:datepublished"

    def test_broken_json_ld_is_reported(self) -> None:
        head = f"{LD_OPEN}{STATED},,}}</script>"
        page = extract_page(article(line="", head=head))
        assert dated(page)[0] == "2023-06-18T07:45:30+08:00"
        assert "JSON-LD is broken" in page.warnings

    def test_printed_time_beats_a_later_machine_date_of_the_day(self) -> None:
        html = article(head=meta("article:published_time", "2023-06-18T09:12:40+08:00", "property"))
        page = extract_page(html)
        assert dated(page)[0] == "2023-06-18T07:45:00+08:00"
        assert page.signals["published"]["runner_up"] == [
            "meta:article:published_time", "2023-06-18T09:12:40+08:00",
        ]  # fmt: skip
        assert any("87 min later" in w for w in page.warnings)
        other = extract_page(html, config=PagesConfig(date_order="machine_first"))
        assert dated(other)[0] == "2023-06-18T09:12:40+08:00"

    def test_machine_date_lends_its_seconds(self) -> None:
        page = extract_page(article(head=meta("pubdate", "2023-06-18 07:45:31")))
        assert dated(page)[0] == "2023-06-18T07:45:31+08:00"

    def test_machine_date_in_the_wrong_zone(self) -> None:
        page = extract_page(article(head=meta("pubdate", "2023-06-18T07:45:00Z")))
        assert page.published == datetime(2023, 6, 17, 23, 45, tzinfo=UTC)
        assert any("8 hours off" in w for w in page.warnings)

    def test_machine_day_and_printed_time(self) -> None:
        page = extract_page(article(head=meta("publishdate", "2023-06-18")))
        assert dated(page) == ("2023-06-18T07:45:00+08:00", "minute")

    def test_placeholder_time_is_no_time(self) -> None:
        head = meta("pubdate", "2023-06-18 00:00:00")
        assert dated(extract_page(article(line="", head=head))) == (
            "2023-06-18T00:00:00+08:00",
            "day",
        )

    def test_year_is_lent_by_a_machine_date_of_the_same_day(self) -> None:
        page = extract_page(
            article(line="发布时间：06-18 07:45", head=meta("dateUpdate", "2023-06-18 07:45:12"))
        )
        assert dated(page)[0] == "2023-06-18T07:45:12+08:00"
        assert "year lent" in page.signals["published"]["won"]
        assert dated(extract_page(article(line="发布时间：06-18 07:45"))) == (None, None)

    def test_modified_is_never_published(self) -> None:
        head = meta("article:modified_time", "2023-06-19T10:00:00+08:00", "property")
        page = extract_page(article(line="", head=head))
        assert page.published is None
        assert page.modified == datetime(2023, 6, 19, 10, tzinfo=CHINA)
        page = extract_page(article(line="更新时间：2023-06-19 10:00"))
        assert (page.published, page.modified) == (None, datetime(2023, 6, 19, 10, tzinfo=CHINA))

    def test_future_date_is_refused_and_reported(self) -> None:
        fetched = datetime(2023, 6, 20, 12, tzinfo=CHINA)
        page = extract_page(article(line="2031-06-18 07:45"), fetched=fetched)
        assert page.published is None
        assert any(w.startswith("refused printed date 2031-06-18") for w in page.warnings)

    @pytest.mark.parametrize(
        ("line", "expected", "precision"),
        [
            ("昨天 21:30", "2023-06-17T21:30:00+08:00", "minute"),
            ("昨天", "2023-06-17T00:00:00+08:00", "day"),
            ("3小时前", "2023-06-18T07:20:00+08:00", "minute"),
            ("25分钟前", "2023-06-18T09:55:00+08:00", "minute"),
            ("2天前", "2023-06-16T00:00:00+08:00", "day"),
        ],
    )
    def test_relative_dates_need_a_fetch_time(
        self, line: str, expected: str, precision: str
    ) -> None:
        fetched = datetime(2023, 6, 18, 10, 20, 44, tzinfo=CHINA)
        assert dated(extract_page(article(line=line), fetched=fetched)) == (expected, precision)
        without = extract_page(article(line=line))
        assert without.published is None
        assert any("needs a fetch time" in w for w in without.warnings)

    @pytest.mark.parametrize(
        ("url", "day"),
        [
            ("http://news.example.cn/2023-06/18/c_1129700001.htm", "2023-06-18"),
            ("http://example.gov.cn/zx/202306/t20230618_3391.html", "2023-06-18"),
            ("http://example.cn/2023/0618/77.html", "2023-06-18"),
            ("http://example.cn/a/120230618123/77.html", None),
            ("http://example.cn/a?d=2023-06-18", None),
        ],
    )
    def test_day_in_the_address(self, url: str, day: str | None) -> None:
        page = extract_page(article(line=""), url=url)
        assert dated(page) == ((f"{day}T00:00:00+08:00", "day") if day else (None, None))

    def test_no_zone_on_a_host_abroad_is_said(self) -> None:
        page = extract_page(article(), url="https://news.example.co.jp/a/1.html")
        assert page.signals["published"]["won"].endswith("(China time assumed)")
        assert any(".jp host" in w for w in page.warnings)

    def test_dates_of_related_news_and_body_are_not_taken(self) -> None:
        texts = ("2019年5月1日，第一段观测数据开始积累，此后从未中断过一天。", *PARAGRAPHS)
        tail = '<div class="hot"><a href="/x">别的新闻标题很长很长</a> 2020-01-01 10:00</div>'
        assert extract_page(article(line="", body=paragraphs(texts), tail=tail)).published is None


class TestBylines:
    @pytest.mark.parametrize(
        ("line", "source"),
        [
            ("2023-06-18 07:45　来源：云溪晚报", "云溪晚报"),
            ("来源： 云溪晚报 2023-06-18 07:45", "云溪晚报"),
            ("2023-06-18 07:45来源：云溪晚报作者：何田田", "云溪晚报"),
            ("2023年06月18日 07:45 云溪晚报", "云溪晚报"),
            ("云溪晚报 2023-06-18 07:45", "云溪晚报"),
            ("2023-06-18 07:45 | 云溪晚报 | 评论(12)", "云溪晚报"),
            ("发表于2023-06-18 07:45| 116次阅读| 来源云溪晚报| 0 条评论", "云溪晚报"),
            ("信息来源：市气象局　发布时间：2023-06-18", "市气象局"),
            (
                '<span class="date">2023-06-18</span><span class="source">云溪晚报</span>',
                "云溪晚报",
            ),
            ("<p>何田田/云溪晚报</p><p>2023-06-18 07:45</p>", "云溪晚报"),
            ("<span>来源：</span><a href='/'>云溪晚报</a><i>2023-06-18</i>", "云溪晚报"),
            ("2023-06-18 07:45 字号：大 中 小 打印", None),
            ("2023-06-18 07:45 来源：", None),
        ],
    )
    def test_source_in_the_date_line(self, line: str, source: str | None) -> None:
        assert extract_page(article(line=line)).source == source

    @pytest.mark.parametrize(
        "last", ["来源：云溪晚报", "（来源：云溪晚报）", "本文来源：云溪晚报　责任编辑：林一苇_X12"]
    )
    def test_source_below_the_text(self, last: str) -> None:
        page = extract_page(article(line="2023-06-18", body=paragraphs() + f"<p>{last}</p>"))
        assert page.source == "云溪晚报"
        assert "来源" not in page.body

    def test_label_beats_meta_and_both_are_told(self) -> None:
        page = extract_page(article(head=meta("source", "云溪网")))
        assert page.source == "云溪晚报"
        assert page.signals["source"] == {
            "won": "label:来源",
            "runner_up": ["meta:source", "云溪网"],
        }

    def test_vague_source_yields_to_a_name(self) -> None:
        page = extract_page(
            article(line="2023-06-18 云溪晚报", body=paragraphs() + "<p>来源：网络</p>")
        )
        assert page.source == "云溪晚报"

    @pytest.mark.parametrize(
        ("first", "author"),
        [
            ("云溪晚报讯（记者 何田田 林一苇）今天上午，", "何田田 林一苇"),
            ("本报云溪6月18日电（记者何田田）今天上午，", "何田田"),
            ("本报讯 今天上午，", None),
        ],
    )
    def test_author_in_the_dateline(self, first: str, author: str | None) -> None:
        texts = (first + PARAGRAPHS[0], *PARAGRAPHS[1:])
        assert extract_page(article(body=paragraphs(texts))).author == author

    def test_editor_of_the_page(self) -> None:
        tail = "<p>编辑：何田田</p><p>责任编辑：林一苇_NB99</p>"
        assert extract_page(article(body=paragraphs() + tail)).editor == "林一苇"

    def test_meta_author_that_is_the_site_is_not_taken(self) -> None:
        assert extract_page(article(head=meta("author", "云溪新闻网"))).author is None
        assert extract_page(article(head=meta("author", "何田田"))).author == "何田田"

    @pytest.mark.parametrize(
        "crumb",
        [
            '<div class="crumbs"><a href="/">首页</a> &gt; <a href="/b">本地</a> &gt; 正文</div>',
            "<div>您当前的位置：首页 > 新闻 > 本地</div>",
            '<div class="path">首页 / 本地 / 正文</div>',
        ],
    )
    def test_section_from_the_breadcrumb(self, crumb: str) -> None:
        html = article().replace('<div class="main">', crumb + '<div class="main">')
        assert extract_page(html).section == "本地"


class TestOtherFields:
    def test_types_and_paywall(self) -> None:
        head = ld(
            **{"@type": "AnalysisNewsArticle", "headline": TITLE, "isAccessibleForFree": False}
        )
        page = extract_page(article(head=head))
        assert not page.free
        assert "not accessible for free" in page.reasons
        assert page.to_row("a.html")["is_accessible_for_free"] is False

    def test_canonical_link(self) -> None:
        head = '<link rel="canonical" href="https://news.example.cn/a/1.html">'
        page = extract_page(article(head=head))
        assert page.canonical_url == "https://news.example.cn/a/1.html"
        assert page.signals["canonical_url"]["won"] == "rel=canonical"

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("今天的会议决定，全市将新建三条公交线路，明年开通。", "zh-Hans"),
            ("今天的會議決定，全市將新建三條公車路線，明年開通。", "zh-Hant"),
            ("The city will open three new bus lines next year, officials said.", "en"),
        ],
    )
    def test_language_by_characters(self, text: str, language: str) -> None:
        page = extract_page(f"<html lang='xx'><title>公告</title><p>{text * 3}</p></html>")
        assert page.language == language

    def test_article_and_row(self) -> None:
        page = extract_page(article(), url="http://example.cn/a.html")
        made = page.to_article("x1")
        assert (made.id, made.title, made.source) == ("x1", TITLE, "云溪晚报")
        assert made.published_precision == "minute"
        row = page.to_row("sub/a.html")
        assert (row["id"], row["page"]) == ("sub/a.html", "sub/a.html")
        assert row["published"] == "2023-06-18T07:45:00+08:00"
        assert set(row["signals"]) >= {"title", "body", "published", "source"}
        assert json.loads(json.dumps(row)) == row

    def test_wrapping_of_the_body_is_recorded(self) -> None:
        texts = (
            "（原标题：云溪将迎强降雨）",
            "华讯社云溪6月18日电（记者何田田）" + PARAGRAPHS[0],
            *PARAGRAPHS[1:],
        )
        page = extract_page(article(line="2023-06-18 07:45", body=paragraphs(texts)))
        assert page.extra["original_title"] == "云溪将迎强降雨"
        assert page.extra["wrapping"]["dateline"]["agency"] == "华讯社"
        kind, start, end = page.extra["wrapping"]["spans"][0]
        assert (kind, page.body[start:end]) == ("dateline", "华讯社云溪6月18日电（记者何田田）")
        assert page.source == "华讯社"
        assert page.signals["source"]["won"] == "wrapping of the body"
