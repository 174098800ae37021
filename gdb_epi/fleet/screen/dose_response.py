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
    describe_limit,
    number_or_low_end,
)
from gdb_epi.fleet.population.population import RANGE, Population
from gdb_epi.fleet.population.value_spans import NEVER, first_and_last_days, is_kept_by_hosts
from gdb_epi.fleet.records.facts import CPU_TIME, CPU_TIMES, ENV, is_process_attribute
from gdb_epi.fleet.screen.finding import ALL, Finding
from gdb_epi.fleet.screen.programs import (
    MIN_OTHERS,
    crashes_of_same_programs,
    program_of_each_crash,
)
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints, count_distinct
from gdb_epi.fleet.statistics.hypothesis_tests import hypergeometric_p, relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_VALUES = 3
MIN_SHARE = 0.02  # of a value that counts
MIN_Z = 2.33  # one-sided 1 %
MAX_SHOWN = 6
MAX_LIMIT_P = 1e-3
MIN_STARTS, MOST_APART = 20, 2.0  # hosts that came up with a value; times as often, surely less
MAX_AGE_P = 1e-6  # every signature that stands out is asked
AT_START = "something at its start, so once for each start, whatever was started"
# A crash that is answered by an update comes on the last day of what ran, too.
AT_STOP = "something at its stop, it seems, or each of them was answered by starting the next"
# Old processes are also those that were started before a change.
GROWS = "something that grows while it runs, or that it loaded before a change"
MOMENTS = (AT_START, AT_STOP, GROWS)
# Of the other crashes, that are as young, or as old: where it is not known of which program crashes
# are, those of one that runs longer (or shorter) than others look like that.
LARGEST_PART = 1 / 4
MIN_HOSTS_BEYOND = 3  # of a group
MIN_ALIKE, MAX_OLDER_P = 20, 0.01  # crashes of a signature that is never younger either
MAX_CRASHES = 1_000_000  # with more a question must stay quick
MAX_VERSIONS, MIN_LIVED, MIN_ENDS = 200, 7, 3  # values; days of each; of these that have ended
AGE_NAMES = frozenset(("uptime", "age"))
PROCESS_NAMES = frozenset(("process", "proc", "task", "job", "worker", "app", "pod", "container"))
AGES = {CPU_TIMES[0][0]: AT_START, CPU_TIMES[-1][0]: GROWS}
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
    numbers = [number_or_low_end(values[code]) for code in usual.tolist()]
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
    numbers = {value: number_or_low_end(value) for value in attribute.values}
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


def numeric_limit_of_crashes(
    population: Population, finding: Finding, members: Bools
) -> str | None:
    """Return the limit that some crashes satisfy, "cpu_count >= 96", of a half of its numbers."""
    number = population.attribute(finding.attr.removesuffix(RANGE))
    half = population.attribute(finding.attr)
    if number is None or half is None or number is half or len(half.values) != HALVES:
        return None
    numbers = [number_or_low_end(text) or 0.0 for text in number.values]
    codes = np.unique(number.crash[members & (number.crash >= 0)]).tolist()
    if not codes:
        return None
    is_upper = finding.value == half.values[-1]
    limit = (min if is_upper else max)(codes, key=numbers.__getitem__)
    return describe_limit(number.name, LEAST if is_upper else MOST, number.values[limit])


def describe_marks_that_are_versions(
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


def threshold_within_finding(population: Population, finding: Finding) -> str | None:
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
        if a.name.removesuffix(RANGE) != own and not a.is_of_process
    ]
    for number in numbers:
        numbers_of_values = [number_or_low_end(text) for text in number.values]
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


