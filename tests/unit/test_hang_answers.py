# SPDX-License-Identifier: Apache-2.0
"""Answers of a hung process follow facts, whatever words the names in its core hold."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs import external_waits
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.deadlocks import diagnose_deadlocked_pool_callback
from gdb_epi.hangs.descriptors import FILE, Descriptor, DescriptorTable
from gdb_epi.hangs.event_waits import _waiters_clause, diagnose_event_wait
from gdb_epi.hangs.hang_context import WaitChain
from gdb_epi.hangs.idleness import is_reading_incoming_work, is_repeated_by_library
from gdb_epi.hangs.library_calls import (
    FILE_ON_DISK,
    FREE_CONNECTION,
    MANAGED_ITEM,
    MESSAGE,
    POOL_RESULTS,
    PROCESS_QUEUE,
    describe_library_wait,
)
from gdb_epi.hangs.live.exhausted_pools import diagnose_pool_self_deadlock
from gdb_epi.hangs.loops.resource_exhaustion import diagnose_connection_pool_exhausted
from gdb_epi.hangs.processes import unread_queues
from gdb_epi.hangs.processes.unread_queues import find_unread_queue
from gdb_epi.hangs.single_wait import (
    _diagnose_through_thread,
    diagnose_sleeping_event_loop,
    diagnose_thread_wait,
)
from gdb_epi.hangs.types import DEADLOCK, HANG, NO_FAULT, HangDiagnosis, ThreadActivity
from gdb_epi.locks.python.acquire_calls import AGAIN, AHEAD, MADE

NOTHING_FOUND = dict.fromkeys(
    ("variable", "attribute", "text_attribute", "integer_attribute"), lambda *_: None
)
SCENE = SimpleNamespace(
    view=SimpleNamespace(frames=lambda tid: (), **NOTHING_FOUND),
    is_only_python_thread=lambda _: False,
    acquire_calls=SimpleNamespace(is_running_in_loop=lambda frame: False),
    count_loops=lambda frames: 0,
    descriptors=SimpleNamespace(
        describe=lambda number: Descriptor(number, "file", ""),
        child_behind_descriptor=lambda _: None,
        is_call_on_closed_socket=lambda *_: False,
        children=(),
        object_type=lambda _: None,
    ),
    activities=(),
    pipe_ends=SimpleNamespace(other_end=lambda _: None),
    live_code=SimpleNamespace(own_codes=(), uses_any_name=lambda *_: False),
    may_program_fork=False,
)


NOTHING, SECONDS = 0x10, 0x20


def reading(what: str, awaits: str = "") -> HangDiagnosis | None:
    activity = ThreadActivity(
        7, "worker", hang_types.READ, what, target=5, awaits=awaits, place="main"
    )
    return diagnose_thread_wait(SCENE, activity)


def test_a_pipe_of_a_command_with_a_telling_name_is_no_queue() -> None:
    answer = reading("the stdout pipe of child 12 (list_items)")
    assert answer.kind == "peer"
    assert "for data on the stdout pipe of child 12 (list_items)" in answer.sentence


def test_a_queue_between_processes_is_one() -> None:
    answer = reading(PROCESS_QUEUE, PROCESS_QUEUE)
    assert answer.kind == "queue of processes"
    assert f"for {PROCESS_QUEUE}; what" in answer.sentence


def test_what_a_library_waits_for_is_not_called_data() -> None:
    message = "a message of another process"
    answer = reading(message, message)
    assert answer.kind == "peer"
    assert f"for {message}; what" in answer.sentence


@pytest.mark.parametrize(
    ("kind", "awaits", "in_loop", "more"),
    [
        ("socket", "", True, True),  # it asked something before
        ("pipe", "", True, True),  # of a child that lives
        ("", "", True, True),
        ("pipe", MESSAGE, True, True),
        ("socket", "", False, False),  # one read: an answer that never came
        ("file", "", True, False),  # a pipe whose writer no object of Python knows
        ("socket", "the answer of an HTTP server", True, False),
    ],
)
def test_a_read_in_a_loop_may_wait_for_work(kind, awaits, in_loop, more) -> None:
    """A worker that waits for its next job was called a hang; who fills what it reads may live."""
    frame = SimpleNamespace(qualname="jobs", name="jobs", filename="/srv/shop.py", lineno=3,
                            module="shop", address=1)  # fmt: skip
    scene = SimpleNamespace(
        view=SimpleNamespace(frames=lambda _: (frame,), **NOTHING_FOUND),
        is_only_python_thread=lambda _: False,
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: in_loop),
        count_loops=lambda frames: in_loop * len(frames),
        is_in_bounded_loop=lambda _: False,
        descriptors=SimpleNamespace(
            describe=lambda number: Descriptor(number, kind, "it"),
            child_behind_descriptor=lambda _: None,
            is_call_on_closed_socket=lambda *_: False,
            children=(),
            is_socket_without_peer=lambda _: False,
            object_type=lambda _: None,
        ),
        activities=(),
        pipe_ends=SimpleNamespace(other_end=lambda _: None),
        live_code=SimpleNamespace(own_codes=(), uses_any_name=lambda *_: False),
        may_program_fork=False,
        names_called_before=lambda *_, **__: {"send_request"},
    )
    activity = ThreadActivity(
        7, "worker", hang_types.READ, awaits or "it", target=5, awaits=awaits, frames=(frame,)
    )
    answer = diagnose_thread_wait(scene, activity)
    sure = "info" if in_loop else "probable"
    assert (answer.label, answer.kind, answer.sure) == (HANG, "peer", sure)
    assert ("no more has come yet" in answer.sentence) == more


@pytest.mark.parametrize(
    ("request_made", "before", "takes"),
    [
        ("", {"handle"}, True),
        ("", {"handle", "send_ready"}, False),  # it asks, and wants the answer
        ("brpop", {"print"}, True),
        ("get", {"print"}, False),  # a value, which is there or not
        ("brpop", {"publish"}, False),
    ],
)
def test_who_reads_in_a_loop_takes_work_or_wants_an_answer(request_made, before, takes) -> None:
    own = SimpleNamespace(name="work", module="shop", address=1)
    called = SimpleNamespace(name=request_made, module="store.client", address=2)
    scene = SimpleNamespace(
        view=SimpleNamespace(frames=lambda _: (called, own) if request_made else (own,)),
        is_only_python_thread=lambda _: False,
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda frame: frame is own),
        count_loops=len,
        is_in_bounded_loop=lambda _: False,
        names_called_before=lambda *_, **__: before,
    )
    activity = ThreadActivity(7, "worker", hang_types.READ, "it", target=5, frames=(own,))
    assert is_reading_incoming_work(scene, activity) == takes


@pytest.mark.parametrize(
    ("call", "module", "limit", "polled"),
    [
        ("epoll_wait", "select", 0, True),
        ("epoll_wait", "select", NOTHING, True),
        ("epoll_wait", "select", SECONDS, False),  # it was told how long
        ("poll", "_socket", 0, False),  # a socket's own timeout: it raises
        ("poll", "", 0, False),
    ],
)
def test_a_library_that_polls_has_an_end_only_where_it_was_given_one(
    call, module, limit, polled
) -> None:
    own = SimpleNamespace(name="offers", module="shop", address=1)
    loop = SimpleNamespace(name="flush", module="broker", address=2)
    scene = SimpleNamespace(
        view=SimpleNamespace(
            frames=lambda _: (loop, own),
            variable=lambda _, name: limit if name == "timeout" else None,
            type_name={NOTHING: "NoneType", SECONDS: "int"}.get,
        ),
        is_only_python_thread=lambda _: False,
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda frame: frame is loop),
        names_called_in_loop=lambda _: {"poll"},
    )
    activity = ThreadActivity(
        7, "main", hang_types.READ, "it", target=5, timed=True, frames=(own,), call=call,
        module=module,
    )  # fmt: skip
    assert is_repeated_by_library(scene, activity) == polled


@pytest.mark.parametrize(
    ("giver", "target", "label", "words"),
    [
        (hang_types.ACCEPT, False, NO_FAULT, "which could come from counter; counter waits for"),
        (hang_types.JOIN, False, HANG, "which could come from counter; counter waits at"),
        ("", False, HANG, "without a timeout"),
        ("", True, NO_FAULT, "as a worker process does"),
    ],
)
def test_who_puts_into_a_queue_of_a_manager_decides(monkeypatch, giver, target, label, words):
    """A thread that takes clients fills it; one that is stuck, and another process, may not."""
    monkeypatch.setattr(external_waits, "find_wakers", lambda *_: {8} if giver else set())
    run = SimpleNamespace(qualname="_bootstrap", name="_bootstrap", filename="/lib/python3/p.py",
                          lineno=3, module="multiprocessing.process", address=2)  # fmt: skip
    cook = SimpleNamespace(qualname="cook", name="cook", filename="/srv/shop.py", lineno=3,
                           module="shop", address=1)  # fmt: skip
    main = ThreadActivity(7, "MainThread", hang_types.READ, MANAGED_ITEM, target=5,
                          awaits=MANAGED_ITEM, frames=(cook,))  # fmt: skip
    counter = ThreadActivity(8, "counter", giver, "the end of thread 9", frames=(cook,))
    scene = SimpleNamespace(
        view=SimpleNamespace(
            frames=lambda _: (cook, *((run,) if target else ())), **NOTHING_FOUND
        ),
        is_only_python_thread=lambda _: False,
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: True),
        count_loops=len, is_in_bounded_loop=lambda _: False,
        descriptors=SCENE.descriptors, pipe_ends=SCENE.pipe_ends,
        activity_of_thread=lambda tid: counter if tid == 8 else main, waits={}, activities=(),
    )  # fmt: skip
    answer = diagnose_thread_wait(scene, main)
    assert answer.label == label
    assert words in answer.sentence


def waiting_for_results(*threads_of_the_pool: str) -> HangDiagnosis | None:
    own = SimpleNamespace(module="m", name="f", address=1)
    frames = {8 + n: (SimpleNamespace(module="multiprocessing.pool", name=name),)
              for n, name in enumerate(threads_of_the_pool)}  # fmt: skip
    view = SimpleNamespace(frames=lambda tid: (own,), all_frames=lambda: frames, **NOTHING_FOUND)
    scene = SimpleNamespace(
        view=view, activities=[ThreadActivity(8, "Thread-1", hang_types.POLL)],
        main_tid=7, gil_holder=None, waits={}, effects_of_signal_handlers={},
        frame_references=SimpleNamespace(
            variable_name=lambda *_: "", threads_referring_to=lambda _: set()
        ),
    )  # fmt: skip
    activity = ThreadActivity(
        7, "MainThread", hang_types.EVENT, POOL_RESULTS, awaits=POOL_RESULTS, object=0x1000,
        place="multiprocessing.pool.get",
    )  # fmt: skip
    return diagnose_event_wait(scene, activity, WaitChain(scene, _diagnose_through_thread))


def test_a_pool_whose_taker_of_results_has_ended_gives_none() -> None:
    """ "One may still run the job" was said; an exception of unpickling had ended that thread."""
    answer = waiting_for_results("_handle_tasks", "_handle_workers")
    assert (answer.label, answer.kind, answer.sure) == (HANG, "process pool", "probable")
    assert "(_handle_results) has ended" in answer.sentence


def test_of_results_that_never_come_no_death_is_told() -> None:
    """ "A worker died with it" was said of pools whose processes were all alive."""
    answer = waiting_for_results("_handle_tasks", "_handle_results")
    assert (answer.kind, answer.sure) == ("process pool", "info")  # one may still run the job
    assert "died" not in answer.sentence
    assert "what its processes do is not in this core" in answer.sentence


CACHE, OTHER_CACHE, JOB = 0x1000, 0x2000, 0x3000


@pytest.mark.parametrize(("of_thread", "found"), [(CACHE, True), (OTHER_CACHE, False)])
def test_a_callback_that_waits_for_its_own_pool(of_thread: int, found: bool) -> None:
    own = SimpleNamespace(qualname="store", name="store", filename="/srv/shop.py", lineno=3,
                          module="shop")  # fmt: skip
    get, fetch = (
        SimpleNamespace(module="multiprocessing.pool", name=name)
        for name in ("get", "_handle_results")
    )
    variables = {("get", "self"): JOB, ("_handle_results", "cache"): of_thread}
    view = SimpleNamespace(
        frames=lambda _: (get, own, fetch),
        variable=lambda frame, name: variables.get((frame.name, name)),
        attribute=lambda word, name: CACHE if (word, name) == (JOB, "_cache") else None,
    )
    activity = ThreadActivity(
        7, "Thread-3", hang_types.EVENT, POOL_RESULTS, awaits=POOL_RESULTS, frames=(own,)
    )
    answer = diagnose_deadlocked_pool_callback(
        SimpleNamespace(activities=[activity], threads_by_importance=[activity], view=view)
    )
    assert (answer is not None) == found
    if found:
        assert (answer.label, answer.kind) == (DEADLOCK, "pool callback")
        assert "it waits for itself" in answer.sentence


def test_a_scheduler_that_sleeps_until_a_job_is_due_is_not_said_to_wait_for_work() -> None:
    frame = SimpleNamespace(
        module="apscheduler.schedulers.blocking", name="_main_loop", qualname="_main_loop",
        address=1,
    )  # fmt: skip
    scene = SimpleNamespace(
        view=SimpleNamespace(frames=lambda _: (frame,), **NOTHING_FOUND),
        is_only_python_thread=lambda _: False,
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: False),
        count_loops=lambda _: 0,
    )
    place = "apscheduler.schedulers.blocking._main_loop"
    activity = ThreadActivity(
        7, "MainThread", hang_types.EVENT, "a notification", timed=True, place=place
    )
    answer = diagnose_thread_wait(scene, activity)
    assert (answer.label, answer.kind) == (NO_FAULT, "idle")
    assert answer.sentence == f"MainThread waits in {place}, as servers, workers and schedulers do"


def test_reading_the_file_of_a_module_is_no_wait_for_a_peer() -> None:
    for module in ("importlib._bootstrap_external", "_frozen_importlib_external"):
        frame = SimpleNamespace(module=module, name="get_data", qualname="FileLoader.get_data")
        call = describe_library_wait([frame])
        assert call is not None
        assert call[:2] == (hang_types.READ, FILE_ON_DISK)
    answer = reading(FILE_ON_DISK, FILE_ON_DISK)
    assert (answer.label, answer.kind) == (NO_FAULT, "file")
    assert "reads a file" in answer.sentence
    assert reading("file descriptor 5").label == HANG


def test_a_condition_named_futures_is_no_future(monkeypatch) -> None:
    """Workers that wait for a condition of the program are in no deadlock of their pool."""
    pool = SimpleNamespace(
        kind="threads", workers=[SimpleNamespace(tid=7)], queued=3, max_workers=1, address=0x1000
    )
    view = SimpleNamespace(frames=lambda _: (), all_frames=dict)
    monkeypatch.setattr(
        "gdb_epi.hangs.live.exhausted_pools.read_executors_and_queues",
        lambda *_: SimpleNamespace(pools=[pool]),
    )
    monkeypatch.setattr("gdb_epi.hangs.live.exhausted_pools.futures_of_jobs", lambda *_: None)

    def answer(kind: str) -> HangDiagnosis | None:
        activity = ThreadActivity(
            7, "worker", hang_types.EVENT, f"the {kind} FUTURES", place="main"
        )
        waits = {7: SimpleNamespace(kind=kind)}
        return diagnose_pool_self_deadlock(
            SimpleNamespace(
                activities=(activity,),
                waits=waits,
                target=None,
                python=None,
                view=view,
                tasks_with_wakers=(),
                foreign_threads=(),
                loop_thread=None,
            )
        )

    assert answer("threading.Condition") is None
    assert answer("Future").kind == "pool"


@pytest.mark.parametrize(
    ("beside", "words"),
    [
        (ThreadActivity(8, "Thread-1", hang_types.PYTHON, "runs"), "computes"),
        (ThreadActivity(8, "Thread-1", hang_types.GIL, "the GIL"), "waits for the GIL"),
        (ThreadActivity(8, "Thread-1", hang_types.EVENT, "an item in a queue"),
         "waits for an item in a queue"),
        (ThreadActivity(8, "Thread-1", hang_types.CHILD, "the end of child 12"),
         "waits for the end of child 12"),
        (ThreadActivity(8, "Thread-1", hang_types.SLEEP, "nanosleep", call="nanosleep"), "sleeps"),
        (ThreadActivity(8, "Thread-1", hang_types.READ, "an IPv4 socket", call="recvfrom"),
         "is in recvfrom"),
        (ThreadActivity(8, "Thread-1", hang_types.READ, PROCESS_QUEUE, awaits=PROCESS_QUEUE,
        call="read"),
         f"waits for {PROCESS_QUEUE}"),
    ],
)  # fmt: skip
def test_what_a_thread_beside_an_event_loop_does_is_a_sentence(
    beside: ThreadActivity, words: str
) -> None:
    """ "Thread-1 is in runs", "is in an item in a queue" were printed."""
    frame = SimpleNamespace(qualname="work", name="work", filename="/srv/shop.py", lineno=3)
    beside = beside._replace(frames=(frame,))
    loop = ThreadActivity(7, "MainThread", hang_types.POLL)
    scene = SimpleNamespace(tasks=[], threads_by_importance=[loop, beside], installed=None)
    ready = SimpleNamespace(descriptors=2, listening=True, ready=0, selector="")
    answer = diagnose_sleeping_event_loop(scene, loop, ready)
    assert answer.sentence.endswith(f"waits for clients; Thread-1 {words} at work (shop.py:3)")


@pytest.mark.parametrize(
    ("flags", "kind", "words"),
    [
        (0b01_0011, "disk", "file descriptor 5"),
        (0b00_0011, "file", "file descriptor 5, a pipe or another file that cannot seek"),
        (0b11_0011, "file", "file descriptor 5"),  # nobody has asked it
    ],
)
def test_what_a_file_that_cannot_seek_is_called(flags: int, kind: str, words: str) -> None:
    """It was called a pipe or a terminal; inotify's events are read through a FileIO too."""
    target = SimpleNamespace(read=lambda _address, size: flags.to_bytes(size, "little"))
    made = object.__new__(DescriptorTable)
    made._view, made._object_head_size = SimpleNamespace(target=target), 16
    descriptor = made._describe_object(5, FILE, 0x1000)
    assert (descriptor.kind, descriptor.text) == (kind, words)


