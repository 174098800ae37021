# SPDX-License-Identifier: Apache-2.0
"""Hosts by what their crashes carry: one CPU number, bit-flip flags, inherited locks."""

from __future__ import annotations

import numpy as np
from support.fleet_simulator import FIRST_DAY, Crash, population, simulate, timed

from gdb_epi.fleet.questions.population_verdict import HARDWARE_HOST, judge_population
from gdb_epi.fleet.screen.attributes import attribute_findings
from gdb_epi.fleet.screen.design_effect import HostClustering
from gdb_epi.fleet.screen.finding import BITFLIP, CAVEAT_FORKS, CAVEAT_ONLY_MORE_CRASHES, LOCK
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.screen.host_evidence import (
    NEW,
    CrashCountsByEvidence,
    NullModel,
    findings_by_carried_evidence,
    likelihood_ratios,
    p_values_of_ratios,
    simulate_healthy_hosts,
)
from gdb_epi.fleet.screen.hosts import crashes_and_null_model, exposure_shares, host_findings
from gdb_epi.fleet.screen.screening import screen_day_by_day, screen_population
from gdb_epi.fleet.statistics.hypothesis_tests import estimate_overdispersion

SMALL = {"hosts": 300, "days": 20, "per_day": 30.0}
LAST = FIRST_DAY + 19


def found_in(pop):
    return list(findings_by_carried_evidence(pop, exposure_shares(pop)))


def test_few_crashes_on_one_cpu_of_a_host_are_a_finding():
    fleet = simulate(5000, pinned=0.3, **SMALL)
    pop = population(fleet)
    host = fleet.truth["pinned"]
    (finding,) = [f for f in found_in(pop) if f.signature.startswith("*cpu")]
    assert (finding.attr, finding.value) == ("host", host)
    own = {i for i, c in enumerate(fleet.crashes) if c.cause == "pinned"}
    assert own <= set(np.flatnonzero(finding.members)) and finding.n <= 8
    assert "of 64 CPUs" in finding.test and "same cpu_model" in finding.exposure
    assert "pinned" in finding.caveats[0] and "gather on its CPU" in describe_verdict(finding)
    raised = [f for s in screen_day_by_day(pop) for f in s.findings if f.value == host]
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
    (finding,) = [f for f in lock if f.signature == LOCK and f.value == pop.hosts[host]]
    assert (
        finding.n == 5
        and "look at its job" in describe_verdict(finding)
        and "forks" in finding.caveats[0]
    )
    judged = judge_population(pop._replace(lock_inherited=pop.lock_inherited | mine), LAST)
    assert any("inherited locks go with host=" in v.headline for v in judged)
    assert not any(v.kind == HARDWARE_HOST and pop.hosts[host] in v.subject for v in judged)


def test_of_weak_signs_of_a_host_it_is_not_said_that_there_are_none():
    """Seven crashes, one with a flip, three of kinds of its own: none of it is sure."""
    fleet = simulate(4100, hosts=80, per_day=8, new_share=0.05, variance=0.0, common=40)
    for n in range(5):
        name = f"own{n}" if n < 3 else f"s{n:03}"
        fleet.crashes.append(Crash(20 + n, 61, name, n, n == 0, "bad"))
    pop = population(timed(fleet, 4100))
    (host,) = (f for f in screen_population(pop, pop.last_day).findings if f.attr == "host")
    assert host.caveats == (CAVEAT_ONLY_MORE_CRASHES,) and "bit-flip flags p=0.02" in host.test
    assert "hardly by flipped bits" in host.caveats[0]
    assert not {"no", "nothing"} & set(host.caveats[0].split())


def test_flips_of_one_function_are_not_of_all_kinds():
    pop = population(simulate(5003, **SMALL))
    mine = pop.host == int(np.argmax(np.bincount(pop.host) == 5))
    lines = [f"gsig/2 stable segv-wild {name} <-- py:job.train" for name in ("PyNumber_Add", "dot")]
    signature = pop.signature.copy()
    signature[mine] = len(pop.signatures) + np.arange(mine.sum()) % 2
    flips = pop._replace(bitflip=pop.bitflip | mine, signatures=[*pop.signatures, *lines])
    findings = [f for f in found_in(flips._replace(signature=signature)) if f.members[mine].all()]
    words = [describe_verdict(f) for f in findings if f.signature == BITFLIP]
    assert words == [
        "one host, one function of one program: move it first; if it stays, test the host"
    ]
    of_all = [f for f in found_in(flips) if f.members[mine].all() and f.signature == BITFLIP]
    assert ["with bit-flip flags" in describe_verdict(f) for f in of_all] == [True]


