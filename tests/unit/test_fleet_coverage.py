# SPDX-License-Identifier: Apache-2.0
"""Host-hours that stop, cover some hosts, or spell hosts and racks otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from support import fleet_troubles
from support.fleet_simulator import FIRST_DAY, population, records, simulate
from unit.fleet_records import minimal

from gdb_epi.fleet.population import cache
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.population.coverage import (
    drop_doubled_host_hours,
    drop_host_hours,
    fill_days_without_host_hours,
)
from gdb_epi.fleet.population.host_spelling import unify_spellings
from gdb_epi.fleet.population.number_ranges import LEAST, describe_limit, group_into_ranges
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.questions.signatures import epidemic_curve
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.report.build_page import population_sizes
from gdb_epi.fleet.report.signature_sections import count_population
from gdb_epi.fleet.report.text_formatting import number_text
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import HostDay, store_exposure
from gdb_epi.fleet.store.ingest import ingest

DAY = 86_400
SMALL = {"hosts": 300, "days": 21, "per_day": 40.0}


@pytest.mark.parametrize(
    ("names", "hosts"),
    [
        (["node-1", "NODE-1", "node-1.a.example", "node-1.a.example."], 1),
        (["node-1.a.example", "node-1.b.example", "node-1"], 3),
        (["10.0.0.1", "10.0.0.2", "fe80::1", "fe80::2"], 4),
        (["", "a", "A.b"], 2),
    ],
)
def test_spellings_of_one_host(names, hosts):
    spelt = unify_spellings(dict(enumerate(names, 1)), [2])
    assert len(set(spelt.values())) == hosts
    if hosts == 1:
        assert set(spelt.values()) == {names[1]}, "as the crashes have it"


def test_hours_that_two_exporters_tell_count_once():
    """Host 0 has them under two names, the shorter list is left out; host 1 changed its image."""
    named, host = np.array([7, 8, 7, 9, 9]), np.array([0, 0, 0, 1, 1])
    day, hours = np.array([5, 5, 6, 5, 5]), np.array([24.0, 23.0, 24.0, 20.0, 8.0])
    once, doubled = drop_doubled_host_hours(named, host, day, hours)
    assert once.tolist() == [24.0, 0.0, 24.0, 20.0, 8.0] and doubled == [0]
    short = np.array([14.0, 10.0, 24.0, 20.0, 8.0])  # renamed in the middle of a day
    once, doubled = drop_doubled_host_hours(named, host, day, short)
    assert once.tolist() == short.tolist() and not doubled


def test_numbers_of_many_values_have_ranges_too():
    days = np.arange(12, dtype=np.int64)
    attribute = Attribute("uptime_days", [str(n) for n in days], days % 5 - 1, days)
    ranges = group_into_ranges(attribute)
    assert ranges is not None and ranges.name == "uptime_days range"
    assert ranges.values == ["0 to 1", "2 to 3", "4 to 5", "6 to 7", "8 to 9", "10 to 11"]
    assert ranges.crash[:5].tolist() == [-1, 0, 0, 1, 1] and ranges.exposure[-1] == 5
    assert describe_limit(ranges.name, LEAST, "10 to 11") == "uptime_days >= 10"
    assert group_into_ranges(attribute._replace(values=[*attribute.values[1:], "new"])) is None
    assert group_into_ranges(attribute._replace(values=attribute.values[:3])) is None


def test_a_feed_that_spells_hosts_and_racks_otherwise_is_the_same_fleet(tmp_path):
    """Upper case and a domain in the feed, a rack renamed in it: nobody is accused by that."""
    fleet = simulate(7001, bad_host=1.5, **SMALL)
    rows = [
        (
            f"feed:{n}",
            HostDay(
                FIRST_DAY + day,
                f"NODE-{host}.dc.example",
                float(fleet.hours[day, host]),
                {"rack": f"new-{fleet.columns['rack'][day][host]}"},
            ),
        )
        for n, (day, host) in enumerate(np.ndindex(fleet.hours.shape))
    ]
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in records(fleet)))
        store_exposure(engine, iter(rows))
        read = load_population(engine)
    assert len(read.hosts) == 300 and read.has_host_hours.all()
    assert read.quality["differ"]["rack"] == len(fleet.crashes)
    rack = read.attribute("rack")
    assert rack is not None and {rack.values[c][:4] for c in np.unique(rack.crash)} == {"new-"}
    accused = {(f.attr, f.value) for f in screen_population(read, FIRST_DAY + 20).findings}
    assert accused == {("host", fleet.truth["bad_host"])}


@pytest.mark.parametrize("is_cached", [False, True])
def test_a_rate_counts_the_crashes_of_hosts_that_have_hours(tmp_path, monkeypatch, is_cached):
    """Every second host is in the feed: the rate is that of these, not twice as high."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "MIN_CRASHES", 0 if is_cached else 1000)
    crashes = [minimal(n, host={"hostname": f"node-{n % 2}"}) for n in range(40)]
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in crashes))
        days = range(*(load_population(engine).known_day[[0, -1]] + (0, 1)).tolist())
        rows = ((f"feed:{day}", HostDay(day, "node-0", 24.0, {})) for day in days)
        store_exposure(engine, rows)
        population = load_population(engine)
        course = epidemic_curve(load_population_without_attributes(engine), None)
        facts = dict(
            population_sizes(population, count_population(engine, population, (None, None)))
        )
    assert sum(row.crashes for row in course) == 40
    rated = sum(row.per_1000_hours * row.hours / 1000 for row in course if row.hours)
    assert rated == pytest.approx(20)
    assert facts["per 1,000 host-hours"] == number_text(1000 * 20 / (24 * len(days)))


