"""MD5 of cleaned text: equal digests mean equal text after normalisation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from toolkit.fingerprints.shingles import Hashes
from toolkit.language.normalise import shingle_text


def text_md5(text: str) -> str:
    """MD5 (hex) of a text as it is."""
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def cleaned_md5(text: str) -> str | None:
    """MD5 (hex) of the cleaned text; None when nothing is left of it."""
    cleaned = shingle_text(text)
    return text_md5(cleaned) if cleaned else None


def group_keys(digests: Iterable[str | None]) -> tuple[Hashes, npt.NDArray[np.bool_]]:
    """Digests as group numbers: (keys, usable), both shape (n,); None is not usable."""
    numbers: dict[str, int] = {}
    keys, usable = [], []
    for digest in digests:
        usable.append(digest is not None)
        keys.append(0 if digest is None else numbers.setdefault(digest, len(numbers)))
    return np.array(keys, dtype=np.uint64), np.array(usable, dtype=bool)
