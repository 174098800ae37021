# SPDX-License-Identifier: Apache-2.0
"""Groups of the record that list things: process, Python, libraries, threads, locks."""

from __future__ import annotations

from gdb_epi.cpython.running.exceptions import Raised, ThreadExceptions
from gdb_epi.cpython.types import CHAIN, PythonState, ThreadState
from gdb_epi.detectors.findings import hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.maps import may_execute
from gdb_epi.locks.types import Wait
from gdb_epi.process_state import ProcessState
from gdb_epi.record.forks import wait_stacks
from gdb_epi.record.redact import base_name, redact_path, script_name
from gdb_epi.typing_lite import Any
from gdb_epi.util import sha256_hex

MAX_THREADS = 256  # stacks in one record
MAX_FRAMES = 64  # Python frames of one thread
MAX_MERGED = 128  # frames of the crashed thread
MAX_MODULES = 1024
MAX_WAITS = 256
MAX_HANDLED = 32  # exceptions that one thread handles
MAX_TYPE_NAME = 512
MAX_PACKAGES = 512

Json = dict[str, Any]

# What is not written because most frames and threads have it.
_USUAL_FRAME = {"provenance": CHAIN, "inlined": False, "kind": "normal", "eval_loop": False}
_USUAL_THREAD = {"interpreter": 0, "holds_gil": False, "crashed": False, "alive": True}


def process_group(state: ProcessState) -> Json | None:
    """Return ids, names and the executable; the command line only as the script's base name."""
    process, modules = state.process, state.target.modules()
    found: Json = {"tid": state.crashed_tid()}
    if not isinstance(process, Absent):
        found |= {
            "pid": process.pid,
            "ppid": process.ppid,
            "uid": process.uid,
            "comm": process.comm,
            "script": script_name(process.psargs) or _main_script(state),
        }
    if modules:
        found["executable"] = redact_path(modules[0].path)
        found["build_id"] = modules[0].build_id
    return found


def _main_script(state: ProcessState) -> str | None:
    """Return the file of the outermost frame of __main__, for a command line that was cut."""
    for thread in state.python_threads():
        outermost = thread.frames[-1] if thread.frames else None
        if outermost and outermost.module == "__main__" and outermost.name == "<module>":
            return base_name(outermost.filename)
    return None


def python_group(state: ProcessState) -> Json | None:
    """Return the interpreter's version and state; None without CPython (soft_errors say why)."""
    python = state.python
    if isinstance(python, Absent):
        return None
    return {
        "version": python.version,
        "free_threaded": bool(getattr(python.layout, "free_threaded", False)),
        "found_by": python.found_by,
        "finalizing": python.finalizing,
        "gil_holder": python.gil_holder,
        "interpreters": len(python.interpreters),
        "threads": len(python.threads()),
        **_packages(state, python),
    }


def _packages(state: ProcessState, python: PythonState) -> Json:
    """Return the versions of imported packages outside the standard library."""
    from gdb_epi.cpython.runtime.package_versions import package_versions

    found = package_versions(state.target, python)
    if isinstance(found, Absent):
        return {"packages": None}
    listed = [one._asdict() for one in found.packages[:MAX_PACKAGES]]
    left_out = len(found.packages) - len(listed)
    counts = {"packages_lost": found.lost, "packages_left_out": left_out}
    return {"packages": listed} | {key: value for key, value in counts.items() if value}


def exception_group(state: ProcessState) -> Json | None:
    """Return the types of exceptions: the crashed thread's, and each thread's. Never their texts.

    None without CPython.
    """
    if isinstance(state.python, Absent):
        return None
    from gdb_epi.record.stacks import crashed_exception

    crashed = crashed_exception(state, state.exceptions)
    shown = [one for one in state.exceptions if one.all()]
    found: Json = {
        "type": None if crashed is None else _type_name(crashed[1]),
        "state": None if crashed is None else crashed[1].state,
        "threads": [_exceptions(one) for one in shown[:MAX_THREADS]],
    }
    if len(shown) > MAX_THREADS:
        found["threads_left_out"] = len(shown) - MAX_THREADS
    return found


def _exceptions(one: ThreadExceptions) -> Json:
    found: Json = {"tid": one.thread.tid}
    if one.in_flight is not None:
        found["in_flight"] = _type_name(one.in_flight)
    found["handled"] = [_type_name(raised) for raised in one.handled[:MAX_HANDLED]]
    return found


def _type_name(raised: Raised) -> str | None:
    name = raised.itself.type
    return None if isinstance(name, Absent) else name[:MAX_TYPE_NAME]


