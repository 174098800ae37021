# SPDX-License-Identifier: Apache-2.0
"""The guard of a C++ static inside a function: one thread initialises it, others wait.

Source: Itanium C++ ABI 3.3.3; GCC libstdc++-v3/libsupc++/guard.cc, the same bits from 4.4 to 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.fault.reads import read_u32, read_up_to
from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, classifier
from gdb_epi.target.api import Thread
from gdb_epi.target.functions import Function, FunctionBounds

PENDING, WAITING = 1 << 8, 1 << 16
STATIC = "C++ static being initialised"
ACQUIRE = "__cxa_guard_acquire"
MAX_FRAMES = 64
MAX_THREADS = 256
MAX_CODE = 64 << 10  # bytes of one function that are searched for the guard's address
_IMMEDIATES = (0, 1, 4)  # bytes of an instruction after its displacement


@classifier(30)
def cxx_guard(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """A guard that is pending, and a sleeper inside __cxa_guard_acquire().

    The call is not process-private although nobody else takes part. Who initialises is known from
    the stack: the one thread inside a function whose code names the guard, and that does not wait
    for it itself.
    """
    if call.value != PENDING | WAITING or read_u32(context.target, call.address) != call.value:
        return None
    acquire = context.target.symbol(ACQUIRE)
    functions = FunctionBounds(context.target)
    if acquire is None or all(f.start != acquire for f in _stack(context, functions, thread)):
        return None
    evidence = f"the word is the guard of a C++ static: this thread is inside of {ACQUIRE}()"
    owners = []
    for other in context.target.threads()[:MAX_THREADS]:
        stack = list(_stack(context, functions, other))
        if other.tid == thread.tid or any(f.start == acquire for f in stack):
            continue
        if any(_names(context, function, call.address) for function in dict.fromkeys(stack)):
            owners.append(other.tid)
    if len(owners) != 1:
        return LockGuess(STATIC, anonymous=True, evidence=(evidence,))
    where = f"thread {owners[0]} is in the function that initialises it"
    return LockGuess(STATIC, owner_tid=owners[0], evidence=(evidence, where))


def _stack(context: LockContext, functions: FunctionBounds, thread: Thread) -> Iterator[Function]:
    """Yield the functions on a thread's stack, innermost first, as far as the tables go."""
    for number, frame in enumerate(islice(context.unwinder.walk(thread.registers), MAX_FRAMES)):
        function = functions.at_return(frame.pc) if number else functions.at(frame.pc)
        if function is not None:
            yield function


def _names(context: LockContext, function: Function, address: int) -> bool:
    """Tell whether an instruction of a function has an address, relative to itself."""
    size = function.end - function.start
    if size > MAX_CODE or abs(address - function.start) >> 31:
        return False
    code = read_up_to(context.target, function.start, size)
    return any(
        code[place : place + 4] == (distance & 0xFFFFFFFF).to_bytes(4, "little")
        for place in range(len(code) - 3)
        for distance in (address - function.start - place - 4 - more for more in _IMMEDIATES)
    )