def number_beyond_others_words(population: Population, finding: Finding) -> str | None:
    """Say that many crashes of a group have a number beyond those of all crashes outside it.

    Of a number that varies on a host, as its temperature.
    """
    group = population.attribute(finding.attr)
    if group is None:
        return None
    for number in population.attributes:
        numbers = [number_or_low_end(text) for text in number.values]
        if None in numbers or len(numbers) < MIN_VALUES or number.is_range:
            continue
        if number is group or is_kept_by_hosts(population.host, number.crash):
            continue
        of_value = np.array(numbers, dtype=float)
        has_number = number.crash >= 0
        outside = has_number & ~group.crashes_with(finding.value)
        mine = np.flatnonzero(has_number & finding.members)
        own, others = (of_value[number.crash[some]] for some in (mine, outside))
        if min(own.size, others.size) < MIN_OTHERS:
            continue
        is_beyond = own > others.max()
        beyond = int(is_beyond.sum())
        hosts = population.host[mine[is_beyond]]
        if count_distinct(hosts[hosts >= 0]) < MIN_HOSTS_BEYOND:  # else a sensor, or one machine
            continue
        if (
            beyond >= MIN_OTHERS
            and _p_of_association(beyond, own.size, 0, others.size) <= MAX_AGE_P
        ):
            least = own[own > others.max()].min()
            return (
                f"{number.name} is {least:g} to {own.max():g} in {beyond} of the {own.size} that "
                f"tell it, and at most {others.max():g} in all {others.size} crashes elsewhere"
            )
    return None


def is_age_of_process(name: str) -> bool:
    """Whether an attribute tells how long a process had run, by its words: process_uptime_s."""
    words = _words_of_name(name)
    return not words.isdisjoint(AGE_NAMES) and not words.isdisjoint(PROCESS_NAMES)


def _words_of_name(name: str) -> set[str]:
    return set(name.removesuffix(RANGE).lower().replace("-", "_").replace(" ", "_").split("_"))


def host_age_words(
    population: Population, mine: Bools, has_value: Bools, *, fewer: bool
) -> str | None:
    """Say at which age of their hosts nearly all of some crashes come, as others do not.

    A reboot makes hosts young, and so does what comes with one. None where those with a value have
    reached that age and have more of the crashes all the same, or `fewer`: a cure is no youth.
    """
    for attribute in population.attributes:
        words = _words_of_name(attribute.name)
        if words.isdisjoint(AGE_NAMES) or not words.isdisjoint(PROCESS_NAMES):
            continue
        numbers = [number_or_low_end(value) for value in attribute.values]
        if attribute.is_range or None in numbers or attribute.has_hours:
            continue
        has_age = attribute.crash >= 0
        age = np.append(np.array(numbers, dtype=float), np.nan)[attribute.crash]
        own = np.sort(age[mine & has_age])
        size = int(np.ceil(NEARLY_ALL * own.size))
        if own.size < MIN_OTHERS:
            continue
        at = int((own[size - 1 :] - own[: own.size - size + 1]).argmin())
        low, high = own[at], own[at + size - 1]
        others = has_age & ~mine & (population.signature >= 0)
        inside = others & (age >= low) & (age <= high)
        sizes, within = (np.bincount(population.signature[some]) for some in (others, inside))
        within = np.pad(within, (0, sizes.size - within.size))
        alike = (sizes >= MIN_ALIKE) & (within >= NEARLY_ALL * sizes)
        others[others] = ~alike[population.signature[others]]
        count, total = int((others & inside).sum()), int(others.sum())
        reached = others & (age >= low)
        if (
            total - int(reached.sum()) < MIN_OTHERS
            or count > LARGEST_PART * total
            or _p_of_association(size, own.size, count, total) > MAX_AGE_P
        ):
            continue
        have = [int((some & has_age & (has_value != fewer)).sum()) for some in (mine, reached)]
        if _p_of_association(have[0], own.size, have[1], int(reached.sum())) > MAX_LIMIT_P:
            ends = dict.fromkeys((f"{low:,.1f}", f"{high:,.1f}"))
            return f"at {attribute.name} {' to '.join(ends)}, which each reboot starts anew"
    return None


def process_age_words(population: Population, mine: Bools) -> str | None:
    """Say when in the life of a process or of its version some crashes come, as others do not.

    The words end with one of MOMENTS.
    """
    programs = crashes_of_same_programs(population, mine)
    if words := _process_ages_words(population, mine) or _last_day_words(population, mine):
        return words
    fact = next((fact for fact in population.facts if fact.name == CPU_TIME), None)
    if fact is None or programs is None:
        return None
    has_age, size = programs & (fact.crash >= 0), len(fact.values)
    own, others = (np.bincount(fact.crash[has_age & m], minlength=size) for m in (mine, ~mine))
    most = int(own.argmax())
    is_all = own[most] >= NEARLY_ALL * own.sum() and own.sum() >= MIN_OTHERS
    if not is_all or fact.values[most] not in AGES or 2 * others[most] > others.sum():
        return None
    if _p_of_association(own[most], own.sum(), others[most], others.sum()) > MAX_AGE_P:
        return None
    return (
        f"{own[most]} of {own.sum()} in processes with {fact.values[most]} of CPU time, as "
        f"{others[most]} of {others.sum()} other crashes of the program: {AGES[fact.values[most]]}"
    )


