# SPDX-License-Identifier: Apache-2.0
"""What the fleet's questions say where the data is not what it seems: twice, missing, misnamed."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from support.fleet_lives import eighth
from unit.fleet_records import full

from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.doubled_records import find_doubled_records
from gdb_epi.fleet.population.signatures_by_local_time import clock_changes
from gdb_epi.fleet.records.projection import hash_identifying_death
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.fleet.store.ingest import ingest


@pytest.fixture
def ask(shell, tmp_path):
    """Make a fleet and put it into the database; return what asks it, in one line."""

    def made(make):
        folder = tmp_path / make.__name__
        make(folder)
        assert shell("fleet", "ingest", folder / "records.jsonl").code == 0
        if (folder / "hours.csv").exists():
            assert shell("fleet", "exposure", folder / "hours.csv").code == 0
        return lambda *words: " ".join(shell("fleet", *words).out.split())

    return made


@pytest.mark.heavy
def test_deaths_told_twice_and_days_without_records(ask, tmp_path):
    tell = ask(eighth.y01_told_twice_and_silent)
    lines = (tmp_path / "y01_told_twice_and_silent/records.jsonl").read_text().splitlines()
    again = sum(json.loads(line)["time"]["ts_source"] == "mtime" for line in lines)
    assert again > 40
    answer = tell("check")
    assert f"{again} records more of a death that another record tells of" in answer
    assert re.search(r"since 2026-\d\d-\d\d, of \d+ hosts \(site=mad: ", answer)
    assert re.search(
        r"no crash of any program on site=vie \(20 hosts\) from .*, where about \d\d were due, and "
        "its host-hours went on",
        answer,
    )
    assert "have only the date of a file" not in answer, "those are left out"
    rows = json.loads(tell("top", "--limit", "500", "--json"))
    deaths = len(lines) - again
    assert sum(row["crashes"] for row in rows) == deaths
    assert sum(sum(row["verdicts"].values()) for row in rows) == deaths
    assert f"nothing stands out among {len(lines) - again} crashes" in tell("suspects")
    assert "a fall may be silence: no crash of any program on site=vie" in tell("trend")
    assert "nothing new stands out" in tell("screen", "--replay")


def test_a_silent_site_without_hours_dates_no_onset(ask):
    tell = ask(eighth.y02_one_site_without_hours)
    assert "no crash of any program on site=vie" in tell("check")
    answer = tell("onset", "flush_ledger")
    assert "left out: no crash of any program on site=vie" in answer


def record(pid, *, sp=None, **host):
    frames = [{"sp": sp}] if sp else []
    return {
        "process": {"pid": pid},
        "signal": {"fault_address": "0x0"},
        "host": host,
        "threads": {"crashed": {"frames": frames}},
    }


def test_a_death_is_known_by_its_boot_and_pid():
    death = hash_identifying_death(record(4711, boot_id="b", hostname="n1"))
    assert death == hash_identifying_death(record(4711, boot_id="b", hostname="n1.example.org"))
    assert death != hash_identifying_death(record(4712, boot_id="b"))
    assert death != hash_identifying_death(record(4711, boot_id="c"))
    assert hash_identifying_death(record(4711)) is None, "which machine?"
    assert hash_identifying_death(record(True, boot_id="b")) is None
    assert hash_identifying_death(record(None, boot_id="b")) is None


def test_small_pids_come_again_in_each_container():
    assert hash_identifying_death(record(7, boot_id="b")) is None
    first, second = (
        hash_identifying_death(record(7, boot_id="b", sp=sp)) for sp in ("0x7ffe10", "0x7ffd20")
    )
    assert first != second is not None


def test_names_of_every_site_are_machines_of_their_own(ask, tmp_path):
    tell = ask(eighth.y03_names_of_every_site)
    answer = tell("check")
    lines = (tmp_path / "y03_names_of_every_site/records.jsonl").read_text().splitlines()
    serials = {json.loads(line)["host"]["attributes"]["serial"] for line in lines}
    several = f"20 names of several machines at the same time: .* {len(serials)} hosts, each by its"
    assert re.search(several, answer)
    assert re.search(
        r"installed again, one host still: r05 \(mad\) \(machine id \w{8}, then ", answer
    )
    answer = tell("suspects")
    assert "verdict: hardware: one host (r05 (mad)), take it out and test it" in answer
    assert "it was installed again by 2026-" in answer and "since then" in answer
    assert "r05 is the name of other machines too, which this is not about: r05 (" in answer
    answer = tell("exclude", "--format", "slurm")
    assert "NodeName=" not in answer and "several machines have this name" in answer


def machines(tmp_path, *rows):
    """Put crashes of one name into a database: machine id, boot id, hour, and a site; return it."""
    lines = []
    for number, (machine, boot, hour, site) in enumerate(rows):
        about = {"hostname": "w1", "machine_id": machine, "boot_id": boot}
        about["attributes"] = {"site": site} if site else {}
        core = full(number, time={"crash_ts": 1_764_000_000.0 + 3600 * hour}, host=about)
        lines.append((str(number), core))
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, lines)
        return load_population(engine)


def test_ids_that_follow_each_other_are_one_machine(tmp_path):
    population = machines(
        tmp_path, ("aaaa", "1", 0, "x"), ("aaaa", "1", 5, "x"), ("bbbb", "2", 9, "x")
    )
    assert population.hosts == ["w1"]
    assert population.quality["again"][0][:2] == ["w1", ["aaaa", "bbbb"]]


def test_ids_in_turns_are_several_machines(tmp_path):
    rows = [("aaaa", "1", 0, None), ("bbbb", "2", 5, None), ("aaaa", "1", 9, None)]
    population = machines(tmp_path, *rows)
    assert population.hosts == ["w1 (aaaa)", "w1 (bbbb)"]
    assert population.host.tolist() == [0, 1, 0]


def test_ids_of_one_boot_are_containers_of_one_machine(tmp_path):
    rows = [("aaaa", "1", 0, None), ("bbbb", "1", 5, None), ("aaaa", "1", 9, None)]
    assert machines(tmp_path, *rows).hosts == ["w1"]


def test_sites_without_machine_ids(tmp_path):
    rows = [(None, None, hour, site) for hour, site in enumerate("xyxyxy")]
    assert machines(tmp_path, *rows).hosts == ["w1 (x)", "w1 (y)"]


def test_a_machine_that_was_moved_is_one(tmp_path):
    rows = [("aaaa", "1", hour, "x" if hour < 3 else "y") for hour in range(6)]
    assert machines(tmp_path, *rows).hosts == ["w1"]


def test_services_of_one_pool_accuse_no_pool(ask):
    answer = ask(eighth.y04_services_of_two_pools)("suspects")
    assert "pool=" not in answer, answer


def test_a_host_in_several_programs_and_a_package_of_one(ask):
    answer = ask(eighth.y05_a_bad_card_and_a_package)("suspects")
    assert "one host has this signature out of proportion, in several programs: test it" in answer
    assert "not one job: " in answer and "move its job" not in answer
    assert "goes with package fastmoe=0.9.2" in answer, answer


def test_a_job_of_a_local_hour_accuses_no_kernel(ask):
    tell = ask(eighth.y06_end_of_summer_time)
    answer = tell("check")
    assert (
        "3 signatures come 1 h later in UTC since 2026-10-25, when clocks changed (as in" in answer
    )
    assert "hours from where they come elsewhere" not in answer
    # All work of that program comes at this hour: nothing is wrong.
    assert tell("suspects").startswith("nothing stands out")


def test_clocks_that_change_on_other_days_move_nothing():
    days = {zone: at // 86_400 for zone, at, _ in clock_changes(1_790_000_000, 1_795_000_000)}
    if not days:
        pytest.skip("this machine has no list of zones")
    assert iso_day(days["Europe/Berlin"]) == "2026-10-25"
    assert iso_day(days["America/New_York"]) == "2026-11-01"
    assert not list(clock_changes(1_795_000_000, 1_796_000_000))


def test_what_remains_after_a_fix_was_there_before(ask):
    tell = ask(eighth.y07_half_of_a_fix)
    for question in ("onset", "split"):
        answer = tell(question, "scale_image")
        assert "is another population, which was there before and is not touched" in answer, answer
        assert "have namespace=tenant-b7" in answer


def test_records_of_one_death_lie_minutes_apart():
    death = np.array([5, 5, 5, 6, 6, 7, 7, 0, 0, -1])
    second = np.array([100, 160, 9_000, 200, -1, -1, -1, 300, 300, -1])
    signature = np.array([1, 1, 1, 2, 3, 4, 4, 5, 5, 5])
    twice = find_doubled_records(death, second, signature)
    assert np.flatnonzero(twice.rows).tolist() == [1, 6], "hours later it is another death"
    assert twice.since == 100
    assert find_doubled_records(np.array([0, 0, -1, 4]), second[:4], signature[:4]) is None
