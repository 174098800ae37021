# SPDX-License-Identifier: Apache-2.0
"""Name a code address: by a function's symbol in the matching file, else by file and distance.

Exported symbols only: a name that is not exported is not searched for in debug files.

`Target.symbol` falls back to every .symtab, which takes 0.1 s when an old glibc lacks a name.
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.target.api import Module, Target
from gdb_epi.target.files import open_elf
from gdb_epi.target.symtab import symbol_covering


def function_at(target: Target, address: int) -> str:
    """Return `name`, `name+0x12`, `file+0x345` or the bare address.

    Only symbols that cover the address count; in a stripped file the nearest one below
    says nothing.
    """
    for module in target.modules():
        if module.start <= address < module.end:
            name = _symbol(module, address)
            base = module.path.rpartition("/")[2]
            return name or f"{base}+{address - module.base:#x}"
    return f"{address:#x}"


def _symbol(module: Module, address: int) -> str:
    if not isinstance(module.file, str):
        return ""
    file = open_elf(module.file)
    if isinstance(file, Absent):
        return ""
    wanted = address - module.base
    found = symbol_covering(file, wanted)
    if found is None:
        return ""
    name, start = found
    return f"{name}+{wanted - start:#x}" if wanted > start else name


def exported(target: Target, name: str) -> int | None:
    """Return the run-time address of a dynamic symbol, or None."""
    lookup = getattr(target, "dynamic_symbol", None) or target.symbol
    found: int | None = lookup(name)
    return found
