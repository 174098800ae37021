# SPDX-License-Identifier: Apache-2.0
"""Hardware, kernel, image and library attributes with more crashes than their share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.population import Attribute, Bools, Floats, Ints, Population
from gdb_epi.fleet.screen_hosts import shares
from gdb_epi.fleet.screen_types import (
    ALL,
    BITFLIP,
    LOCK,
    MAX_CONDITIONAL_P,
    MAX_Q,
    MIN_N,
    MIN_RR,
    Finding,
)

MIN_HOSTS = 2  # a value seen on one host only is that host's finding
MAX_HOST_P = 0.01  # the hosts, each counted once, must lean the same way
ALIAS_OVERLAP = 0.9  # of the smaller one's host-hours
ROLL_OUT = (
    "all the host-hours of this value are newer than the others': a change of that time fits too"
)


class _Tested(NamedTuple):
    """An attribute, and the share of the host-hours that each of its values has."""

    population: Population
    attribute: Attribute
    share: Floats
    source: str  # where the shares came from


def attribute_findings(
    population: Population, free: Bools, asked: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield values with more than their share: of each signature, then of flags and of all crashes.

    What a signature's finding explains does not count again for all crashes. The tests of a
    signature that is `asked` about are a family of their own: it was not picked for its p value.
    """
    rest = free.copy()
    for finding in signature_findings(population, free, asked):
        rest &= ~finding.members
        yield finding
    flags = ((BITFLIP, population.bitflip), (LOCK, population.lock_inherited))
    for attribute in population.attributes:
        for name, mask in (*flags, (ALL, np.ones_like(rest))):
            yield from _of_flag(population, attribute, name, rest & mask)


def expected_shares(
    population: Population, attribute: Attribute, within: Bools | None = None
) -> tuple[Floats, str]:
    """Return each value's share of the host-hours, or of all crashes where hours are not known."""
    known = attribute.exposure >= 0
    if within is not None:
        known = known & within
    size = len(attribute.values)
    if known.any():
        hours = np.bincount(
            attribute.exposure[known], weights=population.exposure_hours[known], minlength=size
        )
        if hours.sum() > 0:
            return hours / hours.sum(), "host-hours"
    crashes = np.bincount(attribute.crash[attribute.crash >= 0], minlength=size)
    return crashes / max(int(crashes.sum()), 1), "none: all crashes are the controls (case-control)"


def signature_findings(
    population: Population, free: Bools, asked: Sequence[str] = (), *, only: bool = False
) -> Iterator[Finding]:
    """Yield the values that have more of a signature than their share; `only` of those asked."""
    codes = np.array([i for i, s in enumerate(population.signatures) if s in asked], dtype=np.int64)
    for attribute in population.attributes:
        yield from _of_signatures(population, attribute, free, codes, only=only)


def _of_signatures(
    population: Population, attribute: Attribute, free: Bools, asked: Ints, *, only: bool
) -> Iterator[Finding]:
    usable = free & (attribute.crash >= 0) & (population.signature >= 0)
    signature, value = population.signature[usable], attribute.crash[usable]
    if signature.size < MIN_N:
        return
    share, source = expected_shares(population, attribute)
    tests = _Tested(population, attribute, share, source)
    *cells, found = st.cells(signature, value)
    totals = np.bincount(signature, minlength=len(population.signatures)).astype(float)
    margins = np.bincount(value, minlength=share.size).astype(float)
    tested = int((totals >= MIN_N).sum()) * int((share > 0).sum())
    keep = (found >= MIN_N) & (totals[cells[0]] >= MIN_N)
    if only:
        keep &= np.isin(cells[0], asked)
    s, v, a = cells[0][keep], cells[1][keep], found[keep].astype(float)
    n, everything = totals[s], np.full(s.size, float(signature.size))
    p = st.hypergeometric_tail(a, everything, margins[v], n)
    if source == "host-hours":
        p = np.maximum(p, st.binomial_tail(a, n, share[v]))
    q = st.q_values(p, tested)
    for code in asked:
        own = s == code
        q[own] = np.minimum(q[own], st.q_values(p[own], int((share > 0).sum())))
    for i in np.flatnonzero(q <= MAX_Q):
        members = usable & (population.signature == s[i]) & (attribute.crash == v[i])
        same = usable & (population.signature == s[i])
        name = population.signatures[s[i]]
        yield from _finding(tests, int(v[i]), name, members, same, (float(p[i]), float(q[i])))


def _of_flag(
    population: Population, attribute: Attribute, name: str, chosen: Bools
) -> Iterator[Finding]:
    """All crashes, or those with a flag: hosts differ, so the null is over-dispersed by host."""
    share, source = expected_shares(population, attribute)
    usable = chosen & (attribute.crash >= 0) & (population.host >= 0)
    if source != "host-hours" or int(usable.sum()) < MIN_N:
        return
    counts = np.bincount(attribute.crash[usable], minlength=share.size).astype(float)
    total = counts.sum()
    mean = total * share
    variance = mean + _host_variance(population, attribute, usable, total)
    p = st.negative_binomial_tail(counts, mean, variance)
    q = st.q_values(p, int((share > 0).sum()))
    tests = _Tested(population, attribute, share, source)
    for v in np.flatnonzero((q <= MAX_Q) & (counts >= MIN_N) & (share > 0)):
        members = usable & (attribute.crash == v)
        yield from _finding(tests, int(v), name, members, usable, (float(p[v]), float(q[v])))


