# SPDX-License-Identifier: Apache-2.0
"""Known fork bugs of real libraries: the answer is the one a person would want.

`--heavy` also runs those of frameworks that are big to install (PyTorch: 1 GB).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from support.cores import CoreFailed, Program, make_core
from support.forks import fork_programs
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps, session_of
from support.packages import NoPackages, debian_library

from gdb_epi.analysis import analyze
from gdb_epi.locks import types as lock_types
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools
from gdb_epi.locks.types import CERTAIN, PROBABLE, LockReport
from gdb_epi.session import Session

INTERPRETERS = ("pyenv-3.8.18", "pyenv-3.11.7", "pyenv-3.13.0")
GONE, LOST = lock_types.INHERITED_OWNER_VANISHED, lock_types.LOST_WAKEUP
INTERNAL = lock_types.INHERITED_INTERNAL_LOCK
# What apt-get can fetch for a program; without it the program ends before it forks.
DEBIAN = {"real-tcmalloc": "libtcmalloc-minimal4", "real-jemalloc": "libjemalloc2"}


class Wanted(NamedTuple):
    """What a person wants to read: the wait, its verdict, and the frame that held the lock."""

    kind: str  # of the wait, a prefix; "" when nothing waits for a lock
    verdict: str = ""
    sure: str = CERTAIN
    name: str | None = None
    frame: str = ""  # of the holder's, where the library was at the fork
    pool: str = ""  # of which the workers vanished
    findings: tuple[str, ...] = ("forked_child_lock",)
    others: int = 0  # waits of threads that the library started in the child


WANTED = {
    "real-logging-handler": Wanted(
        "threading.RLock", GONE, name="StreamHandler.lock", frame="emit"
    ),
    "real-stdout": Wanted("buffered I/O lock", GONE, name="sys.stdout", frame="progress"),
    "real-import": Wanted("module lock", GONE, name="email.mime.text", frame="_load_unlocked"),
    "real-resource-tracker": Wanted(
        "threading.RLock", GONE, frame="_check_alive",
        name="multiprocessing.resource_tracker._resource_tracker._lock",
    ),
    "real-sqlite": Wanted("pthread mutex (recursive)", GONE, frame="query"),
    "real-pool": Wanted(
        "threading.Event", LOST, PROBABLE, pool="multiprocessing pool's manager",
        findings=("lost_wakeup",),
    ),
    "real-executor": Wanted(
        "Future", LOST, PROBABLE, pool="concurrent.futures thread pool",
        findings=("lost_wakeup",),
    ),
    "real-preexec": Wanted(
        "buffered I/O lock", GONE, name="sys.stdout", frame="progress",
        findings=("fork_handlers", "forked_child_lock"),
    ),
    "real-healthy-logging": Wanted("", findings=("going_on",)),
    "real-libgomp": Wanted(
        "OpenMP (libgomp) pool", LOST, PROBABLE, pool="OpenMP (libgomp)",
        findings=("lost_wakeup",),
    ),
    "real-openblas": Wanted(
        "OpenBLAS pool (spinning)", LOST, PROBABLE, pool="OpenBLAS", findings=("lost_wakeup",)
    ),
    # glibc's own locks store no owner.
    "real-getaddrinfo": Wanted("resolver", INTERNAL, PROBABLE, name="in getaddrinfo()"),
    "real-tzset": Wanted("timezone (tzset)", INTERNAL, PROBABLE),
    "real-malloc": Wanted("malloc arena", INTERNAL, PROBABLE, name="in malloc()"),
    "real-tcmalloc": Wanted(
        "internal lock of a library", INTERNAL, PROBABLE, name="in libtcmalloc_minimal.so.4.5.10"
    ),
    "real-jemalloc": Wanted("pthread mutex", GONE),
    "real-grpc": Wanted(
        "threading.Condition", LOST, PROBABLE, pool="gRPC", findings=("lost_wakeup",)
    ),
    # torch's own thread in the child may have taken the stack of OpenMP's vanished one.
    "real-torch": Wanted(
        "OpenMP (libgomp) pool", LOST, PROBABLE, findings=("lost_wakeup",), others=1
    ),
}  # fmt: skip
# By interpreter, where the standard library was another one.
OTHER = {
    # CPython 3.8 to 3.10 ask with a plain Lock, which stores no owner: the frame tells.
    ("real-resource-tracker", "pyenv-3.8.18"): {
        "kind": "threading.Lock", "verdict": lock_types.INHERITED_HOLDER_FRAME_VANISHED,
    },
}  # fmt: skip


def interpreters_of(program: Program) -> list[Interpreter]:
    """Return one of the interpreters in turn, for each has its libraries installed; or all."""
    return spread(
        program.name,
        lambda interpreter: interpreter.id in INTERPRETERS and program.supports(interpreter),
        every=3,
    )


CELLS = [
    pytest.param(
        interpreter,
        program,
        id=f"{interpreter.id}-{program.name}",
        marks=[pytest.mark.heavy] if program.bench else [],
    )
    for program in fork_programs(bench=True, files="real_*.py")
    for interpreter in interpreters_of(program)
]


def opened(interpreter: Interpreter, program: Program) -> tuple[dict[str, Any], Session]:
    need_core_dumps()
    try:
        if program.name in DEBIAN:
            debian_library(DEBIAN[program.name])
        made = make_core(interpreter, program)
    except (CoreFailed, NoPackages) as error:
        pytest.skip(f"the library left no such core on this interpreter: {error}")
    return made.truth["fork"], session_of(made)


def wanted_of(interpreter: Interpreter, program: Program) -> Wanted:
    return WANTED[program.name]._replace(**OTHER.get((program.name, interpreter.id), {}))


@pytest.mark.parametrize(("interpreter", "program"), CELLS)
def test_a_real_bug_is_answered(interpreter: Interpreter, program: Program) -> None:
    truth, session = opened(interpreter, program)
    wanted, report = wanted_of(interpreter, program), session.state.locks
    assert report.fork.forked is True
    assert report.fork.hooks_bypassed is truth["bypass"]
    assert [error for error in report.soft_errors if error.stage == "locks"] == []
    assert sorted({f["detector"] for f in analyze(session)["findings"]}) == list(wanted.findings)
    assert (report.handlers is not None) is (truth["handlers"] is not None)
    waits_as(wanted, report, truth)
    if wanted.pool:
        assert wanted.pool in {pool.kind for pool in find_vanished_pools(report.vanished)}


def waits_as(wanted: Wanted, report: LockReport, truth: dict[str, Any]) -> None:
    """Check the wait of the child's first thread, and the vanished thread that it is for."""
    if not wanted.kind:
        assert report.waits == ()
        return
    wait, *others = report.waits
    assert len(others) == wanted.others
    if wanted.name is None and wait.name == "in libjemalloc.so.2":
        # Caught between taking the mutex and writing its owner: then the words name nobody.
        wanted = wanted._replace(kind="internal lock of a library", verdict=INTERNAL, sure=PROBABLE)
    assert wait.kind.startswith(wanted.kind)
    assert (wait.verdict, wait.confidence) == (wanted.verdict, wanted.sure)
    if wanted.name is not None:
        assert wait.name == wanted.name
    if not truth.get("hold") or wanted.verdict == INTERNAL:
        return
    assert wait.owner.state == "vanished"
    holder = report.vanished.find(ident=wait.owner.ident, tid=wait.owner.tid)
    assert holder is not None and holder.name == "holder"
    holder_truth = next(thread for thread in truth["vanished"] if thread["name"] == "holder")
    assert (holder.tid, holder.ident) == (holder_truth["native_id"], holder_truth["ident"])
    if holder_truth["frames"] is None:  # it did not sit still
        return
    frames = [[f.name, f.qualname, f.filename, f.lineno] for f in holder.frames]
    assert frames == holder_truth["frames"]
    assert wanted.frame in [frame[0] for frame in frames]


def test_every_program_has_an_answer() -> None:
    assert {program.name for program in fork_programs(bench=True, files="real_*.py")} == set(WANTED)
