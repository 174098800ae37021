# SPDX-License-Identifier: Apache-2.0
"""Scalars and categoricals of pandas: Timestamp, Timedelta, Period, Interval, NaT, NA, Categorical.

The classes are Cython's, whose structs no table has. Each lies after the struct of its C base
(pandas/_libs/tslibs, 2.0 to 3.1): a word for Cython's methods, then the fields. A Timestamp and a
Timedelta say twice when they are, as datetime's struct and as a count of units; where the two
differ nothing is shown.
"""

from __future__ import annotations

from contextlib import suppress

from gdb_epi.cpython.values.decoders.datetime import read_timedelta
from gdb_epi.cpython.values.libraries.numpy import EPOCH, NOT_A_TIME, item_text, read_array_number
from gdb_epi.cpython.values.libraries.numpy_arrays import open_array_items
from gdb_epi.cpython.values.libraries.pyarrow import read_chunked_texts
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import HALF_MASK

_UNITS = {7: 1, 8: 10**3, 9: 10**6, 10: 10**9}  # NPY_DATETIMEUNIT, as parts of a second
_NANOSECONDS = 10
_MAX_MINUTES = 24 * 60
_TSLIBS = "pandas._libs.tslibs"
_MONTHS = "DEC JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV".split()
_DAYS = "SUN MON TUE WED THU FRI SAT".split()
# By hundreds of PeriodDtypeCode (pandas/_libs/tslibs/dtypes.pyx); 2.2 (gh-55792) renamed some.
_CODES = {3: "M", 5: "B", 6: "D", 7: "h", 8: "min", 9: "s", 10: "ms", 11: "us", 12: "ns"}
_OLD_CODES = {"h": "H", "min": "T", "s": "S", "ms": "L", "us": "U", "ns": "N"}
_PER_DAY = {7: 24, 8: 1440, 9: 86400, 10: 86400 * 10**3, 11: 86400 * 10**6, 12: 86400 * 10**9}
MAX_MULTIPLE = 1 << 31
MAX_SHOWN = 10
MAX_CATEGORIES = 10
_WIDE = 60  # beyond it the categories may be broken into lines


