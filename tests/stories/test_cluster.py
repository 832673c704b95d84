"""Two levels, guards, determinism and the rows of stories.jsonl."""

from __future__ import annotations

import itertools
import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import article, decided

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.stories.cluster import StoriesResult, build_stories
from toolkit.stories.linkage import components

CONFIG = RunConfig()
PLAIN = CONFIG.with_settings(["stories.closure=plain"])


def events_of(result: StoriesResult) -> set[frozenset[str]]:
    return {frozenset(e.articles) for s in result.stories for e in s.events}


def test_every_article_is_in_exactly_one_event_of_one_story():
    names = list("abcdef")
    result = build_stories(
        [article(n) for n in names],
        decided(names, [("a", "b", "reprint"), ("b", "c", "same_event"), ("d", "e", "same_story")]),
        CONFIG,
    )
    rows = list(result.rows())
    assert sorted(a for r in rows for a in r["articles"]) == names
    assert sorted(a for r in rows for e in r["events"] for a in e["articles"]) == names
    assert list(rows[0]) == ["story_id", "articles", "representative", "events"]
    assert list(rows[0]["events"][0]) == ["event_id", "articles", "representative", "reason"]
    assert events_of(result) == {frozenset("abc"), frozenset("d"), frozenset("e"), frozenset("f")}
    story = {r["story_id"]: set(r["articles"]) for r in rows}
    assert set("de") in story.values()


def test_no_pairs_and_no_articles():
    assert build_stories([], decided([], []), CONFIG).stories == ()
    alone = build_stories([article("a")], decided(["a"], []), CONFIG)
    assert alone.stories[0].representative == "a"


def two_cliques() -> tuple[list[str], list[tuple[str, str, str]]]:
    left, right = [f"l{k}" for k in range(5)], [f"r{k}" for k in range(5)]
    rows = [(a, b, "same_event") for side in (left, right) for a in side for b in side if a < b]
    return left + right, [*rows, ("l0", "r0", "same_event")]


def test_one_bridge_does_not_merge_two_groups_and_the_reason_is_recorded():
    names, rows = two_cliques()
    articles = [article(n) for n in names]
    plain = build_stories(articles, decided(names, rows), PLAIN)
    assert events_of(plain) == {frozenset(names)}
    result = build_stories(articles, decided(names, rows), CONFIG)
    assert events_of(result) == {frozenset(names[:5]), frozenset(names[5:])}
    assert [r.reason for r in result.refusals] == ["cohesion"]
    assert result.refusals[0].support == pytest.approx(1 / 25)
    assert result.refusals[0].bridges == (("l0", "r0"),)
    assert any("l0" in line and "r0" in line for line in result.why("l0"))
    with pytest.raises(UserError, match="nobody"):
        result.why("nobody")


def test_a_chain_is_cut_into_short_pieces():
    names = [f"c{k:03d}" for k in range(60)]
    rows = [(a, b, "same_event") for a, b in itertools.pairwise(names)]
    result = build_stories([article(n) for n in names], decided(names, rows), CONFIG)
    assert max(map(len, events_of(result))) <= 6


def test_conflicting_days_are_never_joined():
    names = ["a", "b", "c"]
    days = ["5月1日", "5月1日", "5月9日"]
    hours = [0, 3, 192]
    articles = [
        article(n, h, f"{d}上午，甲镇举行集市。")
        for n, d, h in zip(names, days, hours, strict=True)
    ]
    rows = [("a", "b", "same_event"), ("b", "c", "same_event"), ("a", "c", "same_event")]
    result = build_stories(articles, decided(names, rows), CONFIG)
    assert events_of(result) == {frozenset("ab"), frozenset("c")}
    assert {r.reason for r in result.refusals} == {"contradiction"}


def test_cannot_link_and_span():
    names = list("abcd")
    rows = [(a, b, "same_event") for a in names for b in names if a < b]
    articles = [article(n, 0) for n in names]
    apart = np.array([[0, 3]], np.int32)
    result = build_stories(articles, decided(names, rows), CONFIG, apart)
    assert not any({"a", "d"} <= e for e in events_of(result))
    late = [article(n, h) for n, h in zip(names, (0, 1, 24 * 40, 24 * 40 + 1), strict=True)]
    result = build_stories(late, decided(names, rows), CONFIG)
    assert max(map(len, events_of(result))) == 2
    assert {r.reason for r in result.refusals} == {"span"}


def test_a_large_set_of_copies_with_few_compared_pairs_stays_whole():
    names = [f"n{k:03d}" for k in range(200)]
    rows = [("n000", n, "reprint") for n in names[1:]]
    result = build_stories([article(n) for n in names], decided(names, rows), CONFIG)
    assert events_of(result) == {frozenset(names)}


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 25), st.integers(0, 60), st.integers(0, 10_000))
def test_order_of_the_input_changes_nothing(n: int, m: int, seed: int):
    rng = random.Random(seed)
    names = [f"x{k}" for k in range(n)]
    kinds = ["identical", "reprint", "excerpt", "same_event", "same_story", "different"]
    rows = {
        tuple(sorted(rng.sample(names, 2))): (rng.choice(kinds), rng.choice([0.5, 0.7, 0.9]))
        for _ in range(m)
    }
    listed = [(a, b, r, s) for (a, b), (r, s) in rows.items()]
    articles = {k: article(k, rng.choice([None, 0, 5, 300, 2000])) for k in names}
    first = build_stories([articles[k] for k in names], decided(names, listed), CONFIG)
    rng.shuffle(names)
    rng.shuffle(listed)
    second = build_stories([articles[k] for k in names], decided(names, listed), CONFIG)
    assert list(first.rows()) == list(second.rows())
    closure = {a: label for a, label in zip(names, second.levels.closure.tolist(), strict=True)}
    for event in events_of(second):  # guards only ever split the closure
        assert len({closure[a] for a in event}) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59))))
def test_components_agree_with_networkx(n: int, edges: list[tuple[int, int]]):
    edges = [(a, b) for a, b in edges if a < n and b < n]
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    expected = {frozenset(c) for c in nx.connected_components(graph)}
    first = np.array([a for a, _ in edges], np.int64)
    second = np.array([b for _, b in edges], np.int64)
    labels = components(n, first, second).tolist()
    groups: dict[int, set[int]] = {}
    for node, label in enumerate(labels):
        groups.setdefault(label, set()).add(node)
    assert {frozenset(g) for g in groups.values()} == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 30), st.integers(0, 80), st.integers(0, 10_000))
def test_plain_closure_agrees_with_networkx(n: int, m: int, seed: int):
    rng = random.Random(seed)
    names = [f"x{k}" for k in range(n)]
    pairs = {tuple(sorted(rng.sample(names, 2))) for _ in range(m)}
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from(pairs)
    rows = [(a, b, "same_event") for a, b in pairs]
    result = build_stories([article(k) for k in names], decided(names, rows), PLAIN)
    assert events_of(result) == {frozenset(c) for c in nx.connected_components(graph)}
