# SPDX-License-Identifier: Apache-2.0
"""Is this process a forked child, of a multithreaded parent, forked from which thread?

Each sign has a name (F1 ...) and is reported by it. "Forked" alone is a fact, not a finding:
daemons and pools fork too.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.digest import sha256_hex
from gdb_epi.errors import NOT_APPLICABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.locks.context import u32, u64
from gdb_epi.locks.glibc import StackLists, stack_lists
from gdb_epi.locks.pythreading import main_thread_facts
from gdb_epi.locks.types import ForkEvidence, ForkSignal
from gdb_epi.target.api import Target

CERTAIN, STRONG, WEAK = "certain", "strong", "weak"
_ADD_FOUR = b"\x48\x83\x05"  # addq $imm8, disp32(%rip)
_GENERATION_STEP = 4  # fork() adds 4 to __fork_generation (glibc sysdeps/nptl/_Fork.c, fork.c)
MAX_FORK_CODE = 1024  # bytes of fork() that are searched
MAX_GENERATIONS = 1 << 20
CANARY, POINTER_GUARD = 0x28, 0x30  # tcbhead_t of x86-64


class _Signs:
    """Collects the signs."""

    def __init__(self, target: Target, python: PythonState | Absent) -> None:
        self.target = target
        self.python = python
        self.threads = target.threads()
        self.live = {t.registers["fs_base"] for t in self.threads if "fs_base" in t.registers}
        self.signals: list[ForkSignal] = []
        self.soft_errors: list[SoftError] = []
        self.depth: int | None = None
        self.bypassed: bool | None = None
        self.from_main: bool | None = None
        self.old_tids: set[int] = set()

    def add(self, name: str, says: str, sure: str) -> None:
        self.signals.append(ForkSignal(name, says, sure))

    def miss(self, name: str, why: str) -> None:
        self.soft_errors.append(SoftError("fork", name, why))


def fork_evidence(
    target: Target, python: PythonState | Absent
) -> tuple[ForkEvidence, list[SoftError]]:
    """Return the evidence of a fork, and what could not be looked at."""
    signs = _Signs(target, python)
    _generation(signs)
    _descriptors(signs)
    _own_tid(signs)
    _main_thread(signs)
    _orphan_tstates(signs)
    _single_threaded(signs)
    names = {signal.name for signal in signs.signals}
    forked = bool(names & {"F1", "F2", "F3", "F5", "F7"})
    unseen = {error.subject for error in signs.soft_errors}
    looked = bool({"F1", "F2"} - unseen) or forked
    return (
        ForkEvidence(
            forked=forked if looked else None,
            depth=signs.depth,
            parent_multithreaded=_multithreaded(names, unseen, forked),
            from_main_thread=signs.from_main,
            hooks_bypassed=_bypassed(signs, names, forked),
            in_fork_handlers=None,
            lineage=_lineage(signs),
            signals=tuple(signs.signals),
            old_tids=tuple(sorted(signs.old_tids)),
        ),
        signs.soft_errors,
    )


def _multithreaded(names: set[str], unseen: set[str], forked: bool) -> bool | None:
    if names & {"F2", "F3", "F5"}:
        return True
    if not forked:
        return None
    # Every orphan stack may have been reused by threads of the child, so their absence proves
    # nothing while the lineage once had threads.
    return None if unseen & {"F2"} or "F15" in names else False


def _bypassed(signs: _Signs, names: set[str], forked: bool) -> bool | None:
    if "F3" in names or ("F10" in names and forked):
        return True
    return False if forked and isinstance(signs.python, PythonState) else None


def _generation(signs: _Signs) -> None:
    """F1: glibc counts fork(); the counter's address is in fork()'s code."""
    target = signs.target
    for symbol in ("__libc_fork", "fork"):
        start = target.symbol(symbol)
        if start is None:
            continue
        code = _code(target, start)
        at = code.find(_ADD_FOUR)
        while at >= 0:
            end = at + 8
            if len(code) >= end and code[end - 1] == _GENERATION_STEP:
                displacement = int.from_bytes(code[at + 3 : at + 7], "little", signed=True)
                _count(signs, start + end + displacement)
                return
            at = code.find(_ADD_FOUR, at + 1)
    signs.miss("F1", "the code of fork() is not to be had, or has another shape")


def _code(target: Target, start: int) -> bytes:
    region = target.region_at(start)
    size = min(MAX_FORK_CODE, region.end - start) if region is not None else 0
    try:
        return target.read(start, size) if size else b""
    except UnreadableMemory:
        return b""


def _count(signs: _Signs, address: int) -> None:
    value = u64(signs.target, address)
    if value is None:
        signs.miss("F1", "__fork_generation is not in the core")
    elif value % _GENERATION_STEP or value // _GENERATION_STEP > MAX_GENERATIONS:
        signs.miss("F1", f"the word found for __fork_generation is {value:#x}: not a counter")
    else:
        signs.depth = value // _GENERATION_STEP
        if signs.depth:
            signs.add("F1", f"glibc counts {signs.depth} fork() since exec", CERTAIN)


def _descriptors(signs: _Signs) -> None:
    """F2, F3, F5: descriptors of threads that are not in the core."""
    lists = stack_lists(signs.target)
    if isinstance(lists, Absent):
        for name in ("F2", "F3", "F5"):
            signs.miss(name, lists.detail)
        return
    if not lists.complete:
        signs.miss("F2", "glibc's stack lists could be followed in part only")
    _vanished(signs, lists)
    _phantoms(signs, lists)
    _forking_thread(signs, lists)


def _vanished(signs: _Signs, lists: StackLists) -> None:
    gone = [
        d for d in lists.on("cache") if d.tid == 0 and not d.exiting and d.address not in signs.live
    ]
    if gone:
        signs.add(
            "F2",
            f"{len(gone)} cached thread stacks belong to threads that never ran thread exit: they "
            "vanished in a fork",
            CERTAIN,
        )


def _phantoms(signs: _Signs, lists: StackLists) -> None:
    entries = [*lists.on("used"), *lists.on("user")]
    ghosts = [d for d in entries if d.address not in signs.live and d.tid > 0]
    if ghosts and len(signs.live) == len(signs.threads):
        signs.old_tids |= {d.tid for d in ghosts}
        tids = ", ".join(str(d.tid) for d in ghosts[:8])
        signs.add(
            "F3",
            f"glibc lists threads that are not in the core, with their old ids {tids}: a child of "
            "_Fork() or raw clone",
            CERTAIN,
        )


def _forking_thread(signs: _Signs, lists: StackLists) -> None:
    """F5: the leader's own descriptor lies on a stack that pthread_create() made."""
    pid = signs.target.process()
    leader = next(
        (t for t in signs.threads if not isinstance(pid, Absent) and t.tid == pid.pid), None
    )
    base = leader.registers.get("fs_base") if leader is not None else None
    if base is None:
        return
    used = {d.address for d in lists.on("used")}
    user = {d.address for d in lists.on("user")}
    if base in used:
        signs.from_main = False
        signs.add(
            "F5", "the main LWP runs on a stack of pthread_create(): forked by another thread",
            CERTAIN,
        )  # fmt: skip
    elif base in user:
        signs.from_main = True


