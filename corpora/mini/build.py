"""Build the pages, the manifest and the labels of the mini corpus from its sources.

    python corpora/mini/build.py          writes pages/, pages.jsonl, labels.json
    python corpora/mini/build.py --freeze writes CHECKSUM too (a new corpus version)
    python corpora/mini/build.py --check  exits with 1 unless all agree with CHECKSUM

Sources are ``stories/*.yaml`` (texts and edits), ``outlets.yaml`` and ``templates/``.
The output is a function of the sources alone: no clock, no random numbers.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import sys
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jinja2
import yaml

HERE = Path(__file__).resolve().parent
COPY_RANK = ["identical", "reprint", "revision", "excerpt"]
KIND_WORDS = "要闻 社会 现场"


@dataclass(frozen=True)
class Text:
    """One report or copy with its edits applied."""

    id: str
    outlet: str
    published: datetime
    title: str
    paragraphs: tuple[str, ...]
    dateline: str | None
    source: str | None
    author: str | None
    caption: str | None
    variants: tuple[str, ...]
    story: str
    event: str
    kind: str
    of: str | None = None
    relation: str | None = None

    @property
    def printed(self) -> list[str]:
        """Paragraphs as a page shows them: the dateline heads the first one."""
        if not self.dateline:
            return list(self.paragraphs)
        head = self.dateline if self.dateline.endswith((" ", "　")) else self.dateline + "　"
        return [head + self.paragraphs[0], *self.paragraphs[1:]]


def stable(text: str, modulus: int) -> int:
    """A number that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) % modulus


def when(value: Any) -> datetime:
    return datetime.fromisoformat(str(value))


def apply_edits(base: Text, copy: dict[str, Any]) -> Text:
    """Make a copy of ``base``: its edits in the order of the format."""
    edits = copy.get("edits") or {}
    title = copy.get("title") or base.title
    paragraphs = list(base.paragraphs)
    for old, new in edits.get("replace") or []:
        paragraphs = [p.replace(old, new) for p in paragraphs]
        if not copy.get("title"):
            title = title.replace(old, new)
    dateline = base.dateline
    if edits.get("dateline"):
        dateline = None if edits["dateline"] == "drop" else edits["dateline"]
    if edits.get("drop"):
        paragraphs = [p for i, p in enumerate(paragraphs) if i not in set(edits["drop"])]
    if edits.get("keep"):
        paragraphs = [paragraphs[i] for i in edits["keep"] if i < len(paragraphs)]
        if 0 not in edits["keep"]:
            dateline = None if dateline == base.dateline else dateline
    for source, target in edits.get("move") or []:
        if source < len(paragraphs):
            moved = paragraphs.pop(source)
            paragraphs.insert(target, moved)
    if edits.get("lead"):
        paragraphs.insert(0, edits["lead"])
        if dateline == base.dateline:
            dateline = None
    for index, text in edits.get("insert") or []:
        paragraphs.insert(index, text)
    paragraphs.extend(edits.get("append") or [])
    return replace(
        base, id=copy["id"], outlet=copy["outlet"], published=when(copy["published"]), title=title,
        paragraphs=tuple(paragraphs), dateline=dateline, source=copy.get("source"), author=None,
        caption=None, variants=tuple(copy.get("variants") or ()), of=copy["of"],
        relation=copy["relation"],
    )  # fmt: skip


def read_sources() -> tuple[list[Text], list[dict[str, Any]]]:
    """All texts in a fixed order, and the families as read."""
    texts: list[Text] = []
    families = []
    for path in sorted((HERE / "stories").glob("*.yaml")):
        family = yaml.safe_load(path.read_text(encoding="utf-8"))
        families.append(family)
        for story in family["stories"]:
            for event in story["events"]:
                known: dict[str, Text] = {}
                for report in event["reports"]:
                    known[report["id"]] = Text(
                        report["id"], report["outlet"], when(report["published"]), report["title"],
                        tuple(report["paragraphs"]), report.get("dateline"), report.get("source"),
                        report.get("author"), report.get("caption"),
                        tuple(report.get("variants") or ()), story["id"], event["id"],
                        family["kind"],
                    )  # fmt: skip
                for copy in event.get("copies") or []:
                    known[copy["id"]] = apply_edits(known[copy["of"]], copy)
                texts.extend(known.values())
    return texts, families


