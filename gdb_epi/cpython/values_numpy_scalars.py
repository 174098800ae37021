# SPDX-License-Identifier: Apache-2.0
"""numpy's scalars, without importing numpy: a value follows the object header.

Source: numpy/arrayscalars.h. How releases write them was measured on 1.24, 2.0, 2.2, 2.3, 2.4 and
2.5; which one it is the module numpy in the core says (`numpy.__version__`).
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.values_core import Obj, Painter, Undecodable, decodes
from gdb_epi.cpython.values_numpy_text import (
    UNITS,
    complex_text,
    depends_on_version,
    float_text,
    long_double_text,
    moment_text,
    not_a_time,
)
from gdb_epi.errors import Absent

_INTEGERS = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "longlong": "q", "ulonglong": "Q", "intc": "i", "uintc": "I",
}  # fmt: skip
_FLOATS = {"float16": "e", "float32": "f", "float64": "d"}
_COMPLEX = {"complex64": "f", "complex128": "d"}


def _named(painter: Painter, name: str) -> int:
    """Return what the module numpy has of a name. Raises Undecodable."""
    contents = painter.world.types.module_dict("numpy")
    found = painter.world.objects.dict_get(contents, name) if contents else 0
    if not found or isinstance(found, Absent):
        raise Undecodable(f"numpy.{name} is not to be found")
    return found


def _since(painter: Painter, release: tuple[int, int]) -> bool:
    """Tell whether numpy is of a release or a later one. Raises Undecodable when none is named."""
    known, key = painter.world.facts, f"numpy {release}"
    if key not in known:
        major, _, rest = painter.string(_named(painter, "__version__"), 64).partition(".")
        minor = rest.partition(".")[0]
        if not (major.isdecimal() and minor.isdecimal()):
            raise Undecodable("numpy.__version__ is no version")
        known[key] = (int(major), int(minor)) >= release
    return known[key]


def _is_two(painter: Painter) -> bool:
    """Tell numpy 2, which puts np.float64(...) around: a scalar type is named `numpy.bool` there.

    Told by numpy.bool_ of the core, so that any scalar can ask.
    """
    known = painter.world.facts
    if "numpy 2" not in known:
        kind = _named(painter, "bool_")
        known["numpy 2"] = painter.world.types.at(kind).full_name == "numpy.bool"
    return known["numpy 2"]


def _exponents(painter: Painter, form: str, *values: float) -> bool:
    """Tell whether large short floats have exponents: since 2.3. Marks what cannot be told."""
    if not any(depends_on_version(value, form) for value in values):
        return False
    try:
        return _since(painter, (2, 3))
    except Undecodable:
        painter.inexact()
        return False


def _scalar(painter: Painter, found: Obj, text: str, wrapped: str | None = None) -> str:
    if not _is_two(painter):
        return text
    name = found.lineage.root.full_name.rpartition(".")[2]
    return f"np.{name}({wrapped or text})"


def _at(painter: Painter, found: Obj) -> int:
    """Return where a scalar's value is: behind the object header."""
    return found.address + (painter.layout.size("PyObject") or 0)


def _value(painter: Painter, found: Obj, form: str) -> float:
    size = struct.calcsize(form)
    at = _at(painter, found)
    return float(struct.unpack("<" + form, painter.reader.read(at, size))[0])


def _refuse_children(painter: Painter, found: Obj) -> None:
    if found.type.address != found.lineage.root.address:
        painter.inexact()


@decodes(*(f"numpy.{name}" for name in _INTEGERS))
def integer(painter: Painter, found: Obj) -> str:
    """Decode an integer scalar."""
    form = _INTEGERS[found.lineage.ident.rpartition(".")[2]]
    at = _at(painter, found)
    data = painter.reader.read(at, struct.calcsize("<" + form))
    _refuse_children(painter, found)
    return _scalar(painter, found, str(struct.unpack("<" + form, data)[0]))


