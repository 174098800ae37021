# SPDX-License-Identifier: Apache-2.0
"""Python code goes on, on the objects as they lie in the core, until it is where it was before.

What the code does is followed as `__repr__` methods are (cpython/values/repr_from_bytecode.py).
Added here are loops, numbers, and what is stored into variables and attributes; containers are
changing_objects.py and container_methods.py, calls followed_calls.py. Anything else raises
Undecodable. Nothing of the program runs; what it would change is kept in a `Memory` of the run's
own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy

from gdb_epi.cpython.values.formatting import Plain
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import COMPARISONS
from gdb_epi.cpython.values.value_stack_items import (
    BuiltinMethod,
    BuiltStr,
    BuiltTuple,
    ComputedNumber,
    Drawn,
    Global,
    Item,
    Iteration,
    MadeFunction,
    Method,
    ProcessObject,
    Rest,
    UnknownNumber,
    UnknownText,
)
from gdb_epi.cpython.values.value_stack_operations import PLAIN_DATA, Raised, special_method
from gdb_epi.hangs.loops.changing_objects import MAX_CODE, MAX_ITEMS, SETS, Memory
from gdb_epi.hangs.loops.followed_calls import FollowedCalls, YieldedValue
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Key = TypeVar("_Key")

MAX_BITS = 1 << 12  # of one number
MAX_CLAIMS = 16  # how often a run goes round with numbers that are not known
_EQUALS, _CONTAINS = (2, 3), (6, 7)  # arguments of COMPARE_OP
_OPERATORS: Mapping[str, Callable[[Plain, Plain], Plain]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "/": operator.truediv, "%": operator.mod, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, ">>": operator.rshift,
}  # fmt: skip
_NEVER_FAIL = ("+", "-")  # of numbers
INFINITE = float("inf")
_NAMED = {  # up to 3.10
    "ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "FLOOR_DIVIDE": "//", "TRUE_DIVIDE": "/",
    "MODULO": "%", "AND": "&", "OR": "|", "XOR": "^", "RSHIFT": ">>",
}  # fmt: skip
_HOLDERS = (BuiltTuple, Iteration, BuiltinMethod, MadeFunction, Rest)  # items that hold others


class Endless(Exception):
    """The code came back to a state that it was in: it goes round for ever.

    `first` and `last` are the bytes of `code` (PyCodeObject *) between which it does.
    """

    def __init__(self, code: int, first: int, last: int, turns: int) -> None:
        super().__init__(f"{turns} turns")
        self.code, self.first, self.last, self.turns = code, first, last, turns
        self.read: frozenset[int] = frozenset()  # objects that others could change


class _State(NamedTuple):
    """What code goes on with; what it made is numbered in the order in which it is met."""

    variables: dict[int, Item]
    stored: dict[tuple[int, str], Item]
    stack: tuple[Item, ...]
    contents: dict[int, tuple[Item, ...]]
    kinds: dict[int, str]
    blurred: frozenset[int]


class _Differs(Exception):
    """Two states differ by more than numbers."""


class _Renumbered:
    """A state as it is reached from a frame: two are alike whatever order made them."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._names = memory, dict[int, int]()
        self._met: list[int] = []
        self._attributes: dict[int, list[tuple[str, Item]]] = {}
        for (address, name), item in memory.stored.items():
            if address < 0:
                self._attributes.setdefault(address, []).append((name, item))

    def state(self, variables: Mapping[int, Item], stack: Iterable[Item]) -> _State:
        """Return the state of a frame."""
        memory = self._memory
        renamed = {number: self._item(variables[number]) for number in sorted(variables)}
        on_stack = tuple(map(self._item, stack))
        stored = {key: self._item(item) for key, item in memory.stored.items() if key[0] >= 0}
        contents = {at: tuple(map(self._item, items))
                    for at, items in memory.contents.items() if at >= 0}  # fmt: skip
        for address in self._met:  # grows meanwhile
            name = self._names[address]
            if address in memory.contents:
                contents[name] = tuple(map(self._item, memory.contents[address]))
            for attribute, item in sorted(self._attributes.get(address, ()), key=lambda x: x[0]):
                stored[name, attribute] = self._item(item)
        kinds = {name: memory.kinds[address] for address, name in self._names.items()}
        blurred = (at if at >= 0 else self._names.get(at, 0) for at in memory.blurred)
        return _State(renamed, stored, on_stack, contents, kinds, frozenset(blurred) - {0})

    def _item(self, item: Item) -> Item:
        if isinstance(item, ProcessObject):
            return item if item.address >= 0 else ProcessObject(self._name(item.address))
        if isinstance(item, Method):
            return item._replace(self=ProcessObject(self._part(item.self).address))
        renamed: Item = self._part(item)
        return renamed

    def _part(self, part: Any) -> Any:
        if isinstance(part, (ProcessObject, Method)):
            return self._item(part)
        if isinstance(part, _HOLDERS):
            return type(part)._make(map(self._part, part))
        return tuple(map(self._part, part)) if type(part) is tuple else part

    def _name(self, address: int) -> int:
        if address not in self._names:
            self._names[address] = -len(self._names) - 1
            self._met.append(address)
        return self._names[address]