QUEUE, NONE, END = 0x1000, 0x2000, 0x3000  # a multiprocessing.Queue, None, an end of its pipe
TYPES = {QUEUE: "Queue", NONE: "NoneType", END: "Connection"}
OWNER = 0x7000
ATTRIBUTES = [("_reader", END), ("_writer", END), ("_opid", NONE), ("_thread", NONE)]


def queue_that_nobody_reads(calls, other_calls=(), other_variables=(), owner=None) -> str:
    """Ask about a parent that joins its child, with another thread beside it.

    The parent has the queue in a variable, or in an attribute of `owner` that one has, and makes
    `calls`, as Scene.calls() yields them.
    """

    def calls_of(frame: str):
        if other_calls is None and frame == "other":
            raise UnreadableMemory(0, 8, "not in the core")
        return calls if frame == "parent" else other_calls

    variables = {"parent": [owner or ("results", QUEUE)], "other": list(other_variables)}
    parent = ThreadActivity(7, "MainThread", hang_types.CHILD, target=12, frames=("parent",))
    scene = SimpleNamespace(
        activities=(parent, ThreadActivity(8, "Thread-1", hang_types.READ)),
        acquire_calls=SimpleNamespace(
            calls_with_times=calls_of, calls_ahead=lambda _frame, _depth: []
        ),
        view=SimpleNamespace(
            attribute=lambda *_: None,
            frames=lambda tid: ("parent",) if tid == 7 else ("other",),
            variable_addresses=variables.get,
            type_name=TYPES.get,
            attributes=lambda at: {QUEUE: ATTRIBUTES, OWNER: [("results", QUEUE)]}.get(at, []),
        ),
    )
    unread = find_unread_queue(scene, parent)
    return unread.name if unread is not None else ""


