# SPDX-License-Identifier: Apache-2.0
"""The next step of a deadlock: what helps depends on what the threads wait for."""

from __future__ import annotations

import pytest

from gdb_epi.render.triage import render_triage


@pytest.mark.parametrize(
    ("kinds", "fix"),
    [
        (["threading.Lock", "threading.RLock"], "take the locks in the same order everywhere"),
        (["GIL", "pthread_mutex_t"], "give up the GIL (Py_BEGIN_ALLOW_THREADS) before native"),
        (["Thread.join", "threading.Lock"], "do not join a thread while you hold what it needs"),
        (["module lock", "Thread.join"], "do not join a thread while you hold what it needs"),
        (["Thread.join", "Thread.join"], "let no thread join one that joins it"),
    ],
)
def test_locks_are_put_in_order_only_where_all_are_locks(kinds: list[str], fix: str) -> None:
    record = {
        "verdict": {"label": "deadlock", "reasons": ["2 threads wait for each other"]},
        "signal": {"name": "SIGABRT"},
        "threads": {"count": 2, "list": [{"tid": 1}, {"tid": 2}]},
        "waits": [
            {"tid": number, "kind": kind, "name": f"x{number}", "verdict": "cycle",
             "owner": {"tid": 3 - number, "state": "live"}}
            for number, kind in enumerate(kinds, 1)
        ],
    }  # fmt: skip
    text = "\n".join(render_triage(record))
    assert text.count("the fix:") == 1
    assert fix in text
