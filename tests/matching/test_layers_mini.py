"""On the mini corpus every layer catches a duplicate pair that the others miss.

Each layer of text (URL, SimHash, MinHash) against the two others, and the semantic layer
(element-based here) against all three.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from toolkit.config import RunConfig
from toolkit.io import article_from_row
from toolkit.matching.method import DUPLICATE, create_method
from toolkit.pages.run import extract_pages


@pytest.fixture(scope="module")
def caught(project: Path) -> dict[str, set[tuple[str, str]]]:
    """True duplicate pairs each layer's own method calls duplicate, at its shipped threshold."""
    mini = project / "corpora/mini"
    labels = json.loads((mini / "labels.json").read_text(encoding="utf-8"))
    event = {d: e["id"] for e in labels["event_clusters"] for d in e["docs"]}
    rows = extract_pages(mini / "pages", progress=False)
    articles = [article_from_row(r, r["page"], []) for r in rows if r["id"] in event]
    found: dict[str, set[tuple[str, str]]] = {}
    for name in ("url", "simhash", "minhash", "elements"):
        method = create_method(name, RunConfig()).fit(articles)
        pairs = method.candidates()
        outcome = method.decide(pairs, method.score(pairs)).outcome
        found[name] = {
            (articles[i].id, articles[j].id)
            for i, j in pairs[np.asarray(outcome) == DUPLICATE].tolist()
            if event[articles[i].id] == event[articles[j].id]
        }
    return found


TEXT_LAYERS = ["url", "simhash", "minhash"]


@pytest.mark.parametrize("layer", TEXT_LAYERS)
def test_only_this_text_layer(caught: dict[str, set[tuple[str, str]]], layer: str) -> None:
    others = set().union(*(caught[name] for name in TEXT_LAYERS if name != layer))
    assert caught[layer] - others


def test_only_the_semantic_layer(caught: dict[str, set[tuple[str, str]]]) -> None:
    assert caught["elements"] - set().union(*(caught[name] for name in TEXT_LAYERS))
