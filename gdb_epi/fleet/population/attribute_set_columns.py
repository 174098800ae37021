# SPDX-License-Identifier: Apache-2.0
"""The value that each set of attributes has, as columns.

Hosts share sets as a rule. Where each crash has one of its own (a job, a boot, labels) a million
crashes have twenty million rows of values: a dict of them takes gigabytes, and an object for each
number that comes out of the database most of the time. Here SQLite joins the rows of a span to
texts, one a column; a text that comes again is an object once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from gdb_epi.fleet.population.population import MAX_VALUES
from gdb_epi.fleet.population.sqlite_crashes import (
    BASE,
    ValueTooWide,
    consistent_snapshot,
    fixed_width_numbers,
)
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Ints, narrow_codes
from gdb_epi.fleet.store import tables
from gdb_epi.typing_lite import NamedTuple

SPAN = 1 << 14  # rows of SQLite that are read at a time: their texts fit a CPU's cache
ROWS = 10_000  # of any other database
MAX_LAYOUTS = 64  # sequences of attributes that are kept: most sets have the same ones
MAX_TEXTS = 200_000  # values of all attributes, from which on it is looked which have too many
MAX_LEFT_OUT = 500  # attributes that a query leaves out: older SQLite allows 999 variables
AFTER = "\x1e"  # rows with a text that has this character in it are read one by one

_NEXT = "SELECT min(rowid) FROM attrset_value WHERE rowid >= ?"
_JOINED = (
    f"SELECT count(*), group_concat(attrset_id + {BASE}, ''), "
    f"group_concat(attr, '{AFTER}'), group_concat(value, '{AFTER}') "
)
_EACH = "SELECT attrset_id, attr, value "
_SOME = "FROM attrset_value NOT INDEXED WHERE rowid BETWEEN ? AND ?"


class AttributeColumn(NamedTuple):
    """The values of one attribute: those of the sets that have it."""

    sets: Ints  # their ids
    codes: Ints  # into `texts`, beside them
    texts: list[str]

    def restricted_to_sets(self, used: Bools) -> AttributeColumn:
        """Return those of some sets (a mask by id, whose last place is of none), texts in order."""
        some = used[np.minimum(self.sets, used.size - 1)]
        codes = self.codes[some]
        occurring = np.flatnonzero(np.bincount(codes, minlength=len(self.texts)))
        order = sorted(occurring.tolist(), key=self.texts.__getitem__)
        place = np.zeros(len(self.texts), dtype=np.int64)
        place[order] = np.arange(len(order))
        return AttributeColumn(self.sets[some], place[codes], [self.texts[i] for i in order])

    def codes_of_sets(self, sets: Ints) -> Ints:
        """Return the code of each set; ABSENT where it has none."""
        size = max(int(sets.max(initial=0)), int(self.sets.max(initial=0))) + 2
        table = np.full(size, ABSENT, dtype=np.int64)
        table[self.sets] = self.codes
        # ABSENT is -1: the last place, which is of no set.
        return np.asarray(narrow_codes(table)[sets])


def mask_of_occurring_sets(*columns: Ints) -> Bools:
    """Return which ids of sets occur, as a mask whose last place is of none."""
    used = np.zeros(max(int(column.max(initial=0)) for column in columns) + 2, dtype=bool)
    for column in columns:
        used[column] = True
    used[ABSENT] = False
    return used


def read_attribute_columns(connection: Connection) -> dict[str, AttributeColumn]:
    """Return attribute -> its values, without attributes that name single crashes."""
    reading = _AttributeValuesRead()
    driver = connection.connection.driver_connection
    if connection.dialect.name == "sqlite" and driver is not None:
        with consistent_snapshot(driver):
            _read_attribute_values_from_sqlite(driver, reading)
    else:
        v = tables.attrset_value.c
        chosen = select(v.attrset_id, v.attr, v.value).execution_options(stream_results=True)
        cursor = connection.execute(chosen)
        while rows := cursor.fetchmany(ROWS):
            reading.add_rows(rows)
    return reading.attribute_columns()


class _NumberByText(dict[str, int]):
    """Text -> its number, a new one when it is first met."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class _RowsByAttribute(NamedTuple):
    """The attributes of some rows."""

    order: Ints  # of the rows, by attribute
    attributes: list[int]
    parts: list[slice]  # of the rows in this order, one an attribute


