# SPDX-License-Identifier: Apache-2.0
"""What lies on the value stack of a function that is followed (repr_from_bytecode)."""

from __future__ import annotations

from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.typing_lite import NamedTuple


class Text(NamedTuple):
    """A str that was made."""

    text: str


class Number(NamedTuple):
    """An int or bool that was computed and lies nowhere."""

    value: int


class NoneResult(NamedTuple):
    """None, as an instruction of its own brings it (3.15)."""


class Value(NamedTuple):
    """An object of the process; `name` is that of the attribute that it is, or of a secret."""

    address: int  # PyObject *
    name: str = ""


class Class(NamedTuple):
    """The class of an object."""

    info: TypeInfo


class Global(NamedTuple):
    """A global name; "__class__" is the cell that super() takes."""

    name: str


class Tuple(NamedTuple):
    """A tuple that was built."""

    items: tuple[Text | Number | NoneResult | Value, ...]


class Super(NamedTuple):
    """super()."""


class Method(NamedTuple):
    """A method of the program's own; `owner` is the class that has it."""

    function: int  # PyFunctionObject *
    owner: TypeInfo
    self: Value
    name: str


class Function(NamedTuple):
    """A function that is an attribute of an instance; `owner` is the class of that."""

    function: int  # PyFunctionObject *
    owner: TypeInfo


class SuperRepr(NamedTuple):
    """super().__repr__"""


class Format(NamedTuple):
    """The `format` of a str."""

    template: str


class Slice(NamedTuple):
    """A slice that was built, or a constant one (3.14); each bound is an int or None."""

    start: int | None
    stop: int | None
    step: int | None


class Caught(NamedTuple):
    """An exception on its way to a handler."""

    kind: type[Exception]


Item = (
    Text | Number | NoneResult | Value | Class | Global | Tuple | Super | Method | Function
    | SuperRepr | Format | Slice | Caught | None
)  # fmt: skip
DATA = (Text, Number, NoneResult, Value)
