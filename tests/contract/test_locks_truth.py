# SPDX-License-Identifier: Apache-2.0
"""Waits, holders and deadlocks of real cores, against what program and kernel said before."""

from __future__ import annotations

import random
import time
from argparse import Namespace
from collections import Counter
from typing import Any

import pytest
from support.cores import Made, Program, program, truncate
from support.interpreters import Interpreter, spread
from support.locks import lock_programs
from support.mutate import MutatedTarget
from support.opening import made_or_skip, state_of, sysroot_of

from commands.locks import show_lock_waits as locks_command
from gdb_epi.detectors.registry import run_detectors
from gdb_epi.locks.types import INHERITED_VERDICTS, LockReport
from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.api import Thread
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.libc import runs_on_musl

SYS_FUTEX = 202
HOSTILE = (0, 1, 2, 7, 0x1000, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
ROUNDS = 25
INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("locks")]
CELLS = [
    pytest.param(interpreter, lock_program, id=f"{interpreter.id}-{lock_program.name}")
    for lock_program in lock_programs()
    for interpreter in spread(lock_program.name, lock_program.supports, every=6)
]
DEADLOCKS = {
    "self_deadlock", "lock_order_cycle", "gil_versus_mutex", "join_deadlock", "import_deadlock",
    "forked_child_lock", "lost_wakeup", "latent_inherited_lock", "fork_handlers",
}  # fmt: skip


def opened(interpreter: Interpreter, wanted: Program | str) -> tuple[Made, ProcessState]:
    made = made_or_skip(interpreter, wanted)
    return made, state_of(made)


@pytest.mark.parametrize(("interpreter", "lock_program"), CELLS)
def test_waits_and_holders(interpreter: Interpreter, lock_program: Program) -> None:
    made, state = opened(interpreter, lock_program)
    truth, report = made.truth, state.locks
    if runs_on_musl(state.target):
        nothing_wrong(truth, report)
        return
    problems = [*addresses(truth, report), *described(truth, report)]
    findings, errors = run_detectors(state)
    assert errors == []
    assert problems == []
    assert sorted({f.detector for f in findings} & DEADLOCKS) == sorted(truth["findings"])
    assert [e for e in report.soft_errors if e.stage == "locks"] == []
    assert not [w for w in report.waits if w.verdict in INHERITED_VERDICTS]


def addresses(truth: dict[str, Any], report: LockReport) -> list[str]:
    """Compare futex addresses with what the kernel told of each thread."""
    mine = {wait.tid: wait.address for wait in report.waits}
    asleep = {int(t): c[1] for t, c in truth["syscalls"].items() if c and c[0] == SYS_FUTEX}
    wrong = [f"{t}: {mine.get(t)} is not {a:#x}" for t, a in asleep.items() if mine.get(t) != a]
    if truth["syscalls"]:
        # Who waits for the GIL wakes every 5 ms, between what the watcher saw and the core.
        polling = {wait.tid for wait in report.waits if wait.kind == "GIL"}
        wrong += [f"{tid} sleeps on no futex" for tid in mine if tid not in {*asleep, *polling}]
    return wrong


def nothing_wrong(truth: dict[str, Any], report: LockReport) -> None:
    """C locks of musl are not judged: no kind of glibc is named, and no owner but the true."""
    holders = {truth["started"][wait["holder"]] for wait in truth["waits"] if wait["holder"]}
    for wait in report.waits:
        assert not wait.kind.startswith("pthread")
        assert wait.owner.tid is None or wait.owner.tid in holders
        assert wait.verdict not in INHERITED_VERDICTS


def described(truth: dict[str, Any], report: LockReport) -> list[str]:
    """Compare kind, name, holder and verdict of every wait that the program foretold."""
    wrong = []
    by_tid = {wait.tid: wait for wait in report.waits}
    for truth_of_wait in truth["waits"]:
        wait = by_tid.get(truth["started"][truth_of_wait["thread"]])
        if wait is None:
            wrong.append(f"{truth_of_wait['thread']}: no wait")
            continue
        pairs = [("kind", truth_of_wait["kind"], wait.kind.partition(" (")[0])]
        if truth_of_wait["holder"]:
            pairs.append(("holder", truth["started"][truth_of_wait["holder"]], wait.owner.tid))
        else:
            pairs.append(("holder", None, wait.owner.tid))
        if truth_of_wait["verdict"]:
            pairs.append(("verdict", truth_of_wait["verdict"], wait.verdict))
        if truth_of_wait["called"]:
            pairs.append(("name", truth_of_wait["called"], wait.name))
        wrong += [
            f"{truth_of_wait['thread']}: {w} {b!r} is not {a!r}" for w, a, b in pairs if a != b
        ]
    return wrong


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_threads_that_wait_in_many_ways(interpreter: Interpreter) -> None:
    """Nothing there is a deadlock, and module-level acquire() leaves a Lock without a holder."""
    _, state = opened(interpreter, "threads")
    if runs_on_musl(state.target):
        pytest.skip("C locks of musl are not judged; what is said of them: test_waits_and_holders")
    kinds = Counter(wait.kind for wait in state.locks.waits)
    for kind in ("threading.Lock", "threading.RLock", "threading.Event", "queue.Queue"):
        assert kinds[kind] == 2, kinds
    assert kinds["threading.Condition"] == 2
    assert kinds["Thread.join"] == 2
    findings, _ = run_detectors(state)
    assert not {f.detector for f in findings} & DEADLOCKS
    calls = Counter(activity.call for activity in state.locks.activities)
    assert calls["read"] == 2
    assert calls["recvfrom"] == 2


