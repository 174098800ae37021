# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi triage`: tell why each of these processes died."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from gdb_epi.argument_types import argument_error, output_file_name, positive_number, whole_number
from gdb_epi.cli.support.examine import (
    MAX_MEMORY,
    NATIVE_MODES,
    ExaminedCore,
    ExamineOptions,
    FailedCore,
    examine_here,
)
from gdb_epi.cli.support.live_process import attach_and_run, is_process_number, refuse_process_files
from gdb_epi.cli.support.messages import write_to_stderr
from gdb_epi.cli.support.process_files import add_process_file_options, process_files
from gdb_epi.cli.support.record_keeper import RecordKeeper
from gdb_epi.errors import EXIT_DONE, EXIT_FAILED, EXIT_UNUSABLE_INPUT, InputError, UsageError
from gdb_epi.sidecars.find import SidecarOptions
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, Namespace, _ArgumentGroup
from gdb_epi.util import counted, shell_word, shortened_list

if TYPE_CHECKING:
    from gdb_epi.cli.support.core_files import CoreInput
    from gdb_epi.cli.support.earlier_runs import EarlierResults
    from gdb_epi.cli.support.examine import Result
    from gdb_epi.cli.support.record_keeper import RecordKeeper
    from gdb_epi.render.ci.deaths import Death

# -- The results of many cores: stored as soon as they arrive, yielded in the order of the cores ---

IndexedResult = tuple[int, "Result"]


def results_in_order(
    cores: Sequence[CoreInput],
    examine: Callable[[Sequence[CoreInput]], Iterator[IndexedResult]],
    keeper: RecordKeeper | None,
    earlier_runs: EarlierResults | None,
) -> Iterator[tuple[CoreInput, Result]]:
    """Yield each core with its result; cores of earlier runs are not examined again.

    `examine` yields (index among the cores that it was given, result), in any order.
    """
    to_examine = [
        index for index in range(len(cores)) if earlier_runs is None or index not in earlier_runs
    ]
    finished_early: dict[int, Result | bytes] = {}  # after a core that takes longer
    next_index = 0
    for position, result in chain(examine([cores[index] for index in to_examine]), [(-1, None)]):
        if result is not None:
            index = to_examine[position]
            if keeper is not None and isinstance(result, ExaminedCore):
                key = None if earlier_runs is None else earlier_runs.keys[index]
                keeper.add(cores[index].path, result.record, key)
            finished_early[index] = result if index == next_index else _compress_result(result)
        while next_index < len(cores):
            result_or_packed: Result | bytes
            if next_index in finished_early:
                result_or_packed = finished_early.pop(next_index)
            elif earlier_runs is not None and next_index in earlier_runs:
                result_or_packed = earlier_runs.take_result(next_index)
            else:
                break
            yield cores[next_index], _uncompress_result(result_or_packed)
            next_index += 1


def _compress_result(result: Result) -> Result | bytes:
    """Return a result compressed: thousands may wait for one; 300 kB of a record become 5 kB."""
    if not isinstance(result, ExaminedCore):
        return result
    import json
    import zlib

    return zlib.compress(json.dumps(result).encode("ascii"), 1)


def _uncompress_result(result: Result | bytes) -> Result:
    if not isinstance(result, bytes):
        return result
    import json
    import zlib

    return ExaminedCore(*json.loads(zlib.decompress(result)))


# -- `gdb-epi triage`: tell why each of these processes died ---------------------------------------

GROUP = "One crash"
HELP = "tell why the processes died: one core or thousands, into the database"
READS_CORES = True
EPILOG = (
    "Records go into the database, or into the spool when the database cannot take them. A core "
    "that cannot be read does not stop the others."
)
EXIT_CODES = (
    "0 every core was read; 3 an input was unusable; 1 the tool failed on a core or could not "
    "write the database (1 goes before 3); 2 wrong arguments"
)
MANY_SECONDS = 300.0  # for each core, when there are many
MAX_LIST = 64 << 20  # bytes
MAX_KEY = 4096  # bytes
MAX_PASSED_OVER = 3  # files that are named
MIN_PREFIX = 4096  # of a core: less holds no note
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "cores",
        nargs="+",
        metavar="CORE",
        help="core files, packed or not, folders, addresses (s3://...), - a list on stdin; or the "
        "number of a process, which GDB stops for a moment",
    )
    _add_answer_options(parser.add_argument_group("the answer"))
    files = parser.add_argument_group("files of the process, and GDB")
    add_process_file_options(files)
    files.add_argument(
        "--native",
        choices=NATIVE_MODES,
        default="auto",
        help="native frames by GDB (gdb: one for each core)",
    )
    files.add_argument(
        "--gdb", metavar="PATH", help="the GDB to use ($GDB_EPI_GDB, beside this Python, PATH)"
    )
    _add_database_options(parser.add_argument_group("the record"))
    _add_sidecar_options(parser.add_argument_group("what collectors knew"))
    _add_limit_options(parser.add_argument_group("many or huge cores"))


