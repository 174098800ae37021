# SPDX-License-Identifier: Apache-2.0
"""The instructions of a `__repr__`, as far as values_by_code.py knows what each of them does.

The numbers of opcodes and of their inline caches come from the layout; an instruction that the
eval loop has specialised (3.11, PEP 659) stands for the one it came from. Those that a tracer or a
profiler has replaced are refused. Source: Python/bytecodes.c, Python/ceval.c of each version.
"""

from __future__ import annotations

from gdb_epi.cpython.code import INSTRUCTION, bytecode_of
from gdb_epi.cpython.layout import Layout
from gdb_epi.cpython.values_core import Painter, Undecodable
from gdb_epi.cpython.values_types import TypeInfo
from gdb_epi.errors import LayoutError, UnreadableMemory

MAX_UNITS = 400  # of two bytes each
MAX_STEPS = 200

# What an instruction does, by the opcodes that do it, with those that the eval loop specialises.
# The second half of LOAD_CONST__LOAD_FAST keeps an opcode of its own (3.11, 3.12).
_RESUMES = frozenset(("RESUME", "RESUME_QUICK", "RESUME_CHECK", "RESUME_CHECK_JIT"))
_PRECALLS = frozenset(("PRECALL", "PRECALL_ADAPTIVE", "PRECALL_NO_KW_TYPE_1"))
_ATTRIBUTES = (
    "LOAD_ATTR LOAD_ATTR_ADAPTIVE LOAD_ATTR_INSTANCE_VALUE LOAD_ATTR_SLOT LOAD_ATTR_WITH_HINT "
    "LOAD_ATTR_CLASS LOAD_ATTR_NONDESCRIPTOR_NO_DICT LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES"
)
_DOES = {
    "skip": ("NOP", *_RESUMES, *_PRECALLS),
    "null": ("PUSH_NULL",),
    "const": ("LOAD_CONST", "LOAD_CONST_IMMORTAL", "LOAD_CONST_MORTAL", "LOAD_CONST__LOAD_FAST"),
    "fast": ("LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST__LOAD_CONST"),
    "attr": tuple(_ATTRIBUTES.split()),
    "global": ("LOAD_GLOBAL", "LOAD_GLOBAL_ADAPTIVE", "LOAD_GLOBAL_BUILTIN"),
    "call": ("CALL", "CALL_ADAPTIVE", "CALL_NO_KW_TYPE_1", "CALL_TYPE_1", "CALL_FUNCTION"),
    "format": ("FORMAT_VALUE",),
    "simple": ("FORMAT_SIMPLE",),
    "spec": ("FORMAT_WITH_SPEC",),
    "convert": ("CONVERT_VALUE",),
    "build": ("BUILD_STRING",),
    "tuple": ("BUILD_TUPLE",),
    "modulo": ("BINARY_MODULO",),
    "binary": ("BINARY_OP", "BINARY_OP_ADAPTIVE"),
    "return": ("RETURN_VALUE",),
    "return_const": ("RETURN_CONST",),
}
_CACHED = {"attr": "LOAD_ATTR", "global": "LOAD_GLOBAL", "call": "CALL", "binary": "BINARY_OP"}

Step = tuple[str, int]  # what to do, its argument


def steps_of(painter: Painter, info: TypeInfo) -> list[Step] | None:
    """Return the instructions of a class's `__repr__`; None when they cannot all be followed."""
    known = painter.world.repr_steps
    if info.address not in known:
        try:
            known[info.address] = _read_steps(painter, info)
        except (Undecodable, UnreadableMemory, LayoutError):
            known[info.address] = None
    return known[info.address]


def function_of(painter: Painter, info: TypeInfo) -> int:
    """Return the `__repr__` (PyFunctionObject *) of a class. Raises Undecodable."""
    found = painter.world.types.lookup(info, "__repr__")
    if found is None or painter.ident(found[1]) != "function":
        raise Undecodable("its __repr__ is no function")
    return found[1]


def _read_steps(painter: Painter, info: TypeInfo) -> list[Step]:
    code = painter.field(function_of(painter, info), "PyFunctionObject", "func_code")
    at = code + painter.world.offset("PyCodeObject", "co_argcount")
    kinds = _flags(painter.layout)
    flags = painter.reader.u32(code + painter.world.offset("PyCodeObject", "co_flags"))
    if painter.reader.u32(at) != 1 or flags & kinds:
        raise Undecodable("a __repr__ that takes more than self")
    return _followed(painter.layout, _units(painter, code))


def _flags(layout: Layout) -> int:
    names = ("CO_VARARGS", "CO_VARKEYWORDS", "CO_GENERATOR", "CO_COROUTINE", "CO_ASYNC_GENERATOR")
    return sum(layout.constant(name) or 0 for name in names)


def _units(painter: Painter, code: int) -> bytes:
    """Return the bytecode. Raises Undecodable for more than MAX_UNITS."""
    start, size = bytecode_of(painter.reader, code)
    if not 0 < size <= INSTRUCTION * MAX_UNITS:
        raise Undecodable(f"a __repr__ of {size} bytes of instructions")
    return painter.reader.read(start, size)


def _followed(layout: Layout, units: bytes) -> list[Step]:
    """Return the instructions up to the first return. Raises Undecodable at an unknown one."""
    does = {layout.constant(op): what for what, ops in _DOES.items() for op in ops}
    caches = {what: layout.constant(f"INLINE_CACHE_ENTRIES_{op}") for what, op in _CACHED.items()}
    resumes = {layout.constant(op) for op in _RESUMES}
    precalls = {layout.constant(op) for op in _PRECALLS}
    steps: list[Step] = []
    at = 0
    while at + 1 < len(units) and len(steps) < MAX_STEPS:
        opcode, argument = units[at], units[at + 1]
        what = does.get(opcode)
        if what is None:
            raise Undecodable(f"opcode {opcode}")
        skipped = caches.get(what) or 0
        if opcode in resumes:
            skipped = layout.constant("INLINE_CACHE_ENTRIES_RESUME") or 0  # 3.15
        elif opcode in precalls:
            skipped = layout.constant("INLINE_CACHE_ENTRIES_PRECALL") or 0  # 3.11
        if what != "skip":
            steps.append((what, argument))
        if what.startswith("return"):
            return steps
        at += 2 + 2 * skipped
    raise Undecodable("no return")
