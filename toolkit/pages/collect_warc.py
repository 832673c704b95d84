"""Writing fetched pages as WARC 1.1, one request and one response record for each page."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from toolkit.errors import MissingExtra, UserError
from toolkit.pages.collect_http import Reply

# The body is stored unpacked and whole, so what described its transfer is renamed.
_TRANSFER = {"content-encoding", "transfer-encoding", "content-length"}


class WarcFile:
    """A new ``pages-NNNNN.warc.gz`` in a folder, created with the first page.

    Each run writes a file of its own: after a crash nothing is appended behind a
    broken record.
    """

    def __init__(self, folder: str | Path, user_agent: str) -> None:
        try:
            from warcio.warcwriter import WARCWriter
        except ImportError:
            raise MissingExtra("writing WARC files", "collect") from None
        self._make = WARCWriter
        self._folder = Path(folder)
        self._agent = user_agent
        self._handle: IO[bytes] | None = None
        self._writer: Any = None
        self.path: Path | None = None

    def _open(self) -> None:
        number = 1
        while True:
            path = self._folder / f"pages-{number:05d}.warc.gz"
            try:
                self._handle = open(path, "xb")  # noqa: SIM115 (closed by close)
                break
            except FileExistsError:
                number += 1
            except OSError as error:
                raise UserError(f"{path}: cannot be written ({error.strerror})") from None
        self.path = path
        self._writer = self._make(self._handle, gzip=True, warc_version="1.1")
        info = {"software": self._agent, "format": "WARC File Format 1.1", "robots": "obeyed"}
        self._writer.write_record(self._writer.create_warcinfo_record(path.name, info))

    def write(self, reply: Reply) -> None:
        """Append one page; it is on disk when this returns."""
        from warcio.statusandheaders import StatusAndHeaders

        if self._handle is None:
            self._open()
        writer, handle = self._writer, self._handle
        assert handle is not None
        headers = [
            (f"X-Archive-Orig-{k}" if k.lower() in _TRANSFER else k, _latin(v))
            for k, v in reply.headers
        ]
        headers.append(("Content-Length", str(len(reply.body))))
        extra = {"WARC-Date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        if reply.cut_short:
            extra["WARC-Truncated"] = "disconnect"
        response = writer.create_warc_record(
            reply.url,
            "response",
            payload=BytesIO(reply.body),
            http_headers=StatusAndHeaders(f"{reply.status} OK", headers, protocol="HTTP/1.1"),
            warc_headers_dict=extra,
        )
        parts = urlsplit(reply.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = writer.create_warc_record(
            reply.url,
            "request",
            http_headers=StatusAndHeaders(
                f"GET {_latin(target)} HTTP/1.1",
                [(k, _latin(v)) for k, v in reply.request_headers],
                is_http_request=True,
            ),
            warc_headers_dict={"WARC-Date": extra["WARC-Date"]},
        )
        writer.write_request_response_pair(request, response)
        handle.flush()

    def close(self) -> None:
        """Close the file, if one was opened."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def _latin(text: str) -> str:
    """Header text that can be written as bytes."""
    return text.encode("latin-1", "replace").decode("latin-1").replace("\r", " ").replace("\n", " ")
