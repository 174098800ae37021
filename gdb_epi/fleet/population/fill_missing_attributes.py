# SPDX-License-Identifier: Apache-2.0
"""Fill in attributes that some records or host-hours lack, from the same host at other times.

An agent that is updated may stop to write the batch of a GPU. The host has the batch still, and
without it the batch would seem to get better on that day. Only what hosts keep is filled in, of a
host that never had another value; a kernel or a driver changes, and stays unknown.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.records.facts import ENV
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools

MAX_CHANGED = 0.02  # of the hosts that have an attribute: with more of them it is none that stays
MIN_MISSING = 5  # crashes, that something they share is named
MOSTLY, HARDLY = 0.9, 0.1  # of those without a value, of those with one
OF_PROCESS = ("image", "python", "namespace", "kernel")
LOADED = ("package ", "lib ", ENV)  # what a process has or lacks, whatever its host


def fill_missing_attributes(
    population: Population,
) -> tuple[Population, dict[str, tuple[int, int, str]]]:
    """Return the population with these values, and name -> crashes, host-days, and what lacks them.

    The last is a value that the crashes without one share; "" where there is none.
    """
    filled: dict[str, tuple[int, int, str]] = {}

    def fill(attribute: Attribute) -> Attribute:
        lacks = attribute.crash < 0, attribute.exposure < 0
        if attribute.name in OF_PROCESS or attribute.name.startswith(LOADED):
            return attribute
        if not (lacks[0].any() or lacks[1].any()):
            return attribute
        of_host, several = np.full(len(population.hosts) + 1, ABSENT), set[int]()
        sides = (
            (population.host, attribute.crash, lacks[0]),
            (population.exposure_host, attribute.exposure, lacks[1]),
        )
        for host, codes, unknown in sides:
            rows = np.flatnonzero(~unknown & (host >= 0))
            of_host[host[rows]] = codes[rows]
        for host, codes, unknown in sides:
            rows = np.flatnonzero(~unknown & (host >= 0))
            several |= set(host[rows][of_host[host[rows]] != codes[rows]].tolist())
        of_host[-1] = ABSENT  # rows without a host
        if len(several) > MAX_CHANGED * np.count_nonzero(of_host >= 0):
            return attribute
        of_host[list(several)] = ABSENT
        more = [np.where(unknown, of_host[host], codes) for host, codes, unknown in sides]
        if not attribute.has_hours:  # no host-hours tell it: none do from here on
            more[1] = attribute.exposure
        crash, exposure = (
            column.astype(old.dtype, copy=False)
            for column, old in zip(more, (attribute.crash, attribute.exposure), strict=True)
        )
        new = lacks[0] & (crash >= 0), lacks[1] & (exposure >= 0)
        if not (new[0].any() or new[1].any()):
            return attribute
        where = mark_of_crashes_without_attribute(population, lacks[0])
        filled[attribute.name] = int(new[0].sum()), int(new[1].sum()), where
        return attribute._replace(crash=crash, exposure=exposure)

    attributes = tuple(map(fill, population.attributes))
    return population._replace(attributes=attributes), filled


def mark_of_crashes_without_attribute(population: Population, without: Bools) -> str:
    """Return the value (attribute=value) that the crashes `without` something have, others not."""
    if np.count_nonzero(without) < MIN_MISSING or without.all():
        return ""
    best: tuple[float, str] | None = None
    for attribute in population.attributes:
        if attribute.name.startswith(LOADED):
            continue
        size = len(attribute.values) + 1
        lacking, others = (
            np.bincount(attribute.crash[some] + 1, minlength=size)[1:]
            for some in (without, ~without)
        )
        value = int(lacking.argmax()) if lacking.size else 0
        if not lacking.size or lacking[value] < MOSTLY * without.sum():
            continue
        beside = others[value] / max(others[value] + lacking[value], 1)
        if beside <= HARDLY and (best is None or beside < best[0]):
            best = beside, attribute.mark_of_value(value)
    return "" if best is None else best[1]
