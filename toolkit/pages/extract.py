"""One page to one article: the entry point of this folder.

``extract_page`` decodes, parses and reads a page and returns an ``ExtractedPage``:
the article's fields, a quality verdict with reasons, warnings for audit and, for
every field, the signal that won and its runner-up.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from toolkit.config import PagesConfig
from toolkit.language.normalise import count_hanzi
from toolkit.language.wrapping import find_wrapping, wrapping_record
from toolkit.model import Article
from toolkit.pages.blocks import Block, text_key
from toolkit.pages.body import Body, BodyFinder
from toolkit.pages.bylines import BylineFinder, Bylines
from toolkit.pages.dates import DateFinder, Dates
from toolkit.pages.decode import Decoded, decode, is_mojibake
from toolkit.pages.embedded import FEW_HANZI, find_embedded
from toolkit.pages.metadata import Statements, collect
from toolkit.pages.paging import pager_links
from toolkit.pages.parse import Page
from toolkit.pages.quality import Verdict, is_list_page, judge, language_of
from toolkit.pages.second_opinion import second_opinion
from toolkit.pages.sections import find_section
from toolkit.pages.titles import Title, find_title

#: Blocks before the headline and behind the body that may hold a date line.
_BEFORE, _BEHIND = 8, 10
_NEAR = 60
#: Bodies longer than this are no news report; their wrapping is not looked for.
_MAX_WRAPPED = 500_000
_ORIGINAL = re.compile(
    r"^[（(\[【\s]*(?:本文)?(?:原标题|原题为|原题|原文标题|原標題)\s*[:：为]?\s*"
)


@dataclass(frozen=True)
class ExtractedPage:
    """What was read from one page.

    Attributes:
        title, body: plain text; paragraphs of the body are joined by newlines.
        published, modified: aware datetimes or None; ``precision`` ("minute" or
            "day") belongs to ``published``.
        source, author, editor, section: as printed, or None.
        site_name: what the site calls itself, or None.
        language: "zh-Hans", "zh-Hant", another code, or None.
        url, fetched: as given. canonical_url: as stated by the page (unjudged).
        is_article: False for lists and section pages.
        free: False if the page says it is behind a paywall.
        verdict: "good", "doubtful" or "bad", with ``reasons``.
        warnings: what an auditor should look at.
        signals: field -> {"won": signal, "runner_up": [signal, value] or None}.
        captions: captions of pictures, which are not part of the body.
        charset, replaced: how the bytes were read, number of damaged places.
        container: path of names to the box of the body (for template reports).
    """

    title: str
    body: str
    published: datetime | None
    precision: str | None
    modified: datetime | None
    source: str | None
    author: str | None
    editor: str | None
    section: str | None
    site_name: str | None
    language: str | None
    url: str | None
    fetched: datetime | None
    canonical_url: str | None
    is_article: bool
    free: bool
    verdict: str
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    signals: dict[str, dict[str, Any]]
    captions: tuple[str, ...]
    charset: str
    replaced: int
    container: str
    extra: dict[str, Any] = field(default_factory=dict)

    def to_article(self, identifier: str) -> Article:
        """The article as every other part of the toolkit sees it."""
        return Article(
            id=identifier,
            title=self.title,
            body=self.body,
            url=self.url,
            canonical_url=self.canonical_url,
            published=self.published,
            modified=self.modified,
            fetched=self.fetched,
            source=self.source,
            author=self.author,
            section=self.section,
            language=self.language,
            published_precision="day"
            if self.precision == "day"
            else ("minute" if self.published else None),
            extra=self._extra(),
        )

    def _extra(self) -> dict[str, Any]:
        return {
            "editor": self.editor,
            "site_name": self.site_name,
            "is_article": self.is_article,
            "is_accessible_for_free": self.free,
            "quality": self.verdict,
            "reasons": list(self.reasons),
            "warnings": list(self.warnings),
            "signals": self.signals,
            "captions": list(self.captions),
            "charset": self.charset,
            "replaced": self.replaced,
            "container": self.container,
            **self.extra,
        }

    def to_row(self, page: str, identifier: str | None = None) -> dict[str, Any]:
        """The JSON row of the page; ``page`` is its path below the folder of pages."""
        from toolkit.io import article_row

        row = article_row(self.to_article(identifier or page))
        row["page"] = page
        return row


def extract_page(
    html: bytes | str,
    url: str | None = None,
    fetched: datetime | None = None,
    config: PagesConfig | None = None,
    http_charset: str | None = None,
    opinion: bool | None = None,
) -> ExtractedPage:
    """Read one page.

    Args:
        html: the raw bytes (decoded here) or the decoded text.
        url: its address, if known.
        fetched: when it was fetched (aware), if known.
        config: the ``pages`` section of a run.
        http_charset: charset of the Content-Type header, if known.
        opinion: ask the general extractor too; None = as ``config.second_opinion``.

    Returns:
        ExtractedPage: always, also for empty, binary or broken input; what is wrong
        stands in the verdict and its reasons.
    """
    config = config or PagesConfig()
    if isinstance(html, bytes):
        decoded = decode(html, http_charset)
    else:
        decoded = Decoded(html.replace("\x00", ""), "text", 0, None, is_mojibake(html))
    with _collector_off():
        page = Page(decoded.text)
        extracted = _read(decoded, page, url, fetched, config)
        page.release()
    if config.second_opinion if opinion is None else opinion:
        extracted = _with_opinion(extracted, decoded.text)
    return extracted


@contextmanager
def _collector_off() -> Iterator[None]:
    """No cycle collection while a page is read: its thousands of small objects would
    set it off many times, for a fifth of the time; the page's cycles are undone by hand.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _read(
    decoded: Decoded, page: Page, url: str | None, fetched: datetime | None, config: PagesConfig
) -> ExtractedPage:
    """The extraction proper, step by step."""
    blocks = page.blocks
    found = collect(page)
    title, body = _title_and_body(page, blocks, found)
    header, tail = _regions(blocks, title, body)
    dates = DateFinder(page, blocks, found, header, tail, url, fetched).find(config.date_order)
    around = [*tail, *(b.index for b in body.blocks[-4:]), *(b.index for _, b in body.dropped)]
    bylines = BylineFinder(
        page, blocks, found, header, list(dict.fromkeys(around)), dates.line, title.text,
        title.last, body.blocks,
    ).find()  # fmt: skip
    return _assemble(
        decoded, page, blocks, found, title, body, dates, bylines, url, fetched, config
    )


