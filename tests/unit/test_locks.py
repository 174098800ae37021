# SPDX-License-Identifier: Apache-2.0
"""Futex waits, fork evidence and their verdicts on made-up processes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import pytest
from support.scenes import FS_BASE, HEAP, MMAP, PC, PID, SP, TEXT, crash, state

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.locks.context import CLASSIFIERS, FAMILIES, LockGuess
from gdb_epi.locks.examine_locks import examine_locks
from gdb_epi.locks.fork.fork_facts import conclude_from_signs, read_fork_signs
from gdb_epi.locks.types import LockOwner, LockReport, LockWait
from gdb_epi.process_state import ProcessState
from gdb_epi.render.locks import (
    lines_of_threads_not_waiting,
    owner_text,
    wait_column_text,
    wait_tree_lines,
)
from gdb_epi.target.api import Thread

LOCK = HEAP + 0x800
MUTEX, SEMAPHORE, SHARED = (128, 2), (393, 0), (265, 0)
RESTART = (1 << 64) - 512
CODE = TEXT + 0x800
GENERATION = HEAP + 0x10
RTLD = HEAP + 0x1000
SYMBOLS = {
    "fork": CODE,
    "__libc_single_threaded": HEAP + 0x18,
    "_rtld_global": RTLD,
    "_thread_db_pthread_list": HEAP + 0x2000,
    "_thread_db_pthread_tid": HEAP + 0x2010,
    "_thread_db_pthread_cancelhandling": HEAP + 0x2020,
    "_thread_db_pthread_start_routine": HEAP + 0x2030,
    "_thread_db_rtld_global__dl_stack_used": HEAP + 0x2040,
    "_thread_db_rtld_global__dl_stack_user": HEAP + 0x2050,
}
OFFSETS = {"list": 0x40, "tid": 0x50, "cancel": 0x60, "start": 0x70, "used": 0x10, "user": 0x20}
ORPHAN = MMAP + 0x1800


def blocked(call: tuple[int, int] | None, tid: int = PID, **more: int) -> Thread:
    operation, value = call or (0, 0)
    registers = {
        "rip": PC, "rsp": SP, "fs_base": FS_BASE, "rax": RESTART, "orig_rax": 202 if call else 0,
        "rdi": LOCK, "rsi": operation, "rdx": value, **more,
    }  # fmt: skip
    return Thread(tid, registers, "prog")


def process(
    *threads: Thread,
    lock: tuple[int, int, int, int] = (0, 1, 0, 0),
    forks: int = 0,
    orphan: str | None = None,
    ppid: int = 1,
    text: bytes = b"\x0f\x05",
) -> ProcessState:
    """Return a glibc process: `forks` counted, one descriptor more in the cache or used list."""
    made = state(crash(6, 0, sender=5), threads=threads, symbols=SYMBOLS, ppid=ppid)
    target = made.target
    target.write(PC - 2, text)
    target.write(LOCK, struct.pack("<4I", *lock))
    step = GENERATION - (CODE + 4 + 8)
    target.write(CODE, b"\x90" * 4 + b"\x48\x83\x05" + struct.pack("<i", step) + b"\x04\xc3")
    target.write(GENERATION, struct.pack("<Q", forks * 4))
    target.write(HEAP + 0x18, b"\x00")
    for number, name in enumerate(OFFSETS):
        where = HEAP + 0x2000 + 0x10 * number
        target.write(where, struct.pack("<3I", 64, 1, OFFSETS[name]))
    lists: dict[str, list[int]] = {"used": [], "user": [FS_BASE], "cache": []}
    target.write(FS_BASE + OFFSETS["tid"], struct.pack("<I", PID))
    if orphan:
        name, tid, cancel = {
            "vanished": ("cache", 0, 0), "exited": ("cache", 0, 0x10), "phantom": ("used", 990, 0),
        }[orphan]  # fmt: skip
        lists[name].append(ORPHAN)
        target.write(ORPHAN + OFFSETS["tid"], struct.pack("<I", tid))
        target.write(ORPHAN + OFFSETS["cancel"], struct.pack("<I", cancel))
    link(target, lists)
    return made


def link(target: object, lists: Mapping[str, list[int]]) -> None:
    heads = {"used": RTLD + 0x10, "user": RTLD + 0x20, "cache": RTLD + 0x30}
    for name, head in heads.items():
        for address in lists[name]:  # tcbhead_t names itself
            target.write(address, struct.pack("<3Q", address, 0, address))  # type: ignore[attr-defined]
        nodes = [head, *(address + OFFSETS["list"] for address in lists[name])]
        for at, following in zip(nodes, [*nodes[1:], head], strict=True):
            target.write(at, struct.pack("<Q", following))  # type: ignore[attr-defined]


def report(made: ProcessState) -> LockReport:
    return examine_locks(made.target, Absent(NOT_APPLICABLE, "no CPython"))


# -- fork evidence ---------------------------------------------------------------------------


def names(made: ProcessState) -> set[str]:
    return {signal.name for signal in report(made).fork.signals}


def test_a_forked_child_of_a_multithreaded_parent() -> None:
    fork = report(process(blocked(SEMAPHORE), forks=1, orphan="vanished")).fork
    assert (fork.forked, fork.depth, fork.parent_multithreaded) == (True, 1, True)
    assert fork.from_main_thread is True
    assert {s.name for s in fork.signals} == {"F1", "F2", "F15"}


def test_an_exited_thread_is_no_vanished_one() -> None:
    fork = report(process(blocked(SEMAPHORE), orphan="exited")).fork
    assert (fork.forked, fork.parent_multithreaded) == (False, None)
    assert names(process(blocked(SEMAPHORE), orphan="exited")) == {"F15"}


def test_a_child_of_raw_clone_keeps_the_old_ids() -> None:
    fork = report(process(blocked(SEMAPHORE), orphan="phantom")).fork
    assert (fork.forked, fork.hooks_bypassed, fork.old_tids) == (True, True, (990,))


def test_an_ordinary_process_is_not_forked() -> None:
    fork = report(process(blocked(None))).fork
    assert (fork.forked, fork.depth) == (False, 0)


def test_without_glibc_nothing_is_claimed() -> None:
    made = state(crash(6, 0, sender=5), threads=[blocked(SEMAPHORE)])
    signs = read_fork_signs(made.target, Absent(NOT_APPLICABLE, ""))
    fork = conclude_from_signs(signs)
    assert (fork.forked, fork.depth, fork.parent_multithreaded) == (None, None, None)
    assert {error.subject for error in signs.soft_errors()} >= {"F1", "F2"}


def test_a_counter_that_is_none_is_not_believed() -> None:
    made = process(blocked(SEMAPHORE))
    made.target.write(GENERATION, struct.pack("<Q", 0xDEAD_BEEF_0001))
    lock_report = report(made)
    assert lock_report.fork.depth is None
    assert "F1" in {error.subject for error in lock_report.soft_errors}


def test_a_list_that_does_not_end_is_said() -> None:
    made = process(blocked(SEMAPHORE), orphan="vanished")
    made.target.write(RTLD + 0x30, struct.pack("<Q", 0x10))
    assert "F2" in {error.subject for error in report(made).soft_errors}


def test_the_lineage_is_a_hash_that_fork_keeps() -> None:
    made = process(blocked(None))
    canary, guard = 0x1122_3344_5566_7700, 0x99AA_BBCC_DDEE_FF01
    made.target.write(FS_BASE + 0x28, struct.pack("<QQ", canary, guard))
    lineage = report(made).fork.lineage
    assert lineage is not None
    assert len(lineage) == 16
    assert f"{canary:x}" not in lineage
    assert report(process(blocked(None))).fork.lineage is None  # words of 0: unknown


# -- waits -----------------------------------------------------------------------------------


def verdict(made: ProcessState) -> tuple[str, str]:
    waits = report(made).waits
    assert len(waits) == 1
    assert waits[0].evidence
    assert waits[0].address == LOCK
    return waits[0].verdict, waits[0].owner.state


def test_rule_c_needs_all_of_its_conditions() -> None:
    alone = process(blocked(SEMAPHORE), forks=1, orphan="vanished")
    assert verdict(alone) == ("probable-inherited", "unknown")
    other = blocked(None, PID + 1, fs_base=FS_BASE + 0x100)
    company = process(blocked(SEMAPHORE), other, forks=1, orphan="vanished")
    assert verdict(company)[0] == "unknown"
    assert verdict(process(blocked(SEMAPHORE)))[0] == "unknown"
    # Forked, but of a parent with one thread: as far as can be told it was self-inflicted.
    assert verdict(process(blocked(SEMAPHORE), forks=1))[0] == "unknown"


@pytest.mark.parametrize(
    ("owner", "forks", "ppid", "expected"),
    [
        (PID, 0, 1, ("self-deadlock", "live")),
        (PID + 1, 0, 1, ("live-holder", "live")),
        (990, 1, 1, ("inherited-owner-vanished", "vanished")),
        (990, 0, 1, ("unknown", "unknown")),
        (990, 1, 990, ("own-lock-under-old-tid", "forker-old-tid")),
    ],
)
def test_a_mutex_names_its_owner(
    owner: int, forks: int, ppid: int, expected: tuple[str, str]
) -> None:
    other = blocked(None, PID + 1, fs_base=FS_BASE + 0x100)
    made = process(blocked(MUTEX), other, lock=(2, 1, owner, 1), forks=forks, ppid=ppid)
    assert verdict(made) == expected


def test_a_shared_word_is_never_inherited() -> None:
    made = process(blocked(SHARED), forks=1, orphan="vanished")
    assert verdict(made) == ("other-process", "other-process")


def test_other_system_calls_are_no_waits() -> None:
    assert report(process(blocked(None))).waits == ()
    no_syscall = process(blocked(SEMAPHORE), text=b"\x90\x90")
    assert report(no_syscall).waits == ()
    wake = process(blocked((129, 1)))  # FUTEX_WAKE
    assert report(wake).waits == ()


def test_absent_text_needs_a_restarted_call() -> None:
    made = process(blocked(SEMAPHORE))
    made.target.memory.pop(TEXT)
    assert len(report(made).waits) == 1
    assert "text is absent" in report(made).waits[0].evidence[0]
    returned = process(blocked(SEMAPHORE, rax=0))
    returned.target.memory.pop(TEXT)
    assert report(returned).waits == ()


def test_a_word_on_the_own_stack_is_a_pymutex() -> None:
    made = process(blocked(SEMAPHORE, rdi=SP + 64))
    assert report(made).waits[0].kind == "PyMutex or parking lot"


def test_a_failing_family_is_a_soft_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[object]:
        raise ZeroDivisionError("boom")

    made = process(blocked(SEMAPHORE))
    report(made)
    monkeypatch.setitem(FAMILIES, "broken", broken)
    lock_report = report(made)
    assert "ZeroDivisionError: boom" in [error.message for error in lock_report.soft_errors]
    assert len(lock_report.waits) == 1


def test_a_free_lock_is_held_by_nobody_and_threads_without_a_lock_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The GIL between two holders was 'held by unknown', beside 'nobody holds the GIL'."""
    free = LockGuess("GIL", free=True, evidence=("nobody holds it at this moment",))
    monkeypatch.setitem(CLASSIFIERS, "00 first", (False, lambda *_: free))
    aborts = blocked(None, tid=PID + 1, orig_rax=234)
    made = process(blocked(SEMAPHORE), aborts)
    (wait,) = made.locks.waits
    assert wait.owner.state == "none" and owner_text(wait.owner) == "nobody"
    assert wait_tree_lines(made)[0].endswith(": nobody holds it]")
    assert lines_of_threads_not_waiting(made, every=False) == [
        "Threads that wait for no lock: 1 in tgkill"
    ]
    lines = lines_of_threads_not_waiting(process(aborts), every=False)
    assert lines == ["No thread waits for a lock: 1 in tgkill"]


@pytest.mark.parametrize(
    ("kind", "name", "owner", "mark"),
    [
        ("threading.Lock", "a.lock", LockOwner(7, None, "payer", "live"),
         "waits for a.lock, held by payer (thread 7)"),
        ("Queue.get", None, LockOwner(None, None, None, "none"), "waits for a Queue.get"),
        ("futex word", None, LockOwner(None, None, None, "unknown"),
         "waits for a lock of unknown kind"),
        ("Thread.join", "payer", LockOwner(7, None, "payer", "live"),
         "waits for the end of payer"),
    ],
)  # fmt: skip
def test_the_column_of_a_thread_says_what_it_waits_for(
    kind: str, name: str | None, owner: LockOwner, mark: str
) -> None:
    """`epi threads` had nothing there for the threads that hang."""
    wait = LockWait(PID, LOCK, kind, name, None, owner, "cycle", "certain", ())
    assert wait_column_text(wait) == mark
