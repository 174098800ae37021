# SPDX-License-Identifier: Apache-2.0
"""earlier_crash: a fault below a handler that still runs; a frame that was left is none."""

from __future__ import annotations

import pytest
from support.scenes import PC, PID, SP, crash, state

from gdb_epi.detectors.earlier_crash import earlier_crash
from gdb_epi.fault.find_fault import Fault
from gdb_epi.target.api import NativeFrame

MET = PC + 0x40  # where the first fault came
REPORTER = "/srv/reporter.so"


def of(function: str, pc: int, kind: str = "normal") -> NativeFrame:
    return NativeFrame(pc, SP, function, REPORTER, kind=kind)


@pytest.mark.parametrize(
    ("outside", "what"),
    [
        ([of("", 1, "signal"), of("seats_of", MET)], ["SIGSEGV at 0x4 in seats_of"]),
        ([of("", 1, "signal"), of("pause", PC)], []),  # another signal's; ours was left there
        ([of("seats_of", MET)], []),
    ],
)
def test_the_unwinder_goes_on_at_the_instruction_that_failed_first(
    outside: list[NativeFrame], what: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Fault(PID, 11, 1, 4, {"rip": MET}, "signal-frame", "kernel")
    monkeypatch.setattr(
        "gdb_epi.detectors.earlier_crash.faults_in_signal_frames", lambda *_: iter([first])
    )
    made = state(crash(address=0), native=[of("strcpy", PC), *outside])
    assert [finding.facts["what"] for finding in earlier_crash(made)] == what
