"""Invented articles and hand-made decisions for the tests of the story layer."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from toolkit.io import CHINA_TIME
from toolkit.matching.method import DUPLICATE
from toolkit.model import Article
from toolkit.stories.pairs import RELATION_CODE, DecidedPairs

START = datetime(2023, 5, 1, 8, 0, tzinfo=CHINA_TIME)


def article(name: str, hours: float | None = 0, body: str = "", **more: object) -> Article:
    """An article published ``hours`` after the start (None: no time)."""
    when = None if hours is None else START + timedelta(hours=hours)
    precision = None if hours is None else "minute"
    return Article(
        id=name, title=f"标题{name}", body=body or f"甲镇举行集市，编号{name}。",
        published=when, published_precision=precision, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def decided(
    names: list[str],
    rows: list[tuple[str, str, str]] | list[tuple[str, str, str, float]],
    different: list[tuple[str, str]] | None = None,
) -> DecidedPairs:
    """Decisions by name: (a, b, relation[, score]) and compared-but-different pairs."""
    place = {name: i for i, name in enumerate(names)}
    pairs, score, outcome, relation = [], [], [], []
    for row in rows:
        i, j = sorted((place[row[0]], place[row[1]]))
        pairs.append((i, j))
        relation.append(RELATION_CODE[row[2]])
        outcome.append(DUPLICATE if row[2] not in ("same_story", "different") else 0)
        score.append(row[3] if len(row) > 3 else 0.9)  # type: ignore[misc]
    for a, b in different or []:
        i, j = sorted((place[a], place[b]))
        pairs.append((i, j))
        relation.append(RELATION_CODE["different"])
        outcome.append(0)
        score.append(0.1)
    return DecidedPairs(
        np.array(pairs, np.int32).reshape(-1, 2), np.array(score, float),
        np.array(outcome, np.int8), np.array(relation, np.int8), "toy", 0.5,
    )  # fmt: skip