def test_what_is_known_of_the_host_is_not_said_twice():
    fleet = simulate(5004, bad_host=2.0, **SMALL)
    findings = screen_population(population(fleet), LAST).findings
    assert len([f for f in findings if f.value == fleet.truth["bad_host"]]) == 1


def test_lock_flags_combine_with_the_other_facts_of_a_host():
    """Three locks, three bit flips, some crashes more than others: none is a finding alone."""
    pop = population(simulate(5003, **SMALL))
    host = int(np.argmax(np.bincount(pop.host) == 8))
    mine = np.flatnonzero(pop.host == host)
    lock, flip = (np.arange(pop.host.size) % 30 == 0 for _ in range(2))
    lock[mine], flip[mine] = False, False
    no_lock, no_flip = lock.copy(), flip.copy()
    lock[mine[:3]], flip[mine[-3:]] = True, True
    for fewer in ((no_lock, no_flip), (lock, no_flip), (no_lock, flip)):
        marked = pop._replace(lock_inherited=fewer[0], bitflip=fewer[1])
        assert pop.hosts[host] not in {f.value for f in screen_population(marked, LAST).findings}
    marked = pop._replace(lock_inherited=lock, bitflip=flip)
    (finding,) = [f for f in screen_population(marked, LAST).findings if f.value == pop.hosts[host]]
    assert (finding.signature, finding.n, finding.caveats) == (LOCK, 3, (CAVEAT_FORKS,))
    assert "bit-flip flags p=" in finding.test and "inherited locks p=" in finding.test
    assert "hardware" not in describe_verdict(finding) and "look at its job" in describe_verdict(
        finding
    )


def test_hosts_of_a_group_are_measured_by_its_rate():
    fleet = simulate(5006, days=10)
    for host in range(60, 80):
        added = [Crash(n % 10, host, f"s{n:03}", n + host % 8, False, "") for n in range(16)]
        fleet.crashes.extend(added)
    fleet.crashes.sort()
    pop = population(fleet)
    screening = screen_population(pop, FIRST_DAY + 9)
    groups = [f for f in screening.findings if f.signature == "*" and f.attr != "host"]
    assert [(f.attr, f.value) for f in groups] == [("rack", "r003")]
    alone = {f.value for f in host_findings(pop, FIRST_DAY + 9) if f.signature == "*"}
    assert alone, "by the rate of the whole fleet its hosts stand out one by one"
    assert not alone & {f.value for f in screening.hosts}


def test_a_signature_of_some_hosts_alone_is_no_finding_of_each():
    """Twenty of three hundred hosts run what dies of it, and share its crashes as it happens."""
    pop = population(simulate(5007, **SMALL))
    only = np.flatnonzero(pop.host % 15 == 0)
    signature = pop.signature.copy()
    signature[signature == pop.signatures.index("s000")] = pop.signatures.index("s001")
    signature[only] = pop.signatures.index("s000")
    assert np.bincount(pop.host[only]).max() >= 4, "more than a host of three hundred would have"
    findings = host_findings(pop._replace(signature=signature), LAST)
    assert [f for f in findings if f.signature == "s000"] == []


def racks_of(pop, only):
    """The racks that are found to have more than their share of crashes that get one signature."""
    signature = pop.signature.copy()
    signature[signature == pop.signatures.index("s000")] = pop.signatures.index("s001")
    signature[only] = pop.signatures.index("s000")
    pop = pop._replace(signature=signature)
    findings = attribute_findings(pop, np.ones(pop.day.size, dtype=bool))
    return [f.value for f in findings if f.signature == "s000" and f.attr == "rack"]


