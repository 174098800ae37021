# SPDX-License-Identifier: Apache-2.0
"""What the stacks of a record do not say twice (SCHEMA.md, "Left out")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from gdb_epi.lean import Any

Json = dict[str, Any]

PYTHON, INLINE = "python", "inline"
SAME = "same_frames_as"
_USUAL_VANISHED: Mapping[str, Any] = {"main": False, "role": None, "missing": None}
# An inlined call has these of the frame that it stands in, which is the next one.
_OF_THE_FRAME = ("pc", "sp", "module", "build_id", "offset")


def brief_stacks(record: Json) -> None:
    """Take out of a full record what its stacks repeat; groups and stacks are copied first."""
    merged, listed, vanished = _copied(record)
    ids, files = _build_ids(record), dict[str, str]()
    for stack in merged:
        _learn(files, stack["frames"])
        stack["frames"] = _brief_merged(stack["frames"], ids)
    _point_to_equal(listed)
    for stack in (*listed, *vanished):
        if "frames" in stack:
            stack["frames"] = [_without_file(frame, files) for frame in stack["frames"]]
    for stack in vanished:
        for key, usual in _USUAL_VANISHED.items():
            if stack.get(key, ...) == usual:
                del stack[key]


def expand_stacks(record: Json) -> None:
    """Put it back; what is no stack stays. Groups and stacks are copied first."""
    merged, listed, vanished = _copied(record)
    ids, files = _build_ids(record), dict[str, str]()
    for stack in merged:
        stack["frames"] = _full_merged(stack.get("frames", ()), ids)
        _learn(files, stack["frames"])
    for stack in (*listed, *vanished):
        if "frames" in stack:
            stack["frames"] = [_with_file(frame, files) for frame in stack["frames"]]
    _put_equal(listed)
    for stack in vanished:
        stack.update((key, usual) for key, usual in _USUAL_VANISHED.items() if key not in stack)


def _copied(record: Json) -> tuple[list[Json], list[Json], list[Json]]:
    """Return copies of the merged stacks, of those of all threads, and of vanished ones."""
    threads, fork = _copy(record, "threads"), _copy(record, "fork")
    merged = [_copy(threads, name) for name in ("crashed", "signed")]
    vanished = _copies(_copy(fork, "vanished"), "threads")
    return [s for s in merged if _is_stack(s) and s], _copies(threads, "stacks"), vanished


def _copy(holder: Json, key: str) -> Json:
    if not isinstance(holder.get(key), dict):
        return {}
    holder[key] = dict(holder[key])
    found: Json = holder[key]
    return found


def _copies(holder: Json, key: str) -> list[Json]:
    if not isinstance(holder.get(key), list):
        return []
    holder[key] = [dict(one) if isinstance(one, dict) else one for one in holder[key]]
    return [one for one in holder[key] if isinstance(one, dict) and _is_stack(one)]


def _is_stack(value: Json) -> bool:
    frames = value.get("frames", [])
    return isinstance(frames, list) and all(isinstance(frame, dict) for frame in frames)


# -- build-ids, inlined calls ----------------------------------------------------------------


def _build_ids(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the build-ids of file names that `libs` lists once."""
    libs = record.get("libs")
    modules = libs.get("modules") if isinstance(libs, dict) else None
    found: dict[str, Any] = {}
    for one in modules if isinstance(modules, list) else ():
        name, build_id = (
            (one.get("soname"), one.get("build_id")) if isinstance(one, dict) else (0, 0)
        )
        if isinstance(name, str):
            unique = name not in found and isinstance(build_id, str)
            found[name] = build_id if unique else None
    return {name: build_id for name, build_id in found.items() if build_id is not None}


def _brief_merged(frames: Sequence[Json], ids: Mapping[str, str]) -> list[Json]:
    found = []
    for frame, outer in zip(frames, chain(frames[1:], ({},)), strict=False):
        left_out: Json = {"language": PYTHON}
        if frame.get("kind") == INLINE:
            left_out["inlined"] = True
            if _same_place(frame, outer):
                left_out |= {key: frame.get(key) for key in _OF_THE_FRAME}
        if "pc" in frame and "pc" not in left_out:
            known = ids.get(str(frame.get("module")))
            left_out["build_id"] = known
            if known is not None and "build_id" not in frame:
                frame = {**frame, "build_id": None}
        found.append({k: v for k, v in frame.items() if v != left_out.get(k, ...)})
    return found


def _same_place(frame: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    return "pc" in frame and all(frame.get(key) == outer.get(key) for key in _OF_THE_FRAME)


def _full_merged(frames: Sequence[Json], ids: Mapping[str, str]) -> list[Json]:
    found: list[Json] = []
    outer: Json = {}
    for frame in reversed(frames):
        full = {"language": PYTHON, **frame}
        if full.get("kind") == INLINE and "pc" not in full:
            full |= {key: outer[key] for key in _OF_THE_FRAME if key in outer}
        elif "pc" in full:
            full.setdefault("build_id", ids.get(str(full.get("module"))))
        if full.get("kind") == INLINE:
            full.setdefault("inlined", True)
        outer = {key: value for key, value in full.items() if value is not None}
        found.append(outer)
    return found[::-1]


# -- files, equal stacks ---------------------------------------------------------------------


def _learn(files: dict[str, str], frames: Sequence[Json]) -> None:
    """Remember the file of each module of Python frames, where the record names it first."""
    for frame in frames:
        module, filename = frame.get("module"), frame.get("filename")
        if isinstance(module, str) and isinstance(filename, str) and "pc" not in frame:
            files.setdefault(module, filename)


def _without_file(frame: Json, files: dict[str, str]) -> Json:
    known = _file_of(frame, files)
    _learn(files, [frame])
    if known is None:
        return frame
    if "filename" not in frame:
        return {**frame, "filename": None}
    return {k: v for k, v in frame.items() if k != "filename" or v != known}


def _with_file(frame: Json, files: dict[str, str]) -> Json:
    known = _file_of(frame, files)
    _learn(files, [frame])
    if known is None or isinstance(frame.get("filename"), str):
        return frame
    if "filename" not in frame:
        return {**frame, "filename": known}
    return {key: value for key, value in frame.items() if key != "filename"}


def _file_of(frame: Json, files: Mapping[str, str]) -> str | None:
    module = frame.get("module")
    return files.get(module) if isinstance(module, str) else None


def _point_to_equal(stacks: Sequence[Json]) -> None:
    """Replace frames that an earlier thread has too by the number of that thread.

    Two thread states may have one number: only the first of them is pointed to.
    """
    first: dict[str, int] = {}
    seen: set[int] = set()
    for stack in stacks:
        tid = stack.get("tid")
        if not stack.get("frames"):
            continue
        frames = repr(stack["frames"])
        if frames in first:
            del stack["frames"]
            stack[SAME] = first[frames]
        elif isinstance(tid, int) and tid not in seen:
            first[frames] = tid
            seen.add(tid)


def _put_equal(stacks: Sequence[Json]) -> None:
    frames: dict[int, Any] = {}
    for stack in stacks:
        tid, same = stack.get("tid"), stack.get(SAME)
        if stack.get("frames"):
            if isinstance(tid, int):
                frames.setdefault(tid, stack["frames"])
        elif isinstance(same, int) and same in frames:
            stack["frames"] = frames[same]
            del stack[SAME]
