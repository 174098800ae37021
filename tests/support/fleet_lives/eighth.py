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


def y04_services_of_two_pools(folder: Path) -> None:
    """80 hosts in two pools, 40 days: `batch` runs six services that often crash, `web` one.

    The rates never change. Five flips on five hosts of `batch`, where most crashes are: no cause.
    """
    f = Fleet("y04", 804, 40)
    f.add_hosts(80, "p{:02d}", racks=8)
    pools = {host: "batch" if i < 20 else "web" for i, host in enumerate(f.hosts)}
    for host, pool in pools.items():
        f.hosts[host]["pool"] = pool
    batch = [host for host, pool in pools.items() if pool == "batch"]
    web = [host for host, pool in pools.items() if pool == "web"]
    services = ("render", "thumbs", "search", "etl", "mail", "score")
    where = {**dict.fromkeys(services, batch), "front": web}
    f.background(8, services=services, placement=where)
    f.background(4, services=("front",), placement=where)
    for day in (6, 14, 21, 29, 36):
        f.damaged(day, f.random.choice(batch), service=f.random.choice(services))
    for _, record in f.each():
        record["host"]["attributes"]["pool"] = pools[record["host"]["hostname"]]
    f.write(folder, columns=("pool", "rack"))


def y05_a_bad_card_and_a_package(folder: Path) -> None:
    """60 hosts; three teams train with one image, whose two releases came with day 18.

    The signature `device_wait` comes on g31 in the programs of all teams, before and after, and
    since day 18 in `moe` with package fastmoe 0.9.2, which moe alone imports.
    """
    f = Fleet("y05", 805, 36)
    f.add_hosts(60, "g{:02d}", racks=10)
    programs = ("dense", "moe", "vision")
    f.background(8, services=programs)
    hosts = list(f.hosts)
    for day in (3, 7, 10, 14, 16, 20, 24, 28, 32):
        service = programs[day % 3]
        f.crash(day, "g31", Bug("device_wait", service, "abort", 6))
    for day in range(18, 36):
        host = f.random.choice([name for name in hosts if name != "g31"])
        f.crash(day, host, Bug("device_wait", "moe", "abort", 6))
    for day, record in f.each():
        service, new = record["process"]["comm"], day >= 18
        version = "3.14.1" if new else "3.14.0"
        record["container"]["image"] = f"registry/trainer:{version}"
        record["job"] = {"unit": f"{service}.service", "environment": {}, "source": "journal"}
        packages = {"trainer": version}
        if service == "moe":
            packages["fastmoe"] = "0.9.2" if new else "0.9.1"
        record["python"]["packages"] = [
            {"name": name, "version": text, "source": "metadata"}
            for name, text in sorted(packages.items())
        ]
        if record["signature"]["text"]["stable"].count("device_wait"):
            device_digest = digest("device_wait")
            record["signature"]["keys"]["stable"] = record["signature"]["group"]["value"] = (
                device_digest
            )
            text = "gsig/2 stable abort device_wait <- train.step <- __main__.<module>"
            record["signature"]["text"]["stable"] = text
    f.write(folder, columns=("rack",))


def y06_end_of_summer_time(folder: Path) -> None:
    """40 hosts, a job at 02:30 local time of Berlin, weeks around 25 October; nothing is wrong.

    A kernel came to all hosts on day 20, five days before the clocks changed. No host-hours.
    """
    f = Fleet("y06", 806, 50)
    f.add_hosts(40, "m{:02d}")
    f.background(4)
    hosts = list(f.hosts)[:6]
    end = [day.isoformat() for day in f.days].index("2026-10-25")
    for number in range(3):
        bug = Bug(f"nightly_{number}", "etl", "abort", 6)
        for day in range(50):
            if f.random.random() < 0.7:
                hour = (0.5 if day < end else 1.5) + f.random.random() * 0.5
                f.crash(day, f.random.choice(hosts), bug, hour=hour, unit="etl.timer")
    for day, record in f.each():
        record["kernel"]["release"] = "6.1.0-28-amd64" if day >= end - 5 else "6.1.0-25-amd64"
    f.write(folder, hours=None)


def y07_half_of_a_fix(folder: Path) -> None:
    """80 hosts; `scale_image` is a race of all tenants until release 2.1 (day 20), and one's data.

    6 a day of tenant-b7 throughout, 8 a day of all 20 tenants before; one signature.
    """
    f = Fleet("y07", 807, 40)
    f.add_hosts(80, "f{:02d}")
    f.background(5)
    bug = Bug("scale_image", "images", "segv-wild", 11)
    tenants = [f"tenant-b{n}" for n in range(20)]
    for day in range(40):
        image = f"images:{'2.0' if day < 20 else '2.1'}"
        owners = ["tenant-b7"] * f.poisson(6)
        owners += f.random.choices(tenants, k=f.poisson(8)) if day < 20 else []
        for owner in owners:
            record = f.crash(day, f.random.choice(list(f.hosts)), bug, image=image)
            record["container"]["namespace"] = owner
    f.write(folder)
