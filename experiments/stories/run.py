"""Closure against guarded clusters: labelled sets, chains made on purpose, origin, scale.

python experiments/stories/run.py all --method elements --shared ../shared/data
python experiments/stories/run.py table     (README table from result.json)
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from chains import chain_sets
from sklearn.metrics import adjusted_rand_score, v_measure_score

from toolkit.config import RunConfig
from toolkit.evaluation.corpus import LabelledCorpus, load_corpus
from toolkit.evaluation.metrics import b_cubed, ceaf_e
from toolkit.io import write_json
from toolkit.matching.method import create_method
from toolkit.stories.cluster import StoriesResult, build_stories
from toolkit.stories.facts import Facts
from toolkit.stories.levels import guarded_levels, plain_levels
from toolkit.stories.pairs import DecidedPairs, id_hashes, overlay, pairs_of_method
from toolkit.stories.run import decide_pairs

HERE = Path(__file__).resolve().parent
RESULT = HERE / "result.json"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def figures(truth: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """Cluster metrics over all documents, and B-cubed without true singletons."""
    found = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    truth = np.unique(truth, return_inverse=True)[1].astype(np.int32)
    several = np.bincount(truth)[truth] > 1
    inside = {"f1": None}
    if several.any():
        a = np.unique(truth[several], return_inverse=True)[1].astype(np.int32)
        inside = b_cubed(a, np.unique(found[several], return_inverse=True)[1].astype(np.int32))
    sizes = np.bincount(found)
    tp = sum(c * (c - 1) // 2 for c in np.unique(truth.astype(np.int64) * len(sizes) + found,
                                                 return_counts=True)[1].tolist())  # fmt: skip
    pairs = sum(s * (s - 1) // 2 for s in sizes.tolist())
    gold = sum(s * (s - 1) // 2 for s in np.bincount(truth).tolist())
    return {
        "b3_f1": b_cubed(truth, found)["f1"], "b3_precision": b_cubed(truth, found)["precision"],
        "b3_recall": b_cubed(truth, found)["recall"], "b3_f1_no_singletons": inside["f1"],
        "ari": float(adjusted_rand_score(truth, found)),
        "v_measure": float(v_measure_score(truth, found)), "ceaf_e": ceaf_e(truth, found)["f1"],
        "pair_f1": 2 * tp / max(pairs + gold, 1), "wrong_pairs": pairs - tp,
        "largest_share": float(sizes.max() / len(found)), "clusters": len(sizes),
    }  # fmt: skip


def without_doubtful(decided: DecidedPairs, corpus: LabelledCorpus) -> DecidedPairs:
    """The same decisions without the pairs a reader was in doubt about."""
    keep = np.array([(int(i), int(j)) not in corpus.doubtful for i, j in decided.pairs], bool)
    return replace(decided, pairs=decided.pairs[keep], score=decided.score[keep],
                   outcome=decided.outcome[keep], relation=decided.relation[keep])  # fmt: skip


def both(articles: list, decided: DecidedPairs, config: RunConfig) -> dict[str, StoriesResult]:
    plain = config.with_settings(["stories.closure=plain"])
    return {"closure": build_stories(articles, decided, plain),
            "guarded": build_stories(articles, decided, config)}  # fmt: skip


def corpus_config(name: str, shared: Path, config: RunConfig) -> RunConfig:
    if name == "mini":
        return config.with_settings([f"corpus.root={HERE.parent.parent / 'corpora/mini'}"])
    return config.with_settings([f"corpus.name={name}", f"corpus.root={shared / name}"])


def labelled(method_name: str, shared: Path, config: RunConfig) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name in ("mini", "ecob_zh", "cec"):
        settings = corpus_config(name, shared, config)
        if not Path(settings.corpus.root).is_dir():
            say(f"{name}: not there, left out")
            continue
        corpus = load_corpus(settings)
        settings = settings.with_settings([f"stories.method={method_name}"])
        method = create_method(method_name, settings)
        method.fit(corpus.articles)
        event_level = config.stories.copy_layer and method.duplicate_relation == "same_event"
        copies = None
        if event_level:
            copies = pairs_of_method(create_method("copies", settings).fit(corpus.articles))
        base = method.threshold
        cuts = [None] if base is None else [None, *(round(base * f, 4) for f in (0.7, 0.85, 1.15))]
        for cut in cuts:
            everything = pairs_of_method(method, cut)
            if copies is not None:
                everything = overlay(everything, copies, len(corpus))
            for kind, decided in (("all", everything),
                                  ("doubtful ignored", without_doubtful(everything, corpus))):  # fmt: skip  # noqa: E501
                key = f"{name}/{cut or 'shipped'}/{kind}"
                rows[key] = {}
                hard = [(h.i, h.j) for h in corpus.hard_negatives]
                for closure, result in both(corpus.articles, decided, settings).items():
                    labels = result.levels.events
                    row = figures(corpus.event, labels)
                    row["hard_negatives_together"] = sum(labels[i] == labels[j] for i, j in hard)
                    said = {tuple(p) for p in decided.pairs[decided.duplicate].tolist()}
                    row["hard_negatives_decided"] = sum(p in said for p in hard)
                    row["story_b3_f1"] = figures(corpus.story, result.levels.stories)["b3_f1"]
                    rows[key][closure] = row
                c, g = rows[key]["closure"], rows[key]["guarded"]
                say(f"{method_name} {key}: B3 closure {c['b3_f1']:.4f} guarded {g['b3_f1']:.4f}; "
                    f"no singletons {c['b3_f1_no_singletons']:.4f} {g['b3_f1_no_singletons']:.4f}; "
                    f"hard {c['hard_negatives_together']} {g['hard_negatives_together']} "
                    f"(decided {g['hard_negatives_decided']})")  # fmt: skip
    return rows


def chains(method_name: str, config: RunConfig) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name, listed in chain_sets().items():
        articles = [a for a, _ in listed]
        truth = np.array([e for _, e in listed])
        decided = decide_pairs(
            articles, config.with_settings([f"stories.method={method_name}"]), lambda text: None
        )
        rows[name] = {}
        for closure, result in both(articles, decided, config).items():
            row = figures(truth, result.levels.events)
            sizes = [len(s.articles) for s in result.stories]
            row["largest_story_share"] = max(sizes) / len(articles)
            rows[name][closure] = row
        c, g = rows[name]["closure"], rows[name]["guarded"]
        say(f"{method_name} chain {name} ({len(articles)}): largest {c['largest_share']:.3f} -> "
            f"{g['largest_share']:.3f}, story {c['largest_story_share']:.3f} -> "
            f"{g['largest_story_share']:.3f}, wrong pairs {c['wrong_pairs']} -> "
            f"{g['wrong_pairs']}, B3 {c['b3_f1']:.3f} -> {g['b3_f1']:.3f}")  # fmt: skip
    return rows


def origin(method_name: str, shared: Path, config: RunConfig) -> dict[str, Any]:
    """Accuracy of the origin found, on the copies whose origin is known by construction."""
    settings = corpus_config("mini", shared, config)
    corpus = load_corpus(settings)
    labels = json.loads((Path(settings.corpus.root) / "labels.json").read_text("utf-8"))
    settings = settings.with_settings([f"stories.method={method_name}"])
    decided = decide_pairs(corpus.articles, settings, lambda text: None)
    result = build_stories(corpus.articles, decided, settings)
    return score_origins(result, labels["origins"])


def root_of(identifier: str, origins: dict[str, str]) -> str:
    """The first text of a copy; a variant of a page counts as the page."""
    while identifier in origins:
        identifier = origins[identifier]
    return identifier.split("__")[0]


def score_origins(result: StoriesResult, origins: dict[str, str]) -> dict[str, Any]:
    """Copies found with (a) any origin, (b) the true one, by ``origins`` (copy -> of)."""
    right, wrong, unclustered = 0, [], 0
    for copy in origins:
        if copy not in result.index:
            continue
        true = root_of(copy, origins)
        i = result.index[copy]
        same = result.levels.copies == result.levels.copies[i]
        family = {result.articles[k].id.split("__")[0] for k in np.flatnonzero(same)}
        if true not in family:
            unclustered += 1
            continue
        found = result.origins.get(copy, copy).split("__")[0]
        if found == true:
            right += 1
        else:
            wrong.append([copy, true, found])
    total = right + len(wrong)
    return {"copies": total, "right": right, "accuracy": right / max(total, 1),
            "not_in_one_copy_cluster": unclustered, "wrong": wrong}  # fmt: skip


def scale(n: int, m: int, giant: bool, config: RunConfig) -> dict[str, Any]:
    """Labels and guards over n articles and m edges, CPU seconds and peak memory."""
    rng = np.random.default_rng(5)
    if giant:  # random graph: one component of nearly everything
        pairs = rng.integers(0, n, (m, 2))
    else:  # groups of 21, half of their pairs decided; one edge in 200 is a bridge
        group = rng.permutation(n)
        drawn = m * 13 // 10
        start = rng.integers(0, n // 21, drawn) * 21
        pairs = group[np.minimum(start[:, None] + rng.integers(0, 21, (drawn, 2)), n - 1)]
        wild = rng.random(drawn) < 0.005
        pairs[wild, 1] = rng.integers(0, n, int(wild.sum()))
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1).astype(np.int32)
    pairs = np.unique(pairs, axis=0)
    k = len(pairs)
    decided = DecidedPairs(pairs, rng.uniform(0.5, 1, k), np.ones(k, np.int8),
                           np.full(k, 5, np.int8), "random", 0.5)  # fmt: skip
    published = rng.uniform(18000, 18030, n)
    low = np.full((n, 3), -np.inf)
    high = np.full((n, 3), np.inf)
    low[:, 0] = np.where(rng.random(n) < 0.5, np.floor(published), -np.inf)
    high[:, 0] = np.where(np.isfinite(low[:, 0]), low[:, 0] + 3, np.inf)
    facts = Facts(low, high, np.array([1.0, 1.0, 0.35]), published)
    hashes = id_hashes([f"a{i}" for i in range(n)])
    start_time = time.process_time()
    plain = plain_levels(n, decided)
    closure_seconds = time.process_time() - start_time
    start_time = time.process_time()
    levels = guarded_levels(hashes, facts, decided, config.stories)
    seconds = time.process_time() - start_time
    row = {
        "articles": n, "edges": k, "giant_component": giant,
        "closure_largest": int(np.bincount(plain.events).max()),
        "guarded_largest": int(np.bincount(levels.events).max()),
        "closure_cpu_s": closure_seconds, "guarded_cpu_s": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip
    say(json.dumps(row))
    return row


def table() -> str:
    """The result as Markdown."""
    stored = json.loads(RESULT.read_text("utf-8"))
    lines = []
    for method, parts in stored.get("methods", {}).items():
        lines += [f"### Method `{method}`", "",
                  "| set / threshold / pairs | B3 F1 closure | guarded "
                  "| without singletons closure | guarded | largest closure | guarded "
                  "| hard negatives together closure | guarded | decided |",
                  "|" + "---|" * 10]  # fmt: skip
        for key, row in parts.get("labelled", {}).items():
            c, g = row["closure"], row["guarded"]
            cells = [c["b3_f1"], g["b3_f1"], c["b3_f1_no_singletons"], g["b3_f1_no_singletons"],
                     c["largest_share"], g["largest_share"]]  # fmt: skip
            lines.append(f"| {key} | " + " | ".join(f"{x:.3f}" for x in cells) +
                         f" | {c['hard_negatives_together']} | {g['hard_negatives_together']} "
                         f"| {g['hard_negatives_decided']} |")  # fmt: skip
        lines += ["", "| chain | largest event closure | guarded | largest story guarded "
                  "| wrong pairs closure | guarded | B3 F1 closure | guarded |",
                  "|---|---|---|---|---|---|---|---|"]  # fmt: skip
        for key, row in parts.get("chains", {}).items():
            c, g = row["closure"], row["guarded"]
            lines.append(f"| {key} | {c['largest_share']:.3f} | {g['largest_share']:.3f} "
                         f"| {g['largest_story_share']:.3f} | {c['wrong_pairs']} "
                         f"| {g['wrong_pairs']} | {c['b3_f1']:.3f} | {g['b3_f1']:.3f} |")  # fmt: skip  # noqa: E501
        o = parts.get("origin")
        if o:
            lost = o["not_in_one_copy_cluster"]
            lines += ["", f"Origin on the mini corpus: {o['right']} of {o['copies']} copies "
                      f"({o['accuracy']:.3f}); {lost} copies were not found.", ""]  # fmt: skip
    lines += ["", "| scale | edges | closure CPU s | guarded CPU s | peak MB "
              "| largest closure | guarded |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in stored.get("scale", []):
        kind = "one giant component" if row["giant_component"] else "groups with bridges"
        lines.append(
            f"| {row['articles']:,} ({kind}) | {row['edges']:,} | {row['closure_cpu_s']:.1f} "
            f"| {row['guarded_cpu_s']:.1f} | {row['peak_mb']:.0f} "
            f"| {row['closure_largest']:,} | {row['guarded_largest']:,} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["all", "labelled", "chains", "origin", "scale", "table"])
    parser.add_argument("--method", default="elements")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=5_000_000)
    parser.add_argument("--giant", action="store_true")
    parser.add_argument("--dry", action="store_true", help="print, store nothing")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    args = parser.parse_args()
    if args.what == "table":
        readme = HERE / "README.md"
        head = readme.read_text("utf-8").split("<!-- table -->")
        head[1] = f"\n{table()}\n"
        readme.write_text("<!-- table -->".join(head), encoding="utf-8")
        return
    config = RunConfig().with_settings(args.settings) if args.settings else RunConfig()
    stored = json.loads(RESULT.read_text("utf-8")) if RESULT.is_file() else {}
    parts = stored.setdefault("methods", {}).setdefault(args.method, {})
    if args.what in ("all", "labelled"):
        parts["labelled"] = labelled(args.method, args.shared, config)
    if args.what in ("all", "chains"):
        parts["chains"] = chains(args.method, config)
    if args.what in ("all", "origin"):
        parts["origin"] = origin(args.method, args.shared, config)
        say(json.dumps(parts["origin"], ensure_ascii=False))
    if args.what == "scale":
        stored["methods"].pop(args.method) if not parts else None
        rows = stored.setdefault("scale", [])
        rows[:] = [r for r in rows if r["giant_component"] != args.giant]
        rows.append(scale(args.articles, args.edges, args.giant, config))
    if not args.dry:
        write_json(RESULT, stored)


if __name__ == "__main__":
    main()
