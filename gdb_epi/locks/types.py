# SPDX-License-Identifier: Apache-2.0
"""What the lock analyser says: waits, owners, and whether this process is a forked child."""

from __future__ import annotations

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import SoftError
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.running.tracebacks import TracebackLine

# The verdicts that a wait can get.
INHERITED_OWNER_VANISHED = "inherited-owner-vanished"
OWN_LOCK_UNDER_OLD_TID = "own-lock-under-old-tid"
PROBABLE_INHERITED = "probable-inherited"
LIVE_HOLDER = "live-holder"
SELF_DEADLOCK = "self-deadlock"
INHERITED_HOLDER_FRAME_VANISHED = "inherited-holder-frame-vanished"
INHERITED_INTERNAL_LOCK = "inherited-internal-lock"
GIL_INHERITED = "gil-inherited"
LOST_WAKEUP = "lost-wakeup"
CYCLE = "cycle"
OTHER_PROCESS = "other-process"
UNKNOWN = "unknown"

# Verdicts that say: the lock came held through a fork, and nobody here can release it.
INHERITED_VERDICTS = frozenset(
    (INHERITED_OWNER_VANISHED, INHERITED_HOLDER_FRAME_VANISHED, INHERITED_INTERNAL_LOCK,
     GIL_INHERITED, OWN_LOCK_UNDER_OLD_TID, PROBABLE_INHERITED)
)  # fmt: skip

CERTAIN, PROBABLE, INFO = "certain", "probable", "info"


# Kinds of waits.
GIL = "GIL"  # the global interpreter lock
CONDITION = "pthread condition variable"
NATIVE_NOTIFICATION = "notification of native code"  # parked until another thread wakes it
FUTEX_WORD = "futex word"  # of no kind that is known
STATIC, ONCE = "guard of a static variable", "pthread_once_t"
INITIALISED = (STATIC, ONCE)
JOINS = frozenset(("Thread.join", "pthread_join"))


def function_and_line(frame: PyFrame | TracebackLine) -> str:
    """Return "function (file:line)"."""
    file = frame.filename.rpartition("/")[2]
    return f"{frame.qualname or frame.name} ({file}:{frame.lineno or '?'})"


class ForkSign(NamedTuple):
    """One sign of a fork: its name (F1 ...), what it says, how sure it is."""

    name: str
    says: str
    sure: str  # "certain", "strong", "weak"


class ForkReading(NamedTuple):
    """One sign as it was read: its name (F1 ...), its state, what it says, how sure it is.

    `state`: "yes" speaks for a fork, "no" against one, "info" for neither, "unclear" has two
    readings, "unreadable" could not be looked at (`says` tells why).
    """

    name: str
    state: str
    says: str
    sure: str


class ForkEvidence(NamedTuple):
    """Whether this process was forked without exec, and from what.

    None means unknown. `depth` counts glibc's fork() since exec. `lineage` is a hash that
    a process shares with its forked children, never the secret words themselves.
    """

    forked: bool | None
    depth: int | None
    parent_multithreaded: bool | None
    from_main_thread: bool | None
    hooks_bypassed: bool | None
    in_fork_handlers: bool | None
    lineage: str | None
    signals: tuple[ForkSign, ...]
    old_tids: tuple[int, ...] = ()  # the parent's thread ids: vanished ones and the forker's
    readings: tuple[ForkReading, ...] = ()  # every sign, F1 to F15
    forker_old_tid: int | None = None  # the number in the parent of the thread that forked
    started_by: str | None = None  # multiprocessing's start method, name and parent


class VanishedThread(NamedTuple):
    """A thread of the parent that this forked child does not have.

    `frames` are its Python frames at the fork, innermost first; `how` says where they come from
    ("thread state", "freed thread state", "frames on its stack"), `missing` why there are none.
    `stack` is the mapping of its stack. A number that is unknown is None.
    """

    ident: int | None  # pthread_t: the address of its descriptor
    tid: int | None  # its thread id in the parent
    name: str | None  # threading.Thread.name
    stack: tuple[int, int] | None
    module: str | None  # path of the object that has what pthread_create() was given
    frames: tuple[PyFrame, ...]
    how: str
    missing: str
    is_main: bool = False  # the parent's main thread
    type_name: str | None = None  # of its threading.Thread object


