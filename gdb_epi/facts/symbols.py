# SPDX-License-Identifier: Apache-2.0
"""Exported symbols only: a name that is not exported is not searched for in debug files.

`Target.symbol` falls back to every .symtab, which takes 0.1 s when an old glibc lacks a name.
"""

from __future__ import annotations

from gdb_epi.target.api import Target


def exported(target: Target, name: str) -> int | None:
    """Return the run-time address of a dynamic symbol, or None."""
    lookup = getattr(target, "dynamic_symbol", None) or target.symbol
    found: int | None = lookup(name)
    return found
