# SPDX-License-Identifier: Apache-2.0
"""A loop that asks a locked database again and again: who can unlock it?

SQLite answers "database is locked" where another connection has a transaction open. When that is a
connection of a function that called the loop, the transaction ends only after the loop has.
"""

from __future__ import annotations

from gdb_epi.cpython.running.exceptions import HANDLED, ExceptionDecoder
from gdb_epi.errors import Absent
from gdb_epi.hangs import types as h
from gdb_epi.hangs.scene import HangContext
from gdb_epi.locks import types as t

ERROR, CONNECTION = "sqlite3.OperationalError", "sqlite3.Connection"
_LOCKED = ("database is locked", "database table is locked", "database schema is locked")


def retried_database(scene: HangContext, activity: h.ThreadActivity) -> h.HangAnswer | None:
    """Return the answer for a thread that sleeps in a loop while it handles such an error."""
    error = _handled(scene, activity.tid)
    if error is None or not activity.frames:
        return None
    where = activity.where()
    sentence = (
        f"{activity.who()} sleeps at {where} in a loop that tries again, because sqlite3 said: "
        f"{error}"
    )
    seen = (
        f"thread {activity.tid} is in {activity.call}",
        f"it handles {ERROR}: {error}",
    )
    outer = _connection_of_a_caller(scene, activity)
    if outer is None:
        return h.HangAnswer(
            h.HANG, "database lock", sentence, (activity,), t.INFO, seen,
            open=("who holds the database: another process, or a connection of this one",),
        )  # fmt: skip
    name, place = outer
    sentence += (
        f"; its caller {place} has another connection, `{name}`: a transaction that is open there "
        "cannot end before this call returns"
    )
    return h.HangAnswer(
        h.HANG, "database lock", sentence, (activity,), t.PROBABLE,
        (*seen, f"{place} refers to a second connection, {name}"), (),
        ("whether it has a transaction of the same database open is not read: another process may "
         "hold it",),
    )  # fmt: skip


def _handled(scene: HangContext, tid: int) -> str | None:
    """Return what the error says that a thread handles, if it tells about a locked database."""
    thread = next((each for each in scene.python.threads() if each.tid == tid), None)
    if thread is None:
        return None
    decoder = ExceptionDecoder(scene.target, scene.python, messages=True)
    handled = (raised for raised in decoder.of(thread).all() if raised.state == HANDLED)
    for error in (each for raised in handled for each in raised.exceptions):  # and what it wraps
        message = "" if isinstance(error.message, Absent) else error.message
        if error.type == ERROR and message.startswith(_LOCKED):
            return message
    return None


def _connection_of_a_caller(
    scene: HangContext, activity: h.ThreadActivity
) -> tuple[str, str] | None:
    """Return (variable, function) of a connection that only callers of the loop refer to."""
    inner: set[int] = set()
    in_loop = True
    for frame in activity.frames:
        own = [
            (name, word) for name, word in scene.view.variable_addresses(frame)
            if not word & 7 and scene.view.locks.type_name(word) == CONNECTION
        ]  # fmt: skip
        if not in_loop:
            for name, word in own:
                if word not in inner:
                    return name, h.function_and_line(frame)
        inner |= {word for _, word in own}
        in_loop = in_loop and not scene.runs_in_loop(frame)
    return None
