"""Who is asked next, and when: tasks by host, pauses, and the budget of retries."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from toolkit.config import CollectConfig


@dataclass(frozen=True, slots=True)
class Task:
    """One address to ask for.

    ``key`` is the fetch key of a page, the address of a list. ``hop`` is where
    redirects have led so far, ``trail`` the addresses on the way there.
    """

    kind: Literal["page", "list"]
    url: str
    key: str
    depth: int = 0
    attempt: int = 0
    hop: str = ""
    trail: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The address to ask for now."""
        return self.hop or self.url


@dataclass
class Host:
    """Tasks of one host; ``ready`` is the clock time before which it is left alone."""

    budget: int
    tasks: deque[Task] = field(default_factory=deque)
    ready: float = 0.0
    #: why the host is left for the next run
    closed: str | None = None


class Queue:
    """Tasks by host; the host whose pause ends first goes next.

    Args:
        config: pauses and budgets.
        clock, sleep: monotonic seconds and waiting.
    """

    def __init__(
        self, config: CollectConfig, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._config = config
        self._clock = clock
        self._sleep = sleep
        self._hosts: dict[str, Host] = defaultdict(lambda: Host(config.retry_budget))
        self.retried = 0

    def host(self, url: str) -> Host:
        """The host of an address."""
        return self._hosts[urlsplit(url).netloc.rpartition("@")[2].lower()]

    def push(self, task: Task, *, first: bool = False) -> None:
        """Add a task; lists go before pages, so that what they bring is known early."""
        tasks = self.host(task.target).tasks
        if first or task.kind == "list":
            tasks.appendleft(task)
        else:
            tasks.append(task)

    def pop(self, *, lists_only: bool) -> Task | None:
        """The next task, or None when nothing is left to ask for in this run."""
        hosts = [h for h in self._hosts.values() if h.tasks and h.closed is None]
        if lists_only:
            hosts = [h for h in hosts if h.tasks[0].kind == "list"]
        chosen = min(hosts, key=lambda host: host.ready, default=None)
        return chosen.tasks.popleft() if chosen is not None else None

    def wait(self, url: str) -> None:
        """Sleep until the pause of the host is over."""
        seconds = self.host(url).ready - self._clock()
        if seconds > 0:
            self._sleep(seconds)

    def asked(self, url: str, pause: float) -> None:
        """Note that a request has just ended; robots.txt may ask for a longer pause."""
        self.host(url).ready = self._clock() + max(self._config.delay, pause)

    def may_retry(self, url: str, attempt: int) -> bool:
        """Whether the address and its host have a retry left."""
        return attempt < self._config.retries and self.host(url).budget > 0

    def plan_retry(self, url: str, attempt: int, retry_after: float | None) -> bool:
        """Spend one retry and set the pause of the host.

        Args:
            retry_after: seconds the server asks for; None = a pause that doubles
                with each attempt.

        Returns:
            False, and nothing spent, where the pause asked for is too long.
        """
        if retry_after is not None and retry_after > self._config.max_retry_after:
            return False
        host = self.host(url)
        host.budget -= 1
        self.retried += 1
        doubling: float = max(self._config.delay, 0.5) * 2.0 ** (attempt + 1)
        pause = doubling if retry_after is None else retry_after
        host.ready = max(host.ready, self._clock() + pause)
        return True

    def push_again(self, task: Task) -> None:
        """Put a task back for its next attempt."""
        self.push(replace(task, attempt=task.attempt + 1), first=True)
