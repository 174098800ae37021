# SPDX-License-Identifier: Apache-2.0
"""Categories without a fault of the process: a kill from outside, and a snapshot."""

from __future__ import annotations

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS
from gdb_epi.fault.signals import signal_name
from gdb_epi.signature.categories.types import Answer, CategoryInput, Match

# Signals that the kernel sends for no doing of the thread that they end (signal(7), setrlimit(2)).
_BY_KERNEL = {
    1: "the terminal was closed",
    2: "the interrupt key of the terminal",
    3: "the quit key of the terminal",
}


def killed_external(scene: CategoryInput) -> Answer:
    """Another process or thread sent the signal, or the kernel for a terminal."""
    fault, crash = scene.fault, scene.crash
    if isinstance(fault, Absent) or isinstance(crash, Absent):
        return None
    if fault.sender == "kernel" and crash.signo in _BY_KERNEL:
        return Match(
            "killed-external",
            f"{signal_name(crash.signo)} with si_code {crash.si_code} by the kernel: "
            f"{_BY_KERNEL[crash.signo]}",
        )
    by = {
        OTHER: f"was sent by process {crash.sender_pid}, which is not this one",
        PROCESS: "was sent by another thread of this process, or by a handler that has returned: "
        "the thread that died was in no call that sends signals",
        ELSEWHERE: "was raised again by a handler; it had met the thread in the middle of "
        "something else, so somebody else sent it",
    }.get(fault.sender)
    if by is None:
        return None
    signal = f"{signal_name(crash.signo)} with si_code {crash.si_code}"
    return Match("killed-external", f"{signal} {by}")


def not_a_crash(scene: CategoryInput) -> Answer:
    """No signal ended the process: a debugger wrote the core."""
    if isinstance(scene.crash, Absent) and scene.crash.reason == NOT_APPLICABLE:
        return Match("snapshot", scene.crash.detail)
    return None


OTHER_RULES = (("killed-external", killed_external), ("snapshot", not_a_crash))