def test_a_rack_with_more_hosts_of_a_service_is_no_finding(monkeypatch):
    """Of the hosts that run what dies of it a rack has more; or as many crashes on all of its."""
    pop = population(simulate(4, **SMALL))
    only = np.flatnonzero(np.isin(pop.host, [*range(60, 67), *range(4, 300, 21)]))
    here = int((pop.host[only] // 20 == 3).sum())
    assert racks_of(pop, only) == []
    last = [int(np.flatnonzero(pop.host == h)[-1]) for h in np.unique(pop.host)]
    spread = [i for i in last if pop.host[i] // 20 == 3][:here]
    spread += [i for i in last if pop.host[i] // 20 != 3][:: 300 // (only.size - here)]
    assert racks_of(pop, np.array(spread)) == ["r003"]
    monkeypatch.setattr(HostClustering, "design_effect", lambda *_: 1.0)
    assert racks_of(pop, only) == ["r003"], "as if hosts were alike"


def test_crashes_that_gather_on_few_hosts_tell_less():
    pop = population(simulate(5007, **SMALL))
    rack, kernel = pop.attribute("rack"), pop.attribute("kernel")
    hosts = HostClustering(pop)
    alike = np.array([int(np.flatnonzero(pop.host == h)[-1]) for h in np.unique(pop.host)])
    few = np.flatnonzero(np.isin(pop.host, np.unique(pop.host)[::20]))
    effects = [
        hosts.design_effect(
            hosts.hosts_of_crashes(some, attribute.crash[some]), code, attribute.exposure
        )
        for some in (alike, few)
        for attribute, code in ((rack, 3), (kernel, 1))
    ]
    assert effects[0] < 1.6 and effects[1] < effects[0]
    assert effects[2] > 2 and effects[3] < effects[2], "a version runs on most of the hosts"
    outside, nobody = hosts.hosts_of_crashes(few, few * 0), hosts.hosts_of_crashes(few[:0], few[:0])
    assert hosts.design_effect(outside, 3, rack.exposure) >= 1
    assert hosts.design_effect(nobody, 1, kernel.exposure) == 1
    assert hosts.design_effect(outside, 1, kernel.exposure * 0) == 1, "no host has it"


def test_how_much_hosts_differ_is_told_without_those_that_crash_most():
    random = np.random.default_rng(1)
    for alpha in (0.3, 1.0):
        rates = random.gamma(1 / alpha, alpha, 2000)
        counts = random.poisson(6 * rates).astype(float)
        expected = np.full(2000, 6.0)
        spread = estimate_overdispersion(counts, expected)
        assert 0.8 * alpha < spread < 1.3 * alpha
        counts[np.argsort(counts)[-5:]] = 300  # five bad hosts
        assert abs(estimate_overdispersion(counts, expected) - spread) < 0.1 * alpha


def test_healthy_hosts_have_the_chances_that_are_said():
    pop = population(simulate(5008, **SMALL))
    crashes, null = crashes_and_null_model(pop, LAST, exposure_shares(pop))
    drawn = simulate_healthy_hosts(null)
    p = p_values_of_ratios(
        likelihood_ratios(crashes, null).mean_of_both(np.zeros(len(pop.hosts), dtype=bool)), drawn
    )
    assert (p <= 0.1).mean() < 0.2 and p.min() > 1e-5
    assert np.all(np.diff(p_values_of_ratios(np.sort(drawn), drawn)) <= 0), (
        "more evidence, less chance"
    )
    far = p_values_of_ratios(drawn[:1] * np.array([10.0, 100.0]), drawn)
    assert abs(far[0] / far[1] - 10) < 1e-6


def test_a_mark_that_many_crashes_carry_still_tells_a_host_that_has_it_always():
    """Half of a small fleet's signatures are on one host alone; of the bad host all of them."""
    mean, cpus = np.full((1, 2), 4.0), np.array([64.0, 64.0])
    none = np.zeros(0, dtype=np.int64), np.zeros(0)
    null = NullModel(mean, 0.3, np.array([0.01, 0.5, 0.02]), cpus, *none)
    host, period = np.repeat([0, 1], 6), np.zeros(12, dtype=np.int64)
    carried = np.array([NEW] * 6 + [NEW, 0] * 3)
    crashes = CrashCountsByEvidence(
        host, period, carried, np.arange(12), np.ones(12, dtype=np.int64)
    )
    all_new, as_usual = likelihood_ratios(crashes, null).hardware
    assert all_new > 2 * as_usual
