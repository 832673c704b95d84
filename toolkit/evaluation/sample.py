"""Pairs for a person to judge: drawn by relation and score band, read back as labels.

The sheet is a CSV with both texts and an empty ``answer`` column. Strata are the
relation the method gave times five score bands; each row says how many pairs its
stratum holds, so that figures can be weighted back to the whole.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from toolkit.config import RunConfig
from toolkit.errors import UserError
from toolkit.io import read_documents, write_jsonl, write_text
from toolkit.matching.method import UNDECIDED, create_method
from toolkit.model import RELATIONS, Article

BANDS = 5
COLUMNS = (
    "a", "b", "answer", "remark", "relation", "band", "score", "stratum_size",
    "title_a", "title_b", "published_a", "published_b", "source_a", "source_b", "text_a", "text_b",
)  # fmt: skip
#: short answers a person may write instead of a relation
SHORT = {"y": "same_event", "yes": "same_event", "n": "different", "no": "different"}
#: no opinion: the pair gets no label
UNSURE = frozenset({"", "?", "doubtful", "unsure"})
_TEXT_SHOWN = 1500


def draw_sample(
    docs: str | Path, out: str | Path, config: RunConfig, method: str, per_stratum: int
) -> int:
    """Draw up to ``per_stratum`` candidate pairs of each relation and score band.

    The draw depends on ``evaluation.seed`` and the documents alone.

    Returns:
        The number of pairs written.

    Raises:
        UserError: the documents cannot be read, the method is unknown or cannot
            run on them, or it proposes no pair.
    """
    articles = read_documents(docs).articles
    decider = create_method(method, config).fit(articles)
    pairs = decider.candidates()
    if not len(pairs):
        raise UserError(f"{docs}: method {method} proposes no pair; try another --method")
    scores = np.asarray(decider.score(pairs), dtype=float)
    decisions = decider.decide(pairs, scores)
    relations = np.array(decisions.relation, dtype=object)
    relations[decisions.outcome == UNDECIDED] = "undecided"
    bands = score_bands(scores)
    generator = np.random.default_rng(config.evaluation.seed)
    rows: list[dict[str, Any]] = []
    for relation in sorted(set(relations)):
        for band in range(BANDS):
            members = np.flatnonzero((relations == relation) & (bands == band))
            if not len(members):
                continue
            drawn = generator.choice(members, min(per_stratum, len(members)), replace=False)
            for k in sorted(drawn.tolist()):
                i, j = pairs[k].tolist()
                row = _row(articles[i], articles[j])
                row["relation"], row["band"] = relation, f"{band + 1}/{BANDS}"
                row["score"], row["stratum_size"] = f"{scores[k]:.4f}", len(members)
                rows.append(row)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(out, "\ufeff" + buffer.getvalue())  # the mark makes spreadsheets read UTF-8
    return len(rows)


def score_bands(scores: np.ndarray) -> np.ndarray:
    """Band 0..4 of each score: equal steps between the lowest and the highest."""
    low, high = float(scores.min()), float(scores.max())
    if high <= low:
        return np.zeros(len(scores), dtype=int)
    return np.minimum(((scores - low) / (high - low) * BANDS).astype(int), BANDS - 1)


def _row(a: Article, b: Article) -> dict[str, Any]:
    row: dict[str, Any] = {"a": a.id, "b": b.id, "answer": "", "remark": ""}
    for side, article in (("a", a), ("b", b)):
        row[f"title_{side}"] = _cell(article.title)
        row[f"published_{side}"] = article.published.isoformat() if article.published else ""
        row[f"source_{side}"] = _cell(article.source or "")
        row[f"text_{side}"] = _cell(article.body[:_TEXT_SHOWN])
    return row


def _cell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def read_answers(answers: str | Path, docs: str | Path, out: str | Path) -> int:
    """Turn a filled-in sheet into labelled pairs, JSON Lines {a, b, label}.

    An answer is a relation (``reprint``, ``same_event``, ...), ``y`` (same event) or
    ``n`` (different); an empty one or ``?`` gives no label. The result is read by
    the setting ``corpus.pairs``.

    Returns:
        The number of labels written.

    Raises:
        UserError: the sheet cannot be read, an answer or a document is unknown, or
            a pair was answered twice in two ways.
    """
    known = {article.id for article in read_documents(docs).articles}
    labels: dict[tuple[str, str], str] = {}
    for number, row in enumerate(_read_sheet(answers), 2):
        where = f"{answers}: row {number}"
        a, b = (row.get(side) or "" for side in ("a", "b"))
        for doc in (a, b):
            if doc not in known:
                raise UserError(f"{where}: document '{doc}' is not in {docs}")
        answer = (row.get("answer") or "").strip().lower().replace(" ", "_")
        if answer in UNSURE:
            continue
        label = SHORT.get(answer, answer)
        if label not in RELATIONS:
            raise UserError(
                f"{where}: answer '{answer}' is none of y, n, ?, {', '.join(RELATIONS)}"
            )
        pair = (min(a, b), max(a, b))
        if labels.setdefault(pair, label) != label:
            raise UserError(f"{where}: pair {a}, {b} was answered '{labels[pair]}' before")
    if not labels:
        raise UserError(f"{answers}: no answer in it; fill in the column 'answer'")
    write_jsonl(out, ({"a": a, "b": b, "label": label} for (a, b), label in labels.items()))
    return len(labels)


def _read_sheet(path: str | Path) -> list[dict[str, str]]:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    for encoding in ("utf-8-sig", "gb18030"):  # some spreadsheets save Chinese as GB18030
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise UserError(f"{path}: neither UTF-8 nor GB18030; save the sheet as CSV UTF-8")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UserError(f"{path}: not a CSV sheet ({error})") from None
    if not rows or not {"a", "b", "answer"} <= set(rows[0]):
        raise UserError(f"{path}: no rows with the columns a, b, answer")
    return rows
