"""Evidence features of a pair, declared as named levels, from two reports' elements.

Each ``Feature`` names its levels; a level is one column of the decision model. The
level ``unknown`` has no column: what is missing speaks neither for nor against.
Numeric text evidence is cut into hinges, so that it too can be told as a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from toolkit.elements.extract import Day, DocumentElements
from toolkit.elements.figures import Figure, compare_figures
from toolkit.elements.gazetteer import Gazetteer, load_gazetteer
from toolkit.elements.lexicon import news_lexicon
from toolkit.matching.background import Background
from toolkit.model import Article

Floats = npt.NDArray[np.float64]

#: feature -> its levels beside "unknown"
LEVELS: dict[str, tuple[str, ...]] = {
    "day": (
        "agree_full",
        "agree_month_day",
        "agree_day",
        "contained",
        "one_way",
        "near_full",
        "near_partial",
        "conflict_full",
        "conflict_partial",
    ),
    "clock": ("agree", "conflict"),
    "publication": ("same_day", "next_days", "weeks", "far"),
    "place": (
        "agree_exact",
        "agree_city",
        "contained",
        "agree_wide",
        "conflict_near",
        "conflict_far",
    ),
    "site": ("agree", "conflict"),
    "deaths": ("equal", "compatible", "conflict"),
    "injured": ("equal", "compatible", "conflict"),
    "magnitude": ("equal", "conflict"),
    "numbers": ("agree_many", "agree_some", "disjoint"),
    "names": ("strong", "some", "weak", "disjoint"),
    "act": ("agree", "same_class", "disjoint"),
    "kind": (
        "same_report",
        "same_answer",
        "same_comment",
        "differ_answer",
        "differ_comment",
        "differ_state",
    ),
}
#: numeric feature -> where its segments begin
HINGES: dict[str, tuple[float, ...]] = {
    "text": (0.0, 0.12, 0.25, 0.4),
    "title": (0.0, 0.2, 0.45),
    "lead": (0.0, 0.2, 0.45),
    "cover": (0.0, 0.35, 0.65),
    "places": (0.0, 0.4),
    "participants": (0.0, 0.3),
    "dates": (0.0, 0.4),
}
#: circumstances in which words weigh more: no publication dates (``undated``), and
#: reports that are not both of accidents and disasters, which sound alike (``topical``)
REGIMES = ("undated", "topical")
#: numbers are stretched so that the regularisation treats them like levels
SCALE = 5.0
#: rarity (natural log) from which a site's name tells one place from another
RARE_SITE = 4.5
COLUMNS: tuple[str, ...] = (
    tuple(f"{f}={v}" for f, vs in LEVELS.items() for v in vs)
    + tuple(f"{f}>{h:g}" for f, hs in HINGES.items() for h in hs)
    + tuple(f"regime={r}" for r in REGIMES)
    + tuple(f"{f}>{h:g}|{r}" for r in REGIMES for f, hs in HINGES.items() for h in hs)
)
#: levels that may only speak for the same event, and only against it
FOR = frozenset({
    "day=agree_full", "day=agree_month_day", "day=agree_day", "day=contained", "clock=agree",
    "publication=same_day", "publication=next_days", "place=agree_exact", "place=agree_city",
    "place=contained", "site=agree", "deaths=equal", "injured=equal", "magnitude=equal",
    "numbers=agree_many", "names=strong", "act=agree",
})  # fmt: skip
AGAINST = frozenset({
    "day=near_full", "day=near_partial", "day=conflict_full", "day=conflict_partial",
    "clock=conflict", "publication=weeks", "publication=far", "place=conflict_near",
    "place=conflict_far", "site=conflict", "deaths=conflict", "injured=conflict",
    "magnitude=conflict", "numbers=disjoint", "names=disjoint", "act=disjoint",
    "kind=differ_answer", "kind=differ_comment", "kind=differ_state",
})  # fmt: skip
_COLUMN = {name: i for i, name in enumerate(COLUMNS)}
GROUPS = {
    "time": ("day", "clock", "publication", "dates"),
    "place": ("place", "site", "places"),
    "participants": ("names", "participants"),
    "figures": ("deaths", "injured", "magnitude", "numbers"),
    "act": ("act", "kind"),
    "text": ("text", "title", "lead", "cover"),
    "circumstances": ("regime",),
}


@dataclass(frozen=True, slots=True)
class Profile:
    """What the decision needs of one report."""

    id: str
    days: dict[Day, float]
    main_day: Day | None
    clocks: tuple[tuple[int, int], ...]
    published: date | None
    places: dict[str, float]
    place_norm: float
    main_place: str
    sites: dict[str, float]
    names: dict[str, float]
    name_norm: float
    acts: frozenset[str]
    title_acts: frozenset[str]
    act_classes: frozenset[str]
    kind: str
    formulaic: bool
    tolls: dict[str, Figure]
    numbers: dict[tuple[str, float], float]


def make_profile(article: Article, elements: DocumentElements, background: Background) -> Profile:
    """Condense a report's elements; weights are multiplied with background rarity."""
    from toolkit.elements.anchors import CHINA

    gazetteer = load_gazetteer()
    places: dict[str, float] = {}
    for identifier, weight in elements.places.items():
        for depth, ancestor in enumerate(gazetteer.lineage(identifier)):
            value = weight * 0.6**depth * background.term(ancestor)
            places[ancestor] = places.get(ancestor, 0.0) + value
    names = {n: w**0.5 * background.term(n) for n, w in elements.names.items()}
    main = elements.main_day
    clocks = tuple(
        e.minutes
        for e in elements.times
        if e.minutes
        and e.granularity in ("minute", "hour")
        and main
        and _same_day((e.year, e.month, e.day or 0), main)
    )[:3]
    tolls: dict[str, Figure] = {}
    numbers: dict[tuple[str, float], float] = {}
    for figure in elements.figures:
        if figure.kind in ("deaths", "injured", "magnitude"):
            # the title's figure, else the first one
            tolls.setdefault(figure.kind, figure)
        if (figure.value > 3 and figure.kind != "percent") or figure.kind == "percent":
            weight = 2.0 if figure.field == "title" or figure.start < 200 else 1.0
            key = (figure.kind, figure.value)
            numbers[key] = max(numbers.get(key, 0.0), weight)
    lexicon = news_lexicon()
    title_acts = frozenset(elements.title_acts) | frozenset(elements.title_verbs)
    published = article.published.astimezone(CHINA).date() if article.published else None
    return Profile(
        article.id, elements.days, main, clocks, published, places, _norm(places), elements.main_place,  # noqa: E501
        _telling_sites(elements, background), names, _norm(names), frozenset(elements.acts), title_acts,  # noqa: E501
        frozenset(lexicon.acts[a] for a in elements.title_acts if a in lexicon.acts),
        elements.title_kind, _is_formulaic(elements), tolls, numbers,
    )  # fmt: skip


