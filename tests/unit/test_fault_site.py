# SPDX-License-Identifier: Apache-2.0
"""The fault understood: true addresses, directions, transfers; maps and shapes of words."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget
from support.faults import CALL_SITE, INDIRECT_SITE, PROTECTION, failed, fault_at
from support.scenes import HEAP, HEAP_SIZE, MMAP, PC, SP, STACK, TEXT, crash, regions

from gdb_epi.errors import Absent
from gdb_epi.fault.address_place import exhausted_stack
from gdb_epi.fault.fault_site import FaultSite, site_of_fault
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.instructions import call_returning_to, instructions_before
from gdb_epi.fault.mapping_checks import (
    guard_page,
    is_canonical,
    nearest_mapping,
    permits,
    user_space_end,
)
from gdb_epi.fault.word_shapes import shape_note, shape_of
from gdb_epi.target.api import Region
from gdb_epi.target.function_bounds import Function, FunctionBounds

WILD = 0x7ABC_1234_5678
NONCANONICAL = 0x0800_7F12_3456_0040
LOAD, STORE, PUSH = "488b07", "488907", "50"
MOVAPS = "0f2907"  # movaps %xmm0,(%rdi)
RET = "c3"


def site_of(code: str, died: object, **more: object) -> FaultSite:
    context = failed(code, died, **more)  # type: ignore[arg-type]
    assert not isinstance(context.site, Absent)
    return context.site


@pytest.mark.parametrize(("code", "access"), [(LOAD, "r"), (STORE, "w"), ("480107", "w")])
def test_a_page_fault(code: str, access: str) -> None:
    site = site_of(code, fault_at(WILD), rdi=WILD)
    assert (site.kind, site.address, site.access, site.source) == ("data", WILD, access, "kernel")
    assert site.operand is not None
    assert site.operand.base == "rdi"


def test_code_that_writes_where_it_stands_was_fetched() -> None:
    """A call into the middle of an instruction leaves its target in the register."""
    site = site_of("0000", fault_at(PC), rax=PC)  # add %al,(%rax)
    assert (site.kind, site.address, site.access) == ("data", PC, "w")
    assert site.operand is not None
    assert site.operand.base == "rax"


def test_the_second_page_of_an_access() -> None:
    """An access over the end of a page faults at the next page."""
    site = site_of(LOAD, fault_at(0x7ABC_1234_6000), rdi=0x7ABC_1234_5FFC)
    assert site.kind == "data"
    assert site.operand is not None


def test_an_implicit_access() -> None:
    site = site_of(PUSH, fault_at(STACK - 8), rsp=STACK)
    assert (site.kind, site.access) == ("data", "w")
    assert site.operand is not None
    assert site.operand.implicit


def test_a_non_canonical_address_comes_from_the_operand() -> None:
    site = site_of("488b4708", PROTECTION, rdi=NONCANONICAL)
    assert (site.kind, site.address, site.source) == ("data", NONCANONICAL + 8, "operand")


def test_a_stack_fault_is_a_sigbus() -> None:
    site = site_of("488b4508", crash(7, 128, 0), rbp=NONCANONICAL)
    assert (site.kind, site.address) == ("data", NONCANONICAL + 8)


@pytest.mark.parametrize(
    ("address", "kind"), [(HEAP + 8, "misaligned"), (HEAP, "unstarted-handler")]
)
def test_a_protection_fault_of_a_vector_move(address: int, kind: str) -> None:
    assert site_of(MOVAPS, PROTECTION, rdi=address).kind == kind


def test_a_privileged_instruction() -> None:
    assert site_of("f4", PROTECTION).kind == "privileged"


def test_a_return_that_stopped_at_the_instruction() -> None:
    """AMD: rip at the ret, nothing popped."""
    site = site_of(RET, PROTECTION, words={SP: NONCANONICAL})
    assert (site.kind, site.address, site.slot, site.source) == (
        "return", NONCANONICAL, SP, "stack",
    )  # fmt: skip


def test_a_return_that_has_arrived() -> None:
    """The other shape: rip is the bad address, the slot has been popped."""
    for died in (fault_at(WILD), PROTECTION):
        pc = WILD if died is not PROTECTION else NONCANONICAL
        site = site_of("", died, at=pc, words={SP - 8: pc})
        assert (site.kind, site.address, site.slot, site.arrived) == ("return", pc, SP - 8, True)
        assert site.access == "x"


def test_a_call_through_a_register() -> None:
    site = site_of("", fault_at(WILD), at=WILD, rax=WILD, words={SP: INDIRECT_SITE, SP - 8: 7})
    assert (site.kind, site.slot) == ("call", None)


def test_a_return_above_a_return_address_is_no_call() -> None:
    """rsp off by 8: the word at rsp is a return address, but its call is a direct one."""
    site = site_of("", fault_at(WILD), at=WILD, words={SP: CALL_SITE, SP - 8: WILD})
    assert site.kind == "return"


def test_a_jump_without_a_trace() -> None:
    site = site_of("", fault_at(WILD), at=WILD, words={SP: 1, SP - 8: 2})
    assert site.kind == "jump"
    assert site.why


def test_a_call_that_stopped_at_the_instruction() -> None:
    assert site_of("ffd0", PROTECTION, rax=NONCANONICAL).kind == "call"
    assert site_of("ffe0", PROTECTION, rax=NONCANONICAL).kind == "jump"


def test_an_impossible_fault() -> None:
    site = site_of(LOAD, fault_at(WILD), rdi=WILD ^ (1 << 30))
    assert site.kind == "unexplained"
    assert hex(WILD) in site.why


@pytest.mark.parametrize("code", ["f3a4", "480fa307", "c4e26d90948 7f0ffffff".replace(" ", "")])
def test_an_address_that_cannot_be_computed_is_explained(code: str) -> None:
    site = site_of(code, fault_at(WILD + 48), rdi=WILD, rsi=HEAP)
    assert site.kind == "data"


def test_without_text_the_address_stands_and_the_reason_is_told() -> None:
    context = failed(LOAD, fault_at(WILD), rdi=WILD)
    context.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    site = context.site
    assert isinstance(site, FaultSite)
    assert (site.kind, site.address, site.operand) == ("data", WILD, None)
    assert "not in the core" in site.why


def test_an_error_code_tells_the_direction() -> None:
    target = failed(LOAD, fault_at(WILD)).target
    base = {"rip": PC, "rsp": SP, "rdi": WILD}
    kinds = {4: ("data", "r"), 6: ("data", "w"), 0x14: ("fetch", "x")}
    for error, (kind, access) in kinds.items():
        fault = Fault(1, 11, 1, WILD, base, "signal-frame", "kernel", error, 14)
        site = site_of_fault(target, fault)
        assert site.access == access
        assert (site.kind == "data") == (kind == "data")


def test_other_signals() -> None:
    assert site_of("f7f1", crash(8, 1, PC)).kind == "arithmetic"
    assert site_of("0f0b", crash(4, 2, PC)).kind == "illegal"
    assert site_of("cc", crash(5, 128, 0)).kind == "trap"
    assert site_of(LOAD, crash(6, -6, sender=1000)).kind == "none"


# -- maps ------------------------------------------------------------------------------------


def test_five_levels_of_page_tables_are_read_from_the_map() -> None:
    four = FakeTarget(regions=regions())
    five = FakeTarget(regions=[*regions(), Region(1 << 50, (1 << 50) + 4096, "rw-", None, 0, 0)])
    assert (user_space_end(four), user_space_end(five)) == (1 << 47, 1 << 56)
    reported = Fault(1, 11, 1, 1 << 50, {}, "core", "kernel")
    assert user_space_end(four, reported) == 1 << 56
    assert is_canonical(1 << 50, 1 << 56)
    assert not is_canonical(1 << 50)
    assert is_canonical(0xFFFF_8880_0000_0000)


def test_guard_pages() -> None:
    end = MMAP + 0x4000
    guard = Region(end, end + 4096, "---", None, 0, 0)
    far = Region(0x6000_0000_0000, 0x6000_0000_1000, "---", None, 0, 0)
    large = Region(HEAP + HEAP_SIZE, HEAP + HEAP_SIZE + (2 << 20), "---", None, 0, 0)
    target = FakeTarget(regions=regions(guard, far, large))
    assert guard_page(target, end + 8) == guard
    assert guard_page(target, far.start) is None  # nothing beside it
    assert guard_page(target, large.start) is None  # a reservation
    assert guard_page(target, HEAP) is None


def test_the_ends_of_mappings_are_exclusive() -> None:
    target = FakeTarget(regions=regions())
    end = HEAP + HEAP_SIZE
    near = nearest_mapping(target, end, 4096)
    assert near is not None
    assert (near.distance, near.after) == (0, True)
    assert nearest_mapping(target, end + 4097, 4096) is None
    ahead = nearest_mapping(target, HEAP - 1, 4096)
    assert ahead is not None
    assert (ahead.distance, ahead.after) == (1, False)
    assert nearest_mapping(target, TEXT - 8, 4096, "w") is None  # text may not be written


def test_permissions() -> None:
    readable = Region(0, 1, "r--", None, 0, 0)
    assert permits(readable, "r")
    assert not permits(readable, "w")
    assert not permits(readable._replace(perms="---"), None)
    assert not permits(None, None)


# -- shapes ------------------------------------------------------------------------------------

SHAPES = [
    (int.from_bytes(b"password", "little"), "ascii"),
    (int.from_bytes(b"secret\0\0", "little"), "ascii"),
    (int.from_bytes(b"a\0b\0c\0d\0", "little"), "ascii"),  # UTF-16
    (0x3FF0_0000_0000_0000, "double"),  # 1.0
    (0xC059_0000_0000_0000, "double"),  # -100.0
    (0x3FB9_9999_9999_999A, "double"),  # 0.1: no filling pattern
    (0x3FEC_CCCC_CCCC_CCCD, "double"),  # 0.9
    (0x3FD5_5555_5555_5555, "double"),  # 1/3
    (0x4005_4004_4003_4002, "int-pair"),  # four of 16 bits, 2.66 as a double
    (0x4005_4004_4003_4902, "double"),
    (0x1999_9999_9999_9999, "poison"),
    (0xCCCC_CCCC_CCCC_CCCC, "poison"),
    (0xDDDD_DDDD_DDDD_DDDD, "poison"),
    (0x0000_7FDD_DDDD_DDDD, "poison"),  # in part
    (0xDEAD_BEEF, "poison"),
    (0x0000_0003_0000_0007, "int-pair"),
    (0xFFFF_FFFC_0000_0000, None),  # -2^31, what NaN becomes, times 8: no pair of integers
    (0xFFFF_FFFF_FFFF_FFF6, "negative"),  # -10, an error number
    (0x7F12_3456_0040, None),  # a pointer
    (0x5555_5600_0120, None),
    (0x0800_7F12_3456_0040, None),
    (int.from_bytes(b"ab\0\0\0\0\0\0", "little"), None),
    (0, None),
]


@pytest.mark.parametrize(("value", "name"), SHAPES)
def test_shapes(value: int, name: str | None) -> None:
    shape = shape_of(value)
    assert (shape.name if shape else None) == name


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0x3F8C_CCCD_0000_0000, " (it is two 32-bit floating-point numbers, 0.0, 1.1)"),
        (0x4035_4000_0000_0000, " (it is the floating-point number 21.25)"),
        (0x3FD5_5555_5555_5555, " (it is the floating-point number 0.3333333333333333)"),
        (int.from_bytes(b"\r\n> \r\n> ", "little"), " (its bytes are text: b'\\r\\n> \\r\\n> ')"),
        (0x7F12_3456_0040, ""),
    ],
)
def test_what_a_word_looks_like_in_brackets(value: int, words: str) -> None:
    assert shape_note(value) == words


# -- text ----------------------------------------------------------------------------------------


def test_return_addresses() -> None:
    target = failed(LOAD).target
    direct = call_returning_to(target, CALL_SITE)
    assert direct is not None
    assert direct.target is not None
    assert call_returning_to(target, INDIRECT_SITE) is not None
    assert call_returning_to(target, CALL_SITE + 1) is None
    assert call_returning_to(target, HEAP) is None


def test_instructions_before_an_address() -> None:
    steps = instructions_before(failed(LOAD, before="488b4310").target, PC)
    assert steps is not None
    assert (steps[-1].address, steps[-1].instruction.length) == (PC - 4, 4)
    assert (
        instructions_before(failed(LOAD, before="488b4310").target, PC - 2) is None
    )  # inside of it


# -- behind handlers -------------------------------------------------------------------------------

FRAME_CONTEXT = (
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx",
    "rdx", "rax", "rcx", "rsp", "rip", "eflags", "segments", "error", "trapno", "oldmask", "cr2",
)  # fmt: skip


def frame(at: int, siginfo: tuple[int, int] = (0, 0), **context: int) -> dict[int, int]:
    """Return the words of a signal frame's ucontext at an address, with a siginfo of two words."""
    held = {"segments": 0x002B_0000_0000_0033, "trapno": 14, "error": 4, **context}
    words = {at + 40 + 8 * n: held.get(name, 0) for n, name in enumerate(FRAME_CONTEXT)}
    return {**words, at + 304: siginfo[0], at + 312: siginfo[1]}


