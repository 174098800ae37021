# SPDX-License-Identifier: Apache-2.0
"""The Target protocol and its types: the only view of a process that decoders have.

Value types are NamedTuples, not dataclasses: creating a frozen slotted dataclass costs
1.3 ms at import time against 0.15 ms, and a cold triage is expected to take about 40 ms.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.machine.architecture import Architecture
from gdb_epi.machine.x86_64 import X86_64
from gdb_epi.typing_lite import Any, NamedTuple, Protocol

# Provenance of memory, from the strongest to the weakest.
DUMPED = "dumped"  # the bytes are in the core (or come from the live process)
FILE = "file"  # the core left them out; a file with the same build-id supplied them
ABSENT = "absent"  # neither the core nor a file has them
LIVE = "live"


class Region(NamedTuple):
    """One mapping of the process; the range is half-open.

    `dumped` is the number of bytes, counted from `start`, that the core file really holds.
    """

    start: int
    end: int
    perms: str
    path: str | None
    file_offset: int
    dumped: int

    @property
    def size(self) -> int:
        """Length in bytes."""
        return self.end - self.start

    @property
    def dumped_size(self) -> int:
        """How many bytes of it the core holds: a damaged core may claim more than there are."""
        return min(self.dumped, self.end - self.start)

    @property
    def dumped_end(self) -> int:
        """Where those end that the core holds."""
        return self.start + self.dumped_size

    @property
    def is_file_mapped(self) -> bool:
        """Whether a file was mapped; "[heap]" and "[stack]" are no files."""
        return (self.path or "").startswith("/")


class Thread(NamedTuple):
    """One LWP of the process, in the order in which the core lists them."""

    tid: int
    registers: Mapping[str, int]  # by the names that its architecture gives them
    name: str | None
    # Seconds in user and in kernel mode; of the thread whose tid is the pid those of all threads
    # together (fs/binfmt_elf.c, fill_prstatus). None outside of cores.
    cpu_seconds: tuple[float, float] | None = None
    architecture: Architecture = X86_64
    blocked_signals: int | None = None  # bit 0 is signal 1; None outside of cores
    vectors: tuple[int, ...] = ()  # the first eight bytes of xmm0 and so on, of cores of x86-64

    @property
    def pc(self) -> int:
        """The address of the instruction; 0 when it is not known, as for those that follow."""
        return self.registers.get(self.architecture.pc, 0)

    @property
    def sp(self) -> int:
        """The stack pointer."""
        return self.registers.get(self.architecture.sp, 0)

    @property
    def ident(self) -> int:
        """The pthread_t of glibc."""
        return self.registers.get(self.architecture.ident, 0)

    @property
    def thread_pointer(self) -> int:
        """The address from which thread-local variables are counted."""
        return self.registers.get(self.architecture.thread_pointer, 0)

    @property
    def system_call_name(self) -> str | None:
        """The name of the system call, where it is one of Architecture.calls."""
        return self.architecture.calls.get(self.registers.get(self.architecture.call, -1))

    def system_call_argument(self, number: int) -> int:
        """Return an argument of the system call, counted from 0."""
        return self.registers.get(self.architecture.arguments[number], 0)


class Module(NamedTuple):
    """One ELF object that was mapped into the process.

    `base` is what must be added to the ELF file's addresses. `build_id` comes from the process
    memory where that holds it. `file` is the path of the matching file on this machine, or an
    Absent that says why there is none (missing, or another build-id).
    """

    path: str
    base: int
    start: int
    end: int
    build_id: str | None
    file: str | Absent


# Memory that processes share: the kernel names it like a file, and no library is loaded from it.
SHARED_MEMORY = ("/dev/zero", "/SYSV")
FOREIGN_CALLS = "libffi"  # the file by which ctypes and cffi call: how its name begins


class NativeFrame(NamedTuple):
    """One native (physical or inlined) frame of a thread, innermost first."""

    pc: int
    sp: int
    function: str | None  # linkage name where there is one, never demangled
    module: str | None  # path of the mapped object
    build_id: str | None = None
    offset: int | None = None  # file offset of pc in `module` (what `exact` hashes)
    filename: str | None = None
    lineno: int | None = None
    inlined: bool = False
    kind: str = "normal"  # or "inline", "signal", "sentinel"
    # Of a sentinel: how many frames it stands for; `function` lists those that recur, with commas.
    left_out: int = 0
    # Of a function that Cython generated: the line of the .pyx file, where the C file tells it.
    pyx: str | None = None
    pyx_line: int | None = None

    @property
    def module_name(self) -> str:
        """The file name of its object, without folders; "" where no object is known."""
        return (self.module or "").rpartition("/")[2]


class CrashInfo(NamedTuple):
    """How the process died. Absent for a snapshot (gcore) without NT_SIGINFO."""

    signo: int
    si_code: int | None
    si_errno: int | None
    fault_address: int | None  # si_addr; None when the signal has none
    sender_pid: int | None
    sender_uid: int | None
    tid: int  # the thread that the kernel wrote first


class ProcessInfo(NamedTuple):
    """NT_PRPSINFO: pids, uid, comm and the first 80 bytes of the command line."""

    pid: int
    ppid: int
    uid: int
    comm: str
    psargs: str


class Truncation(NamedTuple):
    """Whether bytes that the core's own headers announce are missing from the file."""

    truncated: bool
    missing_bytes: int
    reason: str


