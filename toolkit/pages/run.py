"""Runs the extraction over many pages: one row per article, nothing lost in silence."""

from __future__ import annotations

import re
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm import tqdm

from toolkit.config import PagesConfig
from toolkit.io import atomic_writer, dumps, write_json
from toolkit.model import Skipped
from toolkit.pages import second_opinion
from toolkit.pages.extract import extract_page
from toolkit.pages.inputs import PageInput, count_inputs, iter_inputs
from toolkit.pages.outlets import Outlet, compare, ordered, outlet_of, read_earlier
from toolkit.pages.paging import PageJoiner
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import canonical_key

#: Pages handed to a worker at once.
_CHUNK = 8
_UNSAFE = re.compile(r"[^\w.\-]+")
_SKIPPED_SHOWN = 200

Result = tuple[dict[str, Any] | None, Skipped | None]


class Extraction:
    """An iterable of rows over the pages at ``path``.

    Attributes:
        skipped: what was left out and why; complete once the rows are read.
        counts: "pages" read, "rows" given, "joined" pages that became part of another.
    """

    def __init__(self, path: str | Path, config: PagesConfig, progress: bool) -> None:
        self.path = Path(path)
        self.config = config
        self.progress = progress
        self.skipped: list[Skipped] = []
        self.counts = {"pages": 0, "rows": 0, "joined": 0}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.skipped.clear()
        self.counts = {"pages": 0, "rows": 0, "joined": 0}
        inputs = iter_inputs(self.path, self.skipped)
        total = count_inputs(self.path)
        joiner = PageJoiner()
        results = _map(inputs, self.config)
        for row, reason in tqdm(
            results, total=total, desc="extract", unit="page", disable=not self.progress
        ):
            self.counts["pages"] += 1
            if reason is not None:
                self.skipped.append(reason)
            elif row is not None and not (self.config.join_pages and joiner.take(row)):
                self.counts["rows"] += 1
                yield row
        for row in joiner.release():
            self.counts["rows"] += 1
            yield row
        self.counts["joined"] = joiner.joined


def extract_pages(
    path: str | Path, config: PagesConfig | None = None, progress: bool = True
) -> Extraction:
    """Extract every page at ``path``.

    Args:
        path: a folder of HTML (recursive), one HTML file, JSON Lines of
            ``{url, html, fetched}`` or a WARC file.
        config: the ``pages`` section of a run.
        progress: show a progress bar on stderr.

    Returns:
        Extraction: iterate it for rows (dicts); ``.skipped`` lists what was left out.
        Pages that may be parts of one article come last, joined.

    Raises:
        UserError: on iteration, if nothing is at ``path``.
    """
    return Extraction(path, config or PagesConfig(), progress)


def extract_one(item: PageInput, config: PagesConfig) -> dict[str, Any]:
    """The row of one page."""
    opinion = config.second_opinion or (
        sampled(item.page, config.second_opinion_share) and second_opinion.available()
    )
    page = extract_page(item.html, item.url, item.fetched, config, item.charset, opinion)
    row = page.to_row(item.page, item.identifier)
    _add_keys(row, item.url, page.canonical_url, config)
    if config.keep_html and sampled(item.page, config.keep_html_share, "keep"):
        row["kept_html"] = _keep(item, config.keep_html)
    return row


def _add_keys(
    row: dict[str, Any], url: str | None, canonical: str | None, config: PagesConfig
) -> None:
    """The address of the row and the key of its article, with the rules that fired.

    A page whose address is not known takes the one it states itself, unless that is
    no article's (the front page, a section).
    """
    key = canonical_key(url, canonical, load_site_rules(config.site_rules))
    if key.refused and canonical:
        row["warnings"] = [*row["warnings"], f"canonical link refused: {key.refused}"]
    row["url"] = url or (canonical if key.key and not key.refused else None)
    row["article_key"] = key.key or None
    row["url_rules"] = list(key.rules)


def sampled(page: str, share: float, salt: str = "") -> bool:
    """A fixed pseudo-random choice of pages: the same ones in every run."""
    if share <= 0:
        return False
    return zlib.crc32(f"{salt}{page}".encode("utf-8", "replace")) < share * 2**32


def _keep(item: PageInput, folder: str) -> str:
    """Store the raw page; returns the file's name."""
    stem = _UNSAFE.sub("_", item.page)[-120:].strip("._") or "page"
    name = f"{zlib.crc32(item.page.encode('utf-8', 'replace')):08x}_{stem}"
    name = name if name.lower().endswith((".html", ".htm", ".shtml")) else f"{name}.html"
    data = item.html if isinstance(item.html, bytes) else item.html.encode("utf-8", "replace")
    with atomic_writer(Path(folder) / name) as handle:
        handle.write(data)
    return name


