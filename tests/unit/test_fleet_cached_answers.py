# SPDX-License-Identifier: Apache-2.0
"""What was worked out of a population, and is kept beside its columns."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from unit.fleet_records import full

from gdb_epi.fleet.lake.manifest import PREPARED
from gdb_epi.fleet.population import cache as population_cache
from gdb_epi.fleet.population import cached_answers
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import DaysHostChanged, Finding
from gdb_epi.fleet.screen.hosts import host_findings
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.typing_lite import NamedTuple

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
        name, changes = population.hosts[host], DaysHostChanged(left=f"2026-10-0{host + 1}")
        yield Finding(
            "host", name, "*é", *numbers, *risk, "t", "s", ("a",), ("b", "c"), members, changes
        )


KINDS = Finding, DaysHostChanged


def kept_or_made(population: Population, day: int, made: Iterable[Finding]) -> list[Finding]:
    """What is kept of a day, else `made`."""
    return cached_answer(population, "hosts", lambda: list(made), *KINDS, of=day)


def once(population: Population, day: int) -> list[Finding]:
    """What is kept; it fails where the findings must be found."""

    def not_kept() -> Iterator[Finding]:
        pytest.fail("not kept")
        yield

    return kept_or_made(population, day, not_kept())


def alike(first: list[Finding], second: list[Finding]) -> bool:
    rows = [
        [[*f[:-2], f.members.tolist(), f.changes] for f in findings] for findings in (first, second)
    ]
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


def test_arrays_tuples_and_what_stands_twice_come_back_as_they_were(db):
    whole = loaded(db)
    (first, _) = some(whole)
    for column in (np.array([3, 1 << 40]), np.arange(3, dtype=np.int8), np.zeros(0), np.array([7])):
        answer = [(column, first), [first, None, True, ()]]
        cached_answer(whole, "odd", lambda answer=answer: answer, *KINDS, of=column.tolist())
        made = lambda: pytest.fail("not kept")  # noqa: E731
        (read, one), (two, *rest) = cached_answer(whole, "odd", made, *KINDS, of=column.tolist())
        assert read.dtype == column.dtype and read.tolist() == column.tolist()
        assert one is two and alike([one], [first]) and rest == [None, True, ()]


def test_only_the_whole_population_has_kept_findings(db):
    whole = loaded(db)
    kept_or_made(whole, DAY, some(whole))
    for part in (
        whole.until_day(DAY),
        whole._replace(cpu=whole.cpu * 0),
        whole._replace(memo=None),
    ):
        assert kept_or_made(part, DAY, iter(())) == []


@pytest.mark.parametrize("old", ["state", "code", "source", "damaged", "cut", "other", "kinds"])
def test_findings_of_another_state_or_code_are_found_again(db, old, monkeypatch):
    whole = loaded(db)
    kept_or_made(whole, DAY, some(whole))
    (file,) = (db.parent / "cache" / "gdb-epi").glob("population-*/hosts-*.json")
    content = file.read_bytes()
    if old == "state":
        whole = loaded(add(db, CRASHES))
    elif old == "code":
        monkeypatch.setattr(cached_answers, "__version__", "0.0.0")
    elif old == "source":
        nested = db.parent / "package" / "render" / "causes"
        nested.mkdir(parents=True)
        (nested / "words.py").write_text("of another version")
        monkeypatch.setattr(cached_answers, "PACKAGE", db.parent / "package")
    elif old == "kinds":
        assert cached_answer(whole, "hosts", lambda: 7, Finding, of=DAY) == 7
        assert cached_answer(whole, "hosts", lambda: 8, of=DAY) == 7
        return
    else:
        other = {"damaged": b"[1]", "cut": content[: len(content) // 2]}
        file.write_bytes(other.get(old, content.replace(b"true", b"size")))
    assert kept_or_made(whole, DAY, iter(())) == [] == once(whole, DAY)


def test_a_folder_that_cannot_be_written_is_no_error(db):
    whole = loaded(db)
    whole.memo.cache_entry = whole.memo.cache_entry._replace(folder=db / "no folder")
    assert len(kept_or_made(whole, DAY, some(whole))) == 2


class NoKind(NamedTuple):
    """What the caller does not name."""

    number: int


@pytest.mark.parametrize(
    "answer", [{1, 2}, {"size": 1}, np.zeros((2, 2)), [NoKind(1)], [np.datetime64(0, "s")]]
)
def test_what_would_not_come_back_as_it_was_is_not_kept(db, answer):
    whole = loaded(db)
    assert cached_answer(whole, "odd", lambda: answer, *KINDS) is answer
    assert cached_answer(whole, "odd", lambda: 7, *KINDS) == 7


@pytest.mark.parametrize("is_gone", [False, True])
def test_answers_of_a_lake_that_is_read_only_are_kept_by_the_user(db, is_gone, monkeypatch):
    """Not those of columns that an export deleted: they are of crashes that were forgotten."""
    whole = loaded(db)
    folder = db.parent / "lake" / PREPARED / "population-a-b"
    folder.mkdir(parents=True)
    whole.memo.cache_entry = whole.memo.cache_entry._replace(folder=folder)
    old = db.parent / "cache" / "gdb-epi" / "population-a-older"
    old.mkdir()

    def replace(path, content):
        if path.parent == folder:
            raise OSError("read-only")
        path.write_bytes(content)

    monkeypatch.setattr(cached_answers, "replace_file", replace)
    if is_gone:
        folder.rmdir()
    made = kept_or_made(whole, DAY, some(whole))
    assert not folder.exists() or not list(folder.iterdir())
    if is_gone:
        assert kept_or_made(whole, DAY, iter(())) == [] and old.exists()
    else:
        assert alike(once(whole, DAY), made) and not old.exists()


def test_few_are_kept_and_none_of_very_many_crashes(db, monkeypatch):
    whole = loaded(db)
    for day in range(cached_answers.MAX_KEPT + 1):
        kept_or_made(whole, day, some(whole))
        for file in whole.memo.cache_entry.folder.glob(f"hosts-{day}-*.json"):
            os.utime(file, (day, day))  # the order of writing, whatever the clock shows
    assert len(once(whole, 1)) == 2 and kept_or_made(whole, 0, iter(())) == []
    monkeypatch.setattr(cached_answers, "MAX_BYTES", 1)
    assert len(kept_or_made(whole, DAY, some(whole))) == 2
    assert kept_or_made(whole, DAY, iter(())) == []


def test_real_findings_survive(db):
    whole = loaded(db)
    on_first = np.arange(CRASHES) % 2 == 1
    mine = whole._replace(host=np.where(on_first, 0, whole.host), bitflip=on_first, memo=None)
    findings = list(host_findings(mine, whole.last_day))
    assert findings
    assert alike(kept_or_made(whole, DAY, iter(findings)), findings) and alike(
        once(whole, DAY), findings
    )
