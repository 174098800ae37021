# SPDX-License-Identifier: Apache-2.0
"""numpy's arrays, records and structured dtypes as numpy prints them.

This does what numpy/_core/arrayprint.py, _dtype.py and records.py do (1.24 to 2.5, compared with
each), with the print options of the dead process. An array of more values than the limits allow is
described instead: shape, dtype and the first values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from gdb_epi.cpython.values.libraries.numpy import (
    DType,
    datetime64_text,
    describe_array,
    do_large_floats_have_exponents,
    dtype_text,
    float_text,
    is_not_a_time,
    is_numpy_2,
    is_numpy_at_least,
    item_address,
    item_text,
    read_array_number,
    read_array_parts,
    read_dtype,
)
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import Any, NamedTuple

MAX_VOID = 1 << 12  # bytes of one item without a type
MAX_DEPTH = 8  # records in records
MAX_OPTION = 1 << 20
_WHOLE = ("precision", "threshold", "edgeitems", "linewidth")
# What else may be set; another value than these changes more than is known here.
_USUAL = {
    "nanstr": ("'nan'",), "infstr": ("'inf'",), "sign": ("'-'",), "formatter": ("None",),
    "floatmode": ("'maxprec'",), "suppress": ("False",),
}  # fmt: skip
Index = tuple[int, ...]
Format = Callable[[int], str]  # the address of an item -> its text


class PrintOptions(NamedTuple):
    """numpy's print options."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 75


class ItemStyle(NamedTuple):
    """How items are written.

    `is_single` is for arrays without dimensions, `plain_floats` for records alone, whose floats
    numpy 2 writes as str() does. `depth` counts records in records.
    """

    precision: int
    is_single: bool
    plain_floats: bool = False
    depth: int = 0


