"""Figures of a pair of texts, from which the relation is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.shingles import shared
from toolkit.matching.alignment import Run, common_runs
from toolkit.matching.copy_parts import CopyParts, dice, own_words, support

#: shorter runs are names and formulas
SHORTEST_RUN = 12
#: characters of the opening, where reports of one event differ and copies do not
LEAD = 120

FEATURES = (
    "jaccard", "covered_shorter", "covered_longer", "longest_share", "longest_log",
    "lead_larger", "lead_smaller", "shorter_log",
)  # fmt: skip


@dataclass(frozen=True)
class PairFigures:
    """Exact figures of a pair; ``runs`` are the common runs of the normalised texts."""

    values: dict[str, float]
    runs: list[Run]

    def vector(self) -> npt.NDArray[np.float64]:
        """The figures the decision uses, in the order of ``FEATURES``."""
        return np.array([self.values[name] for name in FEATURES])


def overlap(a: CopyParts, b: CopyParts) -> tuple[float, float, float]:
    """Exact (Jaccard, share of a's shingles in b, share of b's in a); 0 for empty sets."""
    size_a, size_b = len(a.shingles), len(b.shingles)
    if not size_a or not size_b:
        return 0.0, 0.0, 0.0
    common = shared(a.shingles, b.shingles)
    return common / (size_a + size_b - common), common / size_a, common / size_b


def pair_figures(a: CopyParts, b: CopyParts) -> PairFigures:
    """All figures of a pair whose texts are both not empty."""
    jaccard, in_b, in_a = overlap(a, b)
    text_a, text_b = a.text.text, b.text.text
    runs = common_runs(text_a, text_b, SHORTEST_RUN)
    covered_a = np.zeros(len(text_a), dtype=bool)
    covered_b = np.zeros(len(text_b), dtype=bool)
    for run in runs:
        covered_a[run.a_start : run.a_start + run.length] = True
        covered_b[run.b_start : run.b_start + run.length] = True
    common = sum(run.length for run in runs)
    longest = max((run.length for run in runs), default=0)
    shorter, longer = sorted((len(text_a), len(text_b)))
    leads = (float(covered_a[:LEAD].mean()), float(covered_b[:LEAD].mean()))
    values = {
        "jaccard": jaccard,
        "containment_a": in_b,
        "containment_b": in_a,
        "length_a": len(text_a),
        "length_b": len(text_b),
        "common": common,
        "longest_run": longest,
        "covered_shorter": common / shorter,
        "covered_longer": common / longer,
        "longest_share": longest / shorter,
        "longest_log": float(np.log1p(longest)),
        "shorter_log": float(np.log1p(shorter)),
        "lead_larger": max(leads),
        "lead_smaller": min(leads),
        "titles_dice": dice(a.title, b.title),
    }
    shared_text = shared_of(a, runs)
    values["own_words_a"], values["own_words_b"] = own_words(a, b)
    values["title_a_told"] = support(a.title, shared_text)
    values["title_b_told"] = support(b.title, shared_text)
    return PairFigures(values, runs)


def shared_of(a: CopyParts, runs: list[Run]) -> str:
    """The common runs joined, as they stand in text a."""
    ordered = sorted(runs, key=lambda run: run.a_start)
    return "\n".join(a.text.text[r.a_start : r.a_start + r.length] for r in ordered)
