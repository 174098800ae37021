# SPDX-License-Identifier: Apache-2.0
"""The lines `Waits`: each wait once."""

from __future__ import annotations

import pytest

from gdb_epi.render.triage_wait_lines import fork_lines, wait_lines


@pytest.mark.parametrize("threads", [2, 5])
def test_a_circle_is_said_once_where_all_of_it_is_shown(threads: int) -> None:
    names = [f"w{n}" for n in range(threads)]
    reason = "; ".join(f"{name} waits for lock_{name} (Lock) at f (a.py:1)" for name in names)
    record = {
        "verdict": {"label": "deadlock", "reasons": [reason]},
        "threads": {"list": [{"tid": n + 1, "name": name} for n, name in enumerate(names)]},
        "waits": [
            {"tid": n + 1, "name": f"lock_{name}", "kind": "Lock", "verdict": "cycle",
             "owner": {"tid": (n + 1) % threads + 1}}
            for n, name in enumerate(names)
        ],
    }  # fmt: skip
    lines = list(wait_lines(record, []))
    assert lines[0] == "thread 1 waits for lock_w0 (Lock), held by thread 2"
    assert (len(lines) == 2) == (threads == 2), lines


@pytest.mark.parametrize(
    ("named", "rest", "last"),
    [
        (3, "and 5 more tasks", "and 5 more tasks"),
        (4, "and 5 more tasks", "and 6 more"),
        (4, "and 1 more task", "and 2 more"),
        (5, "and 2 more", "and 4 more"),
        (4, "", "and 1 more"),
        (2, "", "t1 waits"),
    ],
)
def test_what_a_clause_leaves_out_is_counted_too(named: int, rest: str, last: str) -> None:
    clauses = [f"t{number} waits" for number in range(named)] + [rest] * bool(rest)
    record = {"verdict": {"label": "deadlock", "reasons": ["; ".join(["all wait", *clauses])]}}
    lines = list(wait_lines(record, []))
    assert lines[-1] == last
    assert [line for line in lines if line.startswith("t")] == clauses[: min(named, 3)]


@pytest.mark.parametrize(
    ("kind", "workers", "told"),
    [
        ("a thread of libpump.so", 1, "fork() did not copy 1 thread of libpump.so"),
        ("a thread of libpump.so", 3, "fork() did not copy 3 threads of libpump.so"),
        ("queue worker", 2, "fork() did not copy 2 threads: queue worker"),
    ],
)
def test_what_fork_left_behind_is_a_sentence(kind: str, workers: int, told: str) -> None:
    assert list(fork_lines({"fork": {"pools": [{"kind": kind, "workers": workers}]}})) == [told]


def test_nobody_holds_a_queue() -> None:
    record = {
        "verdict": {"label": "killed"},
        "threads": {"crashed": {"tid": 7, "frames": []}},
        "waits": [
            {"tid": 7, "name": "JOBS", "kind": "queue.Queue", "verdict": "unknown",
             "owner": {"state": "none"}}
        ],
    }  # fmt: skip
    assert list(wait_lines(record, [])) == ["thread 7 waits for JOBS (queue.Queue)"]
    record["waits"][0]["owner"] = {"state": "unknown"}
    assert next(wait_lines(record, [])).endswith(", holder not known")


def test_the_first_worker_of_a_circle_of_pools_is_shown_too() -> None:
    """The second sentence ends before the colon where the record has waits."""
    reason = "2 workers of 2 pools wait for jobs: w1 waits at f for a job; w2 waits at g for one"
    record = {
        "verdict": {"label": "deadlock", "reasons": [reason]},
        "waits": [{"tid": 7, "name": "x", "kind": "Future", "verdict": "unknown"}],
    }
    assert list(wait_lines(record, [])) == ["w1 waits at f for a job", "w2 waits at g for one"]


def test_who_took_a_lock_of_several_processes_is_not_guessed() -> None:
    """It may have been killed since, or be the waiting thread itself."""
    record = {
        "verdict": {"label": "deadlock", "reasons": ["f waits for a lock that it took itself"]},
        "waits": [
            {"tid": 7, "name": "LOCK", "kind": "multiprocessing SemLock",
             "verdict": "other-process", "owner": {"state": "other-process"}}
        ],
    }  # fmt: skip
    (line,) = wait_lines(record, [])
    assert line == "thread 7 waits for LOCK (multiprocessing SemLock), shared between processes"
