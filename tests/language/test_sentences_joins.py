"""Sentences, blocks and joined words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.language.joins import join_words
from toolkit.language.sentences import split_blocks, split_sentences
from toolkit.language.taggers import (
    JiebaTagger,
    PretaggedTagger,
    RjiebaTagger,
    align,
    parse_pretagged,
)
from toolkit.model import Word

ALPHABET = (
    "一二三四五六七八九十年月日号时分点后前在从到德黑兰飞机起飞坠毁。！？；，、：（）“”"
    "\n\r\t 　０１２３４５６7890.,:-ＡＢcd國際〇"
)
TEXTS = st.one_of(st.text(alphabet=ALPHABET, max_size=60), st.text(max_size=40))


def pieces(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def test_sentences() -> None:
    text = "第一句。第二句！“第三句？”他说；第四\n\n  第五段 6.1 级"
    expected = ["第一句。", "第二句！", "“第三句？”", "他说；", "第四", "第五段 6.1 级"]
    assert pieces(text, split_sentences(text)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("震级6.1级，C-130失事", ["震级6.1级", "C-130失事"]),
        ("共2,731人：伤者、死者", ["共2,731人", "伤者", "死者"]),
        ("晚20:27（当地时间）", ["晚20:27", "当地时间"]),
        ("晚２０：２７开始", ["晚２０：２７开始"]),
        ("比分3:1，共5,3人", ["比分3", "1", "共5", "3人"]),
        ("2021，300人", ["2021", "300人"]),
    ],
)
def test_blocks(sentence: str, expected: list[str]) -> None:
    assert pieces(sentence, split_blocks(sentence)) == expected


def characters(text: str) -> list[Word]:
    return [Word(c, "x", k, k + 1) for k, c in enumerate(text)]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("6号下午", ["6号/t"]),
        (
            "２０１９年３月２１日１４时４８分许",
            ["２０１９年/t", "３月/t", "２１日/t", "１４时４８分许/t"],
        ),
        ("二〇〇六年五月初一", ["二〇〇六年/t", "五月/t", "初一/t"]),
        ("晚上20:27", ["20:27/t"]),
        ("五点十分", ["五点十分/t"]),
        ("下午三点", ["三点/t"]),
        ("C-130降落", ["C-130/nx"]),
        ("2,731人", ["2,731/m"]),
        ("3年后", []),
        ("两个月", []),
        ("3个月", []),
        ("3小时", []),
        ("20分钟", []),
        ("6号线", []),
        ("12号公路", []),
        ("3点建议", []),
        ("第3日", []),
        ("一时", []),
        ("80年代", []),
    ],
)
def test_joined_words(text: str, joined: list[str]) -> None:
    words = join_words(text, characters(text))
    assert "".join(w.text for w in words) == text
    assert [f"{w.text}/{w.tag}" for w in words if w.tag != "x"] == joined


def test_a_word_cut_by_a_rule_keeps_both_parts() -> None:
    words = [Word("21", "m", 0, 2), Word("日前", "t", 2, 4)]
    assert [(w.text, w.tag) for w in join_words("21日前", words)] == [("21日", "t"), ("前", "f")]


@pytest.mark.parametrize("tagger", [RjiebaTagger(), JiebaTagger()], ids=lambda t: t.name)
def test_offsets_are_exact(tagger: RjiebaTagger | JiebaTagger) -> None:
    @settings(max_examples=150, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        [words] = tagger.tag([text])
        position = 0
        for word in words:
            assert word.text == text[word.start : word.end]
            assert word.text
            assert not text[position : word.start].strip()
            assert word.start >= position
            position = word.end
        assert not text[position:].strip()

    check()


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_sentences_and_blocks_cover_the_text(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end
        assert text[start:end] == text[start:end].strip()
        assert not text[position:start].strip()
        position = end
        low = 0
        for a, b in split_blocks(text[start:end]):
            assert low <= a < b <= end - start
            low = b
    assert not text[position:].strip()


def test_align_survives_dropped_blanks() -> None:
    words = align("飞 机  起飞", [("飞机", "n"), ("起飞", "v")], {})
    assert [w.text for w in words][-1] == "起飞"


def test_pretagged() -> None:
    assert parse_pretagged("[中央/n 电台/n]nt 1/2/m") == [
        ("中央", "n"),
        ("电台", "n"),
        ("1/2", "m"),
    ]
    with pytest.raises(UserError, match="word/tag"):
        parse_pretagged("飞机")
    with pytest.raises(UserError, match="no tagged text"):
        PretaggedTagger(["飞机/n"]).tag(["大桥"])
    tagger = PretaggedTagger(["甲/nr 走/v 。/w 6/m 号/q 乙/nr 来/v"])
    assert [w.text for w in tagger.tag(["6号乙来"])[0]] == ["6号", "乙", "来"]
