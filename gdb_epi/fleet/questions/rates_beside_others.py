# SPDX-License-Identifier: Apache-2.0
"""What else a value's hosts have: values that come with it, and crashes that those bring.

A kernel that came in the weeks of a bad release has the crashes of that release, and one of four
packages of a new machine image cannot be told from the other three.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.finding import (
    ALL,
    CLUSTERED_CRASHES,
    HOST,
    MIN_N,
    TIME_AND_CPU_ATTRIBUTES,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_tail
from gdb_epi.fleet.statistics.rate_ratios import (
    CrashesAndHostHours,
    RateRatio,
    risk_by_strata,
    risk_given_host_and_day,
)
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

SURE_SIGMAS = 3.0  # of what all crashes together do not show
MIN_TIMES = 2.0  # a signature's crashes, as often as on others of the same days
MAX_P = 0.02  # that chance alone gives one of all signatures so many more
MAX_NONE_P = 1e-3  # that a part of a value's hours has none of its crashes by chance
MAX_GROWN = 3  # signatures that are named
MAX_VALUES = 2_000  # of an attribute that is looked at for an excess
MAX_WIDER = 1.5  # the logarithm of an interval, beside that of what it may explain
SAME = 0.99  # of the host-hours of each of two values, that have both


def what_other_findings_bring_sentence(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: CrashesAndHostHours,
    risks: tuple[RateRatio | None, RateRatio | None, RateRatio | None],
    findings: Sequence[Finding],
) -> list[str]:
    """Say what a value is where that is not with which a signature goes; none where it is the same.

    `risks` are the value's over all crashes: on the same days, on the same hosts, given both. The
    last one judges, where the second is not much narrower, as all hosts changed within days.
    """
    same_days, same_hosts, same_both = risks
    risk = same_both or same_days
    by_hosts = _log_width_of_interval(same_hosts) < _log_width_of_interval(risk) / 2
    if (risk := same_hosts if by_hosts else risk) is None:
        return []
    # What hosts that changed cannot tell, as they are few, others tell on the same days.
    by_days = same_days is not None and same_days.low > 1 >= risk.low and risk.high > same_days.high
    if by_days:
        assert same_days is not None
        risk, by_hosts = same_days, False
    has_value, change, best = cells.codes[0] == code, 0.0, list[str]()
    for same in _findings_by_values(findings):
        if any(attribute.mark_of_value(code) in finding.marks for finding in same):
            continue
        beside = _cells_without_values_of_findings(population, cells, same)
        rest = None if by_hosts or by_days else risk_given_host_and_day(code, beside)
        rest = rest or risk_by_strata(code, beside, beside.hosts if by_hosts else beside.days)
        if rest is None:
            continue
        its_own = crashes_of_findings(same, same[0].members.size)[cells.crashes] & has_value
        kinds = list(dict.fromkeys(finding.signature for finding in same))
        where = " and ".join(dict.fromkeys(finding.mark for finding in same))
        goes = f"{signature_phrase_and_key(kinds[0])} goes with {where}"
        if ALL in kinds:
            goes = f"crashes of all kinds go with {where}"
        elif len(kinds) > 1:
            more = counted(len(kinds) - 1, "more signature")
            goes = f"{signature_phrase_and_key(kinds[0])} and {more} go with {where}"
        is_most = 2 * its_own.sum() >= has_value.sum() or 2 * (rest.ratio - 1) <= risk.ratio - 1
        if risk.low > 1 >= rest.low and is_most:
            words = [
                f"cannot be blamed: {goes} ({its_own.sum()} of its {has_value.sum()} crashes)",
                f"without {where} it has {rest.words()} the crashes of others",
                f"with all counted {risk.words()}",
            ]
        elif risk.low <= 1 <= risk.high and abs(rest.standard_errors_above_one()) >= SURE_SIGMAS:
            words = [
                f"{'more' if rest.low > 1 else 'fewer'} crashes with it on hosts without {where}: "
                f"{rest.words()}",
                f"on all hosts {risk.words()}, as {goes}",
            ]
        else:
            continue
        by = abs(float(np.log(max(rest.ratio, 1e-9) / max(risk.ratio, 1e-9))))
        if by > change:
            change, best = by, words
    return best


def _findings_by_values(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return the findings by the values that they name: what has many signatures is one cause."""
    of_signature: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.attr not in (HOST, *CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES) and (
            finding.signature == ALL or not finding.signature.startswith("*")
        ):
            of_signature.setdefault(finding.signature, []).append(finding)
    of_values: dict[tuple[str, ...], list[Finding]] = {}
    for same in of_signature.values():
        of_values.setdefault(tuple(sorted(f.mark for f in same)), []).extend(same)
    return list(of_values.values())


