# SPDX-License-Identifier: Apache-2.0
"""The fleets of the third score; a docstring is the planted truth, written before it was asked."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from support.fleet_lives.lab import DAY, Bug, Fleet


def _package(record: dict[str, Any], name: str, version: str) -> None:
    record["python"]["packages"].append({"name": name, "version": version, "source": "metadata"})


def t01_canary_on_autoscaled(folder: Path) -> None:
    """40 machines that live 2 hours each hour of 20 days, 10 crashes a day; no name comes again.

    api:8 on 5 % of them from day 12: its bug, 1 a day there. Image api:8; no host, no hour.
    """
    f = Fleet("t01", 301, 20)
    everyday = [Bug(f"everyday_{i}", ("api", "etl", "batch")[i % 3]) for i in range(9)]
    weights = [1 / (i + 1.5) for i in range(9)]
    bug = Bug("decode_varint", "api")
    alive: dict[int, list[str]] = {}

    def born(day: int, *, canary: bool) -> str:
        name = f"asg-{f.random.getrandbits(44):011x}"
        f.hosts[name] = {
            "rack": None, "model": "m6i.4xlarge", "kernel": "6.1.0-25-amd64", "cpus": 16,
            "image": "8" if canary else "7", "machine_id": f"{len(f.hosts):032x}",
        }  # fmt: skip
        alive.setdefault(day, []).append(name)
        return name

    for day in range(20):
        for _ in range(480):
            born(day, canary=day >= 12 and f.random.random() < 0.05)
        for _ in range(f.poisson(10)):
            host = f.random.choice(alive[day])
            made = f.random.choices(everyday, weights)[0]
            version = f.hosts[host]["image"] if made.service == "api" else "1"
            f.crash(day, host, made, image=f"{made.service}:{version}")
        canaries = [host for host in alive[day] if f.hosts[host]["image"] == "8"]
        for _ in range(f.poisson(1) if canaries else 0):
            f.crash(day, f.random.choice(canaries), bug, image="api:8")
    living = {day: set(names) for day, names in alive.items()}
    f.write(folder, columns=("model",), hours=lambda day, host: 2 if host in living[day] else None)


def t02_driver_and_image_of_one_day(folder: Path) -> None:
    """80 hosts, 6 a day. On day 15 gpu_driver 560 comes to half of the hosts, batch:2 to all.

    One signature of batch, 1 a day, where the driver is. The driver; the image came along.
    """
    f = Fleet("t02", 402, 45)
    f.add_hosts(80, "g{:02d}", racks=8)
    half = list(f.hosts)[::2]

    def of_day(day: int, host: str) -> dict[str, str]:
        return {"gpu_driver": "560.35" if day >= 15 and host in half else "550.90"}

    f.background(6)
    for day in range(15, 45):
        for _ in range(f.poisson(1)):
            f.crash(day, f.random.choice(half), Bug("cu_ctx_sync", "batch"))
    for day, record in f.each():
        record["host"]["attributes"] |= of_day(day, record["host"]["hostname"])
        if record["process"]["comm"] == "batch":
            record["container"]["image"] = f"registry/batch:{2 if day >= 15 else 1}"
    f.write(folder, columns=("rack", "model", "gpu_driver"), attributes=of_day)


def t03_rack_two_days_ahead(folder: Path) -> None:
    """120 hosts, 12 racks, 10 a day; the clocks of rack r05 are two days ahead. Nothing is wrong.

    The last crashes lie two days after all others' last. The clocks (check); no host, nothing new.
    """
    f = Fleet("t03", 303, 40)
    f.add_hosts(120, "h{:03d}", racks=12)
    f.background(10)
    for _, record in f.each():
        if f.hosts[record["host"]["hostname"]]["rack"] == "r05":
            record["time"]["crash_ts"] = round(record["time"]["crash_ts"] + 2 * DAY, 3)
    f.write(folder)


def t04_cron_at_three(folder: Path) -> None:
    """120 hosts, 6 a day. From day 25 a job of 03:00 dies on 5 to 25 hosts a night, one signature.

    One job at 03 h, since day 25; no host, no rack.
    """
    f = Fleet("t04", 304, 45)
    f.add_hosts(120, "m{:03d}")
    f.background(6)
    bug = Bug("lock_timeout", "rotate", "abort", 6)
    for day in range(25, 45):
        for host in f.random.sample(list(f.hosts), f.random.randrange(5, 26)):
            f.crash(day, host, bug, hour=3, unit="rotate.service")
    f.write(folder)


def t05_notebook_of_one_user(folder: Path) -> None:
    """90 hosts, 5 a day. One user's notebook on ws-07 dies 30 times in 10 days, as in extensions.

    6 signatures, 2 to 5 times within an hour. Software of one job; no broken host.
    """
    f = Fleet("t05", 305, 50)
    f.add_hosts(90, "ws-{:02d}", racks=9)
    f.background(5)
    bugs = [Bug(f"user_kernel_{name}", "ipykernel") for name in "abcdef"]
    bugs = [bug._replace(verdict="cannot-tell") for bug in bugs]
    program = {"script": "ipykernel_launcher.py", "started_as": "module"}
    for day in (30, 31, 31, 33, 34, 35, 36, 38, 39):
        hour = 9 + f.random.random() * 8
        for _ in range(f.random.randrange(2, 6)):
            record = f.crash(
                day, "ws-07", f.random.choice(bugs), hour=hour + f.random.random() * 0.7,
                program=program, unit="jupyterhub-singleuser-kim.service",
            )  # fmt: skip
            record["process"]["uid"] = 2117
            _package(record, "mylib", "0.0.dev1")
    f.write(folder)


def t07_one_cpu_model(folder: Path) -> None:
    """200 hosts, 6 a day; three CPU models mixed in all racks, 30 hosts have the newest.

    A library's code for it is wrong: 5 signatures of illegal instructions and wild reads in three
    services, 1 a day, only there. The CPU model; no host, no bad hardware for sure.
    """
    f = Fleet("t07", 307, 45)
    f.add_hosts(200, "c{:03d}", racks=20)
    hosts = list(f.hosts)
    newest = set(f.random.sample(hosts, 30))
    for i, host in enumerate(hosts):
        f.hosts[host]["cpu_model"] = "8592+" if host in newest else ("8380", "8480")[i % 2]
    f.background(6)
    kinds = ("illegal-instruction", 4), ("segv-wild", 11)
    bugs = [
        Bug(f"avx10_kernel_{i}", ("ranker", "search", "batch")[i % 3], *kinds[i % 2])
        for i in range(5)
    ]
    bugs = [bug._replace(verdict="cannot-tell") for bug in bugs]
    for day in range(45):
        for _ in range(f.poisson(1)):
            f.crash(day, f.random.choice(sorted(newest)), f.random.choice(bugs))
    for _, record in f.each():
        model = f.hosts[record["host"]["hostname"]]["cpu_model"]
        record["host"]["attributes"]["cpu_model"] = model
    f.write(folder, columns=("rack", "cpu_model", "kernel"))


def t09_repaired_fails_again(folder: Path) -> None:
    """80 hosts, 4 a day. d12 has bad memory on days 8 to 18, is repaired on day 20, fails from 36.

    9 crashes before, 5 after. Marked repaired on day 20: it is raised again.
    """
    f = Fleet("t09", 309, 50)
    f.add_hosts(80, "d{:02d}", racks=8)
    f.background(4)
    for day in (8, 9, 11, 12, 13, 15, 16, 17, 18, 36, 39, 42, 45, 48):
        f.damaged(day, "d12")
    f.write(folder)


def t10_region_without_hours(folder: Path) -> None:
    """80 hosts in eu with hours; 60 in us from day 25 without any, twice as busy: 4 and 6 a day.

    us-33 has bad memory from day 32: 8 crashes. us-33; the region is not accused.
    """
    f = Fleet("t10", 310, 50)
    f.add_hosts(80, "eu-{:02d}", racks=8)
    eu = list(f.hosts)
    f.background(4, placement=dict.fromkeys(("api", "ranker", "etl", "search", "batch"), eu))
    old = len(f.records)
    f.add_hosts(60, "us-{:02d}", racks=6)
    us = [host for host in f.hosts if host.startswith("us")]
    f.background(6, placement=dict.fromkeys(("api", "ranker", "etl", "search", "batch"), us))
    began = f.records[old:]
    first = min(ts for ts, _ in f.records) // DAY * DAY + 25 * DAY
    f.records[old:] = [(ts, record) for ts, record in began if ts >= first]
    for day in (32, 34, 36, 39, 41, 44, 46, 49):
        f.damaged(day, "us-33")
    for _, record in f.each():
        record["host"]["attributes"]["region"] = record["host"]["hostname"][:2]
    for host in f.hosts:
        f.hosts[host]["region"] = host[:2]
    f.write(
        folder, columns=("region", "rack", "model", "kernel"),
        hours=lambda _day, host: 24 if host.startswith("eu") else None,
    )  # fmt: skip


def t12_dependency_without_release(folder: Path) -> None:
    """90 hosts, 6 a day. Images stay; protobuf 6.30 comes as hosts restart over days 20 to 32.

    With it a new signature in api and etl, 1.5 a day where it is. The package, not a date, no host.
    """
    f = Fleet("t12", 312, 50)
    f.add_hosts(90, "p{:02d}", racks=9)
    f.background(6)
    since = {host: 20 + f.random.randrange(13) for host in f.hosts}
    bugs = [Bug("upb_message_copy", service) for service in ("api", "etl")]
    for day in range(20, 50):
        there = [host for host in f.hosts if since[host] <= day]
        for _ in range(f.poisson(1.5 * len(there) / 90)):
            f.crash(day, f.random.choice(there), f.random.choice(bugs))
    for day, record in f.each():
        new = day >= since[record["host"]["hostname"]]
        if record["process"]["comm"] in ("api", "etl", "search"):
            _package(record, "protobuf", "6.30.0" if new else "5.29.3")
    f.write(folder)


def t13_uploaded_twice(folder: Path) -> None:
    """70 hosts, 5 a day, 50 days; a second collector uploads each core of days 20 on once more.

    Half of its copies lack the end of the notes and so have another key; a few name its own host.
    Nothing is wrong; nothing began or doubled on day 20.
    """
    f = Fleet("t13", 313, 50)
    f.add_hosts(70, "u{:02d}", racks=7)
    f.background(5)
    copies = []
    for (ts, record), (day, _) in zip(f.records, f.each(), strict=True):
        if day < 20:
            continue
        again = copy.deepcopy(record)
        if f.random.random() < 0.5:
            key = f"{record['core_key'][:16]}{f.random.getrandbits(64):016x}"
            again["core_key"] = again["signature"]["keys"]["core_key"] = key
            again["time"] = {"crash_ts": float(int(ts)), "ts_source": "file name"}
        copies.append((ts, again))
    f.records += copies
    f.write(folder)


def t14_job_of_a_local_hour(folder: Path) -> None:
    """100 hosts, 5 a day. A job of 2 h local time fails: at 01 UTC in eu, at 07 UTC in us.

    1 to 3 hosts a night in each. Two hours of the day, one job; no region, no host.
    """
    f = Fleet("t14", 414, 40)
    f.add_hosts(100, "r{:03d}")
    hosts = list(f.hosts)
    for i, host in enumerate(hosts):
        f.hosts[host]["region"] = "eu" if i < 50 else "us"
    f.background(5)
    bug = Bug("report_build", "cronjob", "abort", 6)
    for day in range(40):
        for hour, part in ((1, hosts[:50]), (7, hosts[50:])):
            for host in f.random.sample(part, f.random.randrange(1, 4)):
                f.crash(day, host, bug, hour=hour, unit="report.timer")
    for _, record in f.each():
        region = f.hosts[record["host"]["hostname"]]["region"]
        record["host"]["attributes"]["region"] = region
    f.write(folder, columns=("region", "rack"))


def t15_cloned_machine_ids(folder: Path) -> None:
    """60 hosts, 3 a day; three of them, c07, c19 and c41, are copies of one image: one machine id.

    c07 has bad memory on days 8 to 25 and is off from day 27; c19 crashed on days 31 and 44, c41 on
    day 48, each once, as all do. c07, until day 25; c19 and c41 are hosts of their own.
    """
    f = Fleet("t15", 315, 50)
    f.add_hosts(60, "c{:02d}", racks=6)
    copies = "c07", "c19", "c41"
    for host in copies:
        f.hosts[host]["machine_id"] = f.hosts["c07"]["machine_id"]
    others = [host for host in f.hosts if host not in copies]
    f.background(3, placement=dict.fromkeys(("api", "ranker", "etl", "search", "batch"), others))
    for day in (8, 10, 12, 15, 17, 20, 22, 25):
        f.damaged(day, "c07")
    bug = Bug("parse_header_x", "api")
    for day, host in ((31, "c19"), (44, "c19"), (48, "c41")):
        f.crash(day, host, bug)
    f.write(folder, hours=lambda day, host: None if host == "c07" and day >= 27 else 24)


def t16_pods(folder: Path) -> None:
    """Kubernetes: host names are pods' (none comes again), records name the node too; 8 a day.

    60 nodes, no host-hours. node-17 has bad memory from day 20: 10 crashes in 10 pods. The node.
    """
    f = Fleet("t16", 316, 45)
    f.add_hosts(60, "node-{:02d}", racks=6)
    f.background(8)
    for day in (20, 22, 25, 27, 30, 33, 35, 38, 41, 44):
        f.damaged(day, "node-17")
    for _, record in f.each():
        node, service = record["host"]["hostname"], record["process"]["comm"]
        record["host"]["hostname"] = pod = f"{service}-{f.random.getrandbits(36):09x}"
        record["container"] |= {"pod": pod, "node": node}
        record["host"]["machine_id"] = None
    f.write(folder, hours=None)


def t18_memory_moved(folder: Path) -> None:
    """90 hosts, 5 a day. A bad DIMM of e11 is put into e52 on day 28: 9 crashes before, 7 after.

    e52 now; e11 until day 27.
    """
    f = Fleet("t18", 318, 50)
    f.add_hosts(90, "e{:02d}", racks=9)
    f.background(5)
    for day in (10, 12, 14, 16, 19, 21, 23, 25, 27):
        f.damaged(day, "e11")
    for day in (30, 33, 36, 39, 42, 45, 48):
        f.damaged(day, "e52")
    f.write(folder)
