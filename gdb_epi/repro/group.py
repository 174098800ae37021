# SPDX-License-Identifier: Apache-2.0
"""The processes of one run: all of a session, whatever groups they made inside it."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from gdb_epi.lean import NamedTuple

KILL_SECONDS = 5.0  # how long killed processes may take to go
_TICK = 0.02


class Member(NamedTuple):
    """One living process of a session."""

    pid: int
    parent: int
    command: str


def members(session: int) -> list[Member]:
    """Return the living processes of a session; zombies are none."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            one = _member(int(name), session)
            if one is not None:
                found.append(one)
    return sorted(found)


def leaves(session: int) -> list[Member]:
    """Return the processes of a session that have no child in it: those that work."""
    found = members(session)
    parents = {one.parent for one in found}
    return [one for one in found if one.pid not in parents]


def _member(pid: int, session: int) -> Member | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return None
    head, _, tail = text.rpartition(")")
    words = tail.split()
    if len(words) < 4 or words[0] in ("Z", "X") or int(words[3]) != session:
        return None
    return Member(pid, int(words[1]), head.partition("(")[2])


def kill_session(session: int) -> int:
    """Kill every process of a session; return how many are left after KILL_SECONDS (0)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    deadline = time.monotonic() + KILL_SECONDS
    while True:
        left = members(session)
        if not left or time.monotonic() > deadline:
            return len(left)
        for one in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        time.sleep(_TICK)
