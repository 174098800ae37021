# SPDX-License-Identifier: Apache-2.0
"""Waits whose words were false or missing: queues of System V, guards, long sentences."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.pointers.software_explanations import CODE
from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.idleness import weaken_diagnosis_in_loop
from gdb_epi.hangs.library_calls import BY_CALL
from gdb_epi.hangs.live.who_may_end_waits import add_who_may_end_wait
from gdb_epi.hangs.system_calls import read_system_call
from gdb_epi.hangs.types import (
    CANNOT_TELL,
    DEADLOCK,
    HANG,
    HOLDER,
    SLOW_CHILD,
    SLOW_PEER,
    UNREAD_CODE,
    ThreadActivity,
    wait_diagnosis,
)
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.machine import AARCH64, X86_64
from gdb_epi.render.opening_sentences import MAX_REASON, first_reason
from gdb_epi.target.api import Thread


@pytest.mark.parametrize(
    ("number", "arguments", "kind", "timed"),
    [
        (65, {}, hang_types.LOCK, False),  # semop
        (220, {"r10": 0x7FFC00000000}, hang_types.LOCK, True),  # semtimedop with a timeout
        (220, {"r10": 0}, hang_types.LOCK, False),
        (70, {}, hang_types.READ, False),  # msgrcv
        (69, {}, hang_types.WRITE, False),
        (243, {"r8": 0x7FFC00000000}, hang_types.READ, True),  # mq_timedreceive
    ],
)
def test_semaphores_and_queues_are_waited_for(number, arguments, kind, timed) -> None:
    registers = {"orig_rax": number, "rip": CODE, "rdi": 3, "rsi": 0, "rdx": 1, "r10": 0, "r8": 0}
    call = read_system_call(FakeTarget(), Thread(7, {**registers, **arguments}, "prog"))
    assert call is not None
    assert (call.kind, call.timed) == (kind, timed)
    assert call.name in BY_CALL


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (0, hang_types.LOCK),
        (128, hang_types.LOCK),
        (137, hang_types.LOCK),
        (129, hang_types.WORK),
        (133, hang_types.WORK),
        (138, hang_types.WORK),
    ],
)
def test_who_wakes_others_by_futex_waits_for_nobody(operation: int, kind: str) -> None:
    """Two busy threads that hand the GIL over: one in FUTEX_WAKE, 6 % of the time, was a hang."""
    registers = {"orig_rax": 202, "rip": CODE, "rdi": CODE, "rsi": operation, "rdx": 1, "r10": 0}
    call = read_system_call(FakeTarget(), Thread(7, registers, "prog"))
    assert call is not None and call.kind == kind


@pytest.mark.parametrize(
    ("number", "result", "sleeps"),
    [(1, 12, False), (1, 7, True), (1, -512, True), (0, 1, False), (0, 0, False),
     (0, -512, True), (43, 5, False), (43, -512, True), (45, -4, True), (7, 1, False),
     (7, -516, True), (232, 0, False), (232, -4, True), (270, -514, True), (202, 0, False),
     (202, -11, False), (202, -110, False), (202, -512, True), (202, -513, True), (61, 0, False)],
)  # fmt: skip
def test_what_returned_is_no_wait(number: int, result: int, sleeps: bool) -> None:
    """A program that prints in a loop was a hang, 84 %: its last write() had returned."""
    registers = {"orig_rax": number, "rax": result % (1 << 64), "rip": CODE, "rdi": 1, "rsi": CODE}
    call = read_system_call(FakeTarget(), Thread(7, {**registers, "rdx": 12}, "prog"))
    assert (call is not None) == sleeps


@pytest.mark.parametrize(
    ("loops", "ends", "sure"),
    [
        (1, False, INFO),  # while True: print()
        (2, True, INFO),
        (1, True, PROBABLE),  # until something certain came
        (0, False, PROBABLE),
    ],
)
def test_who_waits_in_each_turn_may_be_well(loops, ends, sure) -> None:
    """A producer faster than its consumer was a hang, 84 %, in every core."""
    scene = SimpleNamespace(
        count_loops=lambda frames: loops * len(frames),
        acquire_calls=SimpleNamespace(is_running_in_loop=lambda _: loops > 0),
        is_in_bounded_loop=lambda _: ends,
        loop_bodies=lambda _: [],
    )
    waiting = ThreadActivity(7, "MainThread", hang_types.READ, frames=("frame",))  # type: ignore[arg-type]
    answer = weaken_diagnosis_in_loop(scene, wait_diagnosis(HANG, "peer", "waits", waiting))  # type: ignore[arg-type]
    assert (answer.sure, bool(answer.open)) == (sure, sure == INFO)


@pytest.mark.parametrize(
    ("label", "kind", "call", "settled", "who"),
    [
        (HANG, "peer", hang_types.POLL, False, SLOW_PEER),
        (HANG, "child", hang_types.CHILD, False, SLOW_CHILD),
        (HANG, "file lock", hang_types.FILE_LOCK, False, HOLDER),
        (HANG, "peer", hang_types.READ, True, ""),  # both ends are in this process
        (HANG, "closed socket", hang_types.READ, False, ""),  # its rule looked at the other side
        (HANG, "a kind of which nobody thought", hang_types.READ, False, SLOW_PEER),
        (HANG, "endless loop", hang_types.PYTHON, False, ""),
        (DEADLOCK, "requests", hang_types.READ, False, ""),
        (CANNOT_TELL, "peer", hang_types.READ, False, ""),
    ],
)
def test_who_may_only_be_slow_stands_with_the_answer(label, kind, call, settled, who) -> None:
    waiting = ThreadActivity(7, "MainThread", call)
    answer = wait_diagnosis(label, kind, "waits", waiting, settled=settled)
    scene = SimpleNamespace(
        main_tid=1,
        activities=(),
        waits={},
        foreign_threads=[],
        target=FakeTarget(),
        view=SimpleNamespace(all_frames=dict),
        own_callables=lambda _: (),
        live_code=SimpleNamespace(uses_any_name=lambda *_: False),
    )
    assert add_who_may_end_wait(scene, answer).outside == who  # type: ignore[arg-type]


def test_an_answer_stands_where_memory_beside_it_is_damaged() -> None:
    """Who else may end the wait was asked outside of every guard: an error took the answer away."""

    class Damaged(dict[int, object]):
        def get(self, key: int, default: object = None) -> object:
            raise UnreadableMemory(key, 8)

    waiting = ThreadActivity(7, "MainThread", hang_types.LOCK)
    answer = wait_diagnosis(DEADLOCK, "self", "waits", waiting)
    scene = SimpleNamespace(waits=Damaged(), activities=())
    assert add_who_may_end_wait(scene, answer) == answer._replace(outside=UNREAD_CODE)  # type: ignore[arg-type]


def test_both_machines_know_the_same_waits() -> None:
    assert set(BY_CALL) <= set(X86_64.calls.values())
    assert set(BY_CALL) <= set(AARCH64.calls.values())


def test_a_long_wait_is_told_before_why_nothing_is_known() -> None:
    """A wait of more than 180 letters gave way to "nothing that can be read speaks for ..."."""
    wait = "MainThread waits " + "for the answer of a child " * 10
    assert len(wait) > MAX_REASON
    verdict = {"label": "cannot-tell", "reasons": [wait, "nothing that can be read speaks"]}
    assert first_reason({"verdict": verdict}) == wait
