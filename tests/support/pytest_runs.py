# SPDX-License-Identifier: Apache-2.0
"""Projects whose tests die, and real pytests that run them with the plugin."""

from __future__ import annotations

import ast
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from support.shell import ROOT, Shell

SECRET = "hunter2-hunter2-hunter2"
FINE = "def test_fine():\n    pass\n"
CRASH = f"""import ctypes

def fill(address, password):
    ctypes.memset(address, 0, 8)

def test_crash():
    fill(0, {SECRET!r})

def test_later():
    pass
"""
# Of the answers: what their sentences say of the place, however they are worded.
CRASHED_AT, HUNG_AT = "fill (test_crash.py:4)", "test_hang.py:6"
HANG = """import threading

def test_hang():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

def test_behind_the_hang():
    pass
"""
ABORT_AT_EXIT = """import atexit, os

atexit.register(os.abort)

def test_fine_until_exit():
    pass
"""
TIMEOUT = 300


class Run(NamedTuple):
    """How a pytest ended, and what it left."""

    code: int
    out: str
    err: str
    folder: Path

    def junit(self, name: str, file: str = "j.xml") -> ElementTree.Element:
        """Return the case of a test from JUnit XML."""
        root = ElementTree.parse(self.folder / file).getroot()
        (case,) = (case for case in root.iter("testcase") if case.get("name") == name)
        return case

    def sarif(self, file: str = "a.sarif") -> dict:
        """Return a SARIF log."""
        return json.loads((self.folder / file).read_text())

    @property
    def kept(self) -> list[Path]:
        """The folders of artefacts."""
        return sorted(path for path in (self.folder / ".epi").iterdir() if path.is_dir())


class Pytest:
    """Runs pytest in a folder of its own, with the entry point of setup.py."""

    def __init__(self, folder: Path) -> None:
        shell = Shell(folder)
        self.folder = folder / "project"
        self.folder.mkdir()
        site = folder / "site" / "gdb_epi_here-1.dist-info"
        site.mkdir(parents=True)
        (site / "METADATA").write_text("Metadata-Version: 2.1\nName: gdb-epi-here\nVersion: 1\n")
        (site / "entry_points.txt").write_text(f"[pytest11]\n{entry_point()}\n")
        self.env = {**shell.env, "PYTHONPATH": f"{ROOT}:{folder / 'site'}"}
        self.prefix: tuple[str, ...] = ()

    def write(self, **files: str) -> None:
        """Write Python files, named without their ending."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)

    def command(self, *words: object) -> list[str]:
        """Return the words of a pytest."""
        program = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        return [*self.prefix, *program, *map(str, words)]

    def __call__(self, *words: object, **env: str) -> Run:
        """Run it to its end."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
        )
        text = (done.stdout.decode(), done.stderr.decode())
        return Run(done.returncode, *text, self.folder)

    def still_running(self) -> list[str]:
        """Return the processes that are in the project's folder, as those of its sessions are."""
        pids = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it is gone, or a zombie
                if (entry / "cwd").readlink().is_relative_to(self.folder):
                    pids.append(entry.name)
        return pids


def entry_point() -> str:
    """Return the line of setup.py by which pytest finds the plugin."""
    for node in ast.walk(ast.parse((ROOT / "setup.py").read_text())):
        if isinstance(node, ast.keyword) and node.arg == "entry_points":
            (line,) = ast.literal_eval(node.value)["pytest11"]
            return str(line)
    raise AssertionError("setup.py has no entry point for pytest")
