"""Articles cut into several pages: recognised and joined when their pages are given.

Two pages are parts of one article if their addresses (or, failing these, their file
names) differ only in a page number and their headlines agree. The joined article
keeps the id, address and dates of the first page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from toolkit.language.wrapping import find_wrapping, wrapping_record
from toolkit.pages.blocks import Block, text_key

_SUFFIX = re.compile(r"(?P<stem>.*[^_\-/])[_-]p?(?P<number>\d{1,2})(?P<end>\.[a-z]{3,5})?$", re.I)
_PLAIN = re.compile(r"(?P<stem>.*?)(?P<end>\.[a-z]{3,5})?$", re.I)
_PARAMETERS = frozenset({"page", "p", "pageno", "pn", "pageindex", "page_no", "currentpage"})
# possessive: a row of digits must not be split in every possible way
_PAGER = re.compile(
    r"(?:[\[【(（<]?\s*+(?:\d{1,2}+|[上下][一1]?页|首页|末页|尾页|余下全文|阅读全文|全文"
    r"|下一页\s*+[>›»]*+)\s*+[\])】)）>]?\s*+)++"
)
_NEXT = re.compile(r"下[一1]?页|余下全文|后一页|next", re.I)
#: ``(2)`` or ``第2页`` behind a headline.
_TITLE_NUMBER = re.compile(
    r"\s*(?:[\(（\[【]\s*\d{1,2}(?:\s*/\s*\d{1,2})?\s*[\)）\]】]|第\s*\d{1,2}\s*页)\s*$"
)
_MAX_PAGE = 60


def split_page(address: str) -> tuple[str, int]:
    """(address without its page number, page number), page 1 if there is none.

    ``a/c_1124960001.htm`` has no page number, ``a/516891_2.shtml`` is page 2.
    """
    parts = urlsplit(address)
    path, number = parts.path, 1
    match = _SUFFIX.match(path)
    if match and 1 <= int(match["number"]) <= _MAX_PAGE:
        path, number = match["stem"] + (match["end"] or ""), int(match["number"])
    query = []
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name.lower() in _PARAMETERS and value.isdigit() and int(value) <= _MAX_PAGE:
            number = max(number, int(value) or 1)
        else:
            query.append((name, value))
    host = (parts.hostname or "").removeprefix("www.")
    rest = f"?{urlencode(query)}" if query else ""
    return f"{host}{path}{rest}", number


def pager_links(blocks: Sequence[Block], address: str | None, last_body: int) -> list[str]:
    """Links to the other pages of the article, as absolute as can be.

    Args:
        blocks: all blocks of the page.
        address: its own address, if known.
        last_body: index of the last paragraph; the pager stands near it.
    """
    found: list[str] = []
    stem = split_page(address)[0] if address else None
    for block in blocks[max(0, last_body - 2) : last_body + 12]:
        if len(block.text) > 80 or not _PAGER.fullmatch(block.plain):
            continue
        for element in block.element.iter():
            href = element.get("href") if element.tag == "a" else ""
            if not href or href.startswith(("javascript", "#")):
                continue
            target = urljoin(address, href) if address else href
            same = stem is not None and split_page(target)[0] == stem
            if (same or _NEXT.search(element.text(40))) and target != address:
                found.append(target)
    return list(dict.fromkeys(found))


class PageJoiner:
    """Holds back pages that may be parts of one article and joins them at the end.

    Rows whose page number is 1 and that name no other page pass at once.
    """

    def __init__(self) -> None:
        self.held: list[dict[str, Any]] = []
        self.joined = 0

    def take(self, row: dict[str, Any]) -> bool:
        """True if the row was held back."""
        address = row.get("url") or row.get("page") or ""
        number = split_page(address)[1]
        if not row.get("is_article") or (number == 1 and not row.get("pager")):
            return False
        self.held.append(row)
        return True

    def release(self) -> list[dict[str, Any]]:
        """The held rows, parts of one article joined into one row."""
        groups: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = {}
        for row in self.held:
            stem, number = split_page(row.get("url") or row.get("page") or "")
            key = text_key(_TITLE_NUMBER.sub("", row.get("title") or ""))
            groups.setdefault((stem, key), []).append((number, row))
        self.held = []
        result: list[dict[str, Any]] = []
        for members in groups.values():
            members.sort(key=lambda member: member[0])
            numbers = [number for number, _ in members]
            if len(members) == 1 or len(set(numbers)) < len(numbers):
                result.extend(row for _, row in members)
            else:
                self.joined += len(members) - 1
                result.append(join_rows([row for _, row in members]))
        return result


def join_rows(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One row from the rows of the pages of one article, in page order."""
    first = dict(rows[0])
    paragraphs: list[str] = []
    seen: set[str] = set()
    for row in rows:
        for paragraph in (row.get("body") or "").split("\n"):
            key = text_key(paragraph)
            # a one-page view or a lead repeated on every page must not double the text
            if len(key) >= 24 and key in seen:
                continue
            seen.add(key)
            if paragraph:
                paragraphs.append(paragraph)
    first["body"] = "\n".join(paragraphs)
    first["title"] = _TITLE_NUMBER.sub("", first.get("title") or "")
    first.pop("wrapping", None)
    wrapping = find_wrapping(first["title"], first["body"])
    if wrapping.spans:
        first["wrapping"] = wrapping_record(wrapping)
    first["pages"] = [row.get("page") for row in rows]
    reasons = [r for r in first.get("reasons") or [] if r != "truncated" and "too short" not in r]
    first["reasons"] = reasons
    if first.get("quality") == "doubtful" and not reasons:
        first["quality"] = "good"
    first["captions"] = [c for row in rows for c in row.get("captions") or []]
    for name in ("source", "author", "editor", "section"):
        first[name] = next((row[name] for row in rows if row.get(name)), None)
    return first
