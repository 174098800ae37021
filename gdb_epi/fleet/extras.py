# SPDX-License-Identifier: Apache-2.0
"""Packages that only some of the fleet's verbs need."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from gdb_epi.errors import EpiError


def require_extra(extra: str, names: Sequence[str]) -> None:
    """Import what an extra of the package brings. Raises EpiError that says how to get it."""
    for name in names:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            hint = f"pip install 'gdb-epi[{extra}]'"
            raise EpiError(f"{name} is not installed here", hint=hint) from error
