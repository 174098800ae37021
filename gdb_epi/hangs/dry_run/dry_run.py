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

from gdb_epi.cpython.frames.opcodes import OPERATORS_BY_INSTRUCTION
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import COMPARISONS, EXCEPTIONS
from gdb_epi.cpython.values.value_stack import (
    BuiltinMethod,
    BuiltStr,
    BuiltTuple,
    Caught,
    Class,
    ComputedNumber,
    Format,
    Global,
    Item,
    Iteration,
    LibraryValue,
    MadeFunction,
    Method,
    ProcessObject,
    Raised,
    SuspendedRun,
    UnknownNumber,
    is_plain_attribute,
    special_method,
)
from gdb_epi.hangs.dry_run.block_instructions import BlockInstructions
from gdb_epi.hangs.dry_run.builtin_calls import (
    call_builtin,
    call_method,
    draw_random_number,
    is_log_method,
    is_random,
    is_supported_method,
)
from gdb_epi.hangs.dry_run.call_frames import begin_call
from gdb_epi.hangs.dry_run.container_evaluation import (
    DEQUE,
    LIBRARY_VALUES,
    MATCH,
    MAX_CODE,
    MAX_DEPTH,
    YieldedValue,
)
from gdb_epi.hangs.dry_run.instances import (
    LRU_CACHE,
    class_object,
    has_attribute_already,
    lru_cached_method,
    lru_cached_result,
    make_bare_instance,
    make_instance,
    operate_on_instance,
    own_callable,
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
    apply_in_place,
    apply_operator,
    build_unknown_text,
    format_unknown,
    has_unknown_value,
)
from gdb_epi.hangs.dry_run.timed_calls import call_timed_method

MAX_CLAIMS = 16  # how often a run goes round with numbers that are not known
_CONTAINS = (6, 7)  # arguments of COMPARE_OP up to 3.8
_FORMATS = (
    "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "BUILD_STRING",
)  # fmt: skip
_CELL = 0x40 | 0x80  # CO_FAST_CELL, CO_FAST_FREE of co_localspluskinds
_NEW_OF_OBJECT = Global("object.__new__")
_CALLABLES = (BuiltinMethod, Method, MadeFunction, ProcessObject, Global, Class)
_OF_SLEEP = "asyncio.tasks"


