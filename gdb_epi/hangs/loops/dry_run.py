# SPDX-License-Identifier: Apache-2.0
"""Python code goes on, on the objects as they lie in the core, until it is where it was before.

What the code does is followed as `__repr__` methods are (cpython/values/repr_from_bytecode.py).
Added here are loops, numbers, what is stored into variables, attributes, lists and deques, and
functions of the program. Anything else raises Undecodable. Nothing of the program runs; what it
would change is kept in a `Memory` of the run's own.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.formatting import Plain
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import COMPARISONS, Evaluation
from gdb_epi.cpython.values.value_stack_items import (
    DATA,
    BuiltinMethod,
    BuiltStr,
    BuiltTuple,
    ComputedNumber,
    Global,
    Item,
    Iteration,
    Method,
    NoneResult,
    Numbers,
    ProcessObject,
    UnknownNumber,
)
from gdb_epi.cpython.values.value_stack_operations import (
    MAX_TEXT,
    PLAIN_DATA,
    Raised,
    special_method,
)
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeVar

    _Key = TypeVar("_Key")

MAX_CODE = 1 << 16  # bytes of one function's instructions
MAX_ITEMS = 2_000  # of one container
MAX_BITS = 1 << 12  # of one number
MAX_CLAIMS = 16  # how often a run goes round with numbers that are not known
DEQUE = "collections.deque"
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
_OF_NUMBERS: Mapping[str, Callable[..., object]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
}
_COPIES = ("list", "tuple")
_ERRORS = (ArithmeticError, TypeError, ValueError, IndexError)
_METHODS = {
    "str": "find rfind index count startswith endswith strip lstrip rstrip lower upper replace "
    "isalnum isalpha isdigit isspace".split(),
    "list": ("append", "pop"), DEQUE: ("append", "appendleft", "pop", "popleft"), "dict": ("get",),
}  # fmt: skip


class Endless(Exception):
    """The code came back to a state that it was in: it goes round for ever.

    `first` and `last` are the bytes of `code` (PyCodeObject *) between which it does.
    """

    def __init__(self, code: int, first: int, last: int, turns: int) -> None:
        super().__init__(f"{turns} turns")
        self.code, self.first, self.last, self.turns = code, first, last, turns


class Memory:
    """What a run changed, and what it read that others could change."""

    def __init__(self) -> None:
        self.stored: dict[tuple[int, str], Item] = {}  # attributes, and names of modules
        self.contents: dict[int, tuple[Item, ...]] = {}  # of lists and deques
        self.blurred: frozenset[int] = frozenset()  # those whose contents are not known any more
        self.read: set[int] = set()  # objects
        self.cached: dict[int, tuple[Item, ...]] = {}
        self.plain: dict[int, Plain] = {}

    def copied(self) -> Memory:
        """Return a memory that changes by itself."""
        made = copy(self)
        made.stored, made.contents = dict(self.stored), dict(self.contents)
        return made


class _State(NamedTuple):
    variables: tuple[dict[int, Item], dict[tuple[int, str], Item]]  # of the frame, of objects
    stack: tuple[Item, ...]
    contents: dict[int, tuple[Item, ...]]
    blurred: frozenset[int]


class _Head:
    """A place that is jumped back to: the state that was kept there, and what ran since then."""

    def __init__(self, state: _State, most: int, first: int, last: int) -> None:
        self.state, self.most, self.turns = state, most, 0
        self.first, self.last = first, last


class DryRun(Evaluation):
    """One frame or call that goes on.

    `names` is the dict of a module's or class's names; `repeats_until` the byte up to which code
    may have run already.
    """

    def __init__(self, decoder: ReprDecoder, budget: list[int], depth: int = 0) -> None:
        super().__init__(decoder, budget, depth)
        self.memory = Memory()
        self.names = self.first_cell = 0
        self.repeats_until = -1
        self.is_whole = True  # else only the top of the stack is known: no exception is followed
        self.base = 0  # so much of the stack is not to be taken from it
        self._heads: dict[int, _Head] = {}
        self._claims: dict[int, int] = {}  # how many were made, by the place that is jumped to
        self._claim: _Head | None = None  # its state is to come again after `most` turns

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what a function of the program returns. Raises Undecodable, Raised, Endless."""
        made = DryRun(self.decoder, self.budget, self.depth + 1)
        made.begin(function, owner, arguments)
        made.memory = self.memory
        made.repeats_until = MAX_CODE if self.repeats_until >= self.following else -1
        return made.run()

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
        if not self.is_whole:
            raise Undecodable(f"it raises {raised}")
        return super()._handler(at, raised)

    # -- turns ----------------------------------------------------------------------------------

    def _state(self) -> _State:
        memory = self.memory
        variables = dict(self.locals), dict(memory.stored)
        return _State(variables, tuple(self.stack), dict(memory.contents), memory.blurred)

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

    def _goes_on_alike(self, target: int, seen: _Head, state: _State) -> bool:
        """Tell whether the same turns come again whatever the numbers are that differ.

        They are followed once more with all numbers from now on that lie in the same direction.
        What depends on which of them it is ends that; it holds for ever if it holds once and the
        numbers are among the same again then.
        """
        if (seen.state.stack, seen.state.blurred) != (state.stack, state.blurred):
            return False
        made = copy(self)
        made.memory = memory = self.memory.copied()
        made.locals, made.stack = dict(self.locals), list(self.stack)
        claims = self._claims.get(target, 0)
        if claims >= MAX_CLAIMS or not (
            self._forget_numbers(seen.state.variables[0], made.locals)
            and self._forget_numbers(seen.state.variables[1], memory.stored)
        ):
            return False
        self._claims[target] = claims + 1
        for at, items in state.contents.items():
            if seen.state.contents.get(at) != items:
                memory.blurred |= {at}
                del memory.contents[at]
        made._claim = _Head(made._state(), seen.turns - 1, seen.first, seen.last)
        made._heads = {target: made._claim}
        try:
            made.go(target, MAX_CODE)
        except Endless as endless:
            return endless.code == self.code
        except (Undecodable, Raised):
            pass
        return False

    def _forget_numbers(self, before: Mapping[_Key, Item], now: dict[_Key, Item]) -> bool:
        """Make the numbers unknown that differ; False when anything else does."""
        if before.keys() != now.keys():
            return False
        for key, item in before.items():
            if item != now[key]:
                if not self._is_number(item) or not self._is_number(now[key]):
                    return False
                start, end = self._bounds(item)[0], self._bounds(now[key])[0]
                now[key] = UnknownNumber(*((end, INFINITE) if end >= start else (-INFINITE, end)))
        return True

    def _bounds(self, item: Item) -> tuple[float, float]:
        if isinstance(item, UnknownNumber):
            return item
        value = self.plain(item)
        if isinstance(value, str) or value != value:  # NaN
            raise Undecodable("no number")
        return value, value

    def _is_alike(self, claimed: _State, state: _State) -> bool:
        """Tell whether a state is as claimed; a number that is not known may be any."""
        then, now = claimed.variables, state.variables
        return claimed._replace(variables=now) == state and (
            self._fits(then[0], now[0]) and self._fits(then[1], now[1])
        )

    def _fits(self, then: Mapping[_Key, Item], now: Mapping[_Key, Item]) -> bool:
        return then.keys() == now.keys() and all(
            self._is_within(item, bounds)
            if isinstance(bounds := then[key], UnknownNumber)
            else item == bounds
            for key, item in now.items()
        )

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
        values = self.plain(left), self.plain(right)
        texts = sum(isinstance(value, str) for value in values)
        if sign not in _OPERATORS or (texts and (texts, sign) != (2, "+")):
            raise Undecodable("an operator")
        if any(isinstance(value, int) and value.bit_length() > MAX_BITS for value in values):
            raise Undecodable("a large number")
        self.stack.append(self._of_host(_OPERATORS[sign], *values))

    def _of_host(self, function: Callable[..., object], *values: Plain) -> Item:
        """Return what a function gives of plain values: it does the same in all releases."""
        try:
            made = function(*values)
        except _ERRORS as error:
            raise Raised(type(error)) from None
        if isinstance(made, str) and len(made) <= MAX_TEXT:
            return BuiltStr(made)
        if isinstance(made, (int, float)):
            return ComputedNumber(made, isinstance(made, float))
        raise Undecodable("a value of another kind")

    def truth(self, item: Item) -> bool:
        """Return bool() of an item. Raises Undecodable."""
        if isinstance(item, UnknownNumber) and (item.low > 0 or item.high < 0):
            return True
        return super().truth(item)

    def _do_unary_negative(self, _argument: int) -> None:
        self.stack.append(self._of_host(operator.neg, self.plain(self._pop())))

    def _is_number(self, item: Item) -> bool:
        if isinstance(item, ProcessObject):
            return self.decoder.ident(item.address) in ("int", "float")
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
        elif how in _EQUALS:
            right, left = self._pop(), self._pop()
            self.stack.append(ComputedNumber(self._equal(left, right) == (how == _EQUALS[0])))
        else:
            super()._do_compare_op(argument)

    def _compare_bounds(self, how: int) -> None:
        """Compare two numbers by their bounds, where these do not overlap."""
        right, left = self._bounds(self._pop()), self._bounds(self._pop())
        if not (left[1] < right[0] or right[1] < left[0]):
            raise Undecodable("what depends on a number that is not known")
        self.stack.append(ComputedNumber(COMPARISONS[how](left[0], right[0])))

    def _equal(self, left: Item, right: Item) -> bool:
        """Return what == gives of plain values and of objects that have no `__eq__`."""
        values = [item for item in (left, right) if isinstance(item, ProcessObject)]
        objects = [value.address for value in values if self._equals_itself_alone(value)]
        if len(objects) == 2:
            return objects[0] == objects[1]
        return not objects and self.plain(left) == self.plain(right)

    def _equals_itself_alone(self, value: ProcessObject) -> bool:
        obj = self.decoder.obj(value.address)
        if obj.lineage.ident:
            return obj.lineage.ident == "NoneType"
        return special_method(self.decoder, obj.type, "__eq__") is None

    def _do_contains_op(self, argument: int) -> None:
        of, sought = self._pop(), self._pop()
        if isinstance(of, BuiltStr) or (isinstance(of, ProcessObject) and self.is_str(of.address)):
            inside = self.text_of(sought) in self.whole_text(of)
        else:
            inside = any(self._equal(sought, item) for item in self._members(of))
        self.stack.append(ComputedNumber(inside != bool(argument)))

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
        self._refuse_repetition()
        self.memory.stored[of, name] = item

    def _refuse_repetition(self) -> None:
        if self.repeats_until >= self.following:
            raise Undecodable("a change that may have been made already")

    def _do_store_name(self, argument: int) -> None:
        self._store(self.names, self._name(argument), self._pop())

    def _do_store_global(self, argument: int) -> None:
        self._store(self.globals, self._name(argument), self._pop())

    def _do_load_deref(self, argument: int) -> None:
        self._do_load_fast(self.first_cell + argument)

    def _do_store_deref(self, argument: int) -> None:
        self._do_store_fast(self.first_cell + argument)

    def _do_store_fast_store_fast(self, argument: int) -> None:
        self._do_store_fast(argument >> 4)
        self._do_store_fast(argument & 15)

    def _do_store_fast_load_fast(self, argument: int) -> None:
        self._do_store_fast(argument >> 4)
        self._do_load_fast(argument & 15)

    def of_instance(self, of: ProcessObject, name: str) -> Item:
        """Return what `of.name` is now. Raises Undecodable, Raised."""
        self.memory.read.add(of.address)
        item = self.memory.stored.get((of.address, name))
        return super().of_instance(of, name) if item is None else item

    def _do_store_attr(self, argument: int) -> None:
        of, item, name = self._pop(), self._pop(), self._name(argument)
        obj = self.decoder.obj(of.address) if isinstance(of, ProcessObject) else None
        if obj is None or obj.lineage.ident:
            raise Undecodable("an attribute that is stored")
        in_class = self.in_class(obj, name)
        kind = self.decoder.ident(in_class[1]) if in_class else "member_descriptor"
        own_way = special_method(self.decoder, obj.type, "__setattr__")
        if own_way is not None or kind not in (*PLAIN_DATA, "member_descriptor"):
            raise Undecodable("a class that stores attributes in a way of its own")
        self._store(obj.address, name, item)

    # -- containers -----------------------------------------------------------------------------

    def _members(self, of: Item) -> Sequence[Item]:
        """Return the items of a container, the keys of a dict. Raises Undecodable."""
        if isinstance(of, Numbers):
            return tuple(map(ComputedNumber, range(of.start, of.stop, of.step)[:MAX_ITEMS]))
        if isinstance(of, (BuiltTuple, BuiltStr)):
            return of.items if isinstance(of, BuiltTuple) else tuple(map(BuiltStr, of.text))
        if not isinstance(of, ProcessObject) or of.address in self.memory.blurred:
            raise Undecodable("what is not known any more")
        at, contents = of.address, self.memory.contents
        self.memory.read.add(at)
        if at not in contents and at not in self.memory.cached:
            self.memory.cached[at] = tuple(
                map(ProcessObject, self._addresses(self.decoder.obj(at)))
            )
        return contents[at] if at in contents else self.memory.cached[at]

    def _addresses(self, obj: Obj) -> Iterable[int]:
        containers, kind = ContainerReader(self.decoder.reader), obj.type.full_name
        if not obj.is_exact and kind != DEQUE:
            raise Undecodable("the items of an object")
        if self.length(ProcessObject(obj.address)) > MAX_ITEMS:
            raise Undecodable("too many items")
        if kind == "dict":
            return [key for key, _ in self.decoder.objects.dict_items(obj.address)]
        read: dict[str, Callable[[int], Iterable[int]]] = {
            "list": containers.list_items, "tuple": containers.tuple_items,
            "set": containers.set_items, "frozenset": containers.set_items,
            DEQUE: containers.deque_items,
        }  # fmt: skip
        if kind not in read:
            raise Undecodable("the items of an object")
        return read[kind](obj.address)

    def length(self, item: Item) -> int:
        """Return len() of an item as it is now. Raises Undecodable."""
        if isinstance(item, (Numbers, ProcessObject)):
            at = item.address if isinstance(item, ProcessObject) else 0
            if not at or at in self.memory.contents or at in self.memory.blurred:
                return len(self._members(item))
            self.memory.read.add(at)
            if self.decoder.obj(at).type.full_name == DEQUE:
                return self.decoder.signed(at, "dequeobject", "ob_size")
        return super().length(item)

    def item_of(self, of: Item, index: Item) -> Item:
        """Return `of[index]` as it is now. Raises Undecodable, Raised."""
        if isinstance(of, BuiltTuple):
            return self._item_at(of.items, index)
        at = of.address if isinstance(of, ProcessObject) else 0
        self.memory.read.add(at)
        if at and self.decoder.obj(at).type.full_name == "dict":
            for key, value in self.decoder.objects.dict_items(at):
                if self._equal(ProcessObject(key), index):
                    return ProcessObject(value)
            raise Raised(KeyError)
        if at not in self.memory.contents and at not in self.memory.blurred:
            return super().item_of(of, index)
        return self._item_at(self._members(of), index)

    def _item_at(self, items: Sequence[Item], index: Item) -> Item:
        place = self.bound(index) or 0
        if not -len(items) <= place < len(items):
            raise Raised(IndexError)
        return items[place]

    def _do_unpack_sequence(self, argument: int) -> None:
        items = self._members(self._pop())
        if len(items) != argument:
            raise Undecodable("a sequence of another length")
        self.stack += reversed(items)

    def _do_copy(self, argument: int) -> None:
        if not 0 < argument <= len(self.stack):
            raise Undecodable("an empty stack")
        self.stack.append(self.stack[-argument])

    def _do_rot_two(self, _argument: int) -> None:
        self._do_swap(2)

    def _do_rot_three(self, _argument: int) -> None:
        top, second, third = self._pop(), self._pop(), self._pop()
        self.stack += [top, third, second]

    def _do_get_iter(self, _argument: int) -> None:
        over = self._pop()
        if isinstance(over, ProcessObject) and self.is_str(over.address):
            over = BuiltStr(self.whole_text(over))
        if not isinstance(over, (BuiltStr, ProcessObject, BuiltTuple, Numbers)):
            raise Undecodable("an iterator of another kind")
        self.stack.append(Iteration(over, 0))

    def _do_for_iter(self, argument: int) -> None:
        iteration = self.stack[-1] if self.stack else None
        if not isinstance(iteration, Iteration):
            raise Undecodable("an iterator of another kind")
        items, place = self._members(iteration.over), iteration.place
        place = place % len(items) if iteration.round and items else place
        if place < len(items):
            self.stack[-1:] = [iteration._replace(place=place + 1), items[place]]
            return
        self.following += self.dialect.jump_unit * argument
        self.stack.pop()
        self.base = min(self.base, len(self.stack))
        if self.dialect.end_for:  # it and what follows take two words
            self.stack += [None, None]

    def _do_end_for(self, _argument: int) -> None:
        for _ in range(self.dialect.end_for):
            self._pop()

    # -- calls ----------------------------------------------------------------------------------

    def _method(self, name: str) -> None:
        of = self.stack[-1] if self.stack else None
        kind = (
            self.decoder.obj(of.address).type.full_name if isinstance(of, ProcessObject) else "str"
        )
        if isinstance(of, (BuiltStr, ProcessObject)) and name in _METHODS.get(kind, ()):
            self.stack[-1:] = [None, BuiltinMethod(of, name)]
        else:
            super()._method(name)

    def _call(self, called: Item, arguments: list[Item]) -> None:
        if isinstance(called, BuiltinMethod):
            self.stack.append(self._call_method(called.of, called.name, arguments))
        elif isinstance(called, ProcessObject) and self.decoder.ident(called.address) == "function":
            self.stack.append(self.call(called.address, None, arguments))
        elif isinstance(called, Method):
            self.stack.append(self.call(called.function, None, [called.self, *arguments]))
        else:
            super()._call(called, arguments)

    def _call_builtin(self, name: str, arguments: list[Item]) -> Item:
        if name in _OF_NUMBERS:
            return self._of_host(_OF_NUMBERS[name], *map(self.plain, arguments))
        if name in _COPIES and len(arguments) == 1:
            items = self._members(arguments[0])
            if not all(isinstance(item, DATA) for item in items):
                raise Undecodable("a copy of other things")
            return BuiltTuple(tuple(item for item in items if isinstance(item, DATA)))
        if name == "isinstance" and len(arguments) == 2:
            return ComputedNumber(self._is_instance(*arguments))
        if name != "range":
            return super()._call_builtin(name, arguments)
        bounds = [self.bound(argument) or 0 for argument in arguments]
        if not bounds or not all((*bounds, 1)[2:]):
            raise Undecodable("a range of another kind")
        numbers = range(*bounds)
        return Numbers(numbers.start, numbers.stop, numbers.step)

    def _is_instance(self, of: Item, kind: Item) -> bool:
        if not isinstance(of, ProcessObject) or not isinstance(kind, ProcessObject):
            raise Undecodable("a class of another kind")
        meta = self.decoder.obj(kind.address)
        if meta.lineage.ident != "type" or not meta.is_exact:
            raise Undecodable("a class that decides on its instances")
        mro = self.decoder.types.mro(self.decoder.obj(of.address).type)
        return any(info.address == kind.address for info in mro)

    def _call_method(self, of: BuiltStr | ProcessObject, name: str, arguments: list[Item]) -> Item:
        if isinstance(of, BuiltStr) or self.is_str(of.address):
            method = getattr(self.whole_text(of), name)
            return self._of_host(method, *map(self.plain, arguments))
        if name == "get" and arguments:
            try:
                return self.item_of(of, arguments[0])
            except Raised:
                return (*arguments, NoneResult())[1]
        self._refuse_repetition()
        memory, at = self.memory, of.address
        if name.startswith("append") and (at in memory.blurred or self.length(of) >= MAX_ITEMS):
            memory.contents.pop(at, None)
            memory.blurred |= {at}
            return NoneResult()
        items = deque(self._members(of))
        if name == "pop" and arguments and self.plain(arguments.pop()) == 0:
            name = "popleft"
        try:
            returned: Item = getattr(items, name)(*arguments)
        except _ERRORS as error:
            raise Raised(type(error)) from None
        memory.contents[at] = tuple(items)
        return NoneResult() if name.startswith("append") else returned