@decodes("numpy.bool", "numpy.bool_")
def boolean(painter: Painter, found: Obj) -> str:
    """Decode numpy's True and False."""
    byte = painter.reader.u8(_at(painter, found))
    if byte > 1:
        raise Undecodable(f"a bool of value {byte}")
    return f"np.{bool(byte)}_" if found.lineage.ident == "numpy.bool" else str(bool(byte))


@decodes(*(f"numpy.{name}" for name in _FLOATS))
def floating(painter: Painter, found: Obj) -> str:
    """Decode a floating scalar: the shortest text that gives it back."""
    form = _FLOATS[found.lineage.ident.rpartition(".")[2]]
    _refuse_children(painter, found)
    value = _value(painter, found, form)
    text = float_text(value, form, _exponents(painter, form, value))
    return _scalar(painter, found, text)


@decodes(*(f"numpy.{name}" for name in _COMPLEX))
def complex_number(painter: Painter, found: Obj) -> str:
    """Decode a complex scalar."""
    form = _COMPLEX[found.lineage.ident.rpartition(".")[2]]
    at = _at(painter, found)
    size = struct.calcsize("<" + form)
    real, imaginary = struct.unpack("<2" + form, painter.reader.read(at, 2 * size))
    exponents = _exponents(painter, form, real, imaginary)
    text = complex_text(real, imaginary, form, exponents)
    _refuse_children(painter, found)
    alone = text if _is_two(painter) else (f"({text})" if _both(text) else text)
    return _scalar(painter, found, alone)


def _both(text: str) -> bool:
    return any(sign in text[1:].replace("e+", "").replace("e-", "") for sign in "+-")


@decodes("numpy.longdouble", "numpy.float128")
def long_double(painter: Painter, found: Obj) -> str:
    """Decode a long double: 80 bits of x87, at the next multiple of 16."""
    at = _at(painter, found)
    mantissa, rest = struct.unpack("<QH", painter.reader.read(at + 15 & ~15, 10))
    shown = long_double_text(mantissa, rest)
    if shown is None:
        raise Undecodable("no normal long double")
    _refuse_children(painter, found)
    return _scalar(painter, found, shown, repr(shown))


@decodes("numpy.str_", "numpy.bytes_")
def text(painter: Painter, found: Obj) -> str:
    """Decode str_ and bytes_, which are a str and a bytes."""
    from gdb_epi.cpython import values_scalars

    decoder = values_scalars.text if found.lineage.ident == "numpy.str_" else None
    shown = (decoder or values_scalars.byte_string)(painter, found)
    return _scalar(painter, found, shown)


@decodes("numpy.datetime64", "numpy.timedelta64")
def moment(painter: Painter, found: Obj) -> str:
    """Decode datetime64 and timedelta64: an int64, then the unit and its multiple (two ints)."""
    at = _at(painter, found)
    value, unit, multiple = struct.unpack("<qii", painter.reader.read(at, 16))
    name = found.lineage.ident.rpartition(".")[2]
    prefix = "np" if _is_two(painter) else "numpy"
    code = UNITS.get(unit)
    if code is None or not 0 < multiple < 1 << 30:
        raise Undecodable(f"a {name} of unit {unit}")
    _refuse_children(painter, found)
    unit = f",'{code if multiple == 1 else f'{multiple}{code}'}'"
    always = multiple != 1 or code == "h"
    if name == "timedelta64":
        span = "'NaT'" if not_a_time(value) else str(value)
        return f"{prefix}.timedelta64({span}{'' if code == 'generic' else unit})"
    if not_a_time(value):
        return f"{prefix}.datetime64('NaT'{unit if always or _since(painter, (2, 4)) else ''})"
    shown = moment_text(value * multiple, code)
    if shown is None:
        raise Undecodable(f"{value} {code} since 1970: outside of the years 1 to 9999")
    return f"{prefix}.datetime64('{shown}'{unit if always else ''})"
