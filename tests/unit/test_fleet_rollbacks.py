# SPDX-License-Identifier: Apache-2.0
"""Versions that were rolled out and back: one bug of both, and the hosts that were forgotten."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import FIRST_DAY, population, simulate

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.population_verdict import SOFTWARE, judge_signature
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.day_numbers import iso_day

LAST = FIRST_DAY + 29
VERSIONS = ["2.5", "2.6", "2.6.1"]
FORGOTTEN = (3, 7)


@pytest.fixture(scope="module")
def rolled_back():
    """60 hosts: 48 run 2.6 on days 8 to 11, and 2.6.1 on days 18 to 21; two keep it since."""
    pop = population(simulate(41, hosts=60, days=30, per_day=20.0, common=6, new_share=0.0))

    def running(day, host):
        day = day - FIRST_DAY
        first, second = ((day >= a) & (day < a + 4) & (host < 48) for a in (8, 18))
        second |= (day >= 22) & np.isin(host, FORGOTTEN)
        return (first + 2 * second).astype(np.int64)

    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])
    crash = running(pop.day, number[pop.host])
    hours = running(pop.exposure_day, number[pop.exposure_host])
    both = (
        Attribute("image", [f"cart:{v}" for v in VERSIONS], crash, np.full(hours.size, -1)),
        Attribute("cart_version", VERSIONS, crash, hours),
    )
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(crash > 0) & (np.arange(crash.size) % 2 == 0)] = 0
    return pop._replace(signature=signature, attributes=both, memo=None)


def test_two_versions_of_one_program_are_no_two_causes(rolled_back):
    verdict = judge_signature(rolled_back, 0, LAST)
    assert verdict.kind == SOFTWARE
    assert "cart:2.6 or 2.6.1 (versions of one program" in verdict.headline


def test_what_came_with_a_version_and_stayed_with_the_next_does_not_come_and_go():
    """On 15 of 60 hosts, from day 5 of 30 on: too early for the rate alone to show it."""
    pop = population(simulate(41, hosts=60, days=30, per_day=20.0, common=6, new_share=0.0))
    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])

    def running(day, host):
        day = day - FIRST_DAY
        return np.where(host < 15, (day >= 5).astype(int) + (day >= 18), 3).astype(np.int64)

    crash = running(pop.day, number[pop.host])
    hours = running(pop.exposure_day, number[pop.exposure_host])
    image = Attribute("image", [*(f"cart:{v}" for v in VERSIONS), "other:1"], crash, hours)
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(crash > 0) & (crash < 3) & (np.arange(crash.size) % 7 == 0)] = 0
    onset = find_onset(pop._replace(signature=signature, attributes=(image,), memo=None), 0)
    began = f"came with image=cart:{VERSIONS[1]} on 2026-01-10"
    assert onset.day is None and began in onset.answer, onset
    assert f"goes on with image=cart:{VERSIONS[2]}" in onset.answer


def test_what_comes_and_goes_with_its_versions_is_dated_by_them(rolled_back):
    onset = find_onset(rolled_back, 0)
    assert {r.value for r in onset.roll_outs} == {"cart:2.6", "cart:2.6.1"}
    assert onset.day is None and "it comes and goes with image=cart:2.6" in onset.answer
    usual = find_onset(rolled_back, 1)
    assert usual.answer.startswith("no lasting change of its rate") and not usual.roll_outs


def test_hosts_that_a_roll_back_forgot_are_named(rolled_back):
    findings = screen_population(rolled_back, LAST).findings
    (finding,) = (f for f in findings if (f.attr, f.value) == ("image", "cart:2.6.1"))
    assert finding.caveats[-1] == "now on node-3, node-7 alone, of 48 hosts that had it"


def test_one_kind_of_crash_for_another_is_told_where_the_rate_stays(rolled_back):
    """From day 15 on the usual crash is a write and no read: a fix, and a new bug."""
    late = (rolled_back.day >= FIRST_DAY + 15).astype(np.int64)
    none = np.full(rolled_back.exposure_day.size, -1)
    facts = tuple(Attribute(name, ["r", "w"], late, none) for name in ("access", "thread"))
    caveats = find_onset(rolled_back._replace(facts=facts, memo=None), 1).caveats
    assert any("access=w" in c and "the rate rose" in c for c in caveats), caveats
    assert any("access=r" in c and "the rate fell" in c for c in caveats), caveats


def lives(**running) -> Population:
    """60 hosts, 40 a day; a signature of two thirds of what runs 2.6. `running`: attributes."""
    pop = population(simulate(43, hosts=60, days=30, per_day=40.0, common=6, new_share=0.0))
    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])
    host, hours_host = number[pop.host], number[pop.exposure_host]
    attributes = []
    for name, (values, crash, hours) in running.items():
        of_crash = crash(pop.day - FIRST_DAY, host).astype(np.int64)
        of_hours = hours(pop.exposure_day - FIRST_DAY, hours_host).astype(np.int64)
        attributes.append(Attribute(name, values, of_crash, of_hours))
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(attributes[0].crash == 1) & (np.arange(host.size) % 3 > 0)] = 0
    nowhere = np.full(pop.exposure_day.size, -1)
    program = Attribute("program", ["cart", "other"], np.zeros(host.size, dtype=int), nowhere)
    return pop._replace(
        signature=signature, attributes=tuple(attributes), facts=(program,), memo=None
    )


def test_hosts_whose_records_still_have_a_version_are_named_against_the_list_of_hosts():
    def really(day, host):
        return (day >= 8) & ((day < 16) | np.isin(host, FORGOTTEN))

    def listed(day, host):
        return ((day >= 8) & (day < 16)) + 0 * host

    read = lives(
        image=(["cart:2.5", "cart:2.6"], really, lambda day, _: np.full(day.size, -1)),
        cart_version=(["2.5", "2.6"], listed, listed),
    )
    (finding, *_) = [f for f in screen_population(read, LAST).findings if f.attr == "image"]
    left = [caveat for caveat in finding.caveats if "alone, whose records" in caveat]
    names = sorted(name for name in read.hosts if int(name.partition("-")[2]) in FORGOTTEN)
    assert len(left) == 1 and f"on {', '.join(names)} alone" in left[0]
    assert left[0].endswith("the host-hours say cart_version=2.5 of them")


def test_a_tenant_that_moves_takes_its_crashes_along():
    def placed(day, host):
        return np.where(day < 14, host < 5, (host >= 20) & (host < 26))

    read = lives(tenant=(["omni", "quill"], placed, placed))
    (finding,) = [f for f in screen_population(read, LAST).findings if f.attr == "tenant"]
    (moved,) = [caveat for caveat in finding.caveats if "it moved on" in caveat]
    assert f"it moved on {iso_day(FIRST_DAY + 14)} from node-" in moved
    assert moved.endswith("they follow the tenant, and no host is to blame")

    def half_moved(day, host):
        return np.where(day < 14, host < 5, ((host >= 20) & (host < 24)) | (host == 0))

    read = lives(tenant=(["omni", "quill"], half_moved, half_moved))
    findings = screen_population(read, LAST).findings
    assert not any("it moved on" in caveat for f in findings for caveat in f.caveats)


@pytest.mark.parametrize(("hosts", "says"), [(4, "cannot tell yet"), (40, "by all signs")])
def test_how_much_the_next_version_has_run_says_whether_it_can_be_told(hosts, says):
    def running(day, host):
        day = day - FIRST_DAY
        return np.where(day < 8, 0, np.where(day < 18, 1, 2 * (host < hosts)))

    pop = population(simulate(43, hosts=60, days=30, per_day=20.0, common=6, new_share=0.0))
    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])
    crash, hours = running(pop.day, number[pop.host]), running(
        pop.exposure_day, number[pop.exposure_host]
    )  # fmt: skip
    both = (
        Attribute("image", [f"cart:{v}" for v in VERSIONS], crash, np.full(hours.size, -1)),
        Attribute("cart_version", VERSIONS, crash, hours),
    )
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(crash == 1) & (np.arange(crash.size) % 6 == 0)] = 0
    pop = pop._replace(signature=signature, attributes=both, memo=None)
    (of_version,) = screen_population(pop, LAST).findings
    (caveat,) = (c for c in of_version.caveats if "which came later" in c)
    assert "with cart_version=2.6.1, which came later, none in" in caveat and says in caveat
    assert " a 1,000 host-hours with it; 0 with the versions before; " in caveat


def test_a_kernel_that_came_with_a_release_is_told_from_all_of_its_versions():
    pop = population(simulate(47, hosts=90, days=30, per_day=40.0, common=6, new_share=0.0))
    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])
    day, third = pop.day - FIRST_DAY, number[pop.host] % 3 == 0
    nowhere = np.full(pop.exposure_day.size, -1)
    version = (day >= 19).astype(int) + (day >= 25)
    kernel = np.where(third, day >= 19, day >= 22).astype(int)
    both = (
        Attribute("image", [f"cart:{v}" for v in VERSIONS], version, nowhere),
        Attribute("kernel", ["6.1", "6.6"], kernel, nowhere),
    )
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(version > 0) & (np.arange(version.size) % 4 == 0)] = 0
    pop = pop._replace(signature=signature, attributes=both, memo=None)
    findings = screen_population(pop, LAST).findings
    assert {f.attr for f in findings} == {"image"}
    assert not any("it may be over" in caveat for f in findings for caveat in f.caveats)


def test_what_came_along_with_the_mending_is_told_from_it_by_hosts_that_got_only_that():
    def has(name, day, host):
        alone = host % 5 == 0  # they got the kernel and not the microcode
        if name == "kernel":
            return (day >= FIRST_DAY + 10).astype(int)
        return ((day >= FIRST_DAY + 10) & ~alone).astype(int)

    pop = population(simulate(49, hosts=90, days=30, per_day=40.0, common=6, new_share=0.0))
    number = np.array([int(name.partition("-")[2]) for name in pop.hosts])
    crash = {name: has(name, pop.day, number[pop.host]) for name in ("kernel", "microcode")}
    hours = has("microcode", pop.exposure_day, number[pop.exposure_host])
    both = (
        Attribute("kernel", ["6.1", "6.6"], crash["kernel"], np.full(hours.size, -1)),
        Attribute("microcode", ["0x1", "0x2"], crash["microcode"], hours),
    )
    signature = np.where(pop.signature == 0, 1, pop.signature)
    signature[(crash["microcode"] == 0) & (np.arange(hours.size)[: signature.size] % 3 == 0)] = 0
    pop = pop._replace(signature=signature, attributes=both, memo=None)
    (finding,) = (f for f in screen_population(pop, LAST).findings if f.attr == "microcode")
    assert "18 of 90 hosts that had it still have it" in finding.caveats
    assert any(c.startswith("kernel=6.6 came to most hosts that left it") for c in finding.caveats)
