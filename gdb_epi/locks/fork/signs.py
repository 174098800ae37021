# SPDX-License-Identifier: Apache-2.0
"""Signs of a fork, and where their readings are collected.

Those that glibc leaves (F1, F2, F3, F5, F6, F15) are read without debug symbols; those of CPython
and its standard library are F7 to F11.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import (
    NOT_APPLICABLE,
    NOT_AVAILABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.fault.memory_reads import read_u32, read_u64, try_read
from gdb_epi.locks.fork.thread_objects import (
    ThreadObject,
    find_module_dict_of_main_interpreter,
    read_main_thread,
    read_thread_objects,
)
from gdb_epi.locks.glibc_threads import StackLists, ThreadDescriptor, read_stack_lists
from gdb_epi.locks.types import ForkReading
from gdb_epi.target.api import Target, pid_of, target_noun
from gdb_epi.target.libc import NOT_JUDGED, runs_on_musl
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, quoted_name

CERTAIN, STRONG, WEAK = "certain", "strong", "weak"
# Without these a fork may be missed; the others only say more about it.
_TELLING = frozenset(("F1", "F2", "F3", "F5", "F7"))
YES, NO, INFO, UNCLEAR, UNREADABLE = "yes", "no", "info", "unclear", "unreadable"
_ADD_FOUR = b"\x48\x83\x05"  # addq $imm8, disp32(%rip)
_GENERATION_STEP = 4  # fork() adds 4 to __fork_generation (glibc sysdeps/nptl/_Fork.c, fork.c)
MAX_FORK_CODE = 1024  # searched bytes of fork()
MAX_GENERATIONS = 1 << 20
MAX_NAMED = 8  # thread ids, or names, in one sentence
# Whether this process is a child of `multiprocessing`, and how it was started:
# Lib/multiprocessing/process.py (_current_process, _parent_process; 3.8 and later),
# context.py (ForkProcess, SpawnProcess, ForkServerProcess), 3.8 to 3.15.
_METHODS = {"ForkProcess": "fork", "SpawnProcess": "spawn", "ForkServerProcess": "forkserver"}
# What the command line of an exec'd lineage begins with (multiprocessing/spawn.py, forkserver.py).
_COMMANDS = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")
MAX_NAME = 512


class ForkSignReadings:
    """One process while its signs are read; each sign gets exactly one reading."""

    def __init__(self, target: Target, python: PythonState | Absent) -> None:
        self.target = target
        self.python = python
        self.threads = target.threads()
        self.live = {t.ident for t in self.threads if t.ident}
        self.readings: dict[str, ForkReading] = {}
        self.generation: int | None = None
        self.from_main: bool | None = None
        self.raw_clone = False
        self.own_tid: int | None = None  # what glibc stored for the leader
        self.other_view = False  # the core's process ids are not those that the process saw
        self.orphans: set[int] = set()  # pthread_t of threads that are not in the core
        self.old_tids: set[int] = set()
        # What threading knows; None: not read.
        self.thread_objects: tuple[ThreadObject, ...] | None = None
        self.started_by: str | None = None  # what multiprocessing says about this process
        self.forker: int | None = None  # what the forking thread was called in the parent

    @property
    def all_pthreads_known(self) -> bool:
        """Whether every LWP has a pthread_t of its own: else nothing is "not in the core"."""
        return bool(self.live) and len(self.live) == len(self.threads)

    @property
    def pid(self) -> int | None:
        """The number of the process, as the core has it."""
        return pid_of(self.target)

    @property
    def leader_pthread(self) -> int | None:
        """Return the pthread_t of the LWP that has the process's number."""
        pid = self.pid
        return next((t.ident for t in self.threads if t.tid == pid), None)

    def record_present(self, name: str, says: str, sure: str) -> None:
        """Record a sign that speaks for a fork."""
        self.readings[name] = ForkReading(name, YES, says, sure)

    def record_absent(self, name: str, says: str, sure: str = CERTAIN) -> None:
        """Record a sign that was looked at and is not there."""
        self.readings[name] = ForkReading(name, NO, says, sure)

    def record_info(self, name: str, says: str, sure: str = CERTAIN) -> None:
        """Record a reading that speaks neither for nor against a fork."""
        self.readings[name] = ForkReading(name, INFO, says, sure)

    def record_unclear(self, name: str, says: str) -> None:
        """Record a reading that has two explanations."""
        self.readings[name] = ForkReading(name, UNCLEAR, says, WEAK)

    def record_unreadable(self, name: str, why: str) -> None:
        """Record that a sign could not be looked at, and why."""
        self.readings[name] = ForkReading(name, UNREADABLE, why, "")

    def state_of_sign(self, name: str) -> str | None:
        """Return the state of a sign, or None when it was not read."""
        reading = self.readings.get(name)
        return None if reading is None else reading.state

    def signs_in_state(self, state: str) -> set[str]:
        """Return the names of the signs in a state."""
        return {reading.name for reading in self.readings.values() if reading.state == state}

    def soft_errors(self) -> list[SoftError]:
        """Return the telling signs that could not be read; `ForkEvidence.readings` has the others.

        Without CPython its signs are not missing: there is nothing to read.
        """
        telling = _TELLING - {"F7"} if isinstance(self.python, Absent) else _TELLING
        unread = (reading for reading in self.readings.values() if reading.state == UNREADABLE)
        return [SoftError("fork", r.name, r.says) for r in unread if r.name in telling]


