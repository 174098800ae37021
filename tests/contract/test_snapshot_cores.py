# SPDX-License-Identifier: Apache-2.0
"""Cores that a debugger took of a living process (gcore): decoded, and not called a crash."""

from __future__ import annotations

import os
import shutil

import pytest
from support.cores import CoreFailed, make_snapshot
from support.interpreters import Interpreter, spread
from support.opening import target_of

from gdb_epi.analysis import analyze
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

GDB = "/usr/bin/gdb" if os.access("/usr/bin/gdb", os.X_OK) else shutil.which("gdb")
PROGRAMS = ("threads", "generators")


CELLS = [
    pytest.param(interpreter, program, id=f"{interpreter.id}-{program}")
    for program in PROGRAMS
    for interpreter in spread(program, every=2)
]


@pytest.mark.parametrize(("interpreter", "program"), CELLS)
def test_a_gcore_is_a_snapshot(interpreter: Interpreter, program: str) -> None:
    if GDB is None:
        pytest.skip("no gdb to take a snapshot with")
    try:
        made = make_snapshot(interpreter, program, gdb=GDB)
    except CoreFailed as error:
        pytest.skip(f"no snapshot could be taken (ptrace?): {error}")
    target = target_of(made)
    session = Session(target)
    record = analyze(session)
    assert record["signature"]["category"] == "snapshot"
    # Nothing failed, and nobody is blamed. Threads of `threads` wait for a lock which the main one
    # took by acquire() and never gives back.
    labels = ("no-fault", "cannot-tell", *(("hang",) if program == "threads" else ()))
    assert record["verdict"]["label"] in labels
    python = session.state.python
    assert isinstance(python, PythonState), python
    threads = {(t.interpreter, t.ident): t for t in python.threads()}
    for true_thread in made.truth["threads"]:
        thread = threads[true_thread["interpreter"], true_thread["ident"]]
        names = [frame.name for frame in thread.frames if frame.hole is None]
        # The dying thread lives on in a `pause` below the frames that it told.
        assert names == [frame[0] for frame in true_thread["frames"]]
        assert thread.tid == true_thread["native_id"] and thread.name == true_thread["name"]
        for hole in (frame for frame in thread.frames if frame.hole is not None and frame.address):
            assert is_zeroed(target, hole.address), hole


def is_zeroed(target: CoreFileTarget, address: int) -> bool:
    """Tell whether a whole mapping is zero.

    glibc 2.42 puts guard pages inside of thread stacks (MADV_GUARD_INSTALL); the gcore of GDB 13
    then fails to read the mapping and writes zeros for all of it. The data stack still has the
    Python frames.
    """
    region = target.region_at(address)
    assert region is not None
    return not any(target.read(region.start, region.dumped))
