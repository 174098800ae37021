# SPDX-License-Identifier: Apache-2.0
"""Session: a target, its decoded state, and what the user selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from gdb_epi.errors import Absent, InputError, UsageError
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import StructType, Target
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.breakpoint_locations import BreakpointLocation
    from gdb_epi.cpython.frames.merged_stack import SelectedFrame
    from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState
    from gdb_epi.cpython.values.process_values import ProcessValues
    from gdb_epi.cpython.values.repr_decoder import ReprLimits


class CValue(NamedTuple):
    """What an expression of C gave.

    `address` is the value of a pointer or an integer, else the place of a struct; `type` the name
    of the type there, of an integer its own; `is_object`: an object of Python can be there.
    """

    address: int
    type: str
    is_object: bool
    is_integer: bool = False


class SearchProgress(Protocol):
    """Where a search says how far it is."""

    def show(self, done: int, total: int) -> None:
        """Show it; in bytes."""

    def clear(self) -> None:
        """Take it away."""


class Host(Protocol):
    """What only the host (GDB) can do for a command."""

    def number_of_thread(self, tid: int) -> str | None:
        """Return the host's own number of a thread."""

    def select(self, tid: int, level: int) -> bool:
        """Select a native frame, 0 innermost; return whether there is one."""

    def evaluate(self, text: str) -> CValue:
        """Return the value of an expression of C. Raises InputError, with the host's words."""

    def progress(self) -> SearchProgress | None:
        """Return what shows how far a long search is; None where nobody would see it."""

    def set_python_breakpoint(
        self, python: PythonState, place: BreakpointLocation, condition: str, *, temporary: bool
    ) -> int:
        """Stop the process in Python code; return the breakpoint's number. Raises InputError."""


class DebugTypes(Protocol):
    """What the host (GDB) knows of C types by debug information."""

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type, or None."""

    def constant(self, name: str) -> int | None:
        """Return the value of an enumerator, or None."""

    def layout_table_header(self) -> dict[str, Any]:
        """Return what a layout table says about its origin."""


class Session:
    """What a command works on; `target` is None when no process is loaded.

    `sysroot` is the user's, for sources. Where there is a host (GDB), `host_facts` is what `epi
    doctor` tells of it, `selected_tid` the thread that the user selected there, and
    `selected_frame` the native frame of it, None for the innermost.
    """

    def __init__(
        self,
        target: Target | None,
        *,
        sysroot: str | None = None,
        debug_types: DebugTypes | None = None,
    ) -> None:
        self._target = target
        self.sysroot = sysroot
        self.debug_types = debug_types
        self.host_facts: Mapping[str, Any] = {}
        self.selected_tid: int | None = None
        self.selected_frame: SelectedFrame | None = None
        self.host: Host | None = None
        self.masked: dict[int, str] = {}  # objects that a secret's name led to
        self._values: dict[ReprLimits | None, ProcessValues] = {}
        self._picked: tuple[int, int, int] | None = None  # thread, native level, Python number

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

    def values(self, limits: ReprLimits | None = None) -> ProcessValues:
        """Return the process' objects as text, within limits; kept, as each is decoded once.

        Raises InputError without Python.
        """
        values = self._values.get(limits)
        if values is None:
            from gdb_epi.cpython.values.process_values import get_process_values

            values = get_process_values(self.target, self.state.required_python(), limits)
            self._values[limits] = values
        return values

    def mask_secrets(self, shown: str) -> str:
        """Return a text with `***` for values that are masked, also where no name told yet."""
        python = self.state.__dict__.get("python")  # nothing of it is shown before it is decoded
        masked = getattr(getattr(python, "searched", None), "masked", None)
        return shown if masked is None else str(masked.mask_secrets_in(shown))

    def chosen_tid(self) -> int | None:
        """Return the thread that the user selected, else the one that the kernel wrote first."""
        return self.selected_tid or self.state.crashed_tid()

    def host_thread_number(self, tid: int) -> str | None:
        """Return the number by which the host (GDB) knows a thread."""
        return self.host.number_of_thread(tid) if self.host is not None else None

    def select_python_frame(self, number: int) -> PyFrame:
        """Select a Python frame of the chosen thread, and in the host the native frame it is in.

        The selection lasts until another native frame or thread is selected. A hole can be
        selected too: there are frames after it. Raises UsageError when there is no such frame.
        """
        from gdb_epi.cpython.frames.merged_stack import find_native_level

        frame, tid = self.python_frame_or_hole(number), self.chosen_tid()
        assert tid is not None  # else there is no frame
        level = find_native_level(self.state.stack(tid), frame)
        here = self.selected_frame.level if self.selected_frame is not None else 0
        if level is not None and self.host is not None and self.host.select(tid, level):
            here = level
        self._picked = (tid, here, number)
        return frame

    def python_frame(self, number: int | None) -> PyFrame:
        """Return a Python frame of the chosen thread, 0 innermost; None is the selected frame's.

        Raises UsageError when there is none of that number; InputError when it is a hole, or when
        it cannot be told which one the selected native frame stands for.
        """
        frame = self.python_frame_or_hole(number)
        if frame.hole is not None:
            place = self.number_of_python_frame(frame)
            which = "the frame" if place is None else f"frame {place}"
            raise InputError(f"{which} is a hole: {frame.hole}", hint="another frame")
        return frame

    def python_frame_or_hole(self, number: int | None) -> PyFrame:
        """Do what python_frame() does, but return a hole."""
        thread = self._python_thread()
        if number is None:
            selected, tid = self.selected_frame, self.chosen_tid()
            level = selected.level if selected is not None else 0
            if self._picked is not None and self._picked[:2] == (tid, level):
                return self._python_frames_of_thread(thread)[self._picked[2]]
            if tid is None or selected is None:
                return thread.frames[0] if tid is None else self.state.innermost_frame(tid, thread)
            frame = self.state.python_frame_for_native_frame(tid, selected)
            if isinstance(frame, Absent):
                raise InputError(
                    f"no Python frame for native frame {selected.level}, which is selected: "
                    f"{frame.detail}",
                    hint="the number of a Python frame, 0 innermost",
                )
            return frame
        frames = self._python_frames_of_thread(thread)
        if not 0 <= number < len(frames):
            last = len(frames) - 1
            raise UsageError(f"thread {thread.tid} has Python frames 0 to {last}", hint="epi bt")
        return frames[number]

    def number_of_python_frame(self, frame: PyFrame) -> int | None:
        """Return the number of a Python frame of the chosen thread, as `epi bt` shows it."""
        frames = self._python_frames_of_thread(self._python_thread())
        return next((number for number, other in enumerate(frames) if other is frame), None)

    def number_of_selected_frame(self) -> int:
        """Return the number of the selected Python frame. Raises InputError where there is none."""
        number = self.number_of_python_frame(self.python_frame_or_hole(None))
        if number is None:
            raise InputError("the selected frame is not among those of `epi bt'", hint="epi bt")
        return number

    def frame_count(self) -> int:
        """Return how many Python frames the chosen thread has, holes included."""
        return len(self._python_frames_of_thread(self._python_thread()))

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

    def _python_frames_of_thread(self, thread: ThreadState) -> Sequence[PyFrame]:
        tid = self.chosen_tid()
        return self.state.python_frames(tid, thread) if tid is not None else thread.frames
