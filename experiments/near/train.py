"""Train and check the reading of relations on labelled reprint pairs.

    python experiments/near/train.py SHARED/data/eventmonitor [--write]

Folds are stories. ``--write`` trains on all pairs and stores the model that the
package ships. Texts stay where they are: the result holds figures and ids only.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from toolkit.config import RunConfig
from toolkit.fingerprints.lsh import bucket_pairs, encode_pairs
from toolkit.fingerprints.shingles import window_hashes
from toolkit.fingerprints.simhash import fingerprint, hamming
from toolkit.io import write_json
from toolkit.language.normalise import codepoints
from toolkit.matching.boilerplate import Repeats
from toolkit.matching.copy_features import FEATURES, pair_figures
from toolkit.matching.copy_relation import BOILERPLATE_SHARE, CUT, recurs
from toolkit.matching.methods.copies import Copies

HERE = Path(__file__).parent
MODEL = HERE.parents[1] / "toolkit" / "matching" / "data" / "copies.json"
COLUMNS = {
    "copy": [
        "covered_shorter",
        "covered_longer",
        "longest_share",
        "longest_log",
        "lead_larger",
        "lead_smaller",
        "shorter_log",
    ],
    "reprint": ["jaccard", "covered_shorter", "covered_longer", "shorter_log"],
}
POSITIVE = {"copy": ("reprint", "excerpt"), "reprint": ("reprint",)}
IGNORED: dict[str, tuple[str, ...]] = {"copy": (), "reprint": ("excerpt",)}
STRENGTH = 1.0


def train(vectors: np.ndarray, labels: np.ndarray, name: str) -> dict[str, Any]:
    """One logistic model in its stored form."""
    used = ~np.isin(labels, IGNORED[name])
    columns = [FEATURES.index(c) for c in COLUMNS[name]]
    scaler = StandardScaler().fit(vectors[used][:, columns])
    model = LogisticRegression(C=STRENGTH, max_iter=5000).fit(
        scaler.transform(vectors[used][:, columns]), np.isin(labels[used], POSITIVE[name])
    )
    return {
        "features": COLUMNS[name],
        "mean": [round(float(v), 6) for v in scaler.mean_],
        "scale": [round(float(v), 6) for v in scaler.scale_],
        "weights": [round(float(v), 6) for v in model.coef_[0]],
        "bias": round(float(model.intercept_[0]), 6),
    }


def probabilities(model: dict[str, Any], vectors: np.ndarray) -> np.ndarray:
    """Probabilities of a stored model."""
    columns = [FEATURES.index(c) for c in model["features"]]
    standard = (vectors[:, columns] - np.array(model["mean"])) / np.array(model["scale"])
    return 1 / (1 + np.exp(-(standard @ np.array(model["weights"]) + model["bias"])))


def f1(truth: np.ndarray, said: np.ndarray) -> dict[str, float]:
    """Precision, recall and F1."""
    right = int((truth & said).sum())
    precision = right / max(int(said.sum()), 1)
    recall = right / max(int(truth.sum()), 1)
    total = int(truth.sum() + said.sum())
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * right / total, 4) if total else 0.0,
    }


def cross_validated_cut(score: np.ndarray, truth: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Decisions by the threshold that is best on the other folds."""
    said = np.zeros(len(truth), dtype=bool)
    for fold in np.unique(folds):
        rest, here = folds != fold, folds == fold
        values = np.unique(score[rest])
        cuts = np.append((values[:-1] + values[1:]) / 2, values[-1])
        best = max(cuts, key=lambda c: f1(truth[rest], score[rest] >= c)["f1"])
        said[here] = score[here] >= best
    return said