def _with_opinion(page: ExtractedPage, html: str) -> ExtractedPage:
    """The page with the second opinion's agreement and warning."""
    if not page.is_article or not page.body:
        return page
    share, warning = second_opinion(html, page.body)
    warnings = (*page.warnings, warning) if warning else page.warnings
    extra = {**page.extra, "second_opinion": None if share is None else round(share, 4)}
    return replace(page, warnings=warnings, extra=extra)


def _title_and_body(page: Page, blocks: Sequence[Block], found: Statements) -> tuple[Title, Body]:
    """Headline and body help to find each other: a weak headline is looked for again."""
    title = find_title(blocks, found)
    body = BodyFinder(page, blocks, title.last, title.text).find()
    if not title.strong:
        body = BodyFinder(page, blocks, None).find()
        title = find_title(blocks, found, body.blocks[0].index if body.blocks else None)
        body = BodyFinder(page, blocks, title.last, title.text).find()
    if count_hanzi(body.text) < FEW_HANZI and any(b.hidden for b in blocks):
        unseen = BodyFinder(page, blocks, title.last, title.text).find(hidden=True)
        if count_hanzi(unseen.text) > max(FEW_HANZI, 4 * count_hanzi(body.text)):
            unseen.signal = "hidden"
            body = unseen
    return title, body


def _regions(
    blocks: Sequence[Block], title: Title, body: Body
) -> tuple[Sequence[int], Sequence[int]]:
    """Indices of the header (headline to first paragraph) and of what follows the body."""
    if not blocks:
        return [], []
    if body.blocks:
        first, last = body.blocks[0].index, body.blocks[-1].index
    else:
        first = last = title.index if title.index is not None else 0
    start = title.index if title.index is not None and title.index <= first else first - 12
    start = max(0, start - _BEFORE)
    # a date line that was taken for the first paragraph is still one
    header: Sequence[int] = [
        *range(start, first),
        *(b.index for b in body.blocks[:2] if len(b.text) < 40 and not b.text.endswith("。")),
    ]
    if len(header) > 2 * _NEAR:
        # the headline stands far from the body: look at both places
        header = [*header[:_NEAR], *header[-_NEAR:]]
    return header, range(min(len(blocks), last + 1), min(len(blocks), last + 1 + _BEHIND))


