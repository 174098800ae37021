# SPDX-License-Identifier: Apache-2.0
"""Which Python frame is inside a call that forks, and which hooks run around a fork.

A call keeps its callable on the caller's value stack until it returns, but a slot may also be
stale, so other evidence must confirm this. The hooks are exact: os.register_at_fork() keeps them in
lists of the interpreter (Modules/posixmodule.c, register_at_fork; 3.7 to 3.15).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import InterpreterState, PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.sizes import PAGE, USER_TOP, split_into_words
from gdb_epi.typing_lite import NamedTuple

BEFORE, CHILD, PARENT = "before the fork", "in the child", "in the parent"
_LISTS = {"before_forkers": BEFORE, "after_forkers_child": CHILD, "after_forkers_parent": PARENT}
FORKING = frozenset(("fork", "fork1", "forkpty", "fork_exec"))
MAX_HOOKS = 4096
MAX_SLOTS = 512  # words of one frame: locals and value stack
MAX_NAME = 64


class ForkHook(NamedTuple):
    """A function registered with os.register_at_fork(): its code object, and when it runs."""

    code: int
    when: str


def read_fork_hooks(reader: MemoryReader, python: PythonState) -> list[ForkHook]:
    """Return the hooks written in Python; C functions leave no frame."""
    hooks: list[ForkHook] = []
    for interpreter in python.interpreters[:1]:
        for member, when in _LISTS.items():
            try:
                hooks += [ForkHook(code, when) for code in _codes(reader, interpreter, member)]
            except (UnreadableMemory, LayoutError):
                continue
    return hooks


def _codes(reader: MemoryReader, interpreter: InterpreterState, member: str) -> Iterator[int]:
    layout = reader.layout
    at = layout.offset("PyInterpreterState", member)
    hooks = reader.u64(interpreter.address + at) if at is not None else 0
    if not hooks:
        return
    for function in ContainerReader(reader).list_items(hooks)[:MAX_HOOKS]:
        code = _code_of(reader, function)
        if code is not None:
            yield code


def _code_of(reader: MemoryReader, function: int) -> int | None:
    """Return the code object of a function or bound method."""
    layout = reader.layout
    name = reader.type_name(reader.type_of(function))
    if name == "method":
        function = reader.u64(function + layout.require("PyMethodObject", "im_func"))
        name = reader.type_name(reader.type_of(function))
    if name != "function":
        return None
    return reader.u64(function + layout.require("PyFunctionObject", "func_code"))


def find_forking_call(reader: MemoryReader, frame: PyFrame) -> str | None:
    """Return the name of a forking built-in to which a frame refers, else None."""
    at = reader.layout.offset("_PyInterpreterFrame", "localsplus")
    if at is None:
        at = reader.layout.offset("PyFrameObject", "f_localsplus")
    if at is None or not frame.address:
        return None
    for word in _slots(reader, frame.address + at):
        name = _builtin_name(reader, word & ~3)
        if name in FORKING:
            return name
    return None


def _slots(reader: MemoryReader, start: int) -> Iterator[int]:
    region = reader.target.region_at(start)
    if region is None:
        return
    slots = split_into_words(
        try_read(reader.target, start, min(8 * MAX_SLOTS, region.end - start) & -8)
    )
    yield from (word for word in slots if PAGE < word < USER_TOP)


def _builtin_name(reader: MemoryReader, address: int) -> str | None:
    layout = reader.layout
    region = reader.target.region_at(address)
    if address & 7 or region is None or "w" not in region.perms:
        return None
    try:
        if reader.type_name(reader.type_of(address)) != "builtin_function_or_method":
            return None
        method = reader.u64(address + layout.require("PyCFunctionObject", "m_ml"))
        name = reader.c_string(reader.u64(method), MAX_NAME)
    except (UnreadableMemory, LayoutError):
        return None
    return None if isinstance(name, Absent) else name
