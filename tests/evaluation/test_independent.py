"""The text baselines' figures against computations that share no code with them.

Bigrams, shingles and characters are counted here in plain Python; only the folding
of the text (which both sides must agree on) is the project's.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from toolkit.config import load_config
from toolkit.evaluation.corpus import load_corpus
from toolkit.evaluation.run import evaluate
from toolkit.language.normalise import shingle_text
from toolkit.model import Article


def tfidf_scores(articles: list[Article]) -> np.ndarray:
    """(1 + ln tf) * (ln((1 + n) / (1 + df)) + 1), unit length, dot products."""
    counts = []
    for article in articles:
        text = re.sub(r"\s\s+", " ", f"{article.title}。{article.body}".lower())
        counts.append(Counter(text[k : k + 2] for k in range(len(text) - 1)))
    df = Counter(g for c in counts for g in c)
    n = len(articles)
    vectors = []
    for c in counts:
        v = {g: (1 + math.log(f)) * (math.log((1 + n) / (1 + df[g])) + 1) for g, f in c.items()}
        norm = math.sqrt(sum(x * x for x in v.values()))
        vectors.append({g: x / norm for g, x in v.items()})
    return all_scores(vectors, lambda a, b: sum(x * b[g] for g, x in a.items() if g in b))


def jaccard_scores(articles: list[Article]) -> np.ndarray:
    """Shared over all distinct runs of five characters of the folded body."""
    sets = []
    for article in articles:
        text = shingle_text(article.body)
        sets.append({text[k : k + 5] for k in range(len(text) - 4)})
    return all_scores(sets, lambda a, b: len(a & b) / len(a | b) if a and b else 0.0)


def character_scores(articles: list[Article]) -> np.ndarray:
    """Cosine of the counts of the hanzi that GB2312 holds, over title 。 body."""
    counts = []
    for article in articles:
        kept = Counter()
        for c in f"{article.title}。{article.body}":
            try:
                code = c.encode("gb2312")
            except UnicodeEncodeError:
                continue
            if len(code) == 2 and 0xB0 <= code[0] <= 0xF7:
                kept[c] += 1
        norm = math.sqrt(sum(x * x for x in kept.values())) or 1.0
        counts.append({c: x / norm for c, x in kept.items()})
    return all_scores(counts, lambda a, b: sum(x * b[c] for c, x in a.items() if c in b))


def all_scores(items, score) -> np.ndarray:  # type: ignore[no-untyped-def]
    n = len(items)
    scores = [score(items[i], items[j]) for i in range(n) for j in range(i + 1, n)]
    return np.round(scores, 9)  # equal texts must tie, whatever the order of summation


def best_f1(scores: np.ndarray, truth: np.ndarray) -> float:
    best = 0.0
    for cut in np.unique(scores[truth]):
        found = scores >= cut
        best = max(best, 2 * float((found & truth).sum()) / float(found.sum() + truth.sum()))
    return best


def ap(scores: np.ndarray, truth: np.ndarray) -> float:
    total, previous = 0.0, 0
    for cut in np.unique(scores)[::-1]:
        found = scores >= cut
        hits = int((found & truth).sum())
        total += (hits - previous) / truth.sum() * hits / found.sum()
        previous = hits
    return total


INDEPENDENT = {"tfidf": tfidf_scores, "minhash": jaccard_scores, "char_vectors": character_scores}


def check(config_path: Path, settings: list[str], out: Path, part: str | None) -> None:
    config = load_config(config_path, settings)
    folder = evaluate(config, out=out, progress=False, table=False)
    summary = json.loads((folder / "summary.json").read_text())
    corpus = load_corpus(config)
    corpus = corpus if part is None else corpus.part(part)
    n = len(corpus)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    kept = np.array([p not in corpus.doubtful for p in pairs])
    truth = np.array([corpus.event[i] == corpus.event[j] for i, j in pairs])[kept]
    for name, function in INDEPENDENT.items():
        scores = function(corpus.articles)[kept]
        ranking = summary["methods"][name]["ranking"]
        assert ranking["best_f1_strict"] == pytest.approx(best_f1(scores, truth), abs=5e-4), name
        assert ranking["ap_strict"] == pytest.approx(ap(scores, truth), abs=5e-4), name


METHODS = ["evaluation.methods=[tfidf, minhash, char_vectors]", "evaluation.bootstrap=0"]


@pytest.mark.slow
def test_on_the_own_corpus(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    check(project / "configs/paper.yaml", METHODS, tmp_path / "out", "test")


@pytest.mark.shared
@pytest.mark.slow
def test_on_real_articles(project: Path, shared_data: Path, tmp_path: Path) -> None:
    settings = [*METHODS, f"corpus.root={shared_data / 'ecob_zh'}"]
    check(project / "configs/ecob_zh.yaml", settings, tmp_path / "out", None)
