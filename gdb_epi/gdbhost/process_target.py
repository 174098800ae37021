# SPDX-License-Identifier: Apache-2.0
"""GdbProcessTarget: a live process, or a core without its file, as GDB alone sees it."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property

import gdb

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.gdbhost.debug_info import symbol_address, type_layout
from gdb_epi.gdbhost.native_unwinder import GdbUnwinder, threads_by_lwp
from gdb_epi.gdbhost.procfs import (
    LocalProcFolder,
    RemoteProcFolder,
    mapped_modules,
    process_auxv,
    process_info,
    process_regions,
)
from gdb_epi.gdbhost.selection import restore_selection_afterwards
from gdb_epi.machine import AARCH64, X86_64, Architecture
from gdb_epi.sizes import PAGE, WORD_MASK
from gdb_epi.target.api import (
    ABSENT,
    DUMPED,
    FILE,
    CrashInfo,
    Module,
    NativeFrame,
    ProcessInfo,
    Region,
    StructType,
    Thread,
    Truncation,
)
from gdb_epi.target.core_notes import CORE_SIGNALS, FAULT_SIGNALS
from gdb_epi.target.derived_registers import add_derived_registers

MAX_READ = 1 << 30  # one read() call
MAX_CACHED_READ = 16 * PAGE  # longer reads go to GDB in one piece
MAX_CACHED_PAGES = 65_536
_BY_GDB = (2, 19)  # Ctrl-C and SIGSTOP: by these GDB stops a process to examine it


class GdbProcessTarget:
    """A stopped process seen through GDB; valid until it runs again.

    `proc` is None where only memory and registers are available. It also serves a core whose file
    cannot be read: its memory is then never more than "file", because GDB does not tell dumped
    bytes from others.
    """

    def __init__(
        self, inferior: gdb.Inferior, *, kind: str, proc: LocalProcFolder | None, lwp: int
    ) -> None:
        self.kind = kind
        self.soft_errors: list[SoftError] = []
        self._inferior = inferior
        self._proc = proc
        self._stopped_lwp = lwp
        self._pages: dict[int, bytes | None] = {}
        self._regions: Sequence[Region] | None = None
        self._threads: Sequence[Thread] | None = None
        self._modules: Sequence[Module] | None = None

    # -- memory ---------------------------------------------------------------------------

    def read(self, address: int, size: int) -> bytes:
        """Return exactly `size` bytes at `address`, or raise UnreadableMemory."""
        if not 0 <= size <= MAX_READ or not 0 <= address <= WORD_MASK + 1 - size:
            raise UnreadableMemory(address, size, "outside of the address space")
        if size > MAX_CACHED_READ:
            content = self._read_from_gdb(address, size)
            if content is None:
                raise UnreadableMemory(address, size, "GDB cannot read it")
            return content
        first = address & -PAGE
        pages = []
        for page in range(first, address + size, PAGE):
            if page not in self._pages:
                if len(self._pages) >= MAX_CACHED_PAGES:
                    self._pages.clear()
                self._pages[page] = self._read_from_gdb(page, PAGE)
            content = self._pages[page]
            if content is None:
                raise UnreadableMemory(max(address, page), size, "GDB cannot read it")
            pages.append(content)
        return b"".join(pages)[address - first : address - first + size]

    def _read_from_gdb(self, address: int, size: int) -> bytes | None:
        try:
            return bytes(self._inferior.read_memory(address, size))
        except (gdb.error, OverflowError):
            return None

    def provenance(self, address: int, size: int = 1) -> str:
        """Return "dumped" for readable memory of a live process, "file" for a core's."""
        try:
            self.read(address, size)
        except UnreadableMemory:
            return ABSENT
        return DUMPED if self.kind == "live" else FILE

    def regions(self) -> Sequence[Region]:
        """Return the mappings of the process; empty where nobody has them."""
        if self._regions is None:
            self._regions = process_regions(self._proc, self.soft_errors)
        return self._regions

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""
        regions = self.regions()
        index = bisect_right(regions, address, key=lambda region: region.start) - 1
        return regions[index] if index >= 0 and address < regions[index].end else None

    # -- threads --------------------------------------------------------------------------

    def threads(self) -> Sequence[Thread]:
        """Return the LWPs, the one that stopped the process first."""
        if self._threads is None:
            with restore_selection_afterwards():
                threads = [
                    self._thread_from_gdb(*lwp_and_thread)
                    for lwp_and_thread in threads_by_lwp().items()
                ]
            threads.sort(key=lambda thread: (thread.tid != self._stopped_lwp, thread.tid))
            self._threads = threads
        return self._threads

    def _thread_from_gdb(self, lwp: int, thread: gdb.InferiorThread) -> Thread:
        try:
            thread.switch()
            # The architecture of the process; that of x86-64 for one that is not read
            name = gdb.newest_frame().architecture().name()
            machine = AARCH64 if name.startswith("aarch64") else X86_64
            registers = _registers(gdb.newest_frame(), machine)
        except gdb.error as error:  # a running thread, or one without registers in the core
            self.soft_errors.append(SoftError("threads", f"thread {lwp}", str(error)))
            return Thread(lwp, {}, thread.name)
        made = Thread(lwp, registers, thread.name, None, machine)
        return add_derived_registers(self, (made,))[0]

    @cached_property
    def unwinder(self) -> GdbUnwinder:
        """GDB's unwinder over the modules of this process."""
        region_at = self.region_at if self.regions() else None
        return GdbUnwinder(self, self.soft_errors, region_at)

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP from GDB's unwinder, innermost first."""
        return self.unwinder.frames(tid)

    def crash(self) -> CrashInfo | Absent:
        """Return the signal that stopped the process. Absent when it is not a fatal one."""
        thread = threads_by_lwp().get(self._stopped_lwp)
        if thread is None:
            return Absent(NOT_AVAILABLE, "no thread")
        with restore_selection_afterwards():
            try:
                thread.switch()
                return _crash_info_from_siginfo(gdb.parse_and_eval("$_siginfo"), self._stopped_lwp)
            except gdb.error as error:
                return Absent(NOT_AVAILABLE, f"GDB has no $_siginfo: {error}")

    # -- objects and the process ------------------------------------------------------------

    def modules(self) -> Sequence[Module]:
        """Return the mapped ELF objects, the executable first; empty without mappings."""
        if self._modules is None:
            self._modules = mapped_modules(self._proc, self.regions(), self.read, self.auxv())
        return self._modules

    def loaded_build_id(self, module: Module) -> str | None:
        """Return the build-id of the file that GDB has loaded for an object, or None."""
        return self.unwinder.loaded_build_id_of(module, self.regions())

    def symbol(self, name: str) -> int | None:
        """Return the run-time address of a symbol that GDB knows, or None."""
        return symbol_address(name)

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type from the debug information that GDB has, or None."""
        return type_layout(name)

    def process(self) -> ProcessInfo | Absent:
        """Return pids, uid and command."""
        return process_info(self._proc)

    def auxv(self) -> Mapping[int, int]:
        """Return the auxiliary vector; empty where nobody has it."""
        return process_auxv(self._proc)

    def truncation(self) -> Truncation:
        """Return that nothing is known to be missing."""
        return Truncation(False, 0, "")

    def core_key(self) -> str | Absent:
        """Return Absent: there is no core file to identify."""
        if self.kind == "live":
            return Absent(NOT_APPLICABLE, "a live process has no core")
        return Absent(NOT_AVAILABLE, "the core file cannot be read")


def _registers(frame: gdb.Frame, machine: Architecture) -> dict[str, int]:
    """Return the registers that GDB has; a stub calls some by other names."""
    names = {name: name for name in (*machine.registers, machine.thread_pointer)}
    if "pstate" in names:
        names["pstate"] = "cpsr"
    long = gdb.lookup_type("unsigned long")
    registers = {}
    for name, theirs in names.items():
        try:
            registers[name] = int(frame.read_register(theirs).cast(long)) & WORD_MASK
        except (gdb.error, ValueError):
            continue  # another architecture, or not saved
    return registers


def _crash_info_from_siginfo(siginfo: gdb.Value, lwp: int) -> CrashInfo | Absent:
    """Decode siginfo_t as GDB describes it (gdb/linux-tdep.c, linux_get_siginfo_type)."""
    signo, code = int(siginfo["si_signo"]), int(siginfo["si_code"])
    if signo not in CORE_SIGNALS:
        stopped = "GDB stopped it" if signo in _BY_GDB else f"it got signal {signo}"
        return Absent(NOT_APPLICABLE, f"the process runs; {stopped}")
    if signo == 5:  # a breakpoint, a step, or the stop after execve(), whose code is 0
        return Absent(NOT_APPLICABLE, "stopped by a breakpoint or a step")
    address = pid = uid = None
    fields = siginfo["_sifields"]
    if code <= 0:
        pid, uid = (int(fields["_kill"][name]) for name in ("si_pid", "si_uid"))
    elif signo in FAULT_SIGNALS:
        address = int(fields["_sigfault"]["si_addr"]) & WORD_MASK
    return CrashInfo(signo, code, int(siginfo["si_errno"]), address, pid, uid, lwp)


def proc_folder(inferior: gdb.Inferior) -> LocalProcFolder | None:
    """Return /proc of a process under this GDB or under a gdbserver on Linux, else None."""
    connection = inferior.connection
    if connection is None:
        return None
    if connection.type == "native":
        return LocalProcFolder(inferior.pid) if os.path.isdir(f"/proc/{inferior.pid}") else None
    if connection.type not in ("remote", "extended-remote"):
        return None
    file = gdb.current_progspace().filename
    proc = RemoteProcFolder(inferior.pid, file.removeprefix("target:") if file else None)
    try:
        # Another system, or a stub without files, sends nothing; the error text is not ours.
        return proc if b"-" in proc.read("maps")[:64] else None
    except OSError:
        return None
