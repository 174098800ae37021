# SPDX-License-Identifier: Apache-2.0
"""Damaged cores give every frame whose memory was kept, and never another one."""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest
from support.cores import Made
from support.fuzzing import run_command
from support.interpreters import one_per_minor, spread
from support.kept import Needed, kept_in, needed_frames, printed
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip, made_or_skip, sysroot_of

from gdb_epi.analysis import analyze
from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import InterpreterFrameReader
from gdb_epi.cpython.frames.stack_walk import walk_datastack
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.runtime.recover_threads import ThreadStateSearcher
from gdb_epi.cpython.types import PythonState, ThreadState
from gdb_epi.errors import Absent, InputError
from gdb_epi.render.triage import render_triage
from gdb_epi.session import Session
from gdb_epi.sizes import PAGE
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.elf import PT_LOAD

PROGRAM = "damage_scene"
# The core of a free-threaded build is a heap of 1 GB, with the rest in the last megabytes.
PERCENTS = (1, 25, 60, 85, 91, 95, 98, 99.9, 99.95, 99.99)
FILTERS = (0x0, 0x1, 0x10, 0x11, 0x23, 0x31, 0x33, 0x7F)


def core_of(identifier: str, coredump_filter: int | None = None) -> Made:
    interpreter = interpreter_or_skip(identifier)
    return made_or_skip(interpreter, PROGRAM, coredump_filter=coredump_filter)


def opened(made: Made) -> CoreFileTarget:
    return CoreFileTarget.open(made.core, sysroot=sysroot_of(made))


def cut(core: Path, size: int, sysroot: str | None) -> CoreFileTarget:
    """Return the first bytes of a core, without a copy of them."""
    with core.open("rb") as stream:
        data = mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_READ)
    return CoreFileTarget.from_buffer("cut", data, sysroot=sysroot)


def keys(needed: list[Needed]) -> set[tuple[int | None, str, str]]:
    return {(frame.tid, frame.name, frame.filename) for frame in needed}


@pytest.mark.parametrize("identifier", [i.id for i in spread("kept", every=4)])
def test_what_a_cut_kept_is_printed(identifier: str) -> None:
    made = core_of(identifier)
    whole = opened(made)
    python = decode_python(whole)
    assert isinstance(python, PythonState), python
    needed = needed_frames(whole, python)
    assert len(needed) >= 15
    size = made.core.stat().st_size
    kept_somewhere = 0
    for percent in PERCENTS:
        target = cut(made.core, int(size * percent / 100), sysroot_of(made))
        kept = keys([frame for frame in needed if kept_in(target, frame)])
        given = printed(decode_python(target))
        assert kept <= given, (percent, kept - given)
        assert given <= keys(needed), (percent, given - keys(needed))
        kept_somewhere += bool(kept)
        assert target.truncation().truncated
    assert kept_somewhere, "no cut kept a frame: the test would be empty"


@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.12.1", "debian-3.11.2"])
def test_a_cut_in_headers_and_notes(identifier: str) -> None:
    """Every length up to the first kilobytes, then every 512th byte: refused, or decoded."""
    made = core_of(identifier)
    whole = opened(made)
    first = min(s.offset for s in whole._segments if s.type == PT_LOAD and s.filesz)
    refused = 0
    for size in [*range(1, 128), *range(128, first + 4096, 512)]:
        try:
            target = cut(made.core, size, sysroot_of(made))
        except InputError:
            refused += 1
            assert size < 64
            continue
        assert target.truncation().truncated
        python = decode_python(target)
        assert isinstance(python, Absent) and python.detail
        assert {t.tid for t in target.threads()} <= {t.tid for t in whole.threads()}
    assert refused == 63


