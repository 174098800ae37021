# SPDX-License-Identifier: Apache-2.0
"""Threads stopped in futex(2): which word each waits for, and which lock that word belongs to.

Registers tell the word without symbols or an unwinder: the kernel keeps the number and the
arguments of the interrupted system call (address, operation, expected value). Classifiers tell the
lock. Its owner follows, in order, from the lock's own words; for locks that store no owner from the
frame that is inside a `with` block of the lock; then from what remains possible. "Locked" alone
says nothing.

What a thread does that waits for no lock: another system call, or running.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.locks import types as lock_types
from gdb_epi.locks.context import CLASSIFIERS, FutexWait, LockContext, LockGuess
from gdb_epi.locks.python.lock_objects import RLOCK
from gdb_epi.locks.types import (
    CERTAIN,
    FUTEX_WORD,
    INFO,
    PROBABLE,
    LockOwner,
    LockWait,
    ThreadRunState,
)
from gdb_epi.locks.waits.libc_lock_names import (
    ALLOCATOR,
    describe_caller_of_system_call,
    libc_function_taking,
)
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.derived_registers import (
    FUTEX_MASK,
    FUTEX_WAITS,
    INTERRUPTED,
    NO_CALL,
    is_at_system_call,
    is_in_system_call,
)
from gdb_epi.target.libc import NOT_JUDGED
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.locks.python.acquire_calls import AcquiredLock
    from gdb_epi.locks.python.python_view import WithBlock

# Behind "held by NAME", where that is not sure.
UNLESS_FAILED = ", unless its acquire(), which may fail, did"
UNLESS_REPLACED = ", unless another lock had that name when it called acquire()"
OR_ENDED_THREAD = ", or by a thread that has ended and had the same identifier"


class _UnsettledWait:
    """One wait on its way to a verdict."""

    def __init__(
        self, context: LockContext, thread: Thread, call: FutexWait, guess: LockGuess
    ) -> None:
        self.context = context
        self.thread = thread
        self.call = call
        self.guess = guess

    def settled(self, owner: LockOwner, verdict: str, confidence: str, *evidence: str) -> LockWait:
        """Return the wait with an owner and a verdict; `evidence` goes after what is there."""
        guess = self.guess
        return LockWait(
            tid=self.call.tid,
            address=self.call.address,
            kind=guess.kind,
            name=guess.name,
            object=guess.object,
            owner=owner,
            verdict=verdict,
            confidence=confidence,
            evidence=(self.call.proof, *guess.evidence, *evidence),
            timed=self.call.timed,
        )


def settle_owner_and_verdict(
    context: LockContext, thread: Thread, call: FutexWait, guess: LockGuess
) -> LockWait:
    """Return the wait with its owner and its verdict."""
    case = _UnsettledWait(context, thread, call, guess)
    if guess.owner_tid:
        return _settle_by_owner_tid(case, guess.owner_tid)
    if guess.shared:
        return case.settled(LockOwner(state="other-process"), lock_types.OTHER_PROCESS, CERTAIN)
    if guess.owner_ident:
        return _settle_by_owner_pthread(case, guess.owner_ident)
    if guess.event:
        return _settle_ownerless_event(case)
    if guess.free:
        return case.settled(LockOwner(state="none"), lock_types.UNKNOWN, INFO)
    view = context.python_view
    blocks = view.with_blocks_of_lock(guess.lock) if view is not None and guess.lock else ()
    if blocks:
        return _settle_by_with_block(case, blocks)
    return _settle_without_named_owner(case)


def _settle_by_owner_tid(case: _UnsettledWait, owner: int) -> LockWait:
    """The lock names its owner's thread id."""
    context, fork = case.context, case.context.fork
    if case.guess.by_frames:
        verdict = lock_types.SELF_DEADLOCK if owner == case.thread.tid else lock_types.LIVE_HOLDER
        return case.settled(_living_owner(context, owner), verdict, PROBABLE)
    if owner == case.thread.tid:
        waits = f"thread {owner} is the one that waits"
        return case.settled(_living_owner(context, owner), lock_types.SELF_DEADLOCK, CERTAIN, waits)
    if owner in context.pthreads_by_tid:
        evidence = [f"thread {owner} is in the core"]
        if case.guess.shared:  # a process of another pid namespace may have the same numbers
            evidence.append("not ruled out: another process has a thread of that number")
        sure = PROBABLE if case.guess.shared and case.guess.kind != "pthread_join" else CERTAIN
        return case.settled(_living_owner(context, owner), lock_types.LIVE_HOLDER, sure, *evidence)
    if case.guess.shared:
        return case.settled(
            LockOwner(owner, state="other-process"), lock_types.OTHER_PROCESS, PROBABLE,
            f"thread {owner} is not in this process; the lock is shared between processes",
        )  # fmt: skip
    process = context.target.process()
    parent = None if isinstance(process, Absent) else process.ppid
    gone = context.vanished.find(tid=owner)
    forker = fork.old_tids if fork.forker_old_tid is None else (fork.forker_old_tid,)
    # The vanished threads bear the old numbers as well: what is known about one comes first.
    if fork.forked and not gone and owner in (*forker, parent if fork.from_main_thread else None):
        return case.settled(
            LockOwner(owner, state="forker-old-tid"), lock_types.OWN_LOCK_UNDER_OLD_TID,
            PROBABLE,
            f"{owner} is the forking thread's number in the parent",
        )  # fmt: skip
    if fork.forked:
        sure = CERTAIN if gone is not None or fork.from_main_thread else PROBABLE
        ident, name = (gone.ident, gone.name) if gone is not None else (None, None)
        return case.settled(
            LockOwner(owner, ident, name, "vanished"), lock_types.INHERITED_OWNER_VANISHED, sure,
            f"thread {owner} does not exist here", *_describe_fork_evidence(context),
        )  # fmt: skip
    return case.settled(
        LockOwner(owner), lock_types.UNKNOWN, INFO,
        f"thread {owner} is not in the core, and no fork is proven",
    )  # fmt: skip


