# SPDX-License-Identifier: Apache-2.0
"""Which function of another library a slot of the global offset table leads to, by its name.

What lies in the slot is no name: an indirect function (IFUNC: strcmp, memcpy, powf) leads to one
of several bodies, which no library exports. The relocation of the slot has the symbol.
Reference: ELF, "Relocation" and the x86-64 psABI: R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target import elf
from gdb_epi.target.api import Target
from gdb_epi.target.modules import DT_STRTAB, DT_SYMTAB, read_dynamic_section

_RELA = struct.Struct("<QQq")  # r_offset, r_info, r_addend
_GLOB_DAT, _JUMP_SLOT = 6, 7
# (table, its size in bytes)
_TABLES = ((23, 2), (7, 8))  # DT_JMPREL and DT_PLTRELSZ, DT_RELA and DT_RELASZ
MAX_TABLE = 1 << 20
MAX_NAME = 128
HEADERS = 4096  # bytes of an object in which its headers lie


class ImportedFunctions:
    """The slots of one process's objects, each object read once."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._names: dict[int, Mapping[int, str]] = {}  # of each object, by slot

    def name_of_slot(self, slot: int) -> str:
        """Return the name of the symbol whose address lies in a slot; "" where it is not known."""
        module = next((m for m in self._target.modules() if m.start <= slot < m.end), None)
        return "" if module is None else self.names_by_slot(module.start).get(slot, "")

    def names_by_slot(self, start: int) -> Mapping[int, str]:
        """Return the names of what an object that is mapped from `start` on imports, by slot."""
        if start not in self._names:
            try:
                self._names[start] = self._read_import_slots(start)
            except (UnreadableMemory, struct.error):
                self._names[start] = {}
        return self._names[start]

    def _read_import_slots(self, start: int) -> dict[int, str]:
        read = self._target.read
        image = elf.base_and_headers(read(start, HEADERS), start)
        if image is None:
            return {}
        base, segments = image
        dynamic = read_dynamic_section(self._target, base, segments)
        symbols, strings = dynamic.get(DT_SYMTAB, 0), dynamic.get(DT_STRTAB, 0)
        names = dict[int, str]()
        for table, size in _TABLES:
            at, length = dynamic.get(table, 0), min(dynamic.get(size, 0), MAX_TABLE)
            if not at or not symbols or not strings:
                continue
            at += base if at < base else 0
            rows = read(at, length // _RELA.size * _RELA.size)
            for place, info, _ in _RELA.iter_unpack(rows):
                if info & 0xFFFFFFFF not in (_GLOB_DAT, _JUMP_SLOT):
                    continue
                symbol = read(symbols + (info >> 32) * elf.SYM.size, elf.SYM.size)
                text = read(strings + elf.SYM.unpack(symbol)[0], MAX_NAME).partition(b"\0")[0]
                names[base + place] = text.decode("ascii", "replace")
        return names
