"""Four layers, cheapest first: URL, SimHash, MinHash, semantic."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from toolkit.config import LayersConfig, RunConfig
from toolkit.matching.method import (
    DIFFERENT,
    DUPLICATE,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    create_method,
    register,
)
from toolkit.matching.semantic import Semantic, semantic_layer
from toolkit.model import Article

LAYERS = ("url", "simhash", "minhash", "semantic")
_RELATION = {"url": "url_variant", "simhash": "reprint", "minhash": "reprint",
             "semantic": "same_event"}  # fmt: skip
#: lowest score and width of the scores of pairs each layer catches
_BASE = np.array([1.0, 0.85, 0.7, 0.5])
_WIDTH = np.array([0.0, 0.1, 0.1, 0.15])
_log = logging.getLogger(__name__)


@register
class Layers(PairMethod):
    """A pair is a duplicate when one of the layers catches it; the first one is named.

    The score orders pairs by layer, then by that layer's own similarity; 0.5 and more
    is caught, below it stand uncaught pairs by half their best similarity. Where
    the semantic layer is not available the other three still decide, and
    ``semantic_state`` says why.
    """

    name = "layers"
    summary = "the layered pipeline: URL, SimHash, MinHash, semantic"
    threshold_source = "each layer's own: Hamming 3, Jaccard 0.8, the semantic layer's"

    @property
    def settings(self) -> LayersConfig:
        """The config section."""
        return self.config.layers

    @property
    def threshold(self) -> float:
        """0.5 and more is caught by a layer."""
        return 0.5

    def fit(self, articles: Sequence[Article]) -> Layers:
        """Fit every layer."""
        self.articles = articles
        config = self._layer_config()
        self.lexical = [create_method(name, config).fit(articles) for name in LAYERS[:3]]
        self.semantic: Semantic | None
        self.semantic, self.semantic_state = semantic_layer(articles, config)
        if self.semantic is None:
            _log.warning("layers: %s", self.semantic_state)
        #: (i, j) -> the first layer that caught the pair, for the pairs decided so far
        self.caught_by: dict[tuple[int, int], str] = {}
        #: (i, j) -> every layer that catches the pair
        self.caught: dict[tuple[int, int], tuple[str, ...]] = {}
        return self

    def _layer_config(self) -> RunConfig:
        settings = self.settings
        simhash = self.config.simhash.model_copy(
            update={"hamming": settings.hamming, "hamming_short": settings.hamming}
        )
        minhash = self.config.minhash.model_copy(update={"threshold": settings.jaccard})
        return self.config.model_copy(update={"simhash": simhash, "minhash": minhash})

    def candidates(self) -> Pairs:
        """The candidates of all layers together."""
        found = [layer.candidates() for layer in self.lexical]
        if self.semantic is not None:
            found.append(self.semantic.candidates())
        pairs = np.concatenate([p.reshape(-1, 2) for p in found])
        return np.unique(pairs, axis=0).astype(np.int32)

    def layers_of(self, pairs: Pairs) -> tuple[Scores, npt.NDArray[np.bool_]]:
        """Similarities and catches of every layer, both (m, 4)."""
        similar = np.zeros((len(pairs), len(LAYERS)))
        caught = np.zeros((len(pairs), len(LAYERS)), dtype=bool)
        for number, layer in enumerate(self.lexical):
            scores = layer.score(pairs)
            similar[:, number] = np.clip(scores, 0.0, 1.0)
            caught[:, number] = layer.decide(pairs, scores).outcome == DUPLICATE
        if self.semantic is not None:
            similar[:, 3], caught[:, 3] = self.semantic.score(pairs)
        return similar, caught

    def score(self, pairs: Pairs) -> Scores:
        """By the first layer that catches a pair, then by that layer's similarity."""
        similar, caught = self.layers_of(pairs)
        first = np.argmax(caught, axis=1)
        any_layer = caught.any(axis=1)
        own = similar[np.arange(len(pairs)), first]
        for k in np.flatnonzero(any_layer).tolist():
            key = (int(pairs[k, 0]), int(pairs[k, 1]))
            self.caught_by[key] = LAYERS[int(first[k])]
            self.caught[key] = tuple(n for n, yes in zip(LAYERS, caught[k], strict=True) if yes)
        # SimHash similarity is near 0.5 for unrelated texts and says nothing below its threshold
        rest = 0.49 * np.maximum(similar[:, 2], similar[:, 3])
        return np.where(any_layer, _BASE[first] + _WIDTH[first] * own, rest)

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """Duplicate at the threshold; the relation is that of the layer that caught it."""
        cut = self.threshold if threshold is None else threshold
        outcome = np.where(scores >= cut, DUPLICATE, DIFFERENT).astype(np.int8)
        relation = [
            _RELATION[self.caught_by.get((int(i), int(j)), "semantic")] if o else "different"
            for (i, j), o in zip(pairs.tolist(), outcome.tolist(), strict=True)
        ]
        return Decisions(outcome, relation)

    def caught_counts(self) -> dict[str, dict[str, int]]:
        """Of the pairs scored so far: caught first, in all, and only by each layer."""
        first = Counter(self.caught_by.values())
        every = Counter(layer for layers in self.caught.values() for layer in layers)
        only = Counter(layers[0] for layers in self.caught.values() if len(layers) == 1)
        return {
            layer: {"first": first[layer], "all": every[layer], "only": only[layer]}
            for layer in LAYERS
        }

    def features(self, i: int, j: int) -> dict[str, object]:
        """Which layer caught the pair, and every layer's similarity."""
        pairs = np.array([[i, j]], dtype=np.int32)
        similar, caught = self.layers_of(pairs)
        layers = [name for name, yes in zip(LAYERS, caught[0], strict=True) if yes]
        return {
            "caught_by": layers[0] if layers else None,
            "layers": layers,
            "similarity": {
                name: round(float(value), 4)
                for name, value in zip(LAYERS, similar[0], strict=True)
                if name != "semantic" or self.semantic is not None
            },
            "semantic": self.semantic_state,
        }

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """The matches of the layer that caught the pair, else of MinHash."""
        caught = self.features(i, j)["caught_by"]
        if caught == "semantic":
            method = getattr(self.semantic, "method", None)
            if isinstance(method, PairMethod):
                return method.matches(i, j)
        position = LAYERS.index(str(caught)) if caught in LAYERS[:3] else 2
        return self.lexical[position].matches(i, j)
