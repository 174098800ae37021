# SPDX-License-Identifier: Apache-2.0
"""Parts of code objects against the .pyc that was loaded: bits flipped in real processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, target_of

from gdb_epi.corruption.checks.copies_in_files import (
    check_bytecode_against_pyc,
    check_code_parts_against_pyc,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, Skipped
from gdb_epi.corruption.files.pyc_files import CodeComparer, LoadedPyc, pyc_files
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.source.pyc import HEADER, MarshalledCode, read_code_objects
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState

INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]
CONSTANTS: tuple[Any, ...] = (
    12_345.671875,
    9_182_736_455,
    "a text of this function alone",
    b"bytes of this function alone",
    (77_001, "in a tuple"),
)
NUMBERS = ("co_argcount", "co_kwonlyargcount", "co_stacksize", "co_flags", "co_firstlineno")
TABLES = ("co_linetable", "co_lnotab", "co_exceptiontable")
Place = tuple[int, int]  # of a byte, a bit of it


class Scene:
    """A core of the program, in which the process itself flipped one bit."""

    def __init__(self, interpreter: str) -> None:
        made = made_or_skip(interpreter_or_skip(interpreter), "code_parts")
        self.core = target_of(made)
        self.flipped: Place = made.truth["place"] + made.truth["bit"] // 8, made.truth["bit"] % 8
        self.sound = MutatedTarget(self.core)
        self.flip(self.sound, self.flipped)
        self.address: int = made.truth["code"]
        self.context = Context(ProcessState(self.sound))
        python = self.context.state.python
        assert isinstance(python, PythonState)
        self.python = python
        self.constants = CodeComparer(MemoryReader(self.sound, python.layout))
        source = made.interpreter.inside(made.folder / "library" / "partsbed.py")
        pyc = pyc_files(self.context).pyc_of_source(source)
        assert isinstance(pyc, LoadedPyc), pyc
        self.pyc = pyc
        codes = read_code_objects(pyc.file.data, python.layout)
        assert not isinstance(codes, Absent)
        self.code = next(code for code in codes if code.members["co_name"] == "work")

    def flip(self, target: MutatedTarget, place: Place) -> None:
        byte = target.read(place[0], 1)[0]
        target.put(place[0], bytes([byte ^ 1 << place[1]]))

    def run(
        self, target: Any, check: Any = check_code_parts_against_pyc, *, believed: bool = True
    ) -> list[Any]:
        """Return what a check finds; the .pyc's header names another size when not `believed`."""
        context = Context(ProcessState(target))
        if not believed:
            data = bytearray(self.pyc.file.data)
            data[HEADER - 4] ^= 1
            file = self.pyc.file._replace(data=bytes(data))
            pyc_files(context)._files[self.pyc.source] = self.pyc._replace(file=file)
        return list(check(context))

    def run_flipped(
        self, place: Place, check: Any = check_code_parts_against_pyc, **how: bool
    ) -> list[Any]:
        changed = MutatedTarget(self.sound)
        self.flip(changed, place)
        return self.run(changed, check, **how)

    def slot(self, member: str) -> int:
        return self.address + self.python.layout.require("PyCodeObject", member)

    def held(self, slot: int) -> int:
        return self.constants.reader.u64(slot)

    def item(self, member: str, value: object) -> int:
        """Return the place of the pointer to a member of a code object's tuple."""
        values = self.code.members[member]
        assert isinstance(values, tuple)
        return self.held(self.slot(member)) + self.constants._items_at + 8 * values.index(value)

    def places(self) -> Iterator[tuple[str, Place]]:
        """Yield a bit of each kind: of numbers, of objects, and of pointers to them."""
        for member in NUMBERS:
            yield member, (self.slot(member), 1)
        for value in CONSTANTS:
            slot = self.item("co_consts", value)
            yield f"pointer to {value!r}", self.pointer_bit(slot)
            part = list(self.constants._expected_bytes_of_value(value))[
                -1 if not isinstance(value, tuple) else 0
            ]
            yield f"inside {value!r}", (self.held(slot) + part.offset, 2)
        name = self.item("co_names", "attribute_of_it")
        yield "a name", (self.held(name) + self.constants._heads[0], 1)
        yield "names", self.pointer_bit(self.slot("co_names"))
        for table in TABLES:
            value = self.code.members.get(table)
            if value:
                start = self.held(self.slot(table)) + self.constants._bytes_at
                yield table, (start + len(value) - 1, 0)  # type: ignore[arg-type]

    def pointer_bit(self, slot: int) -> Place:
        """Return a bit without which a pointer leads nowhere."""
        value = self.held(slot)
        bit = next(b for b in range(46, 20, -1) if self.core.region_at(value ^ 1 << b) is None)
        return slot + bit // 8, bit % 8


