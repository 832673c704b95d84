"""Machine-readable statements of a page: meta tags, JSON-LD, microdata, links.

Everything is collected as (signal, value) in order of trust; nothing is judged
here. Broken JSON-LD is repaired where that is safe and otherwise reported.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from toolkit.pages.dom import Element, squeeze
from toolkit.pages.parse import Page
from toolkit.pages.patterns import table

_FIELDS = ("published", "modified", "title", "source", "author", "editor", "section", "site_name")
_MAX_JSON = 400_000
_CONTROL = re.compile(r"[\x00-\x1f]+")
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_WRAPPER = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*.*?\*/)|(?:-->|//\s*\]\]>|\]\]>)\s*$"
)
#: Fields that some sites deliver in textareas and show by script.
_TEXTAREA = re.compile(r"(?<![a-z])(?:article|news)-(time|source|editor|author|title)(?![a-z])")
_TEXTAREA_FIELDS = {
    "time": "published", "source": "source", "editor": "editor", "author": "author",
    "title": "title",
}  # fmt: skip
_NAMED = ("author", "publisher", "source", "editor", "sourceorganization", "provider")


@dataclass
class Statements:
    """What the page states about itself, by field.

    Attributes:
        fields: field name -> [(signal, value)], strongest first.
        canonical: ``rel=canonical`` as written, or None.
        og_url: ``og:url`` as written, or None.
        og_type: ``og:type`` lower case, or None.
        types: JSON-LD types seen, lower case.
        free: False if the page says it is not accessible for free.
        language: the ``lang`` attribute or content-language.
        problems: what could not be read.
        body: the ``articleBody`` of JSON-LD, if any.
        page_title: the text of the ``<title>`` element.
    """

    fields: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    canonical: str | None = None
    og_url: str | None = None
    og_type: str | None = None
    types: set[str] = field(default_factory=set)
    free: bool = True
    language: str | None = None
    problems: list[str] = field(default_factory=list)
    body: str | None = None
    page_title: str = ""

    def add(self, name: str, signal: str, value: Any) -> None:
        """Record one statement; empty and absurdly long values are left out."""
        if not isinstance(value, str):
            return
        value = squeeze(html.unescape(value))
        if value and len(value) <= 400:
            self.fields.setdefault(name, []).append((signal, value))

    def get(self, name: str) -> list[tuple[str, str]]:
        """The statements about one field, strongest first."""
        return self.fields.get(name, [])


@lru_cache(maxsize=1)
def _known_names() -> dict[str, tuple[str, int]]:
    """Meta name -> (field, rank)."""
    return {
        name: (field_name, rank)
        for field_name in _FIELDS
        for rank, name in enumerate(table("meta_names")[field_name])
    }


def collect(page: Page) -> Statements:
    """Read every machine-readable statement of the page."""
    found = Statements()
    ranked: list[tuple[str, int, str, str]] = []
    known = _known_names()
    for element in page.find("meta"):
        _meta(element, known, ranked, found)
    found.page_title = next((t for t in (e.text(400) for e in page.find("title")) if t), "")
    for element in page.find("link"):
        if "canonical" in element.get("rel").lower().split() and not found.canonical:
            found.canonical = element.get("href").strip() or None
    for kind, text in page.scripts:
        if "ld+json" in kind:
            _json_ld(text, found)
    _microdata(page, known, found)
    for element in page.find("textarea"):
        field_name = _TEXTAREA.search(element.names)
        if field_name:
            found.add(
                _TEXTAREA_FIELDS[field_name[1]], f"textarea:{field_name[1]}", element.text(300)
            )
    for name, _, signal, value in sorted(ranked, key=lambda item: item[1]):
        found.add(name, signal, value)
    if not found.language:
        found.language = page.root.get("lang").strip() or None
    return found


def _meta(
    element: Element,
    known: dict[str, tuple[str, int]],
    ranked: list[tuple[str, int, str, str]],
    found: Statements,
) -> None:
    content = element.get("content").strip()
    for attribute in ("property", "name", "itemprop", "http-equiv"):
        name = element.get(attribute)
        if not name or not content:
            continue
        key = re.sub(r"\s+", "", name.lower()).removeprefix("weibo:")
        if key == "og:url":
            found.og_url = content
        elif key == "og:type":
            found.og_type = content.lower()
        elif key in ("content-language", "og:locale") and not found.language:
            found.language = content
        if key in known:
            field_name, rank = known[key]
            ranked.append((field_name, rank, f"meta:{key}", content))
            break


def _json_ld(text: str, found: Statements) -> None:
    """One JSON-LD script: an object, a list, or an ``@graph`` of objects."""
    data = _read_json(text, found)
    if data is None:
        return
    wanted = set(table("meta_names")["article_types"])
    nodes = list(_objects(data))
    articles = []
    for node in nodes:
        types = node.get("@type")
        names = types if isinstance(types, list) else [types]
        kinds = {str(t).lower().rsplit("/", 1)[-1] for t in names if t}
        found.types |= kinds
        if node.get("isAccessibleForFree") in (False, "False", "false"):
            found.free = False
        # Baidu's cambrian objects carry no type
        if kinds & wanted or (not kinds and {"pubDate", "title"} & set(node)):
            articles.append((("webpage" in kinds, not kinds), node))
    articles.sort(key=lambda item: item[0])
    for _, node in articles:
        _article(node, found)


def _read_json(text: str, found: Statements) -> Any:
    text = _WRAPPER.sub("", text).strip().rstrip(";")
    if not text:
        return None
    if len(text) > _MAX_JSON:
        found.problems.append("JSON-LD too long to read")
        return None
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", _CONTROL.sub(" ", text))):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    found.problems.append("JSON-LD is broken")
    for key, value in re.findall(r'"(\w{4,20})"\s*:\s*"([^"\\]{1,200})"', text[:20_000]):
        if key.lower() in ("datepublished", "datemodified", "pubdate"):
            name = "modified" if key.lower() == "datemodified" else "published"
            found.add(name, f"json-ld(broken):{key}", value)
    return None


def _objects(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(data, list):
        for item in data[:200]:
            yield from _objects(item, depth + 1)
    elif isinstance(data, dict):
        yield data
        for key in ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item"):
            if isinstance(data.get(key), dict | list):
                yield from _objects(data[key], depth + 1)


def _article(node: dict[str, Any], found: Statements) -> None:
    known = _known_names()
    for key, value in node.items():
        low = key.lower()
        if low in ("headline", "title"):
            found.add("title", f"json-ld:{key}", value)
        elif low in _NAMED:
            name = "source" if low in ("publisher", "sourceorganization", "provider") else low
            for label, person in _names(value):
                target = "source" if label == "organization" and name == "author" else name
                found.add(target, f"json-ld:{key}", person)
        elif low == "articlebody" and isinstance(value, str) and found.body is None:
            found.body = value
        elif low in known and low not in ("author", "source", "editor", "title", "date"):
            found.add(known[low][0], f"json-ld:{key}", value if isinstance(value, str) else None)


def _names(value: Any) -> Iterator[tuple[str, str]]:
    items = value if isinstance(value, list) else [value]
    for item in items[:10]:
        if isinstance(item, str):
            yield "", item
        elif isinstance(item, dict) and isinstance(item.get("name"), str):
            kind = str(item.get("@type", "")).lower()
            yield ("organization" if kind.endswith("organization") else kind), item["name"]


def _microdata(page: Page, known: dict[str, tuple[str, int]], found: Statements) -> None:
    """``itemprop`` on visible elements and ``<time pubdate>``."""
    for element in page.elements:
        attrs = element.attrs
        if not attrs or ("itemprop" not in attrs and "pubdate" not in attrs):
            continue
        name = element.get("itemprop").lower()
        if element.tag in ("meta", "link") or (not name and element.tag != "time"):
            continue
        key = name or "datepublished"
        if key in known and key not in ("date", "update"):
            value = element.get("content") or element.get("datetime") or element.text(300)
            found.add(known[key][0], f"microdata:{key}", value)
