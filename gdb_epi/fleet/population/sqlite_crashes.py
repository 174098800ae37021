# SPDX-License-Identifier: Apache-2.0
"""Crashes out of SQLite as texts of thousands of rows, which numpy takes apart.

For each value that comes out of SQLite its driver takes two locks and makes an object: of reading
a million crashes that was three quarters. Here SQLite joins the numbers of a row to words of a
fixed number of digits, and the words of many rows to one text. A database whose values do not fit
is read row by row. For a million crashes that takes 1.0 s of CPU; one text a column, which numpy
parses (`fromstring`), takes 1.5, reading them row by row 2.4 (SQLite 3.40, numpy 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gdb_epi.fleet.records.crash_times import EARLIEST
from gdb_epi.fleet.statistics.arrays import ABSENT, Floats, Ints
from gdb_epi.typing_lite import NamedTuple

IDS = 1 << 14  # of crashes that are asked for at a time: their texts fit a CPU's cache
BITS = 52  # of a word
BASE = 10**15  # is added to a word, so that all have 16 digits
MAX_BITS = 21  # of the id of a host or a signature
MAX_CPU = 4094
MAX_LABELS = 62  # verdicts; 0 is none, 63 one that is not known yet
_OTHER = 63
# An exact number of times from 2004 on, whose floats have steps of 2^-22 s; it has 16 digits.
_TICKS, _FIRST_TICK = 1 << 22, 1 << 52
_EIGHT = 10**8

_BOUNDS = "SELECT " + ", ".join(
    f"(SELECT {bound}({name}) FROM crash)"
    for name in ("host_id", "sig_id")
    for bound in ("min", "max")
)
_SETS = "SELECT (SELECT max(id) FROM attrset), (SELECT max(id) FROM libset)"
# A crash of unknown time has that of its arrival in place of it, so far back that both are told
# apart: what lies before EARLIEST is no time of a crash.
_BACK, _NEVER = 1.2e9, 1.5e9
_WHEN = f"CASE WHEN ts >= {EARLIEST} THEN ts ELSE ifnull(received, {_NEVER}) - {_BACK} END"
_NEXT = "SELECT min(id) FROM crash WHERE id >= ?"
_SOME = "FROM crash NOT INDEXED WHERE id BETWEEN ? AND ?"
_FIRST_LABELS = (
    "SELECT DISTINCT verdict FROM (SELECT verdict FROM crash NOT INDEXED "
    "WHERE verdict IS NOT NULL LIMIT 1000)"
)
_LABELS = f"SELECT DISTINCT verdict {_SOME} AND verdict IS NOT NULL"


class ValueTooWide(Exception):
    """A value does not fit its place."""


@contextmanager
def consistent_snapshot(driver: Any) -> Iterator[None]:
    """Let several statements of SQLite read one state of the database."""
    if driver.in_transaction:
        yield
        return
    driver.execute("BEGIN")
    try:
        yield
    finally:
        driver.rollback()


class CrashColumns(NamedTuple):
    """Some crashes as columns; numbers and verdicts below 0 are NULL."""

    keys: Any  # texts of numpy
    ts: Floats  # seconds since the epoch; NaN where it is not known
    received: Floats  # of those whose time is not known; NaN of others, or where that is not known
    verdict: Ints  # codes into a list of labels
    numbers: dict[str, Ints]


class _PackedField(NamedTuple):
    name: str
    bits: int
    sql: str  # an expression of 0 (NULL) up to 2^bits - 1; larger than 1e15 where it does not fit


def read_sqlite_crashes(cursor: Any, labels: list[str]) -> Iterator[CrashColumns]:
    """Yield the crashes, in the order of their ids; new verdicts go to `labels`.

    `cursor` is what can execute SQL in a transaction of its own, so that all is of one state.
    Raises ValueTooWide.
    """
    fields = _measure_fields(cursor)
    words: list[list[_PackedField]] = [[]]
    for field in fields:
        if sum(f.bits for f in words[-1]) + field.bits > BITS:
            words.append([])
        words[-1].append(field)
    labels += [row[0] for row in cursor.execute(_FIRST_LABELS)]
    first = 0
    while (start := cursor.execute(_NEXT, (first,)).fetchone()[0]) is not None:
        first = start + IDS
        span = start, first - 1
        rows = _read_span_of_ids(cursor, words, labels, span)
        if rows is None:  # there are new verdicts
            labels += [r[0] for r in cursor.execute(_LABELS, span) if r[0] not in labels]
            rows = _read_span_of_ids(cursor, words, labels, span)
        if rows is not None and rows.ts.size:
            yield rows


def _measure_fields(cursor: Any) -> list[_PackedField]:
    """The numbers of a row. Raises ValueTooWide."""
    low_host, hosts, low_sig, signatures = cursor.execute(_BOUNDS).fetchone()
    bounds = [x for x in (low_host, hosts, low_sig, signatures) if x is not None]
    # An index gives these bounds at once; all other numbers are looked at in each row.
    if not all(isinstance(x, int) and 0 < x < 1 << MAX_BITS for x in bounds):
        raise ValueTooWide
    sets, libraries = cursor.execute(_SETS).fetchone()
    return [
        _PackedField("lock_inherited", 2, "ifnull(lock_inherited + 1, 0)"),
        _PackedField("bitflip", 2, "ifnull(bitflip + 1, 0)"),
        _PackedField("flip_bit", 7, "ifnull(flip_bit + 1, 0)"),
        _PackedField("death", 31, "ifnull(death, 0)"),
        _PackedField("verdict", _OTHER.bit_length(), ""),
        _PackedField("host_id", (hosts or 1).bit_length(), "ifnull(host_id, 0)"),
        _PackedField(
            "attrset_id", (sets or 1).bit_length(), _sql_guarding_range("attrset_id", 1, sets or 1)
        ),
        _PackedField("sig_id", (signatures or 1).bit_length(), "ifnull(sig_id, 0)"),
        _PackedField(
            "factset_id", (sets or 1).bit_length(), _sql_guarding_range("factset_id", 1, sets or 1)
        ),
        _PackedField(
            "libset_id",
            (libraries or 1).bit_length(),
            _sql_guarding_range("libset_id", 1, libraries or 1),
        ),
        _PackedField("cpu_no", MAX_CPU.bit_length(), _sql_guarding_range("cpu_no", 0, MAX_CPU)),
    ]


def _sql_guarding_range(name: str, low: int, high: int) -> str:
    plus = "" if low else " + 1"
    return (
        f"CASE WHEN {name} IS NULL THEN 0 WHEN {name} BETWEEN {low} AND {high} "
        f"THEN {name}{plus} ELSE 1e300 END"
    )


def _read_span_of_ids(
    cursor: Any,
    words: Sequence[Sequence[_PackedField]],
    labels: Sequence[str],
    span: tuple[int, int],
) -> CrashColumns | None:
    """Read the crashes of a span of ids; None where one has a verdict that is not in `labels`."""
    if len(labels) > MAX_LABELS:
        raise ValueTooWide
    joined = "".join(
        f", group_concat({_sql_of_packed_fields(word, len(labels))}, '')" for word in words
    )
    query = (
        f"SELECT count(*), group_concat(core_key, '\n'), "
        f"group_concat(CAST(({_WHEN}) * {_TICKS}.0 AS INTEGER), ''){joined} {_SOME}"
    )
    count, keys, ticks, *texts = cursor.execute(query, (*labels, *span)).fetchone()
    if not count:
        none = np.zeros(0)
        return CrashColumns(np.zeros(0, dtype="S1"), none, none, np.zeros(0, dtype=np.int64), {})
    numbers: dict[str, Ints] = {}
    for word, text in zip(words, texts, strict=True):
        numbers |= _split_fields(word, fixed_width_numbers(text, count))
    verdict = numbers.pop("verdict")
    if (verdict == _OTHER - 1).any():
        return None
    ts = _read_times(cursor, ticks, count, span)
    plausible = ts >= EARLIEST
    received = np.where(plausible | (ts == _NEVER - _BACK), np.nan, ts + _BACK)
    return CrashColumns(
        _read_keys(keys, count), np.where(plausible, ts, np.nan), received, verdict, numbers
    )


def _sql_of_packed_fields(word: Sequence[_PackedField], labels: int) -> str:
    """The SQL of a word: its first field in its lowest bits."""
    sql = ""
    for field in reversed(word):
        own = field.sql or _sql_of_verdict(labels)
        sql = f"({sql}) * {1 << field.bits} + {own}" if sql else own
    return f"{sql} + {BASE}"


def _sql_of_verdict(labels: int) -> str:
    cases = "".join(f"WHEN ? THEN {number} " for number in range(1, labels + 1))
    other = f"(verdict IS NOT NULL) * {_OTHER}"
    return f"CASE verdict {cases}ELSE {other} END" if labels else other


def _split_fields(word: Sequence[_PackedField], rest: Ints) -> dict[str, Ints]:
    """Return field -> numbers, ABSENT for NULL. Raises ValueTooWide."""
    rest = rest - BASE
    if (rest < 0).any():
        raise ValueTooWide
    numbers = {}
    for field in word:
        code = rest & ((1 << field.bits) - 1)
        # An id is its own code, all others begin with 0.
        numbers[field.name] = np.where(code, code, ABSENT) if field.name in _IDS else code - 1
        rest = rest >> field.bits
    return numbers


_IDS = ("host_id", "sig_id", "attrset_id", "factset_id", "libset_id")


def fixed_width_numbers(text: str, count: int) -> Ints:
    """Return the numbers of a text of 16 digits each. Raises ValueTooWide where it is no such text.

    Eight digits at a time: neighbours are joined to pairs, these to fours, these to eights.
    """
    if len(text) != 16 * count or not text.isascii():
        raise ValueTooWide
    eight = np.frombuffer(text.encode("ascii"), dtype="<u8")
    if ((eight & 0xF0F0F0F0F0F0F0F0) != 0x3030303030303030).any():
        raise ValueTooWide
    eight = (eight & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8
    eight = (eight & 0x00FF00FF00FF00FF) * 6553601 >> 16
    eight = (eight & 0x0000FFFF0000FFFF) * 42949672960001 >> 32
    high, low = eight.astype(np.int64).reshape(count, 2).T
    return np.asarray(high * _EIGHT + low)


def _read_times(cursor: Any, text: str, count: int, span: tuple[int, int]) -> Floats:
    """The times; those of clocks that are years behind (or ahead) are asked for singly."""
    try:
        ticks = fixed_width_numbers(text, count)
    except ValueTooWide:
        ticks = np.zeros(1, dtype=np.int64)
    if ((ticks < _FIRST_TICK) & (ticks >= EARLIEST * _TICKS) | (ticks == 0)).any():
        rows = cursor.execute(f"SELECT {_WHEN} {_SOME}", span)
        return np.fromiter((row[0] for row in rows), float, count)
    return ticks / _TICKS


def _read_keys(text: str, count: int) -> Any:
    """Texts (ASCII), one a line, as one array; those of one length need no look at each."""
    if not text.isascii():
        raise ValueTooWide
    digits = text.encode("ascii") + b"\n"
    if digits.count(b"\n") != count:
        raise ValueTooWide
    size, rest = divmod(len(digits), count)
    if not rest and size > 1:
        table = np.frombuffer(digits, dtype=np.uint8).reshape(count, size)
        if (table[:, -1] == ord("\n")).all():
            return np.ascontiguousarray(table[:, :-1]).view(f"S{size - 1}").ravel()
    return np.array(digits.split(b"\n")[:-1], dtype="S")
