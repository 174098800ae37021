# SPDX-License-Identifier: Apache-2.0
"""Answers of a hung process follow facts, whatever words the names in its core hold."""

from __future__ import annotations

from types import SimpleNamespace

from gdb_epi.hangs import types as h
from gdb_epi.hangs.circles import pool_of_itself
from gdb_epi.hangs.library_calls import FILE_ON_DISK, PROCESS_QUEUE, library_call
from gdb_epi.hangs.single import answer_for

SCENE = SimpleNamespace(
    view=SimpleNamespace(frames=lambda tid: ()), runs_in_loop=lambda frame: False
)


def reading(what: str, awaits: str = "") -> h.HangAnswer | None:
    doing = h.Doing(7, "worker", h.READ, what, target=5, awaits=awaits, place="main")
    return answer_for(SCENE, doing)


def test_a_pipe_of_a_command_with_a_telling_name_is_no_queue() -> None:
    answer = reading("the stdout pipe of child 12 (list_items)")
    assert answer.kind == "peer"
    assert "for data on the stdout pipe of child 12 (list_items)" in answer.sentence


def test_a_queue_between_processes_is_one() -> None:
    answer = reading(PROCESS_QUEUE, PROCESS_QUEUE)
    assert answer.kind == "queue of processes"
    assert f"for {PROCESS_QUEUE}, without" in answer.sentence


def test_what_a_library_waits_for_is_not_called_data() -> None:
    message = "a message of another process"
    answer = reading(message, message)
    assert answer.kind == "peer"
    assert f"for {message}, without" in answer.sentence


def test_reading_the_file_of_a_module_is_no_wait_for_a_peer() -> None:
    for module in ("importlib._bootstrap_external", "_frozen_importlib_external"):
        frame = SimpleNamespace(module=module, name="get_data", qualname="FileLoader.get_data")
        call = library_call([frame])
        assert call is not None
        assert call[:2] == (h.READ, FILE_ON_DISK)
    answer = reading(FILE_ON_DISK, FILE_ON_DISK)
    assert (answer.label, answer.kind) == (h.NO_FAULT, "file")
    assert "reads a file" in answer.sentence
    assert reading("file descriptor 5").label == h.HANG


def test_a_condition_named_futures_is_no_future(monkeypatch) -> None:
    """Workers that wait for a condition of the program are in no deadlock of their pool."""
    pool = SimpleNamespace(
        kind="threads", workers=[SimpleNamespace(tid=7)], queued=3, max_workers=1
    )
    monkeypatch.setattr("gdb_epi.hangs.circles.pools_of", lambda *_: SimpleNamespace(pools=[pool]))

    def answer(kind: str) -> h.HangAnswer | None:
        doing = h.Doing(7, "worker", h.EVENT, f"the {kind} FUTURES", place="main")
        waits = {7: SimpleNamespace(kind=kind)}
        return pool_of_itself(
            SimpleNamespace(doings=(doing,), waits=waits, target=None, python=None)
        )

    assert answer("threading.Condition") is None
    assert answer("Future").kind == "pool"
