# SPDX-License-Identifier: Apache-2.0
"""Locks of the C library, told apart by the words around the futex address.

Members and their places are public ABI of glibc x86-64 (sysdeps/nptl/bits/struct_mutex.h,
struct_rwlock.h, thread-shared-types.h, sysdeps/nptl/internaltypes.h), the same from 2.31 to 2.42
unless a comment says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.fault.memory_reads import read_u32, read_u64
from gdb_epi.fault.stdio_files import FILE_LOCK, FILE_NUMBER, stdio_files
from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, futex_classifier
from gdb_epi.locks.types import CONDITION
from gdb_epi.target.api import Thread, module_at
from gdb_epi.target.derived_registers import FUTEX_MASK
from gdb_epi.target.symbols import symbolize

MAX_TID = 1 << 22  # PID_MAX_LIMIT
MAX_USERS = 1 << 16
MAX_UNWOUND = 8  # frames of libc between a sleeper and who called it
DESCRIPTOR = 4096  # more than sizeof(struct pthread) of any glibc
WAITERS, OWNER_DIED, TID_MASK = 1 << 31, 1 << 30, (1 << 30) - 1  # linux/futex.h
LOCK_PI, WAIT_BITSET = 6, 9
# Bits of __kind in a pthread_mutex_t (nptl/pthreadP.h).
_KINDS = {0: "normal", 1: "recursive", 2: "error-checking", 3: "adaptive"}
ROBUST, INHERIT, PROTECT, SHARED = 16, 32, 64, 128


def _read_u32_words(context: LockContext, address: int, count: int) -> list[int | None]:
    return [read_u32(context.target, address + 4 * i) for i in range(count)]


@futex_classifier(10)
def classify_joined_thread(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """pthread_join() sleeps on a word of the other thread's descriptor that the kernel clears.

    Hence the call is not process-private although nobody else takes part. Up to glibc 2.42 the word
    is the tid field, later another one.
    """
    if not call.may_be_shared or not call.value or context.runs_on_musl:
        return None
    size = DESCRIPTOR
    symbol = context.target.symbol("_thread_db_sizeof_pthread")
    stored_size = read_u32(context.target, symbol) if symbol is not None else None
    if stored_size is not None and 0 < stored_size < DESCRIPTOR:
        size = stored_size
    for tid, base in context.pthreads_by_tid.items():
        if not base or tid == thread.tid or not 0 <= call.address - base < size:
            continue
        evidence = f"the word lies {call.address - base} bytes into thread {tid}'s descriptor"
        return LockGuess("pthread_join", owner_tid=tid, evidence=(evidence,))
    return None


@futex_classifier(50, of_libc=True)
def classify_mutex(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """A pthread_mutex_t: {lock, count, owner, nusers, kind}."""
    word, count, owner, users, kind = _read_u32_words(context, call.address, 5)
    if word is None or owner is None or users is None or kind is None or count is None:
        return None
    base = kind & 3
    robust = bool(word & TID_MASK) and word & TID_MASK == owner and word > 2
    held = word == 2 == call.value or (robust and call.value in (word, 0, word & TID_MASK))
    if call.operation & FUTEX_MASK == LOCK_PI:
        held = bool(word & TID_MASK)
        owner = owner or word & TID_MASK
    if not held or not 0 < owner < MAX_TID or users > MAX_USERS or kind >> 12:
        return None
    if not robust and not users and call.operation & FUTEX_MASK != LOCK_PI:
        return None
    if context.target.region_at(users << 32 | owner) is not None:
        # A plain lock of libc's, and a pointer after it. Arenas of threads are aligned to 64 MB,
        # so the low half of a pointer to the start of one looks like a tid once in 64 times.
        return None
    names = [name for bit, name in (
        (ROBUST, "robust"), (INHERIT, "priority-inheriting"), (SHARED, "process-shared"),
    ) if kind & bit]  # fmt: skip
    evidence = f"the mutex words name thread {owner} as owner (kind {kind}: {_KINDS[base]}"
    evidence += "".join(f", {name}" for name in names) + ")"
    shared = bool(kind & SHARED) or call.may_be_shared
    sort = f" ({', '.join([_KINDS[base], *names])})" if base or names else ""
    return LockGuess(f"pthread mutex{sort}", owner_tid=owner, shared=shared, evidence=(evidence,))


@futex_classifier(55, of_libc=True)
def classify_stdio_file(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """_IO_lock_t: {lock, count, owner: pthread_t}."""
    word, count = _read_u32_words(context, call.address, 2)
    owner = read_u64(context.target, call.address + 8)
    if call.may_be_shared or call.value != 2 or word != 2:
        return None
    if count is None or count > MAX_USERS or not owner:
        return None
    file = next(
        ((at, n) for at, lock, n in _locks_of_stdio_files(context) if lock == call.address), None
    )
    live = context.tid_of_pthread(owner) is not None
    gone = context.vanished.find(ident=owner) is not None
    if file is None and not live and not gone:
        return None
    name = None
    if file is not None:
        standard = {0: "stdin", 1: "stdout", 2: "stderr"}
        name = standard.get(file[1], f"FILE of descriptor {file[1]}")
    evidence = f"the lock words name the pthread_t {owner:#x} as owner"
    where = (f"it is the lock of the FILE at {file[0]:#x}",) if file is not None else ()
    return LockGuess(
        "stdio FILE", name=name, object=file[0] if file else None, owner_ident=owner,
        evidence=(evidence, *where),
    )  # fmt: skip


def _locks_of_stdio_files(context: LockContext) -> Iterator[tuple[int, int, int]]:
    """Yield (FILE *, its lock, its descriptor) of all streams that glibc lists."""
    for at in stdio_files(context.target):
        lock = read_u64(context.target, at + FILE_LOCK)
        number = read_u32(context.target, at + FILE_NUMBER)
        if lock is None or number is None:
            return
        yield at, lock, number


@futex_classifier(60, of_libc=True)
def classify_rwlock(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """pthread_rwlock_t: readers, writers, wrphase_futex, writers_futex, 2 pads, cur_writer, shared.

    Waiters sleep on wrphase_futex (+8) or writers_futex (+12) in FUTEX_WAIT_BITSET; the value has
    bit 1 set. (tcmalloc's spin locks have the same words and sleep in FUTEX_WAIT.)
    """
    if call.value not in (2, 3) or call.operation & FUTEX_MASK != WAIT_BITSET:
        return None
    for offset in (8, 12):
        words = _read_u32_words(context, call.address - offset, 8)
        if any(word is None for word in words):
            continue
        readers, writers, phase, futex, pad, pad2, writer, shared = words
        assert readers is not None and writer is not None and writers is not None
        waiting = phase if offset == 8 else futex
        plausible = not pad and not pad2 and writer < MAX_TID and shared in (0, 1)
        plausible = plausible and writers <= MAX_USERS and readers >> 3 <= MAX_USERS
        if not plausible or waiting not in (2, 3) or not (readers or writer):
            continue
        if writer:
            evidence = f"the rwlock words name thread {writer} as writer"
            return LockGuess(
                "pthread rwlock", owner_tid=writer, shared=bool(shared) or call.may_be_shared,
                evidence=(evidence,), object=call.address - offset,
            )  # fmt: skip
        evidence = f"{readers >> 3} readers hold the rwlock; it does not say which threads they are"
        return LockGuess(
            "pthread rwlock", evidence=(evidence,), object=call.address - offset,
            shared=bool(shared) or call.may_be_shared, anonymous=True,
        )  # fmt: skip
    return None


@futex_classifier(65, of_libc=True)
def classify_semaphore(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """sem_t: 64-bit {value, number of waiters}, private (0, or 128 when shared)."""
    value, waiters, private = _read_u32_words(context, call.address, 3)
    if call.value or value or not waiters or waiters > MAX_USERS or private not in (0, 128):
        return None
    # Memory of a heap may look like a condition around it: then the stack decides.
    if _condition_of_signal_word(
        context, call
    ) is not None and not _sleeps_outside_condition_functions(context, thread):
        return None
    evidence = f"the words are a sem_t of value 0 with {waiters} waiters, which stores no owner"
    return LockGuess("semaphore", evidence=(evidence,), shared=call.may_be_shared, anonymous=True)


def _sleeps_outside_condition_functions(context: LockContext, thread: Thread) -> bool:
    """Whether a thread sleeps in libc, called from other code, and in no function of conditions."""
    for frame in islice(context.unwinder.walk(thread.registers), MAX_UNWOUND):
        name = symbolize(context.target, frame.pc)
        if name.lstrip("_").startswith(("pthread_cond", "cnd_")):
            return False
        module = module_at(context.target, frame.pc)
        if module is None:
            return False
        if not module.path.rpartition("/")[2].startswith(("libc", "libpthread")):
            return True
    return False


@futex_classifier(70, of_libc=True)
def classify_condition(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """pthread_cond_t: sleepers wait on one of two words, __g_signals."""
    at = _condition_of_signal_word(context, call)
    if at is None:
        return None
    evidence = (f"the word is a signal counter of the condition variable at {at:#x}",)
    return LockGuess(CONDITION, object=at, shared=call.may_be_shared, event=True, evidence=evidence)


def _condition_of_signal_word(context: LockContext, call: FutexWait) -> int | None:
    """Return the pthread_cond_t whose __g_signals holds the word.

    2.25 to 2.41: wseq, g1_start, g_refs[2], g_size[2], g1_orig_size, wrefs, g_signals[2].
    2.42 dropped g_refs, so that what follows lies 8 bytes lower.
    """
    for signals, references, size in ((40, 36, 24), (32, 28, 16)):
        for slot in (0, 4):
            at = call.address - signals - slot
            sequence, start = read_u64(context.target, at), read_u64(context.target, at + 8)
            waiters = read_u32(context.target, at + references)
            sizes = [read_u32(context.target, at + size + 4 * i) for i in (0, 1)]
            if sequence is None or start is None or waiters is None or None in sizes:
                continue
            # Two counters of waiters ever seen, whose lowest bit is a group number.
            if not 0 < sequence >> 1 < 1 << 48 or start >> 1 > sequence >> 1:
                continue
            if 0 < waiters >> 3 <= MAX_USERS and all((n or 0) <= MAX_USERS for n in sizes):
                return at
    return None


@futex_classifier(63, of_libc=True)
def classify_barrier(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """struct pthread_barrier: in, current_round, count, shared, out; sleepers on current_round."""
    entered, current, count, shared, left = _read_u32_words(context, call.address - 4, 5)
    if call.operation & FUTEX_MASK or call.value != current:  # never FUTEX_WAIT_BITSET
        return None
    if None in (entered, current, count, shared, left):
        return None
    assert entered is not None and count is not None and current is not None
    inside = entered - current
    if not 1 <= count <= MAX_USERS or shared not in (0, 128) or not 0 < inside < count:
        return None
    evidence = (f"{inside} of {count} threads have reached the barrier",)
    at = call.address - 4
    return LockGuess(
        "pthread barrier", object=at, evidence=evidence, event=True, shared=bool(shared)
    )


@futex_classifier(90)
def classify_libc_internal_lock(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """A lock of glibc's own: one word, 2 while somebody waits; nothing says who holds it."""
    word = read_u32(context.target, call.address)
    if call.may_be_shared or call.value != 2 or word != 2 or context.runs_on_musl:
        return None
    from gdb_epi.locks.waits.libc_lock_names import (
        innermost_object_outside_libc,
        internal_lock_name,
        libc_functions_on_stack,
    )

    callers = libc_functions_on_stack(context.target, thread)
    name, kind = internal_lock_name(context.target, call.address, callers)
    evidence = ["the word is 2 and stores no owner: a lock of a library's own"]
    library = None
    if name is None:
        library = innermost_object_outside_libc(context.target, thread, context.unwinder)
    file = library.path.rpartition("/")[2] if library is not None else ""
    if file and not file.startswith(("python", "libpython")):
        name = f"in {file}"
        evidence.append(f"the innermost code outside of the C library is {file}'s")
    if callers:
        evidence.append(f"return addresses on the stack lie in {', '.join(callers[:4])}")
    return LockGuess(kind, name=name, evidence=tuple(evidence), anonymous=True, internal=True)