def _settle_by_owner_pthread(case: _UnsettledWait, owner: int) -> LockWait:
    """The lock names its owner's pthread_t; a later thread may have got the same one."""
    context, guess = case.context, case.guess
    tid = context.tid_of_pthread(owner)
    gone = context.vanished.find(ident=owner)
    if tid is not None and (gone is None or not context.fork.forked):
        if _may_be_of_ended_thread(case, tid):
            wait = case.settled(
                _living_owner(context, tid), lock_types.LIVE_HOLDER, INFO,
                f"thread {tid} is in the core; threads that started before it have ended, and no "
                "code that it runs has taken the lock",
            )  # fmt: skip
            return wait._replace(doubt=OR_ENDED_THREAD)
        verdict = lock_types.SELF_DEADLOCK if tid == case.thread.tid else lock_types.LIVE_HOLDER
        return case.settled(
            _living_owner(context, tid), verdict, CERTAIN, f"thread {tid} is in the core"
        )
    if tid is not None and gone is not None:
        return case.settled(
            LockOwner(tid, owner), lock_types.UNKNOWN, INFO,
            f"ambiguous: thread {tid} and a vanished thread have the pthread_t {owner:#x}",
        )  # fmt: skip
    if context.fork.forked:
        name = gone.name if gone is not None else None
        verdict = (
            lock_types.GIL_INHERITED
            if guess.kind == lock_types.GIL
            else lock_types.INHERITED_OWNER_VANISHED
        )
        sure = CERTAIN if gone is not None or context.fork.parent_multithreaded else PROBABLE
        return case.settled(
            LockOwner(gone.tid if gone else None, owner, name, "vanished"), verdict, sure,
            f"no thread here has the pthread_t {owner:#x} that the lock names",
            *_describe_fork_evidence(context),
        )  # fmt: skip
    return case.settled(
        LockOwner(ident=owner), lock_types.UNKNOWN, INFO,
        f"no thread in the core has the pthread_t {owner:#x}, and no fork is proven",
    )  # fmt: skip


def _may_be_of_ended_thread(case: _UnsettledWait, tid: int) -> bool:
    """Tell whether an RLock may have been taken by an ended thread whose pthread_t `tid` now has.

    glibc gives a new thread the stack of one that has ended, and with it the same pthread_t.
    """
    view, guess = case.context.python_view, case.guess
    if (
        view is None
        or guess.kind != RLOCK
        or not guess.object
        or not view.has_earlier_thread_ended(tid)
    ):
        return False
    acquired = case.context.acquire_calls
    takers = [block.tid for block in view.with_blocks_of_lock(guess.object)]
    takers += [
        taken.tid for taken in (acquired.frames_that_acquired(guess.object) if acquired else ())
    ]
    return tid not in takers


