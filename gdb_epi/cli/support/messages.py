# SPDX-License-Identifier: Apache-2.0
"""Messages to the user beside an answer."""

from __future__ import annotations

import sys

from gdb_epi.typing_lite import TYPE_CHECKING, Namespace
from gdb_epi.util import shell_word

if TYPE_CHECKING:
    from gdb_epi.cli.support.quick_parser import ParsedArguments
    from gdb_epi.report import Report


def write_to_stderr(line: str) -> None:
    """Write one line to standard error, with nothing in it that steers a terminal."""
    from gdb_epi.render.escape import escape

    print(f"gdb-epi: {escape(line)}", file=sys.stderr)


def print_report(report: Report, *, as_json: bool) -> int:
    """Print a report as text or JSON; return the exit code of the verb."""
    if as_json:
        from gdb_epi.render.report_json import render_report_json

        text = render_report_json(report)
    else:
        from gdb_epi.render.report_text import render_report

        text = render_report(report)
    sys.stdout.write(text + "\n")
    return report.exit_code


def repeated_file_options(args: Namespace) -> str:
    """Return --exe and --sysroot as they were given, for commands that are to be pasted."""
    words = f" --exe {shell_word(args.exe)}" if args.exe else ""
    return words + "".join(f" --sysroot {shell_word(root)}" for root in args.sysroot or ())


def no_crashes_message(args: Namespace) -> str:
    """Return what an empty database says, and how to fill it."""
    again = repeated_database_option(args)
    return f"no crashes in this database; the first: gdb-epi triage CORE{again}"


def settle_finding_hint(finding: str) -> str:
    """Return the line below findings; `finding` is the ID, or the word for it, and its options."""
    confirm, dismiss = (f"gdb-epi fleet {verb} {finding}" for verb in ("confirm", "dismiss"))
    return f"To settle a finding: {confirm}, or {dismiss}"


def repeated_database_option(args: Namespace | ParsedArguments) -> str:
    """Return --db as it was given, or --no-db; an address that may hold a password as URL."""
    if getattr(args, "no_db", False):
        return " --no-db"
    address: str | None = getattr(args, "db", None)
    if not address:
        return ""
    return f" --db {'URL' if '@' in address else shell_word(address)}"


HOW_TO_GIVE_HOST = (
    "on each host gdb-epi host-facts -o host.json, beside its cores; then gdb-epi triage FOLDER"
)
HOW_TO_GIVE_TIME = "gdb-epi triage --journal FILE, or --core-pattern core.%e.%p.%t"


def missing_origin_lines(*, no_host: bool, no_time: bool) -> list[str]:
    """Return how to give the host and the time of crashes, of what none has."""
    lines = [f"host not known; to give it: {HOW_TO_GIVE_HOST}"] if no_host else []
    return lines + ([f"time not known; to give it: {HOW_TO_GIVE_TIME}"] if no_time else [])
