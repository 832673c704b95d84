"""The `copies` method over a store: each arriving article against all stored ones.

Candidates follow the rules of the batch form exactly. A bucket pairs an article with
the ``WINDOW`` members before it and the first ``HEAD`` ones (``fingerprints.lsh``),
anchors count by the same rule (``fingerprints.anchors``), and the verdict looks only at
earlier articles, so a batch over the same articles in the same order decides the same.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import xxhash

from toolkit.config import RunConfig
from toolkit.fingerprints.anchors import LEAST_SHARE
from toolkit.fingerprints.lsh import HEAD, WINDOW
from toolkit.io import article_from_row, article_row, dumps
from toolkit.language.normalise import shingle_text
from toolkit.matching.boilerplate import LEAST_CARRIERS, Repeats, repeats
from toolkit.matching.copy_parts import CopyParts, copy_fingerprints, copy_parts, title_bigrams
from toolkit.matching.copy_relation import CUT, compare
from toolkit.matching.method import DIFFERENT, DUPLICATE
from toolkit.model import COPY_RELATIONS, RELATIONS, Article
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import article_key

_CACHED = 4000
#: a bucket with more members is read by its ends only
_HOT = 1000
_LOOK_UP = "SELECT p.key, p.n FROM json_each(?) AS j CROSS JOIN postings AS p ON p.key = j.value"
_ANCHOR = 0x5BF0A8B145769000
_RELATION = {name: code for code, name in enumerate(RELATIONS)}


@dataclass(frozen=True)
class Known:
    """An article as the comparison needs it."""

    article: Article
    parts: CopyParts
    page: str | None


@dataclass(frozen=True)
class Prints:
    """Keys of one article: ``equal`` (bands, page, short text) and ``anchors``, signed."""

    equal: list[int]
    anchors: list[int]
    page: str | None


@dataclass(frozen=True)
class Decision:
    """What was decided on an arriving article (see ``toolkit.store.add``)."""

    decision: str
    of: int | None
    relation: str | None
    score: float


def signed_key(kind: str, value: str) -> int:
    """A signed 64-bit posting key of a named value."""
    raw = xxhash.xxh3_64_intdigest(f"{kind}\x00{value}".encode("utf-8", "surrogatepass"))
    return raw - (1 << 64) if raw >= 1 << 63 else raw


def anchor_key(anchor: int) -> int:
    """The signed posting key of an anchor's hash."""
    key = anchor ^ _ANCHOR
    return key - (1 << 64) if key >= 1 << 63 else key


