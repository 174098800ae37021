# SPDX-License-Identifier: Apache-2.0
"""Values without a register of their own: the pthread_t of a thread, and its system call.

x86-64 has both (fs_base, orig_rax). On aarch64 glibc keeps the thread descriptor before the place
that the thread pointer leads to, and the number of the call is in x8, which means a call only where
the thread stands at one: the kernel puts an interrupted call back to its svc instruction, with its
first argument, before anything is dumped (arch/arm64/kernel/signal.c, do_signal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.machine import Architecture
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import Target, Thread, try_read

NO_CALL = WORD_MASK  # as the kernel writes it: outside of any system call
# The operations of futex(2) that sleep; its others wake (include/uapi/linux/futex.h).
FUTEX_WAITS = {
    0: "FUTEX_WAIT",
    6: "FUTEX_LOCK_PI",
    9: "FUTEX_WAIT_BITSET",
    11: "FUTEX_WAIT_REQUEUE_PI",
    13: "FUTEX_LOCK_PI2",
}
FUTEX_MASK = 0x7F
_DESCRIPTOR_SIZE = "_thread_db_sizeof_pthread"  # exported by glibc for libthread_db (2.34 and on)
_MAX_DESCRIPTOR = 1 << 14
# What the kernel returns from a sleep that a signal ended, dumped before it begins the call again:
# EINTR, ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK (linux/errno.h).
INTERRUPTED = frozenset((1 << 64) - code for code in (4, 512, 513, 514, 516))


def add_derived_registers(
    target: Target, threads: Iterable[Thread], symbol: Callable[[str], int | None] | None = None
) -> tuple[Thread, ...]:
    """Return the threads, each with the registers that its architecture names but does not have.

    `symbol` looks symbols up while `target` is still being made; else it does so itself.
    """
    threads = tuple(threads)
    architecture = threads[0].architecture if threads else None
    if architecture is None or architecture.call in architecture.registers:
        return threads
    size = _size_of_struct_pthread(target, symbol or target.symbol)
    return tuple(
        thread._replace(
            registers={
                **thread.registers,
                **_pthread_t_register(thread, size),
                **_system_call_number_register(target, thread),
            }
        )
        for thread in threads
    )


def _size_of_struct_pthread(target: Target, symbol: Callable[[str], int | None]) -> int | None:
    address = symbol(_DESCRIPTOR_SIZE)
    if address is None:
        return None
    size = int.from_bytes(try_read(target, address, 4), "little")
    return size if 0 < size < _MAX_DESCRIPTOR else None


def _pthread_t_register(thread: Thread, size: int | None) -> dict[str, int]:
    if size is None or not thread.thread_pointer:
        return {}
    return {thread.architecture.ident: thread.thread_pointer - size}


def _system_call_number_register(target: Target, thread: Thread) -> dict[str, int]:
    """Return the number of the call that a thread is in; nothing where its code is not there."""
    architecture = thread.architecture
    kernels = thread.registers.get(architecture.call, NO_CALL)
    if kernels != NO_CALL:
        return {architecture.call: kernels}
    in_call = is_at_system_call(target, thread)
    if in_call is None:
        return {}
    number = thread.registers.get(architecture.number_in, NO_CALL)
    return {architecture.call: number if in_call else NO_CALL}


def is_at_system_call(target: Target, thread: Thread) -> bool | None:
    """Return whether a thread is in a system call by its code; None when that is not readable.

    It stands just after the instruction or, on a machine where interrupted calls are restarted
    before the dump (one without a register for the call's number), at it.
    """
    machine = thread.architecture
    behind = follows_system_call(target, machine, thread.pc)
    if behind is not False or machine.call in machine.registers:
        return behind
    return follows_system_call(target, machine, thread.pc + len(machine.system_call))


def is_in_system_call(target: Target, thread: Thread) -> bool | None:
    """Return whether a thread is in a system call that has not returned; None if unknown.

    Where the result register is also the first argument (aarch64), only the pc can tell.
    """
    machine = thread.architecture
    in_call = is_at_system_call(target, thread)
    result = thread.registers.get(machine.result)
    if in_call is False or machine.call not in machine.registers or result is None:
        return in_call
    return in_call if result in INTERRUPTED else False


def follows_system_call(target: Target, machine: Architecture, address: int) -> bool | None:
    """Return whether a system call's instruction ends at an address; None if unreadable."""
    size = len(machine.system_call)
    code = try_read(target, address - size, size)
    return code == machine.system_call if code else None
