"""Bytes of a page to text.

The order is: byte order mark, strict UTF-8, then every plausible charset is tried
(the declared one with gb2312/gbk read as gb18030 and big5 as big5hkscs) and the
text with the largest share of common hanzi wins. A damaged byte becomes U+FFFD; it
never loses the page. Text that was decoded wrongly *before* it reached the page
(mojibake) is recognised and flagged, not repaired.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

_BOMS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
#: Names as pages write them, and the superset their bytes really use.
_SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "gb_2312": "gb18030",
    "x-gbk": "gb18030", "cp936": "gb18030", "ms936": "gb18030", "euc-cn": "gb18030",
    "gb18030": "gb18030", "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "big-5": "big5hkscs",
    "x-x-big5": "big5hkscs", "utf8": "utf-8", "utf-8": "utf-8", "unicode-1-1-utf-8": "utf-8",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
}  # fmt: skip
_META = re.compile(
    rb"<(?:meta|\?xml)\b[^>]{0,400}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I
)
_COMMENT = re.compile(rb"<!--.{0,2000}?-->", re.S)
_HANZI = re.compile(r"[\u4e00-\u9fff]")
_WIDE = re.compile(r"[^\x00-\x7f]+")
_CJK_SIGNS = re.compile(r"[\u3000-\u303f\uff00-\uffef]")
_DECLARED_WITHIN = 16_384
_SAMPLE = 20_000
#: Characters of each of the places that are probed for mojibake.
_PROBE = 800
#: Below this share of common hanzi no Chinese text was seen (random hanzi: about 0.05).
_CHINESE = 0.25


def _resume(error: UnicodeError) -> tuple[str, int]:
    """Error handler of the double-byte charsets: go on where the text reads best.

    If the first byte of a pair is damaged, going on one byte later would pair all
    following bytes wrongly up to the next ASCII character.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, codec = error.object, error.encoding
    best, best_score = error.start + 1, -1.0
    for resume in (error.start + 1, error.start + 2):
        rest = data[resume : resume + _LOOK_AHEAD].decode(codec, "ignore")
        score = _plausibility(rest)
        if score > best_score + 1e-9:
            best, best_score = resume, score
    return "\ufffd", min(best, len(data))


codecs.register_error("toolkit.resume", _resume)
_PAIRED = frozenset({"gb18030", "big5hkscs"})
#: More damage than this is no damage but another charset or no text at all.
_FEW_ERRORS = 500
_LOOK_AHEAD = 60


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a page and how it was read.

    Attributes:
        text: the page, without NUL characters and without a byte order mark.
        charset: the Python codec that was used.
        replaced: how many U+FFFD the decoding put in for damaged bytes.
        declared: the charset the page or the server named, as written, or None.
        mojibake: the text looks as if it had been decoded wrongly at an earlier stage.
    """

    text: str
    charset: str
    replaced: int
    declared: str | None
    mojibake: bool


@lru_cache(maxsize=1)
def common_hanzi() -> frozenset[str]:
    """The hanzi that make up most of any Chinese text, both scripts."""
    text = resources.files("toolkit.pages").joinpath("data/common_hanzi.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(c for line in lines for c in line if not c.isspace())


def common_share(text: str) -> tuple[float, int]:
    """Share of common hanzi among the hanzi of ``text``, and the number of hanzi."""
    hanzi = _HANZI.findall(text)
    if not hanzi:
        return 0.0, 0
    common = common_hanzi()
    return sum(map(common.__contains__, hanzi)) / len(hanzi), len(hanzi)


def declared_charsets(data: bytes) -> list[str]:
    """Every charset named in the page's own head, in order, as written."""
    head = _COMMENT.sub(b"", data[:_DECLARED_WITHIN])
    names = [name.decode("ascii", "replace").strip("\"'") for name in _META.findall(head)]
    return list(dict.fromkeys(names))


