# SPDX-License-Identifier: Apache-2.0
"""A switch that fails for some weeks, beside the releases of the services behind it."""

from __future__ import annotations

import numpy as np
import pytest
from unit.test_fleet_rates import DAYS, FIRST, fleet

from gdb_epi.fleet.decisions.drain_plan import _describe_broken_parts
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.questions.suspects import suspect_lines
from gdb_epi.fleet.records.facts import PROGRAM
from gdb_epi.fleet.screen.screening import screen_population

FIRST_BAD, LAST_BAD = 12, 30
SERVICES = ["store", "ingest", "web"]


def behind_a_switch(seed: int, *, busy: float = 1.0, apart: bool = False) -> Population:
    """200 hosts of three services on ten switches; the third fails for 18 days, for all three.

    `apart`: for each service on six days of its own.
    """
    rng = np.random.default_rng(seed)
    switch = np.arange(200) % 10
    service = np.where(np.arange(200) // 10 < 4, 2, np.arange(200) // 10 % 2)
    rates = np.full((200, DAYS), 0.08)
    bad = (switch == 3)[:, None] & (np.arange(DAYS) >= FIRST_BAD) & (np.arange(DAYS) < LAST_BAD)
    if apart:
        begin = np.array([3, 15, 27])[service][:, None]
        days = np.arange(DAYS)
        bad = (switch == 3)[:, None] & (days >= begin) & (days < begin + 6)
    often = np.where(np.arange(200) == 3, busy, 1.0)[:, None]  # a host of web, behind it
    whole = fleet(rates + (0.8 if apart else 0.2) * bad * often, {}, seed=seed)
    lost = bad[whole.host, whole.day - FIRST] & (rng.random(whole.day.size) < 0.7)
    of_service = service[whole.host]
    # Each service has four kinds of crashes, one of them that of the lost connection.
    lost |= rng.random(whole.day.size) < (0.0 if apart else 0.02)
    kind = np.where(lost, 0, rng.integers(1, 4, lost.size))
    day, host = np.indices(rates.shape)[::-1]
    return whole._replace(
        signature=of_service * 4 + kind,
        signatures=[f"{name}-{number}" for name in SERVICES for number in range(4)],
        attributes=(
            Attribute(
                "switch", [f"tor-{i}" for i in range(10)], switch[whole.host],
                switch[host.reshape(-1)],
            ),
        ),
        facts=(Attribute(PROGRAM, SERVICES, of_service, np.full(day.size, -1)),),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_signatures_of_several_programs_behind_a_switch_are_one_cause_with_its_days(seed):
    whole = behind_a_switch(seed)
    lines = list(suspect_lines(whole, screen_population(whole, FIRST + DAYS - 1)))
    (verdict,) = (line for line in lines if line.startswith("verdict: perhaps one cause in "))
    assert verdict.startswith("verdict: perhaps one cause in 3 signatures of ")
    assert all(name in verdict for name in (*SERVICES, "switch=tor-3, from "))
    assert not any("one host" in line for line in lines)


@pytest.mark.parametrize("seed", range(4))
def test_a_host_is_one_of_those_of_the_switch_on_which_its_service_runs(seed):
    whole = behind_a_switch(seed, busy=2.5)
    code = whole.signatures.index("web-0")
    parts = split_signature(whole, code, FIRST + DAYS - 1).parts
    assert not any(part.finding is not None and part.finding.attr == "host" for part in parts)


@pytest.mark.parametrize("seed", range(2))
def test_what_services_had_at_a_place_one_after_the_other_is_not_called_one_cause(seed):
    whole = behind_a_switch(seed, apart=True)
    lines = list(suspect_lines(whole, screen_population(whole, FIRST + DAYS - 1)))
    assert sum(line.startswith("verdict: ") and "switch=tor-3" in line for line in lines) >= 1
    assert not any("one cause in " in line for line in lines)


def test_a_part_in_several_programs_is_one_cause_and_untold_hosts_with_it_are_named():
    """Every tenth host has the bad stepping; two of these do not tell it, as old agents do."""
    whole = behind_a_switch(1)
    (switch,) = whole.attributes
    old = np.array([43, 173])  # hosts
    crash, hours = (
        np.where(np.isin(host, old), -1, (codes == 3).astype(np.int64))
        for codes, host in ((switch.crash, whole.host), (switch.exposure, whole.exposure_host))
    )
    stepping = Attribute("cpu_stepping", ["6", "5"], crash, hours)
    whole = whole._replace(attributes=(stepping,))
    screened = screen_population(whole, FIRST + DAYS - 1)
    lines = list(suspect_lines(whole, screened))
    (verdict,) = (line for line in lines if line.startswith("verdict: perhaps one cause in 3 "))
    assert "cpu_stepping=5, " in verdict and "It may be that part, its firmware" in verdict
    named = verdict.partition("hosts that do not tell cpu_stepping: ")[2].partition(": ")[0]
    hosts = {name.split(" ")[0] for name in named.split(", ")}
    assert whole.hosts[173] in hosts <= {whole.hosts[host] for host in old}, (
        "with 3 crashes or more"
    )
    (group,) = _describe_broken_parts(whole, screened.findings)
    assert group.startswith("3 signatures go with cpu_stepping=5, which 18 hosts have; ")
    assert not list(_describe_broken_parts(whole, screened.findings[:1])), "one may be code"
