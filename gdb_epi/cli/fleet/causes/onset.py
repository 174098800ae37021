# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet onset`: when a signature began, and with which roll-out."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet import output
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.onset import OnsetAnswer

HELP = "when the rate of a signature changed, beside the roll-out dates of attributes"


add_arguments = output.add_signature_question_arguments


def run(args: Namespace) -> None:
    """Print the day, its interval, and the roll-outs of that time."""
    from gdb_epi.cli.fleet.causes.split import population_and_signature_code
    from gdb_epi.fleet.questions.onset import find_onset

    population, code = population_and_signature_code(args.db, args.signature, args.asof)
    answer = find_onset(population, code)
    data = _onset_json(answer)
    if args.csv:
        rows = data["roll_outs"] or [{}]
        head = {k: v for k, v in data.items() if k not in ("roll_outs", "caveats")}
        output.print_rows([{**head, **row} for row in rows], as_csv=True)
    elif args.json:
        print(json.dumps(data))
    else:
        from gdb_epi.fleet.questions.suspects import sentences_about_signature
        from gdb_epi.render.signature_words import signature_phrase_and_key

        output.print_lines_by_causes(args.db, [signature_phrase_and_key(answer.signature)])
        _print_onset(answer)
        if len(answer.roll_outs) != 1:  # of several together some may be no reason
            goes_with = sentences_about_signature(population, code)
            output.print_lines(
                f"  over all days: {words}" for words in goes_with if words not in answer.answer
            )


def _onset_json(answer: OnsetAnswer) -> dict[str, Any]:
    from gdb_epi.fleet.store.day_numbers import iso_day

    data: dict[str, Any] = answer._asdict()
    for name in ("day", "low", "high", "first_crash"):
        data[name] = None if data[name] is None else iso_day(data[name])
    data["roll_outs"] = [
        {
            **r._asdict(),
            "first": iso_day(r.first),
            "half": None if r.half is None else iso_day(r.half),
        }
        for r in answer.roll_outs
    ]
    return {**data, "caveats": list(answer.caveats)}


def _print_onset(answer: OnsetAnswer) -> None:
    from gdb_epi.fleet.screen.finding_texts import describe_comparison, describe_risk
    from gdb_epi.fleet.store.day_numbers import iso_day

    output.print_line(f"  {answer.answer}")
    if answer.remains is not None:
        output.print_line(f"  {answer.remains}")
    for caveat in answer.caveats:
        output.print_line(f"    but: {caveat}")
    if answer.day is not None and answer.low is not None and answer.high is not None:
        span = f" (95 %: {iso_day(answer.low)} to {iso_day(answer.high)})"
        changed = iso_day(answer.day) + span * (answer.low != answer.high)
        output.print_line(f"  changed on {changed}, p {answer.p:.2g}")
        how = "the day that parts the rates best; p: how often shuffled crashes do as well"
        output.print_line(f"  counted: {how}")
        unit = "per 1,000 host-hours" if answer.exposure == "host-hours" else "a day"
        rates = f"rate {answer.before:.3g} before, {answer.after:.3g} after, crashes {unit}"
        assert answer.rr is not None and answer.rr_low is not None and answer.rr_high is not None
        output.print_line(f"  {rates}; {describe_risk(answer.rr, answer.rr_low, answer.rr_high)}")
    first = "" if answer.first_crash is None else f", the first on {iso_day(answer.first_crash)}"
    if answer.crashes:
        output.print_line(
            f"  {counted(answer.crashes, 'crash')}{first}{describe_comparison(answer.exposure)}"
        )
    for r in answer.roll_outs:
        half = "" if r.half is None else f", on half of the hosts from {iso_day(r.half)}"
        since = "gone from" if r.went else "from"
        own = "no day had it and others" if r.p is None else f"p of its own days {r.p:.2g}"
        have = f"{r.with_it} of the crashes have it, {r.expected:.1f} expected by chance"
        roll_out = f"{r.words()}: {since} {iso_day(r.first)}{half}"
        output.print_line(f"    {roll_out}; {have}; {own}; fit to the change {r.fit:.1f}")
