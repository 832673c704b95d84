"""The decision model: a calibrated logistic model over named evidence levels.

Two logistic models share the columns of ``element_features``: one for "same event",
one for "same story". Their parameters are readable JSON (``data/decision.json``) and
are made by ``python -m toolkit.matching.train_decision``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.errors import UserError
from toolkit.io import write_json
from toolkit.matching.element_features import COLUMNS, GROUPS, PairFeatures

Floats = npt.NDArray[np.float64]
SHIPPED = Path(__file__).parent / "data" / "decision.json"


@dataclass(frozen=True)
class DecisionModel:
    """Weights in log-odds per column; ``threshold`` on the event probability."""

    event: Floats
    event_bias: float
    story: Floats
    story_bias: float
    threshold: float
    story_threshold: float
    about: dict[str, Any]

    def event_probability(self, rows: Floats) -> Floats:
        """P(same event), shape (m,)."""
        return _sigmoid(rows @ self.event + self.event_bias)

    def story_probability(self, rows: Floats) -> Floats:
        """P(same story), shape (m,); never below the event's."""
        return np.maximum(
            _sigmoid(rows @ self.story + self.story_bias), self.event_probability(rows)
        )

    def contributions(self, features: PairFeatures) -> dict[str, float]:
        """Log-odds each feature adds to "same event" (with ``bias``: they sum up)."""
        row = features.row() * self.event
        sums: dict[str, float] = {"bias": float(self.event_bias)}
        for name, value in zip(COLUMNS, row, strict=True):
            feature = name.split("=")[0].split(">")[0]  # regime copies count with it
            sums[feature] = sums.get(feature, 0.0) + float(value)
        return sums

    def save(self, path: str | Path) -> None:
        """Write the parameters as readable JSON."""
        write_json(
            path,
            {
                "format": "decision model 1: log-odds per evidence level; made by train_decision",
                "about": self.about,
                "threshold": self.threshold,
                "story_threshold": self.story_threshold,
                "event": {"bias": self.event_bias, **_named(self.event)},
                "story": {"bias": self.story_bias, **_named(self.story)},
            },
        )


def _named(weights: Floats) -> dict[str, float]:
    return {name: round(float(w), 4) for name, w in zip(COLUMNS, weights, strict=True)}


def _sigmoid(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(x, -40, 40)))


@lru_cache(maxsize=4)
def load_model(path: str | None = None) -> DecisionModel:
    """Read a decision model; None is the shipped one.

    Raises:
        UserError: the file is missing, not JSON, or lacks a column.
    """
    source = Path(path) if path else SHIPPED
    try:
        data = json.loads(source.read_text(encoding="utf-8"))
        weights = {
            part: np.array([float(data[part].get(name, 0.0)) for name in COLUMNS])
            for part in ("event", "story")
        }
        return DecisionModel(
            weights["event"], float(data["event"]["bias"]), weights["story"],
            float(data["story"]["bias"]), float(data["threshold"]), float(data["story_threshold"]),
            data.get("about", {}),
        )  # fmt: skip
    except OSError as error:
        raise UserError(f"{source}: decision model cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise UserError(f"{source}: not a decision model ({error}); train one") from None


def groups_of(contributions: dict[str, float]) -> dict[str, float]:
    """Contributions summed by kind of element."""
    return {
        group: sum(contributions.get(f, 0.0) for f in features)
        for group, features in GROUPS.items()
    }
