"""Runs over folders, files, JSON Lines and WARC; joined pages; report per outlet."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from extraction_pages import PARAGRAPHS, TITLE, article, list_page, paragraphs

from toolkit.config import PagesConfig
from toolkit.errors import UserError
from toolkit.pages import run as run_module
from toolkit.pages import second_opinion
from toolkit.pages.outlets import compare, outlet_figures, outlet_of
from toolkit.pages.paging import PageJoiner, join_rows, split_page
from toolkit.pages.run import extract_pages, extract_to_file, sampled

QUIET = PagesConfig(second_opinion_share=0)
BODY = "\n".join(PARAGRAPHS)


def rows(path: Path, config: PagesConfig = QUIET) -> list[dict[str, Any]]:
    return list(extract_pages(path, config, progress=False))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "pages"
    (root / "a").mkdir(parents=True)
    (root / "a" / "1.html").write_text(article(), encoding="utf-8")
    (root / "a" / "2.shtml").write_bytes(article(title="另一条新闻的标题在这里").encode("gbk"))
    (root / "b.html.gz").write_bytes(gzip.compress(article(line="").encode()))
    (root / "list.htm").write_text(list_page(), encoding="utf-8")
    (root / "notes.txt").write_text("no page", encoding="utf-8")
    (root / ".hidden.html").write_text(article(), encoding="utf-8")
    return root


class TestInputs:
    def test_folder_is_searched_below(self, folder: Path) -> None:
        found = rows(folder)
        assert [r["page"] for r in found] == ["b.html.gz", "list.htm", "a/1.html", "a/2.shtml"]
        assert [r["id"] for r in found] == [r["page"] for r in found]
        assert [r["is_article"] for r in found] == [True, False, True, True]
        assert found[2]["body"] == found[3]["body"] == BODY

    def test_manifests_give_url_id_and_fetch_time(self, folder: Path) -> None:
        (folder / "urls.tsv").write_text(
            "page\turl\tfetched\na/1.html\thttp://yx.example.cn/1.html\t2023-06-18T12:00\n", "utf-8"
        )
        (folder / "pages.jsonl").write_text(
            '{"page": "a/2.shtml", "url": "http://yx.example.cn/2.shtml", "id": "n2"}\nnot json\n',
            "utf-8",
        )
        extraction = extract_pages(folder, QUIET, progress=False)
        found = {r["page"]: r for r in extraction}
        assert found["a/1.html"]["url"] == "http://yx.example.cn/1.html"
        assert found["a/1.html"]["fetched"] == "2023-06-18T12:00:00+08:00"
        assert (found["a/2.shtml"]["id"], found["a/2.shtml"]["url"]) == (
            "n2",
            "http://yx.example.cn/2.shtml",
        )
        assert found["list.htm"]["url"] is None
        assert extraction.skipped[0].reason.startswith("not JSON")

    def test_own_address_of_the_page_is_the_last_resort(self, tmp_path: Path) -> None:
        head = '<link rel="canonical" href="http://yx.example.cn/a/120933.html">'
        (tmp_path / "x.html").write_text(article(head=head), encoding="utf-8")
        assert rows(tmp_path / "x.html")[0]["url"] == "http://yx.example.cn/a/120933.html"

    def test_canonical_link_to_the_front_page_is_refused(self, tmp_path: Path) -> None:
        head = '<link rel="canonical" href="http://yx.example.cn/">'
        (tmp_path / "x.html").write_text(article(head=head), encoding="utf-8")
        row = rows(tmp_path / "x.html")[0]
        assert row["url"] is None
        assert any(w.startswith("canonical link refused") for w in row["warnings"])

    def test_key_of_the_article_and_the_rules_that_fired(self, tmp_path: Path) -> None:
        line = {"url": "http://www.yx.example.cn/1.html?utm_source=x", "html": article()}
        (tmp_path / "p.jsonl").write_text(json.dumps(line), encoding="utf-8")
        row = rows(tmp_path / "p.jsonl")[0]
        assert row["article_key"].endswith("yx.example.cn/1.html")
        assert "tracking:utm_source" in row["url_rules"]

    def test_json_lines(self, tmp_path: Path) -> None:
        file = tmp_path / "pages.jsonl"
        lines = [
            {
                "url": "http://yx.example.cn/1.html",
                "html": article(line="昨天 21:30"),
                "fetched": "2023-06-18T10:00",
            },
            {"id": "k", "html": article()},
            {"url": "http://yx.example.cn/3.html"},
            "text",
        ]
        file.write_text(
            "\n".join(json.dumps(line) for line in lines) + "\n{broken\n", encoding="utf-8"
        )
        extraction = extract_pages(file, QUIET, progress=False)
        found = list(extraction)
        assert [(r["id"], r["url"]) for r in found] == [
            ("http://yx.example.cn/1.html", "http://yx.example.cn/1.html"), ("k", None),
        ]  # fmt: skip
        assert found[0]["published"] == "2023-06-17T21:30:00+08:00"
        assert len(extraction.skipped) == 3

    def test_warc(self, tmp_path: Path) -> None:
        warcio = pytest.importorskip("warcio")
        from io import BytesIO

        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        assert warcio
        file = tmp_path / "a.warc.gz"
        with open(file, "wb") as handle:
            writer = WARCWriter(handle, gzip=True)
            for number, (status, kind, data) in enumerate(
                [
                    ("200 OK", "text/html; charset=gbk", article().encode("gbk")),
                    ("404 Not Found", "text/html", b"<p>gone</p>"),
                    ("200 OK", "image/png", b"\x89PNG"),
                ]
            ):
                headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
                writer.write_record(
                    writer.create_warc_record(
                        f"http://yx.example.cn/{number}.html",
                        "response",
                        payload=BytesIO(data),
                        http_headers=headers,
                        warc_headers_dict={"WARC-Date": "2023-06-18T02:00:00Z"},
                    )
                )
        extraction = extract_pages(file, QUIET, progress=False)
        found = list(extraction)
        assert [(r["url"], r["body"]) for r in found] == [("http://yx.example.cn/0.html", BODY)]
        assert found[0]["fetched"] == "2023-06-18T02:00:00+00:00"
        assert [s.reason for s in extraction.skipped] == ["status 404"]
        file.write_bytes(file.read_bytes()[:300])
        broken = extract_pages(file, QUIET, progress=False)
        assert list(broken) == []
        assert broken.skipped

    @pytest.mark.parametrize("name", ["missing", "empty"])
    def test_nothing_there(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(UserError, match=name):
            rows(tmp_path / name)


class TestRun:
    def test_workers_give_the_same_rows(self, folder: Path) -> None:
        assert rows(folder, PagesConfig(workers=2, second_opinion_share=0)) == rows(folder)

    def test_one_bad_page_never_stops_the_run(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = run_module.extract_page

        def breaks(html: Any, *arguments: Any) -> Any:
            if b"\xc1\xed" in html:  # only the GBK page
                raise RuntimeError("broken\ninside")
            return original(html, *arguments)

        monkeypatch.setattr(run_module, "extract_page", breaks)
        extraction = extract_pages(folder, QUIET, progress=False)
        assert len(list(extraction)) == 3
        assert [(s.where, s.reason) for s in extraction.skipped] == [
            ("a/2.shtml", "RuntimeError: broken\ninside")
        ]

    def test_page_that_kills_its_process_costs_only_itself(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = run_module.extract_page

        def dies(html: Any, *arguments: Any) -> Any:
            if b"\xc1\xed" in html:
                os._exit(1)
            return original(html, *arguments)

        monkeypatch.setattr(run_module, "extract_page", dies)
        config = PagesConfig(workers=2, second_opinion_share=0)
        extraction = extract_pages(folder, config, progress=False)
        assert len(list(extraction)) == 3
        assert [(s.where, s.reason) for s in extraction.skipped] == [
            ("a/2.shtml", "the process that read it died")
        ]

    def test_to_file_and_summary(self, folder: Path, tmp_path: Path) -> None:
        out, report = tmp_path / "articles.jsonl", tmp_path / "report.json"
        summary = extract_to_file(folder, out, QUIET, progress=False, report=report)
        written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        assert written == rows(folder)
        assert (summary["pages"], summary["articles"], summary["lists"]) == (4, 3, 1)
        assert summary["quality"] == {"good": 3}
        assert summary["outlets"]["a"]["share_dated"] == 1.0
        assert summary["outlets"]["a"]["mean_body_length"] == len(BODY)
        assert json.loads(report.read_text("utf-8")) == summary

    def test_kept_samples(self, folder: Path, tmp_path: Path) -> None:
        config = PagesConfig(
            second_opinion_share=0, keep_html=str(tmp_path / "kept"), keep_html_share=1
        )
        found = {r["page"]: r for r in rows(folder, config)}
        kept = tmp_path / "kept" / found["a/2.shtml"]["kept_html"]
        assert kept.read_bytes() == (folder / "a" / "2.shtml").read_bytes()
        assert len({r["kept_html"] for r in found.values()}) == 4

    def test_samples_are_fixed(self) -> None:
        names = [f"{n}.html" for n in range(2000)]
        chosen = [n for n in names if sampled(n, 0.1)]
        assert chosen == [n for n in names if sampled(n, 0.1)]
        assert 140 < len(chosen) < 260
        assert not any(sampled(n, 0) for n in names)
        assert all(sampled(n, 1) for n in names)


class TestJoinedPages:
    @pytest.mark.parametrize(
        ("address", "stem", "number"),
        [
            ("http://www.example.cn/a/516891_2.shtml", "example.cn/a/516891.shtml", 2),
            ("http://example.cn/a/516891.shtml", "example.cn/a/516891.shtml", 1),
            ("http://example.cn/2019/c_1124960001.htm", "example.cn/2019/c_1124960001.htm", 1),
            ("http://example.cn/a/77-3.html", "example.cn/a/77.html", 3),
            ("http://example.cn/a?id=5&page=4", "example.cn/a?id=5", 4),
            ("http://example.cn/a?id=5", "example.cn/a?id=5", 1),
        ],
    )
    def test_page_numbers(self, address: str, stem: str, number: int) -> None:
        assert split_page(address) == (stem, number)

    def test_pages_of_one_article_become_one_row(self, tmp_path: Path) -> None:
        pager = (
            '<div class="page"><a href="77.html">1</a> <a href="77_2.html">2</a> '
            '<a href="77_2.html">下一页</a></div>'
        )
        parts = (PARAGRAPHS[:3], PARAGRAPHS[3:])
        for number, texts in enumerate(parts, start=1):
            name = "77.html" if number == 1 else "77_2.html"
            (tmp_path / name).write_text(article(body=paragraphs(texts) + pager), encoding="utf-8")
        (tmp_path / "78_2.html").write_text(
            article(title="另一篇的第二页单独存在着"), encoding="utf-8"
        )
        (tmp_path / "urls.tsv").write_text(
            "page\turl\n"
            + "".join(f"{n}\thttp://yx.example.cn/{n}\n" for n in ("77.html", "77_2.html")),
            "utf-8",
        )
        extraction = extract_pages(tmp_path, QUIET, progress=False)
        found = {r["page"]: r for r in extraction}
        assert set(found) == {"77.html", "78_2.html"}
        assert found["77.html"]["body"] == BODY
        assert found["77.html"]["pages"] == ["77.html", "77_2.html"]
        assert extraction.counts == {"pages": 3, "rows": 2, "joined": 1}
        apart = PagesConfig(second_opinion_share=0, join_pages=False)
        assert len(rows(tmp_path, apart)) == 3

    def test_other_headline_is_another_article(self) -> None:
        joiner = PageJoiner()
        for number, title in ((1, "甲"), (2, "乙")):
            name = f"http://yx.example.cn/9{'' if number == 1 else '_2'}.html"
            row = {
                "url": name,
                "title": title * 6,
                "is_article": True,
                "pager": ["x"],
                "body": title,
            }
            assert joiner.take(row)
        assert [r["body"] for r in joiner.release()] == ["甲", "乙"]

    def test_lead_repeated_on_every_page_stands_once(self) -> None:
        lead = PARAGRAPHS[0]
        joined = join_rows(
            [
                {"page": "1", "title": "甲乙丙丁", "body": f"{lead}\n第一页的内容。",
                 "reasons": ["truncated"], "quality": "doubtful"},
                {"page": "2", "title": "甲乙丙丁(2)", "body": f"{lead}\n第二页的内容。"},
            ]
        )  # fmt: skip
        assert joined["body"] == f"{lead}\n第一页的内容。\n第二页的内容。"
        assert (joined["quality"], joined["pages"]) == ("good", ["1", "2"])


class TestOutlets:
    def site(
        self, root: Path, host: str, box: str, count: int = 6, texts: tuple[str, ...] = PARAGRAPHS
    ) -> None:
        folder = root / host
        folder.mkdir(parents=True)
        lines = ["page\turl"]
        for n in range(count):
            html = article(title=f"{host}第{n}条新闻的标题", body=paragraphs(texts), box=box)
            (folder / f"{n}.html").write_text(html, encoding="utf-8")
        manifest = root / "urls.tsv"
        if manifest.exists():
            lines = manifest.read_text("utf-8").splitlines()
        lines += [f"{host}/{n}.html\thttp://{host}/{n}.html" for n in range(count)]
        manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def test_renamed_container_is_reported_for_its_outlet_only(self, tmp_path: Path) -> None:
        for name, box in (("before", "article-body"), ("after", "post_main_x")):
            self.site(tmp_path / name, "yx.example.cn", box)
            self.site(tmp_path / name, "nh.example.cn", "neirong")
        first = tmp_path / "first.jsonl"
        report = tmp_path / "first.json"
        extract_to_file(tmp_path / "before", first, QUIET, progress=False, report=report)
        for earlier in (first, report):
            summary = extract_to_file(
                tmp_path / "after",
                tmp_path / "second.jsonl",
                QUIET,
                earlier=earlier,
                progress=False,
            )
            assert [(a["outlet"], a["kind"]) for a in summary["alerts"]] == [
                ("yx.example.cn", "template")
            ]
            assert "post_main_x" in summary["alerts"][0]["now"]
        again = extract_to_file(tmp_path / "before", first, QUIET, earlier=report, progress=False)
        assert again["alerts"] == []

    def test_lost_dates_and_shorter_bodies_are_reported(self) -> None:
        row = {
            "url": "http://yx.example.cn/1",
            "is_article": True,
            "source": "甲",
            "container": "div",
        }
        before = outlet_figures([{**row, "body": "字" * 900, "published": "2023-06-18"}] * 8)
        now = outlet_figures([{**row, "body": "字" * 200, "published": None}] * 8)
        assert {a["kind"] for a in compare(before, now)} == {"length", "share_dated"}
        few = outlet_figures([{**row, "body": "字", "published": None}] * 2)
        assert compare(before, few) == []

    def test_name_of_an_outlet(self) -> None:
        assert outlet_of({"url": "http://www.yx.example.cn/a"}) == "yx.example.cn"
        assert (
            outlet_of({"url": None, "site_name": "云溪新闻网", "page": "a/b.html"}) == "云溪新闻网"
        )
        assert outlet_of({"page": "a/b.html"}) == "a"
        assert outlet_of({"url": "http://[bad", "page": "b.html"}) == "(unknown)"

    def test_report_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "x.html").write_text(article(), encoding="utf-8")
        (tmp_path / "r.json").write_text("[]", encoding="utf-8")
        for earlier in ("r.json", "missing.json"):
            with pytest.raises(UserError, match=earlier):
                extract_to_file(
                    tmp_path / "x.html", tmp_path / "o.jsonl", QUIET, tmp_path / earlier, False
                )


class TestSecondOpinion:
    def test_agreement(self) -> None:
        assert second_opinion.agreement(BODY, BODY) == (1.0, 1.0)
        supported, covered = second_opinion.agreement(BODY, "\n".join(PARAGRAPHS[:3]))
        assert supported < 0.8
        assert covered == 1.0

    def test_warning_when_the_other_tool_lacks_our_text(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for other, words in (
            (BODY, None), (BODY[:120], "leaves out"), ("", None), ("关注我们", None),
            ("完全不同的另外一段文字，讲别的事情。" * 5, "another body"),
            (BODY * 3, "times as much"),
        ):  # fmt: skip
            monkeypatch.setattr(second_opinion, "other_body", lambda html, text=other: text)
            _, warning = second_opinion.second_opinion("", BODY)
            assert (warning is None) == (words is None)
            assert words is None or words in str(warning)

    def test_on_request(self, tmp_path: Path) -> None:
        pytest.importorskip("readability")
        (tmp_path / "x.html").write_text(article(), encoding="utf-8")
        row = rows(tmp_path, PagesConfig(second_opinion=True))[0]
        assert row["second_opinion"] > 0.9
        assert "second_opinion" not in rows(tmp_path)[0]

    def test_missing_extra_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import sys

        (tmp_path / "x.html").write_text(article(), encoding="utf-8")
        monkeypatch.setitem(sys.modules, "readability", None)
        second_opinion._readability.cache_clear()
        second_opinion.available.cache_clear()
        try:
            with pytest.raises(UserError, match="second-opinion"):
                rows(tmp_path, PagesConfig(second_opinion=True))
            # the default sample is left out without a word
            assert len(rows(tmp_path, PagesConfig(second_opinion_share=1))) == 1
        finally:
            second_opinion._readability.cache_clear()
            second_opinion.available.cache_clear()


def test_headline_survives_in_every_row(folder: Path) -> None:
    assert TITLE in {r["title"] for r in rows(folder)}
