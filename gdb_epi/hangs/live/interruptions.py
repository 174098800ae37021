# SPDX-License-Identifier: Apache-2.0
"""Who may break off what a thread does for ever: an exception raised in it, or the process's end.

A handler of a signal runs in the main thread, also while it waits for a lock of Python, and an
exception of it ends that wait or loop (Python/ceval.c, Modules/_threadmodule.c). Such a time limit
is what SIGALRM is for. A watchdog thread sends a signal, raises an exception in another thread, or
ends the process. What merely asks the program to end (SIGTERM, SIGINT) comes from a person: it ends
the wait of a main thread that is parked until then, in a service, and explains no other wait.
"""

from __future__ import annotations

from signal import SIGINT, SIGQUIT, SIGTERM

from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.effects import CodeEffects, is_byte_in_ranges
from gdb_epi.hangs.live.hooks import find_tracing_functions
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.types import (
    EVENT,
    GIL,
    HANDLED_SIGNAL,
    JOIN,
    LOCK,
    NATIVE,
    PYTHON,
    SERVICE,
    SLEEP,
    TIME_LIMIT,
    WATCHDOG,
    ThreadActivity,
)
from gdb_epi.util import default_when_unreadable

ASK_TO_END = frozenset((SIGINT, SIGQUIT, SIGTERM))
# Functions of `os`, `signal`, `_thread` and of the C API.
_BREAK_OFF = frozenset((
    "interrupt_main", "raise_signal", "pthread_kill", "kill", "killpg", "_exit", "abort",
    "PyThreadState_SetAsyncExc",
))  # fmt: skip
_KERNEL_TIMERS = frozenset(("alarm", "setitimer"))
_LEAVES = frozenset(("exit", "_exit", "kill", "abort", "raise_signal", "execv", "execve"))
_OF_FAULTHANDLER = "faulthandler_thread"  # Modules/faulthandler.c, dump_traceback_later()
MAX_NATIVE = 50  # threads without Python code that are looked at


def name_who_interrupts(context: HangContext, members: tuple[ThreadActivity, ...]) -> str:
    """Return in words who may break off the waits or loops of some threads; "" for nobody."""
    main = next((d for d in members if d.tid == context.main_tid), None)
    if main is not None and _does_main_thread_run_handlers(context, main):
        for number, (does, _) in sorted(context.effects_of_signal_handlers.items()):
            asks = number in ASK_TO_END
            parked = len(members) == 1 and main.kind == EVENT and not main.task[0]
            if (parked or not asks) and _may_raise_or_exit(context, does):
                return SERVICE if asks else HANDLED_SIGNAL
    for member in members:
        traced = member.kind in (PYTHON, GIL, SLEEP)  # not where it waits
        following = find_tracing_functions(context.view, member.tid) if traced else ()
        for at in context.own_callables(following):
            if _may_raise_or_exit(context, context.live_code.effects_of_callable(at, surely=True)):
                return TIME_LIMIT
    unblocked, tids = UnblockedThreads(context), {d.tid for d in members}
    for other in context.activities:
        by_itself = other.timed or other.kind not in (EVENT, JOIN, LOCK)
        if other.tid in tids or other.tid in unblocked.blocked_threads or not by_itself:
            continue
        # Of an object that is not known it is most often a child process that is killed.
        if any(
            at and name in _BREAK_OFF for at, name in unblocked.effects_of_thread(other.tid).calls
        ):
            return WATCHDOG
    if _may_program_set_kernel_timer(context):
        return TIME_LIMIT
    python = context.view.all_frames()
    native = [thread.tid for thread in context.target.threads() if thread.tid not in python]
    if any(_OF_FAULTHANDLER in context.native_functions(tid) for tid in native[:MAX_NATIVE]):
        return TIME_LIMIT
    return ""


@default_when_unreadable(False)
def _may_program_set_kernel_timer(context: HangContext) -> bool:
    """Tell whether any code of the program sets a timer of the kernel; without a handler it kills.

    Whether one runs is in no core.
    """
    frames = (frame for activity in context.activities for frame in activity.frames)
    return context.live_code.uses_any_name(_KERNEL_TIMERS, frames)


def _does_main_thread_run_handlers(context: HangContext, main: ThreadActivity) -> bool:
    """Tell whether the main thread runs handlers where it is: in Python, or a call of Python's.

    In native code, and in a wait for a mutex, it runs them only afterwards.
    """
    by_mutex = main.kind == LOCK and not main.object
    asleep_with_gil = context.gil_holder == main.tid and main.kind != PYTHON
    return main.kind != NATIVE and not by_mutex and not asleep_with_gil


@default_when_unreadable(False)
def _may_raise_or_exit(context: HangContext, does: CodeEffects) -> bool:
    """Tell whether code raises an exception, or ends the process."""
    return any(name in _LEAVES for _, name in does.calls) or any(
        instruction.name == "RAISE_VARARGS" and is_byte_in_ranges(body.live, instruction.at)
        for body in does.bodies for instruction in context.call_sites.instructions(body.code)
    )  # fmt: skip
