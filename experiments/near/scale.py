"""Texts in memory to verified pairs: CPU seconds, memory, recall; peers beside it.

    python experiments/near/scale.py CORPUS.txt [--repeat 5] [--pipelines numba,numpy,...]
                                     [--store result.json]

Each pipeline runs in a process of its own. CPU is user + system time of all threads
between "texts are in memory" and "pairs are ready"; imports and the compilation of
kernels (cached) lie before it. Memory is the peak of the whole process, texts
included. Peers get texts that are normalised already, which is not charged to them,
and give candidates only; ours clean, find and verify.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from make import BREAK

from toolkit.fingerprints.batch import fingerprint_texts
from toolkit.fingerprints.lsh import bucket_pairs, distinct, encode_pairs
from toolkit.fingerprints.shingles import window_hashes
from toolkit.fingerprints.simhash import fingerprint, near_pairs
from toolkit.fingerprints.verify import overlaps
from toolkit.io import write_json
from toolkit.language.normalise import codepoints, shingle_text

HERE = Path(__file__).parent
THRESHOLD = 0.8
BANDS, ROWS, SHINGLE = 16, 4, 5


def load(path: Path) -> list[str]:
    """The articles of a corpus file."""
    with path.open(encoding="utf-8") as handle:
        return [line.rstrip("\n").replace(BREAK, "\n") for line in handle]


def ours(texts: list[str], engine: str) -> tuple[np.ndarray, np.ndarray]:
    """Verified pairs (m, 2) with their exact Jaccard similarities."""
    prints = fingerprint_texts(
        texts,
        BANDS,
        ROWS,
        SHINGLE,
        engine=engine,
        with_anchors=False,  # type: ignore[arg-type]
    )
    pairs = bucket_pairs(prints.keys, prints.usable).pairs
    exact = overlaps(texts, pairs, SHINGLE, engine=engine).jaccard  # type: ignore[arg-type]
    return pairs[exact >= THRESHOLD], exact[exact >= THRESHOLD]


def gaoya_pairs(texts: list[str]) -> np.ndarray:
    """Candidates of gaoya: 64 permutations, 16 bands of 4, 32-bit hashes."""
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=0.6, num_bands=BANDS, band_size=ROWS,
        num_hashes=BANDS * ROWS, analyzer="char", ngram_range=(SHINGLE, SHINGLE),
    )  # fmt: skip
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    found = [(i, j) for i, near in enumerate(index.par_bulk_query(texts)) for j in near if i < j]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def rensa_pairs(texts: list[str]) -> np.ndarray:
    """Candidates of rensa (RMinHash, its sound mode) from lists of shingles."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=0.6, num_perm=BANDS * ROWS, num_bands=BANDS)
    hashes = []
    for number, text in enumerate(texts):
        one = RMinHash(num_perm=BANDS * ROWS, seed=1)
        one.update([text[k : k + SHINGLE] for k in range(len(text) - SHINGLE + 1)])
        index.insert(number, one)
        hashes.append(one)
    found = [(i, j) for i, one in enumerate(hashes) for j in index.query(one) if i < j]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def datasketch_pairs(texts: list[str]) -> np.ndarray:
    """Candidates of datasketch with its defaults but for the bands."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    hashes = []
    for number, text in enumerate(texts):
        one = MinHash(num_perm=BANDS * ROWS)
        one.update_batch([text[k : k + SHINGLE].encode() for k in range(len(text) - SHINGLE + 1)])
        index.insert(number, one)
        hashes.append(one)
    found = [(i, j) for i, one in enumerate(hashes) for j in index.query(one) if i < j]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def simhash_pairs(texts: list[str], k: int) -> np.ndarray:
    """Pairs within Hamming distance k, exact search."""
    prints = np.array(
        [fingerprint(window_hashes(codepoints(t), 2, 1)) for t in texts], dtype=np.uint64
    )
    usable = np.array([len(t) > 1 for t in texts])
    pairs = near_pairs(prints, usable, k, window=128)
    distance = np.bitwise_count(prints[pairs[:, 0]] ^ prints[pairs[:, 1]])
    return pairs[distance <= k]


PEERS = {
    "gaoya": gaoya_pairs,
    "rensa": rensa_pairs,
    "datasketch": datasketch_pairs,
    "simhash k=3": lambda texts: simhash_pairs(texts, 3),
    "simhash k=7": lambda texts: simhash_pairs(texts, 7),
}


def measure(corpus: Path, pipeline: str, out: Path) -> None:
    """One run in this process: figures on stdout, pair codes in ``out``."""
    texts = load(corpus)
    if pipeline in PEERS:
        texts = [shingle_text(t) for t in texts]
        PEERS[pipeline](texts[:50])  # imports
    else:
        ours(texts[:50] + texts[:1], pipeline)  # imports; kernels compiled and cached
    before = resource.getrusage(resource.RUSAGE_SELF)
    wall = time.perf_counter()
    pairs = PEERS[pipeline](texts) if pipeline in PEERS else ours(texts, pipeline)[0]
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    np.save(out, np.sort(encode_pairs(pairs, len(texts))))
    print(json.dumps({"cpu_s": cpu, "wall_s": wall, "peak_mb": peak_mb()}))


def peak_mb() -> float:
    """Peak resident memory of this process (Linux; getrusage would count the parent's)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def truth(corpus: Path) -> np.ndarray:
    """Codes of all pairs with exact Jaccard >= 0.8, ascending.

    Every pair inside a planted cluster, and every pair that 64 bands of 3 rows bring
    together (a pair at 0.8 escapes with probability 1e-20), verified exactly.
    """
    texts = load(corpus)
    clusters = np.loadtxt(f"{corpus}.clusters", dtype=np.int64)
    prints = fingerprint_texts(texts, 64, 3, SHINGLE, seed=99, with_anchors=False)
    planted = bucket_pairs(clusters.astype(np.uint64).reshape(-1, 1), window=2000).pairs
    near = bucket_pairs(prints.keys, prints.usable, window=2000).pairs
    n = len(texts)
    codes = distinct(np.concatenate([encode_pairs(planted, n), encode_pairs(near, n)]))
    pairs = np.column_stack(np.divmod(codes, n)).astype(np.int32)
    return codes[overlaps(texts, pairs, SHINGLE).jaccard >= THRESHOLD]


def main() -> None:
    """Run the pipelines and store the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--pipelines", default="numba,numpy,gaoya,rensa")
    parser.add_argument("--store", default="result.json")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.corpus, arguments.measure[0], Path(arguments.measure[1]))
        return
    known = truth(arguments.corpus)
    with arguments.corpus.open(encoding="utf-8") as handle:
        documents = sum(1 for _ in handle)
    rows = []
    for pipeline in arguments.pipelines.split(","):
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            codes = Path(folder) / "codes.npy"
            for _ in range(arguments.repeat):
                command = [sys.executable, __file__, str(arguments.corpus), "--measure", pipeline]
                done = subprocess.run(
                    [*command, str(codes)], check=True, capture_output=True, text=True
                )
                runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
                print(pipeline, runs[-1], file=sys.stderr)
            found = np.unique(np.load(codes))
        hit = int(np.isin(known, found).sum())
        rows.append({
            "pipeline": pipeline,
            "runs": len(runs),
            "cpu_s": round(statistics.median(r["cpu_s"] for r in runs), 2),
            "wall_s": round(statistics.median(r["wall_s"] for r in runs), 2),
            "peak_mb": round(max(r["peak_mb"] for r in runs)),
            "pairs": len(found),
            "recall": round(hit / max(len(known), 1), 5),
            "precision": round(hit / max(len(found), 1), 5),
            "verified": pipeline not in PEERS,
        })  # fmt: skip
    result = {
        "question": "texts in memory to pairs with char-5 Jaccard >= 0.8",
        "documents": documents,
        "megabytes": round(arguments.corpus.stat().st_size / 1e6),
        "true_pairs": len(known),
        "versions": {p: _version(p) for p in ("numpy", "numba", "gaoya", "rensa", "datasketch")},
        "rows": rows,
    }
    write_json(HERE / arguments.store, result)
    print(json.dumps(result, indent=1), file=sys.stderr)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except ModuleNotFoundError:
        return None


if __name__ == "__main__":
    main()
