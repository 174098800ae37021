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
    from gdb_epi.cpython.frames.selected import SelectedFrame
    from gdb_epi.cpython.types import PyFrame, ThreadState


class Session:
    """What a command works on; `target` is None when no process is loaded.

    `selected_tid` is the thread that the user selected in the host (GDB), or None;
    `selected_frame` the native frame of it that the user selected, None for the innermost.
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
        self.selected_frame: SelectedFrame | None = None

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

    def python_frame(self, number: int | None) -> PyFrame:
        """Return a Python frame of the chosen thread, 0 innermost; None is the selected frame's.

        Raises InputError when there is none of that number, when it is a hole, or when it cannot
        be told which one the selected native frame stands for.
        """
        frame = self.frame_or_hole(number)
        if frame.hole is not None:
            place = self.number_of(frame)
            which = "the frame" if place is None else f"frame {place}"
            raise InputError(f"{which} is a hole: {frame.hole}", hint="another frame")
        return frame

    def frame_or_hole(self, number: int | None) -> PyFrame:
        """Do what python_frame() does, but return a hole."""
        thread = self._python_thread()
        if number is None:
            return self._selected_python_frame(thread)
        if not 0 <= number < len(thread.frames):
            last = len(thread.frames) - 1
            raise InputError(f"thread {thread.tid} has Python frames 0 to {last}", hint="epi bt")
        return thread.frames[number]

    def number_of(self, frame: PyFrame) -> int | None:
        """Return the number of a Python frame of the chosen thread.

        None for a frame of another interpreter that runs on this thread.
        """
        frames = self._python_thread().frames
        return next((number for number, other in enumerate(frames) if other is frame), None)

    def _python_thread(self) -> ThreadState:
        """Return the thread state of the chosen thread. Raises InputError without frames."""
        tid, python = self.chosen_tid(), self.state.python
        if isinstance(python, Absent):
            raise InputError(f"no Python frames: {python.detail}", hint="epi bt")
        thread = self.state.python_thread(tid) if tid is not None else None
        if thread is None or not thread.frames:
            from gdb_epi.cpython.runtime.find_runtime import RECOVERED

            lost = python.found_by == RECOVERED
            what = "has no Python state that is left" if lost else "runs no Python code"
            raise InputError(f"thread {tid} {what}", hint="epi threads")
        return thread

    def _selected_python_frame(self, thread: ThreadState) -> PyFrame:
        selected, tid = self.selected_frame, self.chosen_tid()
        if tid is None or selected is None:
            return thread.frames[0] if tid is None else self.state.innermost_frame(tid, thread)
        frame = self.state.python_frame_of(tid, selected)
        if isinstance(frame, Absent):
            raise InputError(
                f"no Python frame for native frame {selected.level}, which is selected: "
                f"{frame.detail}",
                hint="the number of a Python frame, 0 innermost",
            )
        return frame
