"""From a file of documents to a file of stories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.io import write_jsonl
from toolkit.stories.run import stories_from_documents

BODY = "白桦镇图书馆今日重新开放，读者可凭旧证入馆，二楼新设盲文阅览室，周一闭馆整理书架。"


def documents(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    write_jsonl(
        path,
        [
            {"id": "a", "title": "图书馆开放", "body": BODY, "published": "2023-05-01T08:00"},
            {"id": "b", "title": "快讯", "body": BODY + "（完）", "published": "2023-05-01T09:00"},
            {"id": "c", "title": "别的事", "body": "松林路施工，请绕行。"},
            {"id": "a", "title": "重复的编号", "body": "x"},
        ],
    )
    return path


def test_rows_hold_every_article_once(tmp_path: Path):
    config = RunConfig().with_settings(["stories.method=minhash"])
    said: list[str] = []
    stories_from_documents(documents(tmp_path), tmp_path, config, said.append)
    lines = (tmp_path / "stories.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert sorted(a for r in rows for a in r["articles"]) == ["a", "b", "c"]
    pair = next(r for r in rows if len(r["articles"]) == 2)
    assert pair["representative"] == "a"
    assert pair["events"][0]["reason"].startswith("first seen")
    assert any("was read before" in line for line in said)


def test_an_unknown_method_is_named(tmp_path: Path):
    config = RunConfig().with_settings(["stories.method=minhsh"])
    with pytest.raises(UserError, match="minhash"):
        stories_from_documents(documents(tmp_path), None, config, None)
