# SPDX-License-Identifier: Apache-2.0
"""The program or its libraries decided to end: assert, fortify, malloc's own checks."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import ABORTED
from gdb_epi.process_state import ProcessState


@detector("deliberate_abort", needs="crash")
def deliberate_abort(state: ProcessState) -> Iterator[Finding]:
    """Find the message that glibc left in __abort_msg before abort().

    Innocent causes: a message of an earlier abort that a handler survived would still be there, so
    the signal must be a SIGABRT that the process sent itself. "malloc" and "fortify" say that
    memory was found damaged, not by whom.
    Reference: glibc assert/assert.c, sysdeps/posix/libc_fatal.c.
    """
    account = state.account
    if isinstance(account, Absent) or account.how != ABORTED:
        return
    fault, message = account.fault, account.message
    if not isinstance(message, AbortMessage) or message.kind == "other":
        return
    klass = f" ({message.klass})" if message.klass else ""
    where = f" in {message.function}" if message.function else ""
    yield Finding(
        "deliberate_abort",
        f"thread {fault.tid}",
        {"kind": message.kind, "class": message.klass, "function": message.function},
        f"glibc's __abort_msg holds the message of {message.kind}{klass}{where}",
    )
