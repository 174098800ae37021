# SPDX-License-Identifier: Apache-2.0
"""pandas' frames and series as pandas prints them, where they are small and plain.

This does what io/formats/format.py and string.py do (2.0 to 3.1) for at most 60 rows of numbers,
truth and text without names of the axes, as on a terminal of 80 columns or where there is none.
Whatever else there is, a changed print option too, is shown by its class, with its shape, the
names of its columns or its length beside it. pandas/_libs/internals.pyx, core/internals of 1.5 on.
"""

from __future__ import annotations

import struct
from contextlib import suppress

from gdb_epi.cpython.values.libraries.numpy import DType, read_array_number
from gdb_epi.cpython.values.libraries.numpy_arrays import open_array_items, read_array
from gdb_epi.cpython.values.libraries.pandas import read_index_labels
from gdb_epi.cpython.values.libraries.pyarrow import read_chunked_texts
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import HALF_MASK
from gdb_epi.typing_lite import NamedTuple

_BACKED = "pandas._libs.arrays.NDArrayBacked"
_PLACEMENT = "pandas._libs.internals.BlockPlacement"
_ARRAYS = ("numpy.ndarray", _BACKED)
# What the texts hang on; another value than these changes more than is known here.
_OPTIONS = {
    "max_rows": ("60",), "min_rows": ("10",), "max_columns": ("0", "20"), "width": ("80",),
    "precision": ("6",), "max_colwidth": ("50",), "float_format": ("None",),
    "chop_threshold": ("None",), "expand_frame_repr": ("True",), "large_repr": ("'truncate'",),
    "show_dimensions": ("'truncate'",), "colheader_justify": ("'right'",),
}  # fmt: skip
_EAST_ASIAN = ("east_asian_width", "ambiguous_as_wide")
MAX_ROWS = 60
MAX_WIDE = 78  # of 80 columns: pandas keeps one, and folds at one less
MAX_TEXT = 50  # display.max_colwidth
DIGITS = 6  # display.precision
_MANY = 1e6  # from here on floats that take too much room are written with exponents
_ESCAPES = (("\t", r"\t"), ("\r", r"\r"), ("\n", r"\n"))
_MAX_WORDS = 12  # of the struct of a block
_NOT_PRINTED = (Undecodable, UnreadableMemory, ValueError, OverflowError)


class Column(NamedTuple):
    """The cells of a column as pandas first writes them; `dtype` is None where it is not known."""

    texts: list[str]
    is_number: bool
    dtype: str | None


