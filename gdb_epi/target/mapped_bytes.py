# SPDX-License-Identifier: Apache-2.0
"""Search a mapped file in place, by the fastest means that this Python has.

Up to CPython 3.12 `mmap.find` compares at every byte (0.9 GB/s). `re` skips bytes that cannot begin
a match at 3.5 GB/s; memmem of the C library, which only ctypes can call, reaches 6 to 8 GB/s, and
3 where the needle is an address in a heap that is full of its upper half. wmemchr looks for four
bytes at multiples of four, at 15 GB/s: the lower half of a word.
"""

from __future__ import annotations

import mmap
import sys
from functools import cached_property, lru_cache

from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

WORTH_A_PATTERN = 1 << 17  # bytes: compiling a pattern takes as long as searching these
WORTH_AN_IMPORT = 8 << 20  # bytes: importing ctypes takes as long as memmem saves on these
WORTH_A_CALL = 1 << 12  # bytes: where ctypes is imported already, memmem is faster from here on
MAX_ZEROS = 2  # in a needle: with more, memmem meets beginnings of it everywhere
MIN_NEEDLE = 3  # bytes: memmem looks for two at 1.8 GB/s, `re` at 3.5
MAX_MISSES = 1000  # lower halves in other words: each costs a call, a search for bytes does not


class MappedBytes:
    """The bytes of a mapped file."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self.data = mapped
        self.view = memoryview(mapped)
        # Whoever searches many files has imported ctypes before (cli/support/workers.py).
        self.searched = WORTH_AN_IMPORT if "ctypes" in sys.modules else 0

    def find(self, needle: bytes, low: int, high: int) -> int:
        """Do what data.find(needle, low, high) does, four to six times as fast on large ranges.

        Neither `low` nor `high` may be negative.
        """
        high = min(high, len(self.data))
        by_memmem = self.searched >= WORTH_AN_IMPORT and self._memmem is not None
        least = WORTH_A_CALL if by_memmem else WORTH_A_PATTERN
        rare = needle.lstrip(b"\0")
        if high - low < least or not rare:  # zeros are everywhere
            return self.data.find(needle, low, high)
        if by_memmem and rare.count(0) < MAX_ZEROS and len(rare) >= MIN_NEEDLE:
            return self._find_by_memmem(needle, low, high)
        at = find_first_by_re(self.data, needle, low, high)
        self.searched += (high if at < 0 else at) - low
        return at

    def find_word(self, word: bytes, low: int, high: int) -> int:
        """Return the first multiple of 8 in [low, high) at which a word stands; -1 without one."""
        low, high = low + 7 & -8, min(high, len(self.data))
        if self.searched >= WORTH_AN_IMPORT and self._wmemchr is not None:
            lower_half, misses = int.from_bytes(word[:4], "little", signed=True), 0
            while low < high and misses < MAX_MISSES:
                address = self._wmemchr(self._address + low, lower_half, high - low >> 2)
                if address is None:
                    return -1
                low = address - self._address
                if not low & 7 and self.data[low : low + 8] == word:
                    return low
                low, misses = low + 4, misses + 1
            low = low + 7 & -8
        while low < high and (low := self.find(word, low, high)) >= 0 and low & 7:
            low += 1
        return low if low < high else -1

    def _find_by_memmem(self, needle: bytes, low: int, high: int) -> int:
        assert self._memmem is not None
        rare = needle.lstrip(b"\0")
        zeros = len(needle) - len(rare)
        low += zeros
        while low < high:
            address = self._memmem(self._address + low, high - low, rare, len(rare))
            if address is None:
                return -1
            at = address - self._address
            if not zeros or self.data[at - zeros : at] == needle[:zeros]:
                return at - zeros
            low = at + 1
        return -1

    @cached_property
    def _memmem(self) -> Callable[..., int | None] | None:
        return _c_function("memmem", "Pnsn")

    @cached_property
    def _wmemchr(self) -> Callable[..., int | None] | None:
        return _c_function("wmemchr", "Pin")

    @cached_property
    def _address(self) -> int:
        """Where the file is mapped in this process; `view` keeps it mapped."""
        import ctypes

        buffer: Any = _buffer_type()()
        api = ctypes.pythonapi
        api.PyObject_GetBuffer(ctypes.py_object(self.view), ctypes.byref(buffer), 0)
        try:
            return int(buffer.buf or 0)
        finally:
            api.PyBuffer_Release(ctypes.byref(buffer))


def find_first_by_re(mapped: mmap.mmap, needle: bytes, low: int, high: int) -> int:
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


@lru_cache(maxsize=4)
def _c_function(name: str, arguments: str) -> Callable[..., int | None] | None:
    """Return a function of the C library that returns an address, by its arguments' types.

    P: address, n: size, s: bytes, i: int. None where this Python cannot call it.
    """
    try:
        import ctypes

        function = getattr(ctypes.PyDLL(None), name)
        _ = ctypes.pythonapi.PyObject_GetBuffer
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    types = {"P": ctypes.c_void_p, "n": ctypes.c_size_t, "s": ctypes.c_char_p, "i": ctypes.c_int}
    function.argtypes = tuple(types[letter] for letter in arguments)
    function.restype = ctypes.c_void_p
    answer: Callable[..., int | None] = function
    return answer


@lru_cache(maxsize=1)
def _buffer_type() -> Callable[[], Any]:
    """Return Py_buffer (Include/pybuffer.h)."""
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

    return Buffer
