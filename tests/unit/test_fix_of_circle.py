# SPDX-License-Identifier: Apache-2.0
"""The fix that a screen names: it depends on what threads wait for, and on what decided."""

from __future__ import annotations

from itertools import takewhile

import pytest

from gdb_epi.hangs.types import (
    END_TRANSACTION,
    FROM_OUTSIDE,
    LEAVE_OUT,
    LOOK_FIRST,
    OF_BARRIER,
    READ_OUTPUT,
    SET_TIMEOUT,
    TO_THREAD,
)
from gdb_epi.render.triage import render_triage
from gdb_epi.typing_lite import Any


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
    facts = {"kind": "event-and-lock", "sort": f"event and {doing}", "members": members}
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


OWN = {"language": "python", "name": "ring", "filename": "/srv/app/bells.py", "lineno": 22}
EMIT = {"language": "python", "name": "Handler.emit", "lineno": 171,
        "filename": "/usr/lib/python3.11/site-packages/loguru/_handler.py"}  # fmt: skip
ENTER = {"language": "python", "name": "Condition.__enter__", "lineno": 275,
         "filename": "/usr/lib/python3.11/threading.py"}  # fmt: skip


DEL = {"language": "python", "name": "Pipe.__del__", "filename": "/srv/app/bells.py", "lineno": 40}
ENTER_SEMAPHORE = {"language": "python", "name": "SemLock.__enter__", "lineno": 95,
                   "filename": "/usr/lib/python3.11/multiprocessing/synchronize.py"}  # fmt: skip


def library_call(name: str, file: str) -> dict[str, Any]:
    filename = f"/usr/lib/python3.11/{file}"
    return {"language": "python", "name": name, "filename": filename, "lineno": 9}


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (library_call("HTTPConnection.request", "http/client.py"),
         "pass timeout= where the HTTPConnection of ring (bells.py:22) is made"),
        (library_call("SMTP.sendmail", "smtplib.py"),
         "pass timeout= where the SMTP of ring (bells.py:22) is made"),
        (library_call("SocketIO.readinto", "socket.py"),
         "call settimeout() on that socket before SocketIO.readinto() at ring (bells.py:22)"),
        (library_call("create_connection", "socket.py"),
         "set a timeout for create_connection() at ring (bells.py:22)"),
        (library_call("urlopen", "urllib/request.py"),
         "set a timeout for urlopen() at ring (bells.py:22)"),
    ],
)  # fmt: skip
def test_a_timeout_is_advised_where_it_can_be_given(call: Any, fix: str) -> None:
    assert fix_of_read([call, OWN]) == fix


def test_a_lock_of_another_process_is_no_matter_of_a_timeout() -> None:
    wait = {"tid": 1, "kind": "multiprocessing SemLock", "verdict": "other-process"}
    frames = [ENTER_SEMAPHORE, library_call("Queue.get", "multiprocessing/queues.py"), OWN]
    assert fix_of_read(frames, waits=[wait]).startswith("find who holds it: grep -l /dev/shm/sem ")
    stack = {"tid": 1, "name": "a", "frames": frames}
    threads = {"count": 1, "crashed": stack}
    lines = render_triage({"verdict": {"label": "hang"}, "waits": [wait], "threads": threads})
    assert "waits for the lock that Queue.get() takes by `with` (multiprocessing" in " ".join(lines)
    assert fix_of_read(frames[1:], waits=[wait]).startswith("set a timeout for Queue.get() at ")


def fix_of_read(frames: list[Any], **groups: Any) -> str:
    """Return the fix of a thread that reads in `ring`, without a timeout."""
    member = {"tid": 1, "name": "a", "doing": "read", "frames": ["ring (bells.py:22)"]}
    facts = {"kind": "peer", "sort": "peer", "members": [member], "fix": SET_TIMEOUT}
    finding = {"detector": "stuck_waiting", "summary": "a waits", "facts": facts}
    verdict = {"label": "hang", "reasons": ["a waits"]}
    threads = {"count": 1, "crashed": {"tid": 1, "name": "a", "frames": frames}}
    return fix_of(verdict=verdict, threads=threads, findings=[finding], **groups)