def read_glibc_signs(reader: ForkSignReadings) -> None:
    """Read F1, F2, F3, F5, F6 and F15; other C libraries have none of them."""
    if runs_on_musl(reader.target):
        for name in ("F1", "F2", "F3", "F5", "F6", "F15"):
            reader.record_unreadable(name, NOT_JUDGED)
        return
    lists = read_stack_lists(reader.target)
    _read_fork_generation(reader, lists)
    if isinstance(lists, Absent):
        for name in ("F2", "F3", "F5", "F6"):
            reader.record_unreadable(name, f"glibc's thread lists: {lists.detail}")
    else:
        _read_stored_tid_sign(reader, lists)
        _record_vanished_threads(reader, lists)
        _record_phantom_threads(reader, lists)
        _read_forking_thread_sign(reader, lists)
    # F15: this lineage once had several threads.
    address = reader.target.symbol("__libc_single_threaded")
    value = try_read(reader.target, address, 1) if address is not None else b""
    if not value:
        reader.record_unreadable(
            "F15", "no __libc_single_threaded (glibc before 2.32, or another libc)"
        )
    elif value == b"\0" and len(reader.threads) == 1:
        reader.record_present("F15", "one thread now, but this lineage had more once", WEAK)
    elif value == b"\0":
        reader.record_info("F15", "several threads now, so what came before does not show", WEAK)
    else:
        reader.record_absent("F15", "there was never a second thread since exec", STRONG)


def _read_fork_generation(reader: ForkSignReadings, lists: StackLists | Absent) -> None:
    """F1: glibc counts fork(); a symbol names the counter before 2.34, the code of fork() since."""
    address = None if isinstance(lists, Absent) else lists.generation
    if address is None:
        address = _read_generation_counter(reader.target)
    if address is None:
        reader.record_unreadable("F1", "the code of fork() is not to be had, or has another shape")
        return
    value = read_u64(reader.target, address)
    if value is None:
        reader.record_unreadable("F1", "__fork_generation is not there")
    elif value % _GENERATION_STEP or value // _GENERATION_STEP > MAX_GENERATIONS:
        reader.record_unreadable(
            "F1", f"the word of __fork_generation is {value:#x}: not a counter"
        )
    elif value:
        reader.generation = value // _GENERATION_STEP
        reader.record_present("F1", f"glibc counts {reader.generation} fork() since exec", CERTAIN)
    else:
        reader.generation = 0
        reader.record_absent(
            "F1", "glibc counts no fork() since exec; _Fork() and raw clone are not counted"
        )


def _read_generation_counter(target: Target) -> int | None:
    for symbol in ("__libc_fork", "fork"):
        start = target.symbol(symbol)
        if start is None:
            continue
        region = target.region_at(start)
        size = min(MAX_FORK_CODE, region.end - start) if region is not None else 0
        code = try_read(target, start, size)
        at = code.find(_ADD_FOUR)
        while at >= 0:
            end = at + 8
            if len(code) >= end and code[end - 1] == _GENERATION_STEP:
                displacement = int.from_bytes(code[at + 3 : at + 7], "little", signed=True)
                return start + end + displacement
            at = code.find(_ADD_FOUR, at + 1)
    return None


