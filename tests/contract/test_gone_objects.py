# SPDX-License-Identifier: Apache-2.0
"""Variables whose objects are gone are named, in real cores; all others are not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, oldest_and_newest
from support.opening import need_core_dumps

from gdb_epi.analysis import analyze
from gdb_epi.cli.support.open_core import open_core
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session

PROGRAM = """
import ctypes
class Order: pass
def total(orders, first, kept):
    release = ctypes.pythonapi.Py_DecRef
    release.argtypes, release.restype = [ctypes.c_void_p], None
    place = id(first)
    {}
    ctypes.string_at(16)
def main():
    orders = [Order(), Order()]
    total(orders, orders[1], Order())
main()
"""
RELEASED = "for _ in range(sys.getrefcount(first) - 1): release(place)"
CASES = {
    "released too often": "import sys; " + RELEASED,
    "overwritten": "ctypes.memset(place + 8, 0x41, 8)",
    "nothing": "pass",
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("interpreter", oldest_and_newest(), ids=lambda made: made.id)
def test_variables_whose_object_is_gone(
    interpreter: Interpreter, case: str, tmp_path: Path
) -> None:
    need_core_dumps()
    text = PROGRAM.replace("{}", CASES[case].replace("import sys; ", "import sys\n    "))
    (tmp_path / "prog.py").write_text(text)
    command = interpreter.command("prog.py", cwd=tmp_path)
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$0" "$@"', *command]
    subprocess.run(start, cwd=tmp_path, env=interpreter.environment(), timeout=100, check=False)
    (core,) = find_core(tmp_path)
    with open_core(str(core), str(interpreter.host_executable), None) as target:
        record = analyze(Session(target))
    gone = {each["name"]: each for each in record["signal"].get("gone_objects", [])}
    screen = " ".join(" ".join(render_triage(record, Audience(whole=True))).split())
    if case == "nothing":
        assert not gone
    else:
        assert set(gone) == {"orders[1]", "first"}
        how = "no-object" if case == "overwritten" else "reference-count-0"
        assert {each["how"] for each in gone.values()} == {how}
        assert "`orders[1]`" in screen and ("no object" in screen or "freed too early" in screen)
