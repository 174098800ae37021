# SPDX-License-Identifier: Apache-2.0
"""What an export works out once, so that the first question over a lake is as quick as the next.

The columns of all crashes, their events, silences, the screening of the last day and its verdicts,
in a folder of the lake: whoever may read the lake has them.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from gdb_epi.errors import EpiError
from gdb_epi.fleet.lake.manifest import PREPARED
from gdb_epi.fleet.paths import LAKE_PREFIX
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.questions.verdict import judge_population
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.database import open_database


def prepare_lake(lake: Path) -> None:
    """Answer what most questions ask, of a lake that has enough crashes for it to matter.

    Where that fails (no DuckDB, a full disk) the first question works it out.
    """
    with suppress(EpiError), open_database(f"{LAKE_PREFIX}{lake}", write=False) as engine:
        population = load_population(engine, into_lake=True)
        entry = population.memo.cache_entry if population.memo is not None else None
        if entry is None or entry.folder.parent.name != PREPARED:
            return
        day = population.last_day
        judge_population(population, day, screen_population(population, day))
        check_quality(population)
