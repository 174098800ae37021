# SPDX-License-Identifier: Apache-2.0
"""What Python calls the C functions of an extension module that has no symbols.

An extension module lists its functions in tables that must outlast stripping: a PyMethodDef holds
the name, the C function and flags (Include/methodobject.h, 3.8 to 3.15; Cython's functions have
one each). The tables lie in the module's own data. A name is given where the function that runs,
by the unwind tables, begins at a word after a name and before flags, and all such words agree.
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.target.api import Module, Target
from gdb_epi.target.function_bounds import FunctionBounds

MAX_DATA = 8 << 20  # bytes of one module's data that are searched
MAX_NAME = 256
MAX_HITS = 64
METH_ALL = 0x3FF  # METH_VARARGS to METH_METHOD, and METH_STACKLESS


class MethodTables:
    """The method tables of the extension modules of one process; each module is read once."""

    def __init__(self, target: Target, layout: Layout) -> None:
        self._target = target
        self._reader = MemoryReader(target, layout)
        self._functions = FunctionBounds(target)
        self._extensions = [m for m in target.modules()[1:] if _may_be_extension(m)]
        self._data: dict[int, list[bytes]] = {}
        self._names: dict[int, str | None] = {}  # by start of a function

    def name(self, pc: int) -> str | None:
        """Return Python's name for the function that a native frame is in; None where it has none.

        It is the name alone, without module and class. Executables and libpython are left out.
        """
        function = self._functions.at(pc)
        if function is None or function.start == pc:
            return None  # after a call that never returns, another function may begin
        if function.start not in self._names:
            module = next((m for m in self._extensions if m.start <= pc < m.end), None)
            name = None if module is None else self._search(module, function.start)
            self._names[function.start] = name
        return self._names[function.start]

    def _search(self, module: Module, start: int) -> str | None:
        if module.start not in self._data:
            self._data[module.start] = self._read(module)
        wanted = struct.pack("<Q", start)
        names: set[str] = set()
        for section in self._data[module.start]:
            at = section.find(wanted, 8)
            for _ in range(MAX_HITS):
                if at < 0:
                    break
                name = None if at % 8 or len(section) < at + 12 else self._entry(section, at)
                if name is not None:
                    names.add(name)
                at = section.find(wanted, at + 1)
        return names.pop() if len(names) == 1 else None

    def _entry(self, section: bytes, at: int) -> str | None:
        """Return the name of a PyMethodDef whose ml_meth lies at a place of the data."""
        pointer, flags = struct.unpack_from("<Q8xI", section, at - 8)
        if not flags or flags & ~METH_ALL or not pointer:
            return None
        name = self._reader.c_string(pointer, MAX_NAME)
        return name if not isinstance(name, Absent) and name.isidentifier() else None

    def _read(self, module: Module) -> list[bytes]:
        left, parts = MAX_DATA, []
        for region in self._target.regions():
            inside = module.start <= region.start < module.end
            if not inside or "x" in region.perms or region.size > left:
                continue
            try:
                parts.append(self._target.read(region.start, region.size))
                left -= region.size
            except UnreadableMemory:
                continue
        return parts


def _may_be_extension(module: Module) -> bool:
    name = module.path.rpartition("/")[2]
    return ".so" in name and not name.startswith("libpython")
