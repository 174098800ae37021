# SPDX-License-Identifier: Apache-2.0
"""Whose code a software bug is in: who failed by himself, and who only met what others had done."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.scenes import HEAP, HEAP_SIZE, PC, SP, crash, state

from gdb_epi.detectors.registry import Finding
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    CALL,
    INTERPRETER,
    LIBRARY,
    LINE,
    NOT_KNOWN,
    PROGRAM,
    VICTIM,
    package_of,
)
from gdb_epi.judgement.code_at_fault import CodeAtFault, find_code_at_fault
from gdb_epi.judgement.verdict import DamagedWord, Verdict, VerdictCause
from gdb_epi.target.api import Module, NativeFrame

LIBC, CXX = "/lib/libc.so.6", "/lib/libstdc++.so.6"
FFI, CTYPES = "/lib/libffi.so.8", "/py/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so"
PYTHON, JSON = "/py/lib/libpython3.11.so.1.0", "/py/lib-dynload/_json.cpython-311.so"
SYSTEM = "/usr/lib/x86_64-linux-gnu/libxml2.so.2"
OWN, NUMPY = "/srv/app/watch.so", "/py/lib/python3.11/site-packages/numpy/core/_umath.so"


def code_at_fault(
    stack: Sequence[str],
    cause: str = "null-pointer",
    *,
    loaded: Sequence[str] = (),
    label: str = "software",
    findings: Sequence[Finding] = (),
    damaged: bool = False,
) -> CodeAtFault | None:
    frames = [NativeFrame(PC, SP, "f", path, kind="signal" if not path else "normal")
              for path in stack]  # fmt: skip
    made = state(crash(address=0), native=frames)
    paths = dict.fromkeys((*filter(None, stack), *loaded))
    made.target._modules = [Module(path, PC, PC, PC + 1, None, path) for path in paths]
    reasons = tuple(finding.summary for finding in findings)
    verdict = Verdict(label, 0.8, "probable", reasons, (), DamagedWord(damaged),
                      (VerdictCause(cause, 0.8),), ())  # fmt: skip
    return find_code_at_fault(made, verdict, findings)


def test_code_that_failed_below_a_handler_which_raised_again() -> None:
    """faulthandler, as pytest enables it, raises the signal again when it has written."""
    handler = [NativeFrame(PC + 64, SP, "raise", LIBC), NativeFrame(PC + 32, SP, "f", None,
               kind="signal")]  # fmt: skip
    met = [NativeFrame(PC, SP, "f", path) for path in (LIBC, FFI, CTYPES, PYTHON)]
    made = state(crash(address=0), native=[*handler, *met])
    made.target._modules = [Module(path, PC, PC, PC + 1, None, path) for path in (FFI, CTYPES)]
    verdict = Verdict("software", 0.8, "probable", (), (), DamagedWord(False),
                      (VerdictCause("null-pointer", 0.8),), ())  # fmt: skip
    assert find_code_at_fault(made, verdict, ()).whose == NOT_KNOWN
    fault = made.fault_account.fault._replace(origin="signal-frame", registers={"rip": PC})
    made.__dict__["fault_account"] = made.fault_account._replace(fault=fault)
    assert find_code_at_fault(made, verdict, ()).whose == LINE


def test_what_a_package_compiled_at_run_time_is_the_programs_own() -> None:
    """An index of a function under @numba.njit was "in numba (_dispatcher.so) or in how ..."."""
    dispatcher = "/py/lib/python3.11/site-packages/numba/_dispatcher.so"
    jitted = [NativeFrame(PC, SP, "__main__::pick", None), NativeFrame(PC, SP, "f", dispatcher)]
    made = state(crash(address=0), native=[*jitted, NativeFrame(PC, SP, "f", PYTHON)])
    made.target._modules = [Module(dispatcher, PC, PC, PC + 1, None, dispatcher)]
    verdict = Verdict("software", 0.8, "probable", (), (), DamagedWord(False),
                      (VerdictCause("out-of-bounds", 0.8),), ())  # fmt: skip
    assert find_code_at_fault(made, verdict, ()).whose == LINE
    made.target.native_frames = lambda _tid: [jitted[0]._replace(function=None), *jitted[1:]]
    assert find_code_at_fault(made, verdict, ()).whose == CALL


@pytest.mark.parametrize(
    ("stack", "cause", "whose", "files"),
    [
        # The innermost code of somebody: the C library failed with what it had been given.
        ((OWN, PYTHON), "null-pointer", LIBRARY, ["watch.so"]),
        ((LIBC, CXX, OWN, PYTHON), "wrong-pointer", LIBRARY, ["watch.so"]),
        ((LIBC, OWN, FFI, CTYPES, PYTHON), "out-of-bounds", CALL, ["watch.so"]),
        ((LIBC, FFI, CTYPES, PYTHON), "wrong-pointer", LINE, []),
        ((LIBC, CTYPES, PYTHON), "wrong-pointer", LINE, []),
        ((NUMPY, PYTHON), "null-pointer", CALL, ["_umath.so"]),
        ((SYSTEM, PYTHON), "null-pointer", CALL, ["libxml2.so.2"]),
        # Python itself, as long as nobody else can have damaged its objects.
        ((PYTHON,), "null-pointer", INTERPRETER, []),
        ((JSON, PYTHON), "use-after-free", INTERPRETER, ["_json.cpython-311.so"]),
        ((PYTHON, OWN, PYTHON), "null-pointer", NOT_KNOWN, ["watch.so"]),
        # Who met overwritten memory did nothing.
        ((OWN, PYTHON), "other-data", NOT_KNOWN, ["watch.so"]),
        ((OWN, PYTHON), "stray-store", NOT_KNOWN, ["watch.so"]),
        # Handlers of signals ran behind the failure, or in its midst.
        ((OWN, "", PYTHON), "null-pointer", LIBRARY, ["watch.so"]),
        ((LIBC, "", OWN, PYTHON), "null-pointer", NOT_KNOWN, ["watch.so"]),
        # A full stack is who recurses, not who met its end.
        ((PYTHON, *[OWN] * 20, PYTHON), "stack-exhausted", CALL, ["watch.so"]),
        ((OWN, *[PYTHON] * 20), "stack-exhausted", LINE, []),
        ((LIBC, LIBC, PYTHON), "failed-check", LINE, []),  # os.abort()
        ((LIBC, CXX, OWN, PYTHON), "failed-check", LIBRARY, ["watch.so"]),
        ((LIBC,), "null-pointer", NOT_KNOWN, []),
    ],
)
def test_whose_code_failed(stack: Sequence[str], cause: str, whose: str, files: list[str]) -> None:
    code = code_at_fault(stack, cause)
    assert code is not None and (code.whose, list(code.files)) == (whose, files)


def test_code_of_others_in_the_process_keeps_python_from_being_accused() -> None:
    assert code_at_fault([PYTHON], loaded=[CTYPES]) == CodeAtFault(NOT_KNOWN, (), True)
    assert code_at_fault([PYTHON], loaded=[NUMPY]) == CodeAtFault(NOT_KNOWN, ("_umath.so",))
    beside = code_at_fault([NUMPY, PYTHON], loaded=[OWN])
    assert beside == CodeAtFault(NOT_KNOWN, ("watch.so",)), "far fewer people use the program's own"


def test_nobody_is_accused_of_what_is_no_software_bug() -> None:
    for label in ("damaged-memory", "hardware-suspect", "cannot-tell", "out-of-memory", "hang"):
        assert code_at_fault([OWN, PYTHON], label=label) is None
    assert code_at_fault([OWN, PYTHON], "file-ended") is None
    damaged = code_at_fault([OWN, PYTHON], damaged=True)
    assert damaged is not None and damaged.whose == NOT_KNOWN


@pytest.mark.parametrize(("byte", "whose"), [(0x41, LINE), (0x42, NOT_KNOWN)])
def test_a_fill_that_failed_at_the_end_of_memory_wrote_all_before(byte: int, whose: str) -> None:
    """Libraries that only lay there were suspected of what memset() had written."""
    end, where = HEAP + HEAP_SIZE, HEAP + HEAP_SIZE - 0x400
    native = [NativeFrame(PC, SP, "f", path) for path in (LIBC, FFI, CTYPES, PYTHON)]
    made = state(crash(address=end), registers={"rdi": end, "rcx": 99}, code=bytes.fromhex("f3aa"),
                 native=native)  # fmt: skip
    made.target.write(where, b"A" * 0x3FF + bytes((byte,)))
    made.target._modules = [Module(path, PC, PC, PC + 1, None, path) for path in (CTYPES, OWN)]
    verdict = Verdict("software", 0.8, "probable", (), (), DamagedWord(True, 0.8, where),
                      (VerdictCause("stray-store", 0.8),), ())  # fmt: skip
    assert find_code_at_fault(made, verdict, ()).whose == whose


def test_a_finding_says_more_than_the_stack_if_it_decided() -> None:
    finding = Finding("freed_callback", "", {AT_FAULT: PROGRAM}, "a callback was freed")
    assert code_at_fault([OWN, PYTHON], findings=[finding]) == CodeAtFault(PROGRAM)
    met = Finding("damaged_heap", "", {VICTIM: True}, "a block was overrun")
    only_met = code_at_fault([LIBC, OWN, PYTHON], "heap-misuse", findings=[met])
    assert only_met is not None and only_met.whose == NOT_KNOWN


@pytest.mark.parametrize(
    ("path", "package"),
    [
        (NUMPY, "numpy"),
        ("/usr/lib/python3/dist-packages/_cffi_backend.cpython-311.so", "_cffi_backend"),
        ("/opt/x/numpy.libs/libopenblas.so", "numpy"),
        (OWN, ""),
    ],
)
def test_the_package_of_a_file(path: str, package: str) -> None:
    assert package_of(path) == package
