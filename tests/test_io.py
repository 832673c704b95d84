"""Documents in, results out: bad rows are listed, times are read, files are whole."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from toolkit.errors import UserError
from toolkit.io import (
    article_row,
    atomic_writer,
    iter_articles,
    parse_time,
    read_documents,
    write_jsonl,
)

GOOD = {"id": "a", "title": "标题", "body": "正文。"}


def write(path: Path, lines: list[bytes | dict]) -> Path:
    raw = [x if isinstance(x, bytes) else json.dumps(x, ensure_ascii=False).encode() for x in lines]
    path.write_bytes(b"\n".join(raw) + b"\n")
    return path


@pytest.mark.parametrize(
    ("text", "utc", "precision"),
    [
        ("2020-01-02T03:04:05Z", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), "minute"),
        ("2020-01-02T03:04", datetime(2020, 1, 1, 19, 4, tzinfo=UTC), "minute"),
        ("2020-01-02 03:04:05", datetime(2020, 1, 1, 19, 4, 5, tzinfo=UTC), "minute"),
        ("2020-01-02T03:04+09:00", datetime(2020, 1, 1, 18, 4, tzinfo=UTC), "minute"),
        ("2020-01-02", datetime(2020, 1, 1, 16, 0, tzinfo=UTC), "day"),
    ],
)
def test_times(text: str, utc: datetime, precision: str) -> None:
    moment, found = parse_time(text)
    assert moment == utc
    assert found == precision


def test_original_offset_is_kept() -> None:
    moment, _ = parse_time("2020-01-02T03:04+09:00")
    assert moment is not None
    assert moment.utcoffset() == timedelta(hours=9)


@pytest.mark.parametrize(
    "text",
    [
        "昨天",
        "2018-07-07 9:50:18",
        "2020-13-01",
        5,
        "0001-01-01T00:00+14:00",
        "0001-01-01",
        "9999-12-31T23:59:59",
    ],
)
def test_unreadable_time_is_null_with_a_warning(tmp_path: Path, text: object) -> None:
    path = write(tmp_path / "d.jsonl", [{**GOOD, "published": text}])
    documents = read_documents(path)
    assert documents.articles[0].published is None
    assert len(documents.warnings) == 1
    assert "d.jsonl:1" in documents.warnings[0]


def test_bad_rows_never_lose_the_others(tmp_path: Path) -> None:
    rows: list[bytes | dict] = [
        GOOD, b"{broken", b"\xff\xfe", b"[1]", b"null", {"title": "no id"}, {"id": ""},
        {**GOOD, "id": "b", "body": 5}, {"id": "c", "title": " ", "body": "\n"}, GOOD, b"",
        {**GOOD, "id": 7}, {**GOOD, "id": "ü", "source": 3},
    ]  # fmt: skip
    documents = read_documents(write(tmp_path / "d.jsonl", rows))
    assert [a.id for a in documents.articles] == ["a", "7", "ü"]
    assert len(documents.skipped) == 9
    assert all(s.where.startswith(str(tmp_path)) and s.reason for s in documents.skipped)
    numbers = [int(s.where.rsplit(":", 1)[1]) for s in documents.skipped]
    assert numbers == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert len(documents.warnings) == 1


def test_bom_gzip_and_truncated_gzip(tmp_path: Path) -> None:
    line = json.dumps(GOOD).encode() + b"\n"
    (tmp_path / "bom.jsonl").write_bytes(b"\xef\xbb\xbf" + line)
    assert read_documents(tmp_path / "bom.jsonl").articles[0].id == "a"
    many = b"".join(json.dumps({**GOOD, "id": str(i)}).encode() + b"\n" for i in range(5000))
    zipped = gzip.compress(many)
    (tmp_path / "d.jsonl.gz").write_bytes(zipped)
    assert len(read_documents(tmp_path / "d.jsonl.gz").articles) == 5000
    (tmp_path / "cut.jsonl.gz").write_bytes(zipped[: len(zipped) // 2])
    cut = read_documents(tmp_path / "cut.jsonl.gz")
    assert 0 < len(cut.articles) < 5000
    assert "breaks off" in cut.skipped[-1].reason


def test_nothing_to_read_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    for path in (tmp_path / "empty.jsonl", tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(UserError) as error:
            read_documents(path)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)


def test_rows_go_round(tmp_path: Path) -> None:
    row = {**GOOD, "published": "2020-01-02", "fetched": "2020-01-02T10:00+08:00", "mine": [1]}
    path = write(tmp_path / "d.jsonl", [row])
    article = read_documents(path).articles[0]
    write_jsonl(tmp_path / "again.jsonl", [article_row(article)])
    assert read_documents(tmp_path / "again.jsonl").articles[0] == article


def test_damaged_gzip_is_read_up_to_the_damage(tmp_path: Path) -> None:
    rows = [json.dumps({**GOOD, "id": f"{i}", "body": "文" * (i % 97)}) for i in range(3000)]
    zipped = bytearray(gzip.compress("\n".join(rows).encode()))
    zipped[3 * len(zipped) // 4 : 3 * len(zipped) // 4 + 50] = b"\xff" * 50
    (tmp_path / "d.jsonl.gz").write_bytes(bytes(zipped))
    documents = read_documents(tmp_path / "d.jsonl.gz")
    assert 0 < len(documents.articles) < 3000
    assert documents.skipped


def test_an_id_that_cannot_be_written_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", [b'{"id": "x\\ud800", "title": "t", "body": "y"}', GOOD])
    documents = read_documents(path)
    assert [a.id for a in documents.articles] == ["a"]
    assert "surrogate" in documents.skipped[0].reason


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "d.jsonl", [b'{"id": "a", "title": "x\\ud800", "body": "y"}'])
    article = next(iter_articles(path, [], []))
    article.title.encode()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("before")
    with pytest.raises(RuntimeError), atomic_writer(target) as handle:  # noqa: PT012
        handle.write(b"half")
        raise RuntimeError
    assert target.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]
