"""Finds duplicate Chinese news by what it reports.

The whole public API is re-exported here; heavy parts are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from toolkit.config import RunConfig, load_config
from toolkit.errors import InvalidSetting, MissingExtra, UserError
from toolkit.io import read_documents, write_jsonl
from toolkit.model import Article, Event, Kernel, PairEvidence, Phrase, Record, Span, Story

#: public name -> module that holds it
_LAZY = {
    "create_method": "toolkit.matching.method",
    "decide_pairs": "toolkit.api",
    "document_elements": "toolkit.elements.extract",
    "elements_to_file": "toolkit.api",
    "evaluate": "toolkit.evaluation.run",
    "explain_pair": "toolkit.api",
    "extract_page": "toolkit.pages.extract",
    "extract_pages": "toolkit.pages.run",
    "extract_to_file": "toolkit.pages.run",
    "method_names": "toolkit.matching.method",
    "pairs_to_file": "toolkit.api",
    "stories_from_documents": "toolkit.stories.run",
    "Store": "toolkit.store.add",
    "add_documents": "toolkit.store.add",
    "build_stories": "toolkit.stories.cluster",
    "stories_of": "toolkit.stories.run",
}
__all__ = [
    "Article", "Event", "InvalidSetting", "Kernel", "MissingExtra", "PairEvidence", "Phrase",
    "Record", "RunConfig", "Span", "Story", "UserError", "load_config", "read_documents",
    "write_jsonl", *_LAZY,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'toolkit' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
