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


def z03_two_pairs_in_one_signature(folder: Path) -> None:
    """120 hosts of two CPU vendors in eight racks, 40 days, host-hours with kernel and image.

    One signature of `scale` on all hosts: image 4.2, on the even hosts from day 16 on, dies on
    `vx` CPUs, and kernel 6.9, on a half of all hosts from day 24 on, on `zx` CPUs.
    """
    f = Fleet("z03", 903, 40)
    f.add_hosts(120, "s{:03d}", racks=8)
    hosts = list(f.hosts)
    of_host = {
        host: {
            "cpu_model": "vx" if f.random.random() < 0.5 else "zx",
            "imaged": i % 2 == 0,
            "patched": f.random.random() < 0.5,
        }
        for i, host in enumerate(hosts)
    }

    def facts(day: int, host: str) -> dict[str, str]:
        own = of_host[host]
        return {
            "cpu_model": own["cpu_model"],
            "image": f"hub.example/scale:{'4.2' if own['imaged'] and day >= 16 else '4.1'}",
            "kernel": "6.9" if own["patched"] and day >= 24 else "6.8",
        }

    f.background(10, services=("scale",))
    bug = Bug("resample_row", "scale", "abort", 6)
    for day in range(40):
        for host in hosts:
            own = facts(day, host)
            pair = own["image"].endswith("4.2") and own["cpu_model"] == "vx"
            other = own["kernel"] == "6.9" and own["cpu_model"] == "zx"
            for _ in range(f.poisson(0.12 * (pair + other) + 0.002)):
                f.crash(day, host, bug)
    for day, record in f.each():
        own = facts(day, record["host"]["hostname"])
        record["container"]["image"], record["kernel"]["release"] = own["image"], own["kernel"]
        record["host"]["attributes"] |= {"cpu_model": own["cpu_model"]}
    f.write(folder, columns=("rack", "cpu_model", "kernel", "image"), attributes=facts)
