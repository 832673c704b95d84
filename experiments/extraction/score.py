"""Scores of an extraction against hand-read pages.

Body: F1 of character 4-grams without blanks. Text that a fair extractor may keep or
drop (``optional``) is taken out of both sides first, so that it counts for neither
precision nor recall. Dates count by day and by minute of China time.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta, timezone
from statistics import mean, median
from typing import Any

CHINA = timezone(timedelta(hours=8))
GRAM = 4
_BLANK = re.compile(r"\s+")
_GAP = "\x00"


def bare(text: str | None) -> str:
    """Text without any blanks."""
    return _BLANK.sub("", text or "")


def grams(text: str) -> Counter[str]:
    """Bag of character 4-grams; none spans a gap left by optional text."""
    bag: Counter[str] = Counter()
    for piece in text.split(_GAP):
        bag.update(piece[i : i + GRAM] for i in range(len(piece) - GRAM + 1))
    return bag


def body_f1(found: str, gold: str, optional: list[str]) -> float:
    """F1 of character 4-grams, 0 to 1."""
    a, b = bare(found), bare(gold)
    for text in sorted(map(bare, optional), key=len, reverse=True):
        if text and text not in b:
            a = a.replace(text, _GAP)
        elif text and a.count(text) > b.count(text):
            # a caption that repeats a sentence of the body: its further copies are optional
            keep = b.count(text)
            pieces = a.split(text)
            a = text.join(pieces[: keep + 1]) + _GAP + _GAP.join(pieces[keep + 1 :])
    first, second = grams(a), grams(b)
    both = sum((first & second).values())
    total = sum(first.values()) + sum(second.values())
    return 2 * both / total if total else float(a == b)


def moment(value: Any) -> datetime | None:
    """A tool's date as China time; None if it has none or cannot be read."""
    text = str(value or "").strip().replace("/", "-")
    if not text:
        return None
    for candidate in (text, text[:19], text[:16], text[:10]):
        try:
            found = datetime.fromisoformat(candidate)
        except ValueError:
            continue
        return found.replace(tzinfo=CHINA) if found.tzinfo is None else found.astimezone(CHINA)
    return None


def score_page(found: dict[str, Any], gold: dict[str, Any]) -> dict[str, Any]:
    """Scores of one article page; None where gold or tool says nothing."""
    result: dict[str, Any] = {"page": gold["page"]}
    if "body" in found:
        body = found.get("body") or ""
        result["f1"] = body_f1(body, gold["body"], gold["optional"] or [])
        unwanted = [t for t in gold["must_not_contain"] or [] if bare(t)]
        result["unwanted"] = len(unwanted)
        result["unwanted_found"] = sum(bare(t) in bare(body) for t in unwanted)
    if "title" in found:
        result["title"] = bare(found.get("title")) == bare(gold["title"])
    if "published" in found and gold["published"]:
        when, right = moment(found.get("published")), moment(gold["published"])
        assert right is not None
        result["day"] = when is not None and when.date() == right.date()
        if len(gold["published"]) > 10:
            form = "%Y-%m-%dT%H:%M"
            result["minute"] = when is not None and when.strftime(form) == right.strftime(form)
    for name in ("source", "author", "editor", "section"):
        if name in found and gold[name]:
            result[name] = bare(found.get(name)) == bare(gold[name])
    return result


def summarise(pages: list[dict[str, Any]], seconds: float, count: int) -> dict[str, Any]:
    """One row of the table from the scores of all article pages."""
    row: dict[str, Any] = {}
    bodies = [p["f1"] for p in pages if "f1" in p]
    if bodies:
        row["body_f1_mean"] = round(mean(bodies), 4)
        row["body_f1_min"] = round(min(bodies), 4)
        row["body_f1_median"] = round(median(bodies), 4)
        row["articles_below_080"] = sum(f < 0.8 for f in bodies)
        unwanted = sum(p["unwanted"] for p in pages)
        row["unwanted"] = [sum(p["unwanted_found"] for p in pages), unwanted]
    for name in ("title", "day", "minute", "source", "author", "editor", "section"):
        known = [p[name] for p in pages if name in p]
        if known:
            row[name] = [sum(known), len(known)]
    row["cpu_ms_per_page"] = round(1000 * seconds / max(1, count), 1)
    row["pages_per_second"] = round(count / seconds, 1) if seconds else None
    return row
