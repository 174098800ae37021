# SPDX-License-Identifier: Apache-2.0
"""Whether a word of memory is a field of CPython itself, which keeps no marks in addresses.

Or one of an extension's object, whose code may.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.pymalloc_pools import FREE_AT, HEADER_SIZE, POOL_SIZES, parse_pool
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.target.api import module_at

MAX_BASES = 16
BLOCK_BITS = 4  # of addresses, which are zero where blocks of pymalloc and malloc begin
FRAME_BYTES = 2048  # a frame's variables and value stack lie within these
CODE_BYTES = 128  # a code object's pointers lie within these
MAX_CHUNKS = 64
MAX_CHUNK_BYTES = 1 << 30
FD_AT, BK_AT, SIZE_AT, FLAGS = 16, 24, 8, 7  # struct malloc_chunk, malloc/malloc.c
MAX_CHUNK = 1 << 30
# Modules of the standard library with types of C, by the names in those types.
STANDARD = frozenset(
    (
        "_asyncio", "_bz2", "_contextvars", "_csv", "_elementtree", "_hashlib", "_io", "_json",
        "_lzma", "_pickle", "_queue", "_random", "_socket", "_sre", "_ssl", "_struct", "_thread",
        "array", "builtins", "collections", "contextvars", "datetime", "decimal", "functools",
        "io", "itertools", "mmap", "operator", "posix", "pyexpat", "random", "re", "select",
        "sqlite3", "time", "types", "unicodedata", "weakref", "xml", "zlib",
    )
)  # fmt: skip


def is_cpython_field(context: Context, place: int) -> bool:
    """Tell whether a word lies in a frame, its code, or an object of no extension's type.

    The types of extensions have a dot in tp_name (`numpy.ndarray`), and so have those of modules
    of the standard library; other ones of CPython and classes written in Python have none. A class
    that derives from an extension's type may hold that type's fields. Objects of ctypes hold what
    the program puts there.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return False
    if any(
        frame.address <= place < frame.address + FRAME_BYTES
        or frame.code <= place < frame.code + CODE_BYTES
        for thread in python.threads()
        for frame in thread.frames
    ) or is_in_data_stack(context, place):
        return True
    owner = address_index(context).object_with_field(place)
    return owner is not None and not is_extension_object(context, *owner)


def type_that_may_mark(context: Context, place: int, bit: int) -> str:
    """Return the type of an extension's object that has a field in which that bit may be a mark.

    "" for none. Bits of a pointer that no address, or none of a block, has are where C code keeps
    marks; the code that set one may have returned long ago.
    """
    owner = address_index(context).object_with_field(place)
    if BLOCK_BITS <= bit < ADDRESS_BITS or owner is None or owner[0] >= place:
        return ""
    return owner[1] if is_extension_object(context, *owner) else ""


def is_extension_object(context: Context, start: int, name: str) -> bool:
    """Tell whether the type of an object, or a base of it, is an extension's.

    By their names, or by where they and the code lie that ends their objects: classes of PyO3 are
    called `builtins.PySeries`, and C code may leave out its module's name.
    """
    python = context.state.python
    if name == "dict" or not isinstance(python, PythonState):
        return False  # of an entry of a dict the owner's address is that of the key's word
    files: set[str] = set()
    file = ""
    try:
        reader = MemoryReader(context.target, python.layout)
        base_at = python.layout.require("PyTypeObject", "tp_base")
        end_at = python.layout.require("PyTypeObject", "tp_dealloc")
        kind = reader.type_of(start)
        for _ in range(MAX_BASES):
            if not kind:  # the last one was `object`, of CPython wherever that is
                return any(path != file and is_own_library(path) for path in files)
            type_name = reader.type_name(kind)
            if isinstance(type_name, Absent) or not _is_type_of_cpython_or_python_code(type_name):
                return True
            for address in (kind, reader.u64(kind + end_at)):
                module = module_at(context.target, address)
                file = module.path if module is not None else ""
                files.add(file)
            kind = reader.u64(kind + base_at)
    except (UnreadableMemory, LayoutError):
        pass
    return True


def _is_type_of_cpython_or_python_code(type_name: str) -> bool:
    """Tell whether a type is one of CPython, its standard library, or a class of Python code."""
    module, dot, _ = type_name.partition(".")
    return not dot or module in STANDARD


def is_in_data_stack(context: Context, address: int) -> bool:
    """Tell whether an address lies in a thread's data stack (3.11+), which holds only frames.

    Reference: _PyStackChunk, Include/cpython/pystate.h; push_chunk(), Python/pystate.c.
    """
    return any(start <= address < end for start, end in _data_stacks(context))


@once_per_run
def _data_stacks(context: Context) -> list[tuple[int, int]]:
    python = context.state.python
    if not isinstance(python, PythonState):
        return []
    ranges: list[tuple[int, int]] = []
    try:
        reader, layout = MemoryReader(context.target, python.layout), python.layout
        first_at = layout.require("PyThreadState", "datastack_chunk")
        size_at = layout.require("_PyStackChunk", "size")
        previous_at = layout.require("_PyStackChunk", "previous")
        for thread in python.threads():
            chunk = reader.u64(thread.address + first_at)
            while chunk and len(ranges) < MAX_CHUNKS:
                size = min(reader.u64(chunk + size_at), MAX_CHUNK_BYTES)
                ranges.append((chunk, chunk + size))
                chunk = reader.u64(chunk + previous_at)
    except (UnreadableMemory, LayoutError):
        pass
    return ranges


def is_allocator_link(context: Context, place: int, corrected: int) -> bool:
    """Tell whether a word is a free-list link of pymalloc or glibc that `corrected` would fit."""
    return _is_pool_link(context, place, corrected) or _is_chunk_link(context, place, corrected)


def _is_pool_link(context: Context, place: int, corrected: int) -> bool:
    """A pool header names its first free block, which lies in the same pool."""
    for size in POOL_SIZES:
        base = corrected & -size
        memory = try_read(context.target, base, size) if place == base + FREE_AT else b""
        pool = parse_pool(base, memory) if memory else None
        within = corrected - base - HEADER_SIZE
        if pool is not None and pool.size == size and not within % pool.block:
            return 0 <= within < pool.carved * pool.block
    return False


def _is_chunk_link(context: Context, place: int, corrected: int) -> bool:
    """A free chunk of glibc links to a neighbour in its bin, which links back.

    The chunk is free when the one after it says so and repeats its size.
    """
    target = context.target
    for own, back in ((FD_AT, BK_AT), (BK_AT, FD_AT)):
        chunk = place - own
        size = (read_word(target, chunk + SIZE_AT) or 0) & ~FLAGS
        if not 32 <= size <= MAX_CHUNK or size % 16:
            continue
        behind = read_word(target, chunk + size + SIZE_AT)
        free = read_word(target, chunk + size) == size and behind is not None and not behind & 1
        if free and read_word(target, corrected + back) == chunk:
            return True
    return False
