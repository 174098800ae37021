# SPDX-License-Identifier: Apache-2.0
"""Crashes that come together are one event: told, counted once, and nobody is accused by them."""

from __future__ import annotations

import numpy as np
import pytest
from support import fleet_troubles
from support.fleet_simulator import FIRST_DAY, Crash, population, simulate

from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.population_verdict import ONE_EVENT, judge_population
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import (
    ALL,
    CPU_NUMBER,
    DAY_OF_WEEK,
    EVENT,
    LOOP_OF,
    TIME_OF_DAY,
    Finding,
)
from gdb_epi.fleet.screen.recurring_events import is_event_at_known_place
from gdb_epi.fleet.screen.screening import screen_day_by_day, screen_population
from gdb_epi.fleet.statistics import arrays

SMALL = {"hosts": 300, "days": 21, "per_day": 40.0}
LAST = FIRST_DAY + 20


def troubled(seed, *names, **more):
    fleet = fleet_troubles.add(simulate(seed, **{**SMALL, **more}), seed, names)
    return fleet, population(fleet)


def test_a_loop_and_an_event_are_told_and_accuse_nobody():
    fleet, pop = troubled(7011, "loop", "everywhere")
    screened = screen_population(pop, LAST)
    findings = {(f.attr, f.signature): f for f in screened.findings}
    assert set(findings) == {(LOOP_OF, "looping"), (EVENT, "timeout")}
    assert findings[(LOOP_OF, "looping")].value == fleet.truth["loop"]
    assert findings[(LOOP_OF, "looping")].n == 60 and findings[(EVENT, "timeout")].n == 25
    kinds = {v.kind for v in judge_population(pop, LAST, screened)}
    assert kinds == {ONE_EVENT}
    whole = split_signature(pop, pop.signatures.index("looping"), LAST)
    assert sum(part.crashes for part in whole.parts) == 60, "each crash is in one part"


def test_a_pod_that_waits_long_is_one_loop_where_its_program_is_on_other_hosts_too():
    """It dies each half hour on one host; on a machine of its own that is how often it dies."""
    fleet = simulate(7_020, **SMALL)
    for number in range(40):
        second = 1_800 * number
        fleet.crashes.append(Crash(10, 3, "pool", 1, False, "", second=second))
    fleet.crashes.sort()
    pop = population(fleet)
    code = pop.signatures.index("pool")
    (loop,) = (f for f in find_events(pop).findings if f.signature == "pool")
    assert (loop.attr, loop.n) == (LOOP_OF, 40)
    alone = pop._replace(host=np.where(pop.host >= 0, 3, pop.host), memo=None)
    assert not (find_events(alone).repeated_crashes & (pop.signature == code)).any()


