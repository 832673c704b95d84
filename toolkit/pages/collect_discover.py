"""What a feed, a sitemap or a front page lists: addresses of pages and of further lists."""

from __future__ import annotations

import re
import zlib
from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urljoin

from lxml import etree, html

from toolkit.errors import MissingExtra
from toolkit.io import parse_time
from toolkit.pages.collect_http import FetchError

Kind = Literal["page", "list"]
_FEED_TYPES = {"application/rss+xml", "application/atom+xml", "application/feed+json"}
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Listed:
    """One address found; ``changed`` is when the list says it was last changed."""

    url: str
    kind: Kind
    changed: datetime | None = None


def read_list(body: bytes, url: str, content_type: str, limit: int) -> tuple[str, list[Listed]]:
    """Read a feed, sitemap, sitemap index, text sitemap or front page.

    Args:
        body: the document, gzip allowed (``sitemap.xml.gz``).
        url: its address, against which relative ones are resolved.
        content_type: media type as sent, in lower case.
        limit: largest size in bytes when unpacked.

    Returns:
        (what it is, what it lists, each address once).

    Raises:
        FetchError: too large when unpacked, or none of these.
    """
    if body.startswith(_GZIP):
        unpacker = zlib.decompressobj(31)
        try:
            body = unpacker.decompress(body, limit)
        except zlib.error as error:
            raise FetchError(f"damaged gzip file ({error})") from None
        if unpacker.unconsumed_tail:
            raise FetchError(f"larger than {limit} bytes when unpacked")
    root = _root_name(body)
    if root in ("urlset", "sitemapindex"):
        return root, _once(_sitemap(body, url))
    if root in ("rss", "feed", "rdf"):
        return "feed", _once(_feed(body, url, content_type))
    if root == "html" or "html" in content_type:
        return "front page", _once(_front_page(body, url))
    lines = _text_lines(body)
    if lines:
        return "text sitemap", _once(Listed(line, "page") for line in lines)
    raise FetchError("neither a feed nor a sitemap nor a front page")


def _root_name(body: bytes) -> str:
    """Local name of the first element, in lower case."""
    head = body[:20_000].replace(b"\0", b"")
    head = re.sub(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>", b"", head, flags=re.DOTALL)
    if re.search(rb"<!doctype\s+html", head, re.IGNORECASE):
        return "html"
    found = re.search(rb"<(?:[A-Za-z][\w.\-]*:)?([A-Za-z]\w*)[\s/>]", head)
    return found[1].decode("ascii", "replace").lower() if found else ""


def _once(listed: Iterator[Listed]) -> list[Listed]:
    seen: dict[str, Listed] = {}
    for item in listed:
        if item.url.startswith(("http://", "https://")):
            seen.setdefault(item.url, item)
    return list(seen.values())


def _moment(text: str | None) -> datetime | None:
    try:
        return parse_time((text or "").strip())[0]
    except ValueError:
        return None


def _sitemap(body: bytes, url: str) -> Iterator[Listed]:
    # No entities, no network, no huge trees: a sitemap is other people's text.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        tree = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FetchError(f"not XML ({' '.join(str(error).split())})") from None
    if tree is None:
        raise FetchError("not XML")
    for entry in tree.iter("{*}url", "{*}sitemap"):
        address, changed = "", None
        for field in entry.iter("{*}loc", "{*}lastmod", "{*}publication_date"):
            name = etree.QName(field).localname
            parent = etree.QName(field.getparent()).localname
            if name == "loc" and parent in ("url", "sitemap"):
                address = (field.text or "").strip()
            elif name != "loc":
                changed = changed or _moment(field.text)
        if address:
            kind: Kind = "list" if etree.QName(entry).localname == "sitemap" else "page"
            yield Listed(_joined(url, address), kind, changed)


def _feed(body: bytes, url: str, content_type: str) -> Iterator[Listed]:
    try:
        import feedparser
    except ImportError:
        raise MissingExtra("reading feeds", "collect") from None
    headers = {"content-location": url}
    if content_type:
        headers["content-type"] = content_type
    # A declared entity could grow without end; feeds of news sites declare none.
    body = re.sub(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", b"", body, count=1, flags=re.DOTALL)
    feed = feedparser.parse(body, response_headers=headers, sanitize_html=False)
    for entry in feed.entries:
        address = (entry.get("link") or "").strip()
        if not address:
            continue
        changed = None
        stamp = entry.get("updated_parsed") or entry.get("published_parsed")
        if stamp:
            try:
                changed = datetime.fromtimestamp(timegm(stamp), UTC)
            except (ValueError, OverflowError, OSError):
                changed = None
        yield Listed(_joined(url, address), "page", changed)


def _front_page(body: bytes, url: str) -> Iterator[Listed]:
    """The feeds a front page names; its links are not followed."""
    try:
        tree = html.fromstring(body)
    except (etree.ParserError, ValueError, AssertionError):
        return
    for link in tree.iter("link"):
        relations = (link.get("rel") or "").lower().split()
        kind = (link.get("type") or "").lower().strip()
        address = (link.get("href") or "").strip()
        if "alternate" in relations and kind in _FEED_TYPES and address:
            yield Listed(_joined(url, address), "list")


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def _text_lines(body: bytes) -> list[str]:
    lines = body.decode("utf-8-sig", "replace").split()
    return lines if lines and all(x.startswith(("http://", "https://")) for x in lines) else []
