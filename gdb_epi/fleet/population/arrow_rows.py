# SPDX-License-Identifier: Apache-2.0
"""Crashes out of DuckDB as columns: what comes out of Parquet needs no taking apart.

There are ten times as many as a database has, so each column is put in its place once: numbers in
four bytes, keys as they are. For ten million crashes a list of texts alone would take a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gdb_epi.fleet.population.packed_rows import Rows
from gdb_epi.fleet.records.times import EARLIEST
from gdb_epi.fleet.statistics.arrays import ABSENT, Floats

ROWS = 100_000  # of a batch


def arrow_rows(driver: Any, names: tuple[str, ...], labels: list[str]) -> Iterator[Rows]:
    """Yield all crashes at once, in the order of their ids; new verdicts go to `labels`.

    `driver` is DuckDB's own connection; `names` are the columns of numbers.
    """
    count, width, bounds = _sizes(driver, names)
    if not count:
        return
    ids = np.zeros(count, dtype=np.int64)
    keys = np.zeros(count, dtype=f"S{width}")
    ts, received = np.zeros(count), np.zeros(count)
    verdict = np.zeros(count, dtype=np.int16)
    numbers: dict[str, Any] = {
        name: np.zeros(count, dtype=np.int32 if most < 1 << 31 else np.int64)
        for name, most in zip(names, bounds, strict=True)
    }
    code: dict[str | None, int] = {None: ABSENT}
    at = 0
    for batch in _batches(driver, names):
        part = slice(at, at + batch.num_rows)
        at += batch.num_rows
        ids[part] = batch["id"].to_numpy()
        keys[part] = _texts(batch["core_key"], width)
        ts[part], received[part] = (_floats(batch[name]) for name in ("ts", "received"))
        coded = batch["verdict"].dictionary_encode()
        here = coded.dictionary.to_pylist()
        for label in sorted(set(here) - code.keys()):
            code[label] = len(labels)
            labels.append(label)
        places = np.array([*map(code.__getitem__, here), ABSENT], dtype=np.int16)
        verdict[part] = places[_integers(coded.indices)]  # ABSENT is -1: the last one
        for name, column in numbers.items():
            column[part] = _integers(batch[name])
    order: Any = slice(None)
    if (np.diff(ids) < 0).any():
        order = np.argsort(ids, kind="stable")
    yield Rows(
        keys[order],
        np.where(ts >= EARLIEST, ts, np.nan)[order],
        received[order],
        verdict[order].astype(np.int64),
        {name: column[order] for name, column in numbers.items()},
    )


def _sizes(driver: Any, names: tuple[str, ...]) -> tuple[int, int, list[int]]:
    """Return how many crashes there are, the longest key, and the largest number of each column."""
    # Flags are truth values: they have no maximum.
    largest = ", ".join(f"coalesce(max(CAST({name} AS BIGINT)), 0)" for name in names)
    asked = f"SELECT count(*), coalesce(max(strlen(core_key)), 1), {largest} FROM crash"
    ((count, width, *most),) = driver.execute(asked).fetchall()
    return count, max(width, 1), most


def _batches(driver: Any, names: tuple[str, ...]) -> Any:
    numbers = ", ".join(f"CAST({name} AS BIGINT) AS {name}" for name in names)
    rows = driver.sql(f"SELECT id, core_key, ts, received, verdict, {numbers} FROM crash")
    # Renamed in DuckDB 1.4. Asked for so, the rows are not copied a second time.
    read = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader
    return read(ROWS)


def _integers(column: Any) -> Any:
    return column.fill_null(ABSENT).to_numpy(zero_copy_only=False)


def _floats(column: Any) -> Floats:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=float)  # NULL is NaN


def _texts(column: Any, width: int) -> Any:
    """Texts of one length lie back to back: they are taken as they lie."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.cast(pa.binary())
    sizes = pc.binary_length(texts)
    if len(texts) and not texts.null_count and pc.min(sizes).as_py() == width:
        fixed = texts.cast(pa.binary(width))
        _, content = fixed.buffers()
        start = fixed.offset * width
        return np.frombuffer(content, dtype=f"S{width}", count=len(texts), offset=start)
    return np.array(texts.to_pylist(), dtype=f"S{width}")
