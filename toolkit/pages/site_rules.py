"""Rules about web addresses, read from ``data/site_rules.yaml`` and a user's own file.

The format is described at the head of that file. A user's file may hold ``sites``
(tried before the shipped ones; one of the same name replaces it), and further names
for ``tracking``, ``presentation``, ``mobile_labels`` and the other lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from toolkit.errors import UserError

_LISTS = (
    "page_parameters", "id_parameters", "mobile_labels", "mobile_paths", "own_hosts",
    "column_words",
)  # fmt: skip
_SITE_KEYS = {"name", "domains", "hosts", "keep", "drop", "rename", "unwrap", "articles"}
_ARTICLE_KEYS = {"path", "host", "query", "key"}


@dataclass(frozen=True, slots=True)
class ArticlePattern:
    """One form in which a site writes the address of an article."""

    path: re.Pattern[str]
    key: str
    host: re.Pattern[str] | None = None
    query: tuple[tuple[str, re.Pattern[str]], ...] = ()

    def match(self, host: str, path: str, query: Mapping[str, str]) -> str | None:
        """The key of the article (host/path), or None where the form differs."""
        found = self.path.fullmatch(path)
        if found is None:
            return None
        values: dict[str, str] = dict(found.groupdict(default=""))
        if self.host is not None:
            on_host = self.host.fullmatch(host)
            if on_host is None:
                return None
            values.update(on_host.groupdict(default=""))
        for name, pattern in self.query:
            value = pattern.fullmatch(query.get(name, ""))
            if value is None:
                return None
            values.update(value.groupdict(default=""))
            values[f"q_{name}"] = query[name]
        return self.key.format_map(values)


@dataclass(frozen=True, slots=True)
class Site:
    """What is known of one site or platform."""

    name: str
    domains: frozenset[str]
    hosts: re.Pattern[str] | None = None
    keep: frozenset[str] | None = None
    drop: frozenset[str] = frozenset()
    rename: Mapping[str, str] = field(default_factory=dict)
    unwrap: str | None = None
    articles: tuple[ArticlePattern, ...] = ()

    def owns(self, host: str) -> bool:
        """Whether the rules hold on this host (without ``www.``)."""
        return self.hosts is None or self.hosts.fullmatch(host) is not None


@dataclass(frozen=True, slots=True)
class SiteRules:
    """All rules, ready for look-up; made by :func:`load_site_rules`."""

    tracking: frozenset[str]
    tracking_prefixes: tuple[str, ...]
    tracking_unless: Mapping[str, re.Pattern[str]]
    presentation: Mapping[str, frozenset[str]]
    page_parameters: frozenset[str]
    id_parameters: frozenset[str]
    mobile_labels: frozenset[str]
    mobile_paths: frozenset[str]
    own_hosts: frozenset[str]
    column_words: frozenset[str]
    by_domain: Mapping[str, tuple[Site, ...]]

    def sites(self, domain: str, host: str) -> list[Site]:
        """The sites whose rules hold on a host of a registrable domain, first ones first."""
        return [site for site in self.by_domain.get(domain, ()) if site.owns(host)]

    def same_publisher(self, first: str, second: str) -> bool:
        """Whether two registrable domains are one publisher's."""
        return first == second or any(
            second in site.domains for site in self.by_domain.get(first, ())
        )

    def is_tracking(self, name: str, value: str) -> bool:
        """Whether a parameter (name in lower case) never changes the page."""
        known = name in self.tracking or any(
            name.startswith(prefix) and len(name) > len(prefix) for prefix in self.tracking_prefixes
        )
        if not known:
            return False
        unless = self.tracking_unless.get(name)
        return unless is None or unless.fullmatch(value) is None

    def is_presentation(self, name: str, value: str) -> bool:
        """Whether a parameter (name in lower case) only changes how the page looks."""
        values = self.presentation.get(name)
        return values is not None and ("*" in values or value.lower() in values)


