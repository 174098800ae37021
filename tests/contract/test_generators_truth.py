# SPDX-License-Identifier: Apache-2.0
"""Generators and coroutines of real cores: where they are, and who delegates to whom."""

from __future__ import annotations

from argparse import Namespace

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, session_of

from commands.generators import generators as generators_command
from gdb_epi.cpython.generators import generator_chains
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session

INTERPRETERS = [pytest.param(one, id=one.id) for one in spread("generators")]


def opened(interpreter: Interpreter) -> tuple[Made, Session]:
    made = made_or_skip(interpreter, "delegating")
    return made, session_of(made)


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
