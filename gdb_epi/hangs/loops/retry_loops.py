# SPDX-License-Identifier: Apache-2.0
"""Loops that retry what failed: what failed, and for a locked database, who can unlock it.

SQLite answers "database is locked" where another connection has a transaction open. When that is a
connection of a function that called the loop, the transaction ends only after the loop has.
"""

from __future__ import annotations

from gdb_epi.cpython.running.exceptions import HANDLED, ExceptionDecoder, ExceptionInfo
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import is_in_serving_loop, library_frames_called
from gdb_epi.hangs.loops.library_retries import diagnose_library_retry
from gdb_epi.hangs.sqlite_locks import connection_held_by_callers_clause
from gdb_epi.hangs.types import HANG, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.python.call_sites import loop_ends_by_clock
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import default_when_unreadable

ERROR = "sqlite3.OperationalError"
_LOCKED = ("database is locked", "database table is locked", "database schema is locked")
# Exceptions that tell a loop that it has nothing to do.
_NOTHING_THERE = ("Empty", "Full", "BlockingIOError", "TimeoutError", "timeout", "StopIteration")
_CONNECTS = frozenset(("connect", "connect_ex", "create_connection", "urlopen"))
MAX_DEPTH = 2  # functions that the loop calls
MAX_INNER = 3  # frames of which one has the loop in which a thread sleeps
_LOCK_FILE = "FileExistsError"
# Parts of the names of those that say that a service is not there.
_PEERS = ("Connection", "gaierror", "URLError", "OperationalError")


def diagnose_retries(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """Return the answer for a thread that sleeps between two tries; None where it does not.

    The function that sleeps may be one that the loop calls.
    """
    if not library_frames_called(context, activity):
        near = (
            n
            for n, f in enumerate(activity.frames[:MAX_INNER])
            if context.acquire_calls.is_running_in_loop(f)
        )
        activity = activity._replace(frames=activity.frames[next(near, 0) :])
    return _diagnose_retry_loop(context, activity) or diagnose_library_retry(context, activity)


def _diagnose_retry_loop(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """Return the answer for a thread that sleeps in a loop while it handles what failed there."""
    handled = _handled_exceptions(context, activity.tid) if activity.frames else []
    messages = (e.message for e in handled if e.type == ERROR and isinstance(e.message, str))
    locked = next((message for message in messages if message.startswith(_LOCKED)), None)
    if locked is not None:
        return _diagnose_retries_of_locked_database(context, activity, locked)
    caught = next(
        (error for error in handled if _was_caught_in_loop(context, activity, error)), None
    )
    if caught is None:
        return None
    name = str(caught.type).rpartition(".")[2]
    if name in _NOTHING_THERE or _limits_number_or_time_of_tries(context, activity.frames[0]):
        return None
    alone = context.is_only_python_thread(activity.tid)
    lock_file = name == _LOCK_FILE and not is_in_serving_loop(context, activity.frames[1:])
    sure = PROBABLE if lock_file or (alone and any(part in name for part in _PEERS)) else INFO
    sentence = (
        f"{activity.who()} sleeps at {activity.where()} in a loop that tries again, because of "
        f"{caught.type}"
    )
    if lock_file:
        sentence += ": it waits for a file, most likely a lock, to be removed by whoever made it"
    return wait_diagnosis(
        HANG, "lock file" if lock_file else "retries", sentence, activity, sure,
        evidence=(f"it handles {caught.type}, which was raised in that loop",),
        doubts=("whether the next try succeeds is not in the core",),
    )  # fmt: skip


@default_when_unreadable(False)
def _limits_number_or_time_of_tries(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a loop limits the number of its tries, or their time.

    Since 3.12 the code of a handler stands apart from the loop's: all loops are looked at.
    """
    return any(
        context.is_in_bounded_loop(frame, loop)
        or loop_ends_by_clock(frame.code, range(loop[0], loop[1] + 1), context.call_sites)
        for loop in context.call_sites.calls_of(frame.code).loops
    )


def _was_caught_in_loop(
    context: HangContext, activity: ThreadActivity, error: ExceptionInfo
) -> bool:
    """Tell whether the loop in which a thread sleeps caught an exception."""
    frame = activity.frames[0]
    if isinstance(error.traceback, Absent) or isinstance(error.type, Absent):
        return False
    caught = next(iter(error.traceback.lines), None)
    if caught is None or frame.lineno is None or caught.lineno is None:
        return False
    same = (caught.name, caught.filename) == (frame.name, frame.filename)
    return same and caught.lineno <= frame.lineno and context.is_line_in_loop(frame, caught.lineno)


def _diagnose_retries_of_locked_database(
    context: HangContext, activity: ThreadActivity, error: str
) -> HangDiagnosis:
    """Return the answer for a thread that tries again because a database is locked."""
    where = activity.where()
    sentence = (
        f"{activity.who()} sleeps at {where} in a loop that tries again, because sqlite3 said: "
        f"{error}"
    )
    seen = (f"thread {activity.tid} is in {activity.call}", f"it handles {ERROR}: {error}")
    own = connection_held_by_callers_clause(context, activity)
    if own is None:
        return HangDiagnosis(
            HANG, "database lock", sentence, (activity,), INFO, seen,
            open=("who holds the database: another process, or a connection of this one",),
        )  # fmt: skip
    return HangDiagnosis(
        HANG, "database lock", sentence + own.clause, (activity,), PROBABLE,
        (*seen, own.evidence), (),
        ("whether it has a transaction of the same database open is not read: another process may "
         "hold it",),
    )  # fmt: skip


def _handled_exceptions(context: HangContext, tid: int) -> list[ExceptionInfo]:
    """Return the exceptions that a thread handles, and what they wrap."""
    thread = next((thread for thread in context.python.threads() if thread.tid == tid), None)
    if thread is None:
        return []
    decoder = ExceptionDecoder(context.target, context.python, messages=True)
    handled = (
        raised
        for raised in decoder.exceptions_of_thread(thread).all_raised()
        if raised.state == HANDLED
    )
    return [error for raised in handled for error in raised.exceptions]


def diagnose_connection_poll(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer for a thread that sleeps in a loop until it gets a connection.

    A loop with a way out is no service: it goes on when somebody listens there.
    """
    frame = activity.frames[0] if activity.frames else None
    loop = context.acquire_calls.innermost_loop(frame) if frame is not None else None
    if frame is None or loop is None or not context.is_only_python_thread(activity.tid):
        return None
    if context.is_in_bounded_loop(frame) or is_in_serving_loop(context, activity.frames[1:]):
        return None
    body = range(loop[0], loop[1] + 1)
    try:
        ends = loop_ends_by_clock(frame.code, body, context.call_sites)
        goes_on = ends or not context.call_sites.can_leave_loop(frame.code, body)
        ahead = {method for _, method in context.acquire_calls.calls_ahead(frame, MAX_DEPTH)}
        asked = (ahead | context.names_called_before(frame, MAX_DEPTH)) & _CONNECTS
    except (UnreadableMemory, LayoutError):
        return None
    if goes_on or not asked:
        return None
    return wait_diagnosis(
        HANG, "retries",
        f"{activity.who()} sleeps at {activity.where()} in a loop that asks again and again for a "
        f"connection, by {min(asked)}(), and goes on only when it has one", activity,
        evidence=(f"the loop calls {min(asked)}() and sleeps between its turns",),
        ruled_out=("a number of tries that ends it", "a time limit", "another thread"),
        doubts=("whether the next try succeeds is not in the core",),
    )  # fmt: skip
