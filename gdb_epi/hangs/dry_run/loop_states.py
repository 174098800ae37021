# SPDX-License-Identifier: Apache-2.0
"""What a dry run (dry_run.py) changed, and whether its code is where it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.values.str_formatting import Plain
from gdb_epi.cpython.values.value_stack import (
    BuiltinMethod,
    BuiltTuple,
    FunctionMadeByCode,
    Item,
    IteratorPosition,
    Method,
    NoneResult,
    NumberWithinBounds,
    ProcessObject,
    ResumptionPoint,
)
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Key = TypeVar("_Key")
    _BoundsOf = Callable[[object], "Bounds | None"]  # None for what is no number

Bounds = tuple[float, float]  # of a number, inclusive
INFINITE = float("inf")
# Items that hold others.
_HOLDERS = (BuiltTuple, IteratorPosition, BuiltinMethod, FunctionMadeByCode, ResumptionPoint)


class KeyEqualToItselfAlone:
    """An object that is equal to itself alone."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyEqualToItselfAlone) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)


class DryRunMemory:
    """What a run changed, and what it read that others could change."""

    def __init__(self) -> None:
        self.stored: dict[tuple[int, str], Item] = {}  # attributes, and names of modules
        self.contents: dict[int, tuple[Item, ...]] = {}  # of containers
        self.kinds: dict[int, str] = {}  # of what was made
        self.blurred: frozenset[int] = frozenset()  # those whose contents are not known any more
        self.read: set[int] = set()  # objects
        self.cells: set[tuple[int, int]] = set()  # code and number of variables in cells of there
        self.returned: Item = NoneResult()  # by the generator that ended last
        self.cached: dict[int, tuple[Item, ...]] = {}
        self.plain: dict[int, Plain] = {}
        self.indexes: dict[int, tuple[tuple[Item, ...], dict[object, Item]]] = {}
        self.exceptions: dict[int, type[Exception]] = {}  # what stands here for classes of there
        self.living_threads: frozenset[int] = frozenset()  # get_ident() of each
        self.released: frozenset[int] = frozenset()  # locks that were held and given back
        self.writes = False  # output was made
        self.taken: frozenset[int] = frozenset()  # containers that an item was taken from
        self.lacking: frozenset[int] = frozenset()  # those of them that lacked it at an error
        self.put_back = 0  # how often such a one had its item again
        self.pauses = False  # it slept, or waited with a timeout
        self.multiplies = self.needs_finite = False  # floats that may have any size

    def changed_objects(self) -> frozenset[int]:
        """Return the containers of the process that it changed, and the events that it set."""
        flags = (at for at, name in self.stored if name == "_flag")  # Lib/threading.py
        return frozenset(at for at in (*self.contents, *flags) if at > 0)

    def has_changed_nothing(self) -> bool:
        """Tell whether it stored nothing in what the process has, and gave no lock back."""
        stored = any(at > 0 for at, _ in self.stored) or any(at > 0 for at in self.contents)
        return not (stored or self.released)

    def are_float_arguments_finite(self) -> bool:
        """Tell whether nothing that takes finite floats alone was given one that may overflow.

        One that only sums change stops growing long before that: a float has 53 bits.
        """
        return not (self.multiplies and self.needs_finite)

    def note_length_change(self, container: int, before: int, now: int) -> None:
        """Keep what was taken from a container, and whether it came back after an error."""
        if now < before:
            self.taken |= {container}
        elif now > before:
            self.put_back += container in self.lacking
            self.taken -= {container}
            self.lacking -= {container}

    def copy_memory(self) -> DryRunMemory:
        """Return a memory that changes by itself."""
        made = copy(self)
        made.stored, made.contents = dict(self.stored), dict(self.contents)
        made.kinds = dict(self.kinds)
        return made

    def make_object(self, kind: str, items: Iterable[Item] = ()) -> ProcessObject:
        """Return a new object."""
        address = -len(self.kinds) - 1
        self.kinds[address], self.contents[address] = kind, tuple(items)
        return ProcessObject(address)

    def suspended_generators(self, stack: Iterable[Item]) -> Iterator[ResumptionPoint]:
        """Yield where generators on a stack rest, and those that they take values of."""
        for item in stack:
            at = item.address if isinstance(item, ProcessObject) else 0
            for rest in self.contents.get(at, ()):
                if isinstance(rest, ResumptionPoint):
                    yield rest
                    yield from self.suspended_generators(rest.stack)


