# SPDX-License-Identifier: Apache-2.0
"""A handler of SIGTERM or its like that ends the process by a signal of its own."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import SELF
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.process_state import ProcessState

# Signals with which a person, a service manager or a terminal asks a process to end: SIGHUP,
# SIGINT, SIGQUIT, SIGTERM (signal(7)).
STOPS = (1, 2, 3, 15)
MAX_FRAMES = 64


@detector("asked_to_stop", needs="python", supports=SupportedLabel("killed", "ended-from-outside"))
def asked_to_stop(state: ProcessState) -> Iterator[Finding]:
    """Find a Python handler of a request to stop below which the process sent itself a signal.

    Innocent causes: a function that is called with a number and a frame object and is no handler.
    Reference: a handler is called with the number and the interrupted frame
    (Modules/signalmodule.c, _PyErr_CheckSignalsTstate).
    """
    fault, python = state.fault, state.python
    if isinstance(fault, Absent) or isinstance(python, Absent) or fault.sender != SELF:
        return
    view = PythonView(state.target, python, state.locks.vanished)
    for frame in view.frames(fault.tid)[:MAX_FRAMES]:
        number = view.handled_signal(frame)
        if number not in STOPS:
            continue
        handler, asked = function_and_line(frame), signal_name(number)
        summary = (
            f"somebody asked the process to stop: {handler} handles {asked}, and the process sent "
            f"itself {signal_name(fault.signo)} there"
        )
        facts = {"signal": asked, "handler": handler}
        yield Finding("asked_to_stop", f"thread {fault.tid}", facts, summary)
        return