@pytest.mark.parametrize("interpreter", INTERPRETERS[::6])
def test_a_thousand_threads(interpreter: Interpreter) -> None:
    _, state = opened(interpreter, program("threads-1001"))
    assert state.python
    started = time.process_time()
    report = state.locks
    assert time.process_time() - started < 10.0  # 1 s on a quiet machine
    assert len(report.waits) > 500


@pytest.mark.parametrize("interpreter", INTERPRETERS[::3])
@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.8, 0.95])
def test_truncated_cores_say_what_is_missing(interpreter: Interpreter, fraction: float) -> None:
    made, _ = opened(interpreter, named("locks-dead-order"))
    sysroot = sysroot_of(made)
    cut = truncate(made.core, fraction)
    try:
        state = ProcessState(CoreFileTarget.open(cut, sysroot=sysroot))
        report = state.locks
        whole = addresses(made.truth, report) if made.truth["syscalls"] else []
        assert whole == []  # registers come first in a core
        for wait in report.waits:
            assert wait.verdict not in INHERITED_VERDICTS
            assert wait.evidence
    finally:
        cut.unlink()


@pytest.mark.parametrize("interpreter", INTERPRETERS[::3])
def test_damaged_memory_never_stops_it(interpreter: Interpreter) -> None:
    """Words of locks, lock objects and frames become hostile ones; no answer names a fork."""
    _, state = opened(interpreter, named("locks-nested"))
    places = [address for wait in state.locks.waits for address in (wait.address, wait.object)]
    places += [frame.address for thread in state.python_threads() for frame in thread.frames]
    chosen = random.Random(7)
    for _ in range(ROUNDS):
        damaged = MutatedTarget(state.target)
        for _ in range(3):
            at = chosen.choice([place for place in places if place]) & ~7
            damaged.put_word(at + 8 * chosen.randrange(16), chosen.choice(HOSTILE))
        damaged_state = ProcessState(damaged)  # type: ignore[arg-type]
        for error in damaged_state.locks.soft_errors:
            assert "Error:" not in error.message, error  # what only the boundary caught
        assert not [w for w in damaged_state.locks.waits if w.verdict in INHERITED_VERDICTS]


def named(name: str) -> Program:
    return next(lock_program for lock_program in lock_programs() if lock_program.name == name)


class Awake:
    """A target in which some threads are not in a system call, as when the kernel caught them."""

    def __init__(self, inner: CoreFileTarget, tids: set[int]) -> None:
        self._inner = inner
        self._tids = tids

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def threads(self) -> list[Thread]:
        running = {"orig_rax": (1 << 64) - 1}
        return [
            thread._replace(registers={**thread.registers, **running})
            if thread.tid in self._tids
            else thread
            for thread in self._inner.threads()
        ]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_thread_that_polls_the_gil_awake(interpreter: Interpreter) -> None:
    if interpreter.free_threaded:
        pytest.skip("this interpreter has no GIL")
    made, state = opened(interpreter, named("locks-gil"))
    tid = made.truth["started"]["waiter"]
    damaged_state = ProcessState(Awake(state.target, {tid}))  # type: ignore[arg-type]
    (wait,) = damaged_state.locks.waits
    assert (wait.tid, wait.kind, wait.confidence) == (tid, "GIL", "probable")
    assert wait.owner.tid == made.truth["started"]["MainThread"]
    # A thread that runs for another reason is none, and neither is the holder itself.
    _, other = opened(interpreter, named("locks-no-lock"))
    awake = {thread.tid for thread in other.target.threads()}
    assert ProcessState(Awake(other.target, awake)).locks.waits == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("interpreter", INTERPRETERS[::3])
def test_the_command(interpreter: Interpreter) -> None:
    made, state = opened(interpreter, named("locks-dead-three"))
    session = Session(state.target)
    tids = made.truth["started"]
    table = locks_command(
        session, Namespace(graph=False, dot=False, evidence=True, all=False, json=False)
    )
    assert "hung: a deadlock between " in table.lines[0]
    text = "\n".join(table.lines)
    assert all(
        f"{name} (thread {tids[name]}) waits for" in text for name in ("one", "two", "three")
    )
    assert table.data is not None
    assert [cycle["sort"] for cycle in table.data["cycles"]] == ["order"]
    tree = "\n".join(
        locks_command(
            session, Namespace(graph=True, dot=False, evidence=False, all=True, json=False)
        ).lines
    )
    assert "\nCircle of waits (lock order): " in tree
    for name in ("one", "two", "three"):
        assert f"{name} (thread {tids[name]}) waits for" in tree
    dot = locks_command(
        session, Namespace(graph=False, dot=True, evidence=False, all=True, json=False)
    ).lines
    assert dot[0].startswith("digraph") and dot[-1] == "}"
    assert sum("color=red" in line for line in dot) == 3
