"""One polite HTTP exchange with hard limits on time and size.

The reply is read as a stream and unpacked piece by piece, so that neither an endless
body nor a gzip bomb fills the memory. A watchdog shuts the socket at the deadline,
because a server that drips its headers byte by byte never trips a read timeout.
Cookies are not kept and no other identity is tried: what a site refuses stays refused.
"""

from __future__ import annotations

import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from toolkit.errors import MissingExtra
from toolkit.pages.urls import fetch_key

if TYPE_CHECKING:
    import httpx

    from toolkit.config import CollectConfig

#: statuses worth asking again for
RETRY_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 65_536


class FetchError(Exception):
    """An exchange that brought nothing usable; ``retry`` says whether another may."""

    def __init__(self, reason: str, *, retry: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered.

    ``headers`` are pairs as received; ``body`` is unpacked; ``cut_short`` says that
    the connection ended before the announced length.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    cut_short: bool = False
    request_headers: tuple[tuple[str, str], ...] = field(default=())

    def header(self, name: str) -> str:
        """The first header of this name, or ""."""
        name = name.lower()
        return next((v for k, v in self.headers if k.lower() == name), "")

    @property
    def retry_after(self) -> float | None:
        """Seconds the server asks to wait, or None."""
        return retry_after(self.header("retry-after"))

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()


def retry_after(value: str, now: datetime | None = None) -> float | None:
    """Seconds a ``Retry-After`` header asks to wait (RFC 9110, 10.2.3), or None."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def next_hop(reply: Reply) -> str:
    """The absolute address a redirect names; "" where it names none of the web."""
    location = reply.header("location").strip()
    try:
        target = urljoin(reply.url, location).partition("#")[0]
    except ValueError:
        return ""
    usable = bool(location) and target.startswith(("http://", "https://"))
    return target if usable and fetch_key(target) else ""


def unpack(pieces: Iterator[bytes], encoding: str, limit: int) -> Iterator[bytes]:
    """Undo a content encoding piece by piece.

    Args:
        pieces: the body as received.
        encoding: value of ``Content-Encoding``.
        limit: largest size after unpacking, in bytes.

    Raises:
        FetchError: an encoding that was not asked for, damaged data, or too large.
    """
    names = [n for n in encoding.lower().replace(" ", "").split(",") if n not in ("", "identity")]
    if len(names) > 1 or (names and names[0] not in ("gzip", "x-gzip", "deflate")):
        raise FetchError(f"content encoding '{encoding}' was not asked for")
    size = 0
    unpacker: Any = None
    for number, piece in enumerate(pieces):
        if names and number == 0:
            if names[0] == "deflate":
                zlib_header = len(piece) > 1 and (piece[0] & 15) == 8 and (
                    piece[0] * 256 + piece[1]) % 31 == 0  # fmt: skip
                unpacker = zlib.decompressobj(15 if zlib_header else -15)
            elif piece[:1] == b"\x1f":  # some servers announce gzip and send plain text
                unpacker = zlib.decompressobj(31)
        if unpacker is None:
            size += len(piece)
            if size > limit:
                raise FetchError(f"larger than {limit} bytes")
            yield piece
            continue
        rest = piece
        while rest and not unpacker.eof:
            try:
                part = unpacker.decompress(rest, _PIECE)
            except zlib.error as error:
                raise FetchError(f"damaged compressed body ({error})", retry=True) from None
            rest = unpacker.unconsumed_tail
            size += len(part)
            if size > limit:
                raise FetchError(f"larger than {limit} bytes when unpacked")
            yield part


class _Watchdog:
    """Shuts the sockets of an exchange when its time is over."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Called by the HTTP library at each step; keeps the socket of a connection."""
        if event == "connection.connect_tcp.complete":
            found = info["return_value"].get_extra_info("socket")
            if found is not None:
                self._sockets.append(found)
                if self.expired:
                    self._cut()

    def _cut(self) -> None:
        self.expired = True
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


class Fetcher:
    """Sends requests; holds the HTTP client. Use as a context manager."""

    def __init__(self, config: CollectConfig) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("collecting pages", "collect") from None
        self._httpx = httpx
        self._config = config
        self._client = httpx.Client(
            headers={
                "User-Agent": config.user_agent,
                "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
                "Accept-Encoding": "gzip, deflate",
                "Accept-Language": "zh-CN,zh;q=0.9",
            },
            timeout=config.timeout,
            follow_redirects=False,
            # A connection of its own for each exchange: the watchdog must know its socket.
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def get(
        self,
        url: str,
        *,
        limit: int,
        wanted: Callable[[Reply], str | None] | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Reply:
        """Ask for one address; redirects are not followed.

        Args:
            url: an absolute address.
            limit: largest body in bytes, unpacked.
            wanted: judges status and headers before the body is read; a text it
                gives is the reason to leave the body unread.
            etag, last_modified: of the copy at hand, for a conditional request.

        Raises:
            FetchError: no usable answer within the limits.
        """
        httpx = self._httpx
        conditions = {}
        if etag:
            conditions["If-None-Match"] = etag
        if last_modified:
            conditions["If-Modified-Since"] = last_modified
        self._client.cookies.clear()
        with _Watchdog(self._config.total_timeout) as watchdog:
            try:
                with self._client.stream(
                    "GET", url, headers=conditions, extensions={"trace": watchdog.trace}
                ) as response:
                    reply = self._read(response, url, limit, wanted)
                if watchdog.expired:  # a shut socket looks like the end of the body
                    raise FetchError(self._too_slow())
                return reply
            except FetchError as error:
                if watchdog.expired:
                    raise FetchError(self._too_slow()) from None
                raise error
            except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError, ValueError) as error:
                raise FetchError(f"not an address to fetch ({_line(error)})") from None
            except httpx.HTTPError as error:
                if watchdog.expired:
                    raise FetchError(self._too_slow()) from None
                name = type(error).__name__
                raise FetchError(f"{name}: {_line(error)}", retry=True) from None

    def _too_slow(self) -> str:
        return f"not complete after {self._config.total_timeout:g} s"

    def _read(
        self,
        response: httpx.Response,
        url: str,
        limit: int,
        wanted: Callable[[Reply], str | None] | None,
    ) -> Reply:
        headers = tuple(response.headers.multi_items())
        asked = tuple(
            (k, v) for k, v in response.request.headers.multi_items() if k != "authorization"
        )
        bare = Reply(url, response.status_code, headers, request_headers=asked)
        if response.status_code != 200:
            return bare
        reason = wanted(bare) if wanted is not None else None
        if reason is not None:
            raise FetchError(reason)
        length = bare.header("content-length")
        if length.isascii() and length.isdigit() and int(length[:18]) > limit:
            raise FetchError(f"larger than {limit} bytes")
        body = bytearray()
        cut_short = False
        deadline = time.monotonic() + self._config.total_timeout
        try:
            for piece in unpack(response.iter_raw(), bare.header("content-encoding"), limit):
                body += piece
                if time.monotonic() > deadline:
                    raise FetchError(self._too_slow())
        except self._httpx.RemoteProtocolError:
            # Fewer bytes than announced; the caller decides whether to ask again.
            cut_short = True
        return Reply(url, 200, headers, bytes(body), cut_short, asked)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
