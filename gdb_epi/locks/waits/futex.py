# SPDX-License-Identifier: Apache-2.0
"""Threads stopped in futex(2): which word each waits for, and which lock that word belongs to.

Registers tell the word without symbols or an unwinder: the kernel keeps the number and the
arguments of the interrupted system call (address, operation, expected value). Classifiers tell the
lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import LayoutError, SoftError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.locks.context import CLASSIFIERS, FutexWait, LockContext, LockGuess
from gdb_epi.locks.types import FUTEX_WORD, LockWait
from gdb_epi.locks.waits.libc_lock_names import sleeper_outside_libc
from gdb_epi.locks.waits.ownership import settle_owner
from gdb_epi.target.api import Thread
from gdb_epi.target.derived_registers import INTERRUPTED, is_in_system_call
from gdb_epi.target.libc import NOT_JUDGED

COMMANDS = {
    0: "FUTEX_WAIT",
    6: "FUTEX_LOCK_PI",
    9: "FUTEX_WAIT_BITSET",
    11: "FUTEX_WAIT_REQUEUE_PI",
    13: "FUTEX_LOCK_PI2",
}
COMMAND_MASK = 0x7F


def futex_wait(context: LockContext, thread: Thread) -> FutexWait | None:
    """Return the futex call that a thread is stopped in, or None."""
    machine, registers = thread.architecture, thread.registers
    names = (machine.pc, machine.result, machine.call, *machine.arguments[:3])
    if any(name not in registers for name in names):
        return None
    # The kernel writes -1 as the number when there is nothing to restart.
    if thread.call != "futex":
        return None
    in_call = is_in_system_call(context.target, thread)
    if in_call is False or (in_call is None and registers[machine.result] not in INTERRUPTED):
        return None
    operation, address = thread.argument(1) & 0xFFFFFFFF, thread.argument(0)
    command = operation & COMMAND_MASK
    if command not in COMMANDS or address % 4:
        return None
    value = thread.argument(2) & 0xFFFFFFFF
    timed = bool(thread.argument(3))  # struct timespec *
    proof = (
        f"registers: {machine.call} {registers[machine.call]}, {machine.arguments[0]} "
        f"{address:#018x}, operation {operation} ({COMMANDS[command]}), expected value {value}; "
    )
    at = "before" if machine.call in machine.registers else "at or before"
    proof += f"a syscall instruction {at} {machine.pc}" if in_call else "its text is absent"
    return FutexWait(thread.tid, address, operation, value, proof + "; timed" * timed, timed)


def futex_waits(context: LockContext, thread: Thread) -> Iterator[LockWait]:
    """Yield the lock that a thread waits for in futex(2)."""
    call = futex_wait(context, thread)
    if call is None:
        return
    yield settle_owner(context, thread, call, classify_futex(context, thread, call))


def classify_futex(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess:
    """Ask the classifiers in order; a word that none recognises is a "futex word".

    Those for glibc's locks are not asked about another C library.
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
        return LockGuess(FUTEX_WORD, evidence=("the words there are not in the core",))
    evidence = f"the words there are {words}: no lock that is known"
    return LockGuess(FUTEX_WORD, evidence=(evidence, *((other,) if other is not None else ())))