def _read_stored_tid_sign(reader: ForkSignReadings, lists: StackLists) -> None:
    """F6: glibc stored a thread id that is not the LWP's."""
    at = lists.offsets["tid"]
    bases = [(thread.tid, thread.ident) for thread in reader.threads if thread.ident]
    pairs = [(tid, own) for tid, base in bases if (own := read_u32(reader.target, base + at))]
    reader.own_tid = next((stored for tid, stored in pairs if tid == reader.pid), None)
    different = [(tid, stored) for tid, stored in pairs if tid != stored]
    if not pairs:
        reader.record_unreadable("F6", "no thread's descriptor can be read")
    elif not different:
        reader.record_absent(
            "F6", f"glibc's thread ids are those of the {target_noun(reader.target.kind)}"
        )
    elif len(pairs) > 1 and len(different) == len(pairs):
        reader.other_view = True
        reader.record_unclear("F6", "no thread id of the core is the one glibc stored: the core "
                             "was taken from outside the process's pid namespace")  # fmt: skip
    else:
        _interpret_stored_tid(reader, *different[0])


def _interpret_stored_tid(reader: ForkSignReadings, tid: int, stored: int) -> None:
    """Interpret one thread whose id differs from what glibc stored for it."""
    process = reader.target.process()
    parent = None if isinstance(process, Absent) else process.ppid
    numbers = f"glibc stored thread id {stored} for LWP {tid}"
    if parent == stored and parent > 1:
        reader.raw_clone = True
        reader.forker = stored
        reader.old_tids.add(stored)
        reader.record_present(
            "F6", f"{numbers}, which is the parent's: a child of raw clone or vfork", STRONG
        )
        return
    reader.other_view = True
    reader.record_unclear(
        "F6", f"{numbers}: a child of raw clone, or a core from outside the process's pid namespace"
    )


def _record_vanished_threads(reader: ForkSignReadings, lists: StackLists) -> None:
    gone = [d for d in lists.descriptors_on("cache") if d.tid == 0 and not d.exiting]
    gone = [d for d in gone if d.address not in reader.live]
    ended = sum(d.exiting for d in lists.descriptors_on("cache"))
    if gone and reader.all_pthreads_known:
        reader.orphans |= {d.address for d in gone}
        reader.record_present(
            "F2",
            f"of {counted(len(gone), 'cached thread stack')} the thread never ran thread exit: it "
            "vanished in a fork",
            CERTAIN,
        )
    elif not lists.complete:
        reader.record_unreadable("F2", "glibc's stack lists could be followed in part only")
    else:
        reader.record_absent(
            "F2", f"no cached stack of a thread that vanished ({ended} of ended threads)"
        )


def _record_phantom_threads(reader: ForkSignReadings, lists: StackLists) -> None:
    entries = [*lists.descriptors_on("used"), *lists.descriptors_on("user")]
    ghosts = [d for d in entries if d.address not in reader.live and d.tid > 0 and not d.exiting]
    if ghosts and reader.all_pthreads_known:
        reader.orphans |= {d.address for d in ghosts}
        reader.old_tids |= {d.tid for d in ghosts}
        reader.raw_clone = reader.raw_clone or _has_id_of_parents_thread(reader, ghosts)
        tids = ", ".join(str(d.tid) for d in ghosts[:MAX_NAMED])
        reader.record_present(
            "F3",
            f"glibc lists threads that are not in the {target_noun(reader.target.kind)}, with "
            f"their old ids {tids}: a child of _Fork() or raw clone",
            CERTAIN,
        )
    elif not lists.complete:
        reader.record_unreadable("F3", "glibc's stack lists could be followed in part only")
    else:
        reader.record_absent(
            "F3", f"every thread that glibc lists is in the {target_noun(reader.target.kind)}"
        )


def _has_id_of_parents_thread(reader: ForkSignReadings, ghosts: list[ThreadDescriptor]) -> bool:
    """Tell whether the leader still has the id of a thread of the parent (raw clone)."""
    if reader.own_tid is None or reader.own_tid == reader.pid:
        return False
    reader.old_tids.add(reader.own_tid)
    return not reader.other_view or bool(ghosts)


def _read_forking_thread_sign(reader: ForkSignReadings, lists: StackLists) -> None:
    """F5: the leader's own descriptor lies on a stack made by pthread_create()."""
    base = reader.leader_pthread
    if base in {d.address for d in lists.descriptors_on("used")}:
        reader.from_main = False
        reader.record_present(
            "F5",
            "the main LWP runs on a stack of pthread_create(): forked by another thread",
            CERTAIN,
        )
    elif base in {d.address for d in lists.descriptors_on("user")}:
        reader.from_main = True
        reader.record_absent(
            "F5", "the main LWP runs on the initial stack: no fork, or one by the main thread"
        )
    else:
        reader.record_unreadable("F5", "the main LWP's descriptor is on none of glibc's lists")


