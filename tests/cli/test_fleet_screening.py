# SPDX-License-Identifier: Apache-2.0
"""The screening on simulated fleets whose causes are planted (tests/support/fleet_simulator.py)."""

from __future__ import annotations

import json
from datetime import timedelta

import numpy as np
import pytest
from support.fleet_simulator import (
    DAY,
    FIRST_DAY,
    population,
    records,
    screen_at_times,
    simulate,
    write_exposure,
)

from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.screen.screening import screen_day_by_day, screen_population
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_tail,
    holm_adjusted_p_values,
    hypergeometric_tail,
    negative_binomial_tail,
    q_values,
)
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.day_numbers import EPOCH
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest

SMALL = {"hosts": 400, "days": 21}
SEEDS = [7000, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in (7001, 7002))]


def raised(fleet):
    """Every finding with the day on which it was raised."""
    return [(s.day, f) for s in screen_day_by_day(population(fleet)) for f in s.findings]


def own(fleet, cause, day):
    """How many crashes of a cause there were by the end of a day."""
    return sum(c.cause == cause and FIRST_DAY + c.day <= day for c in fleet.crashes)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bad_host_is_raised_by_the_hour_within_four_of_its_crashes(seed):
    fleet = simulate(seed, bad_host=1.0, **SMALL)
    moment = next(
        moment
        for moment, screened in screen_at_times(fleet, population(fleet), 24)
        if any((f.attr, f.value) == ("host", fleet.truth["bad_host"]) for f in screened.findings)
    )
    crashes = [(FIRST_DAY + c.day) * DAY + c.second for c in fleet.crashes if c.cause == "bad_host"]
    assert sum(second < moment for second in crashes) <= 4


def test_a_host_is_named_amid_a_day_and_not_again_at_its_end(tmp_path, shell):
    fleet = simulate(7001, bad_host=1.5, hosts=120, days=14, per_day=20)
    fourth = [i for i, c in enumerate(fleet.crashes) if c.cause == "bad_host"][3]
    day = fleet.crashes[fourth].day
    assert any(c.day == day for c in fleet.crashes[fourth + 1 :])
    lines = list(records(fleet))
    db = str(tmp_path / "fleet.sqlite3")
    for days, until, is_named in ((day, fourth + 1, True), (day + 1, len(lines), False)):
        known = fleet._replace(days=days, hours=fleet.hours[:days])
        write_exposure(known, tmp_path / "hours.csv")
        with open_database(db, write=True) as engine:
            ingest(engine, (("t", r) for r in lines[:until]))
            store_exposure(engine, read_host_days(tmp_path / "hours.csv"))
        asof = (EPOCH + timedelta(days=FIRST_DAY + day)).isoformat()
        done = shell("fleet", "screen", "--json", "--asof", asof, "--db", db)
        named = [json.loads(line).get("value") for line in done.out.splitlines()]
        assert (fleet.truth["bad_host"] in named) == is_named


@pytest.mark.parametrize("seed", SEEDS)
def test_a_race_is_raised_by_version_or_load(seed):
    fleet = simulate(seed, race=2.0, **SMALL)
    name, values = fleet.truth["race"]
    hits = [d for d, f in raised(fleet) if f.signature == name and values.get(f.attr) == f.value]
    assert hits and own(fleet, "race", hits[0]) <= 12


@pytest.mark.heavy
def test_both_parts_of_a_split_are_named_and_told_apart():
    fleet = simulate(7000, split=3.0, hosts=400, days=30)
    name, host, values = fleet.truth["split"]
    marks = {(f.attr, f.value) for _, f in raised(fleet) if f.signature == name}
    assert ("host", host) in marks
    assert marks & set(values.items())
    peeled = list(screen_day_by_day(population(fleet)))[-1].peeled
    parts = [(c.cause, bool(p)) for c, p in zip(fleet.crashes, peeled, strict=True)]
    wrong = sum(p != (c == "split-host") for c, p in parts if c.startswith("split"))
    assert wrong <= 1  # the software part can hit the host too


@pytest.mark.heavy
def test_few_alarms_where_nothing_is_planted():
    raised_by_seed = [raised(simulate(seed, variance=0.5, **SMALL)) for seed in range(7100, 7105)]
    assert sum(len(f) for f in raised_by_seed) <= 5  # of 105 days


@pytest.mark.heavy
def test_later_data_is_never_used():
    fleet = simulate(7000, bad_host=1.0, race=2.0, **SMALL)
    whole = population(fleet)
    day = FIRST_DAY + 12
    early = [f.identity for s in screen_day_by_day(whole.until_day(day)) for f in s.findings]
    late = [f.identity for s in screen_day_by_day(whole) if s.day <= day for f in s.findings]
    assert early == late


