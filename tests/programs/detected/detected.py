# SPDX-License-Identifier: Apache-2.0
"""Dies of something that a runtime detects: detected.py MODE LIBRARY [RUST LIBRARY]."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys

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


def rust_panic() -> None:
    ctypes.CDLL(sys.argv[3]).price(7)


if MODE.startswith("throw_") or MODE == "joinable":
    getattr(NATIVE, MODE)()
else:
    globals()[MODE]()
