# SPDX-License-Identifier: Apache-2.0
"""A thread in sigwait() whose signal another thread takes.

The kernel gives a signal of the process to the main thread unless that blocks it, and its handler
takes the signal away from sigwait() (kernel/signal.c, complete_signal). So sigwait(3) asks that all
threads block the signals. The core has the mask of each (NT_PRSTATUS, pr_sighold).
"""

from __future__ import annotations

from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs import types as h
from gdb_epi.hangs.scene import HangContext
from gdb_epi.locks import types as t

MAX_SIGNAL = 64


def taken_elsewhere(scene: HangContext, activity: h.ThreadActivity) -> h.HangAnswer | None:
    """Return the answer where the main thread takes all signals that a thread waits for."""
    threads = {thread.tid: thread for thread in scene.target.threads()}
    thread, main = threads.get(activity.tid), threads.get(scene.main_tid or 0)
    if activity.call != "rt_sigtimedwait" or thread is None or main is None or thread is main:
        return None
    try:
        wanted = int.from_bytes(scene.target.read(thread.argument(0), 8), "little")
    except UnreadableMemory:
        return None
    own, of_main = thread.blocked_signals, main.blocked_signals
    # A debugger writes empty masks: who waits for a signal blocks it.
    if not wanted or own is None or of_main is None or wanted & ~own or wanted & of_main:
        return None
    names = ", ".join(signal_name(n) for n in range(1, MAX_SIGNAL + 1) if wanted >> n - 1 & 1)
    taker = scene.activity(main.tid)
    who = taker.who() if taker is not None else f"thread {main.tid}"
    sentence = (
        f"{activity.waits()} for {names}, which {who} does not block: "
        f"the kernel gives such a signal to {who}, and this wait goes on"
    )
    return h.answer(
        h.HANG, "signal taken elsewhere", sentence, activity, t.PROBABLE,
        evidence=(f"{names} is blocked in thread {activity.tid} and not in thread {main.tid}",),
        doubts=("a signal that is sent to this thread alone",),
    )  # fmt: skip
