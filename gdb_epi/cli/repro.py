# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi repro`: run a command until it crashes or hangs, and say whether that is the crash."""

from __future__ import annotations

import os
import shutil
import sys

from gdb_epi.argument_types import argument_error, positive_number, whole_number
from gdb_epi.cli.support.messages import write_to_stderr
from gdb_epi.errors import EXIT_DONE, EXIT_EXPECTATION_NOT_MET, EpiError, InputError, UsageError
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, Namespace, NoReturn
from gdb_epi.util import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.cli.support.examine import ExamineOptions
    from gdb_epi.repro.campaign import CampaignCounts, RunResult, SoughtCrash
    from gdb_epi.repro.run_once import RunPlan

GROUP = "One crash"
HELP = "run a command until it crashes or hangs; say how often, and whether it is this crash"
EPILOG = "Each run has its number in $GDB_EPI_RUN (0, 1 ...), for programs that want a seed."
EXIT_CODES = (
    "0 the expected crash came (without --expect: any crash or hang); 4 it did not; "
    "2 wrong arguments; 3 the command or the expectation cannot be used. With --bisect, as `git "
    "bisect run` wants it: 1 the expected crash came, 0 no crash in all runs, 125 the command "
    "could not be run, ended with an error in each run, or only another crash came, 128 wrong "
    "arguments (which ends the bisection)"
)
BISECT_BAD, BISECT_GOOD, BISECT_SKIP, BISECT_ABORT = 1, 0, 125, 128
RUNS = 10
MAX_RUNS = 1_000_000
SECONDS = 60.0
LEVELS = ("exact", "strict", "stable", "coarse")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("command", nargs="+", metavar="CMD", help="the command, after --")
    add("--expect", metavar="SIGNATURE", help="a key, a line gsig/2 ..., or a record as JSON file")
    add("--at", choices=LEVELS, help="the key that must be equal, or a narrower one (stable)")
    add("--runs", type=whole_number(1, MAX_RUNS), default=RUNS, metavar="N", help=f"runs ({RUNS})")
    add("--stop", action="store_true", help="stop at the first reproduction")
    add("--jobs", type=whole_number(1, MAX_RUNS), default=1, metavar="J", help="runs at once (1)")
    add(
        "--timeout",
        type=positive_number("seconds", 1e7),
        default=SECONDS,
        metavar="S",
        help="a run that takes longer counts as a hang (60)",
    )
    add("--confidence", type=_parse_share, default=0.95, metavar="C", help="of the interval (0.95)")
    add("--capture", choices=("auto", "core", "gdb"), default="auto",
        help="core: by the kernel; gdb: under GDB; auto: what works here")  # fmt: skip
    add("--children", action="store_true", help="under GDB: follow children too (GDB 14 or later)")
    add("--native", choices=("never", "auto", "always"), default="auto", help="frames by GDB")
    add("--gdb", metavar="PATH", help="the GDB to use")
    add("--keep", metavar="DIR", help="keep the cores there")
    add("--junit", metavar="FILE", help="write JUnit XML")
    add("--github", action="store_true", help="print GitHub annotations")
    add("--sarif", metavar="FILE", help="write SARIF 2.1.0")
    add("--json", action="store_true", help="print one JSON object, with the records")
    add("--bisect", action="store_true", help="exit codes for `git bisect run`")
    if "--bisect" in sys.argv and hasattr(parser, "error"):
        # Exit code 2 would tell git that the commit is bad.
        parser.error = _abort_bisection  # type: ignore[method-assign]


def run(args: Namespace) -> int:
    """Run the campaign and print what it says."""
    if not args.bisect:
        return _run_campaign(args)
    try:
        return _run_campaign(args)
    except UsageError as error:
        write_to_stderr(error.one_line_text())
        return BISECT_ABORT
    except EpiError as error:
        write_to_stderr(error.one_line_text())
        return BISECT_SKIP
    except Exception as error:  # noqa: BLE001 - boundary: exit code 1 calls the commit bad, 0 good
        from gdb_epi.cli.main import report_unexpected_error

        report_unexpected_error(error)
        return BISECT_ABORT


def _run_campaign(args: Namespace) -> int:
    from pathlib import Path

    from gdb_epi.cli.support.examine import ExamineOptions
    from gdb_epi.private_files import make_private_folder
    from gdb_epi.repro.campaign import count_results, run_campaign
    from gdb_epi.repro.reports import describe_run

    aim = _sought_crash(args)
    for option, name in (("--junit", args.junit), ("--sarif", args.sarif)):
        if name is not None and not os.path.isdir(os.path.dirname(name) or "."):
            raise UsageError(f"{option} {name}: no such folder", hint="mkdir -p")
    plan, jobs = _run_plan(args)
    options = ExamineOptions(native=args.native, gdb=args.gdb)
    if args.keep is not None:
        make_private_folder(Path(args.keep))  # for cores
    results: list[RunResult] = []
    stop = args.stop or args.bisect
    made = run_campaign(
        plan, aim, lambda core: _examine_core(core, options), args.runs, jobs,
        stop_at_first=stop, keep=args.keep,
    )  # fmt: skip
    for result in made:
        results.append(result)
        if not args.json:
            _print_escaped(describe_run(result, aim))
    results.sort(key=lambda result: result.run.number)
    counts = count_results(results, args.confidence, stopped_at_first=stop)
    _write_reports(args, results, counts, aim, plan)
    if not args.bisect:
        return EXIT_DONE if counts.expected else EXIT_EXPECTATION_NOT_MET
    if counts.expected:
        return BISECT_BAD
    unclear = counts.unable or counts.other or counts.did_every_run_fail or not counts.runs
    return BISECT_SKIP if unclear else BISECT_GOOD


