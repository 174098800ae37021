# SPDX-License-Identifier: Apache-2.0
"""What a thread was changing when somebody stopped it: such a thing may be half done."""

from __future__ import annotations

from gdb_epi.hangs.external_termination import was_ended_from_outside
from gdb_epi.hangs.system_calls import read_system_call
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.errors import Absent
    from gdb_epi.fault.find_fault import Fault
    from gdb_epi.target.api import CrashInfo
    from gdb_epi.typing_lite import Protocol

    class Process(Protocol):
        """As much of a ProcessState as is asked."""

        target: Target

        @property
        def crash(self) -> CrashInfo | Absent:
            """How it ended."""

        @property
        def fault(self) -> Fault | Absent:
            """What failed, or who sent the signal."""


def may_be_half_updated(state: Process, start: int, size: int) -> bool:
    """Tell whether a thread that was stopped from outside may be in the middle of changing a range.

    pymalloc_alloc() and pymalloc_free() write count and free list one after the other
    (Objects/obmalloc.c); a thread between the two has an address of the pool in a register.
    """
    if not was_ended_from_outside(state.crash, state.fault):
        return False
    return any(
        start <= value < start + size
        for thread in state.target.threads()
        if read_system_call(state.target, thread) is None
        for value in thread.registers.values()
    )