def libs_group(state: ProcessState) -> Json:
    """Return the mapped objects by file name and build-id, and one hash of them all."""
    modules = [
        {"soname": base_name(module.path), "build_id": module.build_id}
        for module in state.target.modules()
    ]
    lines = sorted({f"{one['soname']} {one['build_id'] or '-'}" for one in modules})
    digest = sha256_hex("\n".join(lines).encode("utf-8", "backslashreplace"))
    return {
        "modules": modules[:MAX_MODULES],
        "libset": digest[:16] if modules else None,
    }


def threads_group(state: ProcessState, signed: int | None) -> Json:
    """Return counts, the Python stack of every thread, and the merged one of the crashed thread.

    `signed` is the thread that the signature is of: where it is another one and has native frames,
    its merged stack is there too.
    """
    threads = state.target.threads()
    python = state.python_threads()
    waiting = {wait.tid for wait in state.locks.waits}
    crashed = _merged(state, threads[0].tid) if threads else None
    found: Json = {
        "count": len(threads),
        "tids": [thread.tid for thread in threads[:MAX_THREADS]],
        "python": len(python),
        "without_process": sum(not thread.alive for thread in python),
        "waiting_in_locks": len(waiting),
        "stacks": [_stack(thread, crashed) for thread in python[:MAX_THREADS]],
    }
    if crashed is not None:
        found["crashed"] = crashed
    if signed is not None and threads and signed != threads[0].tid:
        other = _merged(state, signed)
        if other["native"] == "present":
            found["signed"] = other
    return found


def _stack(thread: ThreadState, crashed: Json | None) -> Json:
    """Return one thread; without its frames when the merged stack holds the very same ones."""
    from gdb_epi.record.stacks import thread_json

    whole = thread_json(thread)
    frames = [reduced(frame) for frame in whole.pop("frames")[:MAX_FRAMES]]
    found = {key: value for key, value in whole.items() if value != _USUAL_THREAD.get(key, ...)}
    left_out = len(thread.frames) - len(frames)
    if not (crashed and thread.alive and crashed["tid"] == thread.tid and _holds(crashed, frames)):
        found["frames"] = frames
    if left_out:
        found["frames_left_out"] = left_out
    return found


def _holds(crashed: Json, frames: list[Json]) -> bool:
    merged = [
        {key: value for key, value in frame.items() if key not in ("language", "placed_by")}
        for frame in crashed["frames"]
        if frame["language"] == "python"
    ]
    return merged == frames


def _merged(state: ProcessState, tid: int) -> Json:
    from gdb_epi.record.stacks import merged_json

    stack = state.stack(tid)
    frames = merged_json(stack)
    found: Json = {
        "tid": tid,
        "name": next((t.name for t in state.python_threads() if t.tid == tid), None),
        "native": "absent" if stack.native is not None else "present",
        "frames": [_coded(state, reduced(frame)) for frame in frames[:MAX_MERGED]],
    }
    if len(frames) > MAX_MERGED:
        found["frames_left_out"] = len(frames) - MAX_MERGED
    return found


def _coded(state: ProcessState, frame: Json) -> Json:
    """Say of a native frame that no file's name tells whether there was code at its pc."""
    nameless = not frame.get("function") and not frame.get("module")
    if frame["language"] != "native" or frame.get("kind") or not nameless:
        return frame
    region = state.region_at(int(frame["pc"], 16))
    if not may_execute(region):
        return {**frame, "code": "none"}
    if region is not None and region.path:
        return {**frame, "module": base_name(region.path)}
    return {**frame, "code": "anonymous"}


def reduced(frame: Json) -> Json:
    """Return a frame without what is usual, without locals, modules by file name only.

    SCHEMA.md says what an absent key of a frame means.
    """
    found = {
        key: value
        for key, value in frame.items()
        if value is not None and key != "locals" and value != _USUAL_FRAME.get(key, ...)
    }
    if found.get("qualname") == found.get("name", ...):
        del found["qualname"]
    if found.get("filename"):
        found["filename"] = redact_path(str(found["filename"]))
    if found.get("language") == "native" and found.get("module"):
        found["module"] = base_name(str(found["module"]))
    return found


def waits_group(state: ProcessState) -> list[Json]:
    """Return which thread waits for which lock."""
    names = {t.ident: t.name for t in state.python_threads()}
    by_tid = {t.tid: t.name for t in state.python_threads() if t.tid is not None}
    return [
        _wait(wait, names, by_tid) | wait_stacks(state, wait)
        for wait in state.locks.waits[:MAX_WAITS]
    ]


def _wait(wait: Wait, names: dict[int, str | None], by_tid: dict[int, str | None]) -> Json:
    owner = wait.owner
    name = owner.thread_name or names.get(owner.ident or -1) or by_tid.get(owner.tid or -1)
    return {
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
