# SPDX-License-Identifier: Apache-2.0
"""What an agent stops to tell of a host, and what the host told before."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.fill_missing_attributes import (
    fill_missing_attributes,
    mark_of_crashes_without_attribute,
)
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population

HOSTS, DAYS, ASKED = 60, 20, 12  # the agent is updated on day 12, on every other host


def fleet() -> Population:
    """Each host crashes each day; host 0 was moved to another rack, host 59 never told one."""
    host, day = np.indices((HOSTS, DAYS)).reshape(2, -1)
    order = np.argsort(day, kind="stable")
    host, day = host[order], day[order]
    new_agent = (host % 2 == 1) & (day >= ASKED)
    rack = np.where((host == 0) & (day >= 5), 2, host % 3)
    rack = np.where(new_agent | (host == 59) | ((host == 0) & (day == 9)), -1, rack)
    driver = np.where(new_agent, -1, day >= 7)  # comes to all of them
    bios = np.where(new_agent, -1, host % 2)  # of records alone
    nothing = np.full(host.size, -1)
    attributes = (
        Attribute("rack", ["a", "b", "c"], rack, rack.copy()),
        Attribute("driver", ["1", "2"], driver, driver.copy()),
        Attribute("bios", ["x", "y"], bios, nothing),
        Attribute("agent", ["4.1", "4.2"], new_agent.astype(int), nothing),
        *(
            Attribute(name, ["i", "j"], np.where(new_agent, -1, host % 2), nothing)
            for name in ("image", "package numpy", "lib libz.so.1", "env MODE")
        ),
    )
    none = np.zeros(host.size, dtype=bool)
    return Population(
        CoreKeys.from_strings(f"{i:016x}" for i in range(host.size)), 20_000 + day, host,
        np.zeros(host.size, dtype=int), nothing, none, none, [f"h{i}" for i in range(HOSTS)],
        ["s"], attributes, 20_000 + day, host.copy(), np.full(host.size, 24.0),
    )  # fmt: skip


def test_what_hosts_keep_is_taken_from_what_they_told_before():
    before = fleet()
    after, filled = fill_missing_attributes(before)
    rack, driver, bios, _, *of_process = after.attributes
    asked = (before.host % 2 == 1) & (before.day >= 20_000 + ASKED) & (before.host != 59)
    assert (rack.crash[asked] == before.host[asked] % 3).all()
    assert (rack.exposure[asked] == before.host[asked] % 3).all()
    assert (bios.crash[asked] == 1).all()
    assert (bios.exposure < 0).all()  # no host-hours tell it, and none do now
    assert set(filled) == {"rack", "bios"}
    assert filled["bios"][1] == 0
    assert filled["bios"][2] == "agent=4.2"
    # A driver that changes is unknown, a host that had two racks too, and what is of a process.
    assert driver is before.attributes[1]
    assert all(a is b for a, b in zip(of_process, before.attributes[4:], strict=True))
    assert rack.crash[(before.host == 0) & (before.day == 20_009)].tolist() == [-1]
    assert (rack.crash[before.host == 59] == -1).all()


def test_what_is_known_stays_as_it_is():
    before = fleet()
    after, _ = fill_missing_attributes(before)
    for old, new in zip(before.attributes, after.attributes, strict=True):
        is_crash = old.crash >= 0
        assert (new.crash[is_crash] == old.crash[is_crash]).all()


def test_a_value_that_the_others_have_too_lacks_nothing():
    population = fleet()
    lacks = np.arange(population.day.size) % 7 == 0
    assert mark_of_crashes_without_attribute(population, lacks) == ""
    assert (
        mark_of_crashes_without_attribute(population, population.attributes[3].crash == 1)
        == "agent=4.2"
    )


def test_an_attribute_that_many_hosts_changed_is_not_filled_in():
    population = fleet()
    rack = population.attributes[0]
    moved = np.where((population.host < 4) & (population.day == 20_003), 0, rack.crash)
    moved = np.where((population.host < 4) & (population.day == 20_004), 1, moved)
    changed = population._replace(attributes=(rack._replace(crash=moved),))
    assert fill_missing_attributes(changed)[1] == {}
