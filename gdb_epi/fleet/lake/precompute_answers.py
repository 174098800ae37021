# SPDX-License-Identifier: Apache-2.0
"""What an export works out once, so that the first question over a lake is as quick as the next.

The columns of all crashes, their events, silences, the screening of the last day and its verdicts,
in a folder of the lake, as private as the lake is. After an upgrade answers are worked out again,
of the same columns, by the next export or the first question (kept in the cache of its user if
the lake is read-only).
"""

from __future__ import annotations

from pathlib import Path

from gdb_epi.errors import EpiError
from gdb_epi.fleet.lake.export import lock_folder
from gdb_epi.fleet.paths import LAKE_PREFIX
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.questions.population_verdict import judge_population
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.database import open_database


def precompute_answers_of_lake(lake: Path) -> None:
    """Answer what most questions ask, of a lake that has enough crashes for it to matter.

    The lock keeps other exports from removing files meanwhile. Where it fails (no DuckDB, a full
    disk, another export that prepares it) the first question works it out: the export is done.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        return
    try:
        with lock_folder(lake), open_database(f"{LAKE_PREFIX}{lake}", write=False) as engine:
            population = load_population(engine, into_lake=True)
            entry = population.memo.cache_entry if population.memo is not None else None
            if entry is None or not entry.folder.is_dir():
                return
            day = population.last_day
            judge_population(population, day, screen_population(population, day))
            check_quality(population)
    except (EpiError, OSError, MemoryError, duckdb.Error):
        return