def _host_variance(
    population: Population, attribute: Attribute, usable: Bools, total: float
) -> Floats:
    """Return alpha times the sum of squared expectations of the hosts of each value."""
    host_share = shares(population).share
    per_host = np.bincount(population.host[usable], minlength=host_share.size).astype(float)
    alpha = st.dispersion(per_host, total * host_share)
    known = (attribute.exposure >= 0) & (population.exposure_host >= 0)
    size = len(attribute.values)
    cell = population.exposure_host[known] * size + attribute.exposure[known]
    cells, where = np.unique(cell, return_inverse=True)
    hours = np.bincount(where, weights=population.exposure_hours[known])
    expected = total * hours / max(population.exposure_hours.sum(), 1e-12)
    return np.asarray(alpha * np.bincount(cells % size, weights=expected**2, minlength=size))


def _finding(
    tests: _Tested, value: int, name: str, members: Bools, same: Bools, chance: tuple[float, float]
) -> Iterator[Finding]:
    """Yield the finding unless few hosts carry it or the effect is small; `chance` is p and q."""
    population, attribute, share, source = tests
    hosts = np.unique(population.host[members])
    all_hosts = np.unique(population.host[same])
    if hosts.size < MIN_HOSTS or _lean(hosts, all_hosts, float(share[value])) > MAX_HOST_P:
        return
    a, n = int(members.sum()), int(same.sum())
    part = float(share[value])
    risk = st.relative_risk(a, part, n - a, 1 - part)
    if risk[0] < MIN_RR:
        return
    case_control = source != "host-hours"
    test = "Fisher exact" if case_control else "binomial by host-hours and Fisher exact, the weaker"
    if name in (ALL, BITFLIP, LOCK):
        test = "negative binomial by host-hours"
    caveats = (ROLL_OUT,) if _is_newest(population, attribute, value) else ()
    found = attribute.name, attribute.values[value], name, a, n, *chance
    yield Finding(*found, *risk, test, source, (), caveats, members)


def _lean(hosts: Ints, all_hosts: Ints, share: float) -> float:
    """P(as many distinct hosts), so that one loud host cannot speak for a whole value."""
    counts = (np.array([float(hosts.size)]), np.array([float(all_hosts.size)]), np.array([share]))
    return float(st.binomial_tail(*counts)[0])


def _is_newest(population: Population, attribute: Attribute, value: int) -> bool:
    """Whether the value came up while others went: then time itself is the other explanation."""
    known = attribute.exposure >= 0
    mine = population.exposure_day[known & (attribute.exposure == value)]
    rest = population.exposure_day[known & (attribute.exposure != value)]
    return bool(mine.size and rest.size and mine.min() > rest.min() and mine.max() >= rest.max())


def _strength(finding: Finding) -> float:
    return finding.p


def distinct(
    population: Population,
    found: Sequence[Finding],
    known: Sequence[Finding],
    order: Callable[[Finding], float] = _strength,
) -> list[Finding]:
    """Drop echoes: findings that hold only because another attribute's value holds.

    Strongest first (the least of `order`), after those `known` from earlier days; each must still
    show inside or outside the host-hours of every one that was kept for the same signature, or it
    becomes an alias.
    """
    kept: list[Finding] = list(known)
    for finding in sorted(found, key=lambda f: (order(f), f.attr, f.value)):
        echo = next((i for i, k in enumerate(kept) if _is_echo(population, finding, k)), None)
        if echo is None:
            kept.append(finding)
        elif finding.key != kept[echo].key:
            alias = f"{finding.attr}={finding.value}"
            if alias not in kept[echo].aliases:
                kept[echo] = kept[echo]._replace(aliases=(*kept[echo].aliases, alias))
    return kept[len(known) :]


def _is_echo(population: Population, finding: Finding, other: Finding) -> bool:
    if finding.signature != other.signature or finding.key == other.key:
        return finding.key == other.key
    mine, theirs = (population.attribute(f.attr) for f in (finding, other))
    if mine is None or theirs is None:
        return False
    code, against = mine.values.index(finding.value), theirs.values.index(other.value)
    if _same_hours(population, mine, code, theirs, against):
        return True
    same = _signal(population, finding.signature)
    return all(
        _conditional_p(population, mine, code, (theirs.crash == against) == side,
                       (theirs.exposure == against) == side, same) > MAX_CONDITIONAL_P
        for side in (True, False)
    )  # fmt: skip


def _signal(population: Population, signature: str) -> Bools:
    if signature in (ALL, BITFLIP, LOCK):
        flags = {BITFLIP: population.bitflip, LOCK: population.lock_inherited}
        return flags.get(signature, np.ones(population.day.size, dtype=bool))
    return np.asarray(population.signature == population.signatures.index(signature))


def _same_hours(
    population: Population, mine: Attribute, code: int, theirs: Attribute, against: int
) -> bool:
    """Whether the host-hours (else the crashes) of two values are nearly the same."""
    hours = population.exposure_hours
    a, b = mine.exposure == code, theirs.exposure == against
    if not (a.any() and b.any()):
        a, b = mine.crash == code, theirs.crash == against
        hours = np.ones(a.size)
    union = float(hours[a | b].sum())
    return union > 0 and float(hours[a & b].sum()) / union >= ALIAS_OVERLAP


def _conditional_p(
    population: Population,
    mine: Attribute,
    code: int,
    crashes: Bools,
    exposure: Bools,
    same: Bools,
) -> float:
    inside = same & crashes & (mine.crash >= 0)
    a, n = float((inside & (mine.crash == code)).sum()), float(inside.sum())
    if a < MIN_N:
        return 1.0
    share, source = expected_shares(population, mine, exposure)
    if source != "host-hours":
        controls = crashes & (mine.crash >= 0)
        marked = float((controls & (mine.crash == code)).sum())
        four = (np.array([x]) for x in (a, float(controls.sum()), marked, n))
        return float(st.hypergeometric_tail(*four)[0])
    return float(st.binomial_tail(np.array([a]), np.array([n]), share[[code]])[0])
