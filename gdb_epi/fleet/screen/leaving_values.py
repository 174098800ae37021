# SPDX-License-Identifier: Apache-2.0
"""Values that are leaving: which hosts still have them, and what merely came along with the next.

A bad microcode or release goes host by host. Who still has it must be told, or nobody looks there
any more; a version that ran for some days has not shown that it mends anything; and what was rolled
out with the mending on most hosts is told from it by those that got only one of both.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.population import RANGE, Attribute, Population
from gdb_epi.fleet.population.value_spans import NEVER, first_and_last_days, is_kept_by_hosts
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.finding import CAVEAT_ALONE, CAVEAT_ROLL_OUT, MOSTLY, Finding
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Ints, sum_by_code
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.util import counted

LATELY = 3  # days
MOST_STILL, MIN_LEFT = 0.5, 5  # of the hosts that run and had it; hosts that left it
DUE_TO_TELL = 7.0  # crashes: chance gives none in 0.1 % of cases
FEW = 0.2  # of the crashes that were due, after a value is gone
MIN_AGAIN, HAS_AGAIN = 5, 0.1  # crashes, of those due: a version has what others had lost
MAX_NAMED = 3  # values
MOST_BETWEEN = 0.05  # rows of host-hours with another value, between those of a host with it
MIN_WITH_BOTH = 10  # crashes
CAME_ALONG = 0.8  # of the crashes on hosts that left the value
NOT_HALF_P = 0.001  # of as many crashes, had the companion halved them


def leaving_value_words(population: Population, finding: Finding, day: int) -> Iterator[str]:
    """Say what can be known of a finding's value that is leaving its hosts."""
    if still := hosts_still_with_value_words(population, finding.attr, finding.value, day):
        yield still
    if left := _crashes_before_and_after_leaving_words(population, finding):
        yield left
    if companion := _companion_value_words(population, finding):
        yield companion
    if next_version := _next_version_words(population, finding):
        yield next_version


def hosts_still_with_value_words(
    population: Population, name: str, value: str, day: int
) -> str | None:
    """Say how many hosts still have a value that is leaving them, and what these have in common.

    None where most of those that ever had it still have it, or none does.
    """
    attribute = population.attribute(name)
    if attribute is None or is_process_attribute(name) or name.endswith(RANGE):
        return None
    host, days = population.exposure_host, population.exposure_day
    runs = (population.exposure_hours > 0) & (host >= 0) & (days <= day)
    late = runs & (days > min(day, int(days[runs].max(initial=0))) - LATELY)
    has = attribute.hours_with(value)
    ever, running = (np.unique(host[rows]) for rows in (runs & has, late))
    rows = np.flatnonzero(late & (attribute.exposure >= 0))
    rows = rows[np.argsort(days[rows], kind="stable")]
    latest = np.full(len(population.hosts), ABSENT)
    latest[host[rows]] = attribute.exposure[rows]  # the last one stays
    now = np.flatnonzero(latest == attribute.values.index(value))
    left = np.intersect1d(ever, running)
    if not 0 < now.size <= MOST_STILL * left.size or left.size - now.size < MIN_LEFT:
        return None
    if _last_days_of_value(population, attribute, runs & has, runs & ~has) is None:
        return None
    words = f"{now.size} of {counted(left.size, 'host')} that had it still have it"
    where: list[tuple[int, str]] = []
    for other in population.attributes:
        its_hosts, codes = host[runs], other.exposure[runs]
        if not (codes >= 0).any():  # the crashes tell where a host stands
            its_hosts, codes = population.host, other.crash
        skipped = other is attribute or other.is_of_process
        if skipped or other.is_range or not is_kept_by_hosts(its_hosts, codes):
            continue
        has_both = (its_hosts >= 0) & (codes >= 0)
        mine = has_both & np.isin(its_hosts, now)
        values, inside = np.unique(codes[mine]), np.unique(its_hosts[mine])
        there = np.unique(its_hosts[has_both & np.isin(codes, values)])
        some = 0 < values.size <= MAX_NAMED and inside.size >= MOSTLY * now.size
        if some and there.size < running.size:
            names = " or ".join(other.values[code] for code in values.tolist())
            where.append((there.size, f", all with {other.name}={names}"))
    return words + min(where, default=(0, ""))[1]


