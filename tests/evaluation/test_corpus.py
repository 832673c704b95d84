"""Reading labelled corpora: what is kept, what is counted, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_corpus import Write, corpus_rows

from toolkit.config import RunConfig, load_config
from toolkit.errors import UserError
from toolkit.evaluation.corpus import load_corpus
from toolkit.evaluation.labels import read_listed
from toolkit.evaluation.universe import make_universe
from toolkit.model import RELATIONS


def test_the_whole_corpus(write_corpus: Write) -> None:
    corpus = load_corpus(write_corpus())
    assert len(corpus) == 40
    assert [a.id for a in corpus.articles] == sorted(a.id for a in corpus.articles)
    assert len(corpus.event_ids) == 20
    assert len(corpus.story_ids) == 10
    assert corpus.split is None
    index = {a.id: i for i, a in enumerate(corpus.articles)}
    assert corpus.relations[index["s0e0a"], index["s0e0b"]] == "reprint"
    tags = {(h.tag, h.why) for h in corpus.hard_negatives}
    assert tags == {("follow_up", "后续"), ("untagged", "相似")}
    assert len(corpus.doubtful) == 1
    assert len(corpus.checksum) == 64


def test_three_broken_rows_are_counted(write_corpus: Write) -> None:
    rows, _ = corpus_rows()
    broken: list[object] = [
        "{not json",
        '{"title": "no id"}',
        '{"id": "s9e1b", "title": "", "body": ""}',
    ]
    corpus = load_corpus(write_corpus(rows=[*rows[:20], *broken, *rows[20:-1]]))
    assert len(corpus.skipped) == 3
    assert corpus.lost == ("s9e1b",)
    assert len(corpus) == 39


def test_an_unreadable_date_is_no_lost_row(write_corpus: Write) -> None:
    rows, _ = corpus_rows()
    rows[0]["published"] = "2018-07-07 9:50:18 左右"
    corpus = load_corpus(write_corpus(rows=rows))
    assert len(corpus) == 40
    assert corpus.articles[0].published is None
    assert len(corpus.warnings) == 1


def test_refusals(write_corpus: Write, tmp_path: Path) -> None:
    _, labels = corpus_rows()
    with pytest.raises(UserError, match="no such corpus folder"):
        load_corpus(RunConfig.model_validate({"corpus": {"root": str(tmp_path / "nowhere")}}))
    with pytest.raises(UserError, match="no documents"):
        load_corpus(write_corpus(rows=[]))
    with pytest.raises(UserError, match=r"labels name 2 documents.*'ghost1'"):
        load_corpus(
            write_corpus(labels={**labels, "hard_negatives": [["ghost1", "ghost2", "other", ""]]})
        )
    double = [*labels["event_clusters"], {"id": "again", "docs": ["s0e0a"]}]
    with pytest.raises(UserError, match="'s0e0a' is in 's0e0' and in 'again'"):
        load_corpus(write_corpus(labels={**labels, "event_clusters": double}))
    with pytest.raises(UserError, match="neither dev nor test"):
        load_corpus(write_corpus(labels={**labels, "split": {"s0": "train"}}))
    with pytest.raises(UserError, match="split does not name story"):
        load_corpus(write_corpus(labels={**labels, "split": {"s0": "dev"}}))
    with pytest.raises(UserError, match="must be a JSON object"):
        load_corpus(write_corpus(labels=[]))
    with pytest.raises(UserError, match="relations: 'twin' is none of"):
        load_corpus(write_corpus(labels={**labels, "relations": [["s0e0a", "s0e0b", "twin"]]}))
    config = write_corpus()
    (Path(config.corpus.root) / "labels.json").unlink()
    with pytest.raises(UserError, match="no labels there"):
        load_corpus(config)


def test_an_event_across_two_stories_joins_them(write_corpus: Write) -> None:
    _, labels = corpus_rows()
    labels["event_clusters"][0]["docs"].append("s1e0a")
    labels["event_clusters"][2]["docs"].remove("s1e0a")
    labels["relations"] = []
    corpus = load_corpus(write_corpus(labels=labels))
    story = {a.id: corpus.story[i] for i, a in enumerate(corpus.articles)}
    assert story["s0e0a"] == story["s1e1b"]
    assert len(corpus.story_ids) == 9


def test_relations_of_all_pairs(write_corpus: Write) -> None:
    corpus = load_corpus(write_corpus())
    universe = make_universe(corpus)
    assert len(universe.pairs) == 40 * 39 // 2
    counts = {r: int((universe.relation == k).sum()) for k, r in enumerate(RELATIONS)}
    assert counts["reprint"] == counts["revision"] == 1
    assert counts["same_event"] == 18
    assert counts["same_story"] == 40
    assert int((~universe.scored).sum()) == 1
    assert int(universe.positive.sum()) == 20
    assert int(make_universe(corpus, "copy").positive.sum()) == 2
    assert int(make_universe(corpus, "reprint").positive.sum()) == 1
    assert int(universe.written_apart().sum()) == 38


def test_listed_pairs(write_corpus: Write) -> None:
    config = write_corpus()
    rows = [
        {"a": "s0e0b", "b": "s0e0a", "label": "reprint", "story": "x"},
        {"a": "s0e0a", "b": "s0e0b", "label": "excerpt", "story": "x"},
        {"a": "s0e0a", "b": "s0e1a", "label": "same_story", "story": "x"},
        {"a": "s1e0a", "b": "s1e1a", "label": "boilerplate", "story": "y"},
        {"a": "s1e0a", "b": "s1e1b", "label": "who knows", "story": "y"},
    ]
    path = Path(config.corpus.root) / "pairs.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    corpus = load_corpus(config.with_settings(["corpus.pairs=pairs.jsonl"]))
    assert [a.id for a in corpus.articles] == ["s0e0a", "s0e0b", "s0e1a", "s1e0a", "s1e1a"]
    assert corpus.listed == ((0, 1, "reprint"), (0, 2, "same_story"), (3, 4, "boilerplate"))
    assert len(corpus.skipped) == 2
    assert corpus.story.tolist() == [0, 0, 0, 1, 1]
    universe = make_universe(corpus, "copy")
    assert universe.positive.tolist() == [True, False, False]
    assert universe.lenient.tolist() == [True, False, True]


def test_listed_pairs_without_a_story(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [("a", "b", "reprint"), ("c", "b", "same_story"), ("a", "d", "different")]
    path.write_text(
        "".join(json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in rows)
    )
    story = read_listed(path).story
    assert story["a"] == story["b"] == story["c"] != story["d"]


def test_the_own_corpus_is_the_frozen_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    corpus = load_corpus(load_config("configs/paper.yaml"))
    assert corpus.checksum == (project / "corpora/mini/CHECKSUM").read_text().strip()
    assert not corpus.lost
    assert set(corpus.split or []) == {"dev", "test"}


@pytest.mark.shared
def test_real_corpora(shared_data: Path, project: Path) -> None:
    expected = {"ecob_zh": (291, 159, 89), "cec": (160, 155, 154)}
    for name, sizes in expected.items():
        config = load_config(
            project / f"configs/{name}.yaml", [f"corpus.root={shared_data / name}"]
        )
        corpus = load_corpus(config)
        assert (len(corpus), len(corpus.event_ids), len(corpus.story_ids)) == sizes
        universe = make_universe(corpus)
        ours = json.loads((project / f"corpora/{name}/labels.json").read_text())
        assert sorted(ours["docs"]) == [a.id for a in corpus.articles]
        doubtful = {frozenset(p) for p in ours["doubtful"]}
        assert int((~universe.scored).sum()) == len(doubtful)
        assert int(universe.scored.sum()) == len(corpus) * (len(corpus) - 1) // 2 - len(doubtful)
