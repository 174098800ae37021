# SPDX-License-Identifier: Apache-2.0
"""Processes that say why they ended: there the costly checks tell nothing, unless cheap ones do.

A signal that somebody sent, a limit that was met and a check of the program's own say so by
themselves, and a stack that calls filled to its end. Not so what may come of damaged memory: an
abort in which glibc or CPython found a block, a stack or an object damaged, or over a name that was
not found, a frame larger than its stack.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault.account import (
    ABORTED,
    CPU_LIMIT,
    FILE_SIZE_LIMIT,
    KILLED,
    RAISED,
    REFUSED_CALL,
    SENT,
    message_of_own_abort,
)
from gdb_epi.fault.signals import SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP
from gdb_epi.process_state import ProcessState

# In words, how a process ended in which no instruction failed.
HOW_NOTHING_FAILED = {
    ABORTED: "the process ended itself by abort()",
    CPU_LIMIT: "the process ended at a limit",
    FILE_SIZE_LIMIT: "the process ended at a limit",
    KILLED: "the process ended by a signal that somebody sent",
    RAISED: "the process ended by a signal that it sent itself",
    REFUSED_CALL: "the process ended by a system call that was refused",
    SENT: "the process ended by a signal that somebody sent",
}
_OF_FAULTS = frozenset((SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP))
# What a runtime found damaged before it gave up, by detector, and by the kind that it says.
_OF_MEMORY = frozenset(("damaged_heap", "debug_block", "freed_callback", "sanitizer_report"))
_OF_OBJECTS = frozenset(("debug-allocator", "refcount", "gc-state"))
_PLAIN_MESSAGES = frozenset(("assert",))
# What a look-up by name raises. The hash or a letter of a name, damaged, makes one fail.
_FAILED_LOOKUPS = frozenset(("KeyError", "AttributeError", "NameError", "ModuleNotFoundError"))


def reason_to_skip_costly_checks(state: ProcessState, findings: Sequence[Finding]) -> str | None:
    """Return why the costly checks are not made; None where they are."""
    account = state.account
    if any(map(_is_of_calls, findings)):
        how = "calls used up the stack"
    elif isinstance(account, Absent):
        if account.reason != NOT_APPLICABLE:
            return None
        how = "no signal ended the process"
    elif account.how not in HOW_NOTHING_FAILED or _hides_a_fault(state, findings):
        return None
    else:
        how = HOW_NOTHING_FAILED[account.how]
    return f"not looked for: {how}, and nothing else looked damaged"


def _is_of_calls(finding: Finding) -> bool:
    """Tell whether a stack was used up by calls, not by one frame, whose size may be damaged."""
    return finding.detector == "stack_overflow" and not finding.facts.get("large")


def _hides_a_fault(state: ProcessState, findings: Sequence[Finding]) -> bool:
    """Tell whether a fault, or damage that a runtime reports, may have led to a sent signal."""
    account = state.account
    if isinstance(account, Absent):
        return True
    if account.how == SENT and account.fault.signo in _OF_FAULTS:
        return True  # without a siginfo nobody knows that it was sent
    if account.how == ABORTED and _gave_up_over_a_name(state):
        return True
    message = message_of_own_abort(state.target, account)
    if message is not None and (isinstance(message, Absent) or message.kind not in _PLAIN_MESSAGES):
        return True
    return any(
        finding.detector in _OF_MEMORY
        or (finding.detector == "python_fatal_error" and finding.facts["kind"] in _OF_OBJECTS)
        for finding in findings
    )


def _gave_up_over_a_name(state: ProcessState) -> bool:
    """Tell whether a thread that ended the process by itself had not found a name."""
    return any(
        info.type in _FAILED_LOOKUPS
        for thread in state.exceptions
        if thread.thread.crashed
        for raised in thread.all()
        for info in raised.exceptions
    )