def test_a_task_that_waits_for_itself_is_to_be_left_out() -> None:
    for fact, fix in ((LEAVE_OUT, "leave the task out"), ("", "a task must not wait for one")):
        member = {"tid": 1, "doing": "poll", "frames": ["close (ferry.py:24)"]}
        facts = {"kind": "tasks", "sort": "tasks", "members": [member], "fix": fact}
        finding = {"detector": "stuck_deadlock", "summary": "task x waits", "facts": facts}
        verdict = {"label": "deadlock", "reasons": ["task x waits"]}
        assert fix_of(verdict=verdict, findings=[finding]).startswith(fix)


def fix_of(**groups: Any) -> str:
    """Return the fix that a screen names, "" where it names none."""
    lines = render_triage({"signal": {"name": "SIGABRT"}, **groups})
    at = next((at for at, line in enumerate(lines) if "the fix:" in line), None)
    if at is None:
        return ""
    rest = takewhile(lambda line: line.startswith(" " * 19), lines[at + 1 :])
    return " ".join([lines[at].partition("the fix:")[2].strip(), *map(str.strip, rest)])


def test_who_locked_a_database_against_himself_is_to_end_that_first() -> None:
    member = {"tid": 1, "doing": "database", "frames": ["sell (shop.py:4)"]}
    facts = {"sort": "database lock", "fix": END_TRANSACTION, "members": [member]}
    finding = {"detector": "stuck_waiting", "summary": "it waits", "facts": facts}
    verdict = {"label": "hang", "reasons": ["it waits"]}
    fix = fix_of(verdict=verdict, findings=[finding])
    assert fix.startswith("commit, roll back or close that connection first")


@pytest.mark.parametrize(
    ("frames", "fix"),
    [
        ([OWN], "make gate an RLock, or do not call back while holding it"),
        ([ENTER, OWN], "make gate an RLock, or do not call back while holding it"),
        ([EMIT, OWN], "do not call loguru in ring (bells.py:22): it holds gate there"),
        ([OWN, DEL, OWN], "do not take gate in __del__ (bells.py:40)"),
    ],
)
def test_who_waits_for_himself_and_whose_lock_it_is(frames: list[Any], fix: str) -> None:
    wait = {"tid": 1, "kind": "threading.Lock", "name": "gate", "verdict": "self-deadlock",
            "owner": {"tid": 1, "state": "live"}}  # fmt: skip
    stack = {"tid": 1, "name": "MainThread", "frames": frames}
    verdict = {"label": "deadlock", "reasons": ["thread 1 waits for gate, which it holds itself"]}
    threads = {"count": 1, "crashed": stack, "stacks": [stack]}
    assert fix_of(verdict=verdict, waits=[wait], threads=threads) == fix
    text = "\n".join(render_triage({"verdict": verdict, "waits": [wait], "threads": threads}))
    ran_between = "Pipe.__del__ (bells.py:40) ran in the middle of ring (bells.py:22)" in text
    assert ran_between == (DEL in frames)


def test_the_lock_of_a_library_cannot_be_put_in_order() -> None:
    waits = [{"tid": tid, "kind": "threading.Lock", "name": name, "verdict": "cycle",
              "owner": {"tid": 3 - tid, "state": "live"}}
             for tid, name in ((1, "Index.gate"), (2, "Handler._lock"))]  # fmt: skip
    stacks = [{"tid": 1, "name": "a", "frames": [OWN]},
              {"tid": 2, "name": "b", "frames": [EMIT, OWN]}]  # fmt: skip
    verdict = {"label": "deadlock", "reasons": ["2 threads wait for each other"]}
    threads = {"count": 2, "crashed": stacks[0], "stacks": stacks}
    fix = fix_of(verdict=verdict, waits=waits, threads=threads)
    assert fix == "do not call loguru while holding Index.gate"