def _safe(item: PageInput, config: PagesConfig) -> Result:
    """One page; whatever goes wrong is reported as skipped."""
    try:
        row = extract_one(item, config)
        if not row["title"].strip() and not row["body"].strip():
            return None, Skipped(item.page, "no title and no text found in it")
        return row, None
    except Exception as error:  # one bad page never stops the run
        return None, Skipped(item.page, f"{type(error).__name__}: {error}")


def _chunk(items: list[PageInput], config: PagesConfig) -> list[Result]:
    return [_safe(item, config) for item in items]


def _map(inputs: Iterable[PageInput], config: PagesConfig) -> Iterator[Result]:
    """Extract in order, in this process or in ``config.workers`` processes.

    At most two chunks per worker are in flight, so memory stays flat. If a worker dies
    (killed for want of memory, say) its pages are tried again one by one.
    """
    if config.second_opinion:
        second_opinion.require()
    source = iter(inputs)
    if config.workers == 1:
        while chunk := list(islice(source, _CHUNK)):
            yield from _chunk(chunk, config)
        return
    pending: deque[tuple[list[PageInput], Future[list[Result]]]] = deque()
    pool = ProcessPoolExecutor(config.workers)
    try:
        while True:
            while len(pending) < 2 * config.workers:
                chunk = list(islice(source, _CHUNK))
                if not chunk:
                    break
                pending.append((chunk, pool.submit(_chunk, chunk, config)))
            if not pending:
                return
            chunk, future = pending.popleft()
            try:
                results = future.result()
            except BrokenExecutor:
                pool.shutdown(wait=False, cancel_futures=True)
                pool = ProcessPoolExecutor(config.workers)
                waiting = [items for items, _ in pending]
                pending = deque((items, pool.submit(_chunk, items, config)) for items in waiting)
                results = [_alone(item, config) for item in chunk]
            yield from results
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _alone(item: PageInput, config: PagesConfig) -> Result:
    """One page in a process of its own, which it may take down with it."""
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(_safe, item, config).result()
        except BrokenExecutor:
            return None, Skipped(item.page, "the process that read it died")


def extract_to_file(
    pages: str | Path,
    out: str | Path,
    config: PagesConfig | None = None,
    earlier: str | Path | None = None,
    progress: bool = True,
    report: str | Path | None = None,
) -> dict[str, Any]:
    """Extract every page at ``pages`` into JSON Lines, with a report per outlet.

    Args:
        pages: see ``extract_pages``.
        out: the JSON Lines file to write (``-`` is stdout); every page has a row, lists
            and section pages too (``is_article: false``).
        config: the ``pages`` section of a run.
        earlier: report (.json) or rows (.jsonl) of an earlier run to compare with.
        progress: show a progress bar on stderr.
        report: where the summary is written too (JSON), or None.

    Returns:
        The summary: ``pages``, ``rows``, ``articles``, ``lists``, ``joined``,
        ``quality`` (verdict -> count), ``reasons``, ``warned``, ``skipped`` (count) and
        ``skipped_pages``, ``outlets`` (figures per outlet), ``alerts`` (what changed).

    Raises:
        UserError: nothing is at ``pages``, or a file cannot be read or written.
    """
    before = read_earlier(earlier) if earlier is not None else None
    extraction = extract_pages(pages, config, progress)
    outlets: dict[str, Outlet] = {}
    quality: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    articles = warned = compared = 0
    with atomic_writer(out) as handle:
        for row in extraction:
            handle.write(dumps(row) + b"\n")
            outlets.setdefault(outlet_of(row), Outlet()).add(row)
            articles += bool(row["is_article"])
            if row["is_article"]:
                quality[row["quality"]] += 1
                reasons.update(reason.split(":")[0] for reason in row["reasons"])
            warned += bool(row["warnings"])
            compared += "second_opinion" in row
    figures = ordered(outlets)
    counts = extraction.counts
    summary: dict[str, Any] = {
        "pages": counts["pages"],
        "rows": counts["rows"],
        "articles": articles,
        "lists": counts["rows"] - articles,
        "joined": counts["joined"],
        "quality": dict(quality),
        "reasons": dict(reasons.most_common()),
        "warned": warned,
        "second_opinions": compared,
        "skipped": len(extraction.skipped),
        "skipped_pages": [
            {"page": s.where, "reason": s.reason} for s in extraction.skipped[:_SKIPPED_SHOWN]
        ],
        "outlets": figures,
        "alerts": compare(before, figures) if before is not None else [],
    }
    if report is not None:
        write_json(report, summary)
    return summary
