# SPDX-License-Identifier: Apache-2.0
"""Causes of crashes that name themselves: another CPU, exit(), a wrong class, a mark left on."""

from __future__ import annotations

import struct
from array import array
from types import SimpleNamespace
from typing import Any

import pytest
from support.scenes import FS_BASE, HEAP, MMAP, MMAP_SIZE, PC, PID, TEXT, crash, frame, state

from gdb_epi.corruption.evidence import word_evidence
from gdb_epi.corruption.files.elf_images import (
    DT_SYMTAB,
    R_GLOB_DAT,
    R_JUMP_SLOT,
    ElfTables,
    ImageFile,
)
from gdb_epi.corruption.score import Score, compute_score
from gdb_epi.cpython.running.exceptions import NOT_ASKED, ExceptionInfo, RaisedException
from gdb_epi.detectors.died_at_exit import died_at_exit
from gdb_epi.detectors.ended_by_signal import refused_system_call
from gdb_epi.detectors.expired_thread_id import expired_thread_id
from gdb_epi.detectors.jumps_to_wrong_code import call_beyond_methods
from gdb_epi.detectors.missing_instruction_set import missing_instruction_set, parse_cpu_features
from gdb_epi.detectors.registry import Finding
from gdb_epi.detectors.replaced_library import replaced_library
from gdb_epi.detectors.runtimes import unloaded_library
from gdb_epi.detectors.runtimes.aborts import printed_before_abort
from gdb_epi.detectors.runtimes.failed_allocation import failed_allocation
from gdb_epi.detectors.runtimes.uncaught_exception import uncaught_exception
from gdb_epi.detectors.wrong_values import offset_from_data, overwritten
from gdb_epi.detectors.wrong_values.marked_pointer import (
    code_that_changes_word,
    library_that_may_change_word,
    marked_pointer,
)
from gdb_epi.detectors.wrong_values.wrapped_size import wrapped_size
from gdb_epi.fault import variables_holding_address
from gdb_epi.fault.abort_message import FATAL, AbortMessage, classify_glibc_message
from gdb_epi.fault.own_native_code import AT_FAULT
from gdb_epi.judgement.calibration import ANY_RULE, RuleCounts
from gdb_epi.judgement.label_evidence import (
    ELSE_EXPLAINS,
    ONE_BIT_EXPLAINS,
    ONE_WORD_EXPLAINS,
    evidence_for_verdict_labels,
)
from gdb_epi.judgement.verdict import judge_core
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import USER_TOP
from gdb_epi.target import elf
from gdb_epi.target.api import Module, NativeFrame, Region
from gdb_epi.target.function_bounds import Function
from gdb_epi.x86.instruction_sets import instruction_sets
from gdb_epi.x86.word_changing_code import word_changing_constants

HWCAP = 0x178BFBFF  # of an AMD EPYC
AVX_BIT, AVX2_BIT, XOP_BIT = 1 << 28, 1 << 5, 1 << 11
LIBC, PLUGIN = "/usr/lib/libc.so.6", "/srv/app/plugin.so"
VPROTD = bytes.fromhex("8fe878c2c807")  # vprotd $7,%xmm0,%xmm1, AMD's XOP
LOADER = MMAP + 0x10000


# -- code for another processor ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (VPROTD.hex(), "AMD's XOP"),
        ("c5fc58c1", "AVX"),  # vaddps %ymm1,%ymm0,%ymm0
        ("c5fdfec1", "AVX2"),  # vpaddd %ymm1,%ymm0,%ymm0
        ("62f17c4858c1", "AVX-512"),  # vaddps %zmm1,%zmm0,%zmm0
        ("62f27d4850c1", "AVX-512 VNNI"),  # vpdpbusd %zmm1,%zmm0,%zmm0
        ("62f25f485200", "AVX-512 4VNNIW"),  # vp4dpwssd (%rax),%zmm4,%zmm0
        ("62f2fd48b4c1", "AVX-512 IFMA"),  # vpmadd52luq %zmm1,%zmm0,%zmm0
        ("62f27d48cfc1", "GFNI"),  # vgf2p8mulb %zmm1,%zmm0,%zmm0
        ("c4e2f1b8c2", "FMA"),  # vfmadd231pd %xmm2,%xmm1,%xmm0
        ("c4e2fbf6c1", "BMI2"),  # mulx %rcx,%rax,%rax
        ("c4e2f8f3c9", "BMI1"),  # blsr %rcx,%rax
        ("c4e37169c230", "AMD's FMA4"),  # vfmaddpd
        ("f3480fb8c1", "POPCNT"),
        ("f2480f38f1c1", "SSE4.2"),  # crc32
        ("660f3adfc801", "AES"),  # aeskeygenassist
        ("480fc7f0", "RDRAND"),
    ],
)
def test_extensions_are_known_by_their_opcodes(code: str, name: str) -> None:
    assert instruction_sets(bytes.fromhex(code))[0].name == name


@pytest.mark.parametrize("code", ["488b07", "0f0b", "8f00", "0f10c1", "c5", "8fe8", ""])
def test_what_every_cpu_has_and_what_is_cut_off_belong_to_none(code: str) -> None:
    assert instruction_sets(bytes.fromhex(code)) == ()


