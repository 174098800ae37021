# SPDX-License-Identifier: Apache-2.0
"""The report: one self-contained HTML page about the population (extra `report`).

`gather` asks the database everything, `page` holds the answers as values, `html` and `plots` turn
them into markup. What the answers are belongs to `questions`.
"""

from __future__ import annotations

from gdb_epi.fleet.require_extra import require_extra

NEEDED = ("jinja2", "matplotlib")


def require_report_packages() -> None:
    """Import what the page needs. Raises EpiError that names what is missing and how to get it."""
    require_extra("report", NEEDED)
