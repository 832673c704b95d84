"""Bytes to text: charsets, damaged bytes, mojibake."""

from __future__ import annotations

import pytest

from toolkit.pages.decode import common_share, declared_charsets, decode, is_mojibake

TEXT = "云溪市昨天下午发布新的交通规划，市民可以在网上提出意见，会议由副市长主持。"
TRADITIONAL = "雲溪市昨天下午發佈新的交通規劃，市民可以在網上提出意見，會議由副市長主持。"


def page(text: str, charset: str | None) -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>规划</title></head><body><p>{text * 3}</p></body></html>"


@pytest.mark.parametrize(
    ("written", "declared", "used"),
    [
        ("utf-8", "utf-8", "utf-8"),
        ("utf-8", "gb2312", "utf-8"),  # saved again by a browser
        ("utf-8", None, "utf-8"),
        ("gbk", "gb2312", "gb18030"),
        ("gb18030", "gbk", "gb18030"),
        ("gbk", "utf-8", "gb18030"),  # wrong declaration
        ("gbk", None, "gb18030"),
        ("gbk", "no-such-charset", "gb18030"),
    ],
)
def test_simplified_pages(written: str, declared: str | None, used: str) -> None:
    read = decode(page(TEXT, declared).encode(written))
    assert read.text.count(TEXT) == 3
    assert (read.charset, read.replaced, read.mojibake) == (used, 0, False)
    assert read.declared == declared


@pytest.mark.parametrize("declared", ["big5", None, "utf-8"])
def test_big5(declared: str | None) -> None:
    data = page(TRADITIONAL, declared).replace("规划", "規劃").encode("big5hkscs")
    assert decode(data).text.count(TRADITIONAL) == 3


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(codec: str) -> None:
    read = decode(page(TEXT, "gbk").encode(codec))
    assert read.text.count(TEXT) == 3
    assert not read.text.startswith("\ufeff")


def test_header_counts_before_meta() -> None:
    data = page(TEXT, "utf-8").encode("gbk")
    assert decode(data, http_charset="GBK").declared == "GBK"


@pytest.mark.parametrize("codec", ["utf-8", "gbk", "big5hkscs"])
def test_one_damaged_byte_never_loses_the_page(codec: str) -> None:
    text = TRADITIONAL if codec.startswith("big5") else TEXT
    whole = page(text, None).replace("<title>规划", "<title>公告")
    for place in (0, 1):  # first and last byte of a character
        data = bytearray(whole.encode(codec))
        start = data.index(text[7].encode(codec), len(data) // 2)
        data[start + place] = 0xFF
        read = decode(bytes(data))
        assert read.text.count(text) == 2
        assert read.text.count(text[10:]) == 3
        assert 1 <= read.replaced <= 3


def test_truncated_utf8() -> None:
    read = decode(TEXT.encode()[:-1])
    assert read.text.startswith(TEXT[:-1])
    assert (read.charset, read.replaced) == ("utf-8", 1)


def test_cp1252_page_is_not_read_as_chinese() -> None:
    read = decode(b"<p>caf\xe9 cr\xe8me, d\xe9j\xe0 vu</p>")
    assert "café crème, déjà vu" in read.text


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe\x00" * 50, bytes(range(256)) * 4])
def test_any_bytes_are_accepted(data: bytes) -> None:
    assert "\x00" not in decode(data).text


@pytest.mark.parametrize(
    "broken",
    [
        TEXT.encode().decode("gb18030", "replace"),
        TEXT.encode().decode("latin-1"),
        TEXT.encode().decode("cp1252", "replace"),
        TEXT.encode("gbk").decode("latin-1"),
        TEXT.encode("gbk").decode("utf-8", "replace"),
        "锟斤拷锟斤拷锟斤拷" * 4,
    ],
)
def test_mojibake_is_recognised(broken: str) -> None:
    assert is_mojibake(broken * 2)


@pytest.mark.parametrize(
    "sound",
    [TEXT, TRADITIONAL, "Crème brûlée à la façon d'été, Übergrößenträger " * 3, "", "plain ASCII",
     "圳甄邕麒麟饕餮龘靐" * 4, "これは日本語の文章です。東京で会議が開かれました。" * 2],
)  # fmt: skip
def test_sound_text_is_no_mojibake(sound: str) -> None:
    assert not is_mojibake(sound)


def test_declared_charsets_in_order() -> None:
    head = (
        b"<!-- <meta charset=big5> --><meta http-equiv='Content-Type' "
        b"content='text/html; charset=gb2312'><meta charset=utf-8>"
    )
    assert declared_charsets(head) == ["gb2312", "utf-8"]


def test_common_share() -> None:
    share, hanzi = common_share("的是了。abc")
    assert (share, hanzi) == (1.0, 3)
    assert common_share("abc") == (0.0, 0)
