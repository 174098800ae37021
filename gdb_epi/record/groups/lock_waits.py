# SPDX-License-Identifier: Apache-2.0
"""Which thread waits for which lock, who holds it, and a hash of the stacks of both.

One buggy thread that holds a lock while others fork makes many different waiters hang: the holder's
stack is then better to group by. The frames of such a hash are chosen as for the key `python`
(SPEC.md 5); the first word tells the three hashes apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.detectors.registry import hex_word
from gdb_epi.locks.types import LockWait
from gdb_epi.process_state import ProcessState
from gdb_epi.record.groups.fork import MAX_VANISHED
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.keys import Key, make_key, select_tokens_of_language
from gdb_epi.signature.names import python_name
from gdb_epi.signature.tokens import PYTHON, Token, format_stack_line

MAX_WAITS = 256
HOLDER, WAITER = "lock-holder", "lock-waiter"


@group("waits", order=100)
def waits(parts: RecordParts, _notes: RecordNotes) -> list[Json]:
    """Return which thread waits for which lock."""
    state = parts.state
    by_ident = {t.ident: t.name for t in state.python_threads()}
    by_tid = {t.tid: t.name for t in state.python_threads() if t.tid is not None}
    entries = []
    for wait in state.locks.waits[:MAX_WAITS]:
        owner = wait.owner
        name = owner.thread_name or by_ident.get(owner.ident or -1) or by_tid.get(owner.tid or -1)
        entry: Json = {
            "tid": wait.tid,
            "address": hex_word(wait.address),
            "kind": wait.kind,
            "name": wait.name,
            "object": None if wait.object is None else hex_word(wait.object),
            "owner": {
                "tid": owner.tid,
                "ident": None if owner.ident is None else hex_word(owner.ident),
                "thread_name": name,
                "state": owner.state,
            },
            "verdict": wait.verdict,
            "confidence": wait.confidence,
            "evidence": list(wait.evidence),
        }
        entries.append(entry | _stack_hashes(state, wait))
    return entries


def _stack_hashes(state: ProcessState, wait: LockWait) -> Json:
    """Return the second signature of a wait: hashes of the holder's and the waiter's stacks."""
    fields: Json = {}
    thread = state.python_thread(wait.tid)
    waiter = _python_stack_key(thread.frames, WAITER) if thread is not None else None
    if waiter is not None:
        fields["waiter_python_stack_hash"] = waiter.value
    vanished = state.locks.vanished
    if wait.owner.state != "vanished":
        return fields
    holder = vanished.find(ident=wait.owner.ident, tid=wait.owner.tid)
    if holder is None:
        return fields
    key = _python_stack_key(holder.frames, HOLDER)
    if key is not None:
        fields["holder_python_stack_hash"] = key.value
        fields["holder_python_stack"] = key.text
    recorded = vanished.threads[:MAX_VANISHED]
    if holder in recorded:
        fields["holder_vanished"] = recorded.index(holder)
    return fields


def _python_stack_key(frames: Sequence[PyFrame], word: str) -> Key | None:
    """Return the key of the innermost interesting frames; None when no frame has a name."""
    drops = load_drop_sets()
    tokens = []
    for frame in frames:
        if frame.hole is None and (frame.qualname or frame.name):
            name = python_name(frame)
            dropped_as = drops.python_drop_class(name, frame.filename, frame.name)
            tokens.append(Token(f"py:{name}", PYTHON, True, dropped_as))
    content = select_tokens_of_language(tokens, PYTHON, overflow=False)
    return make_key("python", f"{word} {format_stack_line(content)}") if content else None
