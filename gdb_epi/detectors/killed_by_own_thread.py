# SPDX-License-Identifier: Apache-2.0
"""A thread of the process that sent the signal which ended it, as watchdogs and guards do."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.process_state import ProcessState


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
