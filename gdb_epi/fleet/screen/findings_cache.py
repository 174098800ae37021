# SPDX-License-Identifier: Apache-2.0
"""A cache of events and of findings about hosts, beside the cached population.

They are more than half of what `suspects`, `split` and `correlate SIGNATURE` compute, and the same
for all of them while the database does not change. A file that is damaged, was written by other
code or cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gdb_epi import __version__
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import Finding, HostChanges
from gdb_epi.fleet.screen.hosts import host_findings
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.statistics.scipy_special import SCIPY_VERSION

FILE = "host_findings.json"  # in the folder of the population
EVENTS = "events.json"  # the same
MAX_MEMBERS = 1_000_000  # crashes of all findings; reading more takes as long as finding them
MAX_KEPT = 4  # days (or groups) of one state
ROOMS = ("statistics", "population", "screen")  # whose code makes the findings


def cached_host_findings(
    population: Population,
    day: int,
    find: Callable[[Population, int], Iterable[Finding]] = host_findings,
) -> list[Finding]:
    """Return the findings of hosts at the end of a day: the cached ones, else those of `find`.

    They are cached only for a whole population from the cache, not for a part or a changed one.
    """
    place = _place_of(population)
    if place is None:
        return list(find(population, day))
    folder, code = place
    path = folder / FILE
    kept: dict[str, Any] = {}
    try:
        kept = dict(_read(path, code)["days"])
        return [_finding(row, population.day.size) for row in kept[str(day)]]
    except (KeyError, TypeError, ValueError, IndexError):
        pass
    findings = list(find(population, day))
    if sum(finding.n for finding in findings) <= MAX_MEMBERS:
        days = dict([*kept.items(), (str(day), _rows(findings))][-MAX_KEPT:])
        _write(path, json.dumps({"code": code, "days": days}))
    return findings


Together = tuple[Ints, Ints, tuple[Finding, ...]]  # repeats, what they stand for, findings


def cached_events(population: Population, find: Callable[[Population], Together]) -> Together:
    """Return the events of a population: the cached ones of the whole one, else those of `find`."""
    place = _place_of(population)
    if place is None:
        return find(population)
    folder, code = place
    kept, size = _read(folder / EVENTS, code), population.day.size
    try:
        repeated, stands_for = (
            np.array(kept[name], dtype=np.int64) for name in ("repeated", "stands_for")
        )
        both = np.stack((repeated, stands_for))  # of one length, or damaged
        if not ((both < 0) | (both >= size)).any():
            return repeated, stands_for, tuple(_finding(row, size) for row in kept["findings"])
    except (KeyError, TypeError, ValueError, IndexError):
        pass
    repeated, stands_for, findings = find(population)
    if repeated.size + sum(finding.n for finding in findings) <= MAX_MEMBERS:
        columns = {"repeated": repeated.tolist(), "stands_for": stands_for.tolist()}
        content = {"code": code, **columns, "findings": _rows(findings)}
        _write(folder / EVENTS, json.dumps(content))
    return repeated, stands_for, findings


def _place_of(population: Population) -> tuple[Path, list[str]] | None:
    """Return the folder of a population, and the version of the code that makes its findings."""
    entry = population.memo.cache_entry if population.memo is not None else None
    if entry is None or entry.population is not population:
        return None
    code = _code_version()
    return None if code is None else (entry.folder, code)


def _rows(findings: Iterable[Finding]) -> list[list[Any]]:
    return [[*f[:-2], f.changes, np.flatnonzero(f.members).tolist()] for f in findings]


def _read(path: Path, code: list[str]) -> dict[str, Any]:
    """Return the contents of a file, if this code wrote it."""
    try:
        content = json.loads(path.read_bytes())
        if content["code"] == code:
            return dict(content)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _write(path: Path, content: str) -> None:
    """Write a new file and rename it: a reader sees the whole file or the previous one."""
    draft = None
    try:
        handle, draft = tempfile.mkstemp(prefix=path.stem, suffix=".part", dir=path.parent)
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(content)
        Path(draft).rename(path)
    except OSError:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)


def _code_version() -> list[str] | None:
    """Return what changes whenever the findings may: versions, and a hash of our own source.

    The hash is of the contents: times of files say nothing after a copy, a checkout or an install.
    None where there are no files to read (inside a ZIP file).
    """
    fleet = Path(__file__).parent.parent
    source = hashlib.sha256()
    try:
        for room in ROOMS:
            for path in sorted((fleet / room).glob("*.py")):
                source.update(path.name.encode() + b"\0" + path.read_bytes())
    except OSError:
        return None
    return [__version__, np.__version__, SCIPY_VERSION, source.hexdigest()]


def _finding(row: list[Any], size: int) -> Finding:
    *values, aliases, caveats, changes, where = row
    members = np.zeros(size, dtype=bool)
    members[where] = True
    return Finding._make([*values, tuple(aliases), tuple(caveats), members, HostChanges(*changes)])
