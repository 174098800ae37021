# SPDX-License-Identifier: Apache-2.0
"""Whether a word of memory is a field of CPython's own, where nobody keeps marks in addresses."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory

MAX_BASES = 16
FRAME_BYTES = 2048  # from a frame's start, in which its variables and value stack lie
CODE_BYTES = 128  # of a code object, in which its pointers lie


def own_field(context: Context, place: int) -> bool:
    """Whether a word lies in a frame, its code, or an object whose type no extension defines.

    The types of extensions have a dot in tp_name (`_ctypes._SimpleCData`); CPython's own and
    classes written in Python have none. A class that derives from an extension's type may hold
    that type's fields.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return False
    if _in_frame(python, place):
        return True
    found = context.things.owner(place)
    return found is not None and not _of_extension(context, python, found[0], found[1])


def _in_frame(python: PythonState, place: int) -> bool:
    return any(
        frame.address <= place < frame.address + FRAME_BYTES
        or frame.code <= place < frame.code + CODE_BYTES
        for thread in python.threads()
        for frame in thread.frames
    )


def _of_extension(context: Context, python: PythonState, start: int, name: str) -> bool:
    if name == "dict":  # an entry: the owner's address is that of the key's word
        return False
    try:
        reader = Reader(context.target, python.layout)
        base_at = python.layout.require("PyTypeObject", "tp_base")
        kind = reader.type_of(start)
        for _ in range(MAX_BASES):
            if not kind:
                return False
            told = reader.type_name(kind)
            if isinstance(told, Absent) or "." in told:
                return True
            kind = reader.u64(kind + base_at)
    except (UnreadableMemory, LayoutError):
        pass
    return True