@pytest.mark.parametrize("coredump_filter", FILTERS, ids=hex)
@pytest.mark.parametrize(
    "identifier", ["pyenv-3.9.18", "pyenv-3.12.1", "trixie-3.13.5", "debian-3.11.2"]
)
def test_every_coredump_filter(identifier: str, coredump_filter: int) -> None:
    made = core_of(identifier, coredump_filter)
    target = opened(made)
    # Whatever the memory: registers, signal, process and mappings come from the notes.
    assert not isinstance(target.crash(), Absent) and target.crash().signo == made.truth["signal"]
    assert target.threads()[0].tid == made.truth["crashed"]
    assert all(thread.registers["rip"] for thread in target.threads())
    assert len(target.threads()) == len(made.truth["threads"])
    assert any("python" in entry.path for entry in target.mapped_files())
    python = decode_python(target)
    if coredump_filter & 1:  # private anonymous memory holds threads, frames and code
        assert isinstance(python, PythonState), python
        true_frames = {
            (t["native_id"], frame[0]) for t in made.truth["threads"] for frame in t["frames"]
        }
        given = {(tid, name) for tid, name, _ in printed(python)}
        assert given == true_frames
    else:
        assert not printed(python)
        assert not isinstance(python, Absent) or python.detail


@pytest.mark.parametrize("damage", ["interpreters", "threads", "middle", "middle to NULL"])
@pytest.mark.parametrize(
    "identifier", ["pyenv-3.8.18", "pyenv-3.10.13", "pyenv-3.12.1", "sid-3.15.2"]
)
def test_a_damaged_list_loses_no_thread(identifier: str, damage: str) -> None:
    target = MutatedTarget(opened(core_of(identifier)))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    layout, threads = python.layout, python.threads()
    assert len(threads) == 3
    at = {
        "interpreters": python.runtime + layout.require("_PyRuntimeState", "interpreters.head"),
        "threads": python.interpreters[0].address
        + layout.require("PyInterpreterState", "threads.head", "tstate_head"),
        "middle": threads[0].address + layout.require("PyThreadState", "next"),
        "middle to NULL": threads[0].address + layout.require("PyThreadState", "next"),
    }[damage]
    if damage == "middle to NULL":
        target.put_word(at, 0)
    else:
        target.flip(at, 41)
    after = decode_python(target)
    assert printed(after) == printed(python)
    assert isinstance(after, PythonState)
    errors = [*after.soft_errors, *(e for t in after.threads() for e in t.soft_errors)]
    assert any("search of memory" in error.message for error in errors)


@pytest.mark.parametrize("lost", [0, 1, 3])
@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.9.18", "pyenv-3.10.13-stripped"])
def test_frames_behind_a_lost_frame_object(identifier: str, lost: int) -> None:
    """Up to 3.10 the older frames hang on it alone; the C stack holds them too."""
    target = MutatedTarget(opened(core_of(identifier)))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    main = next(thread for thread in python.threads() if thread.crashed)
    assert len(main.frames) > 5
    target.put(main.frames[lost].address, bytes(python.layout.size("PyFrameObject") or 0))
    after = decode_python(target)
    assert isinstance(after, PythonState)
    crashed_thread = next(thread for thread in after.threads() if thread.crashed)
    expected = [frame.name for frame in main.frames]
    assert [frame.name for frame in crashed_thread.frames] == [
        *expected[:lost],
        "",
        *expected[lost + 1 :],
    ]
    assert crashed_thread.frames[lost].hole is not None
    assert {frame.provenance for frame in crashed_thread.frames[lost + 1 :]} == {"native"}
    assert any("by the C stack" in error.message for error in crashed_thread.soft_errors)


def without_stack_and_frame(identifier: str, crashed: bool) -> tuple[MutatedTarget, ThreadState]:
    """Take away a thread's C stack and its second frame object; return it as it was."""
    target = MutatedTarget(opened(core_of(identifier)))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    thread = next(
        t
        for t in python.threads()
        if t.crashed == crashed and (crashed or t.name == "wait_for_lock")
    )
    registers = next(t.registers for t in target.threads() if t.tid == thread.tid)
    stack = target.region_at(registers["rsp"])
    target.take_out(registers["rsp"] & -8, registers["fs_base"] if not crashed else stack.end)
    target.put(thread.frames[1].address, bytes(python.layout.size("PyFrameObject") or 0))
    return target, thread


def again(target: MutatedTarget, thread: ThreadState) -> tuple[PythonState, ThreadState]:
    after = decode_python(target)
    assert isinstance(after, PythonState)
    return after, next(other for other in after.threads() if other.tid == thread.tid)


