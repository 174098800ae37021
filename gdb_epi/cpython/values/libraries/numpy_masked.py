# SPDX-License-Identifier: Apache-2.0
"""numpy's masked arrays as `repr()` shows them: values, mask and fill value.

This does what numpy/ma/core.py does (2.0 to 2.5). What is masked is not shown, so the values of an
array with a mask are printed as Python's own objects, not to one width.
"""

from __future__ import annotations

from gdb_epi.cpython.values.libraries import numpy_arrays
from gdb_epi.cpython.values.libraries.numpy import is_numpy_2, item_text, read_array_number
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr

MODULE = "numpy.ma.core"
MAX_ROW = 100  # of more than one dimension, a longer one is cut (_print_width)
MAX_FLOAT = 8  # bytes; a longer one stays a scalar of numpy
MAX_FILLER = 1024  # bytes
# What fills where nothing was set: dtype and value (default_filler).
_FILLERS = {
    "b": ("bool", "True"), "i": ("int64", "999999"), "u": ("int64", "999999"),
    "f": ("float64", "1e+20"), "U": ("str", "'N/A'"),
}  # fmt: skip


@decodes_repr((MODULE, "MaskedConstant.__repr__"))
def masked_constant(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode numpy.ma.masked."""
    if decoder.module_global(MODULE, "masked") != obj.address:
        raise Undecodable("a second masked constant")
    return "masked"


@decodes_repr((MODULE, "MaskedArray.__repr__"))
def masked_array(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what MaskedArray.__repr__ does."""
    return numpy_arrays.exact_or_described_text(
        decoder, obj, lambda array, opts: _masked_array_text(decoder, obj, array, opts)
    )


def _masked_array_text(
    decoder: ReprDecoder, obj: Obj, array: numpy_arrays.Array, options: numpy_arrays.PrintOptions
) -> str:
    dtype = array.dtype
    is_long_float = dtype.kind == "f" and dtype.size > MAX_FLOAT
    if dtype.kind not in _FILLERS or is_long_float or not 0 < array.size <= options.threshold:
        raise Undecodable(f"a masked array of dtype {dtype.str_text}")
    if len(array.shape) > 1 and max(array.shape) > MAX_ROW:
        raise Undecodable("a masked array that is cut")
    held = decoder.obj(decoder.attribute(obj.address, "_mask"))
    base = decoder.obj(decoder.attribute(obj.address, "_baseclass"))
    if decoder.types.type_at(base.address).full_name != "numpy.ndarray":
        raise Undecodable("a masked array of another class")
    mask = numpy_arrays.read_array(decoder, held) if held.lineage.ident == "numpy.ndarray" else None
    if mask is not None and (mask.shape != array.shape or mask.dtype.kind != "b"):
        raise Undecodable("a mask of another shape")
    is_masked: dict[numpy_arrays.Index, bool] = {}

    def item_text(index: numpy_arrays.Index) -> str:
        assert mask is not None
        is_masked[index] = bool(read_array_number(decoder, mask.item_address(index), mask.dtype))
        return sign if is_masked[index] else _object_text(decoder, array, array.item_address(index))

    # What stands for a masked value.
    option = decoder.module_global(MODULE, "masked_print_option")
    if decoder.attribute_text(option, "_enabled") not in ("True", "1"):
        raise Undecodable("masked values are not marked")
    sign = decoder.string(decoder.attribute(option, "_display"))
    keys = ["data", "mask", "fill_value"]
    is_one_row = all(length == 1 for length in array.shape[:-1])
    first = "masked_array("
    indents = dict.fromkeys((*keys, "dtype"), "  ")
    if is_one_row:
        indents = {key: " " * max(2, len(f"{first}data") - len(key)) for key in indents}
        indents["data"] = first
    write = item_text if mask is not None else None
    shown = numpy_arrays.array_text(decoder, array, indents["data"] + "data=", options, write)
    texts = {"data": shown, "mask": "False", "fill_value": _fill_value(decoder, obj, array)}
    if mask is not None:
        texts["mask"] = numpy_arrays.array_text(decoder, mask, indents["mask"] + "mask=", options)
    dtype = numpy_arrays.shown_dtype(decoder, dtype)
    if not numpy_arrays.is_dtype_implied(dtype) or (mask is not None and all(is_masked.values())):
        texts["dtype"] = numpy_arrays.short_dtype_text(decoder, dtype)
    body = ",\n".join(f"{indents[key]}{key}={text}" for key, text in texts.items())
    return f"{body})" if is_one_row else f"{first}\n{body})"


def _object_text(decoder: ReprDecoder, array: numpy_arrays.Array, at: int) -> str:
    """Return repr() of the Python object that a value becomes."""
    if array.dtype.kind == "U":
        return item_text(decoder, at, array.dtype)
    number = read_array_number(decoder, at, array.dtype)
    return repr(bool(number) if array.dtype.kind == "b" else number)


def _fill_value(decoder: ReprDecoder, obj: Obj, array: numpy_arrays.Array) -> str:
    """Return the fill value: as str() has it where its dtype is the array's, else as repr()."""
    held, dtype = decoder.attribute(obj.address, "_fill_value"), array.dtype
    if decoder.is_none(held):
        name, text = _FILLERS[dtype.kind]
        is_same = dtype.kind == "U" or (dtype.str_text == name and dtype.order != ">")
    else:
        filler = numpy_arrays.read_array(decoder, decoder.obj(held))
        if filler.shape or filler.dtype.kind not in _FILLERS or filler.dtype.size > MAX_FILLER:
            raise Undecodable("a fill value of another kind")
        name = filler.dtype.str_text
        is_same = name == dtype.str_text and filler.dtype.order == dtype.order
        is_same = is_same or filler.dtype.kind == dtype.kind == "U"
        if filler.dtype.kind == "f":
            number = read_array_number(decoder, filler.data, filler.dtype)
            text = numpy_arrays.float_str(decoder, number, filler.dtype.struct_format)
        else:
            text = _object_text(decoder, filler, filler.data)
    if is_same or not is_numpy_2(decoder):
        return text
    if not name.isalnum():  # a str, or a foreign order of bytes
        raise Undecodable("a fill value of another dtype")
    return f"np.{name}({text})"