def _add_answer_options(group: _ArgumentGroup) -> None:
    add = group.add_argument
    add("--evidence", action="store_true", help="also what each statement rests on")
    add("--all", action="store_true", help="every frame and note, however many")
    add("--stacks", action="store_true", help="all Python stacks too")
    add("--locals", action="store_true", help="--stacks with values of locals, never stored")
    add("--secrets", action="store_true", help="with --locals: passwords, tokens and keys too")
    add("--format", choices=("text", "json"), default="text", help="json: one record a line")
    add("--json", action="store_true", help="as --format json")
    words = "write the answer into FILE, replacing it"
    add("--output", type=output_file_name, metavar="FILE", help=words)
    add("--sarif", metavar="FILE", help="write SARIF 2.1.0 too: each crash where its source is")
    add("--color", choices=("auto", "on", "off"), default="auto", help="auto: on a terminal")


def _add_database_options(group: _ArgumentGroup) -> None:
    where = group.add_mutually_exclusive_group()
    where.add_argument("--db", metavar="URL", help="database URL or SQLite file")
    where.add_argument("--no-db", action="store_true", help="store nothing")
    add = group.add_argument
    add(
        "--messages", action="store_true", help="store the exception's message, its values replaced"
    )
    add("--redact-addresses", action="store_true", help="no addresses of the process")
    add("--hmac-key-file", metavar="FILE", help="host names as HMAC-SHA256 under this key")


def _add_sidecar_options(group: _ArgumentGroup) -> None:
    add = group.add_argument
    add("--host-json", metavar="FILE", help="what is known of the host: a JSON object")
    add("--journal", metavar="FILE", help="entries of journalctl -o json or -o export")
    add("--apport", metavar="FILE", help="an apport report, or the folder of apport-unpack")
    add("--core-pattern", metavar="TEMPLATE", help="how core files are named: core.%%e.%%p.%%t")
    add("--no-sidecars", action="store_true", help="look at nothing beside the cores")


def _add_limit_options(group: _ArgumentGroup) -> None:
    add = group.add_argument
    add("--jobs", type=whole_number(), metavar="N", help="cores examined at once (one per CPU)")
    add("--scheduler", metavar="ADDRESS", help="examine them on a Dask cluster: tcp://HOST:8786")
    add(
        "--again",
        action="store_true",
        help="examine all of many cores, also those that an earlier run stored",
    )
    add(
        "--timeout",
        type=positive_number("seconds"),
        metavar="S",
        help="most seconds for one core (300 with many cores)",
    )
    add(
        "--prefix",
        type=_parse_size,
        metavar="SIZE",
        help="read no more of each core than this (64M)",
    )
    add(
        "--max-size",
        type=_parse_size,
        default=64 << 30,
        metavar="SIZE",
        help="most bytes unpacked (64G)",
    )
    add(
        "--max-memory",
        type=_parse_size,
        default=MAX_MEMORY,
        metavar="SIZE",
        help="most memory of a worker, and of its GDB (4G with many cores)",
    )


def run(args: Namespace) -> int:
    """Examine the cores, print the answers, store the records."""
    from gdb_epi.cli.support.core_files import find_cores
    from gdb_epi.cli.support.triage_output import open_triage_output

    options = _make_examine_options(args)
    processes = [word for word in args.cores if is_process_number(word)]
    if processes:
        return _triage_live_processes(processes, args)
    inputs = find_cores([name for word in args.cores for name in _expand_dash_to_stdin_names(word)])
    many = len(inputs.cores) + len(inputs.problems) > 1
    if inputs.repeated:
        names = counted(len(inputs.repeated), "name")
        write_to_stderr(f"{names} of cores that have another name here; each core is read once")
    if inputs.links:
        links = counted(len(inputs.links), "symbolic link")
        write_to_stderr(
            f"{links} in folders not followed ({inputs.links[0]}); "
            "try: name the folders that they lead to"
        )
    if inputs.passed_over and inputs.cores and args.format == "text":
        some = shortened_list(inputs.passed_over, MAX_PASSED_OVER)
        write_to_stderr(f"{counted(len(inputs.passed_over), 'file')} passed over, no core: {some}")
    if not many and inputs.problems:
        raise inputs.problems[0]
    options = options._replace(line=not many and args.format != "json")
    keeper = None if args.no_db else RecordKeeper(args.db)
    deaths: list[Death] = []
    problems = [FailedCore(str(e), e.hint, e.exit_code) for e in inputs.problems]
    done = _earlier_results(inputs.cores, options, args) if many else None
    alone = not many and args.timeout is None and args.scheduler is None
    examine = partial(_examine_one, options) if alone else partial(_examine_many, options, args)
    here = [core.path for core in inputs.cores if core.remote is None]
    ended = 0
    with open_triage_output(args, here, many=many) as answers:
        try:
            for core, result in results_in_order(inputs.cores, examine, keeper, done):
                ended += 1
                if isinstance(result, FailedCore):
                    problems.append(result)
                elif args.sarif is not None:
                    deaths.append(_death_for_ci(core.path, result.record))
                answers.add_result(core, result)
            answers.finish(problems)
            if args.sarif is not None:
                _write_sarif(args.sarif, deaths, problems)
        finally:
            if keeper is not None:
                keeper.store_waiting_records()
                if args.format == "text":
                    keeper.print_summary()
                if 0 < ended < len(inputs.cores):  # stopped
                    write_to_stderr(
                        f"{ended} of {len(inputs.cores)} cores are done; the same command again "
                        "does the others"
                    )
    codes = [problem.exit_code for problem in problems]
    return worst_exit_code([*codes, keeper.exit_code if keeper is not None else EXIT_DONE])


