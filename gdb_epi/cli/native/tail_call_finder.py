# SPDX-License-Identifier: Apache-2.0
"""The functions that a tail call left between two frames, as GDB infers them.

As call_site_find_chain() of GDB (dwarf2/loc.c): from what was called by all jumps that debug
information names to the function that runs. There are none unless every jump on the way is to
a known function, and none without debug information of the caller. GDB is asked where several ways
exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gdb_epi.cli.native.dwarf.debug_names import CallSite, DebugNames, FunctionCalls, find_entry_pc
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Target, try_read
from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.gdb_like_unwinder import GdbNeeded, WalkedFrame
from gdb_epi.target.symbols import symbol_tables, symbols_with_prefix
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.decode import decode
from gdb_epi.x86.instruction import CALL, REGISTERS

MAX_JUMPS = 500  # that are looked at between two frames
_LOCAL = 0
# Names that the kernel's own library has too: which one GDB takes is not known here.
_OF_VDSO = ("clock_gettime", "gettimeofday", "time", "getcpu", "clock_getres", "getrandom")


class FileLoadedByGdb(NamedTuple):
    """A file that GDB has loaded; `names` reads its debug information, None where it has none."""

    base: int
    files: tuple[ElfFile, ...]  # itself, and that of its debug information
    names: Callable[[], DebugNames] | None


class TailCallFinder:
    """Find the tail calls of a process; `file_at` finds the one of `loaded` at an address."""

    def __init__(
        self, loaded: Sequence[FileLoadedByGdb], file_at: Callable[[int], FileLoadedByGdb | None]
    ) -> None:
        self._loaded = loaded
        self._file_at = file_at
        self._symbols: dict[str, int | None] = {}

    def jumps_between(self, caller: int, callee: int, callee_start: int) -> list[int]:
        """Return the addresses just after the jumps from the call to the callee, in order.

        `callee_start` is where its function begins where no debug information tells. Raises
        GdbNeeded.
        """
        first = self._call_site(caller)
        if first is None:
            return []
        callee_file, start, is_told = self._find_function(callee)
        callee_start = start if is_told else callee_start
        seen: set[int] = set()
        has_several_ways = False
        candidates: list[list[int]] = []
        todo: list[tuple[CallSite, int, list[int]]] = [first]
        while todo:
            site, base, jumps_so_far = todo.pop()
            targets = self._call_targets(site, base)
            if targets is None:
                return []
            for target in targets:
                if target == callee_start:
                    candidates.append(jumps_so_far)
                    continue
                loaded, start, is_told = self._find_function(target)
                if not is_told or start != target or loaded is None or loaded.names is None:
                    if loaded is callee_file and jumps_so_far:
                        raise GdbNeeded("a jump in a file without debug information")
                    return []
                for jump in self._function_calls(loaded, target).jumps:
                    pc = loaded.base + jump.pc
                    if pc in seen:
                        has_several_ways = True
                        continue
                    seen.add(pc)
                    todo.append((jump, loaded.base, [*jumps_so_far, pc]))
            if len(seen) > MAX_JUMPS:
                raise GdbNeeded("many jumps")
        if not candidates:
            return []
        if len(candidates) > 1 or has_several_ways:
            raise GdbNeeded("several ways to a function")
        return candidates[0]

    def _call_site(self, caller: int) -> tuple[CallSite, int, list[int]] | None:
        """Return the call that returns to an address."""
        loaded = self._file_at(caller - 1)
        if loaded is None or loaded.names is None:
            return None
        names = loaded.names()
        function = names.function_at_place(caller - 1 - loaded.base)
        if function is None:
            return None
        site = names.calls_of_function(function).sites.get(caller - loaded.base)
        return None if site is None else (site, loaded.base, [])

    def _find_function(self, address: int) -> tuple[FileLoadedByGdb | None, int, bool]:
        """Return the file of an address, and where its function begins, if known."""
        loaded = self._file_at(address)
        if loaded is None or loaded.names is None:
            return loaded, 0, False
        function = loaded.names().function_at_place(address - loaded.base)
        if function is None:
            return loaded, 0, False
        return loaded, loaded.base + find_entry_pc(function), True

    def _function_calls(self, loaded: FileLoadedByGdb, address: int) -> FunctionCalls:
        names = None if loaded.names is None else loaded.names()
        function = None if names is None else names.function_at_place(address - loaded.base)
        if names is None or function is None:
            raise GdbNeeded("a function of which nothing is told")
        return names.calls_of_function(function)

    def _call_targets(self, site: CallSite, base: int) -> list[int] | None:
        """Return the addresses that a call may go to; None when they are not known to GDB."""
        if site.name is not None:
            address = self._symbol_address(site.name)
            return None if address is None else [address]
        return [base + address for address in site.addresses] or None

    def _symbol_address(self, name: str) -> int | None:
        """Return the address that GDB has for a name; None when it has none. Raises GdbNeeded."""
        if name in _OF_VDSO:
            raise GdbNeeded("a name that the kernel's library has too")
        if name not in self._symbols:
            values: set[tuple[int, bool]] = set()
            defining = []  # files with symbols of the name that are not local
            for loaded in self._loaded:
                of_file = set[tuple[int, bool]]().union(
                    *(_symbol_values(f, name) for f in loaded.files)
                )
                values |= {(loaded.base + value, is_local) for value, is_local in of_file}
                if not all(is_local for _, is_local in of_file):
                    defining.append(loaded)
            addresses = {value for value, is_local in values if not is_local}
            addresses = addresses or {value for value, _ in values}
            if len(addresses) > 1:
                if len(defining) != 1:
                    raise GdbNeeded("several functions of one name")
                addresses = {_address_of_versioned_name(defining[0], name)}
            self._symbols[name] = addresses.pop() if addresses else None
        return self._symbols[name]


def _address_of_versioned_name(loaded: FileLoadedByGdb, name: str) -> int:
    """Return the address that GDB has for a name of which a file has several versions.

    GDB asks a file of debug information before the file itself (add_separate_debug_objfile()). Of
    a .symtab it takes `name@VERSION` for `name` as well as `name@@VERSION` (elf_symtab_read(): only
    dynamic symbols are marked as hidden), and a bucket of its table begins with the symbol that
    lies highest (build_minimal_symbol_hash_tables()). Raises GdbNeeded.
    """
    if len(loaded.files) > 1:
        versions = {
            *_symbol_values(loaded.files[-1], name),
            *_symbol_values(loaded.files[-1], name, b"@"),
        }
        places = [value for value, is_local in versions if not is_local]
        if places:
            return loaded.base + max(places)
    raise GdbNeeded("several functions of one name")


def _symbol_values(file: ElfFile, name: str, behind: bytes = b"\0") -> set[tuple[int, bool]]:
    """Return the values of the symbols of a name, and whether they are local.

    `behind` is the text after the name in the table of names.
    """
    wanted = name.encode() + behind
    symbols = (
        row for table in symbol_tables(file) for row in symbols_with_prefix(file, table, wanted)
    )
    return {(value, info >> 4 == _LOCAL) for info, value in symbols}


# -- Between which two frames GDB can show no tail calls -------------------------------------------
# A function that jumps to another one leaves no frame; GDB looks for a single chain of jumps that
# leads from what the caller called to the function that runs (dwarf2/loc.c, call_site_find_chain).
# There is none when the caller called that very function, and none is looked for when it called
# through a pointer, whose value is gone, or has no debug information. All else GDB has to say.

_DIRECT = 0xE8
_DIRECT_SIZE = 5
_INDIRECT_SIZES = (2, 3, 4, 6, 7)
MAX_FUNCTION = 1 << 18  # bytes that are looked through
# mov REGISTER, [rip + displacement], of 64 bits
_RELATIVE_LOAD = re.compile(rb"([\x48\x4c])\x8b([\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(?s:(....))")
_ENDBR64, _BND, _JUMP_THROUGH = b"\xf3\x0f\x1e\xfa", b"\xf2", b"\xff\x25"


class ImpossibleTailCalls:
    """What is known about the calls of one process."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loads: dict[int, frozenset[int]] = {}

    def is_impossible(self, caller: WalkedFrame, callee: WalkedFrame) -> bool:
        """Tell whether no chain of jumps can have led from a frame's call to the next frame."""
        longest = max(_INDIRECT_SIZES)
        try:
            code = self._target.read(caller.pc - longest, longest)
            if code[-_DIRECT_SIZE] == _DIRECT:
                return callee.start in _targets_of_direct_call(
                    self._target, caller.pc, code[1 - _DIRECT_SIZE :]
                )
            for size in _INDIRECT_SIZES:
                insn = decode(code[-size:])
                if insn is None or insn.flow != CALL or insn.length != size:
                    continue
                if insn.memory is not None:
                    return not insn.memory.rip_relative
                number = (
                    REGISTERS.index(insn.target_register)
                    if insn.target_register in REGISTERS
                    else -1
                )
                return number not in self._registers_with_function_address(caller)
        except UnreadableMemory:
            pass
        return False

    def _registers_with_function_address(self, frame: WalkedFrame) -> frozenset[int]:
        """Return the registers into which a function loads the address of another one.

        So -fno-plt calls what the compiler knows by name; then GDB knows it too. -1 is there
        where the code cannot be looked through.
        """
        if frame.start is None:
            return frozenset((-1,))
        size = frame.pc - frame.start
        if not 0 < size <= MAX_FUNCTION:
            return frozenset(range(-1, len(REGISTERS)))
        loads = self._loads.get(frame.pc)
        if loads is None:
            code = self._target.read(frame.start, size)
            loads = frozenset((-1, *self._function_addresses_loaded(frame.start, code)))
            self._loads[frame.pc] = loads
        return loads

    def _function_addresses_loaded(self, start: int, code: bytes) -> Iterator[int]:
        for match in _RELATIVE_LOAD.finditer(code):
            slot = _relative_target(start + match.end(), match.group(3))
            value = int.from_bytes(try_read(self._target, slot, WORD), "little")
            region = self._target.region_at(value)
            if region is not None and "x" in region.perms:
                yield (match.group(2)[0] >> 3 & 7) | (match.group(1)[0] & 4) << 1


def _targets_of_direct_call(target: Target, caller: int, displacement: bytes) -> tuple[int, ...]:
    """Return what a call names, and where the linkage table's jump there leads."""
    named = _relative_target(caller, displacement)
    code = target.read(named, 16)
    at = len(_ENDBR64) if code.startswith(_ENDBR64) else 0
    at += code.startswith(_BND, at)
    if not code.startswith(_JUMP_THROUGH, at):
        return (named,)
    behind = at + len(_JUMP_THROUGH) + 4
    slot = _relative_target(named + behind, code[behind - 4 : behind])
    return named, int.from_bytes(target.read(slot, WORD), "little")


def _relative_target(behind: int, displacement: bytes) -> int:
    return behind + int.from_bytes(displacement, "little", signed=True) & WORD_MASK
