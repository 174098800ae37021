# SPDX-License-Identifier: Apache-2.0
"""The next step of a deadlock: what helps depends on what the threads wait for."""

from __future__ import annotations

import pytest

from gdb_epi.render.triage import render_triage


@pytest.mark.parametrize(
    ("kinds", "fix"),
    [
        (["threading.Lock", "threading.RLock"], "take the locks in the same order everywhere"),
        (["GIL", "pthread_mutex_t"], "release the GIL (Py_BEGIN_ALLOW_THREADS) before native"),
        (["Thread.join", "threading.Lock"], "do not join a thread while you hold what it needs"),
        (["module lock", "Thread.join"], "do not join a thread while you hold what it needs"),
        (["Thread.join", "Thread.join"], "threads must not join each other"),
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


@pytest.mark.parametrize("doing", ["join", "lock"])
def test_a_deadlock_in_which_one_waits_to_be_woken_has_its_threads_and_its_fix(doing: str) -> None:
    """It was "hung in a deadlock", with the stack of one thread and without a next step."""
    members = [{"tid": 1, "doing": "event"}, {"tid": 2, "doing": doing}]
    facts = {"kind": "event-and-lock", "members": members}
    frame = {"language": "python", "name": "take", "filename": "/srv/f.py", "lineno": 3}
    stacks = [{"tid": tid, "name": name, "frames": [frame]} for tid, name in ((1, "a"), (2, "b"))]
    record = {
        "verdict": {"label": "deadlock", "reasons": ["a waits for b"]},
        "signal": {"name": "SIGABRT"},
        "threads": {"count": 2, "crashed": stacks[1], "stacks": stacks},
        "findings": [{"detector": "stuck_deadlock", "summary": "a waits for b", "facts": facts}],
    }
    lines = render_triage(record)
    assert lines[0].endswith("hung: a deadlock between a and b")
    assert [line for line in lines if line.startswith("Stack of")] == [
        "Stack of a, most recent call first",
        "Stack of b, most recent call first",
    ]
    stacks[0]["name"] = "b"
    assert render_triage(record)[0].endswith("hung: a deadlock of 2 threads")
    assert any("wake a thread before you wait for" in line for line in lines) == (doing == "join")
