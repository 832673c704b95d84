"""Candidates without all pairs: recall of true pairs and cost.

``python experiments/same_event/candidates.py --shared DIR`` mixes each labelled set into
broadcast news (`xwlb`) and counts how many true pairs are among the candidates.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.config import CorpusConfig, RunConfig
from toolkit.evaluation.corpus import load_corpus
from toolkit.io import read_documents, write_json
from toolkit.matching.method import create_method


def main() -> None:
    """Run and store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", required=True)
    parser.add_argument("--others", type=int, default=2000)
    options = parser.parse_args()
    shared = Path(options.shared)
    others = read_documents(shared / "xwlb" / "docs.jsonl.gz").articles[: options.others]
    result: dict[str, Any] = {}
    for name in ("ecob_zh", "cec"):
        settings = CorpusConfig(name=name, root=str(shared / name))
        corpus = load_corpus(RunConfig(corpus=settings))
        articles = [*corpus.articles, *others]
        start = time.process_time()
        method = create_method("elements").fit(articles)
        fitted = time.process_time()
        pairs = method.candidates()
        found = {tuple(p) for p in pairs.tolist()}
        stop = time.process_time()
        scores = method.score(pairs)
        scored = time.process_time()
        n = len(corpus)
        true = [
            (i, j)
            for i in range(n)
            for j in range(i + 1, n)
            if corpus.event[i] == corpus.event[j] and (i, j) not in corpus.doubtful
        ]
        hard = [(h.i, h.j) for h in corpus.hard_negatives]
        inside = np.array([0.0])
        if hard:
            inside = method.score(np.array(hard, dtype=np.int32))
        assert method.threshold is not None
        result[name] = {
            "articles": len(articles),
            "candidates_per_article": round(2 * len(pairs) / len(articles), 1),
            "true_pairs": len(true),
            "recall": round(sum(p in found for p in true) / max(1, len(true)), 4),
            "hard_negatives": len(hard),
            "hard_negatives_called_duplicate": int((inside >= method.threshold).sum()),
            "duplicates_among_candidates": int((scores >= method.threshold).sum()),
            "cpu_seconds": {
                "fit": round(fitted - start, 1),
                "candidates": round(stop - fitted, 1),
                "score": round(scored - stop, 1),
            },
        }
        print(name, result[name])
    write_json(Path(__file__).parent / "candidates.json", result)


if __name__ == "__main__":
    main()
