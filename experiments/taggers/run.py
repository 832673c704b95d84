"""What a tagger costs and what it buys: run `python experiments/taggers/run.py --help`."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from toolkit.config import RunConfig, TaggerConfig
from toolkit.elements.clauses import clause_items
from toolkit.elements.paper import extract_many
from toolkit.elements.patterns import kernel_of
from toolkit.io import read_documents, write_json
from toolkit.language.sentences import split_sentences
from toolkit.language.taggers import JiebaTagger, RjiebaTagger, Tagger, create_tagger
from toolkit.language.tags import tag_table
from toolkit.language.training import read_tagged_corpus
from toolkit.matching.method import all_pairs
from toolkit.matching.methods.paper import Paper
from toolkit.model import Article, Word

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parents[1] / "tests" / "golden" / "paper_examples.json"


def sentences_of(articles: list[Article]) -> list[str]:
    return [a.body[x:y] for a in articles for x, y in split_sentences(a.body)]


def agreement(first: Tagger, second: Tagger, sentences: list[str]) -> dict[str, Any]:
    """F1 of the second tagger's words against the first's, and where tags differ."""
    both = words_equal = left = right = same = 0
    differences: Counter[str] = Counter()
    for a, b in zip(first.tag(sentences), second.tag(sentences), strict=True):
        x = {(w.start, w.end): w.tag for w in a}
        y = {(w.start, w.end): w.tag for w in b}
        left, right, same = left + len(x), right + len(y), same + (a == b)
        for span in x.keys() & y.keys():
            words_equal += 1
            if x[span] == y[span]:
                both += 1
            else:
                differences[f"{x[span]}>{y[span]}"] += 1
    total = max(left + right, 1)
    return {
        "sentences": len(sentences),
        "characters": sum(map(len, sentences)),
        "sentences_equal": round(same / max(len(sentences), 1), 4),
        "word_f1": round(2 * words_equal / total, 4),
        "word_tag_f1": round(2 * both / total, 4),
        "commonest_tag_differences": dict(differences.most_common(8)),
    }


def corpus_f1(tagger: Tagger, corpus: Path, limit: int) -> dict[str, Any]:
    """Word and word+tag F1 on the last sentences of a PKU-format corpus, after the joins."""
    sentences = read_tagged_corpus(corpus)[-limit:]
    texts = ["".join(w for w, _ in s) for s in sentences]
    table = tag_table("pku")
    right = right_words = total = 0
    from toolkit.language.joins import join_words

    for text, gold, found in zip(texts, sentences, tagger.tag(texts), strict=True):
        words, start = [], 0
        for word, tag in gold:
            words.append(Word(word, table.get(tag, "x"), start, start + len(word)))
            start += len(word)
        x = {(w.start, w.end, w.tag) for w in join_words(text, words)}
        y = {(w.start, w.end, w.tag) for w in found}
        total += len(x) + len(y)
        right += len(x & y)
        right_words += len({s[:2] for s in x} & {s[:2] for s in y})
    return {
        "sentences": len(sentences),
        "word_f1": round(2 * right_words / max(total, 1), 4),
        "word_tag_f1": round(2 * right / max(total, 1), 4),
    }


def phrase_f1(tagger: Tagger, articles: list[Article]) -> dict[str, Any]:
    """Overlap F1 of time and place phrases against the gold spans of cec.

    A phrase is right when it overlaps a gold span of its kind; a gold span is found
    when a phrase of its kind overlaps it. Kinds scored: point and until; named and localised.
    """
    wanted = {"time": ("times", {"point", "until"}), "place": ("places", {"named", "localised"})}
    out: dict[str, Any] = {}
    records = list(extract_many(articles, tagger))
    for kind, (field, kinds) in wanted.items():
        gold_n = gold_found = ours_n = ours_right = exact = 0
        for article, found in zip(articles, records, strict=True):
            gold = article.extra.get(field) or []
            scored = [(g["start"], g["end"]) for g in gold if g.get("kind") in kinds]
            every = [(g["start"], g["end"]) for g in gold]
            ours = [
                (p.start, p.end)
                for r in found for p in r.phrases
                if p.field == "body" and kind in p.kinds
            ]  # fmt: skip
            gold_n, ours_n = gold_n + len(scored), ours_n + len(ours)
            gold_found += sum(any(a < d and c < b for c, d in ours) for a, b in scored)
            ours_right += sum(any(a < d and c < b for c, d in every) for a, b in ours)
            exact += len(set(scored) & set(ours))
        p, r = ours_right / max(ours_n, 1), gold_found / max(gold_n, 1)
        out[kind] = {
            "gold": gold_n, "found": ours_n, "precision": round(p, 4), "recall": round(r, 4),
            "f1": round(2 * p * r / max(p + r, 1e-9), 4),
            "exact_share_of_gold": round(exact / max(gold_n, 1), 4),
        }  # fmt: skip
    return out


def paper_sentences(tagger: Tagger) -> dict[str, int]:
    """Kernels and patterns of the paper's eight sentences from raw text."""
    kernels = numbers = 0
    for example in json.loads(GOLDEN.read_text(encoding="utf-8"))["examples"]:
        sentence = "".join(word for word, _ in example["tagged"])
        kernel = kernel_of(clause_items(tagger.tag([sentence])[0], sentence))
        kernels += list(kernel.words) == example["kernel"]
        numbers += kernel.pattern == str(example["number"])
    return {"kernels_right": kernels, "patterns_right": numbers, "of": 8}