@decodes_repr(("pandas.core.frame", "DataFrame.__repr__"))
def data_frame(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what DataFrame.__repr__ does; tell rows, columns and their names where it cannot."""
    try:
        return _frame_text(decoder, obj)
    except _NOT_PRINTED:
        decoder.mark_inexact()
    with suppress(*_NOT_PRINTED):
        columns, rows = _frame_indexes(decoder, decoder.obj(decoder.attribute(obj.address, "_mgr")))
        decoder.note_left_out(
            "shape", f"({_index_length(decoder, rows)}, {_index_length(decoder, columns)})"
        )
        decoder.note_left_out("columns", _labels_text(decoder, columns))
    return decoder.object_repr(obj)


@decodes_repr(("pandas.core.series", "Series.__repr__"))
def series(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Series.__repr__ does; tell how many values there are where it cannot."""
    try:
        return _series_text(decoder, obj)
    except _NOT_PRINTED:
        decoder.mark_inexact()
    with suppress(*_NOT_PRINTED):
        labels = _index_of_series(decoder, decoder.attribute(obj.address, "_mgr"))
        decoder.note_left_out("length", str(_index_length(decoder, labels)))
    return decoder.object_repr(obj)


@decodes_repr(("pandas.core.indexes.base", "Index.__repr__"))
def index(decoder: ReprDecoder, obj: Obj) -> str:
    """Tell how many values an index has; the values follow as attributes."""
    decoder.mark_inexact()
    with suppress(*_NOT_PRINTED):
        decoder.note_left_out("length", str(_index_length(decoder, obj.address)))
    return decoder.object_repr(obj)


# -- what is printed ---------------------------------------------------------------------------


def _frame_text(decoder: ReprDecoder, obj: Obj) -> str:
    _require_usual_options(decoder)
    # BlockManager is a word for Cython's methods, its blocks and its axes.
    manager = decoder.obj(decoder.attribute(obj.address, "_mgr"))
    across, down = _frame_indexes(decoder, manager)
    names, labels = _index_labels(decoder, across), _index_labels(decoder, down)
    if not names or not 0 < len(labels) <= MAX_ROWS:
        raise Undecodable("an empty frame, or one of which pandas leaves rows out")
    decoder.refuse_secret_names(*names, *labels)
    columns: dict[int, Column] = {}
    for block in decoder.tuple_items(decoder.word(manager, 1)):
        columns.update(_columns_of_block(decoder, block, len(labels)))
    if sorted(columns) != list(range(len(names))):
        raise Undecodable("blocks that are not all columns")
    shown = [["", *_left_aligned(labels)]]
    for place, name in enumerate(names):
        head = f" {name}" if columns[place].is_number else name
        texts = _fixed_width(_fixed_width(columns[place].texts), len(head))
        shown.append([head.rjust(max(map(len, [head, *texts]))), *texts])
    text = _adjoin(shown, 1)
    if max(map(len, text.split("\n"))) > MAX_WIDE:
        raise Undecodable("wider than a terminal may be")
    return text


def _series_text(decoder: ReprDecoder, obj: Obj) -> str:
    _require_usual_options(decoder)
    manager = decoder.attribute(obj.address, "_mgr")
    (block,) = decoder.tuple_items(decoder.attribute(manager, "blocks"))
    labels = _index_labels(decoder, _index_of_series(decoder, manager))
    if not 0 < len(labels) <= MAX_ROWS:
        raise Undecodable("an empty series, or one of which pandas leaves rows out")
    decoder.refuse_secret_names(*labels)  # a series of a dict has its keys for labels
    column = _array_column(decoder, _block_values(decoder, block), len(labels))
    if column.dtype is None:
        raise Undecodable("its dtype is not known")
    name, end = decoder.attribute(obj.address, "_name"), f"dtype: {column.dtype}"
    if not decoder.is_none(name):
        text = _series_name(decoder, name)
        decoder.refuse_secret_names(text)
        end = f"Name: {text}, {end}"
    return f"{_adjoin([_left_aligned(labels), _fixed_width(column.texts)], 3)}\n{end}"


def _require_usual_options(decoder: ReprDecoder) -> None:
    """Raise Undecodable unless the print options are those that pandas begins with."""
    whole = decoder.module_global("pandas._config.config", "_global_config")
    display = decoder.objects.dict_get(whole, "display")
    wide = display if isinstance(display, Absent) else decoder.objects.dict_get(display, "unicode")
    if isinstance(display, Absent) or isinstance(wide, Absent):
        raise Undecodable("pandas' print options are not to be found")
    usual = [(display, name, values) for name, values in _OPTIONS.items()]
    usual += [(wide, name, ("False",)) for name in _EAST_ASIAN]
    for options, name, values in usual:
        value = decoder.objects.dict_get(options, name)
        if isinstance(value, Absent) or decoder.with_fresh_limits().repr_of(value) not in values:
            raise Undecodable(f"pandas' print option {name} was changed")


def _fixed_width(texts: list[str], least: int = 0) -> list[str]:
    """Do what _make_fixed_width() does: one width, cut after display.max_colwidth."""
    width = min(max([least, *map(len, texts)]), MAX_TEXT)
    return [_cut_text(text, width).rjust(width) for text in texts]


def _left_aligned(labels: list[str]) -> list[str]:
    width = min(max(map(len, labels)), MAX_TEXT)
    return [_cut_text(text, width).ljust(width) for text in labels]


def _cut_text(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _adjoin(columns: list[list[str]], space: int) -> str:
    """Do what adjoin() does: columns of the same height beside each other."""
    widths = [max(map(len, column)) + space for column in columns]
    widths[-1] -= space
    height = max(map(len, columns))
    columns = [[""] * (height - len(column)) + column for column in columns]
    rows = zip(*columns, strict=True)
    return "\n".join(
        "".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows
    )


def _escape_control_characters(text: str) -> str:
    for character, shown in _ESCAPES:
        text = text.replace(character, shown)
    return text


# -- labels ------------------------------------------------------------------------------------


def _index_labels(decoder: ReprDecoder, held: int) -> list[str]:
    """Do what Index._format_flat() does, for whole numbers and text without a name."""
    if not decoder.is_none(decoder.attribute(held, "_name")):
        raise Undecodable("an index with a name")
    try:
        numbers = decoder.obj(decoder.attribute(held, "_range"))
    except Undecodable:
        return _trim_front(_labels_of_values(decoder, decoder.attribute(held, "_data")))
    start, _, step, length = _range_parts(decoder, numbers)
    if length > decoder.limits.width:
        raise Undecodable("more labels than the limits allow")
    texts = [str(start + step * number) for number in range(length)]
    width = max(len(texts[0]), len(texts[-1])) if texts else 0
    return [text.ljust(width) for text in texts]


def _labels_of_values(decoder: ReprDecoder, values: int) -> list[str]:
    if decoder.ident(values) == "numpy.ndarray":
        array, place = open_array_items(decoder, values)
        _require_within_limits(decoder, array.size)
        if array.dtype.kind in "iu" and len(array.shape) == 1:
            numbers = [read_array_number(decoder, place(n), array.dtype) for n in range(array.size)]
            texts = [f"{number: d}" for number in numbers]
            return [text.ljust(max(map(len, texts))) for text in texts]
    column = _array_column(decoder, values, None)
    if column.is_number or column.dtype == "bool":
        raise Undecodable("labels of another kind")
    return column.texts


def _trim_front(texts: list[str]) -> list[str]:
    """Do what trim_front() does: take away the spaces that all texts begin with."""
    while texts and all(text.startswith(" ") for text in texts):
        texts = [text[1:] for text in texts]
    return texts


def _series_name(decoder: ReprDecoder, name: int) -> str:
    """Return the name of a series as it is printed."""
    kind = decoder.ident(name)
    if kind == "str" and decoder.obj(name).is_exact:
        return _escape_control_characters(decoder.string(name))
    if kind == "int" and decoder.obj(name).is_exact:
        return decoder.repr_of(name)
    raise Undecodable("a name of another kind")


# -- cells -------------------------------------------------------------------------------------


def _columns_of_block(decoder: ReprDecoder, block: int, rows: int) -> list[tuple[int, Column]]:
    """Return the columns of a block, each with its place in the frame."""
    places, values = _block_columns(decoder, block), _block_values(decoder, block)
    if decoder.ident(values) != "numpy.ndarray":
        if len(places) != 1:
            raise Undecodable("a block of several columns of another kind")
        return [(places[0], _array_column(decoder, values, rows))]
    array = read_array(decoder, decoder.obj(values))
    if array.shape != (len(places), rows):
        raise Undecodable("a block of another shape than its place")
    return [
        (
            place,
            _cells_of_array_items(
                decoder, [array.item_address((row, n)) for n in range(rows)], array.dtype
            ),
        )
        for row, place in enumerate(places)
    ]


def _block_objects(decoder: ReprDecoder, block: int) -> list[tuple[int, str]]:
    """Return the objects that the struct of a block names, each with its type.

    Its members differ between releases (internals.pyx): the placement always comes first, the
    values last.
    """
    obj = decoder.obj(block)
    count = (obj.type.basicsize - (decoder.layout.size("PyObject") or 0)) // 8
    words = []
    for number in range(min(count, _MAX_WORDS)):
        try:
            word = decoder.word(obj, number)
            words.append((word, decoder.ident(word)))
        except (Undecodable, UnreadableMemory):
            continue
    return words


def _block_values(decoder: ReprDecoder, block: int) -> int:
    """Return the values of a block: an array of numpy, or one of pandas' own."""
    words = _block_objects(decoder, block)
    at = next((i for i, (_, ident) in enumerate(words) if ident == _PLACEMENT), len(words))
    for word, ident in words[at + 1 :]:
        if ident in _ARRAYS or decoder.obj(word).type.name == "ArrowStringArray":
            return word
    raise Undecodable("a block of values of another kind")


def _block_columns(decoder: ReprDecoder, block: int) -> list[int]:
    """Return which columns of the frame a block has: a slice, or an array of numbers."""
    placement = next(
        (word for word, ident in _block_objects(decoder, block) if ident == _PLACEMENT), 0
    )
    if not placement:
        raise Undecodable("a block without a place")
    # A word for Cython's methods, the slice, the array; which of them holds follows as two flags.
    obj = decoder.obj(placement)
    flags = decoder.word(obj, 3)
    has_slice, has_array = flags & HALF_MASK, flags >> 32
    if has_slice not in (0, 1) or has_array not in (0, 1) or not has_slice | has_array:
        raise Undecodable("a place of another release")
    if has_slice:
        whole = decoder.obj(decoder.word(obj, 1))
        ends = [decoder.objects.integer(decoder.word(whole, number)) for number in range(2)]
        step_at = decoder.word(whole, 2)
        step = 1 if decoder.is_none(step_at) else decoder.objects.integer(step_at)
        numbers = [number for number in (*ends, step) if not isinstance(number, Absent)]
        if whole.lineage.ident != "slice" or len(numbers) != 3 or not numbers[2]:
            raise Undecodable("a place of another kind")
        places = range(*numbers)
        _require_within_limits(decoder, len(places))
        return list(places)
    array, place = open_array_items(decoder, decoder.word(obj, 2))
    _require_within_limits(decoder, array.size)
    if array.dtype.kind != "i" or len(array.shape) != 1:
        raise Undecodable("a place of another kind")
    return [read_array_number(decoder, place(number), array.dtype) for number in range(array.size)]


def _array_column(decoder: ReprDecoder, values: int, rows: int | None) -> Column:
    """Return the cells of an array of one dimension, of numpy's or of text of pandas' own."""
    if decoder.ident(values) == "numpy.ndarray":
        array, place = open_array_items(decoder, values)
        _require_within_limits(decoder, array.size)
        column = _cells_of_array_items(decoder, [place(n) for n in range(array.size)], array.dtype)
        if len(array.shape) != 1:
            raise Undecodable("an array of several dimensions")
    else:
        column = _text_column(decoder, values)
    if rows is not None and len(column.texts) != rows:
        raise Undecodable("an array of another length than the index")
    return column


def _text_column(decoder: ReprDecoder, values: int) -> Column:
    """Return the cells of an array of text without missing ones, in Arrow or in numpy."""
    if decoder.obj(values).type.name == "ArrowStringArray":
        texts = read_chunked_texts(decoder, decoder.attribute(values, "_pa_array"))
        dtype = decoder.attribute(values, "_dtype")
    elif decoder.ident(values) == _BACKED:
        # NDArrayBacked is a word for Cython's methods, the array, the dtype.
        obj = decoder.obj(values)
        dtype = decoder.word(obj, 2)
        array, place = open_array_items(decoder, decoder.word(obj, 1))
        _require_within_limits(decoder, array.size)
        if array.dtype.kind != "O" or len(array.shape) != 1:
            raise Undecodable("an array of another kind")
        texts = [_str_cell(decoder, place(number)) for number in range(array.size)]
    else:
        raise Undecodable("an array of another kind")
    if decoder.obj(dtype).type.name != "StringDtype":
        raise Undecodable("an array of another kind")
    try:
        missing = decoder.ident(decoder.attribute(dtype, "_na_value"))
    except Undecodable:
        missing = ""  # before 2.3, which had one kind of text
    return Column(
        [f" {_escape_control_characters(text)}" for text in texts],
        False,
        {"float": "str"}.get(missing),
    )


def _str_cell(decoder: ReprDecoder, at: int) -> str:
    address = decoder.reader.u64(at)
    if decoder.ident(address) != "str" or not decoder.obj(address).is_exact:
        raise Undecodable("text that is missing, or of another kind")
    return decoder.string(address)


def _cells_of_array_items(decoder: ReprDecoder, places: list[int], dtype: DType) -> Column:
    """Do what format_array() does before all cells get one width."""
    name = dtype.str_text if dtype.order != ">" else None
    if dtype.kind == "O":
        return Column([f" {_object_cell(decoder, at)}" for at in places], False, "object")
    if dtype.kind not in "biuf" or (dtype.kind == "f" and dtype.size not in (4, 8)):
        raise Undecodable(f"cells of dtype {dtype.str_text}")
    numbers = [read_array_number(decoder, at, dtype) for at in places]
    if dtype.kind == "b":
        return Column([f" {bool(number)}" for number in numbers], True, name)
    if dtype.kind in "iu":
        return Column([f"{number: d}" for number in numbers], True, name)
    return Column(_float_cells(numbers, dtype.size), True, name)


def _object_cell(decoder: ReprDecoder, at: int) -> str:
    address = decoder.reader.u64(at)
    if not address:
        return "None"
    obj = decoder.obj(address)
    kind = obj.lineage.ident
    if kind == "NoneType":
        return "None"
    if not obj.is_exact or kind not in ("str", "int", "bool"):
        raise Undecodable(f"a cell that is a {kind or 'value'}")
    return (
        _escape_control_characters(decoder.string(address))
        if kind == "str"
        else decoder.repr_of(address)
    )


def _float_cells(values: list[float], size: int) -> list[str]:
    """Do what FloatArrayFormatter does."""
    least = 10.0**-DIGITS
    if size == 4:
        (least,) = struct.unpack("<f", struct.pack("<f", least))
    texts = _trim_common_zeros([_float_text(value, "f") for value in values])
    finite = [abs(value) for value in values if value == value]
    is_long = max(map(len, texts)) > DIGITS + 6 and any(value > _MANY for value in finite)
    if is_long or any(0 < value < least for value in finite):
        texts = _trim_common_zeros([_float_text(value, "e") for value in values])
    return texts


def _float_text(value: float, form: str) -> str:
    return f"{value: .{DIGITS}{form}}" if value == value else "NaN"


def _trim_common_zeros(texts: list[str]) -> list[str]:
    """Do what _trim_zeros_float() does: the zeros that all numbers end with go, but for one."""
    numbers = [text for text in texts if "." in text and "e" not in text]
    if not numbers:
        return texts
    digits = len(numbers[0].partition(".")[2])
    ends = min(digits - 1, *(len(text) - len(text.rstrip("0")) for text in numbers))
    return [text[: len(text) - ends] if text in numbers else text for text in texts]


def _require_within_limits(decoder: ReprDecoder, count: int) -> None:
    if count > decoder.limits.width:
        raise Undecodable("more values than the limits allow")


# -- what is told where nothing is printed -----------------------------------------------------


def _frame_indexes(decoder: ReprDecoder, manager: Obj) -> tuple[int, int]:
    """Return the indexes of a frame (PyObject *): that of its columns, that of its rows."""
    columns, rows = decoder.list_items(decoder.word(manager, 2))
    return columns, rows


def _index_of_series(decoder: ReprDecoder, manager: int) -> int:
    """Return the index of a series (PyObject *), by its SingleBlockManager."""
    (labels,) = decoder.list_items(decoder.attribute(manager, "axes"))
    return labels


def _range_parts(decoder: ReprDecoder, obj: Obj) -> tuple[int, int, int, int]:
    """Return start, stop, step and length of a range."""
    numbers = [decoder.objects.integer(decoder.word(obj, number)) for number in range(4)]
    whole = [number for number in numbers if not isinstance(number, Absent)]
    if obj.lineage.ident != "range" or len(whole) != 4:
        raise Undecodable("an index of another kind")
    return whole[0], whole[1], whole[2], whole[3]


def _index_length(decoder: ReprDecoder, held: int) -> int:
    """Return the length of an Index."""
    try:
        numbers = decoder.obj(decoder.attribute(held, "_range"))
    except Undecodable:
        return _array_size(decoder, decoder.attribute(held, "_data"))
    return _range_parts(decoder, numbers)[3]


def _array_size(decoder: ReprDecoder, held: int) -> int:
    if decoder.ident(held) == _BACKED:
        held = decoder.word(decoder.obj(held), 1)
    if decoder.ident(held) == "numpy.ndarray":
        return open_array_items(decoder, held)[0].size
    return len(read_index_labels(decoder, held))


def _labels_text(decoder: ReprDecoder, held: int) -> str:
    """Return the labels of an Index as a list."""
    try:
        return decoder.repr_of(decoder.attribute(held, "_range"))
    except Undecodable:
        return f"[{', '.join(read_index_labels(decoder, decoder.attribute(held, '_data')))}]"