def rows_of_cpuid(leaf_7: int, active_7: int, *, halves: bool) -> list[int]:
    """Return `cpu_features` as ld.so of glibc 2.33 on, or before it, has them."""
    plain = [[0x100F10, 7, AVX_BIT, HWCAP], [0, leaf_7, 0, 0], [0, 0, 0, 0]]
    active = [[0, 0, AVX_BIT, 0], [0, active_7, 0, 0], [0, 0, 0, 0]]
    words = [2, 0x10, 0x19, 0x11, 1]
    for row, usable in zip(plain, active, strict=True):
        words += [*row, *(usable if halves else ())]
    return [7, 7, 7, *words, *([0] * 24)]


@pytest.mark.parametrize("halves", [True, False])
def test_cpuid_is_found_by_the_word_that_the_kernel_gave_too(halves: bool) -> None:
    features = parse_cpu_features(tuple(rows_of_cpuid(AVX2_BIT, 0, halves=halves)), HWCAP)
    assert features is not None
    assert (features.family, features.model) == (0x19, 0x11)
    assert features.rows["7"][1] == AVX2_BIT
    assert features.active.get("7", (0, 0))[1] == 0
    assert parse_cpu_features(tuple(rows_of_cpuid(0, 0, halves=halves)), HWCAP + 1) is None


def died_of(code: bytes, leaf_7: int = 0):
    """Return a process that an illegal instruction ended, with what its ld.so wrote of the CPU."""
    raw = struct.pack(f"<{len(rows_of_cpuid(0, 0, halves=True))}I",
                      *rows_of_cpuid(leaf_7, leaf_7, halves=True))  # fmt: skip
    region = Region(LOADER, LOADER + 0x1000, "rw-", "/lib/ld-linux-x86-64.so.2", 0, 0x1000)
    made = state(
        crash(4, 2, PC), code=code, extra_regions=[region],
        extra_memory={LOADER: raw + bytes(0x1000 - len(raw))},
    )  # fmt: skip
    made.target.write(PC - 128, b"\x90" * 128)
    made.target._auxv = {7: LOADER, 16: HWCAP}
    made.target._modules += (
        Module("/lib/ld-linux-x86-64.so.2", LOADER, LOADER, LOADER + 0x1000, None, "x"),
    )
    return made


def test_an_instruction_that_the_cpu_lacks() -> None:
    (finding,) = missing_instruction_set(died_of(VPROTD))
    assert finding.facts["instruction_set"] == "AMD's XOP"
    (finding,) = missing_instruction_set(died_of(bytes.fromhex("c5fdfec1")))
    assert finding.facts["instruction_set"] == "AVX2"


def test_one_that_it_has_is_no_explanation() -> None:
    assert not list(missing_instruction_set(died_of(bytes.fromhex("c5fdfec1"), AVX2_BIT)))
    assert not list(missing_instruction_set(died_of(b"\x0f\x0b")))
    without = died_of(VPROTD)
    without.target._auxv = {}
    assert not list(missing_instruction_set(without))


# -- exit() -------------------------------------------------------------------------------------


def of(function: str | None, module: str) -> NativeFrame:
    return frame(function)._replace(module=module)


EXIT = [of("__run_exit_handlers", LIBC), of("exit", LIBC)]


def test_a_destructor_below_exit() -> None:
    native = [of("memcpy", LIBC), of("_ZN7JournalD1Ev", PLUGIN), *EXIT]
    (finding,) = died_at_exit(state(crash(address=MMAP - 0x5000), native=native))
    assert finding.facts["kind"] == "inside"
    assert finding.facts["function"] == "Journal::~Journal in plugin.so"


def test_a_thread_that_runs_on_while_another_exits() -> None:
    made = state(crash(address=MMAP - 0x5000), native=[of("poll_sensors", PLUGIN)])
    thread = made.target._threads[0]
    made.target._threads = (thread, thread._replace(tid=PID + 1))
    made.target._native[PID + 1] = (of("write", LIBC), *EXIT)
    (finding,) = died_at_exit(made)
    assert finding.facts["kind"] == "beside"
    assert finding.facts["modules"] == ["plugin.so"]


PYTHON = "/usr/lib/libpython3.12.so.1.0"
ENDING = [of("dict_dealloc", PYTHON), of("finalize_modules", PYTHON), of("Py_FinalizeEx", PYTHON)]


def test_the_end_of_an_object_below_the_end_of_python() -> None:
    native = [of("memcpy", LIBC), of("store_close", PLUGIN), of("capsule_dealloc", PYTHON), *ENDING]
    (finding,) = died_at_exit(state(crash(address=MMAP - 0x5000), native=native))
    assert (finding.facts["kind"], finding.facts["function"]) == (
        "finalizing",
        "store_close in plugin.so",
    )
    assert AT_FAULT in finding.facts
    # Its data had been given back by munmap(): it was "in _multiarray_umath.so".
    array = of("array_dealloc", "/py/lib/python3.12/site-packages/numpy/_umath.so")
    native = [of("free", LIBC), array, *ENDING]
    (finding,) = died_at_exit(state(crash(address=MMAP - 0x5000), native=native))
    assert AT_FAULT not in finding.facts


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param([of("dict_dealloc", PYTHON)], id="the interpreter itself"),
        pytest.param(
            [of("store_close", PLUGIN), of("_PyEval_EvalFrameDefault", PYTHON)], id="a call"
        ),
    ],
)
def test_what_python_ran_while_it_ended_is_no_end_of_an_object(inner: list[NativeFrame]) -> None:
    assert not list(died_at_exit(state(crash(address=MMAP - 0x5000), native=[*inner, *ENDING])))


