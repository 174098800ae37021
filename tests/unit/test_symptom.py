# SPDX-License-Identifier: Apache-2.0
"""Each symptom by the picture that it is named for; the list is closed and documented."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.faults import CALL_SITE, INDIRECT_SITE, PROTECTION, failed, fault_at
from support.scenes import HEAP, HEAP_SIZE, MMAP, MMAP_SIZE, PC, SP, STACK, TEXT, crash

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.symptom import SYMPTOMS, classify_symptom
from gdb_epi.target.api import Module, Region

LOAD, STORE = "488b07", "488907"
WILD = 0x7ABC_1234_5678
ASCII = int.from_bytes(b"password", "little")
GOOD = MMAP + 0x1240
ODD_SP = STACK + 0x4008  # 8 modulo 16: where rsp is after a return 8 too low
GUARD = Region(MMAP + MMAP_SIZE, MMAP + MMAP_SIZE + 4096, "---", None, 0, 0)
READONLY = Region(0x6000_0000_0000, 0x6000_0001_0000, "r--", None, 0, 0)


def load(value: int, **more: object) -> Context:
    canonical = value < 1 << 47
    died = fault_at(value) if canonical else PROTECTION
    return failed(LOAD, died, rdi=value, **more)  # type: ignore[arg-type]


def returned(value: int, sp: int = SP, **words: int) -> Context:
    """Return a process whose return took a value."""
    held = {sp - 8: value, **{sp + int(name[1:]): word for name, word in words.items()}}
    died = fault_at(value) if value < 1 << 47 else PROTECTION
    return failed("", died, at=value, words=held, rsp=sp)


PICTURES: dict[str, Callable[[], Context]] = {
    "return-to-null": lambda: returned(0, a0=1),
    "rsp-off-by-8": lambda: returned(HEAP + 8, ODD_SP, a0=CALL_SITE),
    "return-slot-one-bit-off": lambda: returned(CALL_SITE ^ (1 << 40)),
    "return-to-garbage": lambda: returned(HEAP + 64),
    "call-to-null": lambda: failed("", fault_at(0), at=0, rax=0, words={SP: INDIRECT_SITE}),
    "call-through-bad-pointer": lambda: failed(
        "", fault_at(WILD), at=WILD, rax=WILD, words={SP: INDIRECT_SITE}
    ),
    "jump-to-data": lambda: failed("", fault_at(HEAP, 2), at=HEAP, words={SP - 8: 1}),
    "null-dereference": lambda: load(8),
    "near-null": lambda: load(0x8000),
    "stack-overflow": lambda: failed("50", fault_at(STACK - 8), rsp=STACK),
    "guard-page": lambda: load(GUARD.start + 8, extra_regions=[GUARD]),
    "ascii-as-pointer": lambda: load(ASCII),
    "double-as-pointer": lambda: load(0x400A_3D70_A3D7_0A3D),
    "int-pair-as-pointer": lambda: load(0x0000_0003_0000_0007),
    "poison-pointer": lambda: load(0xDDDD_DDDD_DDDD_DDDD),
    "truncated-pointer": lambda: load(GOOD & 0xFFFF_FFFF),
    "misaligned-read": lambda: load(
        0x6000_007F_1234_5612, words={HEAP + 8: 0x7F12_3456_1240, HEAP + 16: 0x7F12_3456_1260}
    ),
    "tagged-pointer": lambda: load(GOOD | 0xFFF8 << 48),
    "misaligned-access": lambda: failed("0f2907", PROTECTION, rdi=HEAP + 8),
    "past-the-end": lambda: load(HEAP + HEAP_SIZE + 16),
    "write-to-read-only": lambda: failed(
        STORE, fault_at(READONLY.start, 2), rdi=READONLY.start, extra_regions=[READONLY]
    ),
    "non-canonical": lambda: load(0x0020_7ABC_1234_5678),
    "wild-read": lambda: load(WILD),
    "wild-write": lambda: failed(STORE, fault_at(WILD), rdi=WILD),
    "unexplained-fault": lambda: failed(LOAD, fault_at(WILD), rdi=HEAP),
    "illegal-instruction": lambda: failed("0f0b", crash(4, 2, PC)),
    "privileged-instruction": lambda: failed("f4", PROTECTION),
    "arithmetic": lambda: failed("f7f1", crash(8, 1, PC)),
    "bus-error": lambda: failed(LOAD, crash(7, 2, HEAP), rdi=HEAP),
    "trap": lambda: failed("cc", crash(5, 128, 0)),
    "abort": lambda: failed("c3", crash(6, -6, sender=1000)),
    "signal-sent": lambda: failed("c3", crash(15, 0, sender=5)),
    "none": lambda: failed("c3"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_symptoms(name: str) -> None:
    made = PICTURES[name]()
    if name == "misaligned-read":  # what 8 bytes from HEAP + 9 on are
        word = int.from_bytes(made.target.read(HEAP + 9, 8), "little")
        made = load(word, words={HEAP + 8: 0x7F12_3456_1240, HEAP + 16: 0x7F12_3456_1260})
    symptom = classify_symptom(made)
    assert symptom.name == name, symptom
    assert symptom.why


def test_the_list_is_closed_and_documented() -> None:
    assert set(PICTURES) <= set(SYMPTOMS)
    assert all(text and not text.endswith(".") for text in SYMPTOMS.values())


def test_a_pointer_with_bit_62_is_no_double() -> None:
    assert classify_symptom(load(GOOD | 1 << 62)).name == "non-canonical"


def test_a_return_below_an_aligned_slot_is_not_off_by_8() -> None:
    """The word above is a return address, but lies where the ABI puts none."""
    assert classify_symptom(returned(HEAP + 64, SP, a0=CALL_SITE)).name == "return-to-garbage"


def test_without_text() -> None:
    made = failed(LOAD, PROTECTION, rdi=HEAP + 8)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    assert classify_symptom(made).name == "unknown"


# -- libunwind's race --------------------------------------------------------------------------

LIBUNWIND = Region(0x7E00_0000_0000, 0x7E00_0000_1000, "r-x", "/usr/lib/libunwind.so.8", 0, 0)
RESTORER = LIBUNWIND.start + 0x800
FRAME = SP - 0x600


def race(rip: int, rsp: int, path: str = "/usr/lib/libunwind.so.8") -> str:
    """Return the symptom of a return to 0 with the frame of a signal below rsp."""
    saved = {
        FRAME: RESTORER,
        FRAME + 48 + 8 * 15: rsp,
        FRAME + 48 + 8 * 16: rip,
        FRAME + 48 + 8 * 18: 0x002B_0000_0000_0033,
        SP - 8: 0,
        SP: 1,
    }
    region = LIBUNWIND._replace(path=path)
    made = failed("", fault_at(0), at=0, words=saved, extra_regions=[region])
    target = made.target
    target.memory[LIBUNWIND.start] = bytearray(4096)  # type: ignore[attr-defined]
    target.write(RESTORER, bytes.fromhex("48c7c00f0000000f05"))  # type: ignore[attr-defined]
    modules = (Module(path, LIBUNWIND.start, LIBUNWIND.start, LIBUNWIND.end, None, path),)
    target._modules = modules  # type: ignore[attr-defined]
    return classify_symptom(made).name


def test_the_race_of_libunwind_is_named() -> None:
    inside = LIBUNWIND.start + 0x120
    assert race(inside, SP - 8) == "libunwind-setcontext-race"
    assert race(HEAP, SP - 8) == "return-to-null"  # something else was interrupted
    assert race(inside, SP - 0x400) == "return-to-null"  # deeper in the stack
    assert race(inside, SP - 8, "/usr/lib/libc.so.6") == "return-to-null"
