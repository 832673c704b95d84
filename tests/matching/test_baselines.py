"""The textbook baselines against independent computations on invented articles."""

from __future__ import annotations

import difflib as stdlib_difflib
import hashlib
import json
import math
from collections import Counter

import numpy as np
import pytest

from toolkit.config import RunConfig, load_config
from toolkit.errors import UserError
from toolkit.fingerprints.char_vectors import gb2312_hanzi
from toolkit.fingerprints.feature_codes import codes
from toolkit.language.normalise import shingle_text
from toolkit.matching.method import all_pairs, create_method
from toolkit.model import Article

BODY = (
    "周二清晨，青岚渡口的浮桥被上游漂来的木筏撞断。船工老秦说，桥板在两分钟内散开。"
    "镇里调来四条铁船接驳行人。到中午十二点，已有三百多名学生过河。没有人受伤。"
)
OTHER = (
    "红鹭湖景区宣布，从下月起取消夜间门票。管理处算过账，夜场一年只收回电费的一半。"
    "附近客栈的老板们不同意，他们准备联名写信。"
)
ARTICLES = [
    Article("a", "浮桥被木筏撞断", BODY),
    Article("b", "浮桥 被木筏 撞断！", BODY.replace("，", ",").replace("。", "。\n")),
    Article("c", "渡口浮桥中断半日", BODY[:60] + "下午两点浮桥恢复通行。" + BODY[60:]),
    Article("d", "红鹭湖取消夜票", OTHER),
    Article("e", "", ""),
    Article("f", "", "。，！"),
]
BASELINES = [
    "title_md5", "content_md5", "feature_codes", "char_vectors", "difflib", "simhash",
    "simhash_words", "simhash_title_lead", "minhash", "tfidf",
]  # fmt: skip


def scores(name: str, articles: list[Article]) -> dict[tuple[str, str], float]:
    method = create_method(name).fit(articles)
    pairs = all_pairs(len(articles))
    values = method.score(pairs)
    return {
        (articles[i].id, articles[j].id): float(v)
        for (i, j), v in zip(pairs.tolist(), values, strict=True)
    }


@pytest.mark.parametrize("name", [*BASELINES, "copies"])
def test_protocol(name: str) -> None:
    method = create_method(name).fit(ARTICLES)
    pairs = method.candidates()
    assert pairs.dtype == np.int32
    assert pairs.shape[1] == 2
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    values = method.score(all_pairs(len(ARTICLES)))
    assert np.isfinite(values).all()
    assert ((values >= 0) & (values <= 1)).all()
    decisions = method.decide(pairs, method.score(pairs))
    assert len(decisions.relation) == len(pairs)
    empty = [4, 5]
    assert not [p for p in pairs.tolist() if set(p) & set(empty)], "an empty text matched"
    evidence = method.explain(0, 2)
    json.dumps(evidence.features, ensure_ascii=False)
    for match in evidence.matches:
        for side, article in (("a", ARTICLES[0]), ("b", ARTICLES[2])):
            if side in match:
                span = match[side]
                assert getattr(article, span.field)[span.start : span.end] == span.text


@pytest.mark.parametrize("name", [*BASELINES, "copies"])
@pytest.mark.parametrize("articles", [[], ARTICLES[:1], ARTICLES[4:]])
def test_tiny_sets(name: str, articles: list[Article]) -> None:
    method = create_method(name).fit(articles)
    pairs = method.candidates()
    assert len(pairs) == 0
    assert len(method.score(pairs)) == 0
    assert len(method.decide(pairs, method.score(pairs)).outcome) == 0


@pytest.mark.parametrize("name", sorted({*BASELINES, "copies"} - {"tfidf"}))
def test_same_text_scores_highest(name: str) -> None:
    found = scores(name, ARTICLES[:4])
    assert found["a", "b"] == max(found.values())
    assert found["a", "b"] > found["a", "d"]


def test_digests_are_md5_of_the_cleaned_text() -> None:
    method = create_method("content_md5").fit(ARTICLES)
    want = hashlib.md5(shingle_text(BODY).encode()).hexdigest()
    assert method.explain(0, 1).features["md5_a"] == want
    assert method.decide(np.array([[0, 1]], np.int32), np.ones(1)).relation == ["identical"]


def test_gb2312_hanzi() -> None:
    hanzi = gb2312_hanzi()
    assert len(hanzi) == len(set(hanzi)) == 6763
    assert hanzi[0] == "啊"
    assert hanzi[-1] == "齄"


def test_character_vectors_by_hand() -> None:
    def vector(text: str) -> Counter[str]:
        return Counter(c for c in text if c in set(gb2312_hanzi()))

    a, c = vector(ARTICLES[0].text), vector(ARTICLES[2].text)
    dot = sum(a[k] * c[k] for k in a)
    want = dot / math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in c.values()))
    assert scores("char_vectors", ARTICLES)["a", "c"] == pytest.approx(want, abs=1e-12)


