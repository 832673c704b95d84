"""Common runs and edits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.matching.alignment import common_runs, edits, in_order, longest_run, mapped

FIRST = "货轮在北礁外海失去动力，拖船用了六小时把它带回港口。船员全部平安。"
SECOND = "港务局派出两艘拖船。检修要到周五才能结束，码头照常作业。"
LEAD = "本报记者从海边发回消息。"


def rebuilt(side: str, entries: tuple[dict[str, object], ...], text: str) -> set[int]:
    covered: set[int] = set()
    for entry in entries:
        if side in entry:
            span = entry[side]
            assert text[span.start : span.end] == span.text  # type: ignore[attr-defined]
            covered |= set(range(span.start, span.end))  # type: ignore[attr-defined]
    return covered


def test_added_lead_and_cut_paragraph() -> None:
    a, b = mapped(FIRST + SECOND), mapped(LEAD + FIRST)
    found = edits(a, b, common_runs(a.text, b.text))
    kinds = [entry["kind"] for entry in found]
    assert kinds == ["added", "kept", "removed"]
    assert found[0]["b"].text == LEAD.rstrip("。")  # type: ignore[attr-defined]
    assert found[2]["a"].text == SECOND.rstrip("。")  # type: ignore[attr-defined]


def test_moved_paragraph() -> None:
    a, b = mapped(FIRST + SECOND), mapped(SECOND + FIRST)
    runs = common_runs(a.text, b.text)
    kept, moved = in_order(runs)
    assert len(kept) == len(moved) == 1
    kinds = {entry["kind"] for entry in edits(a, b, runs)}
    assert kinds == {"kept", "moved"}


def test_offsets_survive_width_and_spaces() -> None:
    plain, wide = "第12号货轮的3名船员已经上岸休息", "第１２号 货轮的 ３ 名船员已经上岸休息"
    a, b = mapped(plain), mapped(wide)
    assert a.text == b.text
    run = common_runs(a.text, b.text)[0]
    assert b.span(run.b_start, run.b_start + run.length).text == wide


def test_longest_run() -> None:
    assert longest_run("xx" + FIRST, FIRST + "yy") == len(FIRST)
    assert longest_run(FIRST, "完全不同的句子写在这里没有重复") == 0


@settings(max_examples=150, deadline=None)
@given(st.text("甲乙丙丁，", max_size=60), st.text("甲乙丙丁，", max_size=60))
def test_every_character_is_accounted_for_once(one: str, two: str) -> None:
    a, b = mapped(one), mapped(two)
    runs = common_runs(a.text, b.text, 3)
    for run in runs:
        same = b.text[run.b_start : run.b_start + run.length]
        assert a.text[run.a_start : run.a_start + run.length] == same
    found = edits(a, b, runs)
    assert set(a.offsets.tolist()) <= rebuilt("a", found, one)
    assert set(b.offsets.tolist()) <= rebuilt("b", found, two)