def decode(data: bytes, http_charset: str | None = None) -> Decoded:
    """Decode the bytes of a page.

    Args:
        data: the raw bytes; any bytes are accepted, also none at all.
        http_charset: the charset of the Content-Type header, if it is known.

    Returns:
        Decoded: the text, the codec, the number of damaged places and the flags.
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(codec, "replace")
            return _finish(text, codec, http_charset)
    names = ([http_charset] if http_charset else []) + declared_charsets(data)
    declared = names[0] if names else None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if data.isascii() and any(name.lower() == "hz-gb-2312" for name in names):
            return _finish(data.decode("hz", "replace"), "hz", declared)
        return _finish(text, "utf-8", declared, known_replaced=0)
    return _choose(data, names, declared)


def _choose(data: bytes, names: list[str], declared: str | None) -> Decoded:
    """Try the plausible charsets and keep the most Chinese reading."""
    candidates = [c for c in (_codec(name) for name in names) if c]
    for codec in ("utf-8", "gb18030", "big5hkscs"):
        if codec not in candidates:
            candidates.append(codec)
    best: tuple[float, str, str] | None = None
    for rank, codec in enumerate(candidates):
        text = data.decode(codec, "replace")
        if codec in _PAIRED and 0 < text.count("\ufffd") <= _FEW_ERRORS:
            text = data.decode(codec, "toolkit.resume")
        score = _plausibility(text) + (0.02 if rank == 0 and names else 0.0)
        if best is None or score > best[0]:
            best = (score, codec, text)
    assert best is not None
    score, codec, text = best
    if score < _CHINESE:
        # No reading is Chinese: keep a declared charset, or read the high bytes as Latin.
        codec = candidates[0] if names and candidates[0] != "utf-8" else "cp1252"
        text = data.decode(codec, "replace")
    return _finish(text, codec, declared)


def _codec(name: str) -> str | None:
    """The Python codec for a charset name, or None if there is none for text."""
    low = name.strip().lower()
    codec = _SUPERSETS.get(low, low)
    try:
        info = codecs.lookup(codec)
    except (LookupError, ValueError):
        return None
    # bytes-to-bytes codecs ("hex", "zip") and UTF-16 without a mark are no page charsets
    if not getattr(info, "_is_text_encoding", True) or info.name.startswith(("utf-16", "utf-32")):
        return None
    if info.name in {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}:
        return None
    return codec


def _plausibility(text: str) -> float:
    """Share of common hanzi among everything that is not ASCII, 0 to 1.

    Punctuation of Chinese texts counts as common; damaged places count against.
    """
    wide = "".join(_WIDE.findall(text))
    if not wide:
        return 0.0
    sample = wide[:: max(1, len(wide) // _SAMPLE)]
    common = common_hanzi()
    good = sum(map(common.__contains__, sample)) + len(_CJK_SIGNS.findall(sample)) * 0.5
    return (good - sample.count("\ufffd")) / len(sample)


def _finish(
    text: str, codec: str, declared: str | None, known_replaced: int | None = None
) -> Decoded:
    replaced = text.count("\ufffd") if known_replaced is None else known_replaced
    if "\x00" in text:
        text = text.replace("\x00", "")
    return Decoded(text, codec, replaced, declared, is_mojibake(text))


def is_mojibake(text: str) -> bool:
    """True if ``text`` reads as Chinese only after undoing a wrong decoding.

    Three accidents are known: UTF-8 read as GBK, UTF-8 read as Latin, GBK read as
    Latin; a fourth leaves only the traces of U+FFFD read as GBK.
    """
    if text.isascii():
        return False
    if text.count("锟斤拷") >= 3:
        return True  # U+FFFD written as UTF-8 and read as GBK
    step = max(_PROBE, len(text) // 24)
    probes = (text[start : start + _PROBE] for start in range(0, len(text), step))
    sample = "".join(_WIDE.findall("\n".join(probes)))[:1500]
    if len(sample) < 12:
        return False
    if sample.count("\ufffd") > 0.2 * len(sample):
        return True
    share, hanzi = common_share(sample)
    if hanzi and hanzi >= 0.3 * len(sample):
        if share >= 0.3:
            return False
        undone = _undo(sample, "gb18030", "utf-8")
        return common_share(undone)[0] >= 0.35 and len(undone) >= 8
    for wrong in ("cp1252", "latin-1"):
        for right in ("utf-8", "gb18030"):
            undone = _undo(sample, wrong, right)
            undone_share, undone_hanzi = common_share(undone)
            if undone_hanzi >= 6 and undone_share >= 0.35:
                return True
    return False


def _undo(text: str, wrong: str, right: str) -> str:
    """Encode with the codec that was wrongly used, decode with the right one."""
    return text.encode(wrong, "ignore").decode(right, "ignore")
