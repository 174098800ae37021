# SPDX-License-Identifier: Apache-2.0
"""An allocation failed, and the process ended soon after."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.detectors.runtimes.impossible_request import (
    impossible_request,
    memory_error_of_thread,
    raising_instruction,
)
from gdb_epi.detectors.runtimes.uncaught_exception import was_impossible_size_asked_of_new
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import ABORTED, ACCESS, RAISED, FaultAccount
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.out_of_memory import is_out_of_memory
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD_MASK

MEMORY_ERROR = "MemoryError"
WORTH_TELLING = 1 << 30  # bytes or items
_ERRNO = "errno of this thread is ENOMEM: the last call of the C library that failed got no memory"


@detector(
    "failed_allocation",
    needs="crash",
    supports=SupportedLabel("out-of-memory", "no-memory", counted_by="kind", doubt_fact="by_errno"),
)
def failed_allocation(state: ProcessState) -> Iterator[Finding]:
    """Find a MemoryError in the thread that died, or that it gave up or used no pointer on ENOMEM.

    Innocent causes: errno keeps its value until the next call that fails, so a pointer may be NULL,
    or the process may have given up, for another reason: where no function of the program's own
    libraries that leads here asks for memory before, it speaks for nothing. A request of an
    absurd size fails just as one does when memory has run out; that of operator new is told by
    uncaught_exception, others by impossible_request. A MemoryError that the program raises itself,
    by a `raise`, is no failed allocation of Python's.
    Reference: man 3 malloc (ENOMEM), man 2 setrlimit (RLIMIT_AS, RLIMIT_DATA).
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in (ABORTED, RAISED, ACCESS):
        return
    subject = f"thread {account.fault.tid}"
    raised = memory_error_of_thread(state, account.fault.tid)
    by = None if raised is None else raising_instruction(state, raised.root_exception)
    if raised is not None and not (by is not None and by.is_raise_statement):
        if any(True for _ in impossible_request(state)):
            return
        summary = f"a MemoryError is {raised.state} in this thread: an allocation of Python failed"
        facts: dict[str, object] = {"kind": MEMORY_ERROR, "state": raised.state}
        if by is not None and by.numbers and max(by.numbers) >= WORTH_TELLING:
            summary += f"; its call was given the number {max(by.numbers):,}"
        if _libc_found_overwritten_memory(
            account
        ):  # no failed allocation damages malloc's own data
            facts["kind"] = "info"
            summary += "; what cleans up after it may have gone wrong"
        yield Finding("failed_allocation", subject, facts, summary)
        return
    pointer = _name_of_failed_result(account)
    if account.how == ACCESS and not pointer:
        return
    if not pointer and (
        _libc_found_overwritten_memory(account) or was_impossible_size_asked_of_new(state, account)
    ):
        return
    if not is_out_of_memory(state.target, account):
        return
    if any(True for _ in impossible_request(state)):  # last: it reads code
        return
    facts = {"kind": "errno" if pointer else "gave-up", "by_errno": True}
    what = "the process ended itself, just then or later"
    what = f"the pointer that was used is {pointer}" if pointer else what
    yield Finding("failed_allocation", subject, facts, f"{_ERRNO}; {what}")


def _name_of_failed_result(account: FaultAccount) -> str:
    """Return the result of a failed allocation through which the access went; "" for none.

    mmap() returns MAP_FAILED, -1 (man 2 mmap), everything else NULL, to which code may have added.
    """
    if account.how != ACCESS or not account.is_near_null or account.through_stack:
        return ""
    operand, registers = account.site.operand, account.fault.registers
    values = [registers.get(name) for name in operand.registers()] if operand is not None else [0]
    if 0 in values:
        return "NULL"
    if WORD_MASK in values:
        return "-1, as mmap() returns it"
    distance = values[0] if len(values) == 1 else None
    return (
        f"{distance}, NULL and a distance as it seems" if distance and distance < NEAR_NULL else ""
    )


def _libc_found_overwritten_memory(account: FaultAccount) -> bool:
    """Tell whether malloc, or a check of buffers in the C library, found memory overwritten."""
    message = account.message
    return isinstance(message, AbortMessage) and message.kind in ("malloc", "fortify")
