# SPDX-License-Identifier: Apache-2.0
"""Who ended a process, on real cores: a handler that was asked to, a thread of its own."""

from __future__ import annotations

import pytest
from gallery.taking import pieces, take
from support.cores import why_no_core_dumps
from support.interpreters import Interpreter, discover

from gdb_epi.detectors.ended_by_signal import asked_to_stop, killed_by_own_thread
from gdb_epi.detectors.registry import Detect
from gdb_epi.detectors.waits.hangs import going_on
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [i for i in discover() if i.root is None and not i.free_threaded and not i.stripped]
REASON = why_no_core_dumps()


def findings(interpreter: Interpreter, detect: Detect, name: str) -> list[dict[str, object]]:
    """Return the facts of the findings on the core of a program of the gallery."""
    (piece,) = (piece for piece in pieces("first") if piece.name == name)
    core = CoreFileTarget.open(take(piece, interpreter).core)
    return [dict(finding.facts) for finding in detect(ProcessState(core))]


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize("interpreter", INTERPRETERS[-1:], ids=lambda each: each.id)
def test_only_a_handler_of_a_request_to_stop_is_a_finding(interpreter: Interpreter) -> None:
    (facts,) = findings(interpreter, asked_to_stop, "state_kept_when_asked_to_stop")
    assert facts["signal"] == "SIGTERM"
    assert str(facts["handler"]).startswith("Collector.keep_image (program.py:")
    assert not findings(interpreter, asked_to_stop, "abort_raised_on_itself")


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize("interpreter", INTERPRETERS[-1:], ids=lambda each: each.id)
def test_a_guard_thread_that_sent_the_signal_is_named(interpreter: Interpreter) -> None:
    guarded = "tariff_service_over_its_allowance"
    (facts,) = findings(interpreter, killed_by_own_thread, guarded)
    assert "run (program.py:3" in str(facts["place"])
    assert not findings(interpreter, going_on, guarded)  # it saw something: not said to be healthy
    assert not findings(interpreter, killed_by_own_thread, "lattice_stopped_by_the_batch_system")
