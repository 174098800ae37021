# SPDX-License-Identifier: Apache-2.0
"""Damage the offsets that a process of 3.13+ publishes, one word at a time, in a real core."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from gdb_epi.analysis import analyze
from gdb_epi.cpython.layout.layout import Layout, load_layout
from gdb_epi.cpython.runtime.interpreters import read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget
from support.cores import Made
from support.mutate import MutatedTarget
from support.opening import target_of

ASYNCIO = ".AsyncioDebug"
HUGE = 64 << 20  # bytes in one read; the cores of the programs have less than 40 MB
# Beside what lies near the true value: nothing, "no such member", the largest, and signs.
VALUES = (0, 1, 7, 8, 4096, 1 << 16, (4 << 20) - 8, 1 << 31, 0xFFFFFFFF, 1 << 47, (1 << 64) - 1)
STEPS = (-16, -8, -4, -1, 1, 4, 8, 16, 24, 64, 512)


class Damage(NamedTuple):
    """One word of a process's own offsets, and what is put in its place."""

    word: str
    address: int
    value: int
    true: int


class Truth(NamedTuple):
    """What the process said of its frames, and what was decoded of its undamaged core."""

    frames: frozenset[tuple[Any, ...]]
    variables: frozenset[tuple[Any, ...]]


class Watched(MutatedTarget):
    """Memory with one word changed, that remembers the largest read."""

    largest = 0

    def read(self, address: int, size: int) -> bytes:
        self.largest = max(self.largest, size)
        return super().read(address, size)


def words_of(made: Made) -> list[tuple[str, int, int]]:
    """Return (name, address, value) of every word: of `_Py_DebugOffsets`, and of asyncio's."""
    target = target_of(made)
    python = ProcessState(target).python
    assert isinstance(python, PythonState), python
    layout: Layout = python.layout
    table = load_layout(layout.version, layout.free_threaded)
    gil = load_layout(layout.version)
    assert table is not None and gil is not None
    places = [("_Py_DebugOffsets", python.runtime, table)]
    for module in target.modules():
        section = target.section(module, ASYNCIO)
        if section is not None:
            places.append(("_Py_AsyncioModuleDebugOffsets", section[0], gil))
    words = []
    for struct, start, document in places:
        fields = document.struct(struct)
        for path, field in sorted(fields.fields.items()) if fields else ():
            if field.size == 8 and (path in ("version", "free_threaded") or "." in path):
                value = int.from_bytes(target.read(start + field.offset, 8), "little")
                words.append((path, start + field.offset, value))
    return words


def damages(made: Made, seed: int) -> Iterator[Damage]:
    """Yield every damage of every word: bits, steps, values, other members' places, and chance."""
    chance = random.Random(seed)
    words = words_of(made)
    for name, address, true in words:
        section = name.partition(".")[0]
        others = {value for other, _, value in words if other.startswith(section + ".")}
        values = {true ^ 1 << bit for bit in (*range(14), 20, 32, 47, 63)}
        values |= {(true + step) % (1 << 64) for step in STEPS} | set(VALUES) | others
        values |= {chance.randrange(4096) & ~7, chance.randrange(1 << 64)}
        for value in sorted(values - {true}):
            yield Damage(name, address, value, true)


def seen_frames(python: PythonState) -> set[tuple[Any, ...]]:
    """Return the frames that are shown as frames: a hole claims nothing."""
    return {
        (thread.interpreter, frame.name, frame.filename, frame.lineno)
        for thread in python.threads()
        for frame in thread.frames
        if frame.hole is None
    }


def seen_variables(target: Any, python: PythonState) -> set[tuple[Any, ...]]:
    """Return the variables that are shown as exact."""
    reader = FrameVariables(get_process_values(target, python))
    variables_seen = set()
    for thread in python.threads():
        for frame in thread.frames:
            variables = reader.variables_of_frame(frame) if frame.hole is None else ()
            for variable in () if isinstance(variables, Absent) else variables:
                if variable.exact and not variable.cut:
                    variables_seen.add((frame.name, variable.name, variable.type, variable.text))
    return variables_seen


def truth_of(made: Made) -> Truth:
    """Return what is true of a core; the frames by what the process wrote."""
    target = target_of(made)
    python = ProcessState(target).python
    assert isinstance(python, PythonState), python
    truth_frames = {
        (thread["interpreter"], name, filename, line)
        for thread in made.truth["threads"]
        for name, _, filename, line in thread["frames"]
    }
    assert seen_frames(python) == truth_frames
    return Truth(frozenset(truth_frames), frozenset(seen_variables(target, python)))


def wrong(target: CoreFileTarget, truth: Truth, damage: Damage, *, whole: bool) -> str:
    """Return what is wrong with what is decoded of a damaged core; "" when nothing is."""
    watched: Any = Watched(target)
    watched.put_word(damage.address, damage.value)
    try:
        state = ProcessState(watched)
        python = state.python
        if whole:
            analyze(Session(watched))
        if not isinstance(python, PythonState):
            return ""
        read_runtime(watched, python)
        frames = seen_frames(python) - truth.frames
        variables = seen_variables(watched, python) - truth.variables
    except Exception as error:  # that is what is looked for
        return f"{type(error).__name__}: {error}"
    if watched.largest > HUGE:
        return f"a read of {watched.largest} bytes"
    if frames:
        return f"wrong frame: {sorted(frames, key=str)[0]}"
    return f"wrong variable: {sorted(variables, key=str)[0]}" if variables else ""
