# SPDX-License-Identifier: Apache-2.0
"""Real cores with zeroed pages or a smashed C stack, and deaths in awkward places."""

from __future__ import annotations

import mmap
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, one_per_minor
from support.kept import Needed, needed_frames, printed
from support.opening import need_core_dumps, open_target

from gdb_epi.analysis import analyze
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target import elf
from gdb_epi.target.corefile import CoreFileTarget

PAGE = 4096
ROUNDS = 12  # of zeroed pages, each with another seed
INTERPRETERS = [pytest.param(i, id=i.id) for i in one_per_minor()]
HERE = [pytest.param(i, id=i.id) for i in one_per_minor() if i.root is None]


class Overwritten:
    """A core of which some ranges are filled with one byte."""

    def __init__(self, inner: CoreFileTarget, ranges: list[tuple[int, int]], byte: int) -> None:
        self._inner = inner
        self._ranges = ranges
        self._byte = byte
        self.soft_errors = list(inner.soft_errors)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def read(self, address: int, size: int) -> bytes:
        data = self._inner.read(address, size)
        for start, end in self._ranges:
            low, high = max(start, address), min(end, address + size)
            if low < high:
                filling = bytes([self._byte]) * (high - low)
                data = data[: low - address] + filling + data[high - address :]
        return data

    def find(self, needle: bytes, start: int, end: int) -> int | None:
        place = self._inner.find(needle, start, end)
        while place is not None and self.read(place, len(needle)) != needle:
            place = self._inner.find(needle, place + 1, end)
        return place


def key(frame: Needed) -> tuple[int | None, str, str]:
    return frame.tid, frame.name, frame.filename


def untouched(needed: list[Needed], ranges: list[tuple[int, int]]) -> set[object]:
    """Return the frames whose memory, and that of all frames within them, was left alone.

    Unlike a page that is missing, one of zeros does not say that it is damaged: what lies behind a
    frame of zeros is asked for in the tests of cut cores alone.
    """
    frames_left = set()
    lost: set[int | None] = set()
    for frame in needed:
        hit = any(a < end and a + n > start for a, n in frame.ranges for start, end in ranges)
        lost |= {frame.tid} if hit else set()
        frames_left |= set() if frame.tid in lost else {key(frame)}
    return frames_left


def pages_of(python: PythonState, needed: list[Needed]) -> Iterator[tuple[str, list[int]]]:
    """Yield where to strike: what frames lie in, what they lead to, thread states."""
    yield "frames", sorted({frame.ranges[0][0] & -PAGE for frame in needed})
    yield "objects", sorted({a & -PAGE for frame in needed for a, _ in frame.ranges[1:]})
    yield "thread states", sorted({t.address & -PAGE for t in python.threads()})


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_pages_of_zeros(interpreter: Interpreter) -> None:
    _, whole = open_target(interpreter, "damage_scene")
    python = decode_python(whole)
    assert isinstance(python, PythonState)
    needed = needed_frames(whole, python)
    everything = {key(frame) for frame in needed}
    kept = lost = 0
    for kind, pages in pages_of(python, needed):
        for seed in range(ROUNDS):
            struck = random.Random(f"{kind} {seed}").sample(pages, min(len(pages), 1 + seed % 4))
            ranges = [(page, page + PAGE) for page in struck]
            target = Overwritten(whole, ranges, 0)
            given = printed(decode_python(target))
            assert given <= everything, (kind, seed, given - everything)
            wanted = untouched(needed, ranges)
            assert wanted <= given, (kind, seed, wanted - given)
            kept += len(given)
            lost += len(everything - given)
    assert kept and lost


@pytest.mark.parametrize("interpreter", INTERPRETERS)
@pytest.mark.parametrize("byte", [0x00, 0x41, 0xFF], ids=hex)
def test_a_smashed_c_stack(interpreter: Interpreter, byte: int) -> None:
    """All of the dying thread's C stack is overwritten, as strcpy() into a local array does it."""
    made, whole = open_target(interpreter, "damage_scene")
    python = decode_python(whole)
    assert isinstance(python, PythonState)
    dead = next(t for t in whole.threads() if t.tid == made.truth["crashed"])
    pointer = dead.registers["rsp"]
    region = whole.region_at(pointer)
    assert region is not None
    target = Overwritten(whole, [(pointer, region.end)], byte)
    record = analyze(Session(target))
    assert record["signal"]["signo"] == made.truth["signal"]
    given = printed(decode_python(target))
    needed = needed_frames(whole, python)
    everything = {key(frame) for frame in needed}
    assert given <= everything
    # 3.11 and 3.12 keep the innermost frame's address on the C stack: then nothing leads to the
    # frames of coroutines, which are not in the data stack.
    hop = python.layout.offset("PyThreadState", "current_frame", "frame") is None
    own = {"main"} if hop else set()
    assert {name for _, name, _ in everything - given} <= own


