# SPDX-License-Identifier: Apache-2.0
"""Objects that the interpreter makes once, and whose contents are known.

R21: a built-in function against its name in the module, and against the others of its sort. R32,
S:overwritten-place: a small int against its place among the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    Evidence,
    changed_bits,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.readers import shared_object_search, words_at_fault
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import HALF_MASK, WORD_MASK
from gdb_epi.typing_lite import NamedTuple

MAX_FUNCTIONS = 256
MAX_NAME = 128
MIN_COPIES = 4  # functions that have the right value in the same field
BITS = range(64)
FIRST_SMALL_INT, LAST_SMALL_INT = -5, 256  # _PY_NSMALLNEGINTS, _PY_NSMALLPOSINTS
INT_STEP = 32  # bytes from one to the next
MIN_SEEN = 4  # of a row, by the frames
STATIC_INT = 4  # a bit of lv_tag from 3.14 on (_PyLong_IMMORTALITY_BIT_MASK)
TAG_OF_ZERO, TAG_BELOW, TAG_ABOVE = 1, 10, 8  # lv_tag of ints of one digit (3.12 and later)
MIN_IN_ROW = 16
MAX_WRONG_INTS = 8


class _BuiltinFunction(NamedTuple):
    name: str
    address: int
    definition: int  # m_ml
    vectorcall: int  # 0: none, or a release without it


@check("R21", costly=True, needs="python")
def builtin_functions(context: Context) -> Iterator[Evidence]:
    """Compare the functions of the module `builtins` with their names, and with each other.

    The definition of a function begins with the name under which the module has it; its vectorcall
    is one of the few that all built-in functions share.

    Innocent causes: a function under another name (its definition begins with a name all the same),
    an overwritten object: then no word one bit away is the definition of that name, or what several
    other functions have.
    """
    heap = shared_object_search(context)
    functions = list(_builtin_functions_of_module(heap, require(context.state.python)))
    yield from _check_method_definitions(heap, functions)
    yield from _check_vectorcalls(context, heap, functions)


def _builtin_functions_of_module(
    heap: ObjectSearch, python: PythonState
) -> Iterator[_BuiltinFunction]:
    reader, layout = heap.reader, heap.reader.layout
    definition_at = layout.require("PyCFunctionObject", "m_ml")
    vectorcall_at = layout.offset("PyCFunctionObject", "vectorcall")  # 3.8
    pairs = [
        pair
        for interpreter in python.interpreters[:1]
        if (contents := heap.access.module_dict(interpreter.address, "builtins"))
        for pair in heap.access.dict_pairs(contents)
    ]
    for key, value in pairs[:MAX_FUNCTIONS]:
        try:
            kind = reader.type_name(reader.type_of(value))
            name = reader.string(key, MAX_NAME)
            if kind != "builtin_function_or_method" or isinstance(name, Absent):
                continue
            vectorcall = reader.u64(value + vectorcall_at) if vectorcall_at is not None else 0
            yield _BuiltinFunction(name, value, reader.u64(value + definition_at), vectorcall)
        except UnreadableMemory:
            continue


def _check_method_definitions(
    heap: ObjectSearch, functions: list[_BuiltinFunction]
) -> Iterator[Evidence]:
    """Find definitions that have no name at all, one bit from the one of the right name."""
    layout = heap.reader.layout
    name_at = layout.require("PyMethodDef", "ml_name")
    offset = layout.require("PyCFunctionObject", "m_ml")

    def name_of_definition(definition: int) -> str | Absent:
        try:
            return heap.reader.c_string(heap.reader.u64(definition + name_at), MAX_NAME)
        except UnreadableMemory as error:
            return Absent("not_available", str(error))

    for builtin in functions:
        defined_name = name_of_definition(builtin.definition)
        if not isinstance(defined_name, Absent) and defined_name.isidentifier():
            continue
        right = [
            flip
            for b in BITS
            if name_of_definition(flip := builtin.definition ^ 1 << b) == builtin.name
        ]
        if len(right) == 1:
            summary = (
                f"m_ml of the built-in function {builtin.name!r} at {builtin.address:#018x} leads "
                f"to no definition; {right[0]:#018x}, one bit away, is that of {builtin.name!r}"
            )
            yield word_evidence(
                "R21", builtin.address + offset, builtin.definition, right[0], summary
            )


def _check_vectorcalls(
    context: Context, heap: ObjectSearch, functions: list[_BuiltinFunction]
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


@check("small-ints", costly=True, grows=True, needs="python", order=57)
def small_ints(context: Context) -> Iterator[Evidence]:
    """Compare the ints from -5 to 256 with their places.

    They are made once, one after the other (_PyLong_Init() up to 3.10, static from 3.11 on), and
    nothing changes them: where 16 of a row are as their places say, so must the others be.

    Innocent causes: an extension that changes ints in place: that is damage, whoever meant it. Ints
    of other memory that stand in a row by chance: 16 must stand where their values say.
    """
    walk = require(object_walk(context))
    walk.kinds.types_of_objects(list(words_at_fault(context)))
    layout, reader = walk.reader.layout, walk.reader
    tag_at = layout.offset("PyLongObject", "lv_tag")
    size_at = tag_at if tag_at is not None else layout.require("PyVarObject", "ob_size")
    digit_at = layout.require("PyLongObject", "ob_digit")

    def sizes_and_digits(owners: list[int]) -> list[tuple[int, int]]:
        sizes = reader.words([owner + size_at for owner in owners])
        digits = reader.words([owner + digit_at for owner in owners])
        return [(size, word & HALF_MASK) for size, word in zip(sizes, digits, strict=True)]

    ints = walk.kinds.objects_of_types(frozenset(("int",))).get("int", [])
    rows: dict[int, list[int]] = {}  # where 0 is, or would be
    for owner, (size, digit) in zip(ints, sizes_and_digits(ints), strict=True):
        if size in _possible_size_words(1, tag_at is not None) and 0 < digit <= LAST_SMALL_INT:
            rows.setdefault(owner - INT_STEP * digit, []).append(owner)
    for zero in [zero for zero, row in rows.items() if len(row) >= MIN_SEEN]:
        places = [zero + INT_STEP * value for value in range(FIRST_SMALL_INT, LAST_SMALL_INT + 1)]
        held = dict(zip(places, sizes_and_digits(places), strict=True))
        right = {
            owner
            for owner, (size, digit) in held.items()
            if _is_small_int(size, digit, (owner - zero) // INT_STEP, tagged=tag_at is not None)
        }
        if len(right) < MIN_IN_ROW:
            continue
        # Up to 3.10 the row goes on in another pool, at other places.
        among = range(min(right), max(right), INT_STEP)
        wrong = [
            owner for owner in among if owner not in right and walk.type_name_at(owner) == "int"
        ]
        for owner in wrong if len(wrong) <= MAX_WRONG_INTS else ():
            size, digit = held[owner]
            value = (owner - zero) // INT_STEP
            of_row = f"the int at {owner:#018x} stands in the row of the small ints, at the place "
            if size in _possible_size_words(value, tag_at is not None):
                place = owner + digit_at
                word = reader.word(place)
                meant = word ^ digit ^ abs(value)
                summary = f"{of_row}of {value}, and is {digit}"
            else:
                place, word, meant = (
                    owner + size_at,
                    size,
                    _possible_size_words(value, tag_at is not None)[0],
                )
                summary = f"{of_row}of {value}, and its size is {size:#x}"
            if len(wrong) == 1 and len(changed_bits(word, meant)) == 1:
                yield word_evidence("R32", place, word, meant, f"{summary}, one bit away")
            else:
                summary += ": it was overwritten, as nothing changes an int"
                yield plain_evidence("S:overwritten-place", place, summary)


def _possible_size_words(value: int, tagged: bool) -> tuple[int, ...]:
    """Return what ob_size or lv_tag of an int of one digit may be; the most frequent first."""
    if not tagged:
        return ((value > 0) - (value < 0) & WORD_MASK,)
    tag = TAG_ABOVE if value > 0 else TAG_BELOW if value < 0 else TAG_OF_ZERO
    return tag, tag | STATIC_INT


def _is_small_int(size: int, digit: int, value: int, *, tagged: bool) -> bool:
    return size in _possible_size_words(value, tagged) and digit == abs(value)