class Array(NamedTuple):
    """One array."""

    data: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    @property
    def size(self) -> int:
        """How many items it has."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    def item_address(self, index: Index) -> int:
        """Return the address of an item."""
        pairs = zip(index, self.strides, strict=True)
        return (self.data + sum(place * stride for place, stride in pairs)) & WORD_MASK


def _print_options(decoder: ReprDecoder) -> PrintOptions:
    """Return the print options of the process: a context variable, before 2.1 a dict."""
    places = (
        ("numpy._core.printoptions", "format_options"),
        ("numpy._core.arrayprint", "_format_options"),
        ("numpy.core.arrayprint", "_format_options"),
    )
    for module, name in places:
        try:
            held = decoder.obj(decoder.module_global(module, name))
        except Undecodable:
            continue
        if held.lineage.ident != "dict":  # a ContextVar: name, default, the value last asked for
            default, last = decoder.word(held, 1), decoder.word(held, 2)
            is_dict = _is_dict(decoder, last) and not decoder.layout.free_threaded
            return _read_options(decoder, last if is_dict else default)
        return _read_options(decoder, held.address)
    raise Undecodable("numpy's print options are not to be found")


def _is_dict(decoder: ReprDecoder, address: int) -> bool:
    try:
        return bool(address) and decoder.ident(address) == "dict"
    except (UnreadableMemory, Undecodable):
        return False


def _read_options(decoder: ReprDecoder, address: int) -> PrintOptions:
    if not _is_dict(decoder, address):
        raise Undecodable("numpy's print options are no dict")
    numbers = []
    for name in _WHOLE:
        value = decoder.objects.dict_get(address, name)
        number = value if isinstance(value, Absent) else decoder.objects.integer(value)
        if isinstance(number, Absent) or not 0 <= number < MAX_OPTION:
            raise Undecodable(f"numpy's print option {name} is not known")
        numbers.append(number)
    for name, usual in _USUAL.items():
        value = decoder.objects.dict_get(address, name)
        if (
            not isinstance(value, Absent)
            and decoder.with_fresh_limits().repr_of(value) not in usual
        ):
            raise Undecodable(f"numpy's print option {name} was changed")
    return PrintOptions(*numbers)


# -- how one item is written -------------------------------------------------------------------


def choose_item_format(
    decoder: ReprDecoder, places: Sequence[int], dtype: DType, style: ItemStyle
) -> Format:
    """Return what writes an item of an array, to the width that all `places` need."""
    decoder.count_nested_value()
    if style.depth > MAX_DEPTH:
        raise Undecodable("records in records without an end")
    if dtype.base is not None:
        return _sub_array_format(decoder, places, dtype, style)
    if dtype.names:
        return _record_format(decoder, places, dtype, style)
    if dtype.kind == "O":
        return lambda at: _object_text(decoder, at)
    if dtype.kind in "SU":
        return lambda at: item_text(decoder, at, dtype)
    if dtype.kind == "V":
        return lambda at: void_text(decoder.reader.read(at, min(dtype.size, MAX_VOID)))

    def number_at(at: int) -> Any:
        return read_array_number(decoder, at, dtype)

    if dtype.kind == "b":
        true = "True" if style.is_single else " True"
        return lambda at: true if number_at(at) else "False"
    if dtype.kind in "iu":
        width = max((len(str(number_at(at))) for at in places), default=0)
        return lambda at: f"{number_at(at):{width}d}"
    if dtype.kind in "mM":
        return _time_format([number_at(at) for at in places], dtype, number_at)
    form = dtype.struct_format
    if dtype.kind == "f":
        if style.plain_floats:
            return lambda at: float_str(decoder, number_at(at), form)
        write = FloatColumnFormat([number_at(at) for at in places], form, style.precision)
        return lambda at: write(number_at(at))
    if dtype.kind == "c":
        pairs = [number_at(at) for at in places]
        real = FloatColumnFormat([pair[0] for pair in pairs], form, style.precision)
        imaginary = FloatColumnFormat([pair[1] for pair in pairs], form, style.precision, plus="+")
        return lambda at: _complex_text(number_at(at), real, imaginary)
    raise Undecodable(f"items of dtype {dtype.str_text}")


def float_str(decoder: ReprDecoder, value: float, form: str) -> str:
    """Return str() of a float of numpy."""
    return float_text(value, form, exponents=do_large_floats_have_exponents(decoder, form, value))


def _complex_text(
    value: tuple[float, float], real: FloatColumnFormat, imaginary: FloatColumnFormat
) -> str:
    second = imaginary(value[1])
    end = len(second.rstrip())
    return f"{real(value[0])}{second[:end]}j{second[end:]}"


def _object_text(decoder: ReprDecoder, at: int) -> str:
    address = decoder.reader.u64(at)
    if not address:
        return "None"
    obj = decoder.obj(address)
    text = decoder.repr_of(address)
    return f"list({text})" if obj.lineage.ident == "list" and obj.is_exact else text


def void_text(raw: bytes) -> str:
    """Return str() of a void without fields."""
    return "b'" + "".join(f"\\x{byte:02X}" for byte in raw) + "'"


def _time_format(values: list[int], dtype: DType, number: Callable[[int], int]) -> Format:
    def datetime_or_timedelta_text(value: int) -> str:
        if dtype.kind == "m":
            return str(value)
        shown = datetime64_text(value * dtype.unit_multiple, dtype.unit_name)
        if shown is None:
            raise Undecodable("a moment outside of the years 1 to 9999")
        return f"'{shown}'"

    moments = [value for value in values if not is_not_a_time(value)]
    ends = [
        datetime_or_timedelta_text(moment)
        for moment in ((min(moments), max(moments)) if moments else ())
    ]
    width = max(map(len, ends), default=0)
    if len(moments) < len(values):
        width = max(width, 5)

    def padded_time_text(at: int) -> str:
        value = number(at)
        return ("'NaT'" if is_not_a_time(value) else datetime_or_timedelta_text(value)).rjust(width)

    return padded_time_text


def _record_format(
    decoder: ReprDecoder, places: Sequence[int], dtype: DType, style: ItemStyle
) -> Format:
    writers: list[tuple[int, Format]] = []
    decoder.refuse_secret_names(*(name for name, _, _ in dtype.names))
    for _, of, offset in dtype.names:
        if offset < 0:
            raise Undecodable("a field without an offset")
        inside = [at + offset for at in places]
        part = read_dtype(decoder, of)
        in_record = style._replace(depth=style.depth + 1)
        writers.append((offset, choose_item_format(decoder, inside, part, in_record)))

    def record_text(at: int) -> str:
        texts = [writer(at + offset) for offset, writer in writers]
        return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"

    return record_text


def _sub_array_format(
    decoder: ReprDecoder, places: Sequence[int], dtype: DType, style: ItemStyle
) -> Format:
    base, shape = read_dtype(decoder, dtype.base or 0), dtype.shape
    strides = [base.size] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    sub = Array(0, shape, tuple(strides), base)
    if sub.size * max(1, len(places)) > decoder.limits.width * 10:
        raise Undecodable("fields of very many items")
    inside = [at + number * base.size for at in places for number in range(sub.size)]
    in_array = style._replace(is_single=False, depth=style.depth + 1)
    write_item = choose_item_format(decoder, inside, base, in_array)

    def sub_array_text(at: int, index: Index) -> str:
        if len(index) == len(shape):
            return write_item(at + sub.item_address(index))
        return f"[{', '.join(sub_array_text(at, (*index, i)) for i in range(shape[len(index)]))}]"

    return lambda at: sub_array_text(at, ())


class FloatColumnFormat:
    """What FloatingFormat does: floats of one array, all to the same width."""

    def __init__(self, values: list[float], form: str, precision: int, plus: str = "") -> None:
        self._form, self._precision, self._plus = form, precision, plus
        finite = [v for v in values if v == v and abs(v) != float("inf")]
        sizes = [abs(v) for v in finite if v]
        self._exponent = bool(sizes) and (
            max(sizes) >= 1e8 or min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000
        )
        self._left = self._right = self._digits = 0
        if finite and self._exponent:
            parts = [self._scientific(v) for v in finite]
            self._digits = max(len(fraction) for _, fraction, _ in parts)
            self._left = max(len(whole) for whole, _, _ in parts)
            self._exponent_digits = max(len(f"{abs(power):02d}") for _, _, power in parts)
            self._right = self._exponent_digits + 2 + self._digits
        elif finite:
            texts = [self._positional(v).split(".") for v in finite]
            self._left = max(len(whole) for whole, _ in texts)
            self._right = max(len(fraction) for _, fraction in texts)
        if len(finite) < len(values):
            has_sign = bool(plus) or any(v == float("-inf") for v in values)
            after = self._right + 1
            self._left = max(self._left, 3 - after, 3 + has_sign - after)

    def _sign(self, value: float) -> str:
        return "-" if struct.pack("<d", value)[7] & 0x80 else self._plus

    def _shortest_digits_and_exponent(self, value: float) -> tuple[str, int]:
        """Return the digits of the shortest text of a float and the exponent of the first."""
        text = float_text(abs(value), self._form, exponents=False).lower()
        mantissa, _, power = text.partition("e")
        whole, _, fraction = mantissa.partition(".")
        digits = (whole + fraction).lstrip("0")
        exponent = int(power or 0) + len(whole) - 1
        exponent -= len(whole + fraction) - len((whole + fraction).lstrip("0"))
        return (digits.rstrip("0") or "0", exponent) if digits else ("0", 0)

    def _scientific(self, value: float) -> tuple[str, str, int]:
        digits, power = self._shortest_digits_and_exponent(value)
        if len(digits) - 1 > self._precision:
            mantissa, _, exponent = f"{abs(value):.{self._precision}e}".partition("e")
            digits, power = mantissa.replace(".", "").rstrip("0") or "0", int(exponent)
        return self._sign(value) + digits[0], digits[1:], power

    def _positional(self, value: float) -> str:
        digits, power = self._shortest_digits_and_exponent(value)
        if len(digits) - 1 - power > self._precision:
            text = f"{abs(value):.{self._precision}f}".rstrip("0")
            text += "" if "." in text else "."
        elif power < 0:
            text = f"0.{'0' * (-power - 1)}{digits if digits != '0' else ''}"
        else:
            padded = digits.ljust(power + 1, "0")
            text = f"{padded[: power + 1]}.{padded[power + 1 :]}"
        return self._sign(value) + text

    def __call__(self, value: float) -> str:
        """Return the text of one float."""
        if value != value or abs(value) == float("inf"):
            sign = self._plus if value != value else "-" if value < 0 else self._plus
            shown = sign + ("nan" if value != value else "inf")
            return shown.rjust(self._left + self._right + 1)
        if self._exponent:
            whole, fraction, power = self._scientific(value)
            sign = "-" if power < 0 else "+"
            digits = f"{abs(power):0{self._exponent_digits}d}"
            return f"{whole.rjust(self._left)}.{fraction.ljust(self._digits, '0')}e{sign}{digits}"
        whole, _, fraction = self._positional(value).partition(".")
        return f"{whole.rjust(self._left)}.{fraction.ljust(self._right)}"


# -- arrays ------------------------------------------------------------------------------------


def _shown_indices(length: int, edge: int) -> list[int]:
    if edge and 2 * edge < length:
        return [*range(edge), *range(length - edge, length)]
    return list(range(length))


def array_text(
    decoder: ReprDecoder,
    array: Array,
    prefix: str,
    options: PrintOptions,
    write: Callable[[Index], str] | None = None,
) -> str:
    """Return what array2string() gives, for an array that has items; `write` gives that of one."""
    edge = options.edgeitems if array.size > options.threshold else 0
    if not edge and array.size > options.threshold:
        raise Undecodable("numpy shows nothing of it")
    number = 1
    for length in array.shape:
        number *= min(length, 2 * edge) if edge else length
    if number > decoder.limits.width:
        raise Undecodable("more items than the limits allow")
    axes = [_shown_indices(length, edge) for length in array.shape]
    if write is None:
        places = [array.data]
        for axis, stride in zip(axes, array.strides, strict=True):
            places = [at + index * stride for at in places for index in axis]
        places = [at & WORD_MASK for at in places]
        style = ItemStyle(options.precision, is_single=not array.shape)
        write_item = choose_item_format(decoder, places, array.dtype, style)
        write = lambda index: write_item(array.item_address(index))  # noqa: E731
    indent = " " * (len(prefix) + 1)
    width = options.linewidth - 1

    def text_of_sub_array(index: Index, indent: str, width: int) -> str:
        left = len(array.shape) - len(index)
        if not left:
            return write(index)
        length = array.shape[len(index)]
        indices = axes[len(index)]
        is_cut = len(indices) < length
        words: list[str] = []
        for place in indices:
            if is_cut and len(words) == edge:
                words.append("...")
            words.append(text_of_sub_array((*index, place), indent + " ", width - 1))
        if left == 1:
            body = _wrap_words(words, indent, width - 1)
        else:
            body = ("," + "\n" * (left - 1)).join(indent + word for word in words)
        return f"[{body[len(indent) :]}]"

    return text_of_sub_array((), indent, width)


def _wrap_words(words: list[str], indent: str, width: int) -> str:
    """Put words into lines as numpy's _extendLine() does."""
    done, line = "", indent
    for number, word in enumerate(words):
        if len(line) + len(word) > width and len(line) > len(indent):
            done += line.rstrip() + "\n"
            line = indent
        line += word + (", " if number < len(words) - 1 else "")
    return done + line


