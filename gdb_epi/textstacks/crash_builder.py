# SPDX-License-Identifier: Apache-2.0
"""A crash while its lines are being read."""

from __future__ import annotations

from collections import deque

from gdb_epi.textstacks.gdb_lines import mark_inlined, parse_frame
from gdb_epi.textstacks.text_crash import GDB, TextCrash, TextFrame, TextThread

MAX_FRAMES = 4096  # of one thread; the outermost ones are kept beside them
KEEP_OUTERMOST = 4
MAX_THREADS = 4096  # of one crash
MAX_PYTHON = 4096
MAX_C_STACK = 256


class ThreadDraft:
    """One thread."""

    def __init__(self, label: str, tid: int | None, name: str | None) -> None:
        self.label = label
        self.tid = tid
        self.name = name
        self.current = ""
        self.stops = False  # GDB's "Backtrace stopped: ..."
        self.limited = False  # GDB was asked for a part, or lines are missing
        self.starts_late = False
        self.python_ends = ""
        self.has_python = False
        self.total = 0
        self._last = -1
        self._native: list[TextFrame] = []
        self._outer: deque[tuple[int, str]] = deque(maxlen=KEEP_OUTERMOST)
        self._python: list[TextFrame] = []

    @property
    def size(self) -> int:
        """Number of native frames seen."""
        return self.total

    def head(self) -> TextFrame | None:
        """Return the innermost native frame."""
        return self._native[0] if self._native else None

    def add_native(self, number: int, text: str) -> None:
        """Take a frame of GDB; only the innermost and the last ones are parsed."""
        if not self.total and number != 0:
            self.starts_late = True
        if self.total and number != self._last + 1:
            self.limited = True  # lines are missing
        self._last = number
        self.total += 1
        if len(self._native) < MAX_FRAMES:
            self._native.append(parse_frame(number, text))
        else:
            self._outer.append((number, text))

    def add_python(self, frame: TextFrame) -> None:
        """Take a Python frame."""
        if len(self._python) < MAX_PYTHON:
            self._python.append(frame)
        else:
            self.python_ends = f"only {MAX_PYTHON} Python frames are kept"

    def drop_native(self) -> None:
        """Forget the native frames: a longer stack of the same thread follows."""
        self._native, self.total, self._last = [], 0, -1
        self._outer.clear()
        self.stops = self.limited = False

    def is_empty(self) -> bool:
        """Tell whether no frame was seen."""
        return not self.total and not self._python

    def finish(self, c_stack: list[TextFrame]) -> TextThread:
        """Return the thread."""
        native = mark_inlined(self._native)
        left_out = self.total - len(native)
        outer = [parse_frame(number, text) for number, text in self._outer]
        return TextThread(
            label=self.label,
            tid=self.tid,
            name=self.name,
            current=self.current,
            native=tuple(native),
            python=tuple(self._python),
            c_stack=tuple(c_stack),
            ends=self._ends(outer or native),
            python_ends=self.python_ends,
            left_out=left_out,
            has_python=self.has_python,
        )

    def _ends(self, frames: list[TextFrame]) -> str:
        """Return why the native stack does not reach its base; "" when it does."""
        from gdb_epi.signature.drop_sets import THREAD_BASE, load_drop_sets

        if self.starts_late:
            return "the text begins in the middle of the stack"
        if self.limited:
            return "the text leaves frames out"
        if not frames or self.stops:
            return ""  # GDB could not go on: an analysis of the core has no more
        name = frames[-1].name or ""
        base = name == "main" or load_drop_sets().native_class(name) == THREAD_BASE
        return "" if base else "the text ends before the stack does"


class CrashDraft:
    """One crash."""

    def __init__(self, source: str, line: int) -> None:
        self.source = source
        self.line = line
        self.signal: str | None = None
        self.fatal: str | None = None
        self.timeout: str | None = None
        self.command: str | None = None
        self.facts: dict[str, int] = {}
        self.notes: list[str] = []
        self.selected: tuple[str, int | None, str] | None = None
        self.switched: tuple[str, int | None] | None = None
        self._threads: list[ThreadDraft] = []
        self._c_stack: list[TextFrame] = []
        self._overflow = False

    def is_empty(self) -> bool:
        """Tell whether nothing in it can be signed."""
        return all(thread.is_empty() for thread in self._threads) and self.fatal is None

    def begun(self) -> bool:
        """Tell whether it holds more than preliminaries."""
        return self.signal is not None or self.command is not None or bool(self._threads)

    def thread(self, label: str, tid: int | None, name: str | None) -> ThreadDraft:
        """Return a new thread; the same label again is the same thread printed once more."""
        draft = ThreadDraft(label, tid, name)
        if len(self._threads) < MAX_THREADS:
            self._threads.append(draft)
        elif not self._overflow:
            self._overflow = True
            self.notes.append(f"only the first {MAX_THREADS} threads are kept")
        return draft

    def first_frame(self, thread: ThreadDraft | None) -> ThreadDraft:
        """Return the thread that a frame #0 belongs to.

        GDB prints the innermost frame when it loads a core, and `bt` prints it again.
        """
        if thread is not None and not thread.size:
            return thread
        if thread is not None and not thread.label and thread.size == 1:
            thread.drop_native()
            return thread
        label, tid = self.switched or ("", None)
        self.switched = None
        if thread is None and not label:
            headless = [t for t in self._threads if not t.label and t.is_empty()]
            if headless:
                return headless[0]
        return self.thread(label, tid, None)

    def select(self, label: str, tid: int | None, why: str) -> None:
        """Note which thread the debugger had selected when the process stopped."""
        if self.selected is None:
            self.selected = (label, tid, why)

    def c_frame(self, frame: TextFrame) -> None:
        """Take a frame of faulthandler's C stack."""
        if len(self._c_stack) < MAX_C_STACK:
            self._c_stack.append(frame)

    def finish(self) -> TextCrash:
        """Return the crash."""
        threads = [thread for thread in self._threads if not thread.is_empty() or thread.current]
        finished = [t.finish(self._c_stack if t.current else []) for t in threads]
        if self.timeout is not None:
            self.notes.append(f"dump_traceback_later() fired after {self.timeout}: nothing crashed")
        return TextCrash(
            source=self.source,
            line=self.line,
            signal=self.signal,
            fatal=self.fatal,
            command=self.command,
            facts=dict(self.facts),
            threads=tuple(self._mark_selected(finished) if self.source == GDB else finished),
            notes=tuple(self.notes),
        )

    def _mark_selected(self, threads: list[TextThread]) -> list[TextThread]:
        """Mark the thread that the debugger had selected."""
        if self.selected is None:
            return threads
        label, tid, why = self.selected
        fits = [t for t in threads if (t.label == label) or (tid is not None and t.tid == tid)]
        headless = [t for t in threads if not t.label]
        chosen = (headless or fits)[:1]
        # A `bt` without a header is of the selected thread; `thread apply` prints it again.
        return [t._replace(current=why, tid=t.tid or tid) if t in chosen else t for t in threads]
