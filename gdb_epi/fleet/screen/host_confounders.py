# SPDX-License-Identifier: Apache-2.0
"""Whether a host still stands out among the hosts that share another mark with it.

A version that two hosts in a hundred run makes each of them crash fifty times as often as the
others: by all hosts' hours every one of them stands out. Where the crashes of the *other* hosts go
with a value, a host is compared with those that have the value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.finding import MAX_CONDITIONAL_P, MAX_Q
from gdb_epi.fleet.screen.programs import crashes_of_same_programs, is_compared_by_program
from gdb_epi.fleet.statistics.arrays import ABSENT, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, binomial_tail, negative_binomial_p
from gdb_epi.typing_lite import NamedTuple

FITS = "{mark}, which {hosts} hosts have, fits as well: so few crashes cannot tell it from the host"
MAX_WITHOUT = 0.2  # of a host's crashes: with more of them without the mark it explains nothing
MIN_OTHERS = 2  # crashes of other hosts, that a value is taken for a mark


class ConfoundingValue(NamedTuple):
    """A value that the crashes of the other hosts go with."""

    attribute: Attribute
    value: int

    @property
    def words(self) -> str:
        """Return it as attribute=value."""
        return self.attribute.mark_of_value(self.value)


def find_confounder(
    population: Population, host: int, crashes: Ints, alpha: float
) -> ConfoundingValue | None:
    """Return the mark that explains a host's share of some crashes; None if no known one does.

    `crashes` are the rows of one signature's crashes; `alpha` is how much
    hosts differ. Among the hosts with the mark the host must still stand out, as one of them.
    """
    others = crashes[population.host[crashes] != host]
    marks = _confounders_of_host(population, host, others)
    return next(
        (m for m in marks if _is_like_hosts_with_mark(population, m, host, crashes, alpha)), None
    )


def caveats_of_rare_values(
    population: Population, host: int, crashes: Ints, alpha: float
) -> tuple[str, ...]:
    """Return caveats: values of few hosts, which so few crashes cannot tell from the host itself.

    Other hosts say nothing about them yet; the next crash may be on one, and point to the value.
    """
    caveats = []
    mine = crashes[population.host[crashes] == host]
    for attribute in population.attributes:
        if is_compared_by_program(population, attribute.name):  # who has it is who runs the program
            continue
        codes = attribute.crash[mine]
        value = int(codes[0]) if codes.size else ABSENT
        if value < 0 or (codes != value).any():
            continue
        share = population.computed_once(
            _shares_among_other_hosts, *_attribute_columns(population, attribute), ABSENT
        )
        total = int(np.count_nonzero(attribute.crash[crashes] >= 0))
        p = binomial_p(codes.size, total, min(share[value], 1.0))
        mark = ConfoundingValue(attribute, value)
        hosts = _share_of_host_among_marked(population, mark, host, crashes)[1]
        is_rare = p <= MAX_CONDITIONAL_P and hosts > 1
        if is_rare and _is_like_hosts_with_mark(population, mark, host, crashes, alpha):
            caveats.append(FITS.format(hosts=hosts, mark=mark.words))
    return tuple(caveats)


def _is_like_hosts_with_mark(
    population: Population, mark: ConfoundingValue, host: int, crashes: Ints, alpha: float
) -> bool:
    """Whether a host has no more of some crashes than chance gives some host with the mark."""
    has_mark = mark.attribute.crash[crashes] == mark.value
    count = int((has_mark & (population.host[crashes] == host)).sum())
    mine = crashes[population.host[crashes] == host]
    without = int((mark.attribute.crash[mine] >= 0).sum()) - count
    if not count or without > MAX_WITHOUT * (count + without):
        return False
    share, hosts = _share_of_host_among_marked(population, mark, host, crashes)
    mean = int(has_mark.sum()) * share
    p = negative_binomial_p(count, mean, mean * (1 + alpha * mean))
    return p * hosts > MAX_Q


def _confounders_of_host(
    population: Population, host: int, others: Ints
) -> Iterator[ConfoundingValue]:
    """Yield the values that these crashes, all of other hosts, have more often than their share."""
    for attribute in population.attributes:
        codes = attribute.crash[others]
        counts = np.bincount(codes + 1, minlength=len(attribute.values) + 1)[1:].astype(float)
        some = np.flatnonzero(counts >= MIN_OTHERS)
        if not some.size:
            continue
        share = population.computed_once(
            _shares_among_other_hosts, *_attribute_columns(population, attribute), host
        )
        total = np.full(some.size, counts.sum())
        p = binomial_tail(counts[some], total, np.minimum(share[some], 1.0))
        for value in some[p <= MAX_CONDITIONAL_P].tolist():
            yield ConfoundingValue(attribute, value)


_Columns = tuple[Ints, Ints, Ints, Ints, Floats, int]


def _attribute_columns(population: Population, attribute: Attribute) -> _Columns:
    p = population
    size = len(attribute.values)
    return attribute.crash, p.host, attribute.exposure, p.exposure_host, p.exposure_hours, size


def _shares_among_other_hosts(
    crash: Ints,
    host: Ints,
    exposure: Ints,
    exposure_host: Ints,
    hours: Floats,
    size: int,
    excluded_host: int,
) -> Floats:
    """Return each value's share of the hours of all other hosts; without hours, of the crashes."""
    rows = (exposure >= 0) & (exposure_host != excluded_host)
    table = np.bincount(exposure[rows], weights=hours[rows], minlength=size).astype(float)
    if table.sum() <= 0:
        rows = (crash >= 0) & (host != excluded_host)
        table = np.bincount(crash[rows], minlength=size).astype(float)
    return np.asarray(table / max(float(table.sum()), 1e-12))


def _share_of_host_among_marked(
    population: Population, mark: ConfoundingValue, host: int, crashes: Ints
) -> tuple[float, int]:
    """Return a host's share of the hours with a mark (else of other crashes), and the hosts."""
    inside = (mark.attribute.exposure == mark.value) & (population.exposure_host >= 0)
    same = crashes_of_same_programs(population, crashes)
    if same is not None:  # on the other hosts of a rack another service runs
        inside &= np.isin(population.exposure_host, np.unique(population.host[same]))
    hours = population.exposure_hours[inside]
    if hours.sum() > 0:
        hosts = population.exposure_host[inside]
        share = float(hours[hosts == host].sum() / hours.sum())
        return share, max(np.unique(hosts[hours > 0]).size, 1)
    has_mark = (mark.attribute.crash == mark.value) & (population.host >= 0)
    hosts_with = max(np.unique(population.host[has_mark]).size, 1)
    has_mark[crashes] = False
    controls = population.host[has_mark]
    share = float((controls == host).sum()) / max(controls.size, 1)
    return max(share, 1 / hosts_with), hosts_with
