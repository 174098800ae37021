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
    codes = np.array([i for i, s in enumerate(population.signatures) if s in asked], dtype=np.int64)
    for attribute in population.attributes:
        for finding in _of_signatures(population, attribute, free, codes):
            rest &= ~finding.members
            yield finding
    flags = ((BITFLIP, population.bitflip), (LOCK, population.lock_inherited))
    known = shares(population).share
    for attribute in population.attributes:
        share, source = expected_shares(population, attribute)
        if source != "host-hours":
            continue
        tests = _Tested(population, attribute, share, source)
        usable = rest & (attribute.crash >= 0) & (population.host >= 0)
        hours = _hours_of_hosts(population, attribute, known.size)
        for name, mask in (*flags, (ALL, usable)):
            yield from _of_flag(tests, name, np.flatnonzero(usable & mask), known, hours)


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


def signature_findings(population: Population, free: Bools, name: str) -> Iterator[Finding]:
    """Yield the values that have more than their share of one signature that was asked about."""
    mine = crashes_of(population, free, name)
    for attribute in population.attributes:
        if promising(population, attribute, attribute.crash[mine]):
            yield from value_findings(population, attribute, free, mine, name)


def crashes_of(population: Population, free: Bools, name: str) -> Ints:
    """Return where in the columns the crashes of a signature are, of those under a mask."""
    return np.flatnonzero(free & (population.signature == population.signatures.index(name)))


def promising(population: Population, attribute: Attribute, values: Ints) -> bool:
    """Whether a value may have more than its share of the crashes that have these `values`.

    By host-hours alone: the test against all other crashes, which must agree, costs much more.
    """
    share, source = expected_shares(population, attribute)
    if source != "host-hours":
        return True
    found, n = _counts(values, share.size)
    p = st.binomial_tail(found, n, share)[found >= MIN_N]
    return bool((st.q_values(p, int((share > 0).sum())) <= MAX_Q).any())


def _counts(values: Ints, size: int) -> tuple[Floats, Floats]:
    """Return how many crashes have each value, and beside each how many have any."""
    found = np.bincount(values[values >= 0], minlength=size).astype(float)
    return found, np.full(size, found.sum())


def value_findings(
    population: Population, attribute: Attribute, free: Bools, mine: Ints, name: str
) -> Iterator[Finding]:
    """Yield the values of one attribute that have more than their share of the crashes `mine`.

    All its values are one family of tests; `mine` are the free crashes of the signature `name`.
    """
    same = mine[attribute.crash[mine] >= 0]
    if same.size < MIN_N:
        return
    share, source = expected_shares(population, attribute)
    found, n = _counts(attribute.crash[same], share.size)
    usable = free & (attribute.crash >= 0) & (population.signature >= 0)
    margins = np.bincount(attribute.crash[usable], minlength=share.size).astype(float)
    v = np.flatnonzero(found >= MIN_N)
    p = _weaker(source, found[v], n[v], share[v], margins[v], margins.sum())
    q = st.q_values(p, int((share > 0).sum()))
    tests = _Tested(population, attribute, share, source)
    for i in np.flatnonzero(q <= MAX_Q):
        yield from _finding(tests, int(v[i]), name, same, (float(p[i]), float(q[i])))


def _weaker(
    source: str, found: Floats, n: Floats, share: Floats, margins: Floats, everything: float
) -> Floats:
    """P of as many crashes with a value: by host-hours, and given those of other signatures."""
    p = st.binomial_tail(found, n, share) if source == "host-hours" else np.zeros(found.size)
    # A p above MAX_Q is no finding and changes the q of none: there the dear test is not needed.
    near = p <= MAX_Q
    whole = np.full(int(near.sum()), everything)
    given = st.hypergeometric_tail(found[near], whole, margins[near], n[near])
    p[near] = np.maximum(p[near], given)
    return p


