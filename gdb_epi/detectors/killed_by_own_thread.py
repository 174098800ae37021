# SPDX-License-Identifier: Apache-2.0
"""A thread of the process that sent the signal which ended it, as watchdogs and guards do."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import PROCESS
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.hangs.hang_context import HangContext

# os.kill(), os.killpg(), signal.pthread_kill(), Process.send_signal() of psutil, faulthandler has
# none: it raises the signal in the thread itself.
SENDS = frozenset(("kill", "killpg", "pthread_kill", "send_signal", "pidfd_send_signal"))
MAX_FRAMES = 4  # a helper or two between the watchdog's loop and the call


@detector(
    "killed_by_own_thread", needs="python", supports=SupportedLabel("killed", "ended-from-outside")
)
def killed_by_own_thread(state: ProcessState) -> Iterator[Finding]:
    """Find the Python thread whose code sent the process the signal that ended it.

    Innocent causes: a thread that signals its children, as it does in the same place of its code;
    the kernel names this process as the sender, so some thread of it did send one.
    Reference: kill(2): a signal for the process goes to any thread that does not block it.
    """
    fault = state.fault
    if isinstance(fault, Absent) or fault.sender != PROCESS:
        return
    if not isinstance(state.python, PythonState):
        return
    from gdb_epi.hangs.hang_context import HangContext  # an ordinary crash needs none of it

    scene = HangContext(state.target, state.python, state.locks, state.target.threads())
    others = {tid: frames for tid, frames in scene.view.all_frames().items() if tid != fault.tid}
    for surely in (True, False):
        for tid, frames in sorted(others.items()):
            frame = next((f for f in frames[:MAX_FRAMES] if _sends(scene, f, surely)), None)
            if frame is None:
                continue
            activity = scene.activity(tid)
            who = activity.who() if activity is not None else f"thread {tid}"
            did = "sent" if surely else "most likely sent"
            place = function_and_line(frame)
            summary = f"{who} {did} {signal_name(fault.signo)}, at {place}"
            facts = {"tid": tid, "place": place, "runs_the_call": surely}
            yield Finding("killed_by_own_thread", f"thread {tid}", facts, summary)
            return


def _sends(scene: HangContext, frame: PyFrame, surely: bool) -> bool:
    """Tell whether a frame calls what sends a signal, now (`surely`) or in its loop before."""
    if surely:
        return scene.running_call(frame) in SENDS
    return bool(scene.called_before(frame) & SENDS)
