# SPDX-License-Identifier: Apache-2.0
"""Where the C stack of a greenlet begins on the stack of its thread.

A greenlet starts on the stack of whoever switches to it first. What lies above that place belongs
to other greenlets and may have been used again since: an unwinder that goes on shows calls that
never were, or ends at "no code at 0x1". greenlet writes the place down (`stack_stop`) in the object
that its innermost functions have on their frames, so it can be read without symbols: a pointer to
an object whose first word leads into the extension (its C++ class) and that refers to a greenlet
which points back. Up to 1.x it is the greenlet itself, whose type is in the extension. Seen in
greenlet 1.1 to 3.5 (greenlet.hpp, TGreenlet.hpp: class StackState).
"""

from __future__ import annotations

import os
from itertools import pairwise

from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import Target, try_read

_WORDS = 24  # of the object, among which the two ends are
_BACK = 8  # words of a greenlet, among which the pointer to its implementation is
MAX_FRAME = 1 << 14  # bytes of a frame that are searched


class GreenletStackStarts:
    """The beginnings of greenlets' stacks in one process."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._extensions = [
            (module.start, module.end)
            for module in target.modules()
            if _is_greenlet_extension(os.path.basename(module.path))
        ]

    def __bool__(self) -> bool:
        return bool(self._extensions)

    def is_in_greenlet_extension(self, address: int) -> bool:
        """Tell whether an address is in the extension of the package greenlet."""
        return any(start <= address < end for start, end in self._extensions)

    def begin_stack_walk(self) -> GreenletStackWalk:
        """Return what to ask for each frame of one stack, from the innermost one on."""
        return GreenletStackWalk(self._target, self)


class GreenletStackWalk:
    """One stack; it remembers the greenlets that frames refer to."""

    def __init__(self, target: Target, switches: GreenletStackStarts) -> None:
        self._target, self._switches = target, switches
        self._seen: set[int] = set()
        self._ends: set[int] = set()

    def greenlet_begins_in_frame(self, pc: int, low: int, high: int) -> bool:
        """Tell whether a greenlet's stack begins in a frame: its caller belongs to another stack.

        The frame is from `low` (the stack pointer in it) to `high` (that of its caller).
        """
        if not self._switches.is_in_greenlet_extension(pc) or low >= high:
            return False
        for word in self._read_words(low, min(high - low, MAX_FRAME)):
            if word not in self._seen and word > 1 << 12 and not word & 7:
                self._seen.add(word)
                self._ends |= self._possible_stack_stops(word)
        return any(low <= end < high for end in self._ends)

    def _possible_stack_stops(self, place: int) -> set[int]:
        """Return the words of a greenlet's state that may be its `stack_stop`; empty for none."""
        words = self._read_words(place, _WORDS * WORD)
        if len(words) < _WORDS:
            return set()
        of_implementation = self._switches.is_in_greenlet_extension(words[0]) and any(
            place in self._read_words(word, _BACK * WORD)
            for word in words[1:]
            if word > 1 << 12 and not word & 7
        )
        if not of_implementation and not self._switches.is_in_greenlet_extension(words[1]):
            return set()
        return {end for start, end in pairwise(words[2:]) if 0 < start < end}

    def _read_words(self, place: int, size: int) -> tuple[int, ...]:
        return tuple(split_into_words(try_read(self._target, place, size & ~7)))


def _is_greenlet_extension(name: str) -> bool:
    return name.startswith(("_greenlet.", "greenlet.cpython")) and ".so" in name
