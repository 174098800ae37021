# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi doctor`: what is here, what is missing, and what to do about it."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gdb_epi.errors import EXIT_DONE, EXIT_EXPECTATION_NOT_MET, EpiError
from gdb_epi.suggestions import install_command
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted

GROUP = "Set-up"
HELP = "what is installed, what is missing, and how to get core dumps"
GDB_SECONDS = 60.0  # a machine under load is no broken one
PACKAGES = ("SQLAlchemy", "pyelftools", "tabulate", "Pygments")
# What single commands need: package -> the extra that has it, and what it is for.
OF_COMMANDS = {
    "psycopg": ("postgresql", "PostgreSQL"),
    "jinja2": ("report", "`gdb-epi report`"),
    "starlette": ("serve", "`gdb-epi serve`"),
    "pyarrow": ("parquet", "Parquet files"),
    "duckdb": ("lake", "questions to Parquet files"),
}
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
_ASK = "python import sys, gdb; print('|'.join([gdb.VERSION, sys.version.split()[0]]))"
CRASH_FOLDER = "/var/crash"  # Debian has none until apport is installed
SOURCE = "source gdb_epi"
ANSWER = "GDB_EPI_DOCTOR_ANSWER"  # the variable with the path of the file that _TRIAL writes
# What is asked inside GDB. The answer goes through a file, for start-up files may print anything.
_TRIAL = f"""
import gdb, json, os, sys
answer = {{"error": None}}
try:
    gdb.execute("source gdb_epi", to_string=True)
    gdb.execute("help epi", to_string=True)
except Exception as error:  # boundary: whatever a damaged installation raises
    answer["error"] = str(error)
answer["copy"] = getattr(sys.modules.get("gdb_epi"), "__file__", None)
answer["folders"] = gdb.parameter("directories").split(os.pathsep)
with open(os.environ["{ANSWER}"], "w") as file:
    json.dump(answer, file)
"""


class CheckResult(NamedTuple):
    """One finding: what, its state, and what to do (empty when all is well)."""

    subject: str
    state: str
    advice: str = ""
    optional: bool = False  # what only some need is no problem


class GdbDescription(NamedTuple):
    """A GDB in words, and whether it can load the extension."""

    text: str
    usable: bool


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--db", metavar="URL", help="the database to look at")
    parser.add_argument(
        "--all", action="store_true", help="also list what is in order, with versions"
    )
    parser.add_argument("--json", action="store_true", help="a JSON array")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 4 when there are problems"
    )


def run(args: Namespace) -> int:
    """Print what was found; 0, as an advice is no failure, unless --exit-code asks for it."""
    lines = [
        *_check_versions(),
        *_check_gdbs_and_sourcing(),
        *_check_database(args.db),
        *_check_spool(),
    ]
    lines += [*_check_unpackers(), *_check_core_dumping()]
    problems = any(line.advice and not line.optional for line in lines)
    code = EXIT_EXPECTATION_NOT_MET if problems and args.exit_code else EXIT_DONE
    if args.json:
        import json

        print(json.dumps([line._asdict() for line in lines], indent=1))
        return code
    from gdb_epi.render.escape import escape

    for text in _summary_lines(lines, everything=args.all):
        print(escape(text))
    return code


def _summary_lines(lines: Sequence[CheckResult], *, everything: bool) -> Iterator[str]:
    """Yield "ready" or the number of problems first, then each problem with a line to paste."""
    problems = [line for line in lines if line.advice and not line.optional]
    by_advice: dict[str, list[CheckResult]] = {}
    for line in problems:
        by_advice.setdefault(line.advice, []).append(line)
    yield counted(len(by_advice), "problem") if problems else "ready"
    for advice, alike in by_advice.items():
        for line in alike:
            yield f"  {line.subject}: {line.state}"
        yield f"    try: {advice}"
    if not everything:
        yield "What is well, and versions: gdb-epi doctor --all"
        return
    well = [line for line in lines if not line.advice or line.optional]
    width = max((len(line.subject) for line in well), default=0)
    yield "Well"
    for line in well:
        purpose = OF_COMMANDS.get(line.subject, ("", ""))[1]
        how = f" (for {purpose} alone: {line.advice})" if line.advice else ""
        yield f"  {line.subject:<{width}}  {line.state}{how}"


def _check_versions() -> Iterator[CheckResult]:
    from gdb_epi import __file__ as home
    from gdb_epi import __version__

    yield CheckResult("gdb-epi", f"{__version__} in {os.path.dirname(home)}")
    yield CheckResult("python", f"{platform.python_version()} {sys.executable}")
    needed_by = {"SQLAlchemy": install_command("fleet")}
    for name in (*PACKAGES, *OF_COMMANDS):
        try:
            yield CheckResult(name, version(name))
        except PackageNotFoundError:
            advice = needed_by.get(name, f"pip install {name}")
            if name in OF_COMMANDS:
                advice = install_command(OF_COMMANDS[name][0])
            yield CheckResult(name, "missing", advice, optional=name in OF_COMMANDS)


