"""The command line: parsing and printing only, no logic.

Every verb takes ``--config FILE`` and ``--set key=value``. Results go to files or
stdout, progress and warnings to stderr. Errors a user can mend are one line and
exit code 2.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from toolkit.config import RunConfig, load_config
from toolkit.errors import UserError

app = typer.Typer(
    name="toolkit",
    help="Finds duplicate Chinese news by what it reports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
corpus_app = typer.Typer(help="Public corpora: fetch and convert.", no_args_is_help=True)
tagger_app = typer.Typer(help="Taggers: train one of your own.", no_args_is_help=True)
app.add_typer(corpus_app, name="corpus")
app.add_typer(tagger_app, name="tagger")

ConfigFile = Annotated[Path | None, typer.Option("--config", help="YAML file of settings.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="One setting: section.key=value (repeatable).")
]
Docs = Annotated[Path, typer.Argument(help="Documents, JSON Lines (.gz, - for stdin).")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bars.")]
LISTED = 20


def _config(path: Path | None, settings: Sequence[str] | None) -> RunConfig:
    return load_config(path, settings or ())


def _say(message: str) -> None:
    typer.echo(message, err=True)


def _report(skipped: Sequence[Any], warnings: Sequence[str] = ()) -> None:
    """List skipped rows and warnings on stderr: counted all, the first ones shown."""
    for item in skipped[:LISTED]:
        _say(f"skipped {item.where}: {item.reason}")
    for text in warnings[:LISTED]:
        _say(f"warning {text}")
    left = max(0, len(skipped) - LISTED) + max(0, len(warnings) - LISTED)
    if skipped or warnings:
        more = f" ({left} not listed here)" if left else ""
        _say(f"{len(skipped)} skipped, {len(warnings)} warnings{more}")


@app.command("eval", epilog="Example: toolkit eval --config configs/paper.yaml")
def eval_(
    config: ConfigFile = None,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="Result folder.")] = None,
    quiet: Quiet = False,
) -> None:
    """Compare all methods on a labelled corpus; writes a result folder."""
    from toolkit.evaluation.run import evaluate

    run = _config(config, settings)
    folder = evaluate(run, out=out, progress=not quiet)
    typer.echo(f"results: {folder}")


@app.command(epilog="Example: toolkit extract pages/ --out articles.jsonl")
def extract(
    pages: Annotated[Path, typer.Argument(help="Folder, file, WARC or JSONL of {url, html}.")],
    out: Annotated[Path, typer.Option(help="Articles, JSON Lines.")],
    config: ConfigFile = None,
    settings: Settings = None,
    earlier: Annotated[
        Path | None, typer.Option(help="Articles of an earlier run to compare outlets with.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the figures per outlet here (JSON).")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Extract articles from web pages, with the signal that won for every field."""
    from toolkit.pages.run import extract_to_file

    summary = extract_to_file(
        pages, out, _config(config, settings).pages, earlier=earlier, progress=not quiet,
        report=report,
    )  # fmt: skip
    for item in summary["skipped_pages"][:LISTED]:
        _say(f"skipped {item['page']}: {item['reason']}")
    for alert in summary["alerts"]:
        _say(f"alert {alert if isinstance(alert, str) else json.dumps(alert, ensure_ascii=False)}")
    _say(
        f"{summary['pages']} pages, {summary['articles']} articles, {summary['lists']} lists, "
        f"{summary['joined']} joined to their first pages, {summary['skipped']} skipped -> {out}"
    )


