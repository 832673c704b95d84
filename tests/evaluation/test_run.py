"""A whole evaluation on a small corpus, with methods made for the purpose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small_corpus import Write, corpus_rows

import toolkit.evaluation.outcome as outcome_module
import toolkit.evaluation.run as run_module
from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.evaluation.corpus import load_corpus
from toolkit.evaluation.outcome import run_method, story_folds
from toolkit.evaluation.run import evaluate
from toolkit.matching.method import (
    DIFFERENT,
    DUPLICATE,
    UNDECIDED,
    Decisions,
    PairMethod,
    Pairs,
    Scores,
    all_pairs,
    create_method,
    method_names,
)
from toolkit.model import Article


class Toy(PairMethod):
    """Scores by shared leading letters of the ids; decides by ``cut``; tunes it."""

    name = "toy"
    summary = "for tests"
    threshold_source = "nowhere"
    seen: list[set[str]] = []  # noqa: RUF012

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        self.cut = 4.0

    @property
    def threshold(self) -> None:
        return None

    def fit(self, articles: Sequence[Article]) -> Toy:
        self.articles = articles
        return self

    def candidates(self) -> Pairs:
        return all_pairs(len(self.articles))

    def score(self, pairs: Pairs) -> Scores:
        ids = [a.id for a in self.articles]
        values = []
        for i, j in pairs.tolist():
            same = 0
            while same < min(len(ids[i]), len(ids[j])) and ids[i][same] == ids[j][same]:
                same += 1
            values.append(float(same))
        return np.array(values)

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        cut = self.cut if threshold is None else threshold
        values = np.where(scores >= cut, DUPLICATE, DIFFERENT).astype(np.int8)
        values[scores < 1] = UNDECIDED
        return Decisions(values, ["same_event" if v == DUPLICATE else "different" for v in values])

    def tune(self, pairs: Pairs, labels: np.ndarray, **objective: Any) -> SimpleNamespace:
        type(self).seen.append({self.articles[k].id for k in np.unique(pairs)})
        return SimpleNamespace(settings={"cut": 4.0})

    def use(self, settings: Mapping[str, Any]) -> None:
        self.cut = settings["cut"]

    def sensitivity(self, pairs: Pairs, labels: np.ndarray) -> dict[str, Any]:
        row = {"value": 4.0, "precision": 1.0, "recall": 1.0, "f1": 1.0}
        return {"cut": [{**row, "value": 3.0, "precision": 0.5, "f1": 0.66}, row]}


class Refusing(Toy):
    """Cannot run."""

    name = "refusing"

    def fit(self, articles: Sequence[Article]) -> Toy:
        raise UserError("method refusing takes at most 3 documents")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(name: str, config: RunConfig | None = None) -> PairMethod:
        made = {"toy": Toy, "refusing": Refusing}.get(name)
        return made(config or RunConfig()) if made else create_method(name, config)

    Toy.seen.clear()
    monkeypatch.setattr(outcome_module, "create_method", create)
    monkeypatch.setattr(run_module, "method_names", lambda: [*method_names(), "toy", "refusing"])


@pytest.mark.usefixtures("toys")
def test_the_result_folder(write_corpus: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rows, _ = corpus_rows()
    rows[0]["title"] = "<script>alert(1)</script>柳河县"
    config = write_corpus(
        rows=rows,
        evaluation={
            "methods": ["toy", "refusing", "minhash", "tfidf"], "primary": ["toy", "minhash"],
        },
    )  # fmt: skip
    folder = evaluate(config, progress=False)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["methods"]["refusing"] == {
        "status": "unavailable", "reason": "method refusing takes at most 3 documents",
    }  # fmt: skip
    toy = summary["methods"]["toy"]
    chosen = toy["columns"]["chosen"]
    assert chosen["pairs_strict"]["f1"] == 1
    assert chosen["pages"]["f1"] == 1
    assert chosen["clusters"]["b_cubed"]["f1"] == 1
    assert chosen["pairs_strict"]["interval"]["f1"] == [1, 1]
    assert len(chosen["threshold"]) == 5
    assert list(toy["columns"]) == ["shipped", "chosen", "chosen_apart", "oracle"]
    assert toy["candidates"]["recall"] == 1
    assert toy["candidates"]["reduction"] == 0
    assert toy["curves"]["sensitivity"]["cut"][1] == [4.0, 1.0, 1.0, 1.0]
    assert summary["corpus"]["pairs_scored"] == 40 * 39 // 2 - 1
    assert summary["comparisons"]["primary"]["second"] == "minhash"
    assert all(r["p_holm"] is not None for r in summary["comparisons"]["others"] if r["p"])
    resolved = json.loads((folder / "config.json").read_text())
    assert resolved["config_hash"] == config.digest() == summary["config_hash"]
    assert resolved["corpus_checksum"] == summary["corpus"]["checksum"]
    assert "numpy" in resolved["versions"]
    pairs = [json.loads(x) for x in (folder / "pairs" / "toy.jsonl").read_text().splitlines()]
    assert sum(p["outcome"] == "duplicate" for p in pairs) == 20
    clusters = [json.loads(x) for x in (folder / "clusters" / "toy.jsonl").read_text().splitlines()]
    assert sorted(d for c in clusters for d in c["docs"]) == sorted(r["id"] for r in rows)
    assert all(c["kept"][d] in c["docs"] for c in clusters for d in c["docs"])
    report = (folder / "report.html").read_text()
    assert "<script>alert" not in report
    assert 'src="http' not in report
    assert report.count("<svg") >= 3
    assert "NaN" not in (folder / "summary.json").read_text()
    printed = capsys.readouterr().out
    assert "refusing: unavailable" in printed
    assert "primary comparison" in printed


@pytest.mark.usefixtures("toys")
def test_no_fold_is_tuned_on_its_own_stories(write_corpus: Write) -> None:
    corpus = load_corpus(write_corpus())
    config = write_corpus(evaluation={"methods": ["toy"]})
    outcome = run_method("toy", corpus, config)
    folds = outcome.folds
    assert folds is not None
    for story in range(10):
        assert len(set(folds[corpus.story == story])) == 1
    ids = np.array([a.id for a in corpus.articles])
    for fold, seen in enumerate(Toy.seen[:5]):
        assert seen == set(ids[folds != fold])


def test_folds_hold_about_equally_many(write_corpus: Write) -> None:
    corpus = load_corpus(write_corpus())
    assert np.bincount(story_folds(corpus, 5, 1)).tolist() == [8, 8, 8, 8, 8]
    assert int(story_folds(corpus, 99, 1).max()) == 9


@pytest.mark.usefixtures("toys")
def test_undecided_is_not_found(write_corpus: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(self: Toy, pairs: Pairs, scores: Scores, threshold: Any = None) -> Decisions:
        values = np.where(scores >= 4, UNDECIDED, DIFFERENT).astype(np.int8)
        values[np.flatnonzero(scores >= 4)[::2]] = DUPLICATE
        return Decisions(values, ["different"] * len(values))

    monkeypatch.setattr(Toy, "decide", decide)
    config = write_corpus(evaluation={"methods": ["toy"], "primary": ["toy", "minhash"]})
    folder = evaluate(config, progress=False, table=False)
    summary = json.loads((folder / "summary.json").read_text())
    shipped = summary["methods"]["toy"]["columns"]["shipped"]
    assert shipped["pairs_strict"]["recall"] == 0.5
    assert shipped["pairs_strict"]["precision"] == 1
    assert shipped["undecided"] == 10
    assert shipped["coverage"] == pytest.approx(1 - 10 / 779)
    assert shipped["coverage_positives"] == 0.5
    assert summary["comparisons"]["primary"] is None


@pytest.mark.usefixtures("toys")
def test_a_split_is_kept_apart(write_corpus: Write) -> None:
    _, labels = corpus_rows()
    labels["split"] = {f"s{k}": "dev" if k < 4 else "test" for k in range(10)}
    labels["kinds"] = {f"s{k}": "fire" for k in range(10)}
    config = write_corpus(labels=labels, evaluation={"methods": ["toy", "tfidf"]})
    folder = evaluate(config, progress=False, table=False)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["corpus"]["counted_documents"] == 24
    assert summary["protocol"]["split"] is True
    dev = {f"s{k}" for k in range(4)}
    assert {doc[:2] for doc in Toy.seen[0]} == dev
    assert {doc[:2] for doc in Toy.seen[1]} == dev
    assert not {doc[:2] for doc in Toy.seen[2]} & dev
    assert "fire" in summary["methods"]["toy"]["curves"]["sensitivity_by_kind"]
    labels["split"] = {f"s{k}": "dev" for k in range(10)}
    with pytest.raises(UserError, match="the test split holds fewer than two"):
        evaluate(write_corpus(labels=labels), progress=False)


@pytest.mark.parametrize("kept", [2, 4])
def test_very_small_corpora(write_corpus: Write, kept: int) -> None:
    rows, labels = corpus_rows()
    ids = [r["id"] for r in rows[:kept]]
    single = [{"id": doc, "docs": [doc]} for doc in ids]
    for events in (labels["event_clusters"][: kept // 2], single):
        config = write_corpus(
            rows=rows[:kept], labels={"docs": ids, "event_clusters": events, "story_clusters": []}
        )
        folder = evaluate(config, progress=False)
        summary = json.loads((folder / "summary.json").read_text())
        assert summary["corpus"]["positives"] == (0 if events is single else kept // 2)
        assert all(m["status"] == "ok" for m in summary["methods"].values())


def test_too_many_documents(write_corpus: Write) -> None:
    with pytest.raises(UserError, match="40 documents; an evaluation scores every pair"):
        evaluate(write_corpus(evaluation={"max_all_pairs": 30}), progress=False)


def test_an_unknown_method_stops_at_once(write_corpus: Write) -> None:
    with pytest.raises(UserError, match="did you mean 'minhash'"):
        evaluate(write_corpus(evaluation={"methods": ["minhsh"]}), progress=False)


def test_two_runs_give_the_same_figures(write_corpus: Write) -> None:
    config = write_corpus(evaluation={"methods": ["minhash", "tfidf"]})

    def figures() -> Any:
        folder = evaluate(config, progress=False, table=False)
        summary = json.loads((folder / "summary.json").read_text())
        for method in summary["methods"].values():
            method.pop("cost")
        return summary

    assert figures() == figures()


def test_listed_pairs_only(write_corpus: Write) -> None:
    config = write_corpus(evaluation={"target": "copy", "methods": ["minhash", "tfidf"]})
    labels = [
        {
            "a": f"s{s}e0a",
            "b": f"s{s}e0b",
            "label": "reprint" if s % 2 else "excerpt",
            "story": f"{s}",
        }
        for s in range(10)
    ] + [
        {"a": f"s{s}e0a", "b": f"s{s}e1a", "label": "same_story", "story": f"{s}"}
        for s in range(10)
    ]
    path = run_module.Path(config.corpus.root) / "pairs.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in labels))
    folder = evaluate(
        config.with_settings(["corpus.pairs=pairs.jsonl"]), progress=False, table=False
    )
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["corpus"]["pairs_scored"] == 20
    assert summary["corpus"]["events"] is None
    tfidf = summary["methods"]["tfidf"]
    assert "pages" not in tfidf["columns"]["chosen"]
    assert tfidf["columns"]["chosen"]["pairs_strict"]["interval"] is None  # ten positives
    assert tfidf["targets"]["reprint"]["positives"] == 5
    assert not (folder / "clusters").exists()