def raised(words: dict[int, int], **registers: int) -> Fault:
    context = failed(LOAD, crash(11, -6, sender=1000), words=words, **registers)
    assert isinstance(context.fault, Fault)
    return context.fault


def test_behind_a_handler_that_raises_again() -> None:
    fault = raised(frame(SP + 0x100, rip=PC + 8, rsp=SP + 0x800, cr2=WILD, error=6))
    assert (fault.origin, fault.address, fault.code, fault.pc) == ("signal-frame", WILD, 1, PC + 8)
    assert (fault.error, fault.trap) == (6, 14)


def test_stale_words_in_the_place_of_a_siginfo() -> None:
    """faulthandler has no SA_SIGINFO: the kernel writes none, and the stack was used before."""
    stale = (0x7F82_C4F5_A070, 0x7F82_C4F5_A0B0)
    fault = raised(frame(SP + 0x100, stale, rip=PC + 8, rsp=SP + 0x800, cr2=WILD))
    assert (fault.origin, fault.signo, fault.address) == ("signal-frame", 11, WILD)


def test_stale_words_that_look_like_a_siginfo() -> None:
    """A worker of pytest-xdist left SIGTRAP with a code of 171 there; the trap tells the truth."""
    at = {"rip": PC, "rsp": SP + 0x800, "rdi": WILD, "cr2": WILD}
    for signo, code in ((5, 171), (5, 1), (14, 1), (11, 1)):
        fault = raised(frame(SP + 0x100, (signo, code), **at))
        assert (fault.origin, fault.signo, fault.address) == ("signal-frame", 11, WILD), signo
    # The same words where another instruction stands: the trap may be an older one's.
    at["rdi"] = SP
    assert not raised(frame(SP + 0x100, (5, 171), **at)).is_hardware_trap