def _telling_sites(elements: DocumentElements, background: Background) -> dict[str, float]:
    """Sites named where it matters; 高速公路 or 医院 alone are everywhere and tell nothing."""
    return {
        name: weight
        for name, weight in elements.own_places.items()
        if weight >= 1.0 and background.term(name) >= RARE_SITE
    }


def _is_formulaic(elements: DocumentElements) -> bool:
    """True for a report whose title (or, without an act there, lead) tells of harm."""
    acts = elements.title_acts or tuple(elements.acts)
    lexicon = news_lexicon()
    return any(lexicon.acts.get(a) in ("harm", "rescue", "disaster", "traffic") for a in acts)


def _norm(weights: dict[str, float]) -> float:
    return float(sum(v * v for v in weights.values())) ** 0.5


def _cosine(a: dict[str, float], b: dict[str, float], norm_a: float, norm_b: float) -> float:
    if not norm_a or not norm_b:
        return 0.0
    if len(b) < len(a):
        a, b = b, a
    return sum(v * b[k] for k, v in a.items() if k in b) / (norm_a * norm_b)


def _same_day(a: Day, b: Day) -> bool:
    if a[2] != b[2]:
        return False
    if a[1] is not None and b[1] is not None and a[1] != b[1]:
        return False
    return not (a[0] is not None and b[0] is not None and a[0] != b[0])


