# SPDX-License-Identifier: Apache-2.0
"""A signal whose handler the kernel could not start."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import UNSTARTED_HANDLER, is_in_system_call
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.process_state import ProcessState

FRAME = 0x3000  # bytes: the largest of x86-64, with the state of AVX-512 and AMX


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
