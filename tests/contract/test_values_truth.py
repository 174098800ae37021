# SPDX-License-Identifier: Apache-2.0
"""Arguments and locals of real cores, against what repr() said in each process before it died."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.mutate import MutatedTarget
from support.opening import made_or_skip, sysroot_of

from gdb_epi.analysis import analyze
from gdb_epi.cpython.types import PythonState, ThreadState
from gdb_epi.cpython.values.process_values import ReprLimits, get_process_values
from gdb_epi.cpython.values.variables import COMPREHENSION, NAMESPACE, FrameVariables, Variable
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("values")]
KINDS = ("arguments", "cells", "free", "locals")
WIDE = ReprLimits(depth=10, width=1000, length=10_000, total=200_000)
HOSTILE = (0, 1, 3, 7, 64, 255, 0x1000, 1 << 31, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1)
ROUNDS = 30
MAX_SECONDS = 5.0  # of processor time for all variables of a frame; far above what was seen
Frames = list[tuple[dict[str, Any], list[Variable]]]


@pytest.fixture(scope="module", params=INTERPRETERS)
def made(request: pytest.FixtureRequest) -> Made:
    interpreter: Interpreter = request.param
    return made_or_skip(interpreter, "values")


def decode(made: Made, **options: Any) -> tuple[ProcessState, ThreadState]:
    options.setdefault("sysroot", sysroot_of(made))
    state = ProcessState(CoreFileTarget.open(made.core, **options))
    assert isinstance(state.python, PythonState), state.python
    return state, next(thread for thread in state.python.threads() if thread.crashed)


def pairs(made: Made, limits: ReprLimits = WIDE, **options: Any) -> Frames:
    """Return the truth about each frame with what was decoded of it."""
    state, thread = decode(made, **options)
    assert isinstance(state.python, PythonState)
    reader = FrameVariables(get_process_values(state.target, state.python, limits))
    truths = made.truth["variables"]
    frames = [frame for frame in thread.frames if frame.name != "<module>"][-len(truths) :]
    assert [frame.name for frame in frames] == [truth["function"] for truth in truths]
    frame_pairs: Frames = []
    for one, frame in zip(truths, frames, strict=True):
        variables = reader.variables_of_frame(frame)
        assert not isinstance(variables, Absent), (frame.name, variables)
        frame_pairs.append((one, variables))
    return frame_pairs


def expected(truth: dict[str, Any]) -> dict[str, list[str]]:
    return {name: value for kind in KINDS for name, value in truth[kind].items()}


def test_every_value_is_what_repr_said(made: Made) -> None:
    seen = 0
    for truth, variables in pairs(made):
        texts = {variable.name: variable for variable in variables}
        for name, (type_name, text) in expected(truth).items():
            variable = texts[name]
            assert variable.type.rpartition(".")[2] == type_name.rpartition(".")[2], name
            assert variable.text == text, (truth["function"], name)
            assert variable.exact and not variable.cut, (truth["function"], name)
            seen += 1
    assert seen >= 150


def test_only_bound_names_and_their_kinds(made: Made) -> None:
    for truth, variables in pairs(made):
        texts = expected(truth)
        for variable in variables:
            if variable.name == "way" or variable.kind in (NAMESPACE, COMPREHENSION):
                continue  # not in the truth; f_locals of a class body changed with 3.13
            assert variable.name in texts, (truth["function"], variable)
            kind = next(kind for kind in KINDS if variable.name in truth[kind])
            if kind == "arguments":
                assert variable.kind == truth["kinds"][variable.name]
            elif kind == "free":
                assert variable.kind == "free"
            else:
                assert variable.kind in ("local", "cell")
    names = {truth["function"]: {v.name for v in variables} for truth, variables in pairs(made)}
    assert "never_assigned" not in names["arguments"]


def test_attributes_stand_beside_instances(made: Made) -> None:
    by_name = {v.name: v for _, variables in pairs(made) for v in variables}
    own = {
        v.name: v
        for truth, variables in pairs(made)
        for v in variables
        if truth["function"] == "others"
    }
    assert dict(own["plain"].attributes) == {"one": "1", "name": "'wörld'"}
    assert dict(by_name["slots"].attributes) == {"left": "(1, 2)"}
    assert dict(by_name["slots_only"].attributes) == {"second": "'two'"}
    assert list(dict(by_name["split"].attributes)) == ["two", "three", "one"]


def test_small_limits_cut_and_say_so(made: Made) -> None:
    limits = ReprLimits(depth=1, width=3, length=10, total=500)
    by_name = {v.name: v for _, variables in pairs(made, limits) for v in variables}
    assert by_name["deleted"].text == "{1: 1, 3: 3, 5: 5, ...}" and by_name["deleted"].cut
    assert by_name["long"].text == "'abcabcabca'..." and by_name["long"].cut
    assert by_name["giant"].cut and "bits" in by_name["giant"].text
    assert by_name["million"].text == "1000000.0" and not by_name["million"].cut
    assert len(by_name["numbers"].text) < 40


def test_nothing_is_wrong_without_any_file(made: Made, tmp_path: Any) -> None:
    """Names of static types lie in read-only memory that a kernel's core leaves out."""
    try:
        frames = pairs(made, sysroot=str(tmp_path))
    except AssertionError as error:
        if made.interpreter.minor >= (3, 13):
            raise
        pytest.skip(f"frames need the executable before 3.13: {error!s:.80}")
    good = 0
    for truth, variables in frames:
        texts = {variable.name: variable for variable in variables}
        for name, (_, text) in expected(truth).items():
            variable = texts[name]
            good += variable.text == text
            assert variable.text == text or not variable.exact or variable.cut, (name, variable)
    assert good >= 100


