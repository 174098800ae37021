# SPDX-License-Identifier: Apache-2.0
"""Python code goes on, on the objects as they lie in the core, until it is where it was before.

What the code does is followed as `__repr__` methods are (cpython/values/repr_from_bytecode.py).
Added here are the instructions of loops, stores and calls. What they do not know raises
Undecodable. What the program would change is kept in a `Memory`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from copy import copy

from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import EXCEPTIONS
from gdb_epi.cpython.values.value_stack import (
    BuiltinMethod,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ClassOfObject,
    ComputedNumber,
    ExceptionInFlight,
    FunctionMadeByCode,
    GlobalName,
    Item,
    IteratorPosition,
    LibraryValue,
    Method,
    NumberWithinBounds,
    ProcessObject,
    ResumptionPoint,
    Slice,
    StrFormatMethod,
    is_non_descriptor,
    special_method,
)
from gdb_epi.hangs.dry_run.block_instructions import BlockInstructions
from gdb_epi.hangs.dry_run.builtin_calls import (
    call_builtin,
    call_method,
    draw_random_number,
    is_log_method,
    is_random_generator,
    is_supported_method,
)
from gdb_epi.hangs.dry_run.call_frames import begin_call
from gdb_epi.hangs.dry_run.container_evaluation import (
    DEQUE,
    LIBRARY_VALUES,
    MATCH,
    MAX_CODE,
    MAX_DEPTH,
    GeneratorYielded,
)
from gdb_epi.hangs.dry_run.instances import (
    LRU_CACHE,
    attribute_of_object_itself,
    class_as_process_object,
    has_attribute_already,
    lru_cached_method,
    lru_cached_result,
    make_bare_instance,
    make_instance,
    operate_on_instance,
    truth_of_instance,
)
from gdb_epi.hangs.dry_run.json_values import parse_json
from gdb_epi.hangs.dry_run.library_values import (
    ATTRIBUTES,
    DECOMPRESSOR,
    STRUCTS,
    call_match_method,
    call_pattern_method,
    is_re_function,
    library_value_attribute,
    make_library_value,
    match_attribute,
    module_of_function,
)
from gdb_epi.hangs.dry_run.loop_states import (
    DryRunState,
    EndlessLoop,
    LoopHead,
    StateRenumbering,
    StatesDiffer,
    does_state_match,
    widen_differing_number,
    widen_differing_numbers,
)
from gdb_epi.hangs.dry_run.native_calls import call_native
from gdb_epi.hangs.dry_run.operators import (
    apply_comparison,
    apply_in_place_operator,
    apply_operator,
    build_partly_known_text,
    format_partly_known_text,
    is_known_only_by_kind,
)
from gdb_epi.hangs.dry_run.timed_calls import call_timed_method

MAX_CLAIMS = 16  # how often a run goes round with numbers that are not known
_FORMATS = frozenset((
    "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "BUILD_STRING",
))  # fmt: skip
_CELL = 0x40 | 0x80  # CO_FAST_CELL, CO_FAST_FREE of co_localspluskinds
_NEW_OF_OBJECT = GlobalName("object.__new__")
_CALLABLES = (BuiltinMethod, Method, FunctionMadeByCode, ProcessObject, GlobalName, ClassOfObject)
_OF_SLEEP = "asyncio.tasks"


class DryRun(BlockInstructions):
    """One frame or call that goes on: what each instruction does."""

    def execute_instruction(self, name: str, argument: int) -> None:
        """Do an instruction. Raises Undecodable, Raised, GeneratorYielded, EndlessLoop."""
        if self.repeats_until < self.following:
            self.repeats_until = -1
        super().execute_instruction(name, argument)

    def words_pushed_by(self, name: str, argument: int, words: Sequence[Item]) -> Item | list[Item]:
        """Return what an instruction pushes; of what is not known a text that is not known."""
        text = build_partly_known_text(self, name, argument, words) if name in _FORMATS else None
        return super().words_pushed_by(name, argument, words) if text is None else text

    def _enter_handler(self, at: int, raised: CertainException) -> int:
        self.raised_at.add(at)
        self.memory.lacking |= self.memory.taken
        if self.for_loops is None:
            return self.handler_after_cleanup(super()._enter_handler(at, raised), raised)
        # Of a frame of the process only what its `for` loops need is on the stack.
        handled = self.handler_after_cleanup(super()._enter_handler(at, raised), raised)
        depth = sum(at in for_loop for for_loop in self.for_loops)
        if self.has_exception_table and len(self.stack) != depth + 1:
            raise Undecodable(f"it raises {raised}")
        return handled

    # -- turns ----------------------------------------------------------------------------------

    def _current_state(self) -> DryRunState:
        return StateRenumbering(self.memory).state(self.locals, self.stack)

    def jump_back(self, target: int) -> None:
        """Look whether the loop is where it was before. Raises EndlessLoop."""
        if self.repeats_until < min(MAX_CODE, self.following):
            self.repeats_until = -1  # no comprehension that begins anew is left to be done
        state = self._current_state()
        for head in self._heads.values():
            head.first, head.last = min(head.first, target), max(head.last, self.following)
        now = LoopHead(state, 1, target, self.following, self.memory)
        seen = self._heads.setdefault(target, now)
        seen.turns += 1
        if self._claim is not None:
            if seen is self._claim and seen.turns >= seen.most:
                matches = does_state_match(seen.state, state, self.number_bounds)
                if not (matches and self.memory.are_float_arguments_finite()) and (
                    matches or not self._turns_repeat_whatever_numbers(target, seen, state)
                ):
                    raise Undecodable("another state")
                raise self._make_endless_loop(seen, seen.turns)
        elif seen.turns > 1 and (
            seen.state == state or self._turns_repeat_whatever_numbers(target, seen, state)
        ):
            raise self._make_endless_loop(seen, seen.turns - 1)
        elif seen.turns > seen.most:
            now.most, now.turns = 2 * seen.most, 1
            self._heads[target] = now

    def _make_endless_loop(self, seen: LoopHead, turns: int) -> EndlessLoop:
        rests = self.memory.suspended_generators(self.stack)
        endless = EndlessLoop(self.code, seen.first, seen.last, turns, rests)
        endless.fails = seen.has_put_item_back_after_error(self.memory)
        return endless

    def _turns_repeat_whatever_numbers(
        self, target: int, seen: LoopHead, state: DryRunState
    ) -> bool:
        """Tell whether the same turns come again whatever the numbers are that differ.

        They are followed once more with all numbers from now on that lie in the same direction.
        What depends on which of them it is ends that; it holds for ever if it holds once and the
        numbers are among the same again then. Where others differ then, these are let go too.
        """
        claims = self._claims.get(target, 0)
        if claims >= MAX_CLAIMS or seen.state.blurred != state.blurred:
            return False
        made, before, bounds = copy(self), seen.state, self.number_bounds
        made.memory = memory = self.memory.copy_memory()
        memory.indexes = {}
        try:
            made.locals = widen_differing_numbers(before.variables, state.variables, bounds)
            memory.stored = widen_differing_numbers(before.stored, state.stored, bounds)
            made.stack = list(widen_differing_number(before.stack, state.stack, bounds))
        except StatesDiffer:
            return False
        self._claims[target] = claims + 1
        memory.kinds, memory.contents = dict(state.kinds), {}
        for at, items in state.contents.items():
            try:
                memory.contents[at] = widen_differing_number(before.contents.get(at), items, bounds)
            except StatesDiffer:
                if made.type_name(ProcessObject(at)) in ("cell", "iterator", "generator"):
                    return False
                memory.blurred |= {at}
        turns = seen.turns - 1 if self._claim is None else seen.most
        made._claim = LoopHead(made._current_state(), turns, seen.first, seen.last, memory)
        made._heads = {target: made._claim}
        try:
            made.run_from(target, MAX_CODE)
        except EndlessLoop as endless:
            return endless.code == self.code
        except (Undecodable, CertainException, GeneratorYielded):
            pass
        return False

    # -- numbers and texts ----------------------------------------------------------------------

    def operator_value(self, sign: str, left: Item, right: Item) -> Item:
        """Return what an operator gives. Raises Undecodable, Raised."""
        in_place, sign = sign.endswith("="), sign.rstrip("=")
        given = operate_on_instance(self, sign, left, right, in_place=in_place)
        apply = apply_in_place_operator if in_place else apply_operator
        return apply(self, sign, left, right) if given is None else given

    def _do_unary_negative(self, _argument: int, item: Item) -> Item:
        if isinstance(item, NumberWithinBounds):
            return NumberWithinBounds(-item.high, -item.low)
        return self.apply_host_function(operator.neg, self.plain_value_of(item))

    def _do_unary_invert(self, _argument: int, item: Item) -> Item:
        return self.apply_host_function(operator.invert, self.plain_value_of(item))

    # -- comparisons ----------------------------------------------------------------------------

    def _do_is_op(self, argument: int, left: Item, right: Item) -> Item:
        right, left = class_as_process_object(self, right), class_as_process_object(self, left)
        if isinstance(left, ProcessObject) and isinstance(right, ProcessObject):
            return ComputedNumber((left.address == right.address) != bool(argument))
        return super()._do_is_op(argument, left, right)

    def comparison(self, how: int, left: Item, right: Item) -> Item:
        """Return what a comparison gives. Raises Undecodable, Raised."""
        return apply_comparison(self, how, left, right)

    def _do_contains_op(self, argument: int, sought: Item, of: Item) -> Item:
        return ComputedNumber(self.is_item_of(of, sought) != bool(argument))

    # -- names and attributes -------------------------------------------------------------------

    def global_value(self, number: int) -> Item:
        """Return what a global is now, by its place in co_names."""
        return self._value_of_name(self._name_at_index(number), self.globals)

    def _do_load_name(self, argument: int) -> Item:
        return self._value_of_name(self._name_at_index(argument), self.names, self.globals)

    def _value_of_name(self, name: str, *scopes: int) -> Item:
        for scope in filter(None, scopes):
            self.memory.read.add(scope)
            item = self.memory.stored.get((scope, name))
            if item is None and isinstance(at := self.decoder.objects.dict_get(scope, name), int):
                item = ProcessObject(at)
            if item is not None:
                return item
        return GlobalName(name)

    def _store_in_namespace(self, of: int, name: str, item: Item) -> None:
        if of >= 0 and not has_attribute_already(self, of, name, item):
            self.refuse_possibly_done_instruction()
        self.memory.stored[of, name] = item

    def _do_store_name(self, argument: int, value: Item) -> None:
        self._store_in_namespace(self.names, self._name_at_index(argument), value)

    def _do_store_global(self, argument: int, value: Item) -> None:
        self._store_in_namespace(self.globals, self._name_at_index(argument), value)

    def _do_store_attr(self, argument: int, value: Item, of: Item) -> None:
        name = self._name_at_index(argument)
        if not isinstance(of, ProcessObject):
            raise Undecodable("an attribute that is stored")
        made = of.address < 0
        if made and self.memory.kinds[of.address] != "instance":
            raise Undecodable("an attribute that is stored")
        info = self.class_of(of)
        if not made and self.decoder.obj(of.address).lineage.ident:
            raise Undecodable("an attribute that is stored")
        in_class = self.decoder.types.lookup(info, name)
        plain = in_class is None or is_non_descriptor(self.decoder, in_class[1])
        own_way = special_method(self.decoder, info, "__setattr__")
        if own_way is not None or not (
            plain or (in_class and self.decoder.ident(in_class[1]) == "member_descriptor")
        ):
            raise Undecodable("a class that stores attributes in a way of its own")
        self._store_in_namespace(of.address, name, value)

    # -- instructions that build ----------------------------------------------------------------

    def _do_build_tuple(self, _argument: int, *items: Item) -> Item:
        return BuiltTuple(items)

    def _do_build_list(self, _argument: int, *items: Item) -> Item:
        return self.memory.make_object("list", items)

    def _do_build_set(self, _argument: int, *items: Item) -> Item:
        made = self.memory.make_object("set")
        for item in items:
            call_method(self, made, "add", [item], {})
        return made

    def _do_build_map(self, _argument: int, *items: Item) -> Item:
        return self._build_dict(items[::2], items[1::2])

    def _do_build_const_key_map(self, _argument: int, *items: Item) -> Item:
        return self._build_dict(self.members(items[-1]), items[:-1])

    def _build_dict(self, keys: Sequence[Item], values: Sequence[Item]) -> Item:
        made = self.memory.make_object("dict")
        for key, value in zip(keys, values, strict=True):
            self.store_item(made, key, value)
        return made

    def _container_of_comprehension(self, argument: int) -> ProcessObject:
        """Return the container that an instruction of a comprehension adds to."""
        made = self.peek(argument)
        if not isinstance(made, ProcessObject):
            raise Undecodable("an empty stack")
        return made

    def _do_list_append(self, argument: int, item: Item) -> None:
        call_method(self, self._container_of_comprehension(argument), "append", [item], {})

    def _do_set_add(self, argument: int, item: Item) -> None:
        call_method(self, self._container_of_comprehension(argument), "add", [item], {})

    def _do_list_extend(self, argument: int, items: Item) -> None:
        call_method(self, self._container_of_comprehension(argument), "extend", [items], {})

    def _do_set_update(self, argument: int, items: Item) -> None:
        call_method(self, self._container_of_comprehension(argument), "update", [items], {})

    _do_dict_update = _do_dict_merge = _do_set_update

    def _do_map_add(self, argument: int, key: Item, value: Item) -> None:
        self.store_item(self._container_of_comprehension(argument), key, value)

    # -- items and iterators --------------------------------------------------------------------

    def _do_store_subscr(self, _argument: int, value: Item, of: Item, index: Item) -> None:
        self.store_item(of, index, value)

    def subscript(self, of: Item, index: Item) -> Item:
        """Return `of[index]` as it is now. Raises Undecodable, Raised."""
        if isinstance(of, ProcessObject) and self.type_name(of) == MATCH:
            return call_match_method(self, of, "group", [index])
        return super().subscript(of, index)

    def _do_store_slice(
        self, _argument: int, value: Item, of: Item, start: Item, stop: Item
    ) -> None:
        """`[start:stop] = value` (3.12)."""
        self.store_item(of, Slice(self.slice_bound(start), self.slice_bound(stop), None), value)

    def _do_delete_subscr(self, _argument: int, of: Item, index: Item) -> None:
        self.delete_item(of, index)

    def _do_get_iter(self, _argument: int, of: Item) -> Item:
        return self.make_iterator(of)

    def _do_for_iter(self, argument: int) -> Item | list[Item]:
        following = self.next_item_and_iterator(self.stack[-1] if self.stack else None)
        if following is not None:
            self.stack[-1] = following[1]
            return following[0]
        self.following += self.opcodes.jump_unit * argument
        self.stack.pop()
        self.base = min(self.base, len(self.stack))
        return [None, None] if self.opcodes.end_for else []  # it and what follows take two words

    def _cell_shared_with_function(self, number: int) -> ProcessObject | None:
        """Return the cell of a variable that was given to another function."""
        item = self.locals.get(number)
        is_cell = isinstance(item, ProcessObject) and self.memory.kinds.get(item.address) == "cell"
        return item if is_cell and isinstance(item, ProcessObject) else None

    def _do_load_closure(self, argument: int) -> Item:
        number = self.first_cell + argument
        cell = self._cell_shared_with_function(number)
        if cell is None:
            items = [self.locals[number]] if number in self.locals else []
            cell = self.locals[number] = self.memory.make_object("cell", items)
            self.memory.cells.add((self.code, argument))
        return cell

    def _do_load_deref(self, argument: int) -> Item:
        cell = self._cell_shared_with_function(self.first_cell + argument)
        if cell is None:
            self.memory.cells.add((self.code, argument))
            return super().variable_at_index(self.first_cell + argument)
        if not self.memory.contents[cell.address]:
            raise Undecodable("a local variable")
        return self.memory.contents[cell.address][0]

    def _do_store_deref(self, argument: int, value: Item) -> None:
        cell = self._cell_shared_with_function(self.first_cell + argument)
        if cell is None:
            self.store_variable_at_index(self.first_cell + argument, value)
        else:
            self.memory.contents[cell.address] = (value,)

    def variable_at_index(self, number: int) -> Item:
        """Return a variable, or the cell that is in its place. Raises Undecodable."""
        if self._cell_shared_with_function(number) is not None or self._is_cell(number):
            return self._do_load_closure(number)
        return super().variable_at_index(number)

    def _is_cell(self, number: int) -> bool:
        if "LOAD_CLOSURE" in self.opcodes.instructions:  # until 3.12; LOAD_FAST does it since
            return False
        at = self.decoder.field(self.code, "PyCodeObject", "co_localspluskinds")
        kinds = self.decoder.reader.bytes_object(at, MAX_CODE)
        return isinstance(kinds, bytes) and number < len(kinds) and bool(kinds[number] & _CELL)

    def _do_make_cell(self, _argument: int) -> None:
        """Do nothing: what is in a cell lies in its variable until a function is given it."""

    def store_variable_at_index(self, number: int, value: Item) -> None:
        """Store a variable; nothing where a comprehension has kept that there was none (3.12)."""
        if value is None:
            self.locals.pop(number, None)
        else:
            self.locals[number] = value

    # -- functions ------------------------------------------------------------------------------

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what a function returns. Raises Undecodable, Raised, EndlessLoop."""
        return self._run_function(ProcessObject(function), owner, arguments, {})

    def call_value(self, called: Item, arguments: list[Item]) -> Item:
        """Return what a call gives. Raises Undecodable, Raised, EndlessLoop."""
        names, self.keywords = self.keywords or (), ()
        positional = arguments[: len(arguments) - len(names)]
        named = dict(zip(names, arguments[len(positional) :], strict=True))
        if isinstance(called, _CALLABLES):
            return self._result_of_call(called, positional, named)
        if named:
            raise Undecodable("a call")
        if isinstance(called, StrFormatMethod) and any(map(is_known_only_by_kind, arguments)):
            return format_partly_known_text(self, called.template, arguments)
        return super().call_value(called, arguments)

    def _result_of_call(
        self, called: Item, arguments: Sequence[Item], named: Mapping[str, Item]
    ) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, EndlessLoop."""
        if isinstance(called, ClassOfObject):
            called = class_as_process_object(self, called)
        if isinstance(called, BuiltinMethod):
            return call_method(self, called.of, called.name, arguments, named)
        if isinstance(called, Method):
            function = ProcessObject(called.function)
            if self.decoder.obj(called.function).type.full_name == LRU_CACHE and not named:
                return lru_cached_result(self, called.function, [called.self, *arguments])
            if (in_vain := call_timed_method(self, called, arguments, named)) is not None:
                return in_vain
            return self._run_function(function, called.owner, [called.self, *arguments], named)
        if isinstance(called, FunctionMadeByCode):
            return self._run_function(called, None, arguments, named)
        if called == _NEW_OF_OBJECT and len(arguments) == 1 and not named:
            return make_bare_instance(self, arguments[0])
        if isinstance(called, GlobalName) and self.is_builtin(called.name):
            kind = EXCEPTIONS.get(called.name)
            if kind is not None and issubclass(kind, Exception):
                return ExceptionInFlight(kind)
            return call_builtin(self, called.name, list(arguments), named)
        if not isinstance(called, ProcessObject):
            raise Undecodable("a call")
        ident = self.decoder.ident(called.address)
        if ident == "function":
            name = self._qualified_function_name(called)
            if name == "sleep" and module_of_function(self, called) == _OF_SLEEP:
                self.memory.pauses = True
                return IteratorPosition(BuiltTuple(()), 0)  # awaited, it is over
            if not named and is_re_function(self, called, name, len(arguments)):
                return call_pattern_method(self, arguments[0], name, arguments[1:])
            if (name, module_of_function(self, called)) == ("loads", "json") and not named:
                return parse_json(self, called, arguments)
            return self._run_function(called, None, arguments, named)
        if ident == "method_descriptor" and arguments:  # with what it is a method of
            name = self.decoder.repr_of(called.address).split("'")[1]
            if is_supported_method(self, arguments[0], name):
                return call_method(self, arguments[0], name, arguments[1:], named)
        if ident == "type":
            return self._new_instance(called, arguments, named)
        if ident in ("builtin_function_or_method", "builtin_method"):
            return call_native(self, called, arguments, named)
        if ident == "method":
            at = called.address
            function, owner = (
                ProcessObject(self.decoder.field(at, "PyMethodObject", name))
                for name in ("im_func", "im_self")
            )
            if is_random_generator(self, owner) and not named:
                return draw_random_number(self, self._qualified_function_name(function), arguments)
            return self._result_of_call(function, [owner, *arguments], named)
        raise Undecodable("a call")

    def _qualified_function_name(self, function: ProcessObject) -> str:
        at = self.decoder.field(function.address, "PyFunctionObject", "func_name")
        return self.decoder.string(at)

    def _run_function(
        self, function: ProcessObject | FunctionMadeByCode, owner: TypeInfo | None,
        arguments: Sequence[Item], keywords: Mapping[str, Item],
    ) -> Item:  # fmt: skip
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run = self.run_of_callee()
        run.owner = owner
        begin_call(run, function, arguments, keywords)
        if run.is_generator() or run.has_code_flag("CO_COROUTINE"):
            rest = ResumptionPoint(run.code, run.globals, 0, tuple(sorted(run.locals.items())))
            return self.memory.make_object("generator", [rest])
        self.decoder.nesting += 1
        try:
            return run.run_from(0, MAX_CODE)
        finally:
            self.decoder.nesting -= 1

    # -- instances ------------------------------------------------------------------------------

    def _new_instance(
        self, kind: ProcessObject, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        """Return a new object of a class. Raises Undecodable, Raised, EndlessLoop."""
        info = self.decoder.types.type_at(kind.address)
        if info.full_name in LIBRARY_VALUES:
            return make_library_value(self, info.full_name, arguments, keywords)
        if info.full_name == DEQUE and len(arguments) < 2 and not keywords:
            return self.memory.make_object(DEQUE, self.all_items(arguments[0]) if arguments else ())
        exception = self.make_exception(info)
        if exception is not None:
            return exception
        return make_instance(self, kind, arguments, keywords)

    def truth(self, item: Item) -> bool:
        """Return bool() of an item. Raises Undecodable, Raised."""
        if isinstance(item, ProcessObject) and self.memory.kinds.get(item.address) == "instance":
            return truth_of_instance(self, item)
        return super().truth(item)

    # -- calls ----------------------------------------------------------------------------------

    def named_method(self, of: Item, name: str) -> Item:
        """Return a method that is called at once. Raises Undecodable."""
        if isinstance(
            of, (BuiltStr, BuiltTuple, LibraryValue, ProcessObject)
        ) and is_supported_method(self, of, name):
            return BuiltinMethod(of, name)
        if of == GlobalName("object") and name == "__new__" and self.is_builtin("object"):
            return _NEW_OF_OBJECT
        if isinstance(of, ProcessObject) and self.type_name(of) != "str":
            if of.address < 0:
                in_class = self.decoder.types.lookup(self.class_of(of), name)
                if in_class is None or self.decoder.ident(in_class[1]) != "function":
                    raise Undecodable("a method")
                return Method(in_class[1], in_class[0], of, name)
            if self.is_module_or_class(of):
                return self.module_or_class_attribute(of, name)
            if cached := lru_cached_method(self, of, name):
                return cached
            if own := attribute_of_object_itself(self, of, name):
                return ProcessObject(own)
            if is_log_method(self, of, name):
                return GlobalName("print")
        return super().named_method(of, name)

    def named_attribute(self, of: Item, name: str) -> Item:
        """Return an attribute as it is now. Raises Undecodable, Raised."""
        if isinstance(of, LibraryValue):
            return library_value_attribute(self, of, name)
        if not isinstance(of, ProcessObject):
            return super().named_attribute(of, name)
        kind = self.type_name(of)
        if kind in (*LIBRARY_VALUES, DECOMPRESSOR, *STRUCTS) and not is_supported_method(
            self, of, name
        ):
            return library_value_attribute(self, of, name)
        if self.is_module_or_class(of):
            return self.module_or_class_attribute(of, name)
        if is_supported_method(self, of, name):
            return BuiltinMethod(of, name)
        if kind == MATCH and name in ATTRIBUTES:
            return match_attribute(self, of, name)
        if self._is_function_of_class(of, name):
            return self.named_method(of, name)
        return (
            self.instance_attribute(of, name)
            if of.address < 0
            else super().named_attribute(of, name)
        )

    def _is_function_of_class(self, of: ProcessObject, name: str) -> bool:
        """Tell whether a name is that of a function in an object's class, to be called later."""
        if (of.address, name) in self.memory.stored:
            return False
        in_class = self.decoder.types.lookup(self.class_of(of), name)
        return in_class is not None and self.decoder.ident(in_class[1]) == "function"

    def names_of_arguments(self, names: Item) -> Sequence[str]:
        """Return the names of arguments. Raises Undecodable."""
        return tuple(map(self.text_of, self.members(names)))

    def call_with_unpacked_arguments(self, called: Item, arguments: list[Item]) -> Item:
        """Call with an iterable of arguments, and mostly a dict of named ones."""
        named = self.pairs_of_dict(arguments[1]) if len(arguments) > 1 else []
        self.keywords = tuple(self.text_of(key) for key, _ in named)
        given = [*self.all_items(arguments[0]), *(value for _, value in named)]
        return self.call_value(called, given)
