# SPDX-License-Identifier: Apache-2.0
"""Examine many cores at once: forked processes that take one core after the other.

A core that takes too long, or ends its process, costs that process and no other core: the next one
gets a fresh fork, which has the decoders already. To fork for every core took a fifth of the time,
as each copied the pages that Python counts references in. A process that has grown is replaced.
Each leads a session of its own, so that it and its GDB can be killed together. The parent owns the
temporary folders, because a killed process cannot remove its own.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from gdb_epi.cli.support import supervisor
from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import (
    ExaminedCore,
    ExamineOptions,
    FailedCore,
    Result,
    examine_core,
)
from gdb_epi.cli.support.messages import write_to_stderr
from gdb_epi.cli.support.open_core import ScratchFolder
from gdb_epi.errors import EXIT_FAILED, EXIT_UNUSABLE_INPUT, EpiError
from gdb_epi.sizes import PAGE
from gdb_epi.target.elf_files import OpenElfFiles

if TYPE_CHECKING:
    from gdb_epi.cli.support.gdb_server import GdbServer

# Loaded once and whole, before the forks: what a worker imports, each of them imports (half of a
# small core's time). What is missing here is only loaded more often.
LOADED_FIRST = (
    "ctypes",  # for memmem (target/mapped_bytes.py)
    "gdb_epi.analysis",
    "gdb_epi.cli.support.unpack",
    "gdb_epi.session",
    "heapq",
)
LOADED_FOR_NATIVE = ("gdb_epi.cli.native.cached_stacks", "gdb_epi.cli.support.native_gdb")
LOADED_WHOLE = (
    "cpython target fault locks hangs detectors corruption judgement signature record sidecars"
).split()
MAX_RESULT = 512 << 20  # bytes that one core's result may have
MAX_KEPT = 80 << 20  # bytes that a worker may hold between two cores; then it gives files back
MAX_OWN = 64 << 20  # bytes that it may hold then, if it names native frames; else it is replaced
MAX_CHAIN = 16  # exceptions that led to an exception
_HEADER = struct.Struct("<Q?")  # of a result: its size, and whether the worker goes on
PIECE = 1 << 16
RARELY = (100_000, 10, 10)  # objects made, collections: a core leaves few cycles until its end
MEMORY_FULL = 86  # exit code of a worker that had no memory left to answer with
# Python/errors.c and Objects/call.c say either of a C function that failed and set no exception.
NO_EXCEPTION = ("without exception set", "without setting an exception")
LARGER = "--max-memory with a larger size"
LOOK = 1.0  # seconds between two looks at the clock


class _SharedByWorkers(NamedTuple):
    """What all workers have; `life` is a pipe of the parent, which ends with it."""

    cores: Sequence[CoreInput]
    options: ExamineOptions
    timeout: float
    server: GdbServer | None
    life: tuple[int, int]


def examine_all(
    cores: Sequence[CoreInput], options: ExamineOptions, jobs: int, timeout: float
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, result) in the order in which the results come.

    `timeout` is in seconds for each core. Leaving the loop kills what still runs.
    """
    _preload_for_workers(options)
    server: GdbServer | None = None
    pipe, life = os.pipe()  # of this process: when it is gone, so are its workers
    waiting = list(enumerate(cores))[::-1]
    running: dict[int, _Worker] = {}
    idle: list[_Worker] = []
    try:
        with supervisor.hold_signals():
            server = _start_shared_gdb_server(options) if len(cores) > 1 else None
        share = _SharedByWorkers(cores, options, timeout, server, (pipe, life))
        while waiting or running:
            while waiting and len(running) < jobs:
                index, core = waiting.pop()
                with supervisor.hold_signals():
                    worker = idle.pop() if idle else _Worker(share)
                    running[worker.pipe] = worker
                    worker.hand_core(index, core)
            for worker in _wait_for_workers(running):
                with supervisor.hold_signals():
                    del running[worker.pipe]
                    result, goes_on = worker.take_result()
                    idle += [worker] if goes_on else []
                yield worker.index, result
        if server is not None and server.is_given_up():
            write_to_stderr(
                "the GDB that all cores share hung: the cores after that had a GDB each; try: "
                "--native gdb"
            )
    finally:
        with supervisor.hold_signals():
            for worker in (*running.values(), *idle):
                worker.kill_process()
            if server is not None:
                server.close()
            os.close(pipe)
            os.close(life)


