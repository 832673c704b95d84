"""Finds wrapping line by line; ``toolkit.language.wrapping`` is the way in.

Every line is looked at three times: as a whole (source line, credit, notice, …), at
its start (dateline) and at its end (end mark, credit in brackets, …). All looking is
done on folded text, which has the offsets of the original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from toolkit.language.normalise import count_hanzi, fold, to_simplified
from toolkit.language.wrapping_rules import Rules, rules

_DECORATION = (
    " \t\r\u200b\ufeff()[]{}【】〔〕〖〗<>《》|·•*#■◆●▲▼△▽◎※★☆□○→-—=_~\"'“”「」『』,:;、/\\^"
)
_CAPTION_MARKS = "▲△↑"
_SENTENCE_CLOSE = "。!?”」"
_DATELINE_CUE = re.compile(r"[电讯]|报[道导]|消息|记者|通讯员")
_SENTENCE = re.compile(r"[。!?;]")
_LIST_STOP = "。!?:,"
_TAIL_CUE = frozenset("0123456789abcdefghijklmnopqrstuvwxyz)]】完多摄》>■▌◆□#-:")
_LABEL_CUE = re.compile(
    r"编辑|责编|来源|稿源|作者|记者|编|校对|标题|返回|阅读|报道|链接|新闻|下一页|余下|撰|文"
)
_NUMERALS = {c: i for i, c in enumerate("〇一二三四五六七八九")}
_REPORTER_WORDS = re.compile(
    r"(?:[\u4e00-\u9fff]{2,10}[报网台社刊]|首席|见习|实习|特约|驻[\u4e00-\u9fff]{2,4})*"
    r"(?:记者|通讯员|实习生|特派员|评论员|编辑|摄影|报道|报导|综合)[::/]?|(?<![\u4e00-\u9fff])[图文](?![\u4e00-\u9fff])"
)
_NAME_BREAKS = re.compile(r"[\s、,，;/|和\xa0]+")
_NAME = re.compile(r"[\u3400-\u9fffA-Za-z·•.]{2,20}")
_NO_NAME = re.compile(r"新闻|电视|广播|频道|视频|微博|[报网台社刊]$")
_WORDLESS = re.compile(r"[\W_]+")
_VALUE_END = re.compile(
    r"\s{2,}|[|；;]|\s(?=[\u4e00-\u9fff]{2,4}[：:])|(?<=.)(?=未经|返回|责任?编|编辑|作者|记者|[（(])"
)
#: lines at the head and at the tail that the rules for these places see
_HEAD_LINES = 5
_MOST_TAILS = 5
#: fewest hanzi of a headline in a list under a heading that may be a subhead
_HEADLINE_HANZI = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A span in the body, before its text is cut out."""

    kind: str
    start: int
    end: int
    value: str | None = None


@dataclass(frozen=True, slots=True)
class FoundDateline:
    """The parts of a dateline as the text has them, in simplified hanzi."""

    agency: str | None
    place: str | None
    month: int | None
    day: int | None
    reporters: tuple[str, ...]


@dataclass(slots=True)
class Scan:
    """What was found in one body."""

    spans: list[Found] = field(default_factory=list)
    dateline: FoundDateline | None = None
    fields: dict[str, str] = field(default_factory=dict)


class _Line(NamedTuple):
    """A line without blanks: ``folded == text[start:end]``; ``core`` lacks decoration."""

    start: int
    end: int
    folded: str
    core: str


def scan(title: str, body: str) -> Scan:
    """Find all wrapping of a body; spans in order, not overlapping."""
    result = Scan()
    lines = _lines(body)
    if not lines:
        return result
    table = rules()
    title_key = _WORDLESS.sub("", fold(title))
    longest_title = len(title_key) + 24 if title_key else -1
    spans = result.spans
    list_end = -1
    for number, line in enumerate(lines):
        if number <= list_end:
            continue
        whole = _whole_line(table, line, number, result, body)
        if whole is not None:
            spans.append(whole)
            continue
        if len(line.core) <= longest_title and _is_title(line, title_key, number):
            spans.append(Found("title_line", line.start, line.end))
            continue
        if len(line.core) <= 24:
            end = _list_end(table, lines, number)
            if end is not None:
                spans.append(Found("related", line.start, lines[end].end))
                list_end = end
                continue
        start = _dateline(table, line, _head(table, line, result, body), result, body)
        if line.folded[-1] not in _SENTENCE_CLOSE:  # where most lines end
            _tails(table, line, start, result, body)
    spans.sort(key=lambda s: s.start)
    return result