def test_stale_words_above_a_pointer_that_cannot_be_one() -> None:
    at = {"rip": PC, "rsp": SP + 0x800, "trapno": 13, "cr2": WILD}
    flipped = WILD | 1 << 55
    fault = raised(frame(SP + 0x100, (5, 171), **at, rdi=flipped))
    assert (fault.origin, fault.signo, fault.code) == ("signal-frame", 11, 0x80)
    assert not raised(frame(SP + 0x100, (5, 171), **at, rdi=WILD)).is_hardware_trap


def test_behind_a_handler_that_returned() -> None:
    """The frame is popped: it lies below rsp, and holds the very registers of the core."""
    same = frame(SP - 0x400, rip=PC, rsp=SP, cr2=WILD, rdi=WILD)
    fault = raised(same, rdi=WILD)
    assert (fault.origin, fault.address) == ("signal-frame", WILD)
    other = frame(SP - 0x400, rip=PC, rsp=SP - 64, cr2=WILD)
    assert raised(other).origin == "core"


def test_a_frame_of_another_trap_is_not_taken() -> None:
    """No fault of the kernel: the signal met the thread there, and its handler raised it again."""
    fault = raised(frame(SP + 0x100, rip=PC, rsp=SP, trapno=0))
    assert (fault.sender, fault.is_hardware_trap) == ("elsewhere", False)


