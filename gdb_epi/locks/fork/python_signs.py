# SPDX-License-Identifier: Apache-2.0
"""Signs of a fork that CPython and its standard library leave: F7 to F11."""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.fork.sign_readings import CERTAIN, STRONG, ForkSignReadings
from gdb_epi.locks.fork.thread_objects import (
    ThreadObject,
    find_module_dict_of_main_interpreter,
    read_main_thread,
    read_thread_objects,
)
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, quoted_name

# Is this process a child of `multiprocessing`, and how was it started?
#
# Reference: Lib/multiprocessing/process.py (_current_process, _parent_process; 3.8 and later),
# context.py (ForkProcess, SpawnProcess, ForkServerProcess), 3.8 to 3.15.


_METHODS = {"ForkProcess": "fork", "SpawnProcess": "spawn", "ForkServerProcess": "forkserver"}
# What the command line of an exec'd lineage begins with (multiprocessing/spawn.py, forkserver.py).
_COMMANDS = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")
MAX_NAME = 512


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
        if _type_name(reader, parent) in (None, "NoneType"):
            return Absent(NOT_APPLICABLE, "multiprocessing did not start this process")
        kind = _type_name(reader, current) or "unknown"
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


def _type_name(reader: MemoryReader, address: int) -> str | None:
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


MAX_NAMED = 8  # names in one sentence
_NAMES = ("F7", "F8", "F9", "F10", "F11")


def read_python_signs(reader: ForkSignReadings) -> None:
    """Read F7 to F11; without CPython they are unreadable."""
    python = reader.python
    if isinstance(python, Absent):
        for name in _NAMES:
            reader.unreadable(name, python.detail)
        return
    try:
        memory = MemoryReader(reader.target, python.layout)
        _main_thread(reader, memory, python)
        _known_threads(reader, memory, python)
        _multiprocessing(reader, memory, python)
    except (UnreadableMemory, LayoutError) as error:
        for name in _NAMES:
            if reader.state(name) is None:
                reader.unreadable(name, str(error))
    _orphan_tstates(reader, python)


def _main_thread(reader: ForkSignReadings, memory: MemoryReader, python: PythonState) -> None:
    """F7, F8: threading._main_thread remembers the thread that forked."""
    main = read_main_thread(memory, python)
    if isinstance(main, Absent):
        say = reader.info if main.reason == NOT_APPLICABLE else reader.unreadable
        say("F7", main.detail)
        say("F8", main.detail)
        return
    _native_id(reader, main)
    if main.type_name is None:
        reader.unreadable("F8", "the type of threading's main thread cannot be read")
    elif main.type_name.rpartition(".")[2] != "_MainThread":
        reader.from_main = False
        reader.yes("F8", f"threading's main thread is of type {main.type_name}: it forked", CERTAIN)
    else:
        reader.no("F8", "threading's main thread is a _MainThread (3.13.1 and later make it one)")


def _native_id(reader: ForkSignReadings, main: ThreadObject) -> None:
    """F7: up to 3.12 os.fork() leaves the forking thread's old number in its Thread object."""
    process = reader.target.process()
    if main.native_id is None or isinstance(process, Absent):
        reader.unreadable("F7", "threading's main thread or the process has no number")
        return
    identity = f"threading's main thread has native_id {main.native_id}"
    # In a core from outside the pid namespace only glibc's own number can be compared.
    if main.native_id in (process.pid, reader.own_tid):
        reader.no(
            "F7", f"{identity}, as this process (later versions and multiprocessing refresh it)"
        )
    elif main.ident != reader.leader_base:
        reader.info("F7", f"{identity} and does not run on the main LWP: an embedded interpreter")
    elif reader.other_view and reader.own_tid is None:
        reader.unclear("F7", f"{identity}, in another view of process ids")
    else:
        reader.forker = main.native_id
        reader.old_tids.add(main.native_id)
        own = reader.own_tid or process.pid
        reader.yes("F7", f"{identity}, this process is {own}: that was the forking thread", CERTAIN)


def _known_threads(reader: ForkSignReadings, memory: MemoryReader, python: PythonState) -> None:
    """F9: Thread objects whose thread is not here."""
    if reader.generation == 0 and not reader.orphans and reader.state("F2") == "no":
        # Reading a thousand Thread objects takes a third of a second.
        reader.info("F9", "not read: glibc knows of no fork and of no thread that is not here")
        return
    threads = read_thread_objects(memory, python)
    if isinstance(threads, Absent):
        say = reader.info if threads.reason == NOT_APPLICABLE else reader.unreadable
        say("F9", threads.detail)
        return
    reader.thread_objects = threads
    gone = [thread for thread in threads if thread.ident in reader.orphans]
    shared = _with_shared_ident(reader, threads)
    if gone:
        names = ", ".join(quoted_name(thread.name or "?") for thread in gone[:MAX_NAMED])
        many = counted(len(gone), "vanished thread")
        reader.yes("F9", f"threading still knows {many}: {names}", CERTAIN)
    elif shared and reader.generation:
        names = ", ".join(quoted_name(thread.name or "?") for thread in shared[:MAX_NAMED])
        reader.yes(
            "F9",
            f"threads of this process run on the stacks of threads that are gone: {names}",
            STRONG,
        )
    else:
        reader.no("F9", "threading knows no vanished thread", STRONG)


def _with_shared_ident(
    reader: ForkSignReadings, threads: tuple[ThreadObject, ...]
) -> list[ThreadObject]:
    """Return the ended Thread objects whose ident a living thread has."""
    by_ident: dict[int, list[ThreadObject]] = {}
    for thread in threads:
        if thread.ident in reader.live and thread.ident != reader.leader_base:
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


def _orphan_tstates(reader: ForkSignReadings, python: PythonState) -> None:
    """F10: Python thread states whose thread is not in the core."""
    if not reader.all_bases_known:
        reader.unreadable("F10", "not every thread's pthread_t is known")
        return
    orphans = [t for t in python.threads() if t.ident and t.ident not in reader.live]
    if orphans:
        reader.yes(
            "F10",
            f"{len(orphans)} Python thread states have no thread: the after-fork hooks were "
            "bypassed or had not run",
            STRONG,
        )
    else:
        reader.no("F10", "every Python thread state has its thread")


def _multiprocessing(reader: ForkSignReadings, memory: MemoryReader, python: PythonState) -> None:
    """F11: a child of multiprocessing; only the start method fork inherits the program's state."""
    child = read_multiprocessing_child(memory, python)
    if isinstance(child, Absent):
        (reader.info if child.reason == NOT_APPLICABLE else reader.unreadable)("F11", child.detail)
        return
    parent = f", parent {child.parent_pid}" if child.parent_pid else ""
    says = f"multiprocessing started it by {child.method} as {child.name}{parent}"
    reader.info("F11", says)
    reader.started_by = says
