# SPDX-License-Identifier: Apache-2.0
"""Times that cannot be true are set aside, counted, and hide nothing."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone

import numpy as np
import pytest
from unit.fleet_records import full, minimal

from gdb_epi.cli.main import main
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.population.judged_times import judge_times
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.signatures import (
    epidemic_curve,
    latest_crash_time,
    new_signatures,
    top_signatures,
)
from gdb_epi.fleet.records.crash_times import is_possible_time, judge_time
from gdb_epi.fleet.screen.time_and_cpu_patterns import time_and_cpu_findings
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.reproject import reproject_raw_records

DAY = 86_400.0
START = 1_764_000_000.0


def of_signature(number, when, name="old", host=None, source="journal"):
    key = f"{sum(map(ord, name)):016x}"
    return minimal(
        number,
        time={"crash_ts": when, "ts_source": source},
        host={"hostname": host or f"n{number % 40}"},
        signature={"version": "gsig/2", "keys": {"stable": key}, "text": {"stable": name}},
    )


@pytest.fixture
def engine(tmp_path):
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as opened:
        yield opened


def put(engine, *records):
    return ingest(engine, (("t", record) for record in records))


def test_a_time_is_judged_by_when_its_record_came():
    assert judge_time(100.0 + 1e9, "journal", 1e9 + 50) == (1e9 + 100, None), "clocks differ a bit"
    assert judge_time(1e9 + 4000, "journal", 1e9) == (None, 1e9 + 4000)
    assert judge_time(1e9, "mtime", 1e9) == (None, 1e9)
    assert judge_time(12.0, None, None) == (None, 12.0) and judge_time(None, None, 1.0)[0] is None
    assert is_possible_time(5e9, None, None), "without an arrival nothing is ahead of it"


def test_a_healthy_process_is_no_new_signature(engine):
    now = time.time()
    healthy = of_signature(1, now, "poll") | {"verdict": {"model": 2, "label": "no-fault"}}
    often = [of_signature(number, now, "often") for number in (2, 3)]
    put(engine, healthy, of_signature(4, now, "once"), *often)
    rows = new_signatures(engine, load_population_without_attributes(engine), 7.0, now + 1, 10)
    assert [row.signature for row in rows] == ["often", "once"], "the most frequent first"
    (row,) = new_signatures(engine, load_population_without_attributes(engine), 7.0, now + 1, 1)
    assert row.signature == "often"


def test_one_clock_ahead_hides_nothing_that_is_new(engine):
    now = time.time()
    old = [of_signature(i, now - (40 - i % 35) * DAY) for i in range(200)]
    new = [of_signature(300 + i, now - 2 * DAY + i, "fresh") for i in range(4)]
    ahead = of_signature(999, now + 90 * DAY, "fresh", "n3")
    behind = of_signature(998, 86_400.0 * 3700, "fresh", "n4")  # 1980: a clock that was reset
    put(engine, *old, ahead, behind, *new)
    until = latest_crash_time(load_population_without_attributes(engine))
    assert abs(until - now) < 3 * DAY
    (row,) = new_signatures(engine, load_population_without_attributes(engine), 7.0, until, 10)
    assert (row.signature, row.crashes) == ("fresh", 6), "the two count, their times do not"
    assert len(epidemic_curve(load_population_without_attributes(engine), None)) <= 41
    top = {row.signature: row for row in top_signatures(engine, 9)}
    assert top["fresh"].last_seen <= now
    population = load_population(engine)
    assert int((~population.has_time).sum()) == 2 and abs(population.last_day - now // DAY) <= 2
    assert find_onset(population, population.signatures.index("fresh")).crashes == 4


def test_a_host_whose_clock_is_some_days_ahead_makes_no_latest_moment(engine):
    """Its times are set aside everywhere, in the window of `fleet new` too."""
    records = []
    for i in range(400):
        is_ahead = i % 40 == 7
        when = START + i * 3_600 + 20 * DAY * is_ahead
        host = "ahead" if is_ahead else None
        records.append(of_signature(i, when, "fresh" if i > 395 else "old", host))
    put(engine, *records)
    assert load_population(engine).quality["clocks_off"].keys() == {"ahead"}
    until = latest_crash_time(load_population_without_attributes(engine))
    assert until == START + 399 * 3_600
    (row,) = new_signatures(engine, load_population_without_attributes(engine), 1.0, until, 10)
    assert (row.signature, row.crashes) == ("fresh", 4)
    (old,) = (row for row in top_signatures(engine, 9) if row.signature == "old")
    assert (old.first_seen, old.last_seen, old.crashes) == (START, START + 395 * 3_600, 396)


def test_fleet_seen_tells_times_that_are_believed(tmp_path, capsys):
    db = str(tmp_path / "f.sqlite3")
    with open_database(db, write=True) as engine:
        put(engine, *[of_signature(i, START + i * 3_600) for i in range(300)])
        put(engine, *[of_signature(900 + i, START - 900 * DAY, host="reset") for i in range(3)])
        key = f"{sum(map(ord, 'old')):016x}"
    assert main(["fleet", "seen", key, "--db", db, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["crashes"], answer["first"]) == (303, START)
    assert main(["fleet", "seen", key, "--db", db]) == 0
    assert "the clocks of 3 of them were wrong" in capsys.readouterr().out


def test_a_date_of_a_file_is_no_time_but_the_crash_counts(engine):
    put(engine, *[of_signature(i, START + i, host="bad", source="mtime") for i in range(6)])
    put(engine, *[of_signature(100 + i, START + i * 60) for i in range(60)])
    population = load_population(engine)
    assert int((~population.has_time).sum()) == 6
    assert int((population.host == population.hosts.index("bad")).sum()) == 6
    assert latest_crash_time(load_population_without_attributes(engine)) == START + 59 * 60
    assert reproject_raw_records(engine, []) == 66
    assert load_population(engine).has_time.sum() == 60


def test_an_analysis_later_does_not_make_a_time_a_date_of_a_file(engine):
    put(engine, of_signature(1, START, source=None))
    put(engine, full(1, time={"crash_ts": START + 9e6, "ts_source": "mtime"}, host={}))
    population = load_population(engine)
    assert population.has_time.all() and population.second.tolist() == [START]


def written(number, seconds, name, hours=0, zone=""):
    """A crash whose time is written as text, by a clock that is some hours ahead of UTC."""
    moment = datetime.fromtimestamp(seconds + hours * 3600, timezone.utc)
    return of_signature(number, moment.strftime("%Y-%m-%dT%H:%M:%S") + zone, name, f"n{number % 9}")


def of_two_places(zones):
    """Crashes of the day in two places, a signature each, nine hours apart by their clocks."""
    rng = np.random.default_rng(5)
    for number in range(240):
        at = START + number // 6 * DAY / 2 + rng.uniform(0, DAY / 2)
        place = number % 2
        yield written(number, at, f"of{place}", 9 * place, zones[place])


def test_texts_without_a_zone_make_no_hour_of_the_day(engine, tmp_path, capsys):
    """Busy by day in UTC: nine hours later by the clocks of the other place."""
    path = tmp_path / "local.jsonl"
    day = [r for r in of_two_places(("", "")) if 0 <= _hour(r) - 9 * (_number(r) % 2) < 8]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in day))
    database = ["--db", str(tmp_path / "f.sqlite3")]
    assert main(["fleet", "ingest", str(path), *database]) == 0
    assert f"times not believed: {len(day)} without a time zone" in capsys.readouterr().out
    population = load_population(engine)
    assert not population.has_time.any() and population.day.size == len(day)
    assert {f.attr for f in time_and_cpu_findings(population, population.day > 0)} == set()
    assert main(["fleet", "check", *database]) == 0
    out = capsys.readouterr().out
    assert "without a time zone" in out and "fleet ingest --zone" in out
    assert "(on n" in out and " and 3 more): in no curve" in out
    assert main(["fleet", "trend", *database]) == 0
    assert f"{len(day)} crashes on no known day" in capsys.readouterr().out
    assert main(["fleet", "ingest", "--zone", "+00:00", str(path), *database]) == 0
    assert f"{len(day)} replaced" in capsys.readouterr().out
    believed = load_population(engine)
    assert believed.has_time.all()
    hours = {f.value for f in time_and_cpu_findings(believed, believed.day > 0)}
    assert len(hours) == 2, "what the clocks of two places say, if they are taken for one"
    assert main(["fleet", "ingest", "--zone", "Nowhere/At_all", str(path), *database]) == 2
    assert "no time zone: 'Nowhere/At_all'" in capsys.readouterr().err


def test_what_is_no_time_is_told_and_not_only_missing(engine, tmp_path, capsys):
    path = tmp_path / "odd.jsonl"
    record = of_signature(1, "Mon Nov 24 18:43:28 2025", host="odd")
    path.write_text(f"{json.dumps(record)}\n{json.dumps(of_signature(2, START))}\n")
    database = ["--db", str(tmp_path / "f.sqlite3")]
    assert main(["fleet", "ingest", str(path), *database]) == 0
    assert "times not believed: 1 that cannot be read" in capsys.readouterr().out
    assert main(["fleet", "check", *database]) == 0
    assert "1 of 2 crashes have a time that cannot be read (on odd)" in capsys.readouterr().out


def test_texts_of_two_zones_are_compared_in_utc(engine):
    day = [r for r in of_two_places(("Z", "+09:00")) if _in_utc(r) < 8]
    put(engine, *day)
    population = load_population(engine)
    assert population.has_time.all() and (population.second % 86_400 < 8 * 3600).all()
    assert list(time_and_cpu_findings(population, population.day > 0)) == []


def _number(record):
    return int(record["core_key"], 16)


def _hour(record):
    return int(record["time"]["crash_ts"][11:13])


def _in_utc(record):
    return (_hour(record) - 9 * (_number(record) % 2)) % 24


def test_a_host_whose_clock_is_off_is_told_by_those_that_came_with_it():
    rng = np.random.default_rng(3)
    ts = START + np.sort(rng.uniform(0, 30 * DAY, 900))
    host = rng.integers(0, 50, 900)
    ts[host == 7] -= 9 * DAY
    unknown = np.full(900, np.nan)
    judged = judge_times(ts, unknown, host)
    assert set(judged.days_off) == {7} and judged.days_off[7] == pytest.approx(-9, abs=0.6)
    assert np.array_equal(np.isnan(judged.ts), host == 7)
    assert np.abs(judged.sort_time[host == 7] - ts[host == 7] - 9 * DAY).max() < 2 * DAY


@pytest.mark.parametrize(
    ("hosts", "days", "is_alone"),
    [((7,), 5, True), ((7, 8), 5, False), ((7,), 0.4, False), ((-1,), 5, False), ((40,), 5, False)],
)
def test_the_crash_of_one_host_days_after_all_hours_is_its_clocks(hosts, days, is_alone):
    """Of two hosts it is the others that are missing; after few hours it is chance."""
    ts = START + np.sort(np.random.default_rng(4).uniform(0, 30 * DAY, 240))
    host = np.arange(240) % 40
    ts[-len(hosts) :], host[-len(hosts) :] = START + (30 + days) * DAY, hosts
    unknown = np.full(240, np.nan)
    for end in (START + 30 * DAY, None):  # None: there are no host-hours
        judged = judge_times(ts, unknown, host, end_of_hours=end)
        assert judged.after_all.keys() == set(hosts if is_alone else ())
        assert np.flatnonzero(judged.stray).tolist() == ([239] if is_alone else [])
    assert not judge_times(ts * np.nan, unknown, host).stray.any()
    assert not judge_times(ts[:0], unknown[:0], host[:0]).stray.any()


@pytest.mark.parametrize("days", [0, 2])
def test_hosts_that_may_be_two_days_ahead_are_named_and_their_times_kept(days):
    """Ten crashes a day, which came in as they happened: too few to set a time aside."""
    rng = np.random.default_rng(6)
    ts = START + np.sort(rng.uniform(0, 60 * DAY, 600))
    host = rng.integers(0, 100, 600)
    ts[host < 8] += days * DAY
    judged = judge_times(ts, np.full(600, np.nan), host)
    assert not judged.stray.any() and judged.days_off == {}
    if not days:
        assert judged.days_ahead == {}
    else:
        assert len(judged.days_ahead) >= 6 and judged.days_ahead.keys() <= set(range(8))
        assert list(judged.days_ahead.values()) == pytest.approx(
            [2] * len(judged.days_ahead), abs=0.7
        )


@pytest.mark.parametrize("late", ["all of a night", "a week of each host", "some days of all"])
def test_who_sends_late_is_ahead_of_nobody(late):
    rng = np.random.default_rng(7)
    day, host = np.sort(rng.uniform(0, 60, 1200)), rng.integers(0, 60, 1200)
    sent = {
        "all of a night": np.ceil(day) + host * 1e-4,
        "a week of each host": np.ceil((day + host % 7) / 7) * 7 + host * 1e-4,
        "some days of all": np.where(day // 1 % 20 < 4, day // 20 * 20 + 4.3, day),
    }[late]
    order = np.argsort(sent, kind="stable")
    judged = judge_times(START + day[order] * DAY, np.full(1200, np.nan), host[order])
    assert judged.days_ahead == {}


@pytest.mark.parametrize("order", ["by host", "shuffled"])
def test_records_that_came_in_bulk_tell_of_no_clock(order):
    rng = np.random.default_rng(4)
    ts, host = START + rng.uniform(0, 60 * DAY, 2000), rng.integers(0, 40, 2000)
    if order == "by host":
        host = np.sort(host)
    judged = judge_times(ts, np.full(2000, np.nan), host)
    assert not judged.stray.any() and judged.days_off == {}


def test_one_crash_of_two_that_lies_apart_does_not_speak_for_the_clock():
    """A crash that came in before a backlog of older ones lies apart from its neighbours."""
    rng = np.random.default_rng(8)
    ts = START + np.sort(rng.uniform(0, 30 * DAY, 900))
    host = 100 + rng.integers(0, 50, 900)
    host[[300, 700]], host[[400, 600]] = 7, 9
    ts[300] += 5 * DAY
    ts[[400, 600]] += 5 * DAY
    judged = judge_times(ts, np.full(900, np.nan), host)
    assert judged.days_off.keys() == {9}
    assert np.flatnonzero(judged.stray).tolist() == [400, 600]


def test_a_few_far_from_all_others_are_set_aside_on_both_sides():
    ts = START + np.arange(2000) * 600.0
    ts[[5, 9]] = START - 300 * DAY, START + 200 * DAY
    judged = judge_times(ts, np.full(2000, np.nan), np.zeros(2000, dtype=np.int64))
    assert np.flatnonzero(judged.stray).tolist() == [5, 9]
    assert judged.sort_time.max() <= START + 2000 * 600.0


def test_clocks_that_go_back_at_times_are_named_and_their_times_set_aside():
    """Eight of sixty hosts start with an old time now and then; build 1 came on day 40."""
    rng = np.random.default_rng(9)
    true = START + np.sort(rng.uniform(0, 60 * DAY, 1200))
    host = rng.integers(0, 60, 1200)
    build = (true >= START + 40 * DAY).astype(int)
    behind = (host < 8) & (rng.random(1200) < 0.4)
    ts = np.where(behind, true - rng.uniform(4, 30, 1200) * DAY, true)
    judged = judge_times(ts, np.full(1200, np.nan), host, build)
    named = judged.went_back.keys() | judged.days_off.keys()
    assert named <= set(range(8))
    assert len(named) >= 7
    assert (judged.stray & behind).sum() >= 0.8 * behind.sum()
    assert not (judged.stray & (host >= 8)).any()
    assert ((ts < START + 39 * DAY) & (build == 1) & ~judged.stray).sum() <= 1


def test_hosts_that_were_offline_and_send_later_have_no_clock_that_went_back():
    rng = np.random.default_rng(10)
    true = START + np.sort(rng.uniform(0, 60 * DAY, 1200))
    host = rng.integers(0, 60, 1200)
    build = (true >= START + 40 * DAY).astype(int)
    days = (true - START) / DAY
    # For ten days nothing of these hosts arrives; then all of it, in order.
    arrives = np.where((host < 8) & (days % 20 < 10), days // 20 * 20 + 10 + host * 1e-4, days)
    order = np.lexsort((true, arrives))
    judged = judge_times(true[order], np.full(1200, np.nan), host[order], build[order])
    assert judged.went_back == {}
    assert not judged.stray.any()
