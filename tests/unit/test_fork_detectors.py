# SPDX-License-Identifier: Apache-2.0
"""The detectors of forks: hit, near miss, absent; and what doubt makes of a guess."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support.scenes import HEAP, PID, crash, state

from gdb_epi.corruption.score import compute_score
from gdb_epi.cpython.types import CHAIN, PyFrame
from gdb_epi.detectors.registry import Finding
from gdb_epi.detectors.waits.forks import fork_handlers, forked_child_lock, latent_inherited_lock
from gdb_epi.detectors.waits.locks import lost_wakeup
from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.judgement.verdict import judge_core
from gdb_epi.locks import types as lock_types
from gdb_epi.locks.examine_locks import demote_unsupported_inheritance
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools
from gdb_epi.locks.types import (
    CERTAIN,
    ForkEvidence,
    HeldLock,
    LockOwner,
    LockReport,
    LockWait,
    ThreadInForkHandlers,
    VanishedThread,
    VanishedThreads,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.render import locks
from gdb_epi.render.triage_wait_lines import fork_lines, lines_of_holder_at_fork
from gdb_epi.render.vanished_threads import vanished_lines, vanished_summary

IDENT = 0x7F00_0000_1000


def frame(name: str, module: str) -> PyFrame:
    return PyFrame(1, 2, name, name, f"/app/{module}.py", 7, module, "thread", CHAIN, True)


def vanished(*frames: PyFrame, **more: Any) -> VanishedThread:
    fields: dict[str, Any] = {
        "ident": IDENT, "tid": 990, "name": "holder", "stack": None,
        "module": None, "frames": frames, "how": "freed thread state", "missing": "",
    }  # fmt: skip
    return VanishedThread(**{**fields, **more})


def forked(**more: Any) -> ProcessState:
    made = state(more.pop("crash", crash(6, 0, sender=5)))
    fork = ForkEvidence(more.pop("forked", True), 1, True, True, False, None, None, ())
    fields: dict[str, Any] = {"waits": (), "soft_errors": (), **more}
    made.locks = LockReport(fork, **fields)  # type: ignore[misc]
    return made


def wait(verdict: str, confidence: str = "certain", owner: LockOwner | None = None) -> LockWait:
    nobody = LockOwner(None, None, None, "unknown")
    return LockWait(
        PID, HEAP, "threading.Lock", "app.lock", None, owner or nobody, verdict, confidence, ("e",)
    )


def one(findings: Iterable[Finding]) -> Finding:
    listed = list(findings)
    assert len(listed) == 1, listed
    return listed[0]


def test_the_holder_is_named_with_its_code() -> None:
    holder = vanished(frame("hold", "app"))
    owner = LockOwner(None, IDENT, "holder", "vanished")
    made = forked(
        waits=(wait(lock_types.INHERITED_HOLDER_FRAME_VANISHED, owner=owner),),
        vanished=VanishedThreads((holder,), False),
    )
    finding = one(forked_child_lock(made))
    assert finding.facts["holder"] == {"name": "holder", "tid": 990, "frames": ["hold"]}
    assert "held by holder of the parent" in finding.summary


def test_a_lock_of_the_c_library_is_told_by_who_takes_it() -> None:
    """ "waits for in free()" was printed."""
    waits = (
        wait(lock_types.INHERITED_INTERNAL_LOCK)._replace(kind="malloc arena", name="in free()"),
    )
    made = forked(waits=waits)
    words = f"thread {PID} of a forked child waits for the malloc arena in free(), which"
    assert one(forked_child_lock(made)).summary.startswith(words)
    assert locks.wait_lines(made)[0].endswith(" waits for the malloc arena in free() "
                                              f"(malloc arena, at {HEAP:#x})")  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "words"),
    [(lock_types.GIL, "nobody holds it"), ("queue.Queue", "another thread has to wake it"),
     ("Future", "another thread has to wake it")],
)  # fmt: skip
def test_what_nobody_holds_is_given_by_another_thread(kind: str, words: str) -> None:
    nobody = LockOwner(None, None, None, "none")
    made = wait(lock_types.UNKNOWN, "info", nobody)._replace(kind=kind)
    assert locks.holder_words(made) == words


@pytest.mark.parametrize(
    ("verdict", "confidence"),
    [(lock_types.PROBABLE_INHERITED, "info"), (lock_types.SELF_DEADLOCK, "certain"),
     (lock_types.OTHER_PROCESS, "certain"),
     (lock_types.LIVE_HOLDER, "certain"), (lock_types.CYCLE, "certain"), (lock_types.LOST_WAKEUP,
     "probable")],
)  # fmt: skip
def test_other_waits_are_no_inherited_lock(verdict: str, confidence: str) -> None:
    assert list(forked_child_lock(forked(waits=(wait(verdict, confidence),)))) == []


def test_lost_wakeup() -> None:
    made = forked(waits=(wait(lock_types.LOST_WAKEUP, "probable"),))
    assert one(lost_wakeup(made)).facts["confidence"] == "probable"
    assert list(lost_wakeup(forked(waits=(wait(lock_types.LOST_WAKEUP, "info"),)))) == []
    assert list(lost_wakeup(forked(waits=(wait(lock_types.LOST_WAKEUP),), forked=False))) == []
    assert (
        judge_core("killed-external", [one(lost_wakeup(made))], compute_score([])).label == "hang"
    )


def handlers(tid: int = PID) -> ThreadInForkHandlers:
    return ThreadInForkHandlers(tid, "Python hook", "in the child", "hook", CERTAIN, "seen", None)


def test_fork_handlers_tells_a_crash_from_a_hang() -> None:
    hung = one(fork_handlers(forked(handlers=handlers())))
    assert (hung.facts["crashed"], hung.facts["confidence"]) == (False, "certain")
    died = one(fork_handlers(forked(crash=crash(11, 1, address=8), handlers=handlers())))
    assert died.facts["crashed"] is True
    elsewhere = forked(crash=crash(11, 1, address=8), handlers=handlers(PID + 1))
    assert one(fork_handlers(elsewhere)).facts["confidence"] == "info"
    assert list(fork_handlers(forked())) == []
    snapshot = forked(crash=Absent(NOT_APPLICABLE, "a snapshot"), handlers=handlers())
    assert list(fork_handlers(snapshot)) == []


def test_latent_inherited_lock() -> None:
    gone = LockOwner(None, IDENT, "holder", "vanished")
    here = LockOwner(PID, None, None, "live")
    held = HeldLock(HEAP, "threading.Lock", "app.lock", gone, (), "hold (app.py:7)")
    assert one(latent_inherited_lock(forked(held=(held,)))).facts["confidence"] == "info"
    for near in (held._replace(owner=here), held._replace(waiters=(PID,))):
        assert list(latent_inherited_lock(forked(held=(near,)))) == []
    assert list(latent_inherited_lock(forked(held=(held,), forked=False))) == []


def test_a_guess_without_python_stays_what_it_is() -> None:
    made = forked()
    guess = wait(lock_types.PROBABLE_INHERITED, "probable")
    nothing = VanishedThreads((), False)
    absent = Absent(NOT_APPLICABLE, "no CPython")
    assert demote_unsupported_inheritance(made.target, absent, nothing, [guess]) == [guess]


def test_pools_are_told_by_code_by_object_and_by_type() -> None:
    worker = vanished(frame("get", "queue"), frame("_worker", "concurrent.futures.thread"))
    native = vanished(name=None, tid=None, module="/usr/lib/libgomp.so.1.0.0")
    timer = vanished(frame("run", "threading"), type_name="Timer")
    plain = vanished(frame("hold", "app"), module="/usr/lib/libpython3.12.so.1.0")
    kinds = [
        p.kind for p in find_vanished_pools(VanishedThreads((worker, native, timer, plain), False))
    ]
    assert sorted(kinds) == [
        "OpenMP (libgomp)", "concurrent.futures thread pool", "threading.Timer",
    ]  # fmt: skip


def test_vanished_threads_as_lines() -> None:
    vanished_threads = vanished(frame("hold", "app"))
    bare = vanished(name=None, tid=None, missing="stack memory absent", how="")
    gone = VanishedThreads((vanished_threads, bare), True)
    assert vanished_summary(gone).startswith("At least 2 threads")
    assert "left behind" in vanished_summary(VanishedThreads((), False))
    text = "\n".join(vanished_lines(gone, limit=5))
    assert "holder (thread 990 of the parent)" in text
    assert "hold" in text and "stack memory absent" in text


def test_the_screen_shows_the_code_that_held_the_lock() -> None:
    frames = [
        {"name": "wait", "qualname": "Event.wait", "module": "threading", "filename": "t.py"},
        {"name": "hold", "qualname": "hold", "module": "app", "filename": "app.py", "lineno": 7},
    ]
    record = {
        "fork": {
            "vanished": {
                "count": 1, "at_least": True,
                "threads": [{"name": "holder", "tid": 990, "frames": frames}],
            },
            "pools": [{"kind": "queue worker", "workers": 2}],
        },
    }  # fmt: skip
    lines = list(lines_of_holder_at_fork(record, {"holder_vanished": 0}))
    assert "holder" in lines[0] and lines[1].split() == ["py", "hold", "app.py:7"]
    guessed = list(lines_of_holder_at_fork(record, {"verdict": "lost-wakeup"}))
    assert "at least 1 more" in guessed[0] and "hold" in guessed[1]
    assert list(lines_of_holder_at_fork(record, {"verdict": "self-deadlock"})) == []
    assert list(lines_of_holder_at_fork({}, {"holder_vanished": 3})) == []
    assert any("2 threads: queue worker" in line for line in fork_lines(record))
