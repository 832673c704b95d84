"""Which article stands for a group, and why.

``origin``: within a group of copies the text the others were made from, by who is
named (来源, dateline), then by time, then by completeness. ``paper``: of two pages the
one with less content is replaced, so the fullest one stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from toolkit.language.normalise import fold, shingle_text
from toolkit.model import Article
from toolkit.stories.facts import dateline, published_day

_NAME = re.compile(r"[\W_]+")
_SUFFIX = re.compile(r"(?:新闻)?(?:网|在线|客户端|官网|手机版|com|cn)$")


@dataclass(frozen=True)
class Signals:
    """What tells who wrote an article.

    ``outlets`` are names of the page's own outlet, ``named`` is the foreign outlet it
    says it has the text from (None: says nothing or names itself), ``by`` how.
    """

    outlets: frozenset[str]
    named: str | None
    by: str
    own_dateline: bool
    time: float
    length: int


def plain_name(name: str | None) -> str:
    """An outlet's name folded, without marks."""
    return _NAME.sub("", fold(name)) if name else ""


def same_outlet(a: str, b: str) -> bool:
    """Equal names, or one is the other with 网, 在线 and the like at its end."""
    if not a or not b:
        return False
    short_a, short_b = _SUFFIX.sub("", a) or a, _SUFFIX.sub("", b) or b
    return a == b or short_a == short_b or (min(len(short_a), len(short_b)) >= 3 and (
        short_a.startswith(short_b) or short_b.startswith(short_a)))  # fmt: skip


def host(article: Article) -> str:
    """The host of an article's address without www. and m., "" when unknown."""
    url = article.url or article.canonical_url
    if not url:
        return ""
    try:
        name = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return re.sub(r"^(?:www|m|wap|3g)\.", "", name)


def outlet_names(article: Article) -> frozenset[str]:
    """Names of the outlet whose page this is, as far as the row tells."""
    values = [article.extra.get(k) for k in ("outlet", "outlet_name", "site_name")]
    return frozenset(plain_name(v) for v in values if isinstance(v, str) and plain_name(v))


def signals(article: Article, host_names: dict[str, frozenset[str]] | None = None) -> Signals:
    """Read the signals of one article; ``host_names`` are known names of hosts."""
    outlets = outlet_names(article)
    if host_names:
        outlets |= host_names.get(host(article), frozenset())
    agency, end = dateline(article)
    agency = plain_name(agency)
    source = plain_name(article.source)

    def foreign(name: str) -> bool:
        return bool(name) and not any(same_outlet(name, own) for own in outlets)

    named, by = None, ""
    if source and outlets and foreign(source):
        named, by = source, "来源"
    elif agency and (
        foreign(agency) if outlets else bool(source) and not same_outlet(agency, source)
    ):
        named, by = agency, "dateline"
    own = bool(end) and named is None
    day = published_day(article)
    time = day if day == day else float("inf")
    if article.published_precision == "day" and time != float("inf"):
        time += 0.999  # a page that prints the day only is not earlier than one with a time
    names = outlets or (frozenset([source]) if source else frozenset())
    return Signals(names, named, by, own, time, len(shingle_text(article.body)))


def host_outlets(articles: Sequence[Article]) -> dict[str, frozenset[str]]:
    """Names of hosts learnt from the rows: what a host's pages call 来源 most often.

    An outlet's own reports name itself; a host of which one name has at least half
    of two or more lines is taken to be that outlet.
    """
    counts: dict[str, dict[str, int]] = {}
    for article in articles:
        name, where = plain_name(article.source), host(article)
        if where and name:
            counts.setdefault(where, {})[name] = counts.setdefault(where, {}).get(name, 0) + 1
    known: dict[str, frozenset[str]] = {}
    for where, names in counts.items():
        best = max(names, key=lambda k: (names[k], k))
        if names[best] >= 2 and 2 * names[best] >= sum(names.values()):
            known[where] = frozenset([best])
    return known