def _lines(body: str) -> list[_Line]:
    # an indent of two ideographic spaces opens a paragraph; all replacements keep the length
    text = fold(body.replace("\u3000\u3000", "\n\n").replace("\u2028", "\n"))
    lines = []
    position = 0
    for raw in text.split("\n"):
        stripped = raw.strip()
        if stripped:
            start = position
            if len(stripped) != len(raw):
                start += raw.index(stripped)
            core = stripped.strip(_DECORATION)
            lines.append(_Line(start, start + len(stripped), stripped, core))
        position += len(raw) + 1
    return lines


def _whole_line(table: Rules, line: _Line, number: int, result: Scan, body: str) -> Found | None:
    core = line.core
    length = len(core)
    if not length:
        return None
    if line.folded[0] in _CAPTION_MARKS and length <= 60 and not _SENTENCE.search(core):
        return Found("caption", line.start, line.end)
    if length > 600:
        return None
    if length > table.long_line or (length > 30 and line.folded[-1] == "。"):
        if not table.notice_cue.search(core):
            return None
    elif not table.line_cue.search(core) and (length > 12 or not table.short_cue.search(core)):
        return None
    gate = table.any_line if length <= table.long_line else table.any_long_line
    passed = gate.fullmatch(core)
    if not passed:
        return None
    for rule in table.lines[(passed.lastindex or 1) - 1 :]:
        if length > rule.longest or (rule.where == "head" and number >= _HEAD_LINES):
            continue
        match = rule.pattern.fullmatch(core)
        if not match or (rule.unless and rule.unless.search(core)):
            continue
        value = None
        if rule.field == "editor":
            value = _editor(core)
        elif "value" in rule.pattern.groupindex and match["value"]:
            start = line.start + line.folded.index(core)
            value = _tidy(
                body[start + match.start("value") : start + match.end("value")], rule.field
            )
        if value and rule.field:
            result.fields.setdefault(rule.field, value)
        return Found(rule.kind, line.start, line.end, value)
    return None


def _is_title(line: _Line, title_key: str, number: int) -> bool:
    """The title again, without or with its site suffix; a sentence is never one."""
    if line.folded[-1] == "。":
        return False
    key = _WORDLESS.sub("", line.core)
    if len(key) >= 4 and key == title_key:
        return True
    return (
        len(key) >= 6
        and number < _HEAD_LINES
        and len(key) >= 0.55 * len(title_key)
        and (title_key.startswith(key) or (key.startswith(title_key) and len(title_key) >= 8
                                           and len(key) <= len(title_key) + 8))
    )  # fmt: skip


def _list_end(table: Rules, lines: list[_Line], number: int) -> int | None:
    """Number of the last line of a list of other news, None if no list begins here."""
    core = lines[number].core
    certain = table.certain_list.fullmatch(core) is not None
    if not certain and not table.open_list.fullmatch(core):
        return None
    end = number
    for following in range(number + 1, min(len(lines), number + 1 + table.list_reach)):
        line = lines[following]
        if len(line.core) > table.list_line or line.folded[-1] in _LIST_STOP:
            break
        if _CREDIT.match(line.core):
            break
        if not certain and count_hanzi(line.core) < _HEADLINE_HANZI:
            break  # subheads and dates of the report's own background section
        end = following
    others = [len(line.core) for line in lines[number + 1 : end]]
    goes_on = bool(others) and end + 1 < len(lines)
    if goes_on and len(lines[end].core) < 0.6 * sum(others) / len(others):
        end -= 1  # a far shorter line before running text is more likely its subhead
    if not certain and end < number + 2:
        return None
    return end


def _head(table: Rules, line: _Line, result: Scan, body: str) -> int:
    """Take wrapping off the start of a line; returns where its text begins."""
    if line.folded[0] in "([【":
        for rule in table.heads:
            match = rule.pattern.match(line.folded)
            if match:
                first = line.start + match.start("value")
                value = _tidy(body[first : line.start + match.end("value")], rule.field)
                if rule.field:
                    result.fields.setdefault(rule.field, value)
                end = line.start + len(match[0].rstrip())
                result.spans.append(Found(rule.kind, line.start, end, value))
                return line.start + len(match[0])
    return line.start