@pytest.mark.parametrize("trouble", ["feed stops", "feed late", "feed partial", "records lack"])
def test_a_bad_host_is_found_and_nobody_else(trouble):
    fleet = simulate(7002, bad_host=1.5, **SMALL)
    read = fleet_troubles.spoil(population(fleet), 7002, [trouble])
    accused = [(f.attr, f.value) for f in screen_population(read, FIRST_DAY + 20).findings]
    assert accused == [("host", fleet.truth["bad_host"])]


def test_hours_of_days_that_the_feed_lacks_are_those_beside_and_have_no_attributes():
    pop = fleet_troubles.spoil(population(simulate(7003, **SMALL)), 7003, ["feed late"])
    filled, days = fill_days_without_host_hours(pop)
    first = FIRST_DAY + 10
    assert set(days) == {*range(first - 7, first), FIRST_DAY + 16, FIRST_DAY + 17}
    added = slice(pop.exposure_day.size, None)
    assert all((a.exposure[added] == -1).all() for a in filled.attributes)
    assert filled.exposure_hours[added].sum() > 0
    assert not pop.has_host_hours[pop.day < first].any()


def test_a_host_that_came_up_on_the_first_day_of_the_feed_ran_as_long_as_others_before():
    """Three hours, taken for each day before it, made three crashes fifty times too many."""
    pop = fleet_troubles.spoil(population(simulate(7003, **SMALL)), 7003, ["feed late"])
    hours = pop.exposure_hours.copy()
    first = FIRST_DAY + 10
    started = (pop.exposure_day == first) & (pop.exposure_host == 5)
    hours[started] = 3.0
    filled, _ = fill_days_without_host_hours(pop._replace(exposure_hours=hours))
    mine = filled.exposure_host == 5
    assert filled.exposure_hours[mine & (filled.exposure_day == first)].tolist() == [3.0]
    assert (filled.exposure_hours[mine & (filled.exposure_day < first)] == 24.0).all()


@pytest.mark.parametrize("trouble", ["feed late", "feed lacks"])
def test_what_the_feed_does_not_know_of_a_version_the_records_do(trouble):
    """The kernel rolls out before the feed begins, or it knows the kernel of half of the hosts."""
    fleet = simulate(7005, split=3.0, **SMALL)
    _, host, _ = fleet.truth["split"]
    read = fleet_troubles.spoil(population(fleet), 7005, [trouble])
    name = "two-faces"
    parted = split_signature(read, read.signatures.index(name), FIRST_DAY + 20)
    assert [part.mark for part in parted.parts][:2] == [f"host={host}", "kernel=kernel1"]
    whole = [
        sum(c.cause == f"split-{half}" for c in fleet.crashes) for half in ("host", "software")
    ]
    assert [part.crashes for part in parted.parts][:2] == whole, "those without hours too"
    findings = screen_population(read, FIRST_DAY + 20).findings
    assert {(f.attr, f.value) for f in findings if f.signature == name} >= {("kernel", "kernel1")}


