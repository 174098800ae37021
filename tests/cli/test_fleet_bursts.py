# SPDX-License-Identifier: Apache-2.0
"""Versions that ran while something else failed are not accused; those that fail throughout are."""

from __future__ import annotations

import json
import re

import pytest
from support.fleet_lives import ninth
from support.fleet_lives.lab import Bug, Fleet


@pytest.fixture
def ask(shell, tmp_path):
    """Make a fleet and put it into the database; return what asks it."""

    def made(make):
        make(tmp_path)
        assert shell("fleet", "ingest", tmp_path / "records.jsonl").code == 0
        if (tmp_path / "hours.csv").exists():
            assert shell("fleet", "exposure", tmp_path / "hours.csv").code == 0
        return lambda *words: shell("fleet", *words).out

    return made


@pytest.mark.heavy
def test_a_rack_with_trouble_accuses_no_release_that_ran_meanwhile(ask):
    tell = ask(ninth.z01_a_rack_loses_packets_while_a_release_runs)
    answer = tell("suspects")
    verdicts = [line for line in answer.splitlines() if line.startswith("verdict: ")]
    timeouts = [line for line in verdicts if "wait_reply" in line or "more signature" in line]
    assert timeouts
    assert all("with rack=r04" in line and "image" not in line for line in timeouts), timeouts
    assert any("needs image=hub.example/cart:2.0" in v and "free_twice" in v for v in verdicts)
    replayed = tell("screen", "--replay")
    assert not re.search(r"host=w\d\d", replayed), "what the rack explains accuses no host"
    assert not re.search(r"image=.*wait_reply", replayed)
    split = tell("split", "render_mail")
    assert "software: came with image 2.0 and is not mended: " in split


def test_inputs_that_are_tried_again_accuse_no_release(ask):
    tell = ask(ninth.z02_inputs_that_are_tried_again)
    answer = tell("suspects")
    assert "5.1" not in answer
    assert re.search(r"comes in bursts: .*: 22 on 22 hosts, .*; 30 on 30 hosts, .* of 62 ", answer)
    assert "5.1" not in tell("split", "read_slice").partition("the rest")[0]


def test_two_causes_of_one_signature_each_need_something_else(ask):
    tell = ask(ninth.z03_two_pairs_in_one_signature)
    split = " ".join(tell("split", "resample_row").split())
    headline = split.partition("crashes on")[0]
    assert "two causes: " in headline
    assert "kernel=6.9 and cpu_model=zx" in headline
    assert re.search(r"image=hub.example/scale:4.2\b.* and cpu_model=vx", headline)
    onset = tell("onset", "resample_row")
    assert "each brought a part of the crashes" in onset
    assert "is not why" not in onset


def test_a_loop_that_a_collector_cuts_short_is_no_fall_of_its_crash(ask):
    def make(folder):
        fleet, bug = Fleet("loops", 31, 20), Bug("read_page", "api")
        fleet.add_hosts(30, "n{:02d}")
        for day in range(20):
            for number in range(3):
                for _ in range(12 if day < 10 else 2):  # within 20 minutes
                    fleet.crash(day, f"n{(3 * day + number) % 30 + 1:02d}", bug, hour=4 + number)
        fleet.write(folder)

    tell = ask(make)
    windows = "2026-11-01..2026-11-10", "2026-11-11..2026-11-20"
    (row,) = json.loads(tell("compare", *windows, "--json"))
    assert 30 <= row["before"] <= row["after"] <= 36, "each loop counts once"
    table = tell("compare", *windows)
    assert "no signature changed by more than chance among so many; all together: 3" in table
    assert "came together" in table and "0.1" not in table.partition("times as often")[0]
