# SPDX-License-Identifier: Apache-2.0
"""Hosts by signatures, and bits by hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.report.counts import PopulationCounts
from gdb_epi.fleet.report.page import BitRow, HostMap, MapRow, SignatureRow
from gdb_epi.fleet.report.texts import number_text
from gdb_epi.util import counted

MAX_COLUMNS = 16  # signatures
MAX_ROWS = 30  # hosts
MAX_BIT_HOSTS = 8
EXPECTED_FLOOR = 0.5  # crashes: below that chi-square makes too much of one crash
GROUPS = ("rack", "row", "zone", "sku")  # the first attribute that is known groups the hosts
POINTER_BITS = 64


def host_map(
    population: Population,
    counts: PopulationCounts,
    rows: Sequence[SignatureRow],
    marked: Sequence[str],
) -> HostMap | None:
    """Return the hosts whose crashes are the most concentrated, by group; None without hosts.

    Concentration of a host is how far its cells exceed what its total and the signature's total
    would give, and its total that of other hosts (chi-square); `marked` hosts come in any case.
    """
    has_host = counts.cell_host >= 0
    if not has_host.any() or not rows:
        return None
    host, sig, n = (
        a[has_host] for a in (counts.cell_host, counts.cell_signature, counts.cell_crashes)
    )
    per_host = np.bincount(host, n, minlength=len(counts.hosts))
    per_sig = np.bincount(sig, n, minlength=len(counts.signatures))
    expected = np.maximum(per_host[host] * per_sig[sig] / per_host.sum(), EXPECTED_FLOOR)
    # One crash in a cell says nothing: every host has some signature that few others have.
    excess = np.where(n > 1, np.maximum(n - expected, 0) ** 2 / expected, 0)
    usual = per_host.sum() / max(len(counts.hosts), 1)
    score = np.bincount(host, excess, minlength=len(counts.hosts))
    score = score + np.maximum(per_host - usual, 0) ** 2 / max(usual, EXPECTED_FLOOR)
    score[[i for i, name in enumerate(counts.hosts) if name in set(marked)]] = np.inf
    seen = np.flatnonzero(per_host)
    chosen = seen[np.lexsort((seen, -per_host[seen], -score[seen]))][:MAX_ROWS]
    columns = _columns(counts, rows, chosen)
    group_name, groups = _groups(population, counts, chosen)
    at = {counts.signatures.index(row.name): i for i, row in enumerate(columns)}
    lines = []
    for code in chosen.tolist():
        cells = [0] * len(columns)
        for s, k in zip(sig[host == code].tolist(), n[host == code].tolist(), strict=True):
            if s in at:
                cells[at[s]] = int(k)
        total = int(per_host[code])
        lines.append(
            MapRow(
                counts.hosts[code], groups.get(code, ""), total, tuple(cells), total - sum(cells)
            )
        )
    return HostMap(
        group_name,
        columns,
        tuple(_together(lines)),
        int(seen.size - chosen.size),
        int((per_sig > 0).sum()) - len(columns),
    )


def _columns(
    counts: PopulationCounts, rows: Sequence[SignatureRow], hosts: np.ndarray
) -> tuple[SignatureRow, ...]:
    """The signatures that these hosts have most, in the order of the table."""
    mine = np.isin(counts.cell_host, hosts)
    size = len(counts.signatures)
    crashes = np.bincount(counts.cell_signature[mine], counts.cell_crashes[mine], minlength=size)
    at = {name: i for i, name in enumerate(counts.signatures)}
    best = sorted(rows, key=lambda row: (-crashes[at[row.name]], row.rank))[:MAX_COLUMNS]
    return tuple(sorted((r for r in best if crashes[at[r.name]]), key=lambda row: row.rank))


def _groups(
    population: Population, counts: PopulationCounts, hosts: np.ndarray
) -> tuple[str | None, dict[int, str]]:
    """The group of each host: the value that its latest crash had."""
    attribute = next((a for a in map(population.attribute, GROUPS) if a is not None), None)
    if attribute is None:
        return None, {}
    code = {name: i for i, name in enumerate(population.hosts)}
    group_of_host = {}
    for host in hosts.tolist():
        mine = np.flatnonzero(population.host == code.get(counts.hosts[host], -2))
        values = attribute.crash[mine]
        values = values[values >= 0]
        if values.size:
            group_of_host[host] = attribute.values[int(values[-1])]
    return attribute.name, group_of_host


def _together(lines: Sequence[MapRow]) -> list[MapRow]:
    """Put the hosts of one group side by side, where the first of them stood."""
    groups: dict[str, list[MapRow]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    return [line for group in groups.values() for line in group]


def flip_histograms(flips_by_host: Mapping[str, Counter[int]]) -> tuple[BitRow, ...]:
    """Return a histogram for each host with several flips, and one for all the others."""
    order = sorted(flips_by_host.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    own = [pair for pair in order if sum(pair[1].values()) > 1][:MAX_BIT_HOSTS]
    rows = [_bit_row(host, bits) for host, bits in own]
    others = order[len(own) :]
    if len(others) == 1:
        rows.append(_bit_row(*others[0]))
    elif others:
        total: Counter[int] = Counter()
        for _, bits in others:
            total.update(bits)
        rows.append(_bit_row(f"{len(others):,} {'other ' if own else ''}hosts", total))
    return tuple(rows)


def _bit_row(host: str, bits: Counter[int]) -> BitRow:
    return BitRow(host, tuple(bits.get(i, 0) for i in range(POINTER_BITS)), _repeated_bit(bits))


def _repeated_bit(bits: Counter[int]) -> str:
    """Say whether it is one bit again and again, which a broken cell or line would show."""
    total = sum(bits.values())
    bit, most = min(bits.items(), key=lambda pair: (-pair[1], pair[0]))
    if total == 1:
        return f"one flip, bit {bit}"
    if most * 2 > total:
        return f"bit {bit} in {number_text(most)} of {counted(total, 'flip')}"
    lanes = Counter(b // 8 for b in bits.elements())
    lane, often = min(lanes.items(), key=lambda pair: (-pair[1], pair[0]))
    if often * 3 > total * 2 and total > 2:
        return f"byte {lane} in {number_text(often)} of {counted(total, 'flip')}"
    return f"{counted(total, 'flip')} over {counted(len(bits), 'bit')}"
