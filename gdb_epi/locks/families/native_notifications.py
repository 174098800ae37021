# SPDX-License-Identifier: Apache-2.0
"""Futex words by which native code waits to be woken, and words of its mutexes, told by names.

Rust's std, tokio, parking_lot and abseil sleep in futex(2) themselves, on words of their own. What
the words hold differs by version; what the functions are called tells whether a thread waits for a
lock, which somebody has, or is parked until somebody wakes it.
"""

from __future__ import annotations

from itertools import islice

from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, futex_classifier
from gdb_epi.locks.types import NATIVE_NOTIFICATION
from gdb_epi.locks.waits.libc_lock_names import describe_caller_of_system_call, frames_outside_libc
from gdb_epi.target.api import Thread
from gdb_epi.target.symbols import symbolize

MAX_FRAMES = 12
MAX_NAMED = 5  # functions outside the C library that are checked
# Parts of the names of functions, as the compiler wrote them. A lock's slow path may park too.
_LOCKS = ("lock_contended", "lock_slow", "lock_exclusive", "lock_shared", "read_contended",
          "write_contended", "LockSlow")  # fmt: skip
_PARKS = ("park", "Parker", "Condvar", "condition_variable", "CondVar", "wait_until", "Notify",
          "Latch", "Semaphore", "KernelTimeout", "Waiter")  # fmt: skip


@futex_classifier(98)
def classify_native_notification(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """A word of no known lock on which native code sleeps by a system call of its own."""
    if call.may_be_shared or describe_caller_of_system_call(context.target, thread) is None:
        return None
    names, file = [], ""
    frames = islice(context.unwinder.walk(thread.registers), MAX_FRAMES)
    for pc, module in frames_outside_libc(context.target, frames):
        file = file or module.path.rpartition("/")[2]
        names.append(symbolize(context.target, pc))
        if len(names) == MAX_NAMED:
            break
    for parts, is_event in ((_LOCKS, False), (_PARKS, True)):
        meant = next((name for name in names if any(part in name for part in parts)), None)
        if meant is not None:
            kind = NATIVE_NOTIFICATION if is_event else "native lock"
            evidence = f"the thread sleeps below {meant.partition('+')[0]}"
            return LockGuess(
                kind, name=f"in {file}", event=is_event, anonymous=not is_event,
                evidence=(evidence,),
            )  # fmt: skip
    return None
