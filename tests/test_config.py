"""Settings: defaults, files, --set, and errors that name the nearest known key."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from toolkit.config import RunConfig, load_config
from toolkit.errors import InvalidSetting, UserError


def test_file_then_set(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("minhash: {threshold: 0.7, bands: 8}\n")
    config = load_config(path, ["minhash.threshold=0.6", "tagger.backend=jieba"])
    assert config.minhash.threshold == 0.6
    assert config.minhash.bands == 8
    assert config.tagger.backend == "jieba"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("minhash: {treshold: 0.7}", ["minhash.treshold", "threshold"]),
        ("minhsh: {threshold: 0.7}", ["minhsh", "minhash"]),
        ("minhash: {threshold: 7}", ["minhash.threshold", "7"]),
        ("- a", ["mapping"]),
        ("a: [", ["YAML"]),
    ],
)
def test_errors_name_file_and_remedy(tmp_path: Path, text: str, parts: list[str]) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        load_config(path)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize("assignment", ["minhash", "minhsh.threshold=1", "minhash.tresh=1", "=3"])
def test_bad_assignments(assignment: str) -> None:
    with pytest.raises(InvalidSetting):
        load_config(None, [assignment])


def test_frozen_and_hashed() -> None:
    config = RunConfig()
    with pytest.raises(ValidationError):
        config.minhash.threshold = 0.1  # type: ignore[misc]
    assert config.digest() == RunConfig().digest()
    assert config.digest() != config.with_settings(["minhash.threshold=0.5"]).digest()


def test_every_shipped_config_loads(project: Path) -> None:
    paths = sorted((project / "configs").glob("*.yaml"))
    assert paths
    for path in paths:
        load_config(path)