def test_stacks_hold_locals_and_records_never(made: Made) -> None:
    state, thread = decode(made)
    data = stacks_json(state, locals=True)
    frames = next(t["frames"] for t in data["threads"] if t["tid"] == thread.tid)
    inside = next(frame for frame in frames if frame["name"] == "inside")
    assert inside["locals"]["captured"] == "[1]" and inside["locals"]["second"] == "2"
    assert {"name": "captured", "kind": "free", "type": "list", "cut": False, "exact": True} in (
        inside["variables"]
    )
    assert not [e for e in data["soft_errors"] if e["stage"] == "locals"]
    assert '"locals"' not in json.dumps(stacks_json(state))
    record = json.dumps(analyze(Session(state.target)))
    assert "hello 'it'" not in record and '"locals"' not in record


def test_damaged_objects_are_decoded_or_marked(made: Made) -> None:
    """Overwrite words of objects, and of what they point to; nothing raises, nothing hangs."""
    chance = random.Random(made.interpreter.id)
    state, thread = decode(made)
    assert isinstance(state.python, PythonState)
    reader = FrameVariables(get_process_values(state.target, state.python))
    places = [(f, at) for f in thread.frames for _, at in reader.variable_addresses(f)]
    assert len(places) > 150
    for _ in range(ROUNDS):
        frame, address = chance.choice(places)
        target = MutatedTarget(state.target)
        where = inside(target, address, chance)
        for _ in range(chance.choice((1, 1, 3))):
            word = chance.choice((*HOSTILE, address, where, chance.choice(places)[1]))
            target.put_word(where + 8 * chance.randrange(10), word)
        damaged = FrameVariables(get_process_values(target, state.python))
        started = time.process_time()
        damaged.variables_of_frame(frame)
        assert damaged.values.value_of(address).text
        assert time.process_time() - started < MAX_SECONDS


def inside(target: MutatedTarget, address: int, chance: random.Random) -> int:
    """Return the address of an object, or of something that it points to."""
    for _ in range(chance.randrange(3)):
        try:
            at = address + 8 * chance.randrange(8)
            word = int.from_bytes(target.read(at, 8), "little")
            if word and not word % 8 and target.read(word, 64):
                address = word
        except UnreadableMemory:
            continue
    return address