@pytest.mark.parametrize(
    ("sort", "doing", "mends", "fix"),
    [
        ("peer", "read", SET_TIMEOUT,
         "set a timeout for Handler.emit() at ring (bells.py:22)"),
        ("peer", "read", "", ""),
        ("peer", "read", "words of a newer version", ""),
        ("peer does not read", "write", READ_OUTPUT, "read the child's output while it runs"),
        ("nothing wakes the loop", "poll", FROM_OUTSIDE, "give the loop work from outside by"),
        ("blocked event loop", "read", "",
         "run that call in a worker thread, or use an async client"),
        ("pipe", "read", "", "close your own copy of the other end"),
        ("nobody left", "event", "", "give it in a `finally`, so that an error leaves nobody"),
        ("nobody gives it", "event", LOOK_FIRST, "test what it waits for before it waits"),
        ("missed notification", "event", "",
         "call notify() or notify_all() after each change of what it waits for"),
    ],
)  # fmt: skip
def test_a_wait_has_a_fix_where_its_kind_names_the_cause(
    sort: str, doing: str, mends: str, fix: str
) -> None:
    reason = "a waits without a timeout: words decide nothing"
    member = {"tid": 1, "name": "a", "doing": doing, "frames": ["ring (bells.py:22)"]}
    facts = {"kind": sort.replace(" ", "-"), "sort": sort, "members": [member], "fix": mends}
    stack = {"tid": 1, "name": "a", "frames": [EMIT, OWN]}
    finding = {"detector": "stuck_waiting", "summary": reason, "facts": facts}
    named = fix_of(
        verdict={"label": "hang", "reasons": [reason]},
        threads={"count": 1, "crashed": stack}, findings=[finding],
    )  # fmt: skip
    assert named.startswith(fix) and bool(named) == bool(fix)


@pytest.mark.parametrize(
    ("sort", "doing", "what", "mends", "fix"),
    [
        ("nobody gives it", "event", "room in a queue (corn)", "", "end the producer when its"),
        ("nobody gives it", "event", "an item in a queue (free)", "", "let the producer put a"),
        ("nobody gives it", "event", "a semaphore (mill.limit)", "", "give back on every way out"),
        ("nobody gives it", "event", f"1 more of the 4 {OF_BARRIER} (b)", "", "call abort() of"),
        ("nobody gives it", "event", "a notification (e)", "", ""),
        ("blocked event loop", "sleep", "", f"{TO_THREAD}grind", "run grind() in a worker thread"),
        ("blocked event loop", "sleep", "", "", "await a sleep of the loop there"),
    ],
)  # fmt: skip
def test_a_fix_fits_what_is_waited_for_and_where(
    sort: str, doing: str, what: str, mends: str, fix: str
) -> None:
    members = [{"tid": 1, "name": "a", "doing": "join", "frames": ["ring (bells.py:22)"]},
               {"tid": 2, "name": "b", "doing": doing, "what": what}]  # fmt: skip
    facts = {"sort": sort, "members": members[sort != "nobody gives it" :], "fix": mends}
    finding = {"detector": "stuck_waiting", "summary": "a waits", "facts": facts}
    stack = {"tid": 1, "name": "a", "frames": [OWN]}
    named = fix_of(
        verdict={"label": "hang", "reasons": ["a waits"]},
        threads={"count": 1, "crashed": stack}, findings=[finding],
    )  # fmt: skip
    assert named.startswith(fix) and bool(named) == bool(fix)


