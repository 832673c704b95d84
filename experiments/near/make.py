"""Make a corpus of N invented articles with planted copies.

    python experiments/near/make.py N OUT.txt [--background SHARED/data/xwlb/docs.jsonl.gz]

One article per line (line breaks inside an article are written as \\x1f), then its
cluster's number in OUT.clusters. Words are random pairs of common hanzi drawn with
Zipf frequencies, so that sentences do not repeat; an original has 300 to 1,500
characters. Copies get the edits met in real reprints: dateline, credits, new or cut
lead, cut paragraphs, lists of other headlines, notices, captions, width and spaces.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

from toolkit.fingerprints.char_vectors import gb2312_hanzi
from toolkit.io import read_documents

BREAK = "\x1f"
WORDS = 6000
SEED = 20240601
#: share of documents that are copies of an earlier one
COPIES = 0.45


class Maker:
    """Makes paragraphs, articles and copies from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        hanzi = gb2312_hanzi()[:1500]
        # the first hanzi, so that words share characters as real ones do
        self.words = [
            "".join(hanzi[k] for k in self.numpy.integers(0, 1500, 2)) for _ in range(WORDS)
        ]
        weights = 1 / np.arange(5, WORDS + 5)
        self.cumulative = np.cumsum(weights / weights.sum())
        self.names = ["".join(self.rng.choices(hanzi, k=3)) for _ in range(400)]
        self.outlets = ["".join(self.rng.choices(hanzi, k=2)) + "网" for _ in range(60)]
        self.headlines = [self.sentence()[:-1] for _ in range(3000)]
        self.notices = [self.paragraph() for _ in range(20)]

    def sentence(self) -> str:
        count = self.rng.randint(8, 18)
        ids = np.searchsorted(self.cumulative, self.numpy.random(count)).tolist()
        parts = [self.words[min(i, WORDS - 1)] for i in ids]
        if self.rng.random() < 0.3:
            parts[count // 2] += f"{self.rng.randint(2, 9999)}"
        parts[count // 3] += "，"
        return "".join(parts) + "。"

    def paragraph(self) -> str:
        return "".join(self.sentence() for _ in range(self.rng.randint(1, 4)))

    def original(self) -> list[str]:
        target, size, paragraphs = self.rng.randint(300, 1500), 0, []
        while size < target:
            paragraphs.append(self.paragraph())
            size += len(paragraphs[-1])
        paragraphs[-1] = paragraphs[-1][: max(20, len(paragraphs[-1]) - (size - target))]
        return paragraphs

    def copy(self, paragraphs: list[str]) -> list[str]:
        result = list(paragraphs)
        for edit in self.rng.sample(EDITS, self.rng.choice([0, 1, 1, 2, 2, 3])):
            result = edit(self, result)
        return result


def _dateline(maker: Maker, text: list[str]) -> list[str]:
    rng = maker.rng
    outlet, month, day = rng.choice(maker.outlets), rng.randint(1, 12), rng.randint(1, 28)
    head = f"{outlet}{month}月{day}日电（记者{rng.choice(maker.names)}）"
    return [head + text[0], *text[1:]]


def _credits(maker: Maker, text: list[str]) -> list[str]:
    return [
        *text,
        f"来源：{maker.rng.choice(maker.outlets)}",
        f"责任编辑：{maker.rng.choice(maker.names)}",
    ]


def _lead(maker: Maker, text: list[str]) -> list[str]:
    return [maker.sentence(), *text]


def _new_lead(maker: Maker, text: list[str]) -> list[str]:
    return [maker.paragraph(), *text[1:]]


def _cut(maker: Maker, text: list[str]) -> list[str]:
    return text[: max(1, len(text) - maker.rng.randint(1, 3))]


def _list(maker: Maker, text: list[str]) -> list[str]:
    return [*text, "相关新闻", *maker.rng.sample(maker.headlines, maker.rng.randint(3, 12))]


def _notice(maker: Maker, text: list[str]) -> list[str]:
    return [*text, maker.rng.choice(maker.notices)]


def _caption(maker: Maker, text: list[str]) -> list[str]:
    at = maker.rng.randint(0, len(text))
    return [*text[:at], f"{maker.sentence()[:16]} {maker.rng.choice(maker.names)}摄", *text[at:]]


def _moved(maker: Maker, text: list[str]) -> list[str]:
    result = list(text)
    maker.rng.shuffle(result)
    return result


def _width(maker: Maker, text: list[str]) -> list[str]:
    table = {ord("，"): ",", **{ord(str(d)): chr(0xFF10 + d) for d in range(10)}}
    return [part.translate(table).replace("。", "。 ") for part in text]


EDITS: list[Callable[[Maker, list[str]], list[str]]] = [
    _dateline, _credits, _lead, _new_lead, _cut, _list, _notice, _caption, _moved, _width,
]  # fmt: skip


def articles(n: int, background: list[str] | None = None) -> Iterator[tuple[str, int]]:
    """Yield (text, cluster); background texts come first, each its own cluster."""
    maker = Maker(SEED)
    cluster = 0
    made = 0
    for text in (background or [])[:n]:
        yield text.replace("\n", BREAK), cluster
        cluster, made = cluster + 1, made + 1
    recent: list[tuple[list[str], int]] = []
    while made < n:
        if recent and maker.rng.random() < COPIES:
            source, number = maker.rng.choice(recent)
            text = maker.copy(source)
        else:
            text, number = maker.original(), cluster
            cluster += 1
            recent.append((text, number))
            if len(recent) > 5000:  # a copy follows its original closely, as in life
                recent = recent[-2500:]
        yield BREAK.join(text), number
        made += 1


def main() -> None:
    """Write the corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--background", type=Path)
    arguments = parser.parse_args()
    background = None
    if arguments.background:
        background = [a.body for a in read_documents(arguments.background).articles]
    clusters = []
    with arguments.out.open("w", encoding="utf-8") as handle:
        rows = articles(arguments.n, background)
        for text, cluster in tqdm(rows, total=arguments.n, unit="article", file=sys.stderr):
            handle.write(text + "\n")
            clusters.append(cluster)
    Path(f"{arguments.out}.clusters").write_text("\n".join(map(str, clusters)) + "\n")


if __name__ == "__main__":
    main()
