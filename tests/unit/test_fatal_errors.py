# SPDX-License-Identifier: Apache-2.0
"""Who ended the process by Py_FatalError, and with which words."""

from __future__ import annotations

import struct

import pytest
from support.scenes import PC, PID, SP, TEXT, crash, state

from gdb_epi.detectors.runtimes import python_fatal_error as fatal
from gdb_epi.fault.instructions import constant_arguments
from gdb_epi.target.api import NativeFrame

LIBPYTHON, LIBRARY = "/usr/lib/libpython3.13.so.1.0", "/srv/app/uplink.so"


def frame(function: str | None, module: str) -> NativeFrame:
    return NativeFrame(PC, SP, function, module)


@pytest.mark.parametrize(
    ("function", "module", "expected"),
    [
        ("give_up.constprop.0", LIBRARY, "give_up in uplink.so ended the process by Py_FatalError"),
        (None, LIBRARY, "code of uplink.so ended the process by Py_FatalError"),
        ("PyGILState_Release.cold", LIBPYTHON, "CPython gave up in PyGILState_Release"),
    ],
)
def test_who_gave_up(function: str | None, module: str, expected: str) -> None:
    own = ("raise", "abort", "fatal_error_exit", "_Py_FatalErrorFunc")
    frames = [frame(name, LIBPYTHON) for name in own]
    made = state(crash(6, -6, sender=PID), native=[*frames, frame(function, module)])
    (finding,) = fatal.python_fatal_error(made)
    assert finding.summary.startswith(f"{expected}; its reason is on standard error, and no")


def test_what_was_to_be_filled_in_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Python memory allocator called without holding the GIL: %.200s is at %p, 5%% free"
    monkeypatch.setattr(fatal, "constant_arguments", lambda *_: {"rsi": 1})
    monkeypatch.setattr(fatal, "constant_text", lambda *_: text)
    frames = [frame("_Py_FatalErrorFormat", LIBPYTHON), frame("drop", LIBPYTHON)]
    (finding,) = fatal.python_fatal_error(state(crash(6, -6, sender=PID), native=frames))
    assert "GIL: ? is at ?, 5% free" in finding.summary


def test_a_recursion_that_went_on_is_of_the_programs_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fatal, "constant_arguments", lambda *_: {"rdi": 1})
    monkeypatch.setattr(fatal, "constant_text", lambda *_: "Cannot recover from stack overflow.")
    names = ("Py_FatalError", "_Py_CheckRecursiveCall", "cfunction_enter_call")
    frames = [frame(name, LIBPYTHON) for name in names]
    (finding,) = fatal.python_fatal_error(state(crash(6, -6, sender=PID), native=frames))
    assert "cfunction_enter_call: Cannot recover from stack overflow; code" in finding.summary
    assert (finding.facts["kind"], finding.facts["at_fault"]) == ("recursion", "line")


CALL, REASON = b"\xe8\0\0\0\0", TEXT + 0x40
PASSES_REASON = {  # how a compiler may pass the text at REASON; the code ends at PC, with the call
    "at once": b"\x48\x8d\x35" + struct.pack("<i", REASON - PC + 5),  # lea rsi, [rip + ...]
    "by rax": b"\x48\x8d\x05" + struct.pack("<i", REASON - PC + 8) + b"\x48\x89\xc6",
    "a variable": b"\x48\x8b\x45\xf8\x48\x89\xc6",  # mov rax, [rbp - 8]; mov rsi, rax
    "a kept register": b"\x48\x89\xde",  # mov rsi, rbx
}


@pytest.mark.parametrize("way", PASSES_REASON)
def test_where_the_reason_of_a_fatal_error_lies(way: str) -> None:
    code = (PASSES_REASON[way] + CALL).rjust(128, b"\x90")
    made = state(crash(6, -6, sender=PID), words={SP + 0x100 - 8: REASON})
    made.target.write(PC - len(code), code)  # type: ignore[attr-defined]
    of_frame = {"rbp": SP + 0x100, "rbx": REASON}
    assert constant_arguments(made.target, PC, of_frame)["rsi"] == REASON
    is_in_code = way in ("at once", "by rax")
    assert constant_arguments(made.target, PC).get("rsi") == (REASON if is_in_code else None)
