# SPDX-License-Identifier: Apache-2.0
"""Let GDB's unwinder jump over a deep recursion.

For as long as native stacks are looked at, an unwinder of our own answers for one frame of a
recursion: that its caller is the frame that the recursion was called from, whose registers
target/deep_stack.py has read. GDB asks it for every other frame too, and goes on with its own
unwinders there. Behind it everything is as before: what the user's `bt` shows is not touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import TracebackType

import gdb
import gdb.unwinder

from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.deep_stack import DeepStackWalker, OuterPart
from gdb_epi.target.unwind import SAVED

KEEP = 50  # frames that remain after a jump, at least
MOST = 400
MAX_NAMES = 4  # of functions of a recursion
_REGISTERS = (*SAVED, "rsp", "rip")


class UnwinderJumps:
    """The jumps of one thread at a time; none remains after the `with` block."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._stacks: DeepStackWalker | None = None
        self._parts: dict[tuple[int, int], OuterPart] = {}  # by rip and rsp
        self._unwinder: _Unwinder | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._parts.clear()
        if self._unwinder is not None:
            gdb.frame_unwinders.remove(self._unwinder)
            gdb.invalidate_cached_frames()
            self._unwinder = None

    def add(self, frame: gdb.Frame) -> bool:
        """Jump at a frame that has called another one, when a deep recursion lies beyond it.

        Every frame that GDB has given is invalid then.
        """
        registers = _registers(frame)
        if self._stacks is None:
            self._stacks = DeepStackWalker(self._target)
        part = self._stacks.outer_part(registers, KEEP, MOST)
        if part is None:
            return False
        self._parts[registers["rip"], registers["rsp"]] = part
        if self._unwinder is None:
            self._unwinder = _Unwinder(self._parts)
            gdb.unwinder.register_unwinder(None, self._unwinder, replace=True)
        gdb.invalidate_cached_frames()
        return True

    def skipped(self, frame: gdb.Frame) -> int:
        """Return how many frames are between a frame and what GDB takes for its caller."""
        if not self._parts or frame.type() != gdb.NORMAL_FRAME:
            return 0
        part = self._parts.get((frame.pc(), _register(frame, "rsp") or 0))
        return part.skipped if part is not None else 0

    def recurring_functions(self, frames: Sequence[NativeFrame]) -> list[str]:
        """Return the functions of the recursions that were jumped over, as `frames` name them."""
        names = {frame.pc: frame.function for frame in frames if not frame.inlined}
        counts: Counter[str] = Counter()
        for part in self._parts.values():
            for pc, count in part.recurring.items():
                name = names.get(pc)
                if name is not None:
                    counts[name] += count
        return [name for name, _ in counts.most_common(MAX_NAMES)]


class _FrameId:
    """What gdb.PendingFrame.create_unwind_info() takes; GDB 13.1 wants values, not ints."""

    def __init__(self, sp: gdb.Value, pc: gdb.Value) -> None:
        self.sp = sp
        self.pc = pc


class _Unwinder(gdb.unwinder.Unwinder):  # type: ignore[misc]  # its module has no types
    """Answers for the frames where a jump begins, and for no other."""

    def __init__(self, parts: Mapping[tuple[int, int], OuterPart]) -> None:
        super().__init__("gdb-epi: deep recursion")
        self._parts = parts
        self._word = gdb.lookup_type("unsigned long")

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        rip, rsp = (int(pending.read_register(n)) & WORD_MASK for n in ("rip", "rsp"))
        part = self._parts.get((rip, rsp))
        if part is None:
            return None
        frame_id = _FrameId(self._value(part.cfa), self._value(rip))
        info = pending.create_unwind_info(frame_id)
        for name in _REGISTERS:
            info.add_saved_register(name, self._value(part.registers[name]))
        return info

    def _value(self, number: int) -> gdb.Value:
        return gdb.Value(number).cast(self._word)


def _registers(frame: gdb.Frame) -> dict[str, int]:
    values = {name: _register(frame, name) for name in _REGISTERS}
    return {name: value for name, value in values.items() if value is not None}


def _register(frame: gdb.Frame, name: str) -> int | None:
    try:
        return int(frame.read_register(name)) & WORD_MASK
    except (gdb.error, ValueError):  # another architecture, or not saved
        return None