class EndlessLoop(Exception):
    """The code came back to a state that it was in: it goes round for ever.

    `first` and `last` are the bytes of `code` (PyCodeObject *) between which it does.
    """

    def __init__(
        self,
        code: int,
        first: int,
        last: int,
        turns: int,
        generators: Iterable[ResumptionPoint] = (),
    ) -> None:
        super().__init__(f"{turns} turns")
        self.code, self.first, self.last, self.turns = code, first, last, turns
        self.generators = tuple(generators)  # whose values the loop takes
        self.read: frozenset[int] = frozenset()  # objects that others could change
        self.changed: frozenset[int] = frozenset()  # containers and events
        self.writes = False  # it makes output
        self.only_looks = False  # it changes nothing that the process has
        self.fails = False  # each turn takes something, meets the same error, and puts it back


class DryRunState(NamedTuple):
    """What code goes on with; what it made is numbered in the order in which it is met."""

    variables: dict[int, Item]
    stored: dict[tuple[int, str], Item]
    stack: tuple[Item, ...]
    contents: dict[int, tuple[Item, ...]]
    kinds: dict[int, str]
    blurred: frozenset[int]


class StatesDiffer(Exception):
    """Two states differ by more than numbers."""


class StateRenumbering:
    """A state as it is reached from a frame: two are alike whatever order made them."""

    def __init__(self, memory: DryRunMemory) -> None:
        self._memory, self._names = memory, dict[int, int]()
        self._met: list[int] = []
        self._attributes: dict[int, list[tuple[str, Item]]] = {}
        for (address, name), item in memory.stored.items():
            if address < 0:
                self._attributes.setdefault(address, []).append((name, item))

    def state(self, variables: Mapping[int, Item], stack: Iterable[Item]) -> DryRunState:
        """Return the state of a frame."""
        memory = self._memory
        renamed = {number: self._renumber_item(variables[number]) for number in sorted(variables)}
        on_stack = tuple(map(self._renumber_item, stack))
        stored = {
            key: self._renumber_item(item) for key, item in memory.stored.items() if key[0] >= 0
        }
        contents = {at: tuple(map(self._renumber_item, items))
                    for at, items in memory.contents.items() if at >= 0}  # fmt: skip
        for address in self._met:  # grows meanwhile
            name = self._names[address]
            if address in memory.contents:
                contents[name] = tuple(map(self._renumber_item, memory.contents[address]))
            for attribute, item in sorted(self._attributes.get(address, ()), key=lambda x: x[0]):
                stored[name, attribute] = self._renumber_item(item)
        kinds = {name: memory.kinds[address] for address, name in self._names.items()}
        blurred = (at if at >= 0 else self._names.get(at, 0) for at in memory.blurred)
        return DryRunState(renamed, stored, on_stack, contents, kinds, frozenset(blurred) - {0})

    def _renumber_item(self, item: Item) -> Item:
        if isinstance(item, ProcessObject):
            return (
                item if item.address >= 0 else ProcessObject(self._number_of_object(item.address))
            )
        if isinstance(item, Method):
            return item._replace(self=ProcessObject(self._renumber_part(item.self).address))
        renamed: Item = self._renumber_part(item)
        return renamed

    def _renumber_part(self, part: Any) -> Any:
        if isinstance(part, (ProcessObject, Method)):
            return self._renumber_item(part)
        if isinstance(part, _HOLDERS):
            return type(part)._make(map(self._renumber_part, part))
        return tuple(map(self._renumber_part, part)) if type(part) is tuple else part

    def _number_of_object(self, address: int) -> int:
        if address not in self._names:
            self._names[address] = -len(self._names) - 1
            self._met.append(address)
        return self._names[address]


def are_float_bounds(bounds: Bounds) -> bool:
    """Tell whether numbers within bounds are floats: a finite bound is one of them."""
    return any(isinstance(end, float) and abs(end) != INFINITE for end in bounds)


def are_decimal_bounds(bounds: Bounds) -> bool:
    """Tell whether numbers within bounds are decimal.Decimal: so are both bounds then."""
    return not all(isinstance(end, (int, float)) for end in bounds)


class LoopHead:
    """A place that is jumped back to: the state that was kept there, and what ran since then."""

    def __init__(
        self, state: DryRunState, most: int, first: int, last: int, memory: DryRunMemory
    ) -> None:
        self.state, self.most, self.turns = state, most, 0
        self.first, self.last = first, last
        self._put_back = memory.put_back

    def has_put_item_back_after_error(self, memory: DryRunMemory) -> bool:
        """Tell whether an item was taken since then, an error handled, and the item put back.

        Who pauses tries again later, and who writes tells somebody: both may be meant.
        """
        return memory.put_back > self._put_back and not (memory.pauses or memory.writes)