@pytest.mark.parametrize("calls", [[], [(QUEUE, "get", AHEAD)], [(QUEUE, "close", MADE)]])
def test_a_queue_that_is_read_later_or_never_is_unread(calls) -> None:
    assert queue_that_nobody_reads(calls) == "results"


@pytest.mark.parametrize("items", [0, 2])
def test_a_queue_with_items_in_an_attribute_is_unread(items: int, monkeypatch) -> None:
    monkeypatch.setattr(
        unread_queues, "_count_items_in_queue", lambda _, at: items if at == QUEUE else None
    )
    name = queue_that_nobody_reads([], owner=("self", OWNER))
    assert name == ("self.results" if items else "")


@pytest.mark.parametrize("when", [MADE, AGAIN])
def test_a_queue_that_was_read_before_is_not(when: str) -> None:
    assert not queue_that_nobody_reads([(QUEUE, "get", when)])


def test_a_queue_that_another_thread_reads_is_not_unread() -> None:
    """It was said that nobody reads it: a thread that collects results was overlooked."""
    assert not queue_that_nobody_reads([], other_variables=[("self", QUEUE)])
    assert not queue_that_nobody_reads([], other_calls=[(QUEUE, "get", AHEAD)])
    assert not queue_that_nobody_reads([], other_calls=None)


