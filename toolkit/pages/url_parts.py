"""Taking web addresses apart and writing them in one form (RFC 3986, sections 5 and 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote

#: a parameter as written: name and value; None where there is no equals sign
Parameter = tuple[str, str | None]

LONGEST_ADDRESS = 16_000
_PARTS = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):)?(?://(?P<place>[^/?#]*))?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?)*")
_BARE_HOST = re.compile(r"[^\s/?#:@]+\.[^\s/?#:@]+(?::\d+)?(?=[/?#]|$)")
# A byte of 0x81 and more may lead a GBK character whose second byte is an ASCII letter,
# so the escape after it is left alone.
_ESCAPE = re.compile(r"%[89A-Fa-f][0-9A-Fa-f](?:%[4-7][0-9A-Fa-f])?|%[0-7][0-9A-Fa-f]")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SAFE = "%/:@!$&'()*+,;=-._~"
_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/;?]*", re.IGNORECASE)
_DEFAULT_DOCUMENT = re.compile(r"/(?:index|default)\.(?:s?html?|php|jsp|aspx?)$", re.IGNORECASE)

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:[12]\d|3[01]|0?[1-9])"
_TWO_DIGITS = r"(?:0[1-9]|1[0-2])(?:[12]\d|3[01]|0[1-9])"
_DATE = re.compile(
    rf"(?<!\d)(?:{_YEAR}[-_/.]{_MONTH}[-_/.]{_DAY}|{_YEAR}[-_/.]?{_TWO_DIGITS}"
    rf"|{_YEAR}(?:0[1-9]|1[0-2])[-_/.]?{_DAY}|{_YEAR}[-_/.]?(?:0[1-9]|1[0-2]))(?!\d)"
)
_WORD = re.compile(r"[A-Za-z0-9]+")
_DIGITS = re.compile(r"\d+")
_PAGE = re.compile(r"(?P<base>.+?)(?:[_-](?:p|page[_-]?)?(?P<page>\d{1,2}))(?P<end>\.\w{2,5})?$")
_WHOLE = re.compile(r"(?P<base>.+)[_-](?P<kind>all|full|print|amp|mobile|wap)(?P<end>\.\w{2,5})?$")
_PAGE_SEGMENT = re.compile(r"(?:p|page[_-]?)\d{1,2}(?:\.\w{2,5})?$")
STRONG = 7
NUMBERED = 5


@dataclass(frozen=True, slots=True)
class Address:
    """A web address in one form.

    ``host`` is lower-case ASCII without ``www.``; ``port`` is None for the usual one;
    ``path`` starts with "/"; ``query`` is in the order written; ``route`` is a
    fragment that names a page (``#!/...``), else "".
    """

    host: str
    port: int | None
    path: str
    query: tuple[Parameter, ...] = ()
    route: str = ""
    notes: tuple[str, ...] = ()


@cache
def _suffixes() -> Any:
    import tldextract

    # No list is downloaded and nothing cached on disk: the list shipped with it is used.
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The domain a publisher registers: ``news.sina.com.cn`` -> ``sina.com.cn``.

    Public suffixes come from the list shipped with tldextract; under an unknown
    suffix the last two labels are taken. An IP address or single name is its own.
    """
    if is_ip(host) or "." not in host:
        return host
    found = _suffixes()(host)
    if found.suffix and found.domain:
        return f"{found.domain}.{found.suffix}"
    if found.suffix:
        return host
    return ".".join(host.rsplit(".", 2)[-2:])


def is_ip(host: str) -> bool:
    """Whether the host is an IP address."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _read_place(place: str) -> tuple[str, int | None] | None:
    """Host (lower-case ASCII) and port of ``user@host:port``; None where unusable."""
    place = place.rpartition("@")[2]
    if place.startswith("["):
        host, closed, rest = place[1:].partition("]")
        if not closed or not is_ip(host) or (rest and not rest.startswith(":")):
            return None
        host, port_text = f"[{host.lower()}]", rest[1:]
    else:
        host, _, port_text = place.partition(":")
        host = host.strip().rstrip(".").lower()
        if not host.isascii():
            try:
                host = host.replace("。", ".").encode("idna").decode("ascii")
            except (UnicodeError, ValueError):
                return None
        if len(host) > 253 or _HOST.fullmatch(host) is None:
            return None
    if not port_text:
        return host, None
    if not (port_text.isascii() and port_text.isdigit() and len(port_text) <= 5):
        return None
    port = int(port_text)
    return (host, port) if 0 < port < 65_536 else None


def _escape(found: re.Match[str]) -> str:
    text = found.group()
    if len(text) == 3:
        letter = chr(int(text[1:], 16))
        if letter in _UNRESERVED and letter.isascii():
            return letter
    return text.upper()


def tidy_escapes(text: str, safe: str = _SAFE) -> str:
    """Percent-escapes in one form, without decoding bytes of any character set."""
    text = _LONE_PERCENT.sub("%25", text)
    text = quote(text.encode("utf-8", "replace"), safe=safe)
    return _ESCAPE.sub(_escape, text)


def without_dots(path: str) -> str:
    """Remove dot segments (RFC 3986, 5.2.4)."""
    done: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(done) > 1:
                done.pop()
        elif segment != ".":
            done.append(segment)
    if segments[-1] in (".", "..") and done[-1:] != [""]:
        done.append("")
    joined = "/".join(done)
    return joined if joined.startswith("/") else "/" + joined


def split_query(text: str) -> tuple[Parameter, ...]:
    """Parameters in the order written; empty ones between two ``&`` are dropped."""
    parameters: list[Parameter] = []
    for part in text.replace("&amp;", "&").split("&"):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not name and not value:
            continue
        tidy = tidy_escapes(value, _SAFE + "?[]|").replace("%3D", "=")
        parameters.append((tidy_escapes(name, _SAFE + "[]"), tidy if equals else None))
    return tuple(parameters)


def split_address(url: object) -> Address | None:
    """Take an address apart; None for what is not the address of a web page.

    Accepts ``//host/path`` and, under a known public suffix, ``host/path``.
    """
    if not isinstance(url, str) or len(url) > LONGEST_ADDRESS:
        return None
    text = re.sub(r"[\t\r\n\x00]", "", url.strip().strip("\u200b\ufeff<>\"'")).strip()
    if not text:
        return None
    found = _PARTS.fullmatch(text)
    scheme = found["scheme"].lower() if found and found["scheme"] else None
    place = found["place"] if found else None
    if scheme not in ("http", "https") or place is None:
        if scheme in ("http", "https") or (place is not None and scheme):
            return None
        if place is None:
            bare = _BARE_HOST.match(text)
            host = bare.group().partition(":")[0].lower() if bare else ""
            if not bare or is_ip(host) or not _suffixes()(host).suffix:
                return None
            found = _PARTS.fullmatch("//" + text)
    if found is None:
        return None
    read = _read_place(found["place"] or "")
    if read is None:
        return None
    host, port = read
    notes: list[str] = []
    if host.startswith("www.") and host.count(".") > 1:
        host = host[4:]
        notes.append("www")
    if port == {"http": 80, "https": 443}.get(scheme or "https"):
        port = None
    path = _SESSION.sub("", found["path"].replace("\\", "/"))
    path = without_dots(tidy_escapes(path or "/"))
    if len(path) > 1 and path.endswith("/"):
        path = path.rstrip("/") or "/"
    fragment = found["fragment"] or ""
    route = ""
    if re.match(r"!?/.", fragment) and (path == "/" or _DEFAULT_DOCUMENT.search(path)):
        route = tidy_escapes(fragment, _SAFE + "?")
        notes.append("route")
    return Address(host, port, path, split_query(found["query"] or ""), route, tuple(notes))


def join_address(address: Address) -> str:
    """The address as a key; parameters are sorted by name, equal names keep their order."""
    query = "&".join(
        name if value is None else f"{name}={value}"
        for name, value in sorted(address.query, key=lambda parameter: parameter[0])
    )
    port = f":{address.port}" if address.port else ""
    key = f"https://{address.host}{port}{address.path}"
    if query:
        key += f"?{query}"
    return key + (f"#{address.route}" if address.route else "")


def _strength(text: str) -> int:
    """How much of an article number a text holds: its longest digits, or 16 for a hash."""
    best = max((len(digits) for digits in _DIGITS.findall(_DATE.sub("/", text))), default=0)
    for word in _WORD.findall(text):
        digits = sum(c.isdigit() for c in word)
        mixed = digits and any(c.islower() for c in word) and any(c.isupper() for c in word)
        if len(word) >= 16 and digits >= 4 and digits < len(word):
            best = max(best, 16)
        elif len(word) >= 10 and mixed:
            best = max(best, 10)
    return best


def article_number(
    path: str, query: Iterable[Parameter] = (), id_parameters: frozenset[str] = frozenset()
) -> int:
    """Digits of the number by which an address names an article; 0 where it has none.

    Dates do not count. A number in a parameter counts only under a name of
    ``id_parameters``.
    """
    best = _strength(path)
    for name, value in query:
        if value and name.lower() in id_parameters:
            best = max(best, _strength(value))
    return best


def is_strong(number: int) -> bool:
    """Whether a number is long enough to name one article of a whole site."""
    return number >= STRONG


def is_home(path: str, query: Iterable[Parameter] = (), route: str = "") -> bool:
    """Whether this is the front page."""
    return not route and not tuple(query) and (path == "/" or without_default(path) == "/")


def is_section(path: str, number: int) -> bool:
    """Whether a path without article number looks like a section rather than an article.

    A last segment with several words (``some-long-title``) or a date is an article.
    """
    if number >= NUMBERED:
        return False
    last = path.rsplit("/", 1)[-1]
    stem = last.partition(".")[0]
    if re.fullmatch(r"(?:index|list|default|roll|node|channel|more)(?:[_-]?\d+)?", stem):
        return True
    dates = list(_DATE.finditer(path))
    if dates:
        return dates[-1].end() == len(path)
    return len(re.split(r"[-_]", stem)) < 4 and "%" not in stem and not re.search(r"\d{3,}", stem)


def without_default(path: str) -> str:
    """The path without ``index.html`` and its like."""
    return _DEFAULT_DOCUMENT.sub("", path) or "/" if _DEFAULT_DOCUMENT.search(path) else path


def strip_edition(
    path: str, mobile_paths: frozenset[str], column_words: frozenset[str]
) -> tuple[str, list[str]]:
    """The path of the article's first or plain page, and which rules fired.

    Page numbers, one-page and print views are taken off only where an article
    number stays in front of them (``8124574_2.html``, not ``c_1124960001.htm`` and
    not ``20190907_12.html``), for else the number may be the article's own. The
    number behind one of ``column_words`` names a column (``art_12345_98.html``).
    """
    rules: list[str] = []
    head, *rest = path.strip("/").split("/")
    # "m" is also a section of many sites, so it needs an article number behind it.
    short = head == "m" and len(rest) > 1 and _strength(path) >= NUMBERED
    if short or (rest and head.lower() in mobile_paths):
        path = "/" + "/".join(rest)
        rules.append("edition_path")
    folder, _, last = path.rpartition("/")
    if folder and _strength(folder) >= NUMBERED:
        if last.lower() in mobile_paths or last.lower() in ("all", "full"):
            rules.append("whole" if last.lower() in ("all", "full") else "edition_path")
            path = folder
        elif _PAGE_SEGMENT.match(last):
            rules.append("page_number")
            path = folder
        parent, _, page_word = folder.rpartition("/")
        if page_word == "page" and last.isdigit() and _strength(parent) >= NUMBERED:
            rules.append("page_number")
            path = parent
        folder, _, last = path.rpartition("/")
    if last.lower() in ("amp", "print") and not is_section(folder or "/", _strength(folder)):
        rules.append("edition_path")
        folder, _, last = folder.rpartition("/")
    whole = _WHOLE.match(last)
    if whole and _strength(whole["base"]) >= NUMBERED:
        rules.append("whole" if whole["kind"] in ("all", "full") else "edition_path")
        last = whole["base"] + (whole["end"] or "")
    else:
        page = _PAGE.match(last)
        column = re.split(r"[_-]", last)[0].lower() in column_words
        if page and not column and _strength(_last_number(page["base"])) >= NUMBERED:
            rules.append("page_number")
            last = page["base"] + (page["end"] or "")
        elif last.lower().endswith((".amp.html", ".amp")) and _strength(last) >= NUMBERED:
            rules.append("edition_path")
            last = re.sub(r"\.amp(?=\.html$|$)", "", last, flags=re.IGNORECASE)
    return (f"{folder}/{last}" if last else folder or "/"), rules


def _last_number(base: str) -> str:
    """What stands directly before a page number: the last word of the name."""
    if _DATE.search(base) and _DATE.sub("", base).strip("_-") == "":
        return ""
    return re.split(r"[_-]", base)[-1] if not _DATE.fullmatch(base) else ""
