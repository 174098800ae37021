# SPDX-License-Identifier: Apache-2.0
"""Crashes that come in bursts while some version runs, and versions that are to blame."""

from __future__ import annotations

from pathlib import Path

from support.fleet_lives.lab import Bug, Fleet

SERVICES = ("cart", "mailer")


def _version(service: str, day: int) -> str:
    """2.0 runs from day 18 to day 31, in between older and newer ones."""
    release = "1.9" if day < 18 else "2.0" if day < 32 else "2.1"
    return f"hub.example/{service}:{release}"


def z01_a_rack_loses_packets_while_a_release_runs(folder: Path) -> None:
    """90 hosts in nine racks, two services, 45 days, no host-hours; release 2.0 on days 18 to 31.

    On the days 23 to 26 the switch of rack r04 loses packets: both services time out there. Release
    2.0 of `cart` has a bug of its own, on all hosts. A bug that 2.0 brought to `mailer` is in 2.1
    as well.
    """
    f = Fleet("z01", 901, 45)
    f.add_hosts(90, "w{:02d}", racks=9)
    f.background(14, services=SERVICES)
    hosts = list(f.hosts)
    behind = [host for host in hosts if f.hosts[host]["rack"] == "r04"]
    for day in range(45):
        for service in SERVICES:
            timeout = Bug("wait_reply", service, "abort", 6)
            for _ in range(f.poisson(5.0 if 23 <= day <= 26 else 0.0)):
                f.crash(day, f.random.choice(behind), timeout)
        for _ in range(f.poisson(2.0 if 18 <= day < 32 else 0.0)):
            f.crash(day, f.random.choice(hosts), Bug("free_twice", "cart"))
        for _ in range(f.poisson(1.2 if day >= 18 else 0.0)):
            f.crash(day, f.random.choice(hosts), Bug("render_mail", "mailer"))
    for day, record in f.each():
        service = record["container"]["image"].partition(":")[0].rpartition("/")[2]
        record["container"]["image"] = _version(service, day)
    f.write(folder, hours=None)


def z02_inputs_that_are_tried_again(folder: Path) -> None:
    """70 hosts, 40 days, no host-hours: two inputs that no host can read, tried again elsewhere.

    On day 9 and on day 25 such an input kills 22 and 30 processes of `decode` on as many hosts in
    some hours; the same signature comes once in four days anyway. Release 5.1 runs from day 23 on.
    """
    f = Fleet("z02", 902, 40)
    f.add_hosts(70, "d{:02d}", racks=7)
    f.background(12, services=("decode", "index"))
    bug, hosts = Bug("read_slice", "decode"), list(f.hosts)
    for day, times in ((9, 22), (25, 30)):
        for number, host in enumerate(f.random.sample(hosts, times)):
            f.crash(day, host, bug, hour=2 + number * 20 / times)
    for day in range(2, 40, 4):
        f.crash(day, f.random.choice(hosts), bug)
    for day, record in f.each():
        image = record["container"]["image"].partition(":")[0]
        record["container"]["image"] = f"{image}:{'5.1' if day >= 23 else '5.0'}"
    f.write(folder, hours=None)
