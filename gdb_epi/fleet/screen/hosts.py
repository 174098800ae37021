# SPDX-License-Identifier: Apache-2.0
"""Hosts with more crashes than they should have, of all kinds or of one signature.

Five facts about a host are weighed together (`host_evidence`): how many crashes, how many carry the
bit-flip flag, how many have a signature that no other host has, whether they gather on one CPU
number, and how many wait for a lock that a fork left behind, where there are MIN_N of these. A
finding names each of them with its own p value, which is taken given how many crashes there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_known_pairs
from gdb_epi.fleet.population.population import NO_SIGNATURE, Population
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CAVEAT_DAMAGES_ITSELF,
    CAVEAT_FORKS,
    CAVEAT_LOOP,
    CAVEAT_MAY_BE_CHANCE,
    CAVEAT_OF_LATE,
    CAVEAT_ONE_FUNCTION,
    CAVEAT_ONE_PROGRAM,
    CAVEAT_ONE_SIGNATURE,
    CAVEAT_ONLY_MORE_CRASHES,
    COUNTED,
    FLIPS_THAT_TELL,
    HOST,
    HOST_HOURS,
    HOST_Q_A_DAY,
    HOST_Q_TIMES,
    LOCK,
    MAX_CELLS,
    MAX_CONDITIONAL_P,
    MAX_HOST_Q,
    MAX_Q,
    MIN_CPUS,
    MIN_N,
    MIN_RR,
    MOSTLY,
    UNSURE_Q,
    WINDOWS,
    ExposureShares,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.screen.host_confounders import caveats_of_rare_values, find_confounder
from gdb_epi.fleet.screen.host_evidence import (
    CPU_NUMBERS,
    FLIP,
    LOCKED,
    MIN_NEW,
    NEW,
    CrashCountsByEvidence,
    LikelihoodRatios,
    NullModel,
    cpu_counts_and_shares_of_hosts,
    findings_by_carried_evidence,
    likelihood_ratios,
    p_values_of_ratios,
    risk_in_loudest_window,
    share_with_each_flag,
    simulate_healthy_hosts,
)
from gdb_epi.fleet.screen.programs import (
    ITS_PROGRAM,
    are_crashes_of_one_function,
    caveat_of_program_on_one_host,
    name_several_programs,
    program_of_most_crashes,
)
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    count_codes,
    count_distinct,
    distinct_rows,
    narrow_codes,
    row_blocks,
    rows_under,
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
    risk_by_share,
)
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple

ONE_CPU = "one CPU number"
MAX_SIGN_P = 0.01  # of a fact beside the count, that a host is called broken
MAX_LIKE = 4  # crashes of one signature on one host, of what tells how much hosts differ
MIN_ALIKE = 6  # hosts that have a signature, of which half say how many crashes of it are usual


def exposure_shares(population: Population, since: int | None = None) -> ExposureShares:
    """Return each host's share of the exposure; without exposure all hosts seen count alike."""
    p, size = population, len(population.hosts)
    given = p.exposure_host, p.exposure_hours, p.host, size
    if since is None:
        return p.computed_once(_exposure_shares_of_hosts, *given)
    recent = p.exposure_day >= since
    return _exposure_shares_of_hosts(
        p.exposure_host[recent], p.exposure_hours[recent], p.host, size
    )


def _exposure_shares_of_hosts(
    exposure_host: Ints, exposure_hours: Floats, host: Ints, size: int
) -> ExposureShares:
    chosen = exposure_host >= 0
    hours = sum_by_code(exposure_host[chosen], exposure_hours[chosen], size)
    if hours.sum() > 0:
        return ExposureShares(hours / hours.sum(), HOST_HOURS)
    seen = np.bincount(host[host >= 0], minlength=size) > 0
    source = "none: the other hosts that crashed, each as one"
    return ExposureShares(seen / max(int(seen.sum()), 1), source)


