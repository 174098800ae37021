# SPDX-License-Identifier: Apache-2.0
"""The page of each finding: what it saw, what else could cause it, what to do next."""

from __future__ import annotations

import os

from gdb_epi.errors import NOT_AVAILABLE, Absent

SECTIONS = ("## What it saw", "## What else could cause it", "## What to do next")
MAX_PAGE = 1 << 20


def finding_page(name: str) -> str | Absent:
    """Return the text of a finding's page (Markdown). Absent when there is none of that name."""
    if not name.replace("_", "a").isalnum():
        return Absent(NOT_AVAILABLE, f"{name!r} is no name of a finding")
    import pkgutil

    try:
        page = pkgutil.get_data(__package__, f"docs/{name}.md")  # inside a zip archive too
    except OSError:
        page = None
    if page is None:
        return Absent(NOT_AVAILABLE, f"there is no page about {name!r}")
    return page[:MAX_PAGE].decode("utf-8")


def page_names() -> list[str]:
    """Return the names of all pages, sorted; empty inside a zip archive."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docs")
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name[:-3] for name in names if name.endswith(".md"))