def _preload_for_workers(options: ExamineOptions) -> None:
    """Import and read here what every worker needs, so that they share the pages."""
    import gc

    from gdb_epi.loader import import_all_modules

    gc.disable()  # of what is loaded here nothing is left over: to look took an eighth of the time
    for name in (*LOADED_FIRST, *(LOADED_FOR_NATIVE if options.native != "never" else ())):
        import_module(name)
    for name in LOADED_WHOLE:
        import_all_modules(import_module(f"gdb_epi.{name}"))
    # Read the tables that are shipped and that nearly every core needs.
    from gdb_epi.corruption.score import load_weights
    from gdb_epi.cpython.layout.layout import available_tables, load_layout
    from gdb_epi.judgement.calibration import load_calibration
    from gdb_epi.signature.drop_sets import load_drop_sets

    load_weights()
    load_calibration()
    load_drop_sets()
    for version, flavour in available_tables():
        if not flavour:  # free-threaded and debug builds are rare
            load_layout(version)
    gc.freeze()  # a collection in a worker would copy every page that they share
    gc.enable()


def _start_shared_gdb_server(options: ExamineOptions) -> GdbServer | None:
    """Start the GDB that all cores share, where a GDB is wanted and there is one."""
    from gdb_epi.cli.support.native_gdb import find_gdb, start_gdb_server

    if options.native in ("never", "gdb"):
        return None
    gdb = find_gdb(options.gdb)
    if gdb is None:
        return None
    server = start_gdb_server(gdb)
    limit_memory(server.pid, options.max_memory)
    return server


def _wait_for_workers(running: dict[int, _Worker]) -> list[_Worker]:
    """Read from the workers for a moment; return those that are done or overstayed."""
    poll = select.poll()
    for pipe in running:
        poll.register(pipe, select.POLLIN)
    ended = [running[pipe] for pipe, _ in poll.poll(LOOK * 1000) if not running[pipe].read()]
    now = time.monotonic()
    late = [worker for worker in running.values() if now > worker.deadline and worker not in ended]
    for worker in late:
        worker.overstayed = True
    return ended + late


class _Worker:
    """One forked process that examines one core after the other, as the parent hands them out."""

    def __init__(self, share: _SharedByWorkers) -> None:
        self.index = 0
        self.overstayed = False
        self.deadline = 0.0
        self._core = share.cores[0]
        self._timeout = share.timeout
        self._max_memory = share.options.max_memory
        self._scratch: ScratchFolder | None = None
        self._data = bytearray()
        self._ours, theirs = socket.socketpair()
        self.pipe = self._ours.fileno()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self._ours.close()
            os.close(share.life[1])
            _run_worker(theirs, share)
        theirs.close()

    def hand_core(self, index: int, core: CoreInput) -> None:
        """Hand a core to the process. A process that has died is noticed when it is read from."""
        self.index, self._core = index, core
        self.deadline = time.monotonic() + self._timeout
        self._data = bytearray()
        self._scratch = ScratchFolder()
        with suppress(OSError):
            self._ours.sendall(json.dumps([index, self._scratch.path()]).encode() + b"\n")

    def read(self) -> bool:
        """Take what has come; False when the result is there, or nothing more will come."""
        try:
            piece = self._ours.recv(PIECE)
        except OSError:
            piece = b""
        self._data += piece
        return bool(piece) and len(self._data) <= MAX_RESULT and not self._has_whole_result()

    def _has_whole_result(self) -> bool:
        if len(self._data) < _HEADER.size:
            return False
        size, _ = _HEADER.unpack_from(self._data)
        return len(self._data) >= _HEADER.size + int(size)

    def take_result(self) -> tuple[Result, bool]:
        """Return what the process found, and whether it may have another core."""
        if not self.overstayed and self._has_whole_result():
            size, goes_on = _HEADER.unpack_from(self._data)
            kind, *rest = json.loads(self._data[_HEADER.size : _HEADER.size + size])
            if goes_on:
                self._remove_scratch()
            else:
                self.kill_process()
            return ExaminedCore(*rest) if kind == "done" else FailedCore(*rest), bool(goes_on)
        code = self.kill_process()
        exit_code = EXIT_FAILED
        if self.overstayed:
            why = f"not done within {self._timeout:g} s"
            hint = "--timeout with more seconds, --native never"
        elif code == -signal.SIGBUS:
            why, hint, exit_code = supervisor.CUT_OFF, supervisor.AGAIN, EXIT_UNUSABLE_INPUT
        elif code == MEMORY_FULL:
            why, hint = _out_of_memory_message(self._max_memory), LARGER
        else:
            why, hint = _worker_death_words(code), "again with --jobs 1"
        return FailedCore(f"{self._core.path}: {why}", hint, exit_code), False

    def kill_process(self) -> int:
        """Kill the process, remove its files, and return how it ended."""
        # The group holds the process' GDB too. One that has sent all it has loses nothing, and
        # one that is dead keeps its exit status until waitpid.
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self._ours.close()
        self._remove_scratch()
        return os.waitstatus_to_exitcode(status)

    def _remove_scratch(self) -> None:
        if self._scratch is not None:
            self._scratch.remove()
            self._scratch = None


