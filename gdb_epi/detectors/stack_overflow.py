# SPDX-License-Identifier: Apache-2.0
"""An access just below the stack that the thread ran on, its own or another one."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.address_place import STACK_ENDED
from gdb_epi.fault.thread_stack import thread_stack_of
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import Any

_ELSEWHERE = (
    "past the end of the stack that the thread ran on, which is not its own: the alternate stack "
    "of a signal handler, or one that a library made"
)


@detector("stack_overflow", needs="crash")
def stack_overflow(state: ProcessState) -> Iterator[Finding]:
    """Find an access below the stack that the thread ran out of, in its guard, or by a large frame.

    Innocent causes: this is itself the ordinary explanation. Not claimed when rsp is elsewhere (a
    wild pointer that happens to point below a stack).
    Reference: the kernel's guard gap, mm/mmap.c (stack_guard_gap); glibc's guard pages.
    """
    account = state.account
    if isinstance(account, Absent) or account.place.kind != STACK_ENDED:
        return
    fault, place, stack = account.fault, account.place, account.place.region
    assert stack is not None and account.address is not None
    thread = state.thread(fault.tid)
    block = thread_stack_of(state.target, thread) if thread is not None else None
    own = None if block is None else block.is_of(stack)
    # The kernel joins mappings that lie side by side, so that a mapping may be more than a stack.
    size = block.end - block.start if own and block is not None else stack.size
    facts: dict[str, Any] = {
        "address": hex_word(account.address),
        "rsp": hex_word(fault.sp),
        "own": own,
        "stack": [hex_word(stack.start), hex_word(stack.end)],
    }
    if own is False:
        where = _ELSEWHERE
    elif own:
        facts["size"] = size
        where = f"past the end of the thread's stack of {size >> 10} KiB"
        main = not isinstance(state.process, Absent) and fault.tid == state.process.pid
        if place.large and main:  # its stack grows, up to ulimit -s
            where = f"past the end of the thread's stack, of which {size >> 10} KiB are mapped"
    else:
        where = f"past the end of the stack that it ran on, in a mapping of {size >> 10} KiB"
    if place.large:
        facts["large"] = True
    by = ", in a frame larger than what was left of it" if place.large else ""
    summary = f"the access is {place.distance} bytes {where}{by}"
    yield Finding("stack_overflow", f"thread {fault.tid}", facts, summary)
