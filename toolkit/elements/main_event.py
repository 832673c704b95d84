"""Which event a report is about: weights by position and background, main act.

A report names many times, places and people. Title and lead count most; sentences
that recall (此前, 据此前报道, 去年同期, 背景) count little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from toolkit.elements.lexicon import LIGHT_VERBS, news_lexicon

BACKGROUND = re.compile(
    r"此前|早前|此前报道|曾经?(?=[^\u3002]{0,12}[过])|去年同期|回顾|背景|据悉,?早在|资料显示|延伸阅读|相关阅读|相关新闻|新闻链接|历史上|多年来|近年来"
    r"|据此前|之前曾|曾于|曾在|早在|盘点|往年|上一次|前一次|相关链接|新闻背景"
)
QUOTE = re.compile(r"[“\"][^”\"]{4,}[”\"]")
_SENTENCE = re.compile(r"[。!?！？;；\n]+")
LEAD = 160


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentence starts of a body with a weight for each sentence."""

    starts: tuple[int, ...]
    weights: tuple[float, ...]
    background: tuple[bool, ...]

    def at(self, offset: int) -> tuple[float, bool]:
        """(weight, background) of the sentence that holds an offset."""
        index = max(0, bisect_right(self.starts, offset) - 1)
        return self.weights[index], self.background[index]


def weigh_sentences(folded: str) -> Sentences:
    """Position weights 2.0 (lead) falling to 0.3; background is a quarter of that."""
    starts = [0]
    for match in _SENTENCE.finditer(folded):
        if match.end() < len(folded):
            starts.append(match.end())
    weights, flags = [], []
    for i, start in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(folded)
        weight = 2.0 if start < LEAD else 1.0 if start < 500 else 0.6 if start < 1200 else 0.3
        recall = bool(BACKGROUND.search(folded, start, min(end, start + 60)))
        flags.append(recall)
        weights.append(weight * (0.25 if recall else 1.0))
    return Sentences(tuple(starts), tuple(weights), tuple(flags))


def acts_of(words: list[tuple[str, str, int]]) -> tuple[list[str], list[str]]:
    """(lexicon groups of the acts, other verbs) of tagged words in order.

    Light verbs (发生, 造成) are left out: the noun behind them is the act.
    """
    lexicon = news_lexicon()
    groups, verbs = [], []
    for word, tag, _ in words:
        if word in LIGHT_VERBS:
            continue
        if word in lexicon.words:
            groups.append(lexicon.group(word))
        elif tag.startswith("v") and len(word) >= 2:
            verbs.append(word)
    return groups, verbs


_TITLE_ACT = re.compile(
    r"(?P<comment>怎么回事|怎么看|意味着什么|为何|为什么|如何看|启示|评论|时评|锐评|社评|解读|盘点|热点|观察|反思|背后|思考|谈谈|申论|作文|揭秘|深度|给我们)"
    r"|(?P<answer>回应|答复|致歉|道歉|驳斥|谴责|反对|批|辟谣|否认|澄清|表态|发声|喊话|回击|怒斥|痛斥)"
    r"|(?P<state>称|表示|说|指出|透露|强调|呼吁|警告|重申|:|：)"
)


def title_act(folded_title: str) -> str:
    """comment, answer, state or report: what kind of act the title tells."""
    found = {m.lastgroup for m in _TITLE_ACT.finditer(folded_title)}
    for kind in ("comment", "answer", "state"):
        if kind in found:
            return kind
    return "report"