@dataclass(frozen=True)
class Page:
    """One file to write."""

    doc: str | None  # None: not a document of the labels (second page, list)
    path: str
    url: str
    fetched: datetime
    data: bytes

    @property
    def name(self) -> str:
        """The page's own id: its file name, with the outlet for list pages."""
        path = Path(self.path)
        return f"{path.parent.name}_{path.stem}" if path.stem == "roll" else path.stem


def url_of(text: Text, outlet: dict[str, Any], number: int) -> str:
    day = text.published
    return f"https://{outlet['host']}" + outlet["url"].format(
        y=day.strftime("%Y"), m=day.strftime("%m"), d=day.strftime("%d"), n=number
    )


def encode(html: str, charset: str) -> bytes:
    return html.encode(charset, "xmlcharrefreplace")


class Builder:
    """Renders every text through its outlet's template."""

    def __init__(self) -> None:
        self.texts, self.families = read_sources()
        self.outlets = yaml.safe_load((HERE / "outlets.yaml").read_text(encoding="utf-8"))
        loader = jinja2.FileSystemLoader(HERE / "templates")
        self.templates = jinja2.Environment(
            loader=loader, autoescape=True, keep_trailing_newline=True
        )
        self.numbers = {t.id: 1_000_000 + stable(t.id, 8_000_000) for t in self.texts}
        self.urls = {
            t.id: url_of(t, self.outlets[t.outlet], self.numbers[t.id]) for t in self.texts
        }
        self.url_variants: list[tuple[str, str]] = []
        self.pages: list[Page] = []

    def links(self, text: Text, offset: int, count: int) -> list[tuple[str, str]]:
        """Headlines of other pages: first of the same kind, then of anything."""
        same = [t for t in self.texts if t.kind == text.kind and t.event != text.event]
        other = [t for t in self.texts if t.kind != text.kind]
        start = stable(text.id + str(offset), 997)
        chosen = (
            [same[(start + i) % len(same)] for i in range(min(3, len(same)))] if offset == 0 else []
        )
        chosen += [other[(start * 7 + 13 * i) % len(other)] for i in range(count - len(chosen))]
        return [(t.title, self.urls[t.id]) for t in chosen]

    def fields(self, text: Text, paragraphs: list[str], caption: bool = True) -> dict[str, Any]:
        outlet = self.outlets[text.outlet]
        published = text.published
        editors = ["林知夏", "周慕白", "许安澜", "沈听雨", "顾南乔"]
        return {
            "title": text.title, "paragraphs": paragraphs,
            "caption": text.caption if caption else None,
            "date": published.strftime(outlet["date"]) if outlet["date"] else "",
            "full_date": published.strftime("%Y-%m-%d %H:%M"), "iso": published.isoformat(),
            "modified": (published + timedelta(minutes=stable(text.id + "m", 40))).isoformat(),
            "epoch": int(published.timestamp()), "year": published.year,
            "source": text.source or outlet["name"], "show_source": bool(text.source),
            "author": text.author if text.outlet != "weihao" else None,
            "account": text.author or text.source or outlet["name"],
            "editor": editors[stable(text.id + "e", 5)], "section": "新闻",
            "kind_words": KIND_WORDS,
            "related": self.links(text, 0, 6), "hot": self.links(text, 1, 8),
            "n": self.numbers[text.id], "canonical": self.urls[text.id],
            "link": stable(text.id + "c", 2) == 0, "pager": None,
        }  # fmt: skip

    def render(self, template: str, text: Text, fields: dict[str, Any], charset: str) -> bytes:
        html = self.templates.get_template(f"{template}.html.j2").render(
            o=self.outlets[text.outlet], p=fields
        )
        return encode(html, charset)

    def add(self, text: Text, doc: str | None, name: str, url: str, data: bytes) -> None:
        path = f"{text.outlet}/{name}.html"
        self.pages.append(Page(doc, path, url, text.published + timedelta(hours=3), data))

    def add_text(self, text: Text) -> None:
        """The article's own page, and a further page for each variant."""
        outlet = self.outlets[text.outlet]
        charset = outlet["charset"]
        url = self.urls[text.id]
        paragraphs = text.printed
        fields = self.fields(text, paragraphs)
        full = self.render(text.outlet, text, fields, charset)
        if "paged" in text.variants and len(paragraphs) > 2:
            cut = (len(paragraphs) + 1) // 2
            stem, dot, ending = url.rpartition(".")
            second = f"{stem}_2.{ending}" if dot and "/" not in ending else url + "&page=2"
            whole = f"{stem}_all.{ending}" if dot and "/" not in ending else url + "&page=all"
            pager = [
                ("上一页", None),
                ("1", None),
                ("2", second),
                ("下一页", second),
                ("阅读全文", whole),
            ]
            first_fields = {**fields, "paragraphs": paragraphs[:cut], "pager": pager}
            self.add(
                text, text.id, text.id, url, self.render(text.outlet, text, first_fields, charset)
            )
            pager = [
                ("上一页", url),
                ("1", url),
                ("2", None),
                ("下一页", None),
                ("阅读全文", whole),
            ]
            second_fields = {
                **fields,
                "paragraphs": paragraphs[cut:],
                "pager": pager,
                "caption": None,
            }
            self.add(text, None, text.id + "__2", second,
                     self.render(text.outlet, text, second_fields, charset))  # fmt: skip
            self.variant(text, "all", whole, full)
        else:
            self.add(text, text.id, text.id, url, full)
        if "mobile" in text.variants:
            host = "m." + outlet["host"].split(".", 1)[1]
            mobile = url.replace(outlet["host"], host)
            self.variant(text, "mobile", mobile, self.render("mobile", text, fields, "utf-8"))
        if "brief" in text.variants:  # an app's teaser: the first paragraph only
            host = "m." + outlet["host"].split(".", 1)[1]
            joint = "&" if "?" in url else "?"
            brief = url.replace(outlet["host"], host) + f"{joint}utm_source=app"
            teaser = self.render("mobile", text, {**fields, "paragraphs": paragraphs[:1]}, "utf-8")
            self.variant(text, "brief", brief, teaser)
        if "print" in text.variants:
            joint = "&" if "?" in url else "?"
            self.variant(text, "print", f"{url}{joint}print=1",
                         self.render("print", text, fields, charset))  # fmt: skip
        if "tracking" in text.variants:
            joint = "&" if "?" in url else "?"
            self.variant(
                text, "tracking", f"{url}{joint}utm_source=app&spm=a2.b3&from=timeline", full
            )

    def variant(self, text: Text, kind: str, url: str, data: bytes) -> None:
        name = f"{text.id}__{kind}"
        self.add(text, name, name, url, data)
        self.url_variants.append((text.id, name))

    def build(self) -> None:
        for text in self.texts:
            self.add_text(text)
        damaged = next(
            p
            for p in self.pages
            if p.path.startswith(("jiangwan/", "lingyuan/", "fazhi/")) and p.doc
        )
        self.pages[self.pages.index(damaged)] = replace(damaged, data=damage(damaged.data))
        for name in ("qingshi", "lingyuan"):
            rows = [(t.title, self.urls[t.id], t.published.strftime("%m-%d"))
                    for t in self.texts if t.outlet == name]  # fmt: skip
            outlet = self.outlets[name]
            html = self.templates.get_template("list.html.j2").render(o=outlet, p={"rows": rows})
            url = f"https://{outlet['host']}/roll/"
            moment = max(t.published for t in self.texts)
            self.pages.append(
                Page(None, f"{name}/roll.html", url, moment, encode(html, outlet["charset"]))
            )

    def labels(self) -> dict[str, Any]:
        """Clusters, relations, hard negatives and split, in the shape of the data README."""
        variants: dict[str, list[str]] = {}
        for original, name in self.url_variants:
            variants.setdefault(original, []).append(name)
        members: dict[str, list[str]] = {}
        events: dict[str, list[str]] = {}
        for text in self.texts:
            ids = [text.id, *variants.get(text.id, [])]
            members[text.id] = ids
            events.setdefault(text.event, []).extend(ids)
        relations = self.relations(members)
        reports = [t for t in self.texts if t.of is None]
        negatives: list[list[str]] = []
        seen = set()
        for family in self.families:
            for first, second, tag, why in (h[:4] for h in family["hard_negatives"] or []):
                for a, b in itertools.product(
                    [t.id for t in reports if t.event == first],
                    [t.id for t in reports if t.event == second],
                ):
                    pair = tuple(sorted((a, b)))
                    if pair not in seen:
                        seen.add(pair)
                        negatives.append([*pair, tag, why])
        stories: dict[str, list[str]] = {}
        split, kinds, gists = {}, {}, {}
        for family in self.families:
            for story in family["stories"]:
                split[story["id"]] = family["split"]
                kinds[story["id"]] = family["kind"]
                for event in story["events"]:
                    gists[event["id"]] = event["gist"]
                    stories.setdefault(story["id"], []).extend(events[event["id"]])
        doubtful = [list(d) for f in self.families for d in f.get("doubtful") or []]
        return {
            "corpus": "mini", "license": "Apache-2.0", "note": "invented texts; own corpus",
            "docs": sorted(p.doc for p in self.pages if p.doc),
            "event_clusters": [
                {"id": e, "docs": sorted(d), "gist": gists[e]} for e, d in events.items()
            ],
            "story_clusters": [{"id": s, "docs": sorted(d)} for s, d in stories.items()],
            "reprint_pairs": [[a, b] for a, b, r in relations if r in ("identical", "reprint")],
            "hard_negatives": negatives, "doubtful": doubtful, "relations": relations,
            "origins": {t.id: t.of for t in self.texts if t.of}, "split": split, "kinds": kinds,
        }  # fmt: skip

    def relations(self, members: dict[str, list[str]]) -> list[list[str]]:
        """One relation for every pair within an event.

        Two copies of one original are related by the weaker of their two
        relations; reports written apart are ``same_event``.
        """
        by_id = {t.id: t for t in self.texts}

        def lineage(identifier: str) -> dict[str, int]:
            rank, found = -1, {identifier: -1}
            text = by_id[identifier]
            while text.of:
                rank = max(rank, COPY_RANK.index(str(text.relation)))
                found[text.of] = rank
                text = by_id[text.of]
            return found

        rows = []
        events: dict[str, list[str]] = {}
        for text in self.texts:
            events.setdefault(text.event, []).append(text.id)
        for ids in events.values():
            for identifier in ids:
                for a, b in itertools.combinations(members[identifier], 2):
                    rows.append([*sorted((a, b)), "url_variant"])
            for first, second in itertools.combinations(ids, 2):
                up, down = lineage(first), lineage(second)
                common = [max(up[k], down[k]) for k in up if k in down]
                relation = COPY_RANK[max(0, min(common))] if common else "same_event"
                for a, b in itertools.product(members[first], members[second]):
                    rows.append([*sorted((a, b)), relation])
        return sorted(rows)


