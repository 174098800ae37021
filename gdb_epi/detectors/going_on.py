# SPDX-License-Identifier: Apache-2.0
"""The process computes, or waits for work: nothing is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, detector
from gdb_epi.detectors.hang_findings import hang_findings
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import message_of_own_abort
from gdb_epi.process_state import ProcessState


@detector("going_on", needs="python", speaks_for=SpeaksFor("no-fault", "works-or-idle", by="kind"))
def going_on(state: ProcessState) -> Iterator[Finding]:
    """Find that a process that did not fail computes, or waits for work as it should.

    Innocent causes of the opposite, tested: circles of locks, a GIL held asleep, a blocked event
    loop, a thread that waits for a file lock, a database or a peer that does not read.
    Not said of a process that ended itself after the C library had given up.
    Reference: the kinds of waits are in gdb_epi/hangs/.
    """
    account = state.account
    if not isinstance(account, Absent):
        message = message_of_own_abort(state.target, account)
        if isinstance(message, AbortMessage) and message.kind != "other":
            return
    yield from hang_findings(state, "going_on", "no-fault")
