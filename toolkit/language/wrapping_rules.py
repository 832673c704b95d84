"""Loads the wording of wrapping (``data/wrapping.yaml``) once and compiles it.

Whether any rule of a group matches is asked first with one joint expression, so
that a line of ordinary text costs one look and not one per rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

_NAMED = re.compile(r"\(\?P<\w+>")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True)
class LineRule:
    """A line of its own that is wrapping as a whole."""

    kind: str
    pattern: re.Pattern[str]
    longest: int
    where: str
    field: str | None
    unless: re.Pattern[str] | None


@dataclass(frozen=True)
class TailRule:
    """Wrapping at one end of a line of text."""

    kind: str
    pattern: re.Pattern[str]
    field: str | None


@dataclass(frozen=True)
class Rules:
    """All compiled rules; ``any_line`` and ``any_tail`` are the joint expressions."""

    datelines: tuple[re.Pattern[str], ...]
    heads: tuple[TailRule, ...]
    lines: tuple[LineRule, ...]
    any_line: re.Pattern[str]
    any_long_line: re.Pattern[str]
    line_cue: re.Pattern[str]
    short_cue: re.Pattern[str]
    notice_cue: re.Pattern[str]
    tails: tuple[TailRule, ...]
    any_tail: re.Pattern[str]
    certain_list: re.Pattern[str]
    open_list: re.Pattern[str]
    list_line: int
    list_reach: int
    long_line: int


@lru_cache(maxsize=1)
def rules() -> Rules:
    """The compiled table."""
    source = resources.files("toolkit.language") / "data" / "wrapping.yaml"
    data: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    parts: dict[str, str] = data["parts"]
    # a second list of names in one pattern needs a group name of its own
    parts["people2"] = parts["people"].replace("P<reporters>", "P<reporters2>")

    def fill(pattern: str) -> str:
        for _ in range(4):  # parts may use parts
            for name, part in parts.items():
                pattern = pattern.replace("{" + name + "}", f"(?:{part})")
        return pattern

    lines = []
    for rule in data["lines"]:
        unless = rule.get("unless")
        for pattern in rule["patterns"]:
            lines.append(
                LineRule(
                    rule["kind"],
                    re.compile(fill(pattern)),
                    int(rule["max"]),
                    rule["where"],
                    rule.get("field"),
                    re.compile(fill(unless)) if unless else None,
                )
            )
    heads = tuple(
        TailRule(r["kind"], re.compile(fill(r["pattern"])), r.get("field")) for r in data["heads"]
    )
    tails = tuple(
        TailRule(r["kind"], re.compile(f"(?:{fill(r['pattern'])})\\s*$"), r.get("field"))
        for r in data["tails"]
    )
    lists = data["lists"]
    long_line = max(rule.longest for rule in lines if rule.kind != "copyright")
    return Rules(
        datelines=tuple(re.compile(fill(p)) for p in data["datelines"]),
        heads=heads,
        lines=tuple(lines),
        any_line=_any([r.pattern for r in lines]),
        any_long_line=_any([r.pattern if r.longest > long_line else _NEVER for r in lines]),
        line_cue=re.compile(data["cues"]["line"]),
        short_cue=re.compile(data["cues"]["short"]),
        notice_cue=re.compile(data["cues"]["notice"]),
        tails=tails,
        any_tail=_any([r.pattern for r in tails]),
        certain_list=re.compile(lists["certain"]),
        open_list=re.compile(lists["open"]),
        list_line=int(lists["max_line"]),
        list_reach=int(lists["reach"]),
        long_line=long_line,
    )


def _any(patterns: list[re.Pattern[str]]) -> re.Pattern[str]:
    """One expression that matches where any of them does; group n + 1 is pattern n."""
    return re.compile("|".join(f"({_NAMED.sub('(?:', p.pattern)})" for p in patterns))
