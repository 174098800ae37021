# SPDX-License-Identifier: Apache-2.0
"""The fork that a process came from: the evidence, and the threads that vanished in it."""

from __future__ import annotations

from gdb_epi.cpython.types import PyFrame
from gdb_epi.detectors.registry import hex_word
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools, guess_role_of_vanished_thread
from gdb_epi.locks.types import VanishedThread
from gdb_epi.record.redact import base_name, redact_path
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.record.stacks import frame_json
from gdb_epi.util import pick_attributes

MAX_VANISHED = 64  # threads in one record
MAX_FRAMES = 32  # Python frames of one of them
MAX_NAME = 256


@group("fork", order=90)
def fork(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the evidence of a fork, each sign by name, and what the fork left behind."""
    locks = parts.state.locks
    evidence, vanished, handlers = locks.fork, locks.vanished, locks.handlers
    fields: Json = {
        "forked": evidence.forked,
        "depth": evidence.depth,
        "parent_multithreaded": evidence.parent_multithreaded,
        "from_main_thread": evidence.from_main_thread,
        "hooks_bypassed": evidence.hooks_bypassed,
        "in_fork_handlers": evidence.in_fork_handlers,
        "lineage": evidence.lineage,
        "signals": [signal.name for signal in evidence.signals],
        "evidence": [
            {"name": signal.name, "says": signal.says, "sure": signal.sure}
            for signal in evidence.signals
        ],
        "unreadable": [sign.name for sign in evidence.readings if sign.state == "unreadable"],
    }
    if evidence.started_by is not None:
        fields["started_by"] = evidence.started_by
    if evidence.forked:
        fields["forker_old_tid"] = evidence.forker_old_tid
        fields["vanished"] = {
            "count": len(vanished.threads),
            "at_least": vanished.at_least,
            "threads": [
                _vanished_thread_json(thread) for thread in vanished.threads[:MAX_VANISHED]
            ],
        }
        fields["pools"] = [
            {"kind": pool.kind, "workers": len(pool.workers), "witness": pool.witness}
            for pool in find_vanished_pools(vanished)[:MAX_VANISHED]
        ]
    if handlers is not None:
        fields["handlers"] = pick_attributes(handlers, "tid", "stage", "when", "where", "sure")
    return fields


def _vanished_thread_json(thread: VanishedThread) -> Json:
    role = guess_role_of_vanished_thread(thread)
    return {
        "ident": None if thread.ident is None else hex_word(thread.ident),
        "tid": thread.tid,
        "name": None if thread.name is None else thread.name[:MAX_NAME],
        "main": thread.is_main,
        "role": role[0] if role is not None else None,
        "module": None if thread.module is None else base_name(thread.module),
        "how": thread.how or None,
        "missing": thread.missing or None,
        "frames": [_redacted_frame_json(frame) for frame in thread.frames[:MAX_FRAMES]],
    }


def _redacted_frame_json(frame: PyFrame) -> Json:
    fields = frame_json(frame)
    if fields.get("filename"):
        fields["filename"] = redact_path(str(fields["filename"]))
    return fields