def _p_of_association(inside: int, own: int, others_inside: int, others: int) -> float:
    """Return P of so many of some crashes with a mark, if it were dealt out among all."""
    numbers = inside, own + others, inside + others_inside, own
    return hypergeometric_p(*numbers)


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


class _AgeLimit(NamedTuple):
    """An age of processes up to which (or from which on) all of some crashes come."""

    mark: str  # "process_uptime_s >= 216,300"
    sign: str
    own: Ints  # rows of the crashes whose age is known
    alike: tuple[int, int, int]  # other signatures that keep to it: crashes inside, all, signatures
    others: Ints  # rows of the other crashes of the program, those that are alike left out
    inside: Bools  # which of these are of such an age


def _find_age_limit(population: Population, mine: Bools) -> _AgeLimit | None:
    """Return up to, or from, which age of its process each of some crashes comes, as others do not.

    Where programs are not known, as where there is one, all crashes are compared. Signatures that
    are never younger either are no controls.
    """
    programs = crashes_of_same_programs(population, mine)
    for attribute in population.attributes:
        if not is_age_of_process(attribute.name) or attribute.is_range:
            continue
        ages = [number_or_low_end(value) for value in attribute.values]
        age_of = np.array([np.nan if age is None else age for age in ages])
        has_age = attribute.crash >= 0
        rows = np.flatnonzero(has_age if programs is None else has_age & programs)
        age, own, signature = age_of[attribute.crash[rows]], mine[rows], population.signature[rows]
        has_signature = signature >= 0
        if own.sum() < MIN_OTHERS or np.isnan(age).any():
            continue
        for sign, limit in ((MOST, float(age[own].max())), (LEAST, float(age[own].min()))):
            inside = age <= limit if sign == MOST else age >= limit
            sizes, within = (
                np.bincount(signature[some & has_signature], minlength=signature.max() + 1)
                for some in (inside | ~inside, inside)
            )
            alike = (sizes >= MIN_ALIKE) & (within >= NEARLY_ALL * sizes) & (sign == LEAST)
            others = ~own & ~(has_signature & alike[signature])
            count, total = int((others & inside).sum()), int(others.sum())
            # Beside one that dies at each start, all others seem to need old processes.
            loud = np.bincount(signature[others & ~inside & has_signature], minlength=1).argmax()
            rest = others & (signature != loud)
            numbers = (count, total), (int((rest & inside).sum()), int(rest.sum()))
            if any(
                m < MIN_OTHERS
                or n > LARGEST_PART * m
                or _p_of_association(own.sum(), own.sum(), n, m) > MAX_AGE_P
                for n, m in numbers
            ):
                continue
            alike[np.unique(signature[own & has_signature])] = False
            more = int(within[alike].sum()), int(sizes[alike].sum()), int(alike.sum())
            mark = describe_limit(attribute.name, sign, f"{limit:,.0f}")
            return _AgeLimit(mark, sign, rows[own], more, rows[others], inside[others])
    return None


def _process_ages_words(population: Population, mine: Bools) -> str | None:
    """Say up to, or from, which age of its process each of some crashes comes."""
    limit = _find_age_limit(population, mine)
    if limit is None:
        return None
    words = f"all {limit.own.size} have {limit.mark}"
    if limit.alike[2]:
        within, size, signatures = limit.alike
        words += f" (so have {within} of {size} of {counted(signatures, 'more signature')})"
    of_program = "" if crashes_of_same_programs(population, mine) is None else " of the program"
    words += f", as {limit.inside.sum()} of {limit.inside.size} other crashes{of_program}"
    if limit.sign == MOST:
        return f"{words}: {AT_START}"
    half = int(np.median(population.day[limit.own]))
    late = population.day[limit.others] >= half
    old, sizes = ([int((some & when).sum()) for when in (~late, late)]
                  for some in (limit.inside, limit.inside | True))  # fmt: skip
    if sizes[1] and _p_of_association(old[1], sizes[1], old[0], sizes[0]) <= MAX_OLDER_P:
        words += (
            f" ({old[0]} of {sizes[0]} before {iso_day(half)}, {old[1]} of {sizes[1]} since, when "
            "processes ran longer)"
        )
    return f"{words}: {GROWS}"


