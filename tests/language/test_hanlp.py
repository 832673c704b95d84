"""The HanLP backend: quick, clear errors always; real training where HanLP is installed."""

from __future__ import annotations

import importlib.util
import random
import time
from pathlib import Path

import pytest

from toolkit.config import TaggerConfig
from toolkit.elements.paper import extract_records
from toolkit.errors import MissingExtra, UserError
from toolkit.language import hanlp_backend
from toolkit.language.hanlp_backend import cut, model_folder, named_models
from toolkit.language.taggers import create_tagger
from toolkit.language.training import (
    TrainSettings,
    bmes,
    read_tagged_corpus,
    train,
    with_known_tags,
)
from toolkit.model import Article

HAVE_HANLP = bool(importlib.util.find_spec("hanlp") and importlib.util.find_spec("torch"))


@pytest.fixture
def fake_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder laid out as hanlp's sources, so that names resolve without it."""
    package = tmp_path / "hanlp"
    (package / "pretrained").mkdir(parents=True)
    (package / "pretrained" / "pos.py").write_text(
        "PKU_POS_ELECTRA_SMALL = HANLP_URL + 'pos/pos_pku_small.zip'\n"
        "OTHER = 'http://models.example.com/pos/other.zip'\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(hanlp_backend, "require_hanlp", lambda: package)
    monkeypatch.setenv("HANLP_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.skipif(HAVE_HANLP, reason="hanlp is installed")
def test_missing_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"toolkit\[hanlp\]"):
        create_tagger(TaggerConfig(backend="hanlp"))


def test_a_missing_model_fails_quickly_and_says_what_to_do(fake_package: Path) -> None:
    started = time.perf_counter()
    with pytest.raises(UserError) as caught:
        create_tagger(TaggerConfig(backend="hanlp", model="PKU_POS_ELECTRA_SMALL"))
    assert time.perf_counter() - started < 1
    message = str(caught.value)
    assert "pos/pos_pku_small.zip" in message
    assert str(fake_package / "home" / "pos" / "pos_pku_small") in message
    with pytest.raises(UserError, match="no HanLP model is called"):
        model_folder("NO_SUCH_MODEL")
    empty = fake_package / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match=r"config\.json"):
        model_folder(str(empty))


def test_names_resolve_below_hanlp_home(fake_package: Path) -> None:
    assert set(named_models(fake_package / "hanlp")) == {"PKU_POS_ELECTRA_SMALL", "OTHER"}
    folder = fake_package / "home" / "pos" / "pos_pku_small"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    assert model_folder("PKU_POS_ELECTRA_SMALL") == folder


def test_long_sentences_are_cut_at_punctuation() -> None:
    sentence = "一二三四五，" * 50
    pieces = cut(sentence, limit=40)
    assert "".join(sentence[a:b] for a, b in pieces) == sentence
    assert all(b - a <= 40 and (b - a) % 6 == 0 for a, b in pieces)
    solid = "字" * 95
    assert [b - a for a, b in cut(solid, limit=40)] == [40, 40, 15]
    assert cut("  ") == []


def test_bmes() -> None:
    assert bmes(["我", "爱", "天安门"]) == (list("我爱天安门"), ["S", "S", "B", "M", "E"])


def test_dev_samples_with_unseen_tags_are_left_out() -> None:
    seen = [(["飞机"], ["n"]), (["起飞"], ["v"])]
    assert with_known_tags(seen, [(["车"], ["n"]), (["啊", "车"], ["Yg", "n"])]) == [
        (["车"], ["n"])
    ]


def corpus_lines(count: int = 240) -> list[str]:
    rng = random.Random(5)
    subjects = ["飞机/n", "客车/n", "警方/n", "总理/n", "货轮/n"]
    times = ["昨日/t", "目前/t", "当天/t", "6/m 号/q"]
    places = ["在/p 北京/ns", "在/p 国道/n 上/f", "从/p 上海/ns 起飞/v 后/f"]
    verbs = ["坠毁/v", "起火/v", "离开/v", "发生/v 故障/n", "发表/v 讲话/n"]
    return [
        f"{rng.choice(times)} {rng.choice(subjects)} {rng.choice(places)} {rng.choice(verbs)} 。/w"
        for _ in range(count)
    ]


def test_corpus_reader(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(
        "19980101-01-001-001/m  [中央/n  电台/n]nt  ６/m  号/q  播出/v  。/w  完/v\n",
        encoding="utf-8",
    )
    first, second = read_tagged_corpus(path)
    assert first == [
        ("中央", "n"), ("电台", "n"), ("6", "m"), ("号", "q"), ("播出", "v"), ("。", "w")
    ]  # fmt: skip
    assert second == [("完", "v")]
    with pytest.raises(UserError, match="cannot be read"):
        read_tagged_corpus(tmp_path / "missing.txt")
    path.write_text("没有标注\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"corpus\.txt:1"):
        read_tagged_corpus(path)


@pytest.mark.hanlp
@pytest.mark.skipif(not HAVE_HANLP, reason="needs the extra 'hanlp' (torch and hanlp)")
def test_a_tiny_model_is_trained_and_run_through_the_extraction(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(corpus_lines()) + "\n", encoding="utf-8")
    settings = TrainSettings(epochs=12, embed=32, hidden=48, batch=16, learning_rate=0.01)
    report = train(corpus, tmp_path / "model", settings)
    assert report["held_out"]["word_tag_f1"] > 0.9

    config = TaggerConfig(backend="hanlp", model=str(tmp_path / "model"), batch=8)
    tagger = create_tagger(config)
    texts = ["昨日飞机在国道上坠毁。", "６号 警方\n离开。", "", "从上海起飞后" * 60]
    tagged = tagger.tag(texts)
    assert tagged == create_tagger(config).tag(texts)
    for text, words in zip(texts, tagged, strict=True):
        position = 0
        for word in words:
            assert word.text == text[word.start : word.end]
            assert not text[position : word.start].strip()
            position = word.end
        assert not text[position:].strip()
    records = extract_records(Article("a", "", "昨日飞机在国道上坠毁。"), tagger)
    assert records[0].kernel.words == ("飞机", "坠毁")

    import hanlp

    tags = hanlp.load(str(tmp_path / "model" / "pos"), devices=-1)
    assert tags(["昨日", "飞机", "在", "国道", "上", "坠毁", "。"]) == list("tnpnfvw")
