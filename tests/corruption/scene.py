# SPDX-License-Identifier: Apache-2.0
"""What a victim told of itself, with CPython's layout: where a kind finds the word to damage."""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

from corruption.process import WORD, Memory
from gdb_epi.cpython.layout.layout import Layout, load_layout

DICT_SPAN, FRAME_SPAN = 64 << 10, 512
Bits = tuple[int, int]  # lowest and highest that may be flipped
ANY_BIT: Bits = (0, 63)


class NoTarget(Exception):
    """This process has nothing for the kind; the message says what is missing."""


class Scene:
    """A victim that waits: its memory, what it told, and the dice of the attempt."""

    def __init__(
        self,
        memory: Memory,
        truth: dict[str, Any],
        dice: random.Random,
        free_threaded: bool,
        bits: Bits = ANY_BIT,
    ) -> None:
        self.memory, self.dice, self.free_threaded = memory, dice, free_threaded
        self.bits = bits
        self.python: dict[str, Any] = truth.get("python", {})
        self.native: dict[str, Any] = truth.get("native", {})

    @cached_property
    def layout(self) -> Layout:
        """The interpreter's layout; raises NoTarget without Python."""
        if not self.python:
            raise NoTarget("no Python")
        major, minor = self.python["version"]
        table = load_layout((major, minor), self.free_threaded)
        if table is None:
            raise NoTarget(f"no layout of {major}.{minor}")
        return table

    def pick(self, name: str) -> int:
        """Return one of the addresses that the Python program told under a name."""
        if not self.python:
            raise NoTarget("no Python")
        return int(self.dice.choice(self.python[name]))

    def native_pick(self, name: str) -> int:
        """Return one of the addresses that the C scene told under a name."""
        addresses = [address for address in self.native.get(name, ()) if address > 4096]
        if not addresses:
            raise NoTarget(f"the program told no {name}")
        return int(self.dice.choice(addresses))

    def member(self, address: int, struct: str, *names: str) -> int:
        """Return the address of a member; raises NoTarget when this version has none."""
        offset = self.layout.offset(struct, *names)
        if offset is None:
            raise NoTarget(f"{struct} has no {names[0]}")
        return address + offset

    def pointer(self, address: int, struct: str, *names: str) -> int:
        """Return the word that a member holds."""
        return self.memory.word(self.member(address, struct, *names))

    def word_of(self, start: int, size: int, value: int) -> int:
        """Return where a word lies in a range; raises NoTarget when it is not there."""
        find = self.memory.find(value, start, size)
        if not find:
            raise NoTarget(f"{value:#x} is not at {start:#x}")
        return self.dice.choice(find)

    def frame(self) -> int:
        """Return a running Python frame of the victim's own functions."""
        struct = "_PyInterpreterFrame" if self.has_data_stack else "PyFrameObject"
        place = self.layout.offset(struct, "f_executable", "f_code")
        names = self.layout.offset(struct, "f_globals")
        if place is None or names is None:
            raise NoTarget(f"{struct} is not known")
        wanted = self.python["codes"][-1]  # descend
        frames = []
        for value in (wanted, wanted | 1):  # 3.14 tags the references of frames
            for at in self.memory.find_everywhere(value):
                frame = at - place
                if self._is_frame(frame, names):
                    frames.append(frame)
        if not frames:
            raise NoTarget("no frame found")
        return self.dice.choice(sorted(frames))

    def _is_frame(self, frame: int, names: int) -> bool:
        try:
            return self.memory.word(frame + names) == self.python["globals"]
        except OSError:
            return False

    @property
    def has_data_stack(self) -> bool:
        """Whether frames are no objects (3.11 and later)."""
        return self.layout.offset("_PyInterpreterFrame", "previous") is not None

    def thread_state(self) -> int:
        """Return the PyThreadState of the main thread."""
        ident = self.layout.offset("PyThreadState", "thread_id")
        if ident is None:
            raise NoTarget("PyThreadState is not known")
        for at in self._ident_places():
            try:
                if self._is_thread_state(at - ident):
                    return at - ident
            except OSError:
                continue
        raise NoTarget("no thread state found")

    def _is_thread_state(self, state: int) -> bool:
        """Tell it from what else names its thread: sys.stdin's buffer does while it is read.

        Outside of generators, exc_info points to the exc_state of the very thread state (3.7+).
        """
        own = self.member(state, "PyThreadState", "exc_state")
        return self.pointer(state, "PyThreadState", "exc_info") == own

    def _ident_places(self) -> list[int]:
        ident = self.python["ident"]
        ident_places = [
            at for at in self.memory.find_everywhere(ident) if not ident <= at < ident + 4096
        ]
        for region in self.memory.maps():  # 3.12+: the main thread's is part of _PyRuntime
            if "python" in region.path and region.perms.startswith("rw"):
                ident_places += self.memory.find(ident, region.start, region.end - region.start)
        return ident_places

    def stack_words(self, size: int = 6144) -> list[tuple[int, int]]:
        """Return (address, word) of the waiting thread's stack, innermost first."""
        start = self.memory.stack_pointer()
        data = self.memory.read(start, size)
        words = range(0, len(data) - 7, WORD)
        return [(start + at, int.from_bytes(data[at : at + 8], "little")) for at in words]

    def return_slots(self) -> list[tuple[int, int]]:
        """Return the words of the stack that lie behind a call instruction in code."""
        code = [region for region in self.memory.maps() if "x" in region.perms]
        slots = []
        for address, word in self.stack_words():
            if any(region.start + 8 <= word < region.end for region in code) and self._after_call(
                word
            ):
                slots.append((address, word))
        return slots

    def _after_call(self, address: int) -> bool:
        before = self.memory.read(address - 7, 7)
        direct = before[2] == 0xE8
        return (
            direct
            or any(before[7 - n] == 0xFF and before[8 - n] >> 3 & 7 == 2 for n in (2, 3, 6))
            or (before[0] == 0x41 and before[1] == 0xFF)
        )
