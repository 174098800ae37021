# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet correlate`: attributes that go together, or with a signature in pairs."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet import output
from gdb_epi.cli.support.messages import no_crashes_message
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.correlate import (
        ConditionPairOfSignature,
        ConditionPairSearchResult,
    )

HELP = "pairs of attributes that go together (Cramer's V), or that mark a signature together"
EPILOG = (
    "With SIGNATURE: pairs of values (a version and a load) that have more of it than their share."
)
STRENGTH = (
    "(strength: Cramer's V, from 0 to 1: how far the value of one tells that of the other; "
    "host-days: one host on one day)"
)
MIN_SHOWN = 0.005  # V of a pair that a table shows: less is 0.00
_WORDS = {"same": "is the same as", "decides": "decides", "together": "goes with", "apart": "-"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    signature_help = "a key, its start, or a part of it: pairs that mark this signature"
    parser.add_argument("signature", metavar="SIGNATURE", nargs="?", help=signature_help)
    output.add_limit_option(parser, 30, "pairs")
    output.add_day_and_output_options(parser, "one JSON object")


def run(args: Namespace) -> None:
    """Print the pairs, the strongest first."""
    if args.signature is not None:
        _print_pairs_of_signature(args)
        return
    from gdb_epi.fleet.population.open_for_question import open_for_question

    asof = output.parse_day_argument(args.asof)
    with open_for_question(args.db) as base:
        population = base.population(asof)
    from gdb_epi.fleet.questions.correlate import correlate_attributes

    correlation = correlate_attributes(population)
    pairs = correlation.pairs[: args.limit]
    if args.csv:
        output.print_rows([pair._asdict() for pair in pairs], as_csv=True)
    elif args.json:
        whole = {"groups": correlation.groups, "nested": correlation.nested}
        print(json.dumps({"pairs": [pair._asdict() for pair in pairs], **whole}))
    else:
        rows = [
            (p.first, _WORDS[p.relation], p.second, f"{p.v:.2f}", f"{p.rows:,} {p.source}")
            for p in pairs
            if p.v >= MIN_SHOWN
        ]
        nothing = (
            "no two attributes go together" if population.day.size else no_crashes_message(args)
        )
        headers = ("attribute", "", "attribute", "strength", "seen in")
        output.print_table(headers, rows, empty=nothing)
        if rows:
            print("")
            output.print_line(STRENGTH)
        for group in correlation.groups:
            output.print_line(f"each tells the others' values: {', '.join(group)}")


def _print_pairs_of_signature(args: Namespace) -> None:
    from gdb_epi.cli.fleet.causes.split import population_and_signature_code
    from gdb_epi.fleet.questions.correlate import search_condition_pairs

    population, code = population_and_signature_code(args.db, args.signature, args.asof)
    day = population.last_day
    search = search_condition_pairs(population, code, day)
    search = search._replace(pairs=search.pairs[: args.limit])
    if args.csv:
        output.print_rows([_pair_row(pair, day) for pair in search.pairs], as_csv=True)
    elif args.json:
        rows = [
            {**_pair_row(p, day), "alone": [a._asdict() for a in p.alone]} for p in search.pairs
        ]
        print(json.dumps({**search._asdict(), "pairs": rows}))
    else:
        from gdb_epi.fleet.questions.suspects import sentences_about_signature
        from gdb_epi.render.signature_words import signature_phrase_and_key

        output.print_lines_by_causes(args.db, [signature_phrase_and_key(search.signature)])
        _print_pairs(search)
        if not search.pairs:
            for words in sentences_about_signature(population, code):
                output.print_line(f"  by itself: {words}")


def _pair_row(pair: ConditionPairOfSignature, day: int) -> dict[str, Any]:
    from gdb_epi.fleet.screen.finding_texts import finding_json

    numbers = finding_json(pair.finding, day)
    names = ("signature", "n", "total", "p", "q", "rr", "rr_interval", "test", "exposure")
    first, second = pair.alone
    head = {"attr": first.attr, "value": first.value}
    head |= {"and_attr": second.attr, "and_value": second.value}
    return {**head, **{k: numbers[k] for k in (*names, "aliases", "caveats")}}


def _print_pairs(search: ConditionPairSearchResult) -> None:
    from gdb_epi.fleet.screen.finding_texts import (
        P_AND_Q,
        describe_risk,
        describe_risk_and_p_value,
        describe_test,
    )

    size = counted(search.crashes, "crash")
    if search.left_out:
        size += f", beside {counted(search.left_out, 'crash')} that single hosts explain"
    output.print_line(f"  {counted(search.tested, 'pair')} of attributes looked at in {size}")
    if search.not_tested:
        output.print_line(f"  too many values to look at: {', '.join(search.not_tested)}")
    for pair in search.pairs:
        finding = pair.finding
        share = f"{finding.n} of {counted(finding.total, 'crash')}"
        output.print_line(f"  {pair.mark}: {share}; {describe_risk_and_p_value(finding)}")
        for alone in pair.alone:
            risk = describe_risk(alone.rr, alone.rr_low, alone.rr_high)
            share = f"{alone.n} of {alone.total}"
            output.print_line(f"      {alone.attr}={alone.value} alone: {share}, {risk}")
        for alias in finding.aliases:
            output.print_line(f"      or: {alias}: cannot be told apart from it")
        output.print_line(f"      {describe_test(finding.test, finding.exposure)}")
        for caveat in finding.caveats:
            output.print_line(f"      but: {caveat}")
    if search.pairs:
        output.print_line(f"  {P_AND_Q}")
    else:
        output.print_line("  no pair of values surely marks them more than a single one does")
    if len(search.shared) > 1:
        both = " and ".join(search.shared)
        output.print_line(f"  whether they need all of these cannot be told yet: {both}")