@pytest.mark.heavy
def test_through_the_database_as_through_arrays(tmp_path, shell):
    fleet = simulate(7001, bad_host=1.5, hosts=120, days=14, per_day=20)
    db = str(tmp_path / "fleet.sqlite3")
    write_exposure(fleet, tmp_path / "hours.csv")
    with open_database(db, write=True) as engine:
        assert ingest(engine, (("t", r) for r in records(fleet))).added == len(fleet.crashes)
        assert store_exposure(engine, read_host_days(tmp_path / "hours.csv")).rows == 120 * 14
        loaded = load_population(engine)
    assert loaded.has_exposure and loaded.exposure_hours.sum() == pytest.approx(
        fleet.hours.sum(), 1e-4
    )
    assert [s.day for s in screen_day_by_day(loaded)][-1] == FIRST_DAY + fleet.crashes[-1].day
    expected = [(d, f.attr, f.value, f.n) for d, f in raised(fleet)]
    done = shell("fleet", "screen", "--replay", "--json", "--db", db)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [(x["day"], x["attr"], x["value"], x["n"]) for x in lines[:-1]] == expected
    assert lines[-1]["attr"] == "#peeled"
    mine = {
        f"{i:032x}"
        for i, c in enumerate(fleet.crashes)
        if f"node-{c.host}" == fleet.truth["bad_host"]
    }
    assert set(lines[-1]["members"]) == mine
    text = shell("fleet", "suspects", "--db", db).out
    assert f"host={fleet.truth['bad_host']}" in text and "compared with: host-hours" in text
    assert "hardware-suspect" in shell("fleet", "screen", "--db", db).out
    assert "nothing new stands out" in shell("fleet", "screen", "--db", db).out, "raised once"


def test_without_exposure_the_output_says_so(tmp_path):
    fleet = simulate(7002, bad_host=2.0, hosts=200, days=14, per_day=30)
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", r) for r in records(fleet)))
        findings = screen_population(load_population(engine), FIRST_DAY + 13).findings
    host = next(f for f in findings if f.attr == "host" and f.value == fleet.truth["bad_host"])
    assert host.exposure == "none: the other hosts that crashed, each as one"


def test_exposure_that_is_no_exposure(tmp_path, shell):
    path = tmp_path / "x.csv"
    path.write_text(
        "day,hours,host,rack\n2026-01-01,24,a,r1\nnever,1,a,r1\n2026-01-01,99,a,r1\n,,,\n"
    )
    done = shell("fleet", "exposure", path)
    assert done.code == 3 and done.out == "1 host-day stored, 3 rejected\n"
    assert f"{path}:3: no day: 'never'" in done.err and "hours must be 0 to 24" in done.err
    path.write_text("date,host\n1,2\n")
    assert f"{path}: no column day, hours" in shell("fleet", "exposure", path).err
    lines = tmp_path / "x.jsonl"
    lines.write_text('{"day": 20454, "hours": 3, "host": "a", "load": 0.5}\n{"half": \n')
    assert shell("fleet", "exposure", lines).out == "1 host-day stored, 1 rejected\n"


def test_tests_against_worked_numbers():
    # Worked by hand in the literature's form: Fisher 2x2 (16, 17; 245, 1325), one-sided.
    p = hypergeometric_tail(*(np.array([float(x)]) for x in (16, 1603, 261, 33)))
    assert p[0] == pytest.approx(1.3e-5, rel=0.1)
    p = binomial_tail(np.array([16.0]), np.array([33.0]), np.array([88917 / 609689]))
    assert p[0] == pytest.approx(4.0e-6, rel=0.1)
    some = np.array([0.01, 0.04, 0.03, 0.5])
    assert q_values(some, some.size) == pytest.approx([0.04, 0.04 * 4 / 3, 0.04 * 4 / 3, 0.5])
    # Nine that are certain make no room for a tenth, as they do among q values.
    strong = np.array([1e-9] * 9 + [0.02] + [0.5] * 30)
    assert (
        q_values(strong, strong.size)[9]
        < 0.1
        < holm_adjusted_p_values(strong)[9]
        == pytest.approx(0.02 * 31)
    )
    poisson = negative_binomial_tail(np.array([5.0]), np.array([1.0]), np.array([1.0]))
    assert poisson[0] == pytest.approx(0.00366, rel=0.01)