def _settle_by_with_block(case: _UnsettledWait, blocks: Sequence[WithBlock]) -> LockWait:
    """A frame keeps the lock's `__exit__` for the end of its `with` block."""
    block = blocks[0]
    if len(blocks) > 1:
        # Prefer a holder that does not itself wait for the lock: a block may release its lock by
        # hand and take it again, then two frames have its `__exit__`.
        threads = case.context.target.threads()
        others = {thread.tid for thread in threads if _sleeps_on_same_word(case, thread)}
        waiting = {case.thread.tid} | others
        block = min(blocks, key=lambda block: block.tid in waiting)
    evidence = (
        f"{block.where()} is inside `with` of this lock (its frame is below the running "
        "instruction's handler, so the block was entered)"
    )
    if block.vanished:
        return case.settled(
            LockOwner(block.tid, block.ident, block.thread_name, "vanished"),
            lock_types.INHERITED_HOLDER_FRAME_VANISHED, CERTAIN, f"vanished frame: {evidence}",
            *_describe_fork_evidence(case.context),
        )  # fmt: skip
    owner = LockOwner(block.tid, block.ident, block.thread_name, "live")
    if block.tid != case.thread.tid:
        return case.settled(
            owner, lock_types.LIVE_HOLDER, CERTAIN, f"thread {block.tid}: {evidence}"
        )
    view = case.context.python_view
    frames = view.frames(case.thread.tid) if view is not None else ()
    if not frames or frames[0].address != block.frame.address:
        return case.settled(
            owner, lock_types.SELF_DEADLOCK, CERTAIN, f"thread {block.tid}: {evidence}"
        )
    return case.settled(
        owner, lock_types.SELF_DEADLOCK, PROBABLE, f"thread {block.tid}: {evidence}",
        "the same function waits for it: not ruled out is that it released the lock by hand before",
    )  # fmt: skip


def _settle_ownerless_event(case: _UnsettledWait) -> LockWait:
    """Nobody holds an event or a queue: another thread has to notify, put or release."""
    context = case.context
    nobody = f"nobody holds this ({case.guess.kind}): another thread has to wake this one"
    if case.call.timed:
        nobody += ", or its timeout ends the wait"
    alone = _is_alone_in_child(context)
    if not alone and not case.guess.unattended:
        return case.settled(LockOwner(state="none"), lock_types.UNKNOWN, INFO, nobody)
    who = "no other thread exists that could do so" if alone else "none of those here does so"
    return case.settled(
        LockOwner(state="vanished"),
        lock_types.LOST_WAKEUP,
        PROBABLE,
        nobody,
        who,
        *_describe_fork_evidence(context),
    )


def _settle_without_named_owner(case: _UnsettledWait) -> LockWait:
    """A lock without an owner is probably inherited when nobody else here could hold it."""
    context, guess = case.context, case.guess
    if not guess.anonymous:
        return case.settled(LockOwner(state="unknown"), lock_types.UNKNOWN, INFO)
    view = context.python_view
    taken = _frames_with_explicit_acquire(case)
    if len(taken) == 1 and not _tried_lock_before(case, taken[0]):
        return _settle_by_explicit_acquire(case, taken[0])
    if guess.internal and (interrupted := _settle_by_interrupted_code(case)) is not None:
        return interrupted
    if not _is_alone_in_child(context):
        # Frames of other threads whose variables refer to the lock: weaker than a block.
        frames = (
            view.describe_referring_frames(guess.lock, case.thread.tid)
            if view and guess.lock
            else []
        )
        return case.settled(
            LockOwner(state="unknown"), lock_types.UNKNOWN, INFO,
            *(f"weak: {text} refers to the lock, which does not prove that it holds it"
              for text in frames),
            "held by whom cannot be told: the lock stores no owner",
        )  # fmt: skip
    verdict = (
        lock_types.INHERITED_INTERNAL_LOCK if guess.internal else lock_types.PROBABLE_INHERITED
    )
    evidence = ["the waiting thread is the only one, so no living thread can release it"]
    evidence += _describe_fork_evidence(context)
    if not guess.internal:
        evidence.append(
            "not ruled out: this thread took the lock by acquire() before (self-deadlock)"
        )
    return case.settled(LockOwner(state="unknown"), verdict, PROBABLE, *evidence)


