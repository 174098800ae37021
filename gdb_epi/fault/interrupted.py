# SPDX-License-Identifier: Apache-2.0
"""Whether the thread that died sent the signal itself, and what it did before its handler ran.

A signal from the same process need not come from the same thread: a watchdog sends it to a thread
that waits. And a handler that raises the signal again (faulthandler's) makes any signal look as if
the thread had sent it. Both are known by where the signal met the thread: who sends a signal to
itself stands after the system call that sends it.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.fault.reads import read_up_to
from gdb_epi.machine import Architecture
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.derived_registers import NO_CALL, is_behind_system_call

MOV_EAX = 0xB8  # mov imm32, %eax: how glibc loads the number of a call
# Calls that send a signal, and those that let one through that was sent before (rt_sigprocmask, as
# raise() of glibc before 2.34 has it, and rt_sigreturn).
SENDING = frozenset((
    "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal",
    "rt_sigprocmask", "rt_sigreturn",
))  # fmt: skip


def sends_to_itself(thread: Thread) -> bool:
    """Return whether a thread may have sent the signal it died by; True where nobody can tell."""
    return thread.architecture.call not in thread.registers or thread.call in SENDING


def sent_to_it(
    target: Target, context: Mapping[str, int], machine: Architecture
) -> dict[str, int] | None:
    """Return the registers of a thread that a signal met while it did something else.

    `context` are the registers of a signal frame, without the number of a call. The result has it
    where the code tells it. None where the thread may have sent the signal itself, or nobody can
    tell.
    """
    pc = context.get(machine.pc, 0)
    behind = is_behind_system_call(target, machine, pc)
    if behind is None:
        return None
    number_in = machine.number_in
    if behind:
        if context.get(machine.result) == 0:
            return None  # what tgkill() returns, and many others
        if number_in != machine.result:  # the register still holds it
            return {**context, machine.call: context.get(number_in, NO_CALL)}
        return {**context, **_number_before(target, pc)}
    size = len(machine.system_call)
    if is_behind_system_call(target, machine, pc + size):  # the kernel begins the call again
        number = context.get(number_in, 0)
        if machine.calls.get(number) in SENDING:
            return None
        return {**context, machine.pc: pc + size, machine.call: number}
    return {**context, machine.call: NO_CALL}


def _number_before(target: Target, pc: int) -> dict[str, int]:
    code = read_up_to(target, pc - 7, 5)
    if len(code) == 5 and code[0] == MOV_EAX:
        return {"orig_rax": int.from_bytes(code[1:], "little")}
    return {}
