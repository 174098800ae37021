# SPDX-License-Identifier: Apache-2.0
"""A thread that waits for the workers of a C library's pool, which a fork left behind.

Such pools sleep on words of their own (libgomp's barriers) or spin (OpenBLAS), so no lock is to be
seen. Two witnesses: the thread runs code of a library, and a vanished thread was started by it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import read_u64
from gdb_epi.fault.signals import SIGBUS, SIGFPE, SIGILL, SIGSEGV
from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, futex_classifier, lock_family
from gdb_epi.locks.fork.vanished_pools import OPENMP, find_vanished_native_pools
from gdb_epi.locks.glibc_threads import read_stack_lists
from gdb_epi.locks.types import LOST_WAKEUP, PROBABLE, LockOwner, LockWait
from gdb_epi.locks.waits.futex import classify_thread_activity
from gdb_epi.locks.waits.libc_lock_names import innermost_object_outside_libc
from gdb_epi.target.api import Thread

FAULTS = frozenset((SIGILL, SIGBUS, SIGFPE, SIGSEGV))  # a thread with such a signal did not hang


@futex_classifier(97)
def classify_pool_word(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """A word of no known lock, on which the code of a pool sleeps whose workers vanished."""
    if call.may_be_shared or not context.fork.forked:
        return None
    pool = _pool_whose_workers_vanished(context, thread)
    unattended = pool is None
    if pool is None:
        pool = _openmp_team_without_threads(context, thread)
    if pool is None:
        return None
    return LockGuess(f"{pool[0]} pool", event=True, unattended=unattended, evidence=(pool[1],))


@lock_family("pools")
def find_spinning_for_pool(context: LockContext, thread: Thread) -> Iterator[LockWait]:
    """Yield a wait of the only thread of a forked child that runs in a pool without its workers."""
    if not context.fork.forked or len(context.target.threads()) != 1:
        return
    activity = classify_thread_activity(context.target, thread)
    if activity.state != "running" and activity.call != "sched_yield":
        return
    crash = context.target.crash()
    if not isinstance(crash, Absent) and crash.signo in FAULTS:
        return
    pool = _pool_whose_workers_vanished(context, thread)
    if pool is None:
        return
    yield LockWait(
        tid=thread.tid,
        address=thread.pc,
        kind=f"{pool[0]} pool (spinning)",
        name=None,
        object=None,
        owner=LockOwner(state="vanished"),
        verdict=LOST_WAKEUP,
        confidence=PROBABLE,
        evidence=(
            pool[1],
            "the thread calls sched_yield"
            if activity.call
            else "the thread runs, in no system call",
            "not ruled out: the library computes in this thread alone, and needs no worker",
        ),
        timed=False,
    )


def _pool_whose_workers_vanished(context: LockContext, thread: Thread) -> tuple[str, str] | None:
    """Return (pool, evidence) when a thread runs code of a library whose workers vanished."""
    pools = find_vanished_native_pools(context.vanished)
    module = (
        innermost_object_outside_libc(context.target, thread, context.unwinder) if pools else None
    )
    if module is None or module.path not in pools:
        return None
    kind, count = pools[module.path]
    name = module.path.rpartition("/")[2]
    how = f"the thread runs code of {name}, which had started {count} of the vanished threads"
    return kind, how


def _openmp_team_without_threads(context: LockContext, thread: Thread) -> tuple[str, str] | None:
    """Return (pool, evidence) when a thread sleeps in OpenMP's code and no living thread is of it.

    A later thread of another kind (torch's own) may have reused the vanished worker's stack, so
    that nothing of the worker is left. Only OpenMP: its threads wait for their team alone.
    """
    module = innermost_object_outside_libc(context.target, thread, context.unwinder)
    if module is None or context.fork.parent_multithreaded is False:
        return None
    name = module.path.rpartition("/")[2]
    kind = next((kind for start, kind in OPENMP if name.startswith(start)), None)
    if kind is None:
        return None
    lists = read_stack_lists(context.target)
    offset = None if isinstance(lists, Absent) else lists.offsets.get("start_routine")
    if not offset:
        return None
    for base in context.pthreads_by_tid.values():
        start = read_u64(context.target, base + offset) if base else None
        if start is None or module.start <= start < module.end:
            return None
    return kind, f"the thread sleeps in code of {name}, which has started no thread that lives"
