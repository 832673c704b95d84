"""The paper's eight examples and forty sentences of our own, on tagged input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolkit.elements.clauses import clause_items
from toolkit.elements.paper import sentence_records
from toolkit.elements.patterns import FALLBACK, kernel_of, patterns
from toolkit.language.taggers import PretaggedTagger

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


def paper_examples() -> list[dict]:
    return json.loads((GOLDEN / "paper_examples.json").read_text(encoding="utf-8"))["examples"]


def own_sentences() -> list[dict]:
    text = (GOLDEN / "own_sentences.txt").read_text(encoding="utf-8")
    out = []
    for block in text.split("\n\n")[1:]:
        pattern, tagged, items, kernel = block.strip().split("\n")
        pairs = [tuple(item.split(":", 1)) for item in items.split()]
        out.append(
            {"pattern": pattern, "tagged": tagged, "items": pairs, "kernel": tuple(kernel.split())}
        )
    return out


def analysed(line: str) -> tuple[list[tuple[str, str]], object, str]:
    sentence = "".join(token.rpartition("/")[0] for token in line.split())
    [words] = PretaggedTagger([line]).tag([sentence])
    items = clause_items(words, sentence)
    return [(i.kind, i.text) for i in items], kernel_of(items), sentence


@pytest.mark.parametrize("example", paper_examples(), ids=lambda e: f"example{e['number']}")
def test_paper_example(example: dict) -> None:
    line = " ".join(f"{word}/{tag}" for word, tag in example["tagged"])
    items, kernel, sentence = analysed(line)
    assert [list(item) for item in items] == example["extracted"]
    assert list(kernel.words) == example["kernel"]
    assert kernel.pattern == str(example["number"])
    # the same through the whole extraction, with exact offsets
    [record] = sentence_records(sentence, PretaggedTagger([line]).tag([sentence])[0], offset=7)
    assert record.kernel == kernel
    for phrase in record.phrases:
        assert sentence[phrase.start - 7 : phrase.end - 7] == phrase.text


@pytest.mark.parametrize(
    "example", own_sentences(), ids=lambda e: f"{e['pattern']}-{e['tagged'][:6]}"
)
def test_own_sentence(example: dict) -> None:
    items, kernel, _ = analysed(example["tagged"])
    assert items == example["items"]
    assert kernel.words == example["kernel"]
    assert kernel.pattern == example["pattern"] != FALLBACK


def test_five_own_sentences_per_pattern() -> None:
    numbers = [example["pattern"] for example in own_sentences()]
    assert sorted(numbers) == sorted(str(n) for n in range(1, 9) for _ in range(5))
    assert {p.number for p in patterns().values()} == {str(n) for n in range(1, 9)}


def test_phrase_kinds() -> None:
    line = "从/p 临江/ns 机场/n 起飞/v 后/f 飞机/n 坠毁/v"
    [words] = PretaggedTagger([line]).tag(["从临江机场起飞后飞机坠毁"])
    first = clause_items(words, "从临江机场起飞后飞机坠毁")[0]
    assert (first.text, first.kinds) == ("从临江机场起飞后", frozenset({"time", "place"}))


@pytest.mark.parametrize(
    "line",
    [
        "救援/vn 历时/v 3/m 小时/n",
        "行程/n 为/v 两/m 个/q 月/n",
        "停留/v 三/m 天/q",
        "持续/v 20/m 秒/q",
        "工期/n 两个/m 月/m 内/f",
        "由/p 警方/n 负责/v",
    ],
)
def test_durations_and_agents_are_no_phrases(line: str) -> None:
    items, _, _ = analysed(line)
    assert not [item for item in items if item[0] == "phrase"]


def test_time_after_a_length_of_time_is_a_point() -> None:
    items, _, _ = analysed("三/m 天/q 后/f 警方/n 破案/v")
    assert items == [("phrase", "三天后"), ("n", "警方"), ("v", "破案")]


def test_fallback_is_marked() -> None:
    _, kernel, _ = analysed("昨日/t 警方/n 逮捕/v 司机/n")
    assert (kernel.words, kernel.pattern) == (("警方", "逮捕", "司机"), FALLBACK)


def test_missing_words_are_borrowed_from_the_nearest_block() -> None:
    line = "客车/n 侧翻/v ，/w 6日/t 下午/t ，/w 司机/n 获救/v 。/w"
    sentence = "客车侧翻，6日下午，司机获救。"
    [record] = sentence_records(sentence, PretaggedTagger([line]).tag([sentence])[0])
    assert record.items == (("phrase", "6日下午"), ("n", "司机"), ("v", "获救"))
    assert record.kernel.pattern == "5"
