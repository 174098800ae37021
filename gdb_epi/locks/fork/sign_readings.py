# SPDX-License-Identifier: Apache-2.0
"""Where the readings of the signs of a fork are collected."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.locks.fork.thread_objects import ThreadObject
from gdb_epi.locks.types import ForkReading
from gdb_epi.target.api import Target, pid_of

CERTAIN, STRONG, WEAK = "certain", "strong", "weak"
# Without these a fork may be missed; the others only say more about it.
_TELLING = frozenset(("F1", "F2", "F3", "F5", "F7"))
YES, NO, INFO, UNCLEAR, UNREADABLE = "yes", "no", "info", "unclear", "unreadable"


class ForkSignReadings:
    """One process while its signs are read; each sign gets exactly one reading."""

    def __init__(self, target: Target, python: PythonState | Absent) -> None:
        self.target = target
        self.python = python
        self.threads = target.threads()
        self.live = {t.ident for t in self.threads if t.ident}
        self.readings: dict[str, ForkReading] = {}
        self.generation: int | None = None
        self.from_main: bool | None = None
        self.raw_clone = False
        self.own_tid: int | None = None  # what glibc stored for the leader
        self.other_view = False  # the core's process ids are not those that the process saw
        self.orphans: set[int] = set()  # pthread_t of threads that are not in the core
        self.old_tids: set[int] = set()
        # What threading knows; None: not read.
        self.thread_objects: tuple[ThreadObject, ...] | None = None
        self.started_by: str | None = None  # what multiprocessing says about this process
        self.forker: int | None = None  # what the forking thread was called in the parent

    @property
    def all_bases_known(self) -> bool:
        """Whether every LWP has a pthread_t of its own: else nothing is "not in the core"."""
        return bool(self.live) and len(self.live) == len(self.threads)

    @property
    def pid(self) -> int | None:
        """The number of the process, as the core has it."""
        return pid_of(self.target)

    @property
    def leader_base(self) -> int | None:
        """Return the pthread_t of the LWP that has the process's number."""
        pid = self.pid
        return next((t.ident for t in self.threads if t.tid == pid), None)

    def yes(self, name: str, says: str, sure: str) -> None:
        """Record a sign that speaks for a fork."""
        self.readings[name] = ForkReading(name, YES, says, sure)

    def no(self, name: str, says: str, sure: str = CERTAIN) -> None:
        """Record a sign that was looked at and is not there."""
        self.readings[name] = ForkReading(name, NO, says, sure)

    def info(self, name: str, says: str, sure: str = CERTAIN) -> None:
        """Record a reading that speaks neither for nor against a fork."""
        self.readings[name] = ForkReading(name, INFO, says, sure)

    def unclear(self, name: str, says: str) -> None:
        """Record a reading that has two explanations."""
        self.readings[name] = ForkReading(name, UNCLEAR, says, WEAK)

    def unreadable(self, name: str, why: str) -> None:
        """Record that a sign could not be looked at, and why."""
        self.readings[name] = ForkReading(name, UNREADABLE, why, "")

    def state(self, name: str) -> str | None:
        """Return the state of a sign, or None when it was not read."""
        reading = self.readings.get(name)
        return None if reading is None else reading.state

    def saying(self, state: str) -> set[str]:
        """Return the names of the signs in a state."""
        return {reading.name for reading in self.readings.values() if reading.state == state}

    def soft_errors(self) -> list[SoftError]:
        """Return the telling signs that could not be read; `ForkEvidence.readings` has the others.

        Without CPython its signs are not missing: there is nothing to read.
        """
        telling = _TELLING - {"F7"} if isinstance(self.python, Absent) else _TELLING
        unread = (reading for reading in self.readings.values() if reading.state == UNREADABLE)
        return [SoftError("fork", r.name, r.says) for r in unread if r.name in telling]