def _dateline(table: Rules, line: _Line, begin: int, result: Scan, body: str) -> int:
    """Record a dateline at ``begin``; returns where the text of the line goes on."""
    head = line.folded[begin - line.start : begin - line.start + 110]
    if not _DATELINE_CUE.search(head[:60]):
        return begin
    for pattern in table.datelines:
        match = pattern.match(head)
        if not match or not match[0].strip():
            continue
        groups = match.groupdict()
        month, day = _number(groups.get("month")), _number(groups.get("day"))
        if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
            continue

        def cut(name: str, match: re.Match[str] = match) -> str | None:
            if name not in match.re.groupindex or not match[name]:
                return None
            span = body[begin + match.start(name) : begin + match.end(name)]
            return to_simplified(span).strip() or None

        agency = cut("agency")
        if agency is None and head.lstrip("[【(").startswith("本"):
            agency = head.lstrip("[【(")[:2]
        reporters = _reporters(cut("reporters") or cut("reporters2") or "")
        found = FoundDateline(agency, cut("place"), month, day, reporters)
        end = begin + len(match[0].rstrip())
        result.spans.append(Found("dateline", begin, end, agency))
        if result.dateline is None:
            result.dateline = found
        return end
    return begin


def _tails(table: Rules, line: _Line, start: int, result: Scan, body: str) -> None:
    """Take wrapping off the end of a line, one piece after the other."""
    end = line.end
    for _ in range(_MOST_TAILS):
        low = max(start, end - 110)
        tail = line.folded[low - line.start : end - line.start].rstrip()
        if not tail or tail[-1] in _SENTENCE_CLOSE:
            return
        if tail[-1] not in _TAIL_CUE and not _LABEL_CUE.search(tail[-40:]):
            return
        if not table.any_tail.search(tail):
            return
        for rule in table.tails:
            match = rule.pattern.search(tail)
            if not match:
                continue
            first = low + match.start() + len(match[0]) - len(match[0].lstrip())
            last = low + len(tail)
            value = None
            if rule.field == "editor":
                value = _editor(match[0])
            elif "value" in rule.pattern.groupindex and match["value"]:
                value = _tidy(
                    body[low + match.start("value") : low + match.end("value")], rule.field
                )
            if value and rule.field:
                result.fields.setdefault(rule.field, value)
            result.spans.append(Found(rule.kind, first, last, value))
            end = first
            break
        else:
            return
        if end <= start:
            return


_CREDIT = re.compile(r"(?:责任编辑|责编|编辑|来源|作者|记者)\s?[:：/|丨]")
_EDITOR = re.compile(
    r"(?:编辑|责编|编审)\s?[:：/|丨\s]\s?([\u3400-\u9fff·]{2,4}(?:[\s、,]+[\u3400-\u9fff·]{2,4}"
    r"(?![:：/|]))*)"
)


def _editor(text: str) -> str | None:
    match = _EDITOR.search(text)
    if not match:
        return None
    return "、".join(n for n in _NAME_BREAKS.split(match[1]) if n and not n.endswith("校对"))


def _reporters(text: str) -> tuple[str, ...]:
    """Names of a list such as 记者甲、乙 通讯员丙."""
    names = _NAME_BREAKS.split(_REPORTER_WORDS.sub(" ", text))
    return tuple(n for n in names if _NAME.fullmatch(n) and not _NO_NAME.search(n))


def _tidy(value: str, name: str | None) -> str:
    if name == "original_title":
        value = value.strip()
        pairs = (("（", "）"), ("(", ")"), ("【", "】"))
        return next((value[:-1] for a, b in pairs if value.endswith(b) and a not in value), value)
    value = _VALUE_END.split(value.strip(), maxsplit=1)[0]
    return value.strip(" \t\u3000\xa0()（）[]【】《》“”\"'：:，,、/|-—。")


def _number(text: str | None) -> int | None:
    """12, 十二, 二十一 as a number; None for no text."""
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _NUMERALS.get(text, 0)
    return (_NUMERALS.get(tens, 0) if tens else 1) * 10 + (_NUMERALS.get(ones, 0) if ones else 0)
