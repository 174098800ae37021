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
    TIME_AND_CPU_ATTRIBUTES,
    Finding,
    crashes_of_findings,
)
from gdb_epi.fleet.statistics.rate_ratios import (
    RateCells,
    Risk,
    risk_by_strata,
    risk_given_host_and_day,
)
from gdb_epi.render.signature_words import signature_phrase_and_key
from gdb_epi.util import counted

SURE_SIGMAS = 3.0  # of what all crashes together do not show
SAME = 0.99  # of the host-hours of each of two values, that have both


def what_other_findings_bring(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: RateCells,
    risks: tuple[Risk | None, Risk | None, Risk | None],
    findings: Sequence[Finding],
) -> str:
    """Say what a value is where that is not with which a signature goes; "" where it is the same.

    `risks` are the value's over all crashes: on the same days, on the same hosts, given both. The
    last one judges, where the second is not much narrower, as all hosts changed within days.
    """
    same_days, same_hosts, same_both = risks
    risk = same_both or same_days
    by_hosts = _width(same_hosts) < _width(risk) / 2
    if (risk := same_hosts if by_hosts else risk) is None:
        return ""
    has_value, best = cells.codes[0] == code, (0.0, "")
    for same in _findings_by_values(findings):
        if any(attribute.mark(code) in finding.marks for finding in same):
            continue
        beside = _without_values(population, cells, same)
        rest = None if by_hosts else risk_given_host_and_day(code, beside)
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
            words = (
                f"cannot be blamed: {goes} ({its_own.sum()} of its {has_value.sum()} crashes); "
                f"without {where} it has {rest.words()} the crashes of others; "
                f"with all counted {risk.words()}"
            )
        elif risk.low <= 1 <= risk.high and abs(rest.sigmas()) >= SURE_SIGMAS:
            words = (
                f"{'more' if rest.low > 1 else 'fewer'} crashes with it on hosts without {where}: "
                f"{rest.words()}; on all hosts {risk.words()}, as {goes}"
            )
        else:
            continue
        change = abs(float(np.log(max(rest.ratio, 1e-9) / max(risk.ratio, 1e-9))))
        if change > best[0]:
            best = change, words
    return best[1]


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


def _width(risk: Risk | None) -> float:
    return np.inf if risk is None else float(np.log(risk.high / max(risk.low, 1e-9)))


def _without_values(
    population: Population, cells: RateCells, findings: Sequence[Finding]
) -> RateCells:
    """Return the crashes and host-hours that have not all values of some findings."""
    crashes, feed = np.ones(cells.crashes.size, dtype=bool), np.ones(cells.feed.size, dtype=bool)
    for finding in findings:
        attribute = population.attribute(finding.attr)
        if attribute is None:
            continue
        crashes &= attribute.crashes_with(finding.value)[cells.crashes]
        feed &= attribute.hours_with(finding.value)[cells.feed]
    return cells.of_crashes(~crashes).of_hours(~feed)


def same_hours_words(
    population: Population, attribute: Attribute, code: int, cells: RateCells
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
            same.append(other.mark(value))
    if not same:
        return ""
    return f"cannot be told from {' and '.join(same)}, which came and went with it; "
