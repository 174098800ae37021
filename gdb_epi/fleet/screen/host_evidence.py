# SPDX-License-Identifier: Apache-2.0
"""Hosts by what their crashes carry: one CPU number, bit-flip flags, inherited locks.

Each of the three is a family of tests of its own, beside the combination in `screen_hosts`: a host
with as many crashes as the others, all of which happened on one of its CPUs, is still a suspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_known_pairs
from gdb_epi.fleet.population.population import FLIP_BIT, Population
from gdb_epi.fleet.screen.finding import (
    BITFLIP,
    CAVEAT_FORKS,
    CAVEAT_LOOP,
    CAVEAT_ONE_FUNCTION,
    CPU,
    FLIPS_THAT_TELL,
    HOST,
    LOCK,
    MAX_Q,
    MIN_CPUS,
    MIN_N,
    MIN_RR,
    ExposureShares,
    Finding,
)
from gdb_epi.fleet.screen.programs import are_crashes_of_one_function
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    count_codes,
    count_pairs,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_p,
    binomial_tail,
    estimate_overdispersion,
    hypergeometric_tail,
    negative_binomial_tail,
    q_values,
    relative_risk,
    risk_by_share,
)
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

# -- How much better "a part of this host's crashes comes from a cause of its own" explains them ---
#
# The other crashes are those of a healthy host: a rate that differs from host to host (gamma),
# flags, new signatures and CPU numbers as on the other hosts. Those of the cause come at a
# multiple of that rate since some days ago, and half of them carry what marks it: bit-flip
# flags, signatures that no other host has, one CPU number, locks that a fork left behind, or
# some of these at once. The likelihood ratio is averaged over all of that, so nothing is fitted
# to the host that is tested. What it is by chance is simulated, with healthy hosts of this very
# fleet.

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


class CrashCountsByEvidence(NamedTuple):
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

    def for_host(self, host: int) -> NullModel:
        """Return what is known about one host, as the only one."""
        mine = self.pairs // CPU_NUMBERS == host
        pairs, shares = self.pairs[mine] % CPU_NUMBERS, self.shares[mine]
        mean, cpus = self.mean[:, [host]], self.cpus[[host]]
        return NullModel(mean, self.alpha, self.marks, cpus, pairs, shares)

    def cpu_shares_of(self, host: Ints, cpu: Ints) -> Floats:
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

    def mean_of_both(self, locked: Bools) -> Floats:
        """Return the two weighed alike; without `locked`, locks are no evidence."""
        return (self.hardware + np.where(locked, self.forks, 0.0)) / 2


def likelihood_ratios(crashes: CrashCountsByEvidence, null: NullModel) -> LikelihoodRatios:
    """Return the likelihood ratio of each host, averaged over the periods of its cause."""
    return LikelihoodRatios(*np.mean(list(_ratios_of_windows(crashes, null)), axis=0))


def risk_in_loudest_window(
    crashes: CrashCountsByEvidence, null: NullModel, host: int
) -> tuple[int, int, float]:
    """Return the relative risk of a host since the day from which its crashes tell the most.

    With the number of the window and the crashes in it. Over all days the risk of a host that
    breaks today is near one.
    """
    its_own = CrashCountsByEvidence(*(column[crashes.host == host] for column in crashes))
    alone = its_own._replace(host=its_own.host * 0)
    loudest = int(np.argmax([r.sum() for r in _ratios_of_windows(alone, null.for_host(host))]))
    mine = float(its_own.weight[its_own.period <= loudest].sum())
    others = float(crashes.weight[crashes.period <= loudest].sum()) - mine
    due = null.mean[: loudest + 1].sum(axis=0)
    share = float(due[host] / max(float(due.sum()), 1e-9))
    risk = float(relative_risk(mine, share, others, 1 - share)[0]) if share else 0.0
    return loudest, int(mine), risk


def _ratios_of_windows(crashes: CrashCountsByEvidence, null: NullModel) -> Iterator[Floats]:
    """Yield the ratios, without locks and with them, of causes that began with each window."""
    periods, hosts = null.mean.shape
    total = sum_by_code(crashes.host, crashes.weight, hosts)
    for last in range(periods):
        now = crashes.period <= last
        recent = CrashCountsByEvidence(*(column[now] for column in crashes))
        inside, before = null.mean[: last + 1].sum(axis=0), null.mean[last + 1 :].sum(axis=0)
        # The host's own rate is not known: its gamma distribution is integrated.
        shape = 1 / null.alpha
        more = (inside / (shape + inside + before))[:, None] * np.array(MULTIPLES)
        rate = -(shape + total)[:, None] * np.log1p(more)
        yield _likelihood_ratio_in_window(recent, rate, null)


def _likelihood_ratio_in_window(
    recent: CrashCountsByEvidence, rate: Floats, null: NullModel
) -> Floats:
    """Average over what the cause's crashes carry and how many it adds."""
    off, on, share = _count_crashes_by_class(recent, null)
    sizes, number = np.unique(share, return_inverse=True)
    sums = np.zeros((2, share.size))
    for flip, new, locked in product((False, True), repeat=MARKS):
        added = _likelihood_ratios_of_classes((flip, new, locked), null.marks)[:, None] * np.array(
            MULTIPLES
        )
        anywhere = rate + (off + on) @ np.log1p(added)
        on_top = (
            rate
            + off @ np.log1p((1 - CARRIED) * added)
            + _sum_of_likelihoods_on_cpu(on, sizes, number, added)
        )
        sums[int(locked)] += (
            _mean_of_exponentials(anywhere) + _mean_of_exponentials(on_top) / null.cpus
        )
    return sums / (1 << MARKS)


