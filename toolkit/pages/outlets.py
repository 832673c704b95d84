"""Figures per outlet, and what changed against an earlier run.

An outlet is a host (of the page's address), else the name the site gives itself,
else the folder the page lies in. A new template shows in the box that holds the
body before it shows in the figures, so that both are compared.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolkit.errors import UserError
from toolkit.io import iter_rows
from toolkit.model import Skipped

#: Fewer articles in either run prove nothing about an outlet.
MIN_ARTICLES = 3
#: Share of articles whose body stands in another box than before (total variation).
CONTAINER_CHANGE = 0.5
LENGTH_CHANGE = 0.4
SHARE_CHANGE = 0.25
_SHARES = {
    "share_dated": "share with a date",
    "share_source": "share with a source",
    "share_bad": "share of bad bodies",
}
_DIGITS = re.compile(r"\d+")
_MAX_CONTAINERS = 20


@dataclass
class Outlet:
    """Counters of one outlet in one run."""

    pages: int = 0
    articles: int = 0
    length: int = 0
    dated: int = 0
    sourced: int = 0
    bad: int = 0
    doubtful: int = 0
    warned: int = 0
    containers: Counter[str] = field(default_factory=Counter)

    def add(self, row: dict[str, Any]) -> None:
        """Count one row of the extraction."""
        self.pages += 1
        if not row.get("is_article", True):
            return
        self.articles += 1
        self.length += len(row.get("body") or "")
        self.dated += bool(row.get("published"))
        self.sourced += bool(row.get("source"))
        self.bad += row.get("quality") == "bad"
        self.doubtful += row.get("quality") == "doubtful"
        self.warned += bool(row.get("warnings"))
        container = row.get("container")
        if container:
            self.containers[_DIGITS.sub("#", container)] += 1

    def figures(self) -> dict[str, Any]:
        """Plain figures for the report."""
        n = max(1, self.articles)
        return {
            "pages": self.pages,
            "articles": self.articles,
            "mean_body_length": round(self.length / n, 1),
            "share_dated": round(self.dated / n, 4),
            "share_source": round(self.sourced / n, 4),
            "share_bad": round(self.bad / n, 4),
            "share_doubtful": round(self.doubtful / n, 4),
            "share_warned": round(self.warned / n, 4),
            "containers": dict(self.containers.most_common(_MAX_CONTAINERS)),
        }


def outlet_of(row: dict[str, Any]) -> str:
    """The name an outlet is counted under."""
    for address in (row.get("url"), row.get("canonical_url")):
        if address:
            try:
                host = urlsplit(address).hostname
            except ValueError:
                continue
            if host:
                return host.removeprefix("www.")
    if row.get("site_name"):
        return str(row["site_name"])
    folder = str(row.get("page") or "").rpartition("/")[0]
    return folder or "(unknown)"


def outlet_figures(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Figures per outlet, largest first."""
    outlets: dict[str, Outlet] = {}
    for row in rows:
        outlets.setdefault(outlet_of(row), Outlet()).add(row)
    return ordered(outlets)


def ordered(outlets: dict[str, Outlet]) -> dict[str, dict[str, Any]]:
    """Figures of the outlets, most pages first."""
    names = sorted(outlets, key=lambda name: (-outlets[name].pages, name))
    return {name: outlets[name].figures() for name in names}


def read_earlier(path: str | Path) -> dict[str, dict[str, Any]]:
    """Figures of an earlier run, from its report (.json) or its rows (.jsonl).

    Raises:
        UserError: the file is missing or neither of the two.
    """
    if str(path).endswith(".json"):
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(f"{path}: no such file; give the report of an earlier run") from None
        except (ValueError, OSError) as error:
            raise UserError(f"{path}: not a report ({error}); run extract again") from None
        outlets = data.get("outlets") if isinstance(data, dict) else None
        if not isinstance(outlets, dict):
            raise UserError(f"{path}: no 'outlets' in it; give the report of an earlier run")
        return outlets
    skipped: list[Skipped] = []
    return outlet_figures(row for _, row in iter_rows(path, skipped) if isinstance(row, dict))


def compare(
    earlier: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """What changed per outlet: ``{outlet, kind, before, now, message}``."""
    alerts: list[dict[str, Any]] = []
    for name, new in now.items():
        old = earlier.get(name)
        if old is None or min(old.get("articles", 0), new["articles"]) < MIN_ARTICLES:
            continue
        distance = _distance(old.get("containers") or {}, new["containers"])
        if distance >= CONTAINER_CHANGE:
            before, after = _first(old.get("containers") or {}), _first(new["containers"])
            alerts.append(
                {
                    "outlet": name,
                    "kind": "template",
                    "before": before,
                    "now": after,
                    "message": f"{name}: the body stands in another box "
                    f"({distance:.0%} of the articles): '{before}' is now '{after}'",
                }
            )
        before_length = old.get("mean_body_length") or 0.0
        change = (new["mean_body_length"] - before_length) / max(1.0, before_length)
        # means of few articles scatter; ask for more the fewer there are
        limit = LENGTH_CHANGE * (1 + 4 / min(old["articles"], new["articles"]))
        if abs(change) >= limit:
            alerts.append(
                _alert(name, "length", before_length, new["mean_body_length"], "mean body length")
            )
        for key, what in _SHARES.items():
            old_share, new_share = old.get(key) or 0.0, new[key]
            worse = new_share - old_share if key == "share_bad" else old_share - new_share
            if worse >= SHARE_CHANGE:
                alerts.append(_alert(name, key, old_share, new_share, what))
    return alerts


def _alert(name: str, kind: str, before: float, now: float, what: str) -> dict[str, Any]:
    return {
        "outlet": name,
        "kind": kind,
        "before": before,
        "now": now,
        "message": f"{name}: {what} was {before:g}, is {now:g}",
    }


def _distance(old: dict[str, int], new: dict[str, int]) -> float:
    """Total variation distance of two distributions over containers, 0 to 1."""
    a, b = sum(old.values()), sum(new.values())
    if not a or not b:
        return 0.0
    names = set(old) | set(new)
    return sum(abs(old.get(n, 0) / a - new.get(n, 0) / b) for n in names) / 2


def _first(containers: dict[str, int]) -> str:
    return max(containers, key=lambda name: containers[name], default="")