class IncrementalCopies:
    """Decides articles one by one; the caller owns the transaction.

    Args:
        connection: a store open for writing.
        config: ``config.copies`` must be the settings of the store.
    """

    def __init__(self, connection: sqlite3.Connection, config: RunConfig) -> None:
        self.db = connection
        self.settings = config.copies
        self.rules = load_site_rules(config.pages.site_rules)
        self._known: OrderedDict[int, Known] = OrderedDict()
        self._titles: dict[int, frozenset[str]] = {}
        self._hot: set[int] = set()
        row = connection.execute("SELECT max(n) FROM articles").fetchone()
        self.next = 0 if row[0] is None else int(row[0]) + 1

    def forget(self) -> None:
        """Drop what was cached (after a rollback)."""
        self._known.clear()
        self._titles.clear()
        row = self.db.execute("SELECT max(n) FROM articles").fetchone()
        self.next = 0 if row[0] is None else int(row[0]) + 1

    def prints(self, articles: Sequence[Article]) -> list[Prints]:
        """Fingerprints of a batch of articles."""
        s = self.settings
        found = copy_fingerprints(articles, s)
        band = np.arange(s.bands, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        keys = (found.keys ^ band).view(np.int64)
        anchors = (found.anchors.hashes ^ np.uint64(_ANCHOR)).view(np.int64)
        out = []
        for k, article in enumerate(articles):
            page = article_key(article, self.rules)
            equal = keys[k].tolist() if found.usable[k] else []
            if page is not None:
                equal.append(signed_key("page", page))
            if not found.usable[k]:
                short = shingle_text(article.body)
                if short:
                    equal.append(signed_key("short", short))
            low, high = found.anchors.indptr[k], found.anchors.indptr[k + 1]
            out.append(Prints(equal, anchors[low:high].tolist(), page))
        return out

    # ---------------------------------------------------------------- candidates
    def _members(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Members of each bucket, ascending; of a hot one only those to pair with."""
        found: dict[int, list[int]] = {}
        cool = [key for key in keys if key not in self._hot]
        for key, n in self.db.execute(_LOOK_UP, (dumps(cool).decode(),)):
            found.setdefault(key, []).append(n)
        for key, members in found.items():
            members.sort()
            if len(members) > _HOT:
                self._hot.add(key)
        for key in keys:
            if key in self._hot:
                found[key] = self._ends(key)
        return found

    def _ends(self, key: int) -> list[int]:
        last = self.db.execute(
            "SELECT n FROM postings WHERE key = ? ORDER BY n DESC LIMIT ?", (key, WINDOW)
        ).fetchall()
        first = self.db.execute(
            "SELECT n FROM postings WHERE key = ? ORDER BY n LIMIT ?", (key, HEAD)
        ).fetchall()
        return [row[0] for row in first] + [row[0] for row in reversed(last)]

    @staticmethod
    def _paired(members: list[int]) -> list[int]:
        """Those of a bucket that an arriving article is paired with."""
        return members if len(members) <= WINDOW else members[:HEAD] + members[-WINDOW:]

    def candidates(self, prints: Prints) -> tuple[list[int], dict[int, list[int]]]:
        """Numbers of stored articles worth comparing, ascending; members of the anchors."""
        buckets = self._members([*prints.equal, *prints.anchors])
        found: set[int] = set()
        for key in prints.equal:
            found.update(self._paired(buckets.get(key, [])))
        shared: dict[int, int] = {}
        for key in prints.anchors:
            for n in set(self._paired(buckets.get(key, []))):
                shared[n] = shared.get(n, 0) + 1
        own = len(prints.anchors)
        # the share counts the smaller set: the other one may be a short text
        rest = [n for n in shared if n not in found]
        if rest:
            sizes = self.db.execute(
                "SELECT n, anchors FROM articles WHERE n IN (SELECT value FROM json_each(?))",
                (dumps(rest).decode(),),
            )
            for n, size in sizes:
                smaller, count = min(own, size), shared[n]
                if count >= LEAST_SHARE * smaller and (count > 1 or smaller <= 4):
                    found.add(n)
        return sorted(found), buckets

    # ------------------------------------------------------------------ verdicts
    def _load(self, n: int) -> Known:
        known = self._known.get(n)
        if known is None:
            row, page = self.db.execute(
                "SELECT row, page_key FROM articles WHERE n = ?", (n,)
            ).fetchone()
            article = article_from_row(orjson.loads(row), "store", [])
            known = Known(article, copy_parts(article, self.settings), page)
            self._keep(n, known)
        else:
            self._known.move_to_end(n)
        return known

    def _keep(self, n: int, known: Known) -> None:
        self._known[n] = known
        if len(self._known) > _CACHED:
            self._known.popitem(last=False)

    def _carriers(
        self, key: int, arriving: int, own: frozenset[int], buckets: dict[int, list[int]]
    ) -> npt.NDArray[np.int32]:
        """All articles that hold an anchor, the arriving one included where it does."""
        if key in own and key not in self._hot:
            return np.array([*buckets.get(key, []), arriving], dtype=np.int32)
        rows = self.db.execute("SELECT n FROM postings WHERE key = ? ORDER BY n", (key,)).fetchall()
        numbers = [row[0] for row in rows]
        return np.array([*numbers, arriving] if key in own else numbers, dtype=np.int32)

    def _title(self, n: int) -> frozenset[str]:
        if n not in self._titles:
            known = self._known.get(n)
            if known is not None:
                self._titles[n] = known.parts.title
            else:
                row = self.db.execute("SELECT row FROM articles WHERE n = ?", (n,)).fetchone()
                self._titles[n] = title_bigrams(orjson.loads(row[0]).get("title") or "")
            if len(self._titles) > 200_000:
                self._titles.clear()
                return self._title(n)
        return self._titles[n]

    def decide(
        self, article: Article, prints: Prints
    ) -> tuple[Decision, list[tuple[Any, ...]], Known | None]:
        """Compare one article with all stored ones.

        Returns:
            (decision, rows of ``pairs``, the article's parts if any were needed).
        """
        n = self.next
        numbers, buckets = self.candidates(prints)
        if not numbers:
            return Decision("new", None, None, 0.0), [], None
        parts = copy_parts(article, self.settings)
        own = frozenset(prints.anchors)
        # boilerplate shows only where a passage has carriers enough, this one included
        spread = any(len(buckets.get(key, ())) + 1 >= LEAST_CARRIERS for key in own)

        def carriers(anchor: int) -> npt.NDArray[np.int32]:
            return self._carriers(anchor_key(anchor), n, own, buckets)

        def titles(number: int) -> frozenset[str]:
            return parts.title if number == n else self._title(number)

        rows: list[tuple[Any, ...]] = []
        best: tuple[tuple[int, float, int], Decision] | None = None
        for other in numbers:
            known = self._load(other)
            same_page = prints.page is not None and prints.page == known.page
            verdict = compare(
                known.article, article, known.parts, parts,
                repeats(known.parts, parts, n, carriers, titles) if spread else Repeats(),
                same_page,
            )  # fmt: skip
            outcome, relation = outcome_of(verdict.score, verdict.relation)
            rows.append((other, n, verdict.score, outcome, _RELATION[relation]))
            if outcome == DUPLICATE:
                key = (_RELATION[relation], -verdict.score, other)
                if best is None or key < best[0]:
                    best = key, Decision("duplicate", other, relation, verdict.score)
        known = Known(article, parts, prints.page)
        if best is None:
            top = max(rows, key=lambda r: (r[2], -r[0]))
            return Decision("new", None, RELATIONS[top[4]], float(top[2])), rows, known
        return best[1], rows, known

    def insert(
        self, article: Article, prints: Prints, decision: Decision,
        pairs: Sequence[tuple[Any, ...]], known: Known | None, story: str,
    ) -> int:  # fmt: skip
        """Write an article, its postings and its decision; returns its number."""
        n = self.next
        self.db.execute(
            "INSERT INTO articles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (n, article.id, dumps(article_row(article)), prints.page, len(prints.anchors),
             decision.decision, decision.of, decision.relation, decision.score, story),
        )  # fmt: skip
        keys = {*prints.equal, *prints.anchors}
        self.db.executemany(
            "INSERT INTO postings VALUES (?, ?)", [(key, n) for key in sorted(keys)]
        )
        if pairs:
            self.db.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?, ?)", pairs)
        if known is not None:
            self._keep(n, known)
        self.next += 1
        return n


def outcome_of(score: float, relation: str) -> tuple[int, str]:
    """Outcome and relation as ``copies`` decides them."""
    duplicate = score >= CUT
    if duplicate and relation not in COPY_RELATIONS:
        relation = "excerpt"
    elif not duplicate and relation in COPY_RELATIONS:
        relation = "different"
    return (DUPLICATE if duplicate else DIFFERENT), relation
