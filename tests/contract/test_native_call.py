# SPDX-License-Identifier: Apache-2.0
"""What Python code gave to the native function that failed, from real cores of each version."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps, need_gdb

LIBRARY = r"""
#include <string.h>
int score(const char *word, int weight) { return (int)strlen(word) * weight; }
"""
HEAD = """
import ctypes
score = ctypes.CDLL("./libscore.so").score
class Words:
    @staticmethod
    def first(text): return score(text, 2)
"""
BYTES, NULL, INT = ("bytes", False), ("NoneType", True), ("int", False)
# Code that fails in score(), and what it gave.
CALLS = {
    "score(None, 3)": [NULL, INT],
    "score(b'owl', 3); print(len([1, 2, score(None, 3)]))": [NULL, INT],
    "score(ctypes.c_void_p(), 3)": [("c_void_p", True), INT],
    "score(b'owl', score(None, 3))": [NULL, INT],
    "Words.first(None)": [NULL, INT],
    "score(8, weight := 3)": [INT, INT],
}


@pytest.mark.parametrize("interpreter", [pytest.param(i, id=i.id) for i in one_per_minor()])
@pytest.mark.heavy
def test_what_ctypes_gave_is_read_from_the_value_stack(interpreter: Interpreter) -> None:
    need_core_dumps()
    need_gdb()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the library with; try: apt install gcc")
    interpreter.workspace().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=interpreter.workspace()) as name:
        folder = Path(name)
        (folder / "score.c").write_text(LIBRARY)
        build = ["gcc", "-O1", "-shared", "-fPIC", "score.c", "-o", "libscore.so"]
        subprocess.run(build, cwd=folder, check=True)
        assert {code: what_was_given(interpreter, folder, code) for code in CALLS} == CALLS


def what_was_given(interpreter: Interpreter, folder: Path, code: str) -> list[tuple[str, bool]]:
    (folder / "program.py").write_text(f"{HEAD}{code}\n")
    limit = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"]
    command = [*limit, *interpreter.command("program.py", cwd=folder)]
    environment = interpreter.environment()
    subprocess.run(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL, check=False)
    (core,) = find_core(folder)
    triage = [sys.executable, "-m", "gdb_epi.cli.main", "triage", str(core), "--no-db"]
    files = ["--sysroot", str(interpreter.root)] if interpreter.root else []
    done = subprocess.run([*triage, *files, "--format", "json"], capture_output=True, check=True)
    core.unlink()
    call = json.loads(done.stdout)["signal"]["native_call"]
    assert (call["file"], call["by"]) == ("libscore.so", "ctypes")
    assert interpreter.root or call["function"] == "score"  # GDB has no symbols within a sysroot
    return [(a["type"].rpartition(".")[2], a["is_null"]) for a in call["arguments"]]
