# SPDX-License-Identifier: Apache-2.0
"""What every lock family looks at, and the registry of families."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, SoftError
from gdb_epi.locks.types import ForkEvidence, LockWait, VanishedThreads
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.libc import runs_on_musl
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.locks.python.acquire_calls import AcquireCalls
    from gdb_epi.locks.python.python_view import PythonView

PRIVATE = 0x80  # FUTEX_PRIVATE_FLAG (linux/futex.h)
CLASSIFIERS: dict[str, tuple[bool, Classifier]] = {}
FAMILIES: dict[str, Family] = {}


class FutexWait(NamedTuple):
    """The system call that a thread is stopped in."""

    tid: int
    address: int
    operation: int
    value: int
    proof: str
    timed: bool = False

    @property
    def may_be_shared(self) -> bool:
        """Whether the word may be shared with another process."""
        return not self.operation & PRIVATE


class LockContext:
    """A process as the lock families see it; families append to `soft_errors`."""

    def __init__(
        self,
        target: Target,
        python: PythonState | Absent,
        fork: ForkEvidence,
        soft_errors: list[SoftError],
        vanished: VanishedThreads,
    ) -> None:
        self.target = target
        self.python = python
        self.fork = fork
        self.soft_errors = soft_errors
        self.vanished = vanished  # the parent's threads that the fork left behind

    @cached_property
    def runs_on_musl(self) -> bool:
        """Whether the words of C locks are musl's, not glibc's."""
        return runs_on_musl(self.target)

    @cached_property
    def unwinder(self) -> Unwinder:
        """The native frames of threads, by unwind tables."""
        return Unwinder(self.target, FunctionBounds(self.target))

    @cached_property
    def pthreads_by_tid(self) -> dict[int, int]:
        """{thread id: pthread_t} of the living threads; 0 where the core does not say."""
        threads = self.target.threads()
        return {thread.tid: thread.ident for thread in threads}

    @cached_property
    def _tids_by_pthread(self) -> dict[int, int]:
        return {base: tid for tid, base in self.pthreads_by_tid.items() if base}

    def tid_of_pthread(self, base: int) -> int | None:
        """Return the thread id of the living thread with this pthread_t."""
        return self._tids_by_pthread.get(base)

    @cached_property
    def python_view(self) -> PythonView | None:
        """The Python side. None without CPython, or with a layout that lacks a part."""
        if isinstance(self.python, Absent):
            return None
        from gdb_epi.locks.python.python_view import PythonView

        try:
            return PythonView(self.target, self.python, self.vanished)
        except LayoutError as error:
            self.soft_errors.append(SoftError("locks", "Python", str(error)))
            return None

    @cached_property
    def acquire_calls(self) -> AcquireCalls | None:
        """What code did to locks by hand; imported where a lock has no other holder."""
        if self.python_view is None:
            return None
        from gdb_epi.locks.python.acquire_calls import AcquireCalls

        return AcquireCalls(self.python_view)


class LockGuess(NamedTuple):
    """What a classifier makes of a futex wait; who owns it is settled later.

    `owner_tid` and `owner_ident` (pthread_t) are what the lock's own words say. `anonymous`: a
    lock of a kind that stores no owner. `event`: no one owns such an object; someone has to arrive.
    `free`: the lock itself says that nobody holds it at this moment. `by_frames`: not the lock's
    words but the threads' stacks name `owner_tid`.
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
    by_frames: bool = False
    evidence: tuple[str, ...] = ()


Classifier = Callable[[LockContext, Thread, FutexWait], "LockGuess | None"]


def futex_classifier(order: int, *, of_libc: bool = False) -> Callable[[Classifier], Classifier]:
    """Register a function that tells what a futex word belongs to; lower orders are asked first.

    `of_libc`: it knows locks that only the C library's own functions sleep on, by their words. It
    is not asked where other code made the system call: any words can look like such a lock.
    """

    def register(function: Classifier) -> Classifier:
        name = f"{order:03} {function.__module__}.{function.__qualname__}"
        CLASSIFIERS[name] = (of_libc, function)
        return function

    return register


Family = Callable[[LockContext, Thread], Iterable[LockWait]]


def lock_family(name: str) -> Callable[[Family], Family]:
    """Register a function (context, thread) -> waits of threads that sleep in no futex call.

    Raises ValueError when another file has registered the name.
    """

    def register(function: Family) -> Family:
        registered = FAMILIES.get(name)
        if registered and registered.__code__.co_filename != function.__code__.co_filename:
            raise ValueError(f"lock family {name!r} is registered twice")
        FAMILIES[name] = function
        return function

    return register
