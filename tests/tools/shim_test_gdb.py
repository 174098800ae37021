# SPDX-License-Identifier: Apache-2.0
"""Run CPython's own expectations of python-gdb.py's pretty printer against our values.

    ulimit -c unlimited; python tests/tools/shim_test_gdb.py [INTERPRETER]

Takes `test.test_gdb.test_pretty_print` of the Python that runs this (3.11.7, 3.12 and later have
it); nothing of it is kept here. Where a test would stop GDB in id(), the process dies in a function
of that name, and its argument is read out of the core. Prints a line per test that deviates.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

HASH_SEED = "123"  # of test.test_gdb.util: the order of sets that the tests expect
DIE = """
import os, sys
def id(v):
    os.abort()
exec(sys.argv[1])
"""


class Tests(unittest.TestCase):
    """Stand in for DebuggerTests."""

    def get_stack_trace(self, *_: Any, **__: Any) -> str:
        """Skip: what the test wants is GDB's own text."""
        raise unittest.SkipTest("wants GDB's own output")


def decode(core: Path) -> str:
    """Return what we show of the variable `v` of the frame that died."""
    from gdb_epi.cpython.types import PythonState
    from gdb_epi.cpython.values.process_values import get_process_values
    from gdb_epi.cpython.values.variables import FrameVariables
    from gdb_epi.process_state import ProcessState
    from gdb_epi.target.corefile import CoreFileTarget

    state = ProcessState(CoreFileTarget.open(core))
    python = state.python
    assert isinstance(python, PythonState), python
    reader = FrameVariables(get_process_values(state.target, python))
    for thread in python.threads():
        for frame in thread.frames:
            if frame.name == "id":
                return next(
                    variable.text
                    for variable in reader.variables_of_frame(frame)
                    if variable.name == "v"
                )
    raise AssertionError("no frame of the function that died")


def shown(
    self: Any, source: str, cmds_after_breakpoint: Any = None, import_site: bool = False
) -> Any:
    """Stand in for PrettyPrintTests.get_gdb_repr: (what we show, GDB's output)."""
    if cmds_after_breakpoint:
        self.skipTest("changes memory or asks by commands of GDB")
    with tempfile.TemporaryDirectory() as folder:
        options = [] if import_site else ["-S"]
        command = [INTERPRETER, *options, "-c", DIE, source]
        env = {**os.environ, "PYTHONHASHSEED": HASH_SEED}
        subprocess.run(command, cwd=folder, capture_output=True, timeout=60, env=env)
        cores = list(Path(folder).iterdir())
        if len(cores) != 1:
            self.skipTest(f"left {len(cores)} cores")
        return decode(cores[0]), ""


def main() -> int:
    """Run the tests; print the outcome of each."""
    # Theirs wants a build tree and a GDB that loads python-gdb.py; we need neither.
    util: Any = types.ModuleType("test.test_gdb.util")
    util.BREAKPOINT_FN, util.GDB_VERSION, util.DebuggerTests = "builtin_id", (99, 0), Tests
    util.setup_module, util.run_gdb = None, lambda *_, **__: ("utf-8", "")
    try:
        importlib.import_module("test")
        package = types.ModuleType("test.test_gdb")
        package.__path__ = [str(Path(sys.modules["test"].__path__[0]) / "test_gdb")]
        sys.modules.update({package.__name__: package, util.__name__: util})
        module = importlib.import_module("test.test_gdb.test_pretty_print")
    except (ImportError, unittest.SkipTest) as reason:
        print(f"no test.test_gdb.test_pretty_print here: {reason}")
        return 2
    vars(module).pop("setUpModule", None)
    module.PrettyPrintTests.get_gdb_repr = shown
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(module.PrettyPrintTests)
    result = unittest.TestResult()
    suite.run(result)
    for test, trace in result.failures + result.errors:
        reason = re.sub(r"\s+", " ", trace.strip().splitlines()[-1])
        print(f"DEVIATES {test.id().rpartition('.')[2]}: {reason[:200]}")
    for test, why in result.skipped:
        print(f"skipped {test.id().rpartition('.')[2]}: {why}")
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun} tests, {bad} deviate, {len(result.skipped)} skipped")
    return 0


INTERPRETER = sys.argv[1] if len(sys.argv) > 1 else sys.executable

if __name__ == "__main__":
    sys.exit(main())
