# SPDX-License-Identifier: Apache-2.0
"""The instructions of generators and of `with` blocks, as a dry run (dry_run.py) does them."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack_items import (
    BuiltinMethod,
    Item,
    Method,
    NoneResult,
    ProcessObject,
)
from gdb_epi.cpython.values.value_stack_operations import special_method
from gdb_epi.hangs.loops.builtin_calls import is_supported_method
from gdb_epi.hangs.loops.object_evaluation import ObjectEvaluation, YieldedValue


class GeneratorInstructions(ObjectEvaluation):
    """A frame or call that is followed: it gives values, and enters blocks."""

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
            self.following += self.opcodes.jump_unit * argument
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

    def _do_before_with(self, _argument: int) -> None:
        """Enter a `with` block: the exit lies below what its manager gave (3.11 to 3.13)."""
        enter, leave = self._managed(self._pop())
        self.stack += [leave, self.call_item(enter, ())]

    def _do_setup_with(self, argument: int) -> None:
        """Enter a `with` block (3.9, 3.10)."""
        if self.decoder.layout.version < (3, 9):
            raise Undecodable("a block that ends otherwise")
        enter, leave = self._managed(self._pop())
        self.stack.append(leave)
        self._do_setup_finally(argument)
        self.stack.append(self.call_item(enter, ()))

    def _managed(self, manager: Item) -> tuple[Item, Item]:
        if not isinstance(manager, ProcessObject):
            raise Undecodable("a manager of another kind")
        if is_supported_method(self, manager, "__enter__"):
            return BuiltinMethod(manager, "__enter__"), BuiltinMethod(manager, "__exit__")
        info = self.class_of(manager)
        names = ("__enter__", "__exit__")
        enter, leave = (special_method(self.decoder, info, name) for name in names)
        if enter is None or leave is None:
            raise Undecodable("a manager of another kind")
        enter_method = Method(enter[1], enter[0], manager, names[0])
        return enter_method, Method(leave[1], leave[0], manager, names[1])
