# SPDX-License-Identifier: Apache-2.0
"""A simulated fleet with planted causes and decoys, as minimal records and as arrays.

Hosts differ (gamma rates), racks and models nest, kernel and image roll out on days of their own
over random hosts, a third of the crashes come from common signatures and some are new each time.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.screen.finding import Finding
from gdb_epi.fleet.screen.screening import (
    ScreeningResult,
    screen_day_by_day,
    screen_population,
)
from gdb_epi.fleet.store.day_numbers import EPOCH

DAY = 86_400
FIRST_DAY = (date(2026, 1, 5) - EPOCH).days
CPUS = 64
COMMON = 120  # signatures that hosts share
NEW_SHARE = 0.08  # crashes with a signature never seen before
HOSTS_A_RACK = 20
ATTRIBUTES = ("rack", "sku", "cpu_model", "microcode", "kernel", "image", "load")


class Crash(NamedTuple):
    """One simulated crash; `cause` is the truth."""

    day: int
    host: int
    signature: str
    cpu: int
    bitflip: bool
    cause: str
    lock: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    second: int = -1  # of the day, below 0: not drawn yet


class Fleet(NamedTuple):
    """A month of a fleet; `columns` holds each attribute's value per (day, host)."""

    crashes: list[Crash]
    columns: dict[str, list[list[str]]]
    hours: np.ndarray
    days: int
    truth: dict[str, Any]

    @property
    def hosts(self) -> int:
        """How many hosts there are."""
        return int(self.hours.shape[1])


def simulate(
    seed: int,
    *,
    hosts: int = 1000,
    days: int = 30,
    per_day: float = 50.0,
    variance: float = 0.3,
    bad_host: float = 0.0,
    race: float = 0.0,
    split: float = 0.0,
    microcode: float = 0.0,
    forms: float = 0.0,
    looks: float = 0.0,
    pinned: float = 0.0,
    forker: float = 0.0,
    new_share: float = NEW_SHARE,
    common: int = COMMON,
) -> Fleet:
    """Make a fleet. `microcode` is a rate ratio, the other causes are crashes a day.

    `split`: a host and a kernel; `forms`: an image and a kernel that facts of the core tell apart;
    `looks`: no cause, but facts that vary by chance; `pinned`: one CPU of one host;
    `forker`: a job of one host, half of whose crashes wait for a lock that a fork left behind.
    """
    rng = np.random.default_rng(seed)
    columns = _columns(rng, hosts, days)
    hours = np.where(rng.random((days, hosts)) < 0.05, rng.uniform(0, 24, (days, hosts)), 24.0)
    fleet = Fleet([], columns, hours, days, {})
    _background(rng, fleet, per_day, variance, microcode, new_share, common)
    if bad_host:
        _bad_host(rng, fleet, bad_host)
    if race:
        _race(rng, fleet, race)
    if split:
        _split(rng, fleet, split)
    if forms or looks:
        _forms(rng, fleet, forms, looks)
    if pinned:
        _pinned(rng, fleet, pinned)
    if forker:
        _forker(rng, fleet, forker)
    _locks(np.random.default_rng([seed, 1]), fleet)
    fleet.crashes.sort()
    if microcode:
        _caused_by_microcode(np.random.default_rng([seed, 2]), fleet, microcode)
    return timed(fleet, seed)


def timed(fleet: Fleet, seed: int) -> Fleet:
    """Give each crash that has none a time of its day, and bring all into the order of time.

    A stream of its own: the same fleets as before there were times.
    """
    drawn = np.random.default_rng([seed, 3]).integers(0, DAY, len(fleet.crashes)).tolist()
    for i, crash in enumerate(fleet.crashes):
        if crash.second < 0:
            fleet.crashes[i] = crash._replace(second=drawn[i])
    fleet.crashes.sort(key=lambda crash: (crash.day, crash.second, crash))
    return fleet


def _caused_by_microcode(rng: np.random.Generator, fleet: Fleet, times: float) -> None:
    """Mark those crashes of the microcode's hosts that they would not have had without it."""
    bad = fleet.columns["microcode"][0]
    more = rng.random(len(fleet.crashes)) < 1 - 1 / times
    for i in np.flatnonzero(more).tolist():
        crash = fleet.crashes[i]
        if bad[crash.host] == fleet.truth["microcode"] and not crash.cause:
            fleet.crashes[i] = crash._replace(cause="microcode")