def damage(data: bytes) -> bytes:
    """Put one impossible byte into the middle of the second half of the article text."""
    position = data.index("。".encode("gb18030"), len(data) // 2) + 2
    return data[:position] + b"\xff" + data[position:]


def checksum(files: dict[str, bytes]) -> str:
    """SHA-256 over names and contents in name order."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return total.hexdigest()


def main(arguments: list[str]) -> int:
    builder = Builder()
    builder.build()
    out = HERE / "pages"
    shutil.rmtree(out, ignore_errors=True)
    files: dict[str, bytes] = {}
    manifest = []
    for page in builder.pages:
        files["pages/" + page.path] = page.data
        manifest.append({"page": page.path, "id": page.doc or page.name, "url": page.url,
                         "fetched": page.fetched.isoformat()})  # fmt: skip
    lines = "".join(json.dumps(m, ensure_ascii=False) + "\n" for m in manifest)
    files["pages.jsonl"] = lines.encode()
    labels = builder.labels()
    files["labels.json"] = (json.dumps(labels, ensure_ascii=False, indent=1) + "\n").encode()
    for name, data in files.items():
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    total = checksum(files)
    frozen = HERE / "CHECKSUM"
    if "--freeze" in arguments:
        frozen.write_text(total + "\n")
    agrees = frozen.exists() and frozen.read_text().strip() == total
    print(f"{len(builder.pages)} pages, {len(labels['docs'])} documents, "
          f"{len(labels['event_clusters'])} events, "
          f"{len(labels['hard_negatives'])} hard negatives; "
          f"checksum {total[:12]} {'agrees' if agrees else 'DIFFERS from CHECKSUM'}")  # fmt: skip
    return 0 if agrees or "--check" not in arguments else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
