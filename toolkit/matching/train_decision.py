"""Train the decision model: ``python -m toolkit.matching.train_decision --shared DIR``.

Development labels of several kinds of corpora are used together: the first two thirds
of the stories of `ecob_zh` (undated, many topics), `cec` (dated, accidents and fires),
the event rows of `eventmonitor` (dated follow-ups) and the dev split of `mini`. Each
undated corpus teaches what dated ones cannot and the other way round; "unknown" has no
column, so a corpus without dates says nothing about dates.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toolkit.config import CorpusConfig, RunConfig
from toolkit.errors import UserError
from toolkit.matching.decision import SHIPPED, DecisionModel
from toolkit.matching.element_features import AGAINST, COLUMNS, FOR, SCALE
from toolkit.matching.method import Pairs, all_pairs
from toolkit.matching.methods.elements import Elements
from toolkit.model import Article

Floats = npt.NDArray[np.float64]
#: weight of one pair of each corpus
STRENGTH = {
    "ecob_zh": 1.5, "cec": 3.0, "eventmonitor": 1.0, "mini": 1.0,
    "cec_undated": 0.2, "eventmonitor_undated": 0.2, "mini_undated": 0.2, "xwlb": 0.3,
}  # fmt: skip
INVERSE_REGULARISATION = 0.5


@dataclass(frozen=True)
class TrainingSet:
    """Pairs of one corpus with their columns and labels.

    ``event`` and ``story`` are 0/1, shape (m,); ``group`` (shape (m, 2)) numbers the
    stories of the two documents, for cross-validation.
    """

    name: str
    articles: list[Article]
    pairs: Pairs
    rows: Floats
    event: npt.NDArray[np.int8]
    story: npt.NDArray[np.int8]
    group: npt.NDArray[np.int32]
    checksum: str = ""

    def where(self, keep: npt.NDArray[np.bool_]) -> TrainingSet:
        """The set of some of its pairs."""
        return TrainingSet(
            self.name, self.articles, self.pairs[keep], self.rows[keep], self.event[keep],
            self.story[keep], self.group[keep], self.checksum,
        )  # fmt: skip


def blank_method(config: RunConfig | None = None) -> Elements:
    """The method without a trained model (features only)."""
    method = Elements.__new__(Elements)
    method.config = config or RunConfig()
    method.articles, method.profiles = (), []
    return method


def from_clusters(
    name: str,
    articles: Sequence[Article],
    event: npt.NDArray[np.int32],
    story: npt.NDArray[np.int32],
    doubtful: frozenset[tuple[int, int]] = frozenset(),
    checksum: str = "",
) -> TrainingSet:
    """All pairs of a corpus with event and story clusters; doubtful pairs left out."""
    method = blank_method().fit(articles)
    pairs = all_pairs(len(articles))
    if doubtful:
        keep = np.array([(a, b) not in doubtful for a, b in pairs.tolist()])
        pairs = pairs[keep]
    i, j = pairs[:, 0], pairs[:, 1]
    same_event = (event[i] == event[j]).astype(np.int8)
    same_story = (story[i] == story[j]).astype(np.int8) | same_event
    group = np.column_stack([story[i], story[j]]).astype(np.int32)
    return TrainingSet(
        name, list(articles), pairs, method.matrix(pairs), same_event, same_story, group, checksum
    )


def corpus_set(name: str, root: Path, share: float = 1.0, split: str | None = None) -> TrainingSet:
    """A labelled corpus folder; ``share`` keeps the first part of its stories."""
    from toolkit.evaluation.corpus import load_corpus

    config = RunConfig(corpus=CorpusConfig(name=name, root=str(root)))
    corpus = load_corpus(config)
    if split is not None:
        corpus = corpus.part(split)
    if share < 1:
        # stories in the order of their ids, the order of the labels file
        kept = sorted(set(corpus.story_ids))[: int(len(corpus.story_ids) * share)]
        chosen = {k for k, s in enumerate(corpus.story_ids) if s in set(kept)}
        corpus = corpus.subset([i for i, s in enumerate(corpus.story.tolist()) if s in chosen])
    return from_clusters(
        name, corpus.articles, corpus.event, corpus.story, corpus.doubtful, corpus.checksum
    )


def listed_set(name: str, root: Path) -> TrainingSet:
    """`eventmonitor`: the pairs read as same_event, same_story or different."""
    from toolkit.evaluation.corpus import load_corpus

    settings = CorpusConfig(name=name, root=str(root), pairs="reprint_pairs.jsonl", labels=None)
    corpus = load_corpus(RunConfig(corpus=settings))
    wanted = [p for p in corpus.listed or () if p[2] in ("same_event", "same_story", "different")]
    pairs = np.array([(a, b) for a, b, _ in wanted], dtype=np.int32).reshape(-1, 2)
    method = blank_method().fit(corpus.articles)
    event = np.array([r == "same_event" for _, _, r in wanted], dtype=np.int8)
    story = np.array([r != "different" for _, _, r in wanted], dtype=np.int8)
    group = np.column_stack([pairs[:, 0], pairs[:, 0]]).astype(np.int32)
    return TrainingSet(
        name, corpus.articles, pairs, method.matrix(pairs), event, story, group, corpus.checksum
    )


def undated_copy(data: TrainingSet) -> TrainingSet:
    """The same pairs with the publication times taken away.

    A corpus with dates thus also teaches what to do when there are none, so that the
    weights do not depend on which corpora happened to be dated.
    """
    articles = [replace(a, published=None, published_precision=None) for a in data.articles]
    rows = blank_method().fit(articles).matrix(data.pairs)
    return replace(data, name=data.name + "_undated", articles=articles, rows=rows)


def broadcast_set(path: Path, documents: int = 500) -> TrainingSet:
    """Items of one broadcaster (`xwlb`), dated and of all topics, as negatives.

    Two items of a news programme are two events unless their words agree; pairs with a
    text cosine of 0.3 and more are not used, as nothing is known about them.
    """
    from toolkit.io import read_documents

    articles = read_documents(path).articles[:documents]
    method = blank_method().fit(articles)
    pairs = method.candidates()
    rows = method.matrix(pairs)
    text = [i for i, c in enumerate(COLUMNS) if c.startswith("text>") and "|" not in c]
    keep = rows[:, text].sum(axis=1) / SCALE < 0.3
    pairs, rows = pairs[keep], rows[keep]
    nothing = np.zeros(len(pairs), np.int8)
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    return TrainingSet("xwlb", articles, pairs, rows, nothing, nothing, pairs, checksum)


def pair_weights(data: TrainingSet, strength: float) -> Floats:
    """Weights of pairs: 1 each; listed pairs (a few chosen ones) count half.

    Natural weights keep the score a probability at the base rate of look-alikes.
    """
    return np.full(len(data.pairs), float(strength))


def bounds() -> list[tuple[float | None, float | None]]:
    """Sign of each column: agreement never speaks against, conflict never for."""
    found: list[tuple[float | None, float | None]] = []
    for name in COLUMNS:
        if ">" in name or name in FOR:
            found.append((0.0, None))
        elif name in AGAINST:
            found.append((None, 0.0))
        else:
            found.append((None, None))
    return found


def _thin(
    rows: Floats, labels: npt.NDArray[np.int8], weights: Floats
) -> tuple[Floats, npt.NDArray[np.int8], Floats]:
    """Every tenth of the many easy negatives, with ten times the weight."""
    easy = np.flatnonzero((rows[:, COLUMNS.index("text>0")] < 0.1 * SCALE) & (labels == 0))
    if len(easy) < 2000:
        return rows, labels, weights
    dropped = np.ones(len(rows), bool)
    dropped[easy[::10]] = False
    keep = np.ones(len(rows), bool)
    keep[easy] = ~dropped[easy]
    weights = weights.copy()
    weights[easy[::10]] *= len(easy) / len(easy[::10])
    return rows[keep], labels[keep], weights[keep]


def fit_logistic(
    rows: Floats, labels: npt.NDArray[np.int8], weights: Floats, c: float, signs: bool = True
) -> tuple[Floats, float]:
    """L2-regularised logistic regression with signs; returns (weights, bias).

    The loss is scikit-learn's (sum of weighted log-losses times C plus half the squared
    norm); it is minimised by L-BFGS-B because scikit-learn knows no bounds.
    """
    from scipy.optimize import minimize

    rows, labels, weights = _thin(rows, labels, weights)
    y = np.where(labels > 0, 1.0, -1.0)

    def loss(theta: Floats) -> tuple[float, Floats]:
        z = y * (rows @ theta[:-1] + theta[-1])
        value = c * float((weights * np.logaddexp(0.0, -z)).sum()) + 0.5 * float(
            theta[:-1] @ theta[:-1]
        )
        g = -c * weights * y / (1.0 + np.exp(np.clip(z, -40, 40)))
        gradient = np.append(rows.T @ g + theta[:-1], g.sum())
        return value, gradient

    limits = (bounds() if signs else [(None, None)] * rows.shape[1]) + [(None, None)]
    result = minimize(
        loss,
        np.zeros(rows.shape[1] + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=limits,
        options={"maxiter": 250},
    )
    return result.x[:-1].astype(np.float64), float(result.x[-1])


def train(
    sets: Sequence[TrainingSet],
    c: float = INVERSE_REGULARISATION,
    columns: npt.NDArray[np.bool_] | None = None,
) -> DecisionModel:
    """Fit both models on several sets together.

    Args:
        columns: mask of the columns that may be used (None: all), for ablations.
    """
    rows = np.concatenate([s.rows for s in sets])
    if columns is not None:
        rows = rows * columns
    weights = np.concatenate([pair_weights(s, STRENGTH.get(s.name, 1.0)) for s in sets])
    event = np.concatenate([s.event for s in sets])
    story = np.concatenate([s.story for s in sets])
    event_weights, event_bias = fit_logistic(rows, event, weights, c)
    story_weights, story_bias = fit_logistic(rows, story, weights, c)
    about = {
        "sets": [
            {"name": s.name, "documents": len(s.articles), "pairs": len(s.pairs),
             "same_event": int(s.event.sum()), "checksum": s.checksum}
            for s in sets
        ],
        "C": c,
    }  # fmt: skip
    model = DecisionModel(event_weights, event_bias, story_weights, story_bias, 0.5, 0.5, about)
    return model


def best_threshold(scores: Floats, labels: npt.NDArray[np.int8]) -> tuple[float, float]:
    """(threshold, F1) with the largest F1; the threshold is half-way to the next score."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    sizes = np.arange(1, len(order) + 1)
    f1 = 2 * hits / (sizes + labels.sum())
    best = int(np.argmax(f1))
    after = scores[order[best + 1]] if best + 1 < len(order) else 0.0
    return float((scores[order[best]] + after) / 2), float(f1[best])


