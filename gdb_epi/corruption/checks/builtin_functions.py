# SPDX-License-Identifier: Apache-2.0
"""R21: a built-in function against its name in the module, and against the others of its sort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, require_present, word_evidence
from gdb_epi.corruption.heap.memory_readers import shared_object_search
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_FUNCTIONS = 256
MAX_NAME = 128
MIN_COPIES = 4  # functions that have the right value in the same field
BITS = range(64)


class _Function(NamedTuple):
    name: str
    address: int
    definition: int  # m_ml
    vectorcall: int  # 0: none, or a release without it


@check(
    "R21",
    costly=True,
    needs="python",
    innocent_causes=(
        "a function under another name (its definition begins with a name all the same), an "
        "overwritten object: then no word one bit away is the definition of that name, or what "
        "several other functions have."
    ),
)
def builtin_functions(context: Context) -> Iterator[Evidence]:
    """Compare the functions of the module `builtins` with their names, and with each other.

    The definition of a function begins with the name under which the module has it; its vectorcall
    is one of the few that all built-in functions share.
    """
    heap = shared_object_search(context)
    functions = list(_functions(heap, require_present(context.state.python)))
    yield from _definitions(heap, functions)
    yield from _vectorcalls(context, heap, functions)


def _functions(heap: ObjectSearch, python: PythonState) -> Iterator[_Function]:
    reader, layout = heap.reader, heap.reader.layout
    definition_at = layout.require("PyCFunctionObject", "m_ml")
    vectorcall_at = layout.offset("PyCFunctionObject", "vectorcall")  # 3.8
    pairs = [
        pair
        for interpreter in python.interpreters[:1]
        if (contents := heap.access.module(interpreter.address, "builtins"))
        for pair in heap.access.pairs(contents)
    ]
    for key, value in pairs[:MAX_FUNCTIONS]:
        try:
            kind = reader.type_name(reader.type_of(value))
            name = reader.string(key, MAX_NAME)
            if kind != "builtin_function_or_method" or isinstance(name, Absent):
                continue
            vectorcall = reader.u64(value + vectorcall_at) if vectorcall_at is not None else 0
            yield _Function(name, value, reader.u64(value + definition_at), vectorcall)
        except UnreadableMemory:
            continue


def _definitions(heap: ObjectSearch, functions: list[_Function]) -> Iterator[Evidence]:
    """Find definitions that have no name at all, one bit from the one of the right name."""
    layout = heap.reader.layout
    name_at = layout.require("PyMethodDef", "ml_name")
    offset = layout.require("PyCFunctionObject", "m_ml")

    def named(definition: int) -> str | Absent:
        try:
            return heap.reader.c_string(heap.reader.u64(definition + name_at), MAX_NAME)
        except UnreadableMemory as error:
            return Absent("not_available", str(error))

    for builtin in functions:
        defined_name = named(builtin.definition)
        if not isinstance(defined_name, Absent) and defined_name.isidentifier():
            continue
        right = [flip for b in BITS if named(flip := builtin.definition ^ 1 << b) == builtin.name]
        if len(right) == 1:
            summary = (
                f"m_ml of the built-in function {builtin.name!r} at {builtin.address:#018x} leads "
                f"to no definition; {right[0]:#018x}, one bit away, is that of {builtin.name!r}"
            )
            yield word_evidence(
                "R21", builtin.address + offset, builtin.definition, right[0], summary
            )


def _vectorcalls(
    context: Context, heap: ObjectSearch, functions: list[_Function]
) -> Iterator[Evidence]:
    counts = Counter(builtin.vectorcall for builtin in functions if builtin.vectorcall)
    offset = heap.reader.layout.offset("PyCFunctionObject", "vectorcall")
    for builtin in functions:
        if offset is None or not builtin.vectorcall or counts[builtin.vectorcall] > 1:
            continue
        if begins_function(context, builtin.vectorcall):
            continue
        flips = (builtin.vectorcall ^ 1 << bit for bit in BITS)
        right = [flip for flip in flips if counts[flip] >= MIN_COPIES]
        if len(right) == 1:
            summary = (
                f"vectorcall of the built-in function {builtin.name!r} at {builtin.address:#018x} "
                f"is the start of no function; {counts[right[0]]} others have {right[0]:#018x}, "
                "one bit away"
            )
            yield word_evidence(
                "R21", builtin.address + offset, builtin.vectorcall, right[0], summary
            )
