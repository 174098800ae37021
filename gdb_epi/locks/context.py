# SPDX-License-Identifier: Apache-2.0
"""What every lock family looks at, and the registry of families."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.locks.types import ForkEvidence, Vanished, Wait
from gdb_epi.target.api import Target, Thread
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.runtime.gil import Gil
    from gdb_epi.locks.python.view import LockWorld

PRIVATE = 0x80  # FUTEX_PRIVATE_FLAG (linux/futex.h)


class FutexWait(NamedTuple):
    """The system call that a thread is stopped in."""

    tid: int
    address: int
    operation: int
    value: int
    proof: str
    timed: bool = False

    @property
    def shared(self) -> bool:
        """Whether the word may be shared with another process."""
        return not self.operation & PRIVATE


class Lazy:
    """What the families share and build on first use."""

    def __init__(self) -> None:
        self._world: LockWorld | None = None
        self._tried = False
        self._bases: dict[int, int] | None = None
        self._tids: dict[int, int] = {}
        self.gils: dict[int, Gil | None] = {}  # by interpreter

    def bases(self, context: LockContext) -> dict[int, int]:
        """Return {thread id: fs_base} of the living threads; 0 where the core does not say."""
        if self._bases is None:
            threads = context.target.threads()
            self._bases = {one.tid: one.registers.get("fs_base", 0) for one in threads}
            self._tids = {base: tid for tid, base in self._bases.items() if base}
        return self._bases

    def by_base(self, context: LockContext, base: int) -> int | None:
        """Return the living thread with this pthread_t."""
        self.bases(context)
        return self._tids.get(base)

    def world(self, context: LockContext) -> LockWorld | None:
        """Return the LockWorld of a context."""
        if not self._tried:
            self._tried = True
            if isinstance(context.python, PythonState):
                from gdb_epi.locks.python.view import LockWorld

                try:
                    self._world = LockWorld(context.target, context.python, context.vanished)
                except LayoutError as error:
                    context.soft_errors.append(SoftError("locks", "Python", str(error)))
        return self._world


class LockContext(NamedTuple):
    """A process as the lock families see it; families append to `soft_errors`."""

    target: Target
    python: PythonState | Absent
    fork: ForkEvidence
    soft_errors: list[SoftError]
    vanished: Vanished  # the parent's threads that the fork left behind
    lazy: Lazy

    @property
    def world(self) -> LockWorld | None:
        """The Python side, built once. None without CPython, or with a layout that lacks a part."""
        return self.lazy.world(self)


class Guess(NamedTuple):
    """What a classifier makes of a futex wait; who owns it is settled later.

    `owner_tid` and `owner_ident` (pthread_t) are what the lock's own words say. `anonymous`: a
    lock of a kind that stores no owner. `event`: nobody owns such a thing, somebody has to come.
    `free`: the lock itself says that nobody holds it at this moment.
    """

    kind: str
    name: str | None = None
    object: int | None = None
    owner_tid: int | None = None
    owner_ident: int | None = None
    shared: bool = False
    anonymous: bool = False
    event: bool = False
    free: bool = False
    unattended: bool = False  # of an event: no living thread is of those that could come
    internal: bool = False
    lock: int | None = None  # PyObject * of the Python lock, to look for its holders
    evidence: tuple[str, ...] = ()


Classifier = Callable[[LockContext, Thread, FutexWait], "Guess | None"]
CLASSIFIERS: dict[str, tuple[bool, Classifier]] = {}


def classifier(order: int, *, of_libc: bool = False) -> Callable[[Classifier], Classifier]:
    """Register a function that tells what a futex word belongs to; lower orders are asked first.

    `of_libc`: it knows locks that only the C library's own functions sleep on, by their words. It
    is not asked where other code made the system call: any words can look like such a lock.
    """

    def register(function: Classifier) -> Classifier:
        name = f"{order:03} {function.__module__}.{function.__qualname__}"
        CLASSIFIERS[name] = (of_libc, function)
        return function

    return register


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