def day_distance(a: Day, b: Day) -> float:
    """Days between two days; with unknown month or year the smallest possible distance."""
    if a[0] and b[0] and a[1] and b[1]:
        return abs((date(a[0], a[1], a[2]) - date(b[0], b[1], b[2])).days)
    if a[1] and b[1]:
        gap = abs((a[1] - b[1]) * 30.4 + a[2] - b[2])
        return min(gap, 365 - gap)
    gap = abs(a[2] - b[2])
    return min(gap, 30.4 - gap)


def day_level(a: Profile, b: Profile) -> str:
    """How the two main days relate (levels of ``day``)."""
    if a.main_day is None or b.main_day is None:
        return "unknown"
    x, y = a.main_day, b.main_day
    full = bool(x[0] and y[0] and x[1] and y[1])
    if _same_day(x, y):
        return "agree_full" if full else "agree_month_day" if x[1] and y[1] else "agree_day"
    forth = any(_same_day(x, d) for d in b.days)
    back = any(_same_day(y, d) for d in a.days)
    if forth and back:
        return "contained"
    gap = day_distance(x, y)
    if forth or back:
        return "one_way"
    if gap <= 1.5:
        return "near_full" if full else "near_partial"
    return "conflict_full" if full else "conflict_partial"


def _dates_cosine(a: Profile, b: Profile) -> float:
    if not a.days or not b.days:
        return 0.0
    total = 0.0
    for day, weight in a.days.items():
        total += max((weight * w for d, w in b.days.items() if _same_day(day, d)), default=0.0)
    norm = (sum(w * w for w in a.days.values()) * sum(w * w for w in b.days.values())) ** 0.5
    return min(1.0, total / norm) if norm else 0.0


def _clock_level(a: Profile, b: Profile) -> str:
    if not a.clocks or not b.clocks:
        return "unknown"
    for s, e in a.clocks:
        for t, f in b.clocks:
            if s < f + 30 and t < e + 30:
                return "agree"
    return "conflict"


def _publication_level(a: Profile, b: Profile) -> str:
    if a.published is None or b.published is None:
        return "unknown"
    gap = abs((a.published - b.published).days)
    return "same_day" if gap == 0 else "next_days" if gap <= 3 else "weeks" if gap <= 21 else "far"


def place_level(a: Profile, b: Profile, gazetteer: Gazetteer) -> str:
    """How the two main places relate (levels of ``place``)."""
    x, y = a.main_place, b.main_place
    if not x or not y:
        return "unknown"
    if x == y:
        level = gazetteer.level(x)
        return "agree_exact" if level >= 4 else "agree_city" if level == 3 else "agree_wide"
    if gazetteer.contains(x, y) or gazetteer.contains(y, x):
        outer = x if gazetteer.contains(x, y) else y
        return "contained" if gazetteer.level(outer) >= 2 else "agree_wide"
    if x in b.places or y in a.places:
        return "conflict_near"
    common = [p for p in gazetteer.lineage(x) if p in gazetteer.lineage(y)]
    if common and gazetteer.level(common[0]) >= 2:
        return "conflict_near"
    return "conflict_far"


def _site_level(a: Profile, b: Profile) -> str:
    if not a.sites or not b.sites:
        return "unknown"
    if any(s in b.sites for s in a.sites):
        return "agree"
    for s in a.sites:
        for t in b.sites:
            if len(s) >= 4 and len(t) >= 4 and (s.endswith(t[-4:]) or s[:4] == t[:4]):
                return "agree"
    return "conflict"


def _toll_level(kind: str, a: Profile, b: Profile) -> str:
    x, y = a.tolls.get(kind), b.tolls.get(kind)
    if x is None or y is None:
        return "unknown"
    level = compare_figures(x, y)
    if kind == "magnitude":
        return "equal" if level == "equal" else "conflict"
    return level if level in ("equal", "conflict") else "compatible"


