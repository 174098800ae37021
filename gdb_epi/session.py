# SPDX-License-Identifier: Apache-2.0
"""Session: a target, its decoded state, and the user's options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from gdb_epi.errors import Absent, InputError
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.cpython.types import PyFrame


class Session:
    """What a command works on; `target` is None when no process is loaded.

    `selected_tid` is the thread that the user selected in the host (GDB), or None.
    """

    def __init__(
        self,
        target: Target | None,
        options: Mapping[str, Any] | None = None,
        selected_tid: int | None = None,
    ) -> None:
        self._target = target
        self.options = dict(options or {})
        self.selected_tid = selected_tid

    @property
    def has_target(self) -> bool:
        """Whether a core or a live process is loaded."""
        return self._target is not None

    @property
    def target(self) -> Target:
        """Return the target. Raises InputError when nothing is loaded."""
        if self._target is None:
            raise InputError("no process and no core", hint="core-file FILE, or attach PID")
        return self._target

    @cached_property
    def state(self) -> ProcessState:
        """The decoded process."""
        return ProcessState(self.target)

    def chosen_tid(self) -> int | None:
        """Return the thread that the user selected, else the one that the kernel wrote first."""
        return self.selected_tid or self.state.crashed_tid()

    def python_frame(self, number: int) -> PyFrame:
        """Return a Python frame of the chosen thread, 0 innermost.

        Raises InputError when there is none of that number, or when it is a hole.
        """
        tid, python = self.chosen_tid(), self.state.python
        if isinstance(python, Absent):
            raise InputError(f"no Python frames: {python.detail}", hint="epi bt")
        thread = self.state.python_thread(tid) if tid is not None else None
        if thread is None or not thread.frames:
            from gdb_epi.cpython.runtime.find_runtime import RECOVERED

            lost = python.found_by == RECOVERED
            what = "has no Python state that is left" if lost else "runs no Python code"
            raise InputError(f"thread {tid} {what}", hint="epi threads")
        if not 0 <= number < len(thread.frames):
            last = len(thread.frames) - 1
            raise InputError(f"thread {tid} has Python frames 0 to {last}", hint="epi bt")
        frame = thread.frames[number]
        if frame.hole is not None:
            raise InputError(f"frame {number} is a hole: {frame.hole}", hint="another frame")
        return frame
