# SPDX-License-Identifier: Apache-2.0
"""Name a code address: by a function's symbol in the matching file, else by file and distance."""

from __future__ import annotations

from gdb_epi.target.api import Module, Target

MAX_SYMBOLS = 2_000_000


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
    try:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile
    except ImportError:
        return ""
    wanted = address - module.base
    try:
        with open(module.file, "rb") as stream:
            for section in (".symtab", ".dynsym"):
                table = ELFFile(stream).get_section_by_name(section)
                if table is None or table.num_symbols() > MAX_SYMBOLS:
                    continue
                for symbol in table.iter_symbols():
                    start, size = symbol["st_value"], symbol["st_size"]
                    if start <= wanted < start + size and symbol.name:
                        return f"{symbol.name}" + (
                            f"+{wanted - start:#x}" if wanted > start else ""
                        )
    except (OSError, ELFError):
        return ""
    return ""