def choose_origin(
    articles: Sequence[Article], found: Sequence[Signals]
) -> tuple[int, str, dict[int, int]]:
    """The origin of a group of copies.

    Returns:
        (index of the origin, reason, how often each article's outlet is named).
    """
    n = len(articles)
    cited = {
        i: sum(
            1
            for j in range(n)
            if j != i and found[j].named and any(
                same_outlet(str(found[j].named), o) for o in found[i].outlets)
        )
        for i in range(n)
    }  # fmt: skip
    if n == 1:
        return 0, "only article", cited

    def key(i: int) -> tuple[object, ...]:
        s = found[i]
        return (
            s.named is not None,  # says that it has the text from somebody else
            -min(cited[i], 1),
            _hour(s.time),
            not s.own_dateline,
            -cited[i],
            _is_variant(articles[i]),
            -s.length,
            s.time,
            articles[i].id,
        )

    best = min(range(n), key=key)
    return best, _origin_reason(best, articles, found, cited), cited


def _hour(time: float) -> float:
    return time if time == float("inf") else round(time * 24)


def _is_variant(article: Article) -> bool:
    """A mobile, print or tracking address: not the one to show."""
    url = article.url or ""
    first = (urlsplit(url).hostname or "") if "[" not in url else ""
    return bool(re.match(r"(?:m|wap|3g|print)\.", first)) or bool(
        re.search(r"[?&](?:utm_|from=|spm=|print)|/print|_print|/m/|_all\.", url)
    )


def _origin_reason(
    best: int, articles: Sequence[Article], found: Sequence[Signals], cited: dict[int, int]
) -> str:
    s = found[best]
    if cited[best]:
        by = {x.by for x in found if x.named and any(same_outlet(x.named, o) for o in s.outlets)}
        how = ", ".join(sorted(by))
        return f"original source: named by {cited[best]} of {len(found) - 1} others ({how})"
    others = [x for k, x in enumerate(found) if k != best]
    if s.named is None and all(x.named for x in others):
        return "original source: the only one that names no other source"
    if s.time != float("inf") and all(s.time < x.time for x in others):
        return "first seen: earliest time of publication"
    if s.own_dateline and not any(x.own_dateline for x in others):
        return "original source: has the dateline of its own outlet"
    if all(s.length >= x.length for x in others):
        return "most complete text"
    return "earliest hour, then most complete text"


def choose(
    articles: Sequence[Article],
    found: Sequence[Signals],
    copies: Sequence[Sequence[int]],
    rule: str = "origin",
) -> tuple[int, str, dict[int, int]]:
    """The representative of an event.

    Args:
        articles, found: the event's articles and their signals.
        copies: its copy clusters, as indices into ``articles``.
        rule: "origin" or "paper".

    Returns:
        (index, reason, origin of each article's copy cluster).
    """
    origins: dict[int, int] = {}
    heads: list[tuple[tuple[object, ...], int, str, int]] = []
    for members in copies:
        ordered = sorted(members, key=lambda i: articles[i].id)
        local, reason, cited = choose_origin(
            [articles[i] for i in ordered], [found[i] for i in ordered]
        )
        head = ordered[local]
        origins.update({i: head for i in ordered})
        s = found[head]
        votes = sum(cited.values())
        key = (-min(votes, 1), s.named is not None, _hour(s.time), -len(ordered), -s.length,
               articles[head].id)  # fmt: skip
        heads.append((key, head, reason, len(ordered)))
    if rule == "paper":
        best = min(range(len(articles)), key=lambda i: (-found[i].length, articles[i].id))
        text = "only article" if len(articles) == 1 else "paper: the page with most content stays"
        return best, text, origins
    _, head, reason, size = min(heads, key=lambda h: h[0])
    if len(heads) == 1:
        return head, reason, origins
    if size > 1 and reason.startswith("original"):
        return head, reason, origins
    s = found[head]
    if s.time != float("inf") and all(s.time < found[h].time for _, h, _, _ in heads if h != head):
        return head, f"first seen of {len(heads)} independent reports", origins
    if all(s.length >= found[h].length for _, h, _, _ in heads):
        return head, f"most complete of {len(heads)} independent reports", origins
    return head, f"earliest hour of {len(heads)} independent reports", origins
