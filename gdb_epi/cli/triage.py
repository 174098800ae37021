# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi triage`: tell why each of these processes died."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gdb_epi.cli.examine import NATIVE_MODES, Examined, Failure, Options, examine_here
from gdb_epi.cli.keep import Keeper
from gdb_epi.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_UNUSABLE_INPUT,
    InputError,
    UsageError,
)
from gdb_epi.lean import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from gdb_epi.cli.cores import Core, Found
    from gdb_epi.cli.examine import Result

    Numbered = tuple[int, Result]

HELP = "tell why the processes died: one core or thousands, into the database"
EPILOG = (
    "Records go into the database, or into the spool when the database cannot take them. "
    "Exit code: 0 every core was read; 3 an input was unusable; 1 the tool failed on a core or "
    "could not write the database (1 goes before 3); 2 wrong arguments. With many cores the "
    "others are always done."
)
MANY_SECONDS = 300.0  # for each core, when there are many
HOST_NAMES = ("hostname", "machine_id", "boot_id")
MAX_HOST_JSON = 1 << 20  # bytes
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("cores", nargs="+", metavar="CORE", help="core files, compressed or not, and folders")
    add("--exe", metavar="FILE", help="the executable, when it is not where the core says")
    add("--sysroot", metavar="DIR", help="the folder that holds the file system of the process")
    add("--native", choices=NATIVE_MODES, default="auto", help="native frames by GDB")
    add("--gdb", metavar="PATH", help="the GDB to use ($GDB_EPI_GDB, beside this Python, PATH)")
    add("--jobs", type=_positive, metavar="N", help="cores examined at once (one per CPU)")
    add("--timeout", type=_seconds, metavar="S", help="seconds for one core (300 with many)")
    add("--max-size", type=_size, default=64 << 30, metavar="SIZE", help="of an unpacked core")
    add("--host-json", metavar="FILE", help="what is known of the host: a JSON object")
    add("--format", choices=("text", "json"), default="text", help="json: one record a line")
    add("--output", metavar="FILE", help="write the answer into FILE, replacing it")
    add("--stacks", action="store_true", help="all Python stacks too")
    add("--locals", action="store_true", help="with --stacks: values of locals, never stored")
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--db", metavar="URL", help="database URL or SQLite file")
    store.add_argument("--no-db", action="store_true", help="store nothing")


def run(args: Namespace) -> int:
    """Examine the cores, print the answers, store the records."""
    from gdb_epi.cli.answers import open_answers
    from gdb_epi.cli.cores import find_cores

    options = _options(args)
    found = find_cores(args.cores)
    many = len(found.cores) + len(found.problems) > 1
    if not many and found.problems:
        raise found.problems[0]
    keeper = None if args.no_db else Keeper(args.db)
    problems = [Failure(str(e), e.hint, e.exit_code) for e in found.problems]
    with open_answers(args, [core.path for core in found.cores], many=many) as answers:
        try:
            for core, result in _in_order(_results(found.cores, options, args), found, keeper):
                if isinstance(result, Failure):
                    problems.append(result)
                answers.add(core, result)
            answers.finish(problems)
        finally:
            if keeper is not None:
                keeper.flush()
                if many and args.format == "text":
                    keeper.tell()
    codes = [problem.exit_code for problem in problems]
    return worst([*codes, keeper.exit_code if keeper is not None else EXIT_DONE])


def worst(codes: Sequence[int]) -> int:
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

    from gdb_epi.cli.progress import Progress
    from gdb_epi.cli.workers import examine_all

    jobs = args.jobs or len(os.sched_getaffinity(0))
    progress, bad = Progress(len(cores)), 0
    with closing(examine_all(cores, options, jobs, args.timeout or MANY_SECONDS)) as results:
        for done, (index, result) in enumerate(results, 1):
            bad += isinstance(result, Failure)
            progress.show(done, bad)
            yield index, result
    progress.clear()


def _in_order(
    results: Iterator[Numbered], found: Found, keeper: Keeper | None
) -> Iterator[tuple[Core, Result]]:
    """Store each record as soon as it is there, and answer in the order of the command line."""
    early: dict[int, Result] = {}
    following = 0
    for index, result in results:
        if keeper is not None and isinstance(result, Examined):
            keeper.add(result.record)
        early[index] = result
        while following in early:
            yield found.cores[following], early.pop(following)
            following += 1


def _options(args: Namespace) -> Options:
    """Check the arguments before any work is done."""
    if args.locals and not args.stacks:
        raise UsageError("--locals needs --stacks", hint="--stacks --locals")
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
        host=None if args.host_json is None else _host(args.host_json),
    )


def _host(name: str) -> dict[str, Any]:
    """Read what is known of the host: names as in the record, all else is an attribute."""
    import json

    try:
        with open(name, "rb") as file:
            given = json.loads(file.read(MAX_HOST_JSON))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"--host-json {name}: {error}", hint="a file with one object") from None
    if not isinstance(given, dict):
        raise InputError(f"--host-json {name}: no JSON object", hint='{"hostname": "node-1"}')
    inner = given.get("attributes")
    attributes = dict(inner) if isinstance(inner, dict) else {}
    host: dict[str, Any] = {}
    for key, value in given.items():
        if key in HOST_NAMES:
            host[key] = value
        elif isinstance(value, (str, int, float, bool)):
            attributes[key] = value
    return {**host, "attributes": attributes}


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise _wrong("must be at least 1")
    return number


def _seconds(word: str) -> float:
    seconds = float(word)
    if not 0 < seconds < float("inf"):
        raise _wrong("must be a positive number of seconds")
    return seconds


def _wrong(told: str) -> Exception:
    from argparse import ArgumentTypeError

    return ArgumentTypeError(told)


def _size(word: str) -> int:
    """Read 64G, 500M, 4096."""
    unit = word[-1:].upper() if word[-1:].isalpha() else ""
    if unit not in _UNITS or not word[: len(word) - len(unit)].isdigit():
        raise _wrong("a number of bytes, or one with K, M, G or T")
    return int(word[: len(word) - len(unit)]) * _UNITS[unit]
