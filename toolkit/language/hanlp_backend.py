"""HanLP as a tagger (extra ``hanlp``): a tokeniser and a tagger as one pipeline.

``tagger.model`` names a HanLP model (``PKU_POS_ELECTRA_SMALL``), a local folder, or a
folder made by ``toolkit tagger train`` (with ``tok`` and ``pos`` inside). Where a model is
missing the error comes before HanLP or torch is imported.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolkit.config import TaggerConfig
from toolkit.errors import MissingExtra, UserError
from toolkit.language.hanlp_fixes import honest_loading, is_character_tagger, refuse_crf, words_of
from toolkit.language.joins import join_words
from toolkit.language.normalise import fold
from toolkit.language.sentences import split_blocks
from toolkit.language.taggers import align
from toolkit.language.tags import tag_table
from toolkit.model import Word

#: characters handed to the tokeniser as one piece; longer sentences are cut at punctuation
PIECE = 200
DEFAULT_MODEL = "PKU_POS_ELECTRA_SMALL"
_OFFICIAL = "https://file.hankcs.com/hanlp/"
_HELP = "see docs/taggers.md for models and offline use"


def require_hanlp() -> Path:
    """The folder of the installed hanlp package, found without importing it.

    Raises:
        MissingExtra: hanlp or torch is not installed.
    """
    spec = importlib.util.find_spec("hanlp")
    if spec is None or not spec.origin or importlib.util.find_spec("torch") is None:
        raise MissingExtra("tagger backend hanlp", "hanlp")
    return Path(spec.origin).parent


def hanlp_home() -> Path:
    """HanLP's model folder: ``HANLP_HOME`` or its default."""
    home = os.environ.get("HANLP_HOME")
    if home:
        return Path(home)
    if os.name == "nt":
        return Path(os.environ.get("APPDATA", "")) / "hanlp"
    return Path.home() / ".hanlp"


def named_models(package: Path) -> dict[str, str]:
    """HanLP's model names and addresses, read from its sources without importing it."""
    models: dict[str, str] = {}
    for name in ("tok", "pos"):
        source = package / "pretrained" / f"{name}.py"
        text = source.read_text(encoding="utf-8") if source.is_file() else ""
        for key, official, address in re.findall(
            r"^([A-Z0-9_]+)\s*=\s*(HANLP_URL \+ )?['\"]([^'\"]+\.zip)['\"]", text, re.MULTILINE
        ):
            models[key] = (_OFFICIAL if official else "") + address
    return models


def model_folder(model: str, setting: str = "tagger.model") -> Path:
    """The local folder of a model; nothing is downloaded and nothing heavy imported.

    Raises:
        MissingExtra: hanlp is not installed.
        UserError: the folder is missing or is no model folder; the message says what to
            download, where to put it and how to name it.
    """
    package = require_hanlp()
    path = Path(model)
    if path.is_dir():
        if _is_model(path):
            return path
        raise UserError(f"{setting}: {model} holds no config.json or meta.json; {_HELP}")
    address = named_models(package).get(model)
    if address is None:
        raise UserError(f"{setting}: no folder and no HanLP model is called '{model}'; {_HELP}")
    parts = urlsplit(address)
    if address.startswith(_OFFICIAL):
        folder = hanlp_home() / address[len(_OFFICIAL) :]
    else:
        folder = hanlp_home() / "thirdparty" / parts.netloc / parts.path.lstrip("/")
    folder = folder.with_suffix("")
    if not _is_model(folder):
        raise UserError(
            f"{setting}: {model} is not in {folder}; download {address}, unpack it there "
            f"(or set HANLP_HOME), or name a local folder; {_HELP}"
        )
    return folder


def _is_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("config.json", "meta.json"))


def load_component(folder: Path, device: str) -> Any:
    """Load one HanLP component from a local folder.

    Raises:
        UserError: HanLP cannot load it; the first line of its reason is given.
    """
    import hanlp

    devices = -1 if device == "cpu" else int(device.rpartition(":")[2] or 0)
    try:
        with honest_loading():
            component = hanlp.load(str(folder), devices=devices, verbose=False)
    except Exception as error:  # HanLP raises whatever its parts raise
        reason = " ".join(str(error).split())[:200]
        raise UserError(f"{folder}: HanLP cannot load this model ({reason}); {_HELP}") from None
    refuse_crf(component, str(folder))
    return component


