# SPDX-License-Identifier: Apache-2.0
"""Hosts that may be bad but have too few crashes to be named, and how many it would take.

Nobody is accused here: chance alone gives some healthy host of a fleet such crashes. Who looks
after the fleet reads which hosts these are, in how many healthy fleets chance does as much, and how
many more crashes like theirs would settle it. Where nothing stands out at all, it is said how many
crashes a broken host, or a bad version, needs to be named in this fleet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.design_effect import expected_shares
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CLUSTERED_CRASHES,
    HOST,
    LOCK,
    MAX_Q,
    MIN_N,
    MIN_RR,
    MOSTLY,
    TIME_AND_CPU_ATTRIBUTES,
    WINDOWS,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.screen.host_evidence import (
    CARRIED,
    FLIP,
    NEW,
    SEED,
    CrashCountsByEvidence,
    NullModel,
    likelihood_ratios,
    p_values_of_ratios,
)
from gdb_epi.fleet.screen.hosts import JudgedHosts
from gdb_epi.fleet.screen.screening import MAX_OPEN_CRASHES, ScreeningResult, judged_hosts
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Ints, count_codes, distinct_rows
from gdb_epi.fleet.statistics.hypothesis_tests import (
    hypergeometric_tail,
    relative_risk,
    risk_by_share,
)
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_CHANCE = 0.5  # that some healthy host looks as bad: above it there is nothing to say
MAX_TOLD = 3
MAX_MORE = 30  # crashes
TRIALS = 200  # simulated bad hosts for each number of crashes
MORE_WORK = "it may do more of the work than they"
MIN_LEAD = 2.0  # times the crashes of other hosts, so that people ask; times their flipped bits
MAX_SHARED_BY_CHANCE = 0.05
MAX_FLIPPED_P = 0.1  # that a host has so many of the flipped bits
HALF, MOST = 0.5, 0.8  # of the simulated bad hosts


class PossiblyBadHost(NamedTuple):
    """A host that may be bad, or had bad luck."""

    host: str
    crashes: int
    chance: float  # that the worst of all healthy hosts looks as bad
    more: int | None  # crashes like these that would settle it; None: beyond MAX_MORE
    about: str = ""  # what speaks for or against it, in words

    def words(self) -> str:
        """Say it, without accusing."""
        more = f"at least {self.more} more like them" if self.more else "many more like them"
        chance = max(self.chance, 0.01)  # "0 %" would be enough
        return (
            f"host {self.host} has {self.crashes} crashes, too few to tell: in {chance:.0%} "
            f"of healthy fleets like this one chance alone gives such a host; {more} would tell"
            f"{self.about}"
        )


class CrashesNeededToName(NamedTuple):
    """How many crashes a cause needs to be named among what else there is; None: not known."""

    host: tuple[int | None, int | None]  # of a host that breaks: in half of the cases, in most
    slow: int | None  # of one that was always bad, whose crashes look like others', in half of them
    value: int | None  # of one signature, all with a value that half of the host-hours have

    def words(self) -> str:
        """Say what it takes, where nothing stands out."""
        half, most = self.host
        parts = []
        if half:
            cases = f" ({most} in four of five cases)" if most else ""
            slow = f", or {self.slow} over all days, like those of others" if self.slow else ""
            parts.append(
                f"a host that breaks, after about {half} crashes of its own{cases} within "
                f"{WINDOWS[0]} days{slow}"
            )
        if self.value:
            parts.append(
                f"a version that half of the hosts run, after about {self.value} crashes of one "
                "signature, all of them on it"
            )
        return f"what these crashes can show: {'; '.join(parts)}" if parts else ""


def _judge_hosts(
    population: Population, day: int, screened: ScreeningResult | None
) -> JudgedHosts | None:
    """Return the hosts as they were judged in the screening; None: too few or too many crashes."""
    if not MIN_N <= population.day.size <= MAX_OPEN_CRASHES:
        return None
    hosts = screened.judged if screened is not None else None
    hosts = hosts or judged_hosts(population, day)
    return hosts if hosts.can_be_judged else None


def find_possibly_bad_hosts(
    population: Population, day: int, screened: ScreeningResult
) -> list[PossiblyBadHost]:
    """Return the hosts that are not named and may be bad, the likeliest first."""
    hosts = _judge_hosts(population, day, screened)
    if hosts is None:
        return []
    counts = hosts.crashes_per_host
    chance = -np.expm1(-hosts.p_by_host * int(hosts.hosts_with_hours.sum()))
    share, total = hosts.shares.by_host, float(counts.sum())
    # A name with many machine ids is no machine.
    no_suspects = {f.value for f in screened.hosts} | set(population.quality.get("reused", ()))
    # Which hosts have crashes that a whole group of hosts is named for already.
    others = (HOST, *CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES)
    groups = (
        finding for finding in screened.findings
        if finding.attr not in others and finding.signature in (ALL, BITFLIP)
    )  # fmt: skip
    in_group = _crashes_by_host(population, groups) > 0
    # How many crashes of each host have a cause that is named: a job, a version.
    causes = (
        finding for finding in screened.findings
        if finding.attr not in (HOST, *CLUSTERED_CRASHES)
        and finding.signature not in (ALL, BITFLIP, LOCK)
    )  # fmt: skip
    explained = _crashes_by_host(population, causes)
    # Without host-hours chance is not the only innocent cause: a host may do more of the work.
    most = MAX_CHANCE if population.has_exposure else MAX_CHANCE / 2
    maybe_bad: list[PossiblyBadHost] = []
    for host in np.argsort(chance, kind="stable").tolist():
        if chance[host] > most or len(maybe_bad) == MAX_TOLD:
            break
        n, part, name = float(counts[host]), float(share[host]), hosts.population.hosts[host]
        if (
            n < MIN_N - 1
            or not hosts.hosts_with_hours[host]
            or name in no_suspects
            or in_group[host]
        ):
            continue
        if 2 * int(explained[host]) > n:
            continue
        # What its crashes tell was enough, and another rule does not name it.
        if hosts.p_by_host[host] * hosts.hosts_with_hours.size <= hosts.max_q:
            continue
        if risk_by_share(n, total, part)[0] > 1:
            more = _crashes_missing_to_name(hosts, host, int(n), total - n, part)
            about = _caveat_about_host(population, population.hosts.index(name), screened)
            if about.endswith(MORE_WORK) and not population.has_exposure:
                continue  # its number says nothing then, and nothing else sets it apart
            maybe_bad.append(PossiblyBadHost(name, int(n), float(chance[host]), more, about))
    return maybe_bad


def _caveat_about_host(population: Population, host: int, screened: ScreeningResult) -> str:
    """Say which value that bit flips go with a host has, or that its crashes are those of all."""
    for finding in screened.findings:
        attribute = population.attribute(finding.attr)
        if attribute is None or finding.signature != BITFLIP:
            continue
        value = attribute.values.index(finding.value)
        if (attribute.exposure[population.exposure_host == host] == value).any():
            return f"; it has {finding.attr}={finding.value}, with which bit flips go"
    crashes, usual, flips = (column[host] for column in _crashes_of_kinds_others_have(population))
    if usual < MOSTLY * crashes or flips:
        return ""
    which = "all" if usual == crashes else f"{usual} of {crashes}"
    return (
        f"; {which} of its crashes are of kinds that other hosts have too, and flipped bits are no "
        f"more frequent: {MORE_WORK}"
    )


def _crashes_of_kinds_others_have(population: Population) -> tuple[Ints, Ints, Bools]:
    """Return the crashes of each host, those of kinds that others have, and if many have flips."""
    placed = (population.host >= 0) & (population.signature >= 0)
    size, host, signature = (
        len(population.hosts),
        population.host[placed],
        population.signature[placed],
    )
    counts = np.bincount(host, minlength=size)
    on_hosts = np.bincount(signature[distinct_rows((signature, host))[0]], minlength=1)
    usual = np.bincount(host[on_hosts[signature] > 1], minlength=size)
    flips = np.bincount(population.host[placed & population.bitflip], minlength=size)
    return counts, usual, flips * counts.sum() > MIN_LEAD * flips.sum() * counts


def _crashes_by_host(population: Population, findings: Iterable[Finding]) -> Ints:
    """Return how many crashes of each host are among those of some findings."""
    mine = crashes_of_findings(findings, population.day.size)
    return count_codes(population.host, len(population.hosts), mine & (population.host >= 0))


def _crashes_missing_to_name(
    hosts: JudgedHosts, host: int, n: int, others: float, share: float
) -> int | None:
    """Return how many more crashes like its `n` would name a host, beside those of the others."""
    mine = hosts.crashes_by_evidence.host == host
    sizes = np.arange(max(n, MIN_N - 1) + 1, n + MAX_MORE + 1)
    some = CrashCountsByEvidence(
        *(np.tile(column[mine], sizes.size) for column in hosts.crashes_by_evidence)
    )
    each = int(mine.sum())
    number = np.repeat(np.arange(sizes.size), each)
    more = some._replace(host=number, weight=some.weight * np.repeat(sizes / n, each))
    like = _null_model_of_like_hosts(hosts.null_model, np.full(sizes.size, host))
    risks = [relative_risk(size, share, others, 1 - share)[0] for size in sizes.tolist()]
    is_large = (np.array(risks) >= MIN_RR) & (sizes >= MIN_N)
    enough = np.flatnonzero(_would_hosts_be_named(hosts, more, like) & is_large)
    return int(sizes[enough[0]]) - n if enough.size else None


def _null_model_of_like_hosts(null: NullModel, like: Ints) -> NullModel:
    """Return what is known of hosts that are each like one of the fleet."""
    none = np.zeros(0, dtype=np.int64), np.zeros(0)
    return NullModel(null.mean[:, like], null.alpha, null.marks, null.cpus[like], *none)


def _would_hosts_be_named(
    hosts: JudgedHosts, crashes: CrashCountsByEvidence, like: NullModel
) -> Bools:
    ratios = likelihood_ratios(crashes, like)
    p = p_values_of_ratios(
        ratios.mean_of_both(np.zeros(like.cpus.size, dtype=bool)), hosts.healthy_ratios
    )
    return np.asarray(p * hosts.hosts_with_hours.size <= hosts.max_q)


def crashes_needed_to_name(
    population: Population, day: int, screened: ScreeningResult | None = None
) -> CrashesNeededToName:
    """Return what it takes to be named; the marks of a bad host are those of `host_evidence`."""
    hosts = _judge_hosts(population, day, screened)
    of_host, (slow, _) = (
        ((None, None), (None, None))
        if hosts is None
        else (
            _crashes_needed_by_simulation(hosts),
            _crashes_needed_by_simulation(hosts, always=True),
        )
    )
    signatures = np.bincount(population.signature[population.signature >= 0], minlength=1)
    values = [a for a in population.attributes if len(a.values) > 1]
    tests = int((signatures >= MIN_N).sum()) * max((len(a.values) for a in values), default=0)
    value = math.ceil(math.log(tests / MAX_Q) / math.log(2)) if tests else None
    return CrashesNeededToName(of_host, slow, value)


def _crashes_needed_by_simulation(
    hosts: JudgedHosts, *, always: bool = False
) -> tuple[int | None, int | None]:
    """Simulate hosts that break in these days, each with marks drawn for it.

    Or hosts that were `always` bad, and whose crashes have no marks.
    """
    random = np.random.default_rng(SEED)
    sizes = np.repeat(np.arange(MIN_N, MAX_MORE + 1), TRIALS)
    like = random.choice(np.flatnonzero(hosts.hosts_with_hours), sizes.size)
    null = _null_model_of_like_hosts(hosts.null_model, like)
    has_flips, has_new, has_cpu = random.random((3, sizes.size)) < (0.0 if always else CARRIED)
    host = np.repeat(np.arange(sizes.size), sizes)
    marks = [random.random(host.size) < CARRIED for _ in range(3)]
    cpu = (random.random(host.size) * (null.cpus[host] - 1)).astype(np.int64) + 1
    carried = FLIP * (marks[0] & has_flips[host]) + NEW * (marks[1] & has_new[host])
    own = np.where(marks[2] & has_cpu[host], 0, cpu)
    ones = np.ones(host.size, dtype=np.int64)
    period = ones * 0
    if always:
        until = np.cumsum(null.mean, axis=0)
        period = (random.random(host.size) * until[-1, host] > until[:, host]).sum(axis=0)
    broken = CrashCountsByEvidence(host, period, carried, own, ones)
    named = _would_hosts_be_named(hosts, broken, null).reshape(-1, TRIALS).mean(axis=1)
    half, most = (np.flatnonzero(named >= share) for share in (HALF, MOST))
    first = (int(at[0]) + MIN_N if at.size else None for at in (half, most))
    return next(first), next(first)


def undecided_sentences(population: Population, day: int, screened: ScreeningResult) -> list[str]:
    """Return what the crashes cannot tell yet, in words; nothing where all is told."""
    maybe_bad = find_possibly_bad_hosts(population, day, screened)
    sentences = [f"cannot tell yet: {host.words()}" for host in maybe_bad]
    if population.day.size <= MAX_OPEN_CRASHES and (
        leaders := hosts_with_most_crashes_words(population, screened)
    ):
        sentences.append(leaders)
    sentences += filter(None, (host_with_flipped_bits_words(population, screened),))
    if not screened.findings:
        sentences += [
            words for words in (crashes_needed_to_name(population, day, screened).words(),) if words
        ]
    return sentences


def host_with_flipped_bits_words(population: Population, screened: ScreeningResult) -> str | None:
    """Name the host with flipped bits that others lack, although so few name no host yet."""
    counted_once = find_events(population).counted
    placed = (counted_once.host >= 0) & (counted_once.signature >= 0)
    crashes, flips = (
        np.bincount(counted_once.host[some], minlength=len(population.hosts)).astype(float)
        for some in (placed, placed & counted_once.bitflip)
    )
    if not flips.any():
        return None
    ones = np.ones(flips.size)
    p = hypergeometric_tail(flips, ones * crashes.sum(), ones * flips.sum(), crashes)
    p = np.where(flips > 0, p, 1.0) * np.count_nonzero(flips)
    host = int(p.argmin())
    if p[host] > MAX_FLIPPED_P or population.hosts[host] in {f.value for f in screened.hosts}:
        return None
    n, total = int(flips[host]), int(crashes[host])
    others, rest = int(flips.sum()) - n, int(crashes.sum()) - total
    return (
        f"cannot tell yet: host {population.hosts[host]} has a flipped bit in {n} of "
        f"{counted(total, 'crash')}, all others in {others} of {rest}: chance gives a host as much "
        f"in {max(p[host], 0.01):.0%} of cases, and a stray write of a program looks the same; "
        f"one more there would tell"
    )


def hosts_with_most_crashes_words(population: Population, screened: ScreeningResult) -> str | None:
    """Say of the hosts with the most crashes that nothing else sets them apart; None: it does."""
    named = {f.value for f in screened.hosts} | set(population.quality.get("reused", ()))
    counts, usual, flips = _crashes_of_kinds_others_have(find_events(population).counted)
    of_finding = population.host[crashes_of_findings(screened.findings, population.day.size)]
    explained = np.bincount(of_finding[of_finding >= 0], minlength=counts.size)
    many = max(MIN_LEAD * counts.sum() / max(np.count_nonzero(counts), 1), MIN_N)
    leaders = [
        host
        for host in np.argsort(-counts, kind="stable")[:MAX_TOLD].tolist()
        if counts[host] >= many
        and usual[host] >= MOSTLY * counts[host]
        and not flips[host]
        and 2 * explained[host] < counts[host]
        and population.hosts[host] not in named
    ]
    if not leaders:
        return None
    names = ", ".join(f"{population.hosts[host]} ({counts[host]})" for host in leaders)
    mark = _shared_mark(population, leaders)
    asked = f"; all of them have {mark}: gdb-epi fleet rates {mark}" if mark else ""
    return (
        f"the most crashes are on {names}: of kinds that other hosts have too, with no more "
        f"flipped bits; what does more of the work looks so, and none of these is accused{asked}"
    )


def _shared_mark(population: Population, hosts: list[int]) -> str | None:
    """Return a value that some hosts share and that they would hardly share by chance."""
    best = MAX_SHARED_BY_CHANCE / max(len(population.attributes), 1), ""
    for attribute in population.attributes:
        values = {
            int(attribute.exposure[population.exposure_host == host][-1:].max(initial=ABSENT))
            for host in hosts
        }
        if len(values) > 1 or ABSENT in values or attribute.is_of_process:
            continue
        (value,) = values
        share = float(expected_shares(population, attribute)[0][value])
        best = min(best, (share ** (len(hosts) - 1), attribute.mark_of_value(value)))
    return best[1] or None
