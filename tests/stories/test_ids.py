"""Ids that last over runs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolkit.stories.stable_ids import agreement, match_groups


def test_growth_keeps_the_name_and_merges_and_splits_are_told():
    before = {"s1": "abc", "s2": "de", "s3": "fgh", "s4": "z"}
    after = {"n1": "abcx", "n2": "defg", "n3": "h", "n4": "q"}
    names, changes = match_groups(before, after)
    assert names["n1"] == "s1"
    assert names["n2"] == "s2"
    assert names["n3"] == "s3"
    assert names["n4"] == "n4"
    told = {(c.kind, c.before, c.after) for c in changes}
    assert told == {
        ("merged", ("s2", "s3"), ("s2",)),
        ("split", ("s3",), ("s2", "s3")),
        ("new", (), ("n4",)),
        ("gone", ("s4",), ()),
    }
    assert agreement(before, {names[k]: v for k, v in after.items()}) == 6 / 8


def test_a_fresh_name_never_repeats_an_earlier_one():
    names, _ = match_groups({"s1": "ab"}, {"s1": "cd", "n": "ab"})
    assert names == {"n": "s1", "s1": "s1.2"}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40))
def test_names_are_unique_and_same_groups_keep_them(places: list[tuple[int, int]]):
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for k, (a, b) in enumerate(places):
        before.setdefault(f"s{a}", []).append(str(k))
        after.setdefault(f"n{b}", []).append(str(k))
    names, _ = match_groups(before, after)
    assert len(set(names.values())) == len(after)
    same, changes = match_groups(before, {f"x{k}": v for k, v in before.items()})
    assert same == {f"x{k}": k for k in before}
    assert changes == []
