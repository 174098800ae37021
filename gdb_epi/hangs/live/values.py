# SPDX-License-Identifier: Apache-2.0
"""What a variable or an item may be when code runs that has not run yet: values, and the heap's.

A value is a set of possibilities, or UNKNOWN. Most are objects that are there now; others are what
the code makes: instances, containers, functions. What the heap holds is what was there when the
process was stopped: whoever changes it later is looked at himself, for all that he hands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.locks.python.acquire_calls import AcquireCalls
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple

MAX_POSSIBLE = 24  # possibilities of one value
MAX_ITEMS = 200  # of one container
MAX_ITERATORS = 8  # over one another, as of enumerate(reversed())
MAX_STRUCT = 1024  # bytes of an object of C code
MAX_GIVEN = 400  # objects that are looked at for functions that a library was given
_WRAPPERS = ("staticmethod", "classmethod")


class KnownObject(NamedTuple):
    """An object of the process."""

    address: int


class AnyInstance(NamedTuple):
    """Any object of a class (PyTypeObject *), or one that the code makes."""

    type: int
    is_new: bool


class MadeAtPlace(NamedTuple):
    """A container, generator or iterator that code makes at a place."""

    context: int
    at: int
    kind: str


class PairsOfContainer(NamedTuple):
    """Pairs of what a container holds, as of `dict.items()`; or one such pair."""

    subject: Atom
    kind: str  # "pairs" or "pair"


class MadeByCode(NamedTuple):
    """A function that code makes, within the run of a context."""

    code: int
    scope: int
    context: int


class BoundMethod(NamedTuple):
    """A method of something: a function, and its first argument."""

    function: KnownObject | MadeByCode
    subject: KnownObject | AnyInstance
    name: str


class MethodInC(NamedTuple):
    """A method of C code, of something."""

    subject: KnownObject | AnyInstance | MadeAtPlace | PairsOfContainer | PlainData
    name: str
    is_of: str  # "builtin"


class UnknownAttribute(NamedTuple):
    """An attribute of an object that is not known."""

    name: str


class SuperProxy(NamedTuple):
    """super(): what the classes behind one have, of an object."""

    behind: int  # PyTypeObject *
    subject: Value
    is_super: str
    nothing: None = None


class ConstantText(NamedTuple):
    """A str that is a constant of code: plain data."""

    address: int
    is_text: str = ""


class PlainData(NamedTuple):
    """Plain data that calls nobody, or no argument at all."""

    kind: str
    nothing: None = None


Atom = (
    KnownObject
    | ConstantText
    | AnyInstance
    | MadeAtPlace
    | PairsOfContainer
    | MadeByCode
    | BoundMethod
    | MethodInC
    | UnknownAttribute
    | SuperProxy
    | PlainData
)
Value = frozenset[Atom] | None
UNKNOWN: Value = None
NOTHING: Value = frozenset()
DATA: Value = frozenset((PlainData("data"),))
NULL: Value = frozenset((PlainData("null"),))
IS_DATA = PlainData("data")


class Arguments(NamedTuple):
    """What a call gives: by place, None where that is not known, and by name."""

    by_place: Sequence[Value] | None = ()
    by_name: Mapping[str, Value] = {}

    def known_values(self) -> list[Value]:
        """Return those that are known."""
        return [*(self.by_place or ()), *self.by_name.values()]

    def placed_behind(self, values: Sequence[Value]) -> Arguments:
        """Return these behind others, as those of a method are behind its object."""
        known = self.by_place is not None
        return self._replace(by_place=[*values, *(self.by_place or ())]) if known else self


UNKNOWN_ARGUMENTS = Arguments(None)


def union_of_values(first: Value, second: Value) -> Value:
    """Return what is one or the other."""
    if first is None or second is None:
        return UNKNOWN
    both = first | second
    return both if len(both) <= MAX_POSSIBLE else UNKNOWN


def union_of_all_values(values: Iterable[Value]) -> Value:
    """Return what is one of some."""
    joined: Value = NOTHING
    for value in values:
        joined = union_of_values(joined, value)
    return joined


class HeapValues:
    """The objects of one process, as values."""

    def __init__(self, view: PythonView, calls: AcquireCalls) -> None:
        self.view, self.calls, self.reader = view, calls, view.reader
        self._containers = ContainerReader(view.reader)
        self._instances = shared_instances(view.target, view.python)
        self._plain = PlainValues(view.target, view.python)

    def value_of_object(self, address: int) -> Value:
        """Return an object as a value: plain data is all the same."""
        if not address or address & 7:
            return UNKNOWN
        kind = self.type_name(address)
        if not kind:
            return UNKNOWN
        return DATA if kind in PLAIN else frozenset((KnownObject(address),))

    def value_of_objects(self, addresses: Iterable[int]) -> Value:
        """Return what is one of some objects: beyond a few, anything of their classes."""
        chosen = [at for at in dict.fromkeys(islice(addresses, MAX_ITEMS + 1)) if at]
        if len(chosen) > MAX_ITEMS:
            return UNKNOWN
        joined = union_of_all_values(map(self.value_of_object, chosen))
        if joined is None:
            kinds = {self.type_name(at): self.reader.type_of(at) for at in chosen}
            of_classes = all(kinds) and _CALLABLES.isdisjoint(kinds)
            if of_classes and len(kinds) <= MAX_POSSIBLE:
                return frozenset(AnyInstance(at, False) for at in kinds.values())
        return joined

    def type_name(self, address: int) -> str:
        """Return tp_name of an object's type; "" where it is no object."""
        return self.view.type_name(address)

    def type_info(self, address: int) -> TypeInfo:
        """Return a type. Raises UnreadableMemory."""
        return self._instances.types.type_at(address)

    def mro(self, kind: int) -> list[TypeInfo]:
        """Return the classes of a class, itself first. Raises UnreadableMemory."""
        return self._instances.types.mro(self.type_info(kind))

    def class_attribute(self, kind: int, name: str, behind: int = 0) -> int:
        """Return what a class has under a name, of the classes behind one; 0 for nothing."""
        passed = not behind
        for info in self.mro(kind):
            if passed and info.dict:
                value = self.view.objects.dict_get(info.dict, name)
                if not isinstance(value, Absent):
                    return value
            passed |= info.address == behind
        return 0

    def own_attribute(self, address: int, name: str) -> int:
        """Return what an instance itself has under a name; 0 for nothing."""
        value = self.view.attribute(address, name)
        return value or self._plain.attribute(address, name) or 0  # in a slot

    def unwrap_descriptor(self, descriptor: int) -> tuple[str, int]:
        """Return ("staticmethod", "classmethod", "property" or "", function) of a descriptor."""
        kind = self.type_name(descriptor)
        head = self.reader.layout.size("PyObject") or 16
        if kind in _WRAPPERS or kind == "property":  # sm_callable, cm_callable, prop_get
            return kind, self.reader.u64(descriptor + head)
        if kind.rpartition(".")[2] == "cached_property":
            return "property", self.own_attribute(descriptor, "func")
        return "", descriptor

    def read_partial(self, address: int) -> tuple[int, list[int]]:
        """Return the function of a functools.partial, and its positional arguments."""
        read = self.reader.field
        function, given = (read(address, "partialobject", name) for name in ("fn", "args"))
        return function, self._containers.tuple_items(given)

    def default_factory(self, address: int) -> int:
        """Return what a defaultdict calls for a key that it has not."""
        return self.reader.field(address, "defdictobject", "default_factory")

    def read_bound_method(self, address: int) -> tuple[int, int]:
        """Return (function, self) of a bound method."""
        read = self.reader.field
        return (
            read(address, "PyMethodObject", "im_func"), read(address, "PyMethodObject", "im_self"),
        )  # fmt: skip

    def iterated_objects(self, address: int, depth: int = MAX_ITERATORS) -> list[int] | None:
        """Return what iterating over an object gives, and of a dict the values too.

        None where that is not known.
        """
        kind = self._instances.types.root_builtin_type_name(address)
        with suppress(UnreadableMemory, LayoutError):
            if kind == "dict":
                pairs = islice(self.view.objects.dict_items(address), MAX_ITEMS + 1)
                return [at for pair in pairs for at in pair]
            if kind in ("set", "frozenset"):
                return list(islice(self._containers.set_items(address), MAX_ITEMS + 1))
            if kind == "tuple":
                return self._containers.tuple_items(address)
            if kind == "list":
                return self._containers.list_items(address)
            if kind == "collections.deque":
                return list(islice(self._containers.deque_items(address), MAX_ITEMS + 1))
            if kind in _ITERATORS and depth:
                head = self.reader.layout.size("PyObject") or 16
                over = [self.reader.u64(address + at) for at in (head, head + 8)]
                inner = next((at for at in over if at and not at & 7 and self.type_name(at)), 0)
                return self.iterated_objects(inner, depth - 1) if inner else None
        return None

    def objects_referred_to(self, address: int) -> list[int]:
        """Return the objects that the struct of an object of C code refers to."""
        size = self.reader.field(self.reader.type_of(address), "PyTypeObject", "tp_basicsize")
        head = self.reader.layout.size("PyObject") or 16
        words = self.reader.consecutive_words(
            address + head, max(0, min(size - head, MAX_STRUCT)) // 8
        )
        kinds = ((at, self.type_name(at)) for at in dict.fromkeys(words) if at and not at & 7)
        return [at for at, kind in kinds if kind not in PLAIN | {"", "module", "code", "type"}]

    def objects_reachable_from(self, root: int) -> list[int] | None:
        """Return an object, what it has as items and attributes, and what those have.

        None where that is too much.
        """
        todo, seen = [root], set[int]()
        while todo:
            at = todo.pop()
            kind = self.type_name(at) if at and not at & 7 and at not in seen else ""
            if not kind or kind in PLAIN or kind in _NO_HOLDERS:
                continue
            seen.add(at)
            if len(seen) > MAX_GIVEN:
                return None
            inner = self.iterated_objects(at)
            todo += [value for _, value in self.view.attributes(at)] if inner is None else inner
        return list(seen)

    def callables_reachable_from(self, roots: Iterable[int]) -> list[int] | None:
        """Return the functions, methods and objects of classes to which some objects lead.

        None where there are too many.
        """
        todo, seen, functions = list(roots), set[int](), list[int]()
        while todo:
            at = todo.pop()
            if not at or at & 7 or at in seen:
                continue
            kind = self.type_name(at)
            if not kind or kind in PLAIN or kind in ("module", "code", "frame"):
                continue
            seen.add(at)
            if len(seen) > MAX_GIVEN:
                return None
            if kind in _CALLABLES:
                functions.append(at)
                continue
            inner = self.iterated_objects(at)
            todo += inner or ()
            if inner is None or self._instances.types.type_of_object(at).is_python_class:
                functions.append(at)
                todo += [value for _, value in self.view.attributes(at)]
        return functions


PLAIN = frozenset(
    "int float str bytes bool NoneType complex ellipsis range slice datetime.datetime "
    "datetime.date datetime.timedelta re.Pattern".split()
)
_CALLABLES = frozenset((
    "function", "method", "type", "builtin_function_or_method", "functools.partial",
))  # fmt: skip
_NO_HOLDERS = frozenset(("module", "code", "frame", "type", "function"))
_ITERATORS = frozenset((
    "list_iterator", "list_reverseiterator", "tuple_iterator", "tupleiterator", "set_iterator",
    "dict_keyiterator", "dict_valueiterator", "dict_itemiterator", "dict_keys", "dict_values",
    "dict_items", "enumerate", "_collections._deque_iterator", "reversed",
))  # fmt: skip


def variables_with_single_object(values: Sequence[tuple[str, Value]]) -> Iterator[tuple[str, int]]:
    """Yield (name, address) of the variables that are one object for certain."""
    for name, value in values:
        if value is not None and len(value) == 1:
            (atom,) = value
            if isinstance(atom, KnownObject):
                yield name, atom.address
