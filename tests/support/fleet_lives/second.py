# SPDX-License-Identifier: Apache-2.0
"""The fleets of the second score; a docstring is the planted truth, written before it was asked."""

from __future__ import annotations

from pathlib import Path

from support.fleet_lives.lab import DAY, Bug, Fleet


def s1_spot_machines(folder: Path) -> None:
    """60 machines a day that live 1 to 4 days, names never come again. ami-b on half from day 20.

    Its kernel module makes one signature, 2 a day, there alone. No host; ami-b.
    """
    f = Fleet("s1", 201, 40)
    alive: dict[int, list[str]] = {}
    number = 0
    until: dict[str, int] = {}
    for day in range(40):
        now = [host for host in alive.get(day - 1, []) if until[host] >= day]
        while len(now) < 60:
            number += 1
            host = f"ip-10-0-{number // 250}-{number % 250}"
            until[host] = day + f.random.randrange(1, 5) - 1
            is_new = day >= 20 and f.random.random() < 0.5
            f.hosts[host] = {
                "rack": None, "model": "c6i.8xlarge", "kernel": "6.1.0-25-amd64", "cpus": 32,
                "ami": "ami-b" if is_new else "ami-a", "machine_id": f"{number:032x}",
            }  # fmt: skip
            now.append(host)
        alive[day] = now
    everyday = [Bug(f"everyday_{i}", ("api", "etl", "batch")[i % 3]) for i in range(9)]
    bug = Bug("module_teardown", "etl", "abort", 6)
    for day in range(40):
        for _ in range(f.poisson(5)):
            weights = [1 / (i + 1.5) for i in range(9)]
            f.crash(day, f.random.choice(alive[day]), f.random.choices(everyday, weights)[0])
        there = [host for host in alive[day] if f.hosts[host]["ami"] == "ami-b"]
        for _ in range(f.poisson(2) if day >= 20 else 0):
            f.crash(day, f.random.choice(there), bug)
    for _, record in f.each():
        record["host"]["attributes"]["ami"] = f.hosts[record["host"]["hostname"]]["ami"]
    f.write(
        folder,
        columns=("ami", "model"),
        hours=lambda day, host: 24 if host in alive[day] else None,
    )


