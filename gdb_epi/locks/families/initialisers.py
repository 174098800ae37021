# SPDX-License-Identifier: Apache-2.0
"""What is initialised once: static variables of C++ functions, pthread_once(), std::call_once().

Their words say that an initialiser is running, but not in which thread. The stacks do: that thread
is inside the very function whose call for it makes this one wait. Where the waiting thread is so
itself, further out on its stack, the initialiser has come back to what it initialises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gdb_epi.fault.memory_reads import read_u32, read_up_to
from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, futex_classifier
from gdb_epi.locks.types import ONCE, STATIC
from gdb_epi.locks.waits.libc_lock_names import frames_outside_libc
from gdb_epi.target.api import Thread, module_at
from gdb_epi.target.function_bounds import Function, FunctionBounds

# libstdc++'s __cxa_guard_acquire(): _GLIBCXX_GUARD_PENDING_BIT and _GLIBCXX_GUARD_WAITING_BIT
# (libsupc++/guard.cc, config/cpu/generic/cxxabi_tweaks.h).
PENDING_AND_AWAITED = 0x10100
IN_PROGRESS, STATES = 1, 3  # __PTHREAD_ONCE_INPROGRESS; above them the count of forks
MAX_FRAMES = 64
MAX_THREADS = 1024
ENTRY = 64  # bytes of pthread_once()
_RUNTIMES = ("libstdc++", "libc++", "libsupc++")
_JUMP = re.compile(rb"(?:\xe9|\x0f[\x84\x85])(....)", re.DOTALL)


@futex_classifier(20)
def classify_static_variable(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """Tell the wait of __cxa_guard_acquire(): not process-private, though nobody else takes part.

    Reference: the Itanium C++ ABI, 3.3.3 (one-time construction).
    """
    if call.operation or call.value != PENDING_AND_AWAITED or call.address % 8:
        return None
    if read_u32(context.target, call.address) != PENDING_AND_AWAITED:
        return None
    says = "the guard's word says: its initialiser runs, and somebody waits"
    return _guess_initialiser_with_owner(context, thread, call, STATIC, says)


@futex_classifier(21)
def classify_pthread_once(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """Tell the wait of pthread_once(), by its word and by the function that sleeps."""
    if call.may_be_shared or call.value & STATES != IN_PROGRESS or context.runs_on_musl:
        return None
    if read_u32(context.target, call.address) != call.value or not _is_code_of_pthread_once(
        context, thread.pc
    ):
        return None
    return _guess_initialiser_with_owner(
        context, thread, call, ONCE, "its word says: the initialiser runs"
    )


def _is_code_of_pthread_once(context: LockContext, pc: int) -> bool:
    """Tell whether an instruction is of pthread_once() or of the function to which that jumps."""
    at = context.target.symbol("pthread_once")
    bounds = FunctionBounds(context.target)
    function = bounds.function_at(pc)
    if at is None or function is None:
        return False
    starts = {at}
    for match in _JUMP.finditer(read_up_to(context.target, at, ENTRY)):
        starts.add(at + match.end() + int.from_bytes(match[1], "little", signed=True))
    return function.start in starts


def _guess_initialiser_with_owner(
    context: LockContext, thread: Thread, call: FutexWait, kind: str, says: str
) -> LockGuess:
    bounds = FunctionBounds(context.target)
    own = list(_functions_outside_runtimes(context, thread, bounds))
    wants = own[0] if own else None
    inside = [thread.tid] if wants in own[1:] else []  # its initialiser came back to it
    inside += [
        other.tid for other in context.target.threads()[:MAX_THREADS]
        if wants is not None and other.tid != thread.tid
        and (other.system_call_name != "futex" or other.system_call_argument(0) != call.address)
        and wants in _functions_outside_runtimes(context, other, bounds)
    ]  # fmt: skip
    if wants is None or len(inside) != 1:
        return LockGuess(kind, anonymous=True, evidence=(says,))
    module = module_at(context.target, wants.start)
    name = f"in {module.path.rpartition('/')[2]}" if module is not None else ""
    place = f"the function {name} (from {wants.start:#x}) that waits for it here"
    way = "further out on its stack too" if inside[0] == thread.tid else "and it alone"
    evidence = (says, f"thread {inside[0]} is inside {place}, {way}")
    return LockGuess(kind, name=name, owner_tid=inside[0], by_frames=True, evidence=evidence)


def _functions_outside_runtimes(
    context: LockContext, thread: Thread, bounds: FunctionBounds
) -> Iterator[Function]:
    """Yield the functions on a stack that are not of the C or the C++ library, innermost first."""
    frames = islice(context.unwinder.walk(thread.registers), MAX_FRAMES)
    for pc, module in frames_outside_libc(context.target, frames):
        is_runtime = module.path.rpartition("/")[2].startswith(_RUNTIMES)
        if not is_runtime and (function := bounds.function_at(pc)) is not None:
            yield function
