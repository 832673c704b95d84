"""`toolkit tagger train`: HanLP's RNN tokeniser and tagger on a corpus with PKU tags.

The corpus is word/tag text (People's Daily 1998 style), a file or every ``.txt`` of a
folder. The outcome is a folder with ``tok`` and ``pos``, each of which ``hanlp.load``
takes, and ``report.json`` with the held-out figures.
"""

from __future__ import annotations

import logging
import random
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from toolkit.config import TaggerConfig
from toolkit.errors import UserError
from toolkit.io import write_json
from toolkit.language.hanlp_backend import HanlpTagger, require_hanlp
from toolkit.language.normalise import fold
from toolkit.language.taggers import parse_pretagged

Sentence = list[tuple[str, str]]
Sample = tuple[list[str], list[str]]  # units and their tags
_ENDS = frozenset("。！？；!?;")
_DATELINE = re.compile(r"^[0-9]{8}-[0-9-]+$")


@dataclass(frozen=True)
class TrainSettings:
    """How to train; the defaults give the full-size model."""

    epochs: int = 20
    patience: int = 3
    batch: int = 64
    embed: int = 100
    hidden: int = 256
    learning_rate: float = 0.001
    held_out: float = 0.1
    #: sentences used at most (0: all); a small number gives a quick, poor model
    limit: int = 0
    max_length: int = 150
    seed: int = 1


def read_tagged_corpus(path: str | Path) -> list[Sentence]:
    """Sentences of a word/tag corpus, folded (half-width, simplified), dateline ids left out.

    Raises:
        UserError: no such file, no tagged line, or a token without a tag.
    """
    root = Path(path)
    files = sorted(root.glob("*.txt")) if root.is_dir() else [root]
    sentences: list[Sentence] = []
    for file in files:
        try:
            lines = file.read_bytes().splitlines()
        except OSError as error:
            raise UserError(f"{file}: cannot be read ({error.strerror})") from None
        for number, raw in enumerate(lines, 1):
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError:
                try:
                    line = raw.decode("gb18030")
                except UnicodeDecodeError:
                    raise UserError(f"{file}:{number}: neither UTF-8 nor GB18030") from None
            pairs = parse_pretagged(line, f"{file}:{number}")
            if pairs and _DATELINE.match(pairs[0][0]):
                pairs = pairs[1:]
            sentences.extend(_cut([(fold(word), tag) for word, tag in pairs]))
    if not sentences:
        raise UserError(f"{path}: no word/tag sentence found; write lines such as 飞机/n 起飞/v")
    return sentences


