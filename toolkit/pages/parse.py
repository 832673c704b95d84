"""HTML text to elements and blocks in one pass, with bounded time and memory.

The parser is lexbor (through selectolax): it follows the HTML standard, so a stray
``</html>`` or an unclosed tag costs nothing. Its tree is walked once: every element
becomes a small Python object, every run of text without a line break a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolkit.language.normalise import to_simplified
from toolkit.pages.blocks import Block, is_traditional
from toolkit.pages.dom import BLOCKS, UNSEEN, Element, squeeze

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
_VOID_TAGS = (
    "area base br col embed hr img input link meta param source track wbr p li dd dt option tr td"
    " th tbody thead tfoot"
)
_VOID = frozenset(_VOID_TAGS.split())
_BLOCK_STYLE = re.compile(r"display\s*:\s*(?:block|flex|table|grid|list-item)", re.I)
#: Elements without text for a reader whose text is read for other ends.
_READ_ANYWAY = frozenset({"head", "script", "title", "textarea", "template"})
_LINK, _BOLD, _PRE, _MUTE = 1, 2, 4, 8
_FLAGS = {"a": _LINK, "b": _BOLD, "strong": _BOLD, "pre": _PRE}


class Page:
    """The parsed page.

    Attributes:
        elements: every element, in document order; ``elements[e.order] is e``. Boxes a
            reader never sees (svg, select, iframe, ...) are there without their content.
        blocks: all runs of text, hidden ones included (and marked), in document order.
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
        self.blocks: list[Block] = []
        self.scripts: list[tuple[str, str]] = []
        self._pieces: list[str] = []
        self._links: list[str] = []
        self._inner: Element | None = None
        self._chars = self._linked = self._bold = 0
        self._image = False
        self.root = Element("html", {}, None, 0, 0)
        self.elements.append(self.root)
        self._read(html)
        if is_traditional(self.blocks):
            for block in self.blocks:
                block.plain = to_simplified(block.text)

    def find(self, *tags: str) -> Iterator[Element]:
        """Elements with one of these tags."""
        return (e for e in self.elements if e.tag in tags)

    def last_inside(self, box: Element) -> int:
        """Order of the last element inside ``box`` (its own if it has none)."""
        order = box.order + 1
        while order < len(self.elements) and self.elements[order].depth > box.depth:
            order += 1
        return order - 1

    def release(self) -> None:
        """Undo the cycles between parents and children; the page is of no use after."""
        for element in self.elements:
            element.children.clear()

    # ------------------------------------------------------------------- the pass
    def _read(self, html: str) -> None:
        """Walk the parser's tree once, from node to next node.

        ``element`` is the element we are in, ``block`` the nearest block-level one,
        ``flags`` what holds for text here; ``stack`` keeps them for the way back up.
        """
        parsed = LexborHTMLParser(html)
        top = parsed.root
        if top is None:
            return
        elements = self.elements
        element = block = self.root
        element.attrs = dict(top.attributes)
        breaks, flags = True, 0
        stack: list[tuple[LexborNode | None, Element, bool, Element, int]] = []
        node = top.first_child
        while True:
            if node is None:
                if breaks and self._inner is not None:
                    self._flush(block, flags)
                if not stack:
                    return
                node, element, breaks, block, flags = stack.pop()
                continue
            here, node = node, node.next
            tag = here.tag
            if tag == "-text":
                content = here.text_content
                if not content:
                    continue
                if flags & _MUTE:
                    if element.tag == "script":
                        if content[:3].upper() == "%7B":  # data of an app, percent-encoded
                            content = unquote(content)
                        self.scripts.append((element.get("type").lower(), content))
                    else:
                        element.children.append(content)
                elif not content.isspace():
                    element.children.append(content)
                    self._text(content, element, block, flags)
                elif self._inner is not None:
                    # blanks between tags are most of all text nodes
                    element.children.append(" ")
                    self._pieces.append(" ")
                continue
            if tag is None or tag[0] in "-!":
                continue
            if len(elements) >= MAX_NODES:
                self.cut = True
                node = None
                stack = [(None, *entry[1:]) for entry in stack]
                continue
            inside = Element(tag, here.attributes, element, len(elements), element.depth + 1)
            elements.append(inside)
            element.children.append(inside)
            if tag in UNSEEN:
                if tag in _READ_ANYWAY:
                    stack.append((node, element, breaks, block, flags))
                    element, breaks, flags = inside, False, flags | _MUTE
                    node = here.first_child
            elif tag == "br":
                if self._inner is not None:
                    self._flush(block, flags)
            elif tag == "img":
                self._image = True
            else:
                stack.append((node, element, breaks, block, flags))
                is_block = tag in BLOCKS
                breaks = is_block or (bool(inside.attrs) and _breaks(inside))
                if breaks and self._inner is not None:
                    self._flush(block, flags)
                if is_block:
                    block = inside
                element = inside
                flags |= _FLAGS.get(tag, 0)
                node = here.first_child

    def _text(self, text: str, parent: Element, block: Element, flags: int) -> None:
        """One text node that is not blank."""
        if flags & _PRE and "\n" in text:
            for number, line in enumerate(text.split("\n")):
                if number and self._inner is not None:
                    self._flush(block, flags)
                if line and not line.isspace():
                    self._piece(line, parent, flags)
        else:
            self._piece(text, parent, flags)

    def _piece(self, text: str, parent: Element, flags: int) -> None:
        if self._inner is None:
            self._inner = parent
        self._pieces.append(text)
        if flags & (_LINK | _BOLD):
            bare = text.strip()
            self._chars += len(bare)
            if flags & _LINK:
                self._linked += len(bare)
                self._links.append(bare)
            if flags & _BOLD:
                self._bold += len(bare)
        else:
            self._chars += len(text)

    def _flush(self, element: Element, flags: int) -> None:
        """End the block that is being gathered."""
        inner = self._inner
        assert inner is not None
        text = squeeze("".join(self._pieces))
        if text:
            block = Block(text, element, inner, len(self.blocks))
            block.link_chars = min(self._linked, len(text))
            block.bold = self._bold >= 0.9 * self._chars
            block.after_image = self._image
            block.in_code = bool(flags & _PRE)
            block.links = self._links
            self.blocks.append(block)
            self._image = False
            self._links = []
        else:
            self._links.clear()
        self._inner = None
        self._pieces.clear()
        self._chars = self._linked = self._bold = 0


def _breaks(element: Element) -> bool:
    """An inline element whose borders end a block all the same."""
    parent = element.parent
    if element.hidden and parent is not None and not parent.hidden:
        return True
    style = element.attrs.get("style")
    return isinstance(style, str) and _BLOCK_STYLE.search(style) is not None


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
