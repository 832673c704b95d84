"""The reproduction of the paper: all methods on the own corpus and the real ones.

    python experiments/paper/run.py [--data ../shared/data] [--only mini]

Stores figures and ids under ``experiments/paper/results/``; ``paper_repro.md`` is
made of them by ``python -m toolkit.reports.paper_repro``.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from pathlib import Path
from typing import Any

from toolkit.config import RunConfig, load_config
from toolkit.evaluation.corpus import load_corpus
from toolkit.evaluation.figures import column_tallies
from toolkit.evaluation.outcome import run_method
from toolkit.evaluation.run import evaluate
from toolkit.io import write_json

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
REAL = ("ecob_zh", "cec", "eventmonitor")
#: other readings of the text, each changed alone
READINGS = (
    {},
    {"coherence": "printed"},
    {"coherence": "layout"},
    {"coherence_over": "all"},
    {"phrase_total": "both"},
    {"phrase_total": "larger"},
    {"word_share": "longer"},
    {"matcher": "synonym"},
)


def reduced(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary without long curves: only the paper's sensitivity is kept."""
    for name, method in summary["methods"].items():
        curves = method.pop("curves", None)
        if curves and name == "paper":
            method["sensitivity"] = curves["sensitivity"]
            method["sensitivity_by_kind"] = curves["sensitivity_by_kind"]
    summary["corpus"].pop("skipped_rows")
    summary["corpus"].pop("warnings")
    return rounded(summary)


def rounded(value: Any) -> Any:
    """Floats to five digits."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


def carried(config: RunConfig, summary: dict[str, Any]) -> RunConfig:
    """The settings of a real set with every threshold as chosen on the own dev split."""
    changes: dict[str, Any] = {}
    for name, method in summary["methods"].items():
        section = getattr(config, name, None)
        if method["status"] != "ok" or section is None:
            continue
        (choice,) = method["columns"]["chosen"]["threshold"]
        if isinstance(choice, dict):
            changes[name] = section.model_copy(update=choice)
        elif choice is not None and hasattr(section, "hamming"):
            hamming = max(math.floor((1 - choice) * 64 + 1e-9), 0)
            if name != "layers":
                changes[name] = section.model_copy(
                    update={"hamming": hamming, "hamming_short": hamming}
                )
        elif choice is not None and hasattr(section, "threshold"):
            changes[name] = section.model_copy(update={"threshold": choice})
    return config.model_copy(update=changes)


def readings(config: RunConfig) -> list[dict[str, Any]]:
    """The paper's method under each reading: swept on dev, counted on test."""
    corpus = load_corpus(config)
    rows = []
    for changed in READINGS:
        section = config.paper.model_copy(update=changed)
        outcome = run_method("paper", corpus, config.model_copy(update={"paper": section}))
        column = outcome.columns["chosen"]
        tallies = column_tallies(outcome.universe, column)
        choice = column.choices[0]
        rows.append(
            {
                "reading": changed,
                "settings": choice.settings if choice else None,
                **{k: tallies[k].figures() for k in ("pages", "pages_reworded", "pages_copies")},
            }
        )
        print("reading", changed or "default", flush=True)
    return rows


def evaluated(config: RunConfig) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        evaluate(config, out=folder, progress=False, table=False)
        return dict(json.loads((Path(folder) / "summary.json").read_text()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="../shared/data", help="folder of the real corpora")
    parser.add_argument("--only", nargs="*", default=["mini", *REAL])
    arguments = parser.parse_args()
    if "mini" in arguments.only:
        config = load_config("configs/paper.yaml")
        stored = reduced(evaluated(config))
        stored["readings"] = rounded(readings(config))
        write_json(RESULTS / "mini.json", stored)
        print("mini stored", flush=True)
    mini = json.loads((RESULTS / "mini.json").read_text())
    for name in REAL:
        root = Path(arguments.data) / name
        if name not in arguments.only:
            continue
        if not root.is_dir():
            print(f"{name}: no {root}; stored result kept", flush=True)
            continue
        real = load_config(f"configs/{name}.yaml", [f"corpus.root={root}"])
        summary = reduced(evaluated(carried(real, mini)))
        summary["carried_from"] = mini["corpus"]["checksum"]
        write_json(RESULTS / f"{name}.json", summary)
        print(f"{name} stored", flush=True)


if __name__ == "__main__":
    main()
