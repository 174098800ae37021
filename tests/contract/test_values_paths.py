# SPDX-License-Identifier: Apache-2.0
"""Paths such as a.b[3]['k'] through real objects: slots, fields of tuples, wrappers, properties."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.cores import program
from support.interpreters import Interpreter, one_per_minor
from support.judge import opened
from support.opening import made_or_skip

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.expression_path import START, follow_steps
from gdb_epi.cpython.values.process_values import ProcessValues, get_process_values
from gdb_epi.cpython.values.repr_decoder import ReprDecoder
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import InputError, UsageError

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in one_per_minor()]
CLASSES = {
    "point.x": "1",
    "point.y[0]": "2",
    "point.y[-1]": "2",
    "child.extra": "'attribute'",
    "nested.x.y": "2",
    "slots_child.three[0]": "3",
    "both.two": "2",
    "both.more['x']": "1",
    "user['k']": "1",
    "ordered['a']": "1",
    "data.items[0]": "1",
    "data.count": "3",
    "recursive.items[0].items[0].name": "'r'",
    "wide.attribute_59": "59",
    "class_of_meta.__class__": "<class '__main__.Meta'>",
    "Color.RED._value_": "1",
    "Frozen": "<class '__main__.Frozen'>",
    "sys.maxsize": str((1 << 63) - 1),
    "len": "<built-in function len>",
}
PLUMBING = {
    "space.self": None,
    "proxy['k'][0]": "1",
    "user_dict['a']": "1",
    "user_list[1]": "2",
    "match.string": "'xxabcxx'",
    "pattern.pattern": "'a(b)c'",
    "chained.maps[1]['b'][0]": "2",
}
REFUSED = {
    "slots.two": "slots.two is not set",
    "point.z": "has no attribute z",
    "point[2]": "has 2 items",
    "red.value": "it is computed by code, which is not run",
    "by_str[0]": "has no items to look up",
    "ordered['b']": "has no key 'b'",
    "nobody": "no variable nobody",
}


def resolve_path(decoder: ReprDecoder, text: str, lookup: Callable[[str], int | None]) -> int:
    """Return the PyObject * that a path leads to; `lookup` finds the first name.

    Raises UsageError for what is no path, InputError when a step leads nowhere.
    """
    start = START.match(text)
    if start is None:
        raise UsageError(f"{text!r} is no name and no address", hint="a.b[3]['k'], 0x7f..")
    word = start.group(1)
    address = int(word, 16) if word[:2] in ("0x", "0X") else lookup(word)
    if address is None:
        raise InputError(f"no variable {word}", hint="epi locals")
    return follow_steps(decoder, address, text, start.end())


def reader(interpreter: Interpreter, name: str, function: str) -> tuple[ProcessValues, object]:
    made = made_or_skip(interpreter, program(name))
    state = opened(made)
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    values = get_process_values(state.target, state.python)
    frames = [frame for frame in thread.frames if frame.name in function.split()]
    variables = FrameVariables(values)
    local = {}
    for frame in frames:
        local.update(dict(variables.variable_addresses(frame)))

    def lookup(word: str) -> int | None:
        variable = local.get(word)
        return variables.global_or_builtin(frames[0], word) if variable is None else variable

    return values, lookup


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_paths_lead_to_objects(interpreter: Interpreter) -> None:
    for name, functions, paths in (
        ("values_classes", "instances enumerations", CLASSES),
        ("values_plumbing", "patterns", PLUMBING),
    ):
        values, lookup = reader(interpreter, name, functions)
        for path, expected in paths.items():
            address = resolve_path(values.decoder(), path, lookup)
            text = values.value_of(address).text
            if expected is None:
                assert address == resolve_path(values.decoder(), path.partition(".")[0], lookup)
            else:
                assert text == expected, path
            assert (
                values.value_of(resolve_path(values.decoder(), hex(address), lookup)).text == text
            )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_cannot_be_followed_says_why(interpreter: Interpreter) -> None:
    values, lookup = reader(interpreter, "values_classes", "instances enumerations")
    for path, why in REFUSED.items():
        with pytest.raises(InputError) as caught:
            resolve_path(values.decoder(), path, lookup)
        assert why in str(caught.value), (path, caught.value)
    for path in ("point.", "point[", "point['x", "1abc", "point x"):
        with pytest.raises(UsageError):
            resolve_path(values.decoder(), path, lookup)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_generators_and_views_tell_more(interpreter: Interpreter) -> None:
    values, lookup = reader(interpreter, "values_plumbing", "generators")

    def notes(name: str) -> dict[str, str]:
        return dict(values.value_of(resolve_path(values.decoder(), name, lookup)).attributes)

    assert notes("fresh")["state"] == "created"
    assert notes("suspended")["state"] == "suspended" and ":" in notes("suspended")["at"]
    assert notes("ended") == {"state": "done"} == notes("closed")
    assert notes("coroutine")["state"] == "suspended"
    assert notes("now_running")["state"] == "running"
    values, lookup = reader(interpreter, "values_io", "buffers")
    assert notes("matrix") == {"format": "'i'", "itemsize": "4", "shape": "(2, 3)"}
    assert notes("part") == {"format": "'B'", "itemsize": "1", "shape": "(3,)"}
