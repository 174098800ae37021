# SPDX-License-Identifier: Apache-2.0
"""Hosts by what their crashes carry: one CPU number, bit-flip flags, inherited locks.

Each of the three is a family of tests of its own, beside the combination in `screen_hosts`: a host
with as many crashes as the others, all of which happened on one of its CPUs, is still a suspect.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_known_pairs
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import (
    BITFLIP,
    CAVEAT_FORKS,
    CAVEAT_LOOP,
    CPU,
    HOST,
    LOCK,
    MAX_Q,
    MIN_CPUS,
    MIN_N,
    MIN_RR,
    ExposureShares,
    Finding,
)
from gdb_epi.fleet.screen.host_evidence import CPU_NUMBERS
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    count_codes,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_tail,
    dispersion,
    hypergeometric_tail,
    negative_binomial_tail,
    q_values,
    risk_by_share,
)
from gdb_epi.typing_lite import NamedTuple

PINNED = "a job that is pinned to this CPU looks the same: run it elsewhere, then stress the CPU"
# Hosts are alike by the first of these that is known.
KINDS = ("cpu_count", "cpu_model", "sku", "instance_type")
MIN_LIKE = 30  # crashes of hosts alike, from which on their CPU numbers tell how many there are


def signal_findings(population: Population, host_shares: ExposureShares) -> Iterator[Finding]:
    """Yield the hosts that stand out by what their crashes carry."""
    yield from _on_one_cpu(population, host_shares)
    flags = (
        (BITFLIP, population.bitflip, CAVEAT_LOOP),
        (LOCK, population.lock_inherited, CAVEAT_FORKS),
    )
    for name, flag, caveat in flags:
        yield from _hosts_with_flag(population, host_shares, name, flag, caveat)


class _OnCpus(NamedTuple):
    """Pairs of a host and a CPU number, and how many crashes each has."""

    host: Ints
    cpu: Ints
    counts: Ints


def _on_one_cpu(population: Population, host_shares: ExposureShares) -> Iterator[Finding]:
    """Hosts of which too many crashes were on one CPU, for the CPUs that such hosts have."""
    every = _crashes_on_cpus(population)
    totals = sum_by_code(every.host, every.counts, len(population.hosts))
    many = _OnCpus(*(column[every.counts >= MIN_N] for column in every))
    if not many.host.size:
        return
    host, cpu, count = many.host, many.cpu, many.counts.astype(float)
    total = totals[host]
    share, cpus, source = _cpu_shares(population, every, many, total)
    p = np.minimum(1.0, cpus * binomial_tail(count, total, share))
    p[host_shares.by_host[host] <= 0] = 1.0
    q = q_values(p, int((host_shares.by_host > 0).sum()))
    for i in np.flatnonzero(q <= MAX_Q):
        risk = risk_by_share(count[i], total[i], share[i])
        if risk[0] >= MIN_RR:
            members = (population.host == host[i]) & (population.cpu == cpu[i])
            numbers = int(count[i]), int(total[i]), float(p[i]), float(q[i])
            test = f"binomial: {int(count[i])} of {int(total[i])} on one of {int(cpus[i])} CPUs"
            name = f"{CPU}{int(cpu[i])}"
            yield Finding(
                HOST, population.hosts[host[i]], name, *numbers, *risk,
                test, source, (), (PINNED,), members,
            )  # fmt: skip


def _crashes_on_cpus(population: Population) -> _OnCpus:
    host, cpu, counts = population.once(count_known_pairs, population.host, population.cpu)
    return _OnCpus(*(column[cpu < CPU_NUMBERS] for column in (host, cpu, counts)))


def cpus_of_hosts(population: Population) -> tuple[Floats, Ints, Floats]:
    """Return how many CPUs each host has, and the share of the crashes of each pair that occurs.

    A pair is a host and a CPU number, as one code in order; the share is that of its like.
    """
    every = _crashes_on_cpus(population)
    totals = sum_by_code(every.host, every.counts, len(population.hosts))
    share, count, _ = _cpu_shares(population, every, every, totals[every.host])
    cpus = np.full(totals.size, float(MIN_CPUS))
    cpus[every.host] = count
    return cpus, widen_codes(every.host) * CPU_NUMBERS + every.cpu, share


def _cpu_shares(
    population: Population, every: _OnCpus, many: _OnCpus, total: Floats
) -> tuple[Floats, Floats, str]:
    """Return the share that a CPU number has, how many numbers there are, and where that is from.

    Low numbers are used more, and not every host has as many CPUs: the numbers of the crashes on
    other hosts of the same kind tell both.
    """
    kinds, source = cpu_kind_of_hosts(population)
    host, cpu, counts = every
    of_all = sum_by_code(cpu, counts, 0)
    size = of_all.size
    crashes = sum_by_code(kinds[host], counts, 0)
    kind = np.where(crashes[kinds[many.host]] >= MIN_LIKE, kinds[many.host], ABSENT)
    share, count = np.empty(kind.size), np.empty(kind.size)
    for number in np.unique(kind):
        like = kinds[host] == number
        mine = sum_by_code(cpu[like], counts[like], size)
        seen = of_all if number < 0 else mine
        at = kind == number
        others = (seen[many.cpu[at]] - many.counts[at]) / np.maximum(seen.sum() - total[at], 1.0)
        count[at] = max(int((seen > 0).sum()), MIN_CPUS)
        share[at] = np.maximum(others, 1 / count[at])
    return share, count, source


def cpu_kind_of_hosts(population: Population) -> tuple[Ints, str]:
    """Return a code (0 and up) per host, the same for hosts that have the same CPUs."""
    codes = np.zeros(len(population.hosts), dtype=np.int64)
    for name in KINDS:
        attribute = population.attribute(name)
        if attribute is None:
            continue
        for host, value in (
            (population.host, attribute.crash),
            (population.exposure_host, attribute.exposure),
        ):
            some = (host >= 0) & (value >= 0)
            codes[host[some]] = value[some] + 1
        return codes, f"CPU numbers of crashes on hosts of the same {name}"
    return codes, "CPU numbers of crashes on all hosts, which may have fewer CPUs than this one"


def _hosts_with_flag(
    population: Population, expected_share: ExposureShares, name: str, flag: Bools, caveat: str
) -> Iterator[Finding]:
    """Hosts with more flagged crashes than their hours and than their crashes let expect."""
    usable = population.host >= 0
    flagged = usable & flag
    size = len(population.hosts)
    per_host = count_codes(population.host, size, flagged).astype(float)
    counts = count_codes(population.host, size, usable).astype(float)
    total = per_host.sum()
    if per_host.max(initial=0.0) < MIN_N:
        return
    mean = total * expected_share.by_host
    alpha = dispersion(counts, counts.sum() * expected_share.by_host)
    p = negative_binomial_tail(per_host, mean, mean * (1 + alpha * mean))
    everything = np.full(size, counts.sum())
    p = np.maximum(p, hypergeometric_tail(per_host, everything, np.full(size, total), counts))
    p[expected_share.by_host <= 0] = 1.0
    q = q_values(p, int((expected_share.by_host > 0).sum()))
    for host in np.flatnonzero((q <= MAX_Q) & (per_host >= MIN_N)):
        share = float(expected_share.by_host[host])
        risk = risk_by_share(per_host[host], total, share)
        if risk[0] >= MIN_RR:
            members = flagged & (population.host == host)
            numbers = int(per_host[host]), int(total), float(p[host]), float(q[host])
            yield Finding(
                HOST, population.hosts[host], name, *numbers, *risk,
                "negative binomial and Fisher exact, the weaker", expected_share.source,
                (), (caveat,), members,
            )  # fmt: skip
