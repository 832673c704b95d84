"""The gazetteer: names, candidates, containment, time zones.

A name may mean several places; every candidate is kept. Containment follows the
parent links (汶川 in 阿坝 in 四川 in 中国).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import asin, cos, radians, sin, sqrt
from typing import Any

LEVELS = {"region": 0, "sea": 1, "country": 1, "province": 2, "state": 2, "city": 3, "county": 4}


@dataclass(frozen=True, slots=True)
class Place:
    """One place. ``id`` is CN + division code, or country code + GeoNames number."""

    id: str
    name: str
    parent: str
    level: str
    latitude: float | None
    longitude: float | None
    zone: str


@dataclass(frozen=True)
class Gazetteer:
    """All places and the automaton that finds their names."""

    places: dict[str, Place]
    #: name -> ((id, weak), ...), strongest first
    names: dict[str, tuple[tuple[str, int], ...]]
    automaton: Any
    ancestors: dict[str, tuple[str, ...]]

    def find(self, folded: str) -> Iterator[tuple[int, int, tuple[tuple[str, int], ...]]]:
        """Longest non-overlapping names: (start, end, candidates)."""
        for last, (length, candidates) in self.automaton.iter_long(folded):
            yield last + 1 - length, last + 1, candidates

    def lineage(self, identifier: str) -> tuple[str, ...]:
        """The place itself and all that contain it, smallest first."""
        return self.ancestors.get(identifier, (identifier,))

    def contains(self, outer: str, inner: str) -> bool:
        """True when ``inner`` is ``outer`` or lies in it."""
        return outer in self.lineage(inner)

    def level(self, identifier: str) -> int:
        """1 country, 2 province or state, 3 city, 4 county, 5 anything below."""
        place = self.places.get(identifier)
        return LEVELS.get(place.level, 5) if place else 5

    def distance_km(self, a: str, b: str) -> float | None:
        """Great-circle distance, None when a position is unknown."""
        first, second = self.places.get(a), self.places.get(b)
        if not first or not second or first.latitude is None or second.latitude is None:
            return None
        if first.longitude is None or second.longitude is None:
            return None
        lat1, lat2 = radians(first.latitude), radians(second.latitude)
        dlat, dlon = lat2 - lat1, radians(second.longitude - first.longitude)
        h = sin(dlat / 2) ** 2 + cos(lat1) * cos(lat2) * sin(dlon / 2) ** 2
        return 12742 * asin(min(1.0, sqrt(h)))


def _number(text: str) -> float | None:
    return float(text) if text else None


@lru_cache(maxsize=1)
def load_gazetteer() -> Gazetteer:
    """Read the shipped table once."""
    import ahocorasick

    places: dict[str, Place] = {}
    names: dict[str, list[tuple[str, int]]] = {}
    source = resources.files("toolkit.elements").joinpath("data/gazetteer.tsv")
    with source.open(encoding="utf-8") as handle:
        for line in handle:
            if line.startswith("#"):
                continue
            name, key, parent, level, lat, lon, zone, weak = line.rstrip("\n").split("\t")
            if key not in places:
                places[key] = Place(key, name, parent, level, _number(lat), _number(lon), zone)
            names.setdefault(name, []).append((key, int(weak)))
    ancestors = {}
    for key in places:
        chain, current = [key], places[key].parent
        while current and current not in chain:
            chain.append(current)
            current = places[current].parent if current in places else ""
        ancestors[key] = tuple(chain)
    automaton = ahocorasick.Automaton()
    frozen = {}
    for name, candidates in names.items():
        frozen[name] = tuple(sorted(candidates, key=lambda c: (c[1], LEVELS[places[c[0]].level])))
        automaton.add_word(name, (len(name), frozen[name]))
    automaton.make_automaton()
    return Gazetteer(places, frozen, automaton, ancestors)
