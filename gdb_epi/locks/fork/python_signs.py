# SPDX-License-Identifier: Apache-2.0
"""Signs of a fork that CPython and its standard library leave: F7 to F11."""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.paged_reader import PagedReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.fork.multiprocessing_child import read_multiprocessing_child
from gdb_epi.locks.fork.sign_readings import CERTAIN, STRONG, ForkSignReadings
from gdb_epi.locks.fork.thread_objects import ThreadObject, read_main_thread, read_thread_objects
from gdb_epi.util import counted, quoted_name

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
        memory = PagedReader(reader.target, python.layout)
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
