# SPDX-License-Identifier: Apache-2.0
"""Choose the thread that a core is signed from. SPEC.md section 2 is normative."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Thread

# Categories in which the first thread of the core did nothing wrong.
NOT_ITS_FAULT = frozenset(("killed-external", "snapshot"))


class Choice(NamedTuple):
    """The thread to sign, and why; `tid` is None for a core without threads."""

    tid: int | None
    why: str


def choose_thread(
    category: str, threads: Sequence[Thread], gil_holder: int | None, pid: int | None
) -> Choice:
    """Return the first thread of the core; for a hang the GIL holder, else the main thread."""
    if not threads:
        return Choice(None, "the core lists no thread")
    if category not in NOT_ITS_FAULT:
        return Choice(threads[0].tid, "the kernel wrote this thread first")
    tids = {thread.tid for thread in threads}
    if gil_holder is not None and gil_holder in tids:
        return Choice(gil_holder, f"{category}: it holds the GIL")
    if pid is not None and pid in tids:
        return Choice(pid, f"{category}: no thread holds the GIL; this is the main thread")
    return Choice(threads[0].tid, f"{category}: no GIL holder and no main thread are known")
