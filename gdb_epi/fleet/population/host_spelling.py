# SPDX-License-Identifier: Apache-2.0
"""One host spelt in several ways: by case, with its domain and without.

A feed of host-hours and the records of crashes come from different tools. Two names are one host
when they differ in case alone, or when one is the other's first label and nothing else has that
label: of node-1.a.example and node-1.b.example a bare node-1 could be either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gdb_epi.fleet.store.plain_sql import Execute

_NAMES = "SELECT DISTINCT name FROM host WHERE name <> ''"
BEFORE_REPAIR = " (before its repair on "
_ADDRESS = re.compile(r"[0-9.]+\Z|.*:")  # of IP: its dots are no domain


def read_host_names(execute: Execute) -> list[str]:
    """Return all names of hosts that the database has, as they are spelt there, in order."""
    return sorted(row[0] for row in execute(_NAMES, {}))


def is_past_of_repaired_host(host: str) -> bool:
    """Whether a host of a population is the past of a repaired one, under a name of its own."""
    return BEFORE_REPAIR in host


def count_machines(hosts: Iterable[str]) -> int:
    """Return how many hosts these are: a repaired one is two of the population, and is one."""
    return len({host.partition(BEFORE_REPAIR)[0] for host in hosts})


def unify_spellings(names: Mapping[int, str], preferred: Iterable[int]) -> dict[int, str]:
    """Return number -> name, the same for all spellings of one host.

    The spelling of the `preferred` numbers is taken, those of hosts that crashed; else the first.
    """
    first = set(preferred)
    order = sorted(names, key=lambda number: (number not in first, number))
    labels: dict[str, set[str]] = {}
    for name in set(names.values()):
        labels.setdefault(host_label(name), set()).add(name.rstrip(".").casefold())
    chosen: dict[str, str] = {}
    spelt = {}
    for number in order:
        name = names[number]
        whole = name.rstrip(".").casefold()
        label = host_label(name)
        full = [other for other in labels[label] if other != label]
        key = label if len(full) <= 1 else whole
        spelt[number] = chosen.setdefault(key, name)
    return spelt


def match_spellings(hosts: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """Return name -> the host of `hosts` that it means; a name that could be several is left out.

    What people say about a host is kept under the name that they used, in whatever spelling.
    """
    if not (wanted := list(names)):
        return {}
    both = dict(enumerate([*hosts, *wanted]))
    spelt = unify_spellings(both, range(len(hosts)))
    own = set(hosts)
    meant = {name: spelt[number] for number, name in enumerate(wanted, len(hosts))}
    exact = {name: name for name in wanted if name in own}
    return {**{name: host for name, host in meant.items() if host in own}, **exact}


def host_label(name: str) -> str:
    """Return what all spellings of a host begin with: its first label, or the whole address."""
    whole = name.rstrip(".").casefold()
    return whole if _ADDRESS.match(whole) else whole.partition(".")[0] or whole
