# SPDX-License-Identifier: Apache-2.0
"""A fleet whose hosts crash at given rates a day, and what is said of one value of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.questions.rates import ValueRate, rates_of_values

HOSTS, DAYS = 200, 40
FIRST = 20_000  # a day since 1970-01-01


def fleet(
    rates: np.ndarray,
    of_hosts: Mapping[str, np.ndarray],
    of_crashes: Mapping[str, np.ndarray] | None = None,
    *,
    seed: int = 1,
) -> Population:
    """A fleet whose hosts crash at a rate a day (rows: hosts, columns: days).

    `of_hosts`: the code of an attribute for each host and day; 2 is that of another program.
    `of_crashes`: how likely a crash of a host and a day has the second of two values.
    """
    rng = np.random.default_rng(seed)
    host, day = np.indices(rates.shape).reshape(2, -1)
    crashes = np.repeat(np.arange(host.size), rng.poisson(rates).reshape(-1))
    crashes = crashes[np.argsort(day[crashes], kind="stable")]
    attributes = [
        Attribute(
            name,
            ["old", "new", "other"][: max(2, codes.max() + 1)],
            codes.reshape(-1)[crashes],
            codes.reshape(-1),
        )
        for name, codes in of_hosts.items()
    ]
    nowhere = np.full(host.size, -1)
    for name, share in (of_crashes or {}).items():
        drawn = rng.random(crashes.size) < share.reshape(-1)[crashes]
        attributes.append(Attribute(name, ["prod", "shadow"], drawn.astype(int), nowhere))
    none = np.zeros(crashes.size, dtype=bool)
    return Population(
        core_keys=CoreKeys.from_strings(f"{i:016x}" for i in range(crashes.size)),
        day=FIRST + day[crashes],
        host=host[crashes],
        signature=rng.integers(0, 8, crashes.size),
        cpu=np.full(crashes.size, -1),
        bitflip=none,
        lock_inherited=none,
        hosts=[f"h{i:03d}" for i in range(rates.shape[0])],
        signatures=[f"s{i}" for i in range(8)],
        attributes=tuple(attributes),
        exposure_day=FIRST + day,
        exposure_host=host,
        exposure_hours=np.full(host.size, 24.0),
    )


def ask(population: Population, name: str, value: str) -> ValueRate:
    attribute = population.attribute(name)
    assert attribute is not None
    rates = rates_of_values(population, attribute, population.signature >= 0)
    return next(row for row in rates.rows if row.value == value)


def rolled_out(since: Sequence[int] | np.ndarray) -> np.ndarray:
    """1 from the day on which each host got the new value."""
    return (np.arange(DAYS)[None, :] >= np.asarray(since)[:, None]).astype(int)


def waves(hosts: int = HOSTS) -> np.ndarray:
    return rolled_out(10 + np.arange(hosts) % 4 * 6)