def places_of(outcomes: list[Any]) -> set[Place]:
    evidence = [sign for sign in outcomes if isinstance(sign, Evidence)]
    return {(sign.where + bit // 8, bit % 8) for sign in evidence for bit in sign.bits}


def ids(outcomes: list[Any]) -> set[str]:
    return {sign.id for sign in outcomes if isinstance(sign, Evidence)}


def doubts(outcomes: list[Any]) -> list[str]:
    return [
        skip.why for skip in outcomes if isinstance(skip, Skipped) and "may be of later" in skip.why
    ]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_a_process_did_to_itself_is_named(interpreter: str) -> None:
    scene = Scene(interpreter)
    proof = pyc_files(scene.context).proof_of_pyc(scene.pyc)
    assert proof.holds, proof.says
    assert places_of(scene.run(scene.core)) == {scene.flipped}
    assert not places_of(scene.run(scene.sound))


@pytest.mark.parametrize("interpreter", INTERPRETERS[::3])
def test_each_flipped_part_is_named_and_nothing_else(interpreter: str) -> None:
    scene = Scene(interpreter)
    kinds = list(scene.places())
    assert len(kinds) >= len(NUMBERS) + 2 * len(CONSTANTS) + 3
    for what, place in kinds:
        flipped = scene.run_flipped(place)
        assert places_of(flipped) == {place} and ids(flipped) == {"R22"}, what


@pytest.mark.parametrize("interpreter", INTERPRETERS[:1] + INTERPRETERS[-1:])
def test_a_pyc_that_may_be_of_later_proves_nothing(interpreter: str) -> None:
    scene = Scene(interpreter)
    flipped = scene.run_flipped(scene.flipped, believed=False)
    assert not ids(flipped) and doubts(flipped)
    name = scene.held(scene.item("co_names", "attribute_of_it")) + scene.constants._heads[0]
    flipped = scene.run_flipped((name, 7), believed=False)
    assert ids(flipped) == {"R22:form"}, "a name that is no ASCII any more"
    assert not places_of(scene.run(scene.sound, believed=False))
    assert not doubts(scene.run(scene.sound, believed=False))


def test_what_a_proof_takes() -> None:
    scene = Scene(INTERPRETERS[0].values[0])  # type: ignore[arg-type]

    def says(at: int, data: bytes) -> str:
        whole = bytearray(scene.pyc.file.data)
        whole[at : at + len(data)] = data
        context = Context(ProcessState(scene.sound))
        file = scene.pyc.file._replace(data=bytes(whole))
        proof = pyc_files(context).proof_of_pyc(scene.pyc._replace(file=file))
        assert not proof.holds
        return proof.says

    assert "magic number" in says(0, b"\0\0")
    assert "another time or size" in says(8, b"\1\0\0\0")
    assert "another hash" in says(4, b"\3\0\0\0" + b"12345678")
    elsewhere = scene.pyc._replace(source=scene.pyc.source.replace("partsbed", "missing"))
    assert "source is not here" in pyc_files(scene.context).proof_of_pyc(elsewhere).says


@pytest.mark.parametrize("interpreter", INTERPRETERS[:1] + INTERPRETERS[-1:])
def test_bytecode_needs_the_same_proof(interpreter: str) -> None:
    scene = Scene(interpreter)
    assert not places_of(scene.run(scene.sound, check_bytecode_against_pyc))
    place = argument_of_a_constant(scene)
    assert places_of(scene.run_flipped(place, check_bytecode_against_pyc)) == {place}
    flipped = scene.run_flipped(place, check_bytecode_against_pyc, believed=False)
    assert not ids(flipped) and doubts(flipped)


def argument_of_a_constant(scene: Scene) -> Place:
    """Return a bit of the argument of an instruction that is not specialized: the last one."""
    from gdb_epi.cpython.frames.code_objects import locate_bytecode

    start, size = locate_bytecode(scene.constants.reader, scene.address)
    return start + size - 1, 0


def test_damaged_files_are_no_trouble() -> None:
    scene = Scene(INTERPRETERS[0].values[0])  # type: ignore[arg-type]
    data, layout = scene.pyc.file.data, scene.python.layout
    for at in range(HEADER, len(data), 7):
        cut = read_code_objects(data[:at], layout)
        assert isinstance(cut, Absent)
        whole = bytearray(data)
        whole[at] ^= 0xFF
        code_objects = read_code_objects(bytes(whole), layout)
        assert isinstance(code_objects, Absent) or all(
            isinstance(code_object, MarshalledCode) for code_object in code_objects
        )
