# SPDX-License-Identifier: Apache-2.0
"""Functions without a name are named by their instructions; where they cannot be, it is said."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.fake_target import FakeTarget
from unit.test_functions import BASE, TABLE, headers, tables

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.machine import AARCH64
from gdb_epi.resign.signature import resign
from gdb_epi.signature import keys as k
from gdb_epi.signature.names_from_instructions import (
    MAX_CODE,
    link_independent_code,
    name_from_instructions,
)
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Module, Thread
from gdb_epi.textstacks.partial_keys import NO_CODE
from gdb_epi.x86 import decode
from gdb_epi.x86.decode import instruction_length, instruction_parts

START = 0x10000
LOAD, CALL, RET = "488b05{}", "e8{}", "c3"  # mov D(%rip),%rax; call D


def process(code: bytes, start: int = START, **more: Any) -> FakeTarget:
    """Return a process with an object that has one function."""
    absent = Absent(NOT_AVAILABLE, "none")
    module = Module("/lib/l.so", BASE, BASE, BASE + 0x40000, None, absent)
    memory = {BASE: headers().ljust(PAGE, b"\0"), BASE + TABLE: tables([(start, len(code))])}
    if not more.pop("without_code", False):
        memory[BASE + start] = code
    return FakeTarget(modules=[module], memory=memory, **more)


def code(*, data: int = 0x2000, callee: int = 0x300) -> bytes:
    load = LOAD.format(data.to_bytes(4, "little").hex())
    return bytes.fromhex(load + CALL.format(callee.to_bytes(4, "little").hex()) + RET)


def test_a_function_has_one_name_wherever_it_and_its_data_lie() -> None:
    name = name_from_instructions(process(code()), BASE + START + 3)
    assert isinstance(name, str)
    moved = process(code(data=0x2345, callee=0x77), START + 0x4560)
    assert name_from_instructions(moved, BASE + START + 0x4560) == name
    other = process(code() + b"\x90\x90\xc3")  # an instruction more
    assert name_from_instructions(other, BASE + START) != name


def test_the_first_4_kib_of_a_long_function_count() -> None:
    body = b"\x31\xc0" * (MAX_CODE // 2)
    names = {
        name_from_instructions(process(body + more, START), BASE + START)
        for more in (b"\x55", b"\x06" * 99)
    }
    assert len(names) == 1
    (name,) = names
    assert isinstance(name, str)
    assert name != name_from_instructions(process(body[2:], START), BASE + START)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (FakeTarget(), "neither in the core nor in a file"),
        (process(code(), without_code=True), "not all there"),
        (process(b"\x55\x06\xc3"), "an instruction that is not known here"),
        (
            process(code(), threads=[Thread(1, {}, None, architecture=AARCH64)]),
            "not judged on this architecture (aarch64)",
        ),
    ],
)
def test_no_name_has_a_reason(target: FakeTarget, why: str) -> None:
    name = name_from_instructions(target, BASE + START)
    assert isinstance(name, Absent)
    assert why in name.detail


def test_code_that_no_table_covers_has_no_name() -> None:
    target = process(code())
    target.memory[BASE + 0x8000] = bytearray(16)
    name = name_from_instructions(target, BASE + 0x8000)
    assert isinstance(name, Absent)
    assert name.detail == "no unwind table tells where the function begins"


def test_parts_agree_with_what_is_decoded() -> None:
    chance = random.Random(16)
    heads = [b"", b"\x0f", b"\x0f\x38", b"\xc5", b"\xc4\xe2", b"\x62\xf1\x7c", b"\x66", b"\x48"]
    decoded = 0
    for _ in range(20_000):
        data = chance.choice(heads) + chance.randbytes(15)
        parts, whole = instruction_parts(data[:15]), decode(data[:15])
        assert (parts.length if parts else 0) == instruction_length(data, 0)
        if parts is None or whole is None:
            assert parts is None, data.hex()
            assert whole is None, data.hex()
            continue
        decoded += 1
        assert parts.length == whole.length
        assert parts.is_relative == (whole.target is not None)
        if whole.memory is not None:
            assert parts.has_base_register == (
                not whole.memory.rip_relative and whole.memory.base is not None
            )
            place, size = parts.displacement, parts.displacement_size
            number = int.from_bytes(data[place : place + size], "little", signed=True)
            assert parts.raw.encoding == "evex" or number == whole.memory.displacement
            assert place + size == parts.immediate
        number = int.from_bytes(data[parts.immediate : parts.length], "little", signed=True)
        value = whole.target if parts.is_relative else whole.immediate
        assert not parts.immediate_size or number == value
    assert decoded > 10_000


def test_any_bytes_end() -> None:
    chance = random.Random(4)
    for size in (0, 1, 2, 15, 4096):
        for whole in (True, False):
            link_independent_code(chance.randbytes(size), (0, 1 << 64), whole=whole)


def record(**facts: str) -> dict[str, Any]:
    named = [(None, "libx.so.1"), ("api_call", "libx.so.1"), ("main", "prog")]
    frames = [
        {"language": "native", "module": file, **({"function": name} if name else {})}
        for name, file in named
    ]
    return {
        "python": {"version": "3.12.1"},
        "facts": facts,
        "threads": {"crashed": {"tid": 7, "native": "present", "frames": frames}},
        "signature": {
            "version": k.VERSION, "category": "segv-null", "native": True, "thread": {"tid": 7},
            "keys": {}, "text": {}, "absent": {},
        },
    }  # fmt: skip


def test_resign_makes_the_key_of_the_stored_name() -> None:
    made = resign(record(function_code="fn_0123456789ab")).signature
    assert made is not None
    line = "gsig/2 code segv-null libx.so.1!fn_0123456789ab <- api_call"
    assert made["text"]["code"] == line
    assert made["keys"]["code"] == k.make_key("code", line.split(" ", 2)[2]).value
    assert made["group"]["key"] == "stable"


def test_resign_says_of_older_records_what_they_lack() -> None:
    made = resign(record())
    assert made.signature is not None
    assert "code" not in made.signature["keys"]
    assert made.unable["code"] == NO_CODE
