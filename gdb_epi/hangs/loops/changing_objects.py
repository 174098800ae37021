# SPDX-License-Identifier: Apache-2.0
"""Objects that Python code makes and changes while a dry run follows it: dry_run.py.

What the code makes lies at addresses below 0 that no process has. The contents of what it changes
are kept in a `Memory`: the items of lists, sets and deques, the pairs of dicts, the one item of an
iterator or cell. Generators rest between their values as a `Rest`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import product

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.values.formatting import Plain
from gdb_epi.cpython.values.repr_decoder import Obj, Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import Evaluation
from gdb_epi.cpython.values.value_stack_items import (
    BuiltStr,
    BuiltTuple,
    ComputedNumber,
    Drawn,
    Item,
    Iteration,
    NoneResult,
    Numbers,
    ProcessObject,
    Rest,
    Slice,
    UnknownNumber,
)
from gdb_epi.cpython.values.value_stack_operations import MAX_TEXT, Raised, special_method

MAX_CODE = 1 << 16  # bytes of one function's instructions
MAX_ITEMS = 2_000  # of one container
MAX_DRAWS = 1 << 12  # values that a draw may have
_MAX_DEPTH = 8  # of containers in one another that are compared
_FREE = 16  # items that a step may look at; more of them cost further steps
DEQUE = "collections.deque"
DICTS = ("dict", "collections.defaultdict", "collections.OrderedDict")
SETS = ("set", "frozenset")
_ARRAYS = ("list", "tuple", DEQUE)
_ITERATORS = ("iterator", "generator")
NUMBERS = ("int", "float", "bool")
ERRORS = (ArithmeticError, TypeError, ValueError, IndexError)


class Itself:
    """An object that is equal to itself alone."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)


class Memory:
    """What a run changed, and what it read that others could change."""

    def __init__(self) -> None:
        self.stored: dict[tuple[int, str], Item] = {}  # attributes, and names of modules
        self.contents: dict[int, tuple[Item, ...]] = {}  # of containers
        self.kinds: dict[int, str] = {}  # of what was made
        self.blurred: frozenset[int] = frozenset()  # those whose contents are not known any more
        self.read: set[int] = set()  # objects
        self.cached: dict[int, tuple[Item, ...]] = {}
        self.plain: dict[int, Plain] = {}
        self.indexes: dict[int, tuple[tuple[Item, ...], dict[object, Item]]] = {}

    def copied(self) -> Memory:
        """Return a memory that changes by itself."""
        made = copy(self)
        made.stored, made.contents = dict(self.stored), dict(self.contents)
        made.kinds = dict(self.kinds)
        return made

    def make(self, kind: str, items: Iterable[Item] = ()) -> ProcessObject:
        """Return a new object."""
        address = -len(self.kinds) - 1
        self.kinds[address], self.contents[address] = kind, tuple(items)
        return ProcessObject(address)


