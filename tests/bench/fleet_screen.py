# SPDX-License-Identifier: Apache-2.0
"""Measure the daily screening on simulated fleets: recall, crashes until raised, false alarms.

python tests/bench/fleet_screen.py [--fleets 20] [--only NAME] [--design services]

Two simulators that share no code: what holds in one design only was tuned to it.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
from support import fleet_services
from support.fleet_simulator import FIRST_DAY, Fleet, population, simulate

from gdb_epi.fleet.screen.screening import replay
from gdb_epi.fleet.screen.types import Finding

SETTINGS = {
    "nothing planted, 50 a day": {},
    "nothing planted, 200 a day, variance 1": {"per_day": 200.0, "variance": 1.0},
    "bad host, 1 a day": {"bad_host": 1.0},
    "bad host, 1 a day, 200 a day": {"bad_host": 1.0, "per_day": 200.0},
    "race, 2 a day": {"race": 2.0},
    "split, 2 a day": {"split": 2.0},
    "microcode, 8 times": {"microcode": 8.0},
    "one CPU of a host, 1 in 3 days": {"pinned": 0.33},
    "one CPU of a host, 1 in 3 days, 200 a day": {"pinned": 0.33, "per_day": 200.0},
    "a host's job forks with threads, 1 in 2 days": {"forker": 0.5},
    "a host's job forks with threads, 1 in 2 days, 200 a day": {"forker": 0.5, "per_day": 200.0},
}

DESIGNS: dict[str, tuple[Callable[..., Fleet], dict[str, dict[str, float]]]] = {
    "racks": (simulate, SETTINGS),
    "services": (fleet_services.simulate, fleet_services.SETTINGS),
}

Wanted = tuple[str, str, Callable[[Finding], bool]]  # name, cause, is this finding it?


def wanted(fleet: Fleet) -> list[Wanted]:
    """Return what ought to be found."""
    truth = fleet.truth
    found: list[Wanted] = []
    if "bad_host" in truth:
        host = truth["bad_host"]
        found.append(("bad host", "bad_host", lambda f: (f.attr, f.value) == ("host", host)))
    if "race" in truth:
        name, values = truth["race"]
        found.append(
            ("race", "race", lambda f: f.signature == name and values.get(f.attr) == f.value)
        )
    if "split" in truth:
        name, host, values = truth["split"]
        found.append(("split: host", "split-host", lambda f: (f.attr, f.value) == ("host", host)))
        found.append(
            (
                "split: software",
                "split-software",
                lambda f: f.signature == name and bool(named(f) & set(values.items())),
            )
        )
    if "pinned" in truth:
        at = truth["pinned"]
        found.append(("bad CPU", "pinned", lambda f: (f.attr, f.value) == ("host", at)))
    if "forker" in truth:
        forks = truth["forker"]
        found.append(("forking job", "forker", lambda f: (f.attr, f.value) == ("host", forks)))
    if "microcode" in truth:
        value = truth["microcode"]
        found.append(
            ("microcode", "microcode", lambda f: (f.attr, f.value) == ("microcode", value))
        )
    return found


def named(finding: Finding) -> set[tuple[str, str]]:
    """Return what a finding names: its value, and those that it says cannot be told apart."""
    aliases = (alias.split("=", 1) for alias in finding.aliases)
    return {(finding.attr, finding.value), *((a, v) for a, v in aliases)}


def measure(fleet: Fleet) -> tuple[dict[str, int | None], list[Finding], float]:
    """Return crashes of its own until each wanted thing was raised, false alarms, CPU seconds."""
    pop = population(fleet)
    goals = wanted(fleet)
    reached: dict[str, int | None] = {name: None for name, _, _ in goals}
    false: list[Finding] = []
    start = time.process_time()
    for found in replay(pop):
        for finding in found.findings:
            hits = [name for name, _, is_it in goals if is_it(finding)]
            for name, cause, _ in goals:
                if name in hits and reached[name] is None:
                    own = [c for c in fleet.crashes if c.cause == cause]
                    reached[name] = sum(FIRST_DAY + c.day <= found.day for c in own)
            if not hits:
                false.append(finding)
    return reached, false, time.process_time() - start


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--design", choices=DESIGNS, default="racks")
    parser.add_argument("--show-false", action="store_true")
    args = parser.parse_args()
    print(
        "| fleet | found | own crashes: median, 90 % (max) | other findings a day | CPU s a fleet |"
    )
    print("|---|---|---|---|---|")
    for name, setting in DESIGNS[args.design][1].items():
        if args.only not in name:
            continue
        line(name, setting, args)


def late(values: list[int | None]) -> str:
    """Return the 90th percentile (nearest rank); a cause that was never named is beyond all."""
    ranked = sorted(float("inf") if v is None else v for v in values)
    found = ranked[math.ceil(0.9 * len(ranked)) - 1]
    return "never" if math.isinf(found) else f"{found:g}"


def line(name: str, setting: dict[str, float], args: argparse.Namespace) -> None:
    """Print the row of one kind of fleet."""
    reached: dict[str, list[int | None]] = {}
    false, seconds, days = 0, 0.0, 0
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        fleet = DESIGNS[args.design][0](seed, **setting)
        got, wrong, took = measure(fleet)
        for goal, n in got.items():
            reached.setdefault(goal, []).append(n)
        false, seconds, days = false + len(wrong), seconds + took, days + fleet.days
        if args.show_false:
            for f in wrong:
                print("   ", seed, *f[:11], file=sys.stderr)
    parts = []
    for goal, values in reached.items():
        hits = [v for v in values if v is not None]
        middle = f"{statistics.median(hits):g}, {late(values)} ({max(hits)})" if hits else "-"
        parts.append((f"{goal} {len(hits)}/{len(values)}", f"{goal} {middle}"))
    found = "; ".join(p[0] for p in parts) or "-"
    own = "; ".join(p[1] for p in parts) or "-"
    print(f"| {name} | {found} | {own} | {false / days:.3f} | {seconds / args.fleets:.1f} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