def read_array(decoder: ReprDecoder, obj: Obj) -> Array:
    """Return an array that is an object. Raises Undecodable."""
    data, shape, strides, dtype = read_array_parts(decoder, obj)
    return Array(data, shape, strides, dtype)


def exact_or_described_text(
    decoder: ReprDecoder, obj: Obj, build: Callable[[Array, PrintOptions], str]
) -> str:
    """Return an array as numpy prints it, or what describes it."""
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            raise Undecodable("it holds itself")
        before = decoder.exact, decoder.cut
        try:
            array, options = read_array(decoder, obj), _print_options(decoder)
            text = build(array, options)
            if not decoder.exact or "<cannot decode" not in text:
                if array.size > options.threshold:
                    decoder.note_left_out("shape", repr(array.shape))
                return text
        except (Undecodable, UnreadableMemory):
            pass
        decoder.exact, decoder.cut = before
    return describe_array(decoder, obj)


@decodes("numpy.ndarray")
def array(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an array as array_repr() does."""
    name = "array" if obj.is_exact else obj.type.name

    def build_array_text(array: Array, options: PrintOptions) -> str:
        prefix = f"{name}("
        body = array_text(decoder, array, prefix, options) if array.size else "[]"
        extras = []
        # 2.2 (gh-27482) says the shape of what it does not show whole.
        is_long = array.size > options.threshold and is_numpy_at_least(decoder, (2, 2))
        if (not array.size and array.shape != (0,)) or is_long:
            extras.append(f"shape={array.shape!r}")
        dtype = shown_dtype(decoder, array.dtype)
        if not array.size or not is_dtype_implied(dtype):
            extras.append(f"dtype={short_dtype_text(decoder, dtype)}")
        if not extras:
            return f"{prefix}{body})"
        text, extra = f"{prefix}{body},", f"{', '.join(extras)})"
        last = len(text) - text.rfind("\n") - 1
        if not is_numpy_at_least(decoder, (2, 2)):  # there the shape belongs to the values
            shapes, extra = ("", extra) if len(extras) == 1 else (f" {extras[0]},", extras[1] + ")")
            text, last = text + shapes, last + len(shapes)
        space = " " if last + len(extra) + 1 <= options.linewidth else f"\n{' ' * len(prefix)}"
        return text + space + extra

    return exact_or_described_text(decoder, obj, build_array_text)


def shown_dtype(decoder: ReprDecoder, dtype: DType) -> DType:
    """Return a dtype as it is shown beside an array: before 1.25 without the order of bytes."""
    if dtype.kind in "iufc" and not is_numpy_at_least(decoder, (1, 25)):
        return dtype._replace(order="=")
    return dtype


def is_dtype_implied(dtype: DType) -> bool:
    """Tell whether numpy leaves a dtype out."""
    if dtype.names or dtype.order == ">":
        return False
    return dtype.str_text in ("int64", "float64", "complex128", "bool")


def short_dtype_text(decoder: ReprDecoder, dtype: DType) -> str:
    """Return what dtype_short_repr() gives."""
    text = dtype_text(decoder, dtype)
    if dtype.names:
        return text
    return text if text.isalnum() else repr(text)


@decodes_repr(("numpy", "recarray.__repr__"), ("numpy.core.records", "recarray.__repr__"),
              ("numpy._core.records", "recarray.__repr__"))  # fmt: skip
def record_array(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what recarray.__repr__ does."""

    def build_record_array_text(array: Array, options: PrintOptions) -> str:
        is_record = array.dtype.type_name == "numpy.record" or array.dtype.kind != "V"
        prefix = "rec.array(" if is_record else "array("
        if array.size:
            body = array_text(decoder, array, prefix, options)
        else:
            body = "[]" if array.shape == (0,) else f"[], shape={array.shape!r}"
        shown = dtype_text(decoder, array.dtype._replace(type_name="numpy.void"))
        end = "" if is_record else ".view(numpy.recarray)"
        return f"{prefix}{body},\n{' ' * len(prefix)}dtype={shown}){end}"

    return exact_or_described_text(decoder, obj, build_record_array_text)


# -- records -----------------------------------------------------------------------------------


def _void_text(decoder: ReprDecoder, obj: Obj, name: str) -> str:
    """Return a void scalar: ob_size, its bytes, its dtype, flags, base."""
    at, dtype = decoder.word(obj, 1), read_dtype(decoder, decoder.word(obj, 2))
    is_new = is_numpy_2(decoder)
    if not dtype.names:
        if dtype.base is not None or not 0 <= dtype.size <= MAX_VOID:
            raise Undecodable(f"a void of dtype {dtype.str_text}")
        raw = decoder.reader.read(at, dtype.size) if dtype.size else b""
        return f"{'np.' if is_new else ''}void({void_text(raw)})"
    style = ItemStyle(_print_options(decoder).precision, is_single=True, plain_floats=is_new)
    text = choose_item_format(decoder, [at], dtype, style)(at)
    if not is_new:
        return text
    shown = dtype_text(decoder, dtype._replace(type_name="numpy.void"))
    return f"np.{name}({text}, dtype={shown})"


@decodes("numpy.void")
def void(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a void scalar, with fields or without."""
    if not obj.is_exact:
        decoder.mark_inexact()
    return _void_text(decoder, obj, "void")


@decodes_repr(("numpy", "record.__repr__"), ("numpy.core.records", "record.__repr__"),
              ("numpy._core.records", "record.__repr__"))  # fmt: skip
def record(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what record.__repr__ does."""
    return _void_text(decoder, obj, "record")


def open_array_items(decoder: ReprDecoder, address: int) -> tuple[Array, Callable[[int], int]]:
    """Return an array (PyObject *) and what gives the address of an item by its number."""
    array = read_array(decoder, decoder.obj(address))
    return array, lambda number: item_address(array.data, number, array.shape, array.strides)
