# SPDX-License-Identifier: Apache-2.0
"""What the crashes cannot tell yet is said: which hosts, what chance, how many more would tell."""

from __future__ import annotations

from support.fleet_simulator import FIRST_DAY, Crash, Fleet, population, simulate

from gdb_epi.fleet.screen.finding import Finding
from gdb_epi.fleet.screen.possibly_bad_hosts import (
    crashes_needed_to_name,
    find_possibly_bad_hosts,
    host_with_flipped_bits_words,
    undecided_sentences,
)
from gdb_epi.fleet.screen.screening import screen_population

DAYS = 21
LAST = FIRST_DAY + DAYS - 1


def fleet_of(own: int, *, hosts: int = 63) -> tuple[Fleet, str]:
    """A small fleet, one host of which dies of flips on one CPU in these days; and its name."""
    fleet = simulate(660_200, hosts=hosts, days=DAYS, per_day=2.0)
    crashed = {crash.host for crash in fleet.crashes}
    host = next(h for h in range(hosts) if h not in crashed)
    for number in range(own):
        odd = number % 2 == 1
        crash = Crash(DAYS - 1 - number // 2, host, f"s{number:03}", 7, odd, "bad_host")
        fleet.crashes.append(crash)
    return fleet, f"node-{host}"


def test_a_host_with_too_few_crashes_is_open_and_later_named():
    possible = {}
    for own in (2, 9):
        fleet, name = fleet_of(own)
        whole = population(fleet)
        screened = screen_population(whole, LAST)
        possible[own] = [
            host for host in find_possibly_bad_hosts(whole, LAST, screened) if host.host == name
        ]
        assert any(f.value == name for f in screened.hosts) == (own == 9)
    assert not possible[9], "what is named is not open"
    [host] = possible[2]
    assert host.crashes == 2
    assert 0 < host.chance <= 0.5
    assert host.more is not None
    assert 1 <= host.more <= 4
    assert f"at least {host.more} more like them would tell" in host.words()


def test_as_many_more_as_it_says_name_the_host():
    fleet, _ = fleet_of(2)
    whole = population(fleet)
    [host] = find_possibly_bad_hosts(whole, LAST, screen_population(whole, LAST))[:1]
    assert host.more is not None
    fleet, name = fleet_of(2 + host.more + 1)
    whole = population(fleet)
    assert name in [f.value for f in screen_population(whole, LAST).hosts]


def test_of_a_fleet_where_nothing_stands_out_it_is_said_what_could():
    fleet, _ = fleet_of(0)
    whole = population(fleet)
    screened = screen_population(whole, LAST)
    assert not screened.findings
    needed = crashes_needed_to_name(whole, LAST)
    half, most = needed.host
    assert half is not None
    assert most is not None
    assert 3 <= half <= most <= 8
    assert needed.value is not None
    assert undecided_sentences(whole, LAST, screened)[-1].startswith(
        "what these crashes can show: a host"
    )


def test_a_host_whose_crashes_have_a_cause_is_not_open():
    fleet, name = fleet_of(2)
    whole = population(fleet)
    screened = screen_population(whole, LAST)
    nightly = whole.host == whole.hosts.index(name)
    job = Finding(
        "time of day", "01:00 to 04:00 UTC", whole.signatures[0], 2, 2, 1e-9, 1e-9, 9.0, 3.0, 27.0,
        "", "", (), (), nightly,
    )  # fmt: skip
    for findings, is_open in ((screened.findings, True), ([*screened.findings, job], False)):
        hosts = find_possibly_bad_hosts(whole, LAST, screened._replace(findings=findings))
        assert (name in [host.host for host in hosts]) == is_open


def test_two_crashes_say_nothing():
    fleet, _ = fleet_of(0)
    whole = population(fleet._replace(crashes=fleet.crashes[:2]))
    assert undecided_sentences(whole, LAST, screen_population(whole, LAST)) == []


def test_the_host_with_the_only_flipped_bit_is_told_and_not_accused():
    fleet, name = fleet_of(2)  # one of the two is flipped
    fleet.crashes[:] = [c for c in fleet.crashes if not c.bitflip or f"node-{c.host}" == name]
    whole = population(fleet)
    screened = screen_population(whole, LAST)
    words = host_with_flipped_bits_words(whole, screened)
    assert words is not None and f"host {name} has a flipped bit in 1 of 2 crashes" in words
    assert words in undecided_sentences(whole, LAST, screened)
    every = whole._replace(bitflip=~whole.bitflip, memo=None)
    assert host_with_flipped_bits_words(every, screened) is None, "what all have tells of no host"
