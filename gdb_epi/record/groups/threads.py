# SPDX-License-Identifier: Apache-2.0
"""The threads: counts, the Python stack of each, and the merged one of the crashed thread."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import CHAIN, ThreadState
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.process_state import ProcessState
from gdb_epi.record.redact import base_name, redact_path
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.record.stacks import merged_stack_json, thread_json
from gdb_epi.target.api import SHARED_MEMORY

MAX_THREADS = 256  # stacks in one record
MAX_FRAMES = 64  # Python frames of one thread
MAX_MERGED = 128  # frames of the crashed thread
MAX_OUTER = 96  # more of them, from the outermost on
MAX_PERIOD = 8  # calls of one turn of a recursion
_SAME_CALL = ("name", "qualname", "filename", "lineno", "function", "module", "offset", "inlined")

# Values that are not written because most frames and threads have them.
_USUAL_FRAME = {"provenance": CHAIN, "inlined": False, "kind": "normal", "eval_loop": False,
                "left_out": 0}  # fmt: skip
_USUAL_THREAD = {"interpreter": 0, "holds_gil": False, "crashed": False, "alive": True}


@group("threads", order=80)
def threads(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the threads; also the merged stack of the thread that was signed.

    The latter only where it is not the crashed thread and has native frames.
    """
    state, signed = parts.state, parts.signed.signature.tid
    lwps = state.target.threads()
    python = state.python_threads()
    crashed = _merged_stack(state, lwps[0].tid) if lwps else None
    fields: Json = {
        "count": len(lwps),
        "tids": [thread.tid for thread in lwps[:MAX_THREADS]],
        "python": len(python),
        "without_process": sum(not thread.alive for thread in python),
        "waiting_in_locks": len({wait.tid for wait in state.locks.waits}),
        "stacks": [_thread_stack_json(thread, crashed) for thread in python[:MAX_THREADS]],
    }
    if crashed is not None:
        fields["crashed"] = crashed
    if signed is not None and lwps and signed != lwps[0].tid:
        other = _merged_stack(state, signed)
        if other["native"] == "present":
            fields["signed"] = other
    return fields


def _thread_stack_json(thread: ThreadState, crashed: Json | None) -> Json:
    """Return one thread, without its frames if the merged stack holds the same ones."""
    whole = thread_json(thread)
    frames = [reduced_frame(frame) for frame in whole.pop("frames")[:MAX_FRAMES]]
    fields = {key: value for key, value in whole.items() if value != _USUAL_THREAD.get(key, ...)}
    if (
        not crashed
        or not thread.alive
        or crashed["tid"] != thread.tid
        or frames
        != [
            {key: value for key, value in frame.items() if key not in ("language", "placed_by")}
            for frame in crashed["frames"]
            if frame["language"] == "python"
        ]
    ):
        fields["frames"] = frames
    if len(thread.frames) > len(frames):
        fields["frames_left_out"] = len(thread.frames) - len(frames)
    return fields


def _merged_stack(state: ProcessState, tid: int) -> Json:
    stack = state.stack(tid)
    frames = merged_stack_json(stack)
    fields: Json = {
        "tid": tid,
        "name": next((t.name for t in state.python_threads() if t.tid == tid), None),
        "native": "absent" if stack.native is not None else "present",
        "frames": [
            _describe_nameless_native_frame(state, reduced_frame(frame))
            for frame in frames[:MAX_MERGED]
        ],
    }
    if len(frames) > MAX_MERGED:
        fields["frames_left_out"] = len(frames) - MAX_MERGED
        fields |= _outer_frames_json(state, frames)
        period, repeated = _recursion_across_cut(frames, MAX_MERGED)
        if repeated:
            fields["recursion"] = {"period": period, "frames": repeated}
    return fields


def _recursion_across_cut(frames: Sequence[Json], cut: int) -> tuple[int, int]:
    """Return the period of the recursion that the cut divides, and how far it continues.

    The second number is that of frames after `cut`; (0, 0) when the cut goes through none.
    """
    names = ("function", "qualname", "name", "filename")
    steps = [tuple(frame.get(name) for name in names) for frame in frames]
    for period in range(1, MAX_PERIOD + 1):
        if steps[cut - period : cut] != steps[cut - 2 * period : cut - period]:
            continue
        end = cut
        while end < len(steps) and steps[end] == steps[end - period]:
            end += 1
        return period, end - cut
    return 0, 0


def _outer_frames_json(state: ProcessState, frames: list[Json]) -> Json:
    """Return the outermost frames, and those between them and the innermost ones.

    They show the callers of a recursion, without which nobody sees which code began it.
    """
    gap = next((i for i, f in enumerate(frames) if f.get("kind") == "sentinel"), None)
    start = max(MAX_MERGED if gap is None else gap + 1, len(frames) - MAX_OUTER)
    start += _count_innermost_repeated_frames(frames[start:])
    fields: Json = {
        "outer_frames": [
            _describe_nameless_native_frame(state, reduced_frame(frame)) for frame in frames[start:]
        ],
        "frames_between": start - MAX_MERGED,
    }
    if gap is not None:
        fields["frames_between"] += frames[gap]["left_out"] - (1 if gap < start else 0)
        recurring = frames[gap]["function"]
        if recurring:
            fields["recurring"] = recurring.split(", ")
    return fields


def _count_innermost_repeated_frames(frames: list[Json]) -> int:
    """Return how many frames at the inner end only repeat what is after them: recursion."""
    keys = [tuple(frame.get(name) for name in _SAME_CALL) for frame in frames]
    start = 0
    while True:
        for period in range(1, MAX_PERIOD + 1):
            turn = keys[start : start + period]
            if len(turn) == period and turn == keys[start + period : start + 2 * period]:
                start += period
                break
        else:
            return start


def _describe_nameless_native_frame(state: ProcessState, frame: Json) -> Json:
    """Say about a native frame without a symbol what Python calls it, or whether there is code."""
    if frame["language"] != "native" or frame.get("kind"):
        return frame
    nameless = not frame.get("function") and not frame.get("module")
    if not nameless:
        tables = None if frame.get("function") else state.method_tables
        name = tables.method_name_at(int(frame["pc"], 16)) if tables is not None else None
        return frame if name is None else {**frame, "python_name": name}
    region = state.region_at(int(frame["pc"], 16))
    if not may_execute(region):
        return {**frame, "code": "none"}
    if region is not None and region.path and not region.path.startswith(SHARED_MEMORY):
        return {**frame, "module": base_name(region.path)}
    return {**frame, "code": "anonymous"}


def reduced_frame(frame: Json) -> Json:
    """Return a frame without usual values and locals, with modules by file name only.

    SCHEMA.md says what an absent key of a frame means.
    """
    fields = {
        key: value
        for key, value in frame.items()
        if value is not None and key != "locals" and value != _USUAL_FRAME.get(key, ...)
    }
    if fields.get("qualname") == fields.get("name", ...):
        del fields["qualname"]
    for name in ("filename", "pyx"):
        if fields.get(name):
            fields[name] = redact_path(str(fields[name]))
    if fields.get("language") == "native" and fields.get("module"):
        if str(fields["module"]).startswith(SHARED_MEMORY):
            fields = {key: fields[key] for key in fields if key not in ("module", "offset")}
        else:
            fields["module"] = base_name(str(fields["module"]))
    return fields
