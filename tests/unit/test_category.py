# SPDX-License-Identifier: Apache-2.0
"""Each category by a process that shows it, and by one that only nearly does."""

from __future__ import annotations

import struct

import pytest
from support.scenes import (
    HEAP,
    MMAP,
    MMAP_SIZE,
    PATH,
    PC,
    PID,
    SP,
    STACK,
    TEXT,
    TEXT_SIZE,
    crash,
    frame,
    state,
)

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent
from gdb_epi.fault.abort_message import classify_glibc_message
from gdb_epi.fault.account import account_of_fault
from gdb_epi.fault.find_fault import find_fault
from gdb_epi.process_state import ProcessState
from gdb_epi.signature.categories.rules import categorise
from gdb_epi.signature.categories.types import CATEGORIES, Category, CategoryInput
from gdb_epi.target.api import CrashInfo, Region

WILD = 0x7E12_3456_0000


def category(made: ProcessState, snapshot: bool = False) -> Category:
    died = Absent(NOT_APPLICABLE, "gcore") if snapshot else made.crash
    fault = find_fault(made.target, died)
    account = fault if isinstance(fault, Absent) else account_of_fault(made.target, fault)
    scene = CategoryInput(made.target, died, made.target.native_frames(PID), account)
    return categorise(scene)[0]