def _check_gdbs_and_sourcing() -> Iterator[CheckResult]:
    """Yield a line for each GDB, then one for each that can load the extension."""
    from gdb_epi.cli.support.native_gdb import NoUsableGdb, find_gdb

    beside = os.path.join(os.path.dirname(sys.executable), "gdb")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    places = [beside, *(os.path.join(folder, "gdb") for folder in folders if folder)]
    try:
        used = find_gdb(None)
    except EpiError as error:
        yield CheckResult("gdb", str(error), error.hint)
        used = None
    programs = [used] if used else []
    programs += [path for path in places if os.access(path, os.X_OK) and os.path.isfile(path)]
    real = {os.path.realpath(path): path for path in reversed(programs)}
    if not real:
        yield CheckResult("gdb", "none: no native frames", NoUsableGdb.hint)
    usable = []
    for path in reversed(real.values()):
        mark = "gdb (used)" if path == used else "gdb"
        about = _describe_gdb(path)
        yield CheckResult(mark, f"{path}: {about.text}")
        usable += [path] if about.usable else []
    if not usable:
        missing = "cannot be tried: there is no GDB with Python 3.10 or later"
        yield CheckResult(SOURCE, missing, NoUsableGdb.hint)
    yield from map(_check_sourcing, usable)


def _describe_gdb(path: str) -> GdbDescription:
    from gdb_epi.cli.support.native_gdb import read_last_output_line

    try:
        parts = read_last_output_line(path, _ASK, GDB_SECONDS).split("|")
    except (OSError, subprocess.TimeoutExpired) as error:
        return GdbDescription(f"does not run: {error}", usable=False)
    if len(parts) != 2:
        return GdbDescription("has no Python: unusable here", usable=False)
    python = tuple(int(part) for part in parts[1].split(".")[:2] if part.isdigit())
    usable = python >= (3, 10)
    too_old = "" if usable else " (too old: 3.10 is needed)"
    return GdbDescription(f"GDB {parts[0]}, its Python {parts[1]}{too_old}", usable)


def _check_sourcing(path: str) -> CheckResult:
    """Say whether `source gdb_epi` works in a new session of one GDB, and what mends it."""
    from gdb_epi import __file__ as home
    from gdb_epi.cli.gdbinit import gdbinit_file

    startup = gdbinit_file()
    try:
        trial = _try_sourcing_in_gdb(path)
    except OSError as error:
        return CheckResult(SOURCE, f"{path}: cannot be tried: {error}")
    if trial is None:
        state = f"GDB does not come that far within {GDB_SECONDS:.0f} s"
        return CheckResult(
            SOURCE, f"{path}: {state}", f"gdb -batch, and look for the reason in {startup}"
        )
    package = os.path.realpath(os.path.dirname(home))
    copy = os.path.dirname(trial["copy"] or "")
    if trial["error"] is None:
        if os.path.realpath(copy) == package:
            return CheckResult(SOURCE, f"{path}: works")
        return CheckResult(
            SOURCE, f"{path}: works, but loads another copy, in {copy}", _install_command()
        )
    named = [folder for folder in trial["folders"] if os.path.basename(folder) == "gdb_epi"]
    there = [folder for folder in named if os.path.isfile(os.path.join(folder, "gdb_epi"))]
    if there:
        why = f"gdb-epi in {there[0]} does not load"
        # Naming the same folder once more would not help: GDB itself shows what is broken in it.
        broken = "gdb -batch -ex 'source gdb_epi', and read the error"
        ours = os.path.realpath(there[0]) == package
        return CheckResult(SOURCE, f"{path}: fails: {why}", broken if ours else _install_command())
    why = f"{startup} does not say where gdb-epi is"
    if named:
        why = f"gdb-epi is no longer in {named[0]}, which {startup} names"
    return CheckResult(SOURCE, f"{path}: fails: {why}", _install_command())


def _install_command() -> str:
    """Return what to paste into a shell; with the path where the bare name is not this program."""
    import shlex
    from shutil import which

    beside = os.path.join(os.path.dirname(sys.executable), "gdb-epi")
    on_path = which("gdb-epi")
    ours = on_path is not None and os.path.realpath(on_path) == os.path.realpath(beside)
    program = "gdb-epi" if ours or not os.path.isfile(beside) else shlex.quote(beside)
    return f"{program} gdbinit --install"