def _frames_with_explicit_acquire(case: _UnsettledWait) -> Sequence[AcquiredLock]:
    """Return the frames whose code called acquire() on this locked lock without a release()."""
    view, lock = case.context.python_view, case.guess.lock
    if view is None or not lock or case.guess.internal:
        return ()
    seen_lock = view.locks.lock_at(lock)
    acquired = case.context.acquire_calls
    if seen_lock is None or seen_lock.locked is False or acquired is None:
        return ()
    return acquired.frames_that_acquired(lock)


def _settle_by_explicit_acquire(case: _UnsettledWait, taken: AcquiredLock) -> LockWait:
    """Only one thread's code called acquire() on the lock and has not released it."""
    owner = _living_owner(case.context, taken.tid)
    evidence = (
        f"{taken.where()} took it by acquire(), and up to where it is now its code has not "
        "released it"
    )
    # Whether a thread may wait on a lock of its own until a signal handler releases it. A lock
    # taken twice by one function is a way to sleep; one that an outer function holds is none.
    view, thread = case.context.python_view, case.thread
    frames = view.frames(thread.tid) if view is not None else ()
    if (
        view is not None
        and taken.tid == thread.tid
        and frames[:1] == (taken.frame,)
        and view.has_global(taken.frame, "signal")
    ):
        return case.settled(
            owner, lock_types.UNKNOWN, INFO, f"thread {taken.tid}: {evidence}",
            "the same function waits for it, and its module handles signals: a handler may be "
            "meant to release it",
        )  # fmt: skip
    doubt = "not ruled out: a branch that was not run, or a thread that ended holding the lock"
    verdict = lock_types.SELF_DEADLOCK if taken.tid == case.thread.tid else lock_types.LIVE_HOLDER
    unless = UNLESS_FAILED if taken.may_have_failed else ""
    acquired = case.context.acquire_calls
    if not unless and acquired is not None and acquired.may_be_of_replaced_lock(taken):
        unless = UNLESS_REPLACED
    wait = case.settled(
        owner, verdict, INFO if unless else PROBABLE, f"thread {taken.tid}: {evidence}", doubt
    )
    return wait._replace(doubt=unless)


def _tried_lock_before(case: _UnsettledWait, taken: AcquiredLock) -> bool:
    """Tell whether the function that waits tried to take the lock before, which may have failed.

    `if not lock.acquire(blocking=False): log("busy"); lock.acquire()` holds nothing.
    """
    view = case.context.python_view
    frames = view.frames(case.thread.tid) if view is not None else ()
    return taken.may_have_failed and frames[:1] == (taken.frame,)


def _settle_by_interrupted_code(case: _UnsettledWait) -> LockWait | None:
    """The thread runs a signal handler, and the code that it interrupted takes the same lock.

    Functions of the C library that lock are not async-signal-safe for this reason (POSIX.1-2017,
    2.4.3). None where another thread is in such a function and does not wait for the lock too: it
    may hold it, also while it sleeps in a file or a socket. malloc() sleeps in none, and its
    return addresses are left over on many stacks.
    """
    from gdb_epi.fault.find_fault import thread_before_each_handler

    context, thread, kind = case.context, case.thread, case.guess.kind
    met = next(iter(thread_before_each_handler(context.target, thread)), None)
    inside = libc_function_taking(context.target, met, kind) if met is not None else None
    if inside is None:
        return None
    for other in context.target.threads():
        sleeps = not other.registers.get(other.architecture.call, NO_CALL) >> 63
        if (
            other.tid == thread.tid
            or _sleeps_on_same_word(case, other)
            or (sleeps and kind == ALLOCATOR)
        ):
            continue
        if libc_function_taking(context.target, other, kind) is not None:
            return None
    runs = f"a signal handler runs in this thread, and it interrupted {inside}()"
    owner, evidence = _living_owner(context, thread.tid), f"{runs}, which takes this lock"
    wait = case.settled(owner, lock_types.SELF_DEADLOCK, PROBABLE, evidence)
    return wait._replace(in_handler=True)


def _sleeps_on_same_word(case: _UnsettledWait, thread: Thread) -> bool:
    """Tell whether a thread sleeps on the same futex word as this wait."""
    return (
        thread.system_call_name == "futex" and thread.system_call_argument(0) == case.call.address
    )


def _is_alone_in_child(context: LockContext) -> bool:
    fork = context.fork
    return bool(len(context.target.threads()) == 1 and fork.forked and fork.parent_multithreaded)


