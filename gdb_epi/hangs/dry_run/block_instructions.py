# SPDX-License-Identifier: Apache-2.0
"""What a dry run (dry_run.py) does for generators, `with` blocks, exceptions and new functions."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CODE_UNIT, locate_bytecode
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import EXCEPTIONS
from gdb_epi.cpython.values.value_stack import (
    BuiltinMethod,
    BuiltTuple,
    CertainException,
    ExceptionInFlight,
    FunctionMadeByCode,
    GlobalName,
    Item,
    Method,
    NoneResult,
    ProcessObject,
    read_instruction,
    special_method,
)
from gdb_epi.hangs.dry_run.builtin_calls import is_supported_method
from gdb_epi.hangs.dry_run.container_evaluation import MAX_CODE, GeneratorYielded
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation

_LIST_TO_TUPLE = 6  # INTRINSIC_LIST_TO_TUPLE (Include/internal/pycore_intrinsics.h, 3.12)
_CLEANUP = ("COPY", "POP_EXCEPT", "RERAISE")
_CHANGES = ("STORE_GLOBAL", "STORE_DEREF", "STORE_SUBSCR", "DELETE_SUBSCR")


class BlockInstructions(ObjectEvaluation):
    """A frame or call that is followed: it gives values, enters blocks, and handles errors.

    And it takes variables away.
    """

    def _do_delete_fast(self, argument: int) -> None:
        self.locals.pop(argument, None)

    def _do_load_fast_and_clear(self, argument: int) -> Item:
        """Keep the variable that a comprehension uses meanwhile (3.12)."""
        return self.locals.pop(argument, None)

    def _do_return_generator(self, _argument: int) -> Item:
        return None

    def _do_gen_start(self, _argument: int) -> None:
        """Do nothing: what was sent first is not on this stack (3.10)."""

    def _do_yield_value(self, _argument: int, value: Item) -> Item:
        raise GeneratorYielded(value)

    def _do_get_yield_from_iter(self, _argument: int, of: Item) -> Item:
        return self.make_iterator(of)

    def _do_get_awaitable(self, _argument: int, of: Item) -> Item:
        """Leave a coroutine as it is: what else is awaited is not followed."""
        return of

    def _do_send(self, argument: int, _sent: Item) -> Item:
        """One step of `yield from` (3.11); END_SEND takes the iterator away since 3.12."""
        item = self._next_delegated_value()
        if item is None:
            self.following += self.opcodes.jump_unit * argument
            item = self.memory.returned
            if "END_SEND" not in self.opcodes.instructions:
                self.pop_words(1)
        return item

    def _do_yield_from(self, _argument: int, _sent: Item) -> None:
        """All of `yield from` (up to 3.10): it runs again after each value."""
        item = self._next_delegated_value()
        if item is None:
            self.stack[-1] = self.memory.returned
            return
        self.following -= CODE_UNIT
        raise GeneratorYielded(item)

    def _next_delegated_value(self) -> Item:
        """Return the next value of what a generator delegates to; None when it has returned."""
        self.memory.returned = NoneResult()
        following = self.next_item_and_iterator(self.stack[-1] if self.stack else None)
        if following is None:
            return None
        self.stack[-1] = following[1]
        return following[0]

    def _do_before_with(self, _argument: int, manager: Item) -> list[Item]:
        """Enter a `with` block: the exit lies below what its manager gave (3.11 to 3.13)."""
        enter, leave = self._exit_and_entered_value(manager)
        return [leave, self.call_item(enter, ())]

    def _do_setup_with(self, argument: int, manager: Item) -> Item:
        """Enter a `with` block (3.9, 3.10)."""
        if "WITH_EXCEPT_START" not in self.opcodes.instructions:  # 3.9 (bpo-33387)
            raise Undecodable("a block that ends otherwise")
        enter, leave = self._exit_and_entered_value(manager)
        self.stack.append(leave)
        self._do_setup_finally(argument)
        return self.call_item(enter, ())

    def _exit_and_entered_value(self, manager: Item) -> tuple[Item, Item]:
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

    def _do_call_intrinsic_1(self, argument: int, item: Item) -> Item:
        """Do what LIST_TO_TUPLE did until 3.12."""
        if argument != _LIST_TO_TUPLE:
            raise Undecodable("a function of the interpreter's own")
        return self._do_list_to_tuple(0, item)

    def _do_list_to_tuple(self, _argument: int, items: Item) -> Item:
        return BuiltTuple(tuple(self.members(items)))

    def _do_unpack_sequence(self, argument: int, of: Item) -> list[Item]:
        items = self.all_items(of)
        if len(items) != argument:
            raise CertainException(ValueError)
        return [*reversed(items)]

    def _do_unpack_ex(self, argument: int, of: Item) -> list[Item]:
        before, after = argument & 0xFF, argument >> 8
        items = self.all_items(of)
        if len(items) < before + after:
            raise CertainException(ValueError)
        middle = self.memory.make_object("list", items[before : len(items) - after])
        return [*reversed([*items[:before], middle, *items[len(items) - after :]])]

    def new_function(self, code: Item, attributes: dict[int, Item]) -> Item:
        """Return a new function. Raises Undecodable."""
        if not isinstance(code, ProcessObject) or attributes.keys() & {2, 4}:
            raise Undecodable("a function of another kind")
        cells, defaults = (
            tuple(self.members(attributes[bit])) if bit in attributes else () for bit in (8, 1)
        )
        return FunctionMadeByCode(code.address, self.globals, cells, defaults)

    def _do_set_function_attribute(self, argument: int, attribute: Item, function: Item) -> Item:
        """Give a new function its cells or defaults (3.13)."""
        if not isinstance(function, FunctionMadeByCode) or argument not in (1, 8):
            raise Undecodable("a function of another kind")
        items = tuple(self.members(attribute))
        cells, defaults = (items, ()) if argument == 8 else (function.cells, items)
        return function._replace(cells=cells, defaults=defaults or function.defaults)

    # -- exceptions -----------------------------------------------------------------------------

    def _do_raise_varargs(self, argument: int, *words: Item) -> None:
        if argument == 0:
            self._do_reraise(0)
        item = words[0]  # below its cause
        if isinstance(item, (GlobalName, ProcessObject)):
            item = self.call_item(item, ())
        if not isinstance(item, ExceptionInFlight):
            raise Undecodable("an exception of another kind")
        raise CertainException(item.kind)

    def _do_reraise(self, _argument: int) -> None:
        caught = next(
            (item for item in reversed(self.stack) if isinstance(item, ExceptionInFlight)), None
        )
        if caught is None:
            raise Undecodable("an exception that is not known")
        while self.blocks and self.blocks[-1][0] < 0:  # up to 3.10: handlers that it leaves
            self.blocks.pop()
        raise CertainException(caught.kind)

    def make_exception(self, kind: TypeInfo) -> Item:
        """Return a new exception of the program's own class; None for another class.

        What its __init__ would keep in it is not followed; one that changes anything else is.
        """
        made = self.stand_in_exception_class(kind)
        if made is None:
            return None
        for base in self.decoder.types.mro(kind):
            value = self.decoder.objects.dict_get(base.dict, "__init__") if base.dict else 0
            if base.is_python_class and isinstance(value, int) and value:
                code = self.decoder.field(value, "PyFunctionObject", "func_code")
                start, size = locate_bytecode(self.decoder.reader, code)
                units = self.decoder.reader.read(start, size if 0 < size <= MAX_CODE else 0)
                if any(self.opcodes.names.get(each) in _CHANGES for each in units[::2]):
                    raise Undecodable("an exception that changes something")
                break
        return ExceptionInFlight(made)

    def _handler_matches(self, named: Item, caught: Item) -> bool:
        if isinstance(caught, ExceptionInFlight) and self.type_name(named) == "tuple":
            return any(self._handler_matches(each, caught) for each in self.members(named))
        is_class = isinstance(named, ProcessObject) and self.decoder.ident(named.address) == "type"
        if not (
            isinstance(named, ProcessObject) and is_class and isinstance(caught, ExceptionInFlight)
        ):
            return super()._handler_matches(named, caught)
        kind = self.stand_in_exception_class(self.decoder.types.type_at(named.address))
        return kind is not None and issubclass(caught.kind, kind)

    def stand_in_exception_class(self, info: TypeInfo) -> type[Exception] | None:
        """Return what stands here for a class of exceptions, with like bases; None for others."""
        if info.address in self.memory.exceptions:
            return self.memory.exceptions[info.address]
        kind = EXCEPTIONS.get(info.full_name)
        if kind is None and info.base:
            bases = list[type[Exception]]()
            for parent in self.decoder.types.mro(info)[1:]:
                base = self.stand_in_exception_class(parent)
                if base is not None and not any(issubclass(each, base) for each in bases):
                    bases.append(base)
            try:
                kind = type(info.name, tuple(bases), {}) if bases else None
            except TypeError:
                raise Undecodable("an exception of another kind") from None
        if kind is None or not issubclass(kind, Exception):
            return None
        self.memory.exceptions[info.address] = kind
        return kind

    def handler_of_error(self, at: int, raised: CertainException) -> int:
        """Return where an error of the call at a byte is handled, the stack as there."""
        return self._enter_handler(at, raised)

    def handler_after_cleanup(self, at: int, raised: CertainException) -> int:
        """Return the next handler outward where one only ends another, and raises again (3.11)."""
        if not self.has_exception_table:
            return at
        start, size = locate_bytecode(self.decoder.reader, self.code)
        units = self.decoder.reader.read(start, size if 0 < size <= MAX_CODE else 0)
        names, places = list[str](), list[int]()
        while len(names) < len(_CLEANUP) and at < len(units):
            instruction = read_instruction(self.opcodes, units, at)
            names.append(instruction.name)
            places.append(at)
            at = instruction.end
        return self._enter_handler(places[-1], raised) if tuple(names) == _CLEANUP else places[0]
