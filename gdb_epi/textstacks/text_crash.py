# SPDX-License-Identifier: Apache-2.0
"""What a text says about one crash; values only."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.typing_lite import NamedTuple

GDB = "gdb"
FAULTHANDLER = "faulthandler"

NATIVE = "native"
SIGNAL = "signal"
PYTHON = "python"


class TextFrame(NamedTuple):
    """One frame as it was printed; what the line does not say is None.

    `kind` is "native", "signal" or "python". `inlined` is known by GDB's habit: the outer frames of
    one pc carry no address. `python` holds the frames that GDB's python-gdb.py printed as the
    argument of an eval frame. `words` is a quoted text among the arguments (malloc_printerr),
    `asserts` the function that glibc's frames of a failed assertion were told.
    """

    number: int | None
    kind: str
    name: str | None = None
    pc: int | None = None
    module: str | None = None
    filename: str | None = None
    lineno: int | None = None
    inlined: bool = False
    python: tuple[TextFrame, ...] = ()
    words: str | None = None
    asserts: str | None = None


class TextThread(NamedTuple):
    """The frames of one thread, innermost first, native and Python apart.

    `ends` says why the native frames end before the outermost one, "" when nothing says so;
    `python_ends` the same of the Python frames. `left_out` counts frames above the cap.
    """

    label: str
    tid: int | None
    name: str | None
    current: str  # the words that say that it is the one that died; "" when none do
    native: tuple[TextFrame, ...]
    python: tuple[TextFrame, ...]
    c_stack: tuple[TextFrame, ...]
    ends: str
    python_ends: str
    left_out: int
    has_python: bool  # a Python stack was printed, be it an empty one


class TextCrash(NamedTuple):
    """One crash in a text. `line` is the number of its first line, from 1.

    `facts` holds what a debugger printed beside the stacks: si_code, si_addr, si_pid, rsp, pid.
    """

    source: str
    line: int
    signal: str | None
    fatal: str | None
    command: str | None
    facts: Mapping[str, int]
    threads: tuple[TextThread, ...]
    notes: tuple[str, ...]
