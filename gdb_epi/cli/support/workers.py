# SPDX-License-Identifier: Apache-2.0
"""Examine many cores at once: one forked process per core, killed when it takes too long.

A fork costs about 2 ms because the decoders are imported before it. Each child leads a session
of its own, so that it and its GDB can be killed together. The parent owns the temporary folders,
because a killed child cannot remove its own.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

from gdb_epi.cli.support.core_files import Core
from gdb_epi.cli.support.examine import Examined, Failure, Options, Result, examine
from gdb_epi.cli.support.open_core import Scratch
from gdb_epi.errors import EXIT_FAILED, EpiError

# Loaded once, before the forks; what is missing here is only loaded more often.
LOADED_FIRST = (
    "gdb_epi.analysis",
    "gdb_epi.cli.support.native_gdb",
    "gdb_epi.cli.support.unpack",
    "gdb_epi.cpython.frames.merge",
    "gdb_epi.cpython.runtime.state",
    "gdb_epi.locks.analysis",
    "gdb_epi.session",
    "gdb_epi.record.stacks",
    "gdb_epi.target.corefile",
)
MAX_RESULT = 512 << 20  # bytes that one child may send
PIECE = 1 << 16
LOOK = 1.0  # seconds between two looks at the clock


def examine_all(
    cores: Sequence[Core], options: Options, jobs: int, timeout: float
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, result) in the order in which the children end.

    `timeout` is in seconds for each core. Leaving the loop kills what still runs.
    """
    import gdb_epi.detectors
    from gdb_epi.loader import load_all

    for name in LOADED_FIRST:
        import_module(name)
    load_all(gdb_epi.detectors)
    waiting = list(enumerate(cores))[::-1]
    running: dict[int, _Child] = {}
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, core = waiting.pop()
                child = _Child(index, core, options, timeout)
                running[child.pipe] = child
            for child in _ready(running):
                del running[child.pipe]
                yield child.index, child.finish()
    finally:
        for child in running.values():
            child.abandon()
        signal.signal(signal.SIGTERM, before)


def _ready(running: dict[int, _Child]) -> list[_Child]:
    """Read from the children for a moment; return those that ended or overstayed."""
    poll = select.poll()
    for pipe in running:
        poll.register(pipe, select.POLLIN)
    ended = [running[pipe] for pipe, _ in poll.poll(LOOK * 1000) if not running[pipe].read()]
    now = time.monotonic()
    late = [child for child in running.values() if now > child.deadline and child not in ended]
    for child in late:
        child.overstayed = True
    return ended + late


class _Child:
    """One forked process that examines one core and writes its result into a pipe."""

    def __init__(self, index: int, core: Core, options: Options, timeout: float) -> None:
        self.index = index
        self.overstayed = False
        self.deadline = time.monotonic() + timeout
        self._core = core
        self._timeout = timeout
        self._scratch = Scratch()
        self._scratch.path()
        self._data = bytearray()
        self.pipe, end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            _work(end, lambda: _encode(core, options, self._scratch))
        os.close(end)

    def read(self) -> bool:
        """Take what the pipe holds; False at its end."""
        piece = os.read(self.pipe, PIECE)
        self._data += piece
        return bool(piece) and len(self._data) <= MAX_RESULT

    def finish(self) -> Result:
        """Collect the process and return what it found."""
        code = self._end()
        if self.overstayed:
            message = f"{self._core.path}: not done within {self._timeout:g} s"
            return Failure(message, "--timeout with more seconds, --native never", EXIT_FAILED)
        try:
            kind, *rest = json.loads(self._data)
        except ValueError:
            return Failure(f"{self._core.path}: {_death(code)}", "again with --jobs 1", EXIT_FAILED)
        return Examined(*rest) if kind == "done" else Failure(*rest)

    def abandon(self) -> None:
        """Kill the process and forget it."""
        self._end()

    def _end(self) -> int:
        # The group holds the child's GDB too. A child that has sent all it has loses nothing, and
        # one that is dead keeps its exit status until waitpid.
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.pipe)
        self._scratch.remove()
        return os.waitstatus_to_exitcode(status)


def _work(end: int, encode: Callable[[], Any]) -> NoReturn:
    """Run in the child: never return into the parent's code."""
    code = EXIT_FAILED
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        data = json.dumps(encode()).encode("ascii")
        with os.fdopen(end, "wb") as out:
            out.write(data)
        code = 0
    finally:
        os._exit(code)


def _encode(core: Core, options: Options, scratch: Scratch) -> list[Any]:
    try:
        return ["done", *examine(core, options, scratch)]
    except EpiError as error:
        return ["failed", str(error), error.hint, error.exit_code]
    except Exception as error:  # noqa: BLE001 - boundary: one core must not stop the others
        if os.environ.get("GDB_EPI_DEBUG"):
            import traceback

            traceback.print_exc()
        message = f"{core.path}: internal error: {type(error).__name__}: {error}"
        return ["failed", message, "GDB_EPI_DEBUG=1 for the traceback", EXIT_FAILED]


def _death(code: int) -> str:
    if code >= 0:
        return f"the worker ended with exit code {code} and no result"
    name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
    more = " (out of memory?)" if -code == signal.SIGKILL else ""
    return f"the worker died by {name}{more}"


def _terminate(_signo: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + signal.SIGTERM)
