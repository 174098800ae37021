# SPDX-License-Identifier: Apache-2.0
"""Measure the daily screening on simulated fleets: recall, crashes until raised, false alarms.

python tests/bench/fleet_screen.py [--fleets 20] [--only NAME] [--design services]
                                   [--times-a-day 24] [--until-named]

A fleet is screened at the end of each day, or so many times a day, as by a job that runs
`fleet screen` each hour (`screen_at_times`). With --until-named a fleet ends once all is found: the
other findings are then not those of a month.

With --open it is counted what `fleet suspects` says of the bad host on the day of its fourth crash:
that it is named, that it may be bad (and, of those, after how many more crashes it is named beside
how many more it says), or nothing; and how many healthy hosts a day are said to be possible.

An "other mark" is a finding of a value, half of whose crashes are of planted causes: it is true.
Two simulators that share no code: what holds in one design only was tuned to it.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
import numpy as np
from support import fleet_services, fleet_troubles
from support.fleet_simulator import DAY, FIRST_DAY, Fleet, population, screen_at_times, simulate

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import (
    CLUSTERED_CRASHES,
    DAY_OF_WEEK,
    EVENT,
    HOST,
    LOOP_OF,
    TIME_OF_DAY,
    Finding,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.possibly_bad_hosts import PossiblyBadHost, find_possibly_bad_hosts
from gdb_epi.fleet.screen.screening import screen_day_by_day

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

# Of `fleet_troubles`: what is planted (add) and what is taken away (spoil), beside the rest.
BAD = {"bad_host": 1.0}
TROUBLES: dict[str, dict[str, Any]] = {
    "a crash loop of one host": {"add": ["loop"]},
    "one event on many hosts": {"add": ["everywhere"]},
    "half of a rack at once": {"add": ["rack event"]},
    "a loop and an event, beside a bad host": {"add": ["loop", "everywhere"], **BAD},
    "each night, 1 a day": {"add": ["time of day"]},
    "on Sundays, 3 each (60 days)": {"add": ["day of week"], "days": 60},
    "CPU number 5 of all hosts, 1 in 2 days": {"add": ["cpu number"]},
    "an image for six days, 2.5 a day": {"add": ["rolled back"]},
    "a race and a kernel at once, 2 a day each": {"add": ["overlap"], "race": 2.0},
    "load that follows the week, nothing planted": {"add": ["week load"]},
    "load that follows the week, 200 a day, variance 1": {
        "add": ["week load"],
        "per_day": 200.0,
        "variance": 1.0,
    },
    "63 hosts, 5 a day, nothing planted": {"hosts": 63, "per_day": 5.0},
    "63 hosts, 5 a day, bad host": {"hosts": 63, "per_day": 5.0, **BAD},
    "63 hosts, 5 a day, race, 1 a day": {"hosts": 63, "per_day": 5.0, "race": 1.0},
    **{f"{name}, nothing planted": {"spoil": [name]} for name in fleet_troubles.SPOILERS},
    **{f"{name}, bad host": {"spoil": [name], **BAD} for name in fleet_troubles.SPOILERS},
    "feed stops, race, 2 a day": {"spoil": ["feed stops"], "race": 2.0},
    "records lack, race, 2 a day": {"spoil": ["records lack"], "race": 2.0},
}

# Each class of spoiling with all that the figures name: several causes in one fleet, as they are.
NEW_CAUSES = ["time of day", "cpu number", "rolled back", "overlap"]
SPOILED: dict[str, dict[str, Any]] = {
    f"{name}: {row}": {**setting, "add": [*setting.get("add", []), *add], "spoil": spoil}
    for name, add, spoil in (
        ("as it is", [], []),
        *((name, [], [name]) for name in fleet_troubles.SPOILERS),
        ("bursts", ["bursts"], []),
    )
    for row, setting in (
        ("bad host 1, race 2, split 2 a day", {**BAD, "race": 2.0, "split": 2.0}),
        ("new causes", {"add": NEW_CAUSES}),
        ("200 a day, bad host", {"per_day": 200.0, **BAD}),
        ("200 a day, variance 1, nothing", {"per_day": 200.0, "variance": 1.0}),
        ("50 a day, nothing", {}),
        ("63 hosts, bad host, race 1", {"hosts": 63, "per_day": 5.0, "race": 1.0, **BAD}),
        ("63 hosts, nothing", {"hosts": 63, "per_day": 5.0}),
    )
}


def troubled(seed: int, add: Sequence[str] = (), spoil: object = (), **more: Any) -> Fleet:
    """Return a fleet of `racks` with troubles; `spoil` is for its population."""
    return fleet_troubles.add(simulate(seed, **more), seed, add)


DESIGNS: dict[str, tuple[Callable[..., Fleet], Mapping[str, Mapping[str, Any]]]] = {
    "racks": (simulate, SETTINGS),
    "services": (fleet_services.simulate, fleet_services.SETTINGS),
    "troubles": (troubled, TROUBLES),
    "spoiled": (troubled, SPOILED),
}

Wanted = tuple[str, str, Callable[[Finding], bool]]  # name, cause, is this finding it?


def wanted(fleet: Fleet) -> list[Wanted]:
    """Return what ought to be found."""
    truth = fleet.truth
    goals: list[Wanted] = []
    if "bad_host" in truth:
        host = truth["bad_host"]
        goals.append(("bad host", "bad_host", lambda f: (f.attr, f.value) == ("host", host)))
    if "race" in truth:
        name, values = truth["race"]
        goals.append(
            ("race", "race", lambda f: f.signature == name and values.get(f.attr) == f.value)
        )
    if "split" in truth:
        both, half, versions = truth["split"]
        goals.append(("split: host", "split-host", lambda f: (f.attr, f.value) == ("host", half)))
        goals.append(
            (
                "split: software",
                "split-software",
                lambda f: f.signature == both and bool(named(f) & set(versions.items())),
            )
        )
    if "pinned" in truth:
        at = truth["pinned"]
        goals.append(("bad CPU", "pinned", lambda f: (f.attr, f.value) == ("host", at)))
    if "forker" in truth:
        forks = truth["forker"]
        goals.append(("forking job", "forker", lambda f: (f.attr, f.value) == ("host", forks)))
    if "microcode" in truth:
        value = truth["microcode"]
        goals.append(
            ("microcode", "microcode", lambda f: (f.attr, f.value) == ("microcode", value))
        )
    for goal, about in (
        ("loop", lambda f: (f.attr, f.value) == (LOOP_OF, truth["loop"])),
        ("everywhere", lambda f: (f.attr, f.signature) == (EVENT, truth["everywhere"])),
        ("rack event", lambda f: f.attr == EVENT and truth["rack event"] in f.aliases),
        ("time of day", lambda f: (f.attr, f.signature) == (TIME_OF_DAY, truth["time of day"])),
        ("day of week", lambda f: (f.attr, f.signature) == (DAY_OF_WEEK, truth["day of week"])),
        ("cpu number", lambda f: (f.signature, f.value) == truth["cpu number"]),
        (
            "rolled back",
            lambda f: f.signature == "reverted" and truth["rolled back"][1] in named(f),
        ),
        ("overlap", lambda f: f.signature == "kernel-bug" and truth["overlap"][1] in named(f)),
    ):
        if goal in truth:
            goals.append((goal, goal, about))
    return goals


def named(finding: Finding) -> set[tuple[str, str]]:
    """Return what a finding names: its value, and those that it says cannot be told apart."""
    aliases = (alias.split("=", 1) for alias in finding.aliases)
    return {(finding.attr, finding.value), *((a, v) for a, v in aliases)}


def is_other_mark(fleet: Fleet, pop: Population, finding: Finding) -> bool:
    """Whether half of the crashes that a finding names are of planted causes: what is true of them.

    Such a finding names a planted cause by another mark, as an image that a race needs.
    """
    members = np.zeros(pop.day.size, dtype=bool)
    members[: finding.members.size] = finding.members
    keys = pop.core_keys.keys_under(members)
    planted = sum(bool(fleet.crashes[int(key, 16)].cause) for key in keys)
    return finding.attr != HOST and 2 * planted >= len(keys)


def measure(
    fleet: Fleet,
    seed: int = 0,
    spoil: Sequence[str] = (),
    times_a_day: int = 1,
    until_named: bool = False,
) -> tuple[dict[str, int | None], list[tuple[Finding, bool]], float]:
    """Return crashes of its own until each wanted thing was raised, others, CPU seconds.

    Beside each other finding is whether it names a planted cause by another mark.
    """
    pop = population(fleet)
    if spoil:
        pop = fleet_troubles.spoil(pop, seed, spoil)
    goals = wanted(fleet)
    reached: dict[str, int | None] = {name: None for name, _, _ in goals}
    others: list[tuple[Finding, bool]] = []
    start = time.process_time()
    for moment, screening in screen_at_times(fleet, pop, times_a_day):
        for finding in screening.findings:
            hits = [name for name, _, is_it in goals if is_it(finding)]
            for name, cause, _ in goals:
                if name in hits and reached[name] is None:
                    own = [c for c in fleet.crashes if c.cause == cause]
                    reached[name] = sum((FIRST_DAY + c.day) * DAY + c.second < moment for c in own)
            # A burst that nobody is accused of is told as what it is.
            if not hits and not ("bursts" in fleet.truth and finding.attr in CLUSTERED_CRASHES):
                others.append((finding, is_other_mark(fleet, pop, finding)))
        if until_named and None not in reached.values():
            break
    return reached, others, time.process_time() - start


class SaidOfBadHost(NamedTuple):
    """What is said of a fleet's bad host when it has ENOUGH crashes, and of healthy hosts."""

    named: bool
    is_open: bool
    more: int | None  # crashes that would tell, as it says
    took: int | None  # crashes that it took; None: it was not named
    healthy_open: int
    days: int  # that were looked at for healthy hosts


