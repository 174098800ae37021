# SPDX-License-Identifier: Apache-2.0
"""What may lie on the value stack of a function that is followed, and what can be said about it.

An item of the value stack is an object of the process, or something that the function made. Where
an instruction would certainly raise an exception, `CertainException` says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.frames.opcodes import Instruction, OpcodesOfVersion, opcodes_of_version
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.context import NoAttribute
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.secrets import is_secret_name
from gdb_epi.cpython.values.str_formatting import (
    Plain,
    format_braces,
    format_percent,
    format_value,
    plain_value,
)
from gdb_epi.errors import Absent
from gdb_epi.typing_lite import NamedTuple

MAX_TEXT = 1 << 16
STR, REPR = 1, 2  # conversions of FORMAT_VALUE (FVC_*) and of CONVERT_VALUE

# Types whose str() is their repr(), when they are of the very type.
STR_IS_REPR = frozenset(
    "int bool float complex NoneType ellipsis list tuple dict set frozenset".split()
)
# No descriptors: found in a class, they are the value.
PLAIN_DATA = STR_IS_REPR | {"str", "bytes"}
_OF_DESCRIPTORS = ("__get__", "__set__", "__delete__")
_PLAIN = ("str", "int", "bool", "float")
# Where containers keep their number of items.
_COUNTS = {
    "tuple": ("PyTupleObject", "ob_size"),
    "list": ("PyListObject", "ob_size"),
    "bytes": ("PyBytesObject", "ob_size"),
    "dict": ("PyDictObject", "ma_used"),
    "set": ("PySetObject", "used"),
    "frozenset": ("PySetObject", "used"),
}


class BuiltStr(NamedTuple):
    """A str that the function built."""

    text: str


class ComputedNumber(NamedTuple):
    """A number or bool that the function computed; it is not in memory."""

    value: float
    is_float: bool = False  # 2 and 2.0 are equal, and are not the same


class NoneResult(NamedTuple):
    """None, as pushed by an instruction of its own (3.15)."""


class ProcessObject(NamedTuple):
    """An object of the process; `name` is its attribute name, or the name of a secret."""

    address: int  # PyObject *
    name: str = ""


class ClassOfObject(NamedTuple):
    """The class of an object."""

    info: TypeInfo


class GlobalName(NamedTuple):
    """A global name; "__class__" is the cell that super() uses."""

    name: str


class BuiltTuple(NamedTuple):
    """A tuple that the function built."""

    items: tuple[Item, ...]


class SuperCall(NamedTuple):
    """super()."""


class Method(NamedTuple):
    """A method of the program; `owner` is the class that defines it."""

    function: int  # PyFunctionObject *
    owner: TypeInfo
    self: ProcessObject
    name: str


class FunctionInInstance(NamedTuple):
    """A function that is an attribute of an instance; `owner` is the instance's class."""

    function: int  # PyFunctionObject *
    owner: TypeInfo


class SuperRepr(NamedTuple):
    """super().__repr__"""


class StrFormatMethod(NamedTuple):
    """The `format` of a str."""

    template: str


class LibraryValue(NamedTuple):
    """Bytes, a date, time or decimal, as this Python has it; `kind` is the name of its type."""

    kind: str
    value: object


class Slice(NamedTuple):
    """A slice that was built or is a constant (3.14); each bound is an int or None."""

    start: int | None
    stop: int | None
    step: int | None


class BuiltinMethod(NamedTuple):
    """A method of a str, list, set, deque or dict."""

    of: BuiltStr | BuiltTuple | LibraryValue | ProcessObject
    name: str


class RangeValue(NamedTuple):
    """A range()."""

    start: int
    stop: int
    step: int


class IteratorPosition(NamedTuple):
    """An iterator's position in the object it goes over; one that goes `round` begins again."""

    over: BuiltStr | ProcessObject | BuiltTuple | RangeValue
    place: int
    round: bool = False


class NumberWithinBounds(NamedTuple):
    """An int or float of which only the (inclusive) bounds are known."""

    low: float
    high: float


class RandomlyDrawnValue(NamedTuple):
    """A number or text that was drawn at random: any of these."""

    of: tuple[float | str, ...]


class PartlyKnownText(NamedTuple):
    """A str of which only the beginning is known; `of` tells it apart from other items."""

    of: str = "numbers"
    begins: str = ""


class FunctionMadeByCode(NamedTuple):
    """A function that the code made: a comprehension, a lambda, one within a function."""

    code: int  # PyCodeObject *
    globals: int
    cells: tuple[Item, ...] = ()
    defaults: tuple[Item, ...] = ()