def _sum_of_likelihoods_on_cpu(
    counts: Floats, sizes: Floats, number: Ints, added: Floats
) -> Floats:
    """Sum over the crashes on the CPU of a cause; `sizes` are the shares that it has elsewhere."""
    more = CARRIED / sizes + 1 - CARRIED
    if sizes.size > FEW_SHARES:
        logs = np.log1p(more[number][:, None, None] * added)
        return np.asarray((counts[:, :, None] * logs).sum(axis=1))
    sums = np.empty((number.size, len(MULTIPLES)))
    for i in range(sizes.size):
        sums[number == i] = counts[number == i] @ np.log1p(more[i] * added)
    return sums


def _mean_of_exponentials(logs: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(logs, MAX_LOG)).mean(axis=1))


def _count_crashes_by_class(
    crashes: CrashCountsByEvidence, null: NullModel
) -> tuple[Floats, Floats, Floats]:
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
    share = null.cpu_shares_of(np.arange(hosts), np.maximum(top, 0))
    table = counts.reshape(hosts, 2, CLASSES)
    return table[:, 0], table[:, 1], share


def _likelihood_ratios_of_classes(marked: tuple[bool, ...], shares: Floats) -> Floats:
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
    crashes = CrashCountsByEvidence(host, period, carried, cpu, np.ones(host.size, dtype=np.int64))
    ratios = likelihood_ratios(crashes, same)
    locked = np.bincount(host[carried >= LOCKED], minlength=size) >= MIN_N
    return np.sort(ratios.mean_of_both(locked))[::-1]


def share_with_each_flag(*flags: tuple[int, int]) -> Floats:
    """Return the share of the crashes with each flag (FLIP, NEW, LOCKED); none is 0 or 1.

    Given are how many are without it and with it.
    """
    shares = np.array([(marked + 1) / (without + marked + 2) for without, marked in flags])
    shares[1] = max(shares[1], MIN_NEW)
    return shares


# -- Hosts by what their crashes carry: one CPU number, bit-flip flags, inherited locks ------------

PINNED = "a job that is pinned to this CPU looks the same: run it elsewhere, then stress the CPU"
# Hosts are alike by the first of these that is known.
KINDS = ("cpu_count", "cpu_model", "sku", "instance_type")
MAX_OWN_P = 1e-4  # that a host's crashes came with one of its values by chance
MIN_LIKE = 30  # crashes of hosts alike, from which on their CPU numbers tell how many there are


def findings_by_carried_evidence(
    population: Population, host_shares: ExposureShares
) -> Iterator[Finding]:
    """Yield the hosts that stand out by what their crashes carry."""
    yield from _findings_of_hosts_on_one_cpu(population, host_shares)
    flags = (
        (BITFLIP, population.bitflip, CAVEAT_LOOP),
        (LOCK, population.lock_inherited, CAVEAT_FORKS),
    )
    for name, flag, caveat in flags:
        yield from _findings_of_hosts_with_flag(population, host_shares, name, flag, caveat)


class _CrashesByHostAndCpu(NamedTuple):
    """Pairs of a host and a CPU number, and how many crashes each has."""

    host: Ints
    cpu: Ints
    counts: Ints


def _findings_of_hosts_on_one_cpu(
    population: Population, host_shares: ExposureShares
) -> Iterator[Finding]:
    """Hosts of which too many crashes were on one CPU, for the CPUs that such hosts have."""
    every = _crashes_on_cpus(population)
    totals = sum_by_code(every.host, every.counts, len(population.hosts))
    many = _CrashesByHostAndCpu(*(column[every.counts >= MIN_N] for column in every))
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


def _crashes_on_cpus(population: Population) -> _CrashesByHostAndCpu:
    host, cpu, counts = population.computed_once(count_known_pairs, population.host, population.cpu)
    return _CrashesByHostAndCpu(*(column[cpu < CPU_NUMBERS] for column in (host, cpu, counts)))


