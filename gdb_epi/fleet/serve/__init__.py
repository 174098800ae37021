# SPDX-License-Identifier: Apache-2.0
"""The fleet over HTTP: the report's pages, a JSON API, metrics (extra `serve`)."""

from __future__ import annotations

from importlib import import_module

from gdb_epi.errors import EpiError

NEEDED = ("jinja2", "matplotlib", "starlette", "uvicorn", "prometheus_client")


def require() -> None:
    """Import what the server needs. Raises EpiError that names what is missing."""
    for name in NEEDED:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            hint = "pip install 'gdb-epi[serve]'"
            raise EpiError(f"{name} is not installed here", hint=hint) from error
