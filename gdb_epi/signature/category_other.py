# SPDX-License-Identifier: Apache-2.0
"""Categories without a fault of the process: a kill from outside, and a snapshot."""

from __future__ import annotations

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault import signal_name
from gdb_epi.signature.category import Answer, Match, Scene


def killed_external(scene: Scene) -> Answer:
    """Another process sent the signal: a watchdog, an operator, a time limit."""
    fault, crash = scene.fault, scene.crash
    if isinstance(fault, Absent) or isinstance(crash, Absent) or fault.sender != "other":
        return None
    return Match(
        "killed-external",
        f"{signal_name(crash.signo)} with si_code {crash.si_code} was sent by process "
        f"{crash.sender_pid}, which is not this one",
    )


def snapshot(scene: Scene) -> Answer:
    """No signal ended the process: a debugger wrote the core."""
    if isinstance(scene.crash, Absent) and scene.crash.reason == NOT_APPLICABLE:
        return Match("snapshot", scene.crash.detail)
    return None


OTHER_RULES = (("killed-external", killed_external), ("snapshot", snapshot))
