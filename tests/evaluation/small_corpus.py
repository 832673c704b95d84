"""A small labelled corpus of invented reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolkit.config import RunConfig

PLACES = [
    "柳河县",
    "青田镇",
    "白石港",
    "云岭乡",
    "东渡口",
    "沙湾村",
    "石桥区",
    "望江台",
    "南坪沟",
    "北仓屯",
]
ACTS = [
    "粮库起火",
    "渡轮搁浅",
    "桥梁合龙",
    "果园遭雹",
    "学校迁址",
    "矿井透水",
    "山体滑坡",
    "球队夺冠",
]


def report(place: str, act: str, number: int) -> str:
    """A body that shares most of its text with others of the same place and act."""
    head = f"{place}{number}日上午发生一件受到关注的事情，{act}，当地派出人员到场处理。"
    tail = "".join(f"{place}第{k}组工作人员介绍{act}的经过与善后安排。" for k in range(4))
    return head + tail


def corpus_rows() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """40 documents: ten stories, two events each, two reports of each event."""
    rows, events, stories = [], [], []
    for s, place in enumerate(PLACES):
        story = []
        for e in range(2):
            act = ACTS[(s + 3 * e) % len(ACTS)]
            ids = [f"s{s}e{e}{letter}" for letter in "ab"]
            for k, doc in enumerate(ids):
                body = report(place, act, 3 + e) + ("编辑另附一句补充说明。" if k else "")
                rows.append(
                    {"id": doc, "title": f"{place}{act}", "body": body, "published": "2021-03-05"}
                )
            events.append({"id": f"s{s}e{e}", "docs": ids})
            story += ids
        stories.append({"id": f"s{s}", "docs": story})
    labels = {
        "docs": [r["id"] for r in rows],
        "event_clusters": events,
        "story_clusters": stories,
        "relations": [["s0e0a", "s0e0b", "reprint"], ["s1e0a", "s1e0b", "revision"]],
        "hard_negatives": [["s0e0a", "s0e1a", "follow_up", "后续"], ["s2e0a", "s3e0a", "相似"]],
        "doubtful": [["s4e0a", "s4e1a"]],
    }
    return rows, labels


Write = Callable[..., RunConfig]