def test_a_crash_elsewhere_and_an_abort_are_no_exit() -> None:
    native = [of("poll_sensors", PLUGIN), of("main", "/usr/bin/prog")]
    assert not list(died_at_exit(state(crash(address=8), native=native)))
    aborted = state(crash(6, -6, sender=PID), native=[of("abort", LIBC), *EXIT])
    assert not list(died_at_exit(aborted))


# -- an object of another class -------------------------------------------------------------------

TABLE = MMAP + 0x10000  # of a library's constants
INFO, OWN_INFO, NAME = TABLE + 0x100, TABLE + 0x200, TABLE + 0x300


def called_on_square(*, methods: int = 3):
    """Return a process that jumped to Square's type information, behind its table of methods."""
    words = {TABLE: 0, TABLE + 8: INFO, INFO: OWN_INFO, INFO + 8: NAME, HEAP + 0x40: TABLE + 16}
    words |= {TABLE + 16 + 8 * n: TEXT + 0x40 * n for n in range(methods)}
    words[TABLE + 16 + 8 * 5] = INFO
    region = Region(TABLE, TABLE + 0x1000, "r--", PLUGIN, 0, 0x1000)
    made = state(
        crash(11, 2, address=INFO), registers={"rip": INFO, "rdi": HEAP + 0x40},
        words=words, extra_regions=[region], extra_memory={TABLE: bytes(0x1000)},
    )  # fmt: skip
    made.target.write(NAME, b"6Square\0")
    return made


def test_a_call_behind_the_last_virtual_function() -> None:
    (finding,) = call_beyond_methods(called_on_square())
    assert (finding.facts["class"], finding.facts["methods"], finding.facts["called"]) == (
        "Square",
        3,
        6,
    )


def test_a_class_without_functions_and_an_object_of_none_say_nothing() -> None:
    assert not list(call_beyond_methods(called_on_square(methods=0)))
    made = called_on_square()
    made.target.write(HEAP + 0x40, struct.pack("<Q", TABLE + 24))  # not where a table begins
    assert not list(call_beyond_methods(made))


# -- a mark in the top bits of a pointer --------------------------------------------------------

MARK = 1 << 62
LOAD = bytes.fromhex("488b07")  # mov (%rdi),%rax


def table_of(*words: int):
    held = {HEAP + 0x100 + 8 * number: word for number, word in enumerate(words)}
    return state(crash(11, 128, 0), registers={"rdi": words[0]}, code=LOAD, words=held)


def test_a_mark_that_others_have_too() -> None:
    marked = [MARK | HEAP + 0x200 * n for n in range(1, 4)]
    (finding,) = marked_pointer(table_of(*marked))
    assert (finding.facts["kind"], finding.facts["others"]) == ("neighbours", 2)


def test_one_word_alone_may_be_a_flipped_bit() -> None:
    assert not list(marked_pointer(table_of(MARK | HEAP + 0x200, HEAP + 0x400, HEAP + 0x600)))
    # A stuck bit of one lane: words 64 bytes apart.
    lane = [MARK | HEAP + 0x200 * n if n % 8 == 1 else 0 for n in range(1, 26)]
    assert not list(marked_pointer(table_of(*lane)))


def test_a_negative_distance_is_no_mark() -> None:
    """An array on a stack that was too small: -26460 was called a pointer with a mark."""
    words = {HEAP + 0x100 + 8 * number: -8 * (number + 3) & (1 << 64) - 1 for number in range(4)}
    registers = {"rcx": HEAP + (1 << 20), "rdx": words[HEAP + 0x100]}
    made = state(
        crash(11, 1, registers["rcx"] - 8 * 24),
        registers=registers,
        code=bytes.fromhex("f20f1104d1"),  # movsd %xmm0,(%rcx,%rdx,8)
        words=words,
        extra_regions=[Region(USER_TOP - 0x1000, USER_TOP, "rw-", None, 0, 0)],
    )
    assert not list(marked_pointer(made))


def test_different_bits_in_one_field_are_no_marks() -> None:
    """A stray |= into many objects."""
    marked = [1 << bit | HEAP + 0x200 * n for n, bit in enumerate((62, 62, 62, 61), 1)]
    (finding,) = marked_pointer(table_of(*marked))
    assert finding.facts["others"] == 2
    assert not list(marked_pointer(table_of(*marked, 1 << 60 | HEAP)))


RIGHT = 0x55F8_0995_CE60


