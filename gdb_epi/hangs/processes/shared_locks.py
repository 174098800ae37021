# SPDX-License-Identifier: Apache-2.0
"""A lock that processes share, held by the thread that waits for the end of a child.

A Lock or RLock of multiprocessing counts how often this process has taken it, and which thread was
the last (Modules/_multiprocessing/semaphore.c: count, last_tid; 3.8 to 3.15). How many wait for it,
in all processes, stands beside its value (sem_t of glibc and musl), where that memory was dumped:
the kernel leaves it out where the semaphore still has a name, as with spawn and forkserver. There
the code tells whether a Process was given it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import HANG, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted

MAX_CONSTANTS = 4096
_CODE = "code"
_ENDS = frozenset(("store", "pop"))  # of a statement
_PROCESS = "Process"


def diagnose_lock_held_while_joining(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer of a thread that joins a child and has a lock that children may want.

    None where it has none, and where nobody waits for what it has.
    """
    for frame in activity.frames if not activity.timed else ():
        named = _semlocks_by_name(context, frame)
        for lock in dict.fromkeys(named.values()):
            if not _was_last_taken_by(context, activity.tid, lock):
                continue
            waiting = _count_waiters(context, lock)
            if waiting == 0:
                continue
            names = {name for name, at in named.items() if at == lock}
            name = next((f" (`{name}`)" for name in sorted(names) if name), "")
            clause = f"meanwhile it holds a lock that processes share{name}"
            passed = waiting is None and _is_passed_to_process(context, frame, names)
            all_wait = bool(waiting) and (waiting or 0) >= len(
                context.descriptors.multiprocessing_children
            )
            if waiting:
                clause += (
                    f", and {counted(waiting, 'thread')} of other processes "
                    f"{'wait' if waiting > 1 else 'waits'} for it"
                )
                seen = f"the semaphore itself says how many wait for it: {waiting}"
            elif passed:
                clause += ": a child that was given it and waits for it never ends"
                seen = f"the code of {frame.name}() gives it to a Process"
            else:
                clause += ": a child that waits for it never ends"
                seen = "the lock itself says that this thread has taken it"
            doubt = "whether the child wants that lock is not in this core: look at its own"
            return wait_diagnosis(
                HANG, "child", f"{waits}; {clause}", activity,
                PROBABLE if all_wait or passed else INFO, evidence=(seen,),
                ruled_out=("a timeout",), doubts=(doubt,),
            )  # fmt: skip
    return None


def _semlocks_by_name(context: HangContext, frame: PyFrame) -> dict[str, int]:
    """Return the SemLock (PyObject *) behind variables of a frame, and behind its `with` blocks."""
    view, named = context.view, dict[str, int]()
    managers: list[int] = []
    with suppress(UnreadableMemory, LayoutError):
        managers = view.slots.context_managers(frame)
    for name, word in (*view.variable_addresses(frame), *(("", at) for at in managers)):
        if word & 7:
            continue
        inner = view.attribute(word, "_lock") or word
        lock = view.attribute(inner, "_semlock")
        if lock:
            named.setdefault(name, lock)
    return named


def _was_last_taken_by(context: HangContext, tid: int, address: int) -> bool:
    """Tell whether a thread was the last to take a lock, and has not given it back."""
    lock = context.view.locks.lock_at(address)
    return lock is not None and lock.kind == SEMLOCK and times_taken_by(context, tid, address) > 0


def times_taken_by(context: HangContext, tid: int, semlock: int) -> int:
    """Return how often a thread, the last to take a SemLock, has yet to give it back.

    0 for another thread, and for a semaphore with several places, which others release: so does a
    queue that counts its room by one. Reference: Modules/_multiprocessing/semaphore.c.
    """
    reader = context.view.reader
    if reader.layout.offset("SemLockObject", "last_tid") is None:
        return 0
    count, most = (reader.field32(semlock, "SemLockObject", n) for n in ("count", "maxvalue"))
    owner = reader.field(semlock, "SemLockObject", "last_tid")
    thread = next((x for x in context.python.threads() if x.ident == owner and x.alive), None)
    return count if most == 1 and thread is not None and thread.tid == tid else 0


def _count_waiters(context: HangContext, address: int) -> int | None:
    """Return how many threads, of all processes, wait for a SemLock; None where it is not there."""
    lock = context.view.locks.lock_at(address)
    return None if lock is None else read_u32(context.target, lock.start + 4)


def _is_passed_to_process(context: HangContext, frame: PyFrame, names: set[str]) -> bool:
    """Tell whether code of a function, or what it defines, makes a Process with one of some names.

    What is loaded after `Process`, in the same statement, are its arguments.
    """
    with suppress(UnreadableMemory, LayoutError, IndexError):
        for code in nested_codes(context, frame.code):
            is_argument = False
            for _, does, name in context.call_sites.names_used_by_instructions(code):
                if does in _ENDS:
                    is_argument = False
                elif name == _PROCESS:
                    is_argument = True
                elif is_argument and name and name in names:
                    return True
    return False


def nested_codes(context: HangContext, code: int) -> Iterator[int]:
    """Yield a code object and those of the functions and comprehensions in it."""
    yield code
    reader = context.view.reader
    constants = reader.field(code, "PyCodeObject", "co_consts")
    for at in ContainerReader(reader).tuple_items(constants)[:MAX_CONSTANTS]:
        if context.view.type_name(at) == _CODE:
            yield at