class _Head:
    """A place that is jumped back to: the state that was kept there, and what ran since then."""

    def __init__(self, state: _State, most: int, first: int, last: int) -> None:
        self.state, self.most, self.turns = state, most, 0
        self.first, self.last = first, last


class DryRun(FollowedCalls):
    """One frame or call that goes on.

    `names` is the dict of a module's or class's names; `repeats_until` the byte up to which code
    may have run already.
    """

    def __init__(self, decoder: ReprDecoder, budget: list[int], depth: int = 0) -> None:
        super().__init__(decoder, budget, depth)
        self.memory = Memory()
        self.repeats_until = -1
        self.for_loops: Sequence[range] | None = None  # of a frame of the process
        self._heads: dict[int, _Head] = {}
        self._iterated: dict[int, _Head] = {}  # what a built-in function takes items from
        self._claims: dict[int, int] = {}  # how many were made, by the place that is jumped to
        self._claim: _Head | None = None  # its state is to come again after `most` turns

    def made(self) -> DryRun:
        """Return the run of a function that is called."""
        made = DryRun(self.decoder, self.budget, self.depth + 1)
        made.memory, made.generators = self.memory, self.generators
        made.repeats_until = MAX_CODE if self.repeats_until >= self.following else -1
        return made

    def _do(self, name: str, argument: int) -> None:
        if self.repeats_until < self.following:
            self.repeats_until = -1
        how, _, what = name.partition("_")
        if how in ("BINARY", "INPLACE") and what in _NAMED:
            self.binary(_NAMED[what])
        else:
            super()._do(name, argument)

    def _pop(self) -> Item:
        if len(self.stack) <= self.base:
            raise Undecodable("an empty stack")
        return super()._pop()

    def _handler(self, at: int, raised: Raised) -> int:
        if self.for_loops is None:
            return super()._handler(at, raised)
        # Of a frame of the process only what its `for` loops need is on the stack.
        handled = super()._handler(at, raised)
        depth = sum(at in each for each in self.for_loops)
        if self.decoder.layout.version >= (3, 11) and len(self.stack) != depth + 1:
            raise Undecodable(f"it raises {raised}")
        return handled

    # -- turns ----------------------------------------------------------------------------------

    def _state(self) -> _State:
        return _Renumbered(self.memory).state(self.locals, self.stack)

    def jump_back(self, target: int) -> None:
        """Look whether the loop is where it was before. Raises Endless."""
        state = self._state()
        for head in self._heads.values():
            head.first, head.last = min(head.first, target), max(head.last, self.following)
        seen = self._heads.setdefault(target, _Head(state, 1, target, self.following))
        seen.turns += 1
        if self._claim is not None:
            if seen is self._claim and seen.turns >= seen.most:
                if not self._is_alike(seen.state, state):
                    raise Undecodable("another state")
                raise Endless(self.code, seen.first, seen.last, seen.turns)
        elif seen.turns > 1 and (seen.state == state or self._goes_on_alike(target, seen, state)):
            raise Endless(self.code, seen.first, seen.last, seen.turns - 1)
        elif seen.turns > seen.most:
            self._heads[target] = _Head(state, 2 * seen.most, target, self.following)
            self._heads[target].turns = 1

    def look_for_repetition(self, iterator: ProcessObject) -> None:
        """Look whether an iterator is where it was before. Raises Endless."""
        state = _Renumbered(self.memory).state({}, (iterator,))
        seen = self._iterated.setdefault(iterator.address, _Head(state, 1, 0, 0))
        seen.turns += 1
        if seen.turns > 2 and seen.state == state:
            raise Endless(self.code, 0, 0, seen.turns - 2)
        if seen.turns > seen.most + 1:
            self._iterated[iterator.address] = _Head(state, 2 * seen.most, 0, 0)
            self._iterated[iterator.address].turns = 1

    def _goes_on_alike(self, target: int, seen: _Head, state: _State) -> bool:
        """Tell whether the same turns come again whatever the numbers are that differ.

        They are followed once more with all numbers from now on that lie in the same direction.
        What depends on which of them it is ends that; it holds for ever if it holds once and the
        numbers are among the same again then.
        """
        claims = self._claims.get(target, 0)
        if claims >= MAX_CLAIMS or seen.state.blurred != state.blurred:
            return False
        made, before = copy(self), seen.state
        made.memory = memory = self.memory.copied()
        memory.indexes = {}
        try:
            made.locals = self._without_numbers(before.variables, state.variables)
            memory.stored = self._without_numbers(before.stored, state.stored)
            made.stack = list(self._forgotten(before.stack, state.stack))
        except _Differs:
            return False
        self._claims[target] = claims + 1
        memory.kinds, memory.contents = dict(state.kinds), {}
        for at, items in state.contents.items():
            try:
                memory.contents[at] = self._forgotten(before.contents.get(at), items)
            except _Differs:
                if state.kinds.get(at) in ("cell", "iterator", "generator"):
                    return False
                memory.blurred |= {at}
        made._claim = _Head(made._state(), seen.turns - 1, seen.first, seen.last)
        made._heads = {target: made._claim}
        try:
            made.go(target, MAX_CODE)
        except Endless as endless:
            return endless.code == self.code
        except (Undecodable, Raised, YieldedValue):
            pass
        return False

    def _without_numbers(
        self, before: Mapping[_Key, Item], now: Mapping[_Key, Item]
    ) -> dict[_Key, Item]:
        """Return what is now, the numbers that differ not known. Raises _Differs."""
        if before.keys() != now.keys():
            raise _Differs
        return {key: self._forgotten(before[key], item) for key, item in now.items()}

    def _forgotten(self, before: Any, now: Any) -> Any:
        if before == now:
            return now
        if self._is_number(before) and self._is_number(now):
            start, end = self._bounds(before)[0], self._bounds(now)[0]
            return UnknownNumber(*((end, INFINITE) if end >= start else (-INFINITE, end)))
        if type(before) is not type(now) or not isinstance(now, tuple) or len(before) != len(now):
            raise _Differs
        if type(now) is not tuple and not isinstance(now, _HOLDERS):
            raise _Differs
        parts = map(self._forgotten, before, now)
        return type(now)._make(parts) if isinstance(now, _HOLDERS) else tuple(parts)

    def _bounds(self, item: Item) -> tuple[float, float]:
        if isinstance(item, UnknownNumber):
            return item
        value = self.plain(item)
        if isinstance(value, str) or value != value:  # NaN
            raise Undecodable("no number")
        return value, value

    def _is_alike(self, claimed: _State, state: _State) -> bool:
        """Tell whether a state is as claimed; a number that is not known may be any."""
        return self._fits(claimed, state)

    def _fits(self, then: Any, now: Any) -> bool:
        if isinstance(then, UnknownNumber):
            return self._is_within(now, then)
        if isinstance(then, dict):
            return then.keys() == now.keys() and all(
                self._fits(item, now[key]) for key, item in then.items()
            )
        if not isinstance(then, tuple):
            return bool(then == now)
        alike = type(then) is type(now) and len(then) == len(now)
        return alike and all(map(self._fits, then, now))

    def _is_within(self, item: Item, bounds: UnknownNumber) -> bool:
        if not self._is_number(item):
            return False
        low, high = self._bounds(item)
        return bounds.low <= low and high <= bounds.high

    # -- numbers and texts ----------------------------------------------------------------------

    def plain(self, item: Item) -> Plain:
        """Return an int, bool, float or str. Raises Undecodable for all others."""
        kept = self.memory.plain
        if not isinstance(item, ProcessObject):
            return super().plain(item)
        if item.address not in kept:
            kept[item.address] = super().plain(item)
        return kept[item.address]

    def binary(self, sign: str) -> None:
        """Do what an operator does, of numbers and texts. Raises Undecodable, Raised."""
        right, left = self._pop(), self._pop()
        sign = sign.rstrip("=")
        both = (left, right)
        if any(isinstance(each, Drawn) for each in both):
            if sign not in ("+", "-", "//"):
                raise Undecodable("an operator")
            self.stack.append(self.over_draws(_OPERATORS[sign], left, right))
            return
        unknown = any(isinstance(each, UnknownText) for each in both)
        if unknown or (sign == "%" and self._has_unknown(right)):
            self.stack.append(UnknownText())
            return
        if isinstance(left, UnknownNumber) or isinstance(right, UnknownNumber):
            if sign not in _NEVER_FAIL or not (self._is_number(left) and self._is_number(right)):
                raise Undecodable("what depends on a number that is not known")
            (first, last), (low, high) = self._bounds(left), self._bounds(right)
            low, high = (-high, -low) if sign == "-" else (low, high)
            try:
                self.stack.append(UnknownNumber(first + low, last + high))
            except OverflowError:
                raise Undecodable("a large number") from None
            return
        if sign == "%" and self.kind(left) == "str":
            self.stack += [left, right]
            self._do_binary_modulo(0)
            return
        kinds = self.kind(left), self.kind(right)
        if kinds[0] in SETS and kinds[1] in SETS:
            self.stack.append(self.operate_on_sets(sign, left, right))
            return
        if sign == "+" and kinds == ("list", "list"):
            items = [*self.members(left), *self.members(right)]
            self.stack.append(self.memory.make("list", items))
            return
        if sign == "*" and sorted(kinds) in (["int", "list"], ["int", "str"]):
            self._repeat(*((left, right) if kinds[1] == "int" else (right, left)))
            return
        values = self.plain(left), self.plain(right)
        texts = sum(isinstance(value, str) for value in values)
        if sign not in _OPERATORS or (texts and (texts, sign) != (2, "+")):
            raise Undecodable("an operator")
        if any(isinstance(value, int) and value.bit_length() > MAX_BITS for value in values):
            raise Undecodable("a large number")
        self.stack.append(self.of_host(_OPERATORS[sign], *values))

    @staticmethod
    def _has_unknown(item: Item) -> bool:
        parts = item.items if isinstance(item, BuiltTuple) else (item,)
        return any(isinstance(part, (UnknownNumber, UnknownText)) for part in parts)

    def _formats(self, name: str, argument: int, taken: int) -> None:
        """Do an instruction that makes a text; of numbers that are not known it makes any."""
        if any(isinstance(item, Drawn) for item in self.stack[len(self.stack) - taken :]):
            if name != "_do_build_string" and (taken > 1 or argument):
                raise Undecodable("a format of a draw")
            items = self._popped(taken)
            self.stack.append(self.over_draws(lambda *parts: "".join(map(str, parts)), *items))
            return
        if any(map(self._has_unknown, self.stack[len(self.stack) - taken :])):
            self._popped(taken)
            self.stack.append(UnknownText())
        else:
            getattr(super(), name)(argument)

    def _do_format_value(self, argument: int) -> None:
        self._formats("_do_format_value", argument, 2 if argument & 4 else 1)

    def _do_format_simple(self, argument: int) -> None:
        self._formats("_do_format_simple", argument, 1)

    def _do_format_with_spec(self, argument: int) -> None:
        self._formats("_do_format_with_spec", argument, 2)

    def _do_convert_value(self, argument: int) -> None:
        self._formats("_do_convert_value", argument, 1)

    def _do_build_string(self, argument: int) -> None:
        self._formats("_do_build_string", argument, argument)

    def _repeat(self, of: Item, number: Item) -> None:
        times = self.plain(number)
        if not isinstance(times, int) or times * self.length(of) > MAX_ITEMS:
            raise Undecodable("a long text")
        if self.kind(of) == "list":
            self.stack.append(self.memory.make("list", [*self.members(of)] * times))
        else:
            self.stack.append(BuiltStr(self.text_of(of) * times))

    def _do_unary_negative(self, _argument: int) -> None:
        self.stack.append(self.of_host(operator.neg, self.plain(self._pop())))

    def _is_number(self, item: object) -> bool:
        if isinstance(item, ProcessObject):
            return self.kind(item) in ("int", "float")
        return isinstance(item, (ComputedNumber, UnknownNumber))

    # -- comparisons ----------------------------------------------------------------------------

    def _do_is_op(self, argument: int) -> None:
        right, left = self._pop(), self._pop()
        if isinstance(left, ProcessObject) and isinstance(right, ProcessObject):
            self.stack.append(ComputedNumber((left.address == right.address) != bool(argument)))
        else:
            self.stack += [left, right]
            super()._do_is_op(argument)

    def _do_compare_op(self, argument: int) -> None:
        how = argument >> self.dialect.compare_shift
        if how in _CONTAINS:  # up to 3.8
            self._do_contains_op(how - _CONTAINS[0])
        elif any(isinstance(item, UnknownNumber) for item in self.stack[-2:]):
            self._compare_bounds(how)
        elif how < len(COMPARISONS) and any(isinstance(each, Drawn) for each in self.stack[-2:]):
            right_item, left_item = self._pop(), self._pop()
            self.stack.append(self.over_draws(COMPARISONS[how], left_item, right_item))
        elif how < len(COMPARISONS):
            right: Any = self.host(self._pop())
            left: Any = self.host(self._pop())
            try:
                self.stack.append(ComputedNumber(COMPARISONS[how](left, right)))
            except TypeError:
                raise Raised(TypeError) from None
        else:
            super()._do_compare_op(argument)

    def _compare_bounds(self, how: int) -> None:
        """Compare two numbers by their bounds, where these do not overlap."""
        right, left = self._bounds(self._pop()), self._bounds(self._pop())
        if not (left[1] < right[0] or right[1] < left[0]):
            raise Undecodable("what depends on a number that is not known")
        self.stack.append(ComputedNumber(COMPARISONS[how](left[0], right[0])))

    def _do_contains_op(self, argument: int) -> None:
        of, sought = self._pop(), self._pop()
        self.stack.append(ComputedNumber(self.inside(of, sought) != bool(argument)))

    # -- names and attributes -------------------------------------------------------------------

    def _do_load_global(self, argument: int) -> None:
        if self.dialect.global_shift and argument & 1:
            self.stack.append(None)
        self._load_name(self._name(argument >> self.dialect.global_shift), self.globals)

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

    def _store(self, of: int, name: str, item: Item) -> None:
        if of >= 0:
            self.refuse_repetition()
        self.memory.stored[of, name] = item

    def refuse_repetition(self) -> None:
        """Raise Undecodable where the instruction may have been done already."""
        if self.repeats_until >= self.following:
            raise Undecodable("a change that may have been made already")

    def _do_store_name(self, argument: int) -> None:
        self._store(self.names, self._name(argument), self._pop())

    def _do_store_global(self, argument: int) -> None:
        self._store(self.globals, self._name(argument), self._pop())

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
        kind = self.decoder.ident(in_class[1]) if in_class else "member_descriptor"
        own_way = special_method(self.decoder, info, "__setattr__")
        if own_way is not None or kind not in (*PLAIN_DATA, "member_descriptor"):
            raise Undecodable("a class that stores attributes in a way of its own")
        self._store(of.address, name, item)

    def _do_copy(self, argument: int) -> None:
        if not 0 < argument <= len(self.stack):
            raise Undecodable("an empty stack")
        self.stack.append(self.stack[-argument])

    def _do_dup_top_two(self, _argument: int) -> None:
        self.stack += self.stack[-2:]

    def _do_rot_two(self, _argument: int) -> None:
        self._do_swap(2)

    def _do_rot_three(self, _argument: int) -> None:
        top, second, third = self._pop(), self._pop(), self._pop()
        self.stack += [top, third, second]
