# SPDX-License-Identifier: Apache-2.0
"""The caveat of answers about a time from which a prune removed crashes."""

from __future__ import annotations

from gdb_epi.fleet.store.day_of_prune import read_prune_day
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine


def prune_caveat(before: int | None, first: float | None) -> list[str]:
    """Return a caveat where counts may be too small: crashes since `first` may have been pruned."""
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day

    if before is None or (first is not None and first >= before * SECONDS_A_DAY):
        return []
    return [f"Crashes before {iso_day(before)} were pruned: of then there may have been more"]


def read_prune_day_by_itself(engine: Engine) -> int | None:
    """Return what `read_prune_day` does, over a connection of its own."""
    from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

    with engine.connect() as connection:
        return read_prune_day(sqlalchemy_executor(connection))
