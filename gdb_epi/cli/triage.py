# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi triage`: tell why each of these processes died."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gdb_epi.argument_types import positive, whole, wrong_value
from gdb_epi.cli.support.examine import NATIVE_MODES, Examined, Failure, Options, examine_here
from gdb_epi.cli.support.messages import say
from gdb_epi.cli.support.record_keeper import RecordKeeper
from gdb_epi.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_UNUSABLE_INPUT,
    InputError,
    UsageError,
)
from gdb_epi.sidecars.find import SidecarOptions
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from gdb_epi.cli.support.core_files import Core, CoreInputs
    from gdb_epi.cli.support.examine import Result

    Numbered = tuple[int, Result]

GROUP = "One crash"
HELP = "tell why the processes died: one core or thousands, into the database"
EPILOG = (
    "Records go into the database, or into the spool when the database cannot take them. "
    "Exit code: 0 every core was read; 3 an input was unusable; 1 the tool failed on a core or "
    "could not write the database (1 goes before 3); 2 wrong arguments. With many cores the "
    "others are always done."
)
MANY_SECONDS = 300.0  # for each core, when there are many
MAX_KEY = 4096  # bytes
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("cores", nargs="+", metavar="CORE", help="core files, compressed or not, and folders")
    add("--exe", metavar="FILE", help="the executable, when it is not where the core says")
    add("--sysroot", metavar="DIR", help="the folder that holds the file system of the process")
    add("--native", choices=NATIVE_MODES, default="auto", help="native frames by GDB")
    add("--gdb", metavar="PATH", help="the GDB to use ($GDB_EPI_GDB, beside this Python, PATH)")
    add("--jobs", type=whole(), metavar="N", help="cores examined at once (one per CPU)")
    add(
        "--timeout",
        type=positive("seconds"),
        metavar="S",
        help="seconds for one core (300 with many)",
    )
    add("--max-size", type=_size, default=64 << 30, metavar="SIZE", help="of an unpacked core")
    add("--host-json", metavar="FILE", help="what is known of the host: a JSON object")
    add("--journal", metavar="FILE", help="entries of journalctl -o json or -o export")
    add("--apport", metavar="FILE", help="an apport report, or the folder of apport-unpack")
    add("--core-pattern", metavar="TEMPLATE", help="how core files are named: core.%%e.%%p.%%t")
    add("--no-sidecars", action="store_true", help="look at nothing beside the cores")
    add("--messages", action="store_true", help="the exception's message, parameterised")
    add("--redact-addresses", action="store_true", help="no addresses of the process")
    add("--hmac-key-file", metavar="FILE", help="host names as HMAC-SHA256 under this key")
    add("--format", choices=("text", "json"), default="text", help="json: one record a line")
    add("--output", metavar="FILE", help="write the answer into FILE, replacing it")
    add("--evidence", action="store_true", help="also what each statement rests on")
    add("--all", action="store_true", help="every frame and note, however many")
    add("--stacks", action="store_true", help="all Python stacks too")
    add("--locals", action="store_true", help="with --stacks: values of locals, never stored")
    add("--secrets", action="store_true", help="with --locals: passwords, tokens and keys too")
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--db", metavar="URL", help="database URL or SQLite file")
    store.add_argument("--no-db", action="store_true", help="store nothing")


def run(args: Namespace) -> int:
    """Examine the cores, print the answers, store the records."""
    from gdb_epi.cli.support.core_files import find_cores
    from gdb_epi.cli.support.triage_answers import open_answers

    options = _options(args)
    inputs = find_cores(args.cores)
    many = len(inputs.cores) + len(inputs.problems) > 1
    if inputs.links:
        links = counted(len(inputs.links), "symbolic link")
        say(
            f"{links} in folders not followed ({inputs.links[0]}); "
            "try: name the folders that they lead to"
        )
    if not many and inputs.problems:
        raise inputs.problems[0]
    keeper = None if args.no_db else RecordKeeper(args.db)
    problems = [Failure(str(e), e.hint, e.exit_code) for e in inputs.problems]
    with open_answers(args, [core.path for core in inputs.cores], many=many) as answers:
        try:
            for core, result in _in_order(_results(inputs.cores, options, args), inputs, keeper):
                if isinstance(result, Failure):
                    problems.append(result)
                answers.add(core, result)
            answers.finish(problems)
        finally:
            if keeper is not None:
                keeper.flush()
                if args.format == "text":
                    keeper.tell()
    codes = [problem.exit_code for problem in problems]
    return worst_exit_code([*codes, keeper.exit_code if keeper is not None else EXIT_DONE])


