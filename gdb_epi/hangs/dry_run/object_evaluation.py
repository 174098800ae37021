# SPDX-License-Identifier: Apache-2.0
"""Python code that is followed on objects that it makes and changes: dry_run.py.

What the code makes lies at addresses below 0 that no process has. The contents of what it changes
are kept in a `Memory`: the items of lists, sets and deques, the pairs of dicts, the one item of an
iterator or cell. Generators rest between their values as a `Rest`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.formatting import Plain
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import Evaluation
from gdb_epi.cpython.values.value_stack_items import (
    BuiltStr,
    BuiltTuple,
    ComputedNumber,
    Drawn,
    Item,
    Iteration,
    LibraryValue,
    NoneResult,
    Numbers,
    ProcessObject,
    Rest,
    Slice,
    UnknownNumber,
)
from gdb_epi.cpython.values.value_stack_operations import (
    MAX_TEXT,
    PLAIN_DATA,
    Raised,
    special_method,
)
from gdb_epi.hangs.dry_run.equality import compares_as_tuple, equals_itself_alone
from gdb_epi.hangs.dry_run.loop_states import (
    Bounds,
    DryRunMemory,
    EndlessLoop,
    IdentityKey,
    LoopHead,
    StateRenumbering,
    read_library_value,
    read_range_iterator,
)
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    _Run = TypeVar("_Run", bound="ObjectEvaluation")

MAX_CODE = 1 << 16  # bytes of one function's instructions
MAX_DEPTH = 12  # of calls in one another
MAX_ITEMS = 2_000  # of one container
MAX_DRAWS = 1 << 12  # values that a draw may have
_MAX_NESTING = 8  # of containers in one another that are compared
_FREE = 16  # items that a step may look at; more of them cost further steps
DEQUE = "collections.deque"
COUNTER = "collections.Counter"
DICTS = ("dict", "collections.defaultdict", "collections.OrderedDict", COUNTER)
SETS = ("set", "frozenset")
BYTES = ("bytes", "bytearray")
_ARRAYS = ("list", "tuple", DEQUE, *BYTES)
PATTERN, MATCH = "re.Pattern", "re.Match"
CLASS = "__class__"  # under which the class of a new instance is stored
_ITERATORS = ("iterator", "generator")
_OF_PROCESS = ("list_iterator", "tuple_iterator", "range_iterator", "itertools.cycle")
LIBRARY_VALUES = (
    "datetime.date", "datetime.datetime", "datetime.timedelta", "datetime.time", "decimal.Decimal",
)  # fmt: skip
_ENUM_TYPES = ("EnumMeta", "EnumType")
NUMBERS = ("int", "float", "bool")
ERRORS = (ArithmeticError, TypeError, ValueError, IndexError)


class YieldedValue(Exception):
    """A generator gives a value and rests."""

    def __init__(self, value: Item) -> None:
        super().__init__("a value")
        self.value = value


class ObjectEvaluation(Evaluation):
    """A frame or call that is followed: its state, and the objects as it left them.

    `names` is the dict of a module's or class's names; `repeats_until` the byte up to which code
    may have run already.
    """

    base = 0  # so much of the stack is not to be taken from it
    first_cell = 0  # up to 3.10 cells are counted apart from variables
    names = 0
    keywords: tuple[str, ...] = ()  # of the call that follows (3.11 and 3.12)
    generators: Callable[[int], Rest | None] | None = None  # those of the process

    def __init__(self, decoder: ReprDecoder, budget: list[int], depth: int = 0) -> None:
        super().__init__(decoder, budget, depth)
        self.memory = DryRunMemory()
        self.repeats_until = -1
        self.raised_at: set[int] = set()  # bytes of instructions
        self.for_loops: Sequence[range] | None = None  # of a frame of the process
        self._heads: dict[int, LoopHead] = {}
        self._iterated: dict[int, LoopHead] = {}  # what a built-in function takes items from
        self._claims: dict[int, int] = {}  # how many were made, by the place that is jumped to
        self._claim: LoopHead | None = None  # its state is to come again after `most` turns

    def run_of_callee(self: _Run) -> _Run:
        """Return the run of a function that is called."""
        made = type(self)(self.decoder, self.budget, self.depth + 1)
        made.memory, made.generators = self.memory, self.generators
        made.repeats_until = MAX_CODE if self.repeats_until >= self.following else -1
        return made

    def refuse_repetition(self) -> None:
        """Raise Undecodable where the instruction may have been done already."""
        if self.repeats_until >= self.following:
            raise Undecodable("a change that may have been made already")

    def _pop(self) -> Item:
        if len(self.stack) <= self.base:
            raise Undecodable("an empty stack")
        return super()._pop()

    def call_item(
        self, called: Item, arguments: Sequence[Item], keywords: Mapping[str, Item] | None = None
    ) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, EndlessLoop."""
        self.keywords = tuple(keywords or ())
        self._call(called, [*arguments, *(keywords or {}).values()])
        return self.stack.pop()

    def plain(self, item: Item) -> Plain:
        """Return an int, bool, float or str. Raises Undecodable for all others."""
        kept = self.memory.plain
        if not isinstance(item, ProcessObject):
            return super().plain(item)
        if item.address not in kept:
            kept[item.address] = super().plain(item)
        return kept[item.address]

    def number_bounds(self, item: object) -> Bounds | None:
        """Return the least and the greatest that a number may be; None for what is no number."""
        if isinstance(item, UnknownNumber):
            return item
        if not isinstance(item, ComputedNumber) and (
            not isinstance(item, ProcessObject) or self.kind(item) not in ("int", "float")
        ):
            return None
        value = self.plain(item)
        if isinstance(value, str) or value != value:  # NaN
            raise Undecodable("no number")
        return value, value

    def kind(self, item: Item) -> str:
        """Return the name of an item's built-in type; "" for another, or one derived from it."""
        if isinstance(item, ProcessObject):
            if item.address < 0:
                return self.memory.kinds[item.address]
            obj = self.decoder.obj(item.address)
            name = obj.type.full_name
            if f"{obj.type.module}.{name}" == COUNTER:
                return COUNTER
            return name if obj.is_exact or name == DEQUE or name in DICTS else ""
        if isinstance(item, ComputedNumber):
            return "float" if item.is_float else type(item.value).__name__
        if isinstance(item, LibraryValue):
            return item.kind
        names = ((BuiltStr, "str"), (BuiltTuple, "tuple"), (Numbers, "range"))
        return next((name for kind, name in names if isinstance(item, kind)), "")

    def refuse_change_of(self, item: ProcessObject) -> None:
        """Raise Undecodable where a change of an object of the process may be done already."""
        if item.address >= 0:
            self.refuse_repetition()

    # -- what this Python computes ---------------------------------------------------------------

    def host(self, item: Item, depth: int = 0) -> object:
        """Return a value that this Python compares and adds as the process does its own."""
        if isinstance(item, NoneResult):
            return None
        if isinstance(item, UnknownNumber) or depth > _MAX_NESTING:
            raise Undecodable("what depends on a number that is not known")
        if isinstance(item, LibraryValue):
            return item.value
        kind = self.kind(item)
        if kind in LIBRARY_VALUES and isinstance(item, ProcessObject):
            value = read_library_value(self.decoder.repr_of(item.address), kind)
            if value is not None:
                return value
        if kind in ("str", *NUMBERS):
            value = self.plain(item)
            if value != value:  # NaN
                raise Undecodable("no number")
            return value
        if kind in ("tuple", "list"):
            values = [self.host(each, depth + 1) for each in self.members(item)]
            return tuple(values) if kind == "tuple" else values
        if kind in BYTES:
            return bytes(self.host(each, depth + 1) for each in self.members(item))  # type: ignore[misc]
        if kind in SETS:
            return frozenset(self.host(each, depth + 1) for each in self.members(item))
        if kind in DICTS:
            return {self.host(key, depth + 1): self.host(value, depth + 1)
                    for key, value in self.pairs(item)}  # fmt: skip
        if isinstance(item, ProcessObject):
            if item.address >= 0 and self.decoder.is_none(item.address):
                return None
            if item.address >= 0 and compares_as_tuple(self.decoder, item.address):
                items = ContainerReader(self.decoder.reader).tuple_items(item.address)
                return tuple(self.host(ProcessObject(each), depth + 1) for each in items)
            if item.address < 0 or equals_itself_alone(self.decoder, item.address):
                return IdentityKey(item.address)
        raise Undecodable("a value of another kind")

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
        if isinstance(value, bytes):
            return self.memory.make("bytes", map(ComputedNumber, value))
        if value is None:
            return NoneResult()
        kind = f"{type(value).__module__}.{type(value).__name__}"
        if kind in LIBRARY_VALUES:
            return LibraryValue(kind, value)
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
        return self.contents_of(of)

    def pairs(self, of: Item) -> list[tuple[Item, Item]]:
        """Return the keys and values of a dict. Raises Undecodable."""
        pairs = (pair.items for pair in self.contents_of(of) if isinstance(pair, BuiltTuple))
        return [(key, value) for key, value in pairs]

    def contents_of(self, of: Item) -> tuple[Item, ...]:
        """Return the items of a container, the pairs of a dict. Raises Undecodable."""
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
        if kind in BYTES:
            at, layout = obj.address, self.decoder.layout
            begin = at + layout.require("PyBytesObject", "ob_sval") if kind == "bytes" else (
                self.decoder.field(at, "PyByteArrayObject", "ob_start")
            )  # fmt: skip
            return map(ComputedNumber, self.decoder.reader.read(begin, self.length(of)))
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
                return len(self.contents_of(item))
            raise Undecodable("the length of an object")
        if at:
            self.memory.read.add(at)
            kind = self.kind(item)
            if kind in BYTES:
                return self.decoder.signed(at, "PyVarObject", "ob_size")
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
        if self.kind(item) in LIBRARY_VALUES:
            return bool(self.host(item))
        if isinstance(item, UnknownNumber) and (item.low > 0 or item.high < 0):
            return True
        if isinstance(item, ProcessObject) and self.kind(item) in (*_ARRAYS, *SETS, *DICTS):
            return self.length(item) > 0
        if isinstance(item, ProcessObject) and self.kind(item) in (PATTERN, MATCH):
            return True
        if isinstance(item, ProcessObject) and item.address < 0:
            raise Undecodable("whether something is true")
        return super().truth(item)

    def is_none(self, item: Item) -> bool:
        """Tell whether an item is None."""
        if isinstance(item, ProcessObject):
            return item.address >= 0 and self.decoder.is_none(item.address)
        return isinstance(item, NoneResult)

    def dict_index(self, of: ProcessObject) -> dict[object, Item]:
        """Return the values of a dict by their keys, as this Python compares them."""
        contents = self.contents_of(of)
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
            value = self.dict_index(of).get(self.host(index))
            if value is None and kind == "collections.defaultdict":
                raise Undecodable("what a dict makes where it has none")
            if value is None and kind == COUNTER:
                return ComputedNumber(0)
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
            if kind not in (DEQUE, *BYTES):
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
        if isinstance(sought, UnknownNumber) and kind in (*_ARRAYS, *SETS, *DICTS):
            numbers = (self.host(each) for each in self.members(of))
            if any(isinstance(n, (int, float)) and sought.low <= n <= sought.high for n in numbers):
                raise Undecodable("what depends on a number that is not known")
            return False
        if kind == "str" and isinstance(of, (BuiltStr, ProcessObject)):
            return self.text_of(sought) in self.whole_text(of)
        if isinstance(of, ProcessObject) and kind in DICTS:
            return self.host(sought) in self.dict_index(of)
        if kind in BYTES:
            return self.host(sought) in self.host(of)  # type: ignore[operator]
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
        if not isinstance(of, ProcessObject) or kind not in (*DICTS, "list", "bytearray", DEQUE):
            raise Undecodable("an item that is stored")
        if kind in DICTS:
            pairs, key = self.pairs(of), self.host(index)
            self.budget[0] -= len(pairs) // _FREE
            at = list(self.dict_index(of)).index(key) if key in self.dict_index(of) else len(pairs)
            pairs[at : at + 1] = [(pairs[at][0] if at < len(pairs) else index, value)]
            self.change(of, map(BuiltTuple, pairs))
            return
        items = list(self.members(of))
        if isinstance(index, Slice) and kind == "list" and index.step is None:
            items[index.start : index.stop] = self.all_of(value)
            self.change(of, items)
            return
        place = None if isinstance(index, Slice) else self.bound(index)
        if place is None:
            raise Undecodable("an item that is stored")
        try:
            items[place] = value
        except IndexError:
            raise Raised(IndexError) from None
        self.change(of, items)

    def delete_item(self, of: Item, index: Item) -> None:
        """Do `del of[index]`. Raises Undecodable, Raised."""
        changeable = (*DICTS, "list", "bytearray", DEQUE)
        if not isinstance(of, ProcessObject) or self.kind(of) not in changeable:
            raise Undecodable("an item that is deleted")
        if self.kind(of) in DICTS:
            self.take(of, self.host(index))
            return
        items = list(self.members(of))
        place = slice(*index) if isinstance(index, Slice) else self.bound(index) or 0
        try:
            del items[place]
        except IndexError:
            raise Raised(IndexError) from None
        self.change(of, items)

    def take(self, of: ProcessObject, key: object) -> Item:
        """Take a key out of a dict, and return its value. Raises Raised."""
        value = self.dict_index(of).get(key)
        if value is None:
            raise Raised(KeyError)
        keys = list(self.dict_index(of))
        pairs = zip(keys, self.pairs(of), strict=True)
        self.change(of, [BuiltTuple(pair) for each, pair in pairs if each != key])
        return value

    # -- attributes -----------------------------------------------------------------------------

    def class_of(self, of: ProcessObject) -> TypeInfo:
        """Return the class of an object that was made, or of the process."""
        made = self.memory.stored.get((of.address, CLASS))
        if isinstance(made, ProcessObject):
            return self.decoder.types.at(made.address)
        return self.decoder.obj(of.address).type

    def of_instance(self, of: ProcessObject, name: str) -> Item:
        """Return what `of.name` is now. Raises Undecodable, Raised."""
        item = self.memory.stored.get((of.address, name))
        if of.address >= 0:
            self.memory.read.add(of.address)
            if item is None:
                item = self.named_tuple_item(of, name) or self._of_enum_member(of, name)
            return super().of_instance(of, name) if item is None else item
        in_class = self.decoder.types.lookup(self.class_of(of), name)
        kind = self.decoder.ident(in_class[1]) if in_class else ""
        if in_class and kind == "property":
            getter = self.decoder.reader.u64(
                self.decoder.member(self.decoder.obj(in_class[1]), "fget")
            )
            return self.call(getter, in_class[0], [of])
        if item is None and in_class and kind in PLAIN_DATA:
            item = ProcessObject(in_class[1])
        if item is None:
            raise Undecodable("an attribute of a new object")
        return item

    def _of_enum_member(self, of: ProcessObject, name: str) -> Item:
        """Return the name or value of a member of an Enum; None for anything else (3.8 to 3.15)."""
        if name not in ("name", "value") or self.decoder.obj(of.address).lineage.ident:
            return None
        kinds = self.decoder.types.mro(self.decoder.obj(of.address).type)
        own = self.own_attribute(of, f"_{name}_") if any(k.name == "Enum" for k in kinds) else 0
        return ProcessObject(own) if own else None

    def is_module_or_class(self, of: ProcessObject) -> bool:
        """Tell whether an object is a module or class of the process."""
        return of.address > 0 and self.decoder.ident(of.address) in ("module", "type")

    def of_module_or_class(self, of: ProcessObject, name: str) -> Item:
        """Return a name of a module, or a value or function that a class has."""
        if self.decoder.ident(of.address) == "module":
            at = self.decoder.objects.attribute(of.address, name)
            if isinstance(at, int):
                self.memory.read.add(of.address)
                return ProcessObject(at)
            raise Undecodable("an attribute of a module")
        info, meta = self.decoder.types.at(of.address), self.decoder.obj(of.address)
        in_class = self.decoder.types.lookup(info, name) if meta.is_exact else None
        if meta.type.name in _ENUM_TYPES:
            members = self.decoder.types.lookup(info, "_member_map_")
            member = self.decoder.objects.dict_get(members[1], name) if members else None
            if isinstance(member, int):
                return ProcessObject(member)
        kinds = (*PLAIN_DATA, "function")
        if in_class is None or self.decoder.ident(in_class[1]) not in kinds:
            raise Undecodable("an attribute of a class")
        return self.memory.stored.get((of.address, name)) or ProcessObject(in_class[1])

    # -- iterators ------------------------------------------------------------------------------

    def iterator(self, over: Item) -> Item:
        """Return what goes over a container. Raises Undecodable."""
        kind = self.kind(over)
        if kind in (*_ITERATORS, *_OF_PROCESS) or isinstance(over, Iteration):
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
        if isinstance(over, ProcessObject) and kind in ("", "instance"):
            own = special_method(self.decoder, self.class_of(over), "__iter__")
            if own is not None:
                return self.iterator(self.call(own[1], own[0], [over]))
        if isinstance(over, ProcessObject) and kind not in (*_ARRAYS, *SETS, *DICTS):
            raise Undecodable("an iterator of another kind")
        return Iteration(over, 0)

    def advance(self, iterator: Item) -> tuple[Item, Item] | None:
        """Return an iterator's next item, and the iterator after it; None at its end."""
        if isinstance(iterator, ProcessObject):
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
            generates = self.kind(iterator) == "generator"
            read = self.generators if generates else self.iteration
            kept: Item = read(iterator.address) if read is not None else None
            if read is None or (kept is None and not generates):
                raise Undecodable("an iterator of another kind")
            self.memory.contents[iterator.address] = (kept,) if kept is not None else ()
        (kept,) = self.memory.contents[iterator.address] or (None,)
        if isinstance(kept, Rest):
            item = self.resume(iterator, kept)
            return None if item is None else (item, iterator)
        following = self.advance(kept) if kept is not None else None
        self.memory.contents[iterator.address] = (following[1],) if following else ()
        return (following[0], iterator) if following else None

    def resume(self, generator: ProcessObject, rest: Rest) -> Item | None:
        """Return the next value of a generator, None at its end. Raises Undecodable, Raised."""
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run, contents = self.run_of_callee(), self.memory.contents
        run.code, run.globals, run.locals = rest.code, rest.globals, dict(rest.locals)
        run.stack = list(rest.stack)
        if self.decoder.layout.offset("PyCodeObject", "co_localsplusnames") is None:
            run.first_cell = len(run.names_in("co_varnames"))
        if rest.at and not rest.runs:
            run.stack.append(NoneResult())  # what was sent
        contents[generator.address] = ()
        try:
            self.memory.returned = run.go(rest.at, MAX_CODE)
        except YieldedValue as given:
            kept = Rest(rest.code, rest.globals, run.following,
                        tuple(sorted(run.locals.items())), tuple(run.stack))  # fmt: skip
            contents[generator.address] = (kept,)
            return given.value
        return None

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
            over = BuiltTuple(self.contents_of(of)) if "item" in kind else of
            place = self.length(of) - left
            return Iteration(over, place) if place >= 0 else None
        if kind == "range_iterator":
            index, start, step, count = read_range_iterator(reader, address)
            return Iteration(Numbers(start, start + count * step, step), index) if step else None
        return None

    def all_of(self, of: Item) -> list[Item]:
        """Return everything that a container, iterator or generator gives. Raises Undecodable."""
        items: list[Item] = []
        for item in self.each_of(of):
            items.append(item)
            if len(items) > MAX_ITEMS:
                raise Undecodable("too many items")
        return items

    def each_of(self, of: Item) -> Iterator[Item]:
        """Yield what an iterator gives. Raises Undecodable, Raised, EndlessLoop."""
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
        """Look whether an iterator is where it was before. Raises EndlessLoop."""
        state = StateRenumbering(self.memory).state({}, (iterator,))
        seen = self._iterated.setdefault(iterator.address, LoopHead(state, 1, 0, 0))
        seen.turns += 1
        if seen.turns > 2 and seen.state == state:
            raise EndlessLoop(self.code, 0, 0, seen.turns - 2)
        if seen.turns > seen.most + 1:
            self._iterated[iterator.address] = LoopHead(state, 2 * seen.most, 0, 0)
            self._iterated[iterator.address].turns = 1
