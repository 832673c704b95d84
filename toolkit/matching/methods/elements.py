"""Method ``elements``: normalised times, places, names and figures decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from toolkit.config import RunConfig
from toolkit.elements.extract import DocumentElements, document_elements
from toolkit.matching.background import bigram_buckets, load_background
from toolkit.matching.decision import DecisionModel, groups_of, load_model
from toolkit.matching.element_candidates import element_candidates
from toolkit.matching.element_explain import aligned_phrases, flips
from toolkit.matching.element_features import (
    COLUMNS,
    Floats,
    PairFeatures,
    Profile,
    make_profile,
    pair_features,
)
from toolkit.matching.method import (
    DIFFERENT,
    DUPLICATE,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    register,
)
from toolkit.model import Article

LEAD_CHARS = 150


@register
class Elements(PairMethod):
    """Calibrated probability that two reports tell of one event.

    The score of a pair depends on its two reports and shipped tables only.
    """

    name: ClassVar[str] = "elements"
    summary: ClassVar[str] = (
        "normalised time, place, participants, figures and text; calibrated probability"
    )
    threshold_source: ClassVar[str] = (
        "trained on dev labels of several sets (matching/data/decision.json)"
    )
    duplicate_relation: ClassVar[str] = "same_event"

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        self.model: DecisionModel = load_model(config.elements.model)
        self.profiles: list[Profile] = []
        self._story_of: dict[tuple[int, ...], float] = {}

    @property
    def threshold(self) -> float | None:
        """The configured threshold, else the model's."""
        chosen = self.config.elements.threshold
        return self.model.threshold if chosen is None else chosen

    def fit(self, articles: Sequence[Article]) -> Elements:
        """Elements, profiles and text vectors of all articles."""
        self.articles = articles
        background = load_background()
        self.profiles = []
        for article in articles:
            self.profiles.append(
                make_profile(article, document_elements(article, False), background)
            )
        self._text = background.vectors(a.text for a in articles)
        self._title = background.vectors(a.title for a in articles)
        self._lead = background.vectors(a.title + "。" + a.body[:LEAD_CHARS] for a in articles)
        self._cover = [
            (np.unique(bigram_buckets(a.title)), np.unique(bigram_buckets(a.body[:600])))
            for a in articles
        ]
        return self

    def candidates(self) -> Pairs:
        """Pairs that share a key (see ``element_candidates``)."""
        return element_candidates(self.profiles, self._text)

    def text_evidence(self, pairs: Pairs) -> Floats:
        """Cosines of text, title, lead and title coverage, shape (m, 4)."""
        i, j = pairs[:, 0], pairs[:, 1]
        out = np.zeros((len(pairs), 4))
        for column, matrix in enumerate((self._text, self._title, self._lead)):
            for start in range(0, len(pairs), 20000):
                stop = start + 20000
                product = matrix[i[start:stop]].multiply(matrix[j[start:stop]])
                out[start:stop, column] = np.asarray(product.sum(axis=1)).ravel()
        rarity = load_background().grams
        for row, (a, b) in enumerate(pairs.tolist()):
            if out[row, 0] < 0.03:
                continue
            out[row, 3] = max(
                _coverage(self._cover[a][0], self._cover[b][1], rarity),
                _coverage(self._cover[b][0], self._cover[a][1], rarity),
            )
        return out

    def pair_features(self, pairs: Pairs) -> list[PairFeatures]:
        """Features of pairs, one object each (for small numbers of pairs)."""
        text = self.text_evidence(pairs)
        return [
            pair_features(self.profiles[a], self.profiles[b], text[row])
            for row, (a, b) in enumerate(pairs.tolist())
        ]

    def matrix(self, pairs: Pairs) -> Floats:
        """Model columns of pairs, shape (m, len(COLUMNS))."""
        text = self.text_evidence(pairs)
        rows = np.zeros((len(pairs), len(COLUMNS)))
        for row, (a, b) in enumerate(pairs.tolist()):
            rows[row] = pair_features(self.profiles[a], self.profiles[b], text[row]).row()
        return rows

    def score(self, pairs: Pairs) -> Scores:
        """P(same event) of pairs."""
        scores = np.zeros(len(pairs))
        story = np.zeros(len(pairs))
        for start in range(0, len(pairs), 50000):
            rows = self.matrix(pairs[start : start + 50000])
            scores[start : start + 50000] = self.model.event_probability(rows)
            story[start : start + 50000] = self.model.story_probability(rows)
        self._story_of = (
            dict(zip(map(tuple, pairs.tolist()), story.tolist(), strict=True))
            if len(pairs) < 2_000_000
            else {}
        )
        return scores

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """Outcomes with the relation same_event, same_story or different."""
        cut = self.threshold if threshold is None else threshold
        assert cut is not None
        outcome = np.where(scores >= cut, DUPLICATE, DIFFERENT).astype(np.int8)
        known = self._story_of
        relation = []
        for pair, duplicate in zip(map(tuple, pairs.tolist()), outcome.tolist(), strict=True):
            if duplicate == DUPLICATE:
                relation.append("same_event")
            elif known.get(pair, 0.0) >= self.model.story_threshold:
                relation.append("same_story")
            else:
                relation.append("different")
        return Decisions(outcome, relation)

    def features(self, i: int, j: int) -> dict[str, object]:
        """Levels, numbers, log-odds contributions, missing parts and flips of a pair."""
        found = self.pair_features(np.array([[i, j]], dtype=np.int32))[0]
        contributions = self.model.contributions(found)
        cut = self.threshold
        assert cut is not None
        return {
            "levels": found.levels,
            "numbers": {k: round(v, 4) for k, v in found.numbers.items()},
            "contributions": {k: round(v, 4) for k, v in contributions.items()},
            "contributions_by_kind": {k: round(v, 4) for k, v in groups_of(contributions).items()},
            "log_odds": round(sum(contributions.values()), 4),
            "missing": [f for f, level in found.levels.items() if level == "unknown"],
            "flips": flips(found, self.model, cut),
            "main_event": [self._main(i), self._main(j)],
        }

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """Matched phrases of both texts with offsets."""
        a, b = self._elements(i), self._elements(j)
        return aligned_phrases(a, b)

    def _elements(self, i: int) -> DocumentElements:
        return document_elements(self.articles[i])

    def _main(self, i: int) -> dict[str, Any]:
        profile = self.profiles[i]
        return {
            "day": list(profile.main_day) if profile.main_day else None,
            "place": profile.main_place or None,
            "acts": sorted(profile.title_acts)[:6],
        }

    def changed(self, features: PairFeatures, feature: str, level: str) -> float:
        """P(same event) after one level is changed (what ``flips`` states)."""
        levels = {**features.levels, feature: level}
        row = replace(features, levels=levels).row()
        return float(self.model.event_probability(row[None, :])[0])


def _coverage(title: Any, body: Any, rarity: Floats) -> float:
    if not len(title):
        return 0.0
    weights = rarity[title]
    total = float(weights.sum())
    if total <= 0:
        return 0.0
    position = np.searchsorted(body, title)
    position[position == len(body)] = 0
    inside = body[position] == title if len(body) else np.zeros(len(title), bool)
    return float(weights[inside].sum()) / total
