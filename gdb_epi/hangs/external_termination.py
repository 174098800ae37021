# SPDX-License-Identifier: Apache-2.0
"""Whether a process failed by itself: all that an ordinary crash needs of this package."""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.fault.find_fault import Fault
    from gdb_epi.target.api import CrashInfo

_BY_KERNEL = frozenset((1, 2, 3, 24))  # of a terminal, or the limit of CPU time


def was_ended_from_outside(crash: CrashInfo | Absent, fault: Fault | Absent) -> bool:
    """Tell whether nothing failed: a debugger wrote the core, or somebody else sent a signal."""
    if isinstance(crash, Absent):
        return True
    if crash.si_code is not None and crash.si_code > 0:
        return crash.signo in _BY_KERNEL
    return not isinstance(fault, Absent) and fault.sender in (OTHER, PROCESS, ELSEWHERE)
