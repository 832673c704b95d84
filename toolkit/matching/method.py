"""The protocol of every method that decides on pairs, and their registry.

A method is a file in ``toolkit/matching/methods/`` that defines a subclass of
``PairMethod`` decorated with ``@register``. ``eval``, ``pairs``, ``stories`` and
``explain`` use this registry only, so that a new method appears everywhere.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.model import Article, PairEvidence

Pairs = npt.NDArray[np.int32]  # shape (m, 2), row = (i, j) with i < j
Scores = npt.NDArray[np.float64]  # shape (m,)

DUPLICATE, DIFFERENT, UNDECIDED = 1, 0, -1
_OUTCOME = {DUPLICATE: "duplicate", DIFFERENT: "different", UNDECIDED: "undecided"}


@dataclass(frozen=True)
class Decisions:
    """Outcomes of pairs.

    ``outcome``: int8, shape (m,), values DUPLICATE, DIFFERENT, UNDECIDED.
    ``relation``: m relation names (see ``toolkit.model.RELATIONS``).
    """

    outcome: npt.NDArray[np.int8]
    relation: list[str]


class Tuned(Protocol):
    """What ``PairMethod.tune`` answers: values for its config section."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Setting name to value."""


class PairMethod(ABC):
    """One way to decide whether two articles are duplicates.

    Use: ``fit(articles)``, then ``candidates()``, ``score(pairs)``,
    ``decide(pairs, scores)``, ``explain(i, j)``. A threshold in ``decide`` is a
    lower bound: duplicate when score >= threshold.
    """

    name: ClassVar[str]
    #: one line for tables and --help
    summary: ClassVar[str] = ""
    #: where the shipped threshold comes from
    threshold_source: ClassVar[str] = ""
    #: relation written for a duplicate when the method itself knows no finer one
    duplicate_relation: ClassVar[str] = "same_event"

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.articles: Sequence[Article] = ()

    @property
    @abstractmethod
    def threshold(self) -> float | None:
        """The shipped decision threshold on ``score`` (None: no single one)."""

    @abstractmethod
    def fit(self, articles: Sequence[Article]) -> PairMethod:
        """Compute what the method needs of each article; returns self."""

    @abstractmethod
    def candidates(self) -> Pairs:
        """The pairs worth a look."""

    @abstractmethod
    def score(self, pairs: Pairs) -> Scores:
        """Scores of pairs, higher is more alike; never NaN."""

    def decide(self, pairs: Pairs, scores: Scores, threshold: float | None = None) -> Decisions:
        """Outcomes at ``threshold`` (None = the shipped one)."""
        cut = self.threshold if threshold is None else threshold
        if cut is None:
            raise ValueError(f"method {self.name} needs a threshold")
        outcome = np.where(scores >= cut, DUPLICATE, DIFFERENT).astype(np.int8)
        relation = [self.duplicate_relation if o else "different" for o in outcome.tolist()]
        return Decisions(outcome, relation)

    def explain(self, i: int, j: int) -> PairEvidence:
        """The evidence for one pair (indices into the fitted articles)."""
        pairs = np.array([[i, j]], dtype=np.int32)
        scores = self.score(pairs)
        decisions = self.decide(pairs, scores)
        return PairEvidence(
            a=self.articles[i].id,
            b=self.articles[j].id,
            method=self.name,
            score=float(scores[0]),
            outcome=_OUTCOME[int(decisions.outcome[0])],  # type: ignore[arg-type]
            relation=decisions.relation[0],
            features={"threshold": self.threshold, **self.features(i, j)},
            matches=self.matches(i, j),
            notes=(self.threshold_source,) if self.threshold_source else (),
        )

    def tune(
        self,
        pairs: Pairs,
        labels: npt.NDArray[np.bool_],
        *,
        beta: float = 1.0,
        cost_ratio: float | None = None,
    ) -> Tuned | None:
        """Choose settings of the method's own config section on labelled pairs.

        Only for methods with more than one threshold. ``labels`` is True for
        duplicates; pairs left out of scoring are not handed over. The objective is
        F-beta, or with a ``cost_ratio`` the cost of errors (a false merge in units
        of a missed duplicate). The settings are handed to ``use``. None: sweep one
        threshold on ``score`` instead.
        """
        return None

    def use(self, settings: Mapping[str, Any]) -> None:
        """Take settings of the own config section without fitting again."""
        section = getattr(self.config, self.name)
        changed = type(section).model_validate({**section.model_dump(), **settings})
        self.config = self.config.model_copy(update={self.name: changed})

    def sensitivity(
        self, pairs: Pairs, labels: npt.NDArray[np.bool_]
    ) -> dict[str, list[dict[str, float]]] | None:
        """Per setting rows {value, precision, recall, f1, ...}, the others as they are.

        None: one curve over the threshold on ``score`` says it all.
        """
        return None

    def features(self, i: int, j: int) -> dict[str, object]:
        """Counts and scores behind one pair's score, by name."""
        return {}

    def matches(self, i: int, j: int) -> tuple[dict[str, object], ...]:
        """Aligned spans behind one pair's score (see ``PairEvidence.matches``)."""
        return ()


_REGISTRY: dict[str, type[PairMethod]] = {}
M = TypeVar("M", bound=type[PairMethod])


def register(cls: M) -> M:
    """Class decorator: make a method known under ``cls.name``."""
    if cls.name in _REGISTRY and _REGISTRY[cls.name].__qualname__ != cls.__qualname__:
        raise ValueError(f"two methods are called {cls.name}")
    _REGISTRY[cls.name] = cls
    return cls


@lru_cache(maxsize=1)
def _load_all() -> None:
    package = importlib.import_module("toolkit.matching.methods")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def method_names() -> list[str]:
    """The names of all registered methods, sorted."""
    _load_all()
    return sorted(_REGISTRY)


def create_method(name: str, config: RunConfig | None = None) -> PairMethod:
    """A fresh, unfitted method.

    Raises:
        UserError: the name is unknown (the nearest known one is named).
    """
    _load_all()
    if name not in _REGISTRY:
        near = difflib.get_close_matches(name, _REGISTRY, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise UserError(f"unknown method '{name}'; {hint}known: {', '.join(sorted(_REGISTRY))}")
    return _REGISTRY[name](config or RunConfig())


def all_pairs(n: int) -> Pairs:
    """Every pair of n documents, shape (n (n - 1) / 2, 2)."""
    first, second = np.triu_indices(n, k=1)
    return np.column_stack([first, second]).astype(np.int32)
