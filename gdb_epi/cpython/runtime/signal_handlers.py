# SPDX-License-Identifier: Apache-2.0
"""The functions that Python calls for signals: what signal.signal() was given.

They stand in an array of the interpreter's own, one entry of 16 bytes for each signal: whether it
came, and the function (Modules/signalmodule.c, `Handlers`; since 3.12 `_PyRuntime.signals`). No
table says where that array is. It is known by its end: the real-time signals have the default
handler, and the two before them, which the C library keeps for itself, None (3.8 to 3.15, glibc).
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import Region, Target

FIRST_REAL_TIME, OF_C_LIBRARY = 34, (32, 33)
ENTRY = 2 * WORD
_ALIKE = 24  # entries of real-time signals that are looked for; a program may use the last ones
MAX_STATIC = 16 << 20  # bytes of the interpreter's static data
_INTERPRETERS = ("libpython", "python")


def read_signal_handlers(
    target: Target, reader: MemoryReader, default: int
) -> dict[int, int] | Absent:
    """Return {signal: what it was given (PyObject *)}; those with the default or None left out.

    `default` is what SIG_DFL is (PyObject *). Absent where the array is not found.
    """
    pattern = (bytes(WORD) + default.to_bytes(WORD, "little")) * _ALIKE
    for region in _static_data(target):
        try:
            raw = reader.read(region.start, region.size)
        except UnreadableMemory:
            continue
        place = raw.find(pattern)
        while place >= 0:
            first = place - FIRST_REAL_TIME * ENTRY
            handlers = split_into_words(raw[first + WORD : place])[::2] if first >= 0 else []
            none = {handlers[number] for number in OF_C_LIBRARY} if handlers else set()
            if len(none) == 1 and default not in none:
                return {
                    number: handler for number, handler in enumerate(handlers)
                    if number and handler not in (0, default, *none)
                }  # fmt: skip
            place = raw.find(pattern, place + WORD)
    return Absent("not_available", "the table of signal handlers was not found")


def _static_data(target: Target) -> list[Region]:
    """Return the interpreter's writable data, and what lies behind it without a file (.bss)."""
    regions, end = list[Region](), 0
    for region in sorted(target.regions(), key=lambda region: region.start):
        name = (region.path or "").rpartition("/")[2]
        of_it = name.startswith(_INTERPRETERS) or (not region.path and region.start == end)
        if of_it:
            end = region.end
            if "w" in region.perms and region.size <= MAX_STATIC:
                regions.append(region)
    return regions
