# SPDX-License-Identifier: Apache-2.0
"""What the fleets of the fifth score taught; a docstring is the planted truth."""

from __future__ import annotations

from pathlib import Path

from support.fleet_lives.lab import DAY, Bug, Fleet


def x05_release_in_a_peak(folder: Path) -> None:
    """60 hosts, 3 regions; crashes are three times as many for ten days. gateway:2 comes region by
    region with `encode` (40 crashes, on it alone); `reap` grows with the third power of the load.

    `encode` needs gateway:2; nothing goes with gateway:1, and no other crash with gateway:2.
    """
    f = Fleet("x05", 605, 40)
    f.add_hosts(60, "p{:02d}", racks=3)
    since = {"r01": 15, "r02": 18, "r03": 30}
    old = [Bug(name, "gateway") for name in ("parse_form", "find_shop", "join_cart")]
    for day in range(40):
        load = 3 if 15 <= day < 25 else 1
        for host in f.random.choices(list(f.hosts), k=f.poisson(8.0 * load)):
            f.crash(day, host, f.random.choices(old, (5, 2, 1))[0])
        for host in f.random.choices(list(f.hosts), k=f.poisson(0.5 * load**3)):
            f.crash(day, host, Bug("reap", "gateway", "segv-null"))
        new = [host for host in f.hosts if day >= since[f.hosts[host]["rack"]]]
        for host in f.random.choices(new, k=f.poisson(0.04 * len(new))) if new else ():
            f.crash(day, host, Bug("encode", "gateway", "abort", 6))
    for day, record in f.each():
        version = 1 + (day >= since[f.hosts[record["host"]["hostname"]]["rack"]])
        record["container"]["image"] = f"registry/gateway:{version}"
    f.write(folder, columns=("rack", "model"))


def x01_storm(folder: Path) -> None:
    """100 hosts, 3 a day. track:8 kills its program everywhere, 60 a day for six days.

    q31 has bad memory: 8 crashes since day 15. The storm is software; q31 is bad, q07, which has
    three times as much work, is not.
    """
    f = Fleet("x01", 601, 30)
    f.add_hosts(100, "q{:02d}", racks=5)
    f.background(3)
    hosts = [*f.hosts, "q07", "q07"]
    for day in range(18, 24):
        for host in f.random.choices(hosts, k=60):
            f.crash(day, host, Bug("fold", "api", "segv-null"), image="api:8")
    for day in (15, 17, 19, 21, 23, 25, 27, 29):
        f.damaged(day, "q31")
    f.write(folder)


def x02_retries(folder: Path) -> None:
    """60 hosts, 8 a day; half of the crashes are tried again within minutes. Nothing is wrong."""
    f = Fleet("x02", 602, 60)
    f.add_hosts(60, "s{:02d}", racks=6)
    f.background(8, disperse=0.3)
    for ts, record in list(f.records):
        again, bug = ts, record["signature"]["text"]["stable"].split()[3]
        while f.random.random() < 0.5:
            again += 100 + 500 * f.random.random()
            day = int(again // DAY - f.records[0][0] // DAY)
            if day >= len(f.days):
                break
            copy = f.crash(min(day, 59), record["host"]["hostname"], Bug(bug, "api"))
            copy["signature"], copy["process"] = dict(record["signature"]), record["process"]
            copy["signature"]["keys"] = record["signature"]["keys"] | {"core_key": copy["core_key"]}
            copy["time"]["crash_ts"] = round(again, 3)
            f.records[-1] = again, copy
    f.write(folder)


def x04_kernel_on_large_hosts(folder: Path) -> None:
    """80 hosts of 16 to 192 CPUs, more crashes on large ones. `publish` dies on kernel 6.8 where
    there are 96 CPUs and more: 70 crashes. 6.8 is on half of the hosts, of each size.
    """
    f = Fleet("x04", 604, 40)
    f.add_hosts(80, "k{:02d}", racks=8, by_rack=False, cpus=(16, 32, 64, 96, 192))
    for i, facts in enumerate(f.hosts.values()):
        facts |= {"kernel": ("6.1.0", "6.8.0")[i // 5 % 2], "cpu_count": facts["cpus"]}
    hosts, weights = list(f.hosts), [facts["cpus"] for facts in f.hosts.values()]
    bugs = [Bug(f"step_{i}", "shard") for i in range(6)]
    for day in range(40):
        for host in f.random.choices(hosts, weights, k=f.poisson(4)):
            f.crash(day, host, f.random.choices(bugs, (6, 4, 3, 2, 1, 1))[0])
    bad = [h for h in hosts if f.hosts[h]["kernel"] == "6.8.0" and f.hosts[h]["cpus"] >= 96]
    for _ in range(70):
        f.crash(f.random.randrange(40), f.random.choice(bad), Bug("publish", "shard"))
    f.write(folder, columns=("rack", "model", "kernel", "cpu_count"))


def x03_purchase(folder: Path) -> None:
    """160 hosts, 6 a day. Of the vendor of 60 those 24 with BIOS 2.07 have memory of a bad lot."""
    f = Fleet("x03", 603, 60)
    f.add_hosts(160, "n{:03d}", racks=8, by_rack=False)
    for i, facts in enumerate(f.hosts.values()):
        facts["vendor"] = "Fjord" if i < 60 else "Talus"
        facts["bios_version"] = ("2.07", "2.05")[i % 5 > 1] if i < 60 else ("2.07", "3.01")[i % 2]
    f.background(6)
    lot = [h for h, x in f.hosts.items() if (x["vendor"], x["bios_version"]) == ("Fjord", "2.07")]
    for host in f.random.choices(lot, k=50):
        f.damaged(f.random.randrange(60), host)
    f.write(folder, columns=("rack", "vendor", "bios_version"))
