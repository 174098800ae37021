# SPDX-License-Identifier: Apache-2.0
"""One crash, started in the ways that Python programs are: its signature says where, not how."""

from __future__ import annotations

import shutil
import subprocess
import zipapp
from pathlib import Path

import pytest
from support.cores import START, find_core, why_no_core_dumps
from support.interpreters import Interpreter, one_per_minor
from support.zoo import TIMEOUT, Build, keys_of, make_build, signed

from gdb_epi.cli.support.native_gdb import find_gdb

VERSION = (3, 11)  # its sub-interpreters load extensions of one phase
BODY = """
import _zoo
def crash(value):
    return [_zoo.null(number) for number in range(value)]
def outer():
    return crash(5)
"""
CALL = BODY + "outer()\n"
CELL = "exec(compile({source!r}, {file!r}, 'exec'), {names})"
SUB = "import _xxsubinterpreters as x\nx.run_string(x.create(), {source!r})"
NOTEBOOK = "<ipython-input-7-0123456789ab>"
KERNEL = "/tmp/ipykernel_4321/1234567.py"
STARTS = {
    "script": (["program.py"], "__main__"),
    "-c": (["-c", CALL], "__main__"),
    "-m": (["-m", "package"], "__main__"),
    "archive": (["archive.pyz"], "inner"),
    "sub-interpreter": (["-c", SUB.format(source=CALL)], "__main__"),
    "cell": (
        ["-c", CELL.format(source=CALL, file=NOTEBOOK, names={"__name__": "__main__"})],
        "__main__",
    ),
    "cell without __name__": (["-c", CELL.format(source=CALL, file=NOTEBOOK, names={})], "{cell}"),
    "cell of a kernel": (["-c", CELL.format(source=CALL, file=KERNEL, names={})], "{cell}"),
}


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    reason = why_no_core_dumps()
    if reason:
        pytest.skip(f"no core dumps here: {reason}")
    if shutil.which("gcc") is None or find_gdb(None) is None:
        pytest.skip("no gcc or no gdb")
    for installed in one_per_minor():
        if installed.minor == VERSION and installed.root is None:
            return installed
    pytest.skip("no CPython 3.11 on this machine's own root")


@pytest.fixture(scope="module")
def folder(interpreter: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("starts")
    make_build(Build("extension", "O2"), place)
    (place / "program.py").write_text(CALL)
    for name, text in (("package", CALL), ("zipped", "import inner\ninner.outer()\n")):
        (place / name).mkdir()
        (place / name / "__main__.py").write_text(text)
    (place / "zipped" / "inner.py").write_text(BODY)
    zipapp.create_archive(place / "zipped", place / "archive.pyz")
    return place


@pytest.mark.parametrize("start", STARTS)
def test_the_signature_says_where_and_not_how(
    interpreter: Interpreter, folder: Path, start: str
) -> None:
    words, module = STARTS[start]
    shell = ["/bin/sh", "-c", START, "sh", interpreter.executable, *words]
    environment = {**interpreter.environment(), "GDB_EPI_FILTER": "", "PYTHONPATH": str(folder)}
    subprocess.run(
        shell, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT, check=False
    )
    (core,) = find_core(folder)
    try:
        keys = keys_of(signed(core, find_gdb(None) or ""))
    finally:
        core.unlink()
    python = f"py:{module}.crash"
    assert keys["coarse"] == f"gsig/2 coarse segv-null ring_push <-- {python}"
    assert keys["stable"] == (
        f"gsig/2 stable segv-null ring_push <- null <-- {python} <- py:{module}.outer"
    )
    assert keys["python"] == f"gsig/2 python segv-null {python} <- py:{module}.outer"