class ResumptionPoint(NamedTuple):
    """A generator between two values, or a frame of a stack: where it goes on, and with what."""

    code: int  # PyCodeObject *
    globals: int
    at: int  # a byte
    locals: tuple[tuple[int, Item], ...]
    stack: tuple[Item, ...] = ()
    runs: bool = False  # it does: nothing is sent to it


class ExceptionInFlight(NamedTuple):
    """An exception that may be raised, or is on its way to a handler."""

    kind: type[Exception]


Item = (
    BuiltStr | ComputedNumber | NoneResult | ProcessObject | ClassOfObject | GlobalName
    | BuiltTuple | SuperCall | Method | FunctionInInstance | SuperRepr | StrFormatMethod | Slice
    | BuiltinMethod | RangeValue | IteratorPosition | LibraryValue | NumberWithinBounds
    | PartlyKnownText | RandomlyDrawnValue | FunctionMadeByCode | ResumptionPoint
    | ExceptionInFlight | None
)  # fmt: skip
DATA = (BuiltStr, ComputedNumber, NoneResult, ProcessObject)


def opcodes_of_process(layout: Layout) -> OpcodesOfVersion:
    """Return how a process's bytecode is written. Raises Undecodable for an unknown version."""
    opcodes = opcodes_of_version(layout.version)
    if opcodes is None:
        raise Undecodable("bytecode of an unknown version")
    return opcodes


def read_instruction(opcodes: OpcodesOfVersion, units: bytes, at: int) -> Instruction:
    """Return the instruction at a place that control reaches. Raises Undecodable for another."""
    for each in opcodes.decode(units, at) if not at % CODE_UNIT else ():
        if not each.name:
            raise Undecodable(f"opcode {units[each.at]}")
        if each.name != "EXTENDED_ARG":
            return each
    raise Undecodable("no return")


class CertainException(Exception):
    """The function that is followed would certainly raise an exception of this kind here."""

    def __init__(self, kind: type[Exception]) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


def special_method(decoder: ReprDecoder, info: TypeInfo, name: str) -> tuple[TypeInfo, int] | None:
    """Return the class and the function (PyFunctionObject *) that a type finds under a name.

    None when no class but `object` can have one. Raises Undecodable when that is not a function,
    or when a C type decides, whose dict is not seen.
    """
    for base in decoder.types.mro(info):
        value = decoder.objects.dict_get(base.dict, name) if base.dict else 0
        if value and not isinstance(value, Absent):
            if decoder.ident(value) == "function":
                return base, value
            if base.base:
                raise Undecodable(f"{name} is no function")
        elif base.base and not base.is_python_class:
            raise Undecodable(f"a C type that may have {name}")
    return None


def is_non_descriptor(decoder: ReprDecoder, address: int) -> bool:
    """Tell whether what a class has under a name is the value itself, and no descriptor.

    Plain data is, and an object of classes written in Python that have none of its methods. Of
    other C types the dict is not seen.
    """
    for base in decoder.types.mro(decoder.obj(address).type):
        if base.full_name in PLAIN_DATA:
            return True
        if base.base and not base.is_python_class:
            return False
        if any(decoder.objects.dict_get(base.dict, name) for name in _OF_DESCRIPTORS if base.dict):
            return False
    return True


