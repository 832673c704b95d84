"""The mini corpus is what it says: hard, reproducible and frozen.

The texts compared here are read from the sources, not through the extractor, so
that the figures do not depend on any other part of the toolkit.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import statistics
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer


@pytest.fixture(scope="module")
def build(project: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("mini_build", project / "corpora/mini/build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mini_build"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(build: ModuleType) -> Any:
    builder = build.Builder()
    builder.build()
    return builder


@pytest.fixture(scope="module")
def labels(project: Path) -> dict[str, Any]:
    return json.loads((project / "corpora/mini/labels.json").read_text(encoding="utf-8"))


def grams(text: str, n: int) -> set[str]:
    text = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())
    return {text[i : i + n] for i in range(len(text) - n + 1)}


def test_corpus_is_frozen(project: Path, build: ModuleType, built: Any) -> None:
    """The committed pages, manifest and labels are what the sources give."""
    mini = project / "corpora/mini"
    files = {"pages/" + p.path: p.data for p in built.pages}
    for name, data in files.items():
        assert (mini / name).read_bytes() == data, f"{name} differs from its sources"
    on_disk = {str(p.relative_to(mini)) for p in (mini / "pages").rglob("*.html")}
    assert on_disk == set(files)
    files |= {n: (mini / n).read_bytes() for n in ("pages.jsonl", "labels.json")}
    assert build.checksum(files) == (mini / "CHECKSUM").read_text().strip()
    assert json.loads(json.dumps(built.labels())) == json.loads(files["labels.json"])


def test_sizes(labels: dict[str, Any], built: Any) -> None:
    events = labels["event_clusters"]
    assert len(events) >= 24
    assert len(set(labels["kinds"].values())) >= 8
    assert len(built.pages) >= 160
    assert sum(len(e["docs"]) - 1 for e in events) >= 48
    assert len({t.outlet for t in built.texts}) >= 12
    tags = Counter(h[2] for h in labels["hard_negatives"])
    assert len(labels["hard_negatives"]) >= 80
    assert tags["recurring"] >= 30
    ids = [d for e in events for d in e["docs"]]
    assert sorted(ids) == labels["docs"]
    assert len(ids) == len(set(ids))


def test_same_titles_over_different_content(labels: dict[str, Any], built: Any) -> None:
    event = {d: e["id"] for e in labels["event_clusters"] for d in e["docs"]}
    titles = {t.id: t.title for t in built.texts}
    pairs = [
        (a, b)
        for a, b in itertools.combinations(titles, 2)
        if titles[a] == titles[b] and event[a] != event[b]
    ]
    assert len(pairs) >= 10


def test_splits_never_share_a_story_or_an_event(labels: dict[str, Any]) -> None:
    story = {d: s["id"] for s in labels["story_clusters"] for d in s["docs"]}
    for event in labels["event_clusters"]:
        assert len({story[d] for d in event["docs"]}) == 1
    assert set(labels["split"]) == {s["id"] for s in labels["story_clusters"]}
    assert set(labels["split"].values()) == {"dev", "test"}


def test_reworded_reports_share_no_long_run(built: Any) -> None:
    """No 12 hanzi in common other than names, numbers and quotations."""
    names: dict[str, list[str]] = {}
    for family in built.families:
        for story in family["stories"]:
            names[story["id"]] = sorted(family.get("names") or [], key=len, reverse=True)

    def runs(text: Any) -> set[str]:
        whole = "\n".join([text.title, *text.paragraphs])
        whole = re.sub(r"“[^”]*”|「[^」]*」", "0", whole)
        whole = re.sub(r"[^\w\n]", "", whole)
        for name in names[text.story]:
            whole = whole.replace(name, "0")
        found = set()
        for run in re.findall(r"[\u3400-\u9fff]{12,}", whole):
            found |= {run[i : i + 12] for i in range(len(run) - 11)}
        return found

    reports = [t for t in built.texts if t.of is None]
    for _, group in itertools.groupby(reports, key=lambda t: t.event):
        for a, b in itertools.combinations(list(group), 2):
            assert not runs(a) & runs(b), (a.id, b.id)


def test_reworded_reports_are_far_apart(built: Any, capsys: pytest.CaptureFixture[str]) -> None:
    reports = [t for t in built.texts if t.of is None]
    values = []
    for _, group in itertools.groupby(reports, key=lambda t: t.event):
        for a, b in itertools.combinations(list(group), 2):
            x, y = grams("".join(a.paragraphs), 5), grams("".join(b.paragraphs), 5)
            values.append(len(x & y) / len(x | y))
    median = statistics.median(values)
    with capsys.disabled():
        print(f"\nown corpus: median char-5 Jaccard of {len(values)} reworded pairs {median:.3f}")
    assert median < 0.15


def test_text_similarity_is_not_enough(
    built: Any, labels: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Best F1 of char-2 TF-IDF on the test split, threshold chosen on that split."""
    story = {d: s["id"] for s in labels["story_clusters"] for d in s["docs"]}
    event = {d: e["id"] for e in labels["event_clusters"] for d in e["docs"]}
    documents = [d for d in labels["docs"] if labels["split"][story[d]] == "test"]
    by_id = {t.id: t for t in built.texts}
    texts = [by_id[d.split("__")[0]] for d in documents]  # a URL variant has its page's text
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 2), sublinear_tf=True)
    matrix = vectorizer.fit_transform([t.title + "。" + "\n".join(t.printed) for t in texts])
    first, second = np.triu_indices(len(texts), k=1)
    scores = (matrix @ matrix.T).toarray()[first, second]
    same = np.array(
        [event[documents[i]] == event[documents[j]] for i, j in zip(first, second, strict=True)]
    )
    order = np.argsort(-scores)
    hits = np.cumsum(same[order])
    f1 = (2 * hits / (np.arange(1, len(order) + 1) + same.sum())).max()
    with capsys.disabled():
        print(f"\nown corpus, test split: best F1 of char-2 TF-IDF {f1:.3f} "
              f"({same.sum()} positives of {len(same)} pairs)")  # fmt: skip
    assert 0.35 <= f1 <= 0.80
