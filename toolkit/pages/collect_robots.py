"""robots.txt (RFC 9309): what may be asked for, how often, and which sitemaps there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from toolkit.errors import MissingExtra
from toolkit.pages.collect_http import FetchError, Reply

#: what is read of a robots.txt at most; RFC 9309 asks for at least 500 KiB
ROBOTS_BYTES = 512_000


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one origin for one user agent.

    ``reachable`` is False when the file could not be had (server error, no
    connection): nothing may be asked for then, but a later run may try again.
    """

    rules: Any
    agent: str
    reachable: bool = True

    def allows(self, url: str) -> bool:
        """Whether the address may be asked for."""
        if not self.reachable:
            return False
        return self.rules is None or bool(self.rules.can_fetch(url, self.agent))

    @property
    def delay(self) -> float:
        """Seconds between two requests the site asks for; 0 where it says nothing."""
        if self.rules is None:
            return 0.0
        wait = float(self.rules.crawl_delay(self.agent) or 0.0)
        rate = self.rules.request_rate(self.agent)
        if rate is not None and rate.requests:
            wait = max(wait, rate.seconds / rate.requests)
        return wait

    @property
    def sitemaps(self) -> list[str]:
        """Addresses of sitemaps."""
        return [] if self.rules is None else list(self.rules.sitemaps)


def origin(url: str) -> str:
    """Scheme, host and port of an address: what one robots.txt speaks for."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2].lower()}"


class Robots:
    """Policies by origin, each read once in a run.

    Args:
        fetch: asks for one address, with retries and following redirects; may raise
            FetchError.
        user_agent: as sent; groups whose name it holds apply.
    """

    def __init__(self, fetch: Callable[[str], Reply], user_agent: str) -> None:
        try:
            import protego
        except ImportError:
            raise MissingExtra("reading robots.txt", "collect") from None
        self._parse = protego.Protego.parse
        self._fetch = fetch
        self._agent = user_agent
        self._policies: dict[str, Policy] = {}

    def policy(self, url: str) -> Policy:
        """The rules for an address."""
        place = origin(url)
        if place not in self._policies:
            self._policies[place] = self._read(place)
        return self._policies[place]

    def _read(self, place: str) -> Policy:
        try:
            reply = self._fetch(f"{place}/robots.txt")
        except FetchError:
            return Policy(None, self._agent, reachable=False)
        if reply.status == 200:
            # A half-received file may lack the line that forbids.
            if reply.cut_short:
                return Policy(None, self._agent, reachable=False)
            text = reply.body.decode("utf-8-sig", "replace")
            return Policy(self._parse(text), self._agent)
        if 300 <= reply.status < 500 and reply.status != 429:
            return Policy(None, self._agent)
        return Policy(None, self._agent, reachable=False)
