"""HTML text to a light tree of our own, with bounded time and memory.

The parser is lexbor (through selectolax): it follows the HTML standard, so a stray
``</html>`` or an unclosed tag costs nothing. Its tree is copied once into small
Python objects that the extractors walk many times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

#: Characters of a page that are looked at; the rest is cut (with a warning).
MAX_CHARS = 6_000_000
#: Depth below which tags are dropped: real pages stay under 100, and the standard's
#: tree building takes quadratic time on deep nesting.
MAX_DEPTH = 512
#: Pages with fewer tags cannot be deep enough to cost seconds.
_DEEP_CHECK = 20_000
#: Elements that are looked at.
MAX_NODES = 200_000

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,30})")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_VOID_TAGS = (
    "area base br col embed hr img input link meta param source track wbr p li dd dt option tr td"
    " th tbody thead tfoot"
)
_VOID = frozenset(_VOID_TAGS.split())
_UNSEEN_TAGS = (
    "script style template textarea select option button svg math iframe object canvas audio"
    " video noscript noframes head title input map datalist dialog"
)
#: Elements whose text a reader never sees as text of the page.
UNSEEN = frozenset(_UNSEEN_TAGS.split())
_BLOCK_TAGS = (
    "html body div p section article main aside header footer nav ul ol li dl dt dd table tbody"
    " thead tfoot tr td th caption h1 h2 h3 h4 h5 h6 pre blockquote figure figcaption form"
    " fieldset legend details summary address center hgroup hr menu dir"
)
BLOCKS = frozenset(_BLOCK_TAGS.split())
HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0(?:px|em|pt|%)?\s*(?:;|!|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}px|(?:left|top|text-indent)\s*:\s*-\d{2,}em"
    r"|(?<![-\w])opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)",
    re.I,
)


class Element:
    """One element: ``children`` holds elements and strings in document order."""

    __slots__ = ("attrs", "children", "depth", "hidden", "names", "order", "parent", "tag")

    def __init__(
        self, tag: str, attrs: dict[str, Any], parent: Element | None, order: int, depth: int
    ) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Element | str] = []
        self.order = order
        self.depth = depth
        #: class and id, camelCase split by "-", lower case, a blank on each side
        self.names = ""
        #: hidden by its own style or by an ancestor's
        self.hidden: bool = parent is not None and parent.hidden

    def get(self, name: str) -> str:
        """An attribute's value, "" if it is missing or has none."""
        value = self.attrs.get(name)
        return value if isinstance(value, str) else ""

    def iter(self) -> Iterator[Element]:
        """This element and all below it, in document order."""
        stack: list[Element] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(c for c in reversed(element.children) if not isinstance(c, str))

    def ancestors(self) -> Iterator[Element]:
        """The parents, nearest first."""
        element = self.parent
        while element is not None:
            yield element
            element = element.parent

    def text(self, limit: int = 20_000) -> str:
        """The text below, tags dropped, blanks joined; scripts and styles left out."""
        pieces: list[str] = []
        size = 0
        stack: list[Element | str] = [self]
        while stack and size < limit:
            node = stack.pop()
            if isinstance(node, str):
                pieces.append(node)
                size += len(node)
            elif node is self or node.tag not in UNSEEN:
                if node.tag == "br" or node.tag in BLOCKS:
                    pieces.append("\n")
                stack.extend(reversed(node.children))
        return squeeze("".join(pieces)[: 2 * limit])[:limit]


