# SPDX-License-Identifier: Apache-2.0
"""A second simulated fleet, of another design than `fleet_simulator`: nothing is tuned to it.

Hosts differ by a log-normal rate, run one service each with signatures of its own, rest at
weekends, come and go; some crashes are repeated at once. CPU numbers are few or many and the low
ones are used more, locks depend on the service, versions roll out by a canary.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from support.fleet_simulator import Crash, Fleet, timed

HOSTS, DAYS, SERVICES = 1000, 30, 8
OWN, SHARED = 40, 60  # signatures of each service, and of all
MODELS = ("old", "wide", "huge")
CPUS = {"old": 16, "wide": 64, "huge": 128}
SPREAD = 0.7  # standard deviation of the logarithm of a host's rate
REPEATED = 0.03

SETTINGS: dict[str, dict[str, Any]] = {
    "nothing planted, 50 a day": {},
    "nothing planted, 200 a day": {"per_day": 200.0},
    "bad host, 0.7 a day": {"bad_host": 0.7},
    "bad host, 0.7 a day, 200 a day": {"bad_host": 0.7, "per_day": 200.0},
    "race, 1.5 a day": {"race": 1.5},
    "split, 2 a day": {"split": 2.0},
    "microcode from the 9th day on, 6 times": {"microcode": 6.0},
    "63 hosts, 5 a day, nothing planted": {"hosts": 63, "per_day": 5.0},
    "63 hosts, 5 a day, bad host, 1 a day": {"hosts": 63, "per_day": 5.0, "bad_host": 1.0},
    "63 hosts, 5 a day, race, 1 a day": {"hosts": 63, "per_day": 5.0, "race": 1.0},
}


def simulate(seed: int, *, hosts: int = HOSTS, per_day: float = 50.0, **planted: float) -> Fleet:
    """Make a fleet; `planted` are crashes a day of each cause, of a microcode the rate ratio."""
    rng = np.random.default_rng([seed, 77])
    service = rng.integers(SERVICES, size=hosts)
    model = rng.choice(MODELS, hosts, p=(0.25, 0.5, 0.25))
    columns = _columns(rng, model)
    fleet = Fleet([], columns, _hours(rng, hosts), DAYS, {})
    rate = np.exp(rng.normal(0, SPREAD, hosts))
    week = np.array([0.5 if day % 7 in (5, 6) else 1.0 for day in range(DAYS)])
    expected = rate * fleet.hours * week[:, None]
    expected *= per_day * DAYS / expected.sum()
    makers = {"bad_host": _bad_host, "race": _race, "split": _split, "microcode": _microcode}
    for day, host in np.argwhere(rng.poisson(expected) > 0).tolist():
        _one(rng, fleet, day, host, service, str(model[host]))
    for name, size in planted.items():
        makers[name](rng, fleet, size, expected, service, model)
    fleet.crashes.sort()
    timed(fleet, seed)
    return fleet


def _columns(rng: np.random.Generator, model: Any) -> dict[str, list[list[str]]]:
    racks = [f"rack{r}" for r in rng.permutation(np.arange(model.size) // 25)]
    fixed = {
        "rack": racks,
        "sku": [f"{m}-{rng.integers(2)}" for m in model],
        "cpu_model": [str(m) for m in model],
    }
    columns = {name: [values] * DAYS for name, values in fixed.items()}
    updated = (model == "wide") & (rng.random(model.size) < 0.3)
    columns["microcode"] = [
        ["bad" if day >= 8 and updated[h] else f"of-{model[h]}" for h in range(model.size)]
        for day in range(DAYS)
    ]
    for name, start in (("kernel", int(rng.integers(5, 9))), ("image", int(rng.integers(10, 16)))):
        turn = start + rng.choice([0, 2, 3, 5, 7], model.size, p=(0.02, 0.13, 0.25, 0.3, 0.3))
        columns[name] = [[f"{name}{int(d >= t)}" for t in turn] for d in range(DAYS)]
    busy = rng.random((DAYS, model.size)) < 0.3
    columns["load"] = [["high" if b else "low" for b in row] for row in busy]
    return columns


def _hours(rng: np.random.Generator, hosts: int) -> np.ndarray:
    hours = np.full((DAYS, hosts), 24.0)
    for host in np.flatnonzero(rng.random(hosts) < 0.1):
        day = int(rng.integers(2, DAYS - 2))
        hours[: day if rng.random() < 0.5 else 0, host] = 0.0
        hours[day + 8 :, host] *= rng.random() < 0.7
    return hours


def _signature(rng: np.random.Generator, service: int) -> str:
    if rng.random() < 0.05:
        return f"new{rng.integers(1 << 48):012x}"
    own = rng.random() < 0.7
    size = OWN if own else SHARED
    rank = min(int(rng.pareto(0.8)), size - 1)
    return f"service{service}-{rank}" if own else f"shared-{rank}"


def _one(
    rng: np.random.Generator, fleet: Fleet, day: int, host: int, service: Any, model: str
) -> None:
    """One crash of the background, sometimes with its repetitions."""
    of = int(service[host])
    crash = Crash(day, host, _signature(rng, of), _cpu(rng, model), False, "")
    crash = crash._replace(
        bitflip=bool(rng.random() < 0.008),
        lock=bool(rng.random() < (0.05 if of < 2 else 0.01)),
    )
    fleet.crashes.append(crash)
    if rng.random() < REPEATED:
        second = len(fleet.crashes) * 48_271 % 86_000
        fleet.crashes[-1] = crash._replace(second=second)
        fleet.crashes.append(crash._replace(cpu=_cpu(rng, model), second=second + 60))


def _cpu(rng: np.random.Generator, model: str) -> int:
    weights = 1 / (8 + np.arange(CPUS[model]))
    return int(np.searchsorted(np.cumsum(weights / weights.sum()), rng.random()))


def _days_of(rng: np.random.Generator, first: int, rate: float) -> list[int]:
    return np.repeat(np.arange(first, DAYS), rng.poisson(rate, DAYS - first)).tolist()


def _bad_host(
    rng: np.random.Generator, fleet: Fleet, rate: float, _: Any, service: Any, model: Any
) -> None:
    host = int(rng.choice(np.flatnonzero(fleet.hours.min(axis=0) > 0)))
    fleet.truth["bad_host"] = f"node-{host}"
    kind = str(model[host])
    core = int(rng.integers(CPUS[kind]))
    for day in _days_of(rng, int(rng.integers(4, 14)), rate):
        new = rng.random() < 0.3
        name = f"new{rng.integers(1 << 48):012x}" if new else _signature(rng, int(service[host]))
        cpu = core if rng.random() < 0.4 else _cpu(rng, kind)
        flip = bool(rng.random() < 0.2)
        fleet.crashes.append(Crash(day, host, name, cpu, flip, "bad_host"))


def _with(fleet: Fleet, day: int, wanted: dict[str, str]) -> list[int]:
    here = [fleet.columns[attr][day] for attr in wanted]
    return [
        h
        for h in range(fleet.hours.shape[1])
        if fleet.hours[day, h]
        and all(c[h] == v for c, v in zip(here, wanted.values(), strict=True))
    ]


def _needs(
    rng: np.random.Generator,
    fleet: Fleet,
    name: str,
    cause: str,
    wanted: dict[str, str],
    rate: float,
) -> None:
    for day in _days_of(rng, 0, rate):
        hosts = _with(fleet, day, wanted)
        if hosts:
            fleet.crashes.append(Crash(day, int(rng.choice(hosts)), name, 0, False, cause))


def _race(rng: np.random.Generator, fleet: Fleet, rate: float, *_: Any) -> None:
    wanted = {"image": "image1", "load": "high"}
    fleet.truth["race"] = ("race", wanted)
    _needs(rng, fleet, "race", "race", wanted, rate)


def _split(rng: np.random.Generator, fleet: Fleet, rate: float, *_: Any) -> None:
    host = int(rng.choice(np.flatnonzero(fleet.hours.min(axis=0) > 0)))
    fleet.truth["split"] = ("two-faces", f"node-{host}", {"kernel": "kernel1"})
    _needs(rng, fleet, "two-faces", "split-software", {"kernel": "kernel1"}, rate / 2)
    for day in _days_of(rng, 4, rate / 2):
        fleet.crashes.append(Crash(day, host, "two-faces", 1, False, "split-host"))


def _microcode(
    rng: np.random.Generator, fleet: Fleet, times: float, expected: Any, service: Any, model: Any
) -> None:
    fleet.truth["microcode"] = "bad"
    for day in range(8, DAYS):
        for host in _with(fleet, day, {"microcode": "bad"}):
            for _ in range(rng.poisson(expected[day, host] * (times - 1))):
                name = _signature(rng, int(service[host]))
                cpu = _cpu(rng, str(model[host]))
                fleet.crashes.append(Crash(day, host, name, cpu, False, "microcode"))