def is_explained_by_age(population: Population, finding: Finding) -> bool:
    """Whether crashes of old processes alone have a value no more than others of such processes.

    These must have it more than the younger ones: too few old ones tell nothing.
    """
    attribute = population.attribute(finding.attr)
    is_age = is_age_of_process(finding.attr)
    ages = any(is_age_of_process(other.name) for other in population.attributes)
    if attribute is None or is_age or not ages or finding.signature not in population.signatures:
        return False
    mine = population.crashes_of_signature(finding.signature)
    limit = _find_age_limit(population, mine)
    if limit is None or limit.sign == MOST:
        return False
    code = attribute.values.index(finding.value)
    of_rows = (limit.own, limit.others[limit.inside], limit.others[~limit.inside])
    own, old, young = (
        (int((codes == code).sum()), int((codes >= 0).sum()))
        for codes in (attribute.crash[rows] for rows in of_rows)
    )
    return _p_of_association(*own, *old) > MAX_LIMIT_P >= _p_of_association(*old, *young)


def _last_day_words(population: Population, mine: Bools) -> str | None:
    """Say that crashes come on the last day of what their host or program ran, before the next.

    Of several versions that had run for a week, one after the other: one that crashes and is taken
    back ends because of its crashes.
    """
    if population.day.size > MAX_CRASHES:
        return None
    programs = program_of_each_crash(population)
    own = mine & population.has_time
    same = crashes_of_same_programs(population, mine)
    others = population.has_time & ~mine & (True if same is None else same)
    ends, names, values = np.zeros(mine.size, dtype=bool), [], 0
    for attribute in population.attributes:
        if attribute.is_range or len(attribute.values) > MAX_VERSIONS:
            continue
        if attribute.has_hours:
            place, hosts = population.host, len(population.hosts)
            seen = population.exposure_host, attribute.exposure, population.exposure_day
        elif attribute.is_of_process and programs is not None:
            place, hosts = programs.crash, len(programs.values)
            seen = place, attribute.crash, np.where(population.has_time, population.day, ABSENT)
        else:
            continue
        size = len(attribute.values)
        codes = attribute.crash if attribute.reported is None else attribute.reported
        last = population.computed_once(_last_days_of_values, *seen, hosts, size)
        has = (place >= 0) & (codes >= 0)
        at_end = np.zeros(mine.size, dtype=bool)
        at_end[has] = last[place[has] * size + codes[has]] <= population.day[has]
        count, beside = int((own & at_end).sum()), int((others & at_end).sum())
        if count < MIN_OTHERS or 2 * beside > others.sum():
            continue
        if _p_of_association(count, own.sum(), beside, others.sum()) <= MAX_AGE_P:
            new = own & at_end & ~ends
            counts = np.bincount(codes[new], minlength=size)
            if (counts >= MIN_OTHERS).any():
                names.append(f"{attribute.name} {new.sum()}")
                values += int((counts >= MIN_OTHERS).sum())
                ends |= at_end
    count, beside = int((own & ends).sum()), int((others & ends).sum())
    if values < MIN_ENDS or count < NEARLY_ALL * own.sum() or 2 * beside > others.sum():
        return None
    return (
        f"{count} of {own.sum()} came on the last day of what their host or program ran, before "
        f"the next ({', '.join(names)}), as {beside} of {others.sum()} other crashes: {AT_STOP}"
    )


def _last_days_of_values(place: Ints, codes: Ints, days: Ints, places: int, size: int) -> Ints:
    """Return the last day of each value at each place; NEVER where none came after, or soon."""
    has = (place >= 0) & (codes >= 0) & (days >= 0)
    first, last = first_and_last_days(place[has] * size + codes[has], days[has], places * size)
    of_place = np.where(first < NEVER, first, -1).reshape(places, size)
    newest = np.zeros(of_place.shape, dtype=bool)
    newest[np.arange(places), of_place.argmax(axis=1)] = True
    ended = (last >= 0) & ~newest.ravel() & (last - first >= MIN_LIVED)
    return np.where(ended, last, NEVER)
