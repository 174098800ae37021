# SPDX-License-Identifier: Apache-2.0
"""The fleets of the first score; a docstring is the planted truth, written before it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.fleet_lives.lab import DAY, Bug, Fleet


def f01_bad_host_of_40(folder: Path) -> None:
    """40 hosts, 60 days, 3 crashes a day. gpu-17 has bad memory since day 34: 8 crashes."""
    f = Fleet("f01", 101, 60)
    f.add_hosts(40, "gpu-{:02d}", racks=4)
    f.background(3)
    for day in (34, 36, 40, 41, 47, 50, 52, 57):
        f.damaged(day, "gpu-17")
    f.write(folder)


def f02_bad_hosts_of_2000(folder: Path) -> None:
    """2,000 hosts, 45 days, 50 a day. n0731 has bad memory: 9 crashes; n1204: 4."""
    f = Fleet("f02", 102, 45)
    f.add_hosts(2000, "n{:04d}", racks=50)
    f.background(50, bugs=40, disperse=0.05)
    for day in (30, 31, 33, 33, 36, 38, 40, 41, 43):
        f.damaged(day, "n0731")
    for day in (35, 37, 41, 44):
        f.damaged(day, "n1204")
    f.write(folder)


def f03_rack_switch(folder: Path) -> None:
    """240 hosts in 12 racks, 6 a day. The switch of r07 flaps on days 30 to 40: 22 aborts there."""
    f = Fleet("f03", 103, 60)
    f.add_hosts(240, "w{:03d}", racks=12)
    f.background(6)
    bug = Bug("watchdog_abort", "train", "abort", 6)
    members = [name for name, facts in f.hosts.items() if facts["rack"] == "r07"]
    for day in range(60):
        if f.random.random() < 0.25:
            f.crash(day, f.random.choice(list(f.hosts)), bug)
    for day in range(30, 41):
        for host in f.random.sample(members, 2):
            f.crash(day, host, bug)
    f.write(folder)


def f04_microcode(folder: Path) -> None:
    """300 hosts, 8 a day. A microcode on 60 hosts from day 25: scattered faults, 1.1 a day."""
    f = Fleet("f04", 104, 60)
    f.add_hosts(300, "c{:03d}", racks=20, models=("SYS-2049",))
    f.background(8)
    hosts = list(f.hosts)
    batch = hosts[:40] + f.random.sample(hosts[40:], 20)

    def of_day(day: int, host: str) -> dict[str, str]:
        return {"microcode": "0x2b0005c0"} if day >= 25 and host in batch else {}

    for day, record in f.each():
        record["host"]["attributes"] |= of_day(day, record["host"]["hostname"])
    for day in range(25, 60):
        for _ in range(f.poisson(1.1)):
            host = f.random.choice(batch)
            f.damaged(day, host, attributes=of_day(day, host))
    f.write(folder, columns=("rack", "model", "kernel", "microcode"), attributes=of_day)


def f05_kernel_on_half(folder: Path) -> None:
    """200 hosts, 10 a day, no host-hours. Kernel -28 on half from day 20: a signature, 3 a day."""
    f = Fleet("f05", 105, 50)
    f.add_hosts(200, "k{:03d}")
    half = list(f.hosts)[::2]
    f.background(10)
    for day, record in f.each():
        if day >= 20 and record["host"]["hostname"] in half:
            record["kernel"]["release"] = "6.1.0-28-amd64"
    bug = Bug("io_uring_wait", "api")
    for day in range(20, 50):
        for _ in range(f.poisson(3)):
            f.crash(day, f.random.choice(half), bug, kernel="6.1.0-28-amd64")
    f.write(folder, hours=None)


def f06_release(folder: Path) -> None:
    """90 hosts, 5 a day. ranker:42 on 5 hosts on day 40, on 50 on days 44 to 49, rolled back.

    One signature comes with it: one in the canary, four a day after. ranker has 50 hosts, nearly
    all of one model.
    """
    f = Fleet("f06", 106, 60)
    f.add_hosts(90, "app-{:02d}", racks=6)
    ranker = list(f.hosts)[:50]
    canary = ranker[:5]

    def image(day: int, host: str) -> str:
        is_new = (host in canary and 40 <= day < 44) or 44 <= day < 50
        return "ranker:42" if is_new else "ranker:41"

    f.background(5, placement={"ranker": ranker})
    for day, record in f.each():
        if record["process"]["comm"] == "ranker":
            record["container"]["image"] = f"registry/{image(day, record['host']['hostname'])}"
    bug = Bug("beam_search_overrun", "ranker")
    f.crash(42, canary[2], bug, image=image(42, canary[2]))
    for day in range(44, 50):
        for _ in range(f.poisson(4)):
            host = f.random.choice(ranker)
            f.crash(day, host, bug, image=image(day, host))
    f.write(folder)


def f07_weekly_job(folder: Path) -> None:
    """100 hosts, 4 a day. A backup fails every Sunday at 03 h on 10 to 14 hosts, one signature."""
    f = Fleet("f07", 107, 63)
    f.add_hosts(100, "db{:03d}")
    f.background(4)
    bug = Bug("snapshot_lock_fail", "backup", "abort", 6)
    for day, date in enumerate(f.days):
        if date.weekday() == 6:
            for host in f.random.sample(list(f.hosts), f.random.randrange(10, 15)):
                f.crash(day, host, bug, hour=3, unit="backup.service")
    f.write(folder)


def f08_service_on_few_hosts(folder: Path) -> None:
    """150 hosts, 6 a day. imgproc runs on 12 hosts and has a bug: 3 a day. reporter runs on one."""
    f = Fleet("f08", 108, 50)
    f.add_hosts(150, "srv-{:03d}")
    f.background(6)
    some = f.random.sample(list(f.hosts), 12)
    bug = Bug("thumb_resize_oob", "imgproc")
    for day in range(50):
        for _ in range(f.poisson(3)):
            f.crash(day, f.random.choice(some), bug, image="imgproc:7", unit="imgproc.service")
    lone = Bug("pdf_render_null", "reporter", "segv-null")
    for day in range(2, 50, 3):
        f.crash(day, "srv-088", lone, image="reporter:3", unit="reporter.service")
    f.write(folder)


def f09_renamed(folder: Path) -> None:
    """80 hosts, 4 a day, all renamed on day 30; node-12 = dc1-12 has bad memory from day 22."""
    f = Fleet("f09", 109, 60)
    f.add_hosts(80, "node-{:02d}", racks=8)

    def name(host: str, day: int) -> str:
        return host.replace("node-", "dc1-") if day >= 30 else host

    def rack(day: int, host: str) -> dict[str, str]:
        return {"rack": "r08"} if day >= 30 and f.hosts[host]["rack"] == "r01" else {}

    f.background(4)
    for day in (22, 24, 27, 29, 32, 37, 41, 46, 52, 58):
        f.damaged(day, "node-12")
    for day, record in f.each():
        host = record["host"]["hostname"]
        record["host"]["attributes"] |= rack(day, host)
        record["host"]["hostname"] = name(host, day)
    f.write(folder, spell=name, attributes=rack)


def f10_clocks(folder: Path) -> None:
    """100 hosts, 6 a day. Four clocks are off; etl:9 has a new signature from day 45, 2 a day."""
    f = Fleet("f10", 110, 60)
    f.add_hosts(100, "h{:03d}")
    f.background(6)
    bug = Bug("arrow_cast_null", "etl", "segv-null")
    for day in range(45, 60):
        for _ in range(f.poisson(2)):
            f.crash(day, f.random.choice(list(f.hosts)), bug)
    shifts = {"h047": 5 * 365 * DAY, "h060": 3 * DAY, "h061": -3 * DAY}
    for day, record in f.each():
        if record["process"]["comm"] == "etl":
            record["container"]["image"] = f"registry/etl:{9 if day >= 45 else 8}"
        time, host = record["time"], record["host"]["hostname"]
        if host == "h011":  # began again at 1970
            time["crash_ts"] = 20 * DAY + time["crash_ts"] % 900_000
        time["crash_ts"] = round(time["crash_ts"] + shifts.get(host, 0), 3)
    f.write(folder)


def f11_late_upload(folder: Path) -> None:
    """120 hosts, 7 a day. Cores of days 38 to 44 come on day 45 with their files' dates alone."""
    f = Fleet("f11", 111, 60)
    f.add_hosts(120, "x{:03d}")
    f.background(7)
    late = max(ts for ts, _ in f.records) // DAY * DAY - 14 * DAY + 9 * 3600
    for day, record in f.each():
        if 38 <= day <= 44:
            moment = round(late + f.random.random() * 3600, 3)
            record["time"] = {"crash_ts": moment, "ts_source": "mtime"}
    f.write(folder)


