# SPDX-License-Identifier: Apache-2.0
"""Locks of the C library by their words, the wait-for graph, and the findings of its cycles."""

from __future__ import annotations

import struct

import pytest
from support.scenes import FS_BASE, HEAP, PC, PID, crash, state
from unit.test_locks import LOCK, MUTEX, OFFSETS, SYMBOLS, blocked, process, report

from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry, parse_exception_table
from gdb_epi.detectors.waits import locks as lock_detectors
from gdb_epi.locks import types as lock_types
from gdb_epi.locks.python.call_sites import CodeStep, find_loops
from gdb_epi.locks.types import CERTAIN, PROBABLE, LockOwner, LockReport, LockWait
from gdb_epi.locks.waits.wait_graph import deadlock_kind, find_cycles, mark_waits_of_cycles
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Region, Thread

OTHER_BASE = FS_BASE + 0x1000
OTHER = Thread(PID + 1, {"rip": 1, "rsp": 2, "fs_base": OTHER_BASE, "orig_rax": 0}, "other")
BITSET, PLAIN = 393, 128


def waiting(operation: int, value: int, words: list[int], back: int = 0) -> LockWait:
    """Return the wait of a thread that sleeps on LOCK; `words` begin `back` bytes before it."""
    made = process(blocked((operation, value)), OTHER, lock=(0, 0, 0, 0))
    made.target.write(LOCK - back, struct.pack(f"<{len(words)}I", *words))  # type: ignore[attr-defined]
    (wait,) = report(made).waits
    assert wait.address == LOCK
    return wait


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (0, "pthread mutex"),
        (1, "pthread mutex (recursive)"),
        (2, "pthread mutex (error-checking)"),
        (3, "pthread mutex (adaptive)"),
        (128, "pthread mutex (normal, process-shared)"),
        (512, "pthread mutex"),
    ],
)
def test_mutex_kinds(kind: int, expected: str) -> None:
    wait = waiting(PLAIN, 2, [2, 1, PID + 1, 1, kind])
    assert (wait.kind, wait.owner.tid, wait.verdict) == (expected, PID + 1, "live-holder")


def test_a_pointer_behind_a_plain_lock_is_no_owner_and_count_of_users() -> None:
    """Arenas of threads lie at multiples of 64 MB: a pointer's low half may look like a tid."""
    arena = 0x7F23_0000_0000
    made = process(blocked((PLAIN, 2)), OTHER, lock=(0, 0, 0, 0))
    words = struct.pack("<2IQ2I", 2, 0, arena + 0x4370, 0, 0)
    made.target.write(LOCK, words)  # type: ignore[attr-defined]
    (wait,) = report(made).waits
    assert (wait.kind, wait.owner.tid) == ("pthread mutex", 0x4370), "no such mapping: a mutex"
    more = Region(arena, arena + 0x21000, "rw-", None, 0, 0x21000)
    made.target.set_regions(sorted((*made.target.regions(), more)))  # type: ignore[attr-defined]
    made = ProcessState(made.target)
    (wait,) = report(made).waits
    assert wait.kind == "internal lock of a library" and wait.owner.tid is None


def test_a_robust_mutex_holds_the_owner_in_its_word() -> None:
    word = PID + 1 | 1 << 31
    wait = waiting(0, word, [word, 0, PID + 1, 1, 16])
    assert (wait.kind, wait.owner.tid) == ("pthread mutex (normal, robust)", PID + 1)


def test_a_shared_mutex_of_another_process_is_not_inherited() -> None:
    wait = waiting(0, 2, [2, 0, 999_999, 1, 128])
    assert (wait.verdict, wait.owner.state) == ("other-process", "other-process")


def test_a_priority_inheriting_mutex() -> None:
    word = PID + 1 | 1 << 31
    wait = waiting(6 | 128, 0, [word, 1, PID + 1, 1, 32])
    assert (wait.owner.tid, wait.verdict) == (PID + 1, "live-holder")


def test_a_writer_of_a_rwlock() -> None:
    words = [0b11, 1, 3, 2, 0, 0, PID + 1, 0]
    wait = waiting(BITSET, 3, words, back=8)
    assert (wait.kind, wait.owner.tid, wait.object) == ("pthread rwlock", PID + 1, LOCK - 8)


def test_readers_of_a_rwlock_are_not_known() -> None:
    wait = waiting(BITSET, 2, [2 << 3 | 4, 1, 2, 2, 0, 0, 0, 0], back=8)
    assert (wait.kind, wait.owner.state, wait.verdict) == ("pthread rwlock", "unknown", "unknown")
    assert any("2 readers" in text for text in wait.evidence)


@pytest.mark.parametrize("slot", [0, 4])
def test_a_condition_variable(slot: int) -> None:
    words = [4, 0, 2, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0]
    wait = waiting(BITSET, 0, [*words[:9], 8, 0, 0], back=40 + slot)
    assert wait.kind == "pthread condition variable"
    assert wait.owner.state == "none"


CONDITION = [4, 0, 2, 0, 0, 0, 0, 0, 1, 8, 0, 0]


