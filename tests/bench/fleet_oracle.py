# SPDX-License-Identifier: Apache-2.0
"""What could be known of a bad host: the test that is told how the simulator makes its fleets.

python tests/bench/fleet_oracle.py [--fleets 20] [--per-day 50] [--hosts 1000] [--signatures]

The likelihood ratio of "this host is the bad one" is computed from the true rates, shares and
distributions of `racks` (tests/support/fleet_simulator.py); what the test is not told (the host's
own rate, the day of the onset, the CPU) is averaged over with its true probabilities. By Neyman and
Pearson no test of the same facts names more bad hosts at the same rate of false alarms. The
threshold is that which gives a rate of wrong names over all fleets together.

Of a signature the test sees whether another host has it by then, as the screening does. With
--signatures it is also told which of them are common, how common, and that a bad host draws them
with equal chances, which nobody can know of a real fleet.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
from support.fleet_simulator import COMMON, CPUS, NEW_SHARE, Crash, Fleet, simulate

FLIP, NEW, ON_CORE = (0.01, 0.35), (NEW_SHARE, 0.5), 0.7  # on a healthy host, by the bad one
ADDED, FIRST_ONSET = 1.0, 5  # crashes a day of the bad host, and the first day it may begin on
MIN_CRASHES = 2  # of a host that is looked at
RATES = 80  # points by which the distribution of hosts' rates is integrated
WRONG_A_DAY = (0.01, 0.02, 0.05)


class Passage(NamedTuple):
    """The best ratio that a host had by the end of a day, of all its days so far."""

    log_ratio: float
    day: int
    own: int  # crashes of the bad host's cause by then


def rates(variance: float) -> np.ndarray:
    """Return equally likely rates of hosts: the middles of slices of their gamma distribution."""
    from scipy.stats import gamma

    middle = (np.arange(RATES) + 0.5) / RATES
    return np.asarray(gamma.ppf(middle, 1 / variance, scale=variance))


ZIPF = 1 / np.arange(1, COMMON + 1)
ZIPF /= ZIPF.sum()


def seen_alone(crashes: int) -> tuple[float, float]:
    """Return the shares of crashes whose signature no other host has: of healthy hosts, the bad."""
    unseen = (1 - (1 - NEW_SHARE) * ZIPF) ** crashes
    return (
        NEW_SHARE + (1 - NEW_SHARE) * float((ZIPF * unseen).sum()),
        NEW[1] + (1 - NEW[1]) * float(unseen.mean()),
    )


def shares_of(crash: Crash, is_alone: bool, alone: tuple[float, float] | None) -> list[float]:
    """Return P(flag and signature of a crash) on a healthy host, and by the bad one."""
    if alone is not None:
        shares = [share if is_alone else 1 - share for share in alone]
    elif crash.signature.startswith("new"):
        shares = list(NEW)
    else:
        common = float(ZIPF[int(crash.signature[1:])])
        shares = [(1 - NEW[0]) * common, (1 - NEW[1]) / COMMON]
    return [share * (f if crash.bitflip else 1 - f) for share, f in zip(shares, FLIP, strict=True)]


def log_ratio(
    crashes: list[Crash], shares: np.ndarray, expected: np.ndarray, day: int, last_onset: int,
    rate: np.ndarray,
) -> float:  # fmt: skip
    """Return the log of P(crashes | the bad host) / P(crashes | a healthy one) by a day's end."""
    days = np.array([crash.day for crash in crashes])
    cpus = np.array([crash.cpu for crash in crashes])
    healthy = rate * (expected[days] * shares[:, 0] / CPUS)[:, None]
    weights = np.exp(-rate * float(expected[: day + 1].sum()))
    null = float((weights * healthy.prod(axis=0)).mean())
    total = 0.0
    onsets = range(FIRST_ONSET, last_onset)
    seen = sorted(set(cpus.tolist()))
    for onset in onsets:
        if onset > day:
            total += null / len(onsets)
            continue
        for cpu in (*seen, -1):
            on = np.where(cpus == cpu, ON_CORE, 0.0) + (1 - ON_CORE) / CPUS
            bad = ADDED * shares[:, 1] * on * (days >= onset)
            value = float((weights * (healthy + bad[:, None]).prod(axis=0)).mean())
            chance = 1 / CPUS if cpu >= 0 else 1 - len(seen) / CPUS
            total += chance * value * math.exp(-ADDED * (day - onset + 1)) / len(onsets)
    return math.log(total) - math.log(null)


def passages(
    fleet: Fleet, per_day: float, rate: np.ndarray, is_known: bool
) -> tuple[list[Passage], list[float]]:
    """Return the course of the bad host, and the best ratio of each healthy one."""
    truth = int(fleet.truth["bad_host"].removeprefix("node-"))
    mine: dict[int, list[Crash]] = {}
    best: dict[int, float] = {}
    hosts_of: dict[str, set[int]] = {}
    course: list[Passage] = []
    for day in range(fleet.days):
        today = [crash for crash in fleet.crashes if crash.day == day]
        for crash in today:
            mine.setdefault(crash.host, []).append(crash)
            hosts_of.setdefault(crash.signature, set()).add(crash.host)
        alone = None if is_known else seen_alone(sum(map(len, mine.values())))
        for host in {crash.host for crash in today}:
            crashes = mine[host]
            if len(crashes) < MIN_CRASHES:
                continue
            shares = []
            names: set[str] = set()
            for crash in crashes:  # each new signature counts once
                is_alone = len(hosts_of[crash.signature]) == 1 and crash.signature not in names
                names.add(crash.signature)
                shares.append(shares_of(crash, is_alone, alone))
            expected = fleet.hours[:, host] / 24 * per_day / fleet.hosts
            ratio = log_ratio(crashes, np.array(shares), expected, day, fleet.days // 2, rate)
            best[host] = max(best.get(host, -math.inf), ratio)
            if host == truth:
                own = sum(crash.cause == "bad_host" for crash in crashes)
                course.append(Passage(best[host], day, own))
    return course, [ratio for host, ratio in best.items() if host != truth]


def main() -> None:
    """Print a row for each rate of wrong names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=2_000_000)
    parser.add_argument("--per-day", type=float, default=50.0)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--variance", type=float, default=0.3)
    parser.add_argument("--signatures", action="store_true", help="told which are common")
    args = parser.parse_args()
    rate = rates(args.variance)
    courses: list[list[Passage]] = []
    others: list[float] = []
    days = 0
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        fleet = simulate(
            seed, hosts=args.hosts, per_day=args.per_day, variance=args.variance, bad_host=ADDED
        )
        course, healthy = passages(fleet, args.per_day, rate, args.signatures)
        courses.append(course)
        others += healthy
        days += fleet.days
    others.sort(reverse=True)
    print("| wrong names a day | log10 of the ratio | named | within 4 | own: median, 90 % |")
    print("|---|---|---|---|---|")
    for wrong in WRONG_A_DAY:
        least = others[round(wrong * days)]  # those above it are named
        own = [next((p.own for p in c if p.log_ratio > least), math.inf) for c in courses]
        late = sorted(own)[math.ceil(0.9 * len(own)) - 1]
        shares = f"{sum(map(math.isfinite, own))}/{len(own)} | {sum(n <= 4 for n in own)}"
        middle = statistics.median(own)
        print(f"| {wrong} | {least / math.log(10):.2f} | {shares} | {middle:g}, {late:g} |")


if __name__ == "__main__":
    main()