def _triage_live_processes(processes: Sequence[str], args: Namespace) -> int:
    """Ask GDB about processes that run; nothing is stored of them, as nothing crashed."""
    if len(processes) < len(args.cores) or (args.output is not None and len(processes) > 1):
        raise UsageError("processes and cores in one run", hint="one number, or cores")
    if args.sarif is not None or args.scheduler is not None:
        raise UsageError("--sarif and --scheduler are of cores", hint="gcore PID makes one")
    flags = [f"--{name}" for name in ("evidence", "all") if getattr(args, name)]
    flags += ["--no-db"] if args.no_db else ["--db", shell_word(args.db)] if args.db else []
    commands = [" ".join(["epi triage --for-shell", *flags])]
    if args.stacks:
        commands.append("epi bt --all" + " --locals" * args.locals + " --secrets" * args.secrets)
    if args.format == "json":
        commands = ["epi record"]
    refuse_process_files(args)
    look = partial(attach_and_run, gdb=args.gdb, output=args.output, limit=args.timeout)
    codes = []
    for number, process in enumerate(processes):
        if number and args.format == "text":
            print(f"\n-- process {process}\n")
        codes.append(look(process, commands, as_line=args.format == "json"))
    return worst_exit_code(codes)


def _expand_dash_to_stdin_names(word: str) -> list[str]:
    """Return what a word of the command line names; for `-` the lines of standard input.

    `find -print0` separates by NUL: where there is one, names may hold line breaks.
    """
    if word != "-":
        return [word]
    standard_input = sys.stdin.buffer.read(MAX_LIST + 1)
    if len(standard_input) > MAX_LIST:
        raise InputError(f"the list on stdin has more than {MAX_LIST} bytes", hint="two runs")
    separator = b"\0" if b"\0" in standard_input else b"\n"
    names = [os.fsdecode(name) for name in standard_input.split(separator) if name]
    if not names:
        raise InputError("the list on stdin is empty", hint="find FOLDER -type f")
    return names


def _death_for_ci(core: str, record: Mapping[str, Any]) -> Death:
    from gdb_epi.record.record_parts import verdict_label
    from gdb_epi.render.ci.deaths import CRASHED, HUNG, Death
    from gdb_epi.render.opening_sentences import HUNG as HUNG_LABELS
    from gdb_epi.render.triage import opening_text

    names = ("verdict", "signature", "threads")  # thousands are kept at once
    brief = {name: record[name] for name in names if name in record}
    verb = HUNG if verdict_label(record) in HUNG_LABELS else CRASHED
    return Death(core, verb, opening_text(record), brief)


def _write_sarif(name: str, deaths: Sequence[Death], problems: Sequence[FailedCore]) -> None:
    from gdb_epi.cli.support.sarif_file import write_sarif
    from gdb_epi.render.ci.deaths import source_root

    root = source_root(os.environ, os.getcwd())
    write_sarif(name, deaths, root, [problem.one_line_text() for problem in problems])


def worst_exit_code(codes: Sequence[int]) -> int:
    """Return the exit code of many: a failing tool (1) before unusable input (3) before 0."""
    for code in (EXIT_FAILED, EXIT_UNUSABLE_INPUT):
        if code in codes:
            return code
    return max(codes, default=EXIT_DONE)


def _earlier_results(
    cores: Sequence[CoreInput], options: ExamineOptions, args: Namespace
) -> EarlierResults | None:
    """Return what of many cores was done before; None where nothing is stored.

    Stacks are in no record, so that a run that shows them examines all.
    """
    if args.no_db or args.stacks:
        return None
    from gdb_epi.cli.support.earlier_runs import EarlierResults

    done = EarlierResults(args.db, cores, options)
    if not args.again:
        done.ask_database()
    if len(done):
        write_to_stderr(
            f"{len(done)} of {len(cores)} cores were done before, by this version with these "
            "options; --again does them again"
        )
    return done


