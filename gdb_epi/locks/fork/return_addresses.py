# SPDX-License-Identifier: Apache-2.0
"""Return addresses on the stack of a thread that is gone: a heuristic native stack.

fork() does not record where the stack pointers of other threads were, so what lies below the true
one is stale. The outer part is right; the innermost entries may be of calls that had returned.
On demand only: it reads symbol tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.locks.glibc_threads import read_elf_functions
from gdb_epi.locks.types import VanishedThread
from gdb_epi.sizes import PAGE, USER_TOP, split_into_words
from gdb_epi.target.api import Module, Target, module_at
from gdb_epi.typing_lite import NamedTuple

SEARCHED = 131072  # bytes below the descriptor
MAX_ADDRESSES = 256
MAX_FILE = 256 << 20  # bytes of a file whose symbols are read


class ReturnAddress(NamedTuple):
    """One return address: where it lies, what it is, and whose code it leads into."""

    at: int
    pc: int
    module: str | None
    function: str | None
    offset: int  # bytes into the function, or into the object when no function is known


class ReturnAddressScanner:
    """Finds return addresses in the memory of stacks."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._tables: dict[str, tuple[list[int], list[tuple[int, str]]]] = {}

    def scan(self, thread: VanishedThread) -> list[ReturnAddress] | Absent:
        """Return the return addresses on a vanished thread's stack, the innermost first."""
        if thread.stack is None or thread.ident is None:
            return Absent("not_available", "its stack is not known")
        start, end = thread.stack
        top = thread.ident if start <= thread.ident < end else end
        low = max(start, top - SEARCHED)
        region = self.target.region_at(low)
        if region is None or region.dumped < top - region.start:
            return Absent("unreadable", "stack memory absent")
        addresses = []
        for at, pc in self._words_between(low, top):
            module = self._module_with_code(pc)
            if module is None or not self._follows_call(pc):
                continue
            function, offset = self._function_and_offset(module, pc)
            addresses.append(ReturnAddress(at, pc, module.path, function, offset))
        return addresses[-MAX_ADDRESSES:]

    def _words_between(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        stack = try_read(self.target, low, (high - low) & -8)
        for number, word in enumerate(split_into_words(stack)):
            if PAGE < word < USER_TOP:
                yield low + 8 * number, word

    def _module_with_code(self, pc: int) -> Module | None:
        region = self.target.region_at(pc)
        if region is None or "x" not in region.perms:
            return None
        return module_at(self.target, pc)

    def _follows_call(self, pc: int) -> bool:
        try:
            before = self.target.read(pc - 7, 7)
        except UnreadableMemory:
            return False
        # call rel32, or call r/m64 in its lengths (opcode ff, reg field 2)
        if before[2] == 0xE8:
            return True
        return any(before[7 - n] == 0xFF and before[8 - n] >> 3 & 7 == 2 for n in (2, 3, 6, 7))

    def _function_and_offset(self, module: Module, pc: int) -> tuple[str | None, int]:
        """Return (function, offset into it) by the symbols of the module's file."""
        if isinstance(module.file, Absent):
            return None, pc - module.base
        if module.file not in self._tables:
            entries = sorted(read_elf_functions(module.file, MAX_FILE))
            self._tables[module.file] = (
                [start for start, _size, _name in entries],
                [(size, name) for _start, size, name in entries],
            )
        starts, rest = self._tables[module.file]
        place = bisect_right(starts, pc - 1 - module.base) - 1
        if place >= 0:
            size, name = rest[place]
            if pc - 1 - module.base < starts[place] + size:
                return name, pc - module.base - starts[place]
        return None, pc - module.base