class Page:
    """The parsed page: its elements in document order and its scripts.

    Attributes:
        elements: every element, ``elements[e.order] is e``.
        scripts: (type, text) of each script element that has text.
        cut: the page was longer or deeper than the limits and part was not read.
    """

    def __init__(self, html: str) -> None:
        self.cut = False
        if len(html) > MAX_CHARS:
            html = _without_code(html)[:MAX_CHARS]
            self.cut = True
        if html.count("<") > _DEEP_CHECK:
            html, flattened = _flatten(html)
            self.cut = self.cut or flattened
        self.elements: list[Element] = []
        self.scripts: list[tuple[str, str]] = []
        self.root = self._copy(html)

    def find(self, *tags: str) -> Iterator[Element]:
        """Elements with one of these tags."""
        return (e for e in self.elements if e.tag in tags)

    def _copy(self, html: str) -> Element:
        parsed = LexborHTMLParser(html)
        root = Element("html", {}, None, 0, 0)
        self.elements.append(root)
        if parsed.root is None:
            return root
        known: dict[int, Element] = {}
        elements = self.elements
        for node in parsed.root.traverse(include_text=True):
            tag = node.tag
            if tag is None or (tag[0] in "-!" and tag != "-text"):
                continue
            above = node.parent
            parent = known.get(above.mem_id) if above is not None else None
            if tag == "-text":
                if parent is None:
                    continue
                kind = parent.tag
                if kind == "script":
                    self.scripts.append((parent.get("type").lower(), node.text_content or ""))
                elif kind != "style":
                    content = node.text_content
                    if content:
                        # blanks between tags are most of all text nodes
                        parent.children.append(" " if content.isspace() else content)
            elif parent is not None:
                if len(elements) >= MAX_NODES:
                    self.cut = True
                    break
                known[node.mem_id] = self._element(tag, node.attributes, parent)
            elif tag == "html" and not known:
                known[node.mem_id] = root
                root.attrs = dict(node.attributes)
        return root

    def _element(self, tag: str, attrs: dict[str, Any], parent: Element) -> Element:
        element = Element(tag, attrs, parent, len(self.elements), parent.depth + 1)
        if attrs:
            names = f"{attrs.get('class') or ''} {attrs.get('id') or ''}"
            if names != " ":
                low = names.lower()
                element.names = f" {low if low == names else _CAMEL.sub('-', names).lower()} "
            if not element.hidden:
                style = attrs.get("style")
                if "hidden" in attrs or (style and _HIDDEN_STYLE.search(style)):
                    element.hidden = True
        parent.children.append(element)
        self.elements.append(element)
        return element


def _without_code(html: str) -> str:
    """Drop scripts, styles and comments by search alone (linear, unclosed ones stay)."""
    low = html.lower() if len(html) == len(html.lower()) else html
    for start_mark, end_mark in (("<script", "</script"), ("<style", "</style"), ("<!--", "-->")):
        pieces = []
        position = 0
        while True:
            start = low.find(start_mark, position)
            end = low.find(end_mark, start) if start >= 0 else -1
            if end < 0:
                break
            pieces.append((position, start))
            position = end
        pieces.append((position, len(html)))
        html = "".join(html[a:b] for a, b in pieces)
        low = "".join(low[a:b] for a, b in pieces)
    return html


def _flatten(html: str) -> tuple[str, bool]:
    """Drop the tags of elements nested deeper than MAX_DEPTH (void tags aside).

    Counting is approximate (optional end tags are not known here), which only
    matters for pages that no browser was meant to show.
    """
    depth = deepest = 0
    spans: list[tuple[int, int]] = []
    for match in _TAG.finditer(html):
        if match[2].lower() in _VOID:
            continue
        if match[1]:
            if depth > MAX_DEPTH:
                spans.append(match.span())
            depth = max(0, depth - 1)
        else:
            depth += 1
            deepest = max(deepest, depth)
            if depth > MAX_DEPTH:
                spans.append(match.span())
    if deepest <= MAX_DEPTH:
        return html, False
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        pieces.append(html[last:start])
        pieces.append("<!x " if html[end : end + 1] != ">" else "<!x")
        last = end
    pieces.append(html[last:])
    return "".join(pieces), True


def is_inside(element: Element, box: Element) -> bool:
    """``element`` is ``box`` or stands below it."""
    node: Element | None = element
    while node is not None and node.depth >= box.depth:
        if node is box:
            return True
        node = node.parent
    return False


_BLANK = re.compile(r"[\s\u00a0\u3000]+")
_ZERO_WIDTH = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060\ufeff\u00ad]")


def squeeze(text: str) -> str:
    """Blanks of every kind joined to one, zero-width characters dropped, ends bare."""
    text = _BLANK.sub(" ", text)
    if not text.isascii():
        text = _ZERO_WIDTH.sub("", text)
    return text.strip()
