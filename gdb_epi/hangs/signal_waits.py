# SPDX-License-Identifier: Apache-2.0
"""Who sent a signal; those that do not arrive: taken by another thread, blocked in a child.

Also waits in a handler.

The kernel gives a signal of the process to the main thread unless that blocks it, and its handler
takes the signal away from sigwait() (kernel/signal.c, complete_signal). So sigwait(3) asks that all
threads block the signals. The core has the mask of each (NT_PRSTATUS, pr_sighold). A child has the
mask of the thread that made it: SIGTERM may not end it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from signal import SIGCHLD, SIGTERM

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.signals import MAX_SIGNAL, signal_name
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.effects import CodeEffects
from gdb_epi.hangs.types import (
    DEADLOCK,
    HANG,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import methods_ending_wait
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import default_when_unreadable

# os.kill(), os.killpg(), signal.pthread_kill(), signal.pidfd_send_signal(), Process.send_signal().
# faulthandler is none of them: it raises the signal in the thread that it is in.
SENDS = frozenset(("kill", "killpg", "pthread_kill", "send_signal", "pidfd_send_signal"))
MAX_INNER = 4  # frames: a helper or two between a watchdog's loop and its call
MAX_CALLERS = 8  # of a wait for a child, that may have called terminate()
_REAPS = frozenset(("wait", "waitpid", "wait3", "wait4"))
_BLOCKS = frozenset(("pthread_sigmask",))
Answer = Callable[[HangContext, ThreadActivity], "HangDiagnosis | None"]

_WAITS = (
    hang_types.LOCK,
    hang_types.EVENT,
    hang_types.JOIN,
    hang_types.CHILD,
    hang_types.READ,
    hang_types.WRITE,
    hang_types.ACCEPT,
    hang_types.FILE_LOCK,
    hang_types.DATABASE,
)


class SignalSender(NamedTuple):
    """A thread whose Python code sends signals; `surely` where it runs that call now."""

    tid: int
    name: str
    frame: PyFrame
    surely: bool


def find_signal_sender(context: HangContext, taker: int) -> SignalSender | None:
    """Return the thread that sent the process the signal which a thread took.

    A thread that runs the call goes before one that called it earlier in its loop or function.
    """
    others = sorted(pair for pair in context.view.all_frames().items() if pair[0] != taker)
    for surely in (True, False):
        for tid, frames in others:
            for frame in frames[:MAX_INNER]:
                names = (
                    {context.running_call_name(frame)}
                    if surely
                    else context.names_called_before(frame)
                )
                if names & SENDS:
                    activity = context.activity_of_thread(tid)
                    name = activity.who() if activity is not None else f"thread {tid}"
                    return SignalSender(tid, name, frame, surely)
    return None


def find_signal_that_ends_wait(
    address: int, enders: Collection[str], reached: Mapping[int, tuple[CodeEffects, CodeEffects]]
) -> tuple[str, bool]:
    """Return the signal whose handler ends a wait for an object, and whether it does so surely.

    `enders` are the object's methods that end such a wait, `reached` what each handler does, and
    may do. "" for none. A handler whose code cannot be followed, or which calls such a method of an
    object that is not known, is not sure.
    """
    unsure = ""
    for number, (does, may) in sorted(reached.items()):
        if does.surely_calls_any(address, enders):
            return signal_name(number), True
        unsure = unsure or (signal_name(number) if may.calls_any(address, enders) else "")
    return unsure, False


def find_signal_that_ends_thread_wait(
    context: HangContext, activity: ThreadActivity
) -> tuple[str, bool]:
    """Return the signal whose handler ends a thread's wait, and whether it does so surely."""
    if not activity.object or not context.effects_of_signal_handlers:
        return "", False
    enders = methods_ending_wait(context, activity)
    return find_signal_that_ends_wait(activity.object, enders, context.effects_of_signal_handlers)


def signals_that_may_wake(context: HangContext, loop: int) -> list[int]:
    """Return the signals whose handlers, of the program, may wake an event loop (PyObject *).

    What add_signal_handler() was given runs in the loop, and so does whatever it makes ready. One
    of signal.signal() counts unless all of its code was read and it calls nothing.
    """
    plain = (
        n
        for n, (_, may) in context.effects_of_signal_handlers.items()
        if may.unbounded or may.calls
    )
    return sorted({*context.event_loop_reader.signal_handlers(loop), *plain})


