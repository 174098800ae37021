# SPDX-License-Identifier: Apache-2.0
"""CPython's own C structs in words: thread states, interpreters, frames that are no objects.

In: the address of a struct and its name (`expressions.C_STRUCTS`). Out: one line of text.
"""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader, make_python_frame
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.errors import UNREADABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.process_state import ProcessState
from gdb_epi.render.merged_stacks import place_text, thread_title
from gdb_epi.util import counted


def describe_c_struct(state: ProcessState, struct: str, address: int) -> str | Absent:
    """Return a PyThreadState, PyInterpreterState or _PyInterpreterFrame in words.

    Absent when there is no Python, or when the process has none at that address.
    """
    python = state.python
    if isinstance(python, Absent):
        return python
    if struct == "PyThreadState":
        for thread in python.threads():
            if thread.address == address:
                return f"thread state of {thread_title(state, thread.tid, thread)}"
        return Absent(UNREADABLE, f"no thread state of this process is at {address:#x}")
    if struct == "PyInterpreterState":
        for interpreter in python.interpreters:
            if interpreter.address == address:
                threads = counted(len(interpreter.threads), "thread state")
                return f"interpreter {interpreter.id}, {threads}"
        return Absent(UNREADABLE, f"no interpreter of this process is at {address:#x}")
    frames = (frame for thread in python.threads() for frame in thread.frames)
    frame = next((frame for frame in frames if frame.address == address), None)
    if frame is not None:
        return f"frame of {place_text(frame)}"
    reader = MemoryReader(state.target, python.layout)
    codes = CodeReader(reader)
    try:
        raw = frame_reader(reader, codes).read(address)
        if raw.internal:
            return "frame of the interpreter itself, which runs no code of Python"
        frame = make_python_frame(raw, codes, NamespaceReader(reader), "memory")
    except (LayoutError, UnreadableMemory) as error:
        return Absent(UNREADABLE, str(error))
    if frame.hole is not None:
        return Absent(UNREADABLE, frame.hole)
    return f"frame of {place_text(frame)}, on the stack of no thread"
