# SPDX-License-Identifier: Apache-2.0
"""aarch64: notes, system calls, signal frames, layouts; a recording of a real core, whole."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from support.fake_target import FakeTarget
from support.snapshot import SnapshotTarget

from gdb_epi.analysis import analyze
from gdb_epi.cpython.layout.layout import load_layout
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import Aarch64Syndrome
from gdb_epi.fault.signal_sender import SENDING
from gdb_epi.locks.waits.libc_lock_names import libc_functions_on_stack
from gdb_epi.machine import AARCH64, X86_64
from gdb_epi.session import Session
from gdb_epi.target.api import Module, Region, Thread
from gdb_epi.target.core_notes import NT_ARM_SYSTEM_CALL, NT_ARM_TLS, NT_PRSTATUS, decode_notes
from gdb_epi.target.derived_registers import NO_CALL, add_derived_registers, is_at_system_call
from gdb_epi.target.elf import Note

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "aarch64" / "behind_handler.json.xz"
TEXT, TP, SIZE_AT, DESCRIPTOR = 0x400000, 0xFFFF_A000_0740, 0x500000, 0x740
SVC, NOP = AARCH64.system_call, bytes.fromhex("1f2003d5")


def status(tid: int, **registers: int) -> Note:
    values = [registers.get(name, 0) for name in AARCH64.registers]
    head = struct.pack("<12xh18xi", 11, tid).ljust(112, b"\0")
    return Note(b"CORE", NT_PRSTATUS, head + struct.pack("<34Q", *values) + bytes(8))


def test_each_thread_has_the_notes_that_follow_it() -> None:
    notes = [
        status(7, pc=TEXT, sp=0x1000, x30=5),
        Note(b"LINUX", NT_ARM_TLS, struct.pack("<QQ", TP, 0)),
        Note(b"LINUX", NT_ARM_SYSTEM_CALL, struct.pack("<i", -1)),
        status(8, x8=98),
        Note(b"LINUX", NT_ARM_TLS, b"short"),
    ]
    first, second = decode_notes(notes, AARCH64).threads
    assert (first.tid, first.pc, first.sp, first.thread_pointer) == (7, TEXT, 0x1000, TP)
    assert first.registers["syscall"] == NO_CALL
    assert second.tid == 8 and second.thread_pointer == 0


def test_notes_that_are_too_short_are_told() -> None:
    decoded = decode_notes([Note(b"CORE", NT_PRSTATUS, bytes(300))], AARCH64)
    assert decoded.threads == ()
    assert [e.message for e in decoded.soft_errors] == ["300 bytes is too short for aarch64"]


def process(code: bytes, **registers: int) -> tuple[FakeTarget, Thread]:
    """Return a process whose thread stands behind the first instruction of `code`."""
    thread = Thread(7, {"pc": TEXT + 4, "tpidr": TP, **registers}, None, None, AARCH64)
    target = FakeTarget(
        regions=[Region(TEXT, TEXT + 0x1000, "r-x", "/lib/libc.so.6", 0, 0x1000)],
        memory={TEXT: code, SIZE_AT: struct.pack("<I", DESCRIPTOR)},
        symbols={"_thread_db_sizeof_pthread": SIZE_AT},
        threads=[thread],
    )
    return target, thread


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (SVC + NOP, "futex"),  # behind the instruction: the call has returned
        (NOP + SVC, "futex"),  # at it: the kernel begins an interrupted call again
        (NOP + NOP, None),
    ],
)
def test_a_call_is_known_by_its_instruction(code: bytes, call: str | None) -> None:
    target, thread = process(code, x8=98, x0=0x1234, syscall=NO_CALL)
    (made,) = add_derived_registers(target, [thread])
    assert made.system_call_name == call and made.system_call_argument(0) == 0x1234
    assert is_at_system_call(target, made) is (call is not None)
    assert made.ident == TP - DESCRIPTOR


@pytest.mark.parametrize(
    ("before", "names"),
    [(bytes.fromhex("10000094"), ["malloc"]), (bytes.fromhex("60023fd6"), ["malloc"]), (NOP, [])],
    ids=["bl", "blr", "no call"],
)
def test_who_called_into_a_lock_is_known_by_its_call(before: bytes, names: list[str]) -> None:
    """Calls of x86-64 were looked for here too, so that no lock of the C library had a name."""
    _, thread = process(b"", sp=SIZE_AT)
    absent = Absent("not_available", "not here")
    target = FakeTarget(
        memory={TEXT: NOP * 4 + before, SIZE_AT: struct.pack("<Q", TEXT + 20)},
        symbols={"__libc_start_main": TEXT + 0x100, "malloc": TEXT + 4},
        modules=[Module("/lib/libc.so.6", TEXT, TEXT, TEXT + 0x1000, None, absent)],
    )
    assert libc_functions_on_stack(target, thread) == names


def test_without_code_nothing_is_said_of_a_call() -> None:
    target, thread = process(b"", x8=98)
    target.memory.pop(TEXT)
    (made,) = add_derived_registers(target, [thread])
    assert made.system_call_name is None and "syscall" not in made.registers
    assert is_at_system_call(target, made) is None


def test_the_kernels_number_counts_first() -> None:
    target, thread = process(NOP + NOP, x8=1, syscall=73)
    (made,) = add_derived_registers(target, [thread])
    assert made.system_call_name == "ppoll"


def test_x86_registers_stay_as_they_are() -> None:
    thread = Thread(7, {"rip": TEXT, "fs_base": TP, "orig_rax": 202}, None)
    target = FakeTarget(threads=[thread])
    assert add_derived_registers(target, [thread]) == (thread,)
    assert (thread.ident, thread.system_call_name) == (TP, "futex")


def test_calls_that_send_signals_have_numbers_on_every_machine() -> None:
    for machine in (X86_64, AARCH64):
        assert set(machine.calls.values()) >= SENDING


@pytest.mark.parametrize(
    ("value", "raised", "mapped", "signal", "error"),
    [
        (0x92000006, 11, False, (11, 1, 0x10), 0),  # a read, translation fault
        (0x92000046, 11, True, (11, 2, 0x10), 2),  # a write
        (0x82000006, 11, False, (11, 1, 0x10), 16),  # a fetch
        (0x92000021, 7, True, (7, 1, 0x10), 0),  # alignment
        (0x92000006, 15, False, (0, 0, 0), 0),  # left from a fault before: another signal
        (0x92000006, 6, False, (11, 1, 0x10), 0),  # a handler that ends by abort()
        (0x02000000, 4, True, (4, 1, 0x10), None),
    ],
)
def test_what_the_cpu_said(value, raised, mapped, signal, error) -> None:
    syndrome = Aarch64Syndrome(value, 0x10)
    assert syndrome.siginfo_for(raised, mapped) == signal
    assert syndrome.x86_error_code == error


# By the debug information of Debian 12's arm64 python3.11 (3.11.2-6+deb12u8).
ARM64_311 = {
    "ceval.gil.switch_cond": 488, "ceval.gil.switch_mutex": 536,
    "gilstate.tstate_current": 592, "gilstate.autoTSSkey": 608, "audit_hook_head": 672,
    "_main_interpreter": 58952,
}  # fmt: skip


def test_structs_behind_a_mutex_lie_further_on() -> None:
    layout, x86 = load_layout((3, 11), mutex=48), load_layout((3, 11))
    assert layout is not None and x86 is not None
    for path, offset in ARM64_311.items():
        assert layout.offset("_PyRuntimeState", path) == offset
    assert layout.size("_gil_runtime_state") == 224
    assert layout.offset("_gil_runtime_state", "switch_mutex") == 176
    assert layout.offset("PyThreadState", "frame") == x86.offset("PyThreadState", "frame")
    assert x86.offset("_PyRuntimeState", "_main_interpreter") == 58936  # its own stays


def test_from_312_on_the_interpreter_state_holds_the_gil() -> None:
    layout, x86 = load_layout((3, 12), mutex=48), load_layout((3, 12))
    assert layout is not None and x86 is not None
    gil = x86.require("PyInterpreterState", "_gil")
    for path in x86.document["structs"]["PyInterpreterState"][1]:
        before = x86.require("PyInterpreterState", path)
        moved = layout.require("PyInterpreterState", path) - before
        wanted = 8 * (before >= gil + 80 + 40) + 8 * (before >= gil + 168 + 40)
        assert moved == wanted, path


def test_a_recording_of_a_real_core() -> None:
    """faulthandler was on: the fault is in the signal frame, its words by the CPU alone."""
    session = Session(SnapshotTarget.load(SAMPLE))
    record = analyze(session)
    fault = session.state.fault
    assert (fault.signo, fault.code, fault.address, fault.origin) == (11, 1, 0, "signal-frame")
    assert record["signature"]["category"] == "segv-null"
    assert record["signature"]["keys"]["stable"]
    python = session.state.python
    assert isinstance(python, PythonState)
    (thread,) = python.threads()
    names = ["string_at", "inner", "behind_handler", "<module>"]
    assert [frame.name for frame in thread.frames] == names
    assert record["corruption"]["skipped"][0]["why"] == "not judged on this architecture (aarch64)"
    assert record["verdict"]["damage"] == {"found": False, "judged": False}
