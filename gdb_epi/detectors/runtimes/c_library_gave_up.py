# SPDX-License-Identifier: Apache-2.0
"""The C library ended the process by a fatal error of its own."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import FATAL, OF_STATE, AbortMessage
from gdb_epi.fault.account import message_of_own_abort
from gdb_epi.fault.own_native_code import VICTIM, function_and_file, own_library_names_of_frames
from gdb_epi.process_state import ProcessState

MAX_FRAMES = 32


@detector(
    "c_library_gave_up",
    needs="crash",
    supports=SupportedLabel(
        "software", "failed-check", damage_fact="of_state", max_probability=0.79
    ),
)
def c_library_gave_up(state: ProcessState) -> Iterator[Finding]:
    """Find the constant message of __libc_fatal() in __abort_msg, and say what it means.

    Innocent causes: this is itself the ordinary explanation. A message that is not known may hold
    data of the program and is not told.
    Reference: glibc sysdeps/posix/libc_fatal.c, nptl/unwind.c.
    """
    account = state.account
    if isinstance(account, Absent):
        return
    message = message_of_own_abort(state.target, account)
    if not isinstance(message, AbortMessage) or message.kind != "other" or not message.text:
        return
    tid = account.fault.tid
    frames = state.target.native_frames(tid)
    kept = () if isinstance(frames, Absent) else frames[:MAX_FRAMES]
    own = own_library_names_of_frames(kept)
    by = next((f for f in kept if own and (f.module or "").endswith(f"/{own[0]}")), None)
    place = function_and_file(by) if by is not None else None
    of_state = message.text.startswith(OF_STATE)
    facts = {"text": message.text, "function": place, "of_state": of_state, VICTIM: of_state}
    where = f" in {place}" if place else ""
    summary = f'the C library said "{message.text}"{where}: {FATAL[message.text]}'
    yield Finding("c_library_gave_up", f"thread {tid}", facts, summary)
