# SPDX-License-Identifier: Apache-2.0
"""What one thread is doing, and the answer for the whole process."""

from __future__ import annotations

from gdb_epi.cpython.types import PyFrame
from gdb_epi.locks.types import PROBABLE
from gdb_epi.locks.types import function_and_line as function_and_line
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import quoted_name

# What a thread is doing.
PYTHON, NATIVE, GIL = "runs Python", "runs native code", "waits for the GIL"
LOCK, EVENT, JOIN = "lock", "event", "join"
CHILD, READ, WRITE, ACCEPT, POLL = "child", "read", "write", "accept", "poll"
FILE_LOCK, DATABASE, SLEEP, SIGNAL, OTHER = "file lock", "database", "sleep", "signal", "other"
WORK = "works on memory or a file"  # of a call, not of a thread: that runs
RUNNING = frozenset((PYTHON, NATIVE))
FED = frozenset((READ, ACCEPT, POLL))  # what clients and peers end

MAIN_THREAD = "the main thread"  # where threading, which gives names, was not imported
OF_EVENT_LOOP = "the event loop of "  # begins the answer for a loop that sleeps
SECONDS_OF_YEAR = 31_557_600
OF_BARRIER = "parties of a barrier"
THREAD_AND_TASKS = "a thread and "  # begins the answer for a circle of both
OF_ZMQ_CONTEXT = "the end of a ZeroMQ context, which open sockets or unsent messages prevent"
IN_CALL = "was in the system call "  # of a thread that a signal met there, and of no known wait
ASLEEP = "asleep between two turns of a loop"  # as services are, and code that polls in vain
# Labels of answers, as the verdict has them.
DEADLOCK, HANG, NO_FAULT, CANNOT_TELL = "deadlock", "hang", "no-fault", "cannot-tell"
# What mends a hang, where its kind alone does not say it: the fact `fix` of the finding.
SET_TIMEOUT, FROM_OUTSIDE, LEAVE_BLOCK = "set a timeout", "call_soon_threadsafe", "leave the block"
READ_OUTPUT, ONLY_SET_FLAG = "read the output", "only set a flag"
LEAVE_OUT = "leave the task out"
TO_THREAD = "run in a thread "  # and the name of a function that is no coroutine
LOOK_FIRST, READ_MEANWHILE = "look before the wait", "read the pipe in a thread"
WAIT_WITHOUT_LOCK = "wait without the lock"
END_TRANSACTION = "end the other connection's transaction"
UNSEEN_END = "may be endless"  # a kind of hang that is told and speaks for nothing
_NATIVE_CODE = "native code"
# Who may end a wait and only be slow (live/who_may_end_waits.py): before "looks the same".
SLOW_PEER, LATE_CLIENT = "a peer that is only slow", "a client that only comes late"
SLOW_CHILD = "a child process that is only slow"
OTHER_PROCESS = "another process that is only slow"
HOLDER = "a holder that works and gives it back"
KEEPER = "a program that is parked until a signal ends it"
SERVICE = "a service that waits for a signal"
HANDLED_SIGNAL = "a signal that the program handles"
NATIVE_THREAD = "a native thread that is only slow"
CANCELLING_TASK = "a task that cancels one of them later"
TIMEOUT_AROUND = "a timeout around that wait"
LATER_THREAD = "a thread that ends it only later"
LATER_RELEASE = "a thread that releases it only later"
WATCHDOG = "a thread that breaks it off later"
TIME_LIMIT = "a time limit of the program"
FILE_GROWS = "another process that writes to that file later"
BUFFER_FILLED = "native code that fills that buffer later"
UNREAD_CODE = "code that cannot be read here"
LONG_QUERY = "a long query over rows that are in no circle"
# Beside these there is no other side to look at.
WITHIN = frozenset((KEEPER, SERVICE, HANDLED_SIGNAL, NATIVE_THREAD, CANCELLING_TASK,
                    TIMEOUT_AROUND, LATER_THREAD, LATER_RELEASE, WATCHDOG, TIME_LIMIT,
                    BUFFER_FILLED, UNREAD_CODE, LONG_QUERY))  # fmt: skip
MAY_BE_IDLE = "may be idle"  # a kind of no fault
UNTIL_SIGNAL = "until a signal"  # of a thread that another one waits for
INHERITED = "fork-inherited-lock"


