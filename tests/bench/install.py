# SPDX-License-Identifier: Apache-2.0
"""Install this checkout as a user would, for bench.py: a fresh venv, pip, compiled modules."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".git", ".venv*", "tests", "sample_cores", "build")


class Installed(NamedTuple):
    """The venv's programs and the folder of the installed package."""

    python: Path
    script: Path
    package: Path


def install(folder: Path) -> Installed:
    """Make a venv in `folder` and install a copy of this checkout into it."""
    source, venv = folder / "source", folder / "venv"
    shutil.copytree(ROOT, source, ignore=LEFT_OUT)
    run(sys.executable, "-m", "venv", str(venv))
    python = venv / "bin" / "python"
    run(str(python), "-m", "pip", "install", "--quiet", "--no-deps", str(source))
    find = "import gdb_epi, os; print(os.path.dirname(gdb_epi.__file__))"
    package = Path(run(str(python), "-I", "-c", find).strip())
    run(str(python), "-m", "compileall", "-q", str(package))
    return Installed(python, venv / "bin" / "gdb-epi", package)


def without_bytecode(package: Path, folder: Path) -> Path:
    """Return a copy of the package that has no compiled modules."""
    copy = folder / "uncompiled" / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(*command: str) -> str:
    """Run a program and return what it prints; end with its message when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def version_of(command: str) -> str:
    """Return the version that a program prints; "" when it does not run."""
    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
    except OSError:
        return ""
    matched = re.search(r"\d+\.\d+[\w.]*", done.stdout.splitlines()[0] if done.stdout else "")
    return matched[0] if matched else ""