def f12_partial_hours(folder: Path) -> None:
    """150 hosts, 6 a day; hours of 60 hosts until day 39. p120, without hours, has bad memory."""
    f = Fleet("f12", 112, 60)
    f.add_hosts(150, "p{:03d}")
    f.background(6)
    for day in (30, 33, 37, 40, 44, 47, 50, 53, 57):
        f.damaged(day, "p120")
    f.write(folder, hours=lambda day, host: 24 if day < 40 and int(host[1:]) <= 60 else None)


def f13_domains(folder: Path) -> None:
    """60 hosts, 4 a day, with a domain or without; hours in capitals. web-21 has bad memory."""
    f = Fleet("f13", 113, 60)
    f.add_hosts(60, "web-{:02d}", racks=6)
    f.background(4)
    for day in (40, 42, 45, 47, 50, 53, 55, 58):
        f.damaged(day, "web-21")
    for number, (_, record) in enumerate(f.each()):
        if number % 2 if record["host"]["hostname"] == "web-21" else f.random.random() < 0.5:
            record["host"]["hostname"] += ".prod.example.com"
    f.write(folder, spell=lambda host, _day: host.upper())


def f14_two_populations(folder: Path) -> None:
    """80 hosts, 5 a day. One signature: 12 on m22 (bad memory), 34 where libcodec is 2.3."""
    f = Fleet("f14", 114, 50)
    f.add_hosts(80, "m{:02d}", racks=8)
    f.background(5)

    def packages() -> Mapping[str, Any]:
        codec = "2.3.0" if f.random.random() < 0.4 else "2.2.1"
        return {"numpy": "2.1.3", "requests": "2.32.3", "libcodec": codec}

    for _, record in f.each():
        record["python"]["packages"] = [
            {"name": name, "version": version, "source": "metadata"}
            for name, version in sorted(packages().items())
        ]
    bug = Bug("memcpy_decode_image", "etl")
    others = [host for host in f.hosts if host != "m22"]
    for _ in range(34):
        host, day = f.random.choice(others), f.random.randrange(50)
        f.crash(day, host, bug, packages={**packages(), "libcodec": "2.3.0"})
    for _ in range(12):
        f.crash(f.random.randrange(50), "m22", bug, packages=packages(), damage=True)
    f.write(folder)