# What a busy machine left on the stack where faulthandler's frame has no siginfo: as signo, errno
# and code. The kernel raises no SIGABRT, sets no errno for it, and no trap of the CPU had come.
@pytest.mark.parametrize("words", [(6 | 82 << 32, 6), (6 | 82 << 32, 0), (6, 171), (6, 0)])
def test_stale_words_over_a_signal_that_somebody_sent(words: tuple[int, int]) -> None:
    frame_words = frame(SP + 0x100, words, rip=PC, rsp=SP, trapno=0)
    context = failed(LOAD, crash(6, -6, sender=1000), words=frame_words)
    assert isinstance(context.fault, Fault)
    assert (context.fault.sender, context.fault.is_hardware_trap) == ("elsewhere", False)


@pytest.mark.parametrize(("signo", "code"), [(11, 1), (7, 2), (4, 2), (5, 1), (8, 9), (6, 6)])
def test_a_siginfo_without_its_trap_is_no_fault(signo: int, code: int) -> None:
    """Trap 0 is a division by zero, and is there too where the thread has had no trap at all."""
    fault = raised(frame(SP + 0x100, (signo, code), rip=PC, rsp=SP, trapno=0, cr2=WILD))
    assert fault.is_hardware_trap == (signo == 8)


@pytest.mark.parametrize(("size", "large"), [(0xC000, True), (0x2000, False)])
def test_memset_on_a_frame_that_is_larger_than_its_stack(
    monkeypatch: pytest.MonkeyPatch, size: int, large: bool
) -> None:
    """Its caller subtracted from rsp; memset() has no frame, so rsp leads to the return address."""
    monkeypatch.setattr(
        FunctionBounds,
        "function_at",
        lambda self, pc: Function(CALL_SITE - 16, CALL_SITE + 16) if pc != PC else None,
    )
    beneath = Region(STACK - 0x10000, STACK - 0x6000, "rw-", None, 0, 0x6000)
    sp = STACK - 0xA008
    context = failed(
        STORE, fault_at(STACK - 0x6000), rsp=sp, rdi=STACK - 0x6000, extra_regions=[beneath]
    )
    target = context.target
    assert isinstance(target, FakeTarget)
    target.memory[beneath.start] = bytearray(beneath.size)
    target.write(CALL_SITE - 12, b"\x48\x81\xec" + size.to_bytes(4, "little"))  # sub $size,%rsp
    target.write(sp, CALL_SITE.to_bytes(8, "little"))
    fault = context.state.fault
    assert isinstance(fault, Fault)
    ended = exhausted_stack(target, fault, STACK - 0x6000)
    assert (ended is not None and ended.large) is large
