"""Runs the extraction over many pages: one row per article, nothing lost in silence."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm import tqdm

from toolkit.config import PagesConfig
from toolkit.model import Skipped
from toolkit.pages.extract import extract_page
from toolkit.pages.inputs import PageInput, count_inputs, iter_inputs

#: Pages handed to a worker at once.
_CHUNK = 8


class Extraction:
    """An iterable of rows over the pages at ``path``.

    Attributes:
        skipped: what was left out and why; complete once the rows are read.
        counts: pages read, rows given.
    """

    def __init__(self, path: str | Path, config: PagesConfig, progress: bool) -> None:
        self.path = Path(path)
        self.config = config
        self.progress = progress
        self.skipped: list[Skipped] = []
        self.counts = {"pages": 0, "rows": 0}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        inputs = iter_inputs(self.path, self.skipped)
        results = _map(inputs, self.config)
        total = count_inputs(self.path)
        for row, reason in tqdm(
            results, total=total, desc="extract", unit="page", disable=not self.progress
        ):
            self.counts["pages"] += 1
            if reason is not None:
                self.skipped.append(reason)
                continue
            assert row is not None
            self.counts["rows"] += 1
            yield row


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

    Raises:
        UserError: on iteration, if nothing is at ``path``.
    """
    return Extraction(path, config or PagesConfig(), progress)


def extract_one(item: PageInput, config: PagesConfig) -> dict[str, Any]:
    """The row of one page."""
    page = extract_page(item.html, item.url, item.fetched, config, item.charset)
    row = page.to_row(item.page, item.identifier)
    row["url"] = item.url or page.canonical_url
    return row


Result = tuple[dict[str, Any] | None, Skipped | None]


def _safe(item: PageInput, config: PagesConfig) -> Result:
    """One page; whatever goes wrong is reported as skipped."""
    try:
        return extract_one(item, config), None
    except Exception as error:  # one bad page never stops the run
        return None, Skipped(item.page, f"{type(error).__name__}: {error}")


def _chunk(items: list[PageInput], config: PagesConfig) -> list[Result]:
    return [_safe(item, config) for item in items]


def _map(inputs: Iterable[PageInput], config: PagesConfig) -> Iterator[Result]:
    """Extract in order, in this process or in ``config.workers`` processes.

    At most two chunks per worker are in flight, so memory stays flat.
    """
    if config.workers == 1:
        for item in inputs:
            yield _safe(item, config)
        return
    source = iter(inputs)
    pending: deque[Future[list[Result]]] = deque()
    with ProcessPoolExecutor(config.workers) as pool:
        while True:
            while len(pending) < 2 * config.workers:
                chunk = list(islice(source, _CHUNK))
                if not chunk:
                    break
                pending.append(pool.submit(_chunk, chunk, config))
            if not pending:
                return
            yield from pending.popleft().result()
