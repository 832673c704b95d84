"""The paper's method: topical elements, Definitions 1 to 6, and the decision RM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.config import PaperConfig
from toolkit.elements.paper import extract_many
from toolkit.elements.paper_values import compatible, value_keys, with_values
from toolkit.elements.patterns import FALLBACK
from toolkit.language.normalise import count_hanzi
from toolkit.language.taggers import Tagger, create_tagger
from toolkit.matching.method import (
    DUPLICATE,
    UNDECIDED,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    register,
)
from toolkit.matching.paper_scores import (
    PairCounts,
    PairScores,
    count_pairs,
    decision_score,
    gates,
    join_scores,
    score_pairs,
)
from toolkit.matching.paper_sweep import (
    GRID,
    RECOVERED,
    TuneResult,
    sensitivity,
    tune,
)
from toolkit.matching.records import RecordIndex, Values, build_index
from toolkit.matching.words import word_matcher
from toolkit.model import Article, Phrase, Record, Span

#: pairs counted at a time, so that memory does not follow their number
_SLICE = 100_000


@register
class Paper(PairMethod):
    """Duplicate when Dcoherence and Tsim both exceed their thresholds (RM = 1).

    D and Dcredibility are gates: below one of them the outcome is ``undecided``. The
    score is the smaller of the two margins (see ``paper_scores.margin``): at least
    0.5 exactly where RM = 1, whatever the gates say.
    """

    name = "paper"
    summary = "the paper's topical elements: phrases, kernels, Definitions 1 to 6, RM"

    threshold_source = (
        "D > 7 as printed; the other four by a sweep on the dev split of corpora/mini"
    )

    @property
    def settings(self) -> PaperConfig:
        """The config section."""
        return self.config.paper

    @property
    def threshold(self) -> float:
        """0.5 on the score is RM = 1 at the configured thresholds."""
        return 0.5

    def fit(self, articles: Sequence[Article], tagger: Tagger | None = None) -> Paper:
        """Tag every article and extract its records."""
        self.articles = articles
        tagger = tagger or create_tagger(self.config.tagger)
        found = extract_many(articles, tagger, self.config.tagger.batch)
        values: Values | None = None
        if self.settings.normalised_phrases:
            values = Values(compatible, value_keys)
            self.records: list[tuple[Record, ...]] = [
                with_values(article, records)
                for article, records in zip(articles, found, strict=True)
            ]
        else:
            self.records = list(found)
        matcher = word_matcher(self.settings.matcher)
        self.index: RecordIndex = build_index(self.records, matcher, values)
        self._cache: tuple[tuple[PaperConfig, bytes], PairScores] | None = None
        return self

    def fallback_share(self) -> dict[str, float]:
        """How often each pattern chose a kernel, and the fallback's share."""
        numbers = [record.kernel.pattern for records in self.records for record in records]
        total = max(len(numbers), 1)
        counted = {number: numbers.count(number) for number in sorted(set(numbers))}
        return {"records": len(numbers), **counted, "share": counted.get(FALLBACK, 0) / total}

    def candidates(self) -> Pairs:
        """Pairs that share a phrase or a core word, from an inverted index."""
        keys = self.index.keys
        holders = keys.T.tocsr()
        found = []
        for start in range(0, self.index.pages, 512):
            block = (keys[start : start + 512] @ holders).tocoo()
            later = block.col > block.row + start
            found.append(np.column_stack([block.row[later] + start, block.col[later]]))
        pairs = np.concatenate(found) if found else np.zeros((0, 2))
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        self.reduction = 1 - len(pairs) / max(self.index.pages * (self.index.pages - 1) / 2, 1)
        return np.ascontiguousarray(pairs[order], dtype=np.int32)

    def counts(self, pairs: Pairs, floor: float | None = None) -> PairCounts:
        """The counts of pairs, down to ``floor`` (default: the configured ``wsim_min``)."""
        least = self.settings.wsim_min if floor is None else floor
        return count_pairs(self.index, pairs, self.settings, least)

    def scores_of(self, pairs: Pairs) -> PairScores:
        """The scores of pairs, a slice at a time; the last answer is kept."""
        key = (self.settings, pairs.tobytes())
        if self._cache is None or self._cache[0] != key:
            parts = [
                score_pairs(self.counts(pairs[start : start + _SLICE]), self.settings)
                for start in range(0, max(len(pairs), 1), _SLICE)
            ]
            self._cache = (key, join_scores(parts))
        return self._cache[1]

    def score(self, pairs: Pairs) -> Scores:
        """The smaller margin of Dcoherence and Tsim; >= 0.5 where both exceed."""
        return decision_score(self.scores_of(pairs), self.settings)

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """RM with three outcomes; the gates hold at any threshold."""
        cut = self.threshold if threshold is None else threshold
        judged = gates(self.scores_of(pairs), self.settings)
        outcome = np.where(judged, (scores >= cut).astype(np.int8), UNDECIDED).astype(np.int8)
        names = {DUPLICATE: self.duplicate_relation, UNDECIDED: "undecided"}
        return Decisions(outcome, [names.get(o, "different") for o in outcome.tolist()])

    def tune(
        self,
        pairs: Pairs,
        labels: npt.NDArray[np.bool_],
        *,
        beta: float = 1.0,
        cost_ratio: float | None = None,
        free: Sequence[str] = RECOVERED,
        missed: int = 0,
    ) -> TuneResult:
        """Sweep the thresholds on labelled pairs (see ``paper_sweep.tune``).

        The printed D > 7 stays unless ``free`` is ``ALL_THRESHOLDS``.
        """
        return tune(
            self.counts(pairs, min(GRID["wsim_min"])),
            labels,
            self.settings,
            free=free,
            beta=beta,
            cost_ratio=cost_ratio,
            missed=missed,
        )

    def sensitivity(
        self, pairs: Pairs, labels: npt.NDArray[np.bool_]
    ) -> dict[str, list[dict[str, float]]]:
        """Rows of value, precision, recall, f1 and coverage for each of the five thresholds."""
        floor = min(self.settings.wsim_min, *GRID["wsim_min"])
        return sensitivity(self.counts(pairs, floor), labels, self.settings)

    def replaced(self, i: int, j: int) -> int:
        """The page with less content: fewer hanzi, then fewer records, then the later one."""

        def content(k: int) -> tuple[int, int, int]:
            return count_hanzi(self.articles[k].body), len(self.records[k]), -k

        return min(i, j, key=content)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Every count and score of the definitions."""
        settings = self.settings
        counts = self.counts(np.array([[i, j]], dtype=np.int32))
        scores = score_pairs(counts, settings)
        reasons = self._reasons(i, j, counts)
        if int(scores.phrases[0]) <= settings.min_phrases:
            reasons.append(f"D = {int(scores.phrases[0])} is not above {settings.min_phrases}")
        if float(scores.credibility[0]) <= settings.credibility_min:
            reasons.append(
                f"Dcredibility = {float(scores.credibility[0]):.3f} is not above "
                f"{settings.credibility_min:g}"
            )
        return {
            "W_a": int(counts.records_a[0]),
            "W_b": int(counts.records_b[0]),
            "w": int(scores.w[0]),
            "Tsim": float(scores.tsim[0]),
            "D_a": int(counts.total_a[0]),
            "D_b": int(counts.total_b[0]),
            "d_a": int(counts.agreeing_a[0]),
            "d_b": int(counts.agreeing_b[0]),
            "D": int(scores.phrases[0]),
            "d": int(scores.agreeing[0]),
            "Dsim": int(scores.on_matched[0]),
            "Dcoherence": float(scores.coherence[0]),
            "Dcredibility": float(scores.credibility[0]),
            "judged": bool(gates(scores, settings)[0]),
            "reasons": reasons,
            "replaced": self.articles[self.replaced(i, j)].id,
            "thresholds": {
                "D": settings.min_phrases,
                "Dcoherence": settings.coherence_min,
                "Dcredibility": settings.credibility_min,
                "Tsim": settings.tsim_min,
                "Wsim": settings.wsim_min,
            },
            "readings": {
                "coherence": settings.coherence,
                "coherence_over": settings.coherence_over,
                "phrase_total": settings.phrase_total,
                "word_share": settings.word_share,
                "matcher": settings.matcher,
                "normalised_phrases": settings.normalised_phrases,
            },
        }

    def _reasons(self, i: int, j: int, counts: PairCounts) -> list[str]:
        reasons = []
        for k, total in ((i, counts.total_a[0]), (j, counts.total_b[0])):
            if not total:
                reasons.append(f"{self.articles[k].id}: no time or place phrase was found")
        if not len(counts.wsim) or counts.wsim.max() < self.settings.wsim_min - 1e-12:
            reasons.append(f"no two records reach Wsim {self.settings.wsim_min:g}")
        return reasons

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """Matched records with their shared words, then agreeing phrases outside them."""
        counts = self.counts(np.array([[i, j]], dtype=np.int32))
        first, second = int(self.index.first[i]), int(self.index.first[j])
        agreeing = self._agreeing(i, j)
        found: list[dict[str, object]] = []
        seen: set[Phrase] = set()
        for row in range(len(counts.pair)):
            x, y = int(counts.a[row]) - first, int(counts.b[row]) - second
            a, b = self.records[i][x], self.records[j][y]
            found.append(self._record_match(i, j, a, b, counts, row))
            for p, q in agreeing.get((x, y), ()):
                seen.update((p, q))
                found.append(self._phrase_match(i, j, p, q, matched=True))
        for pairs in agreeing.values():
            for p, q in pairs:
                if p not in seen:
                    seen.add(p)
                    found.append(self._phrase_match(i, j, p, q, matched=False))
        return tuple(found)

    def _agreeing(self, i: int, j: int) -> dict[tuple[int, int], list[tuple[Phrase, Phrase]]]:
        """Agreeing phrases of two pages by the records they stand in."""
        index = self.index
        sides = []
        for page in (i, j):
            low, high = int(index.first[page]), int(index.first[page + 1])
            ids = index.phrase_ids[index.phrase_first[low] : index.phrase_first[high]]
            held = [(x, p) for x, record in enumerate(self.records[page]) for p in record.phrases]
            sides.append((ids, held))
        (left, ours), (right, theirs) = sides
        wanted = left[:, None] * index.distinct + right[None, :]
        found: dict[tuple[int, int], list[tuple[Phrase, Phrase]]] = {}
        for p, q in np.argwhere(np.isin(wanted, index.agree_keys)).tolist():
            (x, a), (y, b) = ours[p], theirs[q]
            found.setdefault((x, y), []).append((a, b))
        return found

    def _record_match(
        self, i: int, j: int, a: Record, b: Record, counts: PairCounts, row: int
    ) -> dict[str, Any]:
        n, v, k = int(counts.n[row]), int(counts.v[row]), int(counts.k[row])
        word_class = word_matcher(self.settings.matcher)
        words_b = {word_class(word) for word in (*b.nouns, *b.verbs)}
        return {
            "kind": "record",
            "a": self._span(i, a.start, a.end, a.field),
            "b": self._span(j, b.start, b.end, b.field),
            "Wsim": float(counts.wsim[row]),
            "n": n,
            "v": v,
            "k": k,
            "N": [len(a.nouns), len(b.nouns)],
            "V": [len(a.verbs), len(b.verbs)],
            "K": [len(a.kernel.words), len(b.kernel.words)],
            "kernels": ["".join(a.kernel.words), "".join(b.kernel.words)],
            "patterns": [a.kernel.pattern, b.kernel.pattern],
            "words": [w for w in (*a.nouns, *a.verbs) if word_class(w) in words_b],
        }

    def _phrase_match(
        self, i: int, j: int, a: Phrase, b: Phrase, matched: bool
    ) -> dict[str, object]:
        return {
            "kind": "phrase",
            "a": self._span(i, a.start, a.end, a.field),
            "b": self._span(j, b.start, b.end, b.field),
            "kinds": sorted(a.kinds & b.kinds),
            "on_matched_records": matched,
        }

    def _span(self, k: int, start: int, end: int, field: str) -> Span:
        article = self.articles[k]
        if field == "title":
            return Span(start, end, article.title[start:end], "title")
        return Span(start, end, article.body[start:end], "body")
