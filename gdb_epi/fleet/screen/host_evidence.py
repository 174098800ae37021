# SPDX-License-Identifier: Apache-2.0
"""How much better "a part of this host's crashes comes from a cause of its own" explains them.

The other crashes are those of a healthy host: a rate that differs from host to host (gamma), flags,
new signatures and CPU numbers as on the other hosts. Those of the cause come at a multiple of that
rate since some days ago, and half of them carry what marks it: bit-flip flags, signatures that no
other host has, one CPU number, locks that a fork left behind, or some of these at once. The
likelihood ratio is averaged over all of that, so nothing is fitted to the host that is tested. What
it is by chance is simulated, with healthy hosts of this very fleet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from gdb_epi.fleet.screen.finding import MIN_N
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    count_pairs,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.typing_lite import NamedTuple

MULTIPLES = (3.0, 10.0, 30.0, 100.0)  # of a host's own rate: what a cause may add
# Of the cause's crashes this share carries its mark, the others as those of a healthy host do:
# neither all nor few is known beforehand.
CARRIED = 0.5
FLIP, NEW, LOCKED = 1, 2, 4  # what a crash carries, as bits of its class
MARKS, CLASSES = 3, 8
CPU_NUMBERS = 8192  # larger numbers are no CPUs
MIN_NEW = 0.02  # guess: some signatures are new on any day
MAX_LOG = 600.0
FEW_SHARES = 8  # of the crashes: then hosts with the same one are counted together
# Of simulating: hosts, crashes of them all, and the largest ratios that its tail is drawn from.
HOSTS, CRASHES, TAIL = 2_000, 100_000, 20
SEED = 20_261_121


class CrashCounts(NamedTuple):
    """Crashes of hosts, those alike together; `period` 0 is the latest, each window adds one."""

    host: Ints
    period: Ints
    carried: Ints  # FLIP, NEW and LOCKED
    cpu: Ints  # below 0: not known
    weight: Ints  # how many


class NullModel(NamedTuple):
    """What is known about healthy hosts."""

    mean: Floats  # crashes that are expected in each period (rows), of each host
    alpha: float  # how much hosts differ: the variance of their rates
    marks: Floats  # share of the crashes that carry each of FLIP, NEW and LOCKED
    cpus: Floats  # of each host: how many CPU numbers hosts of its kind have
    pairs: Ints  # host * CPU_NUMBERS + CPU, in order: those whose share of the crashes is known
    shares: Floats  # of each pair, on the other hosts of the kind

    def of(self, host: int) -> NullModel:
        """Return what is known about one host, as the only one."""
        mine = self.pairs // CPU_NUMBERS == host
        pairs, shares = self.pairs[mine] % CPU_NUMBERS, self.shares[mine]
        mean, cpus = self.mean[:, [host]], self.cpus[[host]]
        return NullModel(mean, self.alpha, self.marks, cpus, pairs, shares)

    def of_pairs(self, host: Ints, cpu: Ints) -> Floats:
        """Return the share of the crashes that a CPU number has on healthy hosts."""
        share = 1 / self.cpus[host]
        if self.pairs.size:
            code = widen_codes(host) * CPU_NUMBERS + cpu
            at = np.minimum(np.searchsorted(self.pairs, code), self.pairs.size - 1)
            share = np.where(self.pairs[at] == code, np.maximum(self.shares[at], share), share)
        return share


class LikelihoodRatios(NamedTuple):
    """Likelihood ratios of each host, without locks and with them."""

    hardware: Floats
    forks: Floats

    def of(self, locked: Bools) -> Floats:
        """Return the two weighed alike; without `locked`, locks are no evidence."""
        return (self.hardware + np.where(locked, self.forks, 0.0)) / 2


def likelihood_ratios(crashes: CrashCounts, null: NullModel) -> LikelihoodRatios:
    """Return the likelihood ratio of each host, averaged over the periods of its cause."""
    return LikelihoodRatios(*np.mean(list(_ratios_of_windows(crashes, null)), axis=0))


def risk_in_loudest_window(
    crashes: CrashCounts, null: NullModel, host: int
) -> tuple[int, int, float]:
    """Return the relative risk of a host since the day from which its crashes tell the most.

    With the number of the window and the crashes in it. Over all days the risk of a host that
    breaks today is near one.
    """
    its_own = CrashCounts(*(column[crashes.host == host] for column in crashes))
    alone = its_own._replace(host=its_own.host * 0)
    loudest = int(np.argmax([r.sum() for r in _ratios_of_windows(alone, null.of(host))]))
    mine = float(its_own.weight[its_own.period <= loudest].sum())
    others = float(crashes.weight[crashes.period <= loudest].sum()) - mine
    due = null.mean[: loudest + 1].sum(axis=0)
    share = float(due[host] / max(float(due.sum()), 1e-9))
    risk = float(relative_risk(mine, share, others, 1 - share)[0]) if share else 0.0
    return loudest, int(mine), risk


def _ratios_of_windows(crashes: CrashCounts, null: NullModel) -> Iterator[Floats]:
    """Yield the ratios, without locks and with them, of causes that began with each window."""
    periods, hosts = null.mean.shape
    total = sum_by_code(crashes.host, crashes.weight, hosts)
    for last in range(periods):
        now = crashes.period <= last
        recent = CrashCounts(*(column[now] for column in crashes))
        inside, before = null.mean[: last + 1].sum(axis=0), null.mean[last + 1 :].sum(axis=0)
        # The host's own rate is not known: its gamma distribution is integrated.
        shape = 1 / null.alpha
        more = (inside / (shape + inside + before))[:, None] * np.array(MULTIPLES)
        rate = -(shape + total)[:, None] * np.log1p(more)
        yield _window_average(recent, rate, null)


def _window_average(recent: CrashCounts, rate: Floats, null: NullModel) -> Floats:
    """Average over what the cause's crashes carry and how many it adds."""
    off, on, share = _classes(recent, null)
    sizes, number = np.unique(share, return_inverse=True)
    sums = np.zeros((2, share.size))
    for flip, new, locked in product((False, True), repeat=MARKS):
        added = _ratios((flip, new, locked), null.marks)[:, None] * np.array(MULTIPLES)
        anywhere = rate + (off + on) @ np.log1p(added)
        on_top = (
            rate + off @ np.log1p((1 - CARRIED) * added) + _sum_on_cpu(on, sizes, number, added)
        )
        sums[int(locked)] += _mean(anywhere) + _mean(on_top) / null.cpus
    return sums / (1 << MARKS)


