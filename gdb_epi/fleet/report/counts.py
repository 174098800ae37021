# SPDX-License-Identifier: Apache-2.0
"""Counts of the whole population: per signature, per signature and host, per verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, func, select

from gdb_epi.fleet.population.population import NO_SIGNATURE, Population
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY

NO_HOST = "(host not known)"

Window = tuple[int | None, int | None]  # first and last day, None for no bound


class SignatureIdentity(NamedTuple):
    """How a signature can be asked for."""

    kind: str | None
    key: str | None
    category: str | None


class PopulationCounts(NamedTuple):
    """Counts by codes of `signatures` and `hosts`; crashes without a time are in the cells too."""

    signatures: list[str]
    hosts: list[str]
    cell_signature: Ints
    cell_host: Ints  # -1 where the host is not known
    cell_crashes: Ints
    identities: dict[str, SignatureIdentity]
    verdicts: dict[str, dict[str, int]]  # signature -> label -> crashes
    untimed: int

    @property
    def crashes(self) -> int:
        """How many crashes there are."""
        return int(self.cell_crashes.sum())

    def per_signature(self) -> Ints:
        """Return the crashes of each signature."""
        weights = self.cell_crashes.astype(float)
        size = len(self.signatures)
        return np.bincount(self.cell_signature, weights, minlength=size).astype(np.int64)

    def hosts_per_signature(self) -> Ints:
        """Return on how many known hosts each signature was seen."""
        has_host = self.cell_host >= 0
        return np.bincount(self.cell_signature[has_host], minlength=len(self.signatures))

    def of(self, signature: int) -> list[tuple[str, int]]:
        """Return the known hosts of a signature with their crashes, most first."""
        mine = (self.cell_signature == signature) & (self.cell_host >= 0)
        pairs = zip(self.cell_host[mine].tolist(), self.cell_crashes[mine].tolist(), strict=True)
        return sorted(((self.hosts[h], n) for h, n in pairs), key=lambda pair: (-pair[1], pair[0]))


def count_population(engine: Engine, population: Population, window: Window) -> PopulationCounts:
    """Count the crashes of a population, which is that of the window."""
    with engine.connect() as connection:
        names, identities = _names(connection)
        verdicts = _verdicts(connection, names, window)
    signatures = sorted({*population.signatures, NO_SIGNATURE})
    width = len(population.hosts) + 1
    at = {name: code for code, name in enumerate(signatures)}
    code = np.array([*(at[name] for name in population.signatures), at[NO_SIGNATURE]])
    cells = code[population.signature] * width + population.host + 1  # -1, none, is the last one
    keys, counts = np.unique(cells, return_counts=True)
    return PopulationCounts(
        signatures=signatures,
        hosts=population.hosts,
        cell_signature=keys // width,
        cell_host=keys % width - 1,
        cell_crashes=counts.astype(np.int64),
        identities=identities,
        verdicts=verdicts,
        untimed=int((~population.timed).sum()),
    )


def _names(connection: Connection) -> tuple[dict[int | None, str], dict[str, SignatureIdentity]]:
    c = tables.sig.c
    rows = connection.execute(select(c.id, c.kind, c.key, c.coarse, c.category, c.text))
    names: dict[int | None, str] = {None: NO_SIGNATURE}
    identities: dict[str, SignatureIdentity] = {}
    for number, kind, key, coarse, category, text in rows:
        names[number] = text or key or coarse or NO_SIGNATURE  # as population.py names them
        identities.setdefault(
            names[number], SignatureIdentity(kind or None, key or coarse or None, category)
        )
    return names, identities


def _verdicts(
    connection: Connection, names: Mapping[int | None, str], window: Window
) -> dict[str, dict[str, int]]:
    c = tables.crash.c
    n = func.count(c.id)
    chosen = select(c.sig_id, c.verdict, n).where(c.verdict.is_not(None), *_inside(window))
    labels: dict[str, dict[str, int]] = {}
    for sig_id, verdict, count in connection.execute(chosen.group_by(c.sig_id, c.verdict)):
        row = labels.setdefault(names.get(sig_id, NO_SIGNATURE), {})
        row[str(verdict)] = row.get(str(verdict), 0) + int(count)
    return labels


def _inside(window: Window) -> list[Any]:
    c = tables.crash.c
    first, last = window
    conditions = [] if first is None else [c.ts >= first * SECONDS_A_DAY]
    return conditions + ([] if last is None else [c.ts < (last + 1) * SECONDS_A_DAY])


def bits_by_host(engine: Engine, window: Window, signature: str | None) -> dict[str, Counter[int]]:
    """Return host -> how often each bit (0..63) of a pointer was wrong."""
    c, host = tables.crash.c, tables.host.c
    source = tables.crash.outerjoin(tables.host, c.host_id == host.id)
    # By columns alone: PostgreSQL takes no expression with a parameter for the same one twice.
    keys = (host.name, host.machine_id, c.flip_bit)
    chosen = select(*keys, func.count(c.id)).where(
        c.flip_bit.is_not(None), c.bitflip.is_(True), *_inside(window)
    )
    if signature is not None:
        source = source.join(tables.sig, c.sig_id == tables.sig.c.id)
        chosen = chosen.where(func.coalesce(tables.sig.c.text, tables.sig.c.key) == signature)
    flips_by_host: dict[str, Counter[int]] = {}
    with engine.connect() as connection:
        rows = connection.execute(chosen.select_from(source).group_by(*keys))
        for name, machine, bit, n in rows:
            flips_by_host.setdefault(name or machine or NO_HOST, Counter())[int(bit)] += int(n)
    return flips_by_host
