# SPDX-License-Identifier: Apache-2.0
"""Whether another connection of this very process holds the SQLite database that one waits for.

SQLite keeps, per connection, how it has locked its file, and once for all connections of a process
that have the same file open, the highest of these locks and how many hold one (src/os_unix.c,
unixFile and unixInodeInfo; src/btreeInt.h, src/sqliteInt.h; 3.24 to 3.50). While the second is
above the first, or several hold the file of one that wants it for itself, SQLite does not even ask
the kernel. The way from sqlite3.Connection to them is checked at each step: structures name the VFS
or the connection that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32, read_u64
from gdb_epi.hangs.frame_references import MAX_ATTRIBUTES, MAX_FRAMES, METHODS
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import ThreadActivity, function_and_line
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

CONNECTION, _CURSOR = "sqlite3.Connection", "sqlite3.Cursor"
_READS, _RESERVED, _EXCLUSIVE = 1, 2, 4  # 0: none; 3: it waits for readers to end
MAX_WORDS = 48  # of a Pager that are looked at
MAX_MILLISECONDS = 1 << 31
_TWO_DATABASES = 64  # bytes
MAX_NUMBER = 1 << 20  # of descriptors and of connections


class OwnConnectionHoldingLock(NamedTuple):
    """Says which connection of this process keeps another one from its database.

    `is_certain`: SQLite's own structures say that it does. `alone`: nobody but the waiting thread
    can end it. `tid`: the other thread that has it at hand.
    """

    clause: str
    evidence: str
    is_certain: bool = True
    alone: bool = True
    tid: int | None = None


class _ConnectionLocks(NamedTuple):
    """How one connection has locked its file, and how all of this process have."""

    file: int  # unixInodeInfo *
    own: int
    highest: int
    holding: int  # connections that hold a lock


class _ConnectionAtHand(NamedTuple):
    """A connection, a thread that has it at hand (None where any may), and what it calls it."""

    address: int
    tid: int | None
    name: str


def find_own_sqlite_lock_holder(
    context: HangContext, activity: ThreadActivity
) -> OwnConnectionHoldingLock | None:
    """Return the connection that keeps a thread in a call of SQLite from its database."""
    frames = context.view.frames(activity.tid)
    waiting = next(_connections_called(context, frames[0]), 0) if frames else 0
    held = _connection_locks(context, waiting) if waiting else None
    if held is None:
        return None
    wants_it_alone = _RESERVED <= held.own < _EXCLUSIVE and held.holding > 1
    if not wants_it_alone and not (held.own < held.highest and held.highest >= _RESERVED):
        return None
    level = _READS if wants_it_alone else held.highest
    holding = [
        each for each in _connections_at_hand(context)
        if each.address != waiting and (of := _connection_locks(context, each.address)) is not None
        if of.file == held.file and of.own >= level
    ]  # fmt: skip
    name = next((f" `{each.name}`" for each in holding if each.name), "")
    does = "reads from" if level == _READS else "has a transaction in"
    clause = f"; another connection{name} of this very process {does} that database"
    evidence = "SQLite's own structures say that another connection of this process holds the file"
    threads = {each.tid for each in holding}
    alone = context.is_only_python_thread(activity.tid) or threads == {activity.tid}
    other = next((d for d in context.activities if threads == {d.tid}), None)
    if alone or (other is None and context.is_only_thread_awake(activity)):
        clause += ", and goes on only when this call has returned"
        return OwnConnectionHoldingLock(clause, evidence)
    if other is not None:
        clause += f", which {other.who()} has at hand"
    return OwnConnectionHoldingLock(
        clause, evidence, alone=False, tid=other.tid if other is not None else None
    )


def read_busy_seconds(context: HangContext, activity: ThreadActivity) -> float:
    """Return for how long a thread's call of SQLite tries again in all; 0 where that is not known.

    A connection that sqlite3_busy_timeout() was called of has, in a row, its busy handler, itself
    as what that is given, and how often it came; two databases, a savepoint, and two ints, of which
    the first (since 3.32) is mostly 0, and the milliseconds (src/sqliteInt.h, 3.24 to 3.50).
    """
    target, frames = context.target, context.view.frames(activity.tid)
    connection = next(_connections_called(context, frames[0]), 0) if frames else 0
    head = context.view.reader.layout.size("PyObject") or 16
    database = read_u64(target, connection + head) if connection else None
    for place in range(MAX_WORDS * 4) if database else ():
        at = (database or 0) + 8 * place
        if place and read_u64(target, at) == database:
            behind = at + 16 + _TWO_DATABASES + 8
            numbers = (read_u32(target, behind) or 0, read_u32(target, behind + 4) or 0)
            return max(numbers) / 1000 if max(numbers) < MAX_MILLISECONDS else 0.0
    return 0.0


def connection_held_by_callers_clause(
    context: HangContext, activity: ThreadActivity
) -> OwnConnectionHoldingLock | None:
    """Say which connection only callers of the loop refer to: a clause, and the evidence."""
    inner: set[int] = set()
    in_loop = True
    for frame in activity.frames:
        own = [
            (name, word) for name, word in context.view.variable_addresses(frame)
            if context.view.type_name(word) == CONNECTION
        ]  # fmt: skip
        if not in_loop:
            for name, word in own:
                if word not in inner:
                    place = function_and_line(frame)
                    clause = (
                        f"; its caller {place} has another connection, `{name}`: a transaction "
                        "that is open there cannot end before this call returns"
                    )
                    evidence = f"{place} refers to a second connection, {name}"
                    return OwnConnectionHoldingLock(clause, evidence, is_certain=False)
        inner |= {word for _, word in own}
        in_loop = in_loop and not context.acquire_calls.is_running_in_loop(frame)
    return None


def _connections_at_hand(context: HangContext) -> Iterator[_ConnectionAtHand]:
    """Yield the connections that frames have at hand; which thread uses a global is not known."""
    for tid, frames in context.view.all_frames().items():
        for frame in frames[:MAX_FRAMES]:
            who = None if frame.name == "<module>" else tid
            for name, word in context.view.variable_addresses(frame):
                yield from (
                    _ConnectionAtHand(at, who, name) for at in _connection_of_object(context, word)
                )
                if not word & 7 and context.view.type_name(word) not in ("module", "type"):
                    for attribute, value in islice(context.view.attributes(word), MAX_ATTRIBUTES):
                        path = f"{name}.{attribute}"
                        yield from (
                            _ConnectionAtHand(at, who, path)
                            for at in _connection_of_object(context, value)
                        )
            yield from (
                _ConnectionAtHand(at, tid, "") for at in _connections_called(context, frame)
            )


def _connections_called(context: HangContext, frame: PyFrame) -> Iterator[int]:
    """Yield the connections on a frame's stack, that of the innermost call first."""
    try:
        words = context.view.slots.words_of_frame(frame).stack if frame.hole is None else ()
    except (UnreadableMemory, LayoutError):
        return
    for word in reversed(words):
        yield from _connection_of_object(context, word)