def sleeping_in(library: str, made: ProcessState) -> LockWait:
    """Return the wait of the first thread, whose code is now that of a library."""
    target = made.target
    target._modules = [module._replace(path=library) for module in target.modules()]  # type: ignore[attr-defined]
    return report(made).waits[0]


def condition_like(**symbols: int) -> ProcessState:
    made = process(blocked((PLAIN, 0)), OTHER, lock=(0, 0, 0, 0))
    made.target.write(LOCK - 40, struct.pack("<12I", *CONDITION))  # type: ignore[attr-defined]
    made.target._symbols.update(symbols)  # type: ignore[attr-defined]
    return made


def test_only_the_c_library_sleeps_on_its_locks() -> None:
    """libgomp's barriers have a system call of their own: words that look like a lock are none."""
    inside = sleeping_in("/lib/libc.so.6", condition_like())
    assert inside.kind == "pthread condition variable"
    other = sleeping_in("/lib/libgomp.so.1", condition_like())
    assert other.kind == "futex word"
    assert any("libgomp.so.1, not by the C library" in text for text in other.evidence)
    generic = sleeping_in("/lib/libc.so.6", condition_like(syscall=PC - 0x20))
    assert generic.kind == "futex word"
    assert any("through syscall()" in text for text in generic.evidence)


@pytest.mark.parametrize("worker", [False, True])
def test_a_team_none_of_whose_threads_lives_is_lost(worker: bool) -> None:
    made = process(
        blocked((PLAIN, 77)), OTHER, lock=(77, 1, 2, 3), forks=1, orphan="vanished"
    )  # fmt: skip
    start = PC if worker else 0x1000  # what pthread_create() was given
    made.target.write(OTHER_BASE + OFFSETS["start"], struct.pack("<Q", start))  # type: ignore[attr-defined]
    wait = sleeping_in("/lib/libgomp.so.1", made)
    if worker:
        assert (wait.kind, wait.verdict) == ("futex word", lock_types.UNKNOWN)
    else:
        assert (wait.kind, wait.verdict) == ("OpenMP (libgomp) pool", lock_types.LOST_WAKEUP)
        assert wait.confidence == PROBABLE


def test_a_barrier_is_no_semaphore() -> None:
    assert waiting(PLAIN, 0, [2, 0, 3, 0, 0], back=4).kind == "pthread barrier"
    assert waiting(BITSET, 0, [0, 3, 0, 0]).kind == "semaphore"


def test_a_file_names_its_owner() -> None:
    low, high = OTHER_BASE & 0xFFFFFFFF, OTHER_BASE >> 32
    wait = waiting(PLAIN, 2, [2, 1, low, high])
    assert (wait.kind, wait.owner.tid, wait.verdict) == ("stdio FILE", PID + 1, "live-holder")


def test_the_guard_of_a_static_variable_is_shared_with_no_process() -> None:
    """__cxa_guard_acquire() sleeps without the private flag: it was "shared between processes"."""
    wait = waiting(0, 0x10100, [0x10100, 0])
    assert (wait.kind, wait.owner.state) == ("guard of a static variable", "unknown")
    assert waiting(0, 0x10100, [1, 0]).kind == "shared-memory futex", "it is made already"


def test_an_internal_lock_has_no_owner() -> None:
    wait = waiting(PLAIN, 2, [2, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF])
    assert (wait.kind, wait.verdict) == ("internal lock of a library", "unknown")


def test_words_that_are_no_lock() -> None:
    assert waiting(BITSET, 77, [77, 1, 2, 3]).kind == "futex word"
    assert waiting(265, 77, [77, 1, 2, 3]).verdict == "other-process"


def test_words_that_are_not_in_the_core() -> None:
    made = process(blocked((BITSET, 0), rdi=HEAP + 0x4000_0000))
    (wait,) = report(made).waits
    assert wait.kind == "futex word"
    assert "not in the core" in wait.evidence[-1]


def test_joining_by_hand() -> None:
    made = process(blocked((265, PID + 1), rdi=OTHER_BASE + 0x50), OTHER)
    (wait,) = report(made).waits
    assert (wait.kind, wait.owner.tid, wait.verdict) == ("pthread_join", PID + 1, "live-holder")


# -- the graph -------------------------------------------------------------------------------


def edge(
    tid: int, owner: int | None, kind: str = "threading.Lock", timed: bool = False
) -> LockWait:
    state = "live" if owner is not None else "unknown"
    verdict = (
        lock_types.UNKNOWN
        if owner is None
        else lock_types.SELF_DEADLOCK
        if owner == tid
        else lock_types.LIVE_HOLDER
    )
    return LockWait(
        tid, 64 * tid, kind, None, None, LockOwner(owner, None, None, state), verdict, CERTAIN,
        ("told",), timed,
    )  # fmt: skip


def test_chains_and_unknown_holders_make_no_cycle() -> None:
    assert find_cycles([edge(1, 2), edge(2, 3), edge(3, None)]) == ()
    assert find_cycles([edge(1, 2), edge(3, 2), edge(4, 4)]) == ()
    assert find_cycles([]) == ()


