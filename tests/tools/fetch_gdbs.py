#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetch other versions of GDB into the cache of fetch_interpreters.py, for the tests.

Those of distributions are unpacked with all that they need and run by their own dynamic linker,
with their own Python; those of PyPI (gdb-for-pwndbg) stand in a folder of their own. Each has a
script `gdb` that runs it; the machine's own packages stay as they are. What cannot be had is told
in one line, and is no failure. No suite that a mirror still has brings GDB 14.

    fetch_gdbs.py                   all of them
    fetch_gdbs.py --only jammy      one
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from fetch_interpreters import (
    DOWNLOAD_TIMEOUT,
    apt_environment,
    attempt,
    cache_root,
    download_and_unpack,
    locked,
    run,
    update_lists,
)

PROJECT = "gdb-for-pwndbg"  # of PyPI; the newest is a dependency of the tests already
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib64", "usr/lib")


class Suite(NamedTuple):
    """One suite of a distribution, with the version of GDB that it brings."""

    name: str
    brings: str
    ubuntu: bool = False


SUITES = (
    Suite("jammy", "12", ubuntu=True),
    Suite("noble", "15", ubuntu=True),
    Suite("trixie", "16"),
)
WHEELS = ("17.2.0.post5",)


def gdbs_root() -> Path:
    """Return the folder that holds one folder for each GDB."""
    return cache_root() / "gdbs"


def write_script(folder: Path, command: str) -> None:
    """Write the script that runs a GDB; it is there only when all the rest is."""
    script = folder / "gdb"
    temporary = folder / "gdb.tmp"
    temporary.write_text(f"#!/bin/sh\n{command}\n")
    temporary.chmod(0o755)
    temporary.replace(script)


def fetch_suite(suite: Suite) -> None:
    """Bring the GDB of one suite; quick when it is there."""
    folder = gdbs_root() / suite.name
    if (folder / "gdb").is_file():
        say(f"{suite.name}: already in {folder}")
        return
    root = folder / "root"
    # A folder of apt's own for it: fetch_interpreters.py has its lists of the same suite.
    environment = apt_environment(suite.name, ubuntu=suite.ubuntu, updates=suite.ubuntu)
    update_lists(suite.name, environment, again=False)
    root.mkdir(parents=True, exist_ok=True)
    download_and_unpack(suite.name, ["gdb"], root, environment)
    linker = root / LIBRARIES[0] / "ld-linux-x86-64.so.2"  # that in lib64 may be absolute
    libraries = ":".join(str(root / name) for name in LIBRARIES)
    line = [linker, "--library-path", libraries, root / "usr/bin/gdb"]
    line += ["-data-directory", root / "usr/share/gdb"]
    words = shlex.join(map(str, line))
    write_script(folder, f'PYTHONHOME={shlex.quote(str(root / "usr"))} exec {words} "$@"')
    say(f"{suite.name}: GDB {suite.brings} in {folder}")


def fetch_wheel(version: str) -> None:
    """Bring one GDB of PyPI; quick when it is there."""
    folder = gdbs_root() / f"pypi-{version}"
    if (folder / "gdb").is_file():
        say(f"{version}: already in {folder}")
        return
    shutil.rmtree(folder, ignore_errors=True)
    words = ["-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check"]
    target = ["--target", str(folder / "site"), f"{PROJECT}=={version}"]
    run([sys.executable, *words, *target], timeout=DOWNLOAD_TIMEOUT)
    python = shlex.quote(sys.executable)
    code = "import sys; from gdb_for_pwndbg.gdb import main; sys.exit(main())"
    site = shlex.quote(str(folder / "site"))
    write_script(folder, f'PYTHONPATH={site} exec {python} -c {shlex.quote(code)} "$@"')
    say(f"{version}: in {folder}")


def say(text: str) -> None:
    """Tell one line at once, also when standard output is a file."""
    print(f"fetch_gdbs: {text}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status, 0 also when something is not to be had."""
    parser = argparse.ArgumentParser(description="Fetch GDBs for the test matrix.")
    names = [*(suite.name for suite in SUITES), *WHEELS]
    parser.add_argument("--only", action="append", choices=names, help="only this one")
    only = parser.parse_args(arguments).only or names
    with locked(".gdbs.lock"):
        for suite in SUITES:
            if suite.name in only:
                attempt(f"the GDB of {suite.name}", fetch_suite, suite)
        for version in WHEELS:
            if version in only:
                attempt(f"{PROJECT} {version}", fetch_wheel, version)
    return 0


if __name__ == "__main__":
    sys.exit(main())