@pytest.mark.parametrize(
    ("names", "fix"),
    [
        (["Condition.wait"], "test what it waits for first"),
        (["Condition.wait", "Event.wait"], "give it in a `finally`"),
        (["Condition.wait", "queue.py:Queue.put"], "end the producer when its consumer has ended"),
        (["Condition.wait", "queue.py:Bag.take"], "give it in a `finally`"),
    ],
)
def test_a_condition_forgets_a_notification_and_an_event_does_not(
    names: list[str], fix: str
) -> None:
    """Who waits without a look misses what was notified before; "in a finally" mends nothing.

    Classes of the standard library that wait by a Condition look first.
    """
    what = "room in a queue (q)" if names[1:] and "put" in names[1] else "a notification (cv)"
    member = {"tid": 1, "name": "a", "doing": "event", "what": what}
    facts = {"sort": "nobody left", "members": [{**member, "frames": ["ring (bells.py:22)"]}]}
    inner = [
        {"name": name, "filename": f"/usr/lib/python3.11/{file or 'threading.py'}", "lineno": 1}
        for file, _, name in (n.rpartition(":") for n in names)
    ]
    stack = {"tid": 1, "name": "a", "frames": [*inner, OWN]}
    finding = {"detector": "stuck_waiting", "summary": "a waits", "facts": facts}
    named = fix_of(
        verdict={"label": "hang", "reasons": ["a waits"]},
        threads={"count": 1, "crashed": stack}, findings=[finding],
    )  # fmt: skip
    assert named.startswith(fix)


@pytest.mark.parametrize(
    ("detector", "facts", "fix"),
    [
        ("freed_callback", {}, "keep the callback object in a variable"),
        ("python_in_handler", {}, "only set a flag in that handler"),
        ("without_gil", {}, "take the GIL in that thread: PyGILState_Ensure()"),
        ("python_fatal_error", {"kind": "without-gil", "no_gil": True}, "take the GIL in that"),
        ("python_fatal_error", {"kind": "without-gil", "reason": "the GIL is released"}, ""),
        ("python_fatal_error", {"kind": "other", "daemon_threads": True}, "stop and join the"),
        ("unloaded_library", {}, "do not close a library"),
        ("integer_division", {"divisor": 0}, "test that number before the division"),
        ("integer_division", {"divisor": -1}, ""),
        ("uncaught_exception", {"kind": "exception"}, "catch that exception before"),
        ("uncaught_exception", {"kind": "terminate", "thread_lost": True}, "join() or detach()"),
    ],
)  # fmt: skip
def test_a_crash_has_a_fix_only_where_the_finding_decided(
    detector: str, facts: dict[str, Any], fix: str
) -> None:
    finding = {"detector": detector, "summary": "seen", "facts": facts}
    verdict = {"label": "software", "reasons": ["seen"]}
    assert fix_of(verdict=verdict, findings=[finding]).startswith(fix)
    assert bool(fix_of(verdict=verdict, findings=[finding])) == bool(fix)
    assert not fix_of(verdict={**verdict, "reasons": ["other"]}, findings=[finding])


@pytest.mark.parametrize(
    ("filename", "fix"),
    [
        ("/usr/lib/python3.11/asyncio/base_events.py", "asyncio.wait_for"),
        ("/venv/site-packages/trio/_core/_run.py", "(trio.fail_after)"),
        ("/venv/site-packages/gevent/hub.py", "set a timeout there"),
    ],
)
def test_the_timeout_of_a_loop_is_that_of_its_library(filename: str, fix: str) -> None:
    """A program of trio was told to use asyncio.wait_for()."""
    frame = {"language": "python", "name": "run", "filename": filename, "lineno": 3}
    facts = {"sort": "nothing wakes the loop", "members": [{"tid": 1, "doing": "poll"}]}
    record = {
        "verdict": {"label": "hang", "reasons": ["its loop sleeps"]},
        "signal": {"name": "SIGABRT"},
        "threads": {"count": 1, "crashed": {"tid": 1, "name": "MainThread", "frames": [frame]}},
        "findings": [{"detector": "stuck_waiting", "summary": "its loop sleeps", "facts": facts}],
    }
    line = next(line for line in render_triage(record) if "the fix:" in line)
    assert fix in line
    assert ("asyncio" in line) == ("asyncio" in filename)
