# SPDX-License-Identifier: Apache-2.0
"""Run pystack's own integration tests of cores with our decoder in the place of its engine.

    python tests/tools/shim_pystack.py CHECKOUT [VERSION ...]

CHECKOUT is a clone of github.com/bloomberg/pystack, VERSION such as 3.12 (all by default); pystack
itself must be installed, for the types that its tests compare. Nothing of it is kept here. Prints a
line per kind of outcome; tests/bench/DEVIATIONS.md explains those that are not "passed".
"""

from __future__ import annotations

import collections
import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "test_core_analyzer.py",
    "test_local_variables.py",
    "test_gc.py",
    "test_gil.py",
    "test_relocatable_cores.py",
    "test_smoke.py",
    "test_subinterpreters.py",
)
UNKNOWN = -1


def threads_of(core_file: Any, executable: Any = None, **options: Any) -> list[Any]:
    """Return a core's threads as pystack's PyThread objects, with native frames of a GDB beside."""
    from pystack.errors import EngineError, NotEnoughInformation

    from gdb_epi.cpython.types import PythonState
    from gdb_epi.errors import InputError
    from gdb_epi.process_state import ProcessState
    from gdb_epi.target.corefile import CoreFileTarget

    try:
        target = CoreFileTarget.open(Path(str(core_file)), exe=executable and str(executable))
    except InputError as error:
        raise EngineError(str(error)) from error
    state = ProcessState(target)
    python = state.python
    if not isinstance(python, PythonState):
        raise NotEnoughInformation(str(python))
    mode = getattr(options.get("native_mode"), "name", "PYTHON")
    with tempfile.TemporaryDirectory() as place:
        native = None if mode == "OFF" else _gdb(target, place)
        try:
            threads = list(_threads(state, python, native, bool(options.get("locals"))))
            if mode == "ALL":
                threads += _without_python(target, threads, native)
            return threads
        finally:
            if native is not None:
                native.close()


def _gdb(target: Any, place: str) -> Any:
    from gdb_epi.cli.support.native_gdb import GdbNativeFrames, find_gdb

    exe, gdb = target.modules()[0].file, find_gdb(None)
    assert gdb, "no gdb found"
    return GdbNativeFrames(target.path, exe if isinstance(exe, str) else None, None, gdb, place)


def _threads(state: Any, python: Any, native: Any, wants_locals: bool) -> Iterator[Any]:
    from pystack import types as theirs

    from gdb_epi.cpython.source.source_checks import SourceSiteReader
    from gdb_epi.cpython.values.process_values import PlainValues

    sites = SourceSiteReader(PlainValues(state.target, python))
    reader = variables(state, python) if wants_locals else None
    collects = collecting(state.target, python)
    version = tuple(int(part) for part in python.version.split(".")[:2])
    for thread in python.threads():
        yield theirs.PyThread(
            thread.tid or 0,
            python_frames(thread, sites, reader),
            native_frames(native, thread.tid) if native and thread.alive else [],
            int(thread.holds_gil),
            collects.get(thread.interpreter, UNKNOWN),
            version,
            thread.name,
            thread.interpreter,
        )


def _without_python(target: Any, threads: list[Any], native: Any) -> Iterator[Any]:
    from pystack import types as theirs

    tids = {thread.tid for thread in threads}
    for native_thread in target.threads():
        if native_thread.tid not in tids:
            yield theirs.PyThread(
                native_thread.tid, None, native_frames(native, native_thread.tid), 0, UNKNOWN, None
            )


def python_frames(thread: Any, sites: Any, reader: Any) -> Any:
    """Return the outermost frame, which the others hang on; None for a thread without any."""
    from pystack import types as theirs

    from gdb_epi.errors import Absent

    first = None
    for frame in thread.frames:  # innermost first; pystack links from the outermost
        local_variables = reader.variables_of_frame(frame) if reader else []
        values = (
            {}
            if isinstance(local_variables, Absent)
            else {variable.name: variable for variable in local_variables}
        )
        names = [
            {n: v.text for n, v in values.items() if (v.kind not in ("local", "cell")) is wanted}
            for wanted in (True, False)
        ]
        place = theirs.LocationInfo(*position(sites, frame))
        code = theirs.PyCodeObject(frame.filename, frame.name, place)
        made = theirs.PyFrame(None, first, code, *names, frame.is_entry, False)
        if first is not None:
            first.prev = made
        first = made
    return first


def native_frames(native: Any, tid: int) -> list[Any]:
    """Return a thread's native frames, outermost first as pystack has them."""
    from pystack import types as theirs

    from gdb_epi.errors import Absent

    frames = native.frames(tid)
    return [
        theirs.NativeFrame(
            f.pc, f.function or "???", f.filename or "???", f.lineno or 0, 0, f.module or "???"
        )
        for f in reversed(() if isinstance(frames, Absent) else frames)
    ]


def collecting(target: Any, python: Any) -> dict[int, int]:
    """Return whether a garbage collection runs, by the number of the interpreter."""
    from gdb_epi.cpython.runtime.interpreters import read_runtime
    from gdb_epi.errors import Absent

    interpreters = read_runtime(target, python).interpreters
    return {
        interpreter.state.id: int(interpreter.gc.collecting)
        for interpreter in interpreters
        if not isinstance(interpreter.gc, Absent)
    }


def position(sites: Any, frame: Any) -> tuple[Any, ...]:
    """Return (line, last line, column, last column); where unknown as pystack: same line, 0."""
    from gdb_epi.errors import Absent

    site = sites.site_of_frame(frame)
    place = None if isinstance(site, Absent) else site.position
    if place is None or place.column is None:
        return frame.lineno, frame.lineno, 0, 0
    return place.line, place.end_line, place.column, place.end_column


def variables(state: Any, python: Any) -> Any:
    """Return the reader of locals."""
    from gdb_epi.cpython.values.process_values import get_process_values
    from gdb_epi.cpython.values.variables import FrameVariables

    return FrameVariables(get_process_values(state.target, python))


def pytest_configure(config: Any) -> None:
    """Put our function where the tests import pystack's from."""
    import pystack.engine

    pystack.engine.get_process_threads_for_core = threads_of


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep the tests that ask for the threads of a core: the others test pystack alone."""
    items[:] = [
        item
        for item in items
        if "Core file" in item.nodeid or ("threads_for_core(" in inspect.getsource(item.function))
    ]


def outcome(line: str) -> tuple[str, str] | None:
    """Return (test, outcome) of a line of pytest's summary."""
    matched = re.match(r"(PASSED|FAILED|ERROR|XFAIL|XPASS) \S*?::(\w+)", line)
    return (matched[2], matched[1]) if matched else None


def main(arguments: list[str]) -> int:
    """Run the tests, once for each version; print how often each test came out how."""
    checkout = Path(arguments[0]).resolve()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for version in arguments[1:] or ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]:
        paths = [str(ROOT), str(Path(__file__).parent), str(checkout)]
        env = {**os.environ, "PYTHON_TEST_VERSION": version, "PYTHONPATH": os.pathsep.join(paths)}
        tests = [str(checkout / "tests" / "integration" / name) for name in FILES]
        tests = [test for test in tests if Path(test).is_file()]
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "shim_pystack", *tests]
        command += ["-p", "no:cacheprovider", "--tb=line"]
        done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            answer = outcome(line)
            if answer:
                counts[answer] += 1
    for (test, how), count in sorted(counts.items()):
        print(f"{count:4} {test}: {how}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
