# SPDX-License-Identifier: Apache-2.0
"""Attributes and iterators of objects, and what is stored in them, as followed code leaves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import (
    PLAIN_DATA,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ComputedNumber,
    Item,
    IteratorPosition,
    LibraryValue,
    NoneResult,
    ProcessObject,
    RangeValue,
    ResumptionPoint,
    Slice,
    is_non_descriptor,
    special_method,
)
from gdb_epi.hangs.dry_run.container_evaluation import (
    ARRAYS,
    BYTES,
    CLASS,
    DEQUE,
    DICTS,
    FREE,
    MAX_CODE,
    MAX_DEPTH,
    MAX_ITEMS,
    SETS,
    ContainerEvaluation,
    GeneratorYielded,
)
from gdb_epi.hangs.dry_run.loop_states import (
    EndlessLoop,
    LoopHead,
    StateRenumbering,
    read_range_iterator,
)
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    _Run = TypeVar("_Run", bound="ObjectEvaluation")

_ITERATORS = ("iterator", "generator")
_OF_PROCESS = ("list_iterator", "tuple_iterator", "range_iterator", "itertools.cycle")
_ENUM_TYPES = ("EnumMeta", "EnumType")


class ObjectEvaluation(ContainerEvaluation):
    """A frame or call that is followed, with all that its objects do."""

    def store_item(self, of: Item, index: Item, value: Item) -> None:
        """Do `of[index] = value`. Raises Undecodable, Raised."""
        kind = self.type_name(of)
        if not isinstance(of, ProcessObject) or kind not in (*DICTS, "list", "bytearray", DEQUE):
            raise Undecodable("an item that is stored")
        if kind in DICTS:
            pairs, key = self.pairs_of_dict(of), self.to_python(index)
            self.budget[0] -= len(pairs) // FREE
            at = (
                list(self.dict_values_by_python_key(of)).index(key)
                if key in self.dict_values_by_python_key(of)
                else len(pairs)
            )
            pairs[at : at + 1] = [(pairs[at][0] if at < len(pairs) else index, value)]
            self.replace_items(of, map(BuiltTuple, pairs))
            return
        items = list(self.members(of))
        if isinstance(index, Slice) and kind == "list" and index.step is None:
            items[index.start : index.stop] = self.all_items(value)
            self.replace_items(of, items)
            return
        place = None if isinstance(index, Slice) else self.slice_bound(index)
        if place is None:
            raise Undecodable("an item that is stored")
        try:
            items[place] = value
        except IndexError:
            raise CertainException(IndexError) from None
        self.replace_items(of, items)

    def delete_item(self, of: Item, index: Item) -> None:
        """Do `del of[index]`. Raises Undecodable, Raised."""
        changeable = (*DICTS, "list", "bytearray", DEQUE)
        if not isinstance(of, ProcessObject) or self.type_name(of) not in changeable:
            raise Undecodable("an item that is deleted")
        if self.type_name(of) in DICTS:
            self.pop_dict_key(of, self.to_python(index))
            return
        items = list(self.members(of))
        place = slice(*index) if isinstance(index, Slice) else self.slice_bound(index) or 0
        try:
            del items[place]
        except IndexError:
            raise CertainException(IndexError) from None
        self.replace_items(of, items)

    def pop_dict_key(self, of: ProcessObject, key: object) -> Item:
        """Take a key out of a dict, and return its value. Raises Raised."""
        value = self.dict_values_by_python_key(of).get(key)
        if value is None:
            raise CertainException(KeyError)
        keys = list(self.dict_values_by_python_key(of))
        pairs = zip(keys, self.pairs_of_dict(of), strict=True)
        self.replace_items(of, [BuiltTuple(pair) for each, pair in pairs if each != key])
        return value

    # -- attributes -----------------------------------------------------------------------------

    def class_of(self, of: ProcessObject) -> TypeInfo:
        """Return the class of an object that was made, or of the process."""
        made = self.memory.stored.get((of.address, CLASS))
        if isinstance(made, ProcessObject):
            return self.decoder.types.type_at(made.address)
        return self.decoder.obj(of.address).type

    def instance_attribute(self, of: ProcessObject, name: str) -> Item:
        """Return what `of.name` is now. Raises Undecodable, Raised."""
        attribute = self.memory.stored.get((of.address, name))
        if of.address >= 0:
            self.memory.read.add(of.address)
            if attribute is None:
                attribute = self.named_tuple_item(of, name) or self._enum_member_attribute(of, name)
            return super().instance_attribute(of, name) if attribute is None else attribute
        in_class = self.decoder.types.lookup(self.class_of(of), name)
        kind = self.decoder.ident(in_class[1]) if in_class else ""
        if in_class and kind == "property":
            getter = self.decoder.reader.u64(
                self.decoder.member_address(self.decoder.obj(in_class[1]), "fget")
            )
            return self.call(getter, in_class[0], [of])
        if attribute is None and in_class and is_non_descriptor(self.decoder, in_class[1]):
            attribute = ProcessObject(in_class[1])
        if in_class and self.type_name(of) == "tuple" and kind.endswith("_tuplegetter"):
            head = self.decoder.layout.size("PyObject") or 16
            return self.members(of)[self.decoder.reader.i64(in_class[1] + head)]
        if attribute is None:
            raise Undecodable("an attribute of a new object")
        return attribute

    def _enum_member_attribute(self, of: ProcessObject, name: str) -> Item:
        """Return the name or value of a member of an Enum; None for anything else (3.8 to 3.15)."""
        if name not in ("name", "value") or self.decoder.obj(of.address).lineage.ident:
            return None
        kinds = self.decoder.types.mro(self.decoder.obj(of.address).type)
        own = self.own_attribute(of, f"_{name}_") if any(k.name == "Enum" for k in kinds) else 0
        return ProcessObject(own) if own else None

    def is_module_or_class(self, of: ProcessObject) -> bool:
        """Tell whether an object is a module or class of the process."""
        return of.address > 0 and self.decoder.ident(of.address) in ("module", "type")

    def module_or_class_attribute(self, of: ProcessObject, name: str) -> Item:
        """Return a name of a module, or a value or function that a class has."""
        if self.decoder.ident(of.address) == "module":
            at = self.decoder.objects.attribute(of.address, name)
            if isinstance(at, int):
                self.memory.read.add(of.address)
                return ProcessObject(at)
            raise Undecodable("an attribute of a module")
        info, meta = self.decoder.types.type_at(of.address), self.decoder.obj(of.address)
        in_class = self.decoder.types.lookup(info, name) if meta.is_exact else None
        if meta.type.name in _ENUM_TYPES:
            members = self.decoder.types.lookup(info, "_member_map_")
            member = self.decoder.objects.dict_get(members[1], name) if members else None
            if isinstance(member, int):
                return ProcessObject(member)
        kinds = (*PLAIN_DATA, "function")
        if in_class is None or self.decoder.ident(in_class[1]) not in kinds:
            raise Undecodable("an attribute of a class")
        if self.decoder.ident(in_class[1]) != "function":
            self.memory.read.add(of.address)
        return self.memory.stored.get((of.address, name)) or ProcessObject(in_class[1])

    # -- iterators ------------------------------------------------------------------------------

    def make_iterator(self, over: Item) -> Item:
        """Return what goes over a container. Raises Undecodable."""
        kind = self.type_name(over)
        if kind in (*_ITERATORS, *_OF_PROCESS) or isinstance(over, IteratorPosition):
            return over
        if (
            isinstance(over, ProcessObject)
            and kind in SETS
            and over.address in self.memory.contents
        ):
            raise Undecodable("the order of a set that was changed")
        if kind == "str" and isinstance(over, ProcessObject):
            over = BuiltStr(self.uncut_text(over))
        if isinstance(over, LibraryValue) and kind in BYTES:
            over = BuiltTuple(self.container_contents(over))
        if not isinstance(over, (BuiltStr, ProcessObject, BuiltTuple, RangeValue)):
            raise Undecodable("an iterator of another kind")
        if isinstance(over, ProcessObject) and kind in ("", "instance"):
            own = special_method(self.decoder, self.class_of(over), "__iter__")
            if own is not None:
                return self.make_iterator(self.call(own[1], own[0], [over]))
        if isinstance(over, ProcessObject) and kind not in (*ARRAYS, *SETS, *DICTS):
            raise Undecodable("an iterator of another kind")
        return IteratorPosition(over, 0)

    def next_item_and_iterator(self, iterator: Item) -> tuple[Item, Item] | None:
        """Return an iterator's next item, and the iterator after it; None at its end."""
        if isinstance(iterator, ProcessObject):
            return self._advance_iterator_object(iterator)
        if not isinstance(iterator, IteratorPosition):
            raise Undecodable("an iterator of another kind")
        if isinstance(iterator.over, RangeValue):  # it may be long
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

    def _advance_iterator_object(self, iterator: ProcessObject) -> tuple[Item, Item] | None:
        if iterator.address not in self.memory.contents:
            generates = self.type_name(iterator) == "generator"
            read = self.generators if generates else self.iterator_position
            kept: Item = read(iterator.address) if read is not None else None
            if read is None or (kept is None and not generates):
                raise Undecodable("an iterator of another kind")
            if not (isinstance(kept, ResumptionPoint) and kept.runs):  # then its value is to come
                self.refuse_possibly_done_change_of(iterator)
            self.memory.contents[iterator.address] = (kept,) if kept is not None else ()
        else:
            self.refuse_possibly_done_change_of(iterator)
        (kept,) = self.memory.contents[iterator.address] or (None,)
        if isinstance(kept, ResumptionPoint):
            item = self.next_value_of_generator(iterator, kept)
            return None if item is None else (item, iterator)
        following = self.next_item_and_iterator(kept) if kept is not None else None
        self.memory.contents[iterator.address] = (following[1],) if following else ()
        return (following[0], iterator) if following else None

    def next_value_of_generator(
        self, generator: ProcessObject, rest: ResumptionPoint
    ) -> Item | None:
        """Return the next value of a generator, None at its end. Raises Undecodable, Raised."""
        if self.depth >= MAX_DEPTH:
            raise Undecodable("calls in one another")
        run, contents = self.run_of_callee(), self.memory.contents
        run.code, run.globals, run.locals = rest.code, rest.globals, dict(rest.locals)
        run.stack = list(rest.stack)
        if self.decoder.layout.offset("PyCodeObject", "co_localsplusnames") is None:
            run.first_cell = len(run.code_names("co_varnames"))
        if rest.at and not rest.runs:
            run.stack.append(NoneResult())  # what was sent
        contents[generator.address] = ()
        try:
            self.memory.returned = run.run_from(rest.at, MAX_CODE)
        except GeneratorYielded as given:
            kept = ResumptionPoint(rest.code, rest.globals, run.following,
                        tuple(sorted(run.locals.items())), tuple(run.stack))  # fmt: skip
            contents[generator.address] = (kept,)
            return given.value
        return None

    def iterator_position(self, address: int) -> Item:
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
            return IteratorPosition(ProcessObject(second) if second else BuiltTuple(()), first)
        if kind == "itertools.cycle" and not first:
            return IteratorPosition(ProcessObject(second), third, round=True)
        if kind in ("dict_keyiterator", "dict_itemiterator", "dict_valueiterator", "set_iterator"):
            of = ProcessObject(first)
            if not first:  # it has ended
                return IteratorPosition(BuiltTuple(()), 0)
            left = reader.u64(address + (40 if kind == "set_iterator" else 48))
            over = BuiltTuple(self.container_contents(of)) if "item" in kind else of
            if "value" in kind:
                over = BuiltTuple(tuple(value for _, value in self.pairs_of_dict(of)))
            place = self.length(of) - left
            return IteratorPosition(over, place) if place >= 0 else None
        if kind in ("enumerate", "zip", "list_reverseiterator", "collections._deque_iterator",
                    "_collections._deque_iterator", "_deque_iterator"):  # fmt: skip
            return self._position_of_wrapping_iterator(address, kind)
        if kind == "range_iterator":
            index, start, step, count = read_range_iterator(reader, address)
            return (
                IteratorPosition(RangeValue(start, start + count * step, step), index)
                if step
                else None
            )
        return None

    def _position_of_wrapping_iterator(self, address: int, kind: str) -> Item:
        """Return how far an enumerate(), zip(), reversed list or iterator of a deque is.

        After the head come: how far it counted, and its iterator; how many iterators, and a tuple
        of them; the index of the next item and the list, NULL at the end; of a deque a block, an
        index, the deque, its state, and how many items are left (Objects/{enum,list}object.c,
        Python/bltinmodule.c, Modules/_collectionsmodule.c, 3.8 to 3.14).
        """
        reader = self.decoder.reader
        first, second = (reader.u64(address + 16 + 8 * n) for n in range(2))
        if kind == "enumerate":
            inner = self.iterator_position(second)
            if not isinstance(inner, IteratorPosition) or inner.round:
                return None
            begin = first - inner.place
            pairs = ((ComputedNumber(begin + n), each)
                     for n, each in enumerate(self.members(inner.over)))  # fmt: skip
            return IteratorPosition(BuiltTuple(tuple(map(BuiltTuple, pairs))), inner.place)
        if kind == "zip":
            inners = [self.iterator_position(at)
                      for at in ContainerReader(reader).tuple_items(second)]  # fmt: skip
            iterations = [
                inner for inner in inners if isinstance(inner, IteratorPosition) and not inner.round
            ]
            if not iterations or len(iterations) < len(inners):
                return None
            place = min(
                iteration.place for iteration in iterations
            )  # of each as many items were taken
            columns = (
                self.members(iteration.over)[iteration.place - place :] for iteration in iterations
            )
            rows = zip(*columns, strict=False)
            return IteratorPosition(BuiltTuple(tuple(map(BuiltTuple, rows))), place)
        if kind == "list_reverseiterator":
            items = tuple(self.members(ProcessObject(second)))[::-1] if second else ()
            return IteratorPosition(
                BuiltTuple(items), max(0, len(items) - 1 - reader.i64(address + 16))
            )
        of = ProcessObject(reader.u64(address + 32))
        return IteratorPosition(of, self.length(of) - reader.u64(address + 48))

    def all_items(self, of: Item) -> list[Item]:
        """Return everything that a container, iterator or generator gives. Raises Undecodable."""
        items: list[Item] = []
        for item in self.iterate_items(of):
            items.append(item)
            if len(items) > MAX_ITEMS:
                raise Undecodable("too many items")
        return items

    def iterate_items(self, of: Item) -> Iterator[Item]:
        """Yield what an iterator gives. Raises Undecodable, Raised, EndlessLoop."""
        iterator = self.make_iterator(of)
        while (following := self.next_item_and_iterator(iterator)) is not None:
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
        seen = self._iterated.setdefault(iterator.address, LoopHead(state, 1, 0, 0, self.memory))
        seen.turns += 1
        if seen.turns > 2 and seen.state == state:
            raise EndlessLoop(self.code, 0, 0, seen.turns - 2)
        if seen.turns > seen.most + 1:
            self._iterated[iterator.address] = LoopHead(state, 2 * seen.most, 0, 0, self.memory)
            self._iterated[iterator.address].turns = 1
