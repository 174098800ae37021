# SPDX-License-Identifier: Apache-2.0
"""What every lock family looks at, and the registry of families."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.lean import NamedTuple
from gdb_epi.locks.types import ForkEvidence, Vanished, Wait
from gdb_epi.target.api import Target, Thread

# Bytes of memory that one analysis searches for lock objects, at about 2 GB/s. In a forked child a
# name decides what the user sees first; elsewhere it is a convenience.
SEARCH_BUDGET = 128 << 20
SEARCH_BUDGET_FORKED = 2 << 30
SEARCHES_PER_LOCK = 3  # the object, its bound methods, where these lie


class Budget:
    """How many bytes may still be searched; shared by all threads of one analysis."""

    def __init__(self, target: Target, *, forked: bool) -> None:
        dumped = sum(r.dumped for r in target.regions() if "w" in r.perms)
        self._cost = dumped * SEARCHES_PER_LOCK
        # In a forked child one lock is always looked for, however large the process.
        self._left = max(SEARCH_BUDGET_FORKED, self._cost) if forked else SEARCH_BUDGET

    def spend(self) -> bool:
        """Take one lock's search out of the budget; False when nothing is left."""
        if self._left < self._cost:
            return False
        self._left -= self._cost
        return True


class LockContext(NamedTuple):
    """A process as the lock families see it; families append to `soft_errors`."""

    target: Target
    python: PythonState | Absent
    fork: ForkEvidence
    soft_errors: list[SoftError]
    budget: Budget
    vanished: Vanished = Vanished((), False)  # the parent's threads that the fork left behind


Family = Callable[[LockContext, Thread], Iterable[Wait]]
FAMILIES: dict[str, Family] = {}


def family(name: str) -> Callable[[Family], Family]:
    """Register a function (context, thread) -> waits under locks/."""

    def register(function: Family) -> Family:
        known = FAMILIES.get(name)
        if known is not None and known.__code__.co_filename != function.__code__.co_filename:
            raise ValueError(f"lock family {name!r} is registered twice")
        FAMILIES[name] = function
        return function

    return register


def u32(target: Target, address: int) -> int | None:
    """Return an unsigned 32-bit word, or None."""
    try:
        return int.from_bytes(target.read(address, 4), "little")
    except UnreadableMemory:
        return None


def u64(target: Target, address: int) -> int | None:
    """Return an unsigned 64-bit word, or None."""
    try:
        return int.from_bytes(target.read(address, 8), "little")
    except UnreadableMemory:
        return None
