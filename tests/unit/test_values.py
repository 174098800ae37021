# SPDX-License-Identifier: Apache-2.0
"""Values built by hand for every layout that is shipped: right ones, damaged ones, huge ones."""

from __future__ import annotations

import ast
import decimal
import random
import struct
from pathlib import Path

import pytest
from support.build import BASE, SIZE, Builder
from support.fake_target import FakeTarget

from gdb_epi.cpython.layout.layout import available_tables, load_layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.values import decoders
from gdb_epi.cpython.values.decoders.builtin_scalars import unlimited_int_text
from gdb_epi.cpython.values.decoders.numeric import decimal_text
from gdb_epi.cpython.values.process_values import (
    LOAD_ERRORS,
    DecodedValue,
    ProcessValues,
    ReprLimits,
)
from gdb_epi.cpython.values.repr_decoder import MAX_NESTING
from gdb_epi.target.api import Region

READY, HEAP = 1 << 12, 1 << 9
FLAGS = {"int": 1 << 24, "list": 1 << 25, "tuple": 1 << 26, "bytes": 1 << 27, "str": 1 << 28}
LAYOUTS = [
    pytest.param((version, flavour), id=f"{version[0]}.{version[1]}{flavour}")
    for version, flavour in available_tables()
]


class Maker(Builder):
    """A builder that also writes types and plain objects."""

    def __init__(self, version: tuple[int, int], flavour: str) -> None:
        layout = load_layout(version, "t" in flavour, "d" in flavour)
        assert layout is not None
        super().__init__(layout)
        self.object = self.type("object", 0, repr_slot=0x1000)
        for name in ("str", "bytes", "int", "list", "tuple", "float", "bool"):
            base = self.types.get("int", self.object) if name == "bool" else self.object
            flags = FLAGS.get(name, FLAGS["int"] if name == "bool" else 0)
            self.types[name] = self.type(name, flags, base=base)

    def type(self, name: str, flags: int, *, base: int = 0, repr_slot: int = 0) -> int:
        """Write a static type with a repr of its own."""
        at = self.new("PyHeapTypeObject")
        text = self.alloc(64)
        self.memory[text - BASE : text - BASE + len(name)] = name.encode()
        slots = {"tp_name": text, "tp_basicsize": 64, "tp_flags": READY | flags}
        slots |= {"tp_base": base, "tp_repr": repr_slot or at + 1}
        for member, value in slots.items():
            assert self.set("PyTypeObject", at, member, value)
        return at

    def sized(self, kind: str, struct_name: str, count: int, extra: int = 64) -> int:
        """Write an object with an ob_size."""
        at = self.new(struct_name, kind, extra)
        self.set("PyVarObject", at, "ob_size", count)
        return at

    def int(self, value: int, kind: str = "int") -> int:
        """Write an int."""
        digits = []
        rest = abs(value)
        while rest:
            digits.append(rest & (1 << 30) - 1)
            rest >>= 30
        at = self.new("PyLongObject", kind, 4 * len(digits))
        sign = (value > 0) - (value < 0)
        if not self.set("PyLongObject", at, "lv_tag", len(digits) << 3 | 1 - sign):
            self.set("PyVarObject", at, "ob_size", sign * len(digits))
        start = at + self.layout.require("PyLongObject", "ob_digit")
        for number, digit in enumerate(digits):
            self.put(start + 4 * number, digit, 4)
        return at

    def list(self, items: list[int], count: int | None = None) -> int:
        """Write a list; `count` may lie."""
        at = self.sized("list", "PyListObject", len(items) if count is None else count)
        array = self.alloc(8 * len(items) + 8)
        self.set("PyListObject", at, "ob_item", array)
        for number, item in enumerate(items):
            self.put(array + 8 * number, item)
        return at

    def value(self, address: int, limits: ReprLimits | None = None) -> DecodedValue:
        """Decode an object."""
        region = Region(BASE, BASE + SIZE, "rw-", None, 0, SIZE)
        target = FakeTarget(regions=[region], memory={BASE: bytes(self.memory)})
        return ProcessValues(target, MemoryReader(target, self.layout), (), limits).value_of(
            address
        )


@pytest.fixture(params=LAYOUTS)
def maker(request: pytest.FixtureRequest) -> Maker:
    return Maker(*request.param)


def test_a_bytearray_quotes_as_its_release_does(maker: Maker) -> None:
    maker.types["bytearray"] = maker.type("bytearray", 0, base=maker.object)
    keeps_bytes = maker.layout.version[:2] >= (3, 15)
    quoted = 'b"\\x00\'"' if keeps_bytes else 'b"\\x00\\\'"'
    for raw, text in ((b"\x00'", quoted), (b"'\"", "b'\\'\"'"), (b'"', "b'\"'"), (b"", "b''")):
        at = maker.sized("bytearray", "PyByteArrayObject", len(raw))
        start = maker.alloc(len(raw) + 1)
        maker.memory[start - BASE : start - BASE + len(raw)] = raw
        maker.set("PyByteArrayObject", at, "ob_start", start)
        value = maker.value(at)
        assert (value.text, value.exact) == (f"bytearray({text})", True)