ENOUGH, EVERY = 4, 5  # own crashes; days


def said_of_bad_host(fleet: Fleet, seed: int, spoil: Sequence[str]) -> SaidOfBadHost:
    """Replay a fleet with a bad host."""
    pop = population(fleet)
    if spoil:
        pop = fleet_troubles.spoil(pop, seed, spoil)
    host = fleet.truth["bad_host"]
    others = {fleet.truth["split"][1]} if "split" in fleet.truth else set()
    own = sorted(FIRST_DAY + c.day for c in fleet.crashes if c.cause == "bad_host")
    at, named_on = own[ENOUGH - 1], None
    healthy = days = 0
    possible_hosts: list[PossiblyBadHost] = []
    for screening in screen_day_by_day(pop):
        named = {f.value for f in screening.hosts if is_about_whole_host(f.signature)}
        if named_on is None and host in named:
            named_on = screening.day
        if screening.day == at or screening.day % EVERY == 0:
            possible = find_possibly_bad_hosts(
                pop.until_day(screening.day), screening.day, screening
            )
            if screening.day == at:
                possible_hosts = [o for o in possible if o.host == host]
            if screening.day % EVERY == 0:
                days += 1
                healthy += sum(o.host != host and o.host not in others for o in possible)
    took = None if named_on is None else sum(day <= named_on for day in own)
    more = possible_hosts[0].more if possible_hosts else None
    is_named = named_on is not None and named_on <= at
    return SaidOfBadHost(is_named, bool(possible_hosts), more, took, healthy, days)


