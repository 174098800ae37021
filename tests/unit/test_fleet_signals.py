# SPDX-License-Identifier: Apache-2.0
"""Hosts by what their crashes carry: one CPU number, bit-flip flags, inherited locks."""

from __future__ import annotations

import numpy as np
from support.fleet_simulator import FIRST_DAY, population, simulate

from gdb_epi.fleet.finding_store import verdict
from gdb_epi.fleet.population_verdict import HARDWARE_HOST, of_population
from gdb_epi.fleet.screen_hosts import shares
from gdb_epi.fleet.screen_signals import signal_findings
from gdb_epi.fleet.screen_types import BITFLIP, FORKS, LOCK
from gdb_epi.fleet.screening import replay, screen

SMALL = {"hosts": 300, "days": 20, "per_day": 30.0}
LAST = FIRST_DAY + 19


def found_in(pop):
    return list(signal_findings(pop, shares(pop)))


def test_few_crashes_on_one_cpu_of_a_host_are_a_finding():
    fleet = simulate(5000, pinned=0.3, **SMALL)
    pop = population(fleet)
    host = fleet.truth["pinned"]
    (finding,) = [f for f in found_in(pop) if f.signature.startswith("*cpu")]
    assert (finding.attr, finding.value) == ("host", host)
    own = {i for i, c in enumerate(fleet.crashes) if c.cause == "pinned"}
    assert own <= set(np.flatnonzero(finding.members)) and finding.n <= 8
    assert "of 64 CPUs" in finding.test and "same cpu_model" in finding.exposure
    assert "pinned" in finding.caveats[0] and "gather on its CPU" in verdict(finding)
    raised = [f for s in replay(pop) for f in s.findings if f.value == host]
    assert len(raised) == 1, "raised once, whatever is found of the host later"


def test_a_small_host_among_large_ones_is_measured_by_its_like():
    fleet = simulate(5001, **SMALL)
    pop = population(fleet)
    model = pop.attribute("cpu_model")
    few = model.crash == 0
    cpu = np.where(few, pop.cpu % 2, pop.cpu)  # hosts of this model have two CPUs
    assert [f for f in found_in(pop._replace(cpu=cpu)) if f.signature.startswith("*cpu")] == []
    blind = pop._replace(
        cpu=cpu, attributes=tuple(a for a in pop.attributes if a.name not in ("cpu_model", "sku"))
    )
    assert all(
        "may have fewer CPUs" in f.exposure for f in found_in(blind) if "*cpu" in f.signature
    )


def test_a_cpu_number_that_every_host_uses_is_nothing():
    pop = population(simulate(5002, **SMALL))
    zero = np.where(np.arange(pop.cpu.size) % 4, 0, pop.cpu)
    assert [f for f in found_in(pop._replace(cpu=zero)) if "*cpu" in f.signature] == []
    wild = pop._replace(cpu=np.full(pop.cpu.size, 2**31 - 1))
    assert [f for f in found_in(wild) if "*cpu" in f.signature] == []


def test_flags_of_one_host_are_signals_of_their_own():
    fleet = simulate(5003, **SMALL)
    pop = population(fleet)
    host = int(np.argmax(np.bincount(pop.host) == 5))
    mine = pop.host == host
    flip = found_in(pop._replace(bitflip=pop.bitflip | mine))
    lock = found_in(pop._replace(lock_inherited=pop.lock_inherited | mine))
    assert (pop.hosts[host], BITFLIP) in {(f.value, f.signature) for f in flip}
    (told,) = [f for f in lock if f.signature == LOCK and f.value == pop.hosts[host]]
    assert told.n == 5 and "look at its job" in verdict(told) and "forks" in told.caveats[0]
    judged = of_population(pop._replace(lock_inherited=pop.lock_inherited | mine), LAST)
    assert any("inherited locks go with host=" in v.headline for v in judged)
    assert not any(v.kind == HARDWARE_HOST and pop.hosts[host] in v.subject for v in judged)


def test_what_is_known_of_the_host_is_not_said_twice():
    fleet = simulate(5004, bad_host=2.0, **SMALL)
    found = screen(population(fleet), LAST).findings
    assert len([f for f in found if f.value == fleet.truth["bad_host"]]) == 1


def test_lock_flags_combine_with_the_other_facts_of_a_host():
    """Three locks, three bit flips, some crashes more than others: none is a finding alone."""
    pop = population(simulate(5003, **SMALL))
    host = int(np.argmax(np.bincount(pop.host) == 8))
    mine = np.flatnonzero(pop.host == host)
    lock, flip = (np.arange(pop.host.size) % 100 == 0 for _ in range(2))
    lock[mine], flip[mine] = False, False
    no_lock, no_flip = lock.copy(), flip.copy()
    lock[mine[:3]], flip[mine[-3:]] = True, True
    for fewer in ((no_lock, no_flip), (lock, no_flip), (no_lock, flip)):
        marked = pop._replace(lock_inherited=fewer[0], bitflip=fewer[1])
        assert pop.hosts[host] not in {f.value for f in screen(marked, LAST).findings}
    marked = pop._replace(lock_inherited=lock, bitflip=flip)
    (found,) = [f for f in screen(marked, LAST).findings if f.value == pop.hosts[host]]
    assert (found.signature, found.n, found.caveats) == (LOCK, 3, (FORKS,))
    assert "bit-flip flags p=" in found.test and "inherited locks p=" in found.test
    assert "hardware" not in verdict(found) and "look at its job" in verdict(found)
