# SPDX-License-Identifier: Apache-2.0
"""Bytecode that no compiler writes, as damage makes it: it is refused, and nothing else happens."""

from __future__ import annotations

import random
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import FunctionEvaluation
from gdb_epi.cpython.values.value_stack import (
    BuiltStr,
    BuiltTuple,
    CertainException,
    ComputedNumber,
    ExceptionInFlight,
    GlobalName,
    Item,
    NoneResult,
    ProcessObject,
    Slice,
    StrFormatMethod,
    SuperCall,
    SuperRepr,
)

OBJECT = ProcessObject(0x1000)
NAMES = ("__class__", "super", "getattr", "hasattr", "len", "repr", "type", "hex", "AttributeError")
ITEMS: tuple[Item, ...] = (
    None, BuiltStr("{}%s"), BuiltStr(""), ComputedNumber(-1), ComputedNumber(10**30), NoneResult(),
    OBJECT, BuiltTuple(()), BuiltTuple((BuiltStr("a"),)), SuperCall(), SuperRepr(),
    StrFormatMethod("{:>5}"), Slice(1, None, 0), Slice(None, None, -1),
    ExceptionInFlight(AttributeError), *map(GlobalName, NAMES),
)  # fmt: skip
STEPS = [name[4:].upper() for name in dir(FunctionEvaluation) if name.startswith("_do_")]


class NoMemory:
    """A decoder of a process of which nothing can be read."""

    cut, exact, nesting = False, True, 0
    limits = SimpleNamespace(length=100, secrets=False, width=10)

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object) -> None:
            raise Undecodable(name)

        return refuse


def evaluation(stack: list[Item]) -> FunctionEvaluation:
    made = object.__new__(FunctionEvaluation)
    made.decoder = NoMemory()  # type: ignore[assignment]
    made.stack, made.blocks, made.locals = stack, [], {0: OBJECT}
    made.code = made.globals = made.function = made.following = 0
    made.owner = None
    made.opcodes = SimpleNamespace(  # type: ignore[assignment]
        global_shift=1, attr_shift=1, compare_shift=0, jump_unit=2, end_for=1, common={},
        instructions=frozenset({"PUSH_NULL"}),
        operator_sign={0: "%", 1: "+", 2: "[]"}.get,
    )  # fmt: skip
    made.is_builtin = lambda _name: True  # type: ignore[method-assign]
    return made


@pytest.mark.parametrize("count", [0, 1])
def test_a_slice_of_too_few_bounds_is_refused(count: int) -> None:
    with pytest.raises(Undecodable):
        evaluation([ComputedNumber(1)]).execute_instruction("BUILD_SLICE", count)


@pytest.mark.parametrize("name", ["getattr", "hasattr"])
def test_getattr_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(Undecodable):
        evaluation([GlobalName(name)]).execute_instruction("CALL_FUNCTION", 0)


def test_no_other_error_leaves_an_instruction() -> None:
    chance, done = random.Random(3), 0
    for _ in range(20_000):
        made = evaluation(chance.choices(ITEMS, k=chance.randrange(5)))
        with suppress(Undecodable, CertainException):
            made.execute_instruction(chance.choice(STEPS), chance.choice((0, 1, 2, 3, 4, 9, 255)))
            done += 1
    assert done > 2_000
