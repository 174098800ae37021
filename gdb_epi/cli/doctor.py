# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi doctor`: what is here, what is missing, and what to do about it."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gdb_epi.errors import EXIT_DONE, EpiError
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

HELP = "what is installed, what is missing, and how to get core dumps"
GDB_SECONDS = 20.0
PACKAGES = ("SQLAlchemy", "psycopg", "pyelftools", "tabulate", "Pygments")
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
_ASK = "python import sys, gdb; print('|'.join([gdb.VERSION, sys.version.split()[0]]))"


class Line(NamedTuple):
    """One finding: what, its state, and what to do (empty when all is well)."""

    subject: str
    state: str
    advice: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--db", metavar="URL", help="the database to look at")
    parser.add_argument("--json", action="store_true", help="a JSON array")


def run(args: Namespace) -> int:
    """Print what was found; always 0: an advice is no failure."""
    lines = [*_versions(), *_gdbs(), *_database(args.db), *_spool(), *_unpackers(), *_cores()]
    if args.json:
        import json

        print(json.dumps([line._asdict() for line in lines], indent=1))
        return EXIT_DONE
    from gdb_epi.render.text import escape

    width = max(len(line.subject) for line in lines)
    for line in lines:
        print(escape(f"{line.subject:<{width}}  {line.state}"))
        if line.advice:
            print(escape(f"{'':<{width}}  try: {line.advice}"))
    return EXIT_DONE


def _versions() -> Iterator[Line]:
    from gdb_epi import __file__ as home
    from gdb_epi import __version__

    yield Line("gdb-epi", f"{__version__} in {os.path.dirname(home)}")
    yield Line("python", f"{platform.python_version()} {sys.executable}")
    needed_by = {"SQLAlchemy": "pip install 'gdb-epi[fleet]'"}
    needed_by["psycopg"] = "pip install 'gdb-epi[postgresql]' (for PostgreSQL only)"
    for name in PACKAGES:
        try:
            yield Line(name, version(name))
        except PackageNotFoundError:
            yield Line(name, "missing", needed_by.get(name, f"pip install {name}"))


def _gdbs() -> Iterator[Line]:
    from gdb_epi.cli.native_gdb import NoGdb, find_gdb

    beside = os.path.join(os.path.dirname(sys.executable), "gdb")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    places = [beside, *(os.path.join(folder, "gdb") for folder in folders if folder)]
    try:
        used = find_gdb(None)
    except EpiError as error:
        yield Line("gdb", str(error), error.hint)
        used = None
    found = [used] if used else []
    found += [path for path in places if os.access(path, os.X_OK) and os.path.isfile(path)]
    real = {os.path.realpath(path): path for path in reversed(found)}
    if not real:
        yield Line("gdb", "none: no native frames", NoGdb.hint)
    for path in reversed(real.values()):
        mark = "gdb (used)" if path == used else "gdb"
        yield Line(mark, f"{path}: {_about_gdb(path)}")


def _about_gdb(path: str) -> str:
    from gdb_epi.cli.native_gdb import environment

    try:
        done = subprocess.run(
            [path, "-nx", "-nh", "-batch", "-ex", _ASK],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GDB_SECONDS,
            env=environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    answer = done.stdout.decode("utf-8", "replace").strip().splitlines()
    parts = answer[-1].split("|") if answer else []
    if len(parts) != 2:
        return "has no Python: unusable here"
    python = tuple(int(part) for part in parts[1].split(".")[:2] if part.isdigit())
    usable = "" if python >= (3, 10) else " (too old: 3.10 is needed)"
    return f"GDB {parts[0]}, its Python {parts[1]}{usable}"


def _database(db: str | None) -> Iterator[Line]:
    try:
        from gdb_epi.fleet.store.db import database_url, open_database

        shown = database_url(db).render_as_string(hide_password=True)
        with open_database(db, write=False) as engine:
            from gdb_epi.fleet.store.ingest import crash_count

            yield Line("database", f"{shown}: {counted(crash_count(engine), 'core')}")
    except EpiError as error:
        yield Line("database", str(error), error.hint)


def _spool() -> Iterator[Line]:
    from gdb_epi.fleet.store.paths import spool_folder
    from gdb_epi.fleet.store.spool import waiting

    files = len(waiting())
    advice = "gdb-epi fleet ingest" if files else ""
    yield Line("spool", f"{counted(files, 'waiting file')} in {spool_folder()}", advice)


def _unpackers() -> Iterator[Line]:
    from gdb_epi.cli.unpack import PROGRAMS, supported

    for compression, program in PROGRAMS.items():
        found = supported(compression)
        advice = "" if found else f"apt install {program}"
        yield Line(f".{compression} cores", found or "cannot be unpacked", advice)


def _cores() -> Iterator[Line]:
    """How this machine keeps cores; the limit is that of this process, services have theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_CORE)
    limit = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft} bytes"
    advice = "" if soft == resource.RLIM_INFINITY else "ulimit -c unlimited; LimitCORE=infinity"
    yield Line("ulimit -c", limit, advice)
    try:
        pattern = CORE_PATTERN.read_text().strip()
    except OSError as error:
        yield Line("core_pattern", str(error))
        return
    yield Line("core_pattern", pattern or "(empty)", _pattern_advice(pattern))


def _pattern_advice(pattern: str) -> str:
    if "systemd-coredump" in pattern:
        return "coredumpctl dump PID -o FILE; raise ProcessSizeMax and ExternalSizeMax"
    if "apport" in pattern:
        return "apport keeps few cores; core_pattern=/var/crash/core.%e.%p.%t"
    if pattern.startswith("|"):
        return "a program takes the cores: ask its manual where they are"
    if "/" not in pattern:
        return "core_pattern=/var/crash/core.%e.%p.%t: cores land in the working folder now"
    return "" if "%t" in pattern else "add %t: there is no clock in a core"
