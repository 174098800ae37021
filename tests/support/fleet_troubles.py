# SPDX-License-Identifier: Apache-2.0
"""What real fleets do to a simulated one: events, periods, roll-backs, loads, and feeds with gaps.

`add` plants crashes with their truth in a fleet of `fleet_simulator`; `spoil` takes away or bends
what the population knows, as feeds and clocks do. Decoys have no truth: nothing may be accused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from gdb_epi.fleet.population.coverage import use_attributes_of_exposure_feed
from gdb_epi.fleet.population.host_spelling import unify_spellings
from gdb_epi.fleet.population.judged_times import judge_times, whole_seconds
from gdb_epi.fleet.population.population import Population
from support.fleet_simulator import COMMON, CPUS, FIRST_DAY, HOSTS_A_RACK, Crash, Fleet, timed

Rng = np.random.Generator
DAY = 86_400


def add(fleet: Fleet, seed: int, names: Iterable[str]) -> Fleet:
    """Plant what the names say, each with a random stream of its own; return the fleet."""
    for name in names:
        PLANTS[name](np.random.default_rng([seed, 40, *name.encode()]), fleet)
    return timed(fleet, seed)


def _common(rng: Rng) -> str:
    return f"s{rng.integers(COMMON):03}"


def _put(
    rng: Rng, fleet: Fleet, day: int, host: int, name: str, cause: str, second: float, cpu: int = -1
) -> None:
    number = int(rng.integers(CPUS)) if cpu < 0 else cpu
    when = min(max(int(second), 0), DAY - 1)
    fleet.crashes.append(Crash(day, host, name, number, False, cause, second=when))


def _loop(rng: Rng, fleet: Fleet) -> None:
    """A program of one host is restarted for two hours and dies each time."""
    host, day = int(rng.integers(fleet.hosts)), int(rng.integers(8, fleet.days - 1))
    fleet.truth["loop"] = f"node-{host}"
    start = float(rng.uniform(0, 20 * 3600))
    for second in np.sort(rng.uniform(start, start + 7200, 60)).tolist():
        _put(rng, fleet, day, host, "looping", "loop", second)


def _everywhere(rng: Rng, fleet: Fleet) -> None:
    """One bad answer of a service that all hosts ask."""
    day, start = int(rng.integers(8, fleet.days - 1)), float(rng.uniform(0, 86_000))
    fleet.truth["everywhere"] = "timeout"
    for host in rng.choice(fleet.hosts, fleet.hosts // 12, replace=False).tolist():
        _put(rng, fleet, day, host, "timeout", "everywhere", start + rng.exponential(90))


def _rack_event(rng: Rng, fleet: Fleet) -> None:
    """Half of a rack at once, in whatever its hosts were doing."""
    rack, day = int(rng.integers(fleet.hosts // HOSTS_A_RACK)), int(rng.integers(8, fleet.days - 1))
    fleet.truth["rack event"] = f"rack=r{rack:03}"
    start = float(rng.uniform(0, 86_000))
    hosts = rng.choice(HOSTS_A_RACK, HOSTS_A_RACK // 2, replace=False) + rack * HOSTS_A_RACK
    for host in hosts.tolist():
        _put(rng, fleet, day, host, _common(rng), "rack event", start + rng.exponential(60))


def _nightly(rng: Rng, fleet: Fleet) -> None:
    fleet.truth["time of day"] = "backup"
    for day in range(fleet.days):
        for _ in range(rng.poisson(1.0)):
            second = rng.uniform(2 * 3600, 4 * 3600)
            _put(rng, fleet, day, int(rng.integers(fleet.hosts)), "backup", "time of day", second)


def _weekly(rng: Rng, fleet: Fleet) -> None:
    fleet.truth["day of week"] = "weekly"
    for day in range(fleet.days):
        for _ in range(rng.poisson(3.0) if (FIRST_DAY + day + 3) % 7 == 6 else 0):
            host, second = int(rng.integers(fleet.hosts)), rng.uniform(0, DAY)
            _put(rng, fleet, day, host, "weekly", "day of week", second)


def _cpu_number(rng: Rng, fleet: Fleet) -> None:
    fleet.truth["cpu number"] = ("affine", "5")
    for day in range(fleet.days):
        for _ in range(rng.poisson(0.7)):
            cpu = 5 if rng.random() < 0.7 else -1
            host, second = int(rng.integers(fleet.hosts)), rng.uniform(0, DAY)
            _put(rng, fleet, day, host, "affine", "cpu number", second, cpu)


def _rollback(rng: Rng, fleet: Fleet) -> None:
    """An image that a third of the hosts had for six days."""
    fleet.truth["rolled back"] = ("reverted", ("image", "image2"))
    start = int(rng.integers(12, fleet.days - 8))
    hosts = rng.choice(fleet.hosts, fleet.hosts // 3, replace=False).tolist()
    for day in range(start, start + 6):
        row = list(fleet.columns["image"][day])
        for host in hosts:
            row[host] = "image2"
        fleet.columns["image"][day] = row
        for _ in range(rng.poisson(2.5)):
            host, second = int(rng.choice(hosts)), rng.uniform(0, DAY)
            _put(rng, fleet, day, host, "reverted", "rolled back", second)


def _second_cause(rng: Rng, fleet: Fleet) -> None:
    """Beside what else rolls out in these days, a kernel that has a signature of its own."""
    fleet.truth["overlap"] = ("kernel-bug", ("kernel", "kernel1"))
    for day in range(fleet.days):
        at = fleet.columns["kernel"][day]
        hit = [h for h in range(fleet.hosts) if at[h] == "kernel1"]
        for _ in range(rng.poisson(2.0) if hit else 0):
            host, second = int(rng.choice(hit)), rng.uniform(0, DAY)
            _put(rng, fleet, day, host, "kernel-bug", "overlap", second)


def _week_load(rng: Rng, fleet: Fleet) -> None:
    """A decoy: fewer crashes at weekends and at night, of hosts that run all the time."""
    kept = []
    for crash in fleet.crashes:
        weekend = (FIRST_DAY + crash.day + 3) % 7 >= 5
        second = int(rng.triangular(0, 50_000, DAY)) if crash.second < 0 else crash.second
        if crash.cause or rng.random() < (0.4 if weekend else 1.0):
            kept.append(crash._replace(second=min(second, DAY - 1)))
    fleet.crashes[:] = kept


def _bursts(rng: Rng, fleet: Fleet) -> None:
    """Decoys: loops whose pauses grow, answers that all hosts get, racks that fail, a bad day.

    What comes together may be told as an event (`truth["bursts"]`); nobody is to be accused by it.
    """
    fleet.truth["bursts"] = True
    for number in range(6):  # restarted after 10 s, 20 s, ... up to 10 min, for up to eight hours
        host, day = int(rng.integers(fleet.hosts)), int(rng.integers(fleet.days))
        second, pause = float(rng.uniform(0, DAY / 2)), 10.0
        name = _common(rng) if number % 2 else f"loops{number}"
        end = second + float(rng.uniform(600, 8 * 3600))
        while second < min(end, DAY - 1):
            _put(rng, fleet, day, host, name, "burst", second)
            second, pause = second + pause * rng.uniform(0.9, 1.1), min(2 * pause, 600.0)
    for number in range(3):
        day, start = int(rng.integers(fleet.days)), float(rng.uniform(0, 80_000))
        many = max(fleet.hosts // 20, 4)
        for host in rng.choice(fleet.hosts, many, replace=False).tolist():
            _put(rng, fleet, day, host, f"answer{number}", "burst", start + rng.exponential(90))
        rack = int(rng.integers(fleet.hosts // HOSTS_A_RACK))
        day, start = int(rng.integers(fleet.days)), float(rng.uniform(0, 80_000))
        for host in rng.choice(HOSTS_A_RACK, HOSTS_A_RACK // 2, replace=False).tolist():
            when = start + rng.exponential(60)
            _put(rng, fleet, day, rack * HOSTS_A_RACK + host, _common(rng), "burst", when)
    day = int(rng.integers(fleet.days))
    ordinary = sum(1 for crash in fleet.crashes if not crash.cause) // fleet.days
    for _ in range(2 * ordinary):  # three times as many as on other days, of all kinds
        host, second = int(rng.integers(fleet.hosts)), rng.uniform(0, DAY)
        _put(rng, fleet, day, host, _common(rng), "burst", second)


PLANTS: dict[str, Callable[[Rng, Fleet], None]] = {
    "bursts": _bursts,
    "loop": _loop,
    "everywhere": _everywhere,
    "rack event": _rack_event,
    "time of day": _nightly,
    "day of week": _weekly,
    "cpu number": _cpu_number,
    "rolled back": _rollback,
    "overlap": _second_cause,
    "week load": _week_load,
}


def spoil(population: Population, seed: int, names: Iterable[str]) -> Population:
    """Return the population as it is read where clocks, feeds and records are as the names say."""
    for name in names:
        population = SPOILERS[name](np.random.default_rng([seed, 41, *name.encode()]), population)
    return use_attributes_of_exposure_feed(population)[0]


def _feed_stops(_: Rng, population: Population) -> Population:
    """Ten days before the end, the feed of host-hours stops."""
    last = int(population.day.max())
    return _with_rows(population, population.exposure_day <= last - 10)


def _feed_late(_: Rng, population: Population) -> Population:
    """The first host-hours are of the tenth day, and two days in the midst are lost."""
    day = population.exposure_day - int(population.day.min())
    return _with_rows(population, (day >= 10) & (day != 16) & (day != 17))


def _feed_partial(rng: Rng, population: Population) -> Population:
    """Four hosts in ten are not in the feed."""
    listed = rng.random(len(population.hosts)) < 0.6
    return _with_rows(population, listed[population.exposure_host])


def _with_rows(population: Population, rows: np.ndarray) -> Population:
    return population.select(np.ones(population.day.size, dtype=bool), rows)


def _records_lack(rng: Rng, population: Population) -> Population:
    """Three records in ten have no attributes: those of some racks nearly always."""
    attributes = population.attributes
    rack = attributes[0].crash
    lost = rng.random(rack.size) < np.where(rack % 4 == 0, 0.9, 0.1)
    bare = tuple(a._replace(crash=np.where(lost, -1, a.crash)) for a in attributes)
    return population._replace(attributes=bare)


def _feed_lacks(rng: Rng, population: Population) -> Population:
    """The feed knows kernel and image of every second host alone, those of some racks never."""
    host = np.arange(len(population.hosts))
    lost = (rng.random(host.size) < 0.4) | (host // HOSTS_A_RACK % 5 == 0)
    bare = tuple(
        a._replace(exposure=np.where(lost[population.exposure_host], -1, a.exposure))
        if a.name in ("kernel", "image")
        else a
        for a in population.attributes
    )
    return population._replace(attributes=bare)


def _times_lost(rng: Rng, population: Population) -> Population:
    """A quarter of the times are dates of files; all of them of one host in twenty."""
    assert population.second is not None
    lost = (rng.random(population.day.size) < 0.2) | (population.host % 20 == 7)
    return population._replace(second=np.where(lost, -1, population.second))


def _clocks_off(rng: Rng, population: Population) -> Population:
    """One host in thirty has a clock that is days off, and five crashes in a thousand a wild one.

    Times are judged by `judge_times` as the reader does; what came in is in the true order.
    """
    assert population.second is not None
    off = np.where(rng.random(len(population.hosts)) < 1 / 30, 1.0, 0.0)
    off *= rng.choice((-1.0, 1.0), off.size) * rng.uniform(3, 60, off.size)
    true = population.second.astype(float)
    ts = true + off[population.host] * DAY
    wild = rng.random(ts.size) < 0.005
    ts[wild] += (
        rng.choice((-1.0, 1.0), int(wild.sum())) * rng.uniform(40, 4_000, int(wild.sum())) * DAY
    )
    judged = judge_times(ts, true + 60.0, population.host)
    order = np.argsort(judged.sort_time, kind="stable")
    every = np.ones(population.exposure_day.size, dtype=bool)
    day = (judged.sort_time // DAY).astype(np.int64)
    read = population._replace(day=day, second=whole_seconds(judged.ts))
    return read.select(order, every)


def _names_differ(rng: Rng, population: Population) -> Population:
    """The feed spells hosts with a domain or in capitals, two records in ten as the feed does.

    Three hosts in a hundred share their first label with a host of another domain, and then a bare
    name could be either. The spellings are joined by `unify_spellings` as the reader does.
    """
    bare, size = population.hosts, len(population.hosts)
    style = rng.integers(3, size=size)
    feed = [
        (n, f"{n}.a.example", f"{n.upper()}.A.example")[i] for n, i in zip(bare, style, strict=True)
    ]
    twins = np.flatnonzero(rng.random(size) < 0.03)
    for host in twins.tolist():
        feed[host] = f"{bare[(host + 1) % size]}.b.example"
    names = dict(enumerate([*bare, *feed]))
    as_feed = rng.random(population.host.size) < 0.2
    host = np.where(as_feed, population.host + size, population.host)
    exposure_host = population.exposure_host + size
    spelt = unify_spellings(names, np.unique(host).tolist())
    hosts = sorted(set(spelt.values()))
    code = {name: number for number, name in enumerate(hosts)}
    table = np.array([code[spelt[number]] for number in range(2 * size)])
    return population._replace(hosts=hosts, host=table[host], exposure_host=table[exposure_host])


def _moved(rng: Rng, population: Population) -> Population:
    """In mid-month one host in twenty moves to another rack: the feed knows, the records do not."""
    rack = population.attributes[0]
    moved = rng.random(len(population.hosts)) < 0.05
    target = rng.integers(len(rack.values), size=moved.size)
    middle = int(np.median(population.exposure_day))
    late = moved[population.exposure_host] & (population.exposure_day >= middle)
    exposure = np.where(late, target[population.exposure_host], rack.exposure)
    attributes = rack._replace(exposure=exposure), *population.attributes[1:]
    return population._replace(attributes=attributes)


def _no_feed(_: Rng, population: Population) -> Population:
    """There are no host-hours."""
    return _with_rows(population, population.exposure_day < 0)


SPOILERS: dict[str, Callable[[Rng, Population], Population]] = {
    "feed stops": _feed_stops,
    "feed late": _feed_late,
    "feed partial": _feed_partial,
    "records lack": _records_lack,
    "feed lacks": _feed_lacks,
    "times lost": _times_lost,
    "no feed": _no_feed,
    "clocks off": _clocks_off,
    "names differ": _names_differ,
    "hosts move": _moved,
}
