"""Which blocks inside the article's box are its paragraphs.

Four passes: lines that can be told by themselves (links, credits, captions, lines of
known wording), the end of the article (credits, "related news", a second article),
lines that are page matter only before the first or behind the last real paragraph,
and paragraphs that stand twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from toolkit.pages.blocks import Block
from toolkit.pages.date_parse import read_all
from toolkit.pages.dom import Element, is_inside
from toolkit.pages.labels import split_labels
from toolkit.pages.patterns import pattern

_TABLE = "body_patterns"
#: After this share of the text credits mean the end of the article ...
_LATE = 0.7
#: ... unless more than this share would be lost.
_MAX_LOSS = 0.25
_REPEAT = 40
#: A notice of most of the text goes only if this much other text is left.
_REST = 60
#: A box headed "related news" is not dropped if it holds more of the text than this.
_MAX_BOX = 0.4
#: A line that only says when a reader wrote, and how many such lines make a discussion.
_STAMP = re.compile(
    r"(?:\S{0,16}\s*)?(?:\d{1,3}\s*(?:秒|分钟|小时|天)前|刚刚|(?:昨天|前天|今天)\s*\d{1,2}:\d{2})"
    r"(?:.{0,6}(?:回复|举报|赞|顶|踩|来自).{0,12})?"
)
_STAMPS = 3
_SENTENCE_END = re.compile(r"[。！？]|[：”]$")
_SPACED = re.compile(r"[\s·•]+")
_COUNTER = re.compile(r"[\d\s,.+]{1,12}|(?:[^\s|｜]{1,12}[|｜]){2,12}[^\s|｜]{1,12}")
_CAPTION_NAMES = re.compile(
    r"(?<![a-z])(?:caption|captions|pic-?text|pictext|pic-?desc|picdesc|img-?desc|imgdesc|img-?title"
    r"|image-?desc|img-?text|f-center|f_center|photo-?desc|tuzhu|tupian-?shuoming|pgc-img-caption)(?![a-z])"
)
_BRACKETS = "\u3010\u3011[]<>\u300a\u300b \u2192"


class Selector:
    """Sorts the blocks of one container into paragraphs, captions and the rest.

    Args:
        container: the article's box.
        inside: the visible blocks of the container, in order.
        weights: running text per block index, in characters.
        noisy: tells whether a block stands in a box that is not the article.
        title_index: index of the block with the headline, or None.
        title_key: comparable form of the headline ("" if unknown).
        key: makes comparable forms of texts.
    """

    def __init__(
        self, container: Element, inside: Sequence[Block], weights: dict[int, float],
        noisy: Callable[[Block], bool], title_index: int | None, title_key: str,
        key: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.container = container
        self.inside = inside
        self.weights = weights
        self.noisy = noisy
        self.title_index = title_index
        self.title_key = title_key
        self.key = key
        self.reasons: dict[int, str] = {}

    def select(self) -> tuple[list[Block], list[tuple[str, Block]]]:
        """(paragraphs, [(reason, block) left out])."""
        for block in self.inside:
            reason = self._by_itself(block)
            if reason:
                self.reasons[block.index] = reason
        self._cut_tail()
        self._trim_edges()
        self._drop_repeats()
        kept = [b for b in self.inside if b.index not in self.reasons]
        dropped = [(self.reasons[b.index], b) for b in self.inside if b.index in self.reasons]
        return kept, dropped

    # ------------------------------------------------------------------ passes
    def _by_itself(self, block: Block) -> str | None:
        text = block.plain
        if self.title_index is not None and block.index <= self.title_index:
            return "before title"
        if self.noisy(block):
            return "noise box"
        if block.link_share > 0.6 and (block.stops < 3 or block.link_share > 0.9):
            return "link"
        if block.in_code:
            return None
        if pattern(_TABLE, "original_title").fullmatch(text):
            return "original title"
        if pattern(_TABLE, "junk_lines").fullmatch(text):
            return "boilerplate"
        if block.links and len(text) < 200:
            promo = pattern(_TABLE, "promo_links")
            if any(promo.fullmatch(link.strip(_BRACKETS)) for link in block.links):
                return "promotion"
        return "caption" if self._is_caption(block) else None

    @cached_property
    def mostly_centred(self) -> bool:
        """The whole text is set in the middle, so that this says nothing of a line."""
        return sum(b.centred for b in self.inside) > 0.4 * len(self.inside)

    def _is_caption(self, block: Block) -> bool:
        if block.element.tag == "figcaption" or any(
            e.names and _CAPTION_NAMES.search(e.names) for e in (block.element, block.inner)
        ):
            return len(block.text) <= 160
        if pattern(_TABLE, "sure_captions").fullmatch(block.plain):
            return True
        if not block.after_image:
            return False
        if pattern(_TABLE, "captions").fullmatch(block.plain):
            return True
        return (
            len(block.text) <= 60
            and block.centred
            and not self.mostly_centred
            and not block.heading
            and not block.bold
            and block.stops <= 2
            and not _SENTENCE_END.search(block.text)
        )

    def _cut_tail(self) -> None:
        """Find where the article ends and drop all that follows."""
        weights = {
            b.index: 0.0 if b.index in self.reasons else self.weights.get(b.index, 0.0)
            for b in self.inside
        }
        total = sum(weights.values())
        if not total:
            return
        marks = pattern(_TABLE, "end_marks")
        passed = 0.0
        discussion = self._discussion_start()
        for position, block in enumerate(self.inside):
            share = passed / total
            text = block.plain
            reason = None
            if self._is_tail_head(block):
                if share > 0.5:
                    reason = "tail"
                else:
                    self._drop_box(block, total)
            elif share > _LATE and marks.fullmatch(text) and 1 - share < _MAX_LOSS:
                reason = "behind the credits"
            elif passed and self._second_article(position):
                reason = "second article"
            elif position == discussion and passed:
                reason = "discussion"
            if reason:
                for other in self.inside[position:]:
                    self.reasons.setdefault(other.index, reason)
                return
            passed += weights[block.index]

    def _discussion_start(self) -> int | None:
        """Position where readers' comments begin, told by their stamps (3小时前, 回复).

        Stamps stand behind (or before) each comment as lines of their own; the line
        before the first stamp is a comment then, and what stands above it in short
        lines is the head of the discussion.
        """
        stamps = [n for n, b in enumerate(self.inside) if _STAMP.fullmatch(b.plain)]
        if len(stamps) < _STAMPS:
            return None
        start = stamps[0]
        if start and self._solid(self.inside[start - 1]) and len(stamps) > 1:
            start -= 1
        while start and not self._solid(self.inside[start - 1]):
            start -= 1
        return start

    def _is_tail_head(self, block: Block) -> bool:
        if len(block.plain) > 60:
            return False
        text = _SPACED.sub("", block.plain)
        if len(text) >= 40 or not pattern(_TABLE, "tail_heads").match(text):
            return False
        return block.stops < 3 or block.link_share > 0.4

    def _drop_box(self, head: Block, total: float) -> None:
        """Drop the box inside the article that a line such as "related news" heads."""
        box: Element | None = None
        for element in (head.element, *head.element.ancestors()):
            if element is self.container:
                break
            inside = [b for b in self.inside if is_inside(b.element, element)]
            if sum(self.weights.get(b.index, 0.0) for b in inside) > _MAX_BOX * total:
                break
            box = element
        if box is None:
            return
        for block in self.inside:
            if is_inside(block.element, box):
                self.reasons.setdefault(block.index, "related box")

    def _second_article(self, position: int) -> bool:
        """A headline with a date line of its own, after text has already passed."""
        block = self.inside[position]
        if not (8 <= len(block.text) <= 80 and block.heading):
            return False
        for other in self.inside[position + 1 : position + 4]:
            if len(other.text) < 60 and any(r.timed for r in read_all(other.text)):
                return True
        return False

    def _trim_edges(self) -> None:
        """Drop page matter before the first and behind the last real paragraph."""
        order = list(self.inside)
        solid = [n for n, b in enumerate(order) if b.index not in self.reasons and self._solid(b)]
        if not solid:
            return
        edge = pattern(_TABLE, "edge_lines")
        total = sum(self.weights.get(order[n].index, 0.0) for n in solid)
        # disclaimers and appeals at either end, as long as they are not nearly all there is
        for run in (order, order[::-1]):
            for block in run:
                if block.index in self.reasons:
                    continue
                weight = self.weights.get(block.index, 0.0)
                spared = weight >= 0.5 * total and total - weight < _REST
                if not block.in_code and not spared and edge.fullmatch(block.plain):
                    self.reasons[block.index] = "boilerplate"
                elif run is order and self._info_line(block):
                    self.reasons[block.index] = "date line"
                elif _COUNTER.fullmatch(block.text) and block.element is not self.container:
                    self.reasons[block.index] = "counter"
                elif self._solid(block):
                    break
        self._strays(order)

    @staticmethod
    def _info_line(block: Block) -> bool:
        """A line with the date or the outlet, above the first paragraph."""
        text = block.plain
        if len(text) > 120 or text.endswith("。"):
            return False
        if any(r.timed for r in read_all(text)):
            return True
        labels = [label for label in split_labels(text) if label.colon]
        return bool(labels) and (len(labels) > 1 or len(text) < 40)

    def _strays(self, order: list[Block]) -> None:
        """Short lines cut off from the paragraphs by links or noise are not the article."""
        solid = [n for n, b in enumerate(order) if b.index not in self.reasons and self._solid(b)]
        if not solid:
            return
        for steps in (range(solid[-1] + 1, len(order)), range(solid[0] - 1, -1, -1)):
            gap = False
            for n in steps:
                block = order[n]
                reason = self.reasons.get(block.index)
                if reason in ("link", "noise box"):
                    gap = True
                elif reason is None and (gap or self._tiny(block, n < solid[0])):
                    self.reasons[block.index] = "stray line"

    @staticmethod
    def _tiny(block: Block, above: bool) -> bool:
        """A word or two without a stop above the first paragraph: a label, no text."""
        return above and len(block.text) <= 3 and not block.stops

    def _drop_repeats(self) -> None:
        seen: set[str] = set()
        first = True
        for block in self.inside:
            if block.index in self.reasons:
                continue
            text = block.text
            if first and self.title_key and self.key(text) == self.title_key:
                self.reasons[block.index] = "title again"
                continue
            first = False
            if len(text) >= _REPEAT and not block.in_code:
                if text in seen:
                    self.reasons[block.index] = "repeated"
                seen.add(text)

    @staticmethod
    def _solid(block: Block) -> bool:
        """Surely running text."""
        return block.in_code or (
            block.stops >= 1 and len(block.text) >= 16 and block.link_share < 0.3
        )
