"""Extraction on any text: exact offsets, no crash, linear time."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.elements.paper import extract_records
from toolkit.language.taggers import RjiebaTagger
from toolkit.model import Article

TAGGER = RjiebaTagger()
WORDS = [
    *(
        "昨日",
        "８月３日",
        "在",
        "从",
        "北京",
        "机场",
        "起飞",
        "后",
        "上",
        "的",
        "和",
        "飞机",
        "坠毁",
    ),
    *("两个月", "内", "会", "总理", "吴仪", "当天", "20:27", "C-130"),
]
PIECES = st.lists(st.sampled_from([*WORDS, *"，。、\n\u3000 "]), max_size=30).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.one_of(PIECES, st.text(max_size=60)), PIECES)
def test_offsets_are_exact(title: str, body: str) -> None:
    article = Article("a", title, body)
    for record in extract_records(article, TAGGER):
        text = title if record.field == "title" else body
        assert text[record.start : record.end].strip()
        assert record.phrases
        position = -1
        for phrase in record.phrases:
            assert phrase.field == record.field
            assert text[phrase.start : phrase.end] == phrase.text
            assert record.start <= phrase.start < phrase.end <= record.end
            assert phrase.start >= position
            assert phrase.kinds <= {"time", "place"}
            assert phrase.kinds
            position = phrase.end
        assert set(record.kernel.words) <= {*record.nouns, *record.verbs}


def test_a_long_text_without_punctuation_takes_linear_time() -> None:
    def seconds(times: int) -> float:
        start = time.process_time()
        extract_records(Article("a", "", "昨日飞机在北京机场起飞后发生机械故障" * times), TAGGER)
        return time.process_time() - start

    seconds(10)
    assert seconds(4000) < 12 * seconds(1000) + 0.2
