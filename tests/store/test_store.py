"""The store: same decisions as the batch, durable, versioned, one writer, stable ids."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from invented import corpus

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.io import article_row, write_jsonl
from toolkit.matching.method import create_method
from toolkit.store.add import Store, add_documents
from toolkit.store.schema import open_store
from toolkit.store.stories import saved_changes, stored_articles, stored_pairs, stories_of_store
from toolkit.store.urls import UrlSet, expected_rate, filter_bytes
from toolkit.stories.cluster import build_stories
from toolkit.stories.pairs import pairs_of_method

CONFIG = RunConfig()
HERE = Path(__file__).resolve().parent


def pair_table(decided):
    return {
        (int(i), int(j)): (round(float(s), 9), int(o), int(r))
        for (i, j), s, o, r in zip(
            decided.pairs, decided.score, decided.outcome, decided.relation, strict=True
        )
    }


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_batch_and_incremental_decide_the_same(tmp_path: Path, batch: int):
    articles = corpus(400)
    method = create_method("copies", CONFIG).fit(articles)
    expected = pairs_of_method(method)
    with Store(tmp_path / "s.db", CONFIG) as store:
        rows = list(store.add(articles, batch))
        found = stored_pairs(store.db)
        assert [a.id for a in stored_articles(store.db)] == [a.id for a in articles]
    assert pair_table(found) == pair_table(expected)
    assert [r["id"] for r in rows] == [a.id for a in articles]
    assert sum(r["decision"] == "duplicate" for r in rows) > 80
    result, _ = stories_of_store(tmp_path / "s.db", CONFIG)
    assert list(result.rows()) == list(build_stories(articles, expected, CONFIG).rows())


def test_a_bucket_larger_than_the_window_agrees_too(tmp_path: Path):
    base = corpus(3, seed=5)[2]
    articles = [
        type(base)(f"b{k:04d}", f"{base.title}{k}", base.body[:70] + f"第{k}次转载。")
        for k in range(170)
    ]
    expected = pairs_of_method(create_method("copies", CONFIG).fit(articles))
    with Store(tmp_path / "s.db", CONFIG) as store:
        list(store.add(articles))
        assert pair_table(stored_pairs(store.db)) == pair_table(expected)


def test_adding_a_file_again_changes_nothing(tmp_path: Path):
    path = tmp_path / "docs.jsonl"
    write_jsonl(path, (article_row(a) for a in corpus(60)))
    first = list(add_documents(path, tmp_path / "s.db", CONFIG))
    again = list(add_documents(path, tmp_path / "s.db", CONFIG))
    assert {r["decision"] for r in again} == {"known"}
    assert [(r["id"], r["of"], r["story_id"]) for r in again] == [
        (r["id"], r["of"], r["story_id"]) for r in first
    ]
    assert set(first[0]) == {"id", "decision", "of", "relation", "score", "story_id"}


def test_errors_name_the_file_and_the_remedy(tmp_path: Path):
    with pytest.raises(UserError, match="no such store"):
        open_store(tmp_path / "none.db")
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"these are not the bytes of a database at all, whatever the name says" * 20)
    with pytest.raises(UserError, match="not a store"):
        Store(bad, CONFIG)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as db:
        db.execute("PRAGMA application_id = 7")
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(UserError, match="not a store"):
        Store(foreign, CONFIG)
    Store(tmp_path / "s.db", CONFIG).close()
    with pytest.raises(UserError, match="same settings"):
        Store(tmp_path / "s.db", CONFIG.with_settings(["copies.bands=16"]))
    with sqlite3.connect(tmp_path / "s.db") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="version 99"):
        Store(tmp_path / "s.db", CONFIG)
    with pytest.raises(UserError, match="folder"):
        Store(tmp_path / "no" / "s.db", CONFIG)


def test_one_writer_and_readers(tmp_path: Path):
    with Store(tmp_path / "s.db", CONFIG) as store:
        list(store.add(corpus(20)))
        store.db.execute("BEGIN IMMEDIATE")
        reader = open_store(tmp_path / "s.db")
        assert reader.execute("SELECT count(*) FROM articles").fetchone()[0] == 20
        with pytest.raises(sqlite3.OperationalError):
            reader.execute("DELETE FROM articles")
        second = Store(tmp_path / "s.db", CONFIG)
        second.db.execute("PRAGMA busy_timeout = 50")
        with pytest.raises(UserError, match="another process"):
            list(second.add(corpus(21)))
        store.db.execute("COMMIT")
        assert [r["decision"] for r in second.add(corpus(21))].count("known") == 20
        assert [r["decision"] for r in store.add(corpus(22))].count("known") == 21
        second.close()
        reader.close()


def test_kill_at_any_moment_loses_nothing_acknowledged(tmp_path: Path):
    path, store, log = tmp_path / "docs.jsonl", tmp_path / "s.db", tmp_path / "ack.txt"
    articles = corpus(600, seed=3)
    write_jsonl(path, (article_row(a) for a in articles))
    rng = random.Random(4)
    acknowledged: set[str] = set()
    for _ in range(5):
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [sys.executable, str(HERE / "adder.py"), str(path), str(store)], stdout=out
            )
            while process.poll() is None and not log.stat().st_size:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.15))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        lines = log.read_text().split("\n")[:-1]
        acknowledged.update(lines)
        reader = open_store(store)
        assert reader.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        stored = {row[0] for row in reader.execute("SELECT id FROM articles")}
        reader.close()
        assert acknowledged <= stored
    list(add_documents(path, store, CONFIG))
    expected = pairs_of_method(create_method("copies", CONFIG).fit(articles))
    reader = open_store(store)
    assert pair_table(stored_pairs(reader)) == pair_table(expected)
    reader.close()


def test_ids_last_and_merges_are_logged(tmp_path: Path):
    articles = corpus(200)
    with Store(tmp_path / "s.db", CONFIG) as store:
        list(store.add(articles[:120]))
    first, _ = stories_of_store(tmp_path / "s.db", CONFIG)
    with Store(tmp_path / "s.db", CONFIG) as store:
        list(store.add(articles[120:]))
    second, changes = stories_of_store(tmp_path / "s.db", CONFIG)
    home = {a: s.story_id for s in first.stories for a in s.articles}
    for story in second.stories:
        known = {home[a] for a in story.articles if a in home}
        if len(known) == 1:
            assert story.story_id in known
    assert {c.kind for c in changes} <= {"new", "merged", "split"}
    reader = open_store(tmp_path / "s.db")
    assert all(row["kind"] in ("merged", "split") for row in saved_changes(reader))
    reader.close()


@pytest.mark.parametrize("bloom", [False, True])
def test_url_set(tmp_path: Path, bloom: bool):
    if bloom:
        pytest.importorskip("rbloom")
    config = CONFIG.with_settings([f"store.bloom={str(bloom).lower()}"])
    with Store(tmp_path / "s.db", config) as store:
        list(store.add(corpus(50)))
        url = next(a.url for a in stored_articles(store.db))
        urls = UrlSet(store.db, config.store, capacity=1000)
        assert urls.seen(url)
        before = urls.reads
        assert not any(urls.seen_key(f"https://other.example/{k}") for k in range(300))
        assert (urls.reads - before < 10) == bloom


def test_filter_size_formula():
    assert filter_bytes(100_000_000, 0.001) == pytest.approx(179_719_860, rel=1e-6)
    assert expected_rate(100_000_000, filter_bytes(100_000_000, 0.001)) == pytest.approx(1e-3)
    assert expected_rate(100_000_000, 10**9) < 1e-16
    assert np.isfinite(expected_rate(0, 1))