def _columns(rng: np.random.Generator, hosts: int, days: int) -> dict[str, list[list[str]]]:
    racks = [f"r{h // HOSTS_A_RACK:03}" for h in range(hosts)]
    skus = [f"sku{(h // HOSTS_A_RACK) % 4}" for h in range(hosts)]
    models = [f"model{int(s[-1]) // 2}" for s in skus]
    microcode = [f"mc{rng.integers(3)}" if s == "sku1" else "mc9" for s in skus]
    fixed = {"rack": racks, "sku": skus, "cpu_model": models, "microcode": microcode}
    columns = {name: [values] * days for name, values in fixed.items()}
    for name, start in (("kernel", days // 4), ("image", days // 3)):
        turn = start + rng.integers(0, 6, hosts)
        columns[name] = [[f"{name}{int(d >= turn[h])}" for h in range(hosts)] for d in range(days)]
    load = rng.random((days, hosts)) < 0.3
    columns["load"] = [["high" if load[d, h] else "low" for h in range(hosts)] for d in range(days)]
    return columns


def _background(
    rng: np.random.Generator,
    fleet: Fleet,
    per_day: float,
    variance: float,
    microcode: float,
    new_share: float,
    common: int,
) -> None:
    rate = rng.gamma(1 / variance, variance, fleet.hosts) if variance else np.ones(fleet.hosts)
    if microcode:
        bad = np.array([m == "mc1" for m in fleet.columns["microcode"][0]])
        rate = np.where(bad, rate * microcode, rate)
        fleet.truth["microcode"] = "mc1"
    weights = 1 / np.arange(1, common + 1)
    weights /= weights.sum()
    for day in range(fleet.days):
        expected = rate * fleet.hours[day] / 24 * per_day / fleet.hosts
        for host in np.repeat(np.arange(fleet.hosts), rng.poisson(expected)).tolist():
            new = rng.random() < new_share
            sig = f"new{seed_of(rng)}" if new else f"s{rng.choice(common, p=weights):03}"
            fleet.crashes.append(_crash(rng, day, host, sig, "", bool(rng.random() < 0.01)))


def seed_of(rng: np.random.Generator) -> str:
    """A name that no other has."""
    return f"{rng.integers(1 << 48):012x}"


def _crash(
    rng: np.random.Generator, day: int, host: int, signature: str, cause: str, flip: bool = False
) -> Crash:
    return Crash(day, host, signature, int(rng.integers(CPUS)), flip, cause)


def _bad_host(rng: np.random.Generator, fleet: Fleet, rate: float) -> None:
    host, onset = int(rng.integers(fleet.hosts)), int(rng.integers(5, fleet.days // 2))
    fleet.truth["bad_host"] = f"node-{host}"
    core = int(rng.integers(CPUS))
    for day in range(onset, fleet.days):
        for _ in range(rng.poisson(rate)):
            new = rng.random() < 0.5
            sig = f"new{seed_of(rng)}" if new else f"s{rng.integers(COMMON):03}"
            crash = _crash(rng, day, host, sig, "bad_host", bool(rng.random() < 0.35))
            cpu = core if rng.random() < 0.7 else crash.cpu
            fleet.crashes.append(crash._replace(cpu=cpu))


def _race(rng: np.random.Generator, fleet: Fleet, rate: float) -> None:
    fleet.truth["race"] = ("race", {"image": "image1", "load": "high"})
    for day in range(fleet.days):
        hit = [
            h
            for h in range(fleet.hosts)
            if fleet.columns["image"][day][h] == "image1"
            and fleet.columns["load"][day][h] == "high"
        ]
        for _ in range(rng.poisson(rate) if hit else 0):
            fleet.crashes.append(_crash(rng, day, int(rng.choice(hit)), "race", "race"))


def _split(rng: np.random.Generator, fleet: Fleet, rate: float) -> None:
    host = int(rng.integers(fleet.hosts))
    fleet.truth["split"] = ("two-faces", f"node-{host}", {"kernel": "kernel1"})
    for day in range(fleet.days):
        hit = [h for h in range(fleet.hosts) if fleet.columns["kernel"][day][h] == "kernel1"]
        for _ in range(rng.poisson(rate / 2)):
            fleet.crashes.append(_crash(rng, day, host, "two-faces", "split-host"))
        for _ in range(rng.poisson(rate / 2) if hit else 0):
            crash = _crash(rng, day, int(rng.choice(hit)), "two-faces", "split-software")
            fleet.crashes.append(crash)


# A fact, its value in a crash of the first cause, of the second, and with what chance each is so.
FORMS = (
    ("rsp_mod_16", "8", "0", 0.95, 0.95),
    ("fault_kind", "return", "data", 0.9, 0.9),
    ("pc_in", "unmapped", "code", 0.9, 0.95),
    ("operand_register", "rsp", "rax", 0.8, 0.85),
    ("forked", "true", "false", 0.5, 0.5),  # noise
)


def _forms(rng: np.random.Generator, fleet: Fleet, rate: float, looks: float) -> None:
    """One signature, two causes that overlap in time, hosts and versions, told apart by facts."""
    fleet.truth["forms"] = ("shapes", {"image": "image1"}, {"kernel": "kernel1"})
    for day in range(fleet.days):
        for i, attr in enumerate(("image", "kernel")):
            at = fleet.columns[attr][day]
            hit = [h for h in range(fleet.hosts) if at[h] == f"{attr}1"]
            for _ in range(rng.poisson(rate / 2) if hit else 0):
                crash = _crash(rng, day, int(rng.choice(hit)), "shapes", f"forms-{attr}")
                fleet.crashes.append(crash._replace(facts=_facts(rng, i)))
        for _ in range(rng.poisson(looks)):
            crash = _crash(rng, day, int(rng.integers(fleet.hosts)), "looks", "looks")
            values = [(name, str(rng.integers(3))) for name, *_ in FORMS]
            fleet.crashes.append(crash._replace(facts=tuple(values)))


def _facts(rng: np.random.Generator, cause: int) -> tuple[tuple[str, str], ...]:
    facts = []
    for name, *pair, first, second in FORMS:
        so = rng.random() < (first, second)[cause]
        facts.append((name, str(pair[cause if so else 1 - cause])))
    return tuple(facts)


def _pinned(rng: np.random.Generator, fleet: Fleet, rate: float) -> None:
    """One CPU of a host is bad; its crashes are of the common signatures."""
    host, cpu = int(rng.integers(fleet.hosts)), int(rng.integers(CPUS))
    fleet.truth["pinned"] = f"node-{host}"
    for day in range(5, fleet.days):
        for _ in range(rng.poisson(rate)):
            crash = _crash(rng, day, host, f"s{rng.integers(COMMON):03}", "pinned")
            fleet.crashes.append(crash._replace(cpu=cpu))


def _forker(rng: np.random.Generator, fleet: Fleet, rate: float) -> None:
    """A job of one host forks with threads; it dies in the common signatures, on any CPU."""
    host = int(rng.integers(fleet.hosts))
    fleet.truth["forker"] = f"node-{host}"
    for day in range(5, fleet.days):
        for _ in range(rng.poisson(rate)):
            crash = _crash(rng, day, host, f"s{rng.integers(COMMON):03}", "forker")
            fleet.crashes.append(crash._replace(lock=bool(rng.random() < 0.5)))


def _locks(rng: np.random.Generator, fleet: Fleet) -> None:
    """Two in a hundred crashes of the background wait for a lock that a fork left behind."""
    marked = rng.random(len(fleet.crashes)) < 0.02
    for i in np.flatnonzero(marked).tolist():
        if not fleet.crashes[i].cause:
            fleet.crashes[i] = fleet.crashes[i]._replace(lock=True)


def records(fleet: Fleet) -> Iterator[dict[str, Any]]:
    """Yield the minimal record of every crash."""
    for number, crash in enumerate(fleet.crashes):
        values = {n: fleet.columns[n][crash.day][crash.host] for n in ATTRIBUTES}
        yield {
            "schema": "gdb-epi/record/1",
            "core_key": f"{number:032x}",
            "time": {"crash_ts": (FIRST_DAY + crash.day) * 86_400.0 + crash.second},
            "host": {"hostname": f"node-{crash.host}", "attributes": values},
            "cpu": {"number": crash.cpu},
            "signature": {
                "version": "gsig/2",
                "keys": {"stable": f"{crash.signature:>016}"},
                "text": {"stable": f"gsig/2 stable segv-wild {crash.signature} <- main"},
            },
            "flags": {"bitflip": crash.bitflip, "lock_inherited": crash.lock},
            **({"facts": dict(crash.facts)} if crash.facts else {}),
        }


def write_exposure(fleet: Fleet, path: Path) -> None:
    """Write the host-hours as CSV."""
    with path.open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(["day", "hours", "host", *ATTRIBUTES])
        for day in range(fleet.days):
            stamp = (EPOCH + timedelta(days=FIRST_DAY + day)).isoformat()
            for host in range(fleet.hosts):
                values = [fleet.columns[n][day][host] for n in ATTRIBUTES]
                out.writerow([stamp, round(fleet.hours[day, host], 3), f"node-{host}", *values])


def population(fleet: Fleet) -> Population:
    """Return the arrays that the database would give, without the way through it."""
    timed(fleet, len(fleet.crashes))  # a test may have added some
    hosts = [f"node-{h}" for h in range(fleet.hosts)]
    signatures = sorted({c.signature for c in fleet.crashes})
    index = {s: i for i, s in enumerate(signatures)}
    attributes = []
    for name in ATTRIBUTES:
        values = sorted({v for day in fleet.columns[name] for v in day})
        code = {v: i for i, v in enumerate(values)}
        crash = [code[fleet.columns[name][c.day][c.host]] for c in fleet.crashes]
        hours = [code[v] for day in fleet.columns[name] for v in day]
        attributes.append(Attribute(name, values, np.array(crash), np.array(hours)))
    return Population(
        core_keys=CoreKeys.from_strings(f"{n:032x}" for n in range(len(fleet.crashes))),
        day=np.array([FIRST_DAY + c.day for c in fleet.crashes]),
        host=np.array([c.host for c in fleet.crashes]),
        signature=np.array([index[c.signature] for c in fleet.crashes]),
        cpu=np.array([c.cpu for c in fleet.crashes]),
        bitflip=np.array([c.bitflip for c in fleet.crashes]),
        lock_inherited=np.array([c.lock for c in fleet.crashes], dtype=bool),
        hosts=hosts,
        signatures=signatures,
        attributes=tuple(attributes),
        exposure_day=np.repeat(FIRST_DAY + np.arange(fleet.days), fleet.hosts),
        exposure_host=np.tile(np.arange(fleet.hosts), fleet.days),
        exposure_hours=fleet.hours.ravel(),
        facts=tuple(_fact_columns(fleet)),
        second=np.array([(FIRST_DAY + c.day) * 86_400 + c.second for c in fleet.crashes]),
    )


def screen_at_times(
    fleet: Fleet, pop: Population, times_a_day: int
) -> Iterator[tuple[int, ScreeningResult]]:
    """Yield each screening and its moment (second since 1970), each finding once.

    A screening amid a day does not know the host-hours of that day. Only times are looked at since
    which there was a crash, where something is planted one of a planted cause: between these the
    number of its crashes stays the same.
    """
    if times_a_day == 1:  # the host-hours of the day are known at its end
        yield from (((screened.day + 1) * DAY, screened) for screened in screen_day_by_day(pop))
        return
    assert pop.second is not None
    step, raised = DAY // times_a_day, tuple[Finding, ...]()
    moments = {
        (FIRST_DAY + c.day) * DAY + (c.second // step + 1) * step
        for c in fleet.crashes
        if c.cause or not fleet.truth
    }
    for moment in sorted(moments):
        day = (moment - 1) // DAY
        before = (pop.day < day) | ((pop.day == day) & (pop.second < moment))
        known = pop.select(before, pop.exposure_day < moment // DAY)
        screened = screen_population(known, day, raised)
        raised += screened.findings
        yield moment, screened


def _fact_columns(fleet: Fleet) -> Iterator[Attribute]:
    each = [dict(c.facts) for c in fleet.crashes]
    for name in sorted({name for facts in each for name in facts}):
        values = sorted({facts[name] for facts in each if name in facts})
        codes = [values.index(facts[name]) if name in facts else -1 for facts in each]
        unknown = np.full(fleet.hours.size, -1, dtype=np.int64)
        yield Attribute(name, values, np.array(codes), unknown)


def agreement(first: list[Any], two: list[Any]) -> float:
    """Return the adjusted Rand index of two groupings (Hubert and Arabie 1985); 1 is the same."""

    def pairs(groups: list[Any]) -> float:
        return sum(n * (n - 1) / 2 for n in Counter(groups).values())

    both, a, b = pairs(list(zip(first, two, strict=True))), pairs(first), pairs(two)
    chance = a * b / max(len(first) * (len(first) - 1) / 2, 1)
    most = (a + b) / 2
    return 1.0 if most == chance else (both - chance) / (most - chance)
