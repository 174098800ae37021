# SPDX-License-Identifier: Apache-2.0
"""Programs that bring their Python along: a C program with libpython in it, a zipapp."""

from __future__ import annotations

import subprocess
import zipapp
from pathlib import Path

import pytest
from support.cores import START, find_core
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps
from support.shell import Shell

from gdb_epi.cpython.runtime.program import EMBEDDED, SCRIPT, find_program
from gdb_epi.cpython.source.finder import Source, SourceFinder
from gdb_epi.cpython.types import PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

HOST = """
#include <Python.h>
#include <pthread.h>

static void *run(void *code)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyRun_SimpleString(code);
    PyGILState_Release(state);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    Py_Initialize();
    PyRun_SimpleString("import sys; sys.path.insert(0, '.'); import plugin");
    PyThreadState *saved = PyEval_SaveThread();
    pthread_create(&thread, NULL, run, "import plugin; plugin.wait()");
    run("import plugin; plugin.work(3)");
    pthread_join(thread, NULL);
    PyEval_RestoreThread(saved);
    return Py_FinalizeEx();
}
"""
PLUGIN = """import os
import threading

WAITING, NEVER = threading.Event(), threading.Event()


def wait():
    WAITING.set()
    NEVER.wait()


def work(number):
    WAITING.wait()
    while not NEVER._cond._waiters:
        pass
    os.abort()
"""
MAIN = "import inner\n\n\ndef main():\n    inner.work(3)\n\n\nmain()\n"
INNER = "import os\n\n\ndef work(number):\n    # the line below dies\n    os.abort()\n"
LOCAL = [interpreter for interpreter in one_per_minor() if interpreter.root is None]
SHARED = [interpreter for interpreter in LOCAL if interpreter.shared]


def state_of(core: Path) -> tuple[CoreFileTarget, PythonState]:
    target = CoreFileTarget.open(str(core))
    python = ProcessState(target).python
    assert isinstance(python, PythonState)
    return target, python


@pytest.mark.parametrize(
    "interpreter", SHARED[:1] + SHARED[-1:], ids=lambda interpreter: interpreter.id
)
def test_a_c_program_with_python_in_it(interpreter: Interpreter, tmp_path: Path) -> None:
    need_core_dumps()
    prefix = Path(interpreter.executable).resolve().parent.parent
    minor = ".".join(map(str, interpreter.minor))
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "plugin.py").write_text(PLUGIN)
    words = [f"-I{prefix}/include/python{minor}", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
    build = ["gcc", "-O1", "host.c", "-o", "host", *words, f"-lpython{minor}", "-lpthread"]
    subprocess.run(build, cwd=tmp_path, check=True)
    environment = {**interpreter.environment(), "GDB_EPI_FILTER": "", "PYTHONHOME": str(prefix)}
    start = ["/bin/sh", "-c", START, "sh", "./host"]
    subprocess.run(start, cwd=tmp_path, env=environment, timeout=60, check=False)
    (core,) = find_core(tmp_path)
    target, python = state_of(core)
    assert find_program(target, python, "./host") == ("host", EMBEDDED)
    threads = {
        thread.crashed: [(frame.name, frame.lineno) for frame in thread.frames]
        for thread in python.threads()
    }
    assert threads[True] == [("work", 16), ("<module>", 1)]
    assert threads[False][-2:] == [("wait", 9), ("<module>", 1)]
    done = Shell(tmp_path)("triage", "--no-db", core)
    assert done.out.startswith("host "), done.out
    assert "<module>" in done.out and "plugin.py:16" in done.out


@pytest.mark.parametrize(
    "interpreter", LOCAL[:1] + LOCAL[-1:], ids=lambda interpreter: interpreter.id
)
def test_the_lines_of_a_zipapp_are_read_from_the_archive(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    need_core_dumps()
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "__main__.py").write_text(MAIN)
    (folder / "inner.py").write_text(INNER)
    zipapp.create_archive(folder, tmp_path / "app.pyz")
    start = ["/bin/sh", "-c", START, "sh", *interpreter.argv, "app.pyz"]
    environment = {**interpreter.environment(), "GDB_EPI_FILTER": ""}
    subprocess.run(start, cwd=tmp_path, env=environment, timeout=60, check=False)
    (core,) = find_core(tmp_path)
    target, python = state_of(core)
    assert find_program(target, python, "") == ("app.pyz", SCRIPT)
    (thread,) = python.threads()
    finder = SourceFinder(target, python)
    lines = []
    for frame in thread.frames[:3]:
        source = finder.find_source(frame)
        assert isinstance(source, Source), source
        assert frame.lineno is not None and "app.pyz" in source.where
        lines.append(source.lines[frame.lineno - 1].strip())
    assert lines == ["os.abort()", "inner.work(3)", "main()"]