def _texts(value: Any, where: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or any(isinstance(v, (list, dict)) for v in value):
        raise UserError(f"{where}: must be a list of names")
    return [str(v) for v in value]


def _pattern(text: Any, where: str) -> re.Pattern[str]:
    try:
        return re.compile(str(text))
    except re.error as error:
        raise UserError(f"{where}: not a regular expression ({error}): {text!r}") from None


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UserError(f"{where}: must be a mapping")
    return {str(k): v for k, v in value.items()}


def _only(row: Mapping[str, Any], known: set[str], where: str) -> None:
    strange = sorted(set(row) - known)
    if strange:
        raise UserError(f"{where}: unknown key '{strange[0]}'; known: {', '.join(sorted(known))}")


def _article(value: Any, where: str) -> ArticlePattern:
    row = _mapping(value, where)
    _only(row, _ARTICLE_KEYS, where)
    if not row.get("path") or not row.get("key"):
        raise UserError(f"{where}: an article form needs path and key")
    path = _pattern(row["path"], f"{where}.path")
    host = _pattern(row["host"], f"{where}.host") if row.get("host") else None
    query = tuple(
        (name, _pattern(text, f"{where}.query.{name}"))
        for name, text in _mapping(row.get("query"), f"{where}.query").items()
    )
    groups = set(path.groupindex) | (set(host.groupindex) if host else set())
    for name, pattern in query:
        groups |= {f"q_{name}", *pattern.groupindex}
    try:
        str(row["key"]).format_map(dict.fromkeys(groups, ""))
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise UserError(
            f"{where}.key: {row['key']!r} names no group of its patterns ({error})"
        ) from None
    return ArticlePattern(path, str(row["key"]), host, query)


def _site(value: Any, where: str) -> Site:
    row = _mapping(value, where)
    _only(row, _SITE_KEYS, where)
    if not row.get("name") or not row.get("domains"):
        raise UserError(f"{where}: a site needs name and domains")
    articles = row.get("articles") or []
    if not isinstance(articles, list):
        raise UserError(f"{where}.articles: must be a list")
    return Site(
        name=str(row["name"]),
        domains=frozenset(d.lower() for d in _texts(row["domains"], f"{where}.domains")),
        hosts=_pattern(row["hosts"], f"{where}.hosts") if row.get("hosts") else None,
        keep=frozenset(_texts(row["keep"], f"{where}.keep")) if row.get("keep") else None,
        drop=frozenset(_texts(row.get("drop"), f"{where}.drop")),
        rename={k: str(v) for k, v in _mapping(row.get("rename"), f"{where}.rename").items()},
        unwrap=str(row["unwrap"]) if row.get("unwrap") else None,
        articles=tuple(_article(a, f"{where}.articles[{i}]") for i, a in enumerate(articles)),
    )


def _read(text: str, where: str) -> dict[str, Any]:
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"{where}: not valid YAML ({' '.join(str(error).split())})") from None
    data = _mapping(data, where)
    _only(data, {"version", "tracking", "presentation", "sites", *_LISTS}, where)
    return data


def _build(layers: list[tuple[str, dict[str, Any]]]) -> SiteRules:
    """Join rule files; the first one given wins where they speak of one thing."""
    lists: dict[str, set[str]] = {name: set() for name in _LISTS}
    exact: set[str] = set()
    prefixes: list[str] = []
    unless: dict[str, re.Pattern[str]] = {}
    presentation: dict[str, frozenset[str]] = {}
    sites: list[Site] = []
    for where, data in layers:
        for name in _LISTS:
            lists[name] |= {t.lower() for t in _texts(data.get(name), f"{where}: {name}")}
        tracking = _mapping(data.get("tracking"), f"{where}: tracking")
        _only(tracking, {"exact", "prefix", "unless"}, f"{where}: tracking")
        exact |= {t.lower() for t in _texts(tracking.get("exact"), f"{where}: tracking.exact")}
        prefixes += [t.lower() for t in _texts(tracking.get("prefix"), f"{where}: tracking.prefix")]
        for name, text in _mapping(tracking.get("unless"), f"{where}: tracking.unless").items():
            unless.setdefault(name.lower(), _pattern(text, f"{where}: tracking.unless.{name}"))
        for name, values in _mapping(data.get("presentation"), f"{where}: presentation").items():
            texts = _texts(values, f"{where}: presentation.{name}")
            presentation.setdefault(name.lower(), frozenset(v.lower() for v in texts))
        rows = data.get("sites") or []
        if not isinstance(rows, list):
            raise UserError(f"{where}: sites must be a list")
        known = {site.name for site in sites}
        layer = [_site(row, f"{where}: sites[{i}]") for i, row in enumerate(rows)]
        sites += [site for site in layer if site.name not in known]
    by_domain: dict[str, tuple[Site, ...]] = {}
    for site in sites:
        for domain in site.domains:
            by_domain[domain] = (*by_domain.get(domain, ()), site)
    return SiteRules(
        tracking=frozenset(exact),
        tracking_prefixes=tuple(prefixes),
        tracking_unless=unless,
        presentation=presentation,
        by_domain=by_domain,
        **{name: frozenset(values) for name, values in lists.items()},
    )


@cache
def load_site_rules(path: str | None = None) -> SiteRules:
    """The shipped rules, extended by a user's YAML file.

    Args:
        path: the user's file (setting ``pages.site_rules``), or None.

    Raises:
        UserError: the file is missing, not YAML, or a rule in it is malformed.
    """
    own = resources.files("toolkit.pages").joinpath("data/site_rules.yaml")
    layers = [("site_rules.yaml", _read(own.read_text(encoding="utf-8"), "site_rules.yaml"))]
    if path is not None:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"{path}: site rules cannot be read ({error}); give a YAML file in UTF-8"
            ) from None
        layers.insert(0, (path, _read(text, path)))
    return _build(layers)