@app.command(epilog="Example: toolkit collect https://news.example/sitemap.xml --out pages/")
def collect(
    out: Annotated[Path, typer.Option(help="Folder for WARC files and the state.")],
    seeds: Annotated[
        list[str] | None, typer.Argument(help="Feeds, sitemaps or front pages.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="Addresses not to ask for, one a line.")
    ] = None,
    config: ConfigFile = None,
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """Fetch new pages politely through feeds and sitemaps; writes WARC, can be resumed."""
    from toolkit.pages.collect import collect as collect_pages
    from toolkit.pages.collect import read_known

    run = _config(config, settings).collect
    summary = collect_pages(run, out, seeds=seeds or (), progress=not quiet,
                            known=read_known(known) if known is not None else ())  # fmt: skip
    _report(summary.skipped, summary.warnings)
    _say(summary.line())


@app.command(epilog="Example: toolkit elements docs.jsonl --out elements.jsonl")
def elements(
    docs: Docs,
    out: Annotated[Path, typer.Option(help="Elements, JSON Lines.")],
    config: ConfigFile = None,
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """List every document's phrases, records, figures and main event with offsets."""
    from toolkit.api import elements_to_file

    documents = elements_to_file(docs, out, _config(config, settings), progress=not quiet)
    _report(documents.skipped, documents.warnings)
    _say(f"{len(documents.articles)} documents -> {out}")


@app.command(epilog="Example: toolkit pairs docs.jsonl --method paper --out pairs.jsonl")
def pairs(
    docs: Docs,
    method: Annotated[str, typer.Option(help="A method's name; 'toolkit methods' lists them.")],
    out: Annotated[Path, typer.Option(help="Candidate pairs, JSON Lines.")],
    config: ConfigFile = None,
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """Decide on all candidate pairs of a set of documents."""
    from toolkit.api import pairs_to_file

    documents, count = pairs_to_file(
        docs, method, out, _config(config, settings), progress=not quiet
    )
    _report(documents.skipped, documents.warnings)
    _say(f"{len(documents.articles)} documents, {count} candidate pairs -> {out}")


@app.command(epilog="Example: toolkit methods")
def methods() -> None:
    """List the methods."""
    from toolkit.matching.method import create_method, method_names

    for name in method_names():
        typer.echo(f"{name:20} {create_method(name).summary}")


@app.command(epilog="Example: toolkit stories docs.jsonl --out stories.jsonl")
def stories(
    docs: Docs,
    out: Annotated[Path, typer.Option(help="Stories, JSON Lines.")],
    config: ConfigFile = None,
    settings: Settings = None,
    why: Annotated[str | None, typer.Option(help="Print why this story or article is so.")] = None,
    quiet: Quiet = False,
) -> None:
    """Cluster documents into events and story lines."""
    from toolkit.stories.explain import why as explain_story
    from toolkit.stories.run import stderr_progress, stories_from_documents

    progress = None if quiet else stderr_progress
    result = stories_from_documents(docs, out, _config(config, settings), progress=progress)
    _say(f"{len(result.articles)} documents, {len(result.stories)} stories -> {out}")
    if why is not None:
        typer.echo("\n".join(explain_story(result, why)))


@app.command(epilog="Example: toolkit explain docs.jsonl --pair a1 b2 --method paper")
def explain(
    docs: Docs,
    pair: Annotated[tuple[str, str], typer.Option(help="Two document ids.")],
    method: Annotated[str, typer.Option(help="The method that decides.")] = "elements",
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Say why two documents are, or are not, duplicates."""
    from toolkit.api import explain_pair

    documents, text = explain_pair(docs, pair, method, _config(config, settings), as_json=as_json)
    _report(documents.skipped, documents.warnings)
    typer.echo(text)


@app.command(epilog="Example: toolkit add docs.jsonl --store news.db --out decisions.jsonl")
def add(
    docs: Docs,
    store: Annotated[Path, typer.Option(help="The store, created when missing.")],
    out: Annotated[Path, typer.Option(help="Decisions, JSON Lines.")] = Path("-"),
    config: ConfigFile = None,
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """Decide each arriving document at once against all that are stored."""
    from tqdm import tqdm

    from toolkit.io import write_jsonl
    from toolkit.model import Skipped
    from toolkit.store.add import add_documents

    skipped: list[Skipped] = []
    warnings: list[str] = []
    rows = add_documents(docs, store, _config(config, settings), skipped, warnings)
    count = write_jsonl(out, tqdm(rows, desc="add", unit="doc", disable=quiet or None))
    _report(skipped, warnings)
    _say(f"{count} decided -> {store}")


@app.command(
    epilog="Example: toolkit sample docs.jsonl --method paper --per-stratum 10 --out s.csv"
)
def sample(
    docs: Docs,
    out: Annotated[Path, typer.Option(help="CSV for a person to fill in.")],
    method: Annotated[
        str, typer.Option(help="The method whose scores make the strata.")
    ] = "copies",
    per_stratum: Annotated[int, typer.Option(min=1, help="Pairs per relation and band.")] = 10,
    answers: Annotated[
        Path | None, typer.Option(help="A filled-in CSV: read back as labels into --out.")
    ] = None,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Draw pairs to check by hand, and read the answers back as labels."""
    from toolkit.evaluation.sample import draw_sample, read_answers

    run = _config(config, settings)
    if answers is not None:
        _say(f"{read_answers(answers, docs, out)} answers -> {out}")
        return
    _say(f"{draw_sample(docs, out, run, method, per_stratum)} pairs -> {out}")


@app.command(epilog="Example: toolkit bands --threshold 0.6")
def bands(
    threshold: Annotated[float, typer.Option(min=0.01, max=0.99, help="Jaccard to find.")],
    permutations: Annotated[int, typer.Option(min=1, help="Signature length.")] = 128,
) -> None:
    """Help to choose MinHash bands and rows for a Jaccard threshold."""
    from toolkit.fingerprints.bands import bands_table

    typer.echo(bands_table(threshold, permutations))


@corpus_app.command("get", epilog="Example: toolkit corpus get cec --root data/cec")
def corpus_get(
    name: Annotated[str, typer.Argument(help="A corpus with a manifest under corpora/.")],
    root: Annotated[Path, typer.Option(help="Where to put documents and labels.")],
) -> None:
    """Download a public corpus and convert it; labels come with the project."""
    from toolkit.evaluation.fetch import get_corpus

    typer.echo(str(get_corpus(name, root)))


@tagger_app.command("train", epilog="Example: toolkit tagger train corpus.txt --out models/pku")
def tagger_train(
    corpus: Annotated[Path, typer.Argument(help="Word/tag text in PKU format.")],
    out: Annotated[Path, typer.Option(help="Model folder.")],
    epochs: Annotated[int, typer.Option(min=1)] = 10,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Train HanLP's tokeniser and tagger on a corpus of yours (extra: hanlp)."""
    from toolkit.language.training import train_tagger

    typer.echo(train_tagger(corpus, out, epochs=epochs, config=_config(config, settings)))


def main() -> None:
    """Entry point: one-line errors, exit code 2."""
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.WARNING)
    try:
        app()
    except UserError as error:
        _say(f"error: {error}")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(1)
    except KeyboardInterrupt:
        _say("stopped")
        sys.exit(130)


if __name__ == "__main__":
    main()