def f15_nothing(folder: Path) -> None:
    """120 hosts, 90 days, 5 a day, days unlike (0.3), fewer at weekends. Nothing is wrong."""
    f = Fleet("f15", 115, 90)
    kernels = "6.1.0-25-amd64", "6.1.0-26-amd64"
    models = "SYS-2049", "R7525", "R7625"
    f.add_hosts(120, "q{:03d}", models=models, by_rack=False, kernels=kernels)
    f.background(5, bugs=25, disperse=0.3, weekly=(1.2, 1.2, 1.2, 1.2, 1.2, 0.5, 0.5))
    f.write(folder)


def f16_cpu_count(folder: Path) -> None:
    """160 hosts, 5 a day. A race whose rate grows with the CPUs (16 to 128) to the power 1.5."""
    f = Fleet("f16", 116, 60)
    f.add_hosts(160, "v{:03d}", cpus=(16, 32, 64, 128))
    f.background(5)
    bug = Bug("queue_pop_race", "api")
    hosts = list(f.hosts)
    weights = [f.hosts[host]["cpus"] ** 1.5 for host in hosts]
    for day in range(60):
        for _ in range(f.poisson(1.5)):
            f.crash(day, f.random.choices(hosts, weights)[0], bug)
    f.write(folder)


def f17_repaired(folder: Path) -> None:
    """70 hosts, 4 a day. z31 and z44 are bad until day 24 and repaired; z44 fails again."""
    f = Fleet("f17", 117, 60)
    f.add_hosts(70, "z{:02d}", racks=7)
    f.background(4)
    for day in (10, 11, 13, 15, 16, 18, 20, 22, 24):
        f.damaged(day, "z31")
    for day in (12, 13, 15, 16, 18, 20, 21, 24, 40, 44, 49, 53, 58):
        f.damaged(day, "z44")
    f.write(
        folder, hours=lambda day, host: None if host in ("z31", "z44") and day in (25, 26) else 24
    )