FAULTS = {
    "segv-stack-overflow": state(crash(address=STACK - 16), registers={"rsp": STACK - 8}),
    "segv-exec": state(crash(code=2, address=HEAP), registers={"rip": HEAP}),
    "return-to-null": state(crash(address=0), registers={"rip": 0}),
    "misaligned-sp": state(crash(address=WILD), registers={"rsp": SP + 3}),
    "segv-noncanonical": state(crash(code=128, address=0), registers={"rax": 1 << 60}),
    "segv-null": state(crash(address=8)),
    "segv-near-null": state(crash(address=0x2000)),
    "segv-wild": state(crash(address=WILD)),
    "bus-adrerr": state(crash(7, 2, MMAP)),
    "bus-memerr": state(crash(7, 4, MMAP)),
    "fpe": state(crash(8, 1, PC)),
    "ill": state(crash(4, 2, PC)),
    "trap": state(crash(5, 128)),
    "killed-external": state(crash(6, 0, sender=77)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_categories(name: str) -> None:
    classified = category(FAULTS[name])
    assert classified.name == name
    assert classified.evidence
    assert classified.name in CATEGORIES


def test_guard_and_a_reservation() -> None:
    beside = Region(MMAP + MMAP_SIZE, MMAP + MMAP_SIZE + 0x1000, "---", None, 0, 0)
    made = state(crash(code=2, address=beside.start + 8), extra_regions=[beside])
    assert category(made).name == "segv-guard"
    huge = Region(MMAP + MMAP_SIZE, MMAP + MMAP_SIZE + (1 << 30), "---", None, 0, 0)
    made = state(crash(code=2, address=huge.start + 8), extra_regions=[huge])
    assert category(made).name == "segv-wild"


def test_below_a_stack_with_rsp_elsewhere_is_no_overflow() -> None:
    far = state(crash(address=STACK - 16), registers={"rsp": SP + 0x100000})
    assert category(far).name == "segv-wild"
    deep = state(crash(address=STACK - 0x20000), registers={"rsp": STACK + 8})
    assert category(deep).name == "segv-wild"


def test_a_call_through_null_is_no_return_to_null() -> None:
    """The word at rsp is the return address that the call pushed."""
    made = state(crash(address=0), registers={"rip": 0}, words={SP: TEXT + 0x200})
    assert category(made).name == "segv-null"
    popped = state(crash(address=0), registers={"rip": 0}, words={SP - 8: 5})
    assert category(popped).name == "segv-null"


def test_a_protection_fault_with_canonical_registers_is_not_noncanonical() -> None:
    """Misaligned movaps: SI_KERNEL, address 0, nothing odd in the registers."""
    made = state(crash(code=128, address=0), registers={"rax": MMAP})
    assert category(made).name == "segv-protection"
    at_return = state(crash(code=128, address=0), words={SP: 0xDEAD << 48}, code=b"\xc3")
    assert category(at_return).name == "segv-noncanonical"


def test_a_number_that_the_instruction_does_not_use_is_no_cause() -> None:
    """strtol leaves ULONG_MAX / 10 in r8; the instruction is movaps %xmm0,(%rdi)."""
    words = {"r8": 0x1999_9999_9999_9999, "rdi": HEAP + 8}
    misaligned = category(state(crash(code=128, address=0), registers=words, code=b"\x0f\x29\x07"))
    assert misaligned.name == "segv-misaligned"
    assert "must be aligned" in misaligned.evidence
    # Without the instruction no register can be left out.
    beyond = {**words, "rip": TEXT + TEXT_SIZE}
    elided = Region(TEXT + TEXT_SIZE, TEXT + 2 * TEXT_SIZE, "r-x", PATH, 0, 0)
    unread = state(crash(code=128, address=0), registers=beyond, extra_regions=[elided])
    assert category(unread).name == "segv-noncanonical"


def test_bus_error_by_a_noncanonical_stack_base() -> None:
    made = state(crash(7, 128, 0), registers={"rbp": 1 << 62}, code=b"\x48\x8b\x45\x08")
    assert category(made).name == "segv-noncanonical"


def test_a_signal_that_another_process_sent_is_no_fault() -> None:
    made = state(crash(11, 0, sender=77))
    assert category(made).name == "killed-external"


def test_a_signal_sent_to_itself_is_neither_fault_nor_kill() -> None:
    made = category(state(crash(11, -6, sender=PID)))
    assert made.name == "raised:SIGSEGV"
    assert "to itself" in made.evidence


def test_snapshot() -> None:
    assert category(state(), snapshot=True).name == "snapshot"


def test_an_unreadable_signal_is_no_snapshot() -> None:
    made = state()
    none = Absent(NOT_AVAILABLE, "no notes")
    scene = CategoryInput(made.target, none, [], none)
    assert categorise(scene)[0].name == "unknown"


def message(text: str) -> ProcessState:
    raw = text.encode() + b"\0"
    made = state(
        crash(6, -6, sender=PID),
        symbols={"__abort_msg": HEAP},
        words={HEAP: HEAP + 0x100},
        native=[frame("raise"), frame("abort"), frame("f")],
    )
    made.target.write(HEAP + 0x100, struct.pack("<I", len(raw) + 4) + raw)
    return made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prog: ext.c:22: ring_pop: Assertion `n > 0' failed.\n", "abort-assert"),
        ("free(): invalid pointer\n", "abort-malloc:free-invalid-pointer"),
        ("double free or corruption (out)\n", "abort-malloc:double-free-or-corruption-out"),
        ("*** stack smashing detected ***: terminated\n", "abort-fortify"),
        ("*** buffer overflow detected ***: terminated\n", "abort-fortify"),
        ("*** bit out of range 0 - FD_SETSIZE on fd_set ***: terminated\n", "abort-fortify"),
        ("*** invalid %N$ use detected ***\n", "abort-fortify"),
        ("something of the program", "abort-other"),
    ],
)
def test_glibc_messages(text: str, expected: str) -> None:
    classified = category(message(text))
    assert classified.name == expected
    assert classified.family == "abort"


def test_a_message_stays_inside_its_class() -> None:
    """Nothing that the program put into the text may leak into the record."""
    secret = 'prog: x.c:1: check: Assertion `password == "hunter2"\' failed.'
    assert classify_glibc_message(secret).function == "check"
    assert "hunter2" not in repr(classify_glibc_message(secret))
    classified = category(message(secret))
    assert "hunter2" not in repr(classified)


def aborted(*functions: str) -> ProcessState:
    return state(
        crash(6, -6, sender=PID),
        symbols={"__abort_msg": HEAP},
        native=[frame(name) for name in functions],
    )


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        (("raise", "abort", "_ZSt9terminatev", "f"), "abort-terminate:unknown"),
        (("raise", "abort", "fatal_error_exit", "_Py_FatalErrorFunc"), "abort-py-fatal:error"),
        (("__GI_raise", "__GI_abort", "os_abort"), "abort-other"),
    ],
)
def test_aborts_by_frames(functions: tuple[str, ...], expected: str) -> None:
    assert category(aborted(*functions)).name == expected


def test_without_a_stack_the_remainder_is_not_claimed() -> None:
    made = state(crash(6, -6, sender=PID), symbols={"__abort_msg": HEAP})
    classified = category(made)
    assert (classified.name, classified.family) == ("unknown", "abort")
    assert "cannot be told" in classified.evidence


@pytest.mark.parametrize(
    ("caller", "module", "expected"),
    [
        (None, "/usr/lib/libc.so.6", "unknown"),
        (None, "/usr/lib/libstdc++.so.6", "abort-other"),
        ("os_abort", "/usr/lib/libc.so.6", "abort-other"),
    ],
)
def test_a_nameless_caller_of_abort_in_libc_leaves_the_kind_open(
    caller: str | None, module: str, expected: str
) -> None:
    """Debian 13 has no names of the functions in which assert(), malloc and fortify abort."""
    made = state(
        crash(6, -6, sender=PID),  # without the symbol the message cannot be read
        native=[frame("raise"), frame("abort"), frame(caller)._replace(module=module)],
    )
    classified = category(made)
    assert (classified.name, classified.family) == (expected, "abort")


