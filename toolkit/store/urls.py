"""The URL layer: has this address been fetched? Exact in the store, a filter before it.

The exact set is the table ``urls`` of fetch keys. The optional Bloom filter (extra
``bloom``) stands in memory before it: most addresses of a crawl are new, and for those
the filter answers without a read. It is rebuilt from the table when the store is opened,
so it can never disagree with it. m = -n ln p / (ln 2)**2 bits hold n keys at
false-positive rate p: 100 million keys at 0.1 % take 180 MB.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable
from typing import Any

import xxhash

from toolkit.config import StoreConfig
from toolkit.errors import MissingExtra
from toolkit.pages.urls import fetch_key


def filter_bytes(keys: int, false_positives: float) -> int:
    """Bytes of a Bloom filter for ``keys`` keys at a rate of ``false_positives``."""
    return math.ceil(-keys * math.log(false_positives) / math.log(2) ** 2 / 8)


def expected_rate(keys: int, size_bytes: int) -> float:
    """False-positive rate of the best filter of ``size_bytes`` that holds ``keys`` keys."""
    return math.exp(-size_bytes * 8 / max(keys, 1) * math.log(2) ** 2)


def key_of(url: str) -> str:
    """The fetch key of an address (the address itself where it has none)."""
    return fetch_key(url) or url


def _hash(key: Any) -> int:
    """A stable signed 128-bit hash, as the filter wants it."""
    value = xxhash.xxh3_128_intdigest(str(key).encode("utf-8", "surrogatepass"))
    return value - (1 << 128) if value >= 1 << 127 else value


class UrlSet:
    """Fetch keys of a store.

    Args:
        connection: the store; open it for writing to ``add``.
        settings: ``bloom`` turns the filter on, ``bloom_false_positives`` sizes it.
        capacity: keys the filter is made for beyond those stored.
    """

    def __init__(
        self, connection: sqlite3.Connection, settings: StoreConfig, capacity: int = 1_000_000
    ) -> None:
        self.db = connection
        self.reads = 0
        self._filter: Any = None
        if settings.bloom:
            try:
                from rbloom import Bloom
            except ImportError:
                raise MissingExtra("the URL filter", "bloom") from None
            count = int(connection.execute("SELECT count(*) FROM urls").fetchone()[0])
            self._filter = Bloom(count + capacity, settings.bloom_false_positives, _hash)
            self._filter.update(row[0] for row in connection.execute("SELECT key FROM urls"))

    def seen(self, url: str) -> bool:
        """Whether an address with the same fetch key is stored."""
        return self.seen_key(key_of(url))

    def seen_key(self, key: str) -> bool:
        """Whether a fetch key is stored."""
        if self._filter is not None and key not in self._filter:
            return False
        self.reads += 1
        return self.db.execute("SELECT 1 FROM urls WHERE key = ?", (key,)).fetchone() is not None

    def add_keys(self, rows: Iterable[tuple[str, int | None]]) -> None:
        """Store (fetch key, article number) rows; known keys keep their first article."""
        listed = list(rows)
        self.db.executemany("INSERT OR IGNORE INTO urls VALUES (?, ?)", listed)
        if self._filter is not None:
            self._filter.update(key for key, _ in listed)
