# SPDX-License-Identifier: Apache-2.0
"""Cells: how many crashes of a day have the same host, signature and attributes.

One definition in SQL that SQLite, PostgreSQL, DuckDB and Spark all understand, over tables (or
views of Parquet files) with the names of `store/tables.py`. The day is that of the stored time:
the questions set the times of clocks that are off aside, which takes the order of arrival.
"""

from __future__ import annotations

from gdb_epi.fleet.lake.manifest import DAY_EXPRESSIONS
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gdb_epi.fleet.store.plain_sql import Execute

_BY = ("host_id", "sig_id", "attrset_id")
_COLUMNS = ", ".join(_BY)
CELLS = (
    f"SELECT cell_day, {_COLUMNS}, count(*) AS crashes FROM "
    f"(SELECT {DAY_EXPRESSIONS['crash']} AS cell_day, {_COLUMNS} FROM crash) AS days "
    f"GROUP BY cell_day, {_COLUMNS}"
)


class CrashCell(NamedTuple):
    """Crashes of one day, host, signature and set of attributes; None: not known."""

    day: int | None
    host_id: int | None
    sig_id: int | None
    attrset_id: int | None
    crashes: int


def read_cells(execute: Execute) -> Iterator[CrashCell]:
    """Yield all cells, in no order."""
    return (CrashCell(*row) for row in execute(CELLS, {}))
