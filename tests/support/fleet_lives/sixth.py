# SPDX-License-Identifier: Apache-2.0
"""What the fleets of the sixth score taught; a docstring is the planted truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from support.fleet_lives.lab import Bug, Fleet


def _below(record: dict, function: str) -> None:
    """Put a crash below a Python function, as the keys of an analysis do."""
    texts = record["signature"]["text"]
    for name in texts:
        native = texts[name].split(" <- ")[0]
        texts[name] = f"{native} <-- py:{function} <- py:__main__.<module>"


def x01_other_names(folder: Path) -> None:
    """60 hosts. scan:2 inlines otherwise: `expand` (only on hosts with feed=fax) ends with scan:1
    and goes on under three names, as often. `join` is new in scan:2, on all hosts."""
    f = Fleet("y01", 701, 50)
    f.add_hosts(60, "c{:02d}", racks=6)
    fax = [host for i, host in enumerate(f.hosts) if i % 5 < 2]
    f.background(6, services=("scan", "barcode"))
    for day, record in f.each():
        _below(record, f"{record['process']['comm']}.run_{record['core_key'][:2]}")
        record["container"]["image"] = f"registry/{record['process']['comm']}:{1 + (day >= 25)}"
    for day in range(50):
        version = 1 + (day >= 25)
        names = ("expand",) if version == 1 else ("fill_run", "next_code", "put_pixels")
        for host in f.random.choices(fax, k=f.poisson(2.0)):
            bug = Bug(f.random.choice(names), "scan", "segv-wild")
            _below(f.crash(day, host, bug, image=f"scan:{version}"), "scan.decode_strip")
        for host in f.random.choices([*f.hosts], k=f.poisson(1.2)) if version == 2 else ():
            _below(f.crash(day, host, Bug("join", "scan"), image="scan:2"), "scan.words")
    f.write(
        folder,
        columns=("rack", "model", "kernel", "feed"),
        attributes=lambda _day, host: {"feed": "fax" if host in fax else "pdf"},
    )


def x02_flag_off(folder: Path) -> None:
    """100 hosts; a flag (no hours tell of it) is on for 40 of them on days 10 to 39, then for none.

    `fetch` of cart comes with the flag alone. cart:2 comes to half of the hosts on day 30 and to
    the others on day 44, and mends nothing.
    """
    f = Fleet("y02", 702, 60)
    f.add_hosts(100, "g{:03d}", racks=10)
    f.background(18, services=("cart", "stock"))
    flagged = f.random.sample([*f.hosts], 40)
    for day in range(10, 40):
        for host in f.random.choices(flagged, k=f.poisson(3.0)):
            f.crash(day, host, Bug("fetch", "cart", "segv-null"))
    first = set(f.random.sample([*f.hosts], 50))
    for day, record in f.each():
        host, unit = record["host"], record["process"]["comm"]
        version = 2 if day >= (30 if host["hostname"] in first else 44) else 1
        record["container"]["image"] = f"registry/{unit}:{version if unit == 'cart' else 1}"
        on = host["hostname"] in flagged and 10 <= day < 40
        host["attributes"]["ff_prefetch"] = "on" if on else "off"
    f.write(folder)


def x03_closing(folder: Path) -> None:
    """48 hosts, 120 days. At the end of each month three programs die of memory on the hosts with
    64 GiB. A kernel comes to most hosts two days before the last of them: innocent."""
    f = Fleet("y03", 703, 110)
    f.add_hosts(48, "p{:02d}", racks=4)
    small = [host for i, host in enumerate(f.hosts) if i % 9 < 5]
    f.background(2.2, services=("payrun", "report", "ledger"))
    closing = [Bug(n, s, "abort", 6) for n, s in (("grow", "payrun"), ("fill", "report"))]
    closing.append(Bug("append", "ledger", "segv-null"))
    turns = [day for day, date in enumerate(f.days) if date.day == 1 or _days_left(date) < 2]
    for day in turns:
        for host in f.random.choices(small, k=f.poisson(6.5)):
            f.crash(day, host, f.random.choice(closing))
    since = max(day for day, date in enumerate(f.days) if date.day == 28)
    late = set(f.random.sample([*f.hosts], 38))

    def row(day: int, host: str) -> Mapping[str, object]:
        kernel = "6.8.0-51" if day >= since and host in late else "6.8.0-49"
        return {"memory_gib": 64 if host in small else 256, "kernel": kernel}

    for day, record in f.each():
        host = record["host"]["hostname"]
        record["kernel"]["release"] = row(day, host)["kernel"]
    f.write(folder, columns=("rack", "model", "kernel", "memory_gib"), attributes=row)


def _days_left(date) -> int:
    import calendar

    return calendar.monthrange(date.year, date.month)[1] - date.day


def x04_rush(folder: Path) -> None:
    """90 hosts of 3 regions; `lease` comes in the morning rush of each, by its own clock (UTC 6, 12
    and 22, an hour later in two since day 20), on the small type. `dump` comes at 23 UTC."""
    f = Fleet("y04", 704, 45)
    f.add_hosts(90, "t{:02d}", racks=9)
    region = {host: ("fra", "nyc", "tyo")[i % 3] for i, host in enumerate(f.hosts)}
    f.background(14, services=("trip", "export"))
    tiny = {host for i, host in enumerate(f.hosts) if i % 4 == 0}
    for day, date in enumerate(f.days):
        for host in f.random.choices(sorted(tiny), k=f.poisson(5) if date.weekday() < 5 else 0):
            at = {"fra": 6, "nyc": 12, "tyo": 22}[region[host]]
            at += region[host] != "tyo" and day >= 20
            f.crash(day, host, Bug("lease", "trip", "abort", 6), hour=at + f.random.random() * 0.6)
        for host in f.random.choices([*f.hosts], k=1):
            f.crash(day, host, Bug("dump", "export"), hour=23)
    for _, record in f.each():
        host = record["host"]
        host["attributes"]["region"] = region[host["hostname"]]
    f.write(
        folder,
        columns=("model", "kernel", "region", "instance_type"),
        attributes=lambda _day, host: {
            "region": region[host], "instance_type": "m.large" if host in tiny else "m.xlarge",
        },
    )  # fmt: skip


def x05_library_and_load(folder: Path) -> None:
    """80 hosts, 70 days of growing load; libgeos=2 comes host by host from day 15 to 60.

    `ring` comes three times as often with libgeos=2 (it was always there). `cache` grows with the
    square of the load and has nothing to do with it.
    """
    f = Fleet("y05", 705, 70)
    f.add_hosts(80, "m{:02d}", racks=8)
    order = f.random.sample([*f.hosts], 80)
    since = {host: 15 + i * 46 // 80 for i, host in enumerate(order)}
    bugs = [Bug(f"work_{i}", ("tiles", "route")[i % 2]) for i in range(12)]
    for day in range(70):
        load = 1 + 1.5 * day / 69
        for host in f.random.choices([*f.hosts], k=f.poisson(9 * load)):
            f.crash(day, host, f.random.choice(bugs))
        for host in f.random.choices([*f.hosts], k=f.poisson(0.9 * load**2)):
            f.crash(day, host, Bug("cache", "route", "abort", 6))
        weights = [3.0 if day >= since[host] else 1.0 for host in f.hosts]
        for host in f.random.choices([*f.hosts], weights, k=f.poisson(0.018 * load * sum(weights))):
            f.crash(day, host, Bug("ring", "route", "segv-null"))
    f.write(
        folder,
        columns=("rack", "model", "libgeos"),
        attributes=lambda day, host: {"libgeos": 2 if day >= since[host] else 1},
    )


def x06_leak(folder: Path) -> None:
    """120 hosts on six racks; `pool` comes with 6 and more days of uptime, more with more.

    Racks start their hosts anew each week on days of their own; r05 and r06 were forgotten.
    """
    f = Fleet("y06", 706, 40)
    f.add_hosts(120, "w{:03d}", racks=6)
    f.background(8, services=("feed", "ads"))

    def uptime(day: int, host: str) -> int:
        rack = int(f.hosts[host]["rack"][1:])
        return 4 + day if rack > 4 else (day + 2 * rack) % 9

    for day in range(40):
        for host in f.hosts:
            for _ in range(f.poisson(0.015 * min(10, max(0, uptime(day, host) - 5)))):
                f.crash(day, host, Bug("pool", "feed", "abort", 6))
    f.write(
        folder,
        columns=("rack", "model", "uptime_days"),
        attributes=lambda day, host: {"uptime_days": uptime(day, host)},
    )


def x07_full_disks(folder: Path) -> None:
    """40 of 120 hosts run etl; etl:8 (day 14) dies of `spill` all the time, etl:9 (day 24) too.

    After 8 to 13 cores a disk is full, and nothing of that host comes in any more; w001 to w004
    have large disks. w070 has flipped bits until it is taken out on day 20.
    """
    f = Fleet("y07", 707, 40)
    f.add_hosts(120, "w{:03d}", racks=12)
    etl = [*f.hosts][:40]
    f.background(30, services=("etl", "web"), placement={"etl": etl, "web": [*f.hosts]})
    for day in range(14, 40):
        for host in etl:
            for _ in range(f.poisson(2.0)):
                f.crash(day, host, Bug("spill", "etl", "abort", 6))
    for day in range(2, 20):
        f.damaged(day, "w070", service="web")
    left = {host: 10**6 if host <= "w004" else f.random.randrange(8, 14) for host in etl}
    kept = []
    for day, record in sorted(f.each(), key=lambda pair: pair[1]["time"]["crash_ts"]):
        host, service = record["host"]["hostname"], record["process"]["comm"]
        if left.get(host, 1) <= 0 or (host == "w070" and day >= 20):
            continue
        if "spill" in record["signature"]["text"]["stable"]:
            left[host] -= 1
        version = 1 if service == "web" else 7 + (day >= 14) + (day >= 24)
        record["container"]["image"] = f"registry/{service}:{version}"
        kept.append((record["time"]["crash_ts"], record))
    f.records = kept
    f.write(
        folder, columns=("rack", "model"),
        hours=lambda day, host: None if host == "w070" and day >= 20 else 24,
    )  # fmt: skip
