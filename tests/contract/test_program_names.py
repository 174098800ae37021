# SPDX-License-Identifier: Apache-2.0
"""The name of the program that died, however it was started and whatever it wrote over its name."""

from __future__ import annotations

import subprocess
import zipapp
from pathlib import Path

import pytest
from support.cores import START, find_core, truncate
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps

from gdb_epi.cpython.runtime.program import ProgramThatRan, find_program
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

TIMEOUT = 300
END = "import ending\nending.die()\n"
# sys.argv is the program's own, the kernel's copy of the arguments is where titles are written.
ENDING = """
import ctypes, os, sys

def die():
    sys.argv[:] = ["another", "name"]
    os.abort()

def overwrite():
    with open("/proc/self/stat") as file:
        first, last = map(int, file.read().rpartition(")")[2].split()[45:47])
    title = b"gunicorn: worker [secret:app] " + b"x" * 4096
    ctypes.memmove(first, title[: last - first - 1] + b"\\0", last - first)
"""
CHILD = """
import ending, multiprocessing, sys
if __name__ == "__main__":
    child = multiprocessing.get_context(sys.argv[1]).Process(target=ending.die)
    child.start()
    child.join()
"""
FILES = {
    "ending.py": ENDING,
    "script.py": END,
    "titled.py": "import ending\nending.overwrite()\n" + END,
    "child.py": CHILD,
    "package/__init__.py": "",
    "package/__main__.py": END,
    "package/module.py": END,
    "package/child.py": CHILD,
    "folder/__main__.py": END,
    "a-tool": "#! of an entry point\n" + END,
}
STARTS = {
    "script": (["-B", "script.py"], ProgramThatRan("script.py", "script")),
    "module": (["-Bm", "package.module"], ProgramThatRan("-m package.module", "module")),
    "package": (["-m", "package"], ProgramThatRan("-m package", "module")),
    "command": (["-c", END], ProgramThatRan("-c", "command")),
    "stdin": (["-"], ProgramThatRan("<stdin>", "stdin")),
    "no argument": ([], ProgramThatRan("<stdin>", "stdin")),
    "folder": (["folder"], ProgramThatRan("folder", "script")),
    "archive": (["app.pyz"], ProgramThatRan("app.pyz", "script")),
    "entry point": (["./a-tool"], ProgramThatRan("a-tool", "script")),
    "title": (["titled.py"], ProgramThatRan("titled.py", "script")),
    "spawn": (["child.py", "spawn"], ProgramThatRan("child.py", "multiprocessing")),
    "forkserver": (["child.py", "forkserver"], ProgramThatRan("child.py", "multiprocessing")),
    "fork": (["child.py", "fork"], ProgramThatRan("child.py", "script")),
    "spawn of a module": (
        ["-m", "package.child", "spawn"],
        ProgramThatRan("-m package.child", "multiprocessing"),
    ),
}
# sys.orig_argv came with 3.10.
INTERPRETERS = [interpreter for interpreter in one_per_minor() if interpreter.root is None]
INTERPRETERS = INTERPRETERS[:1] + INTERPRETERS[-1:]
CELLS = [
    pytest.param(interpreter, start, id=f"{interpreter.id}-{start}")
    for interpreter in INTERPRETERS
    for start in STARTS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_core_dumps()
    place = tmp_path_factory.mktemp("starts")
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    zipapp.create_archive(place / "folder", place / "app.pyz")
    return place


def core_of_start(interpreter: Interpreter, folder: Path, start: str) -> Path:
    shell = ["/bin/sh", "-c", START, "sh", interpreter.executable, *STARTS[start][0]]
    environment = {**interpreter.environment(), "GDB_EPI_FILTER": "", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        shell, cwd=folder, env=environment, input=END.encode(), capture_output=True,
        timeout=TIMEOUT, check=False,
    )  # fmt: skip
    cores = find_core(folder)
    assert cores, done.stderr
    return cores[0].rename(folder / "the.core.of.it")


def program(core: Path) -> ProgramThatRan | None:
    target = CoreFileTarget.open(str(core))
    process = target.process()
    assert not isinstance(process, Absent)
    return find_program(target, ProcessState(target).python, process.psargs)


@pytest.mark.parametrize(("interpreter", "start"), CELLS)
def test_the_program_is_named(interpreter: Interpreter, folder: Path, start: str) -> None:
    core = core_of_start(interpreter, folder, start)
    try:
        assert program(core) == STARTS[start][1]
        if start in ("script", "module"):  # the notes are at the front, the stack at the end
            cut = truncate(core, 0.3, folder / "cut")
            assert program(cut) == STARTS[start][1]
    finally:
        core.unlink()
