# SPDX-License-Identifier: Apache-2.0
"""The findings of hosts, kept beside the cached population of a state of the database.

They are more than half of what `suspects`, `split` and `correlate SIGNATURE` compute, and the same
for all of them. A file that is of another state or of other code, damaged, or cannot be written is
no error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gdb_epi import __version__
from gdb_epi.fleet.population.atomic_write import write_whole
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.types import Finding
from gdb_epi.typing_lite import NamedTuple

MAX_MEMBERS = 1_000_000  # crashes of all findings; reading more takes as long as finding them
MAX_KEPT = 4  # days (or groups) of one state


class Shelf(NamedTuple):
    """Where the findings of a population are kept."""

    path: Path
    state: Mapping[str, Any]
    whole: Population  # the one that is of this state: no part of it, nothing replaced in it


def shelved(population: Population, day: int, found: Iterable[Finding]) -> list[Finding]:
    """Return the findings of hosts of a day: `found`, which is read unless they are kept.

    Only those of a whole population out of the cache are.
    """
    shelf = population.memo.shelf if population.memo is not None else None
    code = _code() if shelf is not None and shelf.whole is population else None
    if shelf is None or code is None:
        return list(found)
    head = {"state": dict(shelf.state), "code": code}
    kept = _kept(shelf.path, head)
    try:
        return [_finding(row, population.day.size) for row in kept[str(day)]]
    except (KeyError, TypeError, ValueError, IndexError):
        pass
    made = list(found)
    if sum(finding.n for finding in made) <= MAX_MEMBERS:
        some = dict([*kept.items(), (str(day), [_row(f) for f in made])][-MAX_KEPT:])
        data = json.dumps({**head, "found": some}).encode()
        write_whole(shelf.path, lambda stream: stream.write(data))
    return made


def _kept(path: Path, head: Mapping[str, Any]) -> dict[str, Any]:
    """The findings of each day, if they are of this state and code."""
    try:
        whole = json.loads(path.read_bytes())
        if all(whole[name] == head[name] for name in head):
            return dict(whole["found"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _code() -> list[Any] | None:
    """What changes when the statistics do: the version, and their modules; None: not known."""
    fleet = os.path.dirname(os.path.dirname(__file__))
    files = []
    try:
        for room in ("population", "screen", "statistics"):
            with os.scandir(os.path.join(fleet, room)) as entries:
                files += [
                    [f"{room}/{e.name}", e.stat().st_size, e.stat().st_mtime_ns]
                    for e in entries
                    if e.name.endswith(".py")
                ]
    except OSError:  # inside a ZIP file
        return None
    return [__version__, np.__version__, *sorted(files)]


def _row(finding: Finding) -> list[Any]:
    return [*finding[:-1], np.flatnonzero(finding.members).tolist()]


def _finding(row: list[Any], size: int) -> Finding:
    *told, aliases, caveats, where = row
    members = np.zeros(size, dtype=bool)
    members[where] = True
    return Finding._make([*told, tuple(aliases), tuple(caveats), members])
