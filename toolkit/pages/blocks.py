"""The page as a reader sees it: a list of text blocks in document order.

A block is a run of text without a line break: one paragraph, one list item, one
line of a header. Every later step (title, date line, body, quality) reads blocks.
"""

from __future__ import annotations

import re

from toolkit.language.normalise import fold
from toolkit.pages.dom import HEADINGS, Element

_STOPS = re.compile(r"[，。！？；：、“”…,!?;]")
_CENTRED = re.compile(r"text-align\s*:\s*center", re.I)
_NOT_WORD = re.compile(r"[\W_]+")
#: Common hanzi that exist in traditional script only.
_TRADITIONAL = re.compile(
    "[們個來說時會對國為這經學於後過發無現當進開從實動長機關與見問間將兩應頭體業產內話給門東聲員認題結報變"
    "總電數務場計資區隊馬書記難權設張該規萬領師觀爭運點種氣處華專導據圖網號親聯歷風買車錢飛黨農醫術環節議論"
    "識護讓讀證評試語調選達遠連邀還鐵錄隨雲響項順須預頻類顯驗黃龍費質寫廣團臺灣縣鄉億檢審訴獲傷蓋]"
)
#: Traditional hanzi that make a page traditional, and characters looked at.
_ENOUGH, _LOOK = 8, 4_000


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


def is_traditional(blocks: list[Block]) -> bool:
    """The page has traditional hanzi, so that wording tables need its plain text."""
    seen = traditional = 0
    for block in blocks:
        traditional += len(_TRADITIONAL.findall(block.text))
        if traditional >= _ENOUGH:
            return True
        seen += len(block.text)
        if seen > _LOOK:
            break
    return False


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