@pytest.mark.parametrize(
    ("code", "change", "made"),
    [
        ("48b80000000000000040", MARK, True),  # movabs $1 << 62,%rax
        ("49bdffffffffffffffbf", MARK, True),  # movabs $~(1 << 62),%r13
        ("480fbae83e", MARK, True),  # bts $62,%rax
        ("480fbae83d", MARK, False),
        ("0fbae81e", MARK, False),  # of 32 bits
        ("00000000000000004000", MARK, False),  # data, or no load of it
        ("48b8ffffffffff3f0000", 1 << 46, True),  # movabs $0x3fffffffffff,%rax: a mask too narrow
        ("48b8ffffffffff7f0000", 1 << 46, False),  # a mask that leaves the bit
        ("48c1e01248c1e812", 1 << 46, True),  # shl $18,%rax; shr $18,%rax
        ("480fbaf02c", 1 << 44, True),  # btr $44,%rax
        ("48b80000000000080000", 1 << 43, True),  # movabs $1 << 43,%rax: a key, an offset
        ("4881c000000040", 1 << 30, True),  # add $0x40000000,%rax
        ("2500000080", 1 << 34, False),  # and $0x80000000,%eax: in any code
        ("48c1e020", 1 << 33, False),  # shl $32,%rax: in any code
        ("48c1e030", 1 << 49, True),  # shl $48,%rax: a counter above an address
        ("be2d000000480fabf0", 1 << 45, True),  # mov $45,%esi; bts %rsi,%rax
        ("be2c000000480fabf0", 1 << 45, False),
        ("804f0520", 1 << 45, True),  # orb $0x20,5(%rdi)
    ],
)
def test_code_that_makes_the_change(code: str, change: int, made: bool) -> None:
    changes = word_changing_constants(b"\x90" * 8 + bytes.fromhex(code) + b"\x90" * 8)
    assert (
        changes.explains(RIGHT ^ change, RIGHT) or changes.explains(RIGHT, RIGHT ^ change)
    ) is made


def test_of_a_large_library_only_code_on_the_way_makes_the_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A flag elsewhere in _regex.so explained a flipped bit of its pattern (77 % software)."""
    code = bytearray(b"\x90" * 0x8000)
    code[0x10:0x15] = b"\xe8" + (0x200 - 0x15).to_bytes(4, "little")  # call
    code[0x200:0x20A] = bytes.fromhex("48b80000000000080000")  # movabs $1 << 43,%rax
    code[0x4000:0x400A] = bytes.fromhex("48b80000000000040000")  # movabs $1 << 42,%rax
    home = "gdb_epi.detectors.wrong_values.marked_pointer"
    functions = [Function(PC, PC + 0x100), Function(PC + 0x200, PC + 0x240)]
    bounds = SimpleNamespace(
        function_at=lambda pc: next((f for f in functions if f.start <= pc < f.end), None)
    )
    monkeypatch.setattr(f"{home}.FunctionBounds", lambda _target: bounds)
    monkeypatch.setattr(f"{home}.read_up_to", lambda _t, at, size: bytes(code[at - PC :][:size]))
    library = Region(PC, PC + len(code), "r-xp", SRV, 0, len(code))
    target: Any = SimpleNamespace(regions=lambda: [library])
    state: Any = SimpleNamespace(
        target=target, fault=SimpleNamespace(tid=1, architecture=None), python=None
    )
    target.native_frames = lambda _tid: [NativeFrame(PC + 0x20, 0, "use", SRV)]
    monkeypatch.setattr(f"{home}.find_word", lambda *_, **__: SimpleNamespace(addresses=()))
    monkeypatch.setattr(f"{home}.try_read", lambda _t, at, size: bytes(code[at - PC :][:size]))
    monkeypatch.setattr(f"{home}.shared_cache", lambda _target: None)
    for bit, on_the_way in ((43, True), (42, False)):
        wrong = RIGHT ^ 1 << bit
        assert (code_that_changes_word(state, wrong, RIGHT) is not None) is on_the_way
        assert library_that_may_change_word(state, wrong, RIGHT) == SRV.rpartition("/")[2]
    assert library_that_may_change_word(state, RIGHT ^ 1 << 41, RIGHT) is None


# -- no memory ----------------------------------------------------------------------------------


ERRNO = "gdb_epi.fault.out_of_memory.errno_of"
SRV = "/srv/index.so"


@pytest.mark.parametrize(
    ("called", "kinds"), [(["fopen64", "malloc"], ["gave-up"]), (["msync", "puts"], []), ([], [])]
)
def test_enomem_counts_where_code_on_the_way_asked_for_memory(
    called: list[str], kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """errno of a probe by msync(), or of long ago, was "no more memory" (79 %)."""
    monkeypatch.setattr(ERRNO, lambda _target, _fault: 12)
    asked = "gdb_epi.fault.out_of_memory.imported_calls_before"
    monkeypatch.setattr(asked, lambda _target, _pc: called)
    native = [of("abort", LIBC), of("load_part", SRV)._replace(pc=PC)]
    findings = failed_allocation(state(crash(6, -6, sender=PID), native=native))
    assert [finding.facts["kind"] for finding in findings] == kinds


@pytest.mark.parametrize(
    ("signo", "code", "errno", "kinds"),
    [
        pytest.param(5, -6, 12, ["gave-up"], id="raise(SIGTRAP), as GLib does"),
        pytest.param(6, -6, 12, ["gave-up"], id="abort()"),
        pytest.param(6, -6, 2, [], id="another failure before"),
        pytest.param(11, 1, 12, [], id="a fault far from NULL"),
    ],
)
def test_a_process_that_gives_up_when_it_gets_no_memory(
    signo: int, code: int, errno: int, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ERRNO, lambda _target, _fault: errno)
    sender = PID if code == -6 else None
    died = crash(signo, code, None if sender else HEAP - 8, sender=sender)
    findings = list(failed_allocation(state(died, registers={"rdi": HEAP - 8}, code=LOAD)))
    assert [finding.facts["kind"] for finding in findings] == kinds
    score = Score("none", 0.0, -3.0, "unknown", {}, (), (), None)
    counted = {ANY_RULE: RuleCounts(99, 0, "", 0.93)}
    stated = [x.most for x in evidence_for_verdict_labels("unknown", findings, score, counted)]
    assert stated == [ELSE_EXPLAINS] * len(kinds), "errno may be old: it was 91 %"


def test_a_failed_allocation_is_not_why_malloc_found_its_data_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Code that cleans up after the MemoryError freed a pointer that it had never set."""
    made = state(crash(6, -6, sender=PID))
    message = AbortMessage("malloc", "double-free", "", "free(): double free detected in tcache 2")
    made.__dict__["fault_account"] = made.fault_account._replace(message=message)
    home = "gdb_epi.detectors.runtimes.failed_allocation"
    error = RaisedException("in flight", (ExceptionInfo(HEAP, "MemoryError", NOT_ASKED),))
    monkeypatch.setattr(f"{home}.memory_error_of_thread", lambda *_: error)
    monkeypatch.setattr(f"{home}.impossible_request", lambda _state: iter(()))
    assert [finding.facts["kind"] for finding in failed_allocation(made)] == ["info"]
    monkeypatch.setattr(f"{home}.memory_error_of_thread", lambda *_: None)
    monkeypatch.setattr(ERRNO, lambda *_: 12)
    assert not list(failed_allocation(made))