def test_tfidf_by_hand() -> None:
    texts = [a.text for a in ARTICLES]
    grams = [Counter(t[i : i + 2] for i in range(len(t) - 1)) for t in map(_spaced, texts)]
    frequency = Counter(g for counts in grams for g in counts)
    n = len(texts)

    def weights(counts: Counter[str]) -> dict[str, float]:
        return {
            g: (1 + math.log(k)) * (math.log((1 + n) / (1 + frequency[g])) + 1)
            for g, k in counts.items()
        }

    a, c = weights(grams[0]), weights(grams[2])
    norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in c.values()))
    want = sum(v * c.get(g, 0.0) for g, v in a.items()) / norm
    assert scores("tfidf", ARTICLES)["a", "c"] == pytest.approx(want, abs=1e-9)


def _spaced(text: str) -> str:
    import re

    return re.sub(r"\s\s+", " ", text.lower())


def test_feature_codes_by_hand() -> None:
    found = codes("甲乙丙丁戊己。庚辛，壬癸子丑寅。卯")
    assert [c.code for c in found] == ["乙丙丁戊己庚辛壬癸子", "壬癸子丑寅卯"]
    method = create_method("feature_codes").fit(ARTICLES)
    a, c = ({k.code for k in codes(x.body)} for x in (ARTICLES[0], ARTICLES[2]))
    want = len(a & c) / min(len(a), len(c))
    assert method.score(np.array([[0, 2]], np.int32))[0] == pytest.approx(want)


def test_jaccard_by_hand() -> None:
    def shingles(text: str) -> set[str]:
        cleaned = shingle_text(text)
        return {cleaned[i : i + 5] for i in range(len(cleaned) - 4)}

    a, c = shingles(ARTICLES[0].body), shingles(ARTICLES[2].body)
    assert scores("minhash", ARTICLES)["a", "c"] == pytest.approx(len(a & c) / len(a | c))


def test_difflib_is_difflib() -> None:
    a, c = shingle_text(ARTICLES[0].body), shingle_text(ARTICLES[2].body)
    want = stdlib_difflib.SequenceMatcher(None, a, c, autojunk=False).ratio()
    assert scores("difflib", ARTICLES)["a", "c"] == pytest.approx(want)


def test_simhash_threshold_by_length() -> None:
    config = load_config(None, ["simhash.hamming=64", "simhash.hamming_short=0"])
    method = create_method("simhash", config).fit(ARTICLES[:4])
    pairs = all_pairs(4)
    shipped = method.decide(pairs, method.score(pairs))
    distances = method.distances(pairs)
    shorter = np.minimum(method.lengths[pairs[:, 0]], method.lengths[pairs[:, 1]])
    want = (distances == 0) | (shorter >= config.simhash.short_text)
    assert (shipped.outcome == want).all()
    assert method.explain(0, 1).features["grade"] == "0-2"


@pytest.mark.parametrize("name", ["feature_codes", "difflib"])
def test_large_sets_are_refused_with_a_reason(name: str) -> None:
    settings = ["evaluation.max_all_pairs=3", "difflib.max_documents=3"]
    method = create_method(name, load_config(None, settings))
    with pytest.raises(UserError, match="compares every pair"):
        method.fit(ARTICLES).candidates()


@pytest.mark.parametrize("name", ["tfidf", "char_vectors"])
def test_vector_methods_keep_only_near_pairs_of_a_large_set(name: str) -> None:
    config = load_config(None, ["evaluation.max_all_pairs=3"])
    method = create_method(name, config).fit(ARTICLES)
    every = all_pairs(len(ARTICLES))
    want = every[method.score(every) >= method.threshold]
    assert {tuple(p) for p in want.tolist()} == {tuple(p) for p in method.candidates().tolist()}


@pytest.mark.shared
def test_jaccard_of_labelled_pairs(shared_data) -> None:  # type: ignore[no-untyped-def]
    from toolkit.io import read_documents

    folder = shared_data / "eventmonitor"
    articles = read_documents(folder / "docs.jsonl.gz").articles
    number = {a.id: i for i, a in enumerate(articles)}
    rows = [json.loads(line) for line in (folder / "reprint_pairs.jsonl").open()]
    pairs = np.array([[number[r["a"]], number[r["b"]]] for r in rows], dtype=np.int32)
    method = create_method("minhash", RunConfig()).fit(articles)
    # the labels hold four decimals
    assert np.abs(method.score(pairs) - [r["jaccard5"] for r in rows]).max() <= 5.01e-5
