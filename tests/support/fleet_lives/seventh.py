# SPDX-License-Identifier: Apache-2.0
"""Shapes of operations, asked on 29 November 2026; a docstring is the planted truth."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from support.fleet_lives.lab import Bug, Fleet


def v01_canary_as_always(folder: Path) -> None:
    """150 hosts, 8 a day. Three of them are the canary ring: they get each image of api three days
    early and the tests of each night, and crash five times as often in all of its old bugs: nothing
    is wrong with them, and no host is to be accused."""
    f = Fleet("v01", 801, 60)
    f.add_hosts(150, "a{:03d}", racks=10)
    canary = ("a017", "a064", "a122")
    f.background(8, disperse=0.1)
    bugs = [Bug(f"old_{i}", "api") for i in range(6)]
    for day in range(60):
        for host in f.random.choices([*f.hosts], k=f.poisson(2.4)):
            f.crash(day, host, f.random.choice(bugs))
        for host in canary:
            for _ in range(f.poisson(0.26)):
                f.crash(day, host, f.random.choice(bugs))
    for day, record in f.each():
        if record["process"]["comm"] == "api":
            early = 3 * (record["host"]["hostname"] in canary)
            record["container"]["image"] = f"registry/api:{30 + (day + early) // 7}"
    f.write(
        folder,
        columns=("rack", "model", "ring"),
        attributes=lambda _day, host: {"ring": "canary" if host in canary else "stable"},
    )


def v02_canary_is_worse(folder: Path) -> None:
    """150 hosts, 8 a day. api:9 runs on the three hosts of the canary ring since day 52, and dies
    there of `decode_utf16`, which no other host has: 0.3 a day and host."""
    f = Fleet("v02", 802, 60)
    f.add_hosts(150, "a{:03d}", racks=10)
    canary = ("a021", "a077", "a131")
    f.background(8, disperse=0.1)
    for day, record in f.each():
        if record["process"]["comm"] == "api":
            new = record["host"]["hostname"] in canary and day >= 52
            record["container"]["image"] = f"registry/api:{8 + new}"
    for day in range(52, 60):
        for host in canary:
            for _ in range(f.poisson(0.3)):
                f.crash(day, host, Bug("decode_utf16", "api"), image="api:9")
    f.write(
        folder,
        columns=("rack", "model", "ring"),
        attributes=lambda _day, host: {"ring": "canary" if host in canary else "stable"},
    )


def v03_batch_moved(folder: Path) -> None:
    """100 hosts, 6 a day. `fold` of the job settle.service dies at 02 UTC, 1.2 a night, from day 40
    on at 04 UTC: the job was moved by two hours. `rate_of` dies at 06:30 of Berlin's clock, which
    is an hour later in UTC since the clocks changed on 25 October (day 34). No cause is new."""
    f = Fleet("v03", 803, 60)
    f.add_hosts(100, "b{:03d}", racks=10)
    f.background(6)
    for day, date in enumerate(f.days):
        for host in f.random.choices([*f.hosts], k=f.poisson(1.2)):
            at = 2.1 if day < 40 else 4.1
            f.crash(day, host, Bug("fold", "batch"), hour=at, unit="settle.service")
        for host in f.random.choices([*f.hosts], k=f.poisson(1.2)):
            at = 4.5 if date.isoformat() < "2026-10-25" else 5.5
            f.crash(day, host, Bug("rate_of", "etl", "abort", 6), hour=at, unit="rates.service")
    f.write(folder)


def v04_power_strip(folder: Path) -> None:
    """160 hosts, 7 a day. The strip pdu=p06 (16 hosts) dips eight times: 5 to 11 of its hosts lose
    a disk within two minutes, whatever runs there dies of SIGBUS. The switch of rack r02 does so
    once. No host is to be accused."""
    f = Fleet("v04", 804, 60)
    f.add_hosts(160, "c{:03d}", racks=8)
    hosts = list(f.hosts)
    pdu = {host: f"p{i // 16:02d}" for i, host in enumerate(hosts)}
    f.background(7, disperse=0.1)
    dips = (9, 15, 24, 27, 38, 45, 52, 57)
    for day in dips:
        at, weak = f.random.random() * 23, [h for h in hosts if pdu[h] == "p06"]
        for host in f.random.sample(weak, f.random.randrange(5, 12)):
            bug = Bug("map_region", f.random.choice(("api", "etl", "search")), "sigbus", 7)
            record = f.crash(day, host, bug)
            _at(f, record, day, at + f.random.random() * 0.03)
    for host in f.random.sample([h for h in hosts if f.hosts[h]["rack"] == "r02"], 9):
        _at(f, f.crash(33, host, Bug("send_frame", "api", "abort", 6)), 33, 14.2)
    f.write(
        folder,
        columns=("rack", "model", "pdu"),
        attributes=lambda _day, host: {"pdu": pdu[host]},
    )


def _at(fleet: Fleet, record: dict, day: int, hour: float) -> None:
    begin = dt.datetime.combine(fleet.days[day], dt.time(), dt.timezone.utc).timestamp()
    ts = round(begin + hour * 3600, 3)
    record["time"]["crash_ts"] = ts
    fleet.records[-1] = (ts, record)


def v05_race_of_versions(folder: Path) -> None:
    """120 hosts of 16, 32, 64 and 128 CPUs, 7 a day. libarena 7.1 and 7.2 lose a race where there
    are 64 CPUs and more; 7.3 mends it, 7.4 brings it back. All hosts get each within five days."""
    f = Fleet("v05", 805, 70)
    f.add_hosts(120, "d{:03d}", racks=12, cpus=(16, 32, 64, 128))
    since = {"7.1": 10, "7.2": 25, "7.3": 38, "7.4": 52}
    lag = {host: f.random.randrange(5) for host in f.hosts}

    def version(day: int, host: str) -> str:
        some = [v for v, first in since.items() if day >= first + lag[host]]
        return some[-1] if some else "7.0"

    f.background(7)
    for day, record in f.each():
        packages = {"numpy": "2.1.3", "libarena": version(day, record["host"]["hostname"])}
        record["python"]["packages"] = [
            {"name": n, "version": v, "source": "metadata"} for n, v in packages.items()
        ]
    big = [host for host, facts in f.hosts.items() if facts["cpus"] >= 64]
    for day in range(70):
        for host in f.random.choices(big, k=f.poisson(1.6)):
            if (now := version(day, host)) in ("7.1", "7.2", "7.4"):
                f.crash(day, host, Bug("arena_pop", "search"),
                        packages={"numpy": "2.1.3", "libarena": now})  # fmt: skip
    f.write(folder)
