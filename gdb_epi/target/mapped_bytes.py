# SPDX-License-Identifier: Apache-2.0
"""Search a mapped file in place, by the fastest means that this Python has.

Up to CPython 3.12 `mmap.find` compares at every byte (0.9 GB/s). `re` skips bytes that cannot begin
a match at 3.5 GB/s; memmem of the C library, which only ctypes can call, reaches 6 GB/s.
"""

from __future__ import annotations

import mmap
from functools import cached_property, lru_cache

from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

WORTH_A_PATTERN = 1 << 17  # bytes: compiling a pattern takes as long as searching these
WORTH_AN_IMPORT = 8 << 20  # bytes: importing ctypes takes as long as memmem saves on these


class MappedBytes:
    """The bytes of a mapped file."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self.data = mapped
        self.view = memoryview(mapped)
        self.searched = 0

    def find(self, needle: bytes, low: int, high: int) -> int:
        """Do what data.find(needle, low, high) does, four to six times as fast on large ranges.

        Neither `low` nor `high` may be negative.
        """
        high = min(high, len(self.data))
        rare = needle.lstrip(b"\0")  # zeros are everywhere
        if high - low < WORTH_A_PATTERN or not rare:
            return self.data.find(needle, low, high)
        if self.searched < WORTH_AN_IMPORT or self._memmem is None:
            at = find_first(self.data, needle, low, high)
            self.searched += (high if at < 0 else at) - low
            return at
        start = self._address
        address = self._memmem(start + low, high - low, needle, len(needle))
        return -1 if address is None else address - start

    @cached_property
    def _memmem(self) -> Callable[..., int | None] | None:
        return _memmem()

    @cached_property
    def _address(self) -> int:
        """Where the file is mapped in this process; `view` keeps it mapped."""
        return _address_of(self.view)


def find_first(mapped: mmap.mmap, needle: bytes, low: int, high: int) -> int:
    """Do what data.find(needle, low, high) does, by means of `re`.

    `re` looks for the first byte, so the needle is searched for without its leading zeros.
    """
    import re

    rare = needle.lstrip(b"\0")
    zeros = len(needle) - len(rare)
    pattern = re.compile(re.escape(rare), re.DOTALL)
    hit = pattern.search(mapped, low + zeros, high)
    while hit is not None:
        at = hit.start() - zeros
        if not zeros or mapped[at : at + zeros] == needle[:zeros]:
            return at
        hit = pattern.search(mapped, hit.start() + 1, high)
    return -1


@lru_cache(maxsize=1)
def _memmem() -> Callable[..., int | None] | None:
    """Return the C library's memmem; None where this Python cannot call it."""
    try:
        import ctypes

        function = ctypes.PyDLL(None).memmem
        _ = ctypes.pythonapi.PyObject_GetBuffer
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    function.restype = ctypes.c_void_p
    answer: Callable[..., int | None] = function
    return answer


def _address_of(view: memoryview) -> int:
    """Return the address of the memory behind a view (Py_buffer, Include/pybuffer.h)."""
    import ctypes

    class Buffer(ctypes.Structure):
        _fields_ = (
            ("buf", ctypes.c_void_p),
            ("obj", ctypes.py_object),
            ("len", ctypes.c_ssize_t),
            ("itemsize", ctypes.c_ssize_t),
            ("readonly", ctypes.c_int),
            ("ndim", ctypes.c_int),
            ("format", ctypes.c_char_p),
            ("shape", ctypes.c_void_p),
            ("strides", ctypes.c_void_p),
            ("suboffsets", ctypes.c_void_p),
            ("internal", ctypes.c_void_p),
        )

    buffer: Any = Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    try:
        return int(buffer.buf or 0)
    finally:
        api.PyBuffer_Release(ctypes.byref(buffer))