class GrownSignatures(NamedTuple):
    """Signatures that hosts have more often since they got a value."""

    codes: list[int]
    words: str


def signatures_grown_since(
    population: Population, attribute: Attribute, code: int, cells: CrashesAndHostHours
) -> GrownSignatures | None:
    """Return the signatures that came more often with a value than with that before it.

    On the same hosts, by the host-hours and beside their other crashes, whichever says less; and
    more than on others on the same days. None where there is no such signature, or no value before.
    """
    has = cells.codes[1] == code
    hosts, days = cells.hosts_and_days()
    first = np.full(hosts, days)
    np.minimum.at(first, cells.hosts[1][has], cells.days[1][has])
    since = first[cells.hosts[1]]
    rows = np.flatnonzero(~has & (since < days) & (cells.days[1] < since))
    rows = rows[np.argsort(cells.days[1][rows], kind="stable")]
    had = np.full(hosts, -1)
    had[cells.hosts[1][rows]] = cells.codes[1][rows]  # the last one stays
    if not rows.size:
        return None
    before = int(np.bincount(had[had >= 0]).argmax())
    changed = had == before
    kinds, size = population.signature[cells.crashes], len(population.signatures)
    hours, counts = [], []
    for value in (before, code):
        of_crashes, of_hours = (
            (codes == value) & changed[host]
            for codes, host in zip(cells.codes, cells.hosts, strict=True)
        )
        hours.append(float(cells.hours[of_hours].sum()))
        counts.append(np.bincount(kinds[of_crashes], minlength=size).astype(float))
    asked = np.flatnonzero(counts[1] >= MIN_N)
    m, n = (count[asked] for count in counts)
    rest = [1 + count.sum() - some for count, some in zip(counts, (m, n), strict=True)]
    shares = np.full(asked.size, hours[1] / sum(hours)), rest[1] / (rest[0] + rest[1])
    p = np.maximum(*(binomial_tail(n, n + m, share) for share in shares)) * asked.size
    grown, words = [], []
    for at in np.argsort(p, kind="stable").tolist():
        kind = int(asked[at])
        kept = cells.select_crashes(kinds == kind)
        same_days = risk_by_strata(code, kept, kept.days)
        times = float((n[at] + 0.5) / hours[1] * hours[0] / (m[at] + 0.5))
        others_too = same_days is not None and (
            same_days.low <= 1 and same_days.high < times and same_days.ratio**2 < times
        )
        if p[at] > MAX_P or others_too:
            continue
        grown.append(kind)
        words.append(f"{signature_phrase_and_key(population.signatures[kind])} {n[at]:.0f}, ")
        words[-1] += f"{m[at]:.0f} before"
        words[-1] += _earlier_value_words(attribute, (code, before), kept, n[at] / hours[1])
    if not grown:
        return None
    return GrownSignatures(
        grown,
        f"more crashes with it than with {attribute.mark_of_value(before)}, "
        f"which its hosts had before ({hours[1]:,.0f} and {hours[0]:,.0f} host-hours): "
        f"{shortened_list(words, MAX_GROWN)}",
    )


def _earlier_value_words(
    attribute: Attribute, values: tuple[int, int], cells: CrashesAndHostHours, rate: float
) -> str:
    """Say with which value some crashes came about as often before they ended; "" with none.

    `values` are the one asked for, which has them, and the one before it, which ended them.
    """
    last = np.full(len(attribute.values), -1)
    np.maximum.at(last, cells.codes[1], cells.days[1])
    hours = np.bincount(cells.codes[1], cells.hours, last.size)
    counts = np.bincount(cells.codes[0], minlength=last.size)
    counts[list(values)] = 0
    counts[last > last[values[1]]] = 0
    most = int(counts.argmax())
    if counts[most] < max(MIN_N, rate * hours[most] / MIN_TIMES):
        return ""
    return f", back as with {attribute.mark_of_value(most)} ({counts[most]} in {hours[most]:,.0f})"


def _log_width_of_interval(risk: RateRatio | None) -> float:
    return np.inf if risk is None else float(np.log(risk.high / max(risk.low, 1e-9)))


def _cells_without_values_of_findings(
    population: Population, cells: CrashesAndHostHours, findings: Sequence[Finding]
) -> CrashesAndHostHours:
    """Return the crashes and host-hours that have not all values of some findings."""
    crashes, feed = np.ones(cells.crashes.size, dtype=bool), np.ones(cells.feed.size, dtype=bool)
    for finding in findings:
        attribute = population.attribute(finding.attr)
        if attribute is None:
            continue
        crashes &= attribute.crashes_with(finding.value)[cells.crashes]
        feed &= attribute.hours_with(finding.value)[cells.feed]
    return cells.select_crashes(~crashes).select_host_hours(~feed)


