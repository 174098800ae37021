# SPDX-License-Identifier: Apache-2.0
"""Crashes out of DuckDB as columns: what comes out of Parquet needs no taking apart.

There are ten times as many as a database has, so each column is put in its place once: numbers in
as few bytes as they need, hexadecimal keys in half of their size. For ten million crashes a list of
texts alone would take a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from gdb_epi.fleet.population.population import pack_hex
from gdb_epi.fleet.population.sqlite_crashes import CrashColumns
from gdb_epi.fleet.records.crash_times import EARLIEST
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Floats,
    Ints,
    absent_column,
    row_blocks_with_next_row,
)
from gdb_epi.typing_lite import NamedTuple

ROWS = 100_000  # of a batch


def read_duckdb_crashes(
    driver: Any, names: tuple[str, ...], labels: list[str]
) -> Iterator[CrashColumns]:
    """Yield all crashes at once, in the order of their ids; new verdicts go to `labels`.

    `driver` is DuckDB's own connection; `names` are the columns of numbers.
    """
    sizes = _read_column_sizes(driver, names)
    if not sizes.rows:
        return
    try:
        ids, rows = _read_crashes(driver, names, sizes, labels, packed=sizes.width % 2 == 0)
    except ValueError:  # keys that are not hexadecimal, or not all as long as the first
        labels.clear()
        ((width,),) = driver.execute("SELECT max(strlen(core_key)) FROM crash").fetchall()
        sizes = sizes._replace(width=max(width, 1))
        ids, rows = _read_crashes(driver, names, sizes, labels, packed=False)
    if any((np.diff(ids[part]) < 0).any() for part in row_blocks_with_next_row(ids.size)):
        order = np.argsort(ids, kind="stable")
        keys, ts, received, verdict, numbers = rows
        numbers = {name: column[order] for name, column in numbers.items()}
        rows = CrashColumns(keys[order], ts[order], received[order], verdict[order], numbers)
    yield rows


class _CrashColumnSizes(NamedTuple):
    """How many crashes there are, and what their columns hold."""

    rows: int
    width: int  # of the first key; all have that of a hash, as a rule
    last: int  # id
    untimed: int  # crashes of unknown time
    most: dict[str, int]  # the largest number of each column that has any


def _read_crashes(
    driver: Any,
    names: tuple[str, ...],
    sizes: _CrashColumnSizes,
    labels: list[str],
    *,
    packed: bool,
) -> tuple[Ints, CrashColumns]:
    """Return the ids, and the crashes in no order.

    Raises ValueError: a key cannot be packed, or is longer than the first one.
    """
    count, width = sizes.rows, sizes.width
    kinds = {name: _smallest_integer_type(most) for name, most in sizes.most.items()}
    ids = np.zeros(count, dtype=_smallest_integer_type(sizes.last))
    keys = np.zeros(count, dtype=f"V{width // 2}" if packed else f"S{width}")
    ts = np.zeros(count)
    # When a crash arrived is looked at where its time is not known.
    received = np.zeros(count) if sizes.untimed else np.broadcast_to(np.float64(np.nan), count)
    verdict: Any = np.zeros(count, dtype=np.int16)
    numbers: dict[str, Any] = {name: np.zeros(count, dtype=kind) for name, kind in kinds.items()}
    code: dict[str | None, int] = {None: ABSENT}
    at = 0
    for batch in _arrow_batches_of_crashes(driver, kinds, untimed=bool(sizes.untimed)):
        part = slice(at, at + batch.num_rows)
        at += batch.num_rows
        ids[part] = batch["id"].to_numpy()
        texts = _text_column(batch["core_key"], width)
        keys[part] = pack_hex(texts) if packed else texts
        ts[part] = _float_column(batch["ts"])
        if sizes.untimed:
            received[part] = _float_column(batch["received"])
        coded = batch["verdict"].dictionary_encode()
        here = coded.dictionary.to_pylist()
        for label in sorted(set(here) - code.keys()):
            code[label] = len(labels)
            labels.append(label)
        places = np.array([*map(code.__getitem__, here), ABSENT], dtype=np.int16)
        which = coded.indices.fill_null(ABSENT).to_numpy(zero_copy_only=False)
        verdict[part] = places[which]  # ABSENT is -1: the last one
        for name, column in numbers.items():
            column[part] = batch[name].to_numpy()
    # Let Arrow give back the memory that it keeps for more batches.
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    numbers |= {name: absent_column(count) for name in names if name not in kinds}
    return ids, CrashColumns(keys, ts, received, verdict, numbers)


def _smallest_integer_type(most: int) -> Any:
    """Return the smallest type of numbers up to `most`, and ABSENT."""
    return next(k for k in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(k).max)


def _read_column_sizes(driver: Any, names: tuple[str, ...]) -> _CrashColumnSizes:
    # Flags are truth values: they have no maximum.
    largest = ", ".join(f"max(CAST({name} AS BIGINT))" for name in names)
    untimed = f"count(*) FILTER (ts IS NULL OR ts < {EARLIEST})"
    asked = f"SELECT count(*), coalesce(max(id), 0), {untimed}, {largest} FROM crash"
    ((count, last, untimed, *most),) = driver.execute(asked).fetchall()
    first = driver.execute("SELECT strlen(core_key) FROM crash LIMIT 1").fetchall()
    width = max(first[0][0], 1) if first else 1
    has_some = {name: n for name, n in zip(names, most, strict=True) if n is not None}
    return _CrashColumnSizes(count, width, last, untimed, has_some)


def _arrow_batches_of_crashes(driver: Any, kinds: dict[str, Any], *, untimed: bool) -> Any:
    chosen = ["id", "core_key", "verdict"]
    for name, kind in kinds.items():
        bits = 8 * np.dtype(kind).itemsize
        number = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[bits]
        chosen.append(f"CAST(coalesce(CAST({name} AS BIGINT), {ABSENT}) AS {number}) AS {name}")
    if untimed:
        chosen.append(f"CASE WHEN ts >= {EARLIEST} THEN ts END AS ts")
        chosen.append(f"CASE WHEN ts >= {EARLIEST} THEN NULL ELSE received END AS received")
    else:
        chosen.append("ts")
    rows = driver.sql(f"SELECT {', '.join(chosen)} FROM crash")
    # Renamed in DuckDB 1.4. Asked for so, the rows are not copied a second time.
    read = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader
    return read(ROWS)


def _float_column(column: Any) -> Floats:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=float)  # NULL is NaN


def _text_column(column: Any, width: int) -> Any:
    """Texts of one length lie back to back: they are taken as they lie.

    Raises ValueError where one is longer.
    """
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):  # they are not of one length
        fixed = column.cast(pa.binary()).cast(pa.binary(width))
        if not fixed.null_count:
            _, content = fixed.buffers()
            start = fixed.offset * width
            return np.frombuffer(content, dtype=f"S{width}", count=len(fixed), offset=start)
    texts = [text.encode() for text in column.to_pylist()]
    if max(map(len, texts), default=0) > width:
        raise ValueError("a longer key")
    return np.array(texts, dtype=f"S{width}")