def _describe_fork_evidence(context: LockContext) -> list[str]:
    names = [s.name for s in context.fork.signals if s.sure == "certain"]
    return [f"forked child of a multithreaded parent ({', '.join(names)})"] if names else []


def _living_owner(context: LockContext, tid: int) -> LockOwner:
    base = context.pthreads_by_tid.get(tid) or None
    view = context.python_view
    return LockOwner(tid, base, view.thread_names.get(tid) if view is not None else None, "live")


def read_futex_call(context: LockContext, thread: Thread) -> FutexWait | None:
    """Return the futex call that a thread is stopped in, or None."""
    machine, registers = thread.architecture, thread.registers
    names = (machine.pc, machine.result, machine.call, *machine.arguments[:3])
    if any(name not in registers for name in names):
        return None
    # The kernel writes -1 as the number when there is nothing to restart.
    if thread.system_call_name != "futex":
        return None
    in_call = is_in_system_call(context.target, thread)
    if in_call is False or (in_call is None and registers[machine.result] not in INTERRUPTED):
        return None
    operation, address = thread.system_call_argument(1) & 0xFFFFFFFF, thread.system_call_argument(0)
    command = operation & FUTEX_MASK
    if command not in FUTEX_WAITS or address % 4:
        return None
    value = thread.system_call_argument(2) & 0xFFFFFFFF
    timed = bool(thread.system_call_argument(3))  # struct timespec *
    proof = (
        f"registers: {machine.call} {registers[machine.call]}, {machine.arguments[0]} "
        f"{address:#018x}, operation {operation} ({FUTEX_WAITS[command]}), expected value {value}; "
    )
    at = "before" if machine.call in machine.registers else "at or before"
    proof += f"a syscall instruction {at} {machine.pc}" if in_call else "its text is absent"
    return FutexWait(thread.tid, address, operation, value, proof + "; timed" * timed, timed)


def find_futex_waits(context: LockContext, thread: Thread) -> Iterator[LockWait]:
    """Yield the lock that a thread waits for in futex(2)."""
    call = read_futex_call(context, thread)
    if call is None:
        return
    yield settle_owner_and_verdict(context, thread, call, classify_futex(context, thread, call))


def classify_futex(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess:
    """Ask the classifiers in order; a word that none recognises is a "futex word".

    Those for glibc's locks are not asked about another C library.
    """
    other = describe_caller_of_system_call(context.target, thread)
    if other is None and context.runs_on_musl:
        other = NOT_JUDGED
    for name, (of_libc, function) in sorted(CLASSIFIERS.items()):
        if of_libc and other is not None:
            continue
        try:
            guess = function(context, thread, call)
        except (UnreadableMemory, LayoutError) as error:
            subject = f"{name.rpartition('.')[2]}, thread {thread.tid}"
            context.soft_errors.append(SoftError("locks", subject, str(error)))
            continue
        if guess is not None:
            return guess
    words = [read_u32(context.target, call.address + 4 * i) for i in range(4)]
    if None in words:
        return LockGuess(FUTEX_WORD, evidence=("the words there are not in the core",))
    evidence = f"the words there are {words}: no lock that is known"
    return LockGuess(FUTEX_WORD, evidence=(evidence, *((other,) if other is not None else ())))


def classify_thread_activity(target: Target, thread: Thread) -> ThreadRunState:
    """Tell from the registers whether a thread sleeps in a system call, and in which."""
    register = thread.architecture.call
    number = thread.registers.get(register)
    if number is None or thread.architecture.pc not in thread.registers:
        return ThreadRunState(thread.tid, "unknown", "", "the core holds no registers of it")
    if number >> 63 or is_at_system_call(target, thread) is False:
        if thread.system_call_name == "sched_yield":
            return ThreadRunState(
                thread.tid, "running", "sched_yield", "it yields: perhaps it spins"
            )
        what = f"no syscall instruction before {thread.architecture.pc}"
        return ThreadRunState(thread.tid, "running", "", what)
    if is_in_system_call(target, thread) is False:
        name = thread.system_call_name or f"system call {number}"
        return ThreadRunState(thread.tid, "running", "", f"{name} has returned")
    if thread.system_call_name == "futex":
        return ThreadRunState(thread.tid, "futex", "futex", f"{register} {number}")
    name = thread.system_call_name or f"system call {number}"
    return ThreadRunState(
        thread.tid, "system call", name, f"{register} {number}: {name}, not a lock"
    )
