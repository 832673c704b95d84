"""Speed, latency and safety of the store.

python experiments/store/run.py speed --articles 100000
python experiments/store/run.py kills --kills 200
python experiments/store/run.py bloom
python experiments/store/run.py table
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.config import RunConfig
from toolkit.io import CHINA_TIME, article_row, write_json, write_jsonl
from toolkit.matching.method import create_method
from toolkit.model import Article
from toolkit.store.add import Store
from toolkit.store.schema import open_store
from toolkit.store.stories import stored_pairs
from toolkit.store.urls import expected_rate, filter_bytes
from toolkit.stories.pairs import pairs_of_method

HERE = Path(__file__).resolve().parent
RESULT = HERE / "result.json"
SYLLABLES = "江湖城市水电站点工程学校医院公路铁桥港口机场农田森林山谷河流居民干部专家记者"
ENDS = [
    "记者获悉",
    "相关负责人介绍",
    "据现场人员说",
    "公告写道",
    "下一步将继续推进",
    "居民表示满意",
]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def sentence(rng: random.Random) -> str:
    words = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(14, 26)))
    return f"{words}，{rng.choice(ENDS)}，第{rng.randint(1, 999)}号。"


def articles(n: int, seed: int = 1, copies: float = 0.3) -> Iterator[Article]:
    """Invented articles of 300 to 1,500 characters; a share are edited copies."""
    rng = random.Random(seed)
    start = datetime(2024, 1, 1, tzinfo=CHINA_TIME)
    recent: list[Article] = []
    for k in range(n):
        if recent and rng.random() < copies:
            base = rng.choice(recent)
            parts = base.body.split("\n")
            parts = rng.choice([parts, parts[:-1], [*parts, sentence(rng)], parts[1:3]])
            title, body = base.title, "\n".join(parts)
        else:
            title = sentence(rng)[:18]
            body = "\n".join(
                "".join(sentence(rng) for _ in range(4)) for _ in range(rng.randint(3, 10))
            )
        when = start + timedelta(seconds=30 * k)
        url = f"https://n{k % 97}.example/{k}.html"
        article = Article(
            f"d{k:07d}", title, body, url=url, published=when, published_precision="minute"
        )
        if len(recent) < 5000:
            recent.append(article)
        else:
            recent[rng.randrange(5000)] = article
        yield article


def speed(n: int, config: RunConfig, folder: Path) -> dict[str, Any]:
    """Fill a store, then measure the next articles in batches and one by one."""
    stream = articles(n + 12_000)
    path = folder / "speed.db"
    with Store(path, config) as store:
        begin = time.process_time()
        done = 0
        while done < n:
            block = [a for _, a in zip(range(5000), stream, strict=False)]
            for _ in store.add(block, 1000):
                done += 1
            say(f"{done} stored, {done / (time.process_time() - begin):.0f} per CPU s")
        fill = done / (time.process_time() - begin)
        block = [a for _, a in zip(range(5000), stream, strict=False)]
        begin, wall = time.process_time(), time.perf_counter()
        duplicates = sum(r["decision"] == "duplicate" for r in store.add(block))
        cpu, wall = time.process_time() - begin, time.perf_counter() - wall
        times = []
        for article in (a for _, a in zip(range(3000), stream, strict=False)):
            begin = time.perf_counter()
            list(store.add([article], 1))
            times.append(1000 * (time.perf_counter() - begin))
        size = path.stat().st_size
    row = {
        "stored": n, "fill_per_cpu_s": fill, "batch": 32, "decisions_per_cpu_s": 5000 / cpu,
        "decisions_per_wall_s": 5000 / wall, "duplicates": duplicates,
        "single_ms_p50": float(np.percentile(times, 50)),
        "single_ms_p99": float(np.percentile(times, 99)), "bytes_per_article": size / (n + 8000),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip
    say(json.dumps(row))
    return row


def kills(count: int, config: RunConfig, folder: Path) -> dict[str, Any]:
    """Kill a writer at random moments; compare with what it had acknowledged."""
    documents, store, log = folder / "docs.jsonl", folder / "kill.db", folder / "ack.txt"
    listed = list(articles(40 * count + 2000, seed=9))
    rng = random.Random(1)
    acknowledged: set[str] = set()
    inside = done = lost = corrupt = place = 0
    script = (
        "import sys\nfrom toolkit.config import RunConfig\nfrom toolkit.store.add import Store\n"
        "from toolkit.io import iter_articles\nstore = Store(sys.argv[2], RunConfig())\n"
        "class Watch:\n"
        "    def __init__(self, db): self.db = db\n"
        "    def execute(self, sql, *a):\n"
        "        if sql == 'COMMIT': sys.stderr.write('>'); sys.stderr.flush()\n"
        "        if sql == 'BEGIN IMMEDIATE': sys.stderr.write('('); sys.stderr.flush()\n"
        "        out = self.db.execute(sql, *a)\n"
        "        if sql == 'COMMIT': sys.stderr.write(')'); sys.stderr.flush()\n"
        "        return out\n"
        "    def __getattr__(self, name): return getattr(self.db, name)\n"
        "store.db = Watch(store.db)\n"
        "for row in store.add(iter_articles(sys.argv[1], [], []), 8):\n"
        "    sys.stdout.write(row['id'] + '\\n'); sys.stdout.flush()\n"
    )
    while done < count:
        write_jsonl(documents, (article_row(a) for a in listed[place : place + 400]))
        with open(log, "wb") as out, open(folder / "trace", "wb") as trace:
            process = subprocess.Popen(
                [sys.executable, "-c", script, str(documents), str(store)], stdout=out, stderr=trace
            )
            while process.poll() is None and not log.stat().st_size:
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.25))
            killed = process.poll() is None
            os.kill(process.pid, signal.SIGKILL) if killed else None
            process.wait()
        done += killed
        trace_text = (folder / "trace").read_text()
        inside += killed and not trace_text.endswith(")")
        acknowledged.update(log.read_text().split("\n")[:-1])
        reader = open_store(store)
        corrupt += reader.execute("PRAGMA quick_check").fetchone()[0] != "ok"
        stored = {row[0] for row in reader.execute("SELECT id FROM articles")}
        reader.close()
        lost += len(acknowledged - stored)
        place = min(len(stored), len(listed) - 400)
        if done % 20 == 0:
            say(f"{done} kills, {inside} inside a write, {len(stored)} stored, {lost} lost")
    reader = open_store(store)
    whole = reader.execute("PRAGMA integrity_check").fetchone()[0]
    rows = reader.execute("SELECT count(*), max(n) + 1 FROM articles").fetchone()
    decided = stored_pairs(reader)
    reader.close()
    expected = pairs_of_method(create_method("copies", config).fit(listed[: rows[0]]))
    same = {tuple(p) for p in expected.pairs.tolist()} == {tuple(p) for p in decided.pairs.tolist()}
    return {
        "kills": done, "inside_a_write": int(inside), "acknowledged": len(acknowledged),
        "stored": rows[0], "lost": lost, "corrupt": corrupt, "integrity_check": whole,
        "numbers_without_gap": rows[0] == rows[1], "pairs_equal_to_batch": same,
    }  # fmt: skip


def bloom() -> dict[str, Any]:
    """Size and measured rate of the filter; the figure of 100 million keys by the formula."""
    from rbloom import Bloom

    from toolkit.store.urls import _hash

    n, rate = 1_000_000, 0.001
    begin = time.process_time()
    chosen = Bloom(n, rate, _hash)
    chosen.update(f"https://n.example/{k}" for k in range(n))
    fill = time.process_time() - begin
    begin = time.process_time()
    wrong = sum(f"https://other.example/{k}" in chosen for k in range(500_000))
    return {
        "keys": n, "asked_rate": rate, "measured_rate": wrong / 500_000,
        "bytes": chosen.size_in_bits // 8, "formula_bytes": filter_bytes(n, rate),
        "adds_per_cpu_s": n / fill, "queries_per_cpu_s": 500_000 / (time.process_time() - begin),
        "bytes_100_million_at_0.1_percent": filter_bytes(100_000_000, rate),
        "rate_of_1_gb_with_100_million": expected_rate(100_000_000, 10**9),
    }  # fmt: skip


def table() -> str:
    stored = json.loads(RESULT.read_text("utf-8"))
    lines = ["| stored | fill per CPU s | decisions per CPU s | per wall s | p50 ms "
             "| p99 ms | bytes per article | peak MB |", "|---|---|---|---|---|---|---|---|"]  # fmt: skip  # noqa: E501
    for row in stored.get("speed", []):
        lines.append(
            f"| {row['stored']:,} | {row['fill_per_cpu_s']:.0f} | {row['decisions_per_cpu_s']:.0f} "
            f"| {row['decisions_per_wall_s']:.0f} | {row['single_ms_p50']:.2f} "
            f"| {row['single_ms_p99']:.2f} | {row['bytes_per_article']:.0f} "
            f"| {row['peak_mb']:.0f} |"
        )
    for name in ("kills", "kills_long", "bloom"):
        if name in stored:
            lines += ["", f"| {name} | |", "|---|---|"]
            lines += [f"| {k.replace('_', ' ')} | {v} |" for k, v in stored[name].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "kills", "bloom", "table"])
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=None, help="where the store is made")
    args = parser.parse_args()
    if args.what == "table":
        readme = HERE / "README.md"
        head = readme.read_text("utf-8").split("<!-- table -->")
        head[1] = f"\n{table()}\n"
        readme.write_text("<!-- table -->".join(head), encoding="utf-8")
        return
    folder = Path(tempfile.mkdtemp(dir=args.folder))
    try:
        config = RunConfig()
        if args.what == "speed":
            row: Any = speed(args.articles, config, folder)
        elif args.what == "kills":
            row = kills(args.kills, config, folder)
        else:
            row = bloom()
        say(json.dumps(row))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    stored = json.loads(RESULT.read_text("utf-8")) if RESULT.is_file() else {}
    if args.what == "speed":
        rows = [r for r in stored.get("speed", []) if r["stored"] != row["stored"]]
        stored["speed"] = sorted([*rows, row], key=lambda r: r["stored"])
    else:
        stored[args.what] = row
    write_json(RESULT, stored)


if __name__ == "__main__":
    main()
