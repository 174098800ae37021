# SPDX-License-Identifier: Apache-2.0
"""Dates, times and zones: datetime and zoneinfo."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.typing_lite import NamedTuple


def _packed_fields(decoder: ReprDecoder, obj: Obj, struct_name: str, size: int) -> bytes:
    return decoder.reader.read(obj.address + decoder.offset(struct_name, "data"), size)


def _date_parts(packed: bytes) -> list[int]:
    parts = [packed[0] << 8 | packed[1], packed[2], packed[3]]
    if not (1 <= parts[0] <= 9999 and 1 <= parts[1] <= 12 and 1 <= parts[2] <= 31):
        raise Undecodable(f"a date of {parts}")
    return parts


def _time_parts(packed: bytes) -> list[int]:
    hour, minute, second = packed[:3]
    micro = int.from_bytes(packed[3:6], "big")
    if hour > 23 or minute > 59 or second > 59 or micro > 999_999:
        raise Undecodable(f"a time of {hour}:{minute}:{second}.{micro}")
    parts = [hour, minute, second, micro]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return parts


def _zone_text(decoder: ReprDecoder, obj: Obj, kind: str) -> str:
    fold = decoder.reader.u8(obj.address + decoder.offset(kind, "fold"))
    text = f", fold={fold}" if fold else ""
    if decoder.reader.u8(obj.address + decoder.offset(kind, "hastzinfo")):
        text += f", tzinfo={decoder.repr_of(decoder.field(obj.address, kind, 'tzinfo'))}"
    return text


@decodes("datetime.date")
def date(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a date."""
    parts = _date_parts(_packed_fields(decoder, obj, "PyDateTime_Date", 4))
    return f"{decoder.type_name(obj)}({', '.join(map(str, parts))})"


@decodes("datetime.datetime")
def date_time(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a datetime."""
    kind = "PyDateTime_DateTime"
    packed = _packed_fields(decoder, obj, kind, 10)
    parts = _date_parts(packed) + _time_parts(packed[4:])
    return f"{decoder.type_name(obj)}({', '.join(map(str, parts))}{_zone_text(decoder, obj, kind)})"


@decodes("datetime.time")
def time(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a time of day."""
    kind = "PyDateTime_Time"
    parts = _time_parts(_packed_fields(decoder, obj, kind, 6))
    return f"{decoder.type_name(obj)}({', '.join(map(str, parts))}{_zone_text(decoder, obj, kind)})"


class TimeDelta(NamedTuple):
    """What a timedelta holds."""

    days: int
    seconds: int
    microseconds: int

    @property
    def whole_seconds(self) -> int:
        """Return it without its microseconds."""
        return self.days * 86400 + self.seconds


def read_timedelta(decoder: ReprDecoder, address: int) -> TimeDelta:
    """Return a timedelta. Raises UnreadableMemory."""
    places = (address + decoder.offset("PyDateTime_Delta", name) for name in TimeDelta._fields)
    raw = (decoder.reader.read(at, 4) for at in places)
    return TimeDelta(*(int.from_bytes(number, "little", signed=True) for number in raw))


@decodes("datetime.timedelta")
def time_delta(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a timedelta."""
    parts = read_timedelta(decoder, obj.address)
    shown = [f"{name}={value}" for name, value in parts._asdict().items() if value]
    return f"{decoder.type_name(obj)}({', '.join(shown) or '0'})"


@decodes("datetime.timezone")
def time_zone(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a timezone: after the header are its offset and its name or NULL."""
    offset, name = decoder.word(obj, 0), decoder.word(obj, 1)
    if decoder.ident(offset) != "datetime.timedelta":
        raise Undecodable("its offset is no timedelta")
    text = decoder.repr_of(offset)
    if not name:
        # timezone(timedelta(0)) is always the one object `timezone.utc`.
        is_utc = text.endswith("(0)")
        return decoder.type_name(obj) + (".utc" if is_utc else f"({text})")
    return f"{decoder.type_name(obj)}({text}, {decoder.repr_of(name)})"


@decodes("datetime.IsoCalendarDate")
def iso_calendar_date(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode what isocalendar() returns since 3.9 (bpo-24416): a tuple with a repr of its own."""
    start = obj.address + decoder.offset("PyTupleObject", "ob_item")
    year, week, day = (
        decoder.repr_of(at) for at in decoder.read_object_pointers(start, 3, "its parts")
    )
    return f"{decoder.type_name(obj)}(year={year}, week={week}, weekday={day})"


@decodes_repr(("datetime", "IsoCalendarDate.__repr__"))
def python_iso_calendar_date(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the isocalendar() tuple of the Python datetime does."""
    year, week, day = (decoder.repr_of(at) for at in decoder.tuple_items(obj.address))
    return f"{decoder.class_name(obj)}(year={year}, week={week}, weekday={day})"


@decodes("zoneinfo.ZoneInfo")
def zone_info(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a zoneinfo.ZoneInfo: its key is the first word after the header."""
    key = decoder.word(obj, 0)
    if decoder.ident(key) != "str":
        raise Undecodable("it has no key")
    name = obj.type.qualified_name if obj.type.module else obj.type.full_name
    return f"{name}(key={decoder.repr_of(key)})"


@decodes_repr(("dateutil.tz.tz", "tzutc.__repr__"), ("dateutil.tz.tz", "tzlocal.__repr__"))
def dateutil_zone(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what both zones of dateutil do."""
    return f"{decoder.class_name(obj)}()"


@decodes_repr(("pytz.tzinfo", "DstTzInfo.__repr__"))
def pytz_zone(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what DstTzInfo.__repr__ of pytz does."""
    zone = decoder.types.lookup(obj.type, "zone")
    names = ("_tzname", "_utcoffset", "_dst")
    name, offset, dst = (decoder.attribute(obj.address, field) for field in names)
    if zone is None or any(decoder.ident(at) != "datetime.timedelta" for at in (offset, dst)):
        raise Undecodable("a zone without a name or an offset")
    seconds = read_timedelta(decoder, offset).whole_seconds
    days, rest = divmod(seconds, 86400)
    span = f"{days} day{'' if abs(days) == 1 else 's'}, " if days else ""
    span += f"{rest // 3600}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    sign = "+" if seconds > 0 or not seconds else ""
    kind = "DST" if read_timedelta(decoder, dst).whole_seconds else "STD"
    return f"<DstTzInfo {decoder.repr_of(zone[1])} {decoder.string(name)}{sign}{span} {kind}>"
