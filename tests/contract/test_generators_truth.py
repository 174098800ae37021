# SPDX-License-Identifier: Apache-2.0
"""Generators and coroutines of real cores: where they are, and who delegates to whom."""

from __future__ import annotations

from argparse import Namespace

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, session_of, target_of

from commands.generators import show_generators as generators_command
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.running.generators import (
    GeneratorChain,
    GeneratorChains,
    read_generator_chains,
)
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id) for interpreter in spread("generators")
]


def opened(interpreter: Interpreter) -> tuple[Made, Session]:
    made = made_or_skip(interpreter, "delegating")
    return made, session_of(made)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_chains_as_the_program_made_them(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    python = session.state.python
    assert isinstance(python, PythonState), python
    generator_chains = read_generator_chains(session.target, python)
    own = [
        [
            chain.kind,
            chain.suspended.state,
            [frame.name for frame in reversed(chain.suspended.frames)],
        ]
        for chain in generator_chains.chains
        if any(str(made.program.file) in frame.filename for frame in chain.suspended.frames)
    ]
    expected = [
        [k, s, [n.rpartition(".")[2] for n in names]] for k, s, names in made.truth["chains"]
    ]
    # A running generator's frame is its thread's; the chain begins and ends with it.
    assert sorted(map(str, own)) == sorted(map(str, expected))
    if interpreter.free_threaded:
        assert any(
            "no list of their objects" in error.message for error in generator_chains.soft_errors
        )
    else:
        assert generator_chains.soft_errors == ()
    assert [
        thread.tid for thread in generator_chains.chains if thread.suspended.state == "running"
    ] == [made.truth["crashed"]]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_command_draws_them(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    text = "\n".join(generators_command(session, Namespace(limit=200)).lines)
    assert "generator suspended: outermost at" in text and " > between at" in text
    assert f"generator running in thread {made.truth['crashed']}" in text
    assert "coroutine suspended: outer at" in text


OLD = ["pyenv-3.8.18", "pyenv-3.10.13-stripped"]  # frames are objects of their own


def old_scene(identifier: str) -> tuple[MutatedTarget, PythonState, GeneratorChain, int]:
    """Return a core, the chain of the task that awaits once, and its inner coroutine's address."""
    interpreter = interpreter_or_skip(identifier)
    target = MutatedTarget(target_of(made_or_skip(interpreter, "damage_scene")))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    outer = next(c for c in read_generator_chains(target, python).chains if c.name == "outer")
    inner, _ = outer.suspended.frames
    at = python.layout.require("PyFrameObject", "f_gen")
    python = python._replace(searched=None)  # what is changed next is read anew
    return target, python, outer, MemoryReader(target, python.layout).u64(inner.address + at)


def names(generator_chains: GeneratorChains) -> list[tuple[str, list[str]]]:
    own = [chain for chain in generator_chains.chains if chain.suspended.state != "running"]
    return sorted((c.kind, [frame.name for frame in c.suspended.frames]) for c in own)


@pytest.mark.parametrize("lost", ["inner", "outer"])
@pytest.mark.parametrize("identifier", OLD)
def test_a_lost_coroutine_is_told_by_its_frame(identifier: str, lost: str) -> None:
    target, python, outer, inner = old_scene(identifier)
    before = names(read_generator_chains(target, python))
    address = inner if lost == "inner" else outer.address
    target.put(address, bytes(python.layout.size("PyGenObject") or 0))
    after = read_generator_chains(target, python)
    assert names(after) == before
    soft_errors = [error for error in after.soft_errors if error.subject == f"{address:#x}"]
    assert [error.message for error in soft_errors] == [
        "its memory is lost; its frame object, which names it, is kept"
    ]


@pytest.mark.parametrize("identifier", OLD)
def test_a_coroutine_whose_frame_is_lost_has_not_ended(identifier: str) -> None:
    target, python, outer, inner = old_scene(identifier)
    frame = outer.suspended.frames[0].address
    target.put(frame, bytes(python.layout.size("PyFrameObject") or 0))
    chains = {chain.address: chain for chain in read_generator_chains(target, python).chains}
    assert [frame.name for frame in chains[outer.address].suspended.frames] == ["outer"]
    for address in (outer.address, inner):
        assert "does not name its coroutine" in chains[address].suspended.broken
