# SPDX-License-Identifier: Apache-2.0
"""Each detector: hit, near miss, absent."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from support.scenes import HEAP, MMAP, MMAP_SIZE, PC, PID, SP, STACK, crash, frame, state

from gdb_epi.corruption.checks.benign_causes import ordinary_causes_of_detectors
from gdb_epi.corruption.context import Context
from gdb_epi.cpython.types import CHAIN, DATASTACK, PyFrame, PythonState, ThreadState
from gdb_epi.detectors import registry
from gdb_epi.detectors.ended_by_signal import (
    foreign_sequence,
    refused_system_call,
    unstarted_handler,
)
from gdb_epi.detectors.file_ended import file_ended, no_huge_page
from gdb_epi.detectors.frame_link_disagrees import frame_link_disagrees
from gdb_epi.detectors.null_dereference import null_dereference
from gdb_epi.detectors.pointer_one_bit_off import pointer_one_bit_off
from gdb_epi.detectors.registry import (
    DETECTORS,
    NOTHING_SAID,
    Finding,
    detector,
    hex_word,
    run_detectors,
)
from gdb_epi.detectors.runtimes.aborts import deliberate_abort
from gdb_epi.detectors.runtimes.sanitizer_report import sanitizer_report
from gdb_epi.detectors.stack_overflow import ThreadStack, stack_overflow
from gdb_epi.detectors.traps import integer_division, trap_instruction
from gdb_epi.detectors.waits.forks import forked_child_lock
from gdb_epi.detectors.wrong_cpu_state import direction_flag, thread_pointer
from gdb_epi.errors import Absent
from gdb_epi.locks.types import ForkEvidence, LockOwner, LockReport, LockWait
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import CrashInfo, NativeFrame, Region

GOOD = MMAP + 0x1240  # an address that is mapped
LOAD = bytes.fromhex("488b07")  # mov (%rdi),%rax
LOAD_INDEXED = bytes.fromhex("488b04f7")  # mov (%rdi,%rsi,8),%rax


def one(findings: Iterable[Finding]) -> Finding:
    listed = list(findings)
    assert len(listed) == 1, listed
    return listed[0]


def flipped(bit: int, **more: object) -> ProcessState:
    bad = GOOD ^ (1 << bit)
    noncanonical = bit >= 47
    died = crash(code=128, address=0) if noncanonical else crash(address=bad)
    registers = {"rdi": bad, **more.pop("registers", {})}
    return state(died, registers=registers, code=LOAD, **more)


# -- pointer_one_bit_off ---------------------------------------------------------------------


@pytest.mark.parametrize("bit", [20, 33, 41, 46, 47, 52, 55])
def test_a_flipped_pointer_is_found(bit: int) -> None:
    facts = one(pointer_one_bit_off(flipped(bit))).facts
    assert facts["corrected"] == hex_word(GOOD)
    assert facts["found"] == hex_word(GOOD ^ (1 << bit))
    assert (facts["bit"], facts["source"], facts["path"]) == (bit, "rdi", "register")
    assert facts["items"] == ["P1"] + (["P5"] if bit >= 47 else [])


def test_copies_and_the_place_of_the_wrong_word() -> None:
    bad = GOOD ^ (1 << 41)
    made = flipped(41, words={HEAP + 0x20: bad, HEAP + 0x100: GOOD, MMAP + 8: GOOD})
    facts = one(pointer_one_bit_off(made)).facts
    assert facts["where"] == [hex_word(HEAP + 0x20)]
    assert facts["copies_in"] == [hex_word(HEAP + 0x100), hex_word(MMAP + 8)]
    assert facts["items"] == ["P1", "P2"]
    assert facts["path"] == "memory"
    assert facts["direction"] == ("0->1" if bad > GOOD else "1->0")


def test_unaligned_copies_do_not_count() -> None:
    made = flipped(41)
    made.target.write(HEAP + 0x101, GOOD.to_bytes(8, "little"))
    assert "P2" not in one(pointer_one_bit_off(made)).facts["items"]


def test_only_dumped_bytes_count() -> None:
    """A copy that only a file on the analysing machine holds is no evidence."""
    extra = Region(0x6000_0000_0000, 0x6000_0000_1000, "rw-", "/lib/x.so", 0, 0)
    made = flipped(
        41,
        extra_regions=[extra],
        extra_memory={extra.start: GOOD.to_bytes(8, "little") + bytes(0xFF8)},
    )
    assert "P2" not in one(pointer_one_bit_off(made)).facts["items"]


def test_the_access_must_be_permitted() -> None:
    """A read of a PROT_NONE reservation, or a write to read-only memory, repairs nothing."""
    reserved = Region(0x6000_0000_0000, 0x6000_1000_0000, "---", None, 0, 0)
    bad = (reserved.start + 0x100000) ^ (1 << 45)
    made = state(crash(address=bad), registers={"rdi": bad}, code=LOAD, extra_regions=[reserved])
    assert list(pointer_one_bit_off(made)) == []
    readonly = reserved._replace(perms="r--")
    store = bytes.fromhex("488907")
    made = state(crash(address=bad), registers={"rdi": bad}, code=store, extra_regions=[readonly])
    assert list(pointer_one_bit_off(made)) == []
    made = state(crash(address=bad), registers={"rdi": bad}, code=LOAD, extra_regions=[readonly])
    assert len(list(pointer_one_bit_off(made))) == 1


END = MMAP + MMAP_SIZE
INNOCENT = {
    "null": crash(address=8),
    "near null": crash(address=0x8000),
    "an integer": crash(address=0x400000 ^ (1 << 22)),
    "just past the end": crash(address=END),
    "within a page of the end": crash(address=END + 0xFF0),
    "just before": crash(address=MMAP - 1),
    "stack overflow": crash(address=STACK - 16),
    "repeated bytes": crash(address=0x7FDD_DDDD_DDDD),
    "text": crash(address=int.from_bytes(b"secret\0\0", "little")),
    "far away": crash(address=0x1234_5678_9000),
}


@pytest.mark.parametrize("name", INNOCENT)
def test_innocent_causes(name: str) -> None:
    died = INNOCENT[name]
    low = {"rsp": STACK - 8} if name == "stack overflow" else {}
    made = state(died, registers={"rdi": died.fault_address, **low}, code=LOAD)
    assert list(pointer_one_bit_off(made)) == []


def test_the_end_of_a_mapping_is_exclusive() -> None:
    """rust-minidump once had this off by one, which changed 157 candidates on 500 crashes."""
    inside, outside = END - 8, END
    for address, count in ((inside, 1), (outside, 0)):
        bad = address ^ (1 << 41)
        made = state(crash(address=bad), registers={"rdi": bad}, code=LOAD)
        assert len(list(pointer_one_bit_off(made))) == count, hex(address)


@pytest.mark.parametrize("died", [crash(6, -6, sender=PID), crash(11, 0, sender=5)])
def test_signals_that_are_no_faults_are_not_tested(died: object) -> None:
    bad = GOOD ^ (1 << 41)
    made = state(died, registers={"rdi": bad}, code=LOAD)  # type: ignore[arg-type]
    assert list(pointer_one_bit_off(made)) == []


def test_several_high_bits_are_a_tag() -> None:
    bad = GOOD | (0x7FF8 << 48)
    made = state(crash(code=128, address=0), registers={"rdi": bad}, code=LOAD)
    assert list(pointer_one_bit_off(made)) == []


def test_a_single_bit_of_the_top_byte_is_ambiguous() -> None:
    made = state(crash(code=128, address=0), registers={"rdi": GOOD | (1 << 60)}, code=LOAD)
    assert "tag" in one(pointer_one_bit_off(made)).facts["ambiguous"]


def test_an_index_of_a_power_of_two_is_ambiguous() -> None:
    made = state(
        crash(address=HEAP + 0x40 + (1 << 41)),
        registers={"rdi": HEAP + 0x40, "rsi": 1 << 38},
        code=LOAD_INDEXED,
    )
    findings = list(pointer_one_bit_off(made))
    assert findings
    assert all(finding.facts["ambiguous"] for finding in findings)


def test_without_text_the_registers_near_the_address_are_tested() -> None:
    bad = GOOD ^ (1 << 41)
    made = state(crash(address=bad + 16), registers={"rbx": bad, "rcx": 1}, code=b"")
    made.target.memory.pop(PC & ~0xFFF)
    sources = {finding.facts["source"] for finding in pointer_one_bit_off(made)}
    assert sources == {"rbx", "fault address"}


# -- the others ------------------------------------------------------------------------------


def test_null_dereference() -> None:
    finding = one(null_dereference(state(crash(address=8), registers={"rdi": 8}, code=LOAD)))
    assert (finding.facts["base"], finding.facts["access"]) == ("rdi", "r")
    assert list(null_dereference(state(crash(address=0x10000)))) == []
    assert list(null_dereference(state(crash(code=128, address=0)))) == []
    assert list(null_dereference(state(crash(11, -6, sender=PID)))) == []
    called = state(crash(address=0), registers={"rip": 0}, words={SP: PC})
    jump = one(null_dereference(called))
    assert jump.facts["access"] == "execute"
    returned = state(crash(address=0), registers={"rip": 0})  # the word came off the stack
    assert list(null_dereference(returned)) == []


def test_stack_overflow() -> None:
    finding = one(stack_overflow(state(crash(address=STACK - 16), registers={"rsp": STACK - 8})))
    assert finding.facts["stack"][0] == hex_word(STACK)
    assert list(stack_overflow(state(crash(address=STACK - 16)))) != []  # rsp 16 KiB above
    far = state(crash(address=STACK - 16), registers={"rsp": SP + (1 << 20)})
    assert list(stack_overflow(far)) == []
    assert list(stack_overflow(state(crash(address=GOOD)))) == []


LIBC, ASAN, PROGRAM = "/lib/libc.so.6", "/lib/libasan.so.8", "/usr/bin/prog"
OUTER = [("main", PROGRAM)]
RAISED = [("__pthread_kill_implementation", LIBC), ("raise", LIBC), ("abort", LIBC)]
ENDS = [("__sanitizer::Abort()", ASAN), ("_ZN11__sanitizer3DieEv", ASAN)]
REPORT = [
    ("__asan::ReportGenericError(unsigned long, bool)", ASAN),
    ("__asan::__asan_report_load8(__sanitizer::uptr)", ASAN),
]


def aborting(frames: list[tuple[str | None, str]], died: CrashInfo | None = None) -> ProcessState:
    native = [
        NativeFrame(PC, SP, name, module, None, None, None, None, False, "normal")
        for name, module in frames
    ]
    return state(died or crash(6, -6, sender=PID), native=native)


def test_what_a_sanitizer_reported_is_found() -> None:
    finding = one(sanitizer_report(aborting([*RAISED, *ENDS, *REPORT, *OUTER])))
    assert finding.facts == {"sanitizer": "AddressSanitizer", "entry": "__asan_report_load8"}
    inside = [("__ubsan_handle_add_overflow_abort", PROGRAM)]  # linked into the program
    finding = one(sanitizer_report(aborting([*RAISED, *ENDS, *inside, *OUTER])))
    assert finding.facts["sanitizer"] == "UndefinedBehaviorSanitizer"


@pytest.mark.parametrize(
    "frames",
    [
        [*RAISED, *OUTER],
        [*RAISED, ("fail", PROGRAM), *REPORT, *OUTER],
        [*RAISED, *ENDS, *OUTER],
        [*RAISED, *ENDS, ("__asan::ReportOutOfMemory(unsigned long)", ASAN), *OUTER],
    ],
    ids=["own-abort", "called-from-a-report", "no-tool", "limit"],
)
def test_no_report_of_a_sanitizer(frames: list[tuple[str | None, str]]) -> None:
    assert list(sanitizer_report(aborting(frames))) == []


def test_a_fault_that_a_sanitizer_passed_on_is_no_report() -> None:
    frames = [*ENDS, *REPORT, *OUTER]
    assert list(sanitizer_report(aborting(frames, crash(address=8)))) == []
    assert list(sanitizer_report(state(crash(6, -6, sender=PID)))) == []


def test_deliberate_abort_is_absent_without_a_message() -> None:
    made = state(crash(6, -6, sender=PID), symbols={"__abort_msg": HEAP})
    assert list(deliberate_abort(made)) == []
    assert list(deliberate_abort(state(crash(6, -6, sender=PID)))) == []
    stale = state(crash(address=8), symbols={"__abort_msg": HEAP}, words={HEAP: HEAP + 8})
    assert list(deliberate_abort(stale)) == []


def locked(verdict: str, forked: bool) -> ProcessState:
    made = state(crash(6, 0, sender=5))
    fork = ForkEvidence(forked, 1, True, True, False, None, None, ())
    owner = LockOwner(None, None, None, "unknown")
    wait = LockWait(PID, HEAP, "threading.Lock", None, None, owner, verdict, "probable", ("seen",))
    made.locks = LockReport(fork, (wait,), ())
    return made


def test_forked_child_lock() -> None:
    finding = one(forked_child_lock(locked("probable-inherited", True)))
    assert finding.facts["verdict"] == "probable-inherited"
    assert list(forked_child_lock(locked("unknown", True))) == []
    assert list(forked_child_lock(locked("probable-inherited", False))) == []


PREVIOUS = 8


def linked(word: int, second: str = DATASTACK) -> ProcessState:
    inner, outer = HEAP + 0x100, HEAP + 0x80
    frames = tuple(
        PyFrame(at, 1, "f", "f", "f.py", 1, "m", "thread", provenance, False)
        for at, provenance in ((inner, CHAIN), (outer, second))
    )
    thread = ThreadState(1, 0, 1, PID, "t", True, True, True, frames)
    layout = SimpleNamespace(offset=lambda _struct, _field: PREVIOUS)
    interpreter = SimpleNamespace(threads=(thread,))
    python = PythonState("3.13.0", 0, layout, 0, "", False, PID, (interpreter,))  # type: ignore[arg-type]
    return state(crash(address=8), words={inner + PREVIOUS: word}, python=python)


def test_frame_link_disagrees() -> None:
    outer = HEAP + 0x80
    hit = one(frame_link_disagrees(linked(outer ^ (1 << 40))))
    assert (hit.facts["bits"], hit.facts["corrected"]) == ([40], hex_word(outer))
    smashed = one(frame_link_disagrees(linked(0x4141_4141_4141_4141)))
    assert len(smashed.facts["bits"]) > 1
    assert list(frame_link_disagrees(linked(outer))) == []
    assert list(frame_link_disagrees(linked(outer ^ 1, CHAIN))) == []
    assert not isinstance(linked(outer).python, Absent)


# -- the registry ----------------------------------------------------------------------------


def test_all_detectors_are_found_and_document_their_innocent_causes() -> None:
    _, errors = run_detectors(state(crash(address=8)))
    assert errors == []
    assert {"pointer_one_bit_off", "null_dereference", "forked_child_lock"} <= set(DETECTORS)
    for entry in DETECTORS.values():
        text = entry.detect.__doc__ or ""
        assert "nnocent causes" in text, entry.name
        assert "Reference:" in text, entry.name


def test_a_failing_detector_is_a_soft_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_state: ProcessState) -> list[Finding]:
        """Fail."""
        raise RuntimeError("boom")

    entry = registry.Detector("broken", "nothing", broken)
    monkeypatch.setitem(DETECTORS, "broken", entry)
    findings, errors = run_detectors(state(crash(address=8)))
    assert [error.message for error in errors] == ["RuntimeError: boom"]
    assert [finding.detector for finding in findings] == ["null_dereference"]


def test_a_detector_without_documentation_is_refused() -> None:
    with pytest.raises(ValueError, match="innocent"):
        detector("silent")(lambda _state: [])


# -- what the signal and the instruction tell -------------------------------------------------


def at_pc(died: CrashInfo, code: bytes, rip: int = PC) -> ProcessState:
    """Return a state with `code` at PC, behind instructions of one byte (nop)."""
    made = state(died, registers={"rip": rip})
    made.target.write(PC - 64, b"\x90" * 64 + code)
    return made


def test_trap_instruction() -> None:
    finding = one(trap_instruction(at_pc(crash(4, 2, PC), b"\x0f\x0b")))
    assert finding.facts == {"address": hex_word(PC), "instruction": "ud2"}
    behind = at_pc(crash(5, 128, 0), b"\xcc", PC + 1)
    assert one(trap_instruction(behind)).facts["address"] == hex_word(PC)
    assert list(trap_instruction(at_pc(crash(4, 2, PC), LOAD))) == []
    assert list(trap_instruction(at_pc(crash(11, 1, 8), b"\x0f\x0b"))) == []
    assert list(trap_instruction(at_pc(crash(4, -6, sender=PID), b"\x0f\x0b"))) == []


@pytest.mark.parametrize(
    ("code", "registers", "words"),
    [
        ("f7f9", {"rcx": 0xAB << 32}, "divided by zero (the divisor is in rcx)"),  # idiv ecx
        (
            "48f7f9",
            {"rcx": (1 << 64) - 1},
            "division by -1 does not fit: the smallest",
        ),
        ("48f7f1", {"rcx": 3}, "by 3 does not fit (the divisor is in rcx)"),  # div rcx
        (
            "f73f",
            {"rdi": HEAP + 8},
            "by 7 does not fit (the divisor is in memory)",
        ),  # idiv [rdi]
    ],
)
def test_integer_division(code: str, registers: dict[str, int], words: str) -> None:
    made = state(
        crash(8, 1, PC),
        registers=registers,
        code=bytes.fromhex(code),
        words={HEAP + 8: 5 << 32 | 7},
    )
    assert words in one(integer_division(made)).summary


def test_no_integer_division() -> None:
    for code in ("f6f4", "f7d9", "48f7e1"):  # div ah, neg ecx, mul rcx
        assert not list(integer_division(state(crash(8, 1, PC), code=bytes.fromhex(code))))


def test_no_trap_in_the_middle_of_an_instruction() -> None:
    made = state(crash(4, 2, PC))
    # mov $0x90900b0f,%eax over and over: the two bytes are its operand, never its start.
    made.target.write(PC - 5 * 40 - 1, b"\xb8\x0f\x0b\x90\x90" * 60)
    assert made.target.read(PC, 2) == b"\x0f\x0b"
    assert list(trap_instruction(made)) == []


def test_file_ended() -> None:
    region = Region(MMAP + 0x10000, MMAP + 0x12000, "rw-", "/dev/shm/torch_1", 0x3000, 0)
    finding = one(file_ended(state(crash(7, 2, region.start + 8), extra_regions=[region])))
    assert (finding.facts["offset"], finding.facts["shared_memory"]) == (0x3008, True)
    assert "torch_1" not in finding.summary  # records hold no paths of data
    assert list(file_ended(state(crash(7, 2, HEAP + 8)))) == []  # nothing of a file there
    assert list(file_ended(state(crash(7, 4, region.start), extra_regions=[region]))) == []
    assert list(file_ended(state(crash(11, 2, region.start), extra_regions=[region]))) == []
    memory = region._replace(path="/memfd:frames (deleted)")
    finding = one(file_ended(state(crash(7, 2, region.start), extra_regions=[memory])))
    assert "disk" not in finding.summary
    huge = region._replace(path="/anon_hugepage (deleted)", file_offset=0)
    assert list(no_huge_page(state(crash(7, 2, region.start), extra_regions=[region]))) == []
    made = state(crash(7, 2, region.start), extra_regions=[huge])
    assert list(file_ended(made)) == []
    assert "no such page left" in one(no_huge_page(made)).summary


@pytest.mark.parametrize(("written", "id"), [(0, ":one-step"), (PC, "")])
def test_a_stack_that_was_left_in_one_step(written: int, id: str) -> None:
    """Recursion writes down to the end of the stack; one large frame leaves zeros there."""
    died, words = crash(address=STACK - 16), {STACK + 0x80: written}
    made = Context(state(died, registers={"rsp": STACK - 8}, words=words))
    made.findings = tuple(stack_overflow(made.state))
    assert [sign.id for sign in ordinary_causes_of_detectors(made)] == [f"S:stack_overflow{id}"]


@pytest.mark.parametrize(("between", "own"), [("normal", True), ("signal", False)])
def test_a_frame_that_reaches_over_the_guard_is_of_the_thread_s_own_stack(
    between: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lay below was called the alternate stack of a signal handler (98 %)."""
    above = ThreadStack(STACK + 0x20_0000, STACK + 0xA0_0000)
    monkeypatch.setattr(f"{stack_overflow.__module__}.find_thread_stack", lambda *_args: above)
    native = [frame("f"), frame(None, kind=between), frame("g")._replace(sp=above.start + 64)]
    native[0] = native[0]._replace(sp=STACK - 8)
    low = state(crash(address=STACK - 16), registers={"rsp": STACK - 8}, native=native)
    assert one(stack_overflow(low)).facts["own"] is own
    assert ("8192 KiB" in one(stack_overflow(low)).summary) is own