def test_a_value_of_the_record_that_the_feed_replaced_is_kept_for_crashes_alone(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "MIN_CRASHES", 0)
    racks = ("old", "same")
    crashes = [minimal(n, host={"hostname": f"h{n % 2}", "attributes": {"rack": racks[n % 2]}})
               for n in range(6)]  # fmt: skip
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in crashes))
        days = range(*(load_population(engine).known_day[[0, -1]] + (0, 1)).tolist())
        feed = (("new", "h0"), ("same", "h1"))
        store_exposure(engine, iter([(f"{day}", HostDay(day, host, 24.0, {"rack": rack}))
                                     for day in days for rack, host in feed]))  # fmt: skip
        for read in (load_population(engine), load_population(engine)):
            rack = read.attribute("rack")
            assert rack is not None and rack.reported is not None
            pairs = zip(rack.crash.tolist(), rack.reported.tolist(), strict=True)
            taken = {(rack.values[now], rack.values[own]) for now, own in pairs}
            assert taken == {("new", "old"), ("same", "same")}
            alone = drop_host_hours(read).attribute("rack")
            assert alone is not None and not alone.exposure.size
            assert alone.crash.tolist() == rack.reported.tolist()


def test_a_crash_of_unknown_time_is_covered_where_its_host_is(tmp_path):
    untimed = [minimal(i, time={}, host={"hostname": f"h{i}"}) for i in range(2)]
    timed = [minimal(10 + i, time={"crash_ts": 20_000.0 * DAY + i}) for i in range(3)]
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in [*untimed, *timed]))
        store_exposure(engine, iter([("x", HostDay(20_000, "h1", 24.0, {}))]))
        read = load_population(engine)
    names = [read.hosts[h] for h in read.host[read.has_host_hours]]
    assert names == ["h1"]


def spans(*of_hosts: tuple[int, int]) -> Population:
    """A population of host-hours alone: the first and the last day of each host."""
    pop = population(simulate(7003, hosts=20, days=10, per_day=3.0))
    rows = [(d, h) for h, (a, b) in enumerate(of_hosts) for d in range(a, b + 1)]
    day, host = (np.array(column) for column in zip(*rows, strict=True))
    bare = pop.with_each_attribute_changed(
        lambda a: a._replace(exposure=np.zeros(day.size, dtype=np.int64))
    )
    names = [f"h{number}" for number in range(len(of_hosts))]
    return bare._replace(
        hosts=names, host=np.zeros(pop.day.size, dtype=np.int64), exposure_day=day,
        exposure_host=host, exposure_hours=np.full(day.size, 24.0),
    )  # fmt: skip


def test_names_that_end_where_as_many_begin_are_told():
    texts = [c.text for c in check_quality(spans(*[(1, 10)] * 10, *[(1, 5)] * 10, *[(6, 10)] * 10))]
    [sentence] = [text for text in texts if "if renamed" in text]
    assert sentence.startswith(
        "10 hosts have their last hours on 1970-01-06 and 10 others their first"
    )
    for steady in ([(1, 10)] * 30, [(1, 10)] * 20 + [(6, 10)] * 10):
        assert not [c for c in check_quality(spans(*steady)) if "if renamed" in c.text]


def test_hosts_that_live_for_a_day_are_told():
    texts = [c.text for c in check_quality(spans(*[(day, day) for day in range(1, 21)]))]
    assert any(text.startswith("half of the hosts have hours on one day alone") for text in texts)
    assert not any("renamed" in text for text in texts)
    assert not any("one day alone" in c.text for c in check_quality(spans(*[(1, 10)] * 20)))


def renamed_fleet(*, late: int, is_image: bool) -> list[dict]:
    """60 hosts are renamed on days 20 to 24; of every sixth the old collector sends some more.

    Or each two hosts are copies of one image, which run all the time.
    """
    rng, crashes = np.random.default_rng(8), []
    for host in range(60):
        change = 20 + host % 5
        for day in rng.choice(40, 8, replace=False).tolist():
            is_old = rng.random() < 0.5 if is_image else day < change
            crashes.append((day + rng.random(), host, is_old))
        if host % 6 == 0 and not is_image:
            crashes += [(change + 12 + rng.random(), host, True) for _ in range(late)]
    return [
        minimal(
            number,
            host={
                "hostname": f"{'web' if is_old else 'fra'}-{host:03d}",
                "machine_id": f"{host:032x}",
                "attributes": {},
            },
            time={"crash_ts": 1_764_000_000.0 + 86_400 * day},
        )
        for number, (day, host, is_old) in enumerate(sorted(crashes))
    ]


