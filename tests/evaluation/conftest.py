"""Fixture: the small corpus, written to disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_corpus import Write, corpus_rows

from toolkit.config import RunConfig


@pytest.fixture
def write_corpus(tmp_path: Path) -> Write:
    """Write documents and labels; returns settings that read them."""

    def write(
        rows: list[Any] | None = None, labels: Any = None, evaluation: dict[str, Any] | None = None
    ) -> RunConfig:
        known_rows, known_labels = corpus_rows()
        root = tmp_path / "corpus"
        root.mkdir(exist_ok=True)
        lines = [
            r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)
            for r in (known_rows if rows is None else rows)
        ]
        (root / "docs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        value = known_labels if labels is None else labels
        (root / "labels.json").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        settings = {"methods": ["content_md5", "minhash", "tfidf"], "primary": ["tfidf", "minhash"]}
        return RunConfig.model_validate(
            {
                "name": "small",
                "out": str(tmp_path / "results"),
                "corpus": {"name": "small", "root": str(root)},
                "evaluation": {**settings, "bootstrap": 50, **(evaluation or {})},
            }
        )

    return write
