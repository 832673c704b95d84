"""特征码: the hanzi on both sides of every full stop (a Chinese textbook method)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HANZI = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_STOP = re.compile("[。．]")


@dataclass(frozen=True)
class Code:
    """One code: the hanzi around one full stop; ``text[start:end]`` holds them all."""

    code: str
    start: int
    end: int


def codes(text: str, hanzi: int = 5) -> list[Code]:
    """The codes of a text in order.

    A code joins the last ``hanzi`` hanzi before a full stop and the first ``hanzi``
    after it, skipping everything that is not a hanzi. A stop with fewer on a side
    (the end of the text) takes what there is; a stop with none on either is skipped.
    """
    positions = [m.start() for m in _HANZI.finditer(text)]
    result = []
    after = 0
    for stop in _STOP.finditer(text):
        while after < len(positions) and positions[after] < stop.start():
            after += 1
        chosen = positions[max(0, after - hanzi) : after + hanzi]
        if chosen:
            code = "".join(text[p] for p in chosen)
            result.append(Code(code, chosen[0], chosen[-1] + 1))
    return result
