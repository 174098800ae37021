# SPDX-License-Identifier: Apache-2.0
"""A repaired host counts as another host: what it did before no longer counts against it.

Its crashes and hours up to the day of the repair get a host of their own. They stay in the
population, and what they explain stays explained; but nobody is told to retire that host again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gdb_epi.fleet.population.host_spelling import (
    BEFORE_REPAIR,
    is_past_of_repaired_host,
    match_spellings,
)
from gdb_epi.fleet.population.population import ComputedOnceCache, Population
from gdb_epi.fleet.screen.finding import HOST, Finding
from gdb_epi.fleet.screen.screening import ScreeningResult, screen_population
from gdb_epi.fleet.store.day_numbers import iso_day


def separate_past_of_repaired_hosts(
    population: Population, repaired: Mapping[str, int]
) -> Population:
    """Return the population with the past of repaired hosts under other names.

    `repaired` has the day (since 1970-01-01) of each host's repair, which is the last of its past.
    """
    days: dict[str, int] = {}
    for name, host_name in match_names_to_hosts(population, repaired).items():
        days[host_name] = max(repaired[name], days.get(host_name, repaired[name]))
    if not days:
        return population
    codes = {name: code for code, name in enumerate(population.hosts)}
    past = [(codes[name], name, day) for name, day in sorted(days.items())]
    host, exposure_host = (
        column.astype(np.int64) for column in (population.host, population.exposure_host)
    )
    hosts = list(population.hosts)
    for code, name, day in past:
        host[(population.host == code) & (population.day <= day)] = len(hosts)
        exposed = (population.exposure_host == code) & (population.exposure_day <= day)
        exposure_host[exposed] = len(hosts)
        hosts.append(f"{name}{BEFORE_REPAIR}{iso_day(day)})")
    return population._replace(
        host=host,
        exposure_host=exposure_host,
        hosts=hosts,
        memo=None if population.memo is None else ComputedOnceCache(),
    )


def match_names_to_hosts(population: Population, names: Iterable[str]) -> dict[str, str]:
    """Return name -> the host of the population that it means: by case, domain, or an older name.

    A host is marked by one of its names; the population has one spelling for all of them, and a
    machine that was renamed since under its latest one.
    """
    is_now = latest_names_of_renamed_hosts(population)
    hosts = [host for host in population.hosts if not is_past_of_repaired_host(host)]
    wanted = {name: spelt for name in names for spelt in [match_spellings(list(is_now), [name])]}
    latest = {name: is_now[spelt[name]] if spelt else name for name, spelt in wanted.items()}
    meant = match_spellings(hosts, latest.values())
    return {name: meant[last] for name, last in latest.items() if last in meant}


def latest_names_of_renamed_hosts(population: Population) -> dict[str, str]:
    """Return old name -> the one that the machine has now, unless another machine got the old."""
    renamed = population.quality.get("renamed", ())
    given_again = population.quality.get("given_again", ())
    return {old: last for *before, last in renamed for old in before if old not in given_again}


def drop_findings_about_repaired_past(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings without those about the past of a repaired host."""
    return tuple(f for f in findings if not (f.attr == HOST and is_past_of_repaired_host(f.value)))


def screen_without_repaired_hosts_past(
    population: Population, day: int | None = None, earlier: tuple[Finding, ...] = ()
) -> ScreeningResult | None:
    """Screen at the end of a day (the last one), without findings about the past of repaired hosts.

    None where there is no crash; `earlier` findings are not repeated.
    """
    if not population.day.size:
        return None
    day = population.last_day if day is None else day
    screened = screen_population(population, day, earlier)
    return screened._replace(findings=drop_findings_about_repaired_past(screened.findings))
