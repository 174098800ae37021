# SPDX-License-Identifier: Apache-2.0
"""Dies of something that a runtime detects: detected.py MODE LIBRARY [RUST LIBRARY]."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from typing import Any

MODE = sys.argv[1]
NATIVE = ctypes.CDLL(sys.argv[2])
NATIVE.rows.restype = ctypes.c_void_p
NATIVE.rows.argtypes = [ctypes.c_size_t]
NATIVE.fill.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
NATIVE.drop.argtypes = [ctypes.c_void_p]
WITHOUT_GIL = ctypes.CDLL(None)


def overrun() -> None:
    """Write 16 bytes past a block of 40, and free what lies behind it."""
    rows = [NATIVE.rows(40) for _ in range(500)]
    NATIVE.fill(rows[450], 56)
    for row in rows[440:]:
        NATIVE.drop(row)


def double_free() -> None:
    row = NATIVE.rows(40)
    NATIVE.drop(row)
    NATIVE.drop(row)


def forked_child_heap() -> None:
    """In a child, take what needs more heap than the parent left, and free no block's beginning."""
    if not os.fork():
        rows = [NATIVE.rows(3000) for _ in range(800)]
        NATIVE.drop(rows[0] + 8)
    os.wait()


def field_never_set() -> None:
    """Read a field of a new block that was a bytes object: -1, the hash that nobody asked for."""
    api = ctypes.pythonapi
    api.PyObject_Malloc.restype = ctypes.c_void_p
    api.PyObject_Malloc.argtypes = [ctypes.c_size_t]
    NATIVE.first_of_name.argtypes = [ctypes.c_void_p]
    free = [bytes([65 + number]) * 400 for number in range(40)]
    size = sys.getsizeof(free[0])
    del free
    NATIVE.first_of_name(api.PyObject_Malloc(size))


def generator_with_a_full_stack() -> None:
    """Overwrite an operand on a generator's full stack, before a block that was freed.

    The interpreter's pointer to the top of that stack is then the start of the free block.
    """
    number = 0
    while True:
        names = "".join(f"    v{at} = 0\n" for at in range(number))
        made: dict[str, Any] = {}
        exec(f"def adding(x):\n{names}    while True:\n        y = x + (yield)\n", made)
        size = sys.getsizeof(made["adding"](0))
        if size % 16 == 0:  # no padding behind the stack
            break
        number += 1
    generators = sorted((made["adding"](100_000 + at) for at in range(60)), key=id)
    for generator in generators:
        next(generator)
        for _ in range(30):  # until the addition is specialised
            generator.send(1)
    gc.disable()
    at = next(n for n in range(59) if id(generators[n + 1]) - id(generators[n]) == size)
    start = id(generators[at])
    words = (ctypes.c_uint64 * ((size - 16) // 8)).from_address(start)
    held = id(generators[at].gi_frame.f_locals["x"])
    operand = max(n for n, word in enumerate(words) if word == held)
    del generators[at + 1]
    words[operand] = 0x3131_0000_1234_5678
    generators[at].send(2)


def title() -> None:
    """Write 100 bytes into the 24 that a function with a stack protector has."""
    NATIVE.title(100)


def title_by_rbp() -> None:
    NATIVE.title_by_rbp(100)


def copy_refused() -> None:
    """Ask for a copy that the C library refuses: nothing is written."""
    WITHOUT_GIL.__memcpy_chk(bytes(8), bytes(32), ctypes.c_size_t(32), ctypes.c_size_t(8))


def no_thread_state() -> None:
    ctypes.pythonapi.PyEval_RestoreThread(None)


def tracked_twice() -> None:
    ctypes.pythonapi.PyObject_GC_Track.argtypes = [ctypes.py_object]
    ctypes.pythonapi.PyObject_GC_Track([])


def debug_allocator() -> None:
    """Needs PYTHONMALLOC=debug."""
    text = bytes(40)
    ctypes.memset(id(text) + 32 + 41, 65, 8)
    del text


def without_gil() -> None:
    """ctypes.CDLL gives the GIL back; PyErr_SetString needs it."""
    WITHOUT_GIL.PyErr_SetString(ctypes.py_object(ValueError), b"a text")


def freed_callback() -> None:
    kind = ctypes.CFUNCTYPE(None)
    made = kind(lambda: None)
    address = ctypes.cast(made, ctypes.c_void_p).value or 0
    del made
    gc.collect()
    kind(address)()


def memory_error() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    try:
        bytearray(2 << 30)
    except MemoryError:
        os.abort()


def null_without_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    NATIVE.fill(NATIVE.rows(2 << 30), 2 << 30)


def read_header(raw: bytes) -> bytearray:
    pixels = int.from_bytes(raw, "little")
    return bytearray(pixels * 4)


def size_of_a_broken_header() -> None:
    try:
        read_header(bytes((16, 0, 0, 0, 0, 0, 1)))
    except MemoryError:
        os.abort()


def product_of_unchecked_counts() -> None:
    NATIVE.filled_table(ctypes.c_long(1 << 40), ctypes.c_long(1 << 20))


class QuotaError(MemoryError):
    pass


def memory_error_of_the_program() -> None:
    try:
        raise QuotaError("over")
    except MemoryError:
        os.abort()


def rust_panic() -> None:
    ctypes.CDLL(sys.argv[3]).price(7)


def share_of(parts: int) -> int:
    return 12 // parts


def python_thrown() -> None:
    try:
        share_of(0)
    except ZeroDivisionError as error:
        trace = error.__traceback__
        kept = error.with_traceback(None)
        pointers = [ctypes.c_void_p(id(each)) for each in (type(kept), kept, trace)]
        NATIVE.throw_python(*pointers)


if MODE.startswith("throw_") or MODE == "joinable":
    getattr(NATIVE, MODE)()
else:
    globals()[MODE]()
