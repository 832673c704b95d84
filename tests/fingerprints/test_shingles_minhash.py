"""Shingles, signatures and both engines."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from toolkit.fingerprints.anchors import anchors
from toolkit.fingerprints.batch import choose_engine, fingerprint_texts
from toolkit.fingerprints.minhash import EMPTY, band_keys, signatures
from toolkit.fingerprints.shingles import jaccard, shared, shingle_set, shingle_sets
from toolkit.fingerprints.verify import overlaps
from toolkit.language.normalise import codepoints, shingle_text

RNG = np.random.default_rng(5)


def random_text(length: int) -> str:
    return "".join(chr(c) for c in RNG.integers(0x4E00, 0x9000, length))


def test_shingles_are_windows_of_characters() -> None:
    text = "渡口的浮桥昨夜断开又接上渡口的浮桥"
    expected = {text[i : i + 5] for i in range(len(text) - 4)}
    assert len(shingle_set(text, 5)) == len(expected)


def test_shared_counts_as_python_sets_do() -> None:
    a, b = random_text(300), random_text(100)
    b = b + a[50:200]
    want = {a[i : i + 5] for i in range(296)} & {b[i : i + 5] for i in range(len(b) - 4)}
    assert shared(shingle_set(a, 5), shingle_set(b, 5)) == len(want)


def test_hash_is_the_same_in_another_process() -> None:
    code = (
        "from toolkit.fingerprints.shingles import shingle_set;"
        "print(shingle_set('山路上的车队停了下来', 5, 3).sum())"
    )
    runs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    }
    assert runs == {f"{shingle_set('山路上的车队停了下来', 5, 3).sum()}\n".encode()}


def test_signature_estimates_jaccard() -> None:
    pairs, estimates, truths = np.array([[0, 1]], dtype=np.int32), [], []
    for share in (0.2, 0.5, 0.8):
        for seed in range(8):
            common = random_text(int(1000 * share))
            sets = shingle_sets(
                [common + random_text(1000 - len(common)) for _ in range(2)], 5, seed
            )
            signature = signatures(sets, 128, seed)
            estimates.append((signature[0] == signature[1]).mean())
            truths.append(jaccard(sets, pairs)[0])
    assert abs(np.mean(np.array(estimates) - truths)) < 0.02


def test_densified_short_texts_keep_the_estimate() -> None:
    errors = []
    for seed in range(60):
        common = random_text(14)
        sets = shingle_sets([common + random_text(8), common + random_text(8)], 5, seed)
        signature = signatures(sets, 64, seed)
        truth = jaccard(sets, np.array([[0, 1]], dtype=np.int32))[0]
        errors.append((signature[0] == signature[1]).mean() - truth)
    assert abs(np.mean(errors)) < 0.06


def test_empty_sets_stay_empty() -> None:
    sets = shingle_sets(["", "短", "也很短"], 5)
    assert (signatures(sets, 64) == EMPTY).all()
    assert jaccard(sets, np.array([[0, 1], [1, 2]], dtype=np.int32)).tolist() == [0.0, 0.0]


def test_engines_are_bit_identical() -> None:
    pytest.importorskip("numba")
    texts = [random_text(n) for n in (0, 3, 4, 5, 6, 40, 900, 2500)]
    texts += [texts[-1][:2000] + texts[-2], "ﾊﾞ" * 30, "重复重复" * 60]
    one, two = (fingerprint_texts(texts, 16, 4, engine=e) for e in ("numpy", "numba"))
    assert (one.keys == two.keys).all()
    assert (one.usable == two.usable).all()
    pairs = np.array([[i, j] for i in range(11) for j in range(i)][::-1], dtype=np.int32)
    first, second = (overlaps(texts, pairs, engine=e) for e in ("numpy", "numba"))
    for name in ("common", "first", "second"):
        assert (getattr(first, name) == getattr(second, name)).all()


def test_batch_equals_one_at_a_time() -> None:
    texts = ["，" + random_text(n) + "。" for n in (2, 30, 300, 700)]
    batch = fingerprint_texts(texts, 16, 4, engine="numpy")
    sets = shingle_sets([shingle_text(t) for t in texts], 5, 1)
    assert (band_keys(signatures(sets, 64, 1), 16, 4) == batch.keys).all()
    for i, text in enumerate(texts):
        assert (fingerprint_texts([text], 16, 4, engine="numpy").keys[0] == batch.keys[i]).all()
        assert (anchors(codepoints(shingle_text(text))) == batch.anchors[i]).all()


def test_no_texts() -> None:
    empty = fingerprint_texts([], 16, 4)
    assert empty.keys.shape == (0, 16)
    assert len(empty.anchors) == 0
    assert choose_engine("numpy") == "numpy"
