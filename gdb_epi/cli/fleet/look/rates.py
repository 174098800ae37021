# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet rates`: is a version, a kernel, a ring of hosts worse than the others?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet import output
from gdb_epi.cli.support.messages import repeated_database_option
from gdb_epi.errors import UsageError
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted, shortened_list

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.rates import RatesByValue, ValueRate
    from gdb_epi.fleet.statistics.rate_ratios import RateRatio

HELP = "crashes per host-hour by the values of an attribute: is this kernel, this release worse?"
EPILOG = (
    "Each value is compared with the others on the same days, and with its own hosts while they "
    "had another value: a canary ring has more crashes than others, and had them before, too. "
    "While some hosts change and others do not, both together judge."
)
NAMED = 12  # attributes that an error names
HOSTS = ("host", "hosts", "hostname", "node", "machine")  # names of no attribute
NOTE = (
    "(times: how many times as often as the others; 95 % intervals, each row by itself: of 20 rows "
    "one lies beside 1 by chance; given both: its hosts before and after, beside the other hosts)"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "attribute", metavar="ATTRIBUTE[=VALUE]", help="kernel; or kernel=6.1.0-28, in words"
    )
    parser.add_argument("--signature", metavar="SIGNATURE", help="of this signature alone")
    output.add_limit_option(parser, 20, "values")
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print a row for each value, or what can be said of one."""
    import numpy as np

    from gdb_epi.fleet.decisions.repairs import screen_without_repaired_hosts_past
    from gdb_epi.fleet.population.open_for_question import open_for_question
    from gdb_epi.fleet.questions.rates import rates_of_values
    from gdb_epi.fleet.questions.suspects import (
        MAX_UNEXPLAINED_CRASHES,
        signatures_with_value_words,
    )
    from gdb_epi.fleet.screen.finding import TIME_AND_CPU_ATTRIBUTES

    name, _, value = args.attribute.partition("=")
    if args.signature is not None:
        from gdb_epi.cli.fleet.causes.split import population_and_signature_code

        population, code = population_and_signature_code(args.db, args.signature, args.asof)
        members = population.signature == code
    else:
        with open_for_question(args.db) as base:
            population = base.population(output.parse_day_argument(args.asof))
        members = np.ones(population.day.size, dtype=bool)
    attribute = population.attribute_asked_for(name)
    without_rates = {
        **dict.fromkeys(HOSTS, "a host is judged by what its crashes are, not by their rate alone"),
        **dict.fromkeys(("cpu", *TIME_AND_CPU_ATTRIBUTES), f"no host-hours tell of a {name}"),
    }
    if attribute is None and name in without_rates:
        raise UsageError(
            without_rates[name],
            hint=f"gdb-epi fleet suspects{repeated_database_option(args)}",
        )
    if attribute is None:
        # The attributes of hosts that have host-hours first: rates are known of these.
        by_hours = sorted(population.attributes, key=lambda a: not a.has_hours)
        names = shortened_list([repr(a.name) if " " in a.name else a.name for a in by_hours], NAMED)
        there_are = f"there are {names}" if names else "none is stored"
        raise UsageError(
            f"no attribute {name!r}: {there_are}",
            hint=f"gdb-epi fleet check{repeated_database_option(args)}",
        )
    with_answers = bool(value) or args.json or args.csv
    screened = None
    if with_answers and population.day.size <= MAX_UNEXPLAINED_CRASHES:
        screened = screen_without_repaired_hosts_past(population)
    findings = () if screened is None else screened.findings
    rates = rates_of_values(population, attribute, members, explain=with_answers, findings=findings)
    rows = rates.rows
    asked = [row for row in rows if row.value == value]
    begun = [row for row in rows if value and row.value.startswith(value)]
    asked = asked or begun * (len(begun) == 1)
    others = int(attribute.crashes_with(value).sum()) if value in attribute.values else 0
    if value and not asked and not others:
        values = ", ".join(row.value for row in rows[:NAMED])
        raise UsageError(
            f"no {name} is {value!r}: there are {values or 'none'}",
            hint=f"gdb-epi fleet rates {name}{repeated_database_option(args)}",
        )
    if args.json or args.csv:
        output.print_rows([_rate_json(row) for row in asked or rows[: args.limit]], as_csv=args.csv)
        return
    if value and not asked:
        output.print_line(
            f"{name}={value}: none of these {counted(int(members.sum()), 'crash')} has it, and "
            f"{counted(others, 'other crash')} of this fleet {'has' if others == 1 else 'have'} it"
        )
        print()
    for row in asked:
        overall = [f"{name}={row.value}: {row.sentences[0]}", *row.sentences[1:]]
        marked = []
        if args.signature is None:
            marked = signatures_with_value_words(population, findings, attribute.name, row.value)
        # What it brings is the answer where all crashes together hide it.
        is_hidden = bool(marked) and "more crashes with it" not in row.answer
        lines = [*marked, *overall] if is_hidden else [*overall, *marked]
        output.print_lines_by_causes(args.db, lines)
        print()
    _print_table(args, name, rates)


def _print_table(args: Namespace, name: str, rates: RatesByValue) -> None:
    rows = rates.rows
    headers = (
        name, "crashes", "hosts", "host-hours", "per 1000 hours", "on the same days", "same hosts",
        "given both",
    )  # fmt: skip
    # Of the values with the most host-hours, the highest rate first.
    by_rate = sorted(rows[: args.limit], key=lambda row: -(row.per_1000_hours or 0.0))
    cells = [_row_cells(row) for row in by_rate]
    kept = [i for i in range(len(headers)) if not cells or any(row[i] != "" for row in cells)]
    output.print_table(
        [headers[i] for i in kept],
        [[row[i] for i in kept] for row in cells],
        empty="no crashes",
        below=("given both", "same hosts", "on the same days"),
    )
    if len(rows) > args.limit:
        print(f"The first {args.limit} of {len(rows)}; more: --limit {len(rows)}")
    if any(row.same_days or row.same_hosts for row in rows):
        output.print_line(NOTE)
    elif any(row.hours for row in rows):
        output.print_line(f"only one {name} has host-hours: its rate is compared with nothing")
    elif rows:
        output.print_line(
            f"no host-hours tell of {name}, so no rates; gdb-epi fleet suspects"
            f"{repeated_database_option(args)} compares with other crashes"
        )
    for words in rates.silent:
        output.print_line(f"left out: {words}")
    if rates.limit is not None:
        output.print_line(f"left out: {rates.limit.words()}")
    if rates.repeats:
        suspects = f"gdb-epi fleet suspects{repeated_database_option(args)}"
        output.print_line(
            f"{counted(rates.repeats, 'crash')} more came together with others, as of one event or "
            f"a restarted program: counted once; {suspects}"
        )
    if rates.without_value:
        output.print_line(f"{counted(rates.without_value, 'crash')} without a {name} that is known")
    if rates.not_covered and any(row.hours for row in rows):
        output.print_line(
            f"{counted(rates.not_covered, 'crash')} left out: no host-hours tell of these; "
            f"gdb-epi fleet check{repeated_database_option(args)}"
        )


def _row_cells(row: ValueRate) -> list[object]:
    rate = "" if row.per_1000_hours is None else f"{row.per_1000_hours:.3g}"
    hours = f"{row.hours:,.0f}" if row.hours else ""
    risks = [_risk_text(row.same_days), _risk_text(row.same_hosts), _risk_text(row.same_both)]
    return [row.value, row.crashes, row.hosts, hours, rate, *risks]


def _risk_text(risk: RateRatio | None) -> str:
    return "" if risk is None else f"{risk.ratio:.2g} ({risk.range_words()})"


def _rate_json(row: ValueRate) -> dict[str, object]:
    names = ("same_days", "same_hosts", "same_both")
    risks = {name: getattr(row, name) and getattr(row, name)._asdict() for name in names}
    fields = {**row._asdict(), **risks, "answer": row.answer}
    del fields["sentences"]
    return fields
