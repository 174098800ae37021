# SPDX-License-Identifier: Apache-2.0
"""The pages of `epi explain` about findings and about the labels of verdicts."""

from __future__ import annotations

import os
import pkgutil
from contextlib import suppress

from gdb_epi.errors import NOT_AVAILABLE, Absent

SECTIONS = ("## What it saw", "## What else could cause it", "## What to do next")
MAX_PAGE = 1 << 20


def finding_page(name: str) -> str | Absent:
    """Return the text of a finding's page (Markdown): what it saw, other causes, what to do next.

    Absent when there is none of that name.
    """
    return _read_page(__package__, name)


def label_page(label: str) -> str | Absent:
    """Return the text about a label of verdicts (Markdown). Absent when there is none of it."""
    return _read_page("gdb_epi.judgement", label)


def _read_page(package: str, name: str) -> str | Absent:
    """Return a page of a package's docs, also from inside a zip archive."""
    page = None
    if name.replace("_", "a").replace("-", "a").isalnum():
        with suppress(OSError):
            page = pkgutil.get_data(package, f"docs/{name}.md")
    if page is None:
        return Absent(NOT_AVAILABLE, f"there is no page about {name!r}")
    return page[:MAX_PAGE].decode("utf-8")


def page_names() -> list[str]:
    """Return the names of the findings' pages, sorted; empty inside a zip archive."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docs")
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name[:-3] for name in names if name.endswith(".md"))
