"""Language, list pages and the quality verdict of an extracted page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.language.normalise import count_hanzi, to_simplified
from toolkit.pages.blocks import Block
from toolkit.pages.body import Body
from toolkit.pages.decode import is_mojibake
from toolkit.pages.metadata import Statements

_LATIN = re.compile(r"[A-Za-z]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_SENTENCE_END = re.compile(r"[。！？!?….”’」』）\)】》:：;；~～\]]\s*$")
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
    blocks: Sequence[Block], body: Body, found: Statements, has_date: bool, has_title: bool
) -> bool:
    """True for a page that lists other pages: little text of its own, many links.

    A list has no dated headline; what text it has stands in teasers between links.
    """
    shown = [b for b in blocks if not b.hidden]
    size = sum(len(b.text) for b in shown) or 1
    linked = sum(b.link_chars for b in shown)
    text = sum(len(b.text) for b in body.blocks)
    links = sum(1 for b in shown if b.link_share > 0.5)
    if found.types & {"newsarticle", "article", "reportagenewsarticle"} and text > 100:
        return False
    if text >= 0.5 * size:
        return False
    longest = max((len(b.text) for b in body.blocks), default=0)
    sentences = sum(1 for b in body.blocks if b.stops >= 2 and len(b.text) >= 40)
    if has_date and has_title and (longest >= 60 or sentences >= 2):
        return False
    if links < 15:
        return False
    teasers = sum(1 for b in body.blocks if b.text.endswith(("...", "…", "详细", "[详细]", "更多")))
    if body.blocks and teasers >= 0.3 * len(body.blocks) and len(body.blocks) > 3:
        return True
    if text < 150:
        return linked > 0.4 * size
    return linked > 0.55 * size and not has_date and sentences < 3


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
        if not any(b.stops for b in body.blocks) and len(text) > 40:
            doubtful.append("no running text")
        last = body.blocks[-1].text if body.blocks else ""
        if last.endswith(("...", "…", "……")) or (
            len(last) > 60 and not _SENTENCE_END.search(last) and body.blocks[-1].stops > 2
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
