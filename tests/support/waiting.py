# SPDX-License-Identifier: Apache-2.0
"""Wait for what a process does, not for a time that it mostly takes."""

from __future__ import annotations

import time
from pathlib import Path

PATIENCE = 60.0  # seconds; a machine under load takes many times what a quiet one does
STEP = 0.01
ENOUGH = 5  # looks in a row at which nothing has run
WAITING = "SD"


class NeverAsleep(Exception):
    """A process went on, or ended."""


def until_asleep(pid: int) -> None:
    """Wait until all threads of a process wait in the kernel and none has run for a while.

    Raises NeverAsleep.
    """
    deadline = time.monotonic() + PATIENCE
    seen, same = None, 0
    while same < ENOUGH:
        if time.monotonic() > deadline:
            raise NeverAsleep(f"process {pid} is not at rest after {PATIENCE} s")
        time.sleep(STEP)
        now = _switches(pid)
        same = same + 1 if now is not None and now == seen else 0
        seen = now


def _switches(pid: int) -> dict[str, list[str]] | None:
    """Return how often each thread stopped to run; None while one of them runs."""
    threads = {}
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            status = (task / "status").read_text().splitlines()
            state = next(line.split()[1] for line in status if line.startswith("State:"))
            if state not in WAITING:
                return None
            threads[task.name] = [line for line in status if "ctxt_switches" in line]
    except FileNotFoundError:
        if not Path(f"/proc/{pid}").is_dir():
            raise NeverAsleep(f"process {pid} has ended") from None
        return None  # a thread has
    except ProcessLookupError:
        return None
    return threads