class DryRun(BlockInstructions):
    """One frame or call that goes on: what each instruction does."""

    def _do(self, name: str, argument: int) -> None:
        if self.repeats_until < self.following:
            self.repeats_until = -1
        if name in OPERATORS_BY_INSTRUCTION:
            self.apply_binary_operator(OPERATORS_BY_INSTRUCTION[name])
        elif name not in _FORMATS or not self._build_text_of_unknown(name, argument):
            super()._do(name, argument)

    def _handler(self, at: int, raised: Raised) -> int:
        self.raised_at.add(at)
        self.memory.lacking |= self.memory.taken
        if self.for_loops is None:
            return self.handler_after_cleanup(super()._handler(at, raised), raised)
        # Of a frame of the process only what its `for` loops need is on the stack.
        handled = self.handler_after_cleanup(super()._handler(at, raised), raised)
        depth = sum(at in each for each in self.for_loops)
        if self.has_exception_table and len(self.stack) != depth + 1:
            raise Undecodable(f"it raises {raised}")
        return handled

    # -- turns ----------------------------------------------------------------------------------

    def _state(self) -> DryRunState:
        return StateRenumbering(self.memory).state(self.locals, self.stack)

    def jump_back(self, target: int) -> None:
        """Look whether the loop is where it was before. Raises EndlessLoop."""
        if self.repeats_until < min(MAX_CODE, self.following):
            self.repeats_until = -1  # no comprehension that begins anew is left to be done
        state = self._state()
        for head in self._heads.values():
            head.first, head.last = min(head.first, target), max(head.last, self.following)
        now = LoopHead(state, 1, target, self.following, self.memory)
        seen = self._heads.setdefault(target, now)
        seen.turns += 1
        if self._claim is not None:
            if seen is self._claim and seen.turns >= seen.most:
                matches = does_state_match(seen.state, state, self.number_bounds)
                if not (matches and self.memory.stays_finite()) and (
                    matches or not self._repeats_alike(target, seen, state)
                ):
                    raise Undecodable("another state")
                raise self._make_endless_loop(seen, seen.turns)
        elif seen.turns > 1 and (seen.state == state or self._repeats_alike(target, seen, state)):
            raise self._make_endless_loop(seen, seen.turns - 1)
        elif seen.turns > seen.most:
            now.most, now.turns = 2 * seen.most, 1
            self._heads[target] = now

    def _make_endless_loop(self, seen: LoopHead, turns: int) -> EndlessLoop:
        rests = self.memory.suspended_generators(self.stack)
        endless = EndlessLoop(self.code, seen.first, seen.last, turns, rests)
        endless.fails = seen.has_put_item_back_after_error(self.memory)
        return endless

    def _repeats_alike(self, target: int, seen: LoopHead, state: DryRunState) -> bool:
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
                if made.kind(ProcessObject(at)) in ("cell", "iterator", "generator"):
                    return False
                memory.blurred |= {at}
        turns = seen.turns - 1 if self._claim is None else seen.most
        made._claim = LoopHead(made._state(), turns, seen.first, seen.last, memory)
        made._heads = {target: made._claim}
        try:
            made.go(target, MAX_CODE)
        except EndlessLoop as endless:
            return endless.code == self.code
        except (Undecodable, Raised, YieldedValue):
            pass
        return False

    # -- numbers and texts ----------------------------------------------------------------------

    def apply_binary_operator(self, sign: str) -> None:
        """Do what an operator does. Raises Undecodable, Raised."""
        right, left = self._pop(), self._pop()
        in_place, sign = sign.endswith("="), sign.rstrip("=")
        given = operate_on_instance(self, sign, left, right, in_place=in_place)
        apply = apply_in_place if in_place else apply_operator
        self.stack.append(apply(self, sign, left, right) if given is None else given)

    def _build_text_of_unknown(self, name: str, argument: int) -> bool:
        """Do an instruction that makes a text, if it does so of what is not known."""
        by_argument = {"FORMAT_VALUE": 2 if argument & 4 else 1, "BUILD_STRING": argument}
        taken = by_argument.get(name, 2 if name == "FORMAT_WITH_SPEC" else 1)
        made = build_unknown_text(self, name, argument, self.stack[len(self.stack) - taken :])
        if made is not None:
            self._pop_items(taken)
            self.stack.append(made)
        return made is not None

    def _do_unary_negative(self, _argument: int) -> None:
        item = self._pop()
        if isinstance(item, UnknownNumber):
            self.stack.append(UnknownNumber(-item.high, -item.low))
        else:
            self.stack.append(self.apply_host_function(operator.neg, self.plain(item)))

    def _do_unary_invert(self, _argument: int) -> None:
        self.stack.append(self.apply_host_function(operator.invert, self.plain(self._pop())))

    # -- comparisons ----------------------------------------------------------------------------

    def _do_is_op(self, argument: int) -> None:
        right, left = (class_object(self, self._pop()) for _ in range(2))
        if isinstance(left, ProcessObject) and isinstance(right, ProcessObject):
            self.stack.append(ComputedNumber((left.address == right.address) != bool(argument)))
        else:
            self.stack += [left, right]
            super()._do_is_op(argument)

    def _do_compare_op(self, argument: int) -> None:
        how = argument >> self.opcodes.compare_shift
        if how in _CONTAINS:  # up to 3.8
            self._do_contains_op(how - _CONTAINS[0])
        elif how < len(COMPARISONS):
            right, left = self._pop(), self._pop()
            self.stack.append(apply_comparison(self, how, left, right))
        else:
            super()._do_compare_op(argument)

    def _do_contains_op(self, argument: int) -> None:
        of, sought = self._pop(), self._pop()
        self.stack.append(ComputedNumber(self.inside(of, sought) != bool(argument)))

    # -- names and attributes -------------------------------------------------------------------

    def _do_load_global(self, argument: int) -> None:
        if self.opcodes.global_shift and argument & 1:
            self.stack.append(None)
        self._load_name(self._name(argument >> self.opcodes.global_shift), self.globals)

    def _do_load_name(self, argument: int) -> None:
        self._load_name(self._name(argument), self.names, self.globals)

    def _load_name(self, name: str, *scopes: int) -> None:
        for scope in filter(None, scopes):
            self.memory.read.add(scope)
            item = self.memory.stored.get((scope, name))
            if item is None and isinstance(at := self.decoder.objects.dict_get(scope, name), int):
                item = ProcessObject(at)
            if item is not None:
                self.stack.append(item)
                return
        self.stack.append(Global(name))

    def _store_in_namespace(self, of: int, name: str, item: Item) -> None:
        if of >= 0 and not has_attribute_already(self, of, name, item):
            self.refuse_repetition()
        self.memory.stored[of, name] = item

    def _do_store_name(self, argument: int) -> None:
        self._store_in_namespace(self.names, self._name(argument), self._pop())

    def _do_store_global(self, argument: int) -> None:
        self._store_in_namespace(self.globals, self._name(argument), self._pop())

    def _do_store_fast_store_fast(self, argument: int) -> None:
        self._do_store_fast(argument >> 4)
        self._do_store_fast(argument & 15)

    def _do_store_fast_load_fast(self, argument: int) -> None:
        self._do_store_fast(argument >> 4)
        self._do_load_fast(argument & 15)

    def _do_store_attr(self, argument: int) -> None:
        of, item, name = self._pop(), self._pop(), self._name(argument)
        if not isinstance(of, ProcessObject):
            raise Undecodable("an attribute that is stored")
        made = of.address < 0
        if made and self.memory.kinds[of.address] != "instance":
            raise Undecodable("an attribute that is stored")
        info = self.class_of(of)
        if not made and self.decoder.obj(of.address).lineage.ident:
            raise Undecodable("an attribute that is stored")
        in_class = self.decoder.types.lookup(info, name)
        plain = in_class is None or is_plain_attribute(self.decoder, in_class[1])
        own_way = special_method(self.decoder, info, "__setattr__")
        if own_way is not None or not (
            plain or (in_class and self.decoder.ident(in_class[1]) == "member_descriptor")
        ):
            raise Undecodable("a class that stores attributes in a way of its own")
        self._store_in_namespace(of.address, name, item)

    def _do_copy(self, argument: int) -> None:
        if not 0 < argument <= len(self.stack):
            raise Undecodable("an empty stack")
        self.stack.append(self.stack[-argument])

    # -- instructions that build ----------------------------------------------------------------

    def _pop_items(self, number: int) -> list[Item]:
        return [self._pop() for _ in range(number)][::-1]

    def _do_build_tuple(self, argument: int) -> None:
        self.stack.append(BuiltTuple(tuple(self._pop_items(argument))))

    def _do_build_list(self, argument: int) -> None:
        self.stack.append(self.memory.make_object("list", self._pop_items(argument)))

    def _do_build_set(self, argument: int) -> None:
        self.stack.append(self.memory.make_object("set"))
        made, items = self.stack.pop(), self._pop_items(argument)
        self.stack.append(made)
        for item in items:
            call_method(self, made, "add", [item], {})

    def _do_build_map(self, argument: int) -> None:
        items = self._pop_items(2 * argument)
        self._build_dict(items[::2], items[1::2])

    def _do_build_const_key_map(self, argument: int) -> None:
        self._build_dict(self.members(self._pop()), self._pop_items(argument))

    def _build_dict(self, keys: Sequence[Item], values: Sequence[Item]) -> None:
        made = self.memory.make_object("dict")
        for key, value in zip(keys, values, strict=True):
            self.store_item(made, key, value)
        self.stack.append(made)

    def _container_below(self, argument: int) -> ProcessObject:
        """Return the container that an instruction of a comprehension adds to."""
        made = self.stack[-argument] if 0 < argument <= len(self.stack) else None
        if not isinstance(made, ProcessObject):
            raise Undecodable("an empty stack")
        return made

    def _add_to_container_below(self, method: str, argument: int) -> None:
        item = self._pop()
        call_method(self, self._container_below(argument), method, [item], {})

    def _do_list_append(self, argument: int) -> None:
        self._add_to_container_below("append", argument)

    def _do_set_add(self, argument: int) -> None:
        self._add_to_container_below("add", argument)

    def _do_list_extend(self, argument: int) -> None:
        self._add_to_container_below("extend", argument)

    def _do_set_update(self, argument: int) -> None:
        self._add_to_container_below("update", argument)

    _do_dict_update = _do_dict_merge = _do_set_update

    def _do_map_add(self, argument: int) -> None:
        value, key = self._pop(), self._pop()
        self.store_item(self._container_below(argument), key, value)

    def _do_list_to_tuple(self, _argument: int) -> None:
        self.stack.append(BuiltTuple(tuple(self.members(self._pop()))))

    # -- items and iterators --------------------------------------------------------------------

    def _do_store_subscr(self, _argument: int) -> None:
        index, of, value = self._pop(), self._pop(), self._pop()
        self.store_item(of, index, value)

    def item_of(self, of: Item, index: Item) -> Item:
        """Return `of[index]` as it is now. Raises Undecodable, Raised."""
        if isinstance(of, ProcessObject) and self.kind(of) == MATCH:
            return call_match_method(self, of, "group", [index])
        return super().item_of(of, index)

    def _do_store_slice(self, _argument: int) -> None:
        """`[start:stop] = value` (3.12)."""
        self._do_build_slice(2)
        self._do_store_subscr(0)

    def _do_delete_subscr(self, _argument: int) -> None:
        index, of = self._pop(), self._pop()
        self.delete_item(of, index)

    def _do_get_iter(self, _argument: int) -> None:
        self.stack.append(self.make_iterator(self._pop()))

    def _do_for_iter(self, argument: int) -> None:
        following = self.advance(self.stack[-1] if self.stack else None)
        if following is not None:
            self.stack[-1:] = reversed(following)
            return
        self.following += self.opcodes.jump_unit * argument
        self.stack.pop()
        self.base = min(self.base, len(self.stack))
        if self.opcodes.end_for:  # it and what follows take two words
            self.stack += [None, None]

    def _do_end_for(self, _argument: int) -> None:
        for _ in range(self.opcodes.end_for):
            self._pop()

    def _cell_shared_with_function(self, number: int) -> ProcessObject | None:
        """Return the cell of a variable that was given to another function."""
        item = self.locals.get(number)
        is_cell = isinstance(item, ProcessObject) and self.memory.kinds.get(item.address) == "cell"
        return item if is_cell and isinstance(item, ProcessObject) else None

    def _do_load_closure(self, argument: int) -> None:
        number = self.first_cell + argument
        cell = self._cell_shared_with_function(number)
        if cell is None:
            items = [self.locals[number]] if number in self.locals else []
            cell = self.locals[number] = self.memory.make_object("cell", items)
            self.memory.cells.add((self.code, argument))
        self.stack.append(cell)

    def _do_load_deref(self, argument: int) -> None:
        cell = self._cell_shared_with_function(self.first_cell + argument)
        if cell is None:
            self.memory.cells.add((self.code, argument))
            super()._do_load_fast(self.first_cell + argument)
            return
        if not self.memory.contents[cell.address]:
            raise Undecodable("a local variable")
        self.stack += self.memory.contents[cell.address]

    def _do_store_deref(self, argument: int) -> None:
        cell = self._cell_shared_with_function(self.first_cell + argument)
        if cell is None:
            self._do_store_fast(self.first_cell + argument)
        else:
            self.memory.contents[cell.address] = (self._pop(),)

    def _do_load_fast(self, argument: int) -> None:
        if self._cell_shared_with_function(argument) is not None or self._is_cell(argument):
            self._do_load_closure(argument)
        else:
            super()._do_load_fast(argument)

    _do_load_fast_check = _do_load_fast_borrow = _do_load_fast

    def _is_cell(self, number: int) -> bool:
        if "LOAD_CLOSURE" in self.opcodes.instructions:  # until 3.12; LOAD_FAST does it since
            return False
        at = self.decoder.field(self.code, "PyCodeObject", "co_localspluskinds")
        kinds = self.decoder.reader.bytes_object(at, MAX_CODE)
        return isinstance(kinds, bytes) and number < len(kinds) and bool(kinds[number] & _CELL)

    def _do_make_cell(self, _argument: int) -> None:
        """Do nothing: what is in a cell lies in its variable until a function is given it."""

    def _do_store_fast(self, argument: int) -> None:
        item = self._pop()
        if item is None:
            self.locals.pop(argument, None)
        else:
            self.locals[argument] = item

    # -- functions ------------------------------------------------------------------------------

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what a function returns. Raises Undecodable, Raised, EndlessLoop."""
        return self._run_function(ProcessObject(function), owner, arguments, {})

    def _call(self, called: Item, arguments: list[Item]) -> None:
        names, self.keywords = self.keywords, ()
        positional = arguments[: len(arguments) - len(names)]
        named = dict(zip(names, arguments[len(positional) :], strict=True))
        if isinstance(called, _CALLABLES):
            self.stack.append(self._returned(called, positional, named))
        elif named:
            raise Undecodable("a call")
        elif isinstance(called, Format) and any(map(has_unknown_value, arguments)):
            self.stack.append(format_unknown(self, called.template, arguments))
        else:
            super()._call(called, arguments)

    def _returned(self, called: Item, arguments: Sequence[Item], named: Mapping[str, Item]) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, EndlessLoop."""
        if isinstance(called, Class):
            called = class_object(self, called)
        if isinstance(called, BuiltinMethod):
            return call_method(self, called.of, called.name, arguments, named)
        if isinstance(called, Method):
            function = ProcessObject(called.function)
            if self.decoder.obj(called.function).type.full_name == LRU_CACHE and not named:
                return lru_cached_result(self, called.function, [called.self, *arguments])
            if (in_vain := call_timed_method(self, called, arguments, named)) is not None:
                return in_vain
            return self._run_function(function, called.owner, [called.self, *arguments], named)
        if isinstance(called, MadeFunction):
            return self._run_function(called, None, arguments, named)
        if called == _NEW_OF_OBJECT and len(arguments) == 1 and not named:
            return make_bare_instance(self, arguments[0])
        if isinstance(called, Global) and self.is_builtin(called.name):
            kind = EXCEPTIONS.get(called.name)
            if kind is not None and issubclass(kind, Exception):
                return Caught(kind)
            return call_builtin(self, called.name, list(arguments), named)
        if not isinstance(called, ProcessObject):
            raise Undecodable("a call")
        ident = self.decoder.ident(called.address)
        if ident == "function":
            name = self._qualified_function_name(called)
            if name == "sleep" and module_of_function(self, called) == _OF_SLEEP:
                self.memory.pauses = True
                return Iteration(BuiltTuple(()), 0)  # awaited, it is over
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
            if is_random(self, owner) and not named:
                return draw_random_number(self, self._qualified_function_name(function), arguments)
            return self._returned(function, [owner, *arguments], named)
        raise Undecodable("a call")

    def _qualified_function_name(self, function: ProcessObject) -> str:
        at = self.decoder.field(function.address, "PyFunctionObject", "func_name")
        return self.decoder.string(at)

    def _run_function(
        self, function: ProcessObject | MadeFunction, owner: TypeInfo | None,
        arguments: Sequence[Item], keywords: Mapping[str, Item],
    ) -> Item:  # fmt: skip
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run = self.run_of_callee()
        run.owner = owner
        begin_call(run, function, arguments, keywords)
        if run.is_generator() or run.has_flag("CO_COROUTINE"):
            rest = SuspendedRun(run.code, run.globals, 0, tuple(sorted(run.locals.items())))
            return self.memory.make_object("generator", [rest])
        self.decoder.nesting += 1
        try:
            return run.go(0, MAX_CODE)
        finally:
            self.decoder.nesting -= 1

    # -- instances ------------------------------------------------------------------------------

    def _new_instance(
        self, kind: ProcessObject, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        """Return a new object of a class. Raises Undecodable, Raised, EndlessLoop."""
        info = self.decoder.types.at(kind.address)
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

    def _method(self, name: str) -> None:
        of = self.stack[-1] if self.stack else None
        if isinstance(
            of, (BuiltStr, BuiltTuple, LibraryValue, ProcessObject)
        ) and is_supported_method(self, of, name):
            self.stack[-1:] = [None, BuiltinMethod(of, name)]
        elif self.kind(of) == "str":
            super()._method(name)
        elif isinstance(of, ProcessObject) and of.address < 0:
            in_class = self.decoder.types.lookup(self.class_of(of), name)
            if in_class is None or self.decoder.ident(in_class[1]) != "function":
                raise Undecodable("a method")
            self.stack[-1:] = [None, Method(in_class[1], in_class[0], of, name)]
        elif isinstance(of, ProcessObject) and self.is_module_or_class(of):
            self.stack[-1:] = [None, self.module_or_class_attribute(of, name)]
        elif isinstance(of, ProcessObject) and (cached := lru_cached_method(self, of, name)):
            self.stack[-1:] = [None, cached]
        elif isinstance(of, ProcessObject) and own_callable(self, of, name):
            self.stack[-1:] = [None, ProcessObject(own_callable(self, of, name))]
        elif of == Global("object") and name == "__new__" and self.is_builtin("object"):
            self.stack[-1:] = [None, _NEW_OF_OBJECT]
        elif isinstance(of, ProcessObject) and is_log_method(self, of, name):
            self.stack[-1:] = [None, Global("print")]
        else:
            super()._method(name)

    def _do_load_attr(self, argument: int) -> None:
        of, shift = self.stack[-1] if self.stack else None, self.opcodes.attr_shift
        if (shift and argument & 1) or not isinstance(of, (ProcessObject, LibraryValue)):
            super()._do_load_attr(argument)
        elif isinstance(of, LibraryValue) or (
            self.kind(of) in (*LIBRARY_VALUES, DECOMPRESSOR, *STRUCTS)
            and not is_supported_method(self, of, self._name(argument >> shift))
        ):
            self.stack[-1] = library_value_attribute(self, of, self._name(argument >> shift))
        elif self.is_module_or_class(of):
            self.stack[-1] = self.module_or_class_attribute(of, self._name(argument >> shift))
        elif is_supported_method(self, of, self._name(argument >> shift)):
            self.stack[-1] = BuiltinMethod(of, self._name(argument >> shift))
        elif self.kind(of) == MATCH and self._name(argument >> shift) in ATTRIBUTES:
            self.stack[-1] = match_attribute(self, of, self._name(argument >> shift))
        elif self._is_own_method(of, self._name(argument >> shift)):
            self._method(self._name(argument >> shift))
            method = self._pop()
            self.stack[-1] = method
        elif of.address < 0:
            self.stack[-1] = self.instance_attribute(of, self._name(argument >> shift))
        else:
            super()._do_load_attr(argument)

    def _is_own_method(self, of: ProcessObject, name: str) -> bool:
        """Tell whether a name is that of a function in an object's class, to be called later."""
        if (of.address, name) in self.memory.stored:
            return False
        in_class = self.decoder.types.lookup(self.class_of(of), name)
        return in_class is not None and self.decoder.ident(in_class[1]) == "function"

    def _do_kw_names(self, argument: int) -> None:
        self.keywords = tuple(self.text_of(each) for each in self.members(self._constant(argument)))

    def _do_call_kw(self, argument: int) -> None:
        """Like CALL; the names of the last arguments are on top (3.13)."""
        self.keywords = tuple(self.text_of(each) for each in self.members(self._pop()))
        self._do_call(argument)

    def _do_call_function_kw(self, argument: int) -> None:
        """Like CALL_FUNCTION, with the names on top (up to 3.10)."""
        self.keywords = tuple(self.text_of(each) for each in self.members(self._pop()))
        self._do_call_function(argument)

    def _do_call(self, argument: int) -> None:
        """Two words below the arguments: a callable, and NULL or its `self`."""
        arguments = self._pop_items(argument)
        second, first = self._pop(), self._pop()
        if first is None:
            self._call(second, arguments)
        elif second is None:
            self._call(first, arguments)
        else:  # 3.11 and 3.12: a method and its self; comprehensions: a function and its argument
            self._call(first, [second, *arguments])

    _do_call_method = _do_call

    def _do_call_function_ex(self, argument: int) -> None:
        """Call with an iterable of arguments, and a dict of named ones where `argument` says so."""
        named = self.pairs(self._pop()) if argument & 1 else []
        arguments = self.all_items(self._pop())
        called = self._pop()
        if "PUSH_NULL" in self.opcodes.instructions:  # 3.11: a NULL beside it, on either side
            other = self._pop()
            called = other if called is None else called
        self.keywords = tuple(self.text_of(key) for key, _ in named)
        self._call(called, [*arguments, *(value for _, value in named)])