def cpu_counts_and_shares_of_hosts(population: Population) -> tuple[Floats, Ints, Floats]:
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
    population: Population,
    crashes_on_cpus: _CrashesByHostAndCpu,
    asked: _CrashesByHostAndCpu,
    total: Floats,
) -> tuple[Floats, Floats, str]:
    """Return the share that a CPU number has, how many numbers there are, and where that is from.

    Low numbers are used more, and not every host has as many CPUs: the numbers of the crashes on
    other hosts of the same kind tell both. Hosts of a kind with few crashes (ABSENT) are compared
    with all hosts. What is returned has one entry for each pair in `asked`, as `total` has.
    """
    kind_of_host, source = cpu_kind_of_hosts(population)
    host, cpu, counts = crashes_on_cpus
    of_all = sum_by_code(cpu, counts, 0)
    size = of_all.size
    crashes_by_kind = sum_by_code(kind_of_host[host], counts, 0)
    kind_of_asked = np.where(
        crashes_by_kind[kind_of_host[asked.host]] >= MIN_LIKE, kind_of_host[asked.host], ABSENT
    )
    share, count = np.empty(kind_of_asked.size), np.empty(kind_of_asked.size)
    for kind in np.unique(kind_of_asked):
        is_alike = kind_of_host[host] == kind
        of_kind = sum_by_code(cpu[is_alike], counts[is_alike], size)
        compared = of_all if kind < 0 else of_kind
        is_asked = kind_of_asked == kind
        others = (compared[asked.cpu[is_asked]] - asked.counts[is_asked]) / np.maximum(
            compared.sum() - total[is_asked], 1.0
        )
        count[is_asked] = max(int((compared > 0).sum()), MIN_CPUS)
        share[is_asked] = np.maximum(others, 1 / count[is_asked])
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


def _findings_of_hosts_with_flag(
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
    alpha = estimate_overdispersion(counts, counts.sum() * expected_share.by_host)
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
            is_of_function = name == BITFLIP and are_crashes_of_one_function(population, members)
            caveats = (CAVEAT_ONE_FUNCTION,) * is_of_function + (caveat,)
            numbers = int(per_host[host]), int(total), float(p[host]), float(q[host])
            yield Finding(
                HOST, population.hosts[host], name, *numbers, *risk,
                "negative binomial and Fisher exact, the weaker", expected_share.source,
                (), caveats, members,
            )  # fmt: skip


def flipped_bits_words(population: Population, members: Bools) -> str | None:
    """Say how many of some crashes have a flipped bit, and which bit it is in most of them."""
    rows = np.flatnonzero(members)  # a replay's masks end with their day
    flipped = rows[population.bitflip[rows]]
    if not flipped.size:
        return None
    have = "has" if flipped.size == 1 else "have"
    words = f"{flipped.size} of its {counted(rows.size, 'crash')} {have} a flipped bit"
    bits = next((fact.crash[flipped] for fact in population.facts if fact.name == FLIP_BIT), None)
    most = np.bincount(bits[bits >= 0] if bits is not None else [], minlength=1)
    if most.max() < FLIPS_THAT_TELL:
        return words
    return f"{words}: bit {most.argmax()} in {most.max()} of them"


def own_value_words(population: Population, finding: Finding) -> str:
    """Say with which value of its own, that comes and goes, a host crashes nearly always.

    Bad memory that a full machine alone touches is quiet for weeks, and not repaired by that.
    """
    host = population.hosts.index(finding.value)
    feed = np.flatnonzero((population.exposure_host == host) & (population.exposure_hours > 0))
    feed = feed[np.argsort(population.exposure_day[feed], kind="stable")]
    hours, day = population.exposure_hours[feed], population.exposure_day[feed]
    mine = finding.members & population.has_time
    best = MAX_OWN_P, ""
    for attribute in population.attributes:
        own, codes = attribute.exposure[feed], attribute.crash[mine & (attribute.crash >= 0)]
        for code in np.unique(codes).tolist():
            has = own == code
            # It came at least twice, and crashes came in more than one of these times.
            starts = day[has & np.append(True, ~has[:-1])]
            crashes = population.day[mine & (attribute.crash == code)]
            times = np.unique(np.searchsorted(starts, crashes, side="right")).size
            share = float(hours[has].sum() / max(float(hours[own >= 0].sum()), 1e-9))
            if starts.size < 2 or times < 2 or not 0 < share <= 0.5:
                continue
            n = int(np.count_nonzero(codes == code))
            p = binomial_p(n, codes.size, share)
            if p < best[0]:
                mark = attribute.mark_of_value(code)
                best = (
                    p,
                    (
                        f"; {n} of its {codes.size} crashes came in the {share:.0%} of its hours "
                        f"with {mark}: that it is quiet without that proves no repair"
                    ),
                )
    return best[1]
