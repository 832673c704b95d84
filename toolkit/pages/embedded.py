"""Bodies that a browser would only show after running scripts.

Used when the visible page has next to no text: an ``articleBody`` in JSON-LD, an
encoded article in a ``<textarea>`` or ``<template>``, an HTML string in embedded
data, or a box that a script would unhide. The signal says which one it was.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.language.normalise import count_hanzi
from toolkit.pages.blocks import Block
from toolkit.pages.metadata import Statements
from toolkit.pages.parse import Page

#: Hanzi below which the visible body is not believed.
FEW_HANZI = 60
_MAX_SCRIPT = 2_000_000
_KEY = re.compile(
    r"[\"']?(?:content|article_?content|content_?html|article_?body|body|text|rich_?text|html|main_?text)"
    r"[\"']?\s*[:=]\s*(?=[\"'])",
    re.I,
)
_STRING = {
    '"': re.compile(r'"((?:[^"\\]|\\.){200,})"', re.S),
    "'": re.compile(r"'((?:[^'\\]|\\.){200,})'", re.S),
}
_TAGGED = re.compile(r"<(?:p|div|br|span|section)\b", re.I)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.S)
_PLAIN = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}


@dataclass(frozen=True, slots=True)
class Embedded:
    """A body found outside the visible page."""

    signal: str
    paragraphs: list[str]
    title: str | None = None


def find_embedded(page: Page, found: Statements, seen: int) -> Embedded | None:
    """The best body outside the visible page.

    Args:
        page: the parsed page; found: its statements.
        seen: hanzi of the visible body; less than four times as many are not taken.
    """
    best: Embedded | None = None
    best_size = max(FEW_HANZI, 4 * seen)
    for signal, text in _sources(page, found):
        paragraphs = _paragraphs(text)
        size = count_hanzi("".join(paragraphs))
        if size > best_size:
            best, best_size = Embedded(signal, paragraphs, None), size
    return best


def _sources(page: Page, found: Statements) -> Iterator[tuple[str, str]]:
    if found.body:
        yield "json-ld:articleBody", found.body
    for element in page.find("textarea", "template"):
        text = element.text(2_000_000)
        if len(text) > 100:
            yield f"{element.tag}", text
    for kind, script in page.scripts:
        if "ld+json" in kind or len(script) < 300:
            continue
        for text in _strings(script[:_MAX_SCRIPT]):
            yield "script:content", text


def _strings(script: str) -> Iterator[str]:
    """HTML or long Chinese strings under names such as ``content``."""
    for match in _KEY.finditer(script):
        string = _STRING[script[match.end()]].match(script, match.end())
        if string:
            yield unescape(string[1])


def unescape(text: str) -> str:
    """A JavaScript or JSON string literal's content, then HTML entities."""
    try:
        text = json.loads(f'"{text}"', strict=False)
    except ValueError:
        text = _ESCAPE.sub(_escape, text)
    return text.encode("utf-8", "replace").decode("utf-8", "replace")


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _PLAIN.get(code, code)


def _paragraphs(text: str) -> list[str]:
    for _ in range(2):
        if _TAGGED.search(text) or "&lt;" not in text:
            break
        text = html.unescape(text)
    if _TAGGED.search(text):
        blocks: list[Block] = Page(text).blocks
        return [b.text for b in blocks if not b.hidden and b.link_share < 0.7]
    return [line for line in (part.strip() for part in html.unescape(text).split("\n")) if line]
