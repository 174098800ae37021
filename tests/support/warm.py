# SPDX-License-Identifier: Apache-2.0
"""Runs of gdb-epi as forks of a process that has loaded what it imports.

To load SQLAlchemy and numpy takes 0.4 s of a processor, what reads a core 0.2 s, to answer less
than 0.1 s, and the tests ask hundreds. Each run is a process of its own all the same; the examples
of the documents (tests/cli/test_documents.py) start an interpreter for each.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# An interpreter reads these when it starts: a run with others needs one of its own.
PR_CAPBSET_DROP, CAPABILITY_VERSION_3 = 24, 0x20080522
READ_AT_START = ("PYTHON", "LANG", "LC_", "TZ", "LD_")


def read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    """Return the part of an environment that a process cannot take on later."""
    return {name: value for name, value in env.items() if name.startswith(READ_AT_START)}


def run_warm(
    words: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    stdin: bytes,
    timeout: float,
    *,
    powerless: bool = False,
) -> tuple[int, bytes, bytes]:
    """Run `gdb-epi WORDS...` in a folder to its end; return its exit code and what it wrote.

    `powerless`: without the power of root to ignore file modes.
    """
    with tempfile.TemporaryDirectory() as outside:
        paths = [os.path.join(outside, name) for name in ("in", "out", "err")]
        Path(paths[0]).write_bytes(stdin)
        arguments = (tuple(words), dict(env), folder, paths, powerless)
        process = _server().Process(target=_run, args=arguments)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(words), timeout)
        return process.exitcode, Path(paths[1]).read_bytes(), Path(paths[2]).read_bytes()


@cache
def _server() -> ForkServerContext:
    context = get_context("forkserver")
    files = sorted((ROOT / "gdb_epi").rglob("*.py"))
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    # alembic loads the first, GDB the others.
    others = re.compile(r"\.migrations\.|\.gdbhost\b|bootstrap$")
    modules = [name.removesuffix(".__init__") for name in modules if not others.search(name)]
    # What does not import is left to the run that asks for it.
    context.set_forkserver_preload(
        ["numpy", "sqlalchemy.dialects.sqlite.pysqlite", "alembic.command", *modules]
    )
    return context


def _run(
    words: tuple[str, ...], env: dict[str, str], folder: Path, paths: list[str], powerless: bool
) -> None:
    """Become the run: its streams, its rights, its environment, its folder."""
    for number, path in enumerate(paths):
        opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))
    if powerless:
        _drop_rights()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    from gdb_epi.cli import main

    sys.argv = [main.__file__, *words]
    sys.exit(main.main())


def _drop_rights() -> None:
    """Do what `setpriv --inh-caps=-all --bounding-set=-all` does for what it starts."""
    libc = ctypes.CDLL(None)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # those beyond the last one there fail
    if libc.capset(struct.pack("=Ii", CAPABILITY_VERSION_3, 0), bytes(24)) != 0:
        raise PermissionError("capset")
