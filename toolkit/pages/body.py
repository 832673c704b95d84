"""Which blocks of a page are the body of the article.

Structure and density: every block of running text gives its weight to the boxes
around it, less with each step outwards, so that the box that holds the paragraphs
and little else wins. Links, boxes with names such as "comment" or "recommend",
hidden text and lines of known wording weigh little or nothing. Then lines at the
head and tail of the box that belong to the page and not to the article are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from toolkit.pages.blocks import Block, text_key
from toolkit.pages.dom import Element
from toolkit.pages.paragraphs import Selector
from toolkit.pages.parse import Page
from toolkit.pages.patterns import name_pattern, pattern

_TABLE = "body_patterns"
#: What a step outwards costs, among boxes that add further text.
_DECAY = 0.7
#: Weight of text in boxes with a name such as "comment".
_NOISE = 0.1
#: A noise name counts only while the box holds less of the page's text than this.
_NOISE_SHARE = 0.6
#: The same for names that hardly lie.
_NEVER_SHARE = 0.9
_WEAK_NOISE = 0.6
_NOISE_TAGS = frozenset({"nav", "footer", "aside"})
_CONTENT_BONUS = 1.3
_ARTICLE_TAGS = frozenset({"article", "main"})


@dataclass
class Body:
    """The chosen blocks and what was left out on the way.

    Attributes:
        blocks: the paragraphs, in order.
        container: the box they were found in, or None if the page has no text.
        weight: weight of the container against the whole page, 0 to 1.
        dropped: (reason, block) for blocks inside the container that were cut.
        captions: captions of pictures inside the container.
        signal: how it was found: "density", or "hidden" for a box not shown yet.
    """

    blocks: list[Block] = field(default_factory=list)
    container: Element | None = None
    weight: float = 0.0
    dropped: list[tuple[str, Block]] = field(default_factory=list)
    captions: list[Block] = field(default_factory=list)

    signal: str = "density"

    @property
    def text(self) -> str:
        """Paragraphs joined by newlines."""
        return "\n".join(b.text for b in self.blocks)


def block_weight(block: Block) -> float:
    """How much running text a block holds, in characters; links do not count."""
    size = len(block.text)
    if block.link_chars > 0.5 * size:
        return 0.0
    plain = size - 1.5 * block.link_chars
    if plain <= 0:
        return 0.0
    if block.stops == 0:
        return plain * (0.2 if size < 10 else 0.4)
    if size < 10:
        return plain * 0.5
    return plain


@lru_cache(maxsize=50_000)
def _kind_of_name(names: str) -> str:
    """ "never", "noise", "weak" or "" for the names of a box (the same on all pages of a site)."""
    for kind, key in (("never", "never_names"), ("noise", "noise_names")):
        if name_pattern(_TABLE, key).search(names):
            return kind
    return "weak" if name_pattern(_TABLE, "weak_noise_names").search(names) else ""


@lru_cache(maxsize=50_000)
def _is_content_name(names: str) -> bool:
    return name_pattern(_TABLE, "content_names").search(names) is not None


class BodyFinder:
    """Finds the body among the blocks of one page."""

    def __init__(
        self, page: Page, blocks: Sequence[Block], title_index: int | None, title: str = ""
    ) -> None:
        self.page = page
        self.title_key = text_key(title)
        self.hidden = False
        self.blocks = blocks
        self.title_index = title_index
        size = len(page.elements)
        self.count = [0] * size
        self.raw = [0.0] * size
        self.own: dict[int, float] = {}
        self.factors: dict[int, float] = {}
        #: boxes around the headline, which no name makes noise
        self.spared: set[int] = set()
        if title_index is not None:
            self.spared = {e.order for e in blocks[title_index].element.ancestors()}

    def find(self, hidden: bool = False) -> Body:
        """Choose the container and its paragraphs.

        Args:
            hidden: read hidden boxes too (for pages that a script would unhide).
        """
        self.hidden = hidden
        weights = self._weights()
        total = sum(weights.values())
        container = self._container(weights)
        if container is None:
            return Body()
        body = Body(container=container)
        first, last = container.order, self.page.last_inside(container)
        inside = [b for b in self.blocks if first <= b.element.order <= last and self._seen(b)]
        body.weight = sum(weights.get(b.index, 0.0) for b in inside) / total if total else 0.0
        self._select(inside, body)
        return body

    def _seen(self, block: Block) -> bool:
        return self.hidden or not block.hidden

    # ---------------------------------------------------------------- container
    def _weights(self) -> dict[int, float]:
        """Weight of each block, by index; also fills the per-element sums."""
        plain: dict[int, float] = {}
        count, raw = self.count, self.raw
        for block in self.blocks:
            if block.hidden and not self.hidden:
                continue
            weight = block_weight(block)
            if weight > 0:
                plain[block.index] = weight
                count[block.element.order] += 1
                raw[block.element.order] += weight
        # children come after their parents, so that one pass backwards adds all up
        for element in reversed(self.page.elements):
            order = element.order
            if count[order] and element.parent is not None:
                count[element.parent.order] += count[order]
                raw[element.parent.order] += raw[order]
        weights = {}
        junk = pattern(_TABLE, "junk_lines")
        for index, weight in plain.items():
            block = self.blocks[index]
            weight *= self.noise_factor(block.element)
            if junk.fullmatch(block.plain):
                weight *= _NOISE
            if self.title_index is not None and index < self.title_index:
                weight *= 0.5
            weights[index] = weight
        return weights

    def noise_factor(self, element: Element | None) -> float:
        """1 for a plain box, less if it or a box around it is named as something else."""
        path = []
        while element is not None:
            known = self.factors.get(element.order)
            if known is not None:
                break
            path.append(element)
            element = element.parent
        factor = 1.0 if element is None else self.factors[element.order]
        for passed in reversed(path):
            factor = min(factor, self._named_noise(passed))
            self.factors[passed.order] = factor
        return factor

    def _named_noise(self, element: Element) -> float:
        """What the element's own name takes away.

        Names count for nothing on a box with the headline in it. Those that are not
        sure count only while the box holds less than most of the page's text: many
        pages call their outermost box "right" or "share-page".
        """
        known = self.own.get(element.order)
        if known is None:
            known = self.own[element.order] = self._judge_name(element)
        return known

    def _judge_name(self, element: Element) -> float:
        if not element.names and element.tag not in _NOISE_TAGS:
            return 1.0
        if element.order in self.spared or element.tag in ("body", "html"):
            return 1.0
        kind = "never" if element.tag in _NOISE_TAGS else _kind_of_name(element.names)
        if kind == "never":
            most = self.raw[element.order] > self.raw[0] * _NEVER_SHARE
            return 1.0 if most else _NOISE
        if not kind or self.raw[element.order] > self.raw[0] * _NOISE_SHARE:
            return 1.0
        return _NOISE if kind == "noise" else _WEAK_NOISE

    def _container(self, weights: dict[int, float]) -> Element | None:
        score: dict[int, float] = {}
        for index, weight in weights.items():
            element: Element | None = self.blocks[index].element
            seen = 0
            factor = 1.0
            level = 0
            while element is not None:
                count = self.count[element.order]
                if count > max(seen, 1):
                    level += 1
                    if level > 1:
                        factor *= _DECAY
                    seen = count
                score[element.order] = score.get(element.order, 0.0) + weight * factor
                element = element.parent
        best: Element | None = None
        best_score = 0.0
        for order, value in score.items():
            element = self.page.elements[order]
            if self._named_content(element):
                value *= _CONTENT_BONUS
            if value > best_score or (
                value == best_score and best is not None and element.depth > best.depth
            ):
                best, best_score = element, value
        return best

    def _named_content(self, element: Element) -> bool:
        if element.tag in _ARTICLE_TAGS or element.get("itemprop") == "articleBody":
            return True
        return bool(element.names) and _is_content_name(element.names)

    # --------------------------------------------------------------- paragraphs
    def _select(self, inside: list[Block], body: Body) -> None:
        weights = {b.index: block_weight(b) for b in inside}
        container = body.container
        assert container is not None
        selector = Selector(
            container, inside, weights, lambda block: self._noise_below(block.element, container),
            self.title_index, self.title_key, text_key,
        )  # fmt: skip
        body.blocks, body.dropped = selector.select()
        body.captions = [b for reason, b in body.dropped if reason == "caption"]

    def _noise_below(self, element: Element, container: Element | None) -> bool:
        node: Element | None = element
        while node is not None and node is not container:
            if self._named_noise(node) == _NOISE:
                return True
            node = node.parent
        return False
