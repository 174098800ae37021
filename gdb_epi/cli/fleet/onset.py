# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet onset`: when a signature began, and with which roll-out."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet.output import add_forms, print_line
from gdb_epi.errors import EXIT_DONE
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.onset import Onset

HELP = "when the rate of a signature changed, beside the roll-out dates of attributes"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("signature", metavar="SIGNATURE", help="a key, its start, or a part of it")
    add_forms(parser, "one JSON object")


def run(args: Namespace) -> int:
    """Print the day, its interval, and the roll-outs of that time."""
    from gdb_epi.cli.fleet.output import print_rows
    from gdb_epi.cli.fleet.split import population_and_code
    from gdb_epi.fleet.questions.onset import onset

    population, code = population_and_code(args.db, args.signature)
    found = onset(population, code)
    data = _data(found)
    if args.csv:
        rows = data["roll_outs"] or [{}]
        head = {k: v for k, v in data.items() if k not in ("roll_outs", "caveats")}
        print_rows([{**head, **row} for row in rows], as_csv=True)
    elif args.json:
        print(json.dumps(data))
    else:
        _text(found)
    return EXIT_DONE


def _data(found: Onset) -> dict[str, Any]:
    from gdb_epi.fleet.store.days import iso_day

    data: dict[str, Any] = found._asdict()
    for name in ("day", "low", "high", "first_crash"):
        data[name] = None if data[name] is None else iso_day(data[name])
    data["roll_outs"] = [
        {
            **r._asdict(),
            "first": iso_day(r.first),
            "half": None if r.half is None else iso_day(r.half),
        }
        for r in found.roll_outs
    ]
    return {**data, "caveats": list(found.caveats)}


def _text(found: Onset) -> None:
    from gdb_epi.fleet.screen.finding_texts import risk_words
    from gdb_epi.fleet.store.days import iso_day

    print_line(found.signature)
    print_line(f"  {found.answer}")
    for caveat in found.caveats:
        print_line(f"    but: {caveat}")
    if found.day is not None and found.low is not None and found.high is not None:
        span = f"{iso_day(found.low)} to {iso_day(found.high)}"
        print_line(f"  changed on {iso_day(found.day)} (95 %: {span}), p {found.p:.2g}")
        print_line("  test: likelihood-ratio scan over days, p by 999 permutations of the crashes")
        unit = "per 1,000 host-hours" if found.exposure == "host-hours" else "a day"
        rates = f"rate {found.before:.3g} before, {found.after:.3g} after, crashes {unit}"
        assert found.rr is not None and found.rr_low is not None and found.rr_high is not None
        print_line(f"  {rates}; {risk_words(found.rr, found.rr_low, found.rr_high)}")
    first = "" if found.first_crash is None else f", the first on {iso_day(found.first_crash)}"
    print_line(f"  {counted(found.crashes, 'crash')}{first}; exposure: {found.exposure}")
    for r in found.roll_outs:
        half = "never half" if r.half is None else f"half on {iso_day(r.half)}"
        own = "no day had both" if r.p is None else f"own days p {r.p:.2g}"
        told = f"{r.attr}={r.value}: from {iso_day(r.first)}, {half}; fit {r.fit:.1f}, {own}"
        print_line(f"    {told}; {r.with_it} of the crashes ({r.expected:.1f} expected)")