class ValueStackOperations:
    """What one decoder knows about items."""

    def __init__(self, decoder: ReprDecoder) -> None:
        self.decoder = decoder
        self.locals: dict[int, Item] = {}

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what a function of the program returns. Raises Undecodable."""
        raise NotImplementedError

    def is_secret(self, name: str) -> bool:
        """Tell whether what has a name must not be shown."""
        return not self.decoder.limits.secrets and is_secret_name(name)

    def mark_secret_if_from_secret(self, of: ProcessObject, name: str, item: Item) -> Item:
        """Return what an object gave under a name; whatever a secret gives is secret too.

        Raises Undecodable for a text or number that was made, which nothing would mask any more.
        """
        secret = next(filter(self.is_secret, (name, of.name)), "")
        if secret and isinstance(item, (BuiltStr, ComputedNumber)):
            raise Undecodable("what was made of a secret")
        return (
            ProcessObject(item.address, secret)
            if secret and isinstance(item, ProcessObject)
            else item
        )

    def text_of(self, item: Item) -> str:
        """Return an item that is a str. Raises Undecodable for another."""
        if isinstance(item, ProcessObject) and self.is_str(item.address):
            if self.is_secret(item.name):
                return self.decoder.repr_of_named(item.name, item.address)
            return self.decoder.string(item.address, self.decoder.limits.length)
        if not isinstance(item, BuiltStr) or len(item.text) > MAX_TEXT:
            raise Undecodable("no text")
        return item.text

    def is_str(self, address: int) -> bool:
        """Tell whether an object is a str of that very type."""
        obj = self.decoder.obj(address)
        return obj.lineage.ident == "str" and obj.is_exact

    def plain_value_of(self, item: Item) -> Plain:
        """Return an int, bool, float or str. Raises Undecodable for all others, and for secrets."""
        if isinstance(item, ComputedNumber):
            return item.value
        if isinstance(item, BuiltStr) and not self.decoder.cut:
            return item.text
        if not isinstance(item, ProcessObject) or self.is_secret(item.name):
            raise Undecodable("a value that is formatted")
        return plain_value(self.decoder, item.address)

    def length(self, item: Item) -> int:
        """Return len() of a str or of a built-in container. Raises Undecodable."""
        if isinstance(item, BuiltTuple):
            return len(item.items)
        if isinstance(item, BuiltStr) or (
            isinstance(item, ProcessObject) and self.is_str(item.address)
        ):
            return len(str(self.plain_value_of(item)))
        if isinstance(item, ProcessObject):
            obj = self.decoder.obj(item.address)
            place = _COUNTS.get(obj.lineage.ident) if obj.is_exact else None
            if place is not None:
                return self.decoder.signed_field(item.address, *place)
        raise Undecodable("the length of an object")

    def truth(self, item: Item) -> bool:
        """Return bool() of an item. Raises Undecodable."""
        if isinstance(item, ProcessObject):
            obj = self.decoder.obj(item.address)
            ident = obj.lineage.ident
            if ident == "NoneType":
                return False
            if ident in _PLAIN and obj.is_exact:
                return bool(plain_value(self.decoder, item.address))
            if not ident and obj.type.is_python_class:
                for name in ("__bool__", "__len__"):
                    method = special_method(self.decoder, obj.type, name)
                    if method is not None:
                        owner, function = method
                        return bool(self.plain_value_of(self.call(function, owner, [item])))
                return True
        elif isinstance(item, NoneResult):
            return False
        elif isinstance(item, (BuiltStr, ComputedNumber)):
            return bool(self.plain_value_of(item))
        return self.length(item) > 0

    def is_none(self, item: Item) -> bool:
        """Tell whether an item is None. Raises Undecodable for anything but an object."""
        if not isinstance(item, (*DATA, BuiltTuple, ClassOfObject)):
            raise Undecodable("a comparison")
        if isinstance(item, NoneResult):
            return True
        return isinstance(item, ProcessObject) and self.decoder.is_none(item.address)

    def class_name_attribute(self, info: TypeInfo, name: str) -> str:
        """Return `__name__` or `__qualname__` of a class. Raises Undecodable."""
        meta = self.decoder.obj(info.address)
        if meta.type.address != meta.lineage.root.address or not info.is_python_class:
            raise Undecodable("a class whose attributes another class decides on")
        if name not in ("__name__", "__qualname__"):
            raise Undecodable("an attribute of a class")
        return info.name if name == "__name__" else info.qualname

    def find_in_class(self, obj: Obj, name: str) -> tuple[TypeInfo, int] | None:
        """Return what a class has of a name. Raises Undecodable when a C type may have it."""
        # The dicts of static types are not seen (3.12), so what they have is not known.
        if any(info.base and not info.dict for info in self.decoder.types.mro(obj.type)):
            raise Undecodable("a class that finds its attributes in a way of its own")
        return self.decoder.types.lookup(obj.type, name)

    def has_default_lookup(self, obj: Obj) -> bool:
        """Tell whether `object` finds the attributes of an instance."""
        base = obj.lineage.types[-1]
        if base.base:
            raise Undecodable("bases that do not end")
        mine, default = (
            self.decoder.field(info.address, "PyTypeObject", "tp_getattro")
            for info in (obj.type, base)
        )
        return mine == default

    def own_attribute(self, of: ProcessObject, name: str) -> int:
        """Return an attribute of an instance's own, 0 without one."""
        try:
            return self.decoder.attribute(of.address, name)
        except Undecodable:
            return 0

    def named_tuple_item(self, of: ProcessObject, name: str) -> Item:
        """Return what a name of a namedtuple is; None where it is none (3.8 to 3.15).

        The class has a _tuplegetter, which begins with the place (Modules/_collectionsmodule.c).
        """
        decoder = self.decoder
        in_class = decoder.types.lookup(decoder.obj(of.address).type, name)
        if in_class is None or not decoder.ident(in_class[1]).endswith("_tuplegetter"):
            return None
        head = decoder.layout.size("PyObject") or 16
        items = ContainerReader(decoder.reader).tuple_items(of.address)
        return ProcessObject(items[decoder.reader.i64(in_class[1] + head)])

    def instance_attribute(self, of: ProcessObject, name: str) -> Item:
        """Return what `of.name` is; a property and the like are followed. Raises Undecodable."""
        obj = self.decoder.obj(of.address)
        fallback = None
        if not self.has_default_lookup(obj):
            mine = special_method(self.decoder, obj.type, "__getattribute__")
            fallback = special_method(self.decoder, obj.type, "__getattr__")
            if mine is not None:
                # What it raises is not known here, so neither whether the fallback would run.
                if fallback is not None:
                    raise Undecodable("two ways to find attributes")
                return self.mark_secret_if_from_secret(
                    of, name, self.call(mine[1], mine[0], [of, BuiltStr(name)])
                )
            if fallback is None:
                raise Undecodable("a class that finds its attributes in a way of its own")
        in_class = self.find_in_class(obj, name)
        kind = self.decoder.obj(in_class[1]) if in_class else None
        if in_class and kind is not None and kind.lineage.ident == "property" and kind.is_exact:
            getter = self.decoder.reader.u64(self.decoder.member_address(kind, "fget"))
            if self.decoder.ident(getter) != "function" or fallback is not None:
                raise Undecodable("a property without a function")
            return self.mark_secret_if_from_secret(of, name, self.call(getter, in_class[0], [of]))
        plain = in_class is None or is_non_descriptor(self.decoder, in_class[1])
        if not plain and kind is not None and kind.lineage.ident != "member_descriptor":
            raise Undecodable("an attribute that a class computes")
        own = self.own_attribute(of, name)
        if own:
            return self.mark_secret_if_from_secret(of, name, ProcessObject(own, name))
        if in_class is None and fallback is not None:
            return self.mark_secret_if_from_secret(
                of, name, self.call(fallback[1], fallback[0], [of, BuiltStr(name)])
            )
        if in_class is None or kind is None or kind.lineage.ident == "member_descriptor":
            self._require_no_attribute(of, name)
            raise CertainException(AttributeError)
        return self.mark_secret_if_from_secret(of, name, ProcessObject(in_class[1], name))

    def _require_no_attribute(self, of: ProcessObject, name: str) -> None:
        """Raise Undecodable unless an instance has no such attribute: its dict was read whole.

        What `object` has is not seen here; all of it is named like `__doc__`.
        """
        if name.startswith("__") and name.endswith("__"):
            raise Undecodable(f"the attribute {name}")
        context = self.decoder.context
        try:
            context.attribute(of.address, name)
        except NoAttribute:
            names = (
                context.attribute_name(key) for key, _ in context.objects.attributes(of.address)
            )
            if None not in names:
                return
        raise Undecodable(f"the attribute {name}")

    # -- items --------------------------------------------------------------------------------

    def slice_bound(self, item: Item) -> int | None:
        """Return a bound of a slice. Raises Undecodable for anything but an int or None."""
        if isinstance(item, (NoneResult, ProcessObject)) and self.is_none(item):
            return None
        number = self.plain_value_of(item)
        if not isinstance(number, int):
            raise Undecodable("a slice of another kind")
        return number

    def subscript(self, of: Item, index: Item) -> Item:
        """Return `of[index]` of a str, list or tuple, and of a dict by a str. Raises Undecodable.

        Raises Raised where CPython would raise IndexError.
        """
        if isinstance(index, ProcessObject) and self.decoder.ident(index.address) == "slice":
            obj = self.decoder.obj(index.address)
            bounds = (
                self.slice_bound(ProcessObject(self.decoder.word(obj, number)))
                for number in range(3)
            )
            index = Slice(*bounds)
        if isinstance(of, BuiltStr) or (isinstance(of, ProcessObject) and self.is_str(of.address)):
            text = self.uncut_text(of)
            if isinstance(index, Slice):
                try:
                    return BuiltStr(text[index.start : index.stop : index.step])
                except ValueError:  # a step of 0
                    raise CertainException(ValueError) from None
            number = self.slice_bound(index)
            if number is None:
                raise Undecodable("an item of a text")
            if not -len(text) <= number < len(text):
                raise CertainException(IndexError)
            return BuiltStr(text[number])
        if not isinstance(of, ProcessObject):
            raise Undecodable("an item")
        obj = self.decoder.obj(of.address)
        if obj.is_exact and obj.lineage.ident in ("list", "tuple"):
            return self.mark_secret_if_from_secret(
                of, "", self._item_of_array(obj, self.slice_bound(index))
            )
        key = self.plain_value_of(index)
        if obj.is_exact and obj.lineage.ident == "dict" and isinstance(key, str):
            value = self.decoder.objects.dict_get(of.address, key)
            if not isinstance(value, Absent):
                return self.mark_secret_if_from_secret(of, key, ProcessObject(value, key))
        raise Undecodable("an item")

    def _item_of_array(self, obj: Obj, index: int | None) -> ProcessObject:
        start, count = self.decoder.array_range(obj.address, obj.lineage.ident)
        if index is None or count < 0:
            raise Undecodable("an item")
        if not -count <= index < count:
            raise CertainException(IndexError)
        return ProcessObject(self.decoder.reader.u64(start + 8 * (index % count)))

    def uncut_text(self, item: BuiltStr | ProcessObject) -> str:
        """Return an uncut str. Raises Undecodable, also for secrets."""
        text = self.plain_value_of(item)
        if not isinstance(text, str) or len(text) >= self.decoder.limits.length:
            raise Undecodable("a cut text")
        return text

    def format_item(self, item: Item, spec: str) -> str:
        """Return format(item, spec). Raises Undecodable."""
        if isinstance(item, ProcessObject):
            obj = self.decoder.obj(item.address)
            if obj.type.is_python_class:
                method = special_method(self.decoder, obj.type, "__format__")
                if method is not None:
                    return self.text_of(self.call(method[1], method[0], [item, BuiltStr(spec)]))
        return (
            format_value(self.plain_value_of(item), spec) if spec else self.convert_item(item, STR)
        )

    def convert_item(self, item: Item, how: int) -> str:
        """Return str() or repr() of an item. Raises Undecodable."""
        if how not in (STR, REPR) or not isinstance(item, DATA):
            raise Undecodable("a conversion")
        if isinstance(item, NoneResult):
            return "None"
        if isinstance(item, ComputedNumber):
            return repr(item.value)
        if isinstance(item, BuiltStr):
            return item.text if how == STR else repr(item.text)
        address = item.address
        if self.is_secret(item.name):
            return self.decoder.repr_of_named(item.name, address)
        if how == STR and self.is_str(address):
            return self.decoder.string(address, self.decoder.limits.length)
        if how == STR:
            obj = self.decoder.obj(address)
            if obj.type.is_python_class:
                method = special_method(self.decoder, obj.type, "__str__")
                if method is not None:
                    return self.text_of(self.call(method[1], method[0], [item]))
            elif not (obj.is_exact and obj.lineage.ident in STR_IS_REPR):
                raise Undecodable("a str() of a type that may have its own")
        if item == self.locals.get(0):
            raise Undecodable("itself")
        return self.decoder.repr_of(address)

    def format_with_braces(self, template: str, arguments: Sequence[Item]) -> BuiltStr:
        """Return what str.format makes of a text. Raises Undecodable."""

        def item_text(number: int, how: str, spec: str) -> str:
            item = arguments[number]
            if how:
                item = BuiltStr(self.convert_item(item, REPR if how == "r" else STR))
            return self.format_item(item, spec)

        return self.str_if_no_part_was_cut(format_braces(template, len(arguments), item_text))

    def format_with_percent(self, template: Item, given: Item) -> BuiltStr:
        """Return what `%` makes of a text. Raises Undecodable."""
        pattern = self.text_of(template)
        items = given.items if isinstance(given, BuiltTuple) else (given,)
        if isinstance(given, ProcessObject) and self.decoder.ident(given.address) == "tuple":
            raise Undecodable("a tuple")

        def item_text(number: int, wants_repr: bool) -> str:
            return self.convert_item(items[number], REPR if wants_repr else STR)

        value = format_percent(
            pattern, len(items), item_text, lambda number: self.plain_value_of(items[number])
        )
        return self.str_if_no_part_was_cut(value)

    def str_if_no_part_was_cut(self, text: str) -> BuiltStr:
        """Return a text whose parts were formatted. Raises Undecodable when one was cut."""
        if self.decoder.cut:
            raise Undecodable("a cut value that is formatted")
        return BuiltStr(text)
