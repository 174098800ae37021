# SPDX-License-Identifier: Apache-2.0
"""Values of many kinds out of real cores, against what repr() said in each process.

`python tests/support/judge.py` prints the same as a table, with each variable that is not exact.
"""

from __future__ import annotations

import random
import re
import time
from functools import cache

import pytest
from support.cores import Program, program
from support.interpreters import Interpreter, discover, spread
from support.judge import (
    EXACT,
    MARKED,
    WIDE,
    Judged,
    frames_with_testimony,
    judge,
    opened,
    value_programs,
)
from support.mutate import MutatedTarget
from support.opening import made_or_skip

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, UnreadableMemory

CELLS = [
    pytest.param(interpreter, value_program, id=f"{interpreter.id}-{value_program.name}")
    for value_program in value_programs()
    for interpreter in spread(value_program.name, value_program.supports, every=2)
]
NUMPY = [
    pytest.param(interpreter, id=interpreter.id) for interpreter in spread("values_numpy", every=2)
]

# What these show was asked of the kernel, or lies in memory that processes share.
KERNEL = (
    "values_io.buffers.left values_io.buffers.right values_io.buffers.entry "
    "values_sync.pools.process_lock values_sync.pools.process_event values_sync.pools.number "
    "values_sync.pools.real values_sync.pools.free_lock values_sync.pools.other_event "
    "values_sync.pools.process_semaphore values_sync.pools.process_bounded"
).split()
LEAST_SHARE = 0.99
HOSTILE = (
    0,
    1,
    3,
    64,
    0x1000,
    1 << 31,
    1 << 40,
    1 << 60,
    1 << 63,
    (1 << 64) - 1,
    0xDDDDDDDDDDDDDDDD,
)
ROUNDS = 40
MAX_SECONDS = 5.0  # of processor time for one damaged value; far above what was seen


@cache
def verdicts_on(name: str, program_name: str) -> tuple[Judged, ...]:
    """Judge the values of a program on the interpreter of a name; once for all tests of them."""
    interpreter = next(interpreter for interpreter in discover() if interpreter.id == name)
    made = made_or_skip(interpreter, program_name)
    return tuple(judge(made, opened(made)))


@pytest.mark.parametrize(("interpreter", "one"), CELLS)
def test_no_value_is_wrong(interpreter: Interpreter, one: Program) -> None:
    exact = other = 0
    for judged in verdicts_on(interpreter.id, one.name):
        where = f"{one.name}.{judged.function}.{judged.name}"
        if where in KERNEL:
            assert judged.verdict in (EXACT, MARKED), (where, judged)
            other += 1
        else:
            assert judged.verdict == EXACT, (where, judged)
            exact += 1
    assert exact + other >= 15


def test_99_percent_of_all_are_exact() -> None:
    """Over all interpreters."""
    verdicts = []
    for cell in CELLS:
        interpreter, array_program = cell.values
        if not array_program.packages:
            verdicts += [
                judged.verdict for judged in verdicts_on(interpreter.id, array_program.name)
            ]
    assert set(verdicts) <= {EXACT, MARKED}
    assert verdicts.count(EXACT) / len(verdicts) >= LEAST_SHARE, len(verdicts)


@pytest.mark.parametrize("interpreter", NUMPY)
def test_arrays_beyond_the_limits_are_described(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, program("values_numpy"))
    state = opened(made)
    seen = 0
    for judged in judge(made, state, WIDE._replace(width=2)):
        array = made.truth["arrays"].get(judged.name)
        if array is None or judged.type not in ("ndarray", "OwnArray"):
            continue
        assert judged.decoded is not None
        text = judged.decoded.text
        match = re.fullmatch(r"<\S+ shape=(\(.*?\)) dtype=(.*?)(?:: (.*))?>", text, re.S)
        if match is None:
            assert judged.verdict == EXACT, (judged.name, text)
            continue
        assert not judged.decoded.exact, text
        assert match[1] == repr(tuple(array["shape"])), text
        if judged.name != "records":
            assert match[2] == array["dtype"], text
        if judged.name not in ("moments", "shorts"):  # tolist() makes dates and floats of these
            first = ", ".join(array["first"][:2]).replace("(1+2j)", "1+2j")
            assert (match[3] or "").startswith(first), (judged.name, text)
        seen += 1
    assert seen >= 5


@pytest.mark.parametrize("interpreter", NUMPY)
def test_every_kind_of_argument_is_told(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, program("values_arguments"))
    state = opened(made)
    assert isinstance(state.python, PythonState)
    reader, kinds = FrameVariables(get_process_values(state.target, state.python)), set()
    for testimony, frame in frames_with_testimony(made, state):
        variables = reader.variables_of_frame(frame)
        assert not isinstance(variables, Absent)
        for variable in variables:
            if variable.name in testimony["kinds"]:
                assert variable.kind == testimony["kinds"][variable.name], (frame.name, variable)
                kinds.add(variable.kind)
            elif variable.name in testimony["free"]:
                assert variable.kind == "free", (frame.name, variable)
        names = {variable.name for variable in variables}
        assert not {"later", "unbound", "error"} & names, frame.name
    assert len(kinds) == 5


def inside(target: MutatedTarget, address: int, chance: random.Random) -> int:
    """Return the address of an object, or of something that it points to."""
    for _ in range(chance.randrange(3)):
        try:
            word = int.from_bytes(target.read(address + 8 * chance.randrange(8), 8), "little")
            if word and not word % 8 and target.read(word, 64):
                address = word
        except UnreadableMemory:
            continue
    return address


@pytest.mark.parametrize(("interpreter", "one"), CELLS)
def test_damage_is_survived(interpreter: Interpreter, one: Program) -> None:
    """Overwrite words of objects, and of what they point to; nothing raises, nothing hangs."""
    chance = random.Random(f"{interpreter.id} {one.name}")
    state = opened(made_or_skip(interpreter, one))
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    reader = FrameVariables(get_process_values(state.target, state.python))
    places = [at for frame in thread.frames for _, at in reader.variable_addresses(frame)]
    for _ in range(ROUNDS):
        target, address = MutatedTarget(state.target), chance.choice(places)
        where = inside(target, address, chance)
        for _ in range(chance.choice((1, 1, 3))):
            word = chance.choice((*HOSTILE, address, where, chance.choice(places)))
            target.put_word(where + 8 * chance.randrange(10), word)
        started = time.process_time()
        assert (
            get_process_values(target, state.python).value_of(address).text_with_attributes()
            is not None
        )
        assert time.process_time() - started < MAX_SECONDS
