# SPDX-License-Identifier: Apache-2.0
"""Programs that Nuitka compiled or PyInstaller packed: names, and the lines that ran."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from support.cores import START, find_core
from support.interpreters import cache_root
from support.opening import need_core_dumps

from gdb_epi.cpython.runtime.program import BOOTLOADER, FROZEN, find_program
from gdb_epi.cpython.source.finder import SourceFinder, SourceNotFound
from gdb_epi.cpython.types import PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

pytestmark = pytest.mark.heavy  # a build takes a minute

HELPER = """import os


def finish(total):
    text = str(total)
    if text:
        os.abort()
    return text
"""
MAIN = """import helper


def compute(items):
    total = 0
    for item in items:
        total += item
    helper.finish(total)
    return total


def main():
    values = list(range(10))

    return compute(values)


main()
"""
EXPECTED = [("finish", 7), ("compute", 8), ("main", 15), ("<module>", 18)]


def built(folder: Path) -> Path:
    """Return the program; it is built once, in an environment of its own."""
    program = folder / "app.bin"
    if program.exists():
        return program
    venv.create(folder / "env", with_pip=True)
    python = str(folder / "env" / "bin" / "python")
    (folder / "helper.py").write_text(HELPER)
    (folder / "app.py").write_text(MAIN)
    for words in (
        ["-m", "pip", "install", "-q", "nuitka"],
        ["-m", "nuitka", "--include-module=helper", f"--output-dir={folder}", "app.py"],
    ):
        done = subprocess.run(
            [python, *words], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"Nuitka cannot be had here: {done.stderr[-300:]}")
    return program


def test_lines_of_nuitka(tmp_path: Path) -> None:
    need_core_dumps()
    key = hashlib.sha256((HELPER + MAIN + sys.version).encode()).hexdigest()[:12]
    folder = cache_root() / f"nuitka-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    shell = ["/bin/sh", "-c", START, "sh", str(built(folder))]
    subprocess.run(shell, cwd=tmp_path, env={"GDB_EPI_FILTER": ""}, timeout=60, check=False)
    (core,) = find_core(tmp_path)
    target = CoreFileTarget.open(str(core))
    state = ProcessState(target)
    assert isinstance(state.python, PythonState)
    (thread,) = state.python.threads()
    assert [(frame.name, frame.lineno) for frame in thread.frames] == EXPECTED
    program = find_program(target, state.python, "")
    assert program is not None and program == ("app.py", FROZEN)


def packed(folder: Path) -> Path:
    """Return a one-file program of PyInstaller; it is built once, in an environment of its own."""
    program = folder / "dist" / "frozen"
    if program.exists():
        return program
    venv.create(folder / "env", with_pip=True)
    python = str(folder / "env" / "bin" / "python")
    (folder / "helper.py").write_text(HELPER)
    # The parent dies of the same signal: its core must not take the place of the child's.
    (folder / "app.py").write_text(
        "import os\n" + MAIN.replace("    values", "    os.chdir('child')\n    values")
    )
    for words in (
        ["-m", "pip", "install", "-q", "pyinstaller"],
        ["-m", "PyInstaller", "--onefile", "-n", "frozen", "app.py"],
    ):
        done = subprocess.run(
            [python, *words], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"PyInstaller cannot be had here: {done.stderr[-300:]}")
    return program


def test_parent_and_child_of_pyinstaller(tmp_path: Path) -> None:
    need_core_dumps()
    key = hashlib.sha256((HELPER + MAIN + sys.version).encode()).hexdigest()[:12]
    folder = cache_root() / f"pyinstaller-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / "child").mkdir()
    shell = ["/bin/sh", "-c", START, "sh", str(packed(folder))]
    subprocess.run(shell, cwd=tmp_path, env={"GDB_EPI_FILTER": ""}, timeout=60, check=False)
    (core,) = find_core(tmp_path / "child")
    target = CoreFileTarget.open(str(core))
    state = ProcessState(target)
    assert isinstance(state.python, PythonState)
    (thread,) = state.python.threads()
    lines = [(frame.name, frame.lineno) for frame in thread.frames]
    assert lines == [("finish", 7), ("compute", 9), ("main", 17), ("<module>", 20)]
    assert find_program(target, state.python, "") == ("app.py", FROZEN)
    source = SourceFinder(target, state.python).find_source(thread.frames[0])
    assert isinstance(source, SourceNotFound)
    assert source.tried[0] == "a PyInstaller program holds compiled code and line numbers, no text"
    (parent,) = find_core(tmp_path)
    target = CoreFileTarget.open(str(parent))
    assert find_program(target, ProcessState(target).python, "") == ("frozen", BOOTLOADER)
