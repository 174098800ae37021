# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi compare`: is it the same crash, and what differs."""

from __future__ import annotations

import os
import sys
from functools import partial

from gdb_epi.cli.support.process_files import add_process_file_options, process_files
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, Namespace

if TYPE_CHECKING:
    from gdb_epi.cli.support.examine import ExamineOptions
    from gdb_epi.repro.changed_values import ProcessChanges

GROUP = "One crash"
HELP = "is it the same crash: two cores, or a core and a record or signature"
READS_CORES = True
EXIT_CODES = "0 the same crash; 4 another one, or it cannot be told; 2 and 3 as everywhere"
MAX_HEAD = 64  # bytes


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A", help="a core file, packed or not, or a record (JSON)")
    parser.add_argument(
        "second", metavar="B", help="the same, a KEY of a signature, or its line (gsig/2 ...)"
    )
    add_process_file_options(parser)
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Print what is the same and what differs."""
    from gdb_epi.cli.support.examine import ExamineOptions
    from gdb_epi.errors import EXIT_DONE, EXIT_EXPECTATION_NOT_MET, UsageError
    from gdb_epi.repro.compared_crashes import is_same_crash, side_by_side_lines
    from gdb_epi.repro.expected_crash import KeyMatch, compare_records

    exe, sysroot = process_files(args)
    options = ExamineOptions(exe=exe, sysroot=sysroot)
    try:
        first, second = (_record_of_input(word, options) for word in (args.first, args.second))
    except UsageError as error:  # of repro's option
        raise UsageError(str(error).removeprefix("--expect "), hint=error.hint) from None
    comparison = compare_records(first, second)
    if args.json:
        import json

        sys.stdout.write(json.dumps(comparison) + "\n")
    else:
        from gdb_epi.render.escape import escape

        names = _distinguishing_path_ends(args.first, args.second)
        find_changes = partial(_changes_between_cores, args, exe, sysroot)
        for line in side_by_side_lines(first, second, names, comparison, find_changes):
            sys.stdout.write(escape(line) + "\n")
    same = is_same_crash(first, second, KeyMatch(**comparison["match"]))
    return EXIT_DONE if same else EXIT_EXPECTATION_NOT_MET


def _changes_between_cores(args: Namespace, exe: str | None, sysroot: str | None) -> ProcessChanges:
    """Return what changed between two cores of one process; nothing where one is a record."""
    from gdb_epi.cli.support.open_core import open_core
    from gdb_epi.process_state import ProcessState
    from gdb_epi.repro.changed_values import ProcessChanges, find_changes

    if any(not os.path.isfile(word) or _is_json_file(word) for word in (args.first, args.second)):
        return ProcessChanges()
    with open_core(args.first, exe, sysroot) as a, open_core(args.second, exe, sysroot) as b:
        return find_changes(ProcessState(a), ProcessState(b))


def _distinguishing_path_ends(first: str, second: str) -> list[str]:
    """Return the ends of two paths that tell them apart."""
    parts = [word.rstrip("/").split("/") for word in (first, second)]
    for number in range(1, max(map(len, parts)) + 1):
        names = ["/".join(words[-number:]) for words in parts]
        if names[0] != names[1]:
            return names
    return [first, second]


def _record_of_input(word: str, options: ExamineOptions) -> dict[str, Any]:
    """Return the record of a core, or as much of one as a key or a file tells."""
    from gdb_epi.cli.support.live_process import is_process_number
    from gdb_epi.errors import UsageError
    from gdb_epi.repro.expected_crash import (
        expectation_of_document,
        read_expectation,
        read_first_record,
    )

    if is_process_number(word):
        take = f"gcore {word}, then the same with core.{word}"
        raise UsageError(f"{word} is a process, and cores are compared", hint=take)
    is_file = os.path.isfile(word)
    if is_file and _is_json_file(word):
        document = read_first_record(word)
        keys = expectation_of_document(document, word).keys  # refuses what has no signature
        whole = "verdict" in document
        return document if whole else {"signature": {"keys": _keys_of_one_value(keys)}}
    if not is_file and (word.startswith("gsig/") or _is_key(word)):
        return {"signature": {"keys": _keys_of_one_value(read_expectation(word).keys)}}
    from gdb_epi.cli.support.core_files import core_at
    from gdb_epi.cli.support.examine import FailedCore, examine_here
    from gdb_epi.errors import EXIT_UNUSABLE_INPUT, EpiError, InputError

    examined = examine_here(core_at(word), options)
    if isinstance(examined, FailedCore):
        kind = InputError if examined.exit_code == EXIT_UNUSABLE_INPUT else EpiError
        raise kind(examined.message, hint=examined.hint)
    return dict(examined.record)


def _is_key(word: str) -> bool:
    digits = word.rpartition(":")[2].lower()
    return len(digits) >= 8 and not set(digits) - set("0123456789abcdef")


def _is_json_file(name: str) -> bool:
    try:
        with open(name, "rb") as stream:
            return stream.read(MAX_HEAD).lstrip()[:1] in (b"{", b"[")
    except OSError:
        return False


def _keys_of_one_value(keys: Any) -> dict[str, str]:
    """Return a key for each name that has one value."""
    return {name: next(iter(values)) for name, values in keys.items() if len(values) == 1}
