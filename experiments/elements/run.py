"""Elements against gold spans, and speed: ``python experiments/elements/run.py --shared DIR``."""

from __future__ import annotations

import argparse
import collections
import json
import resource
import time
from pathlib import Path
from typing import Any

from cec_times import Spans, match_spans, span_scores

from toolkit.elements.extract import document_elements
from toolkit.elements.gazetteer import load_gazetteer
from toolkit.elements.places import document_places
from toolkit.elements.times import find_times
from toolkit.io import read_documents, write_json, write_text

HERE = Path(__file__).parent
CALENDAR = {"point", "until", "range"}
DEICTIC = {"now", "then"}


def main() -> None:
    """Run everything and store it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", required=True)
    options = parser.parse_args()
    shared = Path(options.shared)
    articles = read_documents(shared / "cec" / "docs.jsonl").articles
    times: list[tuple[str, Spans, Spans]] = []
    places: list[tuple[str, Spans, Spans]] = []
    words = {"目前", "当时", "此时", "这时", "近日", "正在", "一时"}
    calendar: list[tuple[str, Spans, Spans]] = []
    covered: collections.Counter[str] = collections.Counter()
    for a in articles:
        gold = [(s["start"], s["end"], s["kind"]) for s in a.extra["times"]]
        found = [(e.start, e.end, e.kind) for e in find_times(a.body)]
        times.append((a.id, gold, found))
        renamed = [(s, e, "deictic" if a.body[s:e] in words else k) for s, e, k in gold]
        calendar.append((a.id, renamed, found))
        gold_places = [(s["start"], s["end"], s["kind"]) for s in a.extra["places"]]
        phrases = [p for p in document_places(a.title, a.body) if p.field == "body"]
        places.append((a.id, gold_places, [(p.start, p.end, p.kind) for p in phrases]))
        for start, end, kind in gold_places:
            if kind == "named":
                covered["named"] += 1
                covered["touched"] += any(
                    p.start < end and start < p.end and p.kind != "local" for p in phrases
                )
    gazetteer = load_gazetteer()
    own = {"named", "road", "facility", "village", "water", "local"}
    result: dict[str, Any] = {
        "times_point_until": _short(span_scores(times, {"point", "until"}, CALENDAR | DEICTIC)),
        "times_without_deictic_words": _short(span_scores(calendar, {"point", "until"}, CALENDAR)),
        "places_named_localised": _short(span_scores(places, {"named", "localised"}, own)),
        "gold_named_places_touched": [covered["touched"], covered["named"]],
        "gazetteer": {
            "names": len(gazetteer.names),
            "coded_china": sum(p.id.startswith("CN") and p.level in ("county", "city") for p in gazetteer.places.values()),  # noqa: E501
            "foreign": sum(not p.id.startswith("CN") for p in gazetteer.places.values()),
        },
        "speed": speed(shared),
    }  # fmt: skip
    write_json(HERE / "result.json", result)
    write_text(HERE / "table.md", table(result))
    print(json.dumps(result, ensure_ascii=False, indent=1))


def _short(scores: dict[str, Any]) -> dict[str, Any]:
    kinds = collections.Counter(f"{w} {k}" for _, w, _, _, k in scores["errors"])
    offsets = [list(e) for e in scores["errors"]]
    return {
        **{k: scores[k] for k in ("counts", "apart", "strict")},
        "errors": dict(kinds),
        "where": offsets,
    }


def speed(shared: Path) -> dict[str, Any]:
    """Characters a CPU second of all elements on broadcast news."""
    articles = read_documents(shared / "xwlb" / "docs.jsonl.gz").articles[:2000]
    document_elements(articles[0])
    start = time.process_time()
    for a in articles:
        document_elements(a)
    seconds = time.process_time() - start
    characters = sum(len(a.body) + len(a.title) for a in articles)
    return {
        "documents": len(articles), "characters": characters, "cpu_seconds": round(seconds, 2),
        "characters_per_second": round(characters / seconds),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip


def table(result: dict[str, Any]) -> str:
    """The README's table, from the stored result."""
    lines = ["| what | precision | recall | F1 |", "|---|---|---|---|"]
    for name in ("times_point_until", "times_without_deictic_words", "places_named_localised"):
        r = result[name]["apart"]
        lines.append(
            f"| {name.replace('_', ' ')} | {r['precision']:.3f} | {r['recall']:.3f} | {r['f1']:.3f} |"  # noqa: E501
        )
    g, s, c = result["gazetteer"], result["speed"], result["gold_named_places_touched"]
    lines.append("")
    lines.append(
        f"Gazetteer: {g['names']} names, {g['coded_china']} coded Chinese units of county and city level, "  # noqa: E501
        f"{g['foreign']} places abroad; it or the own-place patterns touch {c[0]} of {c[1]} gold named places. "  # noqa: E501
        f"Speed: {s['characters_per_second']} characters a CPU second on one core."
    )
    return "\n".join(lines) + "\n"


__all__ = ["main", "match_spans"]

if __name__ == "__main__":
    main()
