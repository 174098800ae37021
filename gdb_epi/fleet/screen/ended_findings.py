# SPDX-License-Identifier: Apache-2.0
"""Findings whose crashes have stopped: a host that was repaired, a version that was rolled back.

What stood out over three months may be over for weeks. Then the day is told on which it ended, so
that nobody takes out a host that somebody mended. A machine that came back under another name is
told with what it did before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import count_hosts_of_signatures
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.population.value_spans import first_and_last_days
from gdb_epi.fleet.records.facts import is_process_attribute, split_image_tag
from gdb_epi.fleet.screen.finding import (
    CAVEAT_OUT,
    CAVEAT_RECOVERED,
    CAVEAT_REPLACED,
    CLUSTERED_CRASHES,
    HOST,
    HOST_HOURS,
    MIN_N,
    MOSTLY,
    TIME_AND_CPU_ATTRIBUTES,
    DaysHostChanged,
    Finding,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.leaving_values import leaving_value_words
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.screen.silent_hosts import find_silent_groups
from gdb_epi.fleet.screen.time_and_cpu_patterns import is_no_due_day_since_last_crash
from gdb_epi.fleet.screen.version_courses import version_regression_words
from gdb_epi.fleet.statistics.arrays import Bools, Ints, count_distinct, distinct_pairs
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day, parse_day
from gdb_epi.util import counted, shortened_list

MIN_QUIET = 7  # days
_OF_A_MACHINE = frozenset(("model", "sku", "board", "chassis", "serial"))  # words of attributes
MAX_SILENCE_P = 0.01  # that ongoing crashes leave none at the end
MIN_USUAL_P = 0.05  # that a host like the others has had as many since
GONE = "none of these on this host since {day}: it may be over"
MAY_BE_OVER = ": it may be over"
OVER = f"none since {{day}}{MAY_BE_OVER}"
GOES_ON = "none with it since {day}, and {count} since with {later}, which came later: not mended"
CAME_BACK = (
    "none with it since {day}, nor with any other value until {again}, and {count} since with "
    "{later}: it was gone in between"
)
LEFT = "now on {hosts} alone, of {ever} that had it"
LEFT_IN_RECORDS = "since {day} on {hosts} alone, whose records still have it, of {ever} that had it"
MOVED = (
    "it moved on {day} from {before} to {after}, and these crashes with it, as often as before "
    "({ratio:.2g} times): they follow the {attr}, and no host is to blame"
)
MAX_LEFT = 6  # hosts that are named
MOST_LEFT = 0.25  # of the share that a version had of its program's crashes
LATELY = 3  # days
STEADY = (
    "it grows with the host-hours that have this value: {before:.2g} a 1,000 of them until {day}, "
    "{since:.2g} since; what was released meanwhile shows no effect on it"
)
MIN_STEADY, MAX_STEADY, GROWS = 30, 1.3, 1.5  # crashes; times as often; times the hours of a day
FORGOTTEN = 10  # times as many hosts had it
SILENT = "none since {day}, and it may go on: {silence}"
MAX_NAMED = 3  # signatures
NOTHING = "none since {day}, nor any other crash there: it may be over, or no record comes any more"


def add_caveat_of_end(
    population: Population,
    finding: Finding,
    day: int,
    moments: Sequence[Finding] = (),
    explained: Bools | None = None,
) -> Finding:
    """Return the finding, with a caveat where its crashes have stopped by the end of `day`.

    What comes at the end of a month has not stopped before the next one; `moments` tell it. Crashes
    that are `explained` by something else go on whatever mends the others.
    """
    if finding.attr in (*CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES):
        return finding
    if (
        finding.attr == HOST
        and (out := _day_host_hours_ended(population, finding, day)) is not None
    ):
        left_on = iso_day(out)
        caveats = (*finding.caveats, CAVEAT_OUT.format(day=left_on))
        return finding._replace(caveats=caveats, changes=DaysHostChanged(left=left_on))
    if finding.attr == HOST:
        members = finding.members & population.has_time
    elif left := _hosts_still_with_value_sentence(
        population, finding, day
    ) or _hosts_still_with_version_sentence(population, finding, day):
        return finding.with_caveats(left)
    else:
        more = (
            _moved_value_sentence(population, finding),
            *leaving_value_words(population, finding, day),
        )
        finding = finding.with_caveats(*more)
        members, day = _crashes_with_value_and_last_day(population, finding, day)
    if steady := _grows_with_hours_sentence(population, finding):
        return finding.with_caveats(steady)
    days = np.sort(population.day[members])
    telling = (
        _days_that_set_host_apart(population, finding, members) if finding.attr == HOST else days
    )
    if telling.size < MIN_N:
        return finding
    first, last = int(telling[0]), int(telling[-1])
    quiet, span = day - last, last - first + 1
    # P(none at the end) of as many crashes as came after the first, spread evenly since then.
    silence = (span / (span + quiet)) ** (telling.size - 1)
    if quiet < MIN_QUIET or silence > MAX_SILENCE_P:
        return finding
    if is_no_due_day_since_last_crash(moments, days, day):
        return finding
    text = (
        None
        if finding.attr == HOST
        else _later_version_sentence(population, finding, first, last, explained)
    )
    text = text or _silence_sentence(population, finding, members, last)
    if text is None and finding.attr != HOST:
        text = OVER.format(day=iso_day(last))
    elif text is None and not is_about_whole_host(finding.signature):
        text = GONE.format(day=iso_day(last))
    elif text is None:
        if (end := _day_host_recovered(population, finding, days[days >= last], day)) is None:
            return finding
        after = counted(int(np.count_nonzero(days > end)), "crash")
        text = CAVEAT_RECOVERED.format(day=iso_day(end), crashes=after)
        finding = finding._replace(changes=DaysHostChanged(recovered=iso_day(end)))
    return finding.with_caveats(text)


def _grows_with_hours_sentence(population: Population, finding: Finding) -> str | None:
    """Say that the crashes with a value grow as its host-hours do; None where that is not so."""
    attribute = population.attribute(finding.attr)
    if attribute is None or is_process_attribute(finding.attr) or finding.exposure != HOST_HOURS:
        return None
    value = attribute.values.index(finding.value)
    rows = np.flatnonzero((attribute.exposure == value) & (population.exposure_hours > 0))
    members = finding.members & (attribute.crash == value) & population.has_time
    if not rows.size or int(members.sum()) < MIN_STEADY:
        return None
    rows = rows[np.argsort(population.exposure_day[rows], kind="stable")]
    sums = np.cumsum(population.exposure_hours[rows])
    days = population.exposure_day[rows]
    middle = int(days[np.searchsorted(sums, sums[-1] / 2)])
    spans = middle - int(days[0]), int(days[-1]) - middle + 1
    late_hours = float(population.exposure_hours[rows][days >= middle].sum())
    hours = float(sums[-1]) - late_hours, late_hours
    late = int((population.day[members] >= middle).sum())
    counts = int(members.sum()) - late, late
    if min(*spans, *hours, *counts) <= 0 or hours[1] / spans[1] < GROWS * hours[0] / spans[0]:
        return None
    ratio, low, high = relative_risk(counts[1], hours[1], counts[0], hours[0])
    if not (low <= 1 <= high and 1 / MAX_STEADY <= ratio <= MAX_STEADY):
        return None
    before, since = (1000 * n / h for n, h in zip(counts, hours, strict=True))
    return STEADY.format(before=before, since=since, day=iso_day(middle))


def crashes_explained_by_others(
    population: Population, finding: Finding, findings: Sequence[Finding]
) -> Bools:
    """Return which crashes of a version's signature go on because of something else that is found.

    That is a value of their hosts or their place; what all of them have is a condition of them all.
    """
    explained = np.zeros(population.day.size, dtype=bool)
    if not is_process_attribute(finding.attr):
        return explained
    for other in findings:
        is_apart = other.signature == finding.signature and not is_process_attribute(other.attr)
        if not is_apart or other.attr in (*CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES):
            continue
        attribute = population.attribute(other.attr)
        if attribute is not None and other.n < MOSTLY * other.total:
            explained |= attribute.crashes_with(other.value)
    return explained


def _hosts_still_with_value_sentence(
    population: Population, finding: Finding, day: int
) -> str | None:
    """Say which few hosts still have a value that many had: they were forgotten by a roll-back."""
    named = finding.marks
    has = np.zeros(population.exposure_day.size, dtype=bool)
    for name, _, value in (mark.partition("=") for mark in named):
        attribute = population.attribute(name)
        if attribute is not None and value in attribute.values and not has.any():
            has = attribute.hours_with(value)
    has &= (population.exposure_hours > 0) & (population.exposure_host >= 0)
    has &= population.exposure_day <= day
    if not has.any():
        return None
    late = has & (population.exposure_day > min(day, int(population.exposure_day.max())) - LATELY)
    ever, now = (np.unique(population.exposure_host[rows]) for rows in (has, late))
    if not 0 < now.size <= min(MAX_NAMED, ever.size // FORGOTTEN):
        return None
    hosts = ", ".join(population.hosts[host] for host in now.tolist())
    return LEFT.format(hosts=hosts, ever=counted(ever.size, "host"))


def _moved_value_sentence(population: Population, finding: Finding) -> str | None:
    """Say that a value went from some hosts to others, and that its crashes went with it."""
    attribute = population.attribute(finding.attr)
    if attribute is None or is_process_attribute(finding.attr) or finding.exposure != HOST_HOURS:
        return None
    value = attribute.values.index(finding.value)
    has = (attribute.exposure == value) & (population.exposure_hours > 0)
    has &= population.exposure_host >= 0
    host, day = population.exposure_host[has], population.exposure_day[has]
    hosts, place = np.unique(host, return_inverse=True)
    begins, ends = first_and_last_days(place, day, hosts.size)
    order = np.argsort(begins, kind="stable")
    latest = np.maximum.accumulate(ends[order])
    # On the day of the change both have it.
    cuts = np.flatnonzero(begins[order][1:] >= latest[:-1]) + 1
    if cuts.size != 1:
        return None
    groups = hosts[order[: cuts[0]]], hosts[order[cuts[0] :]]
    moved_on = int(begins[order[cuts[0]]])
    hours = [float(population.exposure_hours[has][np.isin(host, group)].sum()) for group in groups]
    members = finding.members & (attribute.crash == value)
    counts = [int(np.isin(population.host[members], group).sum()) for group in groups]
    ratio, low, high = relative_risk(counts[1], hours[1], counts[0], hours[0])
    if min(counts) < MIN_N or not low <= 1 <= high:
        return None
    names = [
        shortened_list([population.hosts[host] for host in group.tolist()], MAX_NAMED)
        for group in groups
    ]
    return MOVED.format(
        day=iso_day(moved_on), before=names[0], after=names[1], ratio=ratio, attr=finding.attr
    )


def _hosts_still_with_version_sentence(
    population: Population, finding: Finding, day: int
) -> str | None:
    """Say which hosts still run a version by their own records, long after all others left it.

    A roll-back that did not reach some hosts leaves them with it, whatever the list of hosts says.
    All crashes of its program tell who runs what.
    """
    attribute = population.attribute(finding.attr)
    if attribute is None or not is_process_attribute(finding.attr):
        return None
    same = crashes_of_same_programs(population, finding.members)
    if same is None:
        return None
    same = same & population.has_time & (population.day <= day) & (population.host >= 0)
    rows = np.flatnonzero(same & (attribute.crash >= 0))
    days, hosts = population.day[rows], population.host[rows]
    has = attribute.crash[rows] == attribute.values.index(finding.value)
    if not has.any():
        return None
    first, last = int(days[has].min()), int(days[has].max())
    came = days >= first  # with it
    counts = [
        np.bincount(days[came & some] - first, minlength=day - first + 1) for some in (has, ~has)
    ]
    with_it, others = (np.cumsum(part)[: last - first].astype(float) for part in counts)
    if not with_it.size:
        return None
    late_with, late_others = (
        part.sum() - sums for part, sums in zip(counts, (with_it, others), strict=True)
    )
    share = (
        (with_it + 0.5) / (with_it + others + 1),
        (late_with + 0.5) / (late_with + late_others + 1),
    )
    fit = sum(
        n * np.log(p) + m * np.log(1 - p)
        for n, m, p in ((with_it, others, share[0]), (late_with, late_others, share[1]))
    )
    fit[share[1] >= share[0] * MOST_LEFT] = -np.inf
    if not np.isfinite(fit).any():
        return None
    late = days > first + int(np.argmax(fit))
    now = np.unique(hosts[late & has])
    ever = np.unique(hosts[has])
    its_own = has[late & np.isin(hosts, now)]
    if has[late].sum() < MIN_N or now.size * FORGOTTEN > ever.size or its_own.mean() < MOSTLY:
        return None
    since = int(days[has & ~np.isin(hosts, now)].max(initial=first)) + 1
    # The last hosts of a roll-out have it for a day or two more.
    if last - since < MIN_QUIET or day - last >= MIN_QUIET:
        return None
    names = shortened_list([population.hosts[host] for host in now.tolist()], MAX_LEFT)
    text = LEFT_IN_RECORDS.format(day=iso_day(since), hosts=names, ever=counted(ever.size, "host"))
    return text + _hours_contradict_words(population, finding, now)


def _hours_contradict_words(population: Population, finding: Finding, hosts: Ints) -> str:
    """Say what the host-hours tell of hosts in place of the version that their records have."""
    version = split_image_tag(finding.value)[1] or finding.value
    for attribute in population.attributes:
        if version not in attribute.values or not attribute.has_hours:
            continue
        mine = np.flatnonzero(np.isin(population.exposure_host, hosts) & (attribute.exposure >= 0))
        latest = mine[population.exposure_day[mine] == population.exposure_day[mine].max(initial=0)]
        codes = np.unique(attribute.exposure[latest])
        if codes.size == 1 and attribute.values[codes[0]] != version:
            return f"; the host-hours say {attribute.name}={attribute.values[codes[0]]} of them"
    return ""


def _day_host_hours_ended(population: Population, finding: Finding, day: int) -> int | None:
    """Return the day from which a host has no more host-hours, if it had some; None: it runs."""
    runs = (population.exposure_hours > 0) & (population.exposure_day <= day)
    if not runs.any():
        return None
    host = population.hosts.index(finding.value)
    mine = runs & (population.exposure_host == host)
    if not mine.any() or any(host in group.hosts for group in find_silent_groups(population)):
        return None
    out = int(population.exposure_day[mine].max()) + 1
    is_last = int(population.exposure_day[runs].max()) - out + 1 < MIN_QUIET
    crashed = (population.day[finding.members & population.has_time] >= out).any()
    return None if is_last or crashed else out


def _later_version_sentence(
    population: Population, finding: Finding, first: int, last: int, explained: Bools | None
) -> str | None:
    """Say that a version that came later has the signature too; None where none has it."""
    attribute = population.attribute(finding.attr)
    if attribute is None or finding.signature not in population.signatures:
        return None
    every = population.crashes_of_signature(finding.signature)
    same = every if explained is None else every & ~explained
    if is_process_attribute(finding.attr):
        # Crashes that a version between had none of, either, did not go on whatever mends it.
        beside = (
            None if explained is None else version_regression_words(population, every & explained)
        )
        if regression := version_regression_words(population, every if beside else same):
            return regression
    late = attribute.crash[same & population.has_time & (population.day > last)]
    counts = np.bincount(late[late >= 0], minlength=len(attribute.values))
    value = int(counts.argmax())
    came = population.day[(attribute.crash == value) & population.has_time]
    if counts[value] < MIN_N or int(came.min()) <= first:
        return None
    later = f"{finding.attr}={attribute.values[value]}"
    again = int(population.day[same & population.has_time & (population.day > last)].min())
    if again - last > 2 * MIN_QUIET:
        return CAME_BACK.format(
            day=iso_day(last), count=counts[value], later=later, again=iso_day(again)
        )
    return GOES_ON.format(day=iso_day(last), count=counts[value], later=later)


def _silence_sentence(
    population: Population, finding: Finding, members: Bools, last: int
) -> str | None:
    """Say that the hosts of a finding send no crashes at all any more; None where they do."""
    hosts = np.unique(population.host[members & (population.host >= 0)])
    for group in find_silent_groups(population):
        if np.isin(hosts, group.hosts).mean() >= MOSTLY:
            return SILENT.format(day=iso_day(last), silence=group.words())
    if finding.attr == HOST or hosts.size < 2:
        return None
    mine = np.isin(population.host, hosts) & population.has_time
    if (mine & (population.day > last)).any() or not (mine & ~members).any():
        return None
    return NOTHING.format(day=iso_day(last))


def _crashes_with_value_and_last_day(
    population: Population, finding: Finding, day: int
) -> tuple[Bools, int]:
    """Return the crashes with the value of a finding, and the last day on which it could be seen.

    A feed of host-hours that has stopped, or later records without the attribute, show nothing.
    """
    attribute = population.attribute(finding.attr)
    members = finding.members & population.has_time
    if attribute is None or finding.value not in attribute.values:
        return members, day
    value = attribute.values.index(finding.value)
    same = members
    if finding.signature in population.signatures:
        same = population.crashes_of_signature(finding.signature)
        own = attribute.codes_as_reported
        same = same & ((attribute.crash == value) | (own == value)) & population.has_time
    seen = population.exposure_day[attribute.exposure >= 0]
    if finding.exposure != HOST_HOURS or not seen.size:
        seen = population.day[population.has_time & (attribute.crash >= 0)]
    return members | same, min(day, int(seen.max(initial=0)))


def _days_that_set_host_apart(population: Population, finding: Finding, members: Bools) -> Ints:
    """Return the days of the crashes that set a host apart from others; of all where none does.

    Those are crashes with the bit-flip flag or with a signature that no other host has: crashes
    that every host has go on after a repair.
    """
    rows = np.flatnonzero(members)
    if is_about_whole_host(finding.signature):
        given = population.signature, population.host, len(population.signatures) + 1
        hosts = population.computed_once(count_hosts_of_signatures, *given)
        some = rows[population.bitflip[rows] | (hosts == 1)[population.signature[rows]]]
        rows = some if some.size >= MIN_N else rows
    return np.sort(population.day[rows])


def _day_host_recovered(
    population: Population, finding: Finding, days: Ints, day: int
) -> int | None:
    """Return the day after which a host is like others until `day`; None where it never is.

    `days` are those of its crashes from the last one on that sets it apart: what broke it may leave
    usual crashes after that one.
    """
    for last in np.unique(days).tolist():
        after = int(np.count_nonzero(days > last))
        if day - last >= MIN_QUIET and _does_host_crash_as_usual_since(
            population, finding, last, after
        ):
            return int(last)
    return None


def _does_host_crash_as_usual_since(
    population: Population, finding: Finding, last: int, after: int
) -> bool:
    """Whether a host ran after a day with no more crashes than hosts of its kind have."""
    host = population.hosts.index(finding.value)
    late = population.known_day > last
    others = int(np.count_nonzero(late & (population.host >= 0))) - after
    if population.has_exposure:
        rows = (population.exposure_day > last) & (population.exposure_host >= 0)
        hours = population.exposure_hours[rows]
        mine = float(hours[population.exposure_host[rows] == host].sum())
        if mine <= 0:
            return False
        share = mine / float(hours.sum())
    else:
        share = 1 / max(count_distinct(population.host[population.host >= 0]), 1)
    return binomial_p(after, others + after, share) >= MIN_USUAL_P


def add_caveat_of_former_machine(population: Population, finding: Finding) -> Finding:
    """Return a host's finding, with a caveat where its machine, or its name, was another before.

    The machine is known by an attribute of the host-hours that identifies it (a serial number): a
    repair that sends a machine back under another name may leave its fault in it.
    """
    if finding.attr != HOST or not is_about_whole_host(finding.signature):
        return finding
    host = population.hosts.index(finding.value)
    caveats = []
    if (replaced := _hardware_replaced_since(population, finding, host)) is not None:
        since, caveat = replaced
        finding = finding._replace(changes=finding.changes._replace(replaced=since))
        caveats.append(caveat)
    caveats += _renamed_or_reinstalled_sentences(population, finding)
    for attribute in population.attributes:
        given = attribute.exposure, population.exposure_host
        if not population.computed_once(_does_attribute_name_machines, *given):
            continue
        rows = np.flatnonzero((attribute.exposure >= 0) & (population.exposure_hours > 0))
        rows = rows[np.argsort(population.exposure_day[rows], kind="stable")]
        codes, hosts = attribute.exposure[rows], population.exposure_host[rows]
        own = codes[hosts == host]
        before = own[own != own[-1]] if own.size else own
        for code, where in ((own[-1:], hosts != host), (before[-1:], hosts == host)):
            there = rows[where & np.isin(codes, code) & (hosts >= 0)]
            if not there.size:
                continue
            last, other = (int(x[there[-1]]) for x in (population.exposure_day, given[1]))
            mine = (population.host == other) & population.has_time & (population.day <= last)
            machine = f"{attribute.name}={attribute.values[int(code[0])]}"
            crashes = counted(int(np.count_nonzero(mine)), "crash")
            until = f"until {iso_day(last)}, with {crashes}"
            if other != host and last > int(population.exposure_day[rows[hosts == host][-1]]):
                came = int(population.exposure_day[there[given[1][there] == other][0]])
                name = population.hosts[other]
                finding = finding._replace(changes=finding.changes._replace(now=name))
                caveats.append(f"its machine ({machine}) is {name} since {iso_day(came)}")
                continue
            if other != host:
                caveats.append(f"its machine ({machine}) was {population.hosts[other]} {until}")
                continue
            now = int(hosts[codes == code[0]][-1])
            where_now = f", which is {population.hosts[now]} now" if now != host else ""
            caveats.append(f"this name was another machine ({machine}{where_now}) {until}")
    return finding.with_caveats(*caveats) if caveats else finding


def _renamed_or_reinstalled_sentences(population: Population, finding: Finding) -> Iterator[str]:
    """Say that a host had another name, was installed again, and that others have its name."""
    for order in population.quality.get("renamed", ()):
        if order[-1] == finding.value:
            again = [name for name in order if name in population.quality.get("given_again", ())]
            other = f"; {' and '.join(again)} is another machine now" if again else ""
            earlier = " and ".join(order[:-1])
            yield f"it was called {earlier} before, which counts as the same host{other}"
    for host, ids, day, serial in population.quality.get("again", ()):
        if host == finding.value:
            since = parse_day(day) or 0
            days = population.known_day[finding.members]
            before, after = np.count_nonzero((days >= 0) & (days < since)), np.sum(days >= since)
            same = f", serial {serial} as before" if serial else ""
            yield (
                f"it was installed again by {day} (machine id {', then '.join(ids)}{same}): "
                f"{before} of its crashes came before, {after} since then"
            )
    for name, machines in population.quality.get("namesakes", {}).items():
        if finding.value in machines:
            others = shortened_list([m for m in machines if m != finding.value], MAX_NAMED)
            yield f"{name} is the name of other machines too, which this is not about: {others}"


def _hardware_replaced_since(
    population: Population, finding: Finding, host: int
) -> tuple[str, str] | None:
    """Return since when a host has other hardware than when it crashed, and the caveat.

    The machine is another one then. None where it is the same.
    """
    members = finding.members & population.has_time
    if not members.any() or finding.changes.recovered is None:
        return None
    last = int(_days_that_set_host_apart(population, finding, members)[-1])
    mine = population.exposure_host == host
    for attribute in population.attributes:
        if _OF_A_MACHINE.isdisjoint(attribute.name.lower().replace("-", "_").split("_")):
            continue
        rows = np.flatnonzero(mine & (attribute.exposure >= 0))
        rows = rows[np.argsort(population.exposure_day[rows], kind="stable")]
        is_late = population.exposure_day[rows] > last
        old, new = (attribute.exposure[rows[some]] for some in (~is_late, is_late))
        if old.size and new.size and old[-1] != new[-1]:
            days = population.exposure_day[rows[is_late]]
            was, now = (f"{attribute.name}={attribute.values[codes[-1]]}" for codes in (old, new))
            since = iso_day(int(days[new == new[-1]][0]))
            return since, CAVEAT_REPLACED.format(day=since, now=now, was=was)
    return None


def _does_attribute_name_machines(exposure: Ints, host: Ints) -> bool:
    """Whether an attribute names machines: nearly every host has a value of its own."""
    has_both = (exposure >= 0) & (host >= 0)
    if not has_both.any():
        return False
    value, hosts = distinct_pairs(exposure, host, has_both)
    hosts_of_value = np.bincount(value)
    hosts_of_value = hosts_of_value[hosts_of_value > 0]
    many = hosts_of_value.size >= MOSTLY * np.unique(hosts).size
    return bool(many and (hosts_of_value == 1).mean() >= MOSTLY)
