"""Representative, spread, tables and the story page."""

from __future__ import annotations

import csv
import itertools
import random
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import networkx as nx
import pytest
from toy import article, decided

from toolkit.config import RunConfig
from toolkit.model import RELATIONS
from toolkit.stories.cluster import build_stories
from toolkit.stories.facts import dateline, figures, lead_days, read_number
from toolkit.stories.page import show_edits, story_page, write_story_pages
from toolkit.stories.pairs import overlay
from toolkit.stories.spread import spread
from toolkit.stories.tables import write_tables

CONFIG = RunConfig()
TEXT = (
    "晨光社南屿5月1日电 南屿市渡口1日上午发生渡船倾覆事故，已造成3人死亡、5人受伤。"
    "当地消防部门出动四艘冲锋舟搜救，伤者被送往市第二医院。渡口管理处称事发时风力不大，"
    "船上物资已经打捞上岸，事故原因由海事部门负责调查，渡口将停航三天。"
)
LONGER = TEXT + "另据了解，该渡船去年通过年检。家属安置工作由南屿市民政局负责，抚慰金已经到位。"


def family():
    outlet = {"a": "晨光社", "b": "西岭网", "c": "河口晚报", "d": "速报台", "e": "南屿新闻网"}

    def make(name: str, hours: float, body: str, source: str | None):
        return article(name, hours, body, source=source, url=f"https://{name}.example/1",
                       extra={"site_name": outlet[name]})  # fmt: skip

    own = (
        "南屿渡口翻船，5人遇难，搜救仍在进行。目击者说船身先向左倾，随后沉没，岸边的人抛下救生圈。"
    )
    articles = [
        make("a", 2, TEXT, None),
        make("b", 3, TEXT, "晨光社"),
        make("c", 5, LONGER, "晨光社"),
        make("d", 30, LONGER.split("电 ")[1] + "责任编辑：甲", None),
        make("e", 8, own, None),
    ]
    pairs = [(a, b, "reprint") for a, b in itertools.combinations("abcd", 2)]
    pairs += [(x, "e", "same_event") for x in "abcd"]
    return articles, decided(list("abcde"), pairs)


def test_origin_is_found_with_a_reason_in_any_order():
    articles, pairs = family()
    result = build_stories(articles, pairs, CONFIG)
    event = result.stories[0].events[0]
    assert len(result.stories) == 1
    assert set(event.articles) == set("abcde")
    assert event.representative == "a"
    assert "named by 2" in event.reason
    assert {result.origins[x] for x in "abcd"} == {"a"}
    names = list("abcde")
    for seed in range(4):
        order = list(range(5))
        random.Random(seed).shuffle(order)
        listed = [names[k] for k in order]
        rows = [(a, b, "reprint") for a, b in itertools.combinations("abcd", 2)]
        rows += [(x, "e", "same_event") for x in "abcd"]
        again = build_stories([articles[k] for k in order], decided(listed, rows), CONFIG)
        assert list(again.rows()) == list(result.rows())


def test_the_papers_rule_keeps_the_page_with_most_content():
    articles, pairs = family()
    config = CONFIG.with_settings(["stories.representative=paper"])
    event = build_stories(articles, pairs, config).stories[0].events[0]
    assert event.representative == "c"
    assert event.reason.startswith("paper")


def test_spread_counts_tree_and_figures():
    articles, pairs = family()
    result = build_stories(articles, pairs, CONFIG)
    told = spread(result, result.stories[0])
    assert (told.articles, told.independent, told.reprints) == (5, 2, 3)
    assert (told.first_hour, told.first_day) == (2, 4)
    assert told.half_life_hours == 3.0
    tree = {r.article: (r.parent, r.by) for r in told.tree}
    assert tree["a"][0] is None
    assert tree["b"] == ("a", "来源")
    assert tree["c"] == ("a", "来源")
    assert tree["d"] == ("c", "least edits")
    deaths = next(f for f in told.figures if f.kind == "deaths")
    assert [v[1] for v in deaths.values] == [3, 5]
    assert deaths.verdict == "update"
    assert {o["outlet"] for o in told.outlets} >= {"晨光社", "西岭网"}
    assert told.row()["tree"][0]["article"] == "a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("事故造成107人死亡", {("deaths", 107)}),
        ("死亡人数升至9000人", {("deaths", 9000)}),
        ("已致三人遇难，十二人受伤", {("deaths", 3), ("injured", 12)}),
        ("当地发生6.4级地震", {("magnitude", 6.4)}),
        ("他被判处死刑，一百人旁听", set()),
    ],
)
def test_figures(text: str, expected: set[tuple[str, float]]):
    found = figures(article("x", 0, text))
    assert {(f.kind, f.value) for f in found} == expected