def _sought_crash(args: Namespace) -> SoughtCrash:
    from gdb_epi.repro.campaign import SoughtCrash
    from gdb_epi.repro.expected_crash import choose_key_level, read_expectation

    if args.expect is None:
        return SoughtCrash(None, args.at or "stable")
    expectation = read_expectation(args.expect)
    return SoughtCrash(expectation, choose_key_level(expectation, args.at))


def _run_plan(args: Namespace) -> tuple[RunPlan, int]:
    """Return how runs are done, and how many at once."""
    from gdb_epi.cli.support.native_gdb import SETTINGS, NoUsableGdb, find_gdb, gdb_environment
    from gdb_epi.repro.run_once import RunPlan, find_core_to_be_overwritten, read_core_dumping

    if shutil.which(args.command[0]) is None:
        raise InputError(f"{args.command[0]}: no such program", hint="its path, or another PATH")
    dumping, gdb, folder = read_core_dumping(), find_gdb(args.gdb), os.getcwd()
    capture = args.capture
    if capture == "auto":
        capture = "core" if dumping.writes_files else "gdb"
        if capture == "gdb":
            write_to_stderr(f"{dumping.why_not}: the command runs under GDB")
    elif capture == "core" and not dumping.writes_files:
        raise InputError(f"no core files here: {dumping.why_not}", hint="--capture gdb")
    if capture == "gdb" and gdb is None:
        raise NoUsableGdb(f"no gdb found, and no core files: {dumping.why_not or 'as asked for'}")
    if capture == "core" and (old := find_core_to_be_overwritten(dumping, folder)) is not None:
        raise InputError(f"{old} would be overwritten", hint="move it away, or --capture gdb")
    jobs = args.jobs
    if capture == "core" and dumping.overwrites and jobs > 1:
        write_to_stderr("all processes would write one core file: one run at a time; for more: "
             "sysctl kernel.core_uses_pid=1, or --capture gdb")  # fmt: skip
        jobs = 1
    plan = RunPlan(
        command=tuple(args.command),
        folder=folder,
        timeout=args.timeout,
        capture=capture,
        dumping=dumping,
        gdb=gdb,
        gdb_settings=SETTINGS,
        gdb_environment=gdb_environment(),
        children=args.children,
    )
    return plan, jobs


def _examine_core(core: str, options: ExamineOptions) -> dict[str, Any] | str:
    """Return the record of a core, or why there is none."""
    from gdb_epi.cli.support.core_files import core_at
    from gdb_epi.cli.support.examine import FailedCore, examine_here

    try:
        examined = examine_here(core_at(core), options)
    except EpiError as error:
        return error.one_line_text()
    return examined.one_line_text() if isinstance(examined, FailedCore) else examined.record


def _write_reports(
    args: Namespace,
    results: Sequence[RunResult],
    counts: CampaignCounts,
    aim: SoughtCrash,
    plan: RunPlan,
) -> None:
    from gdb_epi.private_files import private_opener
    from gdb_epi.render.ci.deaths import source_root
    from gdb_epi.repro import reports

    if args.junit is not None:
        with open(args.junit, "wb", opener=private_opener) as file:
            file.write(reports.junit_xml(results, counts, aim, args.command))
    root = source_root(os.environ, plan.folder)
    if args.sarif is not None:
        from gdb_epi.cli.support.sarif_file import write_sarif

        write_sarif(args.sarif, reports.distinct_deaths(results, args.command), root)
    if args.json:
        import json

        print(json.dumps(reports.campaign_json(results, counts, aim, plan.capture)))
        return
    for line in reports.campaign_summary(counts, aim):
        _print_escaped(line)
    if any(result.run.cores for result in results):
        folder = shell_word(args.keep) if args.keep is not None else ""
        _print_escaped(
            f"the whole answer: gdb-epi triage {folder}" if folder else
            "the cores were removed; to keep them: the same again, with --keep DIR"
        )  # fmt: skip
    if plan.capture == "gdb":
        _print_escaped("the command ran under GDB: its timing, and with it the rate, may differ")
    if args.github:
        for line in reports.github_annotations(results, root):
            _print_escaped(line)


def _abort_bisection(message: str) -> NoReturn:
    write_to_stderr(message)
    sys.exit(BISECT_ABORT)


def _print_escaped(line: str) -> None:
    from gdb_epi.render.escape import escape

    print(escape(line), flush=True)


def _parse_share(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argument_error(word, "does not lie between 0 and 1")
    return number
