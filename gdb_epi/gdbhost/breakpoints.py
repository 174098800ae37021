# SPDX-License-Identifier: Apache-2.0
"""Breakpoints in Python code: hardware watchpoints on the bytecode that the eval loop reads.

They cost the process nothing until they are hit. x86-64 processors have four.
"""

from __future__ import annotations

import gdb

from gdb_epi.cpython.frames.breakpoint_locations import BreakpointLocation, is_at_location
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import InputError, LayoutError, UnreadableMemory
from gdb_epi.gdbhost.output import in_host_charset
from gdb_epi.gdbhost.process_target import GdbProcessTarget
from gdb_epi.gdbhost.selection import temporary_gdb_setting
from gdb_epi.render.escape import escape
from gdb_epi.sizes import WORD_MASK

REGISTERS = 4  # DR0 to DR3
# What create_requested_breakpoint() takes, one at a time.
_waiting: list[tuple[PythonState, BreakpointLocation, str, bool]] = []
_made: list[int] = []


class PythonBreakpoint(gdb.Breakpoint):  # type: ignore[misc]
    """Stops where the eval loop reads one instruction, when the thread's frame runs that code."""

    def __init__(
        self, python: PythonState, place: BreakpointLocation, condition: str, *, temporary: bool
    ) -> None:
        self._python = python
        self._place = place
        self._condition = condition
        self._temporary = temporary
        self._stopped = False
        with temporary_gdb_setting("language", "c"):
            expression = f"*(unsigned char *) {place.address:#x}"
            super().__init__(expression, gdb.BP_WATCHPOINT, gdb.WP_ACCESS)
        if temporary:
            gdb.events.stop.connect(self._on_stop)

    def stop(self) -> bool:
        """Tell GDB whether to stop; other reads of the byte (copies of the code) do not count."""
        place = self._place
        why = ""
        try:
            if not self._runs_at_location():
                return False
            if self._condition and not gdb.parse_and_eval(self._condition):
                return False
        except (LayoutError, UnreadableMemory, gdb.error) as error:
            why = f" (cannot tell whether it is meant: {error})"
        text = f"Python breakpoint {self.number}, {place.name} at {place.where}{why}"
        gdb.write(f"\n{in_host_charset(escape(text))}\n")
        self._stopped = True
        return True

    def _runs_at_location(self) -> bool:
        thread = gdb.selected_thread()
        inferior = gdb.selected_inferior()
        pid, lwp, _ = thread.ptid
        target = GdbProcessTarget(inferior, kind="live", proc=None, lwp=lwp or pid)
        ident = int(gdb.newest_frame().read_register("fs_base")) & WORD_MASK  # pthread_t
        return is_at_location(target, self._python, self._place, lwp or pid, ident)

    def _on_stop(self, _event: object) -> None:
        if self._stopped:
            gdb.events.stop.disconnect(self._on_stop)
            if self.is_valid():
                self.delete()


def set_python_breakpoint(
    python: PythonState, place: BreakpointLocation, condition: str, *, temporary: bool
) -> int:
    """Set a breakpoint; return its number. Raises InputError, with GDB's words."""
    kinds = {gdb.BP_HARDWARE_WATCHPOINT, gdb.BP_READ_WATCHPOINT, gdb.BP_ACCESS_WATCHPOINT}
    used = [b for b in gdb.breakpoints() or () if b.type in kinds and b.enabled]
    if len(used) >= REGISTERS:
        numbers = ", ".join(str(b.number) for b in used)
        what = f"the processor has {REGISTERS} hardware watchpoints, and all are in use ({numbers})"
        raise InputError(what, hint=f"delete {used[0].number}")
    _waiting.append((python, place, condition, temporary))
    try:
        # As a command, because GDB prints a line for each new one, which is not JSON.
        source = f"modules[{__name__!r}].{create_requested_breakpoint.__name__}()"
        gdb.execute(f"python __import__('sys').{source}", False, True)
    except gdb.error as error:
        what = f"GDB cannot watch the code: {str(error).splitlines()[-1].rstrip('.')}"
        raise InputError(what, hint="set can-use-hw-watchpoints 1") from None
    finally:
        _waiting.clear()
    return _made.pop()


def create_requested_breakpoint() -> None:
    """Make the breakpoint that set_python_breakpoint() asked for."""
    python, place, condition, temporary = _waiting.pop()
    _made.append(PythonBreakpoint(python, place, condition, temporary=temporary).number)
