"""The method `elements`: same score alone and among others, reasons, flips, input."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from toolkit.config import ElementsConfig, RunConfig
from toolkit.elements.extract import document_elements, elements_row
from toolkit.errors import UserError
from toolkit.matching.decision import load_model
from toolkit.matching.element_explain import waterfall
from toolkit.matching.method import all_pairs, create_method
from toolkit.model import Article

CHINA = timezone(timedelta(hours=8))


def article(key: str, title: str, body: str, day: int | None = 10) -> Article:
    published = datetime(2021, 11, day, 9, tzinfo=CHINA) if day else None
    return Article(id=key, title=title, body=body, published=published)


A = article(
    "a",
    "河北黄骅两辆客车相撞致9人死亡",
    "11月9日7时40分左右，307国道河北省黄骅市境内两辆大客车迎面相撞，造成9人死亡、52人受伤。当天，当地成立调查组。",
)
B = article(
    "b",
    "307国道黄骅段发生车祸 9人遇难",
    "昨天早上7点40分许，在307国道黄骅市路段，两辆客车发生碰撞，9人遇难，52人受伤。伤者已送往医院。",
)
C = article(
    "c",
    "河北任丘两车追尾致3人死亡",
    "11月2日15时许，106国道河北省任丘市境内一辆货车与一辆客车追尾，造成3人死亡、8人受伤。",
)
D = article("d", "某公司发布新款手机", "公司今天在上海发布一款新手机，售价3999元，下周开售。")


def scores(articles: list[Article]) -> dict[tuple[str, str], float]:
    method = create_method("elements").fit(articles)
    pairs = all_pairs(len(articles))
    return {
        (articles[i].id, articles[j].id): s
        for (i, j), s in zip(pairs.tolist(), method.score(pairs).tolist(), strict=True)
    }


def test_one_accident_in_two_wordings() -> None:
    found = scores([A, B, C, D])
    assert found["a", "b"] > 0.5
    assert max(found["a", "c"], found["b", "c"], found["a", "d"]) < 0.5


def test_score_does_not_depend_on_the_others() -> None:
    alone, among = scores([A, B]), scores([C, A, D, B])
    assert alone["a", "b"] == pytest.approx(among["a", "b"], abs=1e-9)


def test_order_does_not_matter() -> None:
    assert scores([A, B])["a", "b"] == pytest.approx(scores([B, A])["b", "a"], abs=1e-9)


def test_candidates_hold_the_pair() -> None:
    method = create_method("elements").fit([C, A, D, B])
    assert [1, 3] in method.candidates().tolist()


def test_explanation_sums_up_and_its_flip_flips() -> None:
    method = create_method("elements").fit([A, B, C, D])
    evidence = method.explain(0, 1)
    features = evidence.features
    total = sum(features["contributions"].values())
    assert 1 / (1 + np.exp(-total)) == pytest.approx(evidence.score, abs=1e-3)
    steps = waterfall(features["contributions"])
    assert steps[-1][2] == pytest.approx(total, abs=1e-3)
    for match in evidence.matches:
        for side, source in (("a", A), ("b", B)):
            span = match[side]
            assert getattr(source, span.field)[span.start : span.end] == span.text
    assert {m["kind"] for m in evidence.matches} >= {"time", "place", "figure"}
    found = method.pair_features(np.array([[0, 1], [0, 2]], dtype=np.int32))
    for pair, j in zip(found, (1, 2), strict=True):
        before = method.explain(0, j)
        for flip in before.features["flips"]:
            after = method.changed(pair, flip["feature"], flip["to"])
            assert (after >= method.threshold) != (before.score >= method.threshold)


def test_relation_names() -> None:
    method = create_method("elements").fit([A, B, C, D])
    pairs = all_pairs(4)
    decided = method.decide(pairs, method.score(pairs))
    assert decided.relation[0] == "same_event"
    assert set(decided.relation) <= {"same_event", "same_story", "different"}


def test_empty_and_strange_articles() -> None:
    odd = [Article("x", "", ""), Article("y", "　", "……"), Article("z", "2021", "a" * 50)]
    values = np.array(list(scores(odd).values()))
    assert np.isfinite(values).all()
    assert max(values) < 0.5


def test_a_broken_model_is_one_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    broken = tmp_path / "model.json"
    broken.write_text("{}", encoding="utf-8")
    for path in (broken, tmp_path / "absent.json"):
        with pytest.raises(UserError) as caught:
            create_method("elements", RunConfig(elements=ElementsConfig(model=str(path))))
        assert "\n" not in str(caught.value)


def test_model_is_readable() -> None:
    model = load_model()
    assert 0 < model.threshold < 1
    assert all(s["checksum"] for s in model.about["sets"])


def test_main_event_and_row() -> None:
    found = document_elements(A)
    assert found.main_day == (2021, 11, 9)
    assert found.main_place == "CN130983"
    row = elements_row(A)
    assert row["main_event"]["sites"][0] == "307国道"
    for phrase in row["phrases"]:
        source = A.title if phrase["field"] == "title" else A.body
        assert source[phrase["start"] : phrase["end"]] == phrase["text"]
    assert row["records"]
    for record in row["records"]:
        assert record["kernel"]["pattern"] in {*"12345678", "fallback"}
        source = A.title if record["field"] == "title" else A.body
        for phrase in record["phrases"]:
            assert source[phrase["start"] : phrase["end"]] == phrase["text"]


def test_background_is_kept_apart() -> None:
    text = A.body + "此前，10月3日，任丘市也发生过一起车祸。"
    found = document_elements(replace(A, body=text))
    assert found.main_day == (2021, 11, 9)
    assert any(found.sentences.background)
