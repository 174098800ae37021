# SPDX-License-Identifier: Apache-2.0
"""What other limits on the chance of a host (MAX_HOST_Q) would name, rightly and wrongly.

python tests/bench/fleet_limits.py [--fleets 20] [--first-seed 1] [--only NAME]

Hosts are judged day by day as the screening does, by their chance over all hosts alone; a host is
named once its chance is within the limit, it has MIN_N crashes and MIN_RR times its share. Findings
of single signatures and flags are not counted.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
import numpy as np
from support.fleet_simulator import FIRST_DAY, population, simulate

from gdb_epi.fleet.screen.finding import MIN_N, MIN_RR
from gdb_epi.fleet.screen.screening import judged_hosts
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk

LIMITS = (0.05, 0.1, 0.15, 0.2, 0.3)
BAD = {"bad_host": 1.0}
SETTINGS = {
    "1,000 hosts, 50 a day, bad host": BAD,
    "1,000 hosts, 200 a day, bad host": {"per_day": 200.0, **BAD},
    "1,000 hosts, 200 a day, variance 1": {"per_day": 200.0, "variance": 1.0},
    "250 hosts, 20 a day": {"hosts": 250, "per_day": 20.0},
    "250 hosts, 20 a day, bad host": {"hosts": 250, "per_day": 20.0, **BAD},
    "63 hosts, 5 a day": {"hosts": 63, "per_day": 5.0},
    "63 hosts, 5 a day, bad host": {"hosts": 63, "per_day": 5.0, **BAD},
    "63 hosts, 12 a day, variance 1": {"hosts": 63, "per_day": 12.0, "variance": 1.0},
}


def named_on(seed: int, setting: dict[str, float]) -> tuple[list[dict[str, int]], str, list[int]]:
    """Return, for each limit, host -> day; the bad host, and the days of its crashes."""
    fleet = simulate(seed, **setting)
    whole = population(fleet)
    own = sorted(FIRST_DAY + c.day for c in fleet.crashes if c.cause == "bad_host")
    named: list[dict[str, int]] = [{} for _ in LIMITS]
    for day in range(FIRST_DAY, FIRST_DAY + fleet.days):
        hosts = judged_hosts(whole.until_day(day), day)
        if not hosts.can_be_judged:
            continue
        q, total = hosts.p_by_host * hosts.p_by_host.size, float(hosts.crashes_per_host.sum())
        for host in np.flatnonzero((q <= LIMITS[-1]) & (hosts.crashes_per_host >= MIN_N)).tolist():
            n, share = float(hosts.crashes_per_host[host]), float(hosts.shares.by_host[host])
            risk = relative_risk(n, share, total - n, 1 - share)[0]
            if max(risk, hosts.recent_risk(host)[2]) >= MIN_RR:
                for limit, days_by_host in zip(LIMITS, named, strict=True):
                    if q[host] <= limit:
                        days_by_host.setdefault(hosts.population.hosts[host], day)
    return named, fleet.truth.get("bad_host", ""), own


def main() -> None:
    """Print a row for each kind of fleet and limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print("| fleet | limit | wrong hosts a day | within 4, by the day of the 4th | own: median |")
    print("|---|---|---|---|---|")
    for name, setting in SETTINGS.items():
        if args.only not in name:
            continue
        seeds = range(args.first_seed, args.first_seed + args.fleets)
        fleets = [named_on(seed, dict(setting)) for seed in seeds]
        for i, limit in enumerate(LIMITS):
            wrong = sum(len(named[i].keys() - {bad}) for named, bad, _ in fleets)
            took = []
            by_day = 0
            for named, bad, own in fleets:
                if bad:
                    day = named[i].get(bad)
                    took.append(99 if day is None else sum(d <= day for d in own))
                    by_day += day is not None and day <= own[3]
            in_time = f"{sum(n <= 4 for n in took)}, {by_day} of {len(took)}" if took else "-"
            middle = f"{statistics.median(took):g}" if took else "-"
            a_day = wrong / (30 * len(fleets))
            print(f"| {name} | {limit} | {a_day:.4f} | {in_time} | {middle} |", flush=True)


if __name__ == "__main__":
    main()