def same_hours_words(
    population: Population, attribute: Attribute, code: int, cells: CrashesAndHostHours
) -> str:
    """Name the values of other attributes that the same host-hours have; "" where none does."""
    mine, same = cells.codes[1] == code, []
    hours = float(cells.hours[mine].sum())
    for other in population.attributes:
        if other.name == attribute.name or other.is_range:
            continue
        codes = other.exposure[cells.feed]
        some = mine & (codes >= 0)
        if not some.any():
            continue
        shared = np.bincount(codes[some], cells.hours[some])
        value = int(shared.argmax())
        if shared[value] >= SAME * max(hours, float(cells.hours[codes == value].sum())):
            same.append(other.mark_of_value(value))
    if not same:
        return ""
    return f"cannot be told from {' and '.join(same)}, which the same hosts have at the same times"


def explaining_attribute(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: CrashesAndHostHours,
    risk: RateRatio,
) -> str:
    """Name another attribute of the hosts at whose same value the value has no more than others.

    Or, where a value has fewer on the same days for all that it is worse, at which it has more. One
    that leaves too few hosts to compare may explain a difference that is half gone there.
    """
    best: tuple[bool, float, str] | None = None
    hides = risk.low <= 1
    for other in population.attributes:
        codes = other.crash[cells.crashes], other.exposure[cells.feed]
        if other.name == attribute.name or not 1 < len(other.values) <= MAX_VALUES:
            continue
        if (codes[1] < 0).all():
            continue
        width = len(other.values) + 1
        of_crash, of_hours = (
            widen_codes(day) * width + of_other + 1
            for day, of_other in zip(cells.days, codes, strict=True)
        )
        days = of_crash, of_hours
        within = risk_by_strata(code, cells._replace(days=days), days)
        if within is None or (within.low > 1) != hides:
            continue
        is_wide = not hides and within.high >= risk.ratio
        if is_wide and (
            within.ratio**2 > risk.ratio
            or _log_width_of_interval(within) > MAX_WIDER * _log_width_of_interval(risk)
        ):
            continue
        distance = abs(float(np.log(max(within.ratio, 1e-9)))) * (-1 if hides else 1)
        if best is None or (is_wide, distance) < best[:2]:
            says = "hides it" if hides else "may explain it" if is_wide else "explains it"
            words = f"{other.name} {says}: at the same {other.name} {within.words()}"
            best = is_wide, distance, words
    return "" if best is None else best[2]


def risks_of_value(
    code: int, cells: CrashesAndHostHours
) -> tuple[RateRatio | None, RateRatio | None, RateRatio | None]:
    """Return the comparisons of a value: on the same days, on the same hosts, given both."""
    days, hosts = (risk_by_strata(code, cells, strata) for strata in (cells.days, cells.hosts))
    both = None if days is None or hosts is None else risk_given_host_and_day(code, cells)
    return days, hosts, both


def count_hosts_that_changed(code: int, cells: CrashesAndHostHours) -> tuple[int, int]:
    """Return how many of the hosts with a value had another one too, and how many have it."""
    has, others = (np.unique(cells.hosts[1][(cells.codes[1] == code) == own]) for own in (1, 0))
    return int(np.isin(has, others).sum()), int(has.size)


def value_without_its_crashes(
    population: Population, attribute: Attribute, code: int, cells: CrashesAndHostHours
) -> str:
    """Name the value of another attribute with which a value's hosts have none of its crashes.

    Their programs must have died there of something: a service has its bugs on its own hosts.
    """
    its_hours, best = cells.codes[1] == code, (MAX_NONE_P, "")
    its_crashes = cells.codes[0] == code
    of_programs = crashes_of_same_programs(population, cells.crashes[its_crashes])
    for other in population.attributes:
        crash, feed = (x[at][its] for x, at, its in (
            (other.crash, cells.crashes, its_crashes), (other.exposure, cells.feed, its_hours)
        ))  # fmt: skip
        if other.name == attribute.name or not (feed >= 0).any():
            continue
        size = len(other.values)
        hours = np.bincount(feed + 1, cells.hours[its_hours], size + 1)[1:]
        counts = np.bincount(crash + 1, minlength=size + 1)[1:]
        share = hours / max(float(hours.sum()), 1e-9)
        p = (1 - share) ** counts.sum() * np.count_nonzero(hours) * len(population.attributes)
        p[(counts > 0) | (hours <= 0)] = 1.0
        if of_programs is not None:
            died = other.crash[of_programs & (other.crash >= 0)]
            p[np.bincount(died, minlength=size) == 0] = 1.0
        least = int(p.argmin())
        if p[least] < best[0]:
            due = share[least] * counts.sum()
            mark = other.mark_of_value(least)
            best = float(p[least]), f"none of them with {mark}, where {due:.0f} were due"
    return best[1]