class JudgedHosts:
    """The hosts of a population at the end of a day: what each has, and what healthy ones would.

    Each part is made when it is first asked for: healthy hosts are simulated, which takes a while.
    """

    def __init__(self, population: Population, day: int) -> None:
        self.population, self.day = population, day
        self.shares = exposure_shares(population)

    @cached_property
    def crashes_per_host(self) -> Floats:
        """The crashes of each host."""
        return _count_per_host(self.population, self.population.host >= 0)

    @property
    def hosts_with_hours(self) -> Bools:
        """Which hosts have host-hours, or crashes where no hours are known."""
        return self.shares.by_host > 0

    @cached_property
    def max_q(self) -> float:
        """The chance, over all hosts, up to which one is named."""
        population, days = self.population, max(WINDOWS)
        known_days = population.known_day[population.host >= 0]
        recent = known_days[(known_days > self.day - days) & (known_days <= self.day)]
        a_day = recent.size / (self.day - int(recent.min()) + 1) if recent.size else 0.0
        return MAX_HOST_Q * min(max(a_day / HOST_Q_A_DAY, 1.0), HOST_Q_TIMES)

    @property
    def can_be_judged(self) -> bool:
        """Whether there are hosts to compare, and crashes enough."""
        return int(self.hosts_with_hours.sum()) >= 2 and bool(self.crashes_per_host.sum() >= MIN_N)

    @cached_property
    def _evidence(self) -> tuple[CrashCountsByEvidence, NullModel]:
        return crashes_and_null_model(self.population, self.day, self.shares)

    @property
    def crashes_by_evidence(self) -> CrashCountsByEvidence:
        """The crashes of known hosts by what they carry."""
        return self._evidence[0]

    @property
    def null_model(self) -> NullModel:
        """What is known of healthy hosts."""
        return self._evidence[1]

    @cached_property
    def healthy_ratios(self) -> Floats:
        """Likelihood ratios of simulated healthy hosts, largest first."""
        return simulate_healthy_hosts(self.null_model)

    @cached_property
    def likelihood_ratios_by_host(self) -> LikelihoodRatios:
        """The likelihood ratios of each host."""
        return likelihood_ratios(self.crashes_by_evidence, self.null_model)

    def recent_risk(self, host: int) -> tuple[int, int, float]:
        """Return the window in which a host stands out most, its crashes there and its risk."""
        return risk_in_loudest_window(self.crashes_by_evidence, self.null_model, host)

    @cached_property
    def lock_waits_by_host(self) -> Floats:
        """The crashes of each host that wait for a lock that a fork left behind."""
        return _count_per_host(self.population, self.population.lock_inherited)

    @cached_property
    def p_by_host(self) -> Floats:
        """P of each host that a healthy one looks as bad."""
        p = p_values_of_ratios(
            self.likelihood_ratios_by_host.mean_of_both(self.lock_waits_by_host >= MIN_N),
            self.healthy_ratios,
        )
        p[~self.hosts_with_hours] = 1.0
        return p


def host_findings(population: Population, day: int) -> Iterator[Finding]:
    """Yield the hosts that stand out, over all their crashes and then signature by signature."""
    yield from findings_of_hosts(JudgedHosts(population, day))


def findings_of_hosts(hosts: JudgedHosts) -> Iterator[Finding]:
    """Yield what `host_findings` does, of hosts whose parts others use too."""
    population, host_shares = hosts.population, hosts.shares
    whole = list(_findings_over_all_crashes(hosts))
    named = {finding.value for finding in whole}
    # Of a host that has crashes of all kinds, what they carry is evidence and no second finding.
    whole += [
        f for f in findings_by_carried_evidence(population, host_shares) if f.value not in named
    ]
    yield from whole
    explained = crashes_of_findings(whole, population.day.size)
    yield from _host_findings_by_signature(population, host_shares, explained)


def host_findings_of_signature(
    population: Population, explained: Bools, name: str
) -> Iterator[Finding]:
    """Yield the hosts that stand out in one signature that was asked about: a family of its own."""
    yield from _host_findings_by_signature(population, exposure_shares(population), explained, name)


