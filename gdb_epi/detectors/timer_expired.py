# SPDX-License-Identifier: Apache-2.0
"""A timer of the process's own that ran out and ended it."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import SI_TIMER, signal_name
from gdb_epi.process_state import ProcessState


@detector("timer_expired", needs="crash", supports=SupportedLabel("killed", "limit-reached"))
def timer_expired(state: ProcessState) -> Iterator[Finding]:
    """Find that a timer which the program, or a library of it, had set sent the deadly signal.

    Innocent causes of the same siginfo: none; only the kernel sends SI_TIMER, when a timer of
    timer_create() is due. Those of alarm() and setitimer() look like other signals of the kernel.
    Reference: sigaction(2), SI_TIMER; posix_timer_fn() in kernel/time/posix-timers.c.
    """
    crash = state.crash
    if isinstance(crash, Absent) or crash.si_code != SI_TIMER:
        return
    name = signal_name(crash.signo)
    summary = f"a timer that the program had set ran out: it sends {name} (timer_create())"
    yield Finding("timer_expired", f"signal {name}", {"signal": name}, summary)