def _own_tid(signs: _Signs) -> None:
    """F6: the thread id that glibc stored differs from the LWP's."""
    symbol = signs.target.symbol("_thread_db_pthread_tid")
    offset = u32(signs.target, symbol + 8) if symbol is not None else None
    if offset is None:
        return
    for thread in signs.threads[:1]:
        base = thread.registers.get("fs_base")
        stored = u32(signs.target, base + offset) if base else None
        if stored is not None and stored not in (0, thread.tid):
            signs.add(
                "F6",
                f"glibc stored thread id {stored} for LWP {thread.tid}: raw clone, or another "
                "view of process ids",
                STRONG,
            )


def _main_thread(signs: _Signs) -> None:
    """F7, F8: threading._main_thread remembers the thread that forked."""
    process = signs.target.process()
    facts = main_thread_facts(signs.target, signs.python)
    if isinstance(facts, Absent) or isinstance(process, Absent):
        if isinstance(facts, Absent) and facts.reason != NOT_APPLICABLE:
            signs.miss("F7", facts.detail)
        return
    if facts.native_id is not None and facts.native_id != process.pid:
        signs.old_tids.add(facts.native_id)
        signs.add(
            "F7",
            f"threading's main thread has native_id {facts.native_id}, this process is "
            f"{process.pid}: that was the forking thread",
            CERTAIN,
        )
    if facts.type_name is not None and facts.type_name != "_MainThread":
        signs.add("F8", f"threading's main thread is a {facts.type_name}", CERTAIN)
        signs.from_main = False


def _orphan_tstates(signs: _Signs) -> None:
    """F10: Python thread states whose thread is not in the core."""
    if not isinstance(signs.python, PythonState) or len(signs.live) != len(signs.threads):
        return
    orphans = [t for t in signs.python.threads() if t.ident and t.ident not in signs.live]
    if orphans:
        signs.add(
            "F10",
            f"{len(orphans)} Python thread states have no thread: the after-fork hooks were "
            "bypassed or had not run",
            STRONG,
        )


def _single_threaded(signs: _Signs) -> None:
    """F15: threads existed once in this lineage."""
    address = signs.target.symbol("__libc_single_threaded")
    if address is None or len(signs.threads) != 1:
        return
    try:
        value = signs.target.read(address, 1)[0]
    except UnreadableMemory:
        return
    if value == 0:
        signs.add("F15", "one thread now, but this lineage had more once", WEAK)


def _lineage(signs: _Signs) -> str | None:
    """Return a hash of the stack canary and the pointer guard, which fork keeps and exec changes.

    120 secret bits go in, so the hash does not give them away.
    """
    base = signs.threads[0].registers.get("fs_base") if signs.threads else None
    if not base:
        return None
    canary = u64(signs.target, base + CANARY)
    guard = u64(signs.target, base + POINTER_GUARD)
    if not canary or not guard:
        return None
    secret = canary.to_bytes(8, "little") + guard.to_bytes(8, "little")
    return sha256_hex(b"gdb-epi lineage/1" + secret)[:16]
