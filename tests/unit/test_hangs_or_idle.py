# SPDX-License-Identifier: Apache-2.0
"""A hang is not called idle: threads at rest, taken signals, polls in vain, ends of pipes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import FILE, SOCKET
from gdb_epi.hangs.idleness import MAY_BE_IDLE, classify_idle_process
from gdb_epi.hangs.loops.futile_polls import _NotAPollingLoop, variables_tested_by
from gdb_epi.hangs.loops.polled_waits import diagnose_wait_outside_loop
from gdb_epi.hangs.loops.tasks_of_one_connection import diagnose_tasks_reading_from_each_other
from gdb_epi.hangs.pipe_ends import PipeEnds
from gdb_epi.hangs.signal_waits import diagnose_signal_taken_by_main
from gdb_epi.hangs.tasks import frame_taking_from_pool
from gdb_epi.hangs.thread_activities import ThreadActivityReader
from gdb_epi.hangs.types import DEADLOCK, HANG, ThreadActivity, idle_diagnosis
from gdb_epi.hangs.wakers import diagnose_event_set_by_caller
from gdb_epi.locks.python.call_sites import Instruction, loop_ends_by_comparison
from gdb_epi.locks.python.python_view import _with_original_module

MAIN, WORKER = 7, 8
HANGUP = 1  # of a mask: bit 0 is SIGHUP


def frame(name: str, module: str = "shop", address: int = 1) -> SimpleNamespace:
    return SimpleNamespace(
        qualname=name, name=name, module=module, address=address, code=0, filename="/srv/shop.py",
        lineno=3, hole=None,
    )  # fmt: skip


OWN = frame("work")
SERVING = frame("serve_forever", "socketserver", 2)
HANDLING = frame("finish_request", "socketserver", 3)


def weighed(
    second: ThreadActivity, frames: tuple[SimpleNamespace, ...], in_loop: bool = True
) -> str:
    """Return the sort of an idle process whose second thread does this."""
    first = ThreadActivity(MAIN, "MainThread", hang_types.SIGNAL, frames=(OWN,))
    scene = SimpleNamespace(
        tasks=(), threads_by_importance=[first, second], waits={},
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: in_loop),
        activity_of_thread=lambda tid: {MAIN: first, WORKER: second}.get(tid),
        view=SimpleNamespace(frames=lambda tid: frames if tid == WORKER else (OWN,)),
        descriptors=SimpleNamespace(
            object_type=lambda number: SOCKET if number == 5 else None,
            is_socket_without_peer=lambda number: number == 7,
        ),
    )  # fmt: skip
    return classify_idle_process(scene, idle_diagnosis(first, "MainThread waits for a signal")).kind


@pytest.mark.parametrize(
    ("kind", "fields", "frames", "sort"),
    [
        (hang_types.EVENT, {"awaits": "an item in a queue"}, (OWN,), "idle"),
        (hang_types.EVENT, {"awaits": "a notification"}, (OWN,), MAY_BE_IDLE),
        (hang_types.EVENT, {"awaits": "a notification", "timed": True}, (OWN,), "idle"),
        (hang_types.LOCK, {}, (OWN,), MAY_BE_IDLE),
        (hang_types.JOIN, {}, (OWN,), MAY_BE_IDLE),
        (hang_types.READ, {"target": 5}, (OWN,), MAY_BE_IDLE),
        (hang_types.READ, {"target": 7}, (OWN,), "idle"),  # whoever sends a datagram
        (hang_types.POLL, {"watched": (5,)}, (OWN,), "idle"),
        (hang_types.POLL, {"watched": (6,)}, (OWN,), MAY_BE_IDLE),  # a pipe, for all that is seen
        (hang_types.ACCEPT, {}, (OWN,), "idle"),
        (hang_types.ACCEPT, {}, (OWN, HANDLING, SERVING), MAY_BE_IDLE),  # below a request's handler
        (hang_types.POLL, {"frames": ()}, (SERVING,), "idle"),
        (hang_types.EVENT, {"frames": ()}, (frame("_bootstrap_inner", "threading"),), MAY_BE_IDLE),
        (hang_types.PYTHON, {}, (OWN,), "idle"),
    ],
)
def test_idle_is_who_rests_in_all_threads(kind, fields, frames, sort) -> None:
    doing = ThreadActivity(WORKER, "worker", kind, **{"frames": (OWN,), **fields})
    assert weighed(doing, frames) == sort


@pytest.mark.parametrize(
    ("of_waiter", "of_main", "is_taken"),
    [
        (HANGUP, 0, True),
        (HANGUP, HANGUP, False),  # as sigwait(3) asks
        (0, 0, False),  # a debugger writes no masks
        (None, None, False),
    ],
)
def test_a_signal_that_the_main_thread_takes(of_waiter, of_main, is_taken) -> None:
    threads = [
        SimpleNamespace(tid=MAIN, blocked_signals=of_main, system_call_argument=lambda _: 0),
        SimpleNamespace(
            tid=WORKER, blocked_signals=of_waiter, system_call_argument=lambda _: 0x1000
        ),
    ]
    target = SimpleNamespace(
        threads=lambda: threads, read=lambda *_: HANGUP.to_bytes(8, "little")
    )  # fmt: skip
    scene = SimpleNamespace(target=target, main_tid=MAIN, activity_of_thread=lambda _: None)
    doing = ThreadActivity(
        WORKER, "reloader", hang_types.SIGNAL, call="rt_sigtimedwait", frames=(OWN,)
    )
    answer = diagnose_signal_taken_by_main(scene, doing)
    assert (answer is not None) == is_taken
    if answer is not None:
        assert answer.label == HANG
        assert "SIGHUP" in answer.sentence


@pytest.mark.parametrize(
    ("calls", "others_set", "found"),
    [
        ([(0x40, "set")], False, True),
        ([(0x40, "clear")], False, False),
        ([(0x48, "set")], False, False),  # another event
        ([(0x40, "set")], True, False),  # another thread sets it too
    ],
)
def test_a_wait_for_what_its_own_caller_sets(calls, others_set, found) -> None:
    wait, close = frame("wait", "threading", 1), frame("close", "shop", 2)
    run, other = frame("run", "shop", 3), frame("other", "shop", 4)
    of_frame = {3: calls, 4: [(0x40, "set")] if others_set else []}
    doing = ThreadActivity(MAIN, "MainThread", hang_types.EVENT, "a notification", object=0x40,
                    frames=(close, run))  # fmt: skip
    scene = SimpleNamespace(
        waits={},
        activities=[doing, ThreadActivity(WORKER, "worker", hang_types.SLEEP, frames=(other,))],
        view=SimpleNamespace(
            frames=lambda tid: (wait, close, run) if tid == MAIN else (other,),
            slots=SimpleNamespace(entered_with_blocks=lambda _: ()),
        ),
        acquire_calls=SimpleNamespace(
            calls_ahead=lambda f, _=0, _running=0: of_frame.get(f.address, []),
            failed_to_take=lambda *_: False,
        ),
        ahead={},
        foreign_threads=(),
        frame_references=SimpleNamespace(variable_name=lambda *_: "over"),
    )
    answer = diagnose_event_set_by_caller(scene)
    assert (answer is not None) == found
    if answer is not None:
        assert (answer.label, answer.kind) == (DEADLOCK, "own caller")


SITES = SimpleNamespace(
    loaded_variable_index=lambda each: each.argument,
    loaded_attribute_index=lambda each: each.argument,
)
TABLES = (("self",), (), ("done", "time"))
TEST = [("fast", 0), ("attr", 0), ("truth", 0), ("back", 0)]
SLEEP = [("global", 1), ("method", 0), ("const", 0), ("call", 1), ("pop", 0)]


@pytest.mark.parametrize(
    ("body", "tested"),
    [
        ([*SLEEP, *TEST], ["self.done"]),
        ([*SLEEP, ("back", 0)], []),  # while True: a service that is parked
        ([*SLEEP, *SLEEP, *TEST], None),  # another call may change it
        ([*SLEEP, ("store", 0), *TEST], None),
        ([*SLEEP, ("", 0), *TEST], None),  # an instruction that is not known
    ],
)
def test_what_a_sleeping_loop_tests(body, tested) -> None:
    code = [Instruction(2 * n, 2 * n + 2, *each) for n, each in enumerate(body)]
    if tested is None:
        with pytest.raises(_NotAPollingLoop):
            variables_tested_by(code, TABLES, SITES)
    else:
        assert variables_tested_by(code, TABLES, SITES) == tested


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ([*SLEEP, ("global", 0), ("call", 0), ("back", 0)], True),  # while not ready(): sleep(1)
        ([*SLEEP, *SLEEP, ("back", 0)], False),  # while True: tick(); sleep(1)
    ],
)
def test_a_call_whose_result_is_dropped_asks_nothing(body, asks) -> None:
    code = [Instruction(2 * n, 2 * n + 2, *each) for n, each in enumerate(body)]
    tables = (*TABLES[:2], ("ready", "time"))
    if asks:
        assert variables_tested_by(code, tables, SITES, 2, asks=True) == []
    else:
        with pytest.raises(_NotAPollingLoop):
            variables_tested_by(code, tables, SITES, 2, asks=True)


# while True: in 3.11 a NOP, to which `continue` jumps; the end of the body jumps behind it.
ENDLESS = [("nothing", 0), ("compare", 0), ("", 8), ("pop", 0), ("back", 0), ("back", 2)]


@pytest.mark.parametrize(
    ("jump", "is_end"),
    [
        (8, False),  # if word not in known: continue
        (40, True),  # if word not in known: break
    ],
)
def test_a_loop_of_two_heads_is_left_by_no_jump_to_either(jump: int, is_end: bool) -> None:
    sites = SimpleNamespace(
        comparison_operator=lambda each: "not in" if each.operation == "compare" else "",
        jump_target=lambda each: {4: jump, 8: 0, 10: 2}.get(each.at),
    )
    code = [
        Instruction(2 * n, 2 * n + 2, *each, goes_on=each[0] != "back")
        for n, each in enumerate(ENDLESS)
    ]
    assert loop_ends_by_comparison(code, (2, 10), sites) == is_end


@pytest.mark.parametrize(
    ("functions", "kind", "taking"),
    [
        (("wait", "wait_for_connection", "request", "get"), "event", "wait_for_connection"),
        (("_acquire_impl", "acquire"), "queue-get", "_acquire_impl"),
        (("_acquire_impl", "acquire"), "read", ""),  # it connects
        (("negotiate", "connect", "acquire"), "future", ""),
        (("recv", "get"), "event", ""),
    ],
)
def test_a_task_that_waits_for_what_a_pool_gives(functions, kind, taking) -> None:
    stack = [frame("wait", "asyncio.locks"), *(frame(name, "pool.core") for name in functions), OWN]
    task = SimpleNamespace(stack=stack, running=False, wait=SimpleNamespace(kind=kind))
    installed = SimpleNamespace(contains_frame=lambda each: each is not OWN)
    taken = frame_taking_from_pool(task, installed)
    assert (taken.name if taken is not None else "") == taking


@pytest.mark.parametrize(
    ("function", "kind"),
    [("__clock_nanosleep", hang_types.DATABASE), ("sqlite3VdbeExec", hang_types.NATIVE)],
)
def test_who_is_just_before_or_behind_its_sleep_sleeps(function, kind, monkeypatch) -> None:
    home = "gdb_epi.hangs.thread_activities"
    monkeypatch.setattr(f"{home}.read_system_call", lambda *_: None)
    monkeypatch.setattr(f"{home}.is_at_system_call", lambda *_: False)
    target = SimpleNamespace(
        process=lambda: SimpleNamespace(pid=MAIN), modules=list, region_at=lambda _: None
    )
    reader = ThreadActivityReader(target, None, (), lambda _: True)
    monkeypatch.setattr(reader, "_function_at", lambda _: function)
    monkeypatch.setattr(reader, "_module_name", lambda _: "libsqlite3.so.0")
    thread = SimpleNamespace(tid=MAIN, pc=0x1000, system_call_name=None)
    assert reader.activity(thread).kind == kind


def test_a_copy_of_multiprocessing_waits_as_the_original_does() -> None:
    copied = PyFrame(
        0, 0, "get", "Pool.get", "pool.py", lineno=1, module="multiprocess.pool", owner="thread",
        provenance="chain", is_entry=False,
    )  # fmt: skip
    assert _with_original_module(copied).module == "multiprocessing.pool"
    for other in (None, "multiprocessing.pool", "multiprocess", "multiprocesses.pool"):
        assert _with_original_module(copied._replace(module=other)).module == other


def ends(kinds, families=None, written=(), ints=(), names=("socketpair",)) -> PipeEnds:
    """Return the ends of a process whose main thread has these descriptors at hand."""
    numbers = {0x1000 * n: n for n in ints}
    view = SimpleNamespace(
        all_frames=lambda: {MAIN: (frame("main"),)},
        variable_addresses=lambda _: [("x", at) for at in numbers],
        type_name=lambda _: "int",
        objects=SimpleNamespace(integer=lambda at: numbers[at]),
        attributes=lambda _: iter(()),
    )
    return PipeEnds(view, SimpleNamespace(
        object_type=kinds.get, address_family=(families or {}).get,
        is_written_pipe=lambda n: n in written, descriptor_of_object=lambda _: None,
    ), names.__contains__)  # fmt: skip


def test_the_other_end_of_a_pipe() -> None:
    """Neighbours are a pair only where something says so: any two connections are neighbours."""
    assert ends({}, ints=(3, 4)).other_end(3) == (4, {MAIN})
    assert ends({}, ints=(3,)).other_end(3) is None
    assert ends({}, ints=(3, 5)).other_end(3) is None
    assert ends({}, ints=(3, 4)).other_end(4) is None  # the reading end is the lower one
    assert ends({3: FILE, 4: FILE}, written=(4,), ints=(4,)).other_end(3) == (4, {MAIN})
    assert ends({3: FILE, 4: FILE}, ints=(3, 4)).other_end(3) is None
    sockets = {3: SOCKET, 4: SOCKET}
    assert ends(sockets, {3: 1, 4: 1}, ints=(3,)).other_end(4) == (3, {MAIN})
    assert ends(sockets, {3: 2, 4: 2}, ints=(3,)).other_end(4) is None
    # Clients of two services have such neighbours too.
    assert ends(sockets, {3: 1, 4: 1}, ints=(3,), names=()).other_end(4) is None


def test_the_end_that_is_read_where_a_thread_writes() -> None:
    pipe, terminal = ends({}, ints=(3, 4)), ends({}, ints=(3, 4), names=("openpty",))
    assert pipe.other_end(4, written=True) == (3, {MAIN})
    assert pipe.other_end(3, written=True) is None
    assert [terminal.other_end(n, written=True) for n in (3, 4)] == [(4, {MAIN}), (3, {MAIN})]
    assert ends({}, ints=(4,)).other_end(4, written=True) is None


@pytest.mark.parametrize(("own_children", "sure"), [(True, "probable"), (False, "info")])
def test_a_client_that_is_no_child_may_yet_come(own_children: bool, sure: str) -> None:
    """Players of a game and a person's browser take their time; workers of the program do not."""
    awaiting = ThreadActivity(MAIN, "MainThread", hang_types.ACCEPT, frames=(OWN,))
    scene = SimpleNamespace(
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: True),
        descriptors=SimpleNamespace(will_children_connect=own_children),
    )
    answer = diagnose_wait_outside_loop(scene, awaiting, awaiting.frames)
    assert answer is not None
    assert (answer.label, answer.sure) == (HANG, sure)


def test_tasks_that_talk_to_each_other_are_no_deadlock_while_their_loop_runs() -> None:
    """What one of them has sent may not be read yet; no task is looked at."""
    running = ThreadActivity(MAIN, "MainThread", hang_types.PYTHON, "runs")
    assert diagnose_tasks_reading_from_each_other(SimpleNamespace(loop_thread=running)) is None
