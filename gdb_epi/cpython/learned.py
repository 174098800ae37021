# SPDX-License-Identifier: Apache-2.0
"""Find modules when sys.modules is gone: the globals of frames still lead to them.

While an interpreter finalizes, sys.modules is emptied first; functions that run keep their globals.
"""

from __future__ import annotations

from gdb_epi.cpython.code import CodeReader
from gdb_epi.cpython.frames import frame_reader
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import LayoutError, UnreadableMemory

MAX_FRAMES = 2000
MAX_FRAMES_PER_THREAD = 200


def learn_globals(reader: Reader, objects: Objects, python: PythonState) -> None:
    """Let `objects` know the globals of all frames (`Objects.known_globals`)."""
    frames = frame_reader(reader, CodeReader(reader))
    left = MAX_FRAMES
    for thread in python.threads():
        for frame in thread.frames[:MAX_FRAMES_PER_THREAD]:
            if left <= 0:
                return
            left -= 1
            try:
                raw = frames.read(frame.address) if frame.hole is None else None
                if raw is not None and not raw.problem:
                    objects.module_name(raw.globals)
            except (UnreadableMemory, LayoutError):
                continue