class MemberLayout(NamedTuple):
    """One member of a C struct: byte offset and size, bit position for bit fields."""

    offset: int
    size: int
    bit_offset: int = -1
    bit_size: int = 0

    def value_in(self, struct: bytes) -> int:
        """Return the member, unsigned, out of the bytes of its struct."""
        word = int.from_bytes(struct[self.offset : self.offset + self.size], "little")
        return word >> self.bit_offset & ((1 << self.bit_size) - 1) if self.bit_size else word


class StructType(NamedTuple):
    """A C struct as debug information describes it; members by dotted path."""

    name: str
    size: int
    fields: Mapping[str, MemberLayout]


def target_noun(kind: str) -> str:
    """Return what texts call a target of this kind: a live process is no core."""
    return "process" if kind == LIVE else "core"


def get_architecture(target: Target) -> Architecture:
    """Return the architecture of a process; that of x86-64 where no thread tells."""
    threads = target.threads()
    return threads[0].architecture if threads else X86_64


class Target(Protocol):
    """A process that can be read: a core file, a live process, or a recording."""

    kind: str  # "core" | "live" | "snapshot" | "fake"
    soft_errors: list[SoftError]

    def read(self, address: int, size: int) -> bytes:
        """Return exactly `size` bytes at `address`, or raise UnreadableMemory."""

    def provenance(self, address: int, size: int = 1) -> str:
        """Return the weakest provenance over the range: dumped, file or absent."""

    def regions(self) -> Sequence[Region]:
        """Return the mappings in ascending order."""

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""

    def threads(self) -> Sequence[Thread]:
        """Return the LWPs; the first is the one that died."""

    def modules(self) -> Sequence[Module]:
        """Return the mapped ELF objects, the executable first when it is known."""

    def symbol(self, name: str) -> int | None:
        """Return the run-time address of an ELF or debug symbol, or None."""

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type from debug information, or None."""

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP, innermost first."""

    def crash(self) -> CrashInfo | Absent:
        """Return how the process died."""

    def process(self) -> ProcessInfo | Absent:
        """Return pids, uid and command."""

    def auxv(self) -> Mapping[int, int]:
        """Return the auxiliary vector (AT_* -> value); empty when absent."""

    def truncation(self) -> Truncation:
        """Return what is missing of the core file."""

    def core_key(self) -> str | Absent:
        """Return the SHA-256 (32 hex digits) of the PT_NOTE bytes."""


class MappedRegions:
    """The mappings of a target that knows them all, in ascending order."""

    _regions: Sequence[Region]
    _starts: list[int]

    def set_regions(self, regions: Sequence[Region]) -> None:
        """Take the mappings, which must ascend."""
        self._regions = regions
        self._starts = [region.start for region in regions]

    def regions(self) -> Sequence[Region]:
        """Return the mappings in ascending order."""
        return self._regions

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self._regions[index].end:
            return self._regions[index]
        return None


def module_at(target: Target, address: int) -> Module | None:
    """Return the mapped ELF object that an address lies in, its data included."""
    return next((m for m in target.modules() if m.start <= address < m.end), None)


def pid_of(target: Target) -> int | None:
    """Return the number of the process; None where the core does not say it."""
    process = target.process()
    return None if isinstance(process, Absent) else process.pid


class ModulesByAddress:
    """The mapped ELF objects of a process in order, for very many look-ups."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._modules = sorted(modules, key=lambda module: module.start)
        self._starts = [module.start for module in self._modules]

    def module_at_address(self, address: int) -> Module | None:
        """Return the object that an address lies in, its data included."""
        index = bisect_right(self._starts, address) - 1
        return self._modules[index] if index >= 0 and address < self._modules[index].end else None


def try_read(target: Target, address: int, size: int) -> bytes:
    """Return `size` bytes; b"" where not all of them can be read."""
    try:
        return target.read(address, size)
    except UnreadableMemory:
        return b""


def shared_cache(target: Target) -> dict[Any, Any] | None:
    """Return the cache that readers of a process share, under keys that they choose.

    None of a target whose memory may change, or that stands before another one and changes it.
    """
    return vars(target).get("kept")


def view_memory_in_place(target: Target, start: int, size: int) -> memoryview | None:
    """Return memory without a copy; None where a target does not have it in one piece."""
    if shared_cache(target) is None or not hasattr(target, "memory_view"):
        return None
    view: memoryview | None = target.memory_view(start, size)
    return view


def view_memory(target: Target, start: int, size: int) -> memoryview:
    """Return memory, without a copy where that can be; raise UnreadableMemory."""
    view = view_memory_in_place(target, start, size)
    return memoryview(target.read(start, size)) if view is None else view
