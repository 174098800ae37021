# SPDX-License-Identifier: Apache-2.0
"""The fleet over HTTP: the report's pages, a JSON API, metrics (extra `serve`).

`answers` asks the questions; `app` has the routes, says who may do what, and keeps answers for one
state of the database. Their contents belong to `questions` and `report`.
"""

from __future__ import annotations

from gdb_epi.fleet.require_extra import require_extra

NEEDED = ("jinja2", "matplotlib", "starlette", "uvicorn", "prometheus_client")


def require_server_packages() -> None:
    """Import what the server needs. Raises EpiError that names what is missing."""
    require_extra("serve", NEEDED)