class MultiprocessingChild(NamedTuple):
    """`method`: "fork", "spawn", "forkserver", or the name of the process object's class."""

    method: str
    name: str | None
    parent_pid: int | None


def read_multiprocessing_child(
    reader: MemoryReader, python: PythonState
) -> MultiprocessingChild | Absent:
    """Return what multiprocessing says about this process.

    Absent (not_applicable) when it did not start it.
    """
    objects = NamespaceReader(reader)
    contents = find_module_dict_of_main_interpreter(objects, python, "multiprocessing.process")
    if isinstance(contents, Absent):
        return contents
    try:
        parent = objects.dict_get(contents, "_parent_process")
        current = objects.dict_get(contents, "_current_process")
        if isinstance(parent, Absent) or isinstance(current, Absent):
            return Absent(NOT_AVAILABLE, "multiprocessing.process has no such variables")
        if _unqualified_type_name(reader, parent) in (None, "NoneType"):
            return Absent(NOT_APPLICABLE, "multiprocessing did not start this process")
        kind = _unqualified_type_name(reader, current) or "unknown"
        name_at = objects.attribute(current, "_name")
        name = None if isinstance(name_at, Absent) else reader.string(name_at, MAX_NAME)
        pid_at = objects.attribute(parent, "_pid")
        pid = None if isinstance(pid_at, Absent) else objects.integer(pid_at)
        return MultiprocessingChild(
            _METHODS.get(kind, kind),
            None if isinstance(name, Absent) else name,
            None if isinstance(pid, Absent) else pid,
        )
    except (UnreadableMemory, LayoutError) as error:
        return Absent(NOT_AVAILABLE, f"multiprocessing.process: {error}")


def _unqualified_type_name(reader: MemoryReader, address: int) -> str | None:
    name = reader.type_name(reader.type_of(address))
    return None if isinstance(name, Absent) else name.rpartition(".")[2]


def parse_start_method(target: Target) -> str | None:
    """Return "spawn" or "forkserver" when the command line says that this image was exec'd so."""
    process = target.process()
    if isinstance(process, Absent):
        return None
    for command in _COMMANDS:
        if command in process.psargs:
            return command.split(".")[1].split()[0]
    return None


_NAMES = ("F7", "F8", "F9", "F10", "F11")


def read_python_signs(reader: ForkSignReadings) -> None:
    """Read F7 to F11; without CPython they are unreadable."""
    python = reader.python
    if isinstance(python, Absent):
        for name in _NAMES:
            reader.record_unreadable(name, python.detail)
        return
    try:
        memory = MemoryReader(reader.target, python.layout)
        _read_main_thread_signs(reader, memory, python)
        _read_known_threads_sign(reader, memory, python)
        _read_multiprocessing_sign(reader, memory, python)
    except (UnreadableMemory, LayoutError) as error:
        for name in _NAMES:
            if reader.state_of_sign(name) is None:
                reader.record_unreadable(name, str(error))
    _read_orphan_states_sign(reader, python)


def _read_main_thread_signs(
    reader: ForkSignReadings, memory: MemoryReader, python: PythonState
) -> None:
    """F7, F8: threading._main_thread remembers the thread that forked."""
    main = read_main_thread(memory, python)
    if isinstance(main, Absent):
        say = reader.record_info if main.reason == NOT_APPLICABLE else reader.record_unreadable
        say("F7", main.detail)
        say("F8", main.detail)
        return
    _read_native_id_sign(reader, main)
    if main.type_name is None:
        reader.record_unreadable("F8", "the type of threading's main thread cannot be read")
    elif main.type_name.rpartition(".")[2] != "_MainThread":
        reader.from_main = False
        reader.record_present(
            "F8", f"threading's main thread is of type {main.type_name}: it forked", CERTAIN
        )
    else:
        reader.record_absent(
            "F8", "threading's main thread is a _MainThread (3.13.1 and later make it one)"
        )


