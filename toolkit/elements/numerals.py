"""Chinese and Arabic numerals to numbers.

Works on folded text (half-width digits, simplified hanzi).
"""

from __future__ import annotations

import re

_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")}
_DIGIT.update({"〇": 0, "○": 0, "o": 0, "两": 2, "俩": 2})
_DIGIT.update({str(i): i for i in range(10)})
_UNIT = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
#: characters of an integer in hanzi
HANZI_DIGITS = "零〇一二三四五六七八九十两"
_PLAIN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


def parse_number(text: str) -> float | None:
    """The value of a numeral such as ``1,200``, ``3.5万``, ``二十一`` or ``两千余``.

    Args:
        text: the numeral, folded; trailing 余, 多, 几, 来 are ignored.

    Returns:
        The value, or None when the text is not a numeral.
    """
    text = text.strip().rstrip("余多几来")
    if not text:
        return None
    total = 0.0
    while text and text[-1] in _BIG:
        # 3.5万亿: the units multiply
        total = (total or 1.0) * _BIG[text[-1]]
        text = text[:-1]
    if not text:
        return None
    factor = total or 1.0
    plain = _PLAIN.fullmatch(text)
    if plain:
        return float(text.replace(",", "")) * factor
    for unit in ("亿", "万"):
        if unit in text:
            head, _, tail = text.partition(unit)
            first = parse_number(head)
            rest = parse_number(tail.lstrip("零〇")) if tail else 0.0
            if first is None or rest is None:
                return None
            return (first * _BIG[unit] + rest) * factor
    value = _below_ten_thousand(text)
    return None if value is None else value * factor


def _below_ten_thousand(text: str) -> float | None:
    if not any(c in _UNIT for c in text):
        if any(c not in _DIGIT for c in text):
            return None
        return float("".join(str(_DIGIT[c]) for c in text))
    total, digit = 0, -1
    run = ""
    for c in text:
        if c in _UNIT:
            if run:
                digit = int(run)
            total += (digit if digit >= 0 else 1) * _UNIT[c]
            digit, run = -1, ""
        elif c in _DIGIT:
            if c.isdigit():
                run += c
            digit = _DIGIT[c] if not run else int(run)
        else:
            return None
    return float(total + (digit if digit > 0 else 0))