def _last_days_of_value(
    population: Population, attribute: Attribute, has: Bools, others: Bools
) -> Ints | None:
    """Return the last day on which each host `has` a value; None of a load, that comes and goes."""
    host, days = population.exposure_host, population.exposure_day
    first, last = first_and_last_days(np.where(has, host, ABSENT), days, len(population.hosts))
    between = others & (attribute.exposure >= 0) & (days > first[host]) & (days < last[host])
    return None if between.sum() > MOST_BETWEEN * has.sum() else last


def _crashes_before_and_after_leaving_words(population: Population, finding: Finding) -> str | None:
    """Say how many crashes hosts had with a value, and since they have another, and what they kept.

    What they kept does not bring these by itself, if it still does on hosts that have the value:
    where these have no more either, the crashes may have ended for another reason.
    """
    attribute = population.attribute(finding.attr)
    if attribute is None or is_process_attribute(finding.attr) or finding.attr.endswith(RANGE):
        return None
    if finding.signature not in population.signatures:
        return None
    value, host = attribute.values.index(finding.value), population.exposure_host
    days = population.exposure_day
    runs = (population.exposure_hours > 0) & (host >= 0) & (attribute.exposure >= 0)
    has = runs & (attribute.exposure == value)
    last = _last_days_of_value(population, attribute, has, runs & ~has)
    if last is None:
        return None
    since = runs & ~has & (last[host] >= 0) & (days >= last[host])
    left = np.zeros(last.size + 1, dtype=bool)
    left[host[since]] = True
    same = population.crashes_of_signature(finding.signature)
    mine = same & population.has_time & left[population.host] & (population.host >= 0)
    before, after = (
        float(population.exposure_hours[some & left[host]].sum()) for some in (has, since)
    )
    late = (attribute.crash != value) & (population.day >= last[population.host])
    had, have = int((mine & (attribute.crash == value)).sum()), int((mine & late).sum())
    due = had * after / max(before, 1e-9)
    if left.sum() < MIN_LEFT or due < DUE_TO_TELL or have > FEW * due:
        return None
    if binomial_p(had, had + have, before / (before + after)) > NOT_HALF_P:
        return None
    begin = int(np.median(last[left[:-1]]))
    stay = has & ~left[host]
    stay_hours = [float(population.exposure_hours[stay & some].sum())
                  for some in (days < begin, days >= begin)]  # fmt: skip
    theirs = population.day[same & population.has_time & (population.host >= 0)
                            & (attribute.crash == value) & ~left[population.host]]  # fmt: skip
    stay_due = float((theirs < begin).sum()) * stay_hours[1] / max(stay_hours[0], 1e-9)
    goes_on = stay_due > 0 and (theirs >= begin).sum() > stay_due / 2
    kept = []
    for other in population.attributes if goes_on else ():
        codes = other.crash[finding.members & (other.crash >= 0)]
        skipped = other is attribute or other.is_of_process
        if skipped or other.is_range or not codes.size:
            continue
        code = int(np.bincount(codes).argmax())
        by_hours = other.has_hours
        hosts, values = (host, other.exposure) if by_hours else (population.host, other.crash)
        inside = (hosts >= 0) & (values >= 0) & left[hosts]
        beside = values[(values >= 0) & ~left[hosts]]
        is_common = not beside.size or (beside == code).mean() > 1 / 2
        if is_common or (codes == code).mean() < MOSTLY or not inside.any():
            continue
        if (values[inside] == code).all():
            kept.append(other.mark_of_value(code))
    alone = f"; they kept {', '.join(kept)}: that alone is not enough, it seems" if kept else ""
    if not goes_on:
        alone = "; hosts that still have it do not show whether it would have gone on"
    return (
        f"{counted(int(left.sum()), 'host')} that had it have another value since about "
        f"{iso_day(begin)}: {had} with it in {before:,.0f} host-hours, "
        f"{have} since in {after:,.0f}, where {due:.0f} were due{alone}"
    )