def test_refused_system_call() -> None:
    made = state(crash(31, 1, PC), registers={"orig_rax": 334})
    assert one(refused_system_call(made)).facts == {"number": 334, "doubt": "filter"}
    hostile = state(crash(31, 1, PC), registers={"orig_rax": 1 << 63})
    assert one(refused_system_call(hostile)).facts["number"] is None
    assert list(refused_system_call(state(crash(31, -6, sender=PID)))) == []


def test_a_large_frame_is_an_overflow_and_a_damaged_stack_pointer_is_none() -> None:
    sp = STACK - 0xC0_5000
    large = state(crash(address=sp + 16), registers={"rsp": sp, "rbp": SP})
    assert one(stack_overflow(large)).facts["large"] is True
    assert "less room left than one function needed" in one(stack_overflow(large)).summary
    damaged = SP - 0x40 - (1 << 28)  # its bit 28 set leads 64 bytes below rbp
    assert (damaged | 1 << 28) == SP - 0x40
    bad = state(crash(address=damaged + 16), registers={"rsp": damaged, "rbp": SP})
    assert list(stack_overflow(bad)) == []
    elsewhere = state(crash(address=sp + 16), registers={"rsp": sp, "rbp": HEAP})
    assert list(stack_overflow(elsewhere)) == []