class VanishedThreads(NamedTuple):
    """The threads that vanished. `at_least`: more may have, their stacks are gone or reused."""

    threads: tuple[VanishedThread, ...]
    at_least: bool
    soft_errors: tuple[SoftError, ...] = ()

    def find(self, *, ident: int | None = None, tid: int | None = None) -> VanishedThread | None:
        """Return the vanished thread with this pthread_t or old thread id."""
        for thread in self.threads:
            if (ident and thread.ident == ident) or (tid and thread.tid == tid):
                return thread
        return None


class ThreadInForkHandlers(NamedTuple):
    """A thread inside the handlers that run around a fork, or between fork and exec.

    `stage`: "pthread_atfork handlers", "CPython's own re-initialisation", "Python hook" or
    "before exec". `frame` is the Python hook's own frame.
    """

    tid: int
    stage: str
    when: str  # "before the fork", "in the child", "in the parent"
    where: str  # the function
    sure: str
    says: str
    frame: PyFrame | None = None


class LockOwner(NamedTuple):
    """Who holds a lock. `state`: live, vanished, forker-old-tid, other-process, none, unknown."""

    tid: int | None = None
    ident: int | None = None
    thread_name: str | None = None
    state: str = "unknown"


class LockWait(NamedTuple):
    """One thread that waits for one lock. Addresses as in the process."""

    tid: int
    address: int
    kind: str
    name: str | None
    object: int | None
    owner: LockOwner
    verdict: str
    confidence: str
    evidence: tuple[str, ...]
    timed: bool = False  # the wait has a timeout: it ends by itself
    in_handler: bool = False  # of a signal, which interrupted the code that has the lock
    doubt: str = ""  # behind "held by NAME": in which case that thread does not hold it


def lock_phrase(kind: str, name: str | None, *, with_kind: bool = False) -> str:
    """Return how a sentence names a lock: its name and, on demand, its kind; else the kind alone.

    One of the C library is named by who takes it ("in free()"): "the malloc arena in free()".
    """
    if not name:
        return "a lock of unknown kind" if kind == FUTEX_WORD else f"a {kind}"
    if name.startswith("in "):
        return f"the {kind} {name}"
    aside = f", a {kind}" if "(" in kind else f" ({kind})"
    return f"{name}{aside if with_kind else ''}"


class HeldLock(NamedTuple):
    """A Python lock that a frame is inside a `with` block of; `where` is that frame."""

    address: int  # PyObject * of the lock
    kind: str
    name: str | None
    owner: LockOwner
    waiters: tuple[int, ...]  # thread ids
    where: str


class WaitCycle(NamedTuple):
    """Threads that wait for each other, each for the next one; the lowest id comes first."""

    tids: tuple[int, ...]
    kinds: tuple[str, ...]  # what each of them waits for
    confidence: str

    def has_gil(self) -> bool:
        """Tell whether the GIL is one of the locks."""
        return GIL in self.kinds


class ThreadRunState(NamedTuple):
    """What one thread does. `state`: "futex", "system call", "running" or "unknown"."""

    tid: int
    state: str
    call: str  # name of the system call, "" outside of one
    evidence: str


class LockReport(NamedTuple):
    """All that was found; a part that could not be had is in `soft_errors`."""

    fork: ForkEvidence
    waits: tuple[LockWait, ...]
    soft_errors: tuple[SoftError, ...]
    vanished: VanishedThreads = VanishedThreads((), False)
    handlers: ThreadInForkHandlers | None = None
    cycles: tuple[WaitCycle, ...] = ()
    held: tuple[HeldLock, ...] = ()
    activities: tuple[ThreadRunState, ...] = ()
