"""The near-duplicate layer: candidates, exact verification, and a relation per pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from toolkit.fingerprints.anchors import containment_pairs, postings
from toolkit.fingerprints.digests import group_keys
from toolkit.fingerprints.lsh import bucket_pairs, decode_pairs, distinct, encode_pairs
from toolkit.language.normalise import shingle_text
from toolkit.matching.alignment import common_runs, edits, mapped
from toolkit.matching.boilerplate import Repeats, repeats
from toolkit.matching.copy_features import SHORTEST_RUN
from toolkit.matching.copy_parts import CopyParts, copy_fingerprints, copy_parts, title_bigrams
from toolkit.matching.copy_relation import CUT, Verdict, compare
from toolkit.matching.method import (
    DIFFERENT,
    DUPLICATE,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    register,
)  # fmt: skip
from toolkit.model import COPY_RELATIONS, Article
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import article_key

_SMALL = 1000


@register
class Copies(PairMethod):
    """Finds texts made from one another, and says how they differ.

    Candidates come from MinHash bands (32 x 4), from shared anchors (excerpts), from
    equal page keys, and from equal texts where a text is too short to be hashed. Each
    is verified exactly: Jaccard, containment both ways, common runs; the relation is
    one of url_variant, identical, reprint, revision, excerpt, boilerplate, different.
    The score is the probability that one text was made from the other.
    """

    name = "copies"
    summary = "near-duplicate layer: LSH and anchors, verified, with a relation for each pair"
    threshold_source = "probability 0.5; trained by experiments/near/train.py"
    duplicate_relation = "reprint"

    @property
    def threshold(self) -> float:
        """Least probability of a copy."""
        return CUT

    def fit(self, articles: Sequence[Article]) -> Copies:
        """Fingerprint every article; texts are compared later, where they are candidates."""
        settings = self.config.copies
        self.articles = articles
        large = len(articles) > _SMALL
        self.prints = copy_fingerprints(articles, settings, progress=large)
        self.held = postings(self.prints.anchors)
        rules = load_site_rules(self.config.pages.site_rules)
        self.page_keys = [article_key(a, rules) for a in articles]
        self.too_short = int(np.count_nonzero(~self.prints.usable))
        self._parts: dict[int, CopyParts] = {}
        self._titles: dict[int, frozenset[str]] = {}
        self._verdicts: dict[tuple[int, int], Verdict] = {}
        return self

    def candidates(self) -> Pairs:
        """Pairs from all sources; ``sources`` keeps how many each gave."""
        n = len(self.articles)
        bands = bucket_pairs(self.prints.keys, self.prints.usable)
        self.hot_buckets = bands.hot
        found = {
            "bands": bands.pairs,
            "anchors": containment_pairs(self.held, self.prints.anchors.sizes),
            "pages": self._equal(self.page_keys),
            "short texts": self._equal(self._short_texts()),
        }
        self.sources = {name: len(pairs) for name, pairs in found.items()}
        codes = np.concatenate([encode_pairs(pairs, n) for pairs in found.values()])
        return decode_pairs(distinct(codes), n)

    def _equal(self, values: Sequence[str | None]) -> Pairs:
        keys, usable = group_keys(values)
        return bucket_pairs(keys.reshape(-1, 1), usable).pairs

    def _short_texts(self) -> list[str | None]:
        """Texts without a single shingle; an empty one never matches."""
        return [
            None if usable else (shingle_text(article.body) or None)
            for usable, article in zip(self.prints.usable.tolist(), self.articles, strict=True)
        ]

    def score(self, pairs: Pairs) -> Scores:
        """Probabilities of a copy."""
        few = len(pairs) < 10 * _SMALL
        rows = tqdm(pairs.tolist(), desc="compare", unit="pair", disable=few, leave=False)
        return np.array([self.verdict(i, j).score for i, j in rows], dtype=np.float64)

    def verdict(self, i: int, j: int) -> Verdict:
        """The relation of two articles with its figures (kept once computed)."""
        i, j = min(i, j), max(i, j)
        known = self._verdicts.get((i, j))
        if known is None:
            same_page = self.page_keys[i] is not None and self.page_keys[i] == self.page_keys[j]
            known = compare(
                self.articles[i],
                self.articles[j],
                self.parts(i),
                self.parts(j),
                self._repeats(i, j),
                same_page,
            )
            self._verdicts[i, j] = known
        return known

    def _repeats(self, i: int, j: int) -> Repeats:
        return repeats(self.parts(i), self.parts(j), j, self.held.carriers, self._title)

    def _title(self, i: int) -> frozenset[str]:
        if i not in self._titles:
            self._titles[i] = title_bigrams(self.articles[i].title)
        return self._titles[i]

    def parts(self, i: int) -> CopyParts:
        """Article i as the copy layer sees it."""
        if i not in self._parts:
            self._parts[i] = copy_parts(self.articles[i], self.config.copies)
        return self._parts[i]

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """Duplicate from the threshold on; the relation stays the verdict's where it fits."""
        cut = self.threshold if threshold is None else threshold
        outcome = np.where(scores >= cut, DUPLICATE, DIFFERENT).astype(np.int8)
        relation = []
        for (i, j), duplicate in zip(pairs.tolist(), outcome.tolist(), strict=True):
            name = self.verdict(i, j).relation
            if duplicate and name not in COPY_RELATIONS:
                name = "excerpt"
            elif not duplicate and name in COPY_RELATIONS:
                name = "different"
            relation.append(name)
        return Decisions(outcome, relation)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Every figure of the verdict."""
        verdict = self.verdict(i, j)
        values: dict[str, object] = {k: round(v, 4) for k, v in verdict.values.items()}
        if verdict.later is not None:
            values["later"] = verdict.later if i <= j else {"a": "b", "b": "a"}[verdict.later]
        return values

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """What was kept, moved, removed, added or replaced in the bodies, with offsets."""
        low, high = min(i, j), max(i, j)
        first, second = mapped(self.articles[low].body), mapped(self.articles[high].body)
        runs = common_runs(first.text, second.text, SHORTEST_RUN)
        if not runs:
            return ()
        found = edits(first, second, runs)
        return found if i <= j else tuple(_swapped(entry) for entry in found)


def _swapped(entry: dict[str, object]) -> dict[str, object]:
    kind = {"added": "removed", "removed": "added"}.get(str(entry["kind"]), entry["kind"])
    swapped: dict[str, object] = {"kind": kind}
    for old, new in (("b", "a"), ("a", "b")):
        if old in entry:
            swapped[new] = entry[old]
    return swapped