def _findings_over_all_crashes(hosts: JudgedHosts) -> Iterator[Finding]:
    if not hosts.can_be_judged:
        return
    population, day, host_shares = hosts.population, hosts.day, hosts.shares
    counts, locks, ratios, p = (
        hosts.crashes_per_host,
        hosts.lock_waits_by_host,
        hosts.likelihood_ratios_by_host,
        hosts.p_by_host,
    )
    # Over all hosts (Bonferroni), not the false discovery rate: a bad host that is known for weeks
    # would make room for a healthy one on each of these days.
    q = np.minimum(p * p.size, 1.0)
    named = np.flatnonzero((q <= hosts.max_q) & (counts >= MIN_N)).tolist()
    if not named:
        return
    p_count = _p_of_crash_count(population, day, counts, host_shares)
    flags = population.bitflip, population.lock_inherited
    flips, locked = (_p_of_flagged_crashes(population, counts, f) for f in flags)
    given = [
        flips,
        _p_of_novel_signatures(population, counts),
        _p_of_cpu_concentration(population),
        locked,
    ]
    flipped = _count_per_host(population, population.bitflip)
    for host in named:
        name = ALL
        if locks[host] >= MIN_N and ratios.forks[host] > ratios.hardware[host]:
            name = LOCK
        elif flipped[host] >= MIN_N and flips[host] < p_count[host]:
            name = BITFLIP
        facts = [float(g[host]) for g in given]
        test = describe_host_evidence(p_count[host], facts)
        is_one_kind = _is_host_like_others_otherwise(
            population, day, host, hosts.null_model, hosts.healthy_ratios
        )
        if is_one_kind and _is_explained_by_kind(population, host, hosts.null_model.alpha):
            continue
        is_of_function = are_crashes_of_one_function(population, population.host == host)
        caveats = (
            (CAVEAT_ONE_SIGNATURE,)
            if is_one_kind
            else (CAVEAT_ONE_FUNCTION,)
            if is_of_function
            else (CAVEAT_ONLY_MORE_CRASHES,)
            if min(facts) > max(MAX_SIGN_P, p_count[host])
            else ()
        )
        is_busy = CAVEAT_ONLY_MORE_CRASHES in caveats and host_shares.source != HOST_HOURS
        if is_busy and _is_crash_rate_steady(population, day, host):
            continue  # that it does more is as likely, and nothing tells
        chance = float(p[host]), float(q[host])
        if chance[1] > UNSURE_Q and not caveats and flipped[host] < FLIPS_THAT_TELL:
            caveats = (CAVEAT_MAY_BE_CHANCE.format(fleets=round(1 / chance[1])),)
        finding = _host_finding(population, host_shares, host, name, test, chance, caveats)
        if finding.rr >= MIN_RR:
            yield finding
        elif name != LOCK:
            window, recent, risk = hosts.recent_risk(host)
            if risk >= MIN_RR and window < len(WINDOWS):
                since = iso_day(day - WINDOWS[window] + 1)
                of_late = CAVEAT_OF_LATE.format(since=since, crashes=recent, risk=f"{risk:.2g}")
                yield finding._replace(caveats=(of_late, *finding.caveats))


def _is_crash_rate_steady(population: Population, day: int, host: int) -> bool:
    """Whether a host has no more crashes of late than before, as one that is busy has not."""
    every, mine = population.known_day, population.known_day[population.host == host]
    return all(
        binomial_p(int((mine > day - w).sum()), mine.size, float((every > day - w).mean()))
        > MAX_SIGN_P
        for w in WINDOWS
    )


def _count_per_host(population: Population, mask: Bools) -> Floats:
    with_host = mask & (population.host >= 0)
    return count_codes(population.host, len(population.hosts), with_host).astype(float)


