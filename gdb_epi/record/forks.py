# SPDX-License-Identifier: Apache-2.0
"""The record's groups about forks: the evidence, the threads that vanished, who held what.

A hash of one Python stack, for what is no crash: the holder of a lock, and who waits for it.

One buggy thread that holds a lock while others fork hangs many different waiters: the holder's
stack is then the better thing to group by. The frames are chosen as for the key `python` (SPEC.md
5); the word in front keeps the three apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.detectors.findings import hex_word
from gdb_epi.locks.fork.vanished_pools import role_of, vanished_pools
from gdb_epi.locks.types import ForkHandlers, VanishedThread, Wait
from gdb_epi.process_state import ProcessState
from gdb_epi.record.redact import base_name, redact_path
from gdb_epi.signature.drops import load_drop_sets
from gdb_epi.signature.keys import Key, half, make_key
from gdb_epi.signature.names import python_name
from gdb_epi.signature.tokens import PYTHON, Token, join
from gdb_epi.typing_lite import Any

HOLDER, WAITER = "lock-holder", "lock-waiter"


def python_stack_hash(frames: Sequence[PyFrame], word: str) -> Key | None:
    """Return the key of the innermost interesting frames; None when no frame has a name."""
    drops = load_drop_sets()
    tokens = []
    for frame in frames:
        if frame.hole is None and (frame.qualname or frame.name):
            name = python_name(frame)
            found = drops.python_class(name, frame.filename, frame.name)
            tokens.append(Token(f"py:{name}", PYTHON, True, found))
    content = half(tokens, PYTHON, overflow=False)
    return make_key("python", f"{word} {join(content)}") if content else None


MAX_VANISHED = 64  # threads in one record
MAX_FRAMES = 32  # Python frames of one of them
MAX_NAME = 256

Json = dict[str, Any]


def fork_group(state: ProcessState) -> Json:
    """Return the evidence of a fork, each sign by name, and what the fork left behind."""
    locks = state.locks
    fork, vanished = locks.fork, locks.vanished
    found: Json = {
        "forked": fork.forked,
        "depth": fork.depth,
        "parent_multithreaded": fork.parent_multithreaded,
        "from_main_thread": fork.from_main_thread,
        "hooks_bypassed": fork.hooks_bypassed,
        "in_fork_handlers": fork.in_fork_handlers,
        "lineage": fork.lineage,
        "signals": [signal.name for signal in fork.signals],
        "evidence": [
            {"name": signal.name, "says": signal.says, "sure": signal.sure}
            for signal in fork.signals
        ],
        "unreadable": [one.name for one in fork.readings if one.state == "unreadable"],
    }
    if fork.started_by is not None:
        found["started_by"] = fork.started_by
    if fork.forked:
        found["forker_old_tid"] = fork.forker_old_tid
        found["vanished"] = {
            "count": len(vanished.threads),
            "at_least": vanished.at_least,
            "threads": [_thread(one) for one in vanished.threads[:MAX_VANISHED]],
        }
        found["pools"] = [
            {"kind": pool.kind, "workers": len(pool.workers), "witness": pool.witness}
            for pool in vanished_pools(vanished)[:MAX_VANISHED]
        ]
    if locks.handlers is not None:
        found["handlers"] = _handlers(locks.handlers)
    return found


def _thread(thread: VanishedThread) -> Json:
    role = role_of(thread)
    return {
        "ident": None if thread.ident is None else hex_word(thread.ident),
        "tid": thread.tid,
        "name": None if thread.name is None else thread.name[:MAX_NAME],
        "main": thread.is_main,
        "role": role[0] if role is not None else None,
        "module": None if thread.module is None else base_name(thread.module),
        "how": thread.how or None,
        "missing": thread.missing or None,
        "frames": [_frame(frame) for frame in thread.frames[:MAX_FRAMES]],
    }


def _frame(frame: PyFrame) -> Json:
    from gdb_epi.record.stacks import frame_json

    found = frame_json(frame)
    if found.get("filename"):
        found["filename"] = redact_path(str(found["filename"]))
    return found


def _handlers(one: ForkHandlers) -> Json:
    return {
        "tid": one.tid,
        "stage": one.stage,
        "when": one.when,
        "where": one.where,
        "sure": one.sure,
    }


def holder_of(state: ProcessState, wait: Wait) -> VanishedThread | None:
    """Return the vanished thread that holds what a thread waits for; None when none is known."""
    if wait.owner.state != "vanished":
        return None
    return state.locks.vanished.find(ident=wait.owner.ident, tid=wait.owner.tid)


def wait_stacks(state: ProcessState, wait: Wait) -> Json:
    """Return the second signature of a wait: hashes of the holder's and the waiter's stacks."""
    found: Json = {}
    thread = state.python_thread(wait.tid)
    waiter = python_stack_hash(thread.frames, WAITER) if thread is not None else None
    if waiter is not None:
        found["waiter_python_stack_hash"] = waiter.value
    holder = holder_of(state, wait)
    if holder is None:
        return found
    key = python_stack_hash(holder.frames, HOLDER)
    if key is not None:
        found["holder_python_stack_hash"] = key.value
        found["holder_python_stack"] = key.text
    known = state.locks.vanished.threads[:MAX_VANISHED]
    if holder in known:
        found["holder_vanished"] = known.index(holder)
    return found
