# SPDX-License-Identifier: Apache-2.0
"""The outer part of a very deep native stack, without a frame object for each call.

A recursion in C leaves 100,000 calls on a stack of 8 MiB. A debugger takes 100 us and 10 kB for
each of them; by the unwind tables alone it is a microsecond, for nearly all calls come from the
same few places. So the calls are counted here, and the registers of the caller after the
recursion are read, from where a debugger goes on.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.target.cfi import SAVED, Unwinder
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple

MAX_CALLS = 2_000_000  # that are counted: 3 s
RECURRING = 100  # that many calls from one place count as recursion
CHUNK = 1 << 20  # bytes of the stack that are read at once
MAX_CHUNKS = 16  # kept
CHECKPOINT = 256  # calls between two remembered states

_Step = tuple[str, int, int, tuple[tuple[str, int], ...]]  # as UnwindRule, rip's slot apart


class DeepStackContinuation(NamedTuple):
    """Where a deep stack goes on.

    `registers` are those of the frame from which everything further out is to be shown; `cfa` is
    rsp before the call that made the frame from which the walk began. `skipped` counts the frames
    between the two, `recurring` the calls by return address of those that are a recursion.
    """

    registers: Mapping[str, int]
    cfa: int
    skipped: int
    recurring: Mapping[int, int]


class DeepStackWalker:
    """Walks of the threads of one process; what each place in the code needs is found once."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._unwinder = Unwinder(target, FunctionBounds(target))
        self._steps: dict[int, _Step | None] = {}
        self._chunks: dict[int, tuple[int, array[int]]] = {}  # by number

    def continuation_outside_recursion(
        self, registers: Mapping[str, int], keep: int, most: int
    ) -> DeepStackContinuation | None:
        """Return where to go on so that at least `keep` frames are left, and no recursion.

        `registers` are those of a frame that has called another one; no more than `most` frames
        are left. None when there is no deep recursion, when registers lack, or when the unwind
        tables end before anything can be left out.
        """
        if not all(name in registers for name in (*SAVED, "rsp", "rip")):
            return None
        walk = _WalkedFrame(self, registers)
        checkpoints = []
        cfa = 0
        while not walk.ended and len(walk.calls) < MAX_CALLS:
            checkpoints.append(walk.saved_position())
            walk.go_to_caller(CHECKPOINT)
        calls = walk.calls
        counts: dict[int, int] = {}
        for pc in calls:
            counts[pc] = counts.get(pc, 0) + 1
        recurring = {pc: count for pc, count in counts.items() if count >= RECURRING}
        if not recurring:
            return None
        last = next(i for i in range(len(calls) - 1, -1, -1) if calls[i] in recurring)
        number = len(calls) - min(max(keep, len(calls) - last + 1), most)
        if number < CHECKPOINT:
            return None
        walk.restore_position(checkpoints[0])
        walk.go_to_caller(1)
        cfa = walk.rsp
        walk.restore_position(checkpoints[number // CHECKPOINT])
        walk.go_to_caller(number % CHECKPOINT)
        return DeepStackContinuation(walk.registers(), cfa, number - 1, recurring)

    def unwind_step(self, pc: int) -> _Step | None:
        """Return how to leave the frame of a call that returns to `pc`."""
        rule = self._unwinder.rule(pc - 1)  # a call may be a function's last instruction
        step = None
        if rule is not None and "rip" in rule.saved:
            saved = tuple((name, rule.saved[name]) for name in SAVED if name in rule.saved)
            step = rule.base, rule.offset, rule.saved["rip"], saved
        self._steps[pc] = step
        return step

    def known_unwind_steps(self) -> Mapping[int, _Step | None]:
        """Return the steps that are known, by return address."""
        return self._steps

    def word(self, address: int) -> int:
        """Return a word of a stack. Raises UnreadableMemory."""
        number, at = divmod(address, CHUNK)
        if at % WORD:
            raise UnreadableMemory(address, WORD, "not a slot of a stack")
        chunk = self._chunks.get(number)
        if chunk is None:
            if len(self._chunks) >= MAX_CHUNKS:
                self._chunks.clear()
            chunk = self._chunks[number] = self._words_around(address)
        first, words = chunk
        index = (at - first) // WORD
        if 0 <= index < len(words):
            return words[index]
        return int.from_bytes(self._target.read(address, WORD), "little")

    def _words_around(self, address: int) -> tuple[int, array[int]]:
        """Return the words around an address as far as its mapping goes, and where they begin."""
        start = address // CHUNK * CHUNK
        region = self._target.region_at(address)
        low, high = (region.start, region.end) if region is not None else (start, start + CHUNK)
        low, high = max(low, start), min(high, start + CHUNK)
        try:
            return low - start, array("Q", self._target.read(low, high - low))
        except (UnreadableMemory, ValueError):
            return 0, array("Q")


class _WalkedFrame:
    """A frame of one stack, and the way to its callers."""

    def __init__(self, stacks: DeepStackWalker, registers: Mapping[str, int]) -> None:
        self._stacks = stacks
        self._first = registers
        self._slots: dict[str, int] = {}  # where the registers of SAVED lie, if not in them
        self._rip = registers["rip"]
        self.rsp = registers["rsp"]
        self.calls = array("Q")  # the return addresses, innermost first, over all go_to_caller()
        self.ended = False

    def saved_position(self) -> tuple[int, int, dict[str, int]]:
        """Return what restore_position() takes to come back here."""
        return self._rip, self.rsp, dict(self._slots)

    def restore_position(self, place: tuple[int, int, dict[str, int]]) -> None:
        """Go back to a frame."""
        self._rip, self.rsp, slots = place
        self._slots = dict(slots)

    def registers(self) -> dict[str, int]:
        """Return the registers of this frame. Raises UnreadableMemory."""
        values = {name: self._value(name) for name in SAVED}
        return {**values, "rip": self._rip, "rsp": self.rsp}

    def _value(self, name: str) -> int:
        slot = self._slots.get(name)
        return self._first[name] if slot is None else self._stacks.word(slot)

    def go_to_caller(self, count: int) -> None:
        """Go to the caller that many times, or until the tables or the memory end."""
        stacks, slots, append = self._stacks, self._slots, self.calls.append
        steps, word = stacks.known_unwind_steps(), stacks.word
        rip, rsp = self._rip, self.rsp
        for _ in range(count):
            step = steps[rip] if rip in steps else stacks.unwind_step(rip)
            append(rip)
            if step is None:
                self.ended = True
                break
            base, offset, back, saved = step
            try:
                cfa = offset + (rsp if base == "rsp" else self._value(base))
                caller = word(cfa + back)
            except (UnreadableMemory, KeyError):  # a base register that no frame saves
                self.ended = True
                break
            if cfa <= rsp or not caller:
                self.ended = True
                break
            for name, at in saved:
                slots[name] = cfa + at
            rip, rsp = caller, cfa
        self._rip, self.rsp = rip, rsp
