# SPDX-License-Identifier: Apache-2.0
"""Wait for what a process does, not for a time that it mostly takes.

Every wait of the tests goes through here (tests/unit/test_architecture.py holds that).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

PATIENCE = 60.0  # seconds; a machine under load takes many times what a quiet one does
STEP = 0.01
ENOUGH = 5  # looks in a row at which nothing has run
TICKS = 100  # a second of CPU time
ENOUGH_TICKS = 10  # of CPU time, which show that a loop runs
WAITING = "SD"
FORKING = ("56", "58", "435")  # clone, vfork, clone3
READING = ("0", "17", "19")  # read, pread64, readv on x86-64, as /proc/PID/syscall has them
T = TypeVar("T")


class NeverAsleep(Exception):
    """A process went on, or ended, or did not come to what was waited for."""


class NeverHappened(AssertionError):
    """What was waited for did not come."""


def wait_until(
    condition: Callable[[], T],
    seconds: float = PATIENCE,
    *,
    what: str = "",
    during: subprocess.Popen[Any] | None = None,
) -> T:
    """Ask until a condition is true, and return what it gave.

    `during` is a process that must not end before; `what` is waited for. Raises NeverHappened.
    """
    deadline = time.monotonic() + seconds
    while True:
        ended = during is not None and during.poll() is not None
        if value := condition():  # asked behind poll(): it may be the last that the process did
            return value
        if ended:
            assert during is not None
            raise NeverHappened(f"{what or condition}: {during.args!r} ended: {during.returncode}")
        if time.monotonic() > deadline:
            raise NeverHappened(f"{what or condition}: not within {seconds:g} s")
        time.sleep(STEP)


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended: it is not there, or waits for its parent to see its end."""
    return state_of(pid) in (None, "Z", "X")


def wait_until_gone(*pids: int) -> None:
    """Wait until processes have ended: SIGKILL says that they will, and not when."""
    for pid in pids:
        wait_until(lambda pid=pid: is_gone(pid), what=f"the end of process {pid}")  # type: ignore[misc]


def state_of(pid: int) -> str | None:
    """Return the state of a process' main thread, a letter as in ps; None without it."""
    try:
        return _fields(Path(f"/proc/{pid}/stat"))[0]
    except OSError:
        return None


def ticks_of(pid: int, tid: int | None = None) -> int:
    """Return the CPU time of a process, or of its thread `tid`, in ticks: TICKS are a second."""
    fields = _fields(Path(f"/proc/{pid}/stat" if tid is None else f"/proc/{pid}/task/{tid}/stat"))
    return int(fields[11]) + int(fields[12])


def until_busy(
    pid: int, tid: int | None = None, *, during: subprocess.Popen[Any] | None = None
) -> None:
    """Wait until a process, or one thread of it, has computed for a while from now on.

    What it did last before its loop is behind it then, however busy the machine is.
    Raises NeverHappened.
    """
    enough = ticks_of(pid, tid) + ENOUGH_TICKS
    wait_until(lambda: ticks_of(pid, tid) >= enough, what="a loop that runs", during=during)


def until_asleep(pid: int, *, but: int | None = None) -> None:
    """Wait until all threads of a process wait in the kernel and none has run for a while.

    `but` is a thread that computes meanwhile. Raises NeverAsleep.
    """
    deadline = time.monotonic() + PATIENCE
    seen, same = None, 0
    while same < ENOUGH:
        if time.monotonic() > deadline:
            raise NeverAsleep(f"process {pid} is not at rest after {PATIENCE} s")
        time.sleep(STEP)
        now = _switches(pid, but)
        same = same + 1 if now is not None and now == seen else 0
        seen = now


def _switches(pid: int, but: int | None) -> dict[str, list[str]] | None:
    """Return how often each thread stopped to run; None while one of them runs.

    Who waits for a disk, as an import or a database does on a busy machine, goes on by itself.
    """
    threads = {}
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            if task.name == str(but):
                continue
            status = (task / "status").read_text().splitlines()
            state = next(line.split()[1] for line in status if line.startswith("State:"))
            if state not in WAITING or _waits_for_a_disk(task, state):
                return None
            threads[task.name] = [line for line in status if "ctxt_switches" in line]
    except FileNotFoundError:
        if not Path(f"/proc/{pid}").is_dir():
            raise NeverAsleep(f"process {pid} has ended") from None
        return None  # a thread has
    except ProcessLookupError:
        return None
    return threads


def _waits_for_a_disk(task: Path, state: str) -> bool:
    """Tell whether a thread reads a file, or sleeps uninterruptibly, as fsync() does.

    Only who waits for the child of a vfork() sleeps so and stays.
    """
    try:
        call, *arguments = (task / "syscall").read_text().split()
        if state == "D" and call not in FORKING:
            return True
        return call in READING and (task / "fd" / str(int(arguments[0], 16))).is_file()
    except (OSError, IndexError, ValueError):
        return False


def _fields(stat: Path) -> list[str]:
    """Return the fields of a stat file behind the name, which may hold anything."""
    return stat.read_text().rpartition(")")[2].split()
