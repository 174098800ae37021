# SPDX-License-Identifier: Apache-2.0
"""Executors and queues of real cores, against what each process wrote about them."""

from __future__ import annotations

from argparse import Namespace

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, session_of

from commands.pools import show_executors_and_queues as pools_command
from gdb_epi.cpython.heap import instances
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.running.executors import ExecutorsAndQueues, read_executors_and_queues
from gdb_epi.cpython.running.generators import read_generator_chains
from gdb_epi.cpython.running.greenlets import read_greenlets
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session
from gdb_epi.target.memory_search import MemorySearch

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("pools")]


def opened(interpreter: Interpreter) -> tuple[Made, Session]:
    made = made_or_skip(interpreter, "pools")
    return made, session_of(made)


def decode(session: Session) -> ExecutorsAndQueues:
    python = session.state.python
    assert isinstance(python, PythonState), python
    return read_executors_and_queues(session.target, python)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_thread_pools(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    decoded = decode(session)
    pools = {pool.prefix: pool for pool in decoded.pools if pool.kind == "threads"}
    assert set(pools) == {"busy", "resting"}
    busy, pool_truth = pools["busy"], made.truth["pool"]
    assert busy.max_workers == pool_truth["max"] and busy.queued == pool_truth["queued"]
    assert sorted(worker.tid or 0 for worker in busy.workers) == pool_truth["workers"]
    for worker in busy.workers:
        assert worker.idle is False and worker.runs is not None and worker.runs.name == "work"
        assert worker.name is not None and worker.name.startswith("busy")
    resting = pools["resting"]
    assert resting.shown == "__main__.Own" and resting.queued == 0
    assert [worker.idle for worker in resting.workers] == [True]
    assert resting.shut_down is False


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_process_pools(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    pools = [pool for pool in decode(session).pools if pool.kind == "processes"]
    if not made.truth["processes"]:
        assert pools == []
        pytest.skip("the interpreter has no process-shared semaphores here")
    assert len(pools) == 1
    assert sorted(worker.pid or 0 for worker in pools[0].workers) == made.truth["processes"]
    assert pools[0].max_workers == 2 and pools[0].queued == 4
    assert sorted(set(pools[0].calls)) == ["builtin_function_or_method object", "in_c"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_queues(interpreter: Interpreter) -> None:
    made, session = opened(interpreter)
    pools = decode(session)
    by_address = {queue.address: queue for queue in pools.queues}
    seen = 0
    for name, pool_truth in made.truth["queues"].items():
        decoded_queue = by_address.get(made.truth["addresses"][name])
        if decoded_queue is None:
            assert interpreter.free_threaded, name
            continue
        seen += 1
        assert [
            decoded_queue.shown,
            decoded_queue.size,
            decoded_queue.max_size,
            decoded_queue.unfinished,
            decoded_queue.getters,
        ] == pool_truth, name
    if interpreter.free_threaded:
        assert any("no list of their objects" in error.message for error in pools.soft_errors)
        assert seen >= 1, "those that frames refer to"
    else:
        assert pools.soft_errors == () and seen == len(made.truth["queues"])
    waited = by_address[made.truth["addresses"]["waited"]]
    assert sorted(waited.users) == made.truth["getters"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_command_shows_them(interpreter: Interpreter) -> None:
    _, session = opened(interpreter)
    report = pools_command(session, Namespace(all=False, limit=100))
    text = "\n".join(report.lines)
    assert "pool of threads busy" in text and "3 of 3 workers, 4 calls queued" in text
    assert "runs __main__.work at" in text and "idle" in text
    assert "2 wait to get" in text
    assert report.data is not None and len(report.data["pools"]) >= 2


@pytest.mark.parametrize("interpreter", INTERPRETERS[-1:])
def test_one_scan_of_the_heap_serves_all(
    interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, session = opened(interpreter)
    python = session.state.required_python()
    before = decode(session)
    heap = ObjectSearch(session.target, python)
    lists = list(heap.objects_of_type(heap.types_by_address()[heap.metatype()].address))
    for where in (instances, MemorySearch):
        for name in ("tracked_objects", "any_of", "find"):
            monkeypatch.setattr(where, name, None, raising=False)  # a second scan would fail
    assert decode(session) == before
    assert read_generator_chains(session.target, python).chains is not None
    assert read_greenlets(session.target, python).soft_errors is not None
    again = ObjectSearch(session.target, python)
    assert again.types_by_address() == heap.types_by_address()
    assert list(again.objects_of_type(heap.metatype())) == lists and lists
