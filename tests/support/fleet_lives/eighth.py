# SPDX-License-Identifier: Apache-2.0
"""Fleets of untrue data: deaths told twice, silent collectors, names that several machines have."""

from __future__ import annotations

import copy
from pathlib import Path

from support.fleet_lives.lab import Bug, Fleet, digest


def _three_sites(name: str, seed: int, days: int, names: str = "{site}{n:02d}") -> Fleet:
    """Return a fleet of 60 hosts in three sites; names may be the same in all of them."""
    f = Fleet(name, seed, days)
    f.add_hosts(60, "h{:02d}", racks=6)
    facts = list(f.hosts.values())
    f.hosts = {}
    for i, own in enumerate(facts):
        site = ("ham", "mad", "vie")[i // 20]
        f.hosts[names.format(site=site, n=i % 20)] = {**own, "site": site}
    return f


def y01_told_twice_and_silent(folder: Path) -> None:
    """60 hosts, 12 a day, 40 days. Nothing is wrong but the data.

    From day 18 the collector of `mad` sends six of ten cores again: another key, a file's date for
    a time, the short name, no container. From `vie` nothing comes on the days 20 to 24.
    """
    f = _three_sites("y01", 801, 40)
    f.background(12)
    records, again = [], []
    for (ts, record), (day, _) in zip(f.records, f.each(), strict=True):
        host = record["host"]
        site = host["attributes"]["site"] = f.hosts[host["hostname"]]["site"]
        if site == "vie" and 20 <= day < 25:
            continue
        records.append((ts, record))
        if site == "mad" and day >= 18 and f.random.random() < 0.6:
            other = copy.deepcopy(record)
            key = f"{f.random.getrandbits(128):032x}"
            other["core_key"] = other["signature"]["keys"]["core_key"] = key
            other["time"] = {"crash_ts": ts + 30 + f.random.random() * 60, "ts_source": "mtime"}
            other["host"]["hostname"] = f"{host['hostname']}.mad.example.org"
            other.pop("container", None)
            again.append((ts + 60, other))
    f.records = records + again
    f.write(folder, columns=("site", "rack"))


def y02_one_site_without_hours(folder: Path) -> None:
    """The same silence of `vie`, no host-hours, and a bug that began on day 26 everywhere."""
    f = _three_sites("y02", 802, 40)
    f.background(18)
    bug = Bug("flush_ledger", "api", "segv-null", 11)
    for day in range(26, 40):
        for host in f.random.sample(list(f.hosts), 2):
            f.crash(day, host, bug)
    kept = []
    for (ts, record), (day, _) in zip(f.records, f.each(), strict=True):
        host = record["host"]
        host["attributes"]["site"] = f.hosts[host["hostname"]]["site"]
        if not (host["attributes"]["site"] == "vie" and 20 <= day < 25):
            kept.append((ts, record))
    f.records = kept
    f.write(folder, hours=None)


def y03_names_of_every_site(folder: Path) -> None:
    """60 machines with 20 names, `r00` to `r19` in each site; 4 a day, 60 days, no host-hours.

    r05 of `mad` has damaged memory from day 20 on, and was installed again on day 35: another
    machine id, the same serial.
    """
    f = _three_sites("y03", 803, 60, "r{n:02d}-{site}")
    f.background(4)
    for day in range(20, 60, 3):
        f.damaged(day, "r05-mad")
    for _, (day, record) in zip(f.records, f.each(), strict=True):
        host = record["host"]
        own, (name, _, site) = host["hostname"], host["hostname"].partition("-")
        host["attributes"] |= {"site": site, "serial": digest(f"serial {own}", 8)}
        if own == "r05-mad" and day >= 35:
            host["machine_id"], host["boot_id"] = digest("anew", 32), digest("booted anew", 32)
        host["hostname"] = name
        if "container" in record:
            record["container"]["node"] = name
    f.write(folder, hours=None)
