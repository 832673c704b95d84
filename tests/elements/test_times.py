"""Time expressions: table-driven meaning, traps, anchors, partial dates, CEC spans."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.elements.times import document_times, find_times

HERE = Path(__file__).parent
CHINA = timezone(timedelta(hours=8))
PUBLISHED = datetime(2021, 11, 10, 9, 0, tzinfo=CHINA)


def rows(name: str) -> list[list[str]]:
    """Rows of a table beside this file."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def moment(text: str) -> datetime:
    """A table's time."""
    return datetime.fromisoformat(text).replace(tzinfo=CHINA)


@pytest.mark.parametrize(("text", "words", "start", "end", "grain"), rows("time_cases.tsv"))
def test_meaning(text: str, words: str, start: str, end: str, grain: str) -> None:
    found = [e for e in document_times("", text, PUBLISHED) if e.text == words]
    assert found, [e.text for e in document_times("", text, PUBLISHED)]
    e = found[-1]
    assert (e.start_utc, e.end_utc) == (moment(start), moment(end))
    assert e.granularity == grain
    assert text[e.start : e.end] == words


@pytest.mark.parametrize(("text", "words"), rows("time_traps.tsv"))
def test_traps(text: str, words: str) -> None:
    points = [e for e in find_times(text) if e.kind in ("point", "until", "range")]
    at = text.index(words)
    assert not [e.text for e in points if e.start < at + len(words) and at < e.end]


def test_enough_cases() -> None:
    assert len(rows("time_cases.tsv")) + len(rows("time_traps.tsv")) >= 120
    assert len(rows("time_traps.tsv")) >= 30


def test_event_day_is_not_publication() -> None:
    text = "8月21日7时40分，两辆客车相撞。当天，县里成立调查组。"
    today = document_times("", text, datetime(2006, 8, 30, tzinfo=CHINA))[-1]
    assert (today.text, today.month, today.day, today.anchor) == ("当天", 8, 21, "event_day")


def test_dateline_is_the_anchor_of_yesterday() -> None:
    text = "某通讯社杭州7月24日电 昨日，一辆货车侧翻。"
    found = [e for e in document_times("", text, datetime(2007, 7, 26, tzinfo=CHINA))]
    e = next(e for e in found if e.text == "昨日")
    assert (e.month, e.day, e.anchor) == (7, 23, "dateline")


def test_without_publication_dates_stay_partial() -> None:
    found = document_times("", "8月21日两车相撞，21日上午路通。", None)
    assert (found[0].year, found[0].month, found[0].day) == (None, 8, 21)
    assert found[0].start_utc is None
    assert (found[1].month, found[1].day) == (None, 21)


def test_durations_never_get_an_interval() -> None:
    found = document_times("", "搜救持续了36小时，三天后结束。", PUBLISHED)
    assert all(e.start_utc is None for e in found if e.kind in ("duration", "offset"))
    assert {e.kind for e in found} == {"duration", "offset"}


@given(
    st.text(alphabet="0123456789年月日号时点分今昨前天晚上午下周一二十至到:：（）的a", max_size=40)
)
def test_any_text_is_read_without_error(text: str) -> None:
    for e in document_times("", text, PUBLISHED):
        assert text[e.start : e.end] == e.text
        if e.start_utc and e.end_utc:
            assert e.start_utc <= e.end_utc


@pytest.mark.shared
def test_cec_spans(shared_data: Path, project: Path) -> None:
    sys.path.insert(0, str(project / "experiments" / "elements"))
    from cec_times import span_scores

    documents = []
    with (shared_data / "cec" / "docs.jsonl").open(encoding="utf-8") as handle:
        for line in handle:
            row = json.loads(line)
            gold = [(s["start"], s["end"], s["kind"]) for s in row["times"]]
            found = [(e.start, e.end, e.kind) for e in find_times(row["body"])]
            documents.append((row["id"], gold, found))
    kinds = {"point", "until", "range", "now", "then"}
    scores = span_scores(documents, {"point", "until"}, kinds)
    assert scores["apart"]["recall"] >= 0.95
    assert scores["apart"]["f1"] >= 0.92