def test_scalars(maker: Maker) -> None:
    values = (0, 1, -1, 2**30 - 1, 2**30, -(2**60), 2**64 + 1, -(3 * 2**90) + 7, 10**400)
    for number in values:
        value = maker.value(maker.int(number))
        assert value == DecodedValue("int", str(number), False, True)
    for text in (
        "",
        "x",
        "wörld",
        "日本",
        "😀",
        "lone \udc80",
        "a\x00\n'\"\x1b",
        "\ud800\U0010ffff",
    ):
        assert maker.value(maker.text(text)) == DecodedValue("str", repr(text), False, True)
    for raw in (b"", b"\x00\xff'\""):
        assert maker.value(maker.bytes_object(raw)).text == repr(raw)
    for floating in (0.1, -0.0, 5e-324, 1700000000.123456, float("inf"), float("nan"), 1e16, 1e22):
        at = maker.new("PyFloatObject", "float")
        word = struct.unpack("<Q", struct.pack("<d", floating))[0]
        maker.set("PyFloatObject", at, "ob_fval", word)
        assert maker.value(at).text == repr(floating)
    assert maker.value(maker.int(1, "bool")).text == "True"
    assert maker.value(maker.int(0, "bool")).text == "False"
    assert maker.value(maker.int(2, "bool")).text.startswith("<cannot decode bool at 0x")


def test_a_list_in_itself(maker: Maker) -> None:
    inner = maker.list([maker.int(1)])
    outer = maker.list([inner, 0])
    at = outer + maker.layout.require("PyListObject", "ob_item") - BASE
    items = int.from_bytes(maker.memory[at : at + 8], "little")
    maker.put(items + 8, outer)
    value = maker.value(outer)
    assert value.text == "[[1], [...]]" and value.exact and not value.cut


@pytest.mark.parametrize("count", [-1, 1 << 26, 1 << 31, 1 << 60, (1 << 63) - 1])
def test_lengths_that_do_not_fit(maker: Maker, count: int) -> None:
    for at in (
        maker.list([maker.int(1)], count),
        maker.sized("tuple", "PyTupleObject", count),
        maker.sized("bytes", "PyBytesObject", count),
    ):
        value = maker.value(at)
        assert value.text.startswith("<cannot decode ") and not value.exact
    text = maker.text("abc")
    maker.set("PyASCIIObject", text, "length", count)
    assert maker.value(text).text.startswith("<cannot decode str at 0x")


def test_bad_types_and_pointers(maker: Maker) -> None:
    number = maker.int(5)
    for kind in (0, 3, BASE - 64, BASE + 0x10, number, (1 << 64) - 8):
        maker.set("PyObject", number, "ob_type", kind)
        value = maker.value(number)
        assert value.text.startswith("<cannot decode an object at 0x"), value
        assert value.type == "" and not value.exact
    for address in (0, 7, 1 << 62, BASE + SIZE):
        assert maker.value(address).text.startswith("<cannot decode")
    good = maker.list([maker.int(1), number, maker.int(3)])
    assert maker.value(good).text.startswith("[1, <cannot decode an object at 0x")
    assert maker.value(good).text.endswith(">, 3]")


def test_bases_in_a_cycle(maker: Maker) -> None:
    kind = maker.type("one", 0)
    two = maker.type("two", 0, base=kind)
    maker.set("PyTypeObject", kind, "tp_base", two)
    maker.types["one"] = kind
    value = maker.value(maker.new("PyObject", "one", 32))
    assert "the bases of the type make a cycle" in value.text


def test_a_class_called_int_is_no_int(maker: Maker) -> None:
    maker.types["fake"] = maker.type("int", HEAP, base=maker.object, repr_slot=0x1000)
    value = maker.value(maker.int(5, "fake"))
    assert "object at 0x" in value.text and value.text != "5"


def test_limits(maker: Maker) -> None:
    wide = maker.list([maker.int(n) for n in range(10)])
    cut = maker.value(wide, ReprLimits(width=3))
    assert (cut.text, cut.cut, cut.exact) == ("[0, 1, 2, ...]", True, True)
    deep = maker.int(7)
    for _ in range(MAX_NESTING + 20):
        deep = maker.list([deep])
    assert maker.value(deep, ReprLimits(depth=2)).text == "[[[<cut>]]]"
    assert maker.value(deep, ReprLimits(depth=10_000)).cut
    long = maker.value(maker.text("abcdef"), ReprLimits(length=4))
    assert (long.text, long.cut) == ("'abcd'...", True)
    huge = maker.value(maker.int(1 << 40_000))
    assert huge.cut and "of 40001 bits" in huge.text
    many = maker.list([maker.text("x" * 50) for _ in range(50)])
    assert len(maker.value(many, ReprLimits(total=200)).text) < 400


def test_decimals_of_long_ints() -> None:
    for exponent in (0, 19, 499, 500, 501, 4299, 5000):
        assert unlimited_int_text(10**exponent) == "1" + "0" * exponent
        assert unlimited_int_text(-(10**exponent)) == "-1" + "0" * exponent


@pytest.mark.parametrize("seed", range(20))
def test_decimals_are_written_as_python_does(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        digits = str(chance.randrange(10 ** chance.randrange(1, 30)))
        exponent = chance.randrange(-40, 40)
        expected = str(decimal.Decimal((0, tuple(map(int, digits)), exponent)))
        assert decimal_text(digits, exponent) == expected


def test_every_decoder_is_loaded_and_no_type_has_two() -> None:
    """A file below decoders/ needs no other edit; a broken one would go unnoticed otherwise."""
    assert LOAD_ERRORS == []
    folder = Path(decoders.__file__).parent
    by_name: dict[str, str] = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("decodes", "decodes_repr"):
                for argument in node.args:
                    name = ast.unparse(argument)
                    assert name not in by_name, (name, path.name, by_name[name])
                    by_name[name] = path.name
    assert len(by_name) > 100
