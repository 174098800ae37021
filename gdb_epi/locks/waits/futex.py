# SPDX-License-Identifier: Apache-2.0
"""Threads stopped in futex(2): which word they wait for, and what asks the classifiers whose it is.

The registers say it without symbols and without an unwinder: the kernel keeps orig_rax, rdi
(address), rsi (operation) and rdx (expected value) of the interrupted system call.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import LayoutError, SoftError, UnreadableMemory
from gdb_epi.fault.reads import read_u32, read_up_to
from gdb_epi.locks import types as t
from gdb_epi.locks.context import CLASSIFIERS, FutexWait, LockContext, LockGuess
from gdb_epi.locks.waits.activity import SYS_FUTEX, SYSCALL
from gdb_epi.locks.waits.libc_names import sleeper_outside_libc
from gdb_epi.locks.waits.ownership import settle_owner
from gdb_epi.target.api import Thread
from gdb_epi.target.libc import NOT_JUDGED

COMMANDS = {
    0: "FUTEX_WAIT",
    6: "FUTEX_LOCK_PI",
    9: "FUTEX_WAIT_BITSET",
    11: "FUTEX_WAIT_REQUEUE_PI",
    13: "FUTEX_LOCK_PI2",
}
COMMAND_MASK = 0x7F
_RESTART = frozenset(((1 << 64) - 512, (1 << 64) - 514, (1 << 64) - 516))  # ERESTART*
_REGISTERS = ("rip", "rax", "orig_rax", "rdi", "rsi", "rdx")


def futex_wait(context: LockContext, thread: Thread) -> FutexWait | None:
    """Return the futex call that a thread is stopped in, or None."""
    registers = thread.registers
    if any(name not in registers for name in _REGISTERS):
        return None
    # The kernel writes -1 into orig_rax when it restarts nothing; only 202 is a futex call.
    if registers["orig_rax"] != SYS_FUTEX:
        return None
    before = read_up_to(context.target, registers["rip"] - 2, 2)
    if len(before) == 2 and before != SYSCALL:
        return None
    if len(before) < 2 and registers["rax"] not in _RESTART:
        return None
    operation, address = registers["rsi"] & 0xFFFFFFFF, registers["rdi"]
    command = operation & COMMAND_MASK
    if command not in COMMANDS or address % 4:
        return None
    value = registers["rdx"] & 0xFFFFFFFF
    timed = bool(registers.get("r10", 0))  # struct timespec *
    proof = (
        f"registers: orig_rax {SYS_FUTEX}, rdi {address:#018x}, operation {operation} "
        f"({COMMANDS[command]}), expected value {value}; "
    )
    proof += "a syscall instruction before rip" if len(before) == 2 else "its text is absent"
    return FutexWait(thread.tid, address, operation, value, proof + "; timed" * timed, timed)


def futex_waits(context: LockContext, thread: Thread) -> Iterator[t.Wait]:
    """Yield the lock that a thread waits for in futex(2)."""
    call = futex_wait(context, thread)
    if call is None:
        return
    yield settle_owner(context, thread, call, classify(context, thread, call))


def classify(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess:
    """Ask the classifiers in their order; what none knows is a "futex word".

    Those that know glibc's locks are not asked about another C library's.
    """
    other = sleeper_outside_libc(context.target, thread)
    if other is None and context.on_musl:
        other = NOT_JUDGED
    for name, (of_libc, function) in sorted(CLASSIFIERS.items()):
        if of_libc and other is not None:
            continue
        try:
            guess = function(context, thread, call)
        except (UnreadableMemory, LayoutError) as error:
            subject = f"{name.rpartition('.')[2]}, thread {thread.tid}"
            context.soft_errors.append(SoftError("locks", subject, str(error)))
            continue
        if guess is not None:
            return guess
    words = [read_u32(context.target, call.address + 4 * i) for i in range(4)]
    if None in words:
        return LockGuess("futex word", evidence=("the words there are not in the core",))
    evidence = f"the words there are {words}: no lock that is known"
    return LockGuess("futex word", evidence=(evidence, *((other,) if other is not None else ())))
