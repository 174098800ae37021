# SPDX-License-Identifier: Apache-2.0
"""The shell command as a process of its own, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

from support.schema import problems
from support.warm import read_at_start, run_warm

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_cores"
TIMEOUT = 300  # seconds for one run
# A shell starts what it runs in the background with SIGINT ignored, and that is inherited.
INTERRUPTIBLE = ("env", "--default-signal=INT")


def without_rights() -> list[str]:
    """Return the words before a command by which root has no power to ignore file modes."""
    if os.getuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root without setpriv ignores file modes; try: apt install util-linux")
    return ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]


def read_terminal(ours: int) -> bytes:
    """Return what is written to the other end of a terminal until that is closed; close ours."""
    written = b""
    with contextlib.suppress(OSError):  # Linux says EIO at the end of a terminal
        while piece := os.read(ours, 1 << 16):
            written += piece
    os.close(ours)
    return written


class Done(NamedTuple):
    """How a run of gdb-epi ended."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict]:
        """The JSON lines of the output; fails when anything else is on it, or a wrong record."""
        lines = [json.loads(line) for line in self.out.splitlines()]
        for record in lines:
            # With --stacks `threads` is the list of stacks; a minimal record has no verdict.
            if isinstance(record, dict) and "thread_summary" not in record and "verdict" in record:
                assert "schema" not in record or problems(record) == []
        return lines


class Shell:
    """Runs `gdb-epi WORDS...` with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = sys.executable
        self.prefix: list[str] = []  # words before the command: drop rights, set limits
        self.data = folder / "data" / "gdb-epi"
        self.database = self.data / "fleet.sqlite3"
        kept = ("PATH", "HOME", "LANG", "GDB_EPI_GDB")
        self.env = {name: os.environ[name] for name in kept if name in os.environ}
        self.env |= {
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "TMPDIR": str(folder / "tmp"),
            "PYTHONPATH": str(ROOT),
            # A GDB that loads the checkout takes its packages from where the tests run.
            "GDB_EPI_SITE": sysconfig.get_path("purelib"),
        }
        self.read_at_start = read_at_start(self.env)
        (folder / "tmp").mkdir(exist_ok=True)

    @property
    def spooled(self) -> list[Path]:
        """The files that wait in the spool."""
        return sorted((self.data / "spool").glob("*.jsonl"))

    @property
    def leftovers(self) -> list[str]:
        """What runs left behind in the temporary folder."""
        return [path.name for path in (self.folder / "tmp").iterdir()]

    def command(self, *words: object) -> list[str]:
        """Return the words of a process that runs gdb-epi."""
        program = [*self.prefix, self.python, "-m", "gdb_epi.cli.main"]
        return [*program, *(str(word) for word in words)]

    def without_rights(self) -> None:
        """Run what follows without the power of root to ignore file modes."""
        self.prefix = without_rights()

    def __call__(
        self, *words: object, env: dict[str, str] | None = None, stdin: bytes = b""
    ) -> Done:
        """Run it to its end, as a fork of a process that has loaded all."""
        env = {**self.env, **(env or {})}
        powerless = bool(self.prefix) and self.prefix == without_rights()
        usual = self.python == sys.executable and self.read_at_start == read_at_start(env)
        if usual and (powerless or not self.prefix):
            texts = [str(word) for word in words]
            code, out, err = run_warm(texts, env, self.folder, stdin, TIMEOUT, powerless=powerless)
            return Done(code, out.decode(), err.decode())
        done = subprocess.run(
            self.command(*words),
            input=stdin,
            capture_output=True,
            timeout=TIMEOUT,
            env=env,
            cwd=self.folder,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def triage(self, *words: object, **options: object) -> Done:
        """Run `gdb-epi triage` without GDB."""
        return self("triage", "--native", "never", *words, **options)  # type: ignore[arg-type]
