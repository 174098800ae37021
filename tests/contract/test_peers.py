# SPDX-License-Identifier: Apache-2.0
"""Our frames against py-spy's and pystack's, wherever these read a core at all.

The truth is the judge: where a peer differs from it, the peer is wrong and is listed in the report
of the test (run with -rA); where we differ from a peer that tells the truth, the test fails.
"""

from __future__ import annotations

import pytest
from support.cores import Program, corpus_programs
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip, target_of
from support.peers import PEERS, Answer, counted, judge, tool

from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState

NAMES = ("simple", "threads", "generators", "names", "subinterpreter", "coroutines")
CELLS = [
    pytest.param(peer, interpreter, program, id=f"{peer}-{interpreter.id}-{program.name}")
    for peer in PEERS
    for interpreter in one_per_minor()
    for program in corpus_programs()
    if program.name in NAMES and program.supports(interpreter)
]


@pytest.mark.parametrize(("peer", "interpreter", "program"), CELLS)
def test_same_frames_as_a_peer(peer: str, interpreter: Interpreter, program: Program) -> None:
    if tool(peer) is None:
        pytest.skip(f"{peer} is not installed")
    made = made_or_skip(interpreter, program)
    target = target_of(made)
    python = decode_python(target)
    assert isinstance(python, PythonState), python
    ours = [[(f.name, f.filename, f.lineno) for f in t.frames] for t in python.threads()]
    theirs = PEERS[peer](made)
    verdict = judge(made, theirs)
    if verdict == "ok":
        qualified = [
            [(f.qualname or f.name, f.filename, f.lineno) for f in t.frames]
            for t in python.threads()
        ]
        assert counted(theirs.stacks or []) in (counted(ours), counted(qualified))
    else:
        print(f"{peer} differs from the truth on {interpreter.id} {program.name}: {verdict}")
    assert judge(made, Answer(ours)) == "ok"
