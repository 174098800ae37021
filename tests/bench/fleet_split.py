# SPDX-License-Identifier: Apache-2.0
"""Measure `split` on simulated fleets: how well its parts agree with the causes, and from when on.

python tests/bench/fleet_split.py [--fleets 20] [--only NAME] [--spoil "feed late"]

ARI: adjusted Rand index of the parts at the end of the month against the planted causes, once with
the crashes that are left unassigned as a part of their own, once without them. "Own
crashes": of each cause, on the first day from which a part has its mark (an alias that cannot be
told apart counts, as the part prints it). "Days open" are those with MIN_OWN crashes of a cause of
versions on which nothing names it yet, and on how many of them it is among what the answer says
cannot be told from chance; "left open" are fleets with all causes found whose answer still says so
of some crashes at the end.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (2, 1)]
from support import fleet_troubles
from support.fleet_simulator import FIRST_DAY, Fleet, agreement, population, simulate

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.splitting import UNCERTAIN, SignatureSplit, split_signature

SETTINGS = {
    "host and kernel, 2 a day": {"split": 2.0},
    "host and kernel, 1 a day": {"split": 1.0},
    "image and kernel told by facts, 2 a day": {"forms": 2.0},
    "image and kernel told by facts, 4 a day": {"forms": 4.0},
    "one cause: image and load, 2 a day": {"race": 2.0},
    "nothing, facts vary by chance, 2 a day": {"looks": 2.0},
}


MIN_OWN = 3  # crashes of a cause, from which on it could be named


def goals(fleet: Fleet, name: str) -> dict[str, set[tuple[str, str]]]:
    """Return the cause of each part and the marks that name it."""
    if name == "two-faces":
        _, host, values = fleet.truth["split"]
        return {"split-host": {("host", host)}, "split-software": set(values.items())}
    if name == "shapes":
        _, first, second = fleet.truth["forms"]
        return {"forms-image": set(first.items()), "forms-kernel": set(second.items())}
    return {"race": set(fleet.truth["race"][1].items())} if name == "race" else {}


def marks(part: object) -> set[tuple[str, str]]:
    """Return what a part is said to go with."""
    pairs = set()
    for finding in (part.finding, *part.also) if part.finding else ():
        pairs.add((finding.attr, finding.value))
        pairs |= {tuple(alias.split("=", 1)) for alias in finding.aliases}
    return pairs


def possible(parted: SignatureSplit) -> set[tuple[str, str]]:
    """Return what the answer says cannot be told from chance."""
    possible_marks = (part.undecided.possible for part in parted.parts if part.undecided)
    return {(mark.attr, mark.value) for marks_of_part in possible_marks for mark in marks_of_part}


def answered(whole: Population, name: str, day: int) -> SignatureSplit | None:
    """Return the split at the end of a day."""
    then = whole.until_day(day)
    code = then.signatures.index(name)
    return split_signature(then, code, day) if (then.signature == code).any() else None


class Measured(NamedTuple):
    """What one fleet's split is like at the end, and own crashes until each cause was named."""

    ari: float  # uncertain crashes as a part of their own
    ari_assigned: float
    assigned: float  # share of the crashes
    parts: int
    marked: int
    reached: dict[str, int | None]
    days_open: int
    days_said: int
    left_open: bool


def measure(fleet: Fleet, name: str, seed: int, spoil: list[str]) -> Measured:
    """Split one fleet day by day."""
    whole = population(fleet)
    if spoil:
        whole = fleet_troubles.spoil(whole, seed, spoil)
    mine = [i for i, c in enumerate(fleet.crashes) if c.signature == name]
    final = answered(whole, name, FIRST_DAY + fleet.days - 1)
    label = {int(i): p for p, part in enumerate(final.parts) for i in part.members.nonzero()[0]}
    told = [i for i in mine if final.parts[label[i]].mark != UNCERTAIN]
    ari, ari_told = (
        agreement([fleet.crashes[i].cause for i in some], [label[i] for i in some])
        for some in (mine, told)
    )
    reached: dict[str, int | None] = {}
    days_open = days_said = 0
    for cause, wanted in goals(fleet, name).items():
        reached[cause] = None
        for day in sorted({c.day for c in fleet.crashes if c.signature == name}):
            split = answered(whole, name, FIRST_DAY + day)
            own = sum(c.cause == cause and c.day <= day for c in fleet.crashes)
            if any(marks(part) & wanted for part in split.parts):
                reached[cause] = own
                break
            if own >= MIN_OWN and not any(attr == "host" for attr, _ in wanted):
                days_open += 1
                days_said += bool(possible(split) & wanted)
    marked = sum(part.finding is not None for part in final.parts)
    parts = sum(part.mark != UNCERTAIN for part in final.parts)
    left_open = None not in reached.values() and any(p.undecided for p in final.parts)
    assigned = len(told) / len(mine)
    return Measured(
        ari, ari_told, assigned, parts, marked, reached, days_open, days_said, left_open
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=5000)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--spoil", action="append", default=[], choices=fleet_troubles.SPOILERS)
    args = parser.parse_args()
    print("| signature | ARI: mean, median (least); all / assigned | assigned ", end="")
    print("| parts, marked | own crashes: median (max) | days open, said; left open |")
    print("|---|---|---|---|---|---|")
    for title, setting in SETTINGS.items():
        if args.only in title:
            line(title, setting, args)


NAMES = {"split": "two-faces", "forms": "shapes", "race": "race", "looks": "looks"}


def line(title: str, setting: dict[str, float], args: argparse.Namespace) -> None:
    """Print the row of one kind of fleet."""
    name = NAMES[next(iter(setting))]
    measured = []
    for seed in range(args.first_seed, args.first_seed + args.fleets):
        measured.append(measure(simulate(seed, **setting), name, seed, args.spoil))
        if args.each:
            print(seed, measured[-1], file=sys.stderr)
    rand_indices = " / ".join(
        f"{statistics.mean(ari):.3f}, {statistics.median(ari):.3f} ({min(ari):.3f})"
        for ari in ([f.ari for f in measured], [f.ari_assigned for f in measured])
    )
    share = statistics.mean(f.assigned for f in measured)
    parts = (
        f"{statistics.mean(f.parts for f in measured):.1f}, "
        f"{statistics.mean(f.marked for f in measured):.1f}"
    )
    words = []
    for cause in measured[0].reached:
        hits = [n for f in measured if (n := f.reached[cause]) is not None]
        middle = f"{statistics.median(hits):g} ({max(hits)})" if hits else "-"
        words.append(f"{cause} {len(hits)}/{len(measured)}: {middle}")
    days_open, days_named = (sum(f[i] for f in measured) for i in (-3, -2))
    opened = f"{days_open}, {days_named}; {sum(f.left_open for f in measured)} of {len(measured)}"
    own = "; ".join(words) or "-"
    print(f"| {title} | {rand_indices} | {share:.1%} | {parts} | {own} | {opened} |", flush=True)


if __name__ == "__main__":
    main()