def _try_sourcing_in_gdb(path: str) -> dict[str, Any] | None:
    """Run `source gdb_epi` as the user would: with the start-up files, in an empty folder.

    Returns what _TRIAL wrote; None when GDB ended before or did not answer in time. Raises OSError
    when it cannot be started, or where no temporary folder can be made.
    """
    import json
    import signal
    from tempfile import TemporaryDirectory

    from gdb_epi.cli.support.native_gdb import wait_for_process_end

    with TemporaryDirectory(prefix="gdb-epi-doctor-") as folder:
        empty, answer = Path(folder) / "empty", Path(folder) / "answer.json"
        empty.mkdir()
        # A session of its own: what a start-up file may have started is ended with it.
        process = subprocess.Popen(
            [path, "-batch", "-ex", f"python exec({_TRIAL!r})"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=empty,
            env={**os.environ, ANSWER: str(answer)},
            start_new_session=True,
        )
        try:
            wait_for_process_end(process, GDB_SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        try:
            trial = json.loads(answer.read_bytes())
        except (OSError, ValueError):
            return None
    return trial if isinstance(trial, dict) else None


def _check_database(db: str | None) -> Iterator[CheckResult]:
    try:
        from gdb_epi.fleet.store.database import database_url, open_database, shown_url

        shown = shown_url(database_url(db))
        with open_database(db, write=False) as engine:
            from gdb_epi.fleet.store.ingest import crash_count

            yield CheckResult("database", f"{shown}: {counted(crash_count(engine), 'core')}")
    except EpiError as error:
        yield CheckResult("database", str(error), error.hint)


def _check_spool() -> Iterator[CheckResult]:
    from gdb_epi.fleet.paths import spool_folder
    from gdb_epi.fleet.records.spool import waiting_spool_files

    files = len(waiting_spool_files())
    advice = "gdb-epi fleet ingest; with --db FILE if they were meant for that one" if files else ""
    yield CheckResult("spool", f"{counted(files, 'waiting file')} in {spool_folder()}", advice)


def _check_unpackers() -> Iterator[CheckResult]:
    from gdb_epi.cli.support.unpack import PROGRAMS, choose_unpacker

    for compression, program in PROGRAMS.items():
        unpacker = choose_unpacker(compression)
        advice = "" if unpacker else f"apt install {program}"
        yield CheckResult(f".{compression} cores", unpacker or "cannot be unpacked", advice)


def _check_core_dumping() -> Iterator[CheckResult]:
    """How this machine keeps cores; the limit is that of this process, services have theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_CORE)
    limit = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft} bytes"
    advice = "ulimit -c unlimited   (of a systemd unit: LimitCORE=infinity)"
    yield CheckResult("ulimit -c", limit, "" if soft == resource.RLIM_INFINITY else advice)
    try:
        pattern = CORE_PATTERN.read_text().strip()
    except OSError as error:
        yield CheckResult("core_pattern", str(error))
        return
    why, advice = _problem_of_core_pattern(pattern)
    state = f"{pattern or '(empty)'}{f': {why}' if why else ''}"
    yield CheckResult("core_pattern", state, advice)


def _problem_of_core_pattern(pattern: str) -> tuple[str, str]:
    """Return what is wrong with a core_pattern, and what to paste; both "" where nothing is."""
    from gdb_epi.repro.run_once import read_core_dumping

    set_pattern = _command_to_set_core_pattern()
    if "systemd-coredump" in pattern:
        advice = "coredumpctl dump PID -o FILE; raise ProcessSizeMax and ExternalSizeMax"
        return "systemd takes the cores", advice
    if "apport" in pattern:
        return "apport keeps few cores", set_pattern
    if pattern.startswith("|"):
        return "a program takes the cores", "ask its manual where they are"
    folder = os.path.dirname(pattern)
    if folder.startswith("/") and "%" not in folder and not os.path.isdir(folder):
        return "the kernel makes no folder, so cores are lost", _make_folder_command(folder)
    if read_core_dumping(pattern).overwrites:
        return "a second core in the same folder overwrites the first", set_pattern
    if "/" not in pattern:
        return "cores land in the working folder of each process", set_pattern
    if "%t" not in pattern:
        return "a core holds no clock, and its name says no time (%t)", set_pattern
    return "", ""


def _command_to_set_core_pattern() -> str:
    """Return how to set core_pattern; the kernel makes no folder, and writes nothing without."""
    command = f"sysctl -w kernel.core_pattern={CRASH_FOLDER}/core.%e.%p.%t"
    if os.path.isdir(CRASH_FOLDER):
        return command
    return f"{_make_folder_command(CRASH_FOLDER)} && {command}"


def _make_folder_command(folder: str) -> str:
    # The kernel writes as the user of the process: each needs to make files there.
    return f"mkdir -m 1777 -p {folder}"
