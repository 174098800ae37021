# SPDX-License-Identifier: Apache-2.0
"""Children that do not get on: output that nobody reads, a preexec_fn that does not return."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.hangs.library_calls import GREETING, NEW_CHILD, describe_library_wait
from gdb_epi.hangs.loops.sleeping_event_loops import waits_for_clients_in_library
from gdb_epi.hangs.processes.child_processes import (
    diagnose_wait_for_new_child,
    find_unread_child_output,
    pipe_kept_open_by_sibling_clause,
)
from gdb_epi.hangs.single_wait import diagnose_sleeping_event_loop, diagnose_thread_wait
from gdb_epi.hangs.types import CHILD, HANG, LOCK, POLL, ThreadActivity
from gdb_epi.locks.types import INFO, PROBABLE, UNKNOWN, LockOwner, LockWait

PROCESS, STDOUT, STDERR, YES, NO = 0x1000, 0x2000, 0x3000, 0x4000, 0x5000
TYPES = {YES: "bool", NO: "bool", PROCESS: "Process", STDOUT: "StreamReader"}


def frame(module: str, name: str) -> SimpleNamespace:
    return SimpleNamespace(module=module, name=name, qualname=name, filename=f"/srv/{module}.py",
                           lineno=3, address=id(name), hole=None)  # fmt: skip


CONVERT, WAIT = frame("shop", "convert"), frame("asyncio.subprocess", "wait")
READ, STORE = frame("asyncio.streams", "read"), frame("shop", "store")


def task(id: int, *stack: SimpleNamespace, waits_for: int = 0) -> SimpleNamespace:
    wait = SimpleNamespace(
        address=waits_for, kind="process", name="", place="", text=lambda **_: "a child"
    )
    return SimpleNamespace(
        id=id, stack=stack, wait=wait, name=f"Task-{id}", running=False, certainty="?", wakers=(),
        framework="",
    )  # fmt: skip


def scene(paused: int, stream: str = "stdout", variables=None, **more) -> SimpleNamespace:
    """Return a process whose child has one stream, which asyncio reads no more if `paused`."""
    attributes = {(PROCESS, stream): STDOUT, (STDOUT, "_paused"): paused}
    held = {"wait": [("self", PROCESS)], "convert": [("child", PROCESS)], **(variables or {})}
    view = SimpleNamespace(
        attribute=lambda word, name: attributes.get((word, name)),
        variable=lambda frame, name: dict(held.get(frame.name, ()) if frame else ()).get(name),
        variable_addresses=lambda frame: held.get(frame.name, []),
        integer_attribute=lambda word, name: 77,
        type_name=lambda word: TYPES.get(word, ""),
        objects=SimpleNamespace(integer=lambda word: int(word == YES)),
    )
    child = SimpleNamespace(command="convert")
    return SimpleNamespace(
        view=view, failed_tasks=(), descriptors=SimpleNamespace(child_of_pid=lambda _: child),
        installed=SimpleNamespace(contains_frame=lambda frame: frame.module.startswith("asyncio")),
        **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("paused", "others", "found"),
    [(YES, [], True), (NO, [], False), (YES, [task(2, STORE)], False), (YES, [task(3)], True)],
)
def test_output_is_unread_where_asyncio_stopped_and_no_task_has_the_stream(
    paused: int, others: list[SimpleNamespace], found: bool
) -> None:
    """Process.wait() of a full pipe was "healthy, 89 % sure"; a slow reader is."""
    made = scene(paused, variables={"store": [("lines", STDOUT)]})
    unread = find_unread_child_output(made, [task(1, WAIT, CONVERT), *others])
    assert (unread is not None) == found
    if unread:
        assert (unread.child, unread.stream) == ("child 77 (convert)", "stdout")


def test_who_reads_one_stream_to_its_end_does_not_read_the_other() -> None:
    made = scene(YES, "stderr")
    attribute = made.view.attribute
    made.view.attribute = lambda word, name: (
        STDERR if (word, name) == (PROCESS, "stdout") else attribute(word, name)
    )
    assert (
        find_unread_child_output(made, [task(1, READ, CONVERT, waits_for=STDERR)]).stream
        == "stderr"
    )
    assert find_unread_child_output(made, [task(1, READ, CONVERT, waits_for=STDOUT)]) is None


@pytest.mark.parametrize(("paused", "sure"), [(YES, PROBABLE), (NO, INFO)])
def test_a_loop_that_awaits_a_child_is_woken_by_it(paused: int, sure: str) -> None:
    """ "Nothing can wake it" was said of a loop whose child runs."""
    made = scene(paused, tasks=[task(1, WAIT, CONVERT)], activities=[])
    made.event_loop_reader = SimpleNamespace(signal_handlers=lambda _: {})
    loop = SimpleNamespace(address=9, descriptors=0, listening=False, ready=0, timers=0, selector=0)
    answer = diagnose_sleeping_event_loop(made, ThreadActivity(7, "MainThread", POLL), loop)
    assert (answer.label, answer.sure) == (HANG, sure)
    assert "nothing can wake" not in answer.sentence


def test_a_function_of_the_program_called_serve_serves_nobody() -> None:
    installed = SimpleNamespace(contains_frame=lambda frame: frame.module.startswith("asyncio"))
    assert not waits_for_clients_in_library(task(1, WAIT, frame("shop", "serve")), installed)
    serving = frame("asyncio.base_events", "serve_forever")
    assert waits_for_clients_in_library(task(1, serving, frame("shop", "main")), installed)


@pytest.mark.parametrize(("caller", "awaits"), [("connect", GREETING), ("mail", "the answer of a")])
def test_a_server_greets_unasked(caller: str, awaits: str) -> None:
    inner = frame("socket", "readinto"), frame("smtplib", "getreply"), frame("smtplib", caller)
    call = describe_library_wait(inner)
    assert call is not None
    assert call[1].startswith(awaits)


@pytest.mark.parametrize(
    ("function", "kind", "sure"), [(0, "exec", INFO), (0x6000, "preexec_fn", PROBABLE)]
)
def test_what_a_new_child_does_before_exec_decides(function: int, kind: str, sure: str) -> None:
    inner = frame("subprocess", "_execute_child"), frame("subprocess", "run")
    call = describe_library_wait(inner)
    assert call is not None
    assert call[:2] == (CHILD, NEW_CHILD), "not the end of the child, as run() would wait for"
    reader = SimpleNamespace(text_field=lambda *_: "limit")
    view = SimpleNamespace(
        frames=lambda _: inner, variable=lambda *_: function, reader=reader,
        type_name=lambda _: "function",
    )  # fmt: skip
    what = "its new child 77 to start true"
    activity = ThreadActivity(
        7, "MainThread", CHILD, what, target=77, awaits=NEW_CHILD, call="read"
    )
    answer = diagnose_wait_for_new_child(SimpleNamespace(view=view), activity)
    assert (answer.label, answer.kind, answer.sure) == (HANG, kind, sure)
    assert ("limit() (preexec_fn)" in answer.sentence) == bool(function)


@pytest.mark.parametrize(
    ("handle", "writes", "sibling", "forked", "told"),
    [(0, YES, 78, True, True), (9, YES, 78, True, False), (0, NO, 78, True, False),
     (0, YES, 76, True, False), (0, YES, 78, False, False)],
)  # fmt: skip
def test_a_child_that_was_forked_later_may_keep_a_pipe_open(
    handle: int, writes: int, sibling: int, forked: bool, told: bool
) -> None:
    """A connection that is open or was read from, an older child, a spawned one: none of that."""
    values = {"_handle": handle, "_writable": writes}
    types = {0x7000: "Connection", 0x8000: "NoneType", 0x9000: "int"}
    view = SimpleNamespace(
        variable_addresses=lambda _: [("pipe", 0x7000)],
        attribute=lambda _, name: {0: 0x8000, 9: 0x9000}.get(values[name], values[name]),
        type_name=types.get,
        objects=SimpleNamespace(integer=lambda word: int(word == YES)),
    )
    running = SimpleNamespace(
        multiprocessing_children=[(77, True), (sibling, forked)], child_of_pid=lambda _: None
    )
    activity = ThreadActivity(7, "MainThread", CHILD, target=77, frames=(CONVERT,))
    made = pipe_kept_open_by_sibling_clause(
        SimpleNamespace(view=view, descriptors=running), activity
    )
    assert ("child 78, forked later, has a copy" in made) == told
    assert bool(made) == told


def test_a_mutex_whose_owner_has_ended_is_never_released() -> None:
    """It was "cannot tell": the mutex' own words name a thread that the core does not have."""
    wait = LockWait(7, 0x1000, "pthread mutex", None, None, LockOwner(99, None, None, "unknown"),
                  UNKNOWN, INFO, ("it names thread 99", "that is not in the core"))  # fmt: skip
    activity = ThreadActivity(7, "MainThread", LOCK, "a pthread mutex", place="shop")
    made = SimpleNamespace(
        waits={7: wait}, may_locks_be_inherited=False, activities=[activity], foreign_threads=[],
        view=SimpleNamespace(frames=lambda _: ()),
        frame_references=SimpleNamespace(variable_name=lambda *_: ""),
    )  # fmt: skip
    answer = diagnose_thread_wait(made, activity)
    assert (answer.label, answer.kind, answer.sure) == (HANG, "owner ended", PROBABLE)
    assert "which thread 99 took and never released" in answer.sentence
    made.waits[7] = wait._replace(owner=LockOwner(None, None, None, "unknown"))
    assert diagnose_thread_wait(made, activity).kind == "lock never released"