# -- unstarted_handler -----------------------------------------------------------------------


@pytest.mark.parametrize(("before", "code"), [("0f05", "4889c8"), ("90", "0f05")])
def test_a_handler_without_a_stack_ends_a_system_call(before: str, code: str) -> None:
    """In the call or behind it; a CPU makes no fault at either."""
    made = state(crash(code=128, address=0), code=bytes.fromhex(code))
    made.target.write(PC - len(before) // 2, bytes.fromhex(before))
    finding = one(unstarted_handler(made))
    assert "sigaltstack() named for it is probably gone" in finding.summary
    assert finding.facts["stack_has_room"] is True


def test_at_other_instructions_a_handler_without_a_stack_is_not_proven() -> None:
    made = state(crash(code=128, address=0), code=bytes.fromhex("4889c8"))
    made.target.write(PC - 2, b"\x90\x90")
    assert one(unstarted_handler(made)).facts["kind"] == NOTHING_SAID


@pytest.mark.parametrize(("held", "count"), [(0, 0), (0x1000, 1), (SP, 1), (HEAP, 0)])
def test_a_thread_is_ended_for_an_area_of_sequences_that_names_none(
    held: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At HEAP stands a descriptor: its second word is an address of code."""
    made = state(
        crash(code=128, address=0), code=bytes.fromhex("4889c8"), registers={"fs_base": STACK}
    )
    made.target.write(PC - 2, b"\x90\x90")
    made.target.write(HEAP, bytes(8) + PC.to_bytes(8, "little"))
    made.target.write(STACK + 0x28, held.to_bytes(8, "little"))
    made.target.write(STACK + 0x80, (0x20).to_bytes(8, "little"))
    monkeypatch.setattr(type(made.target), "symbol", lambda _self, _name: STACK + 0x80)
    findings = list(foreign_sequence(made))
    assert len(findings) == count
    kinds = [finding.facts["kind"] for finding in unstarted_handler(made)]
    assert kinds == ([] if count else [NOTHING_SAID])


# -- direction_flag, thread_pointer ------------------------------------------------------------

STORE = bytes.fromhex("f3aa")  # rep stos


@pytest.mark.parametrize(
    ("eflags", "code", "own", "count"),
    [(0x400, STORE, False, 1), (0, STORE, False, 0), (0x400, STORE, True, 0)],
)
def test_a_direction_flag_that_code_before_had_left_set(
    eflags: int, code: bytes, own: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdb_epi.detectors.wrong_cpu_state._sets_direction", lambda *_: own)
    registers = {"rdi": MMAP - 1, "rcx": 80, "eflags": 0x202 | eflags}
    made = state(crash(address=MMAP - 1), registers=registers, code=code)
    assert len(list(direction_flag(made))) == count


def test_a_thread_pointer_that_leads_to_no_thread() -> None:
    code = bytes.fromhex("64488b042510000000")  # mov %fs:0x10,%rax
    lost = state(crash(address=0x1010), registers={"fs_base": 0x1000}, code=code)
    assert "is 0x1000, where no thread" in one(thread_pointer(lost)).summary
    good = state(crash(address=STACK - 8), registers={"fs_base": STACK}, code=code)
    good.target.write(STACK, STACK.to_bytes(8, "little"))
    assert list(thread_pointer(good)) == []