def limit_memory(pid: int, size: int) -> None:
    """Limit the data of a process, 0 for this one; mapped cores do not count."""
    _, most = resource.prlimit(pid, resource.RLIMIT_DATA)
    allowed = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.prlimit(pid, resource.RLIMIT_DATA, (allowed, most))


def lift_memory_limit() -> None:
    """Give this process what it may have without `limit_memory`."""
    _, most = resource.prlimit(0, resource.RLIMIT_DATA)
    resource.prlimit(0, resource.RLIMIT_DATA, (most, most))


def _run_worker(asked: socket.socket, share: _SharedByWorkers) -> NoReturn:
    """Run in the worker: never return into the parent's code."""
    import gc

    code = EXIT_FAILED
    gc.set_threshold(*RARELY)
    try:
        os.setsid()
        with suppress(OSError):  # a file of its own, not shared with the other workers
            own = os.open(f"/proc/self/fd/{share.life[0]}", os.O_RDONLY | os.O_NONBLOCK)
            supervisor.request_signal_at_end(own, -os.getpid(), signal.SIGKILL)
        supervisor.accept_signals()
        limit_memory(0, share.options.max_memory)
        requests = asked.makefile("rb")
        goes_on, kept = True, OpenElfFiles()
        own = MAX_KEPT if share.options.native == "never" else MAX_OWN  # names take memory too
        while goes_on and (line := requests.readline()):
            index, folder = json.loads(line)
            answer, goes_on = _examine_and_encode(
                share, share.cores[index], ScratchFolder(folder), kept
            )
            message = json.dumps(answer).encode("ascii")
            del answer
            gc.collect()  # what refers to itself holds the core's file
            gc.freeze()  # modules, tables, kept files: looking at them took 10 ms a core
            if _resident_bytes() >= MAX_KEPT:
                kept.release_pages()  # half of it; a new process would read all files anew
                goes_on = goes_on and _resident_bytes() < own
            asked.sendall(_HEADER.pack(len(message), goes_on))
            asked.sendall(message)
            del message
        code = 0
    except Exception as error:  # noqa: BLE001 - boundary: the parent says why there is no answer
        code = MEMORY_FULL  # not even a request could be read; the next lines need memory too
        lift_memory_limit()
        if not is_out_of_memory(error):
            code = EXIT_FAILED
    finally:
        os._exit(code)


def _resident_bytes() -> int:
    """Return how many bytes of memory this process holds; without /proc as many as can be."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return sys.maxsize


def _examine_and_encode(
    share: _SharedByWorkers, core: CoreInput, scratch: ScratchFolder, kept: OpenElfFiles
) -> tuple[list[Any], bool]:
    """Return the result of a core, and whether this process is fit for another one."""
    options = share.options
    try:
        return ["done", *examine_core(core, options, scratch, share.server, kept)], True
    except EpiError as error:
        return ["failed", str(error), error.hint, error.exit_code], True
    except Exception as error:  # noqa: BLE001 - boundary: one core must not stop the others
        if is_out_of_memory(error):
            lift_memory_limit()  # the answer takes memory too
            message = f"{core.path}: {_out_of_memory_message(options.max_memory)}"
            return ["failed", message, LARGER, EXIT_FAILED], False
        if os.environ.get("GDB_EPI_DEBUG"):
            import traceback

            traceback.print_exc()
        message = f"{core.path}: internal error: {type(error).__name__}: {error}"
        return ["failed", message, "GDB_EPI_DEBUG=1 for the traceback", EXIT_FAILED], False


def _out_of_memory_message(limit: int) -> str:
    return f"needs more than {limit} bytes of memory"


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an allocation failed.

    C code of CPython makes a SystemError of that: over the first error (int.from_bytes() of 3.13),
    or because it has set none (3.11).
    """
    chain: BaseException | None = error
    for _ in range(MAX_CHAIN):
        if chain is None or isinstance(chain, MemoryError):
            return chain is not None
        if isinstance(chain, SystemError) and any(text in str(chain) for text in NO_EXCEPTION):
            return True
        chain = chain.__cause__ or chain.__context__
    return False


def _worker_death_words(code: int) -> str:
    if code >= 0:
        return f"the worker ended with exit code {code} and no result"
    return f"the worker {supervisor.died_by_words(-code)}"