def open_line(name: str, setting: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Print what is said of the bad hosts of one kind of fleet."""
    outcomes = []
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        fleet = DESIGNS[args.design][0](seed, **setting)
        outcomes.append(said_of_bad_host(fleet, seed, setting.get("spoil", ())))
        if args.each:
            print(seed, outcomes[-1], file=sys.stderr)
    missed = [s for s in outcomes if not s.named]
    possible = [s for s in missed if s.is_open]
    a_day = sum(s.healthy_open for s in outcomes) / sum(s.days for s in outcomes)
    more = [(s.more, s.took - ENOUGH) for s in possible if s.took is not None]
    print(
        f"| {name} | named {len(outcomes) - len(missed)}/{len(outcomes)} | said to be possible "
        f"{len(possible)}/{len(missed)} | {a_day:.2f} | {more} |",
        flush=True,
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--design", choices=DESIGNS, default="racks")
    parser.add_argument("--times-a-day", type=int, default=1)
    parser.add_argument("--until-named", action="store_true")
    parser.add_argument("--show-false", action="store_true")
    parser.add_argument("--each", action="store_true", help="print the figure of each fleet")
    parser.add_argument("--open", action="store_true", help="what is said of the bad host")
    args = parser.parse_args()
    if args.open:
        print(
            "| fleet | by its fourth crash | of the others | healthy hosts that are possible ",
            end="",
        )
        print("| more crashes: said, took |")
        print("|---|---|---|---|---|")
        for name, setting in DESIGNS[args.design][1].items():
            if args.only in name and "bad_host" in setting:
                open_line(name, setting, args)
        return
    print(
        "| fleet | found | own crashes: median, 80 %, 90 % (max) | other findings a day "
        "| CPU s a fleet |"
    )
    print("|---|---|---|---|---|")
    for name, setting in DESIGNS[args.design][1].items():
        if args.only not in name:
            continue
        line(name, setting, args)


def late(values: list[int | None], share: float) -> str:
    """Return a percentile (nearest rank); a cause that was never named is beyond all."""
    ranked = sorted(float("inf") if v is None else v for v in values)
    percentile = ranked[math.ceil(share * len(ranked)) - 1]
    return "never" if math.isinf(percentile) else f"{percentile:g}"


def line(name: str, setting: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Print the row of one kind of fleet."""
    reached: dict[str, list[int | None]] = {}
    false, marks, seconds, days = 0, 0, 0.0, 0
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        fleet = DESIGNS[args.design][0](seed, **setting)
        how = setting.get("spoil", ()), args.times_a_day, args.until_named
        got, others, took = measure(fleet, seed, *how)
        for goal, n in got.items():
            reached.setdefault(goal, []).append(n)
        marks += sum(is_mark for _, is_mark in others)
        false, seconds, days = false + len(others), seconds + took, days + fleet.days
        if args.show_false:
            for f, is_mark in others:
                print("   ", seed, "mark" if is_mark else "", *f[:11], file=sys.stderr)
    parts = []
    for goal, values in reached.items():
        hits = [v for v in values if v is not None]
        middle = "-"
        if hits:
            percentiles = f"{late(values, 0.8)}, {late(values, 0.9)}"
            middle = f"{statistics.median(hits):g}, {percentiles} ({max(hits)})"
        parts.append((f"{goal} {len(hits)}/{len(values)}", f"{goal} {middle}"))
    if args.each:
        print(name, reached, file=sys.stderr)
    text = "; ".join(p[0] for p in parts) or "-"
    own = "; ".join(p[1] for p in parts) or "-"
    other = f"{false / days:.3f}" + (f", {marks / days:.3f} of it other marks" if marks else "")
    print(f"| {name} | {text} | {own} | {other} | {seconds / args.fleets:.1f} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