def load_sets(shared: Path, mini: Path | None, share: float = 2 / 3) -> list[TrainingSet]:
    """The development sets; a set whose folder is absent is left out with a notice."""
    sets = []
    for name in ("ecob_zh", "cec", "eventmonitor"):
        root = shared / name
        if not root.is_dir():
            print(f"{root}: absent, trained without it", file=sys.stderr)
            continue
        print(f"reading {name}", file=sys.stderr)
        if name == "eventmonitor":
            sets.append(listed_set(name, root))
        else:
            sets.append(corpus_set(name, root, share if name == "ecob_zh" else 1.0))
    if mini is not None and mini.is_dir():
        print("reading mini (dev)", file=sys.stderr)
        try:
            sets.append(corpus_set("mini", mini, split="dev"))
        except (UserError, ModuleNotFoundError) as error:
            print(f"mini left out: {error}", file=sys.stderr)
    sets.extend([undated_copy(s) for s in sets if any(a.published for a in s.articles)])
    broadcast = shared / "xwlb" / "docs.jsonl.gz"
    if broadcast.is_file():
        print("reading xwlb (negatives)", file=sys.stderr)
        sets.append(broadcast_set(broadcast))
    if not sets:
        raise UserError(f"{shared}: no labelled set there; give the folder with --shared")
    return sets


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--shared", required=True, help="folder with ecob_zh/, cec/, eventmonitor/")
    parser.add_argument("--mini", default="corpora/mini")
    parser.add_argument("--out", default=str(SHIPPED))
    options = parser.parse_args(arguments)
    sets = load_sets(Path(options.shared), Path(options.mini))
    model = train(sets)
    model.save(options.out)
    for data in sets:
        scores = model.event_probability(data.rows)
        threshold, f1 = best_threshold(scores, data.event)
        at = ((scores >= 0.5) & (data.event == 1)).sum()
        print(
            f"{data.name}: {len(data.pairs)} pairs, {int(data.event.sum())} same event; fitted: "
            f"best F1 {f1:.3f} at {threshold:.2f}; at 0.5 found {at}, wrong {int(((scores >= 0.5) & (data.event == 0)).sum())}"  # noqa: E501
        )


if __name__ == "__main__":
    main()
