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
    NOTHING_SAID,
    Finding,
    SupportedLabel,
    detector,
    hex_word,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import UNSTARTED_HANDLER, is_in_system_call
from gdb_epi.fault.find_fault import SELF, Fault
from gdb_epi.fault.mapping_checks import may_execute, permits
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.own_native_code import MAX_NAMED, VICTIM, files_that_import
from gdb_epi.fault.signals import SI_TIMER, SIGSYS, SYS_SECCOMP, signal_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Target

# Signals with which a person, a service manager or a terminal asks a process to end: SIGHUP,
# SIGINT, SIGQUIT, SIGTERM (signal(7)).
STOPS = (1, 2, 3, 15)
MAX_FRAMES = 64
MAX_SYSCALL = 4096  # Linux 6.18 has 470 on x86-64
SYSTEM_CALL, ALTERNATE_STACK = "system-call", "alternate-stack"  # kinds of a finding
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


@detector(
    "unstarted_handler",
    needs="crash",
    supports=SupportedLabel("software", "unsafe-handler", counted_by="kind"),
)
def unstarted_handler(state: ProcessState) -> Iterator[Finding]:
    """Find a thread that the kernel ended, as a signal's handler found no stack.

    Innocent causes: none in a system call, where the CPU makes no fault. Of other instructions it
    speaks for nothing where no library of the program makes an alternate stack: a CPU that computes
    wrongly ends a process in the same way.
    Reference: force_sigsegv() in kernel/signal.c; sigaltstack(2). The same comes of a thread's area
    for restartable sequences (rseq(2)) that was unmapped; of one that holds what is none tells
    foreign_sequence.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.site.kind != UNSTARTED_HANDLER:
        return
    if _bad_rseq_cs(state.target, account.fault) is not None:
        return
    sp, kind = account.fault.sp, SYSTEM_CALL
    has_room = all(permits(state.target.region_at(at), "w") for at in (sp - FRAME, sp - 8))
    why = (
        "the stack that sigaltstack() named for it is probably gone, as this thread's own has room"
        if has_room
        else "this thread's stack has no room"
    )
    summary = f"a signal came, and the kernel could not start its handler: {why}"
    facts: dict[str, object] = {"sp": hex_word(sp), "stack_has_room": has_room}
    if not is_in_system_call(state.target, account.site):
        kind = NOTHING_SAID
        summary = (
            "the instruction that ran cannot fault; the kernel ends a process so when it cannot "
            "start the handler of a signal, as when its alternate stack is gone"
        )
        makers = files_that_import(state.target, "sigaltstack")
        if makers and has_room:
            kind = ALTERNATE_STACK
            # Libraries in Rust can, by its standard library, and mostly do not.
            facts[VICTIM] = True
            summary += f"; {', '.join(makers[:MAX_NAMED])} can make one (sigaltstack())"
    facts["kind"] = kind
    yield Finding("unstarted_handler", f"thread {account.fault.tid}", facts, summary)


@detector("foreign_sequence", needs="crash", supports=SupportedLabel("software", "stray-store"))
def foreign_sequence(state: ProcessState) -> Iterator[Finding]:
    """Find a thread that the kernel ended, as its area for restartable sequences names none.

    Innocent causes, tested: code that uses such sequences: the word then leads to a descriptor,
    whose second word is an address of code. glibc leaves the word at 0.
    Reference: rseq_get_rseq_cs() in kernel/rseq.c; rseq(2); glibc 2.35, which registers the area.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.site.kind != UNSTARTED_HANDLER:
        return
    held = _bad_rseq_cs(state.target, account.fault)
    if held is not None:
        summary = (
            "the thread's area for restartable sequences (rseq), which the kernel reads when it "
            f"lets the thread run again, holds {held:#x}, which is none: something wrote over it"
        )
        facts = {"held": hex_word(held), VICTIM: True}
        yield Finding("foreign_sequence", f"thread {account.fault.tid}", facts, summary)


def _bad_rseq_cs(target: Target, fault: Fault) -> int | None:
    """Return what a thread's rseq_cs holds where that is no descriptor of a sequence; else None."""
    symbol = target.symbol("__rseq_offset")
    pointer = fault.registers.get(fault.architecture.thread_pointer)
    offset = read_word(target, symbol, dumped_only=False) if symbol else None
    if not offset or not pointer:
        return None
    held = read_word(target, (pointer + offset + WORD) & WORD_MASK)
    start = read_word(target, held + WORD, dumped_only=False) if held else None
    is_none = held and (start is None or not may_execute(target.region_at(start)))
    return held if is_none else None
