# SPDX-License-Identifier: Apache-2.0
"""Helper processes that prepare the records of large files: that is more work than storing them.

Each helper reads all the files and prepares every n-th part, so that nothing but finished batches
goes through a pipe, which also keeps a helper from running ahead. Threads would not do: SQLite's
driver gives the interpreter lock away for each row, and waits for it again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import tzinfo
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gdb_epi.errors import EpiError
from gdb_epi.fleet.records.prepare import PreparedBatch, RecordPreparer
from gdb_epi.fleet.records.reader import read_record_files

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PARALLEL_SIZE = 4 << 20  # bytes; less is not worth their start
MAX_HELPERS = 4
LOOKS, LOOK_SECONDS = 4, 0.005  # how often and how far apart the machine is looked at


def helpers_worth_starting(paths: Sequence[Path]) -> int:
    """Return how many helpers are worth their start: none for small files or without idle CPUs.

    They cost a sixth more CPU time in all, so that on a busy machine they only take turns.
    """
    size = 0
    for path in paths:
        with suppress(OSError):
            size += path.stat().st_size
    if size < PARALLEL_SIZE:
        return 0
    idle = len(os.sched_getaffinity(0)) - _count_running_processes()
    return min(idle, MAX_HELPERS) if idle > 1 else 0


def _count_running_processes() -> int:
    """Return how many others run right now, the least of some looks.

    A load average is of the past minutes: after one of other work it is 0.6 on an idle machine.
    """
    least = None
    for _ in range(LOOKS):
        try:
            running = int(Path("/proc/loadavg").read_text("ascii").split()[3].split("/")[0])
        except (OSError, ValueError, IndexError):  # no /proc
            return 0
        least = running if least is None else min(least, running)
        time.sleep(LOOK_SECONDS)
    return max((least or 1) - 1, 0)


@contextmanager
def prepare_in_helpers(
    paths: Sequence[Path],
    stdin: BinaryIO | None = None,
    helpers: int = 0,
    zone: tzinfo | None = None,
) -> Iterator[Iterator[PreparedBatch]]:
    """Give the batches of files and standard input, in order; helpers end with the block.

    Enter it before there are connections or threads: the helpers are forked. `zone` is that of
    times that are written without one; they take no helpers.
    """
    if helpers < 1 or stdin is not None or zone is not None:
        preparer = RecordPreparer(zone)
        yield map(preparer.prepare_part, read_record_files(paths, stdin))
        return
    context = get_context("fork")
    running = []
    ends: list[Connection] = []
    try:
        for index in range(helpers):
            ours, theirs = context.Pipe(duplex=False)
            work = (theirs, [*ends, ours], paths, index, helpers)
            process = context.Process(target=_run_helper, args=work, daemon=True)
            process.start()
            theirs.close()
            running.append(process)
            ends.append(ours)
        yield _batches_in_turn(ends)
    finally:
        for end in ends:
            end.close()
        for process in running:
            process.join()


def _batches_in_turn(ends: Sequence[Connection]) -> Iterator[PreparedBatch]:
    while True:
        for end in ends:
            try:
                batch = end.recv()
            except EOFError as error:
                raise EpiError("a helper process died", hint="free some memory") from error
            if batch is None:
                return
            yield batch


def _run_helper(
    out: Connection, others: Sequence[Connection], paths: Sequence[Path], index: int, count: int
) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the parent, and its pipes us
    for end in others:
        end.close()
    preparer = RecordPreparer()
    with suppress(BrokenPipeError):
        for number, part in enumerate(read_record_files(paths)):
            if number % count == index:
                out.send(preparer.prepare_part(part))
        out.send(None)
