# SPDX-License-Identifier: Apache-2.0
"""What the decoder says about a CPython process; values only, no behaviour."""

from __future__ import annotations

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.errors import Absent, SoftError
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.objects.type_objects import TypeInfo
    from gdb_epi.target.memory_search import Ranges

# Where a frame was found (PyFrame.provenance).
CHAIN = "chain"  # tstate -> current_frame -> previous ...
DATASTACK = "datastack"  # the per-thread data stack chunks (3.11 and later)
NATIVE = "native"  # a pointer on the native stack
HEAP = "heap"  # a frame object that nothing leads to (up to 3.10)


class PyFrame(NamedTuple):
    """One Python frame, innermost first in every list.

    A frame that could not be decoded is kept as a hole: `hole` says why, `name` is "".
    """

    address: int  # _PyInterpreterFrame * or PyFrameObject *
    code: int  # PyCodeObject *
    name: str
    qualname: str | None  # None before 3.11: code objects had no co_qualname
    filename: str
    lineno: int | None
    module: str | None  # __name__ of the frame's globals
    owner: str  # "thread", "generator", "frame-object", "cstack", "interpreter", "unknown"
    provenance: str
    is_entry: bool  # the outermost Python frame that its C eval call runs
    hole: str | None = None


class ThreadState(NamedTuple):
    """One PyThreadState."""

    address: int
    interpreter: int  # id of the interpreter
    ident: int  # threading.get_ident(): the pthread_t
    tid: int | None  # native thread id; None when it is unknown
    name: str | None  # threading.Thread.name
    holds_gil: bool
    crashed: bool
    alive: bool  # an LWP with this tid is in the core
    frames: tuple[PyFrame, ...]
    soft_errors: tuple[SoftError, ...] = ()
    doubt: str = ""  # why it cannot be told whether an LWP runs it; `alive` is then False

    @property
    def stack_ends_in_hole(self) -> bool:
        """Whether its stack ends in a hole. A thread may well run no frame at all."""
        return bool(self.frames) and self.frames[-1].hole is not None


class InterpreterState(NamedTuple):
    """One PyInterpreterState and its thread states."""

    address: int
    id: int
    threads: tuple[ThreadState, ...]


class MemorySearchResults:
    """What searches of all memory found at one stop of a process, for later questions."""

    def __init__(self) -> None:
        # What is worth a search, by whether only memory that can be written is looked at.
        self.ranges: dict[bool, tuple[Ranges, list[SoftError]]] = {}
        self.types: dict[int, TypeInfo] | None = None  # all of them, by address
        # The objects of a type, each with whether the collector tracks it.
        self.objects: dict[int, list[tuple[int, bool | None]]] = {}
        self.instances: Any = None  # an Instances, whose module imports this one
        self.masked: Any = None  # a MaskedValues, likewise


class PythonState(NamedTuple):
    """The CPython runtime of the process."""

    version: str  # "3.13.0", or "3.9" where only the minor version is known
    version_hex: int  # PY_VERSION_HEX, 0 when unknown
    layout: Layout
    runtime: int  # address of _PyRuntime
    found_by: str  # "symbol", "section", "cookie scan", ...
    finalizing: bool
    gil_holder: int | None  # tid
    interpreters: tuple[InterpreterState, ...]
    soft_errors: tuple[SoftError, ...] = ()
    searched: MemorySearchResults | None = None

    def interpreter_addresses(self) -> tuple[int, ...]:
        """Return where the interpreters are (PyInterpreterState *)."""
        return tuple(interpreter.address for interpreter in self.interpreters)

    def threads(self) -> tuple[ThreadState, ...]:
        """Return the thread states of all interpreters."""
        return tuple(t for interpreter in self.interpreters for t in interpreter.threads)


class MergedFrame(NamedTuple):
    """One line of a merged stack: a native frame, or the Python frame it runs.

    `evidence` says how the two were brought together (eval_calls.py, merged_stack.py): on a Python
    frame what its place rests on, "" when it is not known; on a native frame that it is a call of
    the eval loop.
    """

    native: NativeFrame | None
    python: PyFrame | None
    evidence: str = ""


class MergedStack(NamedTuple):
    """The merged stack of one thread, innermost first.

    `native` is an Absent with the reason when no unwinder was at hand; the stack then holds
    Python frames only. `notes` say which frames could not be placed.
    """

    tid: int | None
    frames: tuple[MergedFrame, ...]
    native: Absent | None
    notes: tuple[str, ...] = ()