def _read_native_id_sign(reader: ForkSignReadings, main: ThreadObject) -> None:
    """F7: up to 3.12 os.fork() leaves the forking thread's old number in its Thread object."""
    process = reader.target.process()
    if main.native_id is None or isinstance(process, Absent):
        reader.record_unreadable("F7", "threading's main thread or the process has no number")
        return
    identity = f"threading's main thread has native_id {main.native_id}"
    # In a core from outside the pid namespace only glibc's own number can be compared.
    if main.native_id in (process.pid, reader.own_tid):
        reader.record_absent(
            "F7", f"{identity}, as this process (later versions and multiprocessing refresh it)"
        )
    elif main.ident != reader.leader_pthread:
        reader.record_info(
            "F7", f"{identity} and does not run on the main LWP: an embedded interpreter"
        )
    elif reader.other_view and reader.own_tid is None:
        reader.record_unclear("F7", f"{identity}, in another view of process ids")
    else:
        reader.forker = main.native_id
        reader.old_tids.add(main.native_id)
        own = reader.own_tid or process.pid
        reader.record_present(
            "F7", f"{identity}, this process is {own}: that was the forking thread", CERTAIN
        )


def _read_known_threads_sign(
    reader: ForkSignReadings, memory: MemoryReader, python: PythonState
) -> None:
    """F9: Thread objects whose thread is not here."""
    if reader.generation == 0 and not reader.orphans and reader.state_of_sign("F2") == "no":
        # Reading a thousand Thread objects takes a third of a second.
        reader.record_info(
            "F9", "not read: glibc knows of no fork and of no thread that is not here"
        )
        return
    threads = read_thread_objects(memory, python)
    if isinstance(threads, Absent):
        say = reader.record_info if threads.reason == NOT_APPLICABLE else reader.record_unreadable
        say("F9", threads.detail)
        return
    reader.thread_objects = threads
    gone = [thread for thread in threads if thread.ident in reader.orphans]
    shared = _threads_with_shared_ident(reader, threads)
    if gone:
        names = ", ".join(quoted_name(thread.name or "?") for thread in gone[:MAX_NAMED])
        many = counted(len(gone), "vanished thread")
        reader.record_present("F9", f"threading still knows {many}: {names}", CERTAIN)
    elif shared and reader.generation:
        names = ", ".join(quoted_name(thread.name or "?") for thread in shared[:MAX_NAMED])
        reader.record_present(
            "F9",
            f"threads of this process run on the stacks of threads that are gone: {names}",
            STRONG,
        )
    else:
        reader.record_absent("F9", "threading knows no vanished thread", STRONG)


def _threads_with_shared_ident(
    reader: ForkSignReadings, threads: tuple[ThreadObject, ...]
) -> list[ThreadObject]:
    """Return the ended Thread objects whose ident a living thread has."""
    by_ident: dict[int, list[ThreadObject]] = {}
    for thread in threads:
        if thread.ident in reader.live and thread.ident != reader.leader_pthread:
            by_ident.setdefault(thread.ident or 0, []).append(thread)
    tids = {t.ident: t.tid for t in reader.threads}
    if reader.other_view:
        return []
    return [
        thread
        for ident, group in by_ident.items()
        if len(group) > 1
        for thread in group
        if thread.native_id != tids.get(ident)
    ]


def _read_orphan_states_sign(reader: ForkSignReadings, python: PythonState) -> None:
    """F10: Python thread states whose thread is not in the core."""
    if not reader.all_pthreads_known:
        reader.record_unreadable("F10", "not every thread's pthread_t is known")
        return
    orphans = [t for t in python.threads() if t.ident and t.ident not in reader.live]
    if orphans:
        reader.record_present(
            "F10",
            f"{len(orphans)} Python thread states have no thread: the after-fork hooks were "
            "bypassed or had not run",
            STRONG,
        )
    else:
        reader.record_absent("F10", "every Python thread state has its thread")


def _read_multiprocessing_sign(
    reader: ForkSignReadings, memory: MemoryReader, python: PythonState
) -> None:
    """F11: a child of multiprocessing; only the start method fork inherits the program's state."""
    child = read_multiprocessing_child(memory, python)
    if isinstance(child, Absent):
        (reader.record_info if child.reason == NOT_APPLICABLE else reader.record_unreadable)(
            "F11", child.detail
        )
        return
    parent = f", parent {child.parent_pid}" if child.parent_pid else ""
    says = f"multiprocessing started it by {child.method} as {child.name}{parent}"
    reader.record_info("F11", says)
    reader.started_by = says
