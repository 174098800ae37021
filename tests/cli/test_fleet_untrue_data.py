# SPDX-License-Identifier: Apache-2.0
"""What the fleet's questions say where the data is not what it seems: twice, missing, misnamed."""

from __future__ import annotations

import json
import re

import pytest
from support.fleet_lives import eighth

from gdb_epi.fleet.records.deaths import hash_of_death


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


def test_deaths_told_twice_and_days_without_records(ask, tmp_path):
    tell = ask(eighth.y01_told_twice_and_silent)
    lines = (tmp_path / "y01_told_twice_and_silent/records.jsonl").read_text().splitlines()
    again = sum(json.loads(line)["time"]["ts_source"] == "mtime" for line in lines)
    assert again > 40
    said = tell("check")
    assert f"{again} records more of a death that another record tells of" in said
    assert re.search(r"since 2026-\d\d-\d\d, of \d+ hosts \(site=mad: ", said)
    assert re.search(
        r"no crash of any program on site=vie \(20 hosts\) from .*, where about \d\d were due, and "
        "its host-hours went on",
        said,
    )
    assert "have only the date of a file" not in said, "those are left out"
    assert f"nothing stands out among {len(lines) - again} crashes" in tell("suspects")
    assert "a fall may be silence: no crash of any program on site=vie" in tell("trend")
    assert "nothing new stands out" in tell("screen", "--replay")


def test_a_silent_site_without_hours_dates_no_onset(ask):
    tell = ask(eighth.y02_one_site_without_hours)
    assert "no crash of any program on site=vie" in tell("check")
    said = tell("onset", "flush_ledger")
    assert "left out: no crash of any program on site=vie" in said


def record(pid, *, sp=None, **host):
    frames = [{"sp": sp}] if sp else []
    return {
        "process": {"pid": pid},
        "signal": {"fault_address": "0x0"},
        "host": host,
        "threads": {"crashed": {"frames": frames}},
    }


def test_a_death_is_known_by_its_boot_and_pid():
    one = hash_of_death(record(4711, boot_id="b", hostname="n1"))
    assert one == hash_of_death(record(4711, boot_id="b", hostname="n1.example.org"))
    assert one != hash_of_death(record(4712, boot_id="b"))
    assert one != hash_of_death(record(4711, boot_id="c"))
    assert hash_of_death(record(4711)) is None, "which machine?"
    assert hash_of_death(record(True, boot_id="b")) is None
    assert hash_of_death(record(None, boot_id="b")) is None


def test_small_pids_come_again_in_each_container():
    assert hash_of_death(record(7, boot_id="b")) is None
    first, second = (
        hash_of_death(record(7, boot_id="b", sp=sp)) for sp in ("0x7ffe10", "0x7ffd20")
    )
    assert first != second is not None
