"""Collecting from a local web server that behaves well, badly and worse."""

from __future__ import annotations

import gzip
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")
pytest.importorskip("protego")
pytest.importorskip("feedparser")
warcio = pytest.importorskip("warcio.archiveiterator")

from toolkit.config import CollectConfig  # noqa: E402
from toolkit.errors import InvalidSetting, UserError  # noqa: E402
from toolkit.pages.collect import CollectSummary, collect, read_known  # noqa: E402
from toolkit.pages.collect_discover import read_list  # noqa: E402
from toolkit.pages.collect_http import FetchError, retry_after, unpack  # noqa: E402
from toolkit.pages.urls import fetch_key  # noqa: E402

PAGE = "<html><head><title>桥通车</title></head><body><p>大桥今天通车。</p></body></html>".encode()
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the site's table; keeps what was asked for."""

    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        self.site.asked.append(self.path)
        self.site.headers.append(dict(self.headers))
        answer = self.site.answers.get(self.path)
        if answer is None:
            self.reply(404, b"")
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            answer(self)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        headers.setdefault("Content_Type", "text/html; charset=utf-8")
        headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass


class Site:
    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        handler = type("BoundHandler", (Handler,), {"site": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def page(self, path: str, body: bytes = PAGE, status: int = 200, **headers: str) -> None:
        self.answers[path] = lambda h: h.reply(status, body, **headers)

    def sitemap(self, *paths: str, at: str = "/sitemap.xml", **headers: str) -> None:
        rows = "".join(f"<url><loc>{self.root}{p}</loc></url>" for p in paths)
        xml = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        self.page(at, xml.encode(), Content_Type="application/xml", **headers)


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


def run(site: Site, out: Path, *, seeds: tuple[str, ...] = ("/sitemap.xml",), known: Any = (),
        clock: Clock | None = None, **settings: Any) -> CollectSummary:  # fmt: skip
    clock = clock or Clock()
    settings.setdefault("delay", 0.0)
    return collect(
        CollectConfig(**settings), out, seeds=[site.root + s for s in seeds], known=known,
        clock=clock, sleep=clock.sleep,
    )  # fmt: skip


def stored(out: Path) -> dict[str, bytes]:
    """Bodies by address of all response records."""
    found: dict[str, bytes] = {}
    for path in sorted(out.glob("*.warc.gz")):
        with path.open("rb") as handle:
            for record in warcio.ArchiveIterator(handle):
                if record.rec_type == "response":
                    uri = record.rec_headers.get_header("WARC-Target-URI")
                    assert uri not in found
                    found[uri] = record.content_stream().read()
    return found


def reasons(summary: CollectSummary) -> str:
    return " | ".join(f"{s.where}: {s.reason}" for s in summary.skipped)


def test_sitemap_to_warc(site: Site, tmp_path: Path) -> None:
    site.sitemap("/a/1.html", "/a/2.html", "/a/1.html#top")
    site.page("/a/1.html")
    site.page("/a/2.html", gzip.compress(PAGE), Content_Encoding="gzip")
    summary = run(site, tmp_path)
    assert stored(tmp_path) == {f"{site.root}/a/1.html": PAGE, f"{site.root}/a/2.html": PAGE}
    assert summary.counts["fetched"] == 2
    assert summary.pending == 0
    assert site.asked.count("/robots.txt") == 1
    assert site.headers[0]["User-Agent"] == "toolkit-collect/0.1"
    assert "cookie" not in {k.lower() for h in site.headers for k in h}
    assert "2 fetched" in summary.line()


def test_pages_are_read_back_by_the_extractor(site: Site, tmp_path: Path) -> None:
    from toolkit.pages.inputs import iter_inputs

    site.sitemap("/a/1.html")
    site.page("/a/1.html", gzip.compress(PAGE), Content_Encoding="gzip")
    summary = run(site, tmp_path)
    assert summary.warc is not None
    pages = list(iter_inputs(summary.warc, []))
    assert [(p.url, p.html) for p in pages] == [(f"{site.root}/a/1.html", PAGE)]


def test_robots_txt_is_obeyed(site: Site, tmp_path: Path) -> None:
    robots = b"User-agent: *\nDisallow: /private/\nUser-agent: toolkit-collect\nDisallow: /tool/\n"
    site.page("/robots.txt", robots, Content_Type="text/plain")
    site.sitemap("/a/1.html", "/tool/2.html")
    site.page("/a/1.html")
    site.page("/tool/2.html")
    summary = run(site, tmp_path)
    assert "/tool/2.html" not in site.asked
    assert summary.counts["disallowed"] == 1
    assert "robots.txt" in reasons(summary)


@pytest.mark.parametrize("status", [500, 503, 429])
def test_unreadable_robots_txt_forbids_everything_for_now(
    site: Site, tmp_path: Path, status: int
) -> None:
    site.page("/robots.txt", b"", status)
    site.sitemap("/a/1.html")
    site.page("/a/1.html")
    run(site, tmp_path)
    assert set(site.asked) == {"/robots.txt"}
    site.page("/robots.txt", b"", 404)
    assert run(site, tmp_path).counts["fetched"] == 1


def test_redirect_into_a_forbidden_place_is_not_followed(site: Site, tmp_path: Path) -> None:
    site.page("/robots.txt", b"User-agent: *\nDisallow: /no/\n", Content_Type="text/plain")
    site.sitemap("/a")
    site.page("/a", b"", 302, Location="/no/b")
    site.page("/no/b")
    assert run(site, tmp_path).counts["disallowed"] == 1
    assert "/no/b" not in site.asked


def test_pauses_between_requests(site: Site, tmp_path: Path) -> None:
    site.page("/robots.txt", b"User-agent: *\nCrawl-delay: 7\n", Content_Type="text/plain")
    site.sitemap("/1", "/2")
    site.page("/1")
    site.page("/2")
    clock = Clock()
    run(site, tmp_path, clock=clock, delay=3.0)
    assert clock.slept == [3.0, 7.0, 7.0]


def test_conditional_requests(site: Site, tmp_path: Path) -> None:
    def conditional(body: bytes, kind: str) -> Answer:
        def answer(handler: Handler) -> None:
            if handler.headers.get("If-None-Match") == '"v1"':
                handler.reply(304, b"")
            else:
                handler.reply(200, body, ETag='"v1"', Content_Type=kind)

        return answer

    xml = f"<urlset><url><loc>{site.root}/1</loc></url></urlset>".encode()
    site.answers["/sitemap.xml"] = conditional(xml, "application/xml")
    site.answers["/1"] = conditional(PAGE, "text/html")
    assert run(site, tmp_path).counts["fetched"] == 1
    again = run(site, tmp_path)
    assert again.counts["lists_not_modified"] == 1
    assert site.asked.count("/1") == 1
    # read under other filters, a list is read anew; the page is old enough to be asked for again
    third = run(site, tmp_path, revisit_days=1e-9, include=("/1",))
    assert third.counts["not_modified"] == 1
    assert len(stored(tmp_path)) == 1


def test_retry_after_is_kept(site: Site, tmp_path: Path) -> None:
    tries: list[float] = []
    clock = Clock()

    def answer(handler: Handler) -> None:
        tries.append(clock())
        if len(tries) == 1:
            handler.reply(429, b"", Retry_After="45")
        else:
            handler.reply(200, PAGE)

    site.sitemap("/1")
    site.answers["/1"] = answer
    summary = run(site, tmp_path, clock=clock)
    assert tries[1] - tries[0] == 45
    assert (summary.counts["fetched"], summary.counts["retried"]) == (1, 1)


def test_a_long_retry_after_leaves_the_host_for_the_next_run(site: Site, tmp_path: Path) -> None:
    site.sitemap("/1", "/2")
    site.page("/1", b"", 429, Retry_After="86400")
    site.page("/2")
    clock = Clock()
    summary = run(site, tmp_path, clock=clock)
    assert clock.slept == []
    assert summary.pending == 2
    assert "/2" not in site.asked
    site.page("/1")
    assert run(site, tmp_path).counts["fetched"] == 2


def test_retries_are_counted_for_address_and_host(site: Site, tmp_path: Path) -> None:
    site.sitemap("/1", "/2", "/3")
    for path in ("/1", "/2", "/3"):
        site.page(path, b"", 503)
    summary = run(site, tmp_path, retries=2, retry_budget=3)
    assert [site.asked.count(p) for p in ("/1", "/2", "/3")] == [3, 2, 0]
    assert summary.pending == 2
    assert "retry budget" in reasons(summary)


def test_redirects(site: Site, tmp_path: Path) -> None:
    site.sitemap("/loop", "/old", "/long0", "/nowhere", "/self", "/none")
    site.page("/loop", b"", 302, Location="/loop2")
    site.page("/loop2", b"", 302, Location="/loop")
    site.page("/self", b"", 301, Location="/self")
    site.page("/old", b"", 301, Location="/new")
    site.page("/new")
    site.page("/nowhere", b"", 301, Location="javascript:void(0)")
    site.page("/none", b"", 301)
    for n in range(9):
        site.page(f"/long{n}", b"", 301, Location=f"/long{n + 1}")
    summary = run(site, tmp_path)
    assert list(stored(tmp_path)) == [f"{site.root}/new"]
    assert summary.counts["failed"] == 5
    assert reasons(summary).count("redirect loop") == 2
    assert "more than 5 redirects" in reasons(summary)
    assert site.asked.count("/loop") == 1


def test_redirect_to_a_page_at_hand(site: Site, tmp_path: Path) -> None:
    site.sitemap("/new", "/old")
    site.page("/new")
    site.page("/old", b"", 301, Location="/new")
    summary = run(site, tmp_path)
    assert site.asked.count("/new") == 1
    assert (summary.counts["fetched"], summary.counts["known"]) == (1, 1)


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    handler.close_connection = True
    while True:
        handler.wfile.write(b"x" * 65536)


def dripping_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    handler.close_connection = True
    for _ in range(200):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def dripping_headers(handler: Handler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
    for _ in range(200):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def silent(handler: Handler) -> None:
    handler.close_connection = True
    time.sleep(2)


def rubbish(handler: Handler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"\x00\xff not http\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(endless, "larger than 200000 bytes"), (dripping_body, "not complete after 0.6 s"),
     (dripping_headers, "not complete after 0.6 s"), (silent, "ReadTimeout"),
     (rubbish, "RemoteProtocolError")],
)  # fmt: skip
def test_hostile_bodies_end_soon(site: Site, tmp_path: Path, answer: Answer, reason: str) -> None:
    site.sitemap("/bad", "/good")
    site.answers["/bad"] = answer
    site.page("/good")
    begun = time.monotonic()
    summary = run(site, tmp_path, timeout=0.4, total_timeout=0.6, retries=0,
                  max_page_bytes=200_000)  # fmt: skip
    assert time.monotonic() - begun < 5
    assert reason in reasons(summary)
    assert list(stored(tmp_path)) == [f"{site.root}/good"]


def test_gzip_bomb(site: Site, tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * 60_000_000)
    site.sitemap("/bomb", "/good", "/layers", "/br")
    site.page("/bomb", bomb, Content_Encoding="gzip")
    site.page("/layers", gzip.compress(bomb), Content_Encoding="gzip, gzip")
    site.page("/br", b"x", Content_Encoding="br")
    site.page("/good")
    summary = run(site, tmp_path)
    assert "larger than 5000000 bytes when unpacked" in reasons(summary)
    assert summary.counts["failed"] == 3
    assert summary.counts["fetched"] == 1


def test_bomb_as_sitemap(site: Site, tmp_path: Path) -> None:
    site.page("/sitemap.xml", gzip.compress(b" " * 5_000_000), Content_Type="application/gzip")
    summary = run(site, tmp_path, max_list_bytes=100_000)
    assert "larger than 100000 bytes when unpacked" in reasons(summary)


def test_wrong_content_length(site: Site, tmp_path: Path) -> None:
    site.sitemap("/short", "/huge", "/odd")
    site.page("/short", PAGE, Content_Length=str(len(PAGE) + 100))
    site.page("/huge", PAGE, Content_Length="99999999999999999999")
    site.page("/odd", PAGE, Content_Length="many")
    summary = run(site, tmp_path, retries=1)
    assert stored(tmp_path)[f"{site.root}/short"] == PAGE
    assert site.asked.count("/short") == 2
    assert summary.counts["truncated"] == 1
    assert any("shorter than announced" in w for w in summary.warnings)
    assert "larger than 5000000 bytes" in reasons(summary)


def test_refusals_are_final(site: Site, tmp_path: Path) -> None:
    site.sitemap("/pay", "/login", "/gone", "/pdf", "/empty")
    site.page("/pay", b"", 402)
    site.page("/login", b"", 401, Set_Cookie="a=b")
    site.page("/gone", b"", 410)
    site.page("/pdf", b"%PDF", Content_Type="application/pdf")
    site.page("/empty", b"")
    summary = run(site, tmp_path)
    assert summary.counts["failed"] == 5
    assert "asks for payment" in reasons(summary)
    asked = len(site.asked)
    run(site, tmp_path)
    assert site.asked[asked:] == ["/robots.txt", "/sitemap.xml"]
    assert summary.warc is None


class Watched:
    """A set of keys that records what it was asked."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)
        self.asked: list[object] = []

    def __contains__(self, key: object) -> bool:
        self.asked.append(key)
        return key in self.keys


def test_known_keys_are_asked_before_each_request(site: Site, tmp_path: Path) -> None:
    site.sitemap("/1?utm_source=a", "/2")
    site.page("/1?utm_source=a")
    site.page("/2")
    known = Watched(fetch_key(site.root + "/1"))
    summary = run(site, tmp_path, known=known)
    assert "/1?utm_source=a" not in site.asked
    assert summary.counts["known"] == 1
    # at the listing and again before the request: another process may have been faster
    assert known.asked.count(fetch_key(site.root + "/2")) == 2


def test_resume(site: Site, tmp_path: Path) -> None:
    site.sitemap("/1", "/2", "/3")
    for path in ("/1", "/2", "/3"):
        site.page(path)
    first = run(site, tmp_path, max_pages=2)
    assert (first.counts["fetched"], first.pending) == (2, 1)
    second = run(site, tmp_path, seeds=())
    assert (second.counts["fetched"], second.pending) == (1, 0)
    assert len(stored(tmp_path)) == 3
    assert first.warc != second.warc


def test_killed_run_goes_on(site: Site, tmp_path: Path) -> None:
    site.sitemap("/1", "/2", "/3")
    for path in ("/1", "/3"):
        site.page(path)

    class Stop(BaseException):
        pass

    clock = Clock()

    def stop(seconds: float) -> None:
        if "/1" in site.asked:
            raise Stop
        clock.sleep(seconds)

    with pytest.raises(Stop):
        collect(CollectConfig(delay=1), tmp_path, seeds=[site.root + "/sitemap.xml"],
                clock=clock, sleep=stop)  # fmt: skip
    site.page("/2")
    summary = run(site, tmp_path, seeds=())
    assert summary.counts["fetched"] == 2
    assert len(stored(tmp_path)) == 3


def test_feed_front_page_and_nested_sitemaps(site: Site, tmp_path: Path) -> None:
    robots = f"User-agent: *\nAllow: /\nSitemap: {site.root}/index.xml\n".encode()
    site.page("/robots.txt", robots, Content_Type="text/plain")
    front = (
        b'<!DOCTYPE html><html><head><link rel="alternate" type="application/rss+xml" '
        b'href="feed.xml"></head><body><a href="/x"></a></body>'
    )
    site.page("/", front)
    feed = (
        f"<rss version='2.0'><channel><title>t</title><item><title>甲</title>"
        f"<link>{site.root}/f1</link></item><item><link>https://other.example/1</link></item>"
        f"</channel></rss>"
    )
    site.page("/feed.xml", feed.encode(), Content_Type="application/rss+xml")
    index = f"<sitemapindex><sitemap><loc>{site.root}/s.xml.gz</loc></sitemap></sitemapindex>"
    site.page("/index.xml", index.encode(), Content_Type="text/xml")
    inner = f"<urlset><url><loc>{site.root}/s1</loc></url></urlset>".encode()
    site.page("/s.xml.gz", gzip.compress(inner), Content_Type="application/x-gzip")
    site.page("/f1")
    site.page("/s1")
    summary = run(site, tmp_path, seeds=("/",))
    assert set(stored(tmp_path)) == {f"{site.root}/f1", f"{site.root}/s1"}
    assert summary.counts["other_site"] == 1
    assert "/x" not in site.asked


def test_filters(site: Site, tmp_path: Path) -> None:
    old = (datetime.now(UTC) - timedelta(days=30)).date().isoformat()
    new = datetime.now(UTC).isoformat()
    rows = "".join(
        f"<url><loc>{site.root}{p}</loc><lastmod>{d}</lastmod></url>"
        for p, d in [("/n/1", new), ("/n/2", old), ("/v/3", new), ("/n/4x", new)]
    )
    site.page("/sitemap.xml", f"<urlset>{rows}</urlset>".encode(), Content_Type="text/xml")
    site.page("/n/1")
    run(site, tmp_path, newer_than_days=7.0, include=("/n/",), exclude=("x$",))
    assert [p for p in site.asked if "/n/" in p or "/v/" in p] == ["/n/1"]


LISTS = [
    (b"<urlset><url><loc>/a</loc></url><url><loc></loc></url></urlset>",
     "urlset", ["http://h.example/a"]),
    (b"\xef\xbb\xbf<?xml version='1.0'?><!-- c --><urlset><url><loc> http://h.example/b </loc>",
     "urlset", ["http://h.example/b"]),
    (b"http://h.example/1\nhttp://h.example/2\n", "text sitemap",
     ["http://h.example/1", "http://h.example/2"]),
    (b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/c'/></entry></feed>",
     "feed", ["http://h.example/c"]),
    ("<?xml version='1.0' encoding='gb2312'?><rss><channel><item><title>桥</title><link>http://h.example/d"
     "</link></item></channel></rss>".encode("gb18030"), "feed", ["http://h.example/d"]),
    (b"<rss><channel><item><link>http://h.example/e</link></item>", "feed", ["http://h.example/e"]),
    (b"<html><head></head></html>", "front page", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "urls"), LISTS)
def test_read_list(body: bytes, kind: str, urls: list[str]) -> None:
    found, listed = read_list(body, "http://h.example/x.xml", "", 10**6)
    assert found == kind
    assert [item.url for item in listed] == urls


@pytest.mark.parametrize("body", [b"", b"\0\1\2", b"hello", b"\x1f\x8bnot gzip", b"<svg></svg>"])
def test_what_is_no_list(body: bytes) -> None:
    with pytest.raises(FetchError):
        read_list(body, "http://h.example/x.xml", "", 10**6)


def test_entity_bombs_in_lists() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE x [<!ENTITY e0 "boom">{entities}]>'
    begun = time.process_time()
    forms = (
        "<urlset><url><loc>&e11;</loc></url></urlset>",
        "<rss><channel><item><link>http://h.example/&e11;</link></item></channel></rss>",
    )
    for form in forms:
        with suppress(FetchError):
            _, listed = read_list((doctype + form).encode(), "http://h.example/", "", 10**6)
            assert sum(len(item.url) for item in listed) < 10_000
    assert time.process_time() - begun < 5


def test_retry_after_forms() -> None:
    now = datetime(2024, 5, 1, tzinfo=UTC)
    assert retry_after("120") == 120
    assert retry_after(format_datetime(now + timedelta(seconds=90)), now) == 90
    assert retry_after(format_datetime(now - timedelta(seconds=90)), now) == 0
    assert [retry_after(v) for v in ("", "soon", "-5", "1.5", "٣")] == [None] * 5


def test_unpack_forms() -> None:
    import zlib

    forms = [
        (zlib.compress(PAGE), "deflate"), (zlib.compress(PAGE)[2:-4], "deflate"),
        (gzip.compress(PAGE), "gzip"), (PAGE, "gzip"), (PAGE, ""), (PAGE, "identity"),
    ]  # fmt: skip
    for data, name in forms:
        assert b"".join(unpack(iter([data]), name, 10**6)) == PAGE
    with pytest.raises(FetchError, match="damaged"):
        list(unpack(iter([b"\x1f\x8b\x08\0rubbish rubbish"]), "gzip", 10**6))


def test_mistakes_of_the_user(site: Site, tmp_path: Path) -> None:
    for seed in ("ftp://h.example/", "h.example", "http://"):
        with pytest.raises(UserError, match="not a web address"):
            collect(CollectConfig(), tmp_path, seeds=[seed])
    with pytest.raises(InvalidSetting, match=r"collect\.include"):
        collect(CollectConfig(include=("(",)), tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError):
        collect(CollectConfig(), tmp_path / "file" / "deeper")
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "state.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(UserError, match=r"state\.sqlite"):
        collect(CollectConfig(), bad)
    with pytest.raises(UserError, match="no such file"):
        read_known(tmp_path / "absent")


def test_one_run_at_a_time(tmp_path: Path) -> None:
    tmp_path.joinpath("state.sqlite").touch()
    other = sqlite3.connect(tmp_path / "state.sqlite")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(UserError, match="another run"):
        collect(CollectConfig(), tmp_path)
    other.close()


def test_command_line(site: Site, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from toolkit.cli import app

    site.sitemap("/1", "/2")
    site.page("/1")
    site.page("/2")
    known = tmp_path / "known.txt"
    known.write_text(f"{site.root}/2\nrubbish\n")
    result = CliRunner().invoke(
        app,
        ["collect", f"{site.root}/sitemap.xml", "--out", str(tmp_path / "out"), "--quiet",
         "--known", str(known), "--set", "collect.delay=0"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "1 fetched" in result.output
    assert list(stored(tmp_path / "out")) == [f"{site.root}/1"]