@pytest.mark.parametrize("crashed", [True, False])
@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.9.18", "pyenv-3.10.13-stripped"])
def test_frames_behind_a_lost_frame_and_a_lost_stack(identifier: str, crashed: bool) -> None:
    target, thread = without_stack_and_frame(identifier, crashed)
    after, thread_after = again(target, thread)
    names = [frame.name for frame in thread.frames]
    assert [frame.name for frame in thread_after.frames] == [names[0], "", *names[2:]]
    assert {frame.provenance for frame in thread_after.frames[2:]} == {"heap"}
    assert [frame.lineno for frame in thread_after.frames[2:]] == [
        frame.lineno for frame in thread.frames[2:]
    ]
    assert any("by their type in the heap" in error.message for error in thread_after.soft_errors)
    others = {other.tid: other for other in after.threads() if other.tid != thread.tid}
    assert all(not other.stack_ends_in_hole for other in others.values())


@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.10.13"])
def test_frames_of_nobody_for_sure_are_given_to_nobody(identifier: str) -> None:
    """Neither the Thread nor threading._active says any more whose they are."""
    target, thread = without_stack_and_frame(identifier, False)
    python = decode_python(target)
    assert isinstance(python, PythonState)
    reader, last = MemoryReader(target, python.layout), thread.frames[-1].address
    target.put_word(last + reader.layout.require("PyFrameObject", "f_localsplus"), thread.address)
    after, thread_after = again(target, thread)
    assert [frame.name for frame in thread_after.frames] == [thread.frames[0].name, ""]
    messages = [error.message for error in after.soft_errors]
    assert any(
        "a thread that cannot be told: " in text and "_bootstrap" in text for text in messages
    )


@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.10.13"])
def test_an_outer_interpreter_takes_no_frames_of_the_inner_one(identifier: str) -> None:
    """Both run on one C stack; the one whose links are whole tells which are its own."""
    interpreter = interpreter_or_skip(identifier)
    target = MutatedTarget(opened(made_or_skip(interpreter, "subinterpreter")))
    python = decode_python(target)
    assert isinstance(python, PythonState)
    inner, outer = sorted((t for t in python.threads() if t.frames), key=lambda t: -t.interpreter)
    names = [frame.name for frame in outer.frames]
    target.put(outer.frames[0].address, bytes(python.layout.size("PyFrameObject") or 0))
    after = decode_python(target)
    assert isinstance(after, PythonState)
    again = {thread.address: thread for thread in after.threads()}
    assert [frame.name for frame in again[inner.address].frames] == [f.name for f in inner.frames]
    assert [frame.name for frame in again[outer.address].frames] == ["", *names[1:]]
    assert any("several interpreters" in e.message for e in again[outer.address].soft_errors)


