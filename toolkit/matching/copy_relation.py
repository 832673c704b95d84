"""From a pair's figures to its relation: two small logistic models and clear rules.

One model gives the probability that one text was made from the other or both from
a third (copy), the other that it is a reprint and not merely an excerpt. Both are
linear in standardised figures (``copy_features``), trained by
``experiments/near/train.py`` and stored in ``data/copies.json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.matching.alignment import Run
from toolkit.matching.boilerplate import Repeats
from toolkit.matching.copy_features import FEATURES, PairFigures, pair_figures
from toolkit.matching.copy_parts import CopyParts
from toolkit.model import Article

#: probability at which a pair is called a copy, or a reprint
CUT = 0.5
#: share of the common anchors on boilerplate above which nothing of the news is shared
BOILERPLATE_SHARE = 0.7
#: both titles tell at least this share that only their own text tells: one form, two
#: pieces of news (reprints: at most 0.14)
OWN_WORDS = 0.2
#: copies are made within days; what returns later is a form or a background passage
MOST_DAYS = 30
#: unless another outlet has nearly all of it (Jaccard)
NEARLY_EQUAL = 0.9
#: an outlet edits its own report within this time; later it fills in the same form again
REVISION_DAYS = 3
#: a later version keeps its title, or nearly
REVISION_TITLES = 0.5


@dataclass(frozen=True)
class Logistic:
    """A logistic model on some of ``copy_features.FEATURES``."""

    columns: tuple[int, ...]
    mean: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    bias: float

    def probability(self, vector: npt.NDArray[np.float64]) -> float:
        """Probability for one pair's feature vector."""
        standard = (vector[list(self.columns)] - self.mean) / self.scale
        return float(1 / (1 + np.exp(-(standard @ self.weights + self.bias))))

    @staticmethod
    def read(data: dict[str, Any]) -> Logistic:
        """A model of its stored form."""
        columns = tuple(FEATURES.index(name) for name in data["features"])
        mean, scale, weights = (
            np.array(data[key], dtype=np.float64) for key in ("mean", "scale", "weights")
        )
        return Logistic(columns, mean, scale, weights, float(data["bias"]))


@lru_cache(maxsize=1)
def models() -> dict[str, Logistic]:
    """The shipped models "copy" and "reprint"."""
    path = resources.files("toolkit.matching") / "data" / "copies.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return {name: Logistic.read(data[name]) for name in ("copy", "reprint")}


@dataclass(frozen=True)
class Verdict:
    """How two articles' texts relate, with what it was read from.

    ``later``: "a" or "b" when the relation is ``revision``, else None.
    """

    score: float
    relation: str
    values: dict[str, float] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    later: str | None = None


DIFFERENT = Verdict(0.0, "different")


def compare(
    a: Article,
    b: Article,
    parts_a: CopyParts,
    parts_b: CopyParts,
    boilerplate: Repeats | None = None,
    same_page: bool = False,
) -> Verdict:
    """The relation of two articles.

    Args:
        boilerplate: what is known of the passages they share (None: nothing is).
        same_page: both have the same canonical URL key.
    """
    if parts_a.digest is None or parts_b.digest is None:
        return Verdict(1.0, "url_variant") if same_page else DIFFERENT
    if parts_a.digest == parts_b.digest:
        return _identical(parts_a, parts_b, boilerplate, same_page)
    if not len(parts_a.shingles) or not len(parts_b.shingles):
        return Verdict(1.0, "url_variant") if same_page else DIFFERENT
    return judge(a, b, pair_figures(parts_a, parts_b), boilerplate, same_page)


def _identical(a: CopyParts, b: CopyParts, boilerplate: Repeats | None, same_page: bool) -> Verdict:
    # equal bodies may lose different wrapping, such as a title pasted into one of them
    length_a, length_b = len(a.text.text), len(b.text.text)
    values = {"jaccard": 1.0, "length_a": length_a, "length_b": length_b}
    runs = (Run(0, 0, length_a),) if a.text.text == b.text.text else ()
    if same_page:
        return Verdict(1.0, "url_variant", values, runs)
    if boilerplate is not None and boilerplate.share >= BOILERPLATE_SHARE:
        return Verdict(0.1, "boilerplate", _with(values, boilerplate), runs)
    return Verdict(1.0, "identical", values, runs)


def judge(
    a: Article,
    b: Article,
    figures: PairFigures,
    boilerplate: Repeats | None = None,
    same_page: bool = False,
) -> Verdict:
    """The relation of two articles whose texts differ, from their figures."""
    vector = figures.vector()
    copy, reprint = (models()[name].probability(vector) for name in ("copy", "reprint"))
    values = {**figures.values, "p_copy": copy, "p_reprint": reprint}
    runs = tuple(figures.runs)
    if same_page:
        later = later_of(a, b)
        edited = max(copy, reprint) >= CUT and later is not None
        return Verdict(1.0, "revision" if edited else "url_variant", values, runs, later)
    if boilerplate is not None and boilerplate.share >= BOILERPLATE_SHARE:
        score = 0.1 * max(copy, reprint)
        return Verdict(score, "boilerplate", _with(values, boilerplate), runs)
    if max(copy, reprint) >= CUT and recurs(a, b, figures):
        score = 0.1 * max(copy, reprint)
        return Verdict(score, "boilerplate", values, runs)
    if reprint >= CUT:
        later = later_of(a, b) if _same_outlet(a, b) else None
        if later is not None and values["titles_dice"] >= REVISION_TITLES:
            return Verdict(max(copy, reprint), "revision", values, runs, later)
        return Verdict(max(copy, reprint), "reprint", values, runs)
    return Verdict(copy, "excerpt" if copy >= CUT else "different", values, runs)


def recurs(a: Article, b: Article, figures: PairFigures) -> bool:
    """Whether the shared text is a form that is filled in anew, or returns much later."""
    values = figures.values
    if min(values["own_words_a"], values["own_words_b"]) >= OWN_WORDS:
        return True
    if a.published is None or b.published is None:
        return False
    days = abs((a.published - b.published).total_seconds()) / 86400
    if _same_outlet(a, b):
        return days > REVISION_DAYS
    return days > MOST_DAYS and values["jaccard"] < NEARLY_EQUAL


def _with(values: dict[str, float], boilerplate: Repeats) -> dict[str, float]:
    known = {
        "boilerplate_share": boilerplate.share,
        "boilerplate_carriers": boilerplate.carriers,
    }
    return {**values, **known}


def _same_outlet(a: Article, b: Article) -> bool:
    return bool(a.source) and a.source == b.source


def later_of(a: Article, b: Article) -> str | None:
    """Which of two articles is the later one: "a", "b", or None when unknown."""
    time_a = a.modified or a.published
    time_b = b.modified or b.published
    if time_a is None or time_b is None or time_a == time_b:
        return None
    return "a" if time_a > time_b else "b"