class ChangingObjects(Evaluation):
    """Code that goes on: what it does to containers."""

    memory: Memory
    base = 0  # so much of the stack is not to be taken from it

    def kind(self, item: Item) -> str:
        """Return the name of an item's built-in type; "" for another, or one derived from it."""
        if isinstance(item, ProcessObject):
            if item.address < 0:
                return self.memory.kinds[item.address]
            obj = self.decoder.obj(item.address)
            name = obj.type.full_name
            return name if obj.is_exact or name == DEQUE or name in DICTS else ""
        if isinstance(item, ComputedNumber):
            return "float" if item.is_float else type(item.value).__name__
        names = ((BuiltStr, "str"), (BuiltTuple, "tuple"), (Numbers, "range"))
        return next((name for kind, name in names if isinstance(item, kind)), "")

    def refuse_repetition(self) -> None:
        """Raise Undecodable where the instruction may have been done already."""
        raise NotImplementedError

    def refuse_change_of(self, item: ProcessObject) -> None:
        """Raise Undecodable where a change of an object of the process may be done already."""
        if item.address >= 0:
            self.refuse_repetition()

    # -- what this Python computes ---------------------------------------------------------------

    def host(self, item: Item, depth: int = 0) -> object:
        """Return a value that this Python compares and adds as the process does its own."""
        if isinstance(item, NoneResult):
            return None
        if isinstance(item, UnknownNumber) or depth > _MAX_DEPTH:
            raise Undecodable("what depends on a number that is not known")
        kind = self.kind(item)
        if kind in ("str", *NUMBERS):
            value = self.plain(item)
            if value != value:  # NaN
                raise Undecodable("no number")
            return value
        if kind in ("tuple", "list"):
            values = [self.host(each, depth + 1) for each in self.members(item)]
            return tuple(values) if kind == "tuple" else values
        if kind in SETS:
            return frozenset(self.host(each, depth + 1) for each in self.members(item))
        if kind in DICTS:
            return {self.host(key, depth + 1): self.host(value, depth + 1)
                    for key, value in self.pairs(item)}  # fmt: skip
        if isinstance(item, ProcessObject):
            if item.address >= 0 and self.decoder.is_none(item.address):
                return None
            if item.address < 0 or self._equals_itself_alone(item):
                return Itself(item.address)
        raise Undecodable("a value of another kind")

    def _equals_itself_alone(self, value: ProcessObject) -> bool:
        obj = self.decoder.obj(value.address)
        if obj.lineage.ident:
            return obj.lineage.ident == "type"
        return special_method(self.decoder, obj.type, "__eq__") is None

    def over_draws(self, function: Callable[..., object], *items: Item) -> Item:
        """Return what a function gives of values, for all that may have been drawn."""
        pools = [each.of if isinstance(each, Drawn) else (self.host(each),) for each in items]
        number = math.prod(map(len, pools))
        if number > MAX_DRAWS:
            raise Undecodable("too many draws")
        self.budget[0] -= number // _FREE
        try:
            given = {function(*values) for values in product(*pools)}
        except ERRORS:
            raise Undecodable("an error of some draws") from None
        if len(given) == 1:
            return self.of_value(given.pop())
        kept = tuple(each for each in given if isinstance(each, (str, float, int)))
        if len(kept) < len(given):
            raise Undecodable("draws of other things")
        return Drawn(tuple(sorted(kept, key=repr)))

    def equal(self, left: Item, right: Item) -> bool:
        """Return what == gives. Raises Undecodable."""
        return bool(self.host(left) == self.host(right))

    def of_value(self, value: object) -> Item:
        """Return a value of this Python that nobody changes, as an item. Raises Undecodable."""
        if isinstance(value, str) and len(value) <= MAX_TEXT:
            return BuiltStr(value)
        if isinstance(value, (int, float)):
            return ComputedNumber(value, isinstance(value, float))
        if isinstance(value, tuple):
            return BuiltTuple(tuple(map(self.of_value, value)))
        if value is None:
            return NoneResult()
        raise Undecodable("a value of another kind")

    def of_host(self, function: Callable[..., object], *values: object) -> Item:
        """Return what a function gives of values: it does the same in all releases."""
        try:
            return self.of_value(function(*values))
        except ERRORS as error:
            raise Raised(type(error)) from None

    # -- contents --------------------------------------------------------------------------------

    def members(self, of: Item) -> Sequence[Item]:
        """Return the items of a container, the keys of a dict. Raises Undecodable."""
        if isinstance(of, ProcessObject) and self.kind(of) in DICTS:
            return tuple(key for key, _ in self.pairs(of))
        return self._contents(of)

    def pairs(self, of: Item) -> list[tuple[Item, Item]]:
        """Return the keys and values of a dict. Raises Undecodable."""
        pairs = (pair.items for pair in self._contents(of) if isinstance(pair, BuiltTuple))
        return [(key, value) for key, value in pairs]

    def _contents(self, of: Item) -> tuple[Item, ...]:
        if isinstance(of, Numbers):
            return tuple(map(ComputedNumber, range(of.start, of.stop, of.step)[:MAX_ITEMS]))
        if isinstance(of, (BuiltTuple, BuiltStr)):
            return of.items if isinstance(of, BuiltTuple) else tuple(map(BuiltStr, of.text))
        if not isinstance(of, ProcessObject) or of.address in self.memory.blurred:
            raise Undecodable("what is not known any more")
        at, contents = of.address, self.memory.contents
        if at in contents:
            items = contents[at]
        else:
            self.memory.read.add(at)
            if at not in self.memory.cached:
                self.memory.cached[at] = tuple(self._read(of, self.decoder.obj(at)))
            items = self.memory.cached[at]
        self.budget[0] -= len(items) // _FREE
        return items

    def _read(self, of: ProcessObject, obj: Obj) -> Iterable[Item]:
        containers, kind = ContainerReader(self.decoder.reader), self.kind(of)
        if self.length(of) > MAX_ITEMS:
            raise Undecodable("too many items")
        if kind in DICTS:
            pairs = self.decoder.objects.dict_items(obj.address)
            return [BuiltTuple(tuple(map(ProcessObject, pair))) for pair in pairs]
        if kind == "str":
            return map(BuiltStr, self.whole_text(of))
        read: dict[str, Callable[[int], Iterable[int]]] = {
            "list": containers.list_items, "tuple": containers.tuple_items,
            "set": containers.set_items, "frozenset": containers.set_items,
            DEQUE: containers.deque_items,
        }  # fmt: skip
        if kind not in read:
            raise Undecodable("the items of an object")
        return map(ProcessObject, read[kind](obj.address))

    def length(self, item: Item) -> int:
        """Return len() of an item as it is now. Raises Undecodable."""
        at = item.address if isinstance(item, ProcessObject) else 0
        if isinstance(item, Numbers):
            return len(range(item.start, item.stop, item.step))
        if at in self.memory.contents or at in self.memory.blurred:
            if self.kind(item) in (*_ARRAYS, *SETS, *DICTS):
                return len(self._contents(item))
            raise Undecodable("the length of an object")
        if at:
            self.memory.read.add(at)
            kind = self.kind(item)
            if kind == DEQUE:
                return self.decoder.signed(at, "dequeobject", "ob_size")
            if kind in DICTS:
                return self.decoder.signed(at, "PyDictObject", "ma_used")
        return super().length(item)

    def truth(self, item: Item) -> bool:
        """Return bool() of an item. Raises Undecodable."""
        if isinstance(item, Drawn):
            if len(truths := set(map(bool, item.of))) > 1:
                raise Undecodable("what depends on a draw")
            return truths.pop()
        if isinstance(item, UnknownNumber) and (item.low > 0 or item.high < 0):
            return True
        if isinstance(item, ProcessObject) and self.kind(item) in (*_ARRAYS, *SETS, *DICTS):
            return self.length(item) > 0
        if isinstance(item, ProcessObject) and item.address < 0:
            raise Undecodable("whether something is true")
        return super().truth(item)

    def is_none(self, item: Item) -> bool:
        """Tell whether an item is None."""
        if isinstance(item, ProcessObject):
            return item.address >= 0 and self.decoder.is_none(item.address)
        return isinstance(item, NoneResult)

    def _index(self, of: ProcessObject) -> dict[object, Item]:
        contents = self._contents(of)
        kept = self.memory.indexes.get(of.address)
        if kept is None or kept[0] is not contents:
            self.budget[0] -= len(contents)
            kept = contents, {self.host(key): value for key, value in self.pairs(of)}
            self.memory.indexes[of.address] = kept
        return kept[1]

    def item_of(self, of: Item, index: Item) -> Item:
        """Return `of[index]` as it is now. Raises Undecodable, Raised."""
        kind = self.kind(of)
        if isinstance(index, Drawn) and kind in (*_ARRAYS, "str"):
            return self.over_draws(operator.getitem, of, index)
        if isinstance(of, ProcessObject) and kind in DICTS:
            value = self._index(of).get(self.host(index))
            if value is None and kind == "collections.defaultdict":
                raise Undecodable("what a dict makes where it has none")
            if value is None:
                raise Raised(KeyError)
            return value
        if kind not in _ARRAYS:
            return super().item_of(of, index)
        if isinstance(index, ProcessObject) and self.decoder.ident(index.address) == "slice":
            obj = self.decoder.obj(index.address)
            words = (ProcessObject(self.decoder.word(obj, number)) for number in range(3))
            index = Slice(*map(self.bound, words))
        if isinstance(index, Slice):
            items = self.members(of)[index.start : index.stop : index.step or 1]
            return BuiltTuple(tuple(items)) if kind == "tuple" else self.memory.make(kind, items)
        at = of.address if isinstance(of, ProcessObject) else 0
        if at > 0 and at not in self.memory.contents and at not in self.memory.blurred:
            self.memory.read.add(at)
            if kind != DEQUE:
                return super().item_of(of, index)
        items, place = self.members(of), self.bound(index) or 0
        if not -len(items) <= place < len(items):
            raise Raised(IndexError)
        return items[place]

    def inside(self, of: Item, sought: Item) -> bool:
        """Return what `sought in of` gives. Raises Undecodable."""
        kind = self.kind(of)
        if isinstance(sought, Drawn) and kind in (*_ARRAYS, *SETS, *DICTS):
            values = frozenset(self.host(each) for each in self.members(of))
            return self.truth(self.over_draws(values.__contains__, sought))
        if kind == "str" and isinstance(of, (BuiltStr, ProcessObject)):
            return self.text_of(sought) in self.whole_text(of)
        if isinstance(of, ProcessObject) and kind in DICTS:
            return self.host(sought) in self._index(of)
        if isinstance(of, Numbers):
            return self.host(sought) in range(of.start, of.stop, of.step)
        if kind not in (*_ARRAYS, *SETS):
            raise Undecodable("the items of an object")
        return self.host(sought) in [self.host(each) for each in self.members(of)]

    def change(self, of: ProcessObject, items: Iterable[Item]) -> None:
        """Make these the items of a container. Raises Undecodable."""
        self.refuse_change_of(of)
        contents = tuple(items)
        if len(contents) <= MAX_ITEMS:
            self.memory.contents[of.address] = contents
            return
        self.memory.contents.pop(of.address, None)
        self.memory.blurred |= {of.address}

    def store_item(self, of: Item, index: Item, value: Item) -> None:
        """Do `of[index] = value`. Raises Undecodable, Raised."""
        kind = self.kind(of)
        if not isinstance(of, ProcessObject) or kind not in (*DICTS, "list", DEQUE):
            raise Undecodable("an item that is stored")
        if kind in DICTS:
            pairs, key = self.pairs(of), self.host(index)
            self.budget[0] -= len(pairs) // _FREE
            at = list(self._index(of)).index(key) if key in self._index(of) else len(pairs)
            pairs[at : at + 1] = [(pairs[at][0] if at < len(pairs) else index, value)]
            self.change(of, map(BuiltTuple, pairs))
            return
        items, place = list(self.members(of)), self.bound(index)
        if place is None or isinstance(index, Slice):
            raise Undecodable("an item that is stored")
        try:
            items[place] = value
        except IndexError:
            raise Raised(IndexError) from None
        self.change(of, items)

    def _do_store_subscr(self, _argument: int) -> None:
        index, of, value = self._pop(), self._pop(), self._pop()
        self.store_item(of, index, value)

    def _do_delete_subscr(self, _argument: int) -> None:
        index, of = self._pop(), self._pop()
        if not isinstance(of, ProcessObject) or self.kind(of) not in (*DICTS, "list", DEQUE):
            raise Undecodable("an item that is deleted")
        if self.kind(of) in DICTS:
            self._take(of, self.host(index))
            return
        items = list(self.members(of))
        place = slice(*index) if isinstance(index, Slice) else self.bound(index) or 0
        try:
            del items[place]
        except IndexError:
            raise Raised(IndexError) from None
        self.change(of, items)

    def _take(self, of: ProcessObject, key: object) -> Item:
        """Take a key out of a dict, and return its value. Raises Raised."""
        value = self._index(of).get(key)
        if value is None:
            raise Raised(KeyError)
        keys = list(self._index(of))
        pairs = zip(keys, self.pairs(of), strict=True)
        self.change(of, [BuiltTuple(pair) for each, pair in pairs if each != key])
        return value

    # -- iterators ------------------------------------------------------------------------------

    def iterator(self, over: Item) -> Item:
        """Return what goes over a container. Raises Undecodable."""
        kind = self.kind(over)
        if kind in _ITERATORS or isinstance(over, Iteration):
            return over
        if (
            isinstance(over, ProcessObject)
            and kind in SETS
            and over.address in self.memory.contents
        ):
            raise Undecodable("the order of a set that was changed")
        if kind == "str" and isinstance(over, ProcessObject):
            over = BuiltStr(self.whole_text(over))
        if not isinstance(over, (BuiltStr, ProcessObject, BuiltTuple, Numbers)):
            raise Undecodable("an iterator of another kind")
        if isinstance(over, ProcessObject) and kind not in (*_ARRAYS, *SETS, *DICTS):
            raise Undecodable("an iterator of another kind")
        return Iteration(over, 0)

    def advance(self, iterator: Item) -> tuple[Item, Item] | None:
        """Return an iterator's next item, and the iterator after it; None at its end."""
        if isinstance(iterator, ProcessObject) and self.kind(iterator) in _ITERATORS:
            return self._advance_object(iterator)
        if not isinstance(iterator, Iteration):
            raise Undecodable("an iterator of another kind")
        if isinstance(iterator.over, Numbers):  # it may be long
            numbers = range(iterator.over.start, iterator.over.stop, iterator.over.step)
            items: Sequence[Item] = ()
            count = len(numbers)
        else:
            items = self.members(iterator.over)
            count = len(items)
        place = iterator.place % count if iterator.round and count else iterator.place
        if place >= count:
            return None
        item = items[place] if items else ComputedNumber(numbers[place])
        return item, iterator._replace(place=place + 1)

    def _advance_object(self, iterator: ProcessObject) -> tuple[Item, Item] | None:
        self.refuse_change_of(iterator)
        if iterator.address not in self.memory.contents:
            rest = self.generator_at_rest(iterator.address)
            self.memory.contents[iterator.address] = (rest,) if rest is not None else ()
        (kept,) = self.memory.contents[iterator.address] or (None,)
        if isinstance(kept, Rest):
            item = self.resume(iterator, kept)
            return None if item is None else (item, iterator)
        following = self.advance(kept) if kept is not None else None
        self.memory.contents[iterator.address] = (following[1],) if following else ()
        return (following[0], iterator) if following else None

    def resume(self, generator: ProcessObject, rest: Rest) -> Item | None:
        """Return the next value of a generator, None at its end. Raises Undecodable, Raised."""
        raise NotImplementedError

    def generator_at_rest(self, address: int) -> Rest | None:
        """Return where a generator of the process goes on, None at its end."""
        raise NotImplementedError

    def iteration(self, address: int) -> Item:
        """Return how far an iterator of the process is, None where that is not known.

        After the heads come: an index and the sequence; a dict or set, its size, a place, of dicts
        a tuple, and how many items are left; an index (up to 3.11), start, step and length; of an
        itertools.cycle() the iterator, NULL once it has ended, the list of what it gave, and an
        index (Objects/{iter,dict,set,range}object.c, Modules/itertoolsmodule.c, 3.8 to 3.14).
        """
        reader, kind = self.decoder.reader, self.decoder.obj(address).type.full_name
        first, second, third = (reader.u64(address + 16 + 8 * n) for n in range(3))
        if kind == "generator":
            return ProcessObject(address)
        if kind in ("list_iterator", "tuple_iterator", "str_iterator", "str_ascii_iterator"):
            return Iteration(ProcessObject(second), first) if second else None
        if kind == "itertools.cycle" and not first:
            return Iteration(ProcessObject(second), third, round=True)
        if kind in ("dict_keyiterator", "dict_itemiterator", "set_iterator") and first:
            of = ProcessObject(first)
            left = reader.u64(address + (40 if kind == "set_iterator" else 48))
            over = BuiltTuple(self._contents(of)) if "item" in kind else of
            place = self.length(of) - left
            return Iteration(over, place) if place >= 0 else None
        if kind == "range_iterator":
            old = self.decoder.layout.version < (3, 12)
            words = [reader.i64(address + 16 + 8 * n) for n in range(3 + old)]
            index, start, step, count = words if old else (0, *words)
            return Iteration(Numbers(start, start + count * step, step), index) if step else None
        return None

    def _do_get_iter(self, _argument: int) -> None:
        self.stack.append(self.iterator(self._pop()))

    def _do_for_iter(self, argument: int) -> None:
        following = self.advance(self.stack[-1] if self.stack else None)
        if following is not None:
            self.stack[-1:] = reversed(following)
            return
        self.following += self.dialect.jump_unit * argument
        self.stack.pop()
        self.base = min(self.base, len(self.stack))
        if self.dialect.end_for:  # it and what follows take two words
            self.stack += [None, None]

    def _do_end_for(self, _argument: int) -> None:
        for _ in range(self.dialect.end_for):
            self._pop()

    def all_of(self, of: Item) -> list[Item]:
        """Return everything that a container, iterator or generator gives. Raises Undecodable."""
        items: list[Item] = []
        for item in self.each_of(of):
            items.append(item)
            if len(items) > MAX_ITEMS:
                raise Undecodable("too many items")
        return items

    def each_of(self, of: Item) -> Iterator[Item]:
        """Yield what an iterator gives. Raises Undecodable, Raised, Endless."""
        iterator = self.iterator(of)
        while (following := self.advance(iterator)) is not None:
            item, iterator = following
            yield item
            self.budget[0] -= 1
            if self.budget[0] <= 0:
                raise Undecodable("too many steps")
            if isinstance(iterator, ProcessObject):
                self.look_for_repetition(iterator)

    def look_for_repetition(self, iterator: ProcessObject) -> None:
        """Look whether an iterator is where it was before. Raises Endless."""
        raise NotImplementedError
