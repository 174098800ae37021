# SPDX-License-Identifier: Apache-2.0
"""Frames, names, ids and GIL of real cores, against what each process wrote before it died."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.cores import Made, Program, corpus_programs
from support.interpreters import Interpreter, discover, spread
from support.opening import made_or_skip, state_of

from gdb_epi.cpython.types import PythonState, ThreadState
from gdb_epi.process_state import ProcessState

CELLS = [
    pytest.param(interpreter, program, id=f"{interpreter.id}-{program.name}")
    for program in corpus_programs()
    for interpreter in spread(program.name, program.supports, every=6)
]


def decode(made: Made) -> ProcessState:
    """Decode a core without GDB."""
    return state_of(made)


def seen_frames(thread: ThreadState) -> list[list[Any]]:
    """Return a thread's frames in the form of the truth; a hole is kept as one."""
    return [
        [f.name, f.qualname, f.filename, f.lineno] if f.hole is None else ["HOLE", f.hole]
        for f in thread.frames
    ]


def seen_threads(python: PythonState) -> dict[tuple[int, int], ThreadState]:
    # After a raw fork a vanished thread's state may carry the ident of a living one.
    threads = sorted(python.threads(), key=lambda thread: thread.alive)
    return {(t.interpreter, t.ident): t for t in threads}


@pytest.mark.parametrize(("interpreter", "program"), CELLS)
def test_core_tells_the_truth(interpreter: Interpreter, program: Program) -> None:
    made = made_or_skip(interpreter, program)
    state = decode(made)
    python = state.python
    assert isinstance(python, PythonState), python
    truth = made.truth
    release = re.sub(r"(a|b|rc)\d+$", "", python.version)  # the program tells three numbers
    assert release == ".".join(str(part) for part in truth["version"])
    threads = seen_threads(python)
    for true_thread in truth["threads"]:
        thread = threads[true_thread["interpreter"], true_thread["ident"]]
        assert seen_frames(thread) == true_thread["frames"]
        if true_thread["native_id"] is not None:  # gevent's Thread objects do not know it
            assert thread.tid == true_thread["native_id"]
        assert thread.name == true_thread["name"]
    holder = truth["gil_holder"] if truth["gil"] else None
    assert python.gil_holder == holder
    crash = state.crash
    assert bool(crash) and crash.signo == truth["signal"]
    crashed = [t.tid for t in python.threads() if t.crashed]
    assert set(crashed) <= {truth["crashed"]}
    assert state.crashed_tid() == truth["crashed"]


def test_there_is_an_interpreter() -> None:
    assert discover(), "no CPython 3.8 to 3.15 found: not even the one that runs the tests"
