# SPDX-License-Identifier: Apache-2.0
"""The instructions of generators, as a dry run (dry_run.py) does them: `yield`, `yield from`."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.values.value_stack_items import Item, NoneResult
from gdb_epi.hangs.loops.object_evaluation import ObjectEvaluation, YieldedValue


class GeneratorInstructions(ObjectEvaluation):
    """A frame or call that is followed, and gives values."""

    def _do_return_generator(self, _argument: int) -> None:
        self.stack.append(None)

    def _do_gen_start(self, _argument: int) -> None:
        """Do nothing: what was sent first is not on this stack (3.10)."""

    def _do_yield_value(self, _argument: int) -> None:
        raise YieldedValue(self._pop())

    def _do_get_yield_from_iter(self, _argument: int) -> None:
        self.stack.append(self.iterator(self._pop()))

    def _do_send(self, argument: int) -> None:
        """One step of `yield from` (3.11); END_SEND takes the iterator away since 3.12."""
        item = self._delegated()
        if item is None:
            self.following += self.dialect.jump_unit * argument
            item = self.memory.returned
            if self.decoder.layout.version < (3, 12):
                self._pop()
        self.stack.append(item)

    def _do_end_send(self, _argument: int) -> None:
        value = self._pop()
        self._pop()
        self.stack.append(value)

    def _do_yield_from(self, _argument: int) -> None:
        """All of `yield from` (up to 3.10): it runs again after each value."""
        item = self._delegated()
        if item is None:
            self.stack[-1] = self.memory.returned
            return
        self.following -= CODE_UNIT
        raise YieldedValue(item)

    def _delegated(self) -> Item:
        """Return the next value of what a generator delegates to; None when it has returned."""
        self._pop()  # what is sent
        self.memory.returned = NoneResult()
        following = self.advance(self.stack[-1] if self.stack else None)
        if following is None:
            return None
        self.stack[-1] = following[1]
        return following[0]
