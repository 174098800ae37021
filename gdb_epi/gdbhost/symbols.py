# SPDX-License-Identifier: Apache-2.0
"""Run-time addresses of symbols, as GDB knows them."""

from __future__ import annotations

import re

import gdb

from gdb_epi.sizes import WORD_MASK

# Only plain identifiers reach GDB's expression evaluator: nothing that could call or assign.
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def gdb_symbol(name: str) -> int | None:
    """Return the address of a global, static or minimal symbol, or None."""
    if not _IDENTIFIER.match(name):
        return None
    for look_up in (_global, _static, _minimal):
        try:
            address = look_up(name)
        except (gdb.error, RuntimeError):
            continue
        if address:
            return address & WORD_MASK
    return None


def _global(name: str) -> int | None:
    return _address(gdb.lookup_global_symbol(name))


def _static(name: str) -> int | None:
    return _address(gdb.lookup_static_symbol(name))


def _address(symbol: gdb.Symbol | None) -> int | None:
    if symbol is None or symbol.needs_frame:
        return None
    value = symbol.value()
    return int(value.address) if value.address is not None else None


def _minimal(name: str) -> int | None:
    """Ask the evaluator: minimal symbols have no Python API. `&name` reads no memory."""
    value = gdb.parse_and_eval(f"&{name}")
    return int(value)