def worst_exit_code(codes: Sequence[int]) -> int:
    """Return the exit code of many: a failing tool (1) before unusable input (3) before 0."""
    for code in (EXIT_FAILED, EXIT_UNUSABLE_INPUT):
        if code in codes:
            return code
    return max(codes, default=EXIT_DONE)


def _results(cores: Sequence[Core], options: Options, args: Namespace) -> Iterator[Numbered]:
    """Yield (index, result) as they come: here for one core, in workers otherwise."""
    if len(cores) == 1 and args.timeout is None:
        yield 0, examine_here(cores[0], options)
        return
    from contextlib import closing

    from gdb_epi.cli.support.progress_bar import Progress
    from gdb_epi.cli.support.workers import examine_all

    jobs = args.jobs or len(os.sched_getaffinity(0))
    progress, bad = Progress(len(cores)), 0
    with closing(examine_all(cores, options, jobs, args.timeout or MANY_SECONDS)) as results:
        for done, (index, result) in enumerate(results, 1):
            bad += isinstance(result, Failure)
            progress.show(done, bad)
            yield index, result
    progress.clear()


def _in_order(
    results: Iterator[Numbered], inputs: CoreInputs, keeper: RecordKeeper | None
) -> Iterator[tuple[Core, Result]]:
    """Store each record as soon as it is there, and answer in the order of the command line."""
    early: dict[int, Result] = {}
    following = 0
    for index, result in results:
        if keeper is not None and isinstance(result, Examined):
            keeper.add(inputs.cores[index].path, result.record)
        early[index] = result
        while following in early:
            yield inputs.cores[following], early.pop(following)
            following += 1


def _options(args: Namespace) -> Options:
    """Check the arguments before any work is done."""
    if args.locals and not args.stacks:
        raise UsageError("--locals needs --stacks", hint="--stacks --locals")
    if args.secrets and not args.locals:
        raise UsageError("--secrets needs --locals", hint="--stacks --locals --secrets")
    if args.exe is not None and not os.path.isfile(args.exe):
        raise InputError(f"--exe {args.exe}: no such file", hint="check the path")
    if args.sysroot is not None and not os.path.isdir(args.sysroot):
        raise InputError(f"--sysroot {args.sysroot}: no such folder", hint="check the path")
    return Options(
        exe=args.exe,
        sysroot=args.sysroot,
        native=args.native,
        gdb=args.gdb,
        max_size=args.max_size,
        stacks=args.stacks,
        locals=args.locals,
        secrets=args.secrets,
        sidecars=_sidecars(args),
        messages=args.messages,
        redact_addresses=args.redact_addresses,
        hmac_key=None if args.hmac_key_file is None else _key(args.hmac_key_file),
    )


def _sidecars(args: Namespace) -> SidecarOptions:
    """Check what is named before any core is opened."""
    if args.host_json is not None:
        from gdb_epi.sidecars.hostjson import of_option

        of_option(args.host_json)
    if args.core_pattern is not None:
        from gdb_epi.sidecars.filename import template_pattern

        template_pattern(args.core_pattern)
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


def _key(name: str) -> bytes:
    """Read the key of a fleet from a file: whatever it holds, without the last newline."""
    from gdb_epi.record.privacy import MIN_KEY

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


def _size(word: str) -> int:
    """Read 64G, 500M, 4096."""
    unit = word[-1:].upper() if word[-1:].isalpha() else ""
    digits = word[: len(word) - len(unit)]
    if unit not in _UNITS or not digits.isdecimal() or not digits.strip("0"):
        raise wrong_value(word, "is not a number of bytes, or one with K, M, G or T")
    return int(digits) * _UNITS[unit]