def s2_hot_row(folder: Path) -> None:
    """320 hosts in 16 racks in rows A to D, 8 a day. Row C is hot: days 15 to 35, 13 to 17 h.

    30 scattered crashes on its 80 hosts, a part with bit flips. Row C; no host, no rack.
    """
    f = Fleet("s2", 202, 60)
    f.add_hosts(320, "s{:03d}", racks=16)
    rows = {host: "ABCD"[(int(facts["rack"][1:]) - 1) // 4] for host, facts in f.hosts.items()}
    f.background(8)
    members = [host for host, row in rows.items() if row == "C"]
    for i in range(30):
        f.damaged(15 + i * 21 // 30, f.random.choice(members), hour=13 + 3.5 * f.random.random())
    for _, record in f.each():
        record["host"]["attributes"]["row"] = rows[record["host"]["hostname"]]
    for host, facts in f.hosts.items():
        facts["row"] = rows[host]
    f.write(folder, columns=("row", "rack", "model", "kernel"))


def s3_mpi_job(folder: Path) -> None:
    """256 hosts, 6 a day. A job of 64 ranks on 16 hosts dies five times, all ranks in a minute.

    Two signatures (the first rank to fail, and those that are aborted). No host; one job.
    """
    f = Fleet("s3", 203, 50)
    f.add_hosts(256, "cn{:03d}", racks=16)
    f.background(6)
    hosts = f.random.sample(list(f.hosts), 16)
    first, others = Bug("halo_exchange", "climate"), Bug("mpi_abort", "climate", "abort", 6)
    for day in (20, 21, 23, 26, 27):
        hour = f.random.random() * 20
        for rank in range(64):
            bug = first if rank == 5 else others
            record = f.crash(day, hosts[rank // 4], bug, hour=hour, program={"script": "model.py"})
            record["job"] = {"id": f"88{day}", "scheduler": "slurm", "rank": rank, "world_size": 64}
            # All of them within a minute.
            begin = f.records[-1][0] // DAY * DAY + hour * 3600
            record["time"]["crash_ts"] = round(begin + f.random.random() * 50, 3)
    f.write(folder)


def s4_two_causes_at_once(folder: Path) -> None:
    """150 hosts, 7 a day. b077 has bad memory from day 25: 9 crashes. tlslib 3.1.5 on half of them.

    tlslib (from day 20 on every second host) makes one signature in three services, 1.5 a day.
    Both; nothing else.
    """
    f = Fleet("s4", 204, 55)
    f.add_hosts(150, "b{:03d}")
    half = list(f.hosts)[1::2]
    f.background(7)
    bug = {s: Bug("ssl_renegotiate", s) for s in ("api", "search", "ranker")}
    for day in range(20, 55):
        for _ in range(f.poisson(1.5)):
            f.crash(day, f.random.choice(half), bug[f.random.choice(list(bug))])
    for day in (25, 28, 31, 33, 37, 41, 44, 48, 52):
        f.damaged(day, "b077")
    for day, record in f.each():
        new = day >= 20 and record["host"]["hostname"] in half
        record["python"]["packages"].append(
            {"name": "tlslib", "version": "3.1.5" if new else "3.1.4", "source": "metadata"}
        )
    f.write(folder)


def s5_collector_rolled_out(folder: Path) -> None:
    """200 hosts, 6 a day, hours of all from the first day. Cores are collected rack by rack.

    Two racks more every five days, from none on day 0 to all on day 50. Nothing is wrong.
    """
    f = Fleet("s5", 205, 70)
    f.add_hosts(200, "y{:03d}", racks=20)
    f.background(6)
    f.records = [
        (ts, record)
        for (ts, record), (day, _) in zip(f.records, f.each(), strict=True)
        if int(record["host"]["attributes"]["rack"][1:]) <= day // 5 * 2
    ]
    f.write(folder)


def s6_bad_core_under_one_program(folder: Path) -> None:
    """90 hosts, 5 a day. trainer runs on 40 of them; on t19 its vector code fails on CPU 37.

    10 crashes of trainer in 4 signatures, all on CPU 37 of t19 from day 20. Host t19, its CPU 37.
    """
    f = Fleet("s6", 206, 50)
    f.add_hosts(90, "t{:02d}", racks=9)
    trainers = list(f.hosts)[:40]
    services = ("api", "trainer", "etl", "batch")
    f.background(5, services=services, placement={"trainer": trainers})
    bugs = [Bug(name, "trainer", "illegal-instruction", 4, "cannot-tell") for name in "abcd"]
    bugs = [bug._replace(function=f"gemm_kernel_{bug.function}") for bug in bugs]
    for i, day in enumerate((20, 22, 25, 27, 30, 33, 37, 40, 44, 48)):
        f.crash(day, "t19", bugs[i % 4], cpu=37)
    f.write(folder)


def s7_service_moved(folder: Path) -> None:
    """160 hosts, 8 a day. search moves from racks r01-r04 to r09-r12 on day 30, with its bugs.

    search has a third of all crashes. Nothing is wrong with either racks; nothing began.
    """
    f = Fleet("s7", 207, 60)
    f.add_hosts(160, "m{:03d}", racks=16, by_rack=False)
    old, new = (
        [host for host, facts in f.hosts.items() if first <= int(facts["rack"][1:]) < first + 4]
        for first in (1, 9)
    )
    f.background(5, services=("api", "etl", "batch"))
    bugs = [Bug(f"query_step_{i}", "search") for i in range(6)]
    weights = [1 / (i + 1.0) for i in range(6)]
    for day in range(60):
        for _ in range(f.poisson(3)):
            host = f.random.choice(old if day < 30 else new)
            f.crash(day, host, f.random.choices(bugs, weights)[0], unit="search.service")
    f.write(folder)
