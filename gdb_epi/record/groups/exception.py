# SPDX-License-Identifier: Apache-2.0
"""The types of exceptions: the crashed thread's, and each thread's. Never their texts.

Of an OSError its number too: the system gave it, and it names no file.
"""

from __future__ import annotations

from gdb_epi.cpython.running.exceptions import RaisedException
from gdb_epi.errors import Absent
from gdb_epi.record.redact import redact_path
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.record.stacks import exception_of_crashed_thread

MAX_THREADS = 256
MAX_HANDLED = 32  # exceptions that one thread handles
MAX_TYPE_NAME = 512


@group("exception", order=60)
def exception(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return the types of what threads raised or handled; None without CPython."""
    state = parts.state
    if isinstance(state.python, Absent):
        return None
    crashed = exception_of_crashed_thread(state, state.exceptions)
    raising = [thread for thread in state.exceptions if thread.all_raised()]
    threads: list[Json] = []
    for thread in raising[:MAX_THREADS]:
        entry: Json = {"tid": thread.thread.tid}
        if thread.in_flight is not None:
            entry["in_flight"] = _type_name(thread.in_flight)
        if thread.reported is not None:
            entry["reported"] = _type_name(thread.reported)
        entry["handled"] = [_type_name(raised) for raised in thread.handled[:MAX_HANDLED]]
        threads.append(entry)
    fields: Json = {
        "type": None if crashed is None else _type_name(crashed[1]),
        "state": None if crashed is None else crashed[1].state,
        "threads": threads,
    }
    if crashed is not None:
        if (errno := crashed[1].root_exception.errno) is not None:
            fields["errno"] = errno
        if place := _place_raised_at(crashed[1]):
            fields["raised_at"] = place
        if earlier := _type_raised_from(crashed[1]):
            fields["raised_from"] = earlier
    if len(raising) > MAX_THREADS:
        fields["threads_left_out"] = len(raising) - MAX_THREADS
    return fields


def _type_name(raised: RaisedException) -> str | None:
    name = raised.root_exception.type
    return None if isinstance(name, Absent) else name[:MAX_TYPE_NAME]


def _type_raised_from(raised: RaisedException) -> str | None:
    """Return the type that a traceback would show above it: its cause, else its context."""
    itself = raised.root_exception
    link = itself.cause or (0 if itself.suppress_context else itself.context)
    others = (e.type for e in raised.exceptions[1:] if link and e.address == link)
    name = next(others, None)
    return name[:MAX_TYPE_NAME] if isinstance(name, str) else None


def _place_raised_at(raised: RaisedException) -> Json | None:
    """Return the innermost place of the traceback; None where it cannot be told."""
    traceback = raised.root_exception.traceback
    if isinstance(traceback, Absent) or traceback.broken or not traceback.lines:
        return None
    line = traceback.lines[-1]
    if line.hole is not None or line.lineno is None:
        return None
    return {
        "name": line.qualname or line.name,
        "filename": redact_path(line.filename),
        "lineno": line.lineno,
    }