class ThreadActivity(NamedTuple):
    """What one thread is doing. `what` is a phrase: "for the lock A", "socket 5 (TCP)".

    `object` is the Python object that it waits for (PyObject *), 0 when there is none or it is not
    known; `target` is the thread, process or descriptor that it waits for. `timed`: the wait ends
    by itself. `place` is the library function that waits, "" when the program's own code does.
    Rules should test `awaits`, from the row in library_calls.py: `what` may contain names from the
    core.
    """

    tid: int
    name: str | None
    kind: str
    what: str = ""
    object: int = 0
    target: int | None = None
    timed: bool = False
    place: str = ""
    awaits: str = ""
    frames: tuple[PyFrame, ...] = ()  # the program's own, innermost first
    helper: bool = False  # all of its frames belong to a library: it works for other threads
    label: str = ""  # what it waits for, by kind and name, the same in every run
    key_frames: tuple[PyFrame, ...] = ()  # from the endless loop outward; empty: use `frames`
    module: str = ""  # the library whose native code sleeps or runs
    call: str = ""  # the system call
    watched: tuple[int, ...] = ()  # descriptors of poll() and select()
    is_main: bool = False
    task: tuple[int, str] = (0, "")  # of its event loop, whose wait this is: address and name

    def where(self) -> str:
        """Return "function (file:line)" of the program's innermost frame, or a substitute."""
        return (
            function_and_line(self.frames[0])
            if self.frames
            else self.place or self.module or _NATIVE_CODE
        )

    def who(self) -> str:
        """Return the thread's name for use in a sentence."""
        return quoted_name(self.name) or (MAIN_THREAD if self.is_main else f"thread {self.tid}")

    def waits(self) -> str:
        """Return "NAME waits at function (file:line)", the beginning of a sentence."""
        where = self.where()
        return (
            f"{self.who()} waits {'in' if where in (_NATIVE_CODE, self.module) else 'at'} {where}"
        )

    def awaited_text(self) -> str:
        """Return what it waits for, as it stands behind "waits for"."""
        return f"data on {self.what}" if self.kind == READ and not self.awaits else self.what


class PolledCondition(NamedTuple):
    """What a loop asks between its sleeps: a method of an object, 0 where that is not known.

    `words` are the names that its test is made of; of a test of variables `method` is "", `objects`
    are those that they have, and `is_plain` tells that no code is called to get them.
    """

    method: str
    object: int
    words: tuple[str, ...]
    objects: tuple[int, ...] = ()
    is_plain: bool = True


class HangDiagnosis(NamedTuple):
    """The answer to "is it stuck?" for the whole process.

    `kind` classifies it ("lock order", "pipe", "busy", ...); `sentence` says in plain words who
    waits for what, and where. `members` are the threads that it is about: those of a cycle, or one
    thread. `ruled_out` names innocent causes that were ruled out, `open` those that were not or
    could not be. `fix` is one of the words above, "" where the kind says enough. `settled`: what
    such waits wait for outside of this process is here, or gone. `outside` is who beside
    the members may end the wait and only be slow, "" for nobody (live/who_may_end_waits.py).
    `by_itself`: only the thread or task that waits could end its wait.
    `ends` is what ends a wait of this sort after some time all the same, as in "after 3 s".
    `look_at` is the process that knows why, where it is no child that a member waits for.
    `read` are the objects (PyObject *) at which a loop looks, that others could change.
    """

    label: str
    kind: str
    sentence: str
    members: tuple[ThreadActivity, ...]
    sure: str  # "certain", "probable", "info"
    evidence: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    fix: str = ""
    settled: bool = False
    outside: str = ""
    by_itself: bool = False
    ends: str = ""
    look_at: int = 0
    read: frozenset[int] = frozenset()


def wait_diagnosis(
    label: str, kind: str, sentence: str, activity: ThreadActivity, sure: str = PROBABLE, *,
    evidence: tuple[str, ...] = (), ruled_out: tuple[str, ...] = (), doubts: tuple[str, ...] = (),
    fix: str = "", settled: bool = False, ends: str = "",
) -> HangDiagnosis:  # fmt: skip
    """Return an answer that rests on one thread's wait."""
    seen = f"thread {activity.tid} is in {activity.call}" if activity.call else ""
    observed = tuple(filter(None, (seen, *evidence)))
    return HangDiagnosis(
        label, kind, sentence, (activity,), sure, observed, ruled_out, doubts, fix, settled,
        ends=ends,
    )  # fmt: skip


def idle_diagnosis(activity: ThreadActivity, sentence: str) -> HangDiagnosis:
    """Return the answer for a thread that waits for work."""
    ruled_out = ("a thread that waits for a lock or for another process",)
    return wait_diagnosis(NO_FAULT, "idle", sentence, activity, ruled_out=ruled_out)