def main() -> None:
    """Run the experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="store the model for the package")
    arguments = parser.parse_args()
    from toolkit.io import read_documents

    documents = read_documents(arguments.folder / "docs.jsonl.gz").articles
    rows = [json.loads(line) for line in (arguments.folder / "reprint_pairs.jsonl").open()]
    number = {article.id: i for i, article in enumerate(documents)}
    method = Copies(RunConfig()).fit(documents)
    pairs = np.array([sorted((number[r["a"]], number[r["b"]])) for r in rows], dtype=np.int32)
    labels = np.array([r["label"] for r in rows])
    folds = np.array([r["story"] for r in rows])
    vectors, shares, forms, simhash = [], [], [], []
    for i, j in pairs.tolist():
        a, b = method.parts(i), method.parts(j)
        figures = pair_figures(a, b)
        vectors.append(figures.vector())
        forms.append(recurs(documents[i], documents[j], figures))
        known: Repeats = method._repeats(i, j)
        shares.append(known.share)
        prints = [fingerprint(window_hashes(codepoints(p.text.text), 2, 1)) for p in (a, b)]
        simhash.append(1 - int(hamming(*np.array(prints, np.uint64).reshape(2, 1))[0]) / 64)
    data = np.array(vectors)
    fresh = (np.array(shares) < BOILERPLATE_SHARE) & ~np.array(forms)

    out_of_fold = {name: np.zeros(len(rows)) for name in COLUMNS}
    for fold in np.unique(folds):
        rest, here = (folds != fold) & fresh, folds == fold
        for name in COLUMNS:
            model = train(data[rest], labels[rest], name)
            out_of_fold[name][here] = probabilities(model, data[here])
    reprint = (out_of_fold["reprint"] >= CUT) & fresh
    copy = ((out_of_fold["copy"] >= CUT) | (out_of_fold["reprint"] >= CUT)) & fresh
    is_reprint, is_copy = labels == "reprint", np.isin(labels, ["reprint", "excerpt"])
    scored = labels != "excerpt"
    peers = {
        "jaccard5": np.array([r["jaccard5"] for r in rows]),
        "containment5": np.array([r["containment5"] for r in rows]),
        "simhash (characters)": np.array(simhash),
    }
    result: dict[str, Any] = {
        "question": "copies: reading decisions, cross-validated by story",
        "pairs": len(rows),
        "labels": {k: int((labels == k).sum()) for k in sorted(set(labels.tolist()))},
        "reprint_against_rest_without_excerpts": {
            "copies": f1(is_reprint[scored], reprint[scored]),
            "jaccard5 >= 0.8": f1(is_reprint[scored], peers["jaccard5"][scored] >= 0.8),
        },
        "reprint_and_excerpt_against_rest": {
            "copies": f1(is_copy, copy),
            "jaccard5 >= 0.8": f1(is_copy, peers["jaccard5"] >= 0.8),
        },
        "boilerplate_not_called_copy": int((~copy[labels == "boilerplate"]).sum()),
    }
    for name, score in peers.items():
        said = cross_validated_cut(score[scored], is_reprint[scored], folds[scored])
        key = f"{name}, threshold cross-validated"
        result["reprint_against_rest_without_excerpts"][key] = f1(is_reprint[scored], said)
        said = cross_validated_cut(score, is_copy, folds)
        result["reprint_and_excerpt_against_rest"][key] = f1(is_copy, said)
    candidates = set(encode_pairs(method.candidates(), len(documents)).tolist())
    found = np.isin(encode_pairs(pairs, len(documents)), list(candidates))
    result["candidates"] = {
        "sources": method.sources,
        "recall": {k: round(float(found[labels == k].mean()), 4) for k in result["labels"]},
    }
    bands = bucket_pairs(method.prints.keys, method.prints.usable).pairs
    found = np.isin(encode_pairs(pairs, len(documents)), encode_pairs(bands, len(documents)))
    result["candidates"]["recall_bands_only"] = {
        k: round(float(found[labels == k].mean()), 4) for k in result["labels"]
    }
    wrong = (scored & (reprint != is_reprint)) | (copy != is_copy)
    result["errors"] = [
        [rows[k]["a"], rows[k]["b"], str(labels[k]),
         round(float(out_of_fold["reprint"][k]), 3), round(float(out_of_fold["copy"][k]), 3),
         round(float(shares[k]), 2), bool(forms[k])]
        for k in np.flatnonzero(wrong)
    ]  # fmt: skip
    write_json(HERE / "reading.json", result)
    print(json.dumps(result, ensure_ascii=False, indent=1), file=sys.stderr)
    if arguments.write:
        model = {name: train(data[fresh], labels[fresh], name) for name in COLUMNS}
        note = "logistic models of copy_relation.py, made by experiments/near/train.py"
        write_json(MODEL, {"format": note, **model})


if __name__ == "__main__":
    main()
