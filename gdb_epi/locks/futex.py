# SPDX-License-Identifier: Apache-2.0
"""Threads stopped in futex(2): which word they wait for, what lock it is, who owns it.

The registers say it without symbols and without an unwinder: the kernel keeps orig_rax, rdi
(address), rsi (operation) and rdx (expected value) of the interrupted system call.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.fault import read_up_to
from gdb_epi.lean import NamedTuple
from gdb_epi.locks import types as t
from gdb_epi.locks.context import LockContext, family, u32
from gdb_epi.locks.pylock import LockObject, find_lock_object
from gdb_epi.target.api import Thread

SYS_FUTEX = 202
SYSCALL = b"\x0f\x05"
COMMANDS = {
    0: "FUTEX_WAIT",
    6: "FUTEX_LOCK_PI",
    9: "FUTEX_WAIT_BITSET",
    11: "FUTEX_WAIT_REQUEUE_PI",
}
PRIVATE = 0x80
COMMAND_MASK = 0x7F
_RESTART = frozenset(((1 << 64) - 512, (1 << 64) - 514, (1 << 64) - 516))  # ERESTART*
_REGISTERS = ("rip", "rax", "orig_rax", "rdi", "rsi", "rdx")
MAX_TID = 1 << 22  # PID_MAX_LIMIT
MAX_USERS = 1000
STACK_WINDOW = 1 << 16  # a PyMutex waits on a word of its own frame, this near to rsp


class FutexWait(NamedTuple):
    """The system call that a thread is stopped in."""

    tid: int
    address: int
    operation: int
    value: int
    proof: str

    @property
    def shared(self) -> bool:
        """Whether the word may be shared with another process."""
        return not self.operation & PRIVATE


def futex_wait(context: LockContext, thread: Thread) -> FutexWait | None:
    """Return the futex call that a thread is stopped in, or None."""
    registers = thread.registers
    if any(name not in registers for name in _REGISTERS):
        return None
    # The kernel writes -1 into orig_rax when it restarts nothing; only 202 is a futex call.
    if registers["orig_rax"] != SYS_FUTEX:
        return None
    before = read_up_to(context.target, registers["rip"] - 2, 2)
    if len(before) == 2 and before != SYSCALL:
        return None
    if len(before) < 2 and registers["rax"] not in _RESTART:
        return None
    operation, address = registers["rsi"] & 0xFFFFFFFF, registers["rdi"]
    if operation & COMMAND_MASK not in COMMANDS or address % 4:
        return None
    text = "a syscall instruction before rip" if len(before) == 2 else "its text is absent"
    proof = (
        f"registers: orig_rax {SYS_FUTEX}, rdi {address:#018x}, operation {operation} "
        f"({COMMANDS[operation & COMMAND_MASK]}), expected value {registers['rdx'] & 0xFFFFFFFF}; "
        f"{text}"
    )
    return FutexWait(thread.tid, address, operation, registers["rdx"] & 0xFFFFFFFF, proof)


@family("futex")
def futex_waits(context: LockContext, thread: Thread) -> Iterator[t.Wait]:
    """Yield the lock that a thread waits for in futex(2)."""
    call = futex_wait(context, thread)
    if call is None:
        return
    if call.shared:
        yield _wait(
            call, "shared-memory futex", None, _owner("other-process"), t.OTHER_PROCESS, t.CERTAIN,
            ["the operation is not process-private: another process may hold it"],
        )  # fmt: skip
    elif _in_runtime(context, call.address):
        yield _wait(
            call, "GIL", None, _gil_owner(context), t.UNKNOWN, t.INFO,
            ["the word lies inside _PyRuntime, where CPython keeps the GIL"],
        )  # fmt: skip
    elif abs(call.address - thread.registers["rsp"]) < STACK_WINDOW:
        yield _wait(
            call, "PyMutex or parking lot", None, _owner("unknown"), t.UNKNOWN, t.INFO,
            ["the word lies on the thread's own stack"],
        )  # fmt: skip
    else:
        yield _by_words(context, thread, call)


def _in_runtime(context: LockContext, address: int) -> bool:
    """The GIL and its condition variable lie in _PyRuntime (3.12+: the main interpreter's)."""
    python = context.python
    if not isinstance(python, PythonState):
        return False
    size = python.layout.size("_PyRuntimeState")
    return size is not None and 0 <= address - python.runtime < size


def _by_words(context: LockContext, thread: Thread, call: FutexWait) -> t.Wait:
    """Tell a mutex from a semaphore by the words at the address."""
    words = [u32(context.target, call.address + 4 * i) for i in range(4)]
    if call.value == 2 and words[0] == 2:
        owner, users = words[2], words[3]
        if (
            owner is not None
            and users is not None
            and 0 < owner < MAX_TID
            and 0 < users < MAX_USERS
        ):
            return _mutex(context, thread, call, owner)
        return _inherited_or_unknown(context, thread, call, "internal lock of a library", None, [])
    if call.value == 0 and words[0] == 0:
        found = _lock_object(context, call)
        extra = [] if isinstance(found, LockObject) else [found.detail]
        lock = found if isinstance(found, LockObject) else None
        kind = lock.kind if lock is not None else "semaphore"
        return _inherited_or_unknown(context, thread, call, kind, lock, extra)
    return _wait(
        call, "futex word", None, _owner("unknown"), t.UNKNOWN, t.INFO,
        [f"the words there are {words}: no lock that is known"],
    )  # fmt: skip


def _lock_object(context: LockContext, call: FutexWait) -> LockObject | Absent:
    if not context.budget.spend():
        return Absent(
            NOT_AVAILABLE, "whose it is was not searched for: the budget for searches is spent"
        )
    return find_lock_object(context.target, context.python, call.address, call.tid)


def _mutex(context: LockContext, thread: Thread, call: FutexWait, owner: int) -> t.Wait:
    """A pthread mutex names its owner's thread id."""
    kind, fork = "pthread mutex", context.fork
    said = [f"the mutex words name thread {owner} as owner"]
    if owner == thread.tid:
        return _wait(
            call, kind, None, _owner("live", owner), t.SELF_DEADLOCK, t.CERTAIN,
            [*said, "which is the waiting thread itself"],
        )  # fmt: skip
    if any(owner == other.tid for other in context.target.threads()):
        return _wait(
            call, kind, None, _owner("live", owner), t.LIVE_HOLDER, t.CERTAIN,
            [*said, "which is in the core"],
        )  # fmt: skip
    process = context.target.process()
    parent = None if isinstance(process, Absent) else process.ppid
    if fork.forked and owner in (*fork.old_tids, parent if fork.from_main_thread else None):
        return _wait(
            call, kind, None, _owner("forker-old-tid", owner), t.OWN_LOCK_UNDER_OLD_TID,
            t.PROBABLE, [*said, "which is the forking thread's number in the parent"],
        )  # fmt: skip
    if fork.forked:
        sure = t.CERTAIN if fork.from_main_thread else t.PROBABLE
        return _wait(
            call, kind, None, _owner("vanished", owner), t.INHERITED_OWNER_VANISHED, sure,
            [*said, "which does not exist here", *_fork_said(context)],
        )  # fmt: skip
    return _wait(
        call, kind, None, _owner("unknown", owner), t.UNKNOWN, t.INFO,
        [*said, "which is not in the core, and no fork is proven"],
    )  # fmt: skip


def _inherited_or_unknown(
    context: LockContext,
    thread: Thread,
    call: FutexWait,
    kind: str,
    lock: LockObject | None,
    extra: list[str],
) -> t.Wait:
    """Rule (c): a lock without an owner word is probably inherited when nobody else could hold it.

    No living frame may be inside a `with` block of it. Not ruled out is an acquire() without a
    block, unless the block of a vanished frame shows.
    """
    holder = _rlock_owner(context, lock)
    said = [*(lock.evidence if lock is not None else ()), *extra]
    if lock is not None and lock.owner and holder.state == "live":
        return _wait(call, kind, lock, holder, t.LIVE_HOLDER, t.CERTAIN, said)
    inside = _inside_block(context, thread, call, kind, lock, said)
    if inside is not None:
        return inside
    alone = len(context.target.threads()) == 1
    if not (alone and context.fork.forked and context.fork.parent_multithreaded):
        said.append("held by whom cannot be told: the lock stores no owner")
        return _wait(call, kind, lock, holder, t.UNKNOWN, t.INFO, said)
    said += ["the waiting thread is the only one, so no living thread can release it"]
    said += _fork_said(context)
    if not (lock is not None and lock.holders.elsewhere):
        said.append("not ruled out: this thread took the lock by acquire() before (self-deadlock)")
    gone = holder if holder.state == "vanished" else _owner("unknown")
    return _wait(call, kind, lock, gone, t.PROBABLE_INHERITED, t.PROBABLE, said)


def _inside_block(
    context: LockContext,
    thread: Thread,
    call: FutexWait,
    kind: str,
    lock: LockObject | None,
    said: list[str],
) -> t.Wait | None:
    """Return the wait when a living frame is inside a `with` block of the lock, else None."""
    if lock is None:
        return None
    for holder in lock.holders.living:
        owner = t.Owner(holder.tid, None, None, "live")
        said = [*said, f"{holder.function} of thread {holder.tid} is inside `with` of this lock"]
        verdict = t.SELF_DEADLOCK if holder.tid == thread.tid else t.LIVE_HOLDER
        return _wait(call, kind, lock, owner, verdict, t.PROBABLE, said)
    if lock.holders.elsewhere:
        said.append(
            f"an __exit__ of this lock at {lock.holders.elsewhere[0]:#018x} is alive, and no "
            "frame of a living thread refers to it: the `with` block belongs to another stack"
        )
    return None


def _rlock_owner(context: LockContext, lock: LockObject | None) -> t.Owner:
    """An RLock stores the owner's pthread_t."""
    if lock is None or not lock.owner:
        return _owner("unknown")
    for thread in context.target.threads():
        if thread.registers.get("fs_base") == lock.owner:
            return t.Owner(thread.tid, lock.owner, None, "live")
    state = "vanished" if context.fork.forked else "unknown"
    return t.Owner(None, lock.owner, None, state)


def _fork_said(context: LockContext) -> list[str]:
    names = [s.name for s in context.fork.signals if s.sure == "certain"]
    return [f"forked child of a multithreaded parent ({', '.join(names)})"] if names else []


def _gil_owner(context: LockContext) -> t.Owner:
    python = context.python
    holder = python.gil_holder if isinstance(python, PythonState) else None
    return _owner("unknown") if holder is None else _owner("live", holder)


def _owner(state: str, tid: int | None = None) -> t.Owner:
    return t.Owner(tid, None, None, state)


def _wait(
    call: FutexWait,
    kind: str,
    lock: LockObject | None,
    owner: t.Owner,
    verdict: str,
    confidence: str,
    said: list[str],
) -> t.Wait:
    return t.Wait(
        tid=call.tid,
        address=call.address,
        kind=kind,
        name=lock.name if lock is not None else None,
        object=lock.address if lock is not None else None,
        owner=owner,
        verdict=verdict,
        confidence=confidence,
        evidence=(call.proof, *said),
    )
