"""How text length changes what a SimHash distance means.

    python experiments/near/simhash_short.py

Invented texts of a given length; copies get a dateline of about 15 characters and one
replaced word. A miss is a copy beyond the Hamming limit; a false match is a pair of
unrelated texts, or of two texts on one form with other names, within it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from make import SEED, Maker, _dateline

from toolkit.fingerprints.shingles import window_hashes
from toolkit.fingerprints.simhash import fingerprint, hamming
from toolkit.io import write_json
from toolkit.language.normalise import codepoints, shingle_text

HERE = Path(__file__).parent
LENGTHS = (30, 50, 80, 100, 150, 200, 400, 800)
LIMITS = (3, 7, 10)
PAIRS = 400


def distance(a: str, b: str) -> int:
    """Hamming distance of two texts' fingerprints on character bigrams."""
    prints = [fingerprint(window_hashes(codepoints(shingle_text(t)), 2, 1)) for t in (a, b)]
    return int(hamming(*np.array(prints, dtype=np.uint64).reshape(2, 1))[0])


def text(maker: Maker, length: int) -> str:
    """An invented text of exactly this length."""
    parts = ""
    while len(parts) < length:
        parts += maker.sentence()
    return parts[:length]


def main() -> None:
    """Measure and store."""
    maker = Maker(SEED)
    rows = []
    for length in LENGTHS:
        distances: dict[str, list[int]] = {"copies": [], "forms": [], "unrelated": []}
        for _ in range(PAIRS):
            source = text(maker, length)
            at = maker.rng.randint(0, length - 2)
            word = maker.rng.choice(maker.words)
            copied = _dateline(maker, [source[:at] + word + source[at + 2 :]])[0]
            distances["copies"].append(distance(source, copied))
            places = sorted(maker.rng.sample(range(length - 3), 3))
            form = source
            for place in places:
                form = form[:place] + maker.rng.choice(maker.names) + form[place + 3 :]
            distances["forms"].append(distance(source, form))
            distances["unrelated"].append(distance(source, text(maker, length)))
        row: dict[str, object] = {"length": length}
        for kind, values in distances.items():
            row[f"{kind}_median"] = float(np.median(values))
            row[f"{kind}_within"] = {
                str(k): round(float((np.array(values) <= k).mean()), 4) for k in LIMITS
            }
        rows.append(row)
        print(row, file=sys.stderr)
    write_json(HERE / "simhash_short.json", {"pairs_per_length": PAIRS, "rows": rows})


if __name__ == "__main__":
    main()
