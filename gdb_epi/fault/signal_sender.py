# SPDX-License-Identifier: Apache-2.0
"""Whether the thread that died sent the signal itself, and what it did before its handler ran.

A signal from the same process need not come from the same thread: a watchdog sends it to a waiting
thread. And a handler that raises the signal again (as faulthandler does) makes any signal look as
if the thread had sent it. Where the signal met the thread tells: a thread that signals itself is
right after the system call that sends the signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdb_epi.fault.memory_reads import read_u32, read_up_to, read_word
from gdb_epi.machine import Architecture
from gdb_epi.sizes import HALF_MASK
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.derived_registers import FUTEX_MASK, FUTEX_WAITS, NO_CALL, follows_system_call
from gdb_epi.x86 import decode
from gdb_epi.x86.instruction import CALL, NEXT
from gdb_epi.x86.register_changes import changed_registers

MOV_EAX = 0xB8  # mov imm32, %eax: how glibc loads the number of a call
LOAD_RAX, LOAD_RSI = b"\x48\x8b\x44\x24", b"\x48\x8b\x74\x24"  # mov imm8(%rsp), %rax and %rsi
LOAD_LENGTH = 5
# The end of __syscall_cancel_arch() (sysdeps/unix/sysv/linux/x86_64/syscall_cancel.S, 2.41), which
# is written in assembly: rsi becomes rax, and so on to the call.
CANCELLED = bytes.fromhex("4989fb4889f04889d74889ce4c89c24d89ca4c8b4424084c8b4c24104c895c24080f05")
WINDOW = 32  # bytes of its caller before the call
MAX_NUMBER = 1024
MAX_OPERATION = 0x1FF  # of futex(), with its flags: private, and the clock
MAX_POLLED = 1024  # descriptors of one poll()
ERESTARTSYS = (1 << 64) - 512  # include/linux/errno.h
SIGNALLING = frozenset(
    ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
)
# Those, and calls that let a pending signal through (rt_sigprocmask, in raise() of glibc before
# 2.34, and rt_sigreturn).
SENDING = SIGNALLING | {"rt_sigprocmask", "rt_sigreturn"}


def may_have_sent_signal_itself(thread: Thread) -> bool:
    """Tell whether a thread may have sent the signal that killed it; True where this is unknown."""
    return thread.architecture.call not in thread.registers or thread.system_call_name in SENDING


def registers_before_handler(
    target: Target, context: Mapping[str, int], machine: Architecture
) -> dict[str, int] | None:
    """Return the registers of a thread that was doing something else when a signal came.

    `context` are the registers of a signal frame, which lack the number of a system call; the
    result has it where the code tells. None where the thread may have sent the signal itself, or
    where this is unknown.
    """
    pc = context.get(machine.pc, 0)
    behind = follows_system_call(target, machine, pc)
    if behind is None:
        return None
    number_in = machine.number_in
    if behind:
        if context.get(machine.result) == 0:
            return None  # what tgkill() returns, and many others
        if number_in != machine.result:  # the register still holds it
            return {**context, machine.call: context.get(number_in, NO_CALL)}
        return {**context, **_system_call_number_before(target, context)}
    size = len(machine.system_call)
    if follows_system_call(target, machine, pc + size):  # the kernel restarts the call
        number = context.get(number_in, 0)
        if machine.calls.get(number) in SENDING:
            return None
        # As in a thread that sleeps: what the kernel put in place of the result is lost.
        result = {machine.result: ERESTARTSYS} if number_in == machine.result else {}
        return {**context, machine.pc: pc + size, machine.call: number, **result}
    return {**context, machine.call: NO_CALL}


def threads_in_restarted_calls(target: Target, threads: Iterable[Thread]) -> list[Thread]:
    """Return the threads, each in the system call that the kernel restarted for it.

    Whoever stopped a process and let it go on (a debugger, a tracer, SIGSTOP) leaves
    restart_syscall() where poll(), a sleep or a futex with a timeout was: its arguments stay. They
    tell the call where its code is not to be had.
    """
    restarted = []
    for thread in threads:
        if thread.system_call_name == "restart_syscall":
            number = _system_call_number_before(target, thread.registers)
            number = number or _restarted_call_number_by_arguments(target, thread)
            thread = thread._replace(registers={**thread.registers, **number})
        restarted.append(thread)
    return restarted


def _restarted_call_number_by_arguments(target: Target, thread: Thread) -> dict[str, int]:
    """Return the number of the restarted call that has such arguments; {} for a sleep.

    futex() has the word that it compares, poll() a few descriptors. Sleeps have a clock's number or
    a time first, and a flag or a place for the rest of the time.
    """
    first, second, machine = (
        thread.system_call_argument(0),
        thread.system_call_argument(1),
        thread.architecture,
    )
    word = read_u32(target, first) if first % 4 == 0 else None
    is_wait = second & FUTEX_MASK in FUTEX_WAITS and second <= MAX_OPERATION
    name = "futex" if is_wait and word == thread.system_call_argument(2) & HALF_MASK else (
        "poll" if 0 < second <= MAX_POLLED and word is not None else ""
    )  # fmt: skip
    number = next((n for n, called in machine.calls.items() if called == name), None)
    return {} if number is None else {machine.call: number}


def _system_call_number_before(target: Target, registers: Mapping[str, int]) -> dict[str, int]:
    """Return the number that the code before a system call put into rax; {} if it does not tell.

    It is a constant, or a word on the stack: since 2.41 glibc makes all calls that are cancellation
    points in one function, which is given the number (nptl/cancellation.c).
    """
    pc, sp = registers.get("rip", 0), registers.get("rsp", 0)
    before = read_up_to(target, pc - 2 - LOAD_LENGTH, LOAD_LENGTH)
    number: int | None = None
    if before[:1] == bytes((MOV_EAX,)) and len(before) == LOAD_LENGTH:
        number = int.from_bytes(before[1:], "little")
    elif before[:4] == LOAD_RAX and len(before) == LOAD_LENGTH:
        number = read_word(target, sp + before[4])
    elif read_up_to(target, pc - len(CANCELLED), len(CANCELLED)) == CANCELLED:
        number = _system_call_number_of_caller(target, sp)
    return {} if number is None or number >= MAX_NUMBER else {"orig_rax": number}


def _system_call_number_of_caller(target: Target, sp: int) -> int | None:
    """Return what the caller of __syscall_cancel_arch() loaded from its stack into rsi."""
    behind = read_word(target, sp)
    code = read_up_to(target, behind - WINDOW, WINDOW) if behind else b""
    at = code.rfind(LOAD_RSI)
    if len(code) < WINDOW or at < 0 or at + LOAD_LENGTH > WINDOW:
        return None
    place = sp + 8 + code[at + 4]
    at += LOAD_LENGTH
    while at < WINDOW:
        instruction = decode(code[at:])
        if instruction is None:
            return None
        changed = changed_registers(instruction)
        at += instruction.length
        if instruction.flow == CALL and at == WINDOW:
            return read_word(target, place)
        if instruction.flow != NEXT or changed is None or "rsi" in changed:
            return None
        if "rsp" in changed:
            if not 0x50 <= instruction.opcode < 0x58 or instruction.opcode_map:
                return None
            place += 8  # a push
    return None