@pytest.mark.parametrize("interpreter", INTERPRETERS)
@pytest.mark.parametrize("way", ["raise", "pydll"])
def test_dying_below_tp_clear(interpreter: Interpreter, way: str) -> None:
    made, target = open_target(interpreter, f"dying_in_clear-{way}")
    session = Session(target)
    record = analyze(session)
    assert record["signal"]["signo"] == made.truth["signal"]
    thread = next(t for t in session.state.python_threads() if t.crashed)
    names = [frame.name for frame in thread.frames]
    truth = next(t for t in made.truth["threads"] if t["native_id"] == made.truth["crashed"])
    assert names == [frame[0] for frame in truth["frames"]]
    assert names[-3:] == ["__del__", "collect", "<module>"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_daemon_thread_at_shutdown(interpreter: Interpreter) -> None:
    made, target = open_target(interpreter, "daemon_at_shutdown")
    session = Session(target)
    record = analyze(session)
    assert record["signal"]["signo"] == made.truth["signal"]
    threads = session.state.python_threads()
    dying = next(t for t in threads if t.crashed)
    truth = next(t for t in made.truth["threads"] if t["native_id"] == made.truth["crashed"])
    assert [f.name for f in dying.frames] == [frame[0] for frame in truth["frames"]]
    assert len(target.threads()) == 2, "the daemon thread is still there"
    others = [f.name for t in threads if not t.crashed for f in t.frames if f.hole is None]
    assert set(others) <= {"left_over", "wait", "run", "_bootstrap_inner", "_bootstrap"}


AFTER_ALL = """
import ctypes
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = (ctypes.c_void_p,) * 3
libc.__cxa_atexit(ctypes.cast(libc.abort, ctypes.c_void_p), None, None)
"""


@pytest.mark.parametrize("interpreter", HERE)
def test_dying_after_the_interpreter_is_gone(interpreter: Interpreter, tmp_path: Path) -> None:
    """abort() in exit(), behind Py_FinalizeEx(): no thread state, no frame, and it is said."""
    need_core_dumps()
    shell = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"]
    subprocess.run(
        [*shell, *interpreter.command("-c", AFTER_ALL, cwd=tmp_path)],
        cwd=tmp_path,
        env=interpreter.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    core = find_core(tmp_path)
    assert len(core) == 1
    session = Session(CoreFileTarget.open(core[0]))
    record = analyze(session)
    assert record["signal"]["name"] == "SIGABRT"
    python = session.state.python
    assert not printed(python)
    if isinstance(python, Absent):
        assert python.detail
    assert record["verdict"]["label"]


def test_overwriting_is_seen() -> None:
    """What the tests above overwrite is neither read nor found any more."""
    interpreter = one_per_minor()[0]
    _, whole = open_target(interpreter, "damage_scene")
    first = whole.regions()[-2]
    target = Overwritten(whole, [(first.start, first.start + PAGE)], 0x41)
    assert target.read(first.start, 8) == b"A" * 8
    assert target.find(b"AAAAAAAA", first.start, first.start + PAGE) is None


def test_headers_that_all_name_the_file_as_notes() -> None:
    """The notes never take more memory than the file, however many headers name its bytes."""
    made, _ = open_target(one_per_minor()[0], "damage_scene")
    with made.core.open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
    header = elf.parse_header(data[:64])
    assert header is not None
    for index in range(header.phnum):
        at = header.phoff + index * elf.PHDR.size
        changed = elf.PHDR.pack(elf.PT_NOTE, 4, 0, 0, 0, len(data), len(data), 4)
        data[at : at + elf.PHDR.size] = changed
    target = CoreFileTarget.from_buffer("all notes", data)
    assert header.phnum > 10 and len(target._note_bytes) <= len(data)
    assert not isinstance(decode_python(target), PythonState)
