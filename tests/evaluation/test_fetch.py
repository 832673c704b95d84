"""Fetching public corpora, from a local server; the originals here are invented."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import logging
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.evaluation.corpus import load_corpus
from toolkit.evaluation.fetch import fingerprint, get_corpus, read_manifest
from toolkit.evaluation.originals import read_cec, read_ecob, read_eventmonitor

ECOB = [
    {"Doc": {"doc_id": 7, "title": "河湾大桥通车", "content": [
        {"sent_idx": 0, "sent_text": "河湾大桥今天通车。"},
        {"sent_idx": 1, "sent_text": "桥长九百米。"}]}},
    {"Doc": {"doc_id": 8, "title": "大桥通车首日", "content": [{"sent_text": "首日车流平稳。"}]}},
    {"Doc": {"doc_id": 9, "title": "别的", "content": [{"sent_text": "不在此列。"}]}},
]  # fmt: skip
CEC = """<?xml version="1.0" encoding="UTF-8"?>
<Body>
  <Title>货车侧翻一人受伤</Title>
  <ReportTime type="absTime">2008-6-7</ReportTime>
  <Content>
    <Paragraph><Sentence><Event eid="e1">
      <Time type="relTime">昨日清晨</Time>，
      <Location>东岭路</Location>一辆货车 <Denoter>侧翻</Denoter> </Event>。
    </Sentence></Paragraph>
    <Paragraph><Sentence>一人受伤。</Sentence></Paragraph>
  </Content>
  <eRelation relType="Causal"/>
