"""Choosing MinHash bands and rows.

With b bands of r rows a pair of Jaccard similarity J becomes a candidate with
probability ``1 - (1 - J**r)**b`` (Broder 1997; Indyk and Motwani 1998): a pair shares
a band when all of its r bins agree, and misses only if all b bands differ. The curve
is steepest near ``(1 / b)**(1 / r)``. More bands find more and cost more candidates;
more rows make the curve steeper. 16 x 4 misses 1 pair in 5,000 at J = 0.8 and a third
at J = 0.5; 32 x 4 misses 13 in 100 at J = 0.5.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolkit.errors import InvalidSetting

#: similarities of the table, besides the threshold
_SHOWN = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
#: share of the pairs at the threshold a recommended choice must find
_ENOUGH = 0.99


def candidate_probability(jaccard: float, bands: int, rows: int) -> float:
    """Probability that a pair of this Jaccard similarity becomes a candidate, 0 to 1."""
    return float(1 - (1 - jaccard**rows) ** bands)


@dataclass(frozen=True)
class Choice:
    """One way to divide the permutations."""

    bands: int
    rows: int

    @property
    def turn(self) -> float:
        """The similarity near which the curve is steepest."""
        return float((1 / self.bands) ** (1 / self.rows))

    def found(self, threshold: float) -> float:
        """Share found of the pairs that lie exactly at the threshold."""
        return candidate_probability(threshold, self.bands, self.rows)

    def chance(self, threshold: float) -> float:
        """Share of candidates among pairs far below: at half the threshold."""
        return candidate_probability(threshold / 2, self.bands, self.rows)


def choices(permutations: int) -> list[Choice]:
    """All divisions into bands of 1 to 10 rows; a few permutations may stay unused."""
    return [Choice(permutations // rows, rows) for rows in range(1, min(permutations, 10) + 1)]


def recommended(threshold: float, permutations: int) -> Choice:
    """The division with most rows that still finds 99 % of the pairs at the threshold.

    When none does, the one that finds most.
    """
    enough = [c for c in choices(permutations) if c.found(threshold) >= _ENOUGH]
    if enough:
        return max(enough, key=lambda c: c.rows)
    return max(choices(permutations), key=lambda c: c.found(threshold))


def bands_table(threshold: float, permutations: int = 64) -> str:
    """A table of candidate probabilities, with a recommendation.

    Raises:
        InvalidSetting: the threshold or the number of permutations is out of range.
    """
    if not 0 < threshold < 1:
        raise InvalidSetting(f"threshold {threshold}: must lie between 0 and 1")
    if not 1 <= permutations <= 4096:
        raise InvalidSetting(f"permutations {permutations}: must be 1 to 4096")
    shown = sorted({*_SHOWN, round(threshold, 4)})
    best = recommended(threshold, permutations)
    header = "bands x rows  turn  " + "  ".join(f"J={j:<5g}" for j in shown)
    lines = [
        f"{permutations} permutations: probability that a pair of Jaccard J is a candidate,"
        " 1 - (1 - J^rows)^bands",
        "",
        header.rstrip(),
    ]
    for choice in choices(permutations):
        cells = "  ".join(
            f"{candidate_probability(j, choice.bands, choice.rows):<7.4f}" for j in shown
        )
        mark = "  <" if choice == best else ""
        name = f"{choice.bands} x {choice.rows}"
        lines.append(f"{name:<12}  {choice.turn:.2f}  {cells}{mark}")
    lines += [
        "",
        f"for J >= {threshold:g}: {best.bands} x {best.rows} finds"
        f" {best.found(threshold):.2%} of the pairs at the threshold and takes"
        f" {best.chance(threshold):.2%} of those at half of it",
    ]
    if best.found(threshold) < _ENOUGH:
        lines.append("no division finds 99 %: take more permutations")
    return "\n".join(lines)
