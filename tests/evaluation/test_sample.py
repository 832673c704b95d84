"""Sheets for a person: drawn by stratum, read back as labels."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from small_corpus import corpus_rows

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.evaluation.labels import read_listed
from toolkit.evaluation.sample import draw_sample, read_answers, score_bands


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    rows, _ = corpus_rows()
    rows[0]["title"] = "=SUM(A1)"
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    return path


def sheet(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def fill(source: Path, target: Path, answers: list[str], encoding: str = "utf-8-sig") -> None:
    rows = sheet(source)
    for row, answer in zip(rows, answers, strict=False):
        row["answer"] = answer
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    target.write_bytes(buffer.getvalue().encode(encoding))


def test_strata(docs: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.csv"
    count = draw_sample(docs, out, RunConfig(), "tfidf", 3)
    rows = sheet(out)
    assert len(rows) == count
    strata = Counter((r["relation"], r["band"]) for r in rows)
    sizes = {(r["relation"], r["band"]): int(r["stratum_size"]) for r in rows}
    assert all(n == min(3, sizes[s]) for s, n in strata.items())
    assert {"same_event", "different"} <= {r["relation"] for r in rows}
    assert all(r["text_a"] and r["text_b"] and not r["answer"] for r in rows)
    assert not any(r[k].startswith("=") for r in rows for k in ("title_a", "title_b"))
    first = out.read_bytes()
    draw_sample(docs, out, RunConfig(), "tfidf", 3)
    assert out.read_bytes() == first


def test_bands() -> None:
    bands = score_bands(np.array([0.0, 0.19, 0.2, 0.99, 1.0]))
    assert bands.tolist() == [0, 0, 1, 4, 4]
    assert score_bands(np.array([0.5, 0.5])).tolist() == [0, 0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_answers_become_labels(docs: Path, tmp_path: Path, encoding: str) -> None:
    out, filled, labels = (tmp_path / n for n in ("sheet.csv", "filled.csv", "pairs.jsonl"))
    draw_sample(docs, out, RunConfig(), "tfidf", 2)
    fill(out, filled, ["y", "N", "?", "Same Story", ""], encoding)
    assert read_answers(filled, docs, labels) == 3
    read = read_listed(labels)
    assert read.listed is not None
    assert [r for _, _, r in read.listed] == ["same_event", "different", "same_story"]
    assert all(a < b for a, b, _ in read.listed)


def test_refused_answers(docs: Path, tmp_path: Path) -> None:
    out, filled, labels = (tmp_path / n for n in ("sheet.csv", "filled.csv", "pairs.jsonl"))
    draw_sample(docs, out, RunConfig(), "tfidf", 2)
    with pytest.raises(UserError, match="no answer in it"):
        read_answers(out, docs, labels)
    fill(out, filled, ["y", "perhaps"])
    with pytest.raises(UserError, match=r"row 3: answer 'perhaps' is none of"):
        read_answers(filled, docs, labels)
    filled.write_text("a,b,answer\ns0e0a,s0e0b,y\ns0e0b,s0e0a,n\n")
    with pytest.raises(UserError, match="was answered 'same_event' before"):
        read_answers(filled, docs, labels)
    filled.write_text("a,b,answer\ns0e0a,ghost,y\n")
    with pytest.raises(UserError, match="row 2: document 'ghost'"):
        read_answers(filled, docs, labels)
    filled.write_text("x,y\n1,2\n")
    with pytest.raises(UserError, match="columns a, b, answer"):
        read_answers(filled, docs, labels)
    with pytest.raises(UserError, match="cannot be read"):
        read_answers(tmp_path / "none.csv", docs, labels)
    filled.write_bytes(b"a,b,answer\n\xff\xff\xff")
    with pytest.raises(UserError, match="neither UTF-8 nor GB18030"):
        read_answers(filled, docs, labels)