def _connection_of_object(context: HangContext, word: int) -> Iterator[int]:
    """Yield the connection that an object is, is a cursor of, or is a method of."""
    if not word or word & 7:
        return
    kind, reader = context.view.type_name(word), context.view.reader
    try:
        if kind in METHODS:
            struct, member = METHODS[kind]
            word = reader.field(word, struct, member)
            kind = context.view.type_name(word)
        if kind == _CURSOR:  # its first word (Modules/_sqlite/cursor.h, 3.8 to 3.15)
            word = reader.u64(word + (reader.layout.size("PyObject") or 16))
            kind = context.view.type_name(word)
    except (UnreadableMemory, LayoutError):
        return
    if kind == CONNECTION:
        yield word


def _connection_locks(context: HangContext, connection: int) -> _ConnectionLocks | None:
    """Return how a connection has locked its main database; None where that cannot be read."""
    target = context.target
    database = read_u64(target, connection + (context.view.reader.layout.size("PyObject") or 16))
    vfs = _read_word(target, database, 0)
    tree = _read_word(target, _read_word(target, database, 4), 1)  # sqlite3.aDb[0].pBt
    shared = _read_word(target, tree, 1)
    pager = _read_word(target, shared, 0)
    if not vfs or _read_word(target, tree, 0) != database or _read_word(target, pager, 0) != vfs:
        return None
    for place in range(1, MAX_WORDS):
        file = _read_word(target, pager, place)
        inode = _read_word(target, file, 2) if file and _read_word(target, file, 1) == vfs else None
        number = read_u32(target, file + 24) if file and inode else None
        if not file or not inode or number is None or number >= MAX_NUMBER:
            continue
        own, holding = read_u32(target, file + 28), read_u32(target, inode + 24)
        highest = read_u32(target, inode + 32)  # behind how many locks there are
        if own is None or highest is None or not 0 < (holding or 0) < MAX_NUMBER:
            return None
        held = _ConnectionLocks(inode, own & 0xFF, highest & 0xFF, holding or 0)
        return held if held.own <= held.highest <= _EXCLUSIVE else None
    return None


def _read_word(target: Target, address: int | None, place: int) -> int | None:
    return read_u64(target, address + 8 * place) if address and not address & 7 else None
