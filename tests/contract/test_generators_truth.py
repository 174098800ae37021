# SPDX-License-Identifier: Apache-2.0
"""Generators and coroutines of real cores: where they are, and who delegates to whom."""

from __future__ import annotations

from argparse import Namespace

import pytest
from support.cores import CoreFailed, Made, make_core, why_no_core_dumps
from support.interpreters import Interpreter, spread

from commands.generators import generators as generators_command
from gdb_epi.cpython.generators import generator_chains
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(one, id=one.id) for one in spread("generators")]


def opened(interpreter: Interpreter) -> tuple[Made, Session]:
    reason = why_no_core_dumps()
    if reason:
        pytest.skip(f"no core dumps here: {reason}")
    try:
        made = make_core(interpreter, "delegating")
    except CoreFailed as error:
        pytest.skip(f"the program left no core on this interpreter: {error}")
    sysroot = str(made.sysroot) if made.sysroot else None
    return made, Session(CoreFileTarget.open(made.core, sysroot=sysroot))


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_chains_as_the_program_made_them(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    python = session.state.python
    assert isinstance(python, PythonState), python
    found = generator_chains(session.target, python)
    own = [
        [one.kind, one.suspended.state, [frame.name for frame in reversed(one.suspended.frames)]]
        for one in found.chains
        if any(str(made.program.file) in frame.filename for frame in one.suspended.frames)
    ]
    told = [[k, s, [n.rpartition(".")[2] for n in names]] for k, s, names in made.truth["chains"]]
    # A running generator's frame is its thread's; the chain begins and ends with it.
    assert sorted(map(str, own)) == sorted(map(str, told))
    if interpreter.free_threaded:
        assert any("no list of their objects" in error.message for error in found.soft_errors)
    else:
        assert found.soft_errors == ()
    assert [one.tid for one in found.chains if one.suspended.state == "running"] == [
        made.truth["crashed"]
    ]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_command_draws_them(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    text = "\n".join(generators_command(session, Namespace(limit=200)).lines)
    assert "generator suspended: outermost at" in text and " > between at" in text
    assert f"generator running in thread {made.truth['crashed']}" in text
    assert "coroutine suspended: outer at" in text