def _cut(pairs: Sentence) -> Iterable[Sentence]:
    sentence: Sentence = []
    for word, tag in pairs:
        sentence.append((word, tag))
        if word in _ENDS:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def bmes(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Characters of words and their B, M, E, S tags."""
    characters: list[str] = []
    tags: list[str] = []
    for word in words:
        characters.extend(word)
        middle = ["M"] * max(len(word) - 2, 0)
        tags.extend(["S"] if len(word) == 1 else ["B", *middle, "E"])
    return characters, tags


def train(
    corpus: str | Path, out: str | Path, settings: TrainSettings | None = None
) -> dict[str, Any]:
    """Train a tokeniser and a tagger; progress goes to stderr.

    Returns:
        The report: sizes, seconds and held-out figures (also in ``out/report.json``).

    Raises:
        MissingExtra: hanlp is not installed.
        UserError: the corpus is missing, broken or too small.
    """
    require_hanlp()
    settings = settings or TrainSettings()
    sentences = read_tagged_corpus(corpus)
    random.Random(settings.seed).shuffle(sentences)
    if settings.limit:
        sentences = sentences[: settings.limit]
    held = max(1, round(len(sentences) * settings.held_out))
    if len(sentences) < 20:
        raise UserError(f"{corpus}: {len(sentences)} sentences are too few; 20 is the least")
    # three parts: training, early stopping, and one never looked at while training
    test, dev, rest = sentences[:held], sentences[held : 2 * held], sentences[2 * held :]
    target = Path(out)
    started = time.process_time()
    say(f"training on {len(rest)} sentences, stopping on {len(dev)}, testing on {len(test)}")
    _fit_tokenizer(rest, dev, target / "tok", settings)
    _fit_tagger(rest, dev, target / "pos", settings)
    report = {
        "settings": asdict(settings),
        "sentences": {"train": len(rest), "dev": len(dev), "test": len(test)},
        "cpu_seconds": round(time.process_time() - started, 1),
        "held_out": evaluate(target, test),
    }
    write_json(target / "report.json", report)
    return report


def say(message: str) -> None:
    """A line of progress."""
    print(message, file=sys.stderr, flush=True)


def _logger() -> logging.Logger:
    """HanLP's log as plain lines on stderr (its own writes colour codes to files)."""
    logger = logging.getLogger("toolkit.tagger.train")
    logger.setLevel(logging.INFO)
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.addFilter(lambda r: "Epoch" in r.getMessage() or "Max score" in r.getMessage())
        logger.addHandler(handler)
    logger.propagate = False
    return logger


def _common(settings: TrainSettings) -> dict[str, Any]:
    return {
        "batch_size": settings.batch,
        "epochs": settings.epochs,
        "patience": settings.patience,
        "embed": settings.embed,
        "rnn_hidden": settings.hidden,
        "lr": settings.learning_rate,
        "crf": False,  # see hanlp_fixes: a CRF layer is decoded wrongly
        "seed": settings.seed,
        "devices": -1,
        "logger": _logger(),
        "verbose": False,
    }


def _fit_tagger(
    train_part: list[Sentence], dev: list[Sentence], folder: Path, settings: TrainSettings
) -> None:
    def samples(part: list[Sentence]) -> list[Sample]:
        return [([w for w, _ in s], [t for _, t in s]) for s in part]

    say("part-of-speech tagger:")
    _fit(samples(train_part), samples(dev), folder, settings, settings.max_length)


def _fit_tokenizer(
    train_part: list[Sentence], dev: list[Sentence], folder: Path, settings: TrainSettings
) -> None:
    """A tagger of characters (see ``hanlp_fixes``)."""

    def samples(part: list[Sentence]) -> list[Sample]:
        return [bmes([word for word, _ in s]) for s in part]

    say("tokeniser:")
    _fit(samples(train_part), samples(dev), folder, settings, 2 * settings.max_length)


def _fit(
    train_part: list[Sample], dev: list[Sample], folder: Path, settings: TrainSettings, longest: int
) -> None:
    from hanlp.components.taggers.rnn_tagger import RNNTagger

    def rows(part: list[Sample]) -> list[dict[str, list[str]]]:
        return [{"token": x, "tag": y} for x, y in part if 0 < len(x) <= longest]

    folder.mkdir(parents=True, exist_ok=True)
    dev = with_known_tags(train_part, dev)
    RNNTagger().fit(rows(train_part), rows(dev), str(folder), **_common(settings))
    _strip_data(folder)


def with_known_tags(train_part: list[Sample], dev: list[Sample]) -> list[Sample]:
    """The dev samples without those that hold a tag training never shows: HanLP stops on one."""
    known = {tag for _, tags in train_part for tag in tags}
    return [sample for sample in dev if known.issuperset(sample[1])]


def _strip_data(folder: Path) -> None:
    """HanLP writes the training samples into config.json: take them out again."""
    import json

    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    for key in ("trn_data", "dev_data", "logger", "save_dir"):
        config.pop(key, None)
    write_json(path, config)


def evaluate(folder: str | Path, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Word F1 and word+tag F1 of a trained folder on tagged sentences.

    Both are counted before the joining rules and on the corpus's own tags.
    """
    tagger = HanlpTagger(TaggerConfig(backend="hanlp", model=str(folder)))
    texts = ["".join(word for word, _ in sentence) for sentence in sentences]
    tokens = tagger._tokens(list(texts))
    filled = [k for k, words in enumerate(tokens) if words]
    tags = tagger.pos([list(tokens[k]) for k in filled], batch_size=tagger.batch)
    tagged: dict[int, list[str]] = dict(zip(filled, tags, strict=True))
    words_right = both_right = found = gold = 0
    for k, sentence in enumerate(sentences):
        expected = _spans(sentence)
        answer = _spans(list(zip(tokens[k], tagged.get(k, []), strict=False)))
        gold += len(expected)
        found += len(answer)
        words_right += len({s[:2] for s in expected} & {s[:2] for s in answer})
        both_right += len(expected & answer)
    total = max(found + gold, 1)
    return {
        "words": gold,
        "word_f1": round(2 * words_right / total, 4),
        "word_tag_f1": round(2 * both_right / total, 4),
    }


def _spans(pairs: Sequence[tuple[str, str]]) -> set[tuple[int, int, str]]:
    spans, start = set(), 0
    for word, tag in pairs:
        spans.add((start, start + len(word), tag))
        start += len(word)
    return spans


def train_tagger(
    corpus: str | Path, out: str | Path, *, epochs: int | None = None, config: Any = None
) -> str:
    """``train`` for the command line; returns a report of a few lines.

    Args:
        config: the run's settings (batch size is taken from its tagger section).
    """
    settings = TrainSettings()
    if epochs is not None:
        settings = replace(settings, epochs=epochs)
    if config is not None:
        settings = replace(settings, batch=config.tagger.batch)
    report = train(corpus, out, settings)
    held, sizes = report["held_out"], report["sentences"]
    return (
        f"trained on {sizes['train']} sentences in {report['cpu_seconds']:g} s of CPU\n"
        f"held out ({sizes['test']} sentences, {held['words']} words): "
        f"word F1 {held['word_f1']:.4f}, word+tag F1 {held['word_tag_f1']:.4f}\n"
        f"use it: --set tagger.backend=hanlp --set tagger.model={out}"
    )
