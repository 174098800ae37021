# SPDX-License-Identifier: Apache-2.0
"""Hosts that share a rare mark are not accused one by one; what is told apart is no rival."""

from __future__ import annotations

from support.fleet_simulator import CPUS, FIRST_DAY, Crash, Fleet, population, simulate

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.population_verdict import judge_population
from gdb_epi.fleet.screen.screening import screen_population

DAYS, TURN = 21, 7


def canaries(hosts: dict[int, int], *, named: bool = True) -> Fleet:
    """A fleet in which few hosts get an image of their own; how many crashes each has of it."""
    fleet = simulate(660_100, hosts=200, days=DAYS, per_day=10.0)
    for day in range(TURN, DAYS if named else TURN):
        row = list(fleet.columns["image"][day])
        for host in hosts:
            row[host] = "canary"
        fleet.columns["image"][day] = row
    for host, count in hosts.items():
        for number in range(count):
            day = TURN + number % (DAYS - TURN)
            fleet.crashes.append(Crash(day, host, "arena", number % CPUS, False, ""))
    return fleet


def said(whole: Population) -> list[str]:
    """What the verdicts say of the signature, and of hosts."""
    return [verdict.headline for verdict in judge_population(whole, FIRST_DAY + DAYS - 1)]


def test_of_the_hosts_of_a_canary_none_is_accused():
    for crashes in ({17: 9, 61: 3}, {17: 2, 61: 6, 90: 3, 131: 0}):
        whole = population(canaries(crashes))
        findings = screen_population(whole, FIRST_DAY + DAYS - 1).findings
        assert [(f.attr, f.value) for f in findings if f.signature == "arena"] == [
            ("image", "canary")
        ]
        assert not [f for f in findings if f.attr == "host"]
        assert said(whole) == ["software: needs image=canary"]


def test_a_bug_with_another_name_on_half_of_the_hosts_is_one():
    """The image of half of the hosts has it under another name: neither is new, none mended."""
    fleet = simulate(660_200, hosts=60, days=DAYS, per_day=6.0)
    for day, row in enumerate(fleet.columns["image"]):
        fleet.columns["image"][day] = ["v2" if host % 2 else "v1" for host in range(len(row))]
    for number in range(60):
        name = f"gsig/2 stable segv-wild {('flush', 'flush_locked')[number % 2]} <-- py:ix.commit"
        day, host = number % DAYS, number % 2 + number * 2 % 60
        fleet.crashes.append(Crash(day, host, name, number % CPUS, False, ""))
    (headline,) = said(population(fleet))[:1]
    assert headline.startswith("software: one bug under other names, it seems, neither mended nor ")


def test_a_host_that_stands_out_among_the_canaries_is_named():
    hosts = dict.fromkeys(range(10, 100, 10), 1)
    findings = screen_population(
        population(canaries({**hosts, 17: 12})), FIRST_DAY + DAYS - 1
    ).findings
    assert ("host", "node-17") in [(f.attr, f.value) for f in findings]


def test_the_same_crashes_without_the_mark_accuse_the_host():
    findings = screen_population(
        population(canaries({17: 9, 61: 3}, named=False)), FIRST_DAY + DAYS - 1
    ).findings
    assert ("host", "node-17") in [(f.attr, f.value) for f in findings]


def test_a_mark_that_few_hosts_have_is_named_beside_the_only_host_that_crashed():
    findings = screen_population(
        population(canaries({17: 4, 61: 0})), FIRST_DAY + DAYS - 1
    ).findings
    mine = [f for f in findings if f.attr == "host"]
    assert mine
    for finding in mine:
        assert any("image=canary, which 2 hosts have" in caveat for caveat in finding.caveats)


def test_a_rack_is_no_rival_of_the_firmware_that_it_got_in_mid_month():
    fleet = simulate(660_101, hosts=200, days=DAYS, per_day=10.0)
    columns = fleet.columns["microcode"]
    for day in range(TURN, DAYS):
        columns[day] = ["fw9" if h // 20 == 3 else v for h, v in enumerate(columns[day])]
        for number in range(3):
            host = 60 + (7 * day + number) % 20
            fleet.crashes.append(Crash(day, host, "nic", (day + 5 * number) % CPUS, False, ""))
    assert said(population(fleet)) == [
        "hardware, firmware, or code that only such hosts run: goes with microcode=fw9"
    ]
