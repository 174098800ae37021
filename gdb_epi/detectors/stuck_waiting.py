# SPDX-License-Identifier: Apache-2.0
"""A wait that nothing here will end."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, detector
from gdb_epi.detectors.hang_findings import hang_findings
from gdb_epi.process_state import ProcessState


@detector(
    "stuck_waiting", needs="python", speaks_for=SpeaksFor("hang", "wait-without-end", by="kind")
)
def stuck_waiting(state: ProcessState) -> Iterator[Finding]:
    """Find a wait that nothing in this process will end: its GIL, a lock, an event, a peer.

    Innocent causes, tested: a timeout, a thread that still computes, one that refers to what is
    waited for, a function that waits for work by design. The facts name what is open.
    Reference: the kinds of waits are in gdb_epi/hangs/.
    """
    yield from hang_findings(state, "stuck_waiting", "hang")
