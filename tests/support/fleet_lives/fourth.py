# SPDX-License-Identifier: Apache-2.0
"""The fleets of the fourth score; a docstring is the planted truth, written before it was asked."""

from __future__ import annotations

from pathlib import Path

from support.fleet_lives.lab import DAY, Bug, Fleet

PAGES = ("api", "search", "batch")  # programs that map files


def v02_stray_write(folder: Path) -> None:
    """60 hosts, 3 a day. compositor writes astray in one function: 30 crashes, a third with damage.

    n07 has bad memory from day 20: 7 crashes. n07; the function is software, its hosts are sound.
    """
    f = Fleet("v02", 502, 40)
    f.add_hosts(60, "n{:02d}", racks=6)
    f.background(3)
    for day in range(5, 35):
        f.crash(day, f.random.choice(list(f.hosts)), Bug("blend_tiles", "compositor"), damage=True)
    for day in (20, 23, 26, 29, 32, 35, 38):
        f.damaged(day, "n07")
    f.write(folder)


def v08_outage_and_local_time(folder: Path) -> None:
    """60 hosts, 3 sites, 5 a day. On day 25 nfs-b is away for 40 minutes: its clients die, once.

    A job of 02 h dies 1 to 2 times a night. Site c writes local time, 9 hours ahead, as UTC.
    api:2 came everywhere on that day: innocent. One event, seen twice; the clocks of c.
    """
    f = Fleet("v08", 508, 40)
    f.add_hosts(60, "h{:02d}", racks=6)
    for i, facts in enumerate(f.hosts.values()):
        facts |= {"site": "abc"[i // 20], "nfs_server": f"nfs-{'ab'[i % 2]}"}
    f.background(5)
    for day in range(40):
        for host in f.random.sample(list(f.hosts), f.random.randrange(1, 3)):
            f.crash(day, host, Bug("flush_manifest", "export", "abort", 6), hour=2)
    for host in [h for h, facts in f.hosts.items() if facts["nfs_server"] == "nfs-b"]:
        for service in f.random.sample(PAGES, 2):
            bug = Bug("read_mapped", service, "bus-adrerr", 7)
            f.crash(25, host, bug, hour=14 + f.random.random() * 0.35)
    for i, ((ts, record), (day, _)) in enumerate(zip(f.records, f.each(), strict=True)):
        facts = f.hosts[record["host"]["hostname"]]
        record["host"]["attributes"] |= {name: facts[name] for name in ("site", "nfs_server")}
        if record["process"]["comm"] == "api":
            record["container"]["image"] = f"registry/api:{2 if day >= 25 else 1}"
        if facts["site"] == "c":
            record["time"]["crash_ts"] = round(ts + 9 * 3600, 3)
            f.records[i] = ts + 9 * 3600, record
    last = max(ts for ts, _ in f.records) // DAY * DAY  # what is of the next day came later
    f.records = [(ts, record) for ts, record in f.records if ts < last]
    f.write(folder, columns=("rack", "site", "nfs_server"))


def v09_loop_that_moved(folder: Path) -> None:
    """20 nodes, 3 a day. A canary of pricing dies every 5 minutes, 4 h on k03, then 5 h on k11.

    One deployment; both nodes are sound. From day 15 api:5 has a bug of its own, 1.5 a day.
    """
    f = Fleet("v09", 509, 30)
    f.add_hosts(20, "k{:02d}", racks=2)
    f.background(3)
    loop, bug = Bug("load_rules", "pricing"), Bug("merge_lines", "api")
    for host, start, number in (("k03", 8.0, 48), ("k11", 13.0, 60)):
        for i in range(number):
            record = f.crash(20, host, loop, image="pricing:2.1.0-rc1")
            ts = record["time"]["crash_ts"] // DAY * DAY + start * 3600 + i * 300
            record["time"]["crash_ts"] = ts
            f.records[-1] = ts, record
    for day, record in f.each():
        if record["process"]["comm"] == "api":
            record["container"]["image"] = f"registry/api:{5 if day >= 15 else 4}"
    for day in range(15, 30):
        for _ in range(f.poisson(1.5)):
            f.crash(day, f.random.choice(list(f.hosts)), bug, image="api:5")
    f.write(folder)


def v01_everything_rises(folder: Path) -> None:
    """80 hosts, 6 a day, from day 30 on 14 a day, in every service: a sale. api:7.3 came that day.

    The load; the release is innocent, no host is bad.
    """
    f = Fleet("v01", 501, 42)
    f.add_hosts(80, "w{:02d}", racks=8)
    f.background(14)
    quiet = {id(record) for day, record in f.each() if day < 30 and f.random.random() < 0.57}
    f.records = [pair for pair in f.records if id(pair[1]) not in quiet]
    for day, record in f.each():
        if record["process"]["comm"] == "api":
            record["container"]["image"] = f"registry/api:{'7.3.0' if day >= 30 else '7.2.4'}"
    f.write(folder)


def v12_limit_of_memory(folder: Path) -> None:
    """80 hosts, 4 a day, no host-hours. index_window dies where memory is 1024 GiB or more: 30.

    One limit, in 1024 and in 2048; no model, no broken memory.
    """
    f = Fleet("v12", 512, 45)
    f.add_hosts(80, "g{:02d}", racks=8, by_rack=False)
    for i, facts in enumerate(f.hosts.values()):
        facts["memory_gib"] = (256, 512, 512, 256, 1024, 512, 256, 2048)[i % 8]
    f.background(4)
    large = [host for host, facts in f.hosts.items() if facts["memory_gib"] >= 1024]
    for _ in range(30):
        day = f.random.randrange(45)
        f.crash(day, f.random.choice(large), Bug("index_window", "aligner"))
    for _, record in f.each():
        memory = f.hosts[record["host"]["hostname"]]["memory_gib"]
        record["host"]["attributes"]["memory_gib"] = memory
    f.write(folder, hours=None)


def v13_machine_below_names(folder: Path) -> None:
    """30 names of a scaling group, 4 a day; each day each is another machine on one of 30 below.

    hv-19 has bad memory from day 5: 12 crashes on as many names. hv-19; no name, none to exclude.
    """
    f = Fleet("v13", 513, 40)
    f.add_hosts(30, "asg-{:02d}", racks=1)
    below = [[f"hv-{f.random.randrange(30):02d}" for _ in f.hosts] for _ in f.days]
    names = list(f.hosts)

    def of_day(day: int, host: str) -> dict[str, str]:
        return {"hypervisor": below[day][names.index(host)]}

    f.background(4)
    days = [(day, host) for day in range(5, 40) for host in names]
    bad = [pair for pair in days if of_day(*pair) == {"hypervisor": "hv-19"}]
    for day, host in f.random.sample(bad, 12):
        f.damaged(day, host)
    for day, record in f.each():
        host = record["host"]["hostname"]
        record["host"]["attributes"] |= of_day(day, host)
        record["host"]["machine_id"] = f"{day:016x}{names.index(host):016x}"
    f.write(folder, columns=("model", "hypervisor"), attributes=of_day)


def v14_collector_died(folder: Path) -> None:
    """60 hosts, 6 racks, 6 a day; no record of rack r05 arrives from day 28 on, its hours do.

    billing runs on r05 and two more hosts; billing:5.2 came on day 28 and fixed nothing.
    """
    f = Fleet("v14", 514, 40)
    f.add_hosts(60, "b{:02d}", racks=6)
    f.background(6)
    rack = [host for host, facts in f.hosts.items() if facts["rack"] == "r05"]
    bugs = [Bug(name, "billing", "fpe", 6) for name in ("round_cents", "add_tax", "print_bill")]
    for day in range(40):
        for _ in range(f.poisson(3)):
            bug = f.random.choices(bugs, (4, 1, 1))[0]
            image = f"billing:{'5.2' if day >= 28 else '5.1'}"
            f.crash(day, f.random.choice([*rack, "b01", "b11"]), bug, image=image)
    lost = {id(r) for day, r in f.each() if day >= 28 and r["host"]["hostname"] in rack}
    f.records = [pair for pair in f.records if id(pair[1]) not in lost]
    f.write(folder)
