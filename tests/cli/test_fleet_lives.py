# SPDX-License-Identifier: Apache-2.0
"""What the fleet's questions say of fleets of real life, whose truth is planted.

Each is made of full records and host-hours in files, as a person has them, and asked by the
command (tests/support/fleet_lives, tests/bench/fleet_lives.md).
"""

from __future__ import annotations

import pytest
from support.fleet_lives import first
from support.shell import Shell


@pytest.fixture
def ask(shell, tmp_path):
    """Make a fleet, put it into the database; return what asks it."""

    def made(make) -> Shell:
        folder = tmp_path / make.__name__
        make(folder)
        assert shell("fleet", "ingest", folder / "records.jsonl").code == 0
        if (folder / "hours.csv").exists():
            assert shell("fleet", "exposure", folder / "hours.csv").code == 0
        return shell

    return made


def verdicts(shell: Shell) -> list[str]:
    """The verdicts of `fleet suspects`, without what stands before them."""
    lines = shell("fleet", "suspects").out.splitlines()
    return [line.removeprefix("verdict: ") for line in lines if line.startswith("verdict: ")]


def test_a_rack_is_named_alone_and_said_to_be_over(ask):
    shell = ask(first.f03_rack_switch)
    (said,) = verdicts(shell)
    assert said.startswith("hardware, power or network of a place: goes with rack=r07: abort ")
    assert "but: none since 2026-11-01: it may be over" in shell("fleet", "suspects").out
    # Every host of the rack has one BIOS: that is no second condition.
    assert "bios" not in shell("fleet", "split", "watchdog_abort").out.split("the rest")[0]


def test_hosts_of_a_bad_microcode_are_not_accused_one_by_one(ask):
    shell = ask(first.f04_microcode)
    assert verdicts(shell) == ["hardware or firmware: bit flips go with microcode=0x2b0005c0"]
    assert "no host to take out now" in shell("fleet", "exclude").out
    assert "cannot tell yet: host" not in shell("fleet", "suspects").out


def test_onset_names_a_kernel_that_no_host_hours_tell_of(ask):
    shell = ask(first.f05_kernel_on_half)
    out = shell("fleet", "onset", "io_uring_wait").out
    assert "the rate rose with kernel=6.1.0-28-amd64" in out and "2026-10-22" in out


def test_a_weekly_job_is_one_story(ask):
    shell = ask(first.f07_weekly_job)
    said = verdicts(shell)
    assert sum("one event" in line for line in said) == 1
    assert any("comes on Sunday (UTC)" in line for line in said)
    assert "more events like it" in shell("fleet", "suspects").out


def test_of_a_service_on_a_few_hosts_none_is_accused(ask):
    shell = ask(first.f08_service_on_few_hosts)
    accused = [line for line in verdicts(shell) if "host" in line]
    assert len(accused) == 1 and "srv-088" in accused[0] and "move its job first" in accused[0]


def test_a_repaired_host_is_said_to_be_like_the_others(ask):
    shell = ask(first.f17_repaired)
    said = verdicts(shell)
    assert any("(z44), take it out" in line for line in said)
    assert any("(z31) until 2026-10-1" in line and "repaired" in line for line in said)
    out = shell("fleet", "exclude").out
    assert out.startswith("z44 ") and "left in: z31: since 2026-10-1" in out


def test_a_small_fleet_hears_what_it_would_take_to_drain(ask):
    out = ask(first.f01_bad_host_of_40)("fleet", "exclude").out
    assert out.startswith("none is taken out: 0 hosts may be out")
    assert "gpu-17; --at-most 2.5% takes all of them" in out
    again = ask(first.f01_bad_host_of_40)("fleet", "exclude", "--at-most", "2.5%").out
    assert again.startswith("gpu-17 ")


def test_nothing_is_wrong(ask):
    shell = ask(first.f15_nothing)
    assert verdicts(shell) == []
    assert shell("fleet", "suspects").out.startswith("nothing stands out among ")