def crashes_and_null_model(
    population: Population, day: int, host_shares: ExposureShares
) -> tuple[CrashCountsByEvidence, NullModel]:
    """Return the crashes of known hosts by what they carry, and what healthy hosts are like."""
    crashes = _crash_counts(population, day, population.host >= 0)
    of_period = sum_by_code(crashes.period, crashes.weight, len(WINDOWS) + 1)
    mean = np.array([n * s for n, s in _periods_between(population, day, of_period, host_shares)])
    counts = sum_by_code(crashes.host, crashes.weight, len(population.hosts))
    alpha = estimate_overdispersion(counts, counts.sum() * host_shares.by_host)
    has = [sum_by_code((crashes.carried & b) // b, crashes.weight, 2) for b in (FLIP, NEW, LOCKED)]
    marks = share_with_each_flag(*((int(without), int(with_it)) for without, with_it in has))
    return crashes, NullModel(mean, alpha, marks, *cpu_counts_and_shares_of_hosts(population))


def _crash_counts(population: Population, day: int, some: Bools) -> CrashCountsByEvidence:
    """Count the crashes under a mask that have a host, a period, a CPU and marks in common."""
    at = rows_under(some)
    cpu = population.cpu[at]
    cpu[cpu >= CPU_NUMBERS] = ABSENT
    # The first crash of each signature that one host alone has. Each new signature counts once: a
    # crash loop of one signature is no evidence of randomness.
    cells = population.computed_once(count_known_pairs, population.signature, population.host)
    given = population.signature, population.host, cells[0], len(population.signatures)
    flags = (
        population.bitflip,
        population.computed_once(_is_first_of_own_signature, *given),
        population.lock_inherited,
    )
    carried: Any = np.zeros(at.size, dtype=np.int8)
    for bit, flag in zip((FLIP, NEW, LOCKED), flags, strict=True):
        carried[flag[at]] += bit
    known_day, period = population.known_day, np.zeros_like(carried)
    for part in row_blocks(at.size):
        ago = day - known_day[at[part]]
        period[part] = np.searchsorted(WINDOWS, ago, side="right")
    columns: list[Ints] = [population.host[at], period, carried, cpu]
    del at, known_day
    where, _, counts = distinct_rows(columns)
    weight = narrow_codes(counts, np.int32)
    return CrashCountsByEvidence._make([*(column[where] for column in columns), weight])


def _periods_between(
    population: Population, day: int, of_period: Floats, usual: ExposureShares
) -> Iterator[tuple[int, Floats]]:
    """Yield how many crashes are in each period between the windows, and each host's share."""
    exposed = np.searchsorted(WINDOWS, day - population.exposure_day, side="right")
    for number in range(len(WINDOWS) + 1):
        there = (exposed == number) & (population.exposure_host >= 0)
        hours = sum_by_code(
            population.exposure_host[there], population.exposure_hours[there], usual.by_host.size
        )
        share = hours / hours.sum() if hours.sum() > 0 else usual.by_host
        yield int(of_period[number]), share


def _is_first_of_own_signature(signature: Ints, host: Ints, of_cells: Ints, size: int) -> Bools:
    own = np.bincount(of_cells, minlength=size) == 1
    # A crash without a signature has the last place of the table, which is of none.
    usable = np.flatnonzero(np.append(own, False)[signature] & (host >= 0))
    _, first = np.unique(signature[usable], return_index=True)
    is_first = np.zeros(signature.size, dtype=bool)
    is_first[usable[first]] = True
    return is_first


def _is_host_like_others_otherwise(
    population: Population, day: int, host: int, null: NullModel, healthy: Floats
) -> bool:
    """Whether a host is like the others but for a signature, as a job in a loop makes it."""
    mine = population.host == host
    name, most = main_signature(population, mine)
    if most >= MOSTLY * int(mine.sum()):
        return True
    if most < MIN_N or name == NO_SIGNATURE:
        return False
    mine &= ~population.crashes_of_signature(name)
    left = _crash_counts(population, day, mine)
    ratios = likelihood_ratios(left._replace(host=left.host * 0), null.for_host(host))
    locked = np.array([left.weight[left.carried >= LOCKED].sum() >= MIN_N])
    return bool(p_values_of_ratios(ratios.mean_of_both(locked), healthy)[0] > MAX_CONDITIONAL_P)


def _is_explained_by_kind(population: Population, host: int, alpha: float) -> bool:
    """Whether what all hosts of some kind have explains the signature that sets a host apart."""
    name, _ = main_signature(population, population.host == host)
    if name == NO_SIGNATURE:
        return False
    same = population.crashes_of_signature(name)
    return find_confounder(population, host, np.flatnonzero(same), alpha) is not None


def _host_finding(
    population: Population,
    host_shares: ExposureShares,
    host: int,
    name: str,
    test: str,
    chance: tuple[float, float],
    caveats: tuple[str, ...],
) -> Finding:
    """Return the finding; `chance` is p and q.

    Inherited locks speak for a job and not for the host: such a finding has no other crashes.
    """
    among = population.host >= 0
    if name == LOCK:
        among = among & population.lock_inherited
    members = among & (population.host == host)
    n, total, share = int(members.sum()), int(among.sum()), float(host_shares.by_host[host])
    risk = risk_by_share(n, total, share)
    if CAVEAT_ONE_SIGNATURE in caveats:
        kinds = np.bincount(population.signature[members & (population.signature >= 0)])
        main = members & (population.signature == kinds.argmax())
        caveats = (*caveats, name_several_programs(population, main) or CAVEAT_LOOP)
    elif CAVEAT_ONLY_MORE_CRASHES not in caveats and not (population.bitflip & members).any():
        caveats = (*caveats, *_marks_of_program_fault(population, members))
    if name == LOCK:
        caveats = (CAVEAT_FORKS,)
    return Finding(
        HOST, population.hosts[host], name, n, total, *chance, *risk, test, host_shares.source,
        (), caveats, members,
    )  # fmt: skip


def _marks_of_program_fault(population: Population, members: Bools) -> tuple[str, ...]:
    """Return what a program of the host would look like; nothing where several programs died."""
    main = program_of_most_crashes(population, members)
    if main is None:
        return (CAVEAT_DAMAGES_ITSELF,)
    name, count, total = main
    if count < MOSTLY * total:
        return ()
    its_program = ITS_PROGRAM.format(share=count / total, program=name)
    return (
        (its_program, CAVEAT_ONE_PROGRAM)
        if caveat_of_program_on_one_host(population, members)
        else (its_program,)
    )


def main_signature(population: Population, members: Bools) -> tuple[str, int]:
    """Return the signature that most of some crashes have, and how many of them."""
    counts = np.bincount(population.signature[members] + 1, minlength=1)
    code = int(counts.argmax())
    return population.signatures[code - 1] if code else NO_SIGNATURE, int(counts[code])


def signature_of_most(population: Population, finding: Finding) -> str:
    """Return the signature that a finding is about, or that nearly all of its crashes have."""
    if finding.signature != ALL:
        return finding.signature
    name, count = main_signature(population, finding.members)
    return name if count >= MOSTLY * finding.n else ALL


def describe_host_evidence(p_count: float, given: list[float]) -> str:
    """Say which of the five facts spoke."""
    names = ("bit-flip flags", "signatures of its own", ONE_CPU, "inherited locks")
    spoke = [f"{name} p={p:.1g}" for name, p in zip(names, given, strict=True) if p < 0.05]
    by_count = f"{COUNTED}{p_count:.1g}"
    return (
        f"{by_count}, combined by their likelihood ratio with {', '.join(spoke)}"
        if spoke
        else by_count
    )


def _p_of_crash_count(
    population: Population, day: int, counts: Floats, host_shares: ExposureShares
) -> Floats:
    """The best of all days and the last few, paid for by their number."""
    expected = counts.sum() * host_shares.by_host
    alpha = estimate_overdispersion(counts, expected)
    best = negative_binomial_tail(counts, expected, expected + alpha * expected**2)
    for window in WINDOWS:
        since = day - window + 1
        recent = (population.known_day >= since) & (population.host >= 0)
        in_window = count_codes(population.host, counts.size, recent).astype(float)
        mean = max(float(in_window.sum()), 1) * exposure_shares(population, since).by_host
        best = np.minimum(best, negative_binomial_tail(in_window, mean, mean + alpha * mean**2))
    return np.minimum(1.0, best * (len(WINDOWS) + 1))


def _p_of_flagged_crashes(population: Population, counts: Floats, flag: Bools) -> Floats:
    """Return p of the crashes with a flag, given how many crashes."""
    flagged = _count_per_host(population, flag)
    total, marked = np.full(counts.size, counts.sum()), np.full(counts.size, flagged.sum())
    p = (hypergeometric_tail(flagged + more, total, marked, counts) for more in (0, 1))
    return _mid_p(*p)


def _mid_p(p: Floats, beyond: Floats) -> Floats:
    """Return mid-p, of P(at least this) and P(more than this).

    It is one half on average (Lancaster 1949), as no P(at least this) of few crashes is.
    """
    return np.asarray((p + beyond) / 2)


def _p_of_novel_signatures(population: Population, counts: Floats) -> Floats:
    """Crashes whose signature no other host has, given how many crashes."""
    signature, host, _ = population.computed_once(
        count_known_pairs, population.signature, population.host
    )
    spread = np.bincount(signature, minlength=len(population.signatures) or 1)
    own_signatures = np.bincount(host[spread[signature] == 1], minlength=counts.size).astype(float)
    # Each new signature counts once: a crash loop of one signature is no evidence of randomness.
    others = (own_signatures.sum() - own_signatures) / np.maximum(counts.sum() - counts, 1.0)
    share = np.maximum(others, MIN_NEW)
    return _mid_p(*(binomial_tail(own_signatures + more, counts, share) for more in (0, 1)))


def _p_of_cpu_concentration(population: Population) -> Floats:
    """Whether a host's crashes gather on one CPU number, of as many as there are."""
    p = np.full(len(population.hosts), 0.5)
    hosts, cpu, crashes = population.computed_once(
        count_known_pairs, population.host, population.cpu
    )
    if not hosts.size:
        return p
    cpus = max(count_distinct(cpu), MIN_CPUS)
    most = np.zeros(p.size)
    np.maximum.at(most, hosts, crashes)
    total = sum_by_code(hosts, crashes, p.size)
    many = total >= MIN_N
    share = np.full(int(many.sum()), 1 / cpus)
    tails = [binomial_tail(most[many] + more, total[many], share) for more in (0, 1)]
    p[many] = _mid_p(*(-np.expm1(cpus * np.log1p(-np.minimum(t, 1 - 1e-12))) for t in tails))
    return p


def _host_findings_by_signature(
    population: Population, host_shares: ExposureShares, explained: Bools, asked: str | None = None
) -> Iterator[Finding]:
    """Hosts that have one signature out of proportion to their hours and to their other crashes."""
    cells = _count_by_signature_and_host(population, explained, asked)
    if cells.per_host.sum() < MIN_N:
        return
    keep = (cells.crashes >= MIN_N) & (host_shares.by_host[cells.host] > 0)
    s, h, a = cells.signature[keep], cells.host[keep], cells.crashes[keep].astype(float)
    tested = int((host_shares.by_host > 0).sum()) * (cells.signatures if asked is None else 1)
    everything, per_host = float(cells.per_host.sum()), cells.per_host
    if not a.size:
        return
    n, share = cells.per_signature[s], host_shares.by_host[h]
    least = estimate_overdispersion(per_host, everything * host_shares.by_host)
    alpha = _overdispersion_among_hosts(cells, host_shares, least)[keep]
    mean = n * share
    p = negative_binomial_tail(a, mean, mean * (1 + alpha * mean))
    # A p above MAX_Q is no finding and changes the q of none: there the dear test is not needed.
    near = p <= MAX_Q
    whole = np.full(int(near.sum()), everything)
    controls = hypergeometric_tail(a[near], whole, per_host[h[near]], n[near])
    p[near] = np.maximum(p[near], controls)
    q = q_values(p, tested)
    # More of them mean a mixture; each names its crashes among all, which takes their memory.
    named = np.flatnonzero(q <= MAX_Q)
    for i in named[np.argsort(p[named], kind="stable")][:MAX_CELLS]:
        risk = risk_by_share(a[i], n[i], share[i])
        same = np.flatnonzero((population.signature == s[i]) & ~explained)
        if risk[0] >= MIN_RR and find_confounder(population, int(h[i]), same, least) is None:
            mine = (population.host == h[i]) & (population.signature == s[i])
            yield Finding(
                HOST,
                population.hosts[h[i]],
                population.signatures[s[i]],
                int(a[i]),
                int(n[i]),
                float(p[i]),
                float(q[i]),
                *risk,
                "negative binomial and Fisher exact, the weaker",
                host_shares.source,
                (),
                (
                    name_several_programs(population, mine & ~explained) or CAVEAT_LOOP,
                    *caveat_of_program_on_one_host(population, mine),
                    *caveats_of_rare_values(population, int(h[i]), same, least),
                ),
                mine & ~explained,
            )


def _overdispersion_among_hosts(
    cells: _SignatureHostCells, host_shares: ExposureShares, least: float
) -> Floats:
    """Return how much hosts differ in the rate of a signature, for each cell by the other hosts.

    Not every host runs what can die of it. Two crashes of one host are more frequent then than
    chance lets expect, in this signature or, where it has few crashes, in all of them.
    """
    few = widen_codes(np.minimum(cells.crashes, _usual_maximum_per_host(cells)))
    pairs = (few * (few - 1)).astype(float)
    by_chance = float((host_shares.by_host**2).sum())
    observed = sum_by_code(cells.signature, pairs, cells.per_signature.size)
    expected = cells.per_signature**2 * by_chance
    pooled = (observed.sum() + 1 + least) / (expected.sum() + 1)
    others = (cells.per_signature[cells.signature] - cells.crashes) ** 2 * by_chance
    ratio = (observed[cells.signature] - pairs + pooled) / (others + 1)
    return np.asarray(np.maximum(ratio - 1, least))


def _usual_maximum_per_host(cells: _SignatureHostCells) -> Ints:
    """Return the crashes from which on a host has more of a signature than is usual, for each cell.

    A bad host must not excuse itself, nor another one. Where many hosts have it, each of them often
    (a service that runs on twelve hosts and dies daily), so many are what is usual there.
    """
    order = np.lexsort((cells.crashes, cells.signature))
    hosts = np.bincount(cells.signature, minlength=cells.per_signature.size)
    first = np.cumsum(hosts) - hosts
    median = np.zeros(hosts.size, dtype=np.int64)
    enough = np.flatnonzero(hosts >= MIN_ALIKE)
    median[enough] = cells.crashes[order][first[enough] + (hosts[enough] - 1) // 2]
    return np.asarray(np.maximum(2 * median, MAX_LIKE)[cells.signature])


class _SignatureHostCells(NamedTuple):
    """Crashes by signature and host; `signatures` are those that have enough to be tested."""

    signature: Ints
    host: Ints
    crashes: Ints
    per_signature: Floats
    per_host: Floats
    signatures: int


def _count_by_signature_and_host(
    population: Population, explained: Bools, asked: str | None
) -> _SignatureHostCells:
    """Count the crashes that are not explained: of all signatures, or of the one asked about."""
    sizes = len(population.signatures), len(population.hosts)
    if asked is not None:
        code = population.signatures.index(asked)
        usable = (population.signature >= 0) & (population.host >= 0) & ~explained
        per_host = count_codes(population.host, sizes[1], usable).astype(float)
        in_host = count_codes(population.host, sizes[1], usable & (population.signature == code))
        host = np.flatnonzero(in_host)
        per_signature = np.zeros(sizes[0])
        per_signature[code] = in_host.sum()
        signatures = np.full(host.size, code)
        return _SignatureHostCells(signatures, host, in_host[host], per_signature, per_host, 1)
    signature, host, counts = population.computed_once(
        count_known_pairs, population.signature, population.host
    )
    rows = np.flatnonzero(explained)
    gone = count_known_pairs(population.signature[rows], population.host[rows])
    cell = widen_codes(signature) * sizes[1] + host
    left = counts.copy()
    left[np.searchsorted(cell, widen_codes(gone[0]) * sizes[1] + gone[1])] -= gone[2]
    some = left > 0
    columns = signature[some], host[some], left[some]
    per_signature, per_host = (
        sum_by_code(column, columns[2], size)
        for column, size in zip(columns[:2], sizes, strict=True)
    )
    return _SignatureHostCells(
        *columns, per_signature, per_host, int((per_signature >= MIN_N).sum())
    )
