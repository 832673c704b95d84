"""The command line as other tools call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.model import RELATIONS

FIRE = (
    "昨日下午三时许，青溪县北街一家木器作坊起火，消防救援人员赶到现场后用四十分钟把火扑灭。"
    "作坊主人林某称起火时屋里没有人。当地正在核算损失，火灾没有造成伤亡。"
)
RAIN = (
    "气象台六月十二日发布通报，受低涡东移影响，河西三县预计夜间有大到暴雨。"
    "水务部门要求水库提前腾出库容，沿河村庄安排人员值守，中小学停课一天。"
)
ROWS = [
    {"id": "a", "title": "青溪一木器作坊起火", "body": FIRE, "published": "2021-03-05T09:00"},
    {"id": "b", "title": "青溪北街火灾", "body": FIRE, "published": "2021-03-05T11:00"},
    {"id": "c", "title": "河西三县将有暴雨", "body": RAIN, "published": "2021-06-12"},
]


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "toolkit.cli", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=240)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in ROWS))
    return path


METHODS = [
    "url", "title_md5", "content_md5", "feature_codes", "char_vectors", "difflib", "simhash",
    "minhash", "tfidf", "copies", "paper", "elements", "layers",
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_pairs_rows(docs: Path, tmp_path: Path, method: str) -> None:
    out = tmp_path / "pairs.jsonl"
    done = run("pairs", str(docs), "--method", method, "--out", str(out))
    assert done.returncode == 0, done.stderr.decode()
    for line in out.read_text().splitlines():
        row = json.loads(line)
        assert list(row) == ["a", "b", "score", "duplicate", "relation"]
        assert row["relation"] in RELATIONS
        assert isinstance(row["score"], float | int)
        if {row["a"], row["b"]} != {"a", "b"}:
            assert not row["duplicate"]


@pytest.mark.parametrize("method", ["content_md5", "minhash", "simhash", "tfidf", "copies"])
def test_a_copy_is_found(docs: Path, tmp_path: Path, method: str) -> None:
    out = tmp_path / "pairs.jsonl"
    run("pairs", str(docs), "--method", method, "--out", str(out))
    rows = [json.loads(x) for x in out.read_text().splitlines()]
    assert any({r["a"], r["b"]} == {"a", "b"} and r["duplicate"] for r in rows)


def test_stdin_and_stdout(docs: Path) -> None:
    done = run("pairs", "-", "--method", "minhash", "--out", "-", stdin=docs.read_bytes())
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[0])["duplicate"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ["pairs", "missing.jsonl", "--method", "minhash", "--out", "x"],
        ["pairs", "DOCS", "--method", "minhsh", "--out", "x"],
        ["pairs", "DOCS", "--method", "minhash", "--out", "x", "--set", "minhash.treshold=1"],
        ["eval", "--config", "missing.yaml"],
        ["eval", "--set", "corpus.root=missing"],
        ["explain", "DOCS", "--pair", "a", "zz", "--method", "minhash"],
        ["explain", "DOCS", "--pair", "a", "a", "--method", "minhash"],
        ["extract", "missing", "--out", "x"],
    ],
)
def test_errors_are_one_line_and_exit_2(docs: Path, tmp_path: Path, arguments: list[str]) -> None:
    arguments = [str(docs) if a == "DOCS" else str(tmp_path / a) if a == "x" else a
                 for a in arguments]  # fmt: skip
    done = run(*arguments)
    assert done.returncode == 2
    lines = done.stderr.decode().strip().splitlines()
    assert lines[-1].startswith("error: ")
    assert "Traceback" not in done.stderr.decode()
    assert not (tmp_path / "x").exists()


def test_explain_prints_the_counts(docs: Path) -> None:
    done = run("explain", str(docs), "--pair", "a", "b", "--method", "minhash", "--json")
    evidence = json.loads(done.stdout)
    assert evidence["outcome"] == "duplicate"
    assert evidence["score"] == 1.0
    for match in evidence["matches"]:
        assert FIRE[match["a"]["start"] : match["a"]["end"]] == match["a"]["text"]


def test_every_verb_has_an_example() -> None:
    verbs = ["eval", "extract", "elements", "pairs", "stories", "explain", "add", "sample"]
    for verb in verbs:
        done = run(verb, "--help")
        assert done.returncode == 0
        assert f"toolkit {verb}" in done.stdout.decode()


def test_stories(docs: Path, tmp_path: Path) -> None:
    out = tmp_path / "stories.jsonl"
    done = run("stories", str(docs), "--out", str(out), "--set", "stories.method=copies")
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(x) for x in out.read_text().splitlines()]
    assert sorted(i for r in rows for i in r["articles"]) == ["a", "b", "c"]
    assert any(sorted(e["articles"]) == ["a", "b"] for r in rows for e in r["events"])
    for row in rows:
        assert {"story_id", "articles", "representative", "events"} <= set(row)
        for event in row["events"]:
            assert {"event_id", "articles", "representative", "reason"} <= set(event)
