"""Candidate pairs of the `elements` method by shared keys, without all pairs.

Keys are (place, day), rare participants, sites and the rarest bigrams of a report.
A key held by too many reports is not used; each report keeps its best candidates by
the summed rarity of the keys shared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from toolkit.matching.element_features import Profile

#: a key held by more reports than this brings no candidates
MAX_POSTINGS = 60
#: rare bigrams of a report used as keys
RARE_GRAMS = 40
#: candidates kept per report
PER_DOCUMENT = 60


def _element_keys(profile: Profile) -> list[tuple[Any, ...]]:
    keys: list[tuple[Any, ...]] = []
    days = sorted(profile.days, key=lambda d: -profile.days[d])[:3]
    places = sorted(profile.places, key=lambda p: -profile.places[p])[:4]
    for day in days:
        for place in places:
            keys.append(("pd", place, day[1], day[2]))
    for name in sorted(profile.names, key=lambda n: -profile.names[n])[:8]:
        keys.append(("n", name))
    for site in list(profile.sites)[:6]:
        keys.append(("s", site))
    for act in sorted(profile.title_acts)[:4]:
        for place in places[:2]:
            keys.append(("ap", act, place))
        for day in days[:2]:
            keys.append(("ad", act, day[1], day[2]))
    return keys


def element_candidates(
    profiles: Sequence[Profile], text: Any, per_document: int = PER_DOCUMENT
) -> npt.NDArray[np.int32]:
    """Candidate pairs, shape (m, 2), i < j, sorted.

    Args:
        profiles: one per report.
        text: L2-normalised TF-IDF rows (CSR), shape (n, columns).
        per_document: upper limit of candidates one report asks for.
    """
    n = len(profiles)
    if n < 2:
        return np.zeros((0, 2), np.int32)
    index: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for i, profile in enumerate(profiles):
        for key in set(_element_keys(profile)):
            index[key].append(i)
        start, stop = text.indptr[i], text.indptr[i + 1]
        values = text.data[start:stop]
        if len(values):
            top = np.argsort(-values, kind="stable")[:RARE_GRAMS]
            for gram in text.indices[start:stop][top].tolist():
                index[("g", gram)].append(i)
    limit = max(MAX_POSTINGS, 12)
    shares: list[dict[int, float]] = [defaultdict(float) for _ in range(n)]
    for key, holders in index.items():
        count = len(holders)
        if count < 2 or count > limit:
            continue
        weight = (1.0 if key[0] == "g" else 2.0) * float(np.log(1 + limit / count) + 0.3)
        for x in range(count):
            row = shares[holders[x]]
            for y in range(x + 1, count):
                row[holders[y]] += weight
    for i in range(n):
        for j, weight in shares[i].items():
            if j > i:
                shares[j][i] = weight
    pairs: set[tuple[int, int]] = set()
    for i in range(n):
        best = sorted(shares[i].items(), key=lambda item: (-item[1], item[0]))[:per_document]
        pairs.update((min(i, j), max(i, j)) for j, weight in best if weight > 1.5)
    if not pairs:
        return np.zeros((0, 2), np.int32)
    return np.array(sorted(pairs), dtype=np.int32)
