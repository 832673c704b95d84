"""Explanations of the `elements` method: matched phrases and what would flip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toolkit.elements.extract import DocumentElements
from toolkit.elements.gazetteer import load_gazetteer
from toolkit.matching.decision import DecisionModel
from toolkit.matching.element_features import LEVELS, PairFeatures, _same_day
from toolkit.model import Span


def flips(
    features: PairFeatures, model: DecisionModel, threshold: float
) -> list[dict[str, object]]:
    """Single changes of a level that would turn the decision, smallest change first."""
    base = float(model.event_probability(features.row()[None, :])[0])
    above = base >= threshold
    found: list[dict[str, object]] = []
    for feature, levels in LEVELS.items():
        for level in ("unknown", *levels):
            if level == features.levels[feature]:
                continue
            changed = replace(features, levels={**features.levels, feature: level})
            score = float(model.event_probability(changed.row()[None, :])[0])
            if (score >= threshold) != above:
                found.append({
                    "feature": feature, "from": features.levels[feature], "to": level,
                    "score": round(score, 4), "distance": round(abs(score - base), 4),
                })  # fmt: skip
    found.sort(key=lambda f: (float(f["distance"]), str(f["feature"])))  # type: ignore[arg-type]
    return found[:6]


def aligned_phrases(a: DocumentElements, b: DocumentElements) -> tuple[dict[str, object], ...]:
    """Phrases of both reports that mean the same, first mentions, with offsets."""
    matches: list[dict[str, object]] = []
    gazetteer = load_gazetteer()

    def add(kind: str, x, y, value: str) -> None:  # type: ignore[no-untyped-def]
        matches.append({
            "kind": kind, "a": Span(x.start, x.end, x.text, x.field),
            "b": Span(y.start, y.end, y.text, y.field), "value": value,
        })  # fmt: skip

    used: set[tuple[str, str]] = set()
    for x in a.times:
        if x.day is None:
            continue
        for y in b.times:
            if y.day is None or not _same_day((x.year, x.month, x.day), (y.year, y.month, y.day)):
                continue
            key = ("time", f"{x.month}-{x.day}")
            if key not in used:
                used.add(key)
                add("time", x, y, "-".join(str(v or "?") for v in (x.year, x.month, x.day)))
            break
    for p in a.place_phrases:
        own = p.place or p.within
        for q in b.place_phrases:
            other = q.place or q.within
            same_name = bool(p.name) and p.name == q.name and p.kind != "local"
            same_place = bool(own) and own == other
            inside = bool(own and other) and (
                gazetteer.contains(own, other) or gazetteer.contains(other, own)
            )
            if not (same_name or same_place or inside):
                continue
            key = ("place", p.name if same_name else own)
            if key not in used:
                used.add(key)
                add("place", p, q, p.name if same_name else gazetteer.places[own].name)
            break
    for n in a.participants:
        for k in b.participants:
            if n.name == k.name:
                if ("participant", n.name) not in used:
                    used.add(("participant", n.name))
                    add("participant", n, k, n.name)
                break
    for f in a.figures:
        for g in b.figures:
            if f.kind == g.kind and f.value == g.value and f.value > 1:
                key = ("figure", f"{f.kind}{f.value}")
                if key not in used:
                    used.add(key)
                    add("figure", f, g, f"{f.kind} {f.value:g}{f.unit}")
                break
    return tuple(matches)


def waterfall(contributions: dict[str, float]) -> list[tuple[str, float, float]]:
    """(feature, contribution, running sum), bias first, then by size."""
    rows = [("bias", contributions["bias"], contributions["bias"])]
    total = contributions["bias"]
    rest = [(k, v) for k, v in contributions.items() if k != "bias" and abs(v) > 1e-9]
    for name, value in sorted(rest, key=lambda item: -abs(item[1])):
        total += value
        rows.append((name, value, float(np.round(total, 6))))
    return rows
