# SPDX-License-Identifier: Apache-2.0
"""asked_to_stop on real cores: a handler of SIGTERM that leaves a core, and a process that failed."""  # noqa: E501

from __future__ import annotations

import pytest
from gallery.taking import pieces, take
from support.cores import why_no_core_dumps
from support.interpreters import Interpreter, discover

from gdb_epi.detectors.asked_to_stop import asked_to_stop
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [i for i in discover() if i.root is None and not i.free_threaded and not i.stripped]
REASON = why_no_core_dumps()


def findings(interpreter: Interpreter, name: str) -> list[dict[str, object]]:
    """Return the facts of the findings on the core of a program of the gallery."""
    (piece,) = (piece for piece in pieces("first") if piece.name == name)
    core = CoreFileTarget.open(take(piece, interpreter).core)
    return [finding.facts for finding in asked_to_stop(ProcessState(core))]


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize("interpreter", INTERPRETERS[-1:], ids=lambda each: each.id)
def test_only_a_handler_of_a_request_to_stop_is_a_finding(interpreter: Interpreter) -> None:
    (facts,) = findings(interpreter, "state_kept_when_asked_to_stop")
    assert facts["signal"] == "SIGTERM"
    assert str(facts["handler"]).startswith("Collector.keep_image (program.py:")
    assert not findings(interpreter, "abort_raised_on_itself")
