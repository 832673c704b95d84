"""Pair evidence for people (text) and for programs (plain JSON types)."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from toolkit.model import Article, PairEvidence, Span

_WIDTH = 40


def plain(value: Any) -> Any:
    """Dataclasses, sets and numpy values as plain JSON types."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in (sorted(value, key=str) if isinstance(value, set | frozenset)
                                   else value)]  # fmt: skip
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value


def evidence_to_dict(evidence: PairEvidence) -> dict[str, Any]:
    """The evidence as a JSON object."""
    return plain(asdict(evidence))  # type: ignore[no-any-return]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _span(span: Any) -> str:
    if isinstance(span, Span):
        return f"{span.field}[{span.start}:{span.end}] {_short(span.text)}"
    if isinstance(span, dict) and {"start", "end", "text"} <= set(span):
        field = span.get("field", "body")
        return f"{field}[{span['start']}:{span['end']}] {_short(str(span['text']))}"
    return _short(str(span))


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{k} {_value(v)}" for k, v in value.items())
    return str(plain(value))


def evidence_to_text(evidence: PairEvidence, a: Article, b: Article) -> str:
    """The evidence as lines: the decision, every count, the matched spans side by side."""
    lines = [
        f"{evidence.a} | {_short(a.title)}",
        f"{evidence.b} | {_short(b.title)}",
        f"method {evidence.method}: {evidence.outcome}, relation {evidence.relation}, "
        f"score {evidence.score:.4f}",
        "",
    ]
    for name, value in evidence.features.items():
        if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
            lines.append(f"  {name}")
            lines += [f"    {_value(item)}" for item in value]
        else:
            lines.append(f"  {name:<24} {_value(value)}")
    if evidence.matches:
        lines += ["", "  matched"]
        for match in evidence.matches:
            rest = {k: v for k, v in match.items() if k not in ("kind", "a", "b")}
            more = f"  {_value(rest)}" if rest else ""
            sides = f"{_span(match.get('a'))}  =  {_span(match.get('b'))}"
            lines.append(f"    {match.get('kind', 'text')}: {sides}{more}")
    lines += [f"  note: {note}" for note in evidence.notes]
    return "\n".join(lines)