def downstream(taggers: dict[str, Tagger], folder: Path, rounds: int) -> dict[str, Any]:
    """Same-event F1 of the paper's method per tagger; thresholds cross-validated by story."""
    articles = read_documents(folder / "docs.jsonl").articles
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    event = {d: c["id"] for c in labels["event_clusters"] for d in c["docs"]}
    story = {d: k for k, c in enumerate(labels["story_clusters"]) for d in c["docs"]}
    pairs = all_pairs(len(articles))
    ids = [a.id for a in articles]
    events = np.array([hash_free(event.get(i, i)) for i in ids])
    stories = np.array([story[i] for i in ids])
    truth = events[pairs[:, 0]] == events[pairs[:, 1]]
    doubtful = {frozenset(row[:2]) for row in labels["doubtful"]}
    scored = np.array([frozenset((ids[i], ids[j])) not in doubtful for i, j in pairs.tolist()])
    pairs, truth = pairs[scored], truth[scored]
    fold = np.random.default_rng(1).integers(0, 5, stories.max() + 1)[stories]
    found: dict[str, np.ndarray] = {}
    out: dict[str, Any] = {"pairs": len(pairs), "positives": int(truth.sum())}
    for name, tagger in taggers.items():
        method = Paper(RunConfig()).fit(articles, tagger)
        decided = np.zeros(len(pairs), dtype=bool)
        for k in range(5):
            inside = (fold[pairs[:, 0]] != k) & (fold[pairs[:, 1]] != k)
            method.config = RunConfig()
            method.use(method.tune(pairs[inside], truth[inside]).settings)
            test = fold[pairs[:, 0]] == k
            part = pairs[test]
            decided[test] = method.decide(part, method.score(part)).outcome == 1
        found[name] = decided
        out[name] = {**f1(decided, truth), "fallback": round(method.fallback_share()["share"], 3)}
    rng = np.random.default_rng(2)
    draws: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(rounds):
        times = np.bincount(rng.integers(0, stories.max() + 1, stories.max() + 1),
                            minlength=stories.max() + 1)  # fmt: skip
        weight = times[stories[pairs[:, 0]]] * times[stories[pairs[:, 1]]]
        for name, decided in found.items():
            draws[name].append(f1(decided, truth, weight)["f1"])
    base = np.array(draws["rjieba"])
    for name, values in draws.items():
        out[name]["f1_95"] = interval(np.array(values))
        out[name]["difference_95"] = interval(np.array(values) - base)
    return out


