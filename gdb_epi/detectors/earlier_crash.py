# SPDX-License-Identifier: Apache-2.0
"""A crash before the one that ended the process: its signal's handler failed too, or reported it.

The handler of a crash runs on the thread that crashed, above the frame in which the kernel saved
what had failed. Reporters (breakpad, crashpad and their like) let that thread wait there, and
another one ends the process; a handler that does what is not safe there crashes itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ABORTED, RAISED
from gdb_epi.fault.find_fault import PROCESS, SELF, Fault, faults_in_signal_frames
from gdb_epi.fault.own_native_code import function_readable_name
from gdb_epi.fault.signals import SIGABRT, signal_name
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import function_and_line
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame, Target, Thread

MAX_THREADS = 64  # that are asked for a crash of their own
SIGNAL = "signal"  # the kind of a frame that the kernel pushed


@detector("earlier_crash", needs="crash")
def earlier_crash(state: ProcessState) -> Iterator[Finding]:
    """Find a fault of the kernel's below a signal handler that is still running.

    Of the thread that died of a fault of its own, and of all threads where the process ended
    itself.
    Innocent causes: a frame of an earlier signal that was handled, left on the stack. So the
    unwinder must come to it, and go on at the very instruction that it saved.
    Reference: struct rt_sigframe (arch/x86/include/asm/sigframe.h).
    """
    account = state.fault_account
    if isinstance(account, Absent):
        return
    fault, every = account.fault, state.target.threads()
    if fault.is_hardware_trap and fault.origin == "core":
        threads = [thread for thread in every if thread.tid == fault.tid]
    elif account.how in (ABORTED, RAISED) or fault.sender == PROCESS:
        threads = [thread for thread in every[:MAX_THREADS] if thread.tid != fault.tid]
    else:
        return
    for thread in threads:
        met = _crash_below_handler(state.target, thread)
        if met is None:
            continue
        first, frame = met
        name, where = signal_name(first.signo), function_readable_name(frame) or ""
        python = state.python
        if not isinstance(python, Absent):
            calls = PythonView(state.target, python, state.locks.vanished).frames(thread.tid)
            line = function_and_line(calls[0]) if calls else ""
            where = f"{where}, called from {line}" if where and line else where or line
        at = "" if first.address is None else f" at {first.address:#x}"
        what = f"{name}{at}" + (f" in {where}" if where else "")
        facts = {
            "signal": name,
            "address": None if first.address is None else hex_word(first.address),
            "tid": thread.tid,
            "what": what,
        }
        summary = f"the handler of an earlier crash was running: {what}"
        yield Finding("earlier_crash", f"thread {thread.tid}", facts, summary)
        return


def _crash_below_handler(target: Target, thread: Thread) -> tuple[Fault, NativeFrame] | None:
    """Return the first fault whose handler a thread still runs, and the frame that met it."""
    outer = Fault(  # a handler may have been told nothing: by SIGABRT the trap alone is asked
        thread.tid, SIGABRT, None, None, thread.registers, "core", SELF,
        architecture=thread.architecture,
    )  # fmt: skip
    faults = list(faults_in_signal_frames(target, outer))
    frames = target.native_frames(thread.tid) if faults else ()
    if isinstance(frames, Absent):
        return None
    after = {outside.pc: outside for frame, outside in pairwise(frames) if frame.kind == SIGNAL}
    met = ((fault, after[fault.pc]) for fault in reversed(faults) if fault.pc in after)
    return next(met, None)
