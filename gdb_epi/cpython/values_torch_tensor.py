# SPDX-License-Identifier: Apache-2.0
"""A torch tensor as text: shape, dtype, device, and the first values that the CPU's memory has.

repr() of a tensor depends on print options and computes, so this is a description and never called
exact. What a number of a dtype means is read from the dtype objects in the module `torch` of the
process itself. Where the fields are and what is checked: values_torch_impl.py.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gdb_epi.cpython.values_core import Obj, Painter, Undecodable
from gdb_epi.cpython.values_numpy import place_of
from gdb_epi.cpython.values_numpy_text import complex_text, float_text
from gdb_epi.cpython.values_torch import byte_and_name
from gdb_epi.cpython.values_torch_impl import (
    PLAIN_IMPL,
    Tensor,
    autograd_of,
    class_name,
    impl_of,
    last_name,
    read_tensor,
)
from gdb_epi.errors import UnreadableMemory

MAX_MODULE = 20_000  # entries of the module torch
MAX_DTYPES = 128  # c10::ScalarType has 45 in 2.13
# struct's letter for the dtypes whose values are shown (of complex ones for each half); bfloat16 is
# the upper half of a float32.
_FORMS = {
    "bool": "?", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b",
    "int16": "h", "int32": "i", "int64": "q", "float16": "e", "bfloat16": "H", "float32": "f",
    "float64": "d", "complex64": "ff", "complex128": "dd",
}  # fmt: skip
_WHOLE = 1 << 53  # up to here every float that is a whole number is written in full


def described(painter: Painter, found: Obj) -> str:
    """Return a tensor's description; it says why when the fields do not fit each other."""
    first = found.address + (painter.layout.size("PyObject") or 0)
    impl, end = impl_of(painter.reader, first)
    try:
        one = read_tensor(painter.reader, found.address, impl)
        name, shown = _dtype(painter, one.dtype)
    except Undecodable as error:
        return f"<{found.type.shown} object at {found.address:#x}: cannot tell its shape, {error}>"
    parts = [found.type.shown, f"shape={one.shape}", f"dtype={shown}", f"device={one.device}"]
    parts += _autograd(painter, one, found, end)
    if not painter.enter(found.address):
        return "..."
    try:
        return f"<{' '.join(parts)}{_values(painter, one, name)}>"
    finally:
        painter.leave(found.address)


def _dtype(painter: Painter, number: int) -> tuple[str, str]:
    """Return a dtype's name ("" when the module torch is not to be found) and how it is shown."""
    known = _dtypes(painter)
    if number in known:
        return known[number], f"torch.{known[number]}"
    if known or number >= MAX_DTYPES:
        raise Undecodable(f"a dtype of number {number}, which torch has not")
    return "", f"number {number}"


def _dtypes(painter: Painter) -> dict[int, str]:
    """Return the names of dtypes by their number (c10::ScalarType), out of the module torch."""
    world = painter.world
    if "torch dtypes" not in world.tables:
        known = world.tables["torch dtypes"] = {}
        contents = world.types.module_dict("torch")
        try:
            for number, (_, value) in enumerate(world.objects.dict_items(contents or 0)):
                if number > MAX_MODULE:
                    break
                if _is_dtype(painter, value):
                    code, name = byte_and_name(painter, value)
                    known[code] = name
        except (UnreadableMemory, Undecodable):
            known.clear()
    return world.tables["torch dtypes"]


def _is_dtype(painter: Painter, address: int) -> bool:
    try:
        kind = painter.reader.type_of(address)
        return painter.world.types.at(kind).full_name == "torch.dtype"
    except UnreadableMemory:
        return False


def _autograd(painter: Painter, one: Tensor, found: Obj, end: int) -> list[str]:
    """Return requires_grad and grad_fn as far as they are set and can be read."""
    hooks = found.address + found.lineage.root.basicsize - end >= 16
    try:
        wanted, function = autograd_of(painter.reader, one.autograd, hooks)
    except (UnreadableMemory, Undecodable):
        return ["requires_grad=?"]
    if function:
        return [
            "requires_grad=True",
            f"grad_fn=<{last_name(class_name(painter.reader, function))}>",
        ]
    return [] if wanted is False else [f"requires_grad={wanted or '?'}"]


def _values(painter: Painter, one: Tensor, name: str) -> str:
    """Return ": " and the first values, or why there are none."""
    if one.implementation not in ("", PLAIN_IMPL):
        return f", its values are in a {last_name(one.implementation)}"
    if one.device != "cpu" or not one.numel:
        return ""
    if not one.plain:
        return ", its values are not those in its memory (a lazy view, or a wrapper)"
    if name not in _FORMS:
        return ", values of this dtype are not shown"
    width = struct.calcsize("<" + _FORMS[name])
    if not one.fits(width):
        return f", its storage of {one.nbytes} bytes is too small for it"
    if not one.data:
        return ", its storage has no memory"
    try:
        return ": " + painter.join_text(_items(painter, one, name, width), one.numel)
    except UnreadableMemory:
        return ", its values are not in the core"


def _items(painter: Painter, one: Tensor, name: str, width: int) -> Iterator[str]:
    first = one.data + one.before * width
    steps = tuple(step * width for step in one.strides)
    for index in range(min(one.numel, painter.limits.width)):
        raw = painter.reader.read(place_of(first, index, one.shape, steps), width)
        yield _number(raw, name)


def _number(raw: bytes, name: str) -> str:
    """Return one item as text; floats by the fewest digits that give them back."""
    if name == "bfloat16":
        raw, form = b"\0\0" + raw, "f"
    else:
        form = _FORMS[name]
    values = struct.unpack("<" + form, raw)
    if len(values) == 2:
        return complex_text(*values, form[0])
    value = values[0]
    if isinstance(value, float) and abs(value) < _WHOLE and value.is_integer():
        return repr(
            value
        )  # the greatest float16 is 65504.0, though 65500.0 tells it from the others
    return float_text(value, form) if isinstance(value, float) else str(value)