@decodes(f"{_TSLIBS}.nattype._NaT")
def not_a_time(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode NaT."""
    return "NaT"


@decodes_repr(("pandas._libs.missing.C_NAType", "NAType.__repr__"))
def na_value(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode NA."""
    return "<NA>"


# -- moments and spans -------------------------------------------------------------------------


def _time_unit(decoder: ReprDecoder, obj: Obj) -> int:
    """Return NPY_DATETIMEUNIT of a Timestamp or Timedelta: the last field of its struct."""
    return decoder.reader.u32(obj.address + obj.lineage.root.basicsize - 8)


def _to_nanoseconds(value: int, unit: int) -> int:
    parts = _UNITS.get(unit)
    if parts is None:
        raise Undecodable(f"a time of unit {unit}")
    return value * (10**9 // parts)


def _local_and_utc_time(decoder: ReprDecoder, obj: Obj) -> tuple[int, int, str]:
    """Return (local time and UTC time, both in ns since 1970, text of the local time)."""
    from datetime import date

    packed = decoder.reader.read(obj.address + decoder.offset("PyDateTime_DateTime", "data"), 10)
    year, month, day = packed[0] << 8 | packed[1], packed[2], packed[3]
    hour, minute, second = packed[4:7]
    micro = int.from_bytes(packed[7:10], "big")
    fields = obj.address + (decoder.layout.size("PyDateTime_DateTime") or 0) + 8
    value, nano = decoder.reader.i64(fields), decoder.reader.i64(fields + 8)
    if not 0 <= nano < 1000 or hour > 23 or minute > 59 or second > 59 or micro > 999_999:
        raise Undecodable("its struct is of another release")
    try:
        days = date(year, month, day).toordinal() - EPOCH
    except ValueError as error:
        raise Undecodable(str(error)) from None
    seconds = days * 86400 + hour * 3600 + minute * 60 + second
    local = seconds * 10**9 + micro * 1000 + nano
    utc = _to_nanoseconds(value, _time_unit(decoder, obj))
    text = f"{year}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}"
    if nano:
        text += f".{nano + 1000 * micro:09d}"
    elif micro:
        text += f".{micro:06d}"
    return local, utc, text


@decodes(f"{_TSLIBS}.timestamps._Timestamp")
def timestamp(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Timestamp: its offset from UTC is the difference of its two times."""
    kind = "PyDateTime_DateTime"
    local, utc, text = _local_and_utc_time(decoder, obj)
    if not decoder.reader.u8(obj.address + decoder.offset(kind, "hastzinfo")):
        if local != utc:
            raise Undecodable("its two times differ")
        return f"Timestamp('{text}')"
    seconds, rest = divmod(local - utc, 10**9)
    if rest or abs(seconds) >= _MAX_MINUTES * 60:
        raise Undecodable("its two times differ by more than a zone")
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    text += f"{sign}{seconds // 3600:02d}{seconds // 60 % 60:02d}"
    text += f"{seconds % 60:02d}" if seconds % 60 else ""
    zone = _zone_text(decoder, decoder.field(obj.address, kind, "tzinfo"))
    return f"Timestamp('{text}', tz='{zone}')"


def _zone_text(decoder: ReprDecoder, address: int) -> str:
    """Return str() of what pandas' get_timezone() gives for a tzinfo. Raises Undecodable."""
    obj = decoder.obj(address)
    ident = obj.lineage.ident
    if ident == "datetime.timezone":
        return _datetime_timezone_text(decoder, obj)
    if ident == "zoneinfo.ZoneInfo":
        return decoder.string(decoder.word(obj, 0))
    name = decoder.types.lookup(obj.type, "zone")
    if name is not None and decoder.ident(name[1]) == "str":  # pytz
        return decoder.string(name[1])
    text = decoder.repr_of(address)
    if not text.startswith(("pytz.FixedOffset(", "tzutc(", "tzlocal(")):
        decoder.mark_inexact()
    return text


def _datetime_timezone_text(decoder: ReprDecoder, obj: Obj) -> str:
    """Return str() of a datetime.timezone."""
    name = decoder.word(obj, 1)
    if name:
        return decoder.string(name)
    seconds = read_timedelta(decoder, decoder.word(obj, 0)).whole_seconds
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    if not seconds:
        return "UTC"
    rest = f":{seconds % 60:02d}" if seconds % 60 else ""
    return f"UTC{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}{rest}"


@decodes(f"{_TSLIBS}.timedeltas._Timedelta")
def timedelta(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Timedelta."""
    value = decoder.reader.i64(obj.address + (decoder.layout.size("PyDateTime_Delta") or 0) + 8)
    if value == NOT_A_TIME:
        raise Undecodable("a Timedelta that is NaT")
    total = _to_nanoseconds(value, _time_unit(decoder, obj))
    is_seconds = (
        _time_unit(decoder, obj) != _NANOSECONDS
    )  # before 3.0 datetime's fields were off then
    span = read_timedelta(decoder, obj.address)
    if total // 1000 != span.whole_seconds * 10**6 + span.microseconds and (
        not is_seconds or _pandas_release(decoder) >= (3, 0)
    ):
        raise Undecodable("its two spans differ")
    days, rest = divmod(total, 86400 * 10**9)
    seconds, part = divmod(rest, 10**9)
    text = f"{days} days{' +' if days < 0 else ' '}"
    text += f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if part % 1000:
        text += f".{part:09d}"
    elif part:
        text += f".{part // 1000:06d}"
    return f"Timedelta('{text}')"


# -- periods and intervals ---------------------------------------------------------------------


def _pandas_release(decoder: ReprDecoder) -> tuple[int, int]:
    """Return the release of pandas: (major, minor). Raises Undecodable."""
    text = decoder.string(decoder.module_global("pandas", "__version__"), 64)
    parts = text.split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        raise Undecodable("pandas.__version__ is no version")
    return int(parts[0]), int(parts[1])


@decodes(f"{_TSLIBS}.period._Period")
def period(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Period: ordinal, dtype, freq; from 3.0 on dtype, if any, comes last.

    Which word is the dtype its type says; the ordinal is the word before it.
    """
    words = [decoder.word(obj, index) for index in range(3)]
    at = next((i for i in (1, 2) if _is_period_dtype(decoder, words[i])), None)
    if at is None:
        raise Undecodable("it has no frequency")
    ordinal = words[at - 1] - (1 << 64 if words[at - 1] >> 63 else 0)
    code, multiple = _period_code_and_multiple(
        decoder, decoder.obj(words[at]), words[2] if at == 1 else 0
    )
    text = _period_text(ordinal, code)
    return f"Period('{text}', '{multiple}{_period_dtype_text(decoder, code)}')"


def _is_period_dtype(decoder: ReprDecoder, address: int) -> bool:
    try:
        return decoder.ident(address) == f"{_TSLIBS}.dtypes.PeriodDtypeBase"
    except (UnreadableMemory, Undecodable):
        return False


def _period_code_and_multiple(decoder: ReprDecoder, dtype: Obj, offset: int) -> tuple[int, str]:
    """Return (PeriodDtypeCode, multiple as text) of a dtype; 2.0 has the multiple in the offset."""
    code = decoder.word(dtype, 1) & HALF_MASK  # after the word for Cython's methods
    multiple = 1
    if dtype.lineage.root.basicsize >= 40:
        multiple = decoder.signed_word_of_object(dtype, 2)
    elif offset:  # BaseOffset begins with n
        multiple = decoder.signed_word_of_object(decoder.obj(offset), 0)
    if not 0 < multiple < MAX_MULTIPLE:
        raise Undecodable(f"a frequency of {multiple} times")
    return code, "" if multiple == 1 else str(multiple)


def _period_dtype_text(decoder: ReprDecoder, code: int) -> str:
    group, rest = divmod(code, 1000)
    is_old = _pandas_release(decoder) < (2, 2)
    if group in (1, 2) and rest < 12:
        return f"{'Q' if group == 2 else 'A' if is_old else 'Y'}-{_MONTHS[rest]}"
    if group == 4 and rest < 7:
        return f"W-{_DAYS[rest]}"
    text = _CODES.get(group, "") if not rest else ""
    if not text:
        raise Undecodable(f"a frequency of code {code}")
    return _OLD_CODES.get(text, text) if is_old else text


def _iso_day(days: int) -> str:
    from datetime import date

    try:
        return date.fromordinal(days + EPOCH).isoformat()
    except (ValueError, OverflowError):
        raise Undecodable(f"day {days}: outside of the years 1 to 9999") from None


def _period_text(ordinal: int, code: int) -> str:
    """Return a period as period_format() of pandas/_libs/tslibs/period.pyx does."""
    group, rest = divmod(code, 1000)
    if group == 1:
        return f"{1970 + ordinal:d}"
    if group == 2:
        return f"{1970 + ordinal // 4}Q{ordinal % 4 + 1}"
    if group == 3:
        return f"{1970 + ordinal // 12:d}-{ordinal % 12 + 1:02d}"
    if group == 4:
        end = ordinal * 7 + rest - 4
        return f"{_iso_day(end - 6)}/{_iso_day(end)}"
    if group == 5:
        return _iso_day((ordinal + 3) // 5 * 7 + (ordinal + 3) % 5 - 3)
    if group == 6:
        return _iso_day(ordinal)
    per_day = _PER_DAY.get(group)
    if per_day is None:
        raise Undecodable(f"a frequency of code {code}")
    days, part = divmod(ordinal, per_day)
    seconds, fraction = divmod(part * 86400 * 10**9 // per_day, 10**9)
    text = f"{_iso_day(days)} {seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    if group >= 9:
        text += f":{seconds % 60:02d}"
    digits = 3 * (group - 9)
    return f"{text}.{f'{fraction:09d}'[:digits]}" if digits > 0 else text


@decodes("pandas._libs.interval.Interval")
def interval(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an Interval: left, right, closed; moments are shown without quotes from 2.1 on."""
    left, right = (_interval_end_text(decoder, decoder.word(obj, index)) for index in (0, 1))
    closed = decoder.word(obj, 2)
    if decoder.ident(closed) != "str":
        raise Undecodable("its closed side is no str")
    return f"{decoder.class_name(obj)}({left}, {right}, closed={decoder.repr_of(closed)})"


def _interval_end_text(decoder: ReprDecoder, address: int) -> str:
    obj = decoder.obj(address)
    if obj.lineage.ident != f"{_TSLIBS}.timestamps._Timestamp":
        shown = decoder.repr_of(address)
        is_wrapped = shown.startswith("np.") and shown.endswith(")")  # it shows what item() gives
        return shown.partition("(")[2][:-1] if is_wrapped else shown
    text = timestamp(decoder, obj).split("'")[1]
    if _pandas_release(decoder) >= (2, 1):
        return text
    return repr(text.removesuffix(" 00:00:00"))


# -- categoricals ------------------------------------------------------------------------------


@decodes_repr(("pandas.core.arrays.categorical", "Categorical.__repr__"))
def categorical(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Categorical.__repr__ does, for categories of text, whole numbers and truth.

    NDArrayBacked (pandas/_libs/arrays.pyx) is a word for Cython's methods, the codes, the dtype.
    """
    codes_at, dtype_at = decoder.word(obj, 1), decoder.word(obj, 2)
    categories = decoder.attribute(dtype_at, "_categories")
    data = decoder.attribute(categories, "_data")
    kind, shown = _read_categories(decoder, data)
    is_ordered = decoder.attribute_text(dtype_at, "_ordered") == "True"
    count, codes = _read_categorical_codes(decoder, codes_at)
    if any(not -1 <= code < len(shown) for code in codes):
        raise Undecodable("a code without a category")
    texts = ["NaN" if code < 0 else shown[code] for code in codes]
    tail = ""
    if count > MAX_SHOWN:
        texts[MAX_SHOWN // 2 : MAX_SHOWN // 2] = ["..."]
        tail = f"Length: {count}\n"
    head = f"[{', '.join(texts)}]" if texts else "[], "
    between = " < " if is_ordered else ", "
    inside = between.join(shown)
    if len(shown) > MAX_CATEGORIES or len(inside) > _WIDE or not texts:
        decoder.mark_inexact()  # how it is broken into lines depends on the terminal
    return f"{head}\n{tail}Categories ({len(shown)}, {kind}): [{inside}]"


def _read_categorical_codes(decoder: ReprDecoder, address: int) -> tuple[int, list[int]]:
    """Return how many codes there are, and the first and last ones."""
    array, place = open_array_items(decoder, address)
    count, half = array.size, MAX_SHOWN // 2
    shown = range(count) if count <= MAX_SHOWN else [*range(half), *range(count - half, count)]
    if array.dtype.kind != "i":
        raise Undecodable("codes that are no numbers")
    return count, [read_array_number(decoder, place(number), array.dtype) for number in shown]


def _read_categories(decoder: ReprDecoder, data: int) -> tuple[str, list[str]]:
    """Return the dtype of categories and the text of each."""
    if decoder.ident(data) != "numpy.ndarray":
        # Categories that an array of pandas' own holds: text, in Arrow or in numpy (3.0)
        with suppress(Undecodable):
            texts = read_chunked_texts(decoder, decoder.attribute(data, "_pa_array"))
            return "str", [repr(text) for text in texts]
        if decoder.ident(data) == "pandas._libs.arrays.NDArrayBacked":
            held = decoder.word(decoder.obj(data), 1)
            if decoder.ident(held) == "numpy.ndarray":
                return "str", _read_categories(decoder, held)[1]
        raise Undecodable("categories of an array of another kind")
    array, place = open_array_items(decoder, data)
    if array.size > decoder.limits.width:
        raise Undecodable(f"{array.size} categories")
    places = [place(number) for number in range(array.size)]
    if array.dtype.kind == "O":
        if any(decoder.ident(decoder.reader.u64(at)) != "str" for at in places):
            decoder.mark_inexact()
    elif array.dtype.kind not in "biu":
        decoder.mark_inexact()  # floats and times are shown to a common precision
    return array.dtype.str_text, [item_text(decoder, at, array.dtype) for at in places]


def read_index_labels(decoder: ReprDecoder, held: int) -> list[str]:
    """Return the labels that the array of an Index holds, each as text. Raises Undecodable."""
    return _read_categories(decoder, held)[1]