def _of_signatures(
    population: Population, attribute: Attribute, free: Bools, asked: Ints
) -> Iterator[Finding]:
    usable = free & (attribute.crash >= 0) & (population.signature >= 0)
    signature, value = population.signature[usable], attribute.crash[usable]
    if signature.size < MIN_N:
        return
    share, source = expected_shares(population, attribute)
    *cells, found = st.cells(signature, value)
    totals = np.bincount(signature, minlength=len(population.signatures)).astype(float)
    margins = np.bincount(value, minlength=share.size).astype(float)
    tested = int((totals >= MIN_N).sum()) * int((share > 0).sum())
    keep = (found >= MIN_N) & (totals[cells[0]] >= MIN_N)
    s, v, a = cells[0][keep], cells[1][keep], found[keep].astype(float)
    p = _weaker(source, a, totals[s], share[v], margins[v], float(signature.size))
    q = st.q_values(p, tested)
    for code in asked:
        own = s == code
        q[own] = np.minimum(q[own], st.q_values(p[own], int((share > 0).sum())))
    tests = _Tested(population, attribute, share, source)
    for i in np.flatnonzero(q <= MAX_Q):
        same = np.flatnonzero(usable & (population.signature == s[i]))
        name = population.signatures[s[i]]
        yield from _finding(tests, int(v[i]), name, same, (float(p[i]), float(q[i])))


def _of_flag(
    tests: _Tested, name: str, chosen: Ints, host_share: Floats, hours: tuple[Ints, Floats]
) -> Iterator[Finding]:
    """All crashes, or those with a flag: hosts differ, so the null is over-dispersed by host."""
    if chosen.size < MIN_N:
        return
    population, attribute, share, _ = tests
    counts = np.bincount(attribute.crash[chosen], minlength=share.size).astype(float)
    total = counts.sum()
    mean = total * share
    per_host = np.bincount(population.host[chosen], minlength=host_share.size).astype(float)
    alpha = st.dispersion(per_host, total * host_share)
    of_value, of_host = hours
    expected = total * of_host / max(population.exposure_hours.sum(), 1e-12)
    spread = alpha * np.bincount(of_value, weights=expected**2, minlength=share.size)
    p = st.negative_binomial_tail(counts, mean, mean + spread)
    q = st.q_values(p, int((share > 0).sum()))
    for v in np.flatnonzero((q <= MAX_Q) & (counts >= MIN_N) & (share > 0)):
        yield from _finding(tests, int(v), name, chosen, (float(p[v]), float(q[v])))


def _hours_of_hosts(
    population: Population, attribute: Attribute, hosts: int
) -> tuple[Ints, Floats]:
    """Return the hours of each host with each value: the values, and the hours beside them."""
    known = (attribute.exposure >= 0) & (population.exposure_host >= 0)
    size = len(attribute.values)
    cell = population.exposure_host[known] * size + attribute.exposure[known]
    weights = population.exposure_hours[known]
    if hosts * size <= st.MAX_TABLE:
        table = np.bincount(cell, weights=weights, minlength=hosts * size)
        cells = np.flatnonzero(table)
        return np.asarray(cells % size), np.asarray(table[cells], dtype=float)
    cells, where = np.unique(cell, return_inverse=True)
    return np.asarray(cells % size), np.bincount(where, weights=weights).astype(float)


def _finding(
    tests: _Tested, value: int, name: str, same: Ints, chance: tuple[float, float]
) -> Iterator[Finding]:
    """Yield the finding unless few hosts carry it or the effect is small; `chance` is p and q.

    `same` is where the crashes are that it is about, with this value and with others.
    """
    population, attribute, share, source = tests
    mine = same[attribute.crash[same] == value]
    hosts, all_hosts = (_distinct_hosts(population, some) for some in (mine, same))
    if hosts < MIN_HOSTS or _lean(hosts, all_hosts, float(share[value])) > MAX_HOST_P:
        return
    a, n = mine.size, same.size
    part = float(share[value])
    risk = st.relative_risk(a, part, n - a, 1 - part)
    if risk[0] < MIN_RR:
        return
    case_control = source != "host-hours"
    test = "Fisher exact" if case_control else "binomial by host-hours and Fisher exact, the weaker"
    if name in (ALL, BITFLIP, LOCK):
        test = "negative binomial by host-hours"
    caveats = (ROLL_OUT,) if _is_newest(population, attribute, value) else ()
    members = np.zeros(population.day.size, dtype=bool)
    members[mine] = True
    found = attribute.name, attribute.values[value], name, a, n, *chance
    yield Finding(*found, *risk, test, source, (), caveats, members)


def _distinct_hosts(population: Population, crashes: Ints) -> int:
    """How many hosts some crashes are of; crashes without a host count as one."""
    counts = np.bincount(population.host[crashes] + 1, minlength=1)
    return int(np.count_nonzero(counts))


def _lean(hosts: int, all_hosts: int, share: float) -> float:
    """P(as many distinct hosts), so that one loud host cannot speak for a whole value."""
    counts = (np.array([float(hosts)]), np.array([float(all_hosts)]), np.array([share]))
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
