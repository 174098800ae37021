# SPDX-License-Identifier: Apache-2.0
"""Deaths by a signal that the process itself, its timer, or the kernel sent because of what it did.

A handler of SIGTERM or its like ends the process by a signal of its own; a thread sends the signal,
as watchdogs and guards do; a timer runs out; a seccomp filter answers a system call with death; the
kernel cannot start a handler.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import (
    DOUBT,
    FILTER,
    Finding,
    SupportedLabel,
    detector,
    hex_word,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import UNSTARTED_HANDLER, is_in_system_call
from gdb_epi.fault.find_fault import SELF
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.signals import SI_TIMER, SIGSYS, SYS_SECCOMP, signal_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.process_state import ProcessState

# Signals with which a person, a service manager or a terminal asks a process to end: SIGHUP,
# SIGINT, SIGQUIT, SIGTERM (signal(7)).
STOPS = (1, 2, 3, 15)
MAX_FRAMES = 64
MAX_SYSCALL = 4096  # Linux 6.18 has 470 on x86-64
FRAME = 0x3000  # bytes: the largest of x86-64, with the state of AVX-512 and AMX


@detector("asked_to_stop", needs="python", supports=SupportedLabel("killed", "ended-from-outside"))
def asked_to_stop(state: ProcessState) -> Iterator[Finding]:
    """Find a Python handler of a request to stop below which the process sent itself a signal.

    Innocent causes: a function that is called with a number and a frame object and is no handler.
    Reference: a handler is called with the number and the interrupted frame
    (Modules/signalmodule.c, _PyErr_CheckSignalsTstate).
    """
    fault, python = state.fault, state.python
    if isinstance(fault, Absent) or isinstance(python, Absent) or fault.sender != SELF:
        return
    view = PythonView(state.target, python, state.locks.vanished)
    for frame in view.frames(fault.tid)[:MAX_FRAMES]:
        number = view.handled_signal(frame)
        if number not in STOPS:
            continue
        handler, asked = function_and_line(frame), signal_name(number)
        summary = (
            f"somebody asked the process to stop: {handler} handles {asked}, and the process sent "
            f"itself {signal_name(fault.signo)} there"
        )
        facts = {"signal": asked, "handler": handler}
        yield Finding("asked_to_stop", f"thread {fault.tid}", facts, summary)
        return


@detector(
    "killed_by_own_thread", needs="python", supports=SupportedLabel("killed", "ended-from-outside")
)
def killed_by_own_thread(state: ProcessState) -> Iterator[Finding]:
    """Find the Python thread whose code sent the process the signal that ended it.

    Innocent causes: a thread that signals its children, as it does in the same place of its code;
    the kernel names this process as the sender, so some thread of it did send one.
    Reference: kill(2): a signal for the process goes to any thread that does not block it.
    """
    sender, fault = state.signal_sender, state.fault
    if sender is None or isinstance(fault, Absent):
        return
    did = "sent" if sender.surely else "most likely sent"
    place = function_and_line(sender.frame)
    summary = f"{sender.name} {did} {signal_name(fault.signo)}, at {place}"
    facts = {"tid": sender.tid, "place": place, "runs_the_call": sender.surely}
    yield Finding("killed_by_own_thread", f"thread {sender.tid}", facts, summary)


@detector("timer_expired", needs="crash", supports=SupportedLabel("killed", "limit-reached"))
def timer_expired(state: ProcessState) -> Iterator[Finding]:
    """Find that a timer which the program, or a library of it, had set sent the deadly signal.

    Innocent causes of the same siginfo: none; only the kernel sends SI_TIMER, when a timer of
    timer_create() is due. Those of alarm() and setitimer() look like other signals of the kernel.
    Reference: sigaction(2), SI_TIMER; posix_timer_fn() in kernel/time/posix-timers.c.
    """
    crash = state.crash
    if isinstance(crash, Absent) or crash.si_code != SI_TIMER:
        return
    name = signal_name(crash.signo)
    summary = f"a timer that the program had set ran out: it sends {name} (timer_create())"
    yield Finding("timer_expired", f"signal {name}", {"signal": name}, summary)


@detector(
    "refused_system_call",
    needs="crash",
    supports=SupportedLabel("software", "refused-call", doubt_fact=DOUBT),
)
def refused_system_call(state: ProcessState) -> Iterator[Finding]:
    """Find SIGSYS by the kernel with SYS_SECCOMP.

    Innocent causes: this is itself the ordinary explanation. The filter may be what is wrong, and
    no code of the program: that is told as a doubt.
    Reference: seccomp(2), SECCOMP_RET_KILL_PROCESS and SECCOMP_RET_TRAP.
    """
    fault = state.fault
    if isinstance(fault, Absent) or (fault.signo, fault.code) != (SIGSYS, SYS_SECCOMP):
        return
    number = fault.registers.get(fault.architecture.call, -1)
    which = f"system call {number}" if 0 <= number < MAX_SYSCALL else "a system call"
    machine = fault.architecture
    name = machine.calls.get(number) or machine.often_refused.get(number)
    which += f", {name}" if name else ""
    summary = f"a seccomp filter (a sandbox or container profile) refused {which}"
    facts = {"number": number if 0 <= number < MAX_SYSCALL else None, DOUBT: FILTER}
    yield Finding("refused_system_call", f"thread {fault.tid}", facts, summary)


@detector("unstarted_handler", needs="crash", supports=SupportedLabel("software", "unsafe-handler"))
def unstarted_handler(state: ProcessState) -> Iterator[Finding]:
    """Find a thread that the kernel ended in a system call, as a signal's handler found no stack.

    Innocent causes: none; the CPU makes no fault at a system call. Of other instructions nothing is
    said: a CPU that computes wrongly ends a process in the same way.
    Reference: force_sigsegv() in kernel/signal.c; sigaltstack(2). The same comes of a thread's area
    for restartable sequences (rseq(2)) that was unmapped.
    """
    account = state.account
    if isinstance(account, Absent) or account.site.kind != UNSTARTED_HANDLER:
        return
    if not is_in_system_call(state.target, account.site):
        return
    sp = account.fault.sp
    has_room = all(permits(state.target.region_at(at), "w") for at in (sp - FRAME, sp - 8))
    why = (
        "the stack that sigaltstack() named for it is probably gone, as this thread's own has room"
        if has_room
        else "this thread's stack has no room"
    )
    summary = f"a signal came, and the kernel could not start its handler: {why}"
    facts = {"sp": hex_word(sp), "stack_has_room": has_room}
    yield Finding("unstarted_handler", f"thread {account.fault.tid}", facts, summary)
