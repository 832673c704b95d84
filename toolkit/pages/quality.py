"""Language, list pages and the quality verdict of an extracted page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolkit.language.normalise import count_hanzi, to_simplified
from toolkit.pages.blocks import Block
from toolkit.pages.body import Body
from toolkit.pages.date_parse import read_all
from toolkit.pages.decode import is_mojibake
from toolkit.pages.metadata import Statements

_LATIN = re.compile(r"[A-Za-z]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_SENTENCE_END = re.compile(r"[。！？!?….”’」』）\)】》:：;；~～\]]\s*$")
_ARTICLE_TYPES = frozenset(
    {"newsarticle", "article", "reportagenewsarticle", "analysisnewsarticle", "blogposting"}
)
_STOP = re.compile(r"[，。！？；,.!?;]")
_AGO = re.compile(r"\d+\s*(?:分钟|小时|天)前|昨天|前天|\d{1,2}[-/月]\d{1,2}日?(?:\s|$)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``level`` is "good", "doubtful" or "bad"; ``reasons`` say why."""

    level: str
    reasons: tuple[str, ...]


def language_of(text: str) -> str | None:
    """zh-Hans, zh-Hant, ja, ko, en or None, by the characters of the text."""
    sample = text[:4000]
    hanzi = count_hanzi(sample)
    kana = len(_KANA.findall(sample))
    hangul = len(_HANGUL.findall(sample))
    latin = len(_LATIN.findall(sample))
    if hangul > hanzi and hangul > 10:
        return "ko"
    if kana > 0.15 * (hanzi + kana) and kana > 10:
        return "ja"
    if hanzi >= 5 and hanzi * 4 > latin:
        changed = sum(a != b for a, b in zip(sample, to_simplified(sample), strict=True))
        return "zh-Hant" if changed > 0.08 * hanzi else "zh-Hans"
    return "en" if latin > 20 else None


def is_list_page(
    blocks: Sequence[Block], body: Body, found: Statements, text: str, has_date: bool,
    dated_headline: bool,
) -> bool:  # fmt: skip
    """True for a page that lists other pages.

    What a list has for text are teasers: each beside a link, many with a date of
    their own. An article has paragraphs that follow each other.

    Args:
        blocks: all blocks; body: the chosen ones; text: the body's text.
        found: the statements of the page.
        has_date: a date of publication was found.
        dated_headline: a headline of some length stands right above (or below) a date.
    """
    shown = [b for b in blocks if not b.hidden]
    size = sum(len(b.text) for b in shown) or 1
    if found.types & _ARTICLE_TYPES and len(text) > 100:
        return False
    if not body.blocks:
        links = sum(1 for b in shown if b.link_share > 0.5)
        return not text and links >= 15
    if _teasers(body):
        return True
    if len(text) >= 0.5 * size:
        return False
    longest = max(len(b.text) for b in body.blocks)
    sentences = sum(1 for b in body.blocks if b.stops >= 2 and len(b.text) >= 40)
    if dated_headline and (longest >= 40 or len(body.blocks) <= 3):
        return False
    linked = sum(b.link_chars for b in shown)
    links = sum(1 for b in shown if b.link_share > 0.5)
    if links < 15:
        return False
    if len(text) < 150:
        return linked > 0.4 * size
    return linked > 0.55 * size and not has_date and sentences < 3


def _teasers(body: Body) -> bool:
    """The paragraphs stand between links to other pages, or each has a date."""
    links = [b for reason, b in body.dropped if reason == "link" and len(b.text) >= 8]
    paragraphs = [b for b in body.blocks if b.stops and len(b.text) >= 16]
    if len(links) < 5 or len(paragraphs) > 1.5 * len(links):
        return False
    where = [b.index for b in links]
    apart = sum(
        1
        for a, b in pairwise(sorted(p.index for p in paragraphs))
        if any(a < index < b for index in where)
    )
    dates = sum(
        1
        for b in [*body.blocks, *(d for _, d in body.dropped)]
        if len(b.text) < 60 and (read_all(b.text) or _AGO.search(b.text))
    )
    if apart >= 4 and apart >= 0.6 * (len(paragraphs) - 1):
        return True
    return len(links) >= 10 and dates >= 5 and len(paragraphs) <= 3


def judge(
    body: Body, text: str, title: str, min_hanzi: int, cut: bool, page_mojibake: bool, free: bool
) -> Verdict:
    """The quality verdict of an extracted body.

    Args:
        body: the chosen blocks; text: their joined text; title: the headline.
        min_hanzi: shorter bodies are doubtful.
        cut: the page was longer or deeper than the limits.
        page_mojibake: the page's text was flagged when it was decoded.
        free: False if the page says the article is behind a paywall.
    """
    bad: list[str] = []
    doubtful: list[str] = []
    hanzi = count_hanzi(text)
    letters = len(_LATIN.findall(text))
    if not text.strip():
        bad.append("no body")
    elif hanzi + letters // 4 < min_hanzi:
        doubtful.append(f"too short: {hanzi} hanzi")
    if text:
        linked = sum(b.link_chars for b in body.blocks)
        if linked > 0.5 * len(text):
            bad.append("mostly links")
        if len(_CONTROL.findall(text)) > 0.1 * len(text):
            bad.append("binary or damaged text")
        if page_mojibake or is_mojibake(text):
            bad.append("mojibake")
        if not _STOP.search(text) and len(text) > 40:
            doubtful.append("no running text")
        last = text.rsplit("\n", 1)[-1]
        if last.endswith(("...", "…")) or (
            len(last) > 30 and not _SENTENCE_END.search(last) and "，" in last
        ):
            doubtful.append("truncated")
        dropped = sum(len(b.text) for reason, b in body.dropped if reason == "boilerplate")
        if dropped > 2 * len(text):
            doubtful.append("mostly boilerplate")
    elif any(reason == "boilerplate" for reason, _ in body.dropped):
        bad.append("boilerplate only")
    if not title:
        doubtful.append("no title")
    if cut:
        doubtful.append("page longer or deeper than the limits")
    if not free:
        doubtful.append("not accessible for free")
    level = "bad" if bad else ("doubtful" if doubtful else "good")
    return Verdict(level, tuple(bad + doubtful))
