"""The elements of a page as small Python objects, and what kinds of them there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
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

    __slots__ = ("_names", "attrs", "children", "depth", "hidden", "order", "parent", "tag")

    def __init__(
        self, tag: str, attrs: dict[str, Any], parent: Element | None, order: int, depth: int
    ) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Element | str] = []
        self.order = order
        self.depth = depth
        #: hidden by its own style or by an ancestor's
        self.hidden: bool = parent is not None and parent.hidden
        self._names: str | None = None
        if attrs and not self.hidden:
            style = attrs.get("style")
            if (style and _HIDDEN_STYLE.search(style)) or "hidden" in attrs:
                self.hidden = True

    @property
    def names(self) -> str:
        """Class and id, camelCase split by "-", lower case, a blank on each side; or ""."""
        names = self._names
        if names is None:
            names = ""
            if self.attrs:
                both = f"{self.attrs.get('class') or ''} {self.attrs.get('id') or ''}"
                if both != " ":
                    low = both.lower()
                    names = f" {low if low == both else _CAMEL.sub('-', both).lower()} "
            self._names = names
        return names

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
