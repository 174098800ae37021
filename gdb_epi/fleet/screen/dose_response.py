# SPDX-License-Identifier: Apache-2.0
"""Dose-response: numbers such as CPUs, memory or load whose larger values have more crashes.

A race that comes more often the more CPUs there are stands out on the largest machines, and is no
fault of theirs. A caveat says so where the crashes with the other values lean the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt

import numpy as np

from gdb_epi.fleet.population.number_ranges import (
    HALVES,
    LEAST,
    MOST,
    RANGE,
    describe_limit,
    parse_leading_number,
)
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.population.value_spans import NEVER, first_and_last_days, is_kept_by_hosts
from gdb_epi.fleet.records.facts import CPU_TIME, CPU_TIMES, ENV
from gdb_epi.fleet.screen.finding import ALL, Finding
from gdb_epi.fleet.screen.programs import MIN_OTHERS, crashes_of_same_programs, is_process_attribute
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import (
    apply_to_scalars,
    hypergeometric_tail,
    relative_risk,
)
from gdb_epi.fleet.store.day_numbers import iso_day

MIN_VALUES = 3
MIN_SHARE = 0.02  # of a value that counts
MIN_Z = 2.33  # one-sided 1 %
MAX_SHOWN = 6
MAX_LIMIT_P = 1e-3
MIN_STARTS, MOST_APART = 20, 2.0  # hosts that came up with a value; times as often, surely less
MAX_AGE_P = 1e-6  # every signature that stands out is asked
AT_START = "something at its start, so once for each start, whatever was started"
AGE_NAMES = frozenset(("uptime", "age"))
PROCESS_NAMES = frozenset(("process", "proc", "task", "job", "worker", "app", "pod", "container"))
AGES = {
    CPU_TIMES[0][0]: AT_START,
    CPU_TIMES[-1][0]: "something that grows while it runs",
}
NEARLY_ALL = 0.95  # of the crashes of a part have a version
ALIKE = "versions of one program; nothing in the cores tells them apart"
RISES = (
    "its rate {goes} with {name} ({rates} times its share): a race, or load, looks like this, and "
    "the value alone is no cause"
)


def dose_response_caveat(
    name: str, values: Sequence[str], codes: Ints, share: Floats, value: int
) -> tuple[str, ...]:
    """Return a caveat where the rate rises (or falls) over all values of a number.

    `codes` are the values of some crashes, ABSENT left out, and `value` is the one that stands out.
    """
    usual = np.flatnonzero(share >= MIN_SHARE)
    numbers = [parse_leading_number(values[code]) for code in usual.tolist()]
    if usual.size < MIN_VALUES or None in numbers or value not in usual:
        return ()
    order = usual[np.argsort(np.array(numbers, dtype=float), kind="stable")]
    if value not in (order[0], order[-1]):
        return ()
    counts = np.bincount(codes, minlength=share.size).astype(float)
    rest = order[order != value]
    n, part = counts[rest].sum(), share[rest] / share[rest].sum()
    if not n:
        return ()
    rank = np.arange(rest.size, dtype=float)
    mean = float((part * rank).sum())
    spread = sqrt(float((part * (rank - mean) ** 2).sum()) / n)
    z = (float((counts[rest] * rank).sum() / n) - mean) / max(spread, 1e-12)
    if (z if value == order[-1] else -z) < MIN_Z:
        return ()
    rates = counts[order] / counts[order].sum() / (share[order] / share[order].sum())
    shown = [f"{values[c]}: {r:.2g}" for c, r in zip(order.tolist(), rates.tolist(), strict=True)]
    if len(shown) > MAX_SHOWN:
        shown = [*shown[: MAX_SHOWN // 2], "...", *shown[-MAX_SHOWN // 2 :]]
    goes = "rises" if value == order[-1] else "falls"
    return (RISES.format(goes=goes, name=name, rates=", ".join(shown)),)


def describe_gradual_rise(finding: Finding) -> str | None:
    """Say that crashes of all kinds rise (or fall) with a number: what does more work has more."""
    for goes, name in product(("rises", "falls"), (finding.attr, finding.attr.removesuffix(RANGE))):
        start = RISES.partition("(")[0].format(goes=goes, name=name)
        if finding.signature == ALL and any(c.startswith(start) for c in finding.caveats):
            return (
                f"load, it seems: crashes of all kinds {goes[:-1]} with {name} step by "
                f"step, and {finding.attr}={finding.value} is not to blame by that"
            )
    return None


def describe_thresholds(population: Population, findings: Sequence[Finding]) -> str | None:
    """Return findings of several values of one number as one limit, "memory_gib >= 1024".

    None unless they are the largest (or the smallest) of its values: else they are several marks.
    """
    attribute = population.attribute(findings[0].attr) if len(findings) > 1 else None
    if attribute is None or {finding.attr for finding in findings} != {attribute.name}:
        return None
    numbers = {value: parse_leading_number(value) for value in attribute.values}
    numeric = {value: number for value, number in numbers.items() if number is not None}
    order = sorted(numeric, key=numeric.__getitem__)
    chosen = {finding.value for finding in findings}
    if len(numeric) < len(numbers) or len(chosen) == len(order):
        return None
    if set(order[-len(chosen) :]) == chosen:
        return describe_limit(attribute.name, LEAST, order[-len(chosen)])
    if set(order[: len(chosen)]) == chosen:
        return describe_limit(attribute.name, MOST, order[len(chosen) - 1])
    return None


def limit_of_half(population: Population, finding: Finding, members: Bools) -> str | None:
    """Return the limit that some crashes satisfy, "cpu_count >= 96", of a half of its numbers."""
    number = population.attribute(finding.attr.removesuffix(RANGE))
    half = population.attribute(finding.attr)
    if number is None or half is None or number is half or len(half.values) != HALVES:
        return None
    numbers = [parse_leading_number(text) or 0.0 for text in number.values]
    codes = np.unique(number.crash[members & (number.crash >= 0)]).tolist()
    if not codes:
        return None
    is_upper = finding.value == half.values[-1]
    limit = (min if is_upper else max)(codes, key=numbers.__getitem__)
    return describe_limit(number.name, LEAST if is_upper else MOST, number.values[limit])


def describe_versions(
    population: Population, parts: Sequence[tuple[Finding | None, Bools]]
) -> str | None:
    """Return marks that are versions of one program, "image=cart:2.6 or 2.6.1"; else None.

    `parts` are the mark and the crashes of each: a version stands in the host-hours as well.
    """
    for name in dict.fromkeys(finding.attr for finding, _ in parts if finding is not None):
        attribute = population.attribute(name)
        if attribute is None or not is_process_attribute(name) or name.startswith(ENV):
            continue
        values = set[str]()
        for _, members in parts:
            codes = attribute.crash[members]
            counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
            if counts.sum() and counts.max() >= NEARLY_ALL * counts.sum():
                values.add(attribute.values[int(counts.argmax())])
        if len(values) == len(parts) > 1 and len({v.rpartition(":")[0] for v in values}) == 1:
            first, *more = sorted(values)
            every = " or ".join([first, *(v.rpartition(":")[2] for v in more)])
            return f"{name}={every} ({ALIKE})"
    return None


def threshold_within(population: Population, finding: Finding) -> str | None:
    """Return a limit that all crashes of a finding satisfy besides its value, "cpu_count >= 96".

    Only where enough other crashes with the value, and enough of its host-hours, do not satisfy it.
    """
    attribute = population.attribute(finding.attr)
    if attribute is None:
        return None
    value = attribute.values.index(finding.value)
    others = (attribute.crash == value) & ~finding.members
    same_programs = crashes_of_same_programs(population, finding.members)
    if same_programs is not None:  # it may run on large hosts alone
        others &= same_programs
        if np.count_nonzero(others) < MIN_OTHERS:
            return None
    inside = attribute.exposure == value
    best: tuple[float, str] | None = None
    own = attribute.name.removesuffix(RANGE)  # a range says itself between which limits
    numbers = [
        a
        for a in population.attributes
        if a.name.removesuffix(RANGE) != own and not is_process_attribute(a.name)
    ]
    for number in numbers:
        numbers_of_values = [parse_leading_number(text) for text in number.values]
        order = np.argsort(
            np.array([np.nan if n is None else n for n in numbers_of_values]), kind="stable"
        )
        rank = np.empty(order.size + 1, dtype=np.int64)
        rank[order], rank[-1] = np.arange(order.size), ABSENT
        mine = rank[number.crash[finding.members]]
        mine = mine[mine >= 0]
        if None in numbers_of_values or order.size < MIN_VALUES or not mine.size:
            continue
        beside, hours = rank[number.crash[others]], rank[number.exposure[inside]]
        weights = population.exposure_hours[inside][hours >= 0]
        hours = hours[hours >= 0]
        for sign, least in ((LEAST, int(mine.min())), (MOST, int(mine.max()))):
            kept, kept_hours = (
                ranks >= least if sign == LEAST else (ranks >= 0) & (ranks <= least)
                for ranks in (beside, hours)
            )
            share = (kept.sum() + 1) / ((beside >= 0).sum() + 1)
            if weights.sum() > 0:
                share = max(share, float(weights[kept_hours].sum() / weights.sum()))
            p = float(share**mine.size) * 2 * order.size * len(numbers)
            if p <= MAX_LIMIT_P and (best is None or p < best[0]):
                best = p, describe_limit(number.name, sign, number.values[int(order[least])])
    return None if best is None else best[1]


def is_age_of_process(name: str) -> bool:
    """Whether an attribute tells how long a process had run, by its words: process_uptime_s."""
    words = set(name.removesuffix(RANGE).lower().replace("-", "_").replace(" ", "_").split("_"))
    return not words.isdisjoint(AGE_NAMES) and not words.isdisjoint(PROCESS_NAMES)


def age_words(population: Population, mine: Bools) -> str | None:
    """Say that some crashes come in young processes, or in old ones, as others of them do not."""
    programs = crashes_of_same_programs(population, mine)
    if young := _young_words(population, mine, programs):
        return young
    fact = next((fact for fact in population.facts if fact.name == CPU_TIME), None)
    if fact is None or programs is None:
        return None
    has_age, size = programs & (fact.crash >= 0), len(fact.values)
    own, others = (np.bincount(fact.crash[has_age & m], minlength=size) for m in (mine, ~mine))
    most = int(own.argmax())
    numbers = (own[most], own.sum() + others.sum(), own[most] + others[most], own.sum())
    is_all = own[most] >= NEARLY_ALL * own.sum() and own.sum() >= MIN_OTHERS
    if not is_all or fact.values[most] not in AGES or 2 * others[most] > others.sum():
        return None
    if apply_to_scalars(hypergeometric_tail, *map(float, numbers)) > MAX_AGE_P:
        return None
    return (
        f"{own[most]} of {own.sum()} in processes with {fact.values[most]} of CPU time, as "
        f"{others[most]} of {others.sum()} other crashes of the program: {AGES[fact.values[most]]}"
    )


def starts_by_place_words(population: Population, mine: Bools) -> str | None:
    """Say that what comes at starts comes about as often for each host that came up anywhere.

    Where machines live for hours, a place has many starts in few host-hours. None where no value of
    hosts is such: where a share could as well be twice that of the other places, nothing is told.
    """
    runs = (population.exposure_hours > 0) & (population.exposure_host >= 0)
    size = len(population.hosts)
    host = np.where(runs, population.exposure_host, ABSENT)
    first, _ = first_and_last_days(host, population.exposure_day, size)
    start = int(first.min(initial=NEVER))
    is_new = (first > start) & (first < NEVER)
    crashed = np.zeros(size, dtype=bool)
    crashed[population.host[mine & (population.host >= 0)]] = True
    alike, compared = [], np.zeros(size, dtype=bool)
    for attribute in population.attributes:
        codes, values = attribute.exposure[runs], len(attribute.values)
        if not 1 < values <= MAX_SHOWN or not is_kept_by_hosts(host[runs], codes):
            continue
        value = np.full(size, ABSENT)
        value[host[runs][codes >= 0]] = codes[codes >= 0]
        asked = is_new & (value >= 0)
        n, k = (np.bincount(value[some], minlength=values) for some in (asked, asked & crashed))
        if n.min() < MIN_STARTS:
            continue
        risks = [
            relative_risk(had, came, k.sum() - had, n.sum() - came)
            for had, came in zip(k.tolist(), n.tolist(), strict=True)
        ]
        if all(low > 1 / MOST_APART and high < MOST_APART for _, low, high in risks):
            least, most = float((k / n).min()), float((k / n).max())
            alike.append(f"{attribute.name} ({least:.0%} to {most:.0%})")
            compared |= asked
    if not alike:
        return None
    return (
        f"{int((compared & crashed).sum())} of {int(compared.sum()):,} hosts that came up after "
        f"{iso_day(start)} have it, about as often with each {', '.join(alike)}: where more hosts "
        "start, more of it comes"
    )


def _young_words(population: Population, mine: Bools, programs: Bools | None) -> str | None:
    """Say up to which age of its process each of some crashes comes, where others come later.

    Where programs are not known, as where there is one, all crashes are compared.
    """
    of_program = "" if programs is None else " of the program"
    programs = np.ones(mine.size, dtype=bool) if programs is None else programs
    for attribute in population.attributes:
        if not is_age_of_process(attribute.name) or attribute.name.endswith(RANGE):
            continue
        ages = [parse_leading_number(value) for value in attribute.values]
        age_of = np.array([np.nan if age is None else age for age in ages])
        own, others = (
            age_of[attribute.crash[some & programs & (attribute.crash >= 0)]]
            for some in (mine, ~mine)
        )
        if own.size < MIN_OTHERS or others.size < MIN_OTHERS or np.isnan(own).any():
            continue
        limit = float(own.max())
        young = int(np.count_nonzero(others <= limit))
        numbers = (own.size, own.size + others.size, own.size + young, own.size)
        if 2 * young > others.size:
            continue
        if apply_to_scalars(hypergeometric_tail, *map(float, numbers)) > MAX_AGE_P:
            continue
        return (
            f"all {own.size} have {attribute.name} <= {limit:,.0f}, as {young} of {others.size} "
            f"other crashes{of_program}: {AT_START}"
        )
    return None