@pytest.mark.parametrize("late", [0, 1])
def test_hosts_of_which_an_old_collector_sends_some_crashes_more_were_renamed(tmp_path, late):
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in renamed_fleet(late=late, is_image=False)))
        read = load_population(engine)
    assert read.quality["copies"] == [] and len(read.quality["renamed"]) >= 57
    assert {name[:3] for name in read.hosts if int(name[4:]) % 6 == 0} == {"fra"}


def test_an_old_name_that_another_machine_got_is_that_of_two_machines(tmp_path):
    crashes = renamed_fleet(late=0, is_image=False)
    some = [r for r in crashes if r["host"]["machine_id"] == f"{1:032x}"]
    for number, day in enumerate((27, 30, 33), len(crashes)):
        host = {"hostname": "web-001", "machine_id": f"{999:032x}", "attributes": {}}
        later = {"crash_ts": 1_764_000_000.0 + DAY * day}
        crashes.append(minimal(number, host=host, time=later))
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in crashes))
        start = 1_764_000_000 // DAY
        days = (HostDay(start + day, "web-001", 24.0, {}) for day in range(40))
        store_exposure(engine, (("t", row) for row in days))
        read = load_population(engine)
    counts = {name: int((read.host == read.hosts.index(name)).sum()) for name in read.hosts}
    assert counts["fra-001"] == len(some) and counts["web-001"] == 3
    assert read.quality["given_again"] == ["web-001"]
    hours = {name: read.exposure_hours[read.exposure_host == read.hosts.index(name)].sum() / 24
             for name in ("fra-001", "web-001")}  # fmt: skip
    assert 20 <= hours["fra-001"] <= 26 and sum(hours.values()) == 40


def test_copies_of_an_image_were_not_renamed(tmp_path):
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in renamed_fleet(late=0, is_image=True)))
        read = load_population(engine)
    assert len(read.quality["copies"]) >= 50


def test_a_machine_that_came_back_under_another_name_has_what_it_did_before(tmp_path):
    """Its serial number tells which host-hours are those of which of two machines of one name."""
    rng, crashes, rows = np.random.default_rng(3), [], []
    for host in range(60):
        for day in range(40):
            name, serial = f"n{host}", f"s{host}"
            if host == 7:  # the workshop: s7 goes on day 15, s70 has its name, s7 is n99 from 25 on
                serial = "s7" if day < 15 else "s70"
            rows.append((FIRST_DAY + day, name, serial))
            crashes += [(day, name, serial, False)] * int(rng.poisson(0.05))
        if host == 7:
            days = (*range(2, 15, 2), *range(25, 40, 2))
            crashes += [(day, "n7" if day < 15 else "n99", "s7", True) for day in days]
            rows += [(FIRST_DAY + day, "n99", "s7") for day in range(25, 40)]
            crashes += [(20, "n7", "s70", False), (30, "n7", "s70", False)]
    records_of = [
        minimal(
            number,
            host={"hostname": name, "machine_id": f"{name}-{serial}",
                  "attributes": {"serial": serial}},
            time={"crash_ts": (FIRST_DAY + day) * 86_400.0 + 3_600 * (number % 24)},
            flags={"bitflip": is_bad and number % 2 == 0, "lock_inherited": False},
        )
        for number, (day, name, serial, is_bad) in enumerate(sorted(crashes))
    ]  # fmt: skip
    hours = (
        (f"feed:{n}", HostDay(day, name, 24.0, {"serial": serial}))
        for n, (day, name, serial) in enumerate(rows)
    )
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in records_of))
        store_exposure(engine, hours)
        read = load_population(engine)
    assert read.has_host_hours.all(), "each of the two machines called n7 has its hours"
    findings = screen_population(read, FIRST_DAY + 39).findings
    (bad,) = [finding for finding in findings if finding.attr == "host"]
    assert bad.value == "n99"
    before = sum(name == "n7" and serial == "s7" for _, name, serial, _ in crashes)
    (was,) = [caveat for caveat in bad.caveats if "its machine" in caveat]
    assert was.startswith("its machine (serial=s7) was n7 (") and was.endswith(
        f"with {before} crashes"
    )