def diagnose_wait_in_signal_handler(context: HangContext, single: Answer) -> HangDiagnosis | None:
    """Return the answer where the main thread waits in a Python handler of a signal.

    What the signal interrupted goes on only when the handler returns: nobody waits for work there.
    `single` answers for one thread's wait.
    """
    activity = context.activity_of_thread(context.main_tid)
    if activity is None or activity.timed or activity.kind not in _WAITS:
        return None
    handled = ((place, context.view.handled_signal(f)) for place, f in enumerate(activity.frames))
    place, number = next(((at, n) for at, n in handled if n is not None), (0, None))
    if number is None:
        return None
    answer = single(context, activity)
    if answer is not None and answer.label in (HANG, DEADLOCK) and answer.sure != INFO:
        return answer
    handler = function_and_line(activity.frames[place])
    outside = activity.frames[place + 1 :]
    interrupted = function_and_line(outside[0]) if outside else "the code that it interrupted"
    what = activity.what or activity.call
    sentence = (
        f"{activity.waits()} for {what}, without a timeout, in the handler of {signal_name(number)}"
        f": {interrupted} goes on only when the handler returns"
    )
    return wait_diagnosis(
        HANG, "signal handler", sentence, activity,
        evidence=(f"{handler} was called with {signal_name(number)} and the interrupted frame",),
        ruled_out=("a timeout", "a wait for work"),
        doubts=("whether what is waited for may yet come",),
    )  # fmt: skip


def diagnose_child_blocking_sigterm(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where a child was told to end by a signal that it cannot take.

    A child has the mask of the thread that started it, through exec() too (sigprocmask(2)); Popen
    does not change it (Modules/_posixsubprocess.c, 3.8 to 3.15). terminate() sends SIGTERM.
    """
    thread = next((t for t in context.target.threads() if t.tid == activity.tid), None)
    blocked = thread.blocked_signals if thread is not None else None
    if not blocked or not blocked >> SIGTERM - 1 & 1:
        return None
    for frame in activity.frames[:MAX_CALLERS]:
        if "terminate" in context.names_called_before(frame, ever=True):
            sentence = (
                f"{waits}, which terminate() told to end; {activity.who()} blocks SIGTERM, and a "
                "child that it started does too: the signal stays pending and the child goes on"
            )
            return wait_diagnosis(
                HANG, "blocked SIGTERM", sentence, activity, PROBABLE,
                evidence=(
                    f"SIGTERM is in the signal mask of thread {activity.tid}",
                    f"{function_and_line(frame)} has called terminate()",
                ),
                doubts=("whether the child has changed its signal mask",),
            )  # fmt: skip
    return None


@default_when_unreadable(None)
def diagnose_one_child_for_each_signal(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a handler of SIGCHLD takes one child, and all are waited for.

    The kernel keeps one pending signal of a number, however often it came (signal(7)): of children
    that end together, as while the signal is blocked, one is taken. A service that pauses for ever
    may have none, or some at work.
    """
    handler = (context.signal_handlers or {}).get(SIGCHLD, 0)
    frame = next(iter(activity.frames), None)
    kind, reader = context.view.type_name(handler) if handler else "", context.view.reader
    if kind == "method":
        handler = reader.field(handler, "PyMethodObject", "im_func")
    if frame is None or kind not in ("method", "function"):
        return None
    sites, code = context.call_sites, context.acquire_calls.as_called_function(handler, 0).code
    calls = sites.calls_of(code)
    reaps = [call for call in calls.calls if call.name in _REAPS]
    loops = [range(first, last + 1) for first, last in calls.loops]
    awaited = [
        body for body in context.loop_bodies(frame) if sites.can_leave_loop(frame.code, body)
    ]
    if not (reaps and awaited) or any(call.at in body for call in reaps for body in loops):
        return None
    blocked = context.live_code.uses_any_name(_BLOCKS, activity.frames)
    return wait_diagnosis(
        HANG, "children reaped one by one", f"{activity.waits()} for a signal until its children "
        f"have ended; the handler of SIGCHLD, {context.live_code.name_of_code(code)}(), takes one "
        "child each time, and of children that end together the kernel may tell once", activity,
        PROBABLE if blocked else INFO,
        evidence=(f"no loop is around the call of {reaps[0].name}() in that handler",),
        doubts=("whether a child still runs is not in this core",),
    )  # fmt: skip


def diagnose_signal_taken_by_main(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where the main thread takes all signals that a thread waits for."""
    threads = {thread.tid: thread for thread in context.target.threads()}
    thread, main = threads.get(activity.tid), threads.get(context.main_tid or 0)
    if activity.call != "rt_sigtimedwait" or thread is None or main is None or thread is main:
        return None
    try:
        wanted = int.from_bytes(context.target.read(thread.system_call_argument(0), 8), "little")
    except UnreadableMemory:
        return None
    own, of_main = thread.blocked_signals, main.blocked_signals
    # A debugger writes empty masks: who waits for a signal blocks it.
    if not wanted or own is None or of_main is None or wanted & ~own or wanted & of_main:
        return None
    names = ", ".join(signal_name(n) for n in range(1, MAX_SIGNAL + 1) if wanted >> n - 1 & 1)
    taker = context.activity_of_thread(main.tid)
    who = taker.who() if taker is not None else f"thread {main.tid}"
    sentence = (
        f"{activity.waits()} for {names}, which {who} does not block: "
        f"the kernel gives such a signal to {who}, and this wait goes on"
    )
    return wait_diagnosis(
        HANG, "signal taken elsewhere", sentence, activity, PROBABLE,
        evidence=(f"{names} is blocked in thread {activity.tid} and not in thread {main.tid}",),
        doubts=("a signal that is sent to this thread alone",),
    )  # fmt: skip
