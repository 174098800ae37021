# SPDX-License-Identifier: Apache-2.0
"""Count what is said of healthy fleets whose services are placed and whose versions roll out.

python tests/bench/fleet_placed.py [--fleets 20] [--first-seed 7000] [--per-day 6] [--hours] [--env]

120 hosts over 60 days. Each of five services runs on a sixth to all of them, half of them on racks
that stand together; images, packages and a kernel come up on days of their own. Nothing is wrong,
so each finding of the daily screening is, and each line about a signature that no finding explains.
With --env the records have environment variables: of a service, a host, a deployment, a worker.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
from support.fleet_lives.lab import SERVICES, Fleet

from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.questions.suspects import unexplained_signature_sentences
from gdb_epi.fleet.screen.screening import screen_day_by_day, screen_population
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest

DAYS = 60
PACKAGES = ("numpy", "requests", "grpcio", "torchx")


def healthy(seed: int, per_day: float, number: int) -> Fleet:
    """Return a fleet of so many hosts in which nothing is wrong."""
    f = Fleet(f"placed {seed}", seed, DAYS)
    rng = f.random
    models, kernels = ("SYS-2049", "R7525", "R7625"), ("6.1.0-25-amd64", "6.1.0-26-amd64")
    f.add_hosts(number, "q{:03d}", models=models, by_rack=rng.random() < 0.5, kernels=kernels)
    hosts = list(f.hosts)
    placement = {}
    for service in SERVICES:
        size, first = number * rng.choice([1, 2, 4, 6]) // 6, rng.randrange(number)
        together = [hosts[(first + i) % number] for i in range(size)]
        placement[service] = together if rng.random() < 0.5 else rng.sample(hosts, size)
    weekly = (1.2, 1.2, 1.2, 1.2, 1.2, 0.5, 0.5)
    f.background(per_day, bugs=25, placement=placement, disperse=0.2, weekly=weekly)
    images = {s: sorted(rng.sample(range(5, 58), rng.randrange(1, 5))) for s in SERVICES}
    came = {package: rng.randrange(5, 55) for package in PACKAGES}
    uses = {s: [package for package in PACKAGES if rng.random() < 0.7] for s in SERVICES}
    half, new_kernel = set(rng.sample(hosts, number // 2)), rng.randrange(10, 50)
    for day, record in f.each():
        service, is_late = record["process"]["comm"], record["host"]["hostname"] in half
        number = sum(day >= turn for turn in images[service])
        record["container"]["image"] = f"registry/{service}:{number}"
        record["python"]["packages"] = [
            {"name": name, "version": "2" if day >= came[name] + 7 * is_late else "1"}
            for name in uses[service]
        ]
        if day >= new_kernel and is_late:
            record["kernel"]["release"] = "6.1.0-28-amd64"
    return f


def add_environment(fleet: Fleet, seed: int) -> None:
    """Give each record variables as services have them; none has to do with any crash."""
    rng = random.Random(f"environment {seed}")
    slot = {host: rng.random() for host in fleet.hosts}
    flags = {f"FF_{n}": (rng.randrange(DAYS), rng.uniform(0.03, 0.9)) for n in range(4)}
    levels = {service: rng.choice(["info", "warning"]) for service in SERVICES}
    for day, record in fleet.each():
        host, service = record["host"]["hostname"], record["process"]["comm"]
        place = slot[host]
        variables = {
            "APP": service,
            "LOG_LEVEL": "debug" if place < 0.02 else levels[service],
            "BUILD": record["container"]["image"].replace(":", "-"),
            "NODE_NAME": host,
            "REGION": f"r{int(place * 4)}",
            "TZ": ("UTC", "Europe/Berlin")[place > 0.7],
            "MALLOC_ARENA_MAX": str(rng.choice([2, 2, 2, 4])) if service == "api" else "8",
            "WORKER_ID": str(rng.randrange(16)),
            "CUDA_VISIBLE_DEVICES": str(rng.randrange(8)),
            "OMP_NUM_THREADS": str(rng.choice([1, 4, 8])),
            "SHARD": str(rng.randrange(60)),
            "TENANT": f"t{int(rng.paretovariate(0.8)) % 400}",
            "REQUEST_ID": f"{rng.getrandbits(40):x}",
            "DEPLOYED_ON": str(day - (day + int(place * 7)) % 7),
            "PYTHONMALLOC": "debug" if rng.random() < 0.01 else "pymalloc",
            **{
                name: str(int(place * 7919 % 1 < share and day >= turn))
                for name, (turn, share) in flags.items()
            },
        }  # fmt: skip
        record["job"] = {**record.get("job", {}), "environment": variables}


def said(fleet: Fleet, *, hours: bool) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the findings of a replay, and the lines about signatures at its end."""
    with tempfile.TemporaryDirectory() as folder:
        fleet.write(Path(folder), columns=("rack", "model"))
        with open_database(str(Path(folder) / "fleet.sqlite3"), write=True) as engine:
            ingest(engine, (("bench", record) for _, record in fleet.records))
            if hours:
                store_exposure(engine, read_host_days(Path(folder) / "hours.csv"))
            whole = load_population(engine)
    last = whole.last_day
    findings = [
        (one_day.day - last, f.attr, f.value, f.signature, f.n, f.total, f"{f.q:.1g}")
        for one_day in screen_day_by_day(whole)
        for f in one_day.findings
    ]
    return findings, unexplained_signature_sentences(whole, last, screen_population(whole, last))


def main() -> None:
    """Print each wrong finding and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=7000)
    parser.add_argument("--per-day", type=float, default=6.0)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--hours", action="store_true", help="with host-hours")
    parser.add_argument("--env", action="store_true", help="with environment variables")
    args = parser.parse_args()
    findings = lines = 0
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        fleet = healthy(seed, args.per_day, args.hosts)
        if args.env:
            add_environment(fleet, seed)
        wrong, sentences = said(fleet, hours=args.hours)
        findings, lines = findings + len(wrong), lines + len(sentences)
        for row in (*wrong, *sentences):
            print(seed, row)
    days = args.fleets * DAYS
    print(f"{findings} findings in {days} days, {findings / days:.3f} a day; {lines} lines")


if __name__ == "__main__":
    main()
