# SPDX-License-Identifier: Apache-2.0
"""One thread has the GIL and wants a lock whose holder wants the GIL."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, cycle_findings, detector
from gdb_epi.process_state import ProcessState


@detector("gil_versus_mutex", speaks_for=SpeaksFor("deadlock", "lock-circle", by="confidence"))
def gil_versus_mutex(state: ProcessState) -> Iterator[Finding]:
    """Find a deadlock between the GIL and another lock.

    C code that takes a lock while it holds the GIL, against code that takes the GIL (a callback,
    the end of Py_BEGIN_ALLOW_THREADS) while it holds that lock. Innocent causes, tested: waiting
    for the GIL as such (its holder may run on); a timed wait for the lock (then "probable"); a GIL
    that was free at that moment.
    Reference: Python/ceval_gil.c (take_gil); pybind11 and NumPy document this mistake.
    """
    summary = "the GIL and another lock are taken in opposite orders"
    yield from cycle_findings(state, "gil_versus_mutex", "gil", summary)
