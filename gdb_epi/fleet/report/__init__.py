# SPDX-License-Identifier: Apache-2.0
"""The report: one self-contained HTML page about the population (extra `report`)."""

from __future__ import annotations

from importlib import import_module

from gdb_epi.errors import EpiError

NEEDED = ("jinja2", "matplotlib")


def require() -> None:
    """Import what the page needs. Raises EpiError that names what is missing and how to get it."""
    for name in NEEDED:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            hint = "pip install 'gdb-epi[report]'"
            raise EpiError(f"{name} is not installed here", hint=hint) from error