def test_a_thread_that_waits_for_the_same_is_told_with_what_that_is() -> None:
    """The clause stands below the wait of a thread that joins this one: "it" was then that."""
    first = ThreadActivity(2, "worker", hang_types.EVENT, what="a notification")
    same = [ThreadActivity(3, "other", hang_types.EVENT, what="a notification")]
    waiters_clause = _waiters_clause(first, "a notification (__main__.lost)", same)
    assert waiters_clause == "1 more thread waits for a notification (__main__.lost) too"


@pytest.mark.parametrize(
    ("other", "of", "stuck"),
    [(hang_types.EVENT, None, True), (hang_types.READ, None, False),
     (hang_types.SLEEP, None, False), (hang_types.LOCK, 1, True), (hang_types.LOCK, 4, False)],
)  # fmt: skip
def test_nobody_is_left_to_give_a_connection_back(other: str, of: int | None, stuck: bool) -> None:
    """Threads that wait for a connection have all there are; one that works gives its own back."""
    frame = SimpleNamespace(
        qualname="total", name="total", filename="/srv/shop.py", lineno=3, address=1
    )
    waiting = [
        ThreadActivity(tid, f"render_{tid}", hang_types.EVENT, FREE_CONNECTION,
        awaits=FREE_CONNECTION,
                         timed=True, frames=(frame,), place="sqlalchemy.util.queue.Queue.get")
        for tid in (1, 2)
    ]  # fmt: skip
    beside = ThreadActivity(3, "MainThread", other, "what", target=of, frames=(frame,))
    view = SimpleNamespace(frames=lambda _: (), variable_addresses=lambda _: ())
    scene = SimpleNamespace(activities=(*waiting, beside), tasks=(), foreign_threads=(), view=view)
    answer = diagnose_connection_pool_exhausted(scene)
    if not stuck:
        assert answer is None
        return
    assert (answer.label, answer.kind) == (HANG, "pool taken")
    assert answer.sentence == (
        "2 threads wait for a free connection of a pool, render_1 at total (shop.py:3); no other "
        "thread is left that could give one back; a timeout ends the wait with an error"
    )