@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "trixie-3.13.5"])
def test_the_share_that_is_missing_is_stated(identifier: str) -> None:
    made = core_of(identifier)
    size = made.core.stat().st_size
    for target, at_least in ((cut(made.core, size // 4, sysroot_of(made)), 10), (None, 100)):
        lost = target or opened(core_of(identifier, 0x10))
        session = Session(lost)
        record = analyze(session)
        memory = record["truncated"]["memory"]
        writable = [r for r in lost.regions() if "w" in r.perms]
        assert memory["missing_bytes"] == sum(r.size - r.dumped for r in writable)
        assert memory["expected_bytes"] == sum(r.size for r in writable)
        assert at_least <= memory["missing_percent"] <= 100
        assert set(memory["stacks"]) <= {t.tid for t in lost.threads()} and memory["stacks"]
        assert memory["mappings"][0]["missing"] > 0
        share = f"{memory['missing_percent']}% of the writable memory"
        assert any(share in line for line in render_triage(record))
        assert any(e["stage"] == "memory" for e in record["soft_errors"])
        report = run_command(session, "doctor")
        assert isinstance(report, dict) and report["core"]["memory_text"]


def test_an_intact_core_misses_nothing() -> None:
    record = analyze(Session(opened(core_of("pyenv-3.12.1"))))
    assert "memory" not in record["truncated"]


WITH_DATASTACK = [i.id for i in one_per_minor() if i.minor >= (3, 11)]


def busy_thread(whole: CoreFileTarget) -> tuple[PythonState, ThreadState]:
    """Return the thread of the scene that runs a coroutine."""
    python = decode_python(whole)
    assert isinstance(python, PythonState), python
    threads = python.threads()
    return python, next(t for t in threads if any(f.owner == "generator" for f in t.frames))


@pytest.mark.parametrize("identifier", WITH_DATASTACK)
def test_a_code_object_before_a_frame_is_no_frame(identifier: str) -> None:
    """Behind a damaged frame, what lies before the next one may look like one that links to it."""
    whole = opened(core_of(identifier))
    python, thread = busy_thread(whole)
    layout, target = python.layout, MutatedTarget(whole)
    frames = InterpreterFrameReader(
        MemoryReader(target, layout), CodeReader(MemoryReader(target, layout))
    )
    before = walk_datastack(MemoryReader(whole, layout), frames, thread.address)
    young, old, other = before.frames[-3:]
    previous_at = layout.require("_PyInterpreterFrame", "previous")
    false = young.address - max(frames.code_at, previous_at) - 8
    target.put_word(old.address + frames.code_at, 0)
    target.put_word(false + frames.code_at, other.code)
    target.put_word(false + previous_at, old.address)
    assert old.address + frames.size <= false
    after = walk_datastack(MemoryReader(target, layout), frames, thread.address)
    kept = [frame.address for frame in before.frames if frame != old]
    assert [frame.address for frame in after.frames] == kept


@pytest.mark.parametrize("identifier", WITH_DATASTACK)
def test_a_thread_whose_coroutine_is_zeros_is_found(identifier: str) -> None:
    whole = opened(core_of(identifier))
    python, thread = busy_thread(whole)
    layout, target = python.layout, MutatedTarget(whole)
    item = MemoryReader(whole, layout).u64(
        thread.address + layout.require("PyThreadState", "exc_info")
    ) + layout.require("_PyErr_StackItem", "previous_item")
    target.put_word(item, 0)
    assert ThreadStateSearcher(target, layout).thread_state(thread.address) is None
    target.put(item & -PAGE, bytes(PAGE))
    thread_state = ThreadStateSearcher(target, layout).thread_state(thread.address)
    assert thread_state is not None and thread_state.address == thread.address
    tid_at = thread.address + layout.require("PyThreadState", "native_thread_id")
    target.put_word(tid_at, (thread.tid or 0) + 1)
    assert ThreadStateSearcher(target, layout).thread_state(thread.address) is None


@pytest.mark.parametrize("identifier", ["pyenv-3.8.18", "pyenv-3.9.18", "pyenv-3.10.13"])
def test_a_thread_without_a_number_whose_coroutine_is_zeros_is_found(identifier: str) -> None:
    """Up to 3.10 no thread state holds a tid; its neighbours or its frame tell what it is."""
    whole = opened(core_of(identifier))
    python = decode_python(whole)
    assert isinstance(python, PythonState)
    layout, target = python.layout, MutatedTarget(whole)
    thread = next(thread for thread in python.threads() if thread.crashed)
    reader = MemoryReader(target, layout)
    item = reader.u64(thread.address + layout.require("PyThreadState", "exc_info"))
    assert item != thread.address + layout.require("PyThreadState", "exc_state")
    target.put(item + layout.require("_PyErr_StackItem", "previous_item") & -PAGE, bytes(PAGE))
    thread_state = ThreadStateSearcher(target, layout).thread_state(thread.address)
    assert thread_state is not None and thread_state.address == thread.address
    for there, back in (("next", "prev"), ("prev", "next")):
        other = reader.u64(thread.address + layout.require("PyThreadState", there))
        if other:
            target.put_word(other + layout.require("PyThreadState", back), 0)
    assert ThreadStateSearcher(target, layout).thread_state(thread.address) == thread_state
    target.put_word(thread.address + layout.require("PyThreadState", "frame"), item)
    assert ThreadStateSearcher(target, layout).thread_state(thread.address) is None
