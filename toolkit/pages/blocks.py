"""The page as a reader sees it: a list of text blocks in document order.

A block is a run of text without a line break: one paragraph, one list item, one
line of a header. Every later step (title, date line, body, quality) reads blocks.
"""

from __future__ import annotations

import re

from toolkit.language.normalise import fold, to_simplified
from toolkit.pages.dom import BLOCKS, HEADINGS, UNSEEN, Element, Page, squeeze

_STOPS = re.compile(r"[，。！？；：、“”…,!?;]")
_CENTRED = re.compile(r"text-align\s*:\s*center", re.I)
_NOT_WORD = re.compile(r"[\W_]+")
#: Common hanzi that exist in one script only.
_TRADITIONAL = re.compile(
    r"[們個來說時會對國為這經學於後過發無現當進開從實動長機關與見問間將兩應頭體]"
)
_SIMPLIFIED = re.compile(
    r"[们个来说时会对国为这经学于过发无现当进开从实动长机关与见问间将两应头体]"
)
_BLOCK_STYLE = re.compile(r"display\s*:\s*(?:block|flex|table|grid|list-item)", re.I)


_BOLD = frozenset({"b", "strong"})


class Block:
    """One run of text.

    Attributes:
        text: the text, blanks joined.
        plain: the same in simplified hanzi, character for character.
        link_chars: how many characters of it are inside links.
        links: the texts of its links.
        in_code: it is a line of preformatted text.
        element: the nearest block-level element around it.
        inner: the innermost element around its first text (span, a, strong, ...).
        hidden: not shown to a reader.
        bold: all of it is in bold type.
        after_image: an image stands in the same block or directly before it.
        index: position in the list of blocks.
    """

    __slots__ = (
        "_stops", "after_image", "bold", "element", "hidden", "in_code", "index", "inner",
        "link_chars", "links", "plain", "text",
    )  # fmt: skip

    def __init__(self, text: str, element: Element, inner: Element, index: int) -> None:
        self.text = text
        self.plain = text
        self.element = element
        self.inner = inner
        self.index = index
        self.link_chars = 0
        self._stops = -1
        self.hidden = inner.hidden
        self.bold = False
        self.after_image = False
        self.in_code = False
        self.links: list[str] = []

    @property
    def stops(self) -> int:
        """Number of punctuation marks of running text (counted once, when asked for)."""
        if self._stops < 0:
            self._stops = len(_STOPS.findall(self.text))
        return self._stops

    @property
    def centred(self) -> bool:
        """The block is set in the middle."""
        return _is_centred(self.element)

    @property
    def link_share(self) -> float:
        """Share of the text that is inside links, 0 to 1."""
        return self.link_chars / len(self.text)

    @property
    def heading(self) -> bool:
        """The block is in a heading element."""
        if self.element.tag in HEADINGS or self.inner.tag in HEADINGS:
            return True
        return any(a.tag in HEADINGS for a in _within(self.inner, self.element))


def _within(inner: Element, outer: Element) -> list[Element]:
    path = []
    node: Element | None = inner
    while node is not None and node is not outer:
        path.append(node)
        node = node.parent
    return path


class _Collector:
    """Gathers text pieces and flushes them as blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.pieces: list[str] = []
        self.linked = 0
        self.bold_chars = 0
        self.chars = 0
        self.inner: Element | None = None
        self.image = False
        self.links: list[str] = []

    def add(self, text: str, inner: Element, in_link: bool, in_bold: bool) -> None:
        bare = len(text.strip())
        if bare and self.inner is None:
            self.inner = inner
        self.pieces.append(text)
        self.chars += bare
        if in_link:
            self.linked += bare
            if bare:
                self.links.append(text.strip())
        if in_bold:
            self.bold_chars += bare

    def flush(self, element: Element, in_code: bool = False) -> None:
        if self.inner is not None:
            text = squeeze("".join(self.pieces))
            if text:
                block = Block(text, element, self.inner, len(self.blocks))
                block.link_chars = min(self.linked, len(text))
                block.bold = self.bold_chars >= 0.9 * self.chars
                block.after_image = self.image
                block.in_code = in_code
                block.links = self.links
                self.blocks.append(block)
                self.image = False
            self.inner = None
            self.links = []
        self.pieces.clear()
        self.linked = self.bold_chars = self.chars = 0


def to_blocks(page: Page) -> list[Block]:
    """All blocks of the page, hidden ones included (and marked), in document order."""
    collector = _Collector()
    # an element or text with its block-level element; None marks the end of an element
    stack: list[tuple[Element | str | None, Element]] = [(page.root, page.root)]
    opened: list[tuple[Element, bool]] = []
    in_link = in_bold = in_pre = 0
    while stack:
        node, block = stack.pop()
        if isinstance(node, str):
            inner = opened[-1][0]
            if node == " ":
                if collector.inner is not None:
                    collector.pieces.append(node)
            elif in_pre and "\n" in node:
                for number, line in enumerate(node.split("\n")):
                    if number:
                        collector.flush(block, True)
                    collector.add(line, inner, in_link > 0, in_bold > 0)
            else:
                collector.add(node, inner, in_link > 0, in_bold > 0)
            continue
        if node is None:
            element, breaks = opened.pop()
            tag = element.tag
            if breaks:
                collector.flush(element if tag in BLOCKS else block, in_pre > 0)
            if tag == "a":
                in_link -= 1
            elif tag in _BOLD:
                in_bold -= 1
            elif tag == "pre":
                in_pre -= 1
            continue
        tag = node.tag
        if tag == "br":
            collector.flush(block, in_pre > 0)
            continue
        if tag == "img":
            collector.image = True
            continue
        if tag in UNSEEN:
            continue
        inside = block
        breaks = _breaks(node)
        if breaks:
            collector.flush(block, in_pre > 0)
            if tag in BLOCKS:
                inside = node
        if tag == "a":
            in_link += 1
        elif tag in _BOLD:
            in_bold += 1
        elif tag == "pre":
            in_pre += 1
        opened.append((node, breaks))
        stack.append((None, block))
        for child in reversed(node.children):
            stack.append((child, inside))
    collector.flush(page.root)
    if _is_traditional(collector.blocks):
        for made in collector.blocks:
            made.plain = to_simplified(made.text)
    return collector.blocks


def _is_traditional(blocks: list[Block]) -> bool:
    """The page is written in traditional hanzi, so that wording tables need its plain text."""
    seen = traditional = 0
    for block in blocks:
        seen += len(_SIMPLIFIED.findall(block.text))
        traditional += len(_TRADITIONAL.findall(block.text))
        if seen + traditional > 60:
            break
    return traditional > seen


def _breaks(element: Element) -> bool:
    """Text before and after this element's borders belongs to different blocks."""
    if element.tag in BLOCKS:
        return True
    if element.hidden and element.parent is not None and not element.parent.hidden:
        return True
    style = element.attrs.get("style")
    return isinstance(style, str) and _BLOCK_STYLE.search(style) is not None


def _is_centred(element: Element) -> bool:
    if not element.attrs:
        return element.tag == "center"
    style = element.get("style")
    if style and _CENTRED.search(style):
        return True
    return element.get("align").lower() == "center" or "center" in element.names.split()


def text_key(text: str) -> str:
    """Letters, digits and hanzi only, folded: two prints of one text are equal."""
    return _NOT_WORD.sub("", fold(text))
