"""Runs the general extractors on pages and prints what they find (JSON Lines).

Started by ``run.py``, with any Python that has the tools installed:
``pip install readability-lxml lxml_html_clean trafilatura newspaper4k nltk jieba jusText
gne htmldate``.
A tool that is not installed is left out. The input is a JSON file with a list of
``{"page", "path", "charset"}``; every tool gets the page decoded in the right charset,
so that only the extraction is compared.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Finder = Callable[[str], dict[str, Any]]


def _readability() -> Finder:
    import lxml.html
    from readability import Document

    def find(html: str) -> dict[str, Any]:
        document = Document(html)
        summary = document.summary(html_partial=True)
        body = "\n".join(lxml.html.fromstring(summary).itertext()) if summary else ""
        return {"title": document.short_title(), "body": body}

    return find


def _trafilatura() -> Finder:
    from trafilatura import bare_extraction

    def find(html: str) -> dict[str, Any]:
        found = bare_extraction(html, with_metadata=True, include_comments=False)
        if found is None:
            return {}
        data = found.as_dict() if hasattr(found, "as_dict") else dict(found)
        return {
            "title": data.get("title"),
            "body": data.get("text") or "",
            "published": data.get("date"),
            "author": data.get("author"),
        }

    return find


def _newspaper4k() -> Finder:
    import newspaper

    def find(html: str) -> dict[str, Any]:
        article = newspaper.Article("http://localhost/page.html", language="zh", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        date = article.publish_date
        return {
            "title": article.title,
            "body": article.text,
            "published": date.isoformat() if date else None,
            "author": " ".join(article.authors) or None,
        }

    return find


def _justext() -> Finder:
    import justext

    def find(html: str) -> dict[str, Any]:
        # no stop list for Chinese is shipped: link density and length decide alone
        paragraphs = justext.justext(
            html, frozenset(), length_low=10, length_high=25, stopwords_low=0, stopwords_high=0
        )
        return {"body": "\n".join(p.text for p in paragraphs if not p.is_boilerplate)}

    return find


def _gne() -> Finder:
    from gne import GeneralNewsExtractor

    extractor = GeneralNewsExtractor()

    def find(html: str) -> dict[str, Any]:
        data = extractor.extract(html)
        return {
            "title": data.get("title"),
            "body": data.get("content") or "",
            "published": data.get("publish_time"),
            "author": data.get("author"),
            # it has one field for both
            "source": data.get("author"),
        }

    return find


def _htmldate() -> Finder:
    from htmldate import find_date

    def find(html: str) -> dict[str, Any]:
        return {"published": find_date(html, original_date=True, outputformat="%Y-%m-%dT%H:%M:%S")}

    return find


TOOLS: dict[str, Callable[[], Finder]] = {
    "readability-lxml": _readability,
    "trafilatura": _trafilatura,
    "newspaper4k": _newspaper4k,
    "jusText": _justext,
    "GNE": _gne,
    "htmldate": _htmldate,
}


def main(job: str) -> None:
    """Run every tool that is installed over every page of the job."""
    logging.disable(logging.CRITICAL)
    items = json.loads(Path(job).read_text(encoding="utf-8"))
    pages = [
        (item["page"], Path(item["path"]).read_bytes().decode(item["charset"], "replace"))
        for item in items
    ]
    for name, make in TOOLS.items():
        try:
            find = make()
        except ImportError as error:
            print(json.dumps({"tool": name, "missing": str(error)}), flush=True)
            continue
        for page, html in pages:
            start = time.process_time()
            try:
                found = find(html)
            except Exception as error:  # a tool that breaks on a page has found nothing
                found = {"error": f"{type(error).__name__}"}
            seconds = time.process_time() - start
            print(json.dumps({"tool": name, "page": page, "cpu": seconds, **found}, default=str))
        print(f"{name}: {len(pages)} pages", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