def widen_differing_numbers(
    before: Mapping[_Key, Item], now: Mapping[_Key, Item], bounds: _BoundsOf
) -> dict[_Key, Item]:
    """Return what is now, the numbers that differ not known. Raises StatesDiffer."""
    if before.keys() != now.keys():
        raise StatesDiffer
    return {key: widen_differing_number(before[key], item, bounds) for key, item in now.items()}


def widen_differing_number(before: Any, now: Any, bounds: _BoundsOf) -> Any:
    """Return what is now; a number that differs may be any in the direction in which it went."""
    if before == now:
        return now
    first, last = bounds(before), bounds(now)
    if first is not None and last is not None:
        if are_decimal_bounds(first) != are_decimal_bounds(last):
            raise StatesDiffer
        infinite: Any = INFINITE
        if are_decimal_bounds(first):
            infinite = type(first[0])("Infinity")
            if first == last and NumberWithinBounds not in (type(before), type(now)):
                return now
        if isinstance(before, NumberWithinBounds):
            low = first[0] if first[0] <= last[0] else -infinite
            return NumberWithinBounds(low, first[1] if last[1] <= first[1] else infinite)
        start, end = first[0], last[0]
        if isinstance(now, NumberWithinBounds):
            return NumberWithinBounds(min(start, end), infinite if last[1] > start else start)
        return NumberWithinBounds(*((end, infinite) if end >= start else (-infinite, end)))
    if type(before) is not type(now) or not isinstance(now, tuple) or len(before) != len(now):
        raise StatesDiffer
    if type(now) is not tuple and not isinstance(now, _HOLDERS):
        raise StatesDiffer
    parts = (widen_differing_number(*pair, bounds) for pair in zip(before, now, strict=True))
    return type(now)._make(parts) if isinstance(now, _HOLDERS) else tuple(parts)


def does_state_match(claimed: Any, now: Any, bounds: _BoundsOf) -> bool:
    """Tell whether a state is as claimed; a number that is not known may be any in its bounds."""
    if isinstance(claimed, NumberWithinBounds):
        within = bounds(now)
        if (
            within is None
            or (are_float_bounds(claimed) and not are_float_bounds(within))
            or are_decimal_bounds(claimed) != are_decimal_bounds(within)
        ):
            return False
        return claimed.low <= within[0] and within[1] <= claimed.high
    if isinstance(claimed, dict):
        return claimed.keys() == now.keys() and all(
            does_state_match(item, now[key], bounds) for key, item in claimed.items()
        )
    if not isinstance(claimed, tuple):
        return claimed is now or bool(claimed == now)  # there is one NaN
    alike = type(claimed) is type(now) and len(claimed) == len(now)
    return alike and all(does_state_match(*pair, bounds) for pair in zip(claimed, now, strict=True))


def read_range_iterator(reader: MemoryReader, iterator: int) -> tuple[int, int, int, int]:
    """Return the index, start, step and length of a range's iterator (long each).

    From 3.12 on there is no index: start moves on, and the length is what is left (gh-103024), so
    that the index is 0 here. Raises UnreadableMemory, LayoutError.
    """
    struct, layout = "rangeiterobject", reader.layout
    at_index = layout.offset(struct, "index")
    start, step, length = (
        reader.signed_field(iterator, struct, name) for name in ("start", "step", "len")
    )
    return 0 if at_index is None else reader.i64(iterator + at_index), start, step, length


def read_library_value(text: str, kind: str) -> object:
    """Return a date, a time or a decimal whose repr() is a text, as this Python has it.

    None where it has a time zone.
    """
    import re

    arguments, named = list[object](), dict[str, int]()
    for part in filter(None, text.rstrip(")").partition("(")[2].split(", ")):
        number = re.fullmatch(r"(?:(\w+)=)?(-?\d+)", part)
        if number is None and not kind.endswith("Decimal"):
            return None
        if number is None:
            arguments.append(part.strip("'"))
        elif number[1]:
            named[number[1]] = int(number[2])
        else:
            arguments.append(int(number[2]))
    return python_class_by_name(kind)(*arguments, **named)


def python_class_by_name(kind: str) -> Any:
    """Return a class of this Python by its module and name."""
    module, _, name = kind.rpartition(".")
    return getattr(__import__(module), name)