def _examine_many(
    options: ExamineOptions, args: Namespace, cores: Sequence[CoreInput]
) -> Iterator[IndexedResult]:
    """Yield (index, result) as they come from workers."""
    if not cores:
        return
    from contextlib import closing

    from gdb_epi.cli.support.progress_bar import ProgressBar

    seconds = args.timeout or MANY_SECONDS
    if args.scheduler is not None:
        from gdb_epi.cli.support.dask_cluster import examine_on_dask

        examined = examine_on_dask(args.scheduler, cores, options, seconds)
    else:
        from gdb_epi.cli.support.workers import examine_all

        jobs = args.jobs or len(os.sched_getaffinity(0))
        examined = examine_all(cores, options, jobs, seconds)
    progress, bad = ProgressBar(len(cores)), 0
    with closing(examined) as results:
        for done, (index, result) in enumerate(results, 1):
            bad += isinstance(result, FailedCore)
            progress.show(done, bad)
            yield index, result
    progress.clear()


def _examine_one(options: ExamineOptions, cores: Sequence[CoreInput]) -> Iterator[IndexedResult]:
    """Yield (0, result) of a core that is examined here, without a limit of time."""
    yield 0, examine_here(cores[0], options)


def _make_examine_options(args: Namespace) -> ExamineOptions:
    """Check the arguments before any work is done."""
    args.stacks = args.stacks or args.locals
    args.format = "json" if args.json else args.format
    if args.scheduler is not None and args.jobs is not None:
        hint = "`dask worker --nthreads N` says how many at once"
        raise UsageError("--jobs is of this machine, --scheduler of others", hint=hint)
    if args.secrets and not args.locals:
        raise UsageError("--secrets needs --locals", hint="--locals --secrets")
    if args.sarif is not None and not os.path.isdir(os.path.dirname(args.sarif) or "."):
        raise UsageError(f"--sarif {args.sarif}: no such folder", hint="mkdir -p")
    if args.prefix is not None and args.prefix < MIN_PREFIX:
        raise UsageError(
            f"--prefix {args.prefix}: less than {MIN_PREFIX} bytes", hint="--prefix 64M"
        )
    exe, sysroot = process_files(args)
    return ExamineOptions(
        exe=exe,
        sysroot=sysroot,
        native=args.native,
        gdb=args.gdb,
        max_size=args.max_size,
        prefix=args.prefix,
        max_memory=args.max_memory,
        stacks=args.stacks,
        locals=args.locals,
        secrets=args.secrets,
        sidecars=_make_sidecar_options(args),
        messages=args.messages,
        redact_addresses=args.redact_addresses,
        hmac_key=None if args.hmac_key_file is None else _read_fleet_key(args.hmac_key_file),
    )


def _make_sidecar_options(args: Namespace) -> SidecarOptions:
    """Check what is named before any core is opened."""
    if args.host_json is not None:
        from gdb_epi.sidecars.host_json import read_host_json_named_by_user

        read_host_json_named_by_user(args.host_json)
    if args.core_pattern is not None:
        from gdb_epi.sidecars.filename import regex_of_core_pattern

        regex_of_core_pattern(args.core_pattern)
    for option, name in (("--journal", args.journal), ("--apport", args.apport)):
        if name is not None and not os.path.exists(name):
            raise InputError(f"{option} {name}: no such file", hint="check the path")
    return SidecarOptions(
        host_json=args.host_json,
        journal=args.journal,
        apport=args.apport,
        core_pattern=args.core_pattern,
        beside=not args.no_sidecars,
    )


def _read_fleet_key(name: str) -> bytes:
    """Read the key of a fleet from a file: whatever it holds, without the last newline."""
    from gdb_epi.record.user_redaction import MIN_KEY

    try:
        with open(name, "rb") as file:
            key = file.read(MAX_KEY).rstrip(b"\r\n")
    except OSError as error:
        message = f"--hmac-key-file {name}: {error.strerror or error}"
        raise InputError(message, hint="check the path") from None
    if len(key) < MIN_KEY:
        message = f"--hmac-key-file {name}: a key of {len(key)} bytes is too short"
        raise InputError(message, hint=f"head -c 32 /dev/urandom > {name}")
    return key


def _parse_size(word: str) -> int:
    """Read 64G, 500M, 4096."""
    unit = word[-1:].upper() if word[-1:].isalpha() else ""
    digits = word[: len(word) - len(unit)]
    if unit not in _UNITS or not digits.isdecimal() or not digits.strip("0"):
        raise argument_error(word, "is not a number of bytes, or one with K, M, G or T")
    return int(digits) * _UNITS[unit]
