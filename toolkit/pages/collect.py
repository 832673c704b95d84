"""Polite collection: feeds and sitemaps say which pages there are, WARC keeps them.

One request at a time, hosts in turn: the host whose pause is over first goes next.
Before each request the known fetch keys are asked, robots.txt is obeyed, and the pause
of the host kept. Links of pages are not followed; what asks for payment or a login is
left alone. A run can be stopped at any time and goes on from its state.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

from tqdm import tqdm

from toolkit.config import CollectConfig
from toolkit.errors import InvalidSetting, UserError
from toolkit.io import dumps, open_binary
from toolkit.model import Skipped
from toolkit.pages.collect_discover import Listed, read_list
from toolkit.pages.collect_http import (
    REDIRECTS,
    RETRY_STATUS,
    Fetcher,
    FetchError,
    Reply,
    next_hop,
)
from toolkit.pages.collect_queue import Queue, Task
from toolkit.pages.collect_robots import ROBOTS_BYTES, Robots, origin
from toolkit.pages.collect_state import State, Validators
from toolkit.pages.collect_warc import WarcFile
from toolkit.pages.urls import fetch_key, same_site

_PAGE_TYPES = {"", "text/html", "application/xhtml+xml", "text/plain", "application/xml"}
_REFUSING = {401: "asks for a login", 402: "asks for payment", 403: "refuses", 451: "withheld"}


@dataclass
class CollectSummary:
    """What one run did.

    ``counts`` has: fetched, not_modified, known, disallowed, failed, retried, lists,
    lists_not_modified, truncated, other_site. ``pending`` pages are left for the next run.
    """

    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pending: int = 0
    warc: Path | None = None

    def line(self) -> str:
        """The run in one line."""
        counts = ", ".join(f"{n} {name}" for name, n in sorted(self.counts.items()) if n)
        return f"{counts or 'nothing to do'}; {self.pending} pending -> {self.warc or 'no file'}"


def collect(
    config: CollectConfig,
    out: str | Path,
    *,
    seeds: Iterable[str] = (),
    known: Container[str] = (),
    progress: bool = False,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> CollectSummary:
    """Fetch new pages into ``out/pages-NNNNN.warc.gz``.

    Args:
        config: limits and manners.
        out: folder of the WARC files and ``state.sqlite``.
        seeds: feeds, sitemaps or front pages, beside those of ``config.seeds``.
        known: fetch keys not to ask for: anything with ``in``, asked before each request.
        progress: show a bar on stderr.
        clock, sleep: for tests.

    Raises:
        UserError: the folder cannot be written, is in use, or a seed is no address.
        InvalidSetting: include or exclude is no regular expression.
        MissingExtra: the extra ``collect`` is not installed.
    """
    starts = list(dict.fromkeys((*config.seeds, *seeds)))
    for seed in starts:
        if not seed.startswith(("http://", "https://")) or not fetch_key(seed):
            raise UserError(f"{seed}: not a web address; write it with http:// or https://")
    patterns = _compile("include", config.include), _compile("exclude", config.exclude)
    state = State(Path(out) / "state.sqlite")
    try:
        warc = WarcFile(out, config.user_agent)
        try:
            with Fetcher(config) as fetcher:
                run = _Run(config, state, warc, fetcher, known, patterns, clock, sleep)
                return run.go(starts, progress)
        finally:
            warc.close()
    finally:
        state.close()


def read_known(path: str | Path) -> set[str]:
    """Fetch keys of a file of addresses, one a line (gzip allowed)."""
    with open_binary(path) as handle:
        keys = {fetch_key(line.decode("utf-8", "replace")) for line in handle}
    return keys - {""}


def _compile(name: str, texts: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(text) for text in texts)
    except re.error as error:
        raise InvalidSetting(f"collect.{name}: not a regular expression ({error})") from None


class _Run:
    """One run: queues by host, and what is done with each answer."""

    def __init__(
        self,
        config: CollectConfig,
        state: State,
        warc: WarcFile,
        fetcher: Fetcher,
        known: Container[str],
        patterns: tuple[Collection[re.Pattern[str]], Collection[re.Pattern[str]]],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self.config = config
        self.state = state
        self.warc = warc
        self.fetcher = fetcher
        self.known = known
        self.include, self.exclude = patterns
        self.queue = Queue(config, clock, sleep)
        self.robots = Robots(self._fetch_robots, config.user_agent)
        self.lists_seen: set[str] = set()
        self.lists_asked = 0
        self.pages_asked = 0
        self.summary = CollectSummary()

    # ------------------------------------------------------------------ the loop
    def go(self, seeds: list[str], progress: bool) -> CollectSummary:
        """Work until nothing is left to ask for."""
        for seed in seeds:
            self._add_list(seed, 0)
        for key, url in self.state.pending():
            self.queue.push(Task("page", url, key))
        with tqdm(disable=not progress, unit=" pages", desc="collect") as bar:
            while True:
                full = self.pages_asked >= self.config.max_pages
                task = self.queue.pop(lists_only=full)
                if task is None:
                    break
                try:
                    self._do(task)
                except FetchError as error:
                    if error.retry:
                        self._retry(task, error.reason, None)
                    else:
                        self._end(task, "failed", error.reason)
                bar.update(self.summary.counts["fetched"] - bar.n)
        self.summary.counts["retried"] = self.queue.retried
        self.summary.pending = self.state.counts().get("pending", 0)
        self.summary.warc = self.warc.path
        return self.summary

    def _add_list(self, url: str, depth: int) -> None:
        if url not in self.lists_seen:
            self.lists_seen.add(url)
            self.queue.push(Task("list", url, url, depth))

    # --------------------------------------------------------------- one request
    def _do(self, task: Task) -> None:
        if task.kind == "page" and self._is_known(task):
            return
        policy = self.robots.policy(task.target)
        if not policy.reachable:
            self.queue.host(task.target).closed = "robots.txt cannot be read"
            place = f"{origin(task.target)}/robots.txt"
            self.summary.skipped.append(
                Skipped(place, "cannot be read; host left for the next run")
            )
            return
        if not policy.allows(task.target):
            self._end(task, "disallowed", "robots.txt disallows it")
            return
        if task.kind == "list":
            if self.lists_asked >= self.config.max_lists:
                self.summary.warnings.append(f"{task.url}: not read (collect.max_lists)")
                return
            self.lists_asked += 1
            stored = self.state.list_validators(self._list_name(task.url))
        else:
            self.pages_asked += 1
            stored = self.state.page_validators(task.key)
        # A list's entries are stored with its validators, so 304 loses none of them.
        reply = self._exchange(
            task.target,
            self.config.max_list_bytes if task.kind == "list" else self.config.max_page_bytes,
            wanted=_is_page if task.kind == "page" else None,
            stored=stored,
            pause=policy.delay,
        )
        self._answer(task, reply)

    def _is_known(self, task: Task) -> bool:
        """Ask the known keys, for the address itself and for where a redirect led."""
        key = fetch_key(task.target)
        if key not in self.known and self.state.page_state(key) != "done":
            return False
        self.summary.counts["known"] += 1
        self.state.finish_page(task.key, task.url, "done", "known")
        return True

    def _exchange(
        self,
        url: str,
        limit: int,
        *,
        wanted: Callable[[Reply], str | None] | None = None,
        stored: Validators | None = None,
        pause: float = 0.0,
    ) -> Reply:
        """One request after the pause of its host."""
        self.queue.wait(url)
        stored = stored or Validators()
        try:
            return self.fetcher.get(
                url, limit=limit, wanted=wanted, etag=stored.etag,
                last_modified=stored.last_modified,
            )  # fmt: skip
        finally:
            self.queue.asked(url, pause)

    def _fetch_robots(self, url: str) -> Reply:
        """robots.txt with retries and redirects; raises FetchError when not to be had."""
        trail = {url}
        attempt = 0
        while True:
            reply: Reply | None = None
            try:
                reply = self._exchange(url, ROBOTS_BYTES)
            except FetchError as error:
                if not error.retry or not self.queue.may_retry(url, attempt):
                    raise
            if reply is not None and reply.status in REDIRECTS:
                url = next_hop(reply)
                if not url or url in trail or len(trail) > self.config.max_redirects:
                    return reply
                trail.add(url)
                continue
            if reply is not None and reply.status not in RETRY_STATUS:
                return reply
            again = self.queue.may_retry(url, attempt) and self.queue.plan_retry(
                url, attempt, reply.retry_after if reply is not None else None
            )
            if not again:
                if reply is None:
                    raise FetchError("cannot be read")
                return reply
            attempt += 1

    # -------------------------------------------------------------------- answers
    def _answer(self, task: Task, reply: Reply) -> None:
        if reply.status in REDIRECTS:
            self._redirect(task, reply)
        elif reply.status == 304:
            name = "not_modified" if task.kind == "page" else "lists_not_modified"
            self.summary.counts[name] += 1
            if task.kind == "page":
                stored = self.state.page_validators(task.key)
                again = replace(stored, fetched=time.time())
                self.state.finish_page(task.key, task.url, "done", "not modified", again)
        elif reply.status in RETRY_STATUS:
            self._retry(task, f"status {reply.status}", reply)
        elif reply.status != 200:
            reason = _REFUSING.get(reply.status)
            self._end(task, "failed", f"status {reply.status}" + (f" ({reason})" if reason else ""))
        elif reply.cut_short and self.queue.may_retry(task.target, task.attempt):
            self._retry(task, "shorter than announced", None)
        elif task.kind == "list":
            self._read_list(task, reply)
        else:
            self._keep(task, reply)

    def _keep(self, task: Task, reply: Reply) -> None:
        if not reply.body:
            self._end(task, "failed", "empty body")
            return
        if reply.cut_short:
            self.summary.counts["truncated"] += 1
            self.summary.warnings.append(f"{reply.url}: shorter than announced, kept as it came")
        self.warc.write(reply)
        validators = _validators(reply)
        final = fetch_key(reply.url)
        if final != task.key:
            self.state.finish_page(final, reply.url, "done", None, validators)
        # A half-received copy must not be confirmed by 304.
        kept = Validators(fetched=validators.fetched) if reply.cut_short else validators
        self.state.finish_page(task.key, task.url, "done", None, kept)
        self.summary.counts["fetched"] += 1

    def _redirect(self, task: Task, reply: Reply) -> None:
        target = next_hop(reply)
        trail = (*task.trail, task.target)
        if not target:
            self._end(task, "failed", "redirect to no web address")
        elif target in trail:
            self._end(task, "failed", "redirect loop")
        elif len(trail) > self.config.max_redirects:
            self._end(task, "failed", f"more than {self.config.max_redirects} redirects")
        else:
            # On the way the request counts once, and robots.txt of the next host is asked.
            self._uncount(task)
            self.queue.push(replace(task, hop=target, trail=trail), first=True)

    def _read_list(self, task: Task, reply: Reply) -> None:
        kind, listed = read_list(
            reply.body, reply.url, reply.content_type, self.config.max_list_bytes
        )
        self.summary.counts["lists"] += 1
        wanted: dict[str, str] = {}
        for item in listed:
            if self._leave_out(item, task):
                continue
            if item.kind == "page":
                wanted.setdefault(fetch_key(item.url), item.url)
            elif task.depth < self.config.max_list_depth:
                self._add_list(item.url, task.depth + 1)
        if kind == "front page":
            for sitemap in self.robots.policy(reply.url).sitemaps:
                self._add_list(urljoin(reply.url, sitemap), task.depth + 1)
        new = [(key, url) for key, url in wanted.items() if self._is_new(key)]
        # The lists a list names are not stored, so such a list is read anew each run.
        nested = kind in ("front page", "sitemapindex") or reply.cut_short
        validators = Validators() if nested else _validators(reply)
        self.state.store_list(self._list_name(task.url), validators, new)
        for key, url in new:
            self.queue.push(Task("page", url, key))
        if not listed and kind != "front page":
            self.summary.warnings.append(f"{task.url}: this {kind} lists nothing")

    def _list_name(self, url: str) -> str:
        """Under which a list is stored: read under other filters, it must be read anew."""
        config = self.config
        filters = [config.include, config.exclude, config.same_site, config.newer_than_days]
        return f"{url} {hashlib.sha256(dumps(filters)).hexdigest()[:12]}"

    def _leave_out(self, item: Listed, task: Task) -> bool:
        if not fetch_key(item.url):
            return True
        if self.config.same_site and not same_site(item.url, task.url):
            self.summary.counts["other_site"] += 1
            return True
        days = self.config.newer_than_days
        oldest = datetime.now(UTC) - timedelta(days=days or 0)
        if days is not None and item.changed is not None and item.changed < oldest:
            return True
        if item.kind == "list":
            return False
        if self.include and not any(p.search(item.url) for p in self.include):
            return True
        return any(p.search(item.url) for p in self.exclude)

    def _is_new(self, key: str) -> bool:
        """Whether a listed page is to be fetched (again)."""
        if key in self.known:
            self.summary.counts["known"] += 1
            return False
        state = self.state.page_state(key)
        if state is None or state == "disallowed":  # robots.txt may have changed
            return True
        days = self.config.revisit_days
        fetched = self.state.page_validators(key).fetched
        return (
            state == "done"
            and days is not None
            and fetched is not None
            and time.time() - fetched > days * 86_400
        )

    # --------------------------------------------------------------------- trouble
    def _retry(self, task: Task, reason: str, reply: Reply | None) -> None:
        """Ask again later, or end the page, or leave its host for the next run."""
        host = self.queue.host(task.target)
        if task.attempt >= self.config.retries:
            self._end(task, "failed", f"{reason}, {task.attempt + 1} times")
            return
        if host.budget <= 0:
            # The host is in trouble as a whole; its pages are not to blame.
            host.closed = "retry budget spent"
        elif not self.queue.plan_retry(
            task.target, task.attempt, reply.retry_after if reply is not None else None
        ):
            host.closed = "asks for a long pause"
        else:
            self._uncount(task)
            self.queue.push_again(task)
            return
        self.summary.skipped.append(
            Skipped(task.url, f"{reason}; {host.closed}, host left for the next run")
        )

    def _uncount(self, task: Task) -> None:
        """Redirects and retries of one address count as one request."""
        if task.kind == "page":
            self.pages_asked -= 1
        else:
            self.lists_asked -= 1

    def _end(self, task: Task, state: str, reason: str) -> None:
        self.summary.counts[state] += 1
        self.summary.skipped.append(Skipped(task.url, reason))
        if task.kind == "page":
            self.state.finish_page(task.key, task.url, state, reason)


def _is_page(reply: Reply) -> str | None:
    """Why the body is not worth reading, or None."""
    kind = reply.content_type
    return None if kind in _PAGE_TYPES else f"not a page ({kind})"


def _validators(reply: Reply) -> Validators:
    return Validators(
        reply.header("etag") or None, reply.header("last-modified") or None, time.time()
    )