class HanlpTagger:
    """A HanLP tokeniser and part-of-speech tagger.

    Without a tokeniser (``tagger.tokenizer`` or a ``tok`` folder) the words come from
    rjieba. Models run in evaluation mode, so that equal input gives equal output.
    """

    name = "hanlp"

    def __init__(self, config: TaggerConfig) -> None:
        model = config.model or DEFAULT_MODEL
        root = Path(model)
        tokenizer = config.tokenizer
        if (root / "pos").is_dir():  # a folder made by `toolkit tagger train`
            if tokenizer is None and (root / "tok").is_dir():
                tokenizer = str(root / "tok")
            model = str(root / "pos")
        pos_folder = model_folder(model)
        tok_folder = model_folder(tokenizer, "tagger.tokenizer") if tokenizer else None
        self.batch = config.batch
        self.pos = load_component(pos_folder, config.device)
        self.tok = load_component(tok_folder, config.device) if tok_folder else None
        self._by_character = self.tok is not None and is_character_tagger(self.tok)
        tags = set(self.pos.vocabs["tag"].idx_to_token)
        self._table = tag_table("ctb" if {"NN", "VV"} <= tags else "pku")

    def tag(self, sentences: Sequence[str]) -> list[list[Word]]:
        """Words of every sentence; long sentences are tagged piece by piece."""
        pieces: list[tuple[int, int, str]] = []
        for number, sentence in enumerate(sentences):
            pieces.extend((number, low, sentence[low:high]) for low, high in cut(sentence))
        # pieces of similar length share a batch: less padding, bounded memory
        order = sorted(range(len(pieces)), key=lambda k: len(pieces[k][2]))
        tagged: dict[int, list[Word]] = {}
        for start in range(0, len(order), self.batch):
            chosen = order[start : start + self.batch]
            texts = [pieces[k][2] for k in chosen]
            for k, words in zip(chosen, self._tag_batch(texts), strict=True):
                tagged[k] = words
        out: list[list[Word]] = [[] for _ in sentences]
        for k, (number, low, _) in enumerate(pieces):
            out[number].extend(Word(w.text, w.tag, w.start + low, w.end + low) for w in tagged[k])
        return [join_words(s, words) for s, words in zip(sentences, out, strict=True)]

    def _tag_batch(self, texts: list[str]) -> list[list[Word]]:
        tokens = self._tokens([fold(text) for text in texts])
        filled = [k for k, words in enumerate(tokens) if words]
        tags: list[list[str]] = [[] for _ in texts]
        if filled:
            found = self.pos([list(tokens[k]) for k in filled], batch_size=self.batch)
            for k, answer in zip(filled, found, strict=True):
                tags[k] = list(answer)
        return [
            align(text, zip(words, labels, strict=True), self._table)
            for text, words, labels in zip(texts, tokens, tags, strict=True)
        ]

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        if self.tok is None:
            import rjieba

            return [[w for w in rjieba.cut(text) if w.strip()] for text in texts]
        filled = [k for k, text in enumerate(texts) if text.strip()]
        out: list[list[str]] = [[] for _ in texts]
        if filled:
            found = self._tokenised([texts[k] for k in filled])
            for k, words in zip(filled, found, strict=True):
                out[k] = [word for word in words if word.strip()]
        return out

    def _tokenised(self, texts: list[str]) -> list[list[str]]:
        assert self.tok is not None
        if not self._by_character:
            return [list(words) for words in self.tok(texts, batch_size=self.batch)]
        characters = [list(text) for text in texts]
        found = self.tok([list(units) for units in characters], batch_size=self.batch)
        return [words_of(c, tags) for c, tags in zip(characters, found, strict=True)]


def cut(sentence: str, limit: int = PIECE) -> list[tuple[int, int]]:
    """(start, end) of pieces of at most ``limit`` characters, cut before a block if possible."""
    if len(sentence) <= limit:
        return [(0, len(sentence))] if sentence.strip() else []
    starts = [start for start, _ in split_blocks(sentence)]
    pieces, low = [], 0
    while low < len(sentence):
        high = min(low + limit, len(sentence))
        if high < len(sentence):
            high = max((s for s in starts if low < s <= high), default=high)
        if sentence[low:high].strip():
            pieces.append((low, high))
        low = high
    return pieces
