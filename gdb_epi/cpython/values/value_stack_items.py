# SPDX-License-Identifier: Apache-2.0
"""What can lie on the value stack of a function that repr_from_bytecode follows."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.frames.opcodes import Instruction, Opcodes, opcodes_of_version
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.typing_lite import NamedTuple


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


class Class(NamedTuple):
    """The class of an object."""

    info: TypeInfo


class Global(NamedTuple):
    """A global name; "__class__" is the cell that super() uses."""

    name: str


class BuiltTuple(NamedTuple):
    """A tuple that the function built."""

    items: tuple[Item, ...]


class Super(NamedTuple):
    """super()."""


class Method(NamedTuple):
    """A method of the program; `owner` is the class that defines it."""

    function: int  # PyFunctionObject *
    owner: TypeInfo
    self: ProcessObject
    name: str


class Function(NamedTuple):
    """A function that is an attribute of an instance; `owner` is the instance's class."""

    function: int  # PyFunctionObject *
    owner: TypeInfo


class SuperRepr(NamedTuple):
    """super().__repr__"""


class Format(NamedTuple):
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


class Numbers(NamedTuple):
    """A range()."""

    start: int
    stop: int
    step: int


class Iteration(NamedTuple):
    """An iterator's position in the object it goes over; one that goes `round` begins again."""

    over: BuiltStr | ProcessObject | BuiltTuple | Numbers
    place: int
    round: bool = False


class UnknownNumber(NamedTuple):
    """An int or float of which only the (inclusive) bounds are known."""

    low: float
    high: float


class Drawn(NamedTuple):
    """A number or text that was drawn at random: any of these."""

    of: tuple[float | str, ...]


class UnknownText(NamedTuple):
    """A str of which only the beginning is known; `of` tells it apart from other items."""

    of: str = "numbers"
    begins: str = ""


class MadeFunction(NamedTuple):
    """A function that the code made: a comprehension, a lambda, one within a function."""

    code: int  # PyCodeObject *
    globals: int
    cells: tuple[Item, ...] = ()
    defaults: tuple[Item, ...] = ()


class Rest(NamedTuple):
    """A generator between two values: where it goes on, and with what."""

    code: int  # PyCodeObject *
    globals: int
    at: int  # a byte
    locals: tuple[tuple[int, Item], ...]
    stack: tuple[Item, ...] = ()
    runs: bool = False  # it does: nothing is sent to it


class Caught(NamedTuple):
    """An exception that may be raised, or is on its way to a handler."""

    kind: type[Exception]


Item = (
    BuiltStr | ComputedNumber | NoneResult | ProcessObject | Class | Global | BuiltTuple | Super
    | Method | Function | SuperRepr | Format | Slice | BuiltinMethod | Numbers | Iteration
    | LibraryValue | UnknownNumber | UnknownText | Drawn | MadeFunction | Rest | Caught | None
)  # fmt: skip
DATA = (BuiltStr, ComputedNumber, NoneResult, ProcessObject)


def find_opcodes(layout: Layout) -> Opcodes:
    """Return how a process's bytecode is written. Raises Undecodable for an unknown version."""
    opcodes = opcodes_of_version(layout.version)
    if opcodes is None:
        raise Undecodable("bytecode of an unknown version")
    return opcodes


def read_instruction(opcodes: Opcodes, units: bytes, at: int) -> Instruction:
    """Return the instruction at a place that control reaches. Raises Undecodable for another."""
    for each in opcodes.decode(units, at) if not at % CODE_UNIT else ():
        if not each.name:
            raise Undecodable(f"opcode {units[each.at]}")
        if each.name != "EXTENDED_ARG":
            return each
    raise Undecodable("no return")