def _numbers_level(a: Profile, b: Profile) -> str:
    if not a.numbers or not b.numbers:
        return "unknown"
    shared = sum(min(w, b.numbers[k]) for k, w in a.numbers.items() if k in b.numbers)
    if not shared:
        return "disjoint"
    smaller = min(sum(a.numbers.values()), sum(b.numbers.values()))
    return (
        "agree_many" if shared >= 3 or (shared / smaller >= 0.5 and shared >= 2) else "agree_some"
    )


def _names_level(a: Profile, b: Profile, cosine: float) -> str:
    if not a.names or not b.names:
        return "unknown"
    if cosine <= 0:
        return "disjoint"
    return "strong" if cosine >= 0.5 else "some" if cosine >= 0.2 else "weak"


def _act_level(a: Profile, b: Profile) -> str:
    if not a.title_acts or not b.title_acts:
        return "unknown"
    if a.title_acts & b.title_acts:
        return "agree"
    if a.act_classes & b.act_classes:
        return "same_class"
    return "disjoint"


def _kind_level(a: Profile, b: Profile) -> str:
    if a.kind == b.kind:
        return {"answer": "same_answer", "comment": "same_comment"}.get(a.kind, "same_report")
    kinds = {a.kind, b.kind}
    if "comment" in kinds:
        return "differ_comment"
    return "differ_answer" if "answer" in kinds else "differ_state"


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """Levels and numbers of one pair."""

    levels: dict[str, str]
    numbers: dict[str, float]
    regimes: frozenset[str] = frozenset()

    def row(self) -> Floats:
        """The model's columns, shape (len(COLUMNS),)."""
        values = np.zeros(len(COLUMNS))
        for feature, level in self.levels.items():
            index = _COLUMN.get(f"{feature}={level}")
            if index is not None:
                values[index] = 1.0
        for feature, hinges in HINGES.items():
            x = self.numbers[feature]
            for hinge, upper in zip(hinges, (*hinges[1:], 1.0), strict=True):
                if x > hinge:
                    # one segment of a line that may only rise
                    stretched = SCALE * (min(x, upper) - hinge)
                    values[_COLUMN[f"{feature}>{hinge:g}"]] = stretched
                    for regime in self.regimes:
                        values[_COLUMN[f"{feature}>{hinge:g}|{regime}"]] = stretched
        for regime in self.regimes:
            values[_COLUMN[f"regime={regime}"]] = 1.0
        return values


def pair_features(a: Profile, b: Profile, text: Sequence[float]) -> PairFeatures:
    """Features of a pair.

    Args:
        text: cosines of whole text, title, lead, and the larger title coverage.
    """
    gazetteer = load_gazetteer()
    names = _cosine(a.names, b.names, a.name_norm, b.name_norm)
    levels = {
        "day": day_level(a, b),
        "clock": _clock_level(a, b),
        "publication": _publication_level(a, b),
        "place": place_level(a, b, gazetteer),
        "site": _site_level(a, b),
        "deaths": _toll_level("deaths", a, b),
        "injured": _toll_level("injured", a, b),
        "magnitude": _toll_level("magnitude", a, b),
        "numbers": _numbers_level(a, b),
        "names": _names_level(a, b, names),
        "act": _act_level(a, b),
        "kind": _kind_level(a, b),
    }
    numbers = {
        "text": float(text[0]), "title": float(text[1]), "lead": float(text[2]), "cover": float(text[3]),  # noqa: E501
        "places": _cosine(a.places, b.places, a.place_norm, b.place_norm),
        "participants": names, "dates": _dates_cosine(a, b),
    }  # fmt: skip
    regimes = set()
    if a.published is None or b.published is None:
        regimes.add("undated")
    if not (a.formulaic and b.formulaic):
        regimes.add("topical")
    return PairFeatures(levels, numbers, frozenset(regimes))
