# SPDX-License-Identifier: Apache-2.0
"""A process that waits for the one that reads cores: what kills that one becomes a line.

Cores are mapped into memory: when a file is cut off while it is read, the kernel kills the reader
by SIGBUS before Python can say a word. The one that waits says it, and removes what was left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

from gdb_epi.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_UNUSABLE_INPUT,
    EndRequested,
    Interrupted,
)
from gdb_epi.typing_lite import Any, NoReturn

TEMPORARY = "gdb-epi-"  # prefix of temporary folders; the id of the process that reads comes next
RAISED_AGAIN = 0.05  # seconds
CUT_OFF = "a file became shorter while it was read: the core, or one that the core names"
AGAIN = "again when nothing writes to it"


@contextmanager
def hold_signals() -> Iterator[None]:
    """Hold back the signals that ask for an end: they come when what is started here can be ended.

    A process that is started inside inherits that; SIGKILL ends it, or it calls accept_signals().
    """
    signals = import_module("_signal")
    before = signals.pthread_sigmask(signals.SIG_BLOCK, _ending_signals(signals))
    try:
        yield
    finally:
        signals.pthread_sigmask(signals.SIG_SETMASK, before)


def accept_signals() -> None:
    """Take signals again, in a process that was forked inside hold_signals()."""
    signals = import_module("_signal")
    for number in _ending_signals(signals):
        signals.signal(number, signals.SIG_DFL)
    signals.pthread_sigmask(signals.SIG_UNBLOCK, _ending_signals(signals))


def request_signal_at_end(pipe: int, owner: int, number: int) -> None:
    """Let the kernel send a signal when the other end of a pipe is gone: its holder has died.

    `owner` is a process, or a group as a negative number. Of a pipe that forks share, the last
    owner counts. A kernel that cannot do it leaves all as it was.
    """
    fcntl: Any = import_module("fcntl")
    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETOWN, owner)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, int(number))
        fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)


def raise_end_until_caught(number: int) -> NoReturn:
    """Raise Ended in a signal's handler, and again until it arrives where it is caught.

    Python drops what is raised while it finalizes an object or calls a weak reference back
    (PyErr_WriteUnraisable, CPython 3.8 to 3.15): importlib does so at each import. The run would
    go on as if nothing had been asked. What cleans up on the way is not disturbed.
    """
    signals = import_module("_signal")
    ended = Interrupted(number) if number == signals.SIGINT else EndRequested(number)

    def raise_again(_number: int, _frame: object) -> None:
        handled = sys.exc_info()[1]
        while handled is not None and handled is not ended:
            handled = handled.__context__
        if handled is None:
            raise ended

    def stop_raising() -> None:
        signals.setitimer(signals.ITIMER_REAL, 0)
        signals.signal(signals.SIGALRM, signals.SIG_IGN)

    ended.stop_raising = stop_raising
    sys.unraisablehook = lambda _: None  # of what was dropped nobody needs to read
    signals.signal(signals.SIGALRM, raise_again)
    signals.setitimer(signals.ITIMER_REAL, RAISED_AGAIN, RAISED_AGAIN)
    raise ended


def _ending_signals(signals: Any) -> tuple[int, ...]:
    return signals.SIGTERM, signals.SIGHUP, signals.SIGINT


def fork_reader_and_wait() -> int | None:
    """Fork. Return None in the child, which goes on; in the parent how the child ended.

    Signals that ask for an end reach the child, which ends once: a second one does not disturb it
    while it removes its files.
    """
    signals = import_module("_signal")  # `signal` imports enum: 2 ms of a cold start
    wanted = [
        number
        for number in _ending_signals(signals)
        if signals.getsignal(number) != signals.SIG_IGN
    ]
    sys.stdout.flush()
    sys.stderr.flush()
    reader = 0  # the child, in the parent; in the child it stays 0

    def end_reader(number: int, _frame: object) -> None:
        if reader:  # the parent passes the signal on; the child ends
            with suppress(ProcessLookupError):
                os.kill(reader, number)
            return
        for other in wanted:
            signals.signal(other, signals.SIG_IGN)
        raise_end_until_caught(number)

    for number in wanted:
        signals.signal(number, end_reader)
    liveness_read, liveness_write = os.pipe()  # of the parent, which alone keeps the end to write
    reader = os.fork()
    if not reader:
        os.close(liveness_write)
        request_signal_at_end(liveness_read, os.getpid(), signals.SIGTERM)
        return None
    os.close(liveness_read)
    _, status = os.waitpid(reader, 0)
    for number in wanted:
        signals.signal(number, signals.SIG_IGN)  # all is done but for the exit
    code = os.waitstatus_to_exitcode(status)
    if 0 <= code < 128:
        return code
    # Remove the temporary folders of a process that could not, or not all of them.
    import shutil
    import tempfile
    from pathlib import Path

    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}{reader}-*"):
        shutil.rmtree(folder, ignore_errors=True)
    return code if code > 0 else _report_reader_death(-code)


def _report_reader_death(number: int) -> int:
    import signal

    from gdb_epi.cli.support.messages import write_to_stderr

    if number == signal.SIGINT:
        return EXIT_INTERRUPTED
    if number == signal.SIGBUS:
        line, code = f"{CUT_OFF}; try: {AGAIN}", EXIT_UNUSABLE_INPUT
    else:
        line, code = f"the process that read the core {died_by_words(number)}", EXIT_FAILED
    write_to_stderr(line)
    return code


def died_by_words(number: int) -> str:
    """Return "died by SIGSEGV" for a signal's number."""
    import signal

    try:
        name = signal.Signals(number).name
    except ValueError:  # most of the real-time ones have no name
        name = f"signal {number}"
    return f"died by {name}{' (out of memory?)' if number == signal.SIGKILL else ''}"