</Body>
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """No access log."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}", folder
    httpd.shutdown()
    httpd.server_close()


def packed(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def corpora(folder: Path, url: str, sha: str | None, documents: list[tuple[str, str, str]]) -> Path:
    """A folder of manifests with one corpus 'toy'."""
    target = folder / "corpora" / "toy"
    target.mkdir(parents=True, exist_ok=True)
    (target / "manifest.yaml").write_text(
        "licence: none\nconverter: ecob\nlabels: labels.json\nsources:\n"
        f"- url: {url}/dev.json\n  file: dev.json\n  sha256: {json.dumps(sha)}\n"
    )
    lines = [f"{i}\t{fingerprint(body)}\t{fingerprint(title)}" for i, title, body in documents]
    (target / "documents.tsv").write_text("# id, body, title\n" + "\n".join(lines) + "\n")
    labels = {
        "docs": [d[0] for d in documents],
        "event_clusters": [{"id": "e1", "docs": [d[0] for d in documents]}],
        "doubtful": [["t1", "t3"]],
    }
    (target / "labels.json").write_text(json.dumps(labels))
    return folder / "corpora"


DOCUMENTS = [
    ("t1", "河湾大桥通车", "河湾大桥今天通车。桥长九百米。"),
    ("t2", "大桥通车首日", "首日车流平稳。"),
]


def test_download_check_convert(server: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = server
    data = json.dumps(ECOB, ensure_ascii=False).encode()
    (folder / "dev.json").write_bytes(data)
    manifests = corpora(tmp_path, url, hashlib.sha256(data).hexdigest(), DOCUMENTS)
    root = get_corpus("toy", tmp_path / "toy", manifests)
    rows = [json.loads(x) for x in (root / "docs.jsonl").read_text().splitlines()]
    assert [(r["id"], r["title"], r["body"]) for r in rows] == DOCUMENTS
    config = RunConfig.model_validate({"corpus": {"name": "toy", "root": str(root)}})
    assert len(load_corpus(config)) == 2


def test_a_changed_original_is_refused(server: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = server
    (folder / "dev.json").write_text("[]")
    with pytest.raises(UserError, match="SHA-256 is not"):
        get_corpus("toy", tmp_path / "a", corpora(tmp_path, url, "0" * 64, DOCUMENTS))
    with pytest.raises(UserError, match="none of its 2 documents"):
        get_corpus("toy", tmp_path / "b", corpora(tmp_path, url, None, DOCUMENTS))
    with pytest.raises(UserError, match=r"cannot be downloaded.*original/dev\.json by hand"):
        get_corpus("toy", tmp_path / "c", corpora(tmp_path, url + "/gone", None, DOCUMENTS))
    with pytest.raises(UserError, match="no corpus 'tay'; known: toy"):
        get_corpus("tay", tmp_path / "d", corpora(tmp_path, url, None, DOCUMENTS))


def test_a_part_of_the_original(
    server: tuple[str, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url, folder = server
    (folder / "dev.json").write_text(json.dumps(ECOB, ensure_ascii=False))
    documents = [*DOCUMENTS, ("t3", "失传", "这一篇已不在原处。")]
    with caplog.at_level(logging.WARNING):
        root = get_corpus("toy", tmp_path / "toy", corpora(tmp_path, url, None, documents))
    assert "2 of 3 documents" in caplog.text
    labels = json.loads((root / "labels.json").read_text())
    assert labels["docs"] == ["t1", "t2"]
    assert labels["event_clusters"] == [{"id": "e1", "docs": ["t1", "t2"]}]
    assert labels["doubtful"] == []


def test_an_original_put_there_by_hand(tmp_path: Path) -> None:
    original = tmp_path / "toy" / "original" / "dev.json"
    original.parent.mkdir(parents=True)
    original.write_text(json.dumps(ECOB, ensure_ascii=False))
    manifests = corpora(tmp_path, "http://127.0.0.1:9", None, DOCUMENTS)
    assert (get_corpus("toy", tmp_path / "toy", manifests) / "docs.jsonl").is_file()


def test_converters(tmp_path: Path) -> None:
    lines = tmp_path / "lines.json"
    lines.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in ECOB))
    assert [d.title for d in read_ecob(lines)] == ["河湾大桥通车", "大桥通车首日", "别的"]
    archive = tmp_path / "cec.zip"
    archive.write_bytes(
        packed({"C-1/CEC/a.xml": CEC, "C-1/README.md": "x", "C-1/b.xml": "<Body/>"})
    )
    (report,) = read_cec(archive)
    assert report.title == "货车侧翻一人受伤"
    assert report.body == "昨日清晨，东岭路一辆货车侧翻。\n一人受伤。"
    assert report.published == "2008-06-07"
    pages = {
        "E-1/news/桥/2018-02-16＠通车": "标题:通车\n发布时间:2018-02-16 17:40\n"
        "正文:大桥通车。\n车流平稳。\n",
        "E-1/news/2018-04-17 09:00@首日.txt": "首日车流平稳。",
        "E-1/README.md": "x",
    }
    archive.write_bytes(packed(pages))
    found = {d.title: (d.body, d.published) for d in read_eventmonitor(archive)}
    assert found == {
        "通车": ("大桥通车。\n车流平稳。", "2018-02-16 17:40"),
        "首日": ("首日车流平稳。", "2018-04-17 09:00"),
    }
    archive.write_bytes(b"not a zip")
    with pytest.raises(UserError, match="not a ZIP archive"):
        list(read_cec(archive))
    lines.write_text("{")
    with pytest.raises(UserError, match="not the JSON of ECOB"):
        list(read_ecob(lines))


def test_the_manifests_of_the_project(project: Path) -> None:
    sizes = {"ecob_zh": 291, "cec": 160, "eventmonitor": 2325}
    for name, size in sizes.items():
        manifest = read_manifest(name, project / "corpora")
        text = (manifest.folder / "documents.tsv").read_text().splitlines()
        assert len([line for line in text if not line.startswith("#")]) == size
        assert manifest.licence
        for file in manifest.folder.iterdir():
            assert not any("\u4e00" <= c <= "\u9fff" for c in file.read_text()), file


@pytest.mark.shared
def test_our_documents_are_recognised(shared_data: Path, project: Path) -> None:
    for name in ("ecob_zh", "cec"):
        lines = (project / f"corpora/{name}/documents.tsv").read_text().splitlines()[1:]
        known = {line.split("\t")[0]: line.split("\t")[1] for line in lines}
        for line in (shared_data / name / "docs.jsonl").read_text().splitlines():
            row = json.loads(line)
            assert known[row["id"]] == fingerprint(row["body"])
