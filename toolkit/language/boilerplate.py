"""Boilerplate by what it repeats: text under unrelated titles is about none of them.

Phrases know the notices of today; this finds those of tomorrow. A line or sentence
that stands in many articles is one of three things: a reprint (the rest of the text is
shared too, and it speaks of the titles), a quotation or background of one story (it
speaks of the titles itself), or boilerplate (the titles have nothing in common and
nothing in it). Only the last is marked. Every step is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.language.normalise import count_hanzi
from toolkit.language.wrapping import Wrapping, find_wrapping
from toolkit.language.wrapping_contexts import Judge, Verdict, bigrams, clean, covered, title_core
from toolkit.language.wrapping_units import I64, U64, units_of
from toolkit.model import Article

#: shortest line and sentence looked at, in letters, digits and hanzi
LINE_MIN = 8
SENTENCE_MIN = 12
#: share of the articles in which a unit of one story's reports must stand at an edge
_AT_EDGE = 0.8
#: share of the title's bigrams that makes a rest speak of the title
_ON_TOPIC = 0.15
#: what is left beside boilerplate is no report below this many hanzi, …
_REST_HANZI = 12
#: … and below this many when it does not speak of the title
_REST_OFF_TOPIC = 60
_DATA_MARK = re.compile(r"\"\s*:\s*[\"\[{\d]|\\u[0-9a-f]{4}|[{};]\s*$|function\s*\(", re.M | re.I)


@dataclass(frozen=True, slots=True)
class BoilerSpan:
    """Boilerplate in a body: ``text == body[start:end]``.

    ``articles`` is how many articles of the fitted set hold its most common unit,
    ``contexts`` under how many unrelated titles.
    """

    start: int
    end: int
    text: str
    articles: int
    contexts: int


class BoilerplateIndex:
    """Fingerprints of lines and sentences that repeat across unrelated articles.

    A repeated unit is boilerplate when its articles' titles find next to nothing of
    themselves in it, and either

    * ``min_unrelated`` of the titles have no pair of characters in common, or
    * ``min_titles`` of them are different reports (of one story, perhaps) and the unit
      stands at the head or tail of the body in nearly all of them.
    """

    def __init__(self, min_unrelated: int = 3, min_titles: int = 5, min_articles: int = 4) -> None:
        self.min_unrelated = min_unrelated
        self.min_titles = min_titles
        self.min_articles = min_articles
        self.keys: U64 = np.zeros(0, np.uint64)
        self.articles: I64 = np.zeros(0, np.int64)
        self.contexts: I64 = np.zeros(0, np.int64)

    def fit(self, articles: Sequence[Article]) -> BoilerplateIndex:
        """Learn what repeats in a set of articles; replaces what was learnt before."""
        units = units_of([a.body for a in articles], LINE_MIN, SENTENCE_MIN)
        order = np.lexsort((units.doc, units.key))
        key, doc = units.key[order], units.doc[order]
        new_key = np.ones(len(key), dtype=bool)
        new_key[1:] = key[1:] != key[:-1]
        first = new_key.copy()
        first[1:] |= doc[1:] != doc[:-1]
        rows, key, doc = order[first], key[first], doc[first]
        starts = np.flatnonzero(new_key[first])
        counts = np.diff(np.append(starts, len(key)))
        spread = np.zeros(len(units), dtype=np.int64)
        spread[rows] = np.repeat(counts, counts)
        judge = Judge(articles, units, spread)
        judged: list[tuple[int, npt.NDArray[np.int64], Verdict]] = []
        for at in np.flatnonzero(counts >= self.min_articles).tolist():
            posting = slice(starts[at], starts[at] + counts[at])
            judged.append((at, rows[posting], judge.verdict(rows[posting], doc[posting])))
        edge = judge.at_edge([r for _, r, v in judged if v.off_topic])
        accepted: dict[int, Verdict] = {}
        groups: dict[bytes, list[int]] = {}
        for number, (at, posting_rows, verdict) in enumerate(judged):
            groups.setdefault(units.doc[posting_rows].tobytes(), []).append(number)
            if not verdict.off_topic:
                continue
            if verdict.unrelated >= self.min_unrelated or (
                verdict.titles >= self.min_titles and edge[posting_rows].mean() >= _AT_EDGE
            ):
                accepted[at] = verdict
        # a unit that occurs in exactly the articles of an accepted block belongs to it
        for numbers in groups.values():
            length = {judged[n][0]: int(units.length[judged[n][1][0]]) for n in numbers}
            if 2 * sum(size for at, size in length.items() if at in accepted) >= sum(
                length.values()
            ):
                for n in numbers:
                    if judged[n][2].nearly:
                        accepted[judged[n][0]] = judged[n][2]
        chosen = sorted(accepted)
        self.keys = key[starts[chosen]] if chosen else np.zeros(0, np.uint64)
        self.articles = counts[chosen] if chosen else np.zeros(0, np.int64)
        self.contexts = np.array([accepted[at].titles for at in chosen], dtype=np.int64)
        return self

    def __len__(self) -> int:
        return len(self.keys)

    def spans(self, article: Article) -> tuple[BoilerSpan, ...]:
        """Boilerplate of an article's body, neighbouring units joined; any article will do."""
        return self.spans_of([article])[0]

    def spans_of(self, articles: Sequence[Article]) -> list[tuple[BoilerSpan, ...]]:
        """``spans`` for many articles at once."""
        result: list[list[BoilerSpan]] = [[] for _ in articles]
        if len(self.keys):
            units = units_of([a.body for a in articles], LINE_MIN, SENTENCE_MIN)
            at = np.minimum(np.searchsorted(self.keys, units.key), len(self.keys) - 1)
            for i in np.flatnonzero(self.keys[at] == units.key).tolist():
                doc, start, end = int(units.doc[i]), int(units.start[i]), int(units.end[i])
                body, spans = articles[doc].body, result[doc]
                n, contexts = int(self.articles[at[i]]), int(self.contexts[at[i]])
                if spans and not any(map(str.isalnum, body[spans[-1].end : start])):
                    last = spans.pop()
                    start, end = last.start, max(end, last.end)
                    n, contexts = max(n, last.articles), max(contexts, last.contexts)
                spans.append(BoilerSpan(start, end, body[start:end], n, contexts))
        return [tuple(spans) for spans in result]

    def is_boilerplate(self, article: Article, wrapping: Wrapping | None = None) -> str | None:
        """Why the body is no report at all, or None.

        A short rest beside boilerplate and wrapping is a report if it speaks of the
        article's title.
        """
        body = article.body
        if not any(map(str.isalnum, body)):
            return "empty body"
        marks = len(_DATA_MARK.findall(body))
        if marks >= 3 and (marks * 40 > len(body) or body.lstrip()[0] in "{["):
            return f"data or script, not text ({marks} marks of it)"
        spans = self.spans(article)
        wrapping = wrapping or find_wrapping(article.title, body)
        if not spans and not wrapping.spans:
            return None
        gone = np.zeros(len(body), dtype=bool)
        for start, end in [(s.start, s.end) for s in spans] + [
            (s.start, s.end) for s in wrapping.spans
        ]:
            gone[start:end] = True
        rest = "".join(c for c, out in zip(body, gone.tolist(), strict=True) if not out)
        left = count_hanzi(rest)
        if left >= _REST_OFF_TOPIC or (not spans and left >= _REST_HANZI):
            return None
        title = bigrams(title_core(article.title))
        if left and (covered(title, clean(rest)) >= _ON_TOPIC if title else left >= _REST_HANZI):
            return None
        if spans:
            most = max(spans, key=lambda s: s.contexts)
            return (
                f"only text that stands in {most.articles} articles under {most.contexts} titles "
                "that it does not speak of"
            )
        if left == 0 and any(span.kind != "title_line" for span in wrapping.spans):
            kinds = ", ".join(dict.fromkeys(s.kind for s in wrapping.spans))
            return f"only wrapping ({kinds})"
        return None  # a headline alone is a flash
