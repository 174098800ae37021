# SPDX-License-Identifier: Apache-2.0
"""Packaging: `commands/` is installed as gdb_epi.commands (ARCHITECTURE.md)."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))


def read(*parts: str) -> str:
    """Return the text of a file of this tree."""
    with open(os.path.join(HERE, *parts), encoding="utf-8") as file:
        return file.read()


def version() -> str:
    """Return gdb_epi.__version__ without importing the package."""
    found = re.search(r'^__version__ = "([^"]+)"', read("gdb_epi", "__init__.py"), re.MULTILINE)
    if found is None:
        raise RuntimeError("no __version__ in gdb_epi/__init__.py")
    return found.group(1)


def data_files_of(package: str) -> list[str]:
    """Return the files under a package folder that are no Python, relative to it."""
    root = os.path.join(HERE, package)
    found = []
    for folder, _, names in os.walk(root):
        if os.path.basename(folder) != "__pycache__":
            inside = os.path.relpath(folder, root)
            data = (name for name in names if not name.endswith((".py", ".pyc")))
            found += [os.path.normpath(os.path.join(inside, name)) for name in data]
    return sorted(found)


# In one process: each would compile the whole package anew, as no bytecode may be left in the tree.
MAKE = """
import contextlib, sys
from gdb_epi.cli.main import main
for path, *words in (argument.split(":") for argument in sys.argv[1:]):
    with open(path, "w") as file, contextlib.redirect_stdout(file):
        if main(words):
            sys.exit(f"no {path}")
"""


def made_files() -> list[tuple[str, list[str]]]:
    """Make the manual page and the completion of shells by the parsers; return where they go.

    They need none of the dependencies. A tree that cannot be written to has none.
    """
    if {"egg_info", "dist_info", "editable_wheel"} & set(sys.argv):  # which hold none of them
        return []
    folder = os.path.join("build", "share")
    files = {
        "share/man/man1": ("gdb-epi.1", "man"),
        "share/bash-completion/completions": ("gdb-epi", "completion:bash"),
        "share/zsh/site-functions": ("_gdb-epi", "completion:zsh"),
    }
    paths = {place: os.path.join(folder, name) for place, (name, _) in files.items()}
    wanted = [f"{paths[place]}:{words}" for place, (_, words) in files.items()]
    try:
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
        subprocess.run([sys.executable, "-B", "-c", MAKE, *wanted], cwd=HERE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"no manual page and no completion of shells: {error}\n")
        return []
    return [(place, [path]) for place, path in paths.items()]


README = os.path.join(HERE, "README.md")

# SciPy: the tests of the questions; alembic: changes of the tables; packaging: order of versions.
FLEET = ["SQLAlchemy>=2.0", "alembic>=1.13", "scipy>=1.10", "packaging>=22"]
REPORT = [*FLEET, "jinja2>=3.1", "matplotlib>=3.6"]
SERVE = [*REPORT, "starlette>=0.37", "uvicorn>=0.27", "prometheus_client>=0.20"]
PARQUET = [*FLEET, "pyarrow>=14"]
LAKE = [*PARQUET, "duckdb>=1.0", "duckdb-engine>=0.13"]

setup(
    name="gdb-epi",
    version=version(),
    description="Tell why Python processes die, across a fleet, from their core dumps",
    long_description=read("README.md") if os.path.exists(README) else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.10",
    packages=[*find_packages(include=["gdb_epi", "gdb_epi.*"]), "gdb_epi.commands"],
    package_dir={"gdb_epi.commands": "commands"},
    # The file gdb_epi/gdb_epi (a GDB script, no extension) is what `source gdb_epi` runs.
    package_data={
        "gdb_epi": data_files_of("gdb_epi"),
        "gdb_epi.commands": data_files_of("commands"),
    },
    include_package_data=False,
    zip_safe=False,
    install_requires=["pygments", "tabulate", "pyelftools"],
    extras_require={
        "fleet": FLEET,
        "report": REPORT,
        "serve": SERVE,
        "parquet": PARQUET,
        "lake": LAKE,
        "postgresql": [*FLEET, "psycopg[binary]>=3.1"],
        "gdb": ["gdb-for-pwndbg"],
        "objects": ["fsspec>=2023.6", "aiohttp>=3.8", "s3fs>=2023.6"],  # triage s3://, https://
        "cluster": [*FLEET, "distributed>=2024.1"],  # triage --scheduler
        "dev": [
            "pytest",
            "pytest-xdist",
            "ruff",
            "mypy",
            "types-tabulate",
            "types-Pygments",
            "hypothesis",
            "jsonschema",
            "pystack",
            "fsspec>=2023.6",
            "aiohttp>=3.8",
            "py-spy",
            *SERVE,
            *LAKE,
            "playwright>=1.45",  # drives the distribution's Chromium
            "psycopg[binary]>=3.1",
        ],
    },
    scripts=["gdb_epi/cli/gdb-epi"],
    data_files=made_files(),
    entry_points={"pytest11": ["epi = gdb_epi.pytest_plugin"]},
    classifiers=[
        "Environment :: Console",
        "Intended Audience :: Developers",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Topic :: Software Development :: Debuggers",
    ],
)
