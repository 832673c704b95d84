"""``toolkit eval``: every method on one labelled corpus, and one result folder.

The folder holds ``summary.json`` (all figures), ``pairs/METHOD.jsonl``,
``clusters/METHOD.jsonl``, ``config.json`` (resolved settings, hash, corpus
checksum, library versions) and ``report.html``. The report and the pairs of a
corpus may hold its text: they stay out of the repository.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import toolkit.evaluation.figures as figures
from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.evaluation.corpus import LabelledCorpus, load_corpus
from toolkit.evaluation.errors import error_lists
from toolkit.evaluation.metrics import content_size, kept_page
from toolkit.evaluation.outcome import Outcome, run_method
from toolkit.evaluation.significance import compare, holm, story_weights
from toolkit.evaluation.universe import Universe, components, make_universe
from toolkit.io import write_json, write_jsonl
from toolkit.matching.method import create_method, method_names
from toolkit.matching.methods.layers import Layers
from toolkit.model import RELATIONS

SCHEMA = 1
LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "networkx", "jieba", "rjieba", "lxml", "opencc",
    "xxhash", "orjson", "pydantic",
)  # fmt: skip
#: the figure of the primary comparison, named before any result was seen
PRIMARY_FIGURE = "pages_reworded"
#: the same with thresholds chosen on reports written apart only
APART_FIGURE = "pages_reworded_apart"


def evaluate(
    config: RunConfig, out: str | Path | None = None, progress: bool = True, table: bool = True
) -> Path:
    """Run ``config.evaluation.methods`` on ``config.corpus`` and write the results.

    Args:
        out: the result folder; None = ``config.out`` / name and hash of the settings.
        progress: bars on stderr.
        table: print the figures on the terminal.

    Returns:
        The result folder.

    Raises:
        UserError: the corpus cannot be used, or a method's name is unknown. A
            method that cannot run on this corpus is listed with its reason.
    """
    for name in config.evaluation.methods:
        if name not in method_names():
            create_method(name, config)  # says what is known
    corpus = load_corpus(config, progress)
    check_split(corpus)
    check_size(corpus, config)
    folder = Path(out) if out else Path(config.out) / f"{config.name}-{config.digest()[:8]}"
    counted = corpus if corpus.split is None else corpus.part("test")
    universe = make_universe(counted, config.evaluation.target)
    stories = len(counted.story_ids)
    weights = story_weights(stories, config.evaluation.bootstrap, config.evaluation.seed)
    summary: dict[str, Any] = {
        "schema": SCHEMA,
        "run": config.name,
        "config_hash": config.digest(),
        "corpus": corpus_block(corpus, universe),
        "protocol": protocol(corpus, config, stories),
        "versions": versions(),
        "methods": {},
    }
    report: dict[str, Any] = {}
    tallies: dict[str, figures.Tallies] = {}
    names = tqdm(config.evaluation.methods, desc="methods", unit="method", disable=not progress)
    for name in names:
        names.set_postfix_str(name)
        try:
            outcome = run_method(name, corpus, config)
        except UserError as error:
            summary["methods"][name] = {"status": "unavailable", "reason": str(error)}
            continue
        block, tallies[name] = method_block(outcome, config, weights)
        summary["methods"][name] = block
        write_jsonl(folder / "pairs" / f"{name}.jsonl", pair_rows(outcome))
        if not universe.listed:
            write_jsonl(folder / "clusters" / f"{name}.jsonl", cluster_rows(outcome))
        report[name] = error_lists(outcome)
    summary["comparisons"] = comparisons(tallies, weights, config, universe.listed)
    write_json(
        folder / "config.json",
        {
            "settings": config.resolved(),
            "config_hash": config.digest(),
            "corpus_checksum": corpus.checksum,
            "versions": summary["versions"],
        },
    )
    write_json(folder / "summary.json", summary)
    write_report(folder, summary, report)
    if table:
        from toolkit.reports.tables import print_summary

        print_summary(summary)
    return folder


def write_report(folder: Path, summary: dict[str, Any], errors: dict[str, Any]) -> None:
    """Write ``report.html`` beside the figures."""
    from toolkit.reports.evaluation_html import render_report

    render_report(folder / "report.html", summary, errors)


def check_split(corpus: LabelledCorpus) -> None:
    """Both parts of a split must hold documents.

    Raises:
        UserError: one is empty.
    """
    if corpus.split is None:
        return
    for part in ("dev", "test"):
        if corpus.split.count(part) < 2:
            raise UserError(
                f"corpus '{corpus.name}': the {part} split holds fewer than two documents; "
                "mend 'split' in the labels, or leave it out to cross-validate by story"
            )


def check_size(corpus: LabelledCorpus, config: RunConfig) -> None:
    """Every pair is scored, so the number of documents has a limit.

    Raises:
        UserError: there are more than ``evaluation.max_all_pairs``.
    """
    most = config.evaluation.max_all_pairs
    if corpus.listed is None and len(corpus) > most:
        raise UserError(
            f"corpus '{corpus.name}': {len(corpus)} documents; an evaluation scores every pair and "
            f"takes at most {most} (evaluation.max_all_pairs): label fewer, or give corpus.pairs"
        )


def corpus_block(corpus: LabelledCorpus, universe: Universe) -> dict[str, Any]:
    """What was read, what is counted, and what was left out."""
    relations = {
        name: int(((universe.relation == k) & universe.scored).sum())
        for k, name in enumerate(RELATIONS)
    }
    counted = universe.corpus
    return {
        "name": corpus.name,
        "label": corpus.label,
        "checksum": corpus.checksum,
        "documents": len(corpus),
        "counted_documents": len(counted),
        "stories": len(counted.story_ids),
        "events": None if universe.listed else len(counted.event_ids),
        "duplicate_pages": None if universe.listed else len(counted) - len(counted.event_ids),
        "pairs": len(universe.pairs),
        "pairs_scored": int(universe.scored.sum()),
        "pairs_doubtful": int((~universe.scored).sum()),
        "positives": int((universe.positive & universe.scored).sum()),
        "relations": {k: v for k, v in relations.items() if v},
        "hard_negatives": len(counted.hard_negatives),
        "skipped": len(corpus.skipped),
        "skipped_rows": [{"where": s.where, "reason": s.reason} for s in corpus.skipped[:20]],
        "lost_labels": list(corpus.lost),
        "warnings": list(corpus.warnings[:20]),
        "warning_count": len(corpus.warnings),
    }


def protocol(corpus: LabelledCorpus, config: RunConfig, stories: int) -> dict[str, Any]:
    """How thresholds were chosen and what is counted, in words and figures."""
    settings = config.evaluation
    if corpus.split is not None:
        how = "thresholds chosen on the dev split, counted on the test split"
    else:
        folds = min(settings.folds, stories)
        how = f"thresholds cross-validated over {folds} folds of whole stories"
    return {
        "thresholds": how,
        "split": corpus.split is not None,
        "listed_pairs_only": corpus.listed is not None,
        "target": settings.target,
        "objective": settings.objective,
        "beta": settings.beta,
        "cost_ratio": settings.cost_ratio,
        "bootstrap": settings.bootstrap,
        "seed": settings.seed,
        "primary": list(settings.primary),
        "primary_figure": "pairs_strict" if corpus.listed is not None else PRIMARY_FIGURE,
    }


def versions() -> dict[str, str]:
    """Versions of Python, the toolkit and the libraries a figure may depend on."""
    found = {"python": platform.python_version()}
    for name in ("toolkit", *LIBRARIES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def method_block(
    outcome: Outcome, config: RunConfig, weights: figures.Floats
) -> tuple[dict[str, Any], figures.Tallies]:
    """All figures of one method, and the counts its comparisons need."""
    method = outcome.method
    tallies = {
        name: figures.column_tallies(outcome.universe, column)
        for name, column in outcome.columns.items()
    }
    block: dict[str, Any] = {
        "status": "ok",
        "summary": method.summary,
        "threshold": method.threshold,
        "threshold_source": method.threshold_source,
        "columns": {
            name: figures.column_block(outcome.universe, column, tallies[name], weights)
            for name, column in outcome.columns.items()
        },
        "ranking": figures.ranking_block(
            outcome.universe, outcome.columns["chosen"].scores, outcome.candidate
        ),
        "candidates": figures.candidate_block(outcome),
        "cost": outcome.cost.row(),
        "examples": figures.examples(outcome),
        "curves": figures.curve_block(outcome),
    }
    targets = figures.other_targets(outcome, config.evaluation.target)
    if targets:
        block["targets"] = targets
    if isinstance(method, Layers):
        block["layers"] = layer_block(outcome, method)
    compared = dict(tallies["chosen"])
    if not outcome.universe.listed:
        compared[APART_FIGURE] = tallies["chosen_apart"][PRIMARY_FIGURE]
    return block, compared


def layer_block(outcome: Outcome, method: Layers) -> dict[str, dict[str, Any]]:
    """What each layer caught: first, in all, alone, how much of it is right, examples."""
    universe = outcome.universe
    n = len(universe.corpus)
    ids = [a.id for a in universe.articles]
    right = set(universe.codes[universe.positive].tolist())
    block: dict[str, dict[str, Any]] = {}
    for layer, counts in method.caught_counts().items():
        first = [p for p, by in method.caught_by.items() if by == layer]
        alone = sorted(p for p, by in method.caught.items() if by == (layer,))
        block[layer] = {
            **counts,
            "first_right": sum(i * n + j in right for i, j in first),
            "only_right": sum(i * n + j in right for i, j in alone),
            "only_examples": [[ids[i], ids[j]] for i, j in alone if i * n + j in right][:3],
        }
    return block


def comparisons(
    tallies: dict[str, figures.Tallies], weights: figures.Floats, config: RunConfig, listed: bool
) -> dict[str, Any]:
    """The primary comparison, and the first method against every other under Holm."""
    settings = config.evaluation
    first, rival = settings.primary
    if first not in tallies:
        return {"primary": None, "others": [], "reason": f"method {first} did not run"}
    figure = "pairs_strict" if listed else PRIMARY_FIGURE
    names: tuple[str, ...] = ("pairs_strict",)
    if not listed:
        names = (PRIMARY_FIGURE, APART_FIGURE, "pages", "pages_copies", "pairs_strict")
    rows = []
    for other in tallies:
        for name in names:
            if other == first:
                continue
            found = compare(tallies[first][name], tallies[other][name], weights, settings.seed)
            rows.append({"first": first, "second": other, "figure": name, **found})
    primary = next((r for r in rows if r["second"] == rival and r["figure"] == figure), None)
    others = [r for r in rows if r is not primary]
    for row, adjusted in zip(others, holm([r["p"] for r in others]), strict=True):
        row["p_holm"] = adjusted
    return {"primary": primary, "others": others, "reason": None}


def pair_rows(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """Candidates (and missed positives) with score, decision and truth."""
    universe, column = outcome.universe, outcome.columns["chosen"]
    ids = [a.id for a in universe.articles]
    shipped = outcome.columns["shipped"].duplicate
    for k in np.flatnonzero(outcome.candidate | universe.positive).tolist():
        i, j = universe.pairs[k].tolist()
        undecided, duplicate = bool(column.undecided[k]), bool(column.duplicate[k])
        yield {
            "a": ids[i],
            "b": ids[j],
            "score": round(float(column.scores[k]), 6),
            "outcome": "undecided" if undecided else "duplicate" if duplicate else "different",
            "relation": column.relation[k],
            "shipped_duplicate": bool(shipped[k]),
            "candidate": bool(outcome.candidate[k]),
            "truth": RELATIONS[universe.relation[k]],
            "scored": bool(universe.scored[k]),
        }


def cluster_rows(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """Clusters of the chosen decisions with their pages kept and true events."""
    universe, column = outcome.universe, outcome.columns["chosen"]
    corpus = universe.corpus
    found = column.duplicate & universe.scored
    clusters = components(len(corpus), universe.pairs[found])
    sizes = content_size(universe.articles)
    kept = kept_page(len(corpus), universe.pairs[found], column.scores[found], sizes)
    for number in range(int(clusters.max()) + 1):
        members = np.flatnonzero(clusters == number)
        yield {
            "cluster": number,
            "docs": [corpus.articles[i].id for i in members],
            "kept": {corpus.articles[i].id: corpus.articles[kept[i]].id for i in members},
            "events": sorted({corpus.event_ids[corpus.event[i]] for i in members}),
        }