def _next_version_words(population: Population, finding: Finding) -> str | None:
    """Say how much what came later has run, beside a value or after it, and if that tells already.

    Of a value that goes on all of its hosts may have other work: chance alone must not say it.
    """
    if finding.signature not in population.signatures or finding.attr.endswith(RANGE):
        return None
    marks = finding.marks
    for name, _, value in (mark.partition("=") for mark in marks):
        attribute = population.attribute(name)
        if attribute is None or value not in attribute.values or not population.has_exposure:
            continue
        code, size = attribute.values.index(value), len(attribute.values)
        given = attribute.exposure, population.exposure_day, size
        first, last = population.computed_once(first_and_last_days, *given)
        hours = sum_by_code(
            attribute.exposure[attribute.exposure >= 0],
            population.exposure_hours[attribute.exposure >= 0],
            size,
        )
        same = population.crashes_of_signature(finding.signature)
        own = attribute.crash[same & population.has_time]
        counts = np.bincount(own[own >= 0], minlength=size)
        goes_on = not is_process_attribute(finding.attr) and last[code] >= last.max()
        later = (first < NEVER) & (first > first[code]) & (last >= last[code] + (not goes_on))
        later = np.flatnonzero(later)
        later = later[np.argsort(first[later], kind="stable")]
        if hours[code] <= 0:
            continue
        # On the days of a change the hours do not tell which version it was; the crashes do.
        rate = finding.n / hours[code]
        has_again = (counts >= MIN_AGAIN) & (counts > HAS_AGAIN * rate * hours)
        later = later[np.cumsum(has_again[later]) == 0]
        if not later.size:
            continue
        ran, have = float(hours[later].sum()), int(counts[later].sum())
        due = float(rate * ran)
        if have > FEW * due or ((have or goes_on) and due < 2 * DUE_TO_TELL):
            continue
        names = " and ".join(attribute.values[at] for at in later.tolist())
        is_time = CAVEAT_ALONE in finding.caveats or CAVEAT_ROLL_OUT in finding.caveats
        tells = "it does not have this, by all signs"
        if is_time:
            tells = "it does not have this, or what else changed then has ended it"
        if due < DUE_TO_TELL:
            more = (DUE_TO_TELL - due) / rate
            tells = (
                f"cannot tell yet whether that is mended: chance gives none in {np.exp(-due):.1%} "
                f"of cases; about {more:,.0f} more host-hours without one would tell"
            )
        earlier = first < first[code]
        before, beside = float(hours[earlier].sum()), int(counts[earlier].sum())
        until = f"{1000 * beside / before:.2g} with the versions before; " if before > 0 else ""
        return (
            f"{1000 * rate:.2g} a 1,000 host-hours with it; {until}with {name}={names}, which came "
            f"later, {have or 'none'} in {ran:,.0f}, where {due:.1f} were due: {tells}"
        )
    return None


def _companion_value_words(population: Population, finding: Finding) -> str | None:
    """Name what came with the value after this one, and does not end the crashes where it is alone.

    None of what came alone to too few hosts.
    """
    attribute = population.attribute(finding.attr)
    if attribute is None or is_process_attribute(finding.attr) or finding.attr.endswith(RANGE):
        return None
    if finding.signature not in population.signatures or not attribute.has_hours:
        return None
    value = attribute.values.index(finding.value)
    had = population.exposure_host[(attribute.exposure == value) & (population.exposure_hours > 0)]
    here = np.isin(population.host, had[had >= 0]) & population.has_time & (attribute.crash >= 0)
    with_it = here & (attribute.crash == value)
    left = (
        here
        & ~with_it
        & (population.day >= int(population.day[with_it].min(initial=population.last_day)))
    )
    own = with_it & population.crashes_of_signature(finding.signature)
    same = crashes_of_same_programs(population, own)
    others = with_it & ~own & (True if same is None else same)
    for other in population.attributes:
        skipped = other is attribute or other.is_of_process
        if skipped or other.is_range or is_kept_by_hosts(population.host, other.crash):
            continue
        size = len(other.values)
        mine, beside, after = (
            np.bincount(other.crash[some & (other.crash >= 0)], minlength=size)
            for some in (own, others, left)
        )
        if not after.sum() or not beside.sum():
            continue
        code = int(after.argmax())
        is_companion = after[code] >= CAME_ALONG * after.sum() and 2 * beside[code] < beside.sum()
        if not is_companion or mine[code] < MIN_WITH_BOTH:
            continue
        share = float(beside[code] / beside.sum())
        count, total = int(mine[code]), int(mine.sum())
        if binomial_p(count, total, share / 2) <= NOT_HALF_P:
            return (
                f"{other.name}={other.values[code]} came to most hosts that left it, and does not "
                f"end these crashes: {count} with both, where {share * total:.0f} were due by the "
                "other crashes there"
            )
    return None
