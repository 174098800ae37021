# SPDX-License-Identifier: Apache-2.0
"""Was a lock inherited, or taken by the waiting thread? A bare acquire() leaves no trace.

Both look the same in memory: a lock that stores no owner, and one thread that waits for it. They
differ in whether any vanished thread had to do with the lock: code that takes a lock names it. If
none of their code does, the wait becomes mere information, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.python.call_sites import strings_of
from gdb_epi.locks.types import INFO, PROBABLE_INHERITED, LockWait, VanishedThreads
from gdb_epi.target.api import Target

MAX_FRAMES = 20_000  # of all vanished threads
_TABLES = ("co_names", "co_localsplusnames", "co_varnames", "co_freevars", "co_cellvars")


def demote_unsupported_guesses(
    target: Target,
    python: PythonState | Absent,
    vanished: VanishedThreads,
    waits: Iterable[LockWait],
) -> list[LockWait]:
    """Return the waits; a guess that no vanished thread supports becomes mere information."""
    all_waits = list(waits)
    if isinstance(python, Absent) or not any(_guessed(wait) for wait in all_waits):
        return all_waits
    named = _names(MemoryReader(target, python.layout), vanished)
    return [_doubted(wait, named) if _guessed(wait) else wait for wait in all_waits]


def _guessed(wait: LockWait) -> bool:
    return wait.verdict == PROBABLE_INHERITED and wait.confidence != INFO


def _doubted(wait: LockWait, named: set[str]) -> LockWait:
    if wait.name is not None and wait.name.rpartition(".")[2] in named:
        evidence = f"code that a vanished thread ran names {wait.name.rpartition('.')[2]!r}"
        return wait._replace(evidence=(*wait.evidence, evidence))
    evidence = (
        "as well this thread may have taken it by acquire() after the fork: no code that a "
        "vanished thread ran names it"
    )
    return wait._replace(confidence=INFO, evidence=(*wait.evidence, evidence))


def _names(reader: MemoryReader, vanished: VanishedThreads) -> set[str]:
    """Return every name in the code objects that the vanished threads ran."""
    frames = (frame for thread in vanished.threads for frame in thread.frames)
    names: set[str] = set()
    for code in {frame.code for frame in islice(frames, MAX_FRAMES) if frame.code}:
        for table in _TABLES:
            with suppress(UnreadableMemory, LayoutError):
                names.update(strings_of(reader, code, table))
    return names