def hash_free(text: str) -> int:
    return int.from_bytes(text.encode()[-7:], "big")


def interval(values: np.ndarray) -> list[float]:
    return [round(float(v), 3) for v in np.percentile(values, [2.5, 97.5])]


def f1(found: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> dict[str, float]:
    w = np.ones(len(truth)) if weight is None else weight
    tp, n, m = (w * (found & truth)).sum(), (w * found).sum(), (w * truth).sum()
    return {
        "precision": round(float(tp / max(n, 1)), 4),
        "recall": round(float(tp / max(m, 1)), 4),
        "f1": round(float(2 * tp / max(n + m, 1)), 4),
    }


def table(result: dict[str, Any]) -> str:
    """The result table of the README, from the stored result."""
    lines = [
        "| tagger | chars/s | PKU word+tag F1 | time F1 | place F1 | paper kernels (raw text) "
        "| same-event F1 [95 %] | difference to rjieba [95 %] |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in result["taggers"].items():
        down = result["downstream"].get(name, {})
        lines.append(
            f"| {name} | {row['chars_per_second']:,} "
            f"| {row.get('corpus', {}).get('word_tag_f1', '-')} "
            f"| {row['phrases']['time']['f1']} | {row['phrases']['place']['f1']} "
            f"| {row['paper_sentences']['kernels_right']} of 8 "
            f"| {down.get('f1', '-')} {down.get('f1_95', '')} | {down.get('difference_95', '-')} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with cec/ and ecob_zh/")
    parser.add_argument("--corpus", type=Path, help="PKU-format corpus (its end is the test part)")
    parser.add_argument("--corpus-sentences", type=int, default=1500)
    parser.add_argument("--hanlp", help="a folder made by toolkit tagger train")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument(
        "--add-hanlp", action="store_true", help="keep the stored rows, add HanLP beside rjieba"
    )
    args = parser.parse_args()
    cec = read_documents(args.data / "cec" / "docs.jsonl").articles
    ecob = read_documents(args.data / "ecob_zh" / "docs.jsonl").articles
    taggers: dict[str, Tagger] = {"rjieba": RjiebaTagger()}
    if not args.add_hanlp:
        taggers["jieba"] = JiebaTagger()
    if args.hanlp:
        taggers["hanlp_rnn"] = create_tagger(TaggerConfig(backend="hanlp", model=args.hanlp))
    result: dict[str, Any] = {"taggers": {}}
    if args.add_hanlp:
        result = json.loads((HERE / "result.json").read_text(encoding="utf-8"))
    speed = sentences_of(cec)
    for name, tagger in taggers.items():
        tagger.tag(speed[:5])
        start = time.process_time()
        tagger.tag(speed)
        seconds = max(time.process_time() - start, 1e-9)
        row: dict[str, Any] = {"chars_per_second": round(sum(map(len, speed)) / seconds, -3)}
        row["chars_per_second"] = int(row["chars_per_second"])
        row["phrases"] = phrase_f1(tagger, cec)
        row["paper_sentences"] = paper_sentences(tagger)
        if args.corpus:
            row["corpus"] = corpus_f1(tagger, args.corpus, args.corpus_sentences)
        row["peak_mb_so_far"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        result["taggers"][name] = row
        print(name, row, file=sys.stderr, flush=True)
    if "jieba" in taggers:
        sample = [*sentences_of(cec), *sentences_of(ecob)]
        result["agreement_rjieba_jieba"] = agreement(taggers["jieba"], taggers["rjieba"], sample)
    found = downstream(taggers, args.data / "ecob_zh", args.rounds)
    result["downstream"] = {**result.get("downstream", {}), **found}
    write_json(HERE / "result.json", result)
    print(table(result))
    print(json.dumps(result["agreement_rjieba_jieba"], ensure_ascii=False))


if __name__ == "__main__":
    main()
