# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet split`: the populations inside one signature."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet import output
from gdb_epi.errors import InputError
from gdb_epi.util import counted, pick_attributes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.fleet.population.population import Population
    from gdb_epi.fleet.questions.population_verdict import PopulationVerdict
    from gdb_epi.fleet.questions.splitting import SignaturePart, SignatureSplit

HELP = "the populations inside one signature: hosts first, then what marks the rest"


add_arguments = output.add_signature_question_arguments


def run(args: Namespace) -> None:
    """Print the parts, largest evidence first."""
    from gdb_epi.fleet.questions.onset import find_onset
    from gdb_epi.fleet.questions.population_verdict import NOT_ENOUGH, verdict_of_split_signature
    from gdb_epi.fleet.questions.splitting import split_signature
    from gdb_epi.fleet.screen.events import find_events

    population, code = population_and_signature_code(args.db, args.signature, args.asof)
    parted = split_signature(population, code, population.last_day)
    judged = verdict_of_split_signature(population, parted)
    beside = _timing_remarks(population, code) if judged.kind == NOT_ENOUGH else []
    if beside:
        judged = judged._replace(headline=beside.pop(0))
    elif (
        together := find_events(population).event_of_most_crashes(population, code, 0.0)
    ) is not None:
        beside.append(f"came together, and count once each time: {together}")
    if args.json or args.csv:
        _print_machine_readable(population, parted, judged, as_csv=args.csv)
    else:
        from gdb_epi.render.signature_words import signature_phrase_and_key

        output.print_lines_by_causes(args.db, [signature_phrase_and_key(parted.signature)])
        _print_parts(parted, judged, beside)
        if (remains := find_onset(population, code).remains) is not None:
            output.print_line(f"  {remains}")


def _timing_remarks(population: Population, code: int) -> list[str]:
    """Say when crashes come that nothing else marks, or in what they came together."""
    from gdb_epi.fleet.screen.events import find_events
    from gdb_epi.fleet.screen.finding_texts import describe_verdict
    from gdb_epi.fleet.screen.time_and_cpu_patterns import time_and_cpu_findings

    events = find_events(population)
    name = population.signatures[code]
    findings = time_and_cpu_findings(events.counted, events.counted.day >= 0)
    moments = [describe_verdict(finding) for finding in findings if finding.signature == name]
    together = None if moments else events.event_of_most_crashes(population, code)
    return [*moments, *filter(None, [together])]


def population_and_signature_code(
    db: str | None, wanted: str, asof: str | None
) -> tuple[Population, int]:
    """Return the population by the end of a day, and the code in it of a signature.

    Raises InputError, or UsageError for what is no day.
    """
    from gdb_epi.fleet.population.open_for_question import open_for_question
    from gdb_epi.fleet.questions.find_signature import require_signature

    day = output.parse_day_argument(asof)
    with open_for_question(db) as base:
        group = require_signature(base.execute, wanted)
        population = base.population(day)
    if group.name not in population.signatures or not population.day.size:
        raise InputError("no crash of this signature is known by then")
    return population, population.signatures.index(group.name)


def _print_machine_readable(
    population: Population, parted: SignatureSplit, judged: PopulationVerdict, *, as_csv: bool
) -> None:

    parts = [_part_row(population, part, as_csv=as_csv) for part in parted.parts]
    if as_csv:
        output.print_rows(
            [{k: v for k, v in row.items() if k != "members"} for row in parts], as_csv=True
        )
        return
    head: dict[str, Any] = {
        "signature": parted.signature,
        "answer": parted.answer,
        "verdict": judged.headline,
    }
    head |= {"kind": judged.kind, "caveats": list(judged.caveats)}
    print(json.dumps({**head, "more": parted.more, "leaning": parted.leaning, "parts": parts}))


def _part_row(population: Population, part: SignaturePart, *, as_csv: bool) -> dict[str, Any]:
    from gdb_epi.fleet.screen.finding_texts import finite_or_none

    members = population.core_keys.keys_under(part.members)
    names = ("p", "q", "rr", "rr_low", "rr_high", "test", "exposure")
    numbers: dict[str, Any] = {name: getattr(part.finding, name, None) for name in names}
    if part.finding is not None:
        low, high = part.finding.rr_low, part.finding.rr_high
        numbers |= {"rr_low": finite_or_none(low), "rr_high": finite_or_none(high)}
    return {
        **pick_attributes(part, "mark", "label", "crashes", "hosts", "bitflips"),
        **numbers,
        "aliases": list(part.finding.aliases) if part.finding else [],
        "facts": "; ".join(part.facts) if as_csv else list(part.facts),
        "more": part.more,
        "leaning": part.leaning,
        **({} if as_csv else {"undecided": part.undecided and part.undecided.as_json()}),
        "members": members,
    }


def _print_parts(parted: SignatureSplit, judged: PopulationVerdict, beside: Sequence[str]) -> None:
    from gdb_epi.fleet.questions.splitting import REST
    from gdb_epi.fleet.screen.finding_texts import (
        P_AND_Q,
        describe_test,
        finding_sentence,
        spell_out_flags,
    )

    output.print_line(f"  {spell_out_flags(judged.headline)}")
    for caveat in judged.caveats:
        output.print_line(f"    but: {caveat}")
    output.print_lines(f"  {line}" for line in beside)
    if not parted.parts:
        output.print_line(
            "  all of its crashes came with events of others: gdb-epi fleet suspects shows them"
        )
    for part in parted.parts:
        where = counted(part.hosts, "host") if part.hosts else "no known host"
        size = f"{counted(part.crashes, 'crash')} on {where}"
        mark = (
            ""
            if part.mark == REST and len(parted.parts) == 1
            else f"{spell_out_flags(part.mark)}: "
        )
        output.print_line(f"  {size}: {mark}{part.label}")
        if part.here:
            output.print_line(f"      {part.here}")
        for finding in (part.finding, *part.also) if part.finding else ():
            output.print_line(f"      {finding_sentence(finding, heading=parted.signature)}")
            output.print_line(f"      {describe_test(finding.test, finding.exposure)}")
        for fact in part.facts:
            output.print_line(f"      told apart by {spell_out_flags(fact)}")
        possible = part.undecided.possible if part.undecided else ()
        if part.more is not None and not possible:
            more = f"about {counted(part.more, 'more crash')} would settle it"
            output.print_line(f"      leans to {part.leaning}, which may be chance; {more}")
        for line in part.undecided.lines() if part.undecided else ():
            output.print_line(f"      {line}")
        if part.bitflips:
            output.print_line(f"      {part.bitflips} of them have a flipped bit")
    if any(part.finding for part in parted.parts):
        output.print_line(f"  {P_AND_Q}")
