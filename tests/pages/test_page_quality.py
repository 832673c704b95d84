"""List pages, the quality verdict, and input that is no page at all."""

from __future__ import annotations

import time

import pytest
from extraction_pages import (
    NAVIGATION,
    PARAGRAPHS,
    RELATED,
    TITLE,
    article,
    links,
    list_page,
    paragraphs,
)

from toolkit.pages.extract import extract_page
from toolkit.pages.parse import MAX_CHARS, Page

BODY = "\n".join(PARAGRAPHS)
UNFINISHED = "水利部门的工作人员告诉记者，下游的堤防已经巡查完毕，接下来将会"
GARBLED = tuple(p.encode().decode("gb18030", "replace") for p in PARAGRAPHS)


@pytest.mark.parametrize("summaries", [True, False])
@pytest.mark.parametrize("dates", [True, False])
def test_list_pages(summaries: bool, dates: bool) -> None:
    page = extract_page(list_page(summaries=summaries, dates=dates))
    assert not page.is_article
    assert page.verdict == "bad"
    assert "list page" in page.reasons


def test_front_page_of_link_columns() -> None:
    columns = "".join(f"<div><h3>{name}</h3>{links(RELATED)}</div>" for name in NAVIGATION)
    assert not extract_page(
        f"<html><title>云溪新闻网</title><body>{columns}</body></html>"
    ).is_article


@pytest.mark.parametrize(
    "html",
    [
        article(),
        article(body=paragraphs(PARAGRAPHS[:1])),
        article(line=""),
        article(tail=links(RELATED * 6, "side")),
        article(body=paragraphs() + links(RELATED * 3)),
        article(body="".join(f"<p>{p}<a href='/k'>{p[:4]}</a></p>" for p in PARAGRAPHS)),
    ],
)
def test_articles_are_no_lists(html: str) -> None:
    page = extract_page(html)
    assert page.is_article
    assert page.verdict != "bad"


@pytest.mark.parametrize(
    ("html", "verdict", "reason"),
    [
        (article(), "good", None),
        (article(body="<p>气象台发布暴雨预警。</p>"), "doubtful", "too short"),
        (article(body=paragraphs((*PARAGRAPHS, UNFINISHED))), "doubtful", "truncated"),
        (article(body=paragraphs((PARAGRAPHS[0], "想了解更多，以及专家对此的解读……"))),
         "doubtful", "truncated"),
        (article(body=paragraphs(GARBLED)), "bad", "mojibake"),
        ("", "bad", "no body"),
        ("<html><title>404</title><body></body></html>", "bad", "no body"),
    ],
)  # fmt: skip
def test_verdicts(html: str, verdict: str, reason: str | None) -> None:
    page = extract_page(html)
    assert page.verdict == verdict
    if reason:
        assert any(r.startswith(reason) for r in page.reasons)
    else:
        assert page.reasons == ()


def test_damaged_characters_are_reported() -> None:
    data = article().encode("gbk")
    place = data.index("水库".encode("gbk"), len(data) // 3)
    page = extract_page(data[:place] + b"\xff" + data[place + 1 :])
    assert page.replaced == 1
    assert "1 damaged characters" in page.warnings
    assert page.verdict == "good"
    assert abs(len(page.body) - len(BODY)) <= 1


INNER = paragraphs()
BAD_INPUT = {
    "empty": b"",
    "binary": bytes(range(256)) * 2000,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100,
    "nul": b"\0" * 100_000,
    "open angles": b"<" * 500_000,
    "open attribute": b'<a b="' * 100_000,
    "open scripts": b"<script>" * 100_000,
    "open comments": b"<!--" * 200_000,
    "nested": ("<div>" * 100_000 + INNER + "</div>" * 100_000).encode(),
    "nested tables": ("<table><tr><td>" * 20_000 + INNER).encode(),
    "entity bomb": (
        '<!DOCTYPE html [<!ENTITY a "&b;&b;&b;"><!ENTITY b "&c;&c;&c;">]>'
        + article(body=INNER + "&a;" * 5000)
    ).encode(),
    "deep JSON-LD": article(
        head='<script type="application/ld+json">' + "[" * 100_000 + "</script>"
    ).encode(),
    "long title": f"<title>{'标题_' * 100_000}</title>".encode() + article().encode(),
    "many labels": article(line="来源：" * 30_000).encode(),
    "many pagers": article(body=INNER + "<p>" + "1 2 3 4 5 6 7 8 9 10 " * 300 + "</p>").encode(),
    "bars": article(body=INNER + "<p>" + "|" * 400 + " </p>").encode(),
    "long date": article(line="2023" * 50_000).encode(),
    "truncated": article().encode()[:-700],
    "many paragraphs": article(body="<p>短句，重复。</p>" * 30_000).encode(),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_in_bounded_time(name: str) -> None:
    start = time.process_time()
    page = extract_page(BAD_INPUT[name], url="http://example.cn/a.html")
    assert time.process_time() - start < 6
    assert page.verdict in ("good", "doubtful", "bad")
    if page.verdict != "good":
        assert page.reasons
    assert page.to_row("a.html")["page"] == "a.html"


@pytest.mark.parametrize("name", ["nested", "nested tables", "entity bomb", "deep JSON-LD", "bars"])
def test_the_article_is_still_found(name: str) -> None:
    body = extract_page(BAD_INPUT[name]).body
    assert all(paragraph in body for paragraph in PARAGRAPHS)


def test_binary_gives_no_body() -> None:
    page = extract_page(BAD_INPUT["binary"])
    assert (page.body, page.verdict) == ("", "bad")
    assert "binary or damaged text" in page.reasons


@pytest.mark.slow
def test_fifty_megabytes() -> None:
    filler = f"<script>{'var filler = 1;' * 3_600_000}</script>"
    start = time.process_time()
    page = extract_page(article(body=filler + INNER).encode())
    assert time.process_time() - start < 20
    assert page.body == BODY
    assert "page longer or deeper than the limits" in page.reasons


def test_page_object() -> None:
    page = Page("<html><body><p>一<b>二</b>三</p><pre>a\nb</pre><p hidden>四</p></body></html>")
    assert [(b.text, b.hidden, b.in_code) for b in page.blocks] == [
        ("一二三", False, False), ("a", False, True), ("b", False, True), ("四", True, False),
    ]  # fmt: skip
    assert [e.order for e in page.elements] == list(range(len(page.elements)))
    assert not page.cut
    assert Page("<p>字</p>" * 10 + "x" * MAX_CHARS).cut


def test_title_is_kept_when_there_is_no_body() -> None:
    page = extract_page(
        f"<html><title>{TITLE}_云溪新闻网</title><body><h1>{TITLE}</h1></body></html>"
    )
    assert page.title == TITLE
    assert page.verdict == "bad"
