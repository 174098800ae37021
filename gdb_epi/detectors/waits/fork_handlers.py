# SPDX-License-Identifier: Apache-2.0
"""The process died or hung inside the handlers that run around a fork, or before exec."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.locks.types import INFO
from gdb_epi.process_state import ProcessState


@detector(
    "fork_handlers",
    needs="crash",
    supports=SupportedLabel("hang", "fork-handlers", counted_by="confidence"),
)
def fork_handlers(state: ProcessState) -> Iterator[Finding]:
    """Find a crash or a hang between fork() and its return.

    Innocent causes: a snapshot of a process that happens to fork (no crash, so not looked at); a
    crash of another thread while one forks (then it is reported as information only).
    Reference: glibc posix/fork.c, CPython Modules/posixmodule.c (PyOS_AfterFork_Child,
    run_at_forkers), Modules/_posixsubprocess.c (preexec_fn).
    """
    handler = state.locks.handlers
    crash = state.crash
    if handler is None or isinstance(crash, Absent):
        return
    process = state.process
    own = None if isinstance(process, Absent) else process.pid
    # What another process sends to one that hangs is no crash of the handler.
    crashed = crash.sender_pid in (None, own)
    elsewhere = crashed and crash.tid != handler.tid
    here = crashed and not elsewhere
    yield Finding(
        "fork_handlers",
        f"thread {handler.tid}",
        {
            "stage": handler.stage,
            "when": handler.when,
            "where": handler.where,
            "crashed": here,
            "confidence": INFO if elsewhere else handler.sure,
        },
        f"thread {handler.tid} {'crashed' if here else 'is'} in {handler.stage} "
        f"{handler.when}: {handler.says}",
    )
