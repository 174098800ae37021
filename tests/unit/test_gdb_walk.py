# SPDX-License-Identifier: Apache-2.0
"""The way that GDB would take over made-up stacks; where it cannot be told, nothing is."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import pytest
from support.fake_target import FakeTarget
from unit.test_unwind import BASE, CODE, COMMON, PUSHES, SIZE, STACK, image

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.target.api import Module, Region
from gdb_epi.target.cfi import UnknownCfi, evaluate_expression
from gdb_epi.target.gdb_like_unwinder import GdbLikeUnwinder, GdbNeeded

PATH = "/lib/l.so"
MAIN, FIRST, HANDLER = CODE + 0x100, CODE + 0x200, CODE + 0x300
OUTERMOST = b"\x07\x10"  # the return address is undefined
SIGNAL = b"\1zRS\0\1\x78\x10\1\x1b" + b"\x0c\x07\x08\x90\x01"


def walk(
    words: list[int], *, rip: int = BASE + CODE + 8, common: bytes = COMMON,
    main: int | None = None, linked: frozenset[str] = frozenset((PATH,)),
    file: str | Absent = PATH, first: bytes = PUSHES, registers: Mapping[str, int] = {},
) -> tuple[list[int], str]:  # fmt: skip
    """Return where the frames of a thread with these words on its stack are, and the note."""
    memory = image([first, b"", OUTERMOST], [CODE, MAIN, FIRST], common=common)
    memory[STACK] = struct.pack(f"<{len(words)}Q", *words).ljust(0x100, b"\0")
    regions = [
        Region(BASE, BASE + SIZE, "r-x", PATH, 0, SIZE),
        Region(STACK, STACK + 0x100, "rw-", None, 0, 0x100),
    ]
    module = Module(PATH, BASE, BASE, BASE + SIZE, "ab", file)
    target = FakeTarget(modules=[module], memory=memory, regions=regions)
    walked = GdbLikeUnwinder(target, main, linked).frames({"rip": rip, "rsp": STACK, **registers})
    return [frame.pc - BASE for frame in walked.frames], walked.note


def test_a_thread_ends_where_the_tables_say_so() -> None:
    frames, note = walk([1, 2, BASE + MAIN + 4, BASE + FIRST + 4])
    assert (frames, note) == ([CODE + 8, MAIN + 4, FIRST + 4], "")


def test_nothing_is_shown_behind_main() -> None:
    frames, _ = walk([1, 2, BASE + MAIN + 4, BASE + FIRST + 4], main=BASE + MAIN)
    assert frames == [CODE + 8, MAIN + 4]


def test_a_call_may_be_the_last_instruction_of_a_function() -> None:
    frames, _ = walk([1, 2, BASE + MAIN + 0x40, BASE + FIRST + 4])
    assert frames == [CODE + 8, MAIN + 0x40, FIRST + 4]


def test_a_stack_ends_early_where_no_code_is() -> None:
    frames, note = walk([1, 2, STACK])
    assert (frames, note) == ([CODE + 8], f"the native stack ends early: no code at {STACK:#x}")
    assert walk([1, 2, 0]) == ([CODE + 8], "")


def test_where_no_object_is_loaded_the_word_at_the_stack_pointer_is_the_caller() -> None:
    gone = Absent(NOT_AVAILABLE, "gone")
    frames, note = walk([BASE + MAIN + 4, STACK], linked=frozenset(), file=gone)
    assert (frames, note[-20:]) == ([CODE + 8, MAIN + 4], f"code at {STACK:#x}"[-20:])
    frames, _ = walk([BASE + FIRST + 4], rip=0)  # a jump to NULL
    assert frames == [-BASE, FIRST + 4]


@pytest.mark.parametrize(
    ("words", "changes", "why"),
    [
        ([1], {"rip": BASE + CODE + 0x80}, "without unwind tables"),
        ([1], {"linked": frozenset()}, "not loaded"),
        ([1], {"linked": frozenset(("/other",)), "file": Absent(NOT_AVAILABLE, "")}, "not loaded"),
        ([1], {"common": COMMON.replace(b"zR", b"zB")}, "augmentation"),
        ([1], {"first": b"\x09\x03\x06"}, "in another one"),
        ([1], {"first": b"\x0c\x06\x10"}, "rbp"),
        ([1], {"first": b"\x0c\x06\x10", "registers": {"rbp": STACK - 64}}, "not in the core"),
        ([1], {"first": b"\x0c\x06\x10", "registers": {"rbp": STACK + 0x1000}}, "not in the core"),
        ([0], {"first": b"\x0c\x06\x08", "registers": {"rbp": STACK + 8, "rsp": STACK + 32}},
         "below its callee"),
    ],
)  # fmt: skip
def test_what_is_not_told_is_not_guessed(
    words: list[int], changes: dict[str, object], why: str
) -> None:
    with pytest.raises(GdbNeeded, match=why):
        walk(words, **changes)  # type: ignore[arg-type]


def test_an_endless_stack_is_left_to_gdb() -> None:
    first = b"\x0c\x07\x08"
    with pytest.raises(GdbNeeded, match="not in the core"):
        walk([BASE + CODE + 8] * 0x20, first=first)


def test_expressions() -> None:
    # What GNU ld writes for a linkage table: rsp + 8 + (((rip & 15) >= 11) << 3).
    plt = bytes.fromhex("77 08 80 00 3f 1a 3b 2a 33 24 22")
    words = {0x1000: 7}
    assert evaluate_expression(plt, {"rsp": 0x100, "rip": 0x4B}, words.__getitem__) == 0x110
    assert evaluate_expression(plt, {"rsp": 0x100, "rip": 0x4A}, words.__getitem__) == 0x108
    assert evaluate_expression(b"\x06\x23\x03", {}, words.__getitem__, 0x1000) == 10
    for damaged in (b"", b"\x22", b"\xff", b"\x77", b"\x12" * 300):
        with pytest.raises(UnknownCfi):
            evaluate_expression(damaged, {"rsp": 0}, words.__getitem__, *[1] * (len(damaged) > 200))
    with pytest.raises(KeyError):
        evaluate_expression(b"\x76\x00", {}, words.__getitem__)


def test_behind_a_signal_handler_an_instruction_was_interrupted() -> None:
    restores = b"\x0c\x07\x10\x90\x01"  # CFA = rsp + 16, rip at CFA - 8
    frames, _ = walk([0, BASE + FIRST], common=SIGNAL, first=restores)
    assert frames == [CODE + 8, FIRST]