def test_two_cycles_and_a_tail() -> None:
    waits = [edge(9, 1), edge(1, 2), edge(2, 3), edge(3, 1), edge(7, 8), edge(8, 7)]
    cycles = find_cycles(waits)
    assert [cycle.tids for cycle in cycles] == [(1, 2, 3), (7, 8)]
    changed = {w.tid: w.verdict for w in mark_waits_of_cycles(waits, cycles)}
    assert [changed[tid] for tid in (9, 1, 7)] == ["live-holder", "cycle", "cycle"]


def test_a_long_chain_is_no_recursion() -> None:
    waits = [edge(n, n + 1) for n in range(1, 20_000)] + [edge(20_000, 19_999)]
    assert [cycle.tids for cycle in find_cycles(waits)] == [(19_999, 20_000)]


def test_a_timeout_ends_a_circle() -> None:
    (cycle,) = find_cycles([edge(1, 2, timed=True), edge(2, 1)])
    assert cycle.confidence == "info"
    (cycle,) = find_cycles([edge(1, 2, "GIL", timed=True), edge(2, 1, "pthread mutex")])
    assert cycle.confidence == "certain"


DETECTORS = {
    "order": lock_detectors.lock_order_cycle,
    "gil": lock_detectors.gil_versus_mutex,
    "join": lock_detectors.join_deadlock,
    "import": lock_detectors.import_deadlock,
}


@pytest.mark.parametrize(
    ("kinds", "sort"),
    [
        (("threading.Lock", "threading.RLock"), "order"),
        (("GIL", "pthread mutex"), "gil"),
        (("Thread.join", "threading.Lock"), "join"),
        (("pthread_join", "pthread_join"), "join"),
        (("module lock", "Thread.join"), "import"),
    ],
)
def test_each_sort_has_one_detector(kinds: tuple[str, str], sort: str) -> None:
    waits = (edge(1, 2, kinds[0]), edge(2, 1, kinds[1]))
    made = with_report(waits)
    (cycle,) = made.locks.cycles
    assert deadlock_kind(cycle) == sort
    for name, detect in DETECTORS.items():
        findings = list(detect(made))
        assert len(findings) == (name == sort)
        for finding in findings:
            assert finding.facts["confidence"] == "certain"
            assert finding.facts["tids"] == [1, 2]
            assert "thread 1 waits for" in finding.summary
    for detect in DETECTORS.values():
        assert list(detect(with_report(waits[:1]))) == []
        assert list(detect(with_report(()))) == []


def with_report(waits: tuple[LockWait, ...]) -> ProcessState:
    made = process(blocked(None))
    fork = made.locks.fork
    made.locks = LockReport(fork, waits, (), cycles=find_cycles(waits))
    return made


# -- exception tables ------------------------------------------------------------------------


def test_an_exception_table() -> None:
    import sys

    source = "with a:\n    with b:\n        c()\n"
    code = compile(source, "f", "exec")
    table = getattr(code, "co_exceptiontable", None)
    if table is None:
        pytest.skip(f"code objects of {sys.version_info[:2]} have no exception table")
    depths = {entry.depth for entry in parse_exception_table(table)}
    assert {1, 2} <= depths or {2, 4} <= depths
    assert all(
        entry.start < entry.end <= len(code.co_code) for entry in parse_exception_table(table)
    )


def test_a_damaged_exception_table_ends() -> None:
    assert parse_exception_table(b"") == []
    assert parse_exception_table(b"\xff" * 4096) == []
    assert parse_exception_table(bytes([0x81, 2, 3, 5])) == [
        ExceptionTableEntry(2, 6, 2, 6, pushes_byte=True)
    ]
    assert parse_exception_table(bytes([0x81, 2, 3])) == []


def test_ten_thousand_threads_that_wait_for_each_other() -> None:
    """A ring of mutexes; what is done for one thread must not look at all others."""
    import time

    count = 10_000
    size = 64
    start = 0x7F00_0000_0000
    memory = bytearray(count * size)
    threads = []
    for number in range(count):
        owner = PID + (number + 1) % count
        struct.pack_into("<5I", memory, number * size, 2, 1, owner, 1, 0)
        where = start + number * size
        threads.append(blocked(MUTEX, PID + number, rdi=where, fs_base=0x7E00_0000_0000 + number))
    region = Region(start, start + len(memory), "rw-", None, 0, len(memory))
    made = state(
        crash(6, 0, sender=5), threads=threads, extra_regions=[region],
        extra_memory={start: bytes(memory)}, symbols=SYMBOLS,
    )  # fmt: skip
    made.target.write(PC - 2, b"\x0f\x05")  # type: ignore[attr-defined]
    begun = time.process_time()
    locks = report(made)
    assert time.process_time() - begun < 10
    assert len(locks.waits) == count
    (cycle,) = locks.cycles
    assert len(cycle.tids) == count


def test_find_loops_damaged_tables_end() -> None:
    steps = [CodeStep(at, at + 2, max(0, at - 4)) for at in range(0, 60_000, 2)]
    entries = [ExceptionTableEntry(at, 60_000, 0, at + 2) for at in range(0, 60_000, 2)]
    assert find_loops(steps, entries)