# -- re-raised signals -------------------------------------------------------------------------


def signal_frame(signo: int, code: int, address: int, rip: int, rsp: int) -> bytes:
    """Return a kernel's ucontext and siginfo as they lie on the stack."""
    gregs = [0] * 23
    gregs[15], gregs[16] = rsp, rip
    gregs[18] = 0x002B_0000_0000_0033
    gregs[20], gregs[22] = 14, address
    context = struct.pack("<QQ24x", 7, 0) + struct.pack("<23Q", *gregs) + bytes(72) + bytes(8)
    return context + struct.pack("<iiiiQ", signo, 0, code, 0, address) + bytes(96)


def reraised(**changed: int) -> ProcessState:
    values = {"signo": 11, "code": 1, "address": 24, "rip": PC, "rsp": SP + 0x1000, **changed}
    made = state(crash(11, -6, sender=PID))
    made.target.write(SP + 0x200, signal_frame(**values))
    return made


def test_the_fault_behind_a_handler_is_found() -> None:
    made = reraised()
    fault = find_fault(made.target, made.crash)
    assert not isinstance(fault, Absent)
    assert (fault.origin, fault.address, fault.pc, fault.sp) == (
        "signal-frame", 24, PC, SP + 0x1000,
    )  # fmt: skip
    assert category(made).name == "segv-null"


def without_siginfo(outer: int, trap: int, error: int, address: int) -> ProcessState:
    """A handler installed without SA_SIGINFO gets a context, but 128 zero bytes of siginfo."""
    made = state(crash(outer, -6, sender=PID))
    raw = bytearray(signal_frame(0, 0, address, PC, SP + 0x1000))
    raw[304:] = bytes(len(raw) - 304)
    struct.pack_into("<QQ", raw, 40 + 8 * 19, error, trap)
    made.target.write(SP + 0x200, bytes(raw))
    return made


@pytest.mark.parametrize(
    ("outer", "trap", "error", "address", "expected"),
    [
        (11, 14, 4, 16, "segv-null"),
        (11, 14, 7, WILD, "segv-wild"),
        (6, 14, 4, 16, "segv-null"),
        (4, 6, 0, 0, "ill"),
        (8, 0, 0, 0, "fpe"),
        (
            11,
            6,
            0,
            0,
            "killed-external",
        ),  # an older trap: it was sent
        (11, 0, 0, 0, "killed-external"),
        (15, 14, 4, 16, "killed-external"),
    ],
)
def test_a_context_without_siginfo_is_read_by_its_trap_number(
    outer: int, trap: int, error: int, address: int, expected: str
) -> None:
    assert category(without_siginfo(outer, trap, error, address)).name == expected


def test_a_core_cut_before_the_stack_has_no_native_stack() -> None:
    from gdb_epi.signature.sign import sign

    made = state(crash(6, -6, sender=PID), native=[frame("raise"), frame("abort"), frame("f")])
    whole = sign(made).signature
    assert whole.native
    cut = [r._replace(dumped=0) if r.start == STACK else r for r in made.target.regions()]
    made = state(crash(6, -6, sender=PID), native=[frame(None)])
    made.target.set_regions(cut)
    signature = sign(made).signature
    assert not signature.native
    assert signature.category.name == "unknown"  # which abort cannot be told
    assert "not in the core" in signature.absent["stable"]
    assert "stable" not in signature.keys


def test_other_signal_frames_are_left_alone() -> None:
    """A profiling timer hides no fault, and its handler may abort."""
    made = reraised(signo=14)
    fault = find_fault(made.target, made.crash)
    assert not isinstance(fault, Absent)
    assert (fault.origin, fault.sender) == ("core", "self")


@pytest.mark.parametrize("changed", [{"code": 0}, {"code": -6}])
def test_a_signal_that_was_sent_and_raised_again_is_no_fault(changed: dict[str, int]) -> None:
    made = reraised(**changed)
    fault = find_fault(made.target, made.crash)
    assert not isinstance(fault, Absent)
    assert (fault.sender, fault.code, fault.is_hardware_trap) == ("elsewhere", None, False)


def test_a_kernel_fault_inside_a_handler_keeps_its_own_frame() -> None:
    made = reraised()
    died = CrashInfo(11, 1, 0, WILD, None, None, PID)
    fault = find_fault(made.target, died)
    assert not isinstance(fault, Absent)
    assert (fault.origin, fault.address) == ("core", WILD)
