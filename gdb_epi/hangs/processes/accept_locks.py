# SPDX-License-Identifier: Apache-2.0
"""Workers of one server that take turns in accept(), under a lock that processes share.

Prefork servers do so (Apache's AcceptMutex, uWSGI's thunder lock): one idle worker waits for a
client and has the lock, all others wait for the lock. So a worker that wants the lock in order to
accept is as idle as the one that has it.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import is_in_serving_loop
from gdb_epi.hangs.types import MAY_BE_IDLE, HangDiagnosis, ThreadActivity, idle_diagnosis
from gdb_epi.util import default_when_unreadable

MAX_FRAMES = 6  # between the wait and the code that accepts: of a lock of the program's own
MAX_BETWEEN = 12  # bytes between the call that takes a lock and the block that it guards
_ACCEPTS = "accept"
_ENTERS = "SETUP_WITH"  # up to 3.10 the call of __enter__() and the begin of the block in one


def diagnose_turn_to_accept(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer of a worker that waits for its turn to accept; None for other waits."""
    for number, frame in enumerate(activity.frames[:MAX_FRAMES]):
        if not _accepts_in_next_block(context, frame):
            continue
        if not is_in_serving_loop(context, activity.frames[number:]):
            return None
        answer = idle_diagnosis(
            activity, f"{waits}; with that lock it accepts a client, as one worker of a server "
            "does at a time: whoever has it may wait for a client as well",
        )  # fmt: skip
        doubt = "whether the worker that has that lock still lives is not in this core"
        return answer._replace(kind=MAY_BE_IDLE, open=(*answer.open, doubt))
    return None


@default_when_unreadable(False)
def _accepts_in_next_block(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame's running call begins a `with` or `try` in which accept() is called."""
    sites = context.call_sites
    running = sites.running_instruction(
        frame.code, context.acquire_calls.running_byte_offset(frame)
    )
    if running is None:
        return False
    behind = range(running.end, running.end + MAX_BETWEEN)
    blocks = [
        range(start, end)
        for start, end, _ in context.live_code.guarded_ranges_of_handlers(frame.code)
        if start in behind
    ]
    if running.name == _ENTERS:
        target = sites.opcodes.jump_target(running.name, running.argument, running.end)
        blocks.append(range(running.end, target or 0))
    return any(
        call.at in block and call.path and call.path[-1] == _ACCEPTS
        for call in sites.calls_of(frame.code).made_and_possible_calls() for block in blocks
    )  # fmt: skip
