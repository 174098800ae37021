# SPDX-License-Identifier: Apache-2.0
"""Who owns what a thread waits for: what is said of things that nobody holds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.locks.context import FutexWait, LockGuess
from gdb_epi.locks.waits.futex import settle_owner_and_verdict


@pytest.mark.parametrize(("timed", "ending"), [(False, "wake this one"), (True, "ends the wait")])
def test_a_wait_with_a_timeout_needs_no_other_thread(timed: bool, ending: str) -> None:
    context = SimpleNamespace(
        target=SimpleNamespace(threads=lambda: [1, 2]),
        fork=SimpleNamespace(forked=False, parent_multithreaded=False),
    )
    call = FutexWait(7, 0x1000, 137, 0, "registers", timed)
    wait = settle_owner_and_verdict(
        context, SimpleNamespace(tid=7), call, LockGuess("Event", event=True)
    )
    assert wait.evidence[-1].startswith("nobody holds this (Event)")
    assert wait.evidence[-1].endswith(ending)
