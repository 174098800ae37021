# SPDX-License-Identifier: Apache-2.0
"""What the one-screen answer says of a fork: who held the lock, and what that thread was doing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.lean import Any
from gdb_epi.words import counted

MAX_FRAMES = 6  # of the holder
MAX_OTHERS = 4  # vanished threads that are named when no holder is known
# The threading module's own frames say how a thread waits, not what the program was doing.
_PLUMBING = ("threading",)
_GUESSED = frozenset(("probable-inherited", "inherited-internal-lock", "lost-wakeup"))

Json = Mapping[str, Any]


def fork_lines(record: Json) -> Iterator[str]:
    """Yield what is worth a line of the screen: handlers and pools without workers."""
    fork = record.get("fork") or {}
    handlers = fork.get("handlers")
    if handlers:
        yield (
            f"  thread {handlers.get('tid')} is in {handlers.get('stage')} "
            f"{handlers.get('when')}: {handlers.get('where')}"
        )
    for pool in list(fork.get("pools") or ())[:2]:
        workers = counted(pool.get("workers"), "thread")
        yield f"  without workers here: {pool.get('kind')} ({workers})"


def holder_lines(record: Json, wait: Json) -> Iterator[str]:
    """Yield the Python code that held a lock when the process forked."""
    vanished = (record.get("fork") or {}).get("vanished") or {}
    threads: Sequence[Json] = vanished.get("threads") or ()
    index = wait.get("holder_vanished")
    if isinstance(index, int) and 0 <= index < len(threads):
        one = threads[index]
        yield f"    Held at the fork by {_who(one)}, which was in"
        yield from _frames(one)
        return
    if wait.get("verdict") in _GUESSED and threads:
        least = "at least " if vanished.get("at_least") else ""
        more = counted(vanished.get("count"), "more thread")
        yield f"    At the fork the parent had {least}{more}:"
        for one in threads[:MAX_OTHERS]:
            frame = next(iter(_telling(one)), None)
            where = "" if frame is None else f" in {_place(frame)}"
            yield f"      {_who(one)}{where or ' (' + str(one.get('missing')) + ')'}"


def _who(thread: Json) -> str:
    name = f' "{thread.get("name")}"' if thread.get("name") else ""
    number = f" (number {thread.get('tid')} in the parent)" if thread.get("tid") else ""
    return f"the vanished thread{name}{number}"


def _telling(thread: Json) -> list[Json]:
    frames = [f for f in thread.get("frames") or () if not f.get("hole")]
    return [f for f in frames if f.get("module") not in _PLUMBING] or frames


def _frames(thread: Json) -> Iterator[str]:
    telling = _telling(thread)
    for frame in telling[:MAX_FRAMES]:
        yield f"      {_place(frame)}"
    if len(telling) > MAX_FRAMES:
        yield f"      and {len(telling) - MAX_FRAMES} more: epi fork"
    if not telling:
        yield f"      (no Python frames: {thread.get('missing')})"


def _place(frame: Json) -> str:
    name = frame.get("qualname") or frame.get("name")
    return f"{name}  {frame.get('filename')}:{frame.get('lineno') or '?'}"