def _assemble(
    decoded: Decoded, page: Page, blocks: Sequence[Block], found: Statements, title: Title,
    body: Body, dates: Dates, bylines: Bylines, url: str | None, fetched: datetime | None,
    config: PagesConfig,
) -> ExtractedPage:  # fmt: skip
    text = body.text
    body_signal = f"{body.signal}:{body.container.tag}" if body.container is not None else None
    shown = count_hanzi(text)
    if shown < FEW_HANZI:
        embedded = find_embedded(page, found, shown)
        if embedded is not None:
            text, body_signal = "\n".join(embedded.paragraphs), embedded.signal
    listing = is_list_page(
        blocks, body, found, text, dates.published is not None, _dated_headline(title, dates)
    )
    verdict: Verdict = judge(
        body, text, title.text, config.min_hanzi, page.cut, decoded.mojibake, found.free
    )
    if "binary or damaged text" in verdict.reasons:
        text = ""  # nothing a reader could use
    section, section_signal = find_section(blocks, found, title)
    site = next(iter(found.get("site_name")), (None, None))
    canonical = found.canonical or found.og_url
    signals: dict[str, dict[str, Any]] = {}

    def record(name: str, won: str | None, runner_up: Any) -> None:
        if won:
            signals[name] = {"won": won, "runner_up": list(runner_up) if runner_up else None}

    record("title", title.signal, title.runner_up)
    other = dates.runner_up
    record(
        "published",
        dates.signal,
        (other.signal, other.reading.value.isoformat()) if other else None,
    )
    record("modified", dates.modified_signal, None)
    for role in ("source", "author", "editor"):
        record(role, bylines.signals.get(role), bylines.runners_up.get(role))
    record("section", section_signal, None)
    if canonical:
        record("canonical_url", "rel=canonical" if found.canonical else "og:url", None)
    record("body", body_signal if text else None, None)
    values = dict(bylines.values)
    extra = _wrapping(title.text, text, body, values, signals)
    pager = pager_links(blocks, url or canonical, body.blocks[-1].index) if body.blocks else []
    language = language_of(text or title.text)
    warnings = [*dates.warnings, *found.problems]
    if decoded.replaced:
        warnings.append(f"{decoded.replaced} damaged characters")
    return ExtractedPage(
        title=title.text,
        body=text,
        published=dates.published,
        precision=dates.precision,
        modified=dates.modified,
        source=values.get("source"),
        author=values.get("author"),
        editor=values.get("editor"),
        section=section,
        site_name=site[1],
        language=language,
        url=url,
        fetched=fetched,
        canonical_url=canonical,
        is_article=not listing,
        free=found.free,
        verdict=verdict.level if not listing else "bad",
        reasons=(*(("list page",) if listing else ()), *verdict.reasons),
        warnings=tuple(warnings),
        signals=signals,
        captions=tuple(b.text for b in body.captions),
        charset=decoded.charset,
        replaced=decoded.replaced,
        container=_path(body),
        extra={**extra, "pager": pager} if pager else extra,
    )


def _wrapping(
    title: str, text: str, body: Body, values: dict[str, str], signals: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Extra fields from the wrapping of the body; fills ``values`` that are still missing."""
    extra: dict[str, Any] = {}
    original = next((b.text for reason, b in body.dropped if reason == "original title"), None)
    if original:
        extra["original_title"] = _ORIGINAL.sub("", original).strip("（）()[]【】 《》")
    if not text or len(text) > _MAX_WRAPPED:
        return extra
    wrapping = find_wrapping(title, text)
    if wrapping.spans:
        extra["wrapping"] = wrapping_record(wrapping)
    agency = wrapping.dateline.agency if wrapping.dateline else None
    told = {
        "source": wrapping.source or wrapping.reprinted_from or agency,
        "editor": wrapping.editor,
    }
    for name, value in told.items():
        if value and not values.get(name) and not value.startswith("本"):
            values[name] = value
            signals[name] = {"won": "wrapping of the body", "runner_up": None}
    return extra


def _dated_headline(title: Title, dates: Dates) -> bool:
    """The headline is a headline (a section's name is shorter) and has its date line."""
    if title.index is None or dates.line is None or len(text_key(title.text)) < 8:
        return False
    return -3 <= dates.line.index - (title.last or title.index) <= 8


def _path(body: Body) -> str:
    """Tags and names from the container up, three steps: what a template is known by."""
    if body.container is None:
        return ""
    steps = [body.container, *body.container.ancestors()][:3]
    return " < ".join(f"{e.tag}{'.' + '.'.join(e.names.split()) if e.names else ''}" for e in steps)
