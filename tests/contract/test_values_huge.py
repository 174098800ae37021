# SPDX-License-Identifier: Apache-2.0
"""Long strings and lists and deep nesting out of real cores: bounded time; what is cut says so."""

from __future__ import annotations

import time

import pytest
from support.cores import program
from support.interpreters import spread
from support.judge import opened
from support.opening import made_or_skip

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import ReprLimits, get_process_values
from gdb_epi.cpython.values.variables import FrameVariables, Variable
from gdb_epi.errors import Absent

# The oldest or the newest shape of things (GDB_EPI_MATRIX=full: both); a core has some 400 MB.
CHOSEN = spread("values_huge", lambda interpreter: interpreter.minor in ((3, 8), (3, 13)), every=2)
MAX_SECONDS = 10.0  # of processor time for the whole frame by default; a tenth was seen
MAX_SECONDS_WIDE = 60.0  # with a million items asked for; far above what was seen


@pytest.fixture(scope="module", params=CHOSEN, ids=lambda interpreter: interpreter.id)
def huge(request: pytest.FixtureRequest) -> tuple[FrameVariables, object]:
    made = made_or_skip(request.param, program("values_huge"))
    state = opened(made)
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    frame = next(frame for frame in thread.frames if frame.name == "huge")
    return FrameVariables(get_process_values(state.target, state.python)), (state, frame)


def decoded(huge: tuple[FrameVariables, object]) -> dict[str, Variable]:
    reader, (_, frame) = huge  # type: ignore[misc]
    variables = reader.variables_of_frame(frame)
    assert not isinstance(variables, Absent), variables
    return {variable.name: variable for variable in variables}


def test_default_limits(huge: tuple[FrameVariables, object]) -> None:
    started = time.process_time()
    variables = decoded(huge)
    assert time.process_time() - started < MAX_SECONDS
    cut = set(variables) - {"small", "_", "way"}
    assert len(cut) == 19
    for name in cut:
        # A Counter of so many keys is not put in order.
        assert variables[name].cut and variables[name].exact == (name != "counted"), (
            name,
            variables[name],
        )
        text = variables[name].text
        assert ("..." in text or "<cut>" in text) and len(text) < 70_000
    assert variables["small"].text == "'small'" and not variables["small"].cut
    assert variables["text"].text.startswith("'xxxx") and variables["lone"].text.startswith("'aaaa")
    assert variables["numbers"].text.startswith("[0, 1, 2, ") and variables[
        "numbers"
    ].text.endswith("...]")
    assert variables["long_int"].text.endswith("of 8000001 bits>")
    assert variables["deep"].text == "[[[[[[[<cut>]]]]]]]"


def test_the_deepest_limits(huge: tuple[FrameVariables, object]) -> None:
    """Objects in objects whose `__repr__` calls methods: RecursionError was raised."""
    _, (state, frame) = huge  # type: ignore[misc]
    values = get_process_values(state.target, state.python, ReprLimits(depth=40))
    value = values.value_of(dict(FrameVariables(values).variable_addresses(frame))["chain"])
    assert value.text.startswith("Link(Link(") and value.text.endswith("<cut>" + ")" * 9)
    assert value.cut and value.exact


WHOLE = {
    "numbers": lambda: repr(list(range(1_000_000))),
    "text": lambda: repr("x" * 10_000_000),
    "lone": lambda: repr("a" * 9_999_999 + "\udc80"),
    "buffer": lambda: f"bytearray({bytes(10_000_000)!r})",
}


@pytest.mark.parametrize(
    "name", [pytest.param("numbers", marks=pytest.mark.heavy), "text", "lone", "buffer"]
)
def test_a_million_items(huge: tuple[FrameVariables, object], name: str) -> None:
    _, (state, frame) = huge  # type: ignore[misc]
    limits = ReprLimits(depth=40, width=1_000_000, length=10_000_000, total=1 << 26)
    values = get_process_values(state.target, state.python, limits)
    addresses = dict(FrameVariables(values).variable_addresses(frame))
    started = time.process_time()
    value = values.value_of(addresses[name])
    assert time.process_time() - started < MAX_SECONDS_WIDE
    assert value.text == WHOLE[name]() and value.exact and not value.cut
