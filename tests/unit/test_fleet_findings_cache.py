# SPDX-License-Identifier: Apache-2.0
"""Findings of hosts that are kept beside the cached population."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from unit.fleet_records import full

from gdb_epi.fleet.population import cache as population_cache
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen import findings_cache
from gdb_epi.fleet.screen.finding import Finding, HostChanges
from gdb_epi.fleet.screen.findings_cache import Together, cached_events, cached_host_findings
from gdb_epi.fleet.screen.hosts import host_findings
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest

CRASHES, DAY = 60, 20_420


@pytest.fixture
def db(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(population_cache, "MIN_CRASHES", 1)
    return add(tmp_path / "f.sqlite3", 0)


def add(db: Path, first: int) -> Path:
    with open_database(str(db), write=True) as engine:
        ingest(engine, [("t", full(i)) for i in range(first, first + CRASHES)])
    return db


def loaded(db: Path) -> Population:
    with open_database(str(db), write=False) as engine:
        return load_population(engine)


def some(population: Population) -> Iterator[Finding]:
    """A finding with all that is hard to write down; the next one is of many crashes."""
    for host in (0, 1):
        members = population.host == host
        numbers = int(members.sum()), population.day.size, 1 / 3, 1e-300
        risk = np.float64(0.1) * 3, 0.0, math.inf
        name, changes = population.hosts[host], HostChanges(left=f"2026-10-0{host + 1}")
        yield Finding(
            "host", name, "*é", *numbers, *risk, "t", "s", ("a",), ("b", "c"), members, changes
        )


def kept_or_made(population: Population, day: int, made: Iterable[Finding]) -> list[Finding]:
    """What is kept of a day, else `made`."""
    return cached_host_findings(population, day, lambda *_: made)


def once(population: Population, day: int) -> list[Finding]:
    """What is kept; it fails where the findings must be found."""

    def found() -> Iterator[Finding]:
        pytest.fail("not kept")
        yield

    return kept_or_made(population, day, found())


def alike(one: list[Finding], two: list[Finding]) -> bool:
    rows = [[[*f[:-2], f.members.tolist(), f.changes] for f in findings] for findings in (one, two)]
    return rows[0] == rows[1]


def test_what_was_found_is_kept_to_the_last_bit(db):
    first = loaded(db)
    made = kept_or_made(first, DAY, some(first))
    assert len(made) == 2 and alike(made, list(some(first)))
    assert alike(once(first, DAY), made)
    again = loaded(db)
    assert again is not first and alike(once(again, DAY), made)
    assert [f.members.dtype for f in once(again, DAY)] == [np.dtype(bool)] * 2
    assert kept_or_made(again, DAY + 1, iter(())) == [] == once(again, DAY + 1)
    assert alike(once(again, DAY), made)


def test_only_the_whole_population_has_kept_findings(db):
    whole = loaded(db)
    kept_or_made(whole, DAY, some(whole))
    for part in (whole.until(DAY), whole._replace(cpu=whole.cpu * 0), whole._replace(memo=None)):
        assert kept_or_made(part, DAY, iter(())) == []


@pytest.mark.parametrize("old", ["state", "code", "source", "damaged", "cut", "other"])
def test_findings_of_another_state_or_code_are_found_again(db, old, monkeypatch):
    whole = loaded(db)
    kept_or_made(whole, DAY, some(whole))
    (file,) = (db.parent / "cache" / "gdb-epi").glob("population-*/host_findings.json")
    if old == "state":
        whole = loaded(add(db, CRASHES))
    elif old == "code":
        monkeypatch.setattr(findings_cache, "__version__", "0.0.0")
    elif old == "source":
        monkeypatch.setattr(findings_cache, "ROOMS", ("statistics", "screen"))
    elif old == "other":
        kept = json.loads(file.read_text())
        kept["days"][str(DAY)][0][-1] = [CRASHES]  # no such crash
        file.write_text(json.dumps(kept))
    else:
        data = file.read_bytes()
        file.write_bytes(b"[1]" if old == "damaged" else data[: len(data) // 2])
    assert kept_or_made(whole, DAY, iter(())) == [] == once(whole, DAY)


def test_a_folder_that_cannot_be_written_is_no_error(db):
    whole = loaded(db)
    whole.memo.cache_entry = whole.memo.cache_entry._replace(folder=db / "no folder")
    assert len(kept_or_made(whole, DAY, some(whole))) == 2


def test_few_are_kept_and_none_of_very_many_crashes(db, monkeypatch):
    whole = loaded(db)
    for day in range(findings_cache.MAX_KEPT + 1):
        kept_or_made(whole, day, some(whole))
    assert len(once(whole, 1)) == 2 and kept_or_made(whole, 0, iter(())) == []
    monkeypatch.setattr(findings_cache, "MAX_MEMBERS", 1)
    assert len(kept_or_made(whole, DAY, some(whole))) == 2
    assert kept_or_made(whole, DAY, iter(())) == []


def test_real_findings_survive(db):
    whole = loaded(db)
    on_first = np.arange(CRASHES) % 2 == 1
    mine = whole._replace(host=np.where(on_first, 0, whole.host), bitflip=on_first, memo=None)
    found = list(host_findings(mine, whole.last_day))
    assert found
    assert alike(kept_or_made(whole, DAY, iter(found)), found) and alike(once(whole, DAY), found)


@pytest.mark.parametrize("damage", ["", "beyond", "length", "findings", "code"])
def test_what_came_together_is_kept_to_the_last_bit(db, damage):
    whole = loaded(db)
    repeats, first = np.array([3, 4, 9]), np.array([2, 2, 8])
    made = repeats, first, tuple(some(whole))
    cached_events(whole, lambda _: made)
    (file,) = (db.parent / "cache" / "gdb-epi").glob("population-*/events.json")
    kept = json.loads(file.read_text())
    if damage == "beyond":
        kept["stands_for"][0] = CRASHES
    elif damage == "length":
        kept["repeated"].pop()
    elif damage == "findings":
        del kept["findings"]
    elif damage == "code":
        kept["code"][-1] = "another"
    file.write_text(json.dumps(kept))
    asked: list[Population] = []

    def again(population: Population) -> Together:
        asked.append(population)
        return made

    found = cached_events(loaded(db), again)
    assert len(asked) == bool(damage)
    assert np.array_equal(found[0], repeats) and np.array_equal(found[1], first)
    assert alike(list(found[2]), list(made[2]))


def test_only_the_whole_population_has_kept_events(db):
    whole = loaded(db)
    cached_events(whole, lambda _: (np.array([3]), np.array([2]), ()))
    nothing = np.zeros(0, dtype=np.int64)
    for part in (whole.until(DAY), whole._replace(cpu=whole.cpu * 0), whole._replace(memo=None)):
        assert cached_events(part, lambda _: (nothing, nothing, ()))[0].size == 0
