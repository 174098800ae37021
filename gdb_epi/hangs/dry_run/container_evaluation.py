# SPDX-License-Identifier: Apache-2.0
"""What containers hold while Python code is followed that makes and changes them: dry_run.py.

What the code makes lies at addresses below 0 that no process has. The contents of what it changes
are kept in a `Memory`: the items of lists, sets and deques, the pairs of dicts, the one item of an
iterator or cell. Generators rest between their values as a `ResumptionPoint`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.repr_from_bytecode import FunctionEvaluation
from gdb_epi.cpython.values.str_formatting import Plain
from gdb_epi.cpython.values.value_stack import (
    MAX_TEXT,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ComputedNumber,
    Item,
    LibraryValue,
    NoneResult,
    NumberWithinBounds,
    PartlyKnownText,
    ProcessObject,
    RandomlyDrawnValue,
    RangeValue,
    ResumptionPoint,
    Slice,
)
from gdb_epi.hangs.dry_run.equality import (
    compares_as_tuple,
    equals_only_itself,
    is_plain_tuple_class,
)
from gdb_epi.hangs.dry_run.loop_states import (
    Bounds,
    DryRunMemory,
    KeyEqualToItselfAlone,
    LoopHead,
    read_library_value,
)
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeVar

    _Run = TypeVar("_Run", bound="ContainerEvaluation")

MAX_CODE = 1 << 16  # bytes of one function's instructions
MAX_DEPTH = 12  # of calls in one another
MAX_ITEMS = 2_000  # of one container
MAX_DRAWS = 1 << 12  # values that a draw may have
_MAX_NESTING = 8  # of containers in one another that are compared
FREE = 16  # items that a step may look at; more of them cost further steps
DEQUE = "collections.deque"
COUNTER = "collections.Counter"
DICTS = ("dict", "collections.defaultdict", "collections.OrderedDict", COUNTER)
SETS = ("set", "frozenset")
MEMORYVIEW = "memoryview"
BYTES = ("bytes", "bytearray", MEMORYVIEW)
MAX_BYTES = 1 << 20  # of a bytes object that is read
ARRAYS = ("list", "tuple", DEQUE, *BYTES)
PATTERN, MATCH = "re.Pattern", "re.Match"
CLASS = "__class__"  # under which the class of a new instance is stored
DECIMAL = "decimal.Decimal"
LIBRARY_VALUES = (
    "datetime.date", "datetime.datetime", "datetime.timedelta", "datetime.time", DECIMAL,
)  # fmt: skip
NUMBERS = ("int", "float", "bool")
ERRORS = (ArithmeticError, TypeError, ValueError, IndexError)


def find_bytes_of_object(decoder: ReprDecoder, address: int, kind: str) -> tuple[int, int]:
    """Return where the bytes of an object of the process lie, and how many. Raises Undecodable.

    A memoryview of one dimension has, after a head of three words, two words, flags and a count,
    then a Py_buffer: buf, obj, len, itemsize, and the ints readonly and ndim (memoryobject.h and
    cpython/object.h, 3.8 to 3.14). Only one that nobody can write through is followed.
    """
    reader = decoder.reader
    if kind == MEMORYVIEW:
        start, _, size, width = (reader.u64(address + 56 + 8 * number) for number in range(4))
        if width != 1 or not reader.u32(address + 88) or reader.u32(address + 92) != 1:
            raise Undecodable("a memoryview of another kind")
        return start, size
    size = decoder.signed_field(address, "PyVarObject", "ob_size")
    if kind == "bytes":
        return address + decoder.layout.require("PyBytesObject", "ob_sval"), size
    return decoder.field(address, "PyByteArrayObject", "ob_start"), size


def slice_unknown_text(of: PartlyKnownText, index: Slice) -> Item:
    """Return a part of a text of which only the beginning is known. Raises Undecodable."""
    start, size = index.start or 0, len(of.begins)
    if index.step not in (None, 1) or start < 0 or (index.stop or 0) < 0 or start > size:
        raise Undecodable("a part of a text that is not known")
    if index.stop is not None and index.stop <= size:
        return BuiltStr(of.begins[start : index.stop])
    return PartlyKnownText(begins=of.begins[start:])


class GeneratorYielded(Exception):
    """A generator gives a value and rests."""

    def __init__(self, value: Item) -> None:
        super().__init__("a value")
        self.value = value


class ContainerEvaluation(FunctionEvaluation):
    """A frame or call that is followed: its state, and the objects as it left them.

    `names` is the dict of a module's or class's names; `repeats_until` the byte up to which code
    may have run already.
    """

    first_cell = 0  # up to 3.10 cells are counted apart from variables
    names = 0
    generators: Callable[[int], ResumptionPoint | None] | None = None  # those of the process

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

    def refuse_possibly_done_instruction(self) -> None:
        """Raise Undecodable where the instruction may have been done already."""
        if self.repeats_until >= self.following:
            raise Undecodable("a change that may have been made already")

    def call_item(
        self, called: Item, arguments: Sequence[Item], keywords: Mapping[str, Item] | None = None
    ) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, EndlessLoop."""
        self.keywords = tuple(keywords or ())
        return self.call_value(called, [*arguments, *(keywords or {}).values()])

    def plain_value_of(self, item: Item) -> Plain:
        """Return an int, bool, float or str. Raises Undecodable for all others."""
        kept = self.memory.plain
        if not isinstance(item, ProcessObject):
            return super().plain_value_of(item)
        if item.address not in kept:
            kept[item.address] = super().plain_value_of(item)
        return kept[item.address]

    def number_bounds(self, item: object) -> Bounds | None:
        """Return the least and the greatest that a number may be; None for what is no number."""
        if isinstance(item, NumberWithinBounds):
            return item
        if isinstance(item, (LibraryValue, ProcessObject)) and self.type_name(item) == DECIMAL:
            decimal: Any = self.to_python(item)
            if not decimal.is_finite():
                raise Undecodable("no number")
            return decimal, decimal
        if not isinstance(item, ComputedNumber) and (
            not isinstance(item, ProcessObject) or self.type_name(item) not in ("int", "float")
        ):
            return None
        value = self.plain_value_of(item)
        return None if isinstance(value, str) or value != value else (value, value)  # NaN

    def type_name(self, item: Item) -> str:
        """Return the name of an item's built-in type; "" for another, or one derived from it."""
        if isinstance(item, ProcessObject):
            if item.address < 0:
                return self.memory.kinds[item.address]
            obj = self.decoder.obj(item.address)
            name = obj.type.full_name
            if f"{obj.type.module}.{name}" == COUNTER:
                return COUNTER
            if obj.lineage.ident == "tuple" and is_plain_tuple_class(self.decoder, obj.type):
                return "tuple"
            return name if obj.is_exact or name == DEQUE or name in DICTS else ""
        if isinstance(item, ComputedNumber):
            return "float" if item.is_float else type(item.value).__name__
        if isinstance(item, LibraryValue):
            return item.kind
        names = ((BuiltStr, "str"), (BuiltTuple, "tuple"), (RangeValue, "range"))
        return next((name for kind, name in names if isinstance(item, kind)), "")

    def refuse_possibly_done_change_of(self, item: ProcessObject) -> None:
        """Raise Undecodable where a change of an object of the process may be done already."""
        if item.address >= 0:
            self.refuse_possibly_done_instruction()

    # -- what this Python computes ---------------------------------------------------------------

    def to_python(self, item: Item, depth: int = 0) -> object:
        """Return a value that this Python compares and adds as the process does its own."""
        if isinstance(item, NoneResult):
            return None
        if isinstance(item, NumberWithinBounds) or depth > _MAX_NESTING:
            raise Undecodable("what depends on a number that is not known")
        if isinstance(item, LibraryValue):
            return item.value
        kind = self.type_name(item)
        if kind in BYTES and isinstance(item, ProcessObject):
            return self._bytes_of(item, kind)
        if kind in LIBRARY_VALUES and isinstance(item, ProcessObject):
            value = read_library_value(self.decoder.repr_of(item.address), kind)
            if value is not None:
                return value
        if kind in ("str", *NUMBERS):
            value = self.plain_value_of(item)
            if value != value:  # NaN
                raise Undecodable("no number")
            return value
        if kind in ("tuple", "list"):
            values = [self.to_python(each, depth + 1) for each in self.members(item)]
            return tuple(values) if kind == "tuple" else values
        if kind in SETS:
            return frozenset(self.to_python(each, depth + 1) for each in self.members(item))
        if kind in DICTS:
            return {self.to_python(key, depth + 1): self.to_python(value, depth + 1)
                    for key, value in self.pairs_of_dict(item)}  # fmt: skip
        if isinstance(item, ProcessObject):
            if item.address >= 0 and self.decoder.is_none(item.address):
                return None
            if item.address >= 0 and compares_as_tuple(self.decoder, item.address):
                items = ContainerReader(self.decoder.reader).tuple_items(item.address)
                return tuple(self.to_python(ProcessObject(each), depth + 1) for each in items)
            if item.address < 0 or equals_only_itself(self.decoder, item.address):
                return KeyEqualToItselfAlone(item.address)
        raise Undecodable("a value of another kind")

    def as_python_value_or_nan(self, item: Item) -> object:
        """Return a value that is compared or computed with by itself: it may be NaN.

        Within a container NaN is found by its identity, which is not known here.
        """
        is_float = self.type_name(item) == "float"
        return (
            math.nan
            if is_float and self.plain_value_of(item) != self.plain_value_of(item)
            else self.to_python(item)
        )

    def apply_to_drawn_values(self, function: Callable[..., object], *items: Item) -> Item:
        """Return what a function gives of values, for all that may have been drawn."""
        pools = [
            each.of if isinstance(each, RandomlyDrawnValue) else (self.to_python(each),)
            for each in items
        ]
        number = math.prod(map(len, pools))
        if number > MAX_DRAWS:
            raise Undecodable("too many draws")
        self.budget[0] -= number // FREE
        try:
            given = {function(*values) for values in product(*pools)}
        except ERRORS:
            raise Undecodable("an error of some draws") from None
        if len(given) == 1:
            return self.item_of_python_value(given.pop())
        kept = tuple(each for each in given if isinstance(each, (str, float, int)))
        if len(kept) < len(given):
            raise Undecodable("draws of other things")
        return RandomlyDrawnValue(tuple(sorted(kept, key=repr)))

    def are_equal(self, left: Item, right: Item) -> bool:
        """Return what == gives. Raises Undecodable."""
        return bool(self.to_python(left) == self.to_python(right))

    def item_of_python_value(self, value: object) -> Item:
        """Return a value of this Python that nobody changes, as an item. Raises Undecodable."""
        if isinstance(value, str) and len(value) <= MAX_TEXT:
            return BuiltStr(value)
        if isinstance(value, (int, float)):
            # One NaN for all of them: a state that has it is the same state again.
            return ComputedNumber(value if value == value else math.nan, isinstance(value, float))
        if isinstance(value, tuple):
            return BuiltTuple(tuple(map(self.item_of_python_value, value)))
        if isinstance(value, bytes):
            return LibraryValue("bytes", value)
        if value is None:
            return NoneResult()
        kind = f"{type(value).__module__}.{type(value).__name__}"
        if kind in LIBRARY_VALUES:
            return LibraryValue(kind, value)
        raise Undecodable("a value of another kind")

    def apply_host_function(self, function: Callable[..., object], *values: object) -> Item:
        """Return what a function gives of values: it does the same in all releases."""
        try:
            return self.item_of_python_value(function(*values))
        except ERRORS as error:
            raise CertainException(type(error)) from None

    # -- contents --------------------------------------------------------------------------------

    def members(self, of: Item) -> Sequence[Item]:
        """Return the items of a container, the keys of a dict. Raises Undecodable."""
        if isinstance(of, ProcessObject) and self.type_name(of) in DICTS:
            return tuple(key for key, _ in self.pairs_of_dict(of))
        return self.container_contents(of)

    def pairs_of_dict(self, of: Item) -> list[tuple[Item, Item]]:
        """Return the keys and values of a dict. Raises Undecodable."""
        pairs = (pair.items for pair in self.container_contents(of) if isinstance(pair, BuiltTuple))
        return [(key, value) for key, value in pairs]

    def container_contents(self, of: Item) -> tuple[Item, ...]:
        """Return the items of a container, the pairs of a dict. Raises Undecodable."""
        if isinstance(of, RangeValue):
            return tuple(map(ComputedNumber, range(of.start, of.stop, of.step)[:MAX_ITEMS]))
        if isinstance(of, (BuiltTuple, BuiltStr)):
            return of.items if isinstance(of, BuiltTuple) else tuple(map(BuiltStr, of.text))
        if isinstance(of, LibraryValue) and isinstance(of.value, bytes):
            return tuple(map(ComputedNumber, of.value))
        if not isinstance(of, ProcessObject) or of.address in self.memory.blurred:
            raise Undecodable("what is not known any more")
        at, contents = of.address, self.memory.contents
        if at in contents:
            items = contents[at]
        else:
            self.memory.read.add(at)
            if at not in self.memory.cached:
                self.memory.cached[at] = tuple(self._read_container(of, self.decoder.obj(at)))
            items = self.memory.cached[at]
        self.budget[0] -= len(items) // FREE
        return items

    def _read_container(self, of: ProcessObject, obj: Obj) -> Iterable[Item]:
        containers, kind = ContainerReader(self.decoder.reader), self.type_name(of)
        if self.length(of) > MAX_ITEMS:
            raise Undecodable("too many items")
        if kind in DICTS:
            pairs = self.decoder.objects.dict_items(obj.address)
            return [BuiltTuple(tuple(map(ProcessObject, pair))) for pair in pairs]
        if kind == "str":
            return map(BuiltStr, self.uncut_text(of))
        if kind in BYTES:
            return map(ComputedNumber, self._bytes_of(of, kind))
        read: dict[str, Callable[[int], Iterable[int]]] = {
            "list": containers.list_items, "tuple": containers.tuple_items,
            "set": containers.set_items, "frozenset": containers.set_items,
            DEQUE: containers.deque_items,
        }  # fmt: skip
        if kind not in read:
            raise Undecodable("the items of an object")
        return map(ProcessObject, read[kind](obj.address))

    def _bytes_of(self, of: ProcessObject, kind: str) -> bytes:
        at = of.address
        if at in self.memory.contents or at in self.memory.blurred:
            return bytes(self.to_python(each) for each in self.members(of))  # type: ignore[misc]
        start, size = find_bytes_of_object(self.decoder, at, kind)
        self.memory.read.add(at)
        if size > MAX_BYTES:
            raise Undecodable("too many items")
        self.budget[0] -= size >> 10
        return self.decoder.reader.read(start, size)

    def length(self, item: Item) -> int:
        """Return len() of an item as it is now. Raises Undecodable."""
        at = item.address if isinstance(item, ProcessObject) else 0
        if isinstance(item, RangeValue):
            return len(range(item.start, item.stop, item.step))
        if isinstance(item, LibraryValue) and isinstance(item.value, bytes):
            return len(item.value)
        if at in self.memory.contents or at in self.memory.blurred:
            if self.type_name(item) in (*ARRAYS, *SETS, *DICTS):
                return len(self.container_contents(item))
            raise Undecodable("the length of an object")
        if at:
            self.memory.read.add(at)
            kind = self.type_name(item)
            if kind in BYTES:
                return find_bytes_of_object(self.decoder, at, kind)[1]
            if kind == DEQUE:
                return self.decoder.signed_field(at, "dequeobject", "ob_size")
            if kind == "tuple":
                return self.decoder.signed_field(at, "PyVarObject", "ob_size")
            if kind in DICTS:
                return self.decoder.signed_field(at, "PyDictObject", "ma_used")
        return super().length(item)

    def truth(self, item: Item) -> bool:
        """Return bool() of an item. Raises Undecodable."""
        if isinstance(item, RandomlyDrawnValue):
            if len(truths := set(map(bool, item.of))) > 1:
                raise Undecodable("what depends on a draw")
            return truths.pop()
        if self.type_name(item) in LIBRARY_VALUES:
            return bool(self.to_python(item))
        if isinstance(item, NumberWithinBounds) and (item.low > 0 or item.high < 0):
            return True
        if isinstance(item, PartlyKnownText) and item.begins:
            return True
        is_object = isinstance(item, (ProcessObject, LibraryValue))
        if is_object and self.type_name(item) in (*ARRAYS, *SETS, *DICTS):
            return self.length(item) > 0
        if isinstance(item, ProcessObject) and self.type_name(item) in (PATTERN, MATCH):
            return True
        if isinstance(item, ProcessObject) and item.address < 0:
            raise Undecodable("whether something is true")
        return super().truth(item)

    def is_none(self, item: Item) -> bool:
        """Tell whether an item is None."""
        if isinstance(item, ProcessObject):
            return item.address >= 0 and self.decoder.is_none(item.address)
        return isinstance(item, NoneResult)

    def dict_values_by_python_key(self, of: ProcessObject) -> dict[object, Item]:
        """Return the values of a dict by their keys, as this Python compares them."""
        contents = self.container_contents(of)
        kept = self.memory.indexes.get(of.address)
        if kept is None or kept[0] is not contents:
            self.budget[0] -= len(contents)
            kept = contents, {self.to_python(key): value for key, value in self.pairs_of_dict(of)}
            self.memory.indexes[of.address] = kept
        return kept[1]

    def subscript(self, of: Item, index: Item) -> Item:
        """Return `of[index]` as it is now. Raises Undecodable, Raised."""
        kind = self.type_name(of)
        if isinstance(index, RandomlyDrawnValue) and kind in (*ARRAYS, "str"):
            return self.apply_to_drawn_values(operator.getitem, of, index)
        if isinstance(of, ProcessObject) and kind in DICTS:
            value = self.dict_values_by_python_key(of).get(self.to_python(index))
            if value is None and kind == "collections.defaultdict":
                raise Undecodable("what a dict makes where it has none")
            if value is None and kind == COUNTER:
                return ComputedNumber(0)
            if value is None:
                raise CertainException(KeyError)
            return value
        if kind not in ARRAYS and not isinstance(of, PartlyKnownText):
            return super().subscript(of, index)
        if isinstance(index, ProcessObject) and self.decoder.ident(index.address) == "slice":
            obj = self.decoder.obj(index.address)
            words = (ProcessObject(self.decoder.word(obj, number)) for number in range(3))
            index = Slice(*map(self.slice_bound, words))
        if kind in BYTES and not isinstance(index, Slice):
            return self.apply_host_function(
                operator.getitem, self.to_python(of), self.to_python(index)
            )
        if isinstance(index, Slice):
            if isinstance(of, PartlyKnownText):
                return slice_unknown_text(of, index)
            if kind in BYTES:
                part = self.to_python(of)[index.start : index.stop : index.step]  # type: ignore[index]
                if kind != "bytearray":
                    return LibraryValue(kind, part)
                return self.memory.make_object(kind, map(ComputedNumber, part))
            items = self.members(of)[index.start : index.stop : index.step or 1]
            return (
                BuiltTuple(tuple(items))
                if kind == "tuple"
                else self.memory.make_object(kind, items)
            )
        at = of.address if isinstance(of, ProcessObject) else 0
        if at > 0 and at not in self.memory.contents and at not in self.memory.blurred:
            self.memory.read.add(at)
            if kind != DEQUE and self.decoder.obj(at).is_exact:
                return super().subscript(of, index)
        items, place = self.members(of), self.slice_bound(index) or 0
        if not -len(items) <= place < len(items):
            raise CertainException(IndexError)
        return items[place]

    def is_item_of(self, of: Item, sought: Item) -> bool:
        """Return what `sought in of` gives. Raises Undecodable."""
        kind = self.type_name(of)
        if isinstance(sought, RandomlyDrawnValue) and kind in (*ARRAYS, *SETS, *DICTS):
            values = frozenset(self.to_python(each) for each in self.members(of))
            return self.truth(self.apply_to_drawn_values(values.__contains__, sought))
        if isinstance(sought, NumberWithinBounds) and kind in (*ARRAYS, *SETS, *DICTS):
            numbers = (self.to_python(each) for each in self.members(of))
            if any(isinstance(n, (int, float)) and sought.low <= n <= sought.high for n in numbers):
                raise Undecodable("what depends on a number that is not known")
            return False
        if kind == "str" and isinstance(of, (BuiltStr, ProcessObject)):
            return self.text_of(sought) in self.uncut_text(of)
        if isinstance(of, ProcessObject) and kind in DICTS:
            return self.to_python(sought) in self.dict_values_by_python_key(of)
        if kind in BYTES:
            return self.truth(
                self.apply_host_function(
                    operator.contains, self.to_python(of), self.to_python(sought)
                )
            )
        if isinstance(of, RangeValue):
            return self.to_python(sought) in range(of.start, of.stop, of.step)
        if kind not in (*ARRAYS, *SETS):
            raise Undecodable("the items of an object")
        return self.to_python(sought) in [self.to_python(each) for each in self.members(of)]

    def replace_items(self, of: ProcessObject, items: Iterable[Item]) -> None:
        """Make these the items of a container. Raises Undecodable."""
        self.refuse_possibly_done_change_of(of)
        contents = tuple(items)
        if len(contents) <= MAX_ITEMS:
            memory, at = self.memory, of.address
            before = memory.contents.get(at, memory.cached.get(at))
            if before is not None and at >= 0:
                memory.note_length_change(at, len(before), len(contents))
            memory.contents[at] = contents
            return
        self.memory.contents.pop(of.address, None)
        self.memory.blurred |= {of.address}