class _AttributeValuesRead:
    """What was read so far."""

    def __init__(self) -> None:
        self.left_out: dict[str, None] = {}  # attributes with too many values
        self._attributes, self._texts = _NumberByText(), _NumberByText()
        self._layouts: dict[str, _RowsByAttribute] = {}
        self._rows: dict[int, list[tuple[Ints, Ints]]] = {}  # of an attribute: sets and values
        self._most = MAX_TEXTS

    def add_rows(self, rows: Iterable[tuple[int, str, str]]) -> None:
        """Take rows of a set, an attribute and a value."""
        some = [row for row in rows if row[1] not in self.left_out]
        if some:
            sets, attrs, values = zip(*some, strict=True)
            self._add_values(np.array(sets, dtype=np.int64), self._rows_by_attribute(attrs), values)

    def add_joined_columns(self, count: int, sets: str, attrs: str, values: str) -> None:
        """Take as many rows, columns joined. Raises ValueTooWide where they cannot be parted."""
        ids, parted = fixed_width_numbers(sets, count) - BASE, values.split(AFTER)
        layout = self._layouts.get(attrs)
        if layout is None:
            names = attrs.split(AFTER)
            if len(names) != count:
                raise ValueTooWide
            layout = self._rows_by_attribute(names)
            if len(self._layouts) == MAX_LAYOUTS:
                self._layouts.clear()
            self._layouts[attrs] = layout
        if len(parted) != count:
            raise ValueTooWide
        self._add_values(ids, layout, parted)

    def _rows_by_attribute(self, names: Sequence[str]) -> _RowsByAttribute:
        which = narrow_codes(self._numbers_of_texts(self._attributes, names))
        order = np.argsort(which, kind="stable")  # of 8 or 16 bits: by counting
        begins = np.flatnonzero(np.diff(which[order], prepend=ABSENT)).tolist()
        parts = list(map(slice, begins, [*begins[1:], which.size]))
        return _RowsByAttribute(order, which[order[begins]].tolist(), parts)

    def _numbers_of_texts(self, numbered: _NumberByText, texts: Sequence[str]) -> Ints:
        return np.fromiter(map(numbered.__getitem__, texts), np.int64, len(texts))

    def _add_values(self, sets: Ints, layout: _RowsByAttribute, texts: Sequence[str]) -> None:
        values = narrow_codes(self._numbers_of_texts(self._texts, texts)[layout.order], np.int16)
        sets = narrow_codes(sets[layout.order], np.int32)
        for which, part in zip(layout.attributes, layout.parts, strict=True):
            self._rows.setdefault(which, []).append((sets[part], values[part]))
        if len(self._texts) > self._most:
            # Drop the attributes that have too many values already: the texts need not be all
            # kept.
            for attr, which in self._attributes.items():
                rows = self._rows.get(which, [])
                if rows and _distinct_numbers([values for _, values in rows]).size > MAX_VALUES:
                    self.left_out[attr] = None
                    del self._rows[which]
            self._most = 2 * len(self._texts)

    def attribute_columns(self) -> dict[str, AttributeColumn]:
        """Return what was read, by attribute."""
        made = {}
        texts = list(self._texts)
        for attr, which in self._attributes.items():
            rows = self._rows.pop(which, [])
            if not rows or attr in self.left_out:
                continue
            sets, values = (np.concatenate(column) for column in zip(*rows, strict=True))
            numbers = _distinct_numbers([values])
            if numbers.size <= MAX_VALUES:
                place = np.zeros(int(numbers[-1]) + 1, dtype=np.int16)  # MAX_VALUES fit
                place[numbers] = np.arange(numbers.size)
                made[attr] = AttributeColumn(
                    sets, place[values], [texts[i] for i in numbers.tolist()]
                )
        return made


def _distinct_numbers(columns: Sequence[Ints]) -> Ints:
    """Return the distinct numbers of columns, in order."""
    occurs = np.zeros(max(int(column.max()) for column in columns) + 1, dtype=bool)
    for column in columns:
        occurs[column] = True
    return np.flatnonzero(occurs)


def _read_attribute_values_from_sqlite(driver: Any, reading: _AttributeValuesRead) -> None:
    first = 0
    while (start := driver.execute(_NEXT, (first,)).fetchone()[0]) is not None:
        first = start + SPAN
        left_out = list(reading.left_out)[:MAX_LEFT_OUT]
        marks = ", ".join("?" * len(left_out))
        some = f"{_SOME} AND attr NOT IN ({marks})" if left_out else _SOME
        given = (start, first - 1, *left_out)
        count, *columns = driver.execute(_JOINED + some, given).fetchone()
        try:
            if count:
                reading.add_joined_columns(count, *columns)
        except ValueTooWide:
            reading.add_rows(driver.execute(_EACH + some, given).fetchall())
