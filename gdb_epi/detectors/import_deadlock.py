# SPDX-License-Identifier: Apache-2.0
"""A thread waits for the import of a module that waits for that thread."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, cycle_findings, detector
from gdb_epi.process_state import ProcessState


@detector("import_deadlock", speaks_for=SpeaksFor("deadlock", "lock-circle", by="confidence"))
def import_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find a cycle with a module's import lock.

    Mostly a module that starts a thread and waits for it while it is being imported, and the
    thread imports that module. Innocent causes, tested: an import that is merely slow (no cycle).
    importlib detects cycles of module locks alone and goes on, so such a wait is over soon.
    Reference: Lib/importlib/_bootstrap.py (_ModuleLock, _DeadlockError).
    """
    summary = "an import and a thread wait for each other"
    yield from cycle_findings(state, "import_deadlock", "import", summary)
