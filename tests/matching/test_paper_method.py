"""Definitions 1 to 6 and RM, counted by hand on small records."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from toolkit.config import PaperConfig, RunConfig
from toolkit.matching.method import all_pairs, create_method
from toolkit.matching.methods.paper import Paper
from toolkit.matching.paper_scores import count_pairs, margin, score_pairs
from toolkit.matching.paper_sweep import ALL_THRESHOLDS, outcomes, sensitivity, tune
from toolkit.matching.records import build_index, contains, phrases_agree
from toolkit.matching.words import word_matcher
from toolkit.model import Article, Kernel, Phrase, Record


def phrase(text: str, kind: str = "time") -> Phrase:
    return Phrase(frozenset(kind.split("+")), text, 0, len(text))


def record(phrases: list[Phrase], nouns: str, verbs: str, core: str) -> Record:
    words = core.split()
    return Record(
        tuple(phrases), tuple(nouns.split()), tuple(verbs.split()), Kernel(tuple(words), "5"),
        (), 0, 1,
    )  # fmt: skip


# page 0: two records, three phrases; page 1: two records, two phrases
PAGES = [
    [
        record([phrase("6号下午"), phrase("在德黑兰", "place")], "飞机 大楼", "撞 坠毁",
               "飞机 坠毁"),
        record([phrase("目前")], "人", "死亡", "人 死亡"),
    ],
    [
        record([phrase("6号")], "飞机", "坠毁", "飞机 坠毁"),
        record([phrase("昨日")], "官员", "表示", "官员 表示"),
    ],
]  # fmt: skip
PAIR = np.array([[0, 1]], dtype=np.int32)


def scored(**settings: object) -> tuple:
    config = PaperConfig(**settings)
    index = build_index(PAGES, word_matcher(config.matcher))
    counts = count_pairs(index, PAIR, config, 0.3)
    return counts, score_pairs(counts, config)


def test_counts_by_hand() -> None:
    counts, scores = scored(wsim_min=0.5)
    # records 0 and 2: n = 1, v = 1 of 4 and 2 words; k = 2 of 2 and 2
    assert (counts.n[0], counts.v[0], counts.k[0]) == (1, 1, 2)
    assert counts.wsim[0] == pytest.approx((2 * 2 / 6 + 1) / 2)
    assert (scores.w[0], counts.records_a[0], counts.records_b[0]) == (1, 2, 2)
    assert scores.tsim[0] == 0.5
    # D of the smaller page: two phrases, of which 6号 agrees (in 6号下午)
    assert (scores.phrases[0], scores.agreeing[0], scores.on_matched[0]) == (2, 1, 1)
    assert scores.credibility[0] == 0.5
    # matched records hold 2 + 1 phrases, 1 + 1 of them agree
    assert scores.coherence[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("settings", "name", "expected"),
    [
        ({"phrase_total": "larger"}, "phrases", 3),
        ({"phrase_total": "both"}, "phrases", 5),
        ({"phrase_total": "both"}, "agreeing", 2),
        ({"coherence": "printed"}, "coherence", 1.0),
        ({"coherence": "layout"}, "coherence", 1.0),
        ({"coherence_over": "all"}, "coherence", 2 / 5),
    ],
)
def test_readings(settings: dict, name: str, expected: float) -> None:
    _, scores = scored(**settings)
    assert getattr(scores, name)[0] == pytest.approx(expected)


def test_word_share_against_the_longer_record() -> None:
    counts, _ = scored(word_share="longer")
    assert counts.wsim[0] == pytest.approx((2 / 4 + 1) / 2)


def test_equal_records_give_one_and_scores_are_symmetric() -> None:
    config = PaperConfig()
    index = build_index([PAGES[0], PAGES[0], PAGES[1]], word_matcher("exact"))
    counts = count_pairs(index, np.array([[0, 1]], dtype=np.int32), config, 0.3)
    assert counts.wsim.tolist() == [1.0, 1.0]
    scores = score_pairs(counts, config)
    assert (scores.tsim[0], scores.coherence[0], scores.credibility[0]) == (1.0, 1.0, 1.0)
    forward = score_pairs(count_pairs(index, np.array([[0, 2]], np.int32), config, 0.3), config)
    backward = score_pairs(count_pairs(index, np.array([[2, 0]], np.int32), config, 0.3), config)
    for name in ("w", "tsim", "phrases", "agreeing", "on_matched", "coherence", "credibility"):
        assert getattr(forward, name)[0] == getattr(backward, name)[0]


def test_matching_is_one_to_one_best_first() -> None:
    one = record([phrase("6号")], "飞机", "坠毁", "飞机 坠毁")
    near = record([phrase("6号")], "飞机 人", "坠毁", "飞机 坠毁")
    index = build_index([[one], [near, one]], word_matcher("exact"))
    counts = count_pairs(index, PAIR, PaperConfig(), 0.3)
    assert counts.wsim.tolist() == [1.0]
    assert counts.b.tolist() == [2]


def test_repeated_words_match_once_each() -> None:
    twice = record([], "人 人", "", "人")
    once = record([], "人", "", "人")
    index = build_index([[twice], [once]], word_matcher("exact"))
    counts = count_pairs(index, PAIR, PaperConfig(), 0.1)
    assert counts.n.tolist() == [1]


def test_empty_pages_give_zero_and_never_nan() -> None:
    index = build_index([[], [], PAGES[0]], word_matcher("exact"))
    pairs = all_pairs(3)
    scores = score_pairs(count_pairs(index, pairs, PaperConfig(), 0.3), PaperConfig())
    for name in ("tsim", "coherence", "credibility"):
        assert getattr(scores, name).tolist() == [0.0, 0.0, 0.0]


def test_phrases_agree() -> None:
    assert phrases_agree(phrase("6号"), phrase("6号下午"))
    assert not phrases_agree(phrase("6号"), phrase("16号"))
    assert not phrases_agree(phrase("在北京", "place"), phrase("在北京"))
    assert phrases_agree(phrase("起飞后", "time+place"), phrase("起飞后", "place"))
    assert contains("在观塘", "观塘")
    assert not contains("二十一日", "一日")


def test_index_agrees_with_the_pairwise_test() -> None:
    texts = [
        "6号",
        "16号",
        "6号下午",
        "下午",
        "在北京",
        "北京",
        "北京东部",
        "一日",
        "二十一日",
        "21日",
    ]
    phrases = [phrase(t, "place" if "北京" in t else "time") for t in texts]
    pages = [[record([p], "", "", "")] for p in phrases]
    index = build_index(pages, word_matcher("exact"))
    reach = (index.agreeing @ index.phrases.T).toarray() > 0
    expected = [[phrases_agree(a, b) for b in phrases] for a in phrases]
    assert reach.tolist() == expected


def test_synonyms() -> None:
    same = word_matcher("synonym")
    assert same("遇难") == same("罹难") == same("死亡")
    assert same("桥") == "桥"
    assert word_matcher("exact")("ＡＢ") == "ab"


def test_margin_is_monotone_and_strict() -> None:
    values = np.array([0.0, 0.1, 0.3, np.nextafter(0.3, 1), 0.6, 1.0])
    scores = margin(values, 0.3)
    assert (np.diff(scores) >= 0).all()
    assert (scores >= 0.5).tolist() == (values > 0.3).tolist()
    assert margin(np.array([0.0, 1.0]), 0.0).tolist() == [0.0, 1.0]


def test_three_outcomes() -> None:
    _, scores = scored(min_phrases=1)
    low = {"coherence_min": 0.5, "credibility_min": 0.4, "tsim_min": 0.4, "min_phrases": 1}
    for change, expected in [
        ({}, 1),
        ({"coherence_min": 0.7}, 0),
        ({"tsim_min": 0.5}, 0),
        ({"credibility_min": 0.5}, -1),
        ({"min_phrases": 2}, -1),
    ]:
        assert outcomes(scores, PaperConfig(**{**low, **change})).tolist() == [expected]


def random_pages(seed: int, pages: int = 30) -> list[list[Record]]:
    rng = np.random.default_rng(seed)
    words = [chr(0x4E00 + k) * 2 for k in range(25)]
    times = [f"{d}日" for d in range(1, 13)]

    def one() -> Record:
        nouns = " ".join(rng.choice(words, rng.integers(1, 3)))
        verbs = " ".join(rng.choice(words, rng.integers(1, 3)))
        held = [phrase(str(t)) for t in rng.choice(times, rng.integers(1, 3))]
        return record(held, nouns, verbs, f"{nouns.split()[0]} {verbs.split()[-1]}")

    return [[one() for _ in range(rng.integers(1, 8))] for _ in range(pages)]


def test_sweep_equals_trying_every_setting() -> None:
    index = build_index(random_pages(3), word_matcher("exact"))
    pairs = all_pairs(30)
    labels = np.random.default_rng(4).random(len(pairs)) < 0.2
    base = PaperConfig(min_phrases=1)
    grid = {
        "min_phrases": (0, 2), "wsim_min": (0.3, 0.5), "credibility_min": (0.0, 0.2),
        "coherence_min": (0.0, 0.2, 0.5), "tsim_min": (0.0, 0.1, 0.3),
    }  # fmt: skip
    counts = count_pairs(index, pairs, base, 0.3)
    result = tune(counts, labels, base, free=ALL_THRESHOLDS, grid=grid)
    assert result.tried == 72
    best = 0.0
    for a in grid["min_phrases"]:
        for b in grid["wsim_min"]:
            for c in grid["credibility_min"]:
                for d in grid["coherence_min"]:
                    for e in grid["tsim_min"]:
                        config = PaperConfig(
                            min_phrases=a,
                            wsim_min=b,
                            credibility_min=c,
                            coherence_min=d,
                            tsim_min=e,
                        )
                        fresh = count_pairs(index, pairs, config, b)
                        found = outcomes(score_pairs(fresh, config), config) == 1
                        tp = int((found & labels).sum())
                        best = max(best, 2 * tp / (found.sum() + labels.sum()))
    assert result.value == pytest.approx(best)
    kept = tune(counts, labels, base, grid=grid)
    assert kept.settings["min_phrases"] == 1
    curves = sensitivity(counts, labels, base, grid=grid)
    assert set(curves) == set(ALL_THRESHOLDS)
    assert all(0 <= row["f1"] <= 1 for row in curves["tsim_min"])


CRASH = "8月3日下午，一辆客车在绍兴北部的公路上与货车相撞"
ARTICLES = [
    Article("a", "两车相撞", CRASH + "。目前已造成三人死亡。当天晚上，警方在现场附近展开调查。"),
    Article("b", "客车事故", CRASH + "，目前已造成三人死亡。"),
    Article("c", "展览开幕", "昨日，一个展览在广州开幕。"),
    Article("d", "", ""),
]


def test_method_end_to_end() -> None:
    config = RunConfig(paper=PaperConfig(min_phrases=2))
    method = create_method("paper", config).fit(ARTICLES)
    assert isinstance(method, Paper)
    pairs = method.candidates()
    assert [0, 1] in pairs.tolist()
    assert all(3 not in pair for pair in pairs.tolist())
    every = all_pairs(4)
    scores = method.score(every)
    assert np.isfinite(scores).all()
    decisions = method.decide(every, scores)
    by_pair = dict(zip(map(tuple, every.tolist()), decisions.relation, strict=True))
    assert by_pair[(0, 1)] == "same_event"
    assert by_pair[(0, 3)] == "undecided"
    evidence = method.explain(0, 1)
    assert evidence.outcome == "duplicate"
    assert evidence.features["replaced"] == "b"
    assert {m["kind"] for m in evidence.matches} == {"record", "phrase"}
    for match in evidence.matches:
        for side, article in (("a", ARTICLES[0]), ("b", ARTICLES[1])):
            span = match[side]
            assert getattr(article, span.field)[span.start : span.end] == span.text
    empty = method.explain(0, 3)
    assert empty.outcome == "undecided"
    assert any("no time or place phrase" in reason for reason in empty.features["reasons"])


def test_scores_do_not_depend_on_the_pairs_asked_together() -> None:
    method = create_method("paper", RunConfig()).fit(ARTICLES)
    every = all_pairs(4)
    together = method.score(every)
    alone = [float(method.score(every[k : k + 1])[0]) for k in range(len(every))]
    assert together.tolist() == alone


def test_normalised_phrases_agree_by_value() -> None:
    published = datetime(2021, 8, 4, 9, tzinfo=UTC)
    articles = [
        Article("a", "", "8月3日，一辆客车在浙江绍兴侧翻。", published=published),
        Article("b", "", "昨日，一辆客车在浙江省绍兴市侧翻。", published=published),
    ]
    plain = create_method("paper", RunConfig()).fit(articles)
    valued = create_method("paper", RunConfig(paper=PaperConfig(normalised_phrases=True)))
    valued.fit(articles)
    assert plain.explain(0, 1).features["d"] < valued.explain(0, 1).features["d"]
    times = [m for m in valued.explain(0, 1).matches if m.get("kinds") == ["time"]]
    assert [(m["a"].text, m["b"].text) for m in times] == [("8月3日", "昨日")]