@pytest.mark.parametrize(("errno", "kind"), [(12, "info"), (0, "check")])
def test_a_text_that_says_of_no_memory_is_no_failed_check(
    errno: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it and failed_allocation spoke for different causes of one death."""
    home = "gdb_epi.detectors.runtimes.aborts"
    monkeypatch.setattr(ERRNO, lambda _target, _fault: errno)
    monkeypatch.setattr(
        f"{home}._abort_text_and_caller", lambda *_: ("index: out of memory", "load_part")
    )
    native = [of("raise", LIBC), of("abort", LIBC), of("load_part", "/srv/index.so")]
    (finding,) = printed_before_abort(state(crash(6, -6, sender=PID), native=native))
    assert finding.facts["kind"] == kind
    assert finding.summary == "load_part gave up with the text: index: out of memory"


# -- what gives up says why ---------------------------------------------------------------------


def terminated(*inner: NativeFrame):
    native = [
        of("raise", LIBC),
        of("abort", LIBC),
        of("_ZSt9terminatev", "/usr/lib/libstdc++.so.6"),
    ]
    return state(crash(6, -6, sender=PID), native=[*native, *inner])


def test_a_thread_that_nobody_joined() -> None:
    (finding,) = uncaught_exception(
        terminated(of("_ZNSt6threadD2Ev", PLUGIN), of("_ZN6WorkerD2Ev", PLUGIN))
    )
    assert "std::thread was destroyed" in finding.summary
    assert "Worker::~Worker in plugin.so" in finding.summary
    assert finding.facts["kind"] == "terminate"


def test_a_function_that_no_exception_may_leave() -> None:
    """The exception was on its way: "no exception is on the stack"."""
    (finding,) = uncaught_exception(terminated(of("_ZN6Walker5visitEv", PLUGIN)))
    assert finding.summary.startswith("Walker::visit in plugin.so called std::terminate(): ")
    (finding,) = uncaught_exception(terminated(of(None, "/usr/lib/libstdc++.so.6")))
    assert finding.summary.endswith("no exception is on the stack")


def test_a_template_of_the_library_threw_for_code_of_the_program() -> None:
    (finding,) = uncaught_exception(
        terminated(
            of("__cxa_throw", "/usr/lib/libstdc++.so.6"),
            of("_ZSt4stoiv", PLUGIN),
            of("_Z5parsePKc", PLUGIN),
        )
    )
    assert finding.summary.endswith("; std::stoi threw it, for parse in plugin.so")


def test_a_function_of_the_library_threw_for_code_of_the_program() -> None:
    libstdcxx = "/usr/lib/libstdc++.so.6"
    (finding,) = uncaught_exception(
        terminated(
            of("__cxa_throw", libstdcxx),
            of("_ZSt20__throw_system_errori", libstdcxx),
            of("_ZNSt6thread4joinEv", libstdcxx),
            of("_ZN6Logger4stopEv", PLUGIN),
        )
    )
    assert finding.summary.endswith(
        "; std::thread::join, called by Logger::stop in plugin.so, threw it"
    )


def test_a_size_that_no_process_can_have_is_no_lack_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = "gdb_epi.detectors.runtimes.uncaught_exception"
    monkeypatch.setattr(f"{home}.exception_type", lambda *_: "std::bad_alloc")
    died = terminated(of("__cxa_throw", "/usr/lib/libstdc++.so.6"), of("_Z4loadv", PLUGIN))
    for size, kind in ((USER_TOP - 1, "info"), (USER_TOP, "absurd-size"), (None, "info")):
        monkeypatch.setattr(f"{home}.size_asked_of_operator_new", lambda *_, size=size: size)
        (finding,) = uncaught_exception(died)
        assert finding.facts["kind"] == kind
        verdict = judge_core("abort-terminate:std::bad_alloc", [finding], compute_score([]))
        assert verdict.label == ("software" if kind == "absurd-size" else "out-of-memory")


def test_a_virtual_function_that_has_no_code() -> None:
    (finding,) = uncaught_exception(
        terminated(
            of("__cxa_pure_virtual", "/usr/lib/libstdc++.so.6"), of("_ZN4Base3logEv", PLUGIN)
        )
    )
    assert finding.summary.startswith(
        "Base::log in plugin.so called a virtual function that has no"
    )


def test_constant_messages_of_the_c_library_alone_are_told() -> None:
    message = classify_glibc_message("FATAL: exception not rethrown\n")
    assert (message.kind, message.text) == ("other", "FATAL: exception not rethrown")
    assert message.text in FATAL
    assert classify_glibc_message("FATAL: the password is 1234").text == ""


@pytest.mark.parametrize(("found", "label"), [(True, "damaged-memory"), (False, "software")])
def test_what_glibc_found_is_no_cause_beside_a_damaged_word(found: bool, label: str) -> None:
    summary = 'the C library said "Fatal error: glibc detected an invalid stdio handle"'
    finding = Finding("c_library_gave_up", "thread 1", {"of_state": True}, summary)
    damage = [word_evidence("R29", 0x1000, 2, 0, "a FILE names no table")] if found else []
    verdict = judge_core("abort-other", [finding], compute_score(damage))
    assert verdict.label == label
    assert (summary in verdict.reasons) is not found
    assert found or verdict.confidence <= ONE_WORD_EXPLAINS


@pytest.mark.parametrize("text", ["*** buffer overflow detected ***", "*** %n in writable segment"])
def test_a_call_that_the_c_library_refused_is_no_overrun(text: str) -> None:
    overrun = "overflow" in text
    facts = {"kind": "fortify", "class": text.strip("* "), "text": text, "overrun": overrun}
    verdict = judge_core(
        "abort-fortify", [Finding("deliberate_abort", "thread 1", facts, text)], compute_score([])
    )
    likeliest = max(verdict.cause, key=lambda cause: cause.probability).hypothesis
    assert likeliest == ("out-of-bounds" if overrun else "failed-check")


def test_a_misaligned_access_alone_is_no_sure_bug() -> None:
    """A return that a flipped bit led elsewhere in a function leaves its stack misaligned."""
    verdict = judge_core("segv-misaligned", [], compute_score([]))
    assert (verdict.label, verdict.confidence) == ("software", ONE_BIT_EXPLAINS)


def test_a_refused_call_has_its_name() -> None:
    made = state(crash(31, 1), registers={"orig_rax": 41})
    (finding,) = refused_system_call(made)
    assert finding.summary.endswith("refused system call 41, socket")


def test_a_finding_says_what_the_category_only_knows() -> None:
    summary = "CPython gave up in PyList_New: the function must be called with the GIL held"
    finding = Finding("python_fatal_error", "thread 1", {"kind": "without-gil"}, summary)
    verdict = judge_core("abort-py-fatal", [finding], compute_score([]))
    assert verdict.reasons[0] == summary


# -- words that ld.so wrote ----------------------------------------------------------------------


def test_a_word_of_the_table_of_symbols_is_as_ld_so_left_it() -> None:
    """_PyRuntime's own address in libpython's .got was suspected, one bit from another object's."""
    tables = ElfTables.__new__(ElfTables)
    symbol = struct.pack("<IBBHQQ", 1, 0x11, 0, 5, 0x54E540, 8)
    foreign = struct.pack("<IBBHQQ", 1, 0x11, 0, 0, 0, 0)  # st_shndx 0: defined elsewhere
    tables.data = bytes(24) + symbol + foreign
    tables.file_offset = lambda address, size=8: address
    rows = {0x400: (R_GLOB_DAT, 1), 0x408: (R_JUMP_SLOT, 1), 0x410: (R_GLOB_DAT, 2)}
    rela = array("Q")
    for place, (kind, number) in rows.items():
        rela.extend([place, number << 32 | kind, 0])
    tables.__dict__.update(_rela_table=rela, dynamic_section={DT_SYMTAB: 0}, kept={}, fixed=False,
                           _relr_addresses=[],
                           _others={place: number for number, place in enumerate(rows)},
                           _relative_relocations=(array("Q"), array("Q")))  # fmt: skip
    image = ImageFile.__new__(ImageFile)
    image.tables, image.base = tables, MMAP
    assert image.is_as_ld_so_left_it(MMAP + 0x400, MMAP + 0x54E540)
    assert image.is_as_ld_so_left_it(MMAP + 0x408, MMAP + 0x54E540)
    assert not image.is_as_ld_so_left_it(MMAP + 0x400, MMAP + 0x54E140)
    assert not image.is_as_ld_so_left_it(MMAP + 0x410, MMAP)


# -- what was written over objects, and offsets of data -------------------------------------------

WRONG_TYPE = 0x7D55_5560_0000  # no memory is there


@pytest.fixture(name="python")
def any_python(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    for module in (overwritten, offset_from_data):
        monkeypatch.setattr(module, "PythonState", SimpleNamespace)
    return SimpleNamespace(layout=None)


def objects_with(
    type_pointer: int,
    count: int,
    python: SimpleNamespace,
    references: int = 1,
    file: str = "/usr/bin/python3",
):
    words = {HEAP + 0x60 * n: references for n in range(1, count + 1)}
    words |= {HEAP + 0x60 * n + 8: type_pointer for n in range(1, count + 1)}
    made = state(
        crash(address=type_pointer), registers={"rdi": type_pointer}, code=LOAD, words=words,
        python=python,
    )  # fmt: skip
    made.target._modules = tuple(m._replace(path=file) for m in made.target._modules)
    return made


def test_the_same_wrong_type_in_several_objects(python) -> None:
    (finding,) = overwritten.repeated_wrong_word(objects_with(WRONG_TYPE, 3, python))
    assert finding.facts["objects"] == 3
    assert "3 objects, 96 bytes apart, have" in finding.summary
    of_library = objects_with(WRONG_TYPE, 3, python, file="/opt/x/ext.so")
    assert not list(overwritten.repeated_wrong_word(of_library)), "it follows no types of objects"


def test_one_damaged_type_and_copies_of_it_are_not_several(python) -> None:
    assert not list(overwritten.repeated_wrong_word(objects_with(WRONG_TYPE, 2, python)))
    assert not list(overwritten.repeated_wrong_word(objects_with((1 << 64) - 1, 9, python)))
    assert not list(overwritten.repeated_wrong_word(objects_with(3 << 32 | 8, 9, python)))
    copies = objects_with(WRONG_TYPE, 5, python, references=0)  # no count stands before them
    assert not list(overwritten.repeated_wrong_word(copies))


def test_text_of_two_bytes_a_letter(python) -> None:
    text = "s, 0 is the sum".encode("utf-16-le")
    words = struct.unpack("<3Q", text[:24])
    made = state(
        crash(11, 128, 0), registers={"rdi": words[0]}, code=LOAD, python=python,
        words={HEAP + 0x100 + 8 * n: word for n, word in enumerate(words)},
    )  # fmt: skip
    (finding,) = overwritten.wide_text(made)
    assert "s, 0" not in finding.summary  # data of the program
    made.target.write(HEAP + 0x108, struct.pack("<Q", HEAP))
    assert not list(overwritten.wide_text(made))


INDEXED = bytes.fromhex("0fb70407")  # movzwl (%rdi,%rax,1),%eax


@pytest.mark.parametrize(
    ("offset", "told"),
    [
        (0x5F37_59DF_2B7E_1516, True),
        (0x1_0000_0010, False),  # one bit from 16, which lies inside
        (0x8000, False),  # small numbers stand everywhere
    ],
)
def test_an_offset_that_stands_in_the_data(offset, told, python, monkeypatch) -> None:
    held = offset_from_data.BytesContents(HEAP + 0x200, 316)
    monkeypatch.setattr(
        offset_from_data,
        "_bytes_object_with_contents",
        lambda *given: held if given[2] == held.start else None,
    )
    reached = HEAP + 0x200 + offset
    died = crash(11, 128, 0) if reached >> 47 else crash(address=reached)
    made = state(
        died, registers={"rdi": HEAP + 0x200, "rax": offset}, code=INDEXED, python=python,
        words={HEAP + 0x208: offset},
    )  # fmt: skip
    findings = list(offset_from_data.offset_from_data(made))
    assert [finding.facts["at"] for finding in findings] == ([8] if told else [])


# -- a library that is gone ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("/srv/app/plugin.so", True),
        ("./libengine.so", False),  # loaded: a link to libengine.so.2
        (None, False),  # CDLL(None)
    ],
)
def test_a_function_of_a_closed_library(name, told, monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(address=HEAP)
    values = SimpleNamespace(attribute=lambda *_: HEAP + 64, text=lambda _: name)
    monkeypatch.setattr(unloaded_library, "PythonState", SimpleNamespace)
    monkeypatch.setattr(unloaded_library, "PlainValues", lambda *_: values)
    monkeypatch.setattr(
        unloaded_library,
        "shared_instances",
        lambda *_: SimpleNamespace(instances_of=lambda _: [library]),
    )
    gone = MMAP - 0x5000
    made = state(crash(address=gone), registers={"rip": gone}, python=SimpleNamespace())
    made.target._modules += (
        Module("/srv/app/libengine.so.2", LOADER, LOADER, LOADER + 0x1000, None, "x"),
    )
    findings = list(unloaded_library.unloaded_library(made))
    assert [finding.facts["library"] for finding in findings] == (["plugin.so"] if told else [])


def test_an_instruction_that_failed_itself_has_no_bad_address(monkeypatch) -> None:
    made = state(crash(4, 2, PC), code=b"\x0f\x0b")
    monkeypatch.setattr(variables_holding_address, "variables_holding", lambda *_: ["function"])
    assert made.variables_holding_bad_address == ()
    assert state(crash(address=MMAP - 0x5000), code=LOAD).variables_holding_bad_address == [
        "function"
    ]


# -- ids of threads that have ended ---------------------------------------------------------------

LOAD_TID = bytes.fromhex("8b87d0020000")  # mov 0x2d0(%rdi),%eax
ENDED = MMAP - 0x10000 + 0x6C0


def asked(
    id: int, function: str = "__pthread_getcpuclockid", module: str = LIBC, own: int = FS_BASE
) -> ProcessState:
    return state(
        crash(address=id + 0x2D0), code=LOAD_TID, registers={"rdi": id, "fs_base": own},
        native=[of(function, module), of("time_pthread_getcpuclockid", PYTHON)],
    )  # fmt: skip


def test_the_id_of_a_thread_that_has_ended() -> None:
    (finding,) = expired_thread_id(asked(ENDED))
    assert finding.facts["function"] == "pthread_getcpuclockid"
    assert finding.facts["at_fault"] == "line"


@pytest.mark.parametrize(
    "made",
    [
        asked(ENDED + 8),  # no descriptor begins there
        asked(MMAP + 0x40),  # memory is there
        asked(FS_BASE ^ 1 << 40),  # a bit away from the thread that lives
        asked(ENDED, "pthread_mutex_lock"),
        asked(ENDED, module=PLUGIN),
        asked(1_234_560),  # the kernel's number of a thread
        asked(ENDED, own=0),  # a core without the ids of the living
        state(
            crash(address=ENDED), code=b"\x89\x06", registers={"rsi": ENDED},  # mov %eax,(%rsi)
            native=[of("pthread_getschedparam", LIBC), of("call", PLUGIN)],
        ),
    ],
)  # fmt: skip
def test_other_failures_are_no_ended_thread(made: ProcessState) -> None:
    assert not list(expired_thread_id(made))


@pytest.mark.parametrize(("within", "number"), [(0x6C0, 1), (0x740, 0)])
def test_the_id_of_an_ended_thread_lies_in_its_page_where_those_of_others_do(
    within: int, number: int
) -> None:
    made = asked(ENDED)
    target: Any = made.target
    other = {"fs_base": MMAP + 0x2000 + within, "rsp": MMAP + 0x1000, "rip": PC}
    target._threads += (target._threads[0]._replace(tid=PID + 1, registers=other),)
    assert len(list(expired_thread_id(made))) == number


# -- files that were written anew -----------------------------------------------------------------


def of_another_header(dumped: int) -> ProcessState:
    header = elf.EHDR.pack(
        b"\x7fELF\x02\x01\x01",
        3,
        62,
        1,
        0,
        elf.EHDR.size,
        0,
        0,
        elf.EHDR.size,
        elf.PHDR.size,
        2,
        0,
        0,
        0,
    )
    header += elf.PHDR.pack(elf.PT_LOAD, 5, 0, 0, 0, 0x1000, 0x1000, 0x1000)
    header += elf.PHDR.pack(elf.PT_DYNAMIC, 6, 0xE00, 0xE00, 0, 0x100, 0x100, 8)
    made = state(crash(address=8), extra_memory={TEXT: header + bytes(0x1000 - len(header))})
    target: Any = made.target
    regions = (r._replace(dumped=dumped * (r.start == TEXT) or r.dumped) for r in target.regions())
    target.set_regions(list(regions))
    return made


def test_a_library_whose_header_is_of_another_file() -> None:
    """The linker's list names a dynamic section, the header in memory another one."""
    made = of_another_header(dumped=0x1000)
    for loaded_by, findings in ((TEXT + 0xE00, 0), (TEXT + 0xC40, 1), (TEXT + 0xC00, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "gdb_epi.detectors.replaced_library.read_link_map",
                lambda _, at=loaded_by: iter([(TEXT, "prog", at)]),
            )
            assert len(list(replaced_library(made))) == findings


def test_a_header_that_is_not_in_the_core_tells_nothing_of_the_process() -> None:
    """It is read from the file as it is now, which may have been replaced after the crash."""
    made = of_another_header(dumped=0)
    with pytest.MonkeyPatch.context() as patch:
        place = iter([(TEXT, "prog", TEXT + 0xC40)])
        patch.setattr("gdb_epi.detectors.replaced_library.read_link_map", lambda _: place)
        assert not list(replaced_library(made))


# -- sizes that wrapped around --------------------------------------------------------------------

WRAPPED = 3, 357915286  # times 4 they are 16,136 more than 4 GiB


@pytest.mark.parametrize(
    ("numbers", "chunk", "distance", "said"),
    [
        (WRAPPED, MMAP_SIZE, 1 << 31, True),
        (WRAPPED, MMAP_SIZE - 0x1000, 1 << 31, False),  # the block is of another size
        (WRAPPED, MMAP_SIZE, 5 << 30, False),  # more than was wanted
        (WRAPPED, MMAP_SIZE, 64, False),  # inside of the block
        ((64, 0x3F | 1 << 24), MMAP_SIZE, 1 << 31, False),  # one flipped bit of a number
        ((64 | 1 << 26, 0), MMAP_SIZE, 1 << 31, False),  # of the side of a square
        (((1 << 32) - 1, (1 << 32) - 0x3F00), MMAP_SIZE, 1 << 31, False),  # -1 and -16128
    ],
)
def test_a_size_that_wrapped(
    numbers: tuple[int, int], chunk: int, distance: int, said: bool
) -> None:
    """A struct in the heap holds two numbers and the start of a block that malloc had mapped."""
    block, struct_at = MMAP + 16, HEAP + 0x40
    words = {
        block - 8: chunk | 2,
        struct_at: numbers[0] | numbers[1] << 32,
        struct_at + 8: block,
    }
    at = block + distance
    made = state(
        crash(address=at),
        code=b"\x48\x89\x08",
        registers={"rax": at, "rdi": struct_at},
        words=words,
    )
    assert bool(list(wrapped_size(made))) is said


@pytest.mark.parametrize(
    ("before", "size", "said"),
    [
        (1 << 30, 5 << 30, True),
        (1 << 12, 5 << 30, False),
        (3 << 30, 5 << 30, False),
        (1 << 30, 1 << 30, False),
    ],
)
def test_an_offset_that_wrapped(before: int, size: int, said: bool) -> None:
    """It was said to be memory that had been freed, or the end of some."""
    start = MMAP - (16 << 30)
    big = Region(start, start + size, "rw-p", None, 0, 0)
    at = start - before
    made = state(
        crash(address=at), code=b"\x48\x89\x08", registers={"rax": at}, extra_regions=[big]
    )
    assert bool(list(wrapped_size(made))) is said
