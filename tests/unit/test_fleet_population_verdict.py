# SPDX-License-Identifier: Apache-2.0
"""The verdict over a population, on simulated fleets whose causes are planted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.fleet_simulator import CPUS, FIRST_DAY, Crash, population, simulate
from unit.fleet_records import minimal

from gdb_epi.fleet.population.population import Attribute
from gdb_epi.fleet.questions import population_verdict as pv
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.serve import answers
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest

SMALL = {"hosts": 300, "days": 21}
LAST = FIRST_DAY + 20


def judged(fleet, name):
    pop = population(fleet)
    return pv.judge_signature(pop, pop.signatures.index(name), LAST)


def test_one_bad_host_is_hardware_and_to_be_retired():
    fleet = simulate(7000, bad_host=1.5, **SMALL)
    first = pv.judge_population(population(fleet), LAST)[0]
    host = fleet.truth["bad_host"]
    assert (first.kind, first.subject) == (pv.HARDWARE_HOST, f"host={host}")
    taken = f"hardware: one host ({host}), take it out and test it"
    assert first.headline == f"{taken}; 16 of its 24 crashes were on CPU 53"
    assert any("relative risk" in line for line in first.evidence)
    assert any("bit-flip flag" in line for line in first.evidence)
    assert json.loads(json.dumps(first.as_json(LAST)))["causes"][0]["mark"] == f"host={host}"


def crashing(names):
    """A quiet fleet in which one host died of these, three a day."""
    fleet = simulate(7000, **SMALL)
    host = next(c.host for c in fleet.crashes if c.signature == "s000")
    added = [Crash(n // 3, host, name, n % CPUS, False, "") for n, name in enumerate(names)]
    fleet.crashes.extend(added)
    fleet.crashes.sort()
    return fleet, f"node-{host}"


def test_a_host_with_nearly_one_signature_is_not_called_broken():
    """Its other crashes may be those that every host has: a job in a loop looks the same."""
    fleet, host = crashing(["loop"] * 52)
    pop = population(fleet)
    other = sum(f"node-{c.host}" == host for c in fleet.crashes) - 52
    assert other >= 1, "the host has other signatures too"
    screened = [f for f in screen_population(pop, LAST).findings if f.value == host]
    assert all(
        "hardware" not in describe_verdict(f) and "all kinds" not in describe_verdict(f)
        for f in screened
    )
    verdicts = [v for v in pv.judge_population(pop, LAST) if v.subject in (f"host={host}", "loop")]
    assert verdicts and all(v.kind == pv.ONE_HOST for v in verdicts)
    assert all("if the crash stays on the host" in v.headline for v in verdicts)
    assert not any("retire" in v.headline or "hardware" in v.headline for v in verdicts)
    evidence = [line for v in verdicts for line in v.evidence]
    assert f"52 of its {52 + other} crashes are one signature: loop" in evidence
    assert "nearly all one signature" in verdicts[0].headline


def test_a_host_that_is_like_the_others_but_for_one_signature_is_not_called_broken():
    """Its other crashes are a quarter and more of all, and still no more than other hosts have."""
    fleet, host = crashing(["loop"] * 20 + ["s001", "s002", "s003"])
    mine = [c.signature for c in fleet.crashes if f"node-{c.host}" == host]
    assert 20 / len(mine) < pv.MOSTLY, "no share of one signature decides"
    judged = pv.judge_population(population(fleet), LAST)
    (first,) = [v for v in judged if v.subject in (f"host={host}", "loop")]
    assert (first.kind, f"one host ({host}), one signature" in first.headline) == (
        pv.ONE_HOST,
        True,
    )
    assert "move its job first" in first.headline and "retire" not in first.headline


def test_a_host_with_more_of_the_usual_crashes_is_not_called_broken():
    """It may be the busiest one; its crashes stand out by their number alone."""
    fleet, host = crashing([f"s{n % 40:03}" for n in range(60)])
    pop = population(fleet)
    (first,) = [v for v in pv.judge_population(pop, LAST) if v.subject == f"host={host}"]
    assert (first.kind, pv.USUAL in first.headline) == (pv.ONE_HOST, True)
    assert "retire" not in first.headline and "hardware" not in first.headline
    assert any("stand out by their number" in caveat for caveat in first.caveats)
    (finding,) = [f for f in screen_population(pop, LAST).findings if f.value == host]
    assert "of the usual kinds" in describe_verdict(finding) and "hardware" not in describe_verdict(
        finding
    )


def test_a_host_with_many_signatures_is_broken_though_one_leads():
    fleet, host = crashing(f"own{n}" if n % 2 else "loop" for n in range(50))
    first = pv.judge_population(population(fleet), LAST)[0]
    assert (first.kind, first.headline) == (
        pv.HARDWARE_HOST,
        f"hardware: one host ({host}), take it out and test it",
    )


@pytest.mark.parametrize("seed", [7000, 7001])
def test_a_race_needs_this_version_and_that_load(seed):
    verdict = judged(simulate(seed, race=3.0, **SMALL), "race")
    assert verdict.kind == pv.SOFTWARE and verdict.headline.startswith("software: needs")
    assert "load=high" in verdict.headline and "image=image1" in verdict.headline
    assert not verdict.more and len(verdict.evidence) >= 2


def test_a_signature_of_two_populations_has_two_causes():
    fleet = simulate(7000, split=3.0, **SMALL)
    verdict = judged(fleet, "two-faces")
    _, host, _ = fleet.truth["split"]
    assert verdict.kind == pv.TWO_CAUSES
    assert f"host={host}" in verdict.headline and "kernel=kernel1" in verdict.headline
    assert sum(cause.crashes for cause in verdict.causes) == verdict.crashes


def test_a_bad_host_with_its_share_of_a_signature_is_no_second_cause_of_it():
    fleet = simulate(7000, bad_host=2.0, hosts=12, days=24, per_day=2.0)
    host = int(fleet.truth["bad_host"].removeprefix("node-"))
    mine = [Crash(day, host, "common", 3, False, "") for day in (17, 18, 19)]
    others = [Crash(n, n % 12, "common", 0, False, "") for n in range(18) if n % 12 != host]
    fleet.crashes[:] = sorted([*fleet.crashes, *mine, *others])
    pop = population(fleet)
    assert [f.value for f in pv.screen_population(pop, LAST).hosts] == [f"node-{host}"]
    verdict = judged(fleet, "common")
    assert verdict.kind == pv.NOT_ENOUGH and "host=" not in verdict.headline


def test_one_finding_has_the_same_numbers_in_verdicts_as_in_the_screening():
    pop = population(simulate(7000, split=3.0, race=3.0, bad_host=2.0, **SMALL))
    screened = pv.screen_population(pop, LAST)
    numbers = {f.identity: (f.n, f.total, f.rr, f.q) for f in screened.findings}
    shared = [
        f
        for verdict in pv.judge_population(pop, LAST, screened)
        for cause in verdict.causes
        for f in cause.findings
        if f.identity in numbers and len(cause.findings) == 1
    ]
    assert len(shared) > 1
    assert [(f.n, f.total, f.rr, f.q) for f in shared] == [numbers[f.identity] for f in shared]


def test_what_bad_hosts_have_of_a_frequent_signature_does_not_answer_why_it_is_frequent():
    fleet = simulate(7000, bad_host=2.0, **SMALL)
    host = int(fleet.truth["bad_host"].removeprefix("node-"))
    mine = [Crash(day, host, "common", 3, True, "bad_host") for day in (17, 18, 19, 20)]
    others = [Crash(n % 21, n * 5, "common", 0, False, "") for n in range(60) if n * 5 != host]
    fleet.crashes[:] = sorted([*fleet.crashes, *mine, *others])
    verdict = judged(fleet, "common")
    assert verdict.kind == pv.NOT_ENOUGH
    assert (
        verdict.headline.startswith("not explained: ")
        and f"on host=node-{host}" in verdict.headline
    )
    assert sum(cause.crashes for cause in verdict.causes) == verdict.crashes


def test_three_crashes_are_not_enough_and_it_says_how_many_are():
    fleet = simulate(7000, race=0.22, **SMALL)
    verdict = judged(fleet, "race")
    assert verdict.kind == pv.NOT_ENOUGH and verdict.crashes < 8
    assert verdict.more and f"about {verdict.more} more crashes" in verdict.headline
    assert "may be chance" in verdict.evidence[-1]


def test_what_no_exposure_means_is_said():
    fleet = simulate(7000, bad_host=2.0, **SMALL)
    whole = population(fleet)
    nothing = whole.select(whole.day > 0, whole.exposure_day < 0)
    first = pv.judge_population(nothing, LAST)[0]
    assert first.subject == f"host={fleet.truth['bad_host']}"
    assert pv.NO_HOURS_AT_ALL in first.caveats


@pytest.mark.parametrize(("share", "goes"), [(0.25, False), (0.45, True), (0.8, True)])
def test_a_value_of_a_quarter_of_the_crashes_is_not_their_cause(share, goes):
    """As of proxies that die of caches which got a release one after the other."""
    whole = population(simulate(7003, hosts=300, days=21, per_day=30.0))
    rng, size = np.random.default_rng(1), whole.day.size
    mine = rng.random(size) < 0.25
    upstream = np.where(mine & (rng.random(size) < share), 0, 1 + rng.integers(0, 9, size))
    upstream = np.where(~mine, rng.integers(0, 10, size), upstream)
    values = [f"s{number:02}" for number in range(10)]
    nowhere = np.full(whole.exposure_day.size, -1)
    whole = whole._replace(
        signature=np.where(mine, len(whole.signatures), whole.signature),
        signatures=[*whole.signatures, "parse"],
        attributes=(*whole.attributes, Attribute("upstream", values, upstream, nowhere)),
        memo=None,
    )
    signature = pv.judge_signature(whole, len(whole.signatures) - 1, LAST)
    assert signature.causes[0].mark == "upstream=s00"
    if goes:
        assert signature.headline.startswith("software: goes with upstream=s00")
    else:
        assert signature.headline.startswith("software: comes more often with upstream=s00, and ")
        assert "it alone is not their cause (the first with each: s0" in signature.headline


def test_a_quiet_fleet_has_no_verdict():
    assert (
        pv.judge_population(population(simulate(7003, hosts=300, days=10, per_day=5)), LAST) == []
    )


def test_one_wrong_clock_does_not_change_what_the_server_says(tmp_path, monkeypatch):
    """A host that broke on the last day stands out in the last days, not in those of next year."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    hosts = 40
    crashes = [(day, host) for day in range(15) for host in range(hosts)]
    crashes += [(14, 7)] * 25
    records = [
        minimal(i, host={"hostname": f"node-{host}"}, time={"crash_ts": 1e9 + 86_400 * day})
        for i, (day, host) in enumerate(crashes)
    ]
    ahead = minimal(99_999, host={"hostname": "node-1"}, time={"crash_ts": 1e9 + 400 * 86_400})
    headlines = []
    for name, some in (("right", records), ("wrong", [*records, ahead])):
        with open_database(str(tmp_path / name), write=True) as engine:
            ingest(engine, [("t", record) for record in some])
            headlines.append({v["subject"]: v["headline"] for v in answers.verdicts_answer(engine)})
    assert "host=node-7" in headlines[0]
    assert headlines[1] == headlines[0]
