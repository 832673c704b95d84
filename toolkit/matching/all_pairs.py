"""The limit of methods that have no candidate stage."""

from __future__ import annotations

from toolkit.errors import UserError
from toolkit.matching.method import PairMethod


def require_small(method: PairMethod, limit: int | None = None, setting: str = "") -> None:
    """Refuse to write all pairs of a large set.

    Raises:
        UserError: there are more documents than ``limit`` (default: the setting
            ``evaluation.max_all_pairs``).
    """
    most = method.config.evaluation.max_all_pairs if limit is None else limit
    setting = setting or "evaluation.max_all_pairs"
    n = len(method.articles)
    if n > most:
        raise UserError(
            f"method {method.name} compares every pair and {n} documents would make "
            f"{n * (n - 1) // 2:,} pairs; limit is {most} documents ({setting}): "
            "take a smaller set, or a method with a candidate stage such as 'copies'"
        )