def _sum_on_cpu(counts: Floats, sizes: Floats, number: Ints, added: Floats) -> Floats:
    """Sum over the crashes on the CPU of a cause; `sizes` are the shares that it has elsewhere."""
    more = CARRIED / sizes + 1 - CARRIED
    if sizes.size > FEW_SHARES:
        logs = np.log1p(more[number][:, None, None] * added)
        return np.asarray((counts[:, :, None] * logs).sum(axis=1))
    sums = np.empty((number.size, len(MULTIPLES)))
    for i in range(sizes.size):
        sums[number == i] = counts[number == i] @ np.log1p(more[i] * added)
    return sums


def _mean(logs: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(logs, MAX_LOG)).mean(axis=1))


def _classes(crashes: CrashCounts, null: NullModel) -> tuple[Floats, Floats, Floats]:
    """Count each host's crashes off and on the CPU that has the most, by what they carry.

    The third is the share that this CPU has of the crashes of healthy hosts.
    """
    hosts = null.cpus.size
    has_cpu = crashes.cpu >= 0
    with_cpu = crashes.host[has_cpu], crashes.cpu[has_cpu], crashes.weight[has_cpu]
    host, cpu, count = count_pairs(*with_cpu)
    order = np.argsort(count, kind="stable")
    top = np.full(hosts, -1)
    top[host[order]] = cpu[order]
    on = has_cpu & (crashes.cpu == top[crashes.host])
    cell = (widen_codes(crashes.host) * 2 + on) * CLASSES + crashes.carried
    counts = sum_by_code(cell, crashes.weight, hosts * 2 * CLASSES)
    share = null.of_pairs(np.arange(hosts), np.maximum(top, 0))
    table = counts.reshape(hosts, 2, CLASSES)
    return table[:, 0], table[:, 1], share


def _ratios(marked: tuple[bool, ...], shares: Floats) -> Floats:
    """How much likelier the cause gives each class (without the CPU) than a healthy host does."""
    number = np.arange(CLASSES)
    ratio = np.ones(CLASSES)
    for bit, (is_marked, share) in enumerate(zip(marked, shares, strict=True)):
        if is_marked:
            has = (number >> bit) & 1 == 1
            ratio *= np.where(has, CARRIED / share + 1 - CARRIED, 1 - CARRIED)
    return ratio


def p_values_of_ratios(ratios: Floats, healthy: Floats) -> Floats:
    """Return P(a likelihood ratio as large), given those of healthy hosts (largest first).

    Beyond these the tail falls as the inverse of the ratio: P is at most the inverse times the
    chance of such a ratio where there is a cause, which does not rise.
    """
    rank = np.arange(1, healthy.size + 1) / healthy.size
    far = slice(min(TAIL, healthy.size) - 1, 10 * TAIL)
    scale = float((healthy[far] * rank[far]).max())
    by_rank = (np.searchsorted(-healthy, -ratios, side="right") + 1) / healthy.size
    beyond = scale / np.maximum(ratios, 1e-300)
    return np.asarray(np.minimum(1.0, np.where(ratios > healthy[far][0], beyond, by_rank)))


def simulate_healthy_hosts(null: NullModel) -> Floats:
    """Return likelihood ratios of healthy hosts, largest first; the same ones every time."""
    random = np.random.default_rng(SEED)
    alive = np.flatnonzero(null.mean.sum(axis=0) > 0)
    each = float(null.mean.sum()) / max(alive.size, 1)
    size = int(min(HOSTS, max(CRASHES / max(each, 1e-9), 10 * TAIL)))
    like = np.resize(random.permutation(alive), size)
    mean, cpus = null.mean[:, like], null.cpus[like]
    counts = random.poisson(mean * random.gamma(1 / null.alpha, null.alpha, size))
    host = np.concatenate([np.repeat(np.arange(size), row) for row in counts])
    period = np.repeat(np.arange(len(counts)), counts.sum(axis=1))
    bits = random.random((MARKS, host.size)) < null.marks[:, None]
    carried = (bits * (1 << np.arange(MARKS))[:, None]).sum(axis=0)
    cpu = (random.random(host.size) * cpus[host]).astype(np.int64)
    none = np.zeros(0, dtype=np.int64), np.zeros(0)
    same = NullModel(mean, null.alpha, null.marks, cpus, *none)
    crashes = CrashCounts(host, period, carried, cpu, np.ones(host.size, dtype=np.int64))
    ratios = likelihood_ratios(crashes, same)
    locked = np.bincount(host[carried >= LOCKED], minlength=size) >= MIN_N
    return np.sort(ratios.of(locked))[::-1]


def share_with_each_flag(*flags: tuple[int, int]) -> Floats:
    """Return the share of the crashes with each flag (FLIP, NEW, LOCKED); none is 0 or 1.

    Given are how many are without it and with it.
    """
    shares = np.array([(marked + 1) / (without + marked + 2) for without, marked in flags])
    shares[1] = max(shares[1], MIN_NEW)
    return shares