def test_numbers_datelines_and_days():
    assert [read_number(t) for t in ("12", "1.5万", "二十三", "一百零五", "甲")] == [
        12, 15000, 23, 105, None,
    ]  # fmt: skip
    assert dateline(article("x", 0, TEXT))[0] == "晨光社"
    assert dateline(article("x", 0, "本报讯（记者 甲）今天下雨。"))[0] is None
    assert dateline(article("x", 0, "今天下雨，市民带伞。")) == (None, 0)
    sure, _ = lead_days(article("x", 0, "30日晚，甲镇停电。"))
    assert [d.isoformat() for d in sure] == ["2023-04-30"]
    assert lead_days(article("x", None, "5月1日，甲镇停电。")) == ([], [])
    assert lead_days(article("x", 0, "2019年3月2日开业的商场将翻新。")) == ([], [])


def test_overlay_lets_copies_name_their_pairs():
    names = list("abcd")
    event = decided(names, [("a", "b", "same_event")], [("a", "c"), ("b", "c"), ("a", "d")])
    copies = decided(
        names,
        [("a", "c", "reprint"), ("b", "c", "excerpt"), ("b", "d", "excerpt")],
        [("a", "b")],
    )
    both = overlay(event, copies, 4)
    said = {
        tuple(p): RELATIONS[r] if o == 1 else "different"
        for p, o, r in zip(both.pairs.tolist(), both.outcome, both.relation, strict=True)
    }
    assert len(said) == len(both)
    assert said == {
        (0, 1): "same_event",  # the copy layer's "different" changes nothing
        (0, 2): "reprint",  # one text, one event
        (1, 2): "different",  # an excerpt that the event method refused
        (0, 3): "different",
        (1, 3): "excerpt",  # compared by the copy layer only
    }


def test_tables_and_graphml(tmp_path: Path):
    articles, pairs = family()
    articles[0] = article("a", 2, TEXT, source="=1+1", url="https://a.example/\x01")
    result = build_stories(articles, pairs, CONFIG)
    paths = write_tables(result, tmp_path, ["csv", "parquet", "graphml"])
    assert len(paths) == 7
    with open(tmp_path / "articles.csv", encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 5
    assert any(r["source"] == "'=1+1" for r in rows)
    pq = pytest.importorskip("pyarrow.parquet")
    edges = pq.read_table(tmp_path / "edges.parquet").to_pylist()
    assert len(edges) == 10
    assert {e["relation"] for e in edges} == {"reprint", "same_event"}
    graph = nx.read_graphml(tmp_path / "stories.graphml")
    assert graph.number_of_nodes() == 5
    assert ET.parse(tmp_path / "stories.graphml").getroot() is not None


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on"):
                self.handlers.append(name)
            if name in ("src", "srcset", "data") or (tag == "link" and name == "href"):
                self.outside.append(value)
            if (
                name == "href"
                and value
                and re.match(r"\s*(javascript|data|vbscript):", value, re.I)
            ):
                self.outside.append(value)


def test_the_page_is_self_contained_and_escaped(tmp_path: Path):
    articles, pairs = family()
    bad = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'>{{7*7}}</textarea>"
    articles[1] = article("b", 3, TEXT + bad, source=bad, url="javascript:alert(3)",
                          extra={"site_name": bad})  # fmt: skip
    result = build_stories(articles, pairs, CONFIG)
    page = story_page(result, result.stories[0])
    reader = Reader()
    reader.feed(page)
    assert reader.tags.count("script") == 1
    assert "img" not in reader.tags
    assert not reader.outside
    assert not reader.handlers
    assert "{{7*7}}" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "<svg" in page
    paths = write_story_pages(result, tmp_path)
    assert [p.name for p in paths] == [f"{result.stories[0].story_id}.html"]


def test_edits_are_shown():
    pieces, removed = show_edits(TEXT, LONGER)
    assert "".join(part for _, part in pieces) == LONGER
    assert any(kind == "new" and "年检" in part for kind, part in pieces)
    assert removed == []
    _, removed = show_edits(LONGER, TEXT)
    assert any("年检" in part for part in removed)
