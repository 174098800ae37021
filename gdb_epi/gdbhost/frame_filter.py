# SPDX-License-Identifier: Apache-2.0
"""GDB's own `bt` in Python's words: a frame filter, off until `set epi frames on`.

Python frames with file, line and arguments replace the calls of the eval loop that run them;
CPython's own machinery is left out. `bt -no-filters` shows the raw frames. None of this needs debug
information of Python. Every frame keeps GDB's own level, which GDB prints once for several Python
frames that one native frame runs (3.11 and later).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise

import gdb
from gdb.FrameDecorator import FrameDecorator

from gdb_epi.errors import NOT_AVAILABLE, Absent, EpiError
from gdb_epi.gdbhost.output import in_host_charset
from gdb_epi.gdbhost.python_values import PythonSymbol, PythonValuePrinter, install_printer
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.types import PyFrame
    from gdb_epi.cpython.values.variables import FrameVariables
    from gdb_epi.process_state import ProcessState

NAME = "epi"
PRIORITY = 90  # before filters that show what they get, as GDB's manual advises
# An argument is one of many on a line; scopes of an editor show more.
DEPTH, WIDTH, LENGTH, TOTAL = 2, 5, 60, 120
MAX_ARGUMENT = 50  # columns of one in a line of `bt`
_INTERPRETER = (b"i", b"interpreter", b"ui")


class PythonFrames:
    """The frame filter (GDB manual, "Frame Filter API"); GDB reads its attributes."""

    def __init__(self) -> None:
        self.name = NAME
        self.priority = PRIORITY
        self.enabled = True
        self._reason = ""  # why no Python frames were shown, the last time

    def filter(self, frames: Iterable[FrameDecorator]) -> Iterator[FrameDecorator]:
        """Yield the frames to show; all of them where Python cannot be decoded, with a word why."""
        frames = iter(frames)
        plan = _plan_python_frames()
        if isinstance(plan, str):
            if plan and plan != self._reason and not is_under_machine_interface():
                hint = "" if "; try: " in plan else "; try: epi doctor"
                gdb.write(f"epi: no Python frames here: {plan}{hint}\n", gdb.STDERR)
            self._reason = plan
            return map(_decorate_nameless, frames)
        return _filter_frames(frames, *plan)


def _plan_python_frames() -> tuple[dict[int, list[PyFrame]], set[int], FrameVariables | None] | str:
    """Return the Python frames by the native level that runs them, and the levels to leave out.

    A text where none can be shown: why, "" where that thread runs no Python.
    """
    from gdb_epi.gdbhost.sessions import shared_sessions

    try:
        session = shared_sessions().current_session()
        tid = session.selected_tid
        if not session.has_target or tid is None:
            return ""
        python = session.state.python
        if isinstance(python, Absent):
            return python.detail if python.reason == NOT_AVAILABLE else ""
        native = session.state.stack(tid).native
        thread = session.state.python_thread(tid)
        if native is not None and thread is not None and thread.frames:
            return native.detail  # nothing is known about their places
        placed, plumbing = _python_frames_by_level(session.state, tid)
        return placed, plumbing, _variables_reader(session.state)
    except (EpiError, gdb.error):
        return ""  # GDB's own frames are right in any case


def _python_frames_by_level(
    state: ProcessState, tid: int
) -> tuple[dict[int, list[PyFrame]], set[int]]:
    from gdb_epi.cpython.frames.merged_stack import frames_with_levels
    from gdb_epi.render.merged_stacks import is_interpreter_frame

    placed: dict[int, list[PyFrame]] = {}
    plumbing: set[int] = set()
    stack = state.stack(tid)
    if stack.native is not None:
        return {}, set()  # nothing is known about their places
    for level, frame in frames_with_levels(stack):
        if frame.python is not None:
            placed.setdefault(level, []).append(frame.python)
        elif is_interpreter_frame(frame):
            plumbing.add(level)
    return placed, plumbing


def _variables_reader(state: ProcessState) -> FrameVariables | None:
    from gdb_epi.cpython.values.repr_decoder import ReprLimits
    from gdb_epi.record.stacks import frame_variables_reader

    reader = frame_variables_reader(state, ReprLimits(DEPTH, WIDTH, LENGTH, TOTAL))
    return None if isinstance(reader, Absent) else reader


def _filter_frames(
    frames: Iterator[FrameDecorator],
    placed: dict[int, list[PyFrame]],
    plumbing: set[int],
    reader: FrameVariables | None,
) -> Iterator[FrameDecorator]:
    for frame in frames:
        level = frame.inferior_frame().level()
        if level not in plumbing:
            yield _decorate_nameless(frame)
        for python in placed.get(level, ()):
            yield PythonFrameDecorator(frame, python, reader)


class NamelessFrame(FrameDecorator):  # type: ignore[misc]
    """A frame whose function GDB does not know: it prints "??" without filters, nothing with."""

    def function(self) -> str:
        """Return what GDB prints without filters."""
        return "??"


def _decorate_nameless(frame: FrameDecorator) -> FrameDecorator:
    native = frame.inferior_frame()
    if native.name() or native.type() in (gdb.SIGTRAMP_FRAME, gdb.DUMMY_FRAME):
        return frame  # GDB says what these are: "<signal handler called>"
    return NamelessFrame(frame)


class PythonFrameDecorator(FrameDecorator):  # type: ignore[misc]
    """One Python frame over the native frame that runs it."""

    def __init__(
        self, base: FrameDecorator, python: PyFrame, reader: FrameVariables | None
    ) -> None:
        super().__init__(base)
        self._python = python
        self._reader = reader
        self._variables: tuple[list[PythonSymbol], list[PythonSymbol]] | None = None

    def elided(self) -> None:
        """Return no frames below this one."""

    def function(self) -> str:
        """Return the qualified name."""
        python = self._python
        if python.hole is not None:
            return "(a Python frame that cannot be decoded)"
        name = python.qualname or python.name
        # An editor opens sources by path; if there is no such file, the name contains it.
        place = f" ({python.filename})" if is_in_dap() and self.filename() is None else ""
        return in_host_charset(name + place)

    def filename(self) -> str | None:
        """Return the file; for an editor only one that exists."""
        name = self._python.filename
        if self._python.hole is not None:
            return None
        if is_in_dap():
            return name if os.path.isfile(name) else None
        return in_host_charset(name)

    def line(self) -> int | None:
        """Return the line."""
        return self._python.lineno

    def address(self) -> int | None:
        """Return the native frame's pc for an editor, which must have one; it says nothing else."""
        return int(self.inferior_frame().pc()) if is_in_dap() else None

    def frame_args(self) -> list[PythonSymbol]:
        """Return the arguments."""
        return self._read_variables()[0]

    def frame_locals(self) -> list[PythonSymbol]:
        """Return locals, cells and free variables."""
        return self._read_variables()[1]

    def _read_variables(self) -> tuple[list[PythonSymbol], list[PythonSymbol]]:
        if self._variables is None:
            from gdb_epi.cpython.values.variables import ARGUMENTS

            self._variables = [], []
            variables = (
                self._reader.variables_of_frame(self._python) if self._reader is not None else ()
            )
            for variable in () if isinstance(variables, Absent) else variables:
                text, is_argument = variable.text_with_attributes(), variable.kind in ARGUMENTS
                if is_argument and len(text) > MAX_ARGUMENT and not is_in_dap():
                    text = f"{text[: MAX_ARGUMENT - 3]}..."
                symbol = PythonSymbol(variable.name, PythonValuePrinter(text))
                self._variables[not is_argument].append(symbol)
        return self._variables


def is_in_dap() -> bool:
    """Tell whether GDB serves an editor over DAP (14 and later): only then is this loaded."""
    return "gdb.dap.startup" in sys.modules


def is_under_machine_interface() -> bool:
    """Tell whether GDB was started for a program that speaks MI; an editor of them hangs.

    microsoft/vscode-cpptools#13282. GDB's Python API does not tell the interpreter.
    """
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    names = [word.lstrip(b"-") for word in words if word.startswith(b"-")]
    joined = {name.partition(b"=")[2] for name in names if name.startswith((b"i=", b"interpreter"))}
    behind = {b for a, b in pairwise(words) if a.lstrip(b"-") in _INTERPRETER}
    return any(value.startswith(b"mi") for value in joined | behind)


def switch_frame_filter(on: bool) -> None:
    """Put the filter into GDB's list, or take it out; nothing of it is there before."""
    filters = gdb.frame_filters
    if on:
        install_printer()
        filters[NAME] = PythonFrames()
    else:
        filters.pop(NAME, None)
    gdb.invalidate_cached_frames()
