"""Buckets, anchors, SimHash search: what becomes a candidate pair."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.fingerprints.anchors import anchors, containment_pairs, postings
from toolkit.fingerprints.lsh import HEAD, bucket_pairs
from toolkit.fingerprints.shingles import pack
from toolkit.fingerprints.simhash import fingerprint, hamming, near_pairs
from toolkit.language.normalise import codepoints

RNG = np.random.default_rng(11)


def as_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(i, j) for i, j in pairs.tolist()}


def test_buckets_equal_brute_force() -> None:
    keys = RNG.integers(0, 12, (60, 3)).astype(np.uint64)
    usable = RNG.random(60) < 0.8
    found = bucket_pairs(keys, usable)
    want = {
        (i, j)
        for i in range(60)
        for j in range(i + 1, 60)
        if usable[i] and usable[j] and (keys[i] == keys[j]).any()
    }
    assert as_set(found.pairs) == want
    assert found.hot == ()


def test_hot_bucket_is_capped_counted_and_connected() -> None:
    found = bucket_pairs(np.zeros((500, 1), dtype=np.uint64), window=10)
    assert found.hot == (500,)
    assert len(found.pairs) <= 500 * (10 + HEAD)
    assert {(0, j) for j in range(1, 500)} <= as_set(found.pairs)


def test_later_documents_change_nothing_before() -> None:
    keys = RNG.integers(0, 3, (300, 2)).astype(np.uint64)
    whole = as_set(bucket_pairs(keys, window=20).pairs)
    part = as_set(bucket_pairs(keys[:200], window=20).pairs)
    assert part == {(i, j) for i, j in whole if j < 200}


def test_anchors_find_a_passage_in_a_long_text() -> None:
    def text(length: int) -> str:
        return "".join(chr(c) for c in RNG.integers(0x4E00, 0x9000, length))

    found = 0
    for _ in range(50):
        passage = text(150)
        texts = [text(2000) + passage + text(1500), passage, text(3000)]
        sets = pack([anchors(codepoints(t)) for t in texts])
        found += as_set(containment_pairs(postings(sets), sets.sizes)) == {(0, 1)}
    assert found >= 48


def test_simhash_of_one_feature_is_its_hash() -> None:
    assert fingerprint(np.array([0x0123456789ABCDEF], dtype=np.uint64)) == 0x0123456789ABCDEF


@pytest.mark.parametrize("k", [0, 3, 5, 7, 10])
def test_search_finds_every_near_fingerprint(k: int) -> None:
    prints = RNG.integers(0, 2**64, 80, dtype=np.uint64)
    for i in range(0, 80, 2):
        flips = RNG.choice(64, size=k, replace=False)
        prints[i + 1] = prints[i] ^ np.bitwise_or.reduce(
            np.uint64(1) << flips.astype(np.uint64), initial=np.uint64(0)
        )
    near = as_set(near_pairs(prints, np.ones(80, dtype=bool), k))
    want = {
        (i, j) for i in range(80) for j in range(i + 1, 80)
        if bin(int(prints[i]) ^ int(prints[j])).count("1") <= k
    }  # fmt: skip
    assert want <= near
    assert {(i, i + 1) for i in range(0, 80, 2)} <= want


def test_hamming_counts_bits() -> None:
    a = np.array([0, 2**64 - 1, 5], dtype=np.uint64)
    assert hamming(a, np.array([0, 0, 6], dtype=np.uint64)).tolist() == [0, 64, 2]