@pytest.mark.parametrize(
    ("moment", "zone"),
    [
        ("2026-10-25T01:02", "Europe/Berlin"),
        ("2026-11-01T06:00", "America/New_York"),
        ("2026-10-26T01:02", None),
    ],
)
def test_an_event_when_clocks_change_is_told_so(moment, zone):
    _, pop = troubled(7012, "rack event")
    (event,) = screen_population(pop, LAST).findings
    later = int(np.datetime64(moment, "s").astype(int)) - int(pop.second[event.members].min())
    second = np.where(pop.second >= 0, pop.second + later, pop.second)
    days = int((pop.day[0] * 86_400 + later) // 86_400 - pop.day[0])
    moved = pop._replace(
        second=second, day=np.where(pop.second >= 0, second // 86_400, pop.day + days),
        exposure_day=pop.exposure_day + days, memo=None,
    )  # fmt: skip
    events = [f for f in find_events(moved).findings if f.attr == EVENT]
    assert [zone is not None and f"clocks of {zone} " in f.caveats[-1] for f in events] == [
        zone is not None
    ]


def test_half_of_a_rack_at_once_names_the_rack():
    fleet, pop = troubled(7012, "rack event")
    (event,) = screen_population(pop, LAST).findings
    assert event.attr == EVENT and fleet.truth["rack event"] in event.aliases
    assert event.n == 10 and "10 hosts" in event.test


def test_an_event_of_hosts_in_two_racks_names_both():
    """It began on the hosts of one rack, and took along those of another one on its switch."""
    _, pop = troubled(7012, "rack event")
    rack = pop.attribute("rack")
    (event,) = screen_population(pop, LAST).findings
    rows = np.flatnonzero(event.members)
    first, other = int(rack.crash[rows[0]]), (int(rack.crash[rows[0]]) + 1) % len(rack.values)
    moved = np.arange(rows.size) % 2 == 0
    crash, exposure = rack.crash.copy(), rack.exposure.copy()
    crash[rows[moved]] = other
    exposure[np.isin(pop.exposure_host, pop.host[rows[moved]])] = other
    attributes = tuple(
        a._replace(crash=crash, exposure=exposure) if a is rack else a for a in pop.attributes
    )
    (event,) = screen_population(pop._replace(attributes=attributes, memo=None), LAST).findings
    both = ", ".join(rack.mark_of_value(code) for code in sorted((first, other)))
    assert event.attr == EVENT and f"10 hosts of {both} in " in event.test


@pytest.mark.heavy
def test_an_event_hides_no_bad_host():
    fleet, pop = troubled(7013, "loop", "everywhere", bad_host=1.5)
    accused = {(f.attr, f.value) for s in screen_day_by_day(pop) for f in s.findings}
    assert ("host", fleet.truth["bad_host"]) in accused
    assert ("host", fleet.truth["loop"]) not in accused


@pytest.mark.heavy
def test_each_is_raised_once():
    _, pop = troubled(7011, "loop", "everywhere")
    keys = [f.identity for s in screen_day_by_day(pop) for f in s.findings]
    assert len(keys) == len(set(keys)) == 2


@pytest.mark.parametrize(
    ("plant", "attr", "value", "more"),
    [
        ("time of day", TIME_OF_DAY, "02:00 to 04:00 UTC", {}),
        ("cpu number", CPU_NUMBER, "5", {}),
        ("day of week", DAY_OF_WEEK, "Sunday (UTC)", {"days": 60, "hosts": 150}),
    ],
)
def test_when_and_on_which_cpu_a_signature_comes(plant, attr, value, more):
    _, pop = troubled(7014, plant, **more)
    raised = [(f.attr, f.value) for f in screen_population(pop, int(pop.day.max())).findings]
    assert raised == [(attr, value)]


def test_a_load_that_follows_the_week_accuses_nothing():
    _, pop = troubled(7015, "week load")
    assert screen_population(pop, LAST).findings == ()


def test_dates_alone_are_no_times():
    """All crashes at noon are no event."""
    _, pop = troubled(7011, "loop")
    pop = pop._replace(second=pop.day * 86_400 + 43_200)
    events = find_events(pop)
    assert events.findings == () and not events.repeated_crashes.any()
    assert find_events(pop._replace(second=None)).findings == ()
    assert find_events(pop._replace(second=np.full(pop.day.size, -1))).findings == ()


def test_a_place_that_fails_again_and_again_is_news_when_it_has_doubled():
    nobody = np.zeros(0, dtype=bool)

    def event(day: int, place: str) -> Finding:
        when = f"2026-{1 + day // 28:02d}-{1 + day % 28:02d} 04:00 UTC"
        return Finding(
            EVENT, when, ALL, 6, 6, 0.0, 0.0, 1.0, 0.0, 9.0, "", "", (place,), (), nobody
        )

    raised: set[tuple[str, str, str]] = set()
    events: list[Finding] = []
    news = []
    for day in range(0, 112, 4):
        events.append(event(day, "pdu=p3"))
        events += [event(day + 1, "model=x9")]  # no place that can fail
        for latest in events[-2:]:
            if not is_event_at_known_place(latest, events, raised):
                raised.add(latest.identity)
                news.append((latest.aliases[0], len(events) // 2))
    assert [n for place, n in news if place == "pdu=p3"] == [1, 2, 3, 6, 12, 24]
    assert [n for place, n in news if place == "model=x9"] == list(range(1, 29))


def test_what_comes_in_a_few_events_has_no_onset_but_these():
    fleet = simulate(7017, **SMALL)
    rng = np.random.default_rng(5)
    for day, size in ((6, 60), (12, 90)):
        for number in range(size):
            at, host = 40_000 + 30 * number, int(rng.integers(300))
            fleet.crashes.append(Crash(day, host, "poison", 1, False, "input", second=at))
    fleet.crashes.sort(key=lambda crash: (crash.day, crash.second))
    pop = population(fleet)
    answer = find_onset(pop, pop.signatures.index("poison")).answer
    assert answer.startswith("nothing to date but one event: ") and answer.count("one event: ") == 2


@pytest.mark.heavy
def test_an_event_that_comes_each_night_is_told_once_until_it_is_twice_as_large():
    fleet = simulate(7016, **SMALL)
    rng = np.random.default_rng(5)
    for day in (
        *range(2, 13),
        19,
    ):  # at another hour each time: a time of the day is told by itself
        for number in range(30 if day == 9 else 8):
            second, host = 3600 * (5 * day % 24) + 40 * number, int(rng.integers(300))
            fleet.crashes.append(Crash(day, host, "nightly", 1, False, "job", second=second))
    fleet.crashes.sort(key=lambda crash: (crash.day, crash.second))
    sentences = [
        screened.day - FIRST_DAY
        for screened in screen_day_by_day(population(fleet))
        for finding in screened.findings
        if finding.attr == EVENT
    ]
    assert sentences == [2, 9, 19]


@pytest.mark.parametrize("seed", range(40))
def test_rows_of_dense_runs_are_those_of_all_rows_sorted_at_once(seed, monkeypatch):
    monkeypatch.setattr(arrays, "BLOCK", 16)
    random = np.random.default_rng(seed)
    size, least = int(random.integers(200)), int(random.integers(2, 6))
    codes, hosts = (random.integers(-1, n, size).astype(np.int16) for n in (8, 3))
    times = np.sort(random.integers(0, random.integers(10, 2_000), size)).astype(np.int32)
    apart = random.random(9) * 30
    columns = (hosts, codes) if seed % 2 else (codes,)
    order = np.lexsort(columns)
    linked = np.zeros(size, dtype=bool)
    linked[1:] = np.diff(times[order]) <= apart[codes[order[1:]]]
    for column in columns:
        linked[1:] &= column[order[1:]] == column[order[:-1]]
    begins, lengths = arrays.find_runs(linked)
    long = lengths >= least
    expected = np.sort(order[arrays.rows_of_runs(begins[long], lengths[long])])
    inside = arrays.mask_of_dense_runs(columns, times, apart, least)
    assert np.flatnonzero(inside).tolist() == expected.tolist()
