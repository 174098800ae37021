# SPDX-License-Identifier: Apache-2.0
"""Futex words that belong to Python: the GIL, PyMutex and the parking lot, and lock objects.

A lock object alone says little: Condition, Event, Queue and Thread.join all sleep on some Lock. The
innermost frames, of `threading`, `queue`, `concurrent.futures` and importlib, say which one it is.
Reference: Lib/threading.py, Lib/queue.py, Lib/importlib/_bootstrap.py, 3.8 to 3.15.

Threads that want the GIL and were caught awake: they poll it, every 5 ms by default.

No register shows it then. What does: the GIL is held by another thread, and the frames just above
the stack pointer keep the address of its mutex or condition variable, which only take_gil() and
drop_gil() handle. Leftovers of an earlier call cannot be told apart: probable at most.
Reference: Python/ceval_gil.c (take_gil), 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.runtime.gil import Gil
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32, read_up_to
from gdb_epi.locks.context import FutexWait, LockContext, LockGuess, futex_classifier, lock_family
from gdb_epi.locks.python.lock_objects import HANDLE, RLOCK, SEMLOCK, SIMPLE_QUEUE, LockObject
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import GIL, LIVE_HOLDER, PROBABLE, LockOwner, LockWait
from gdb_epi.locks.waits.futex import classify_thread_activity
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import Thread, module_at
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.locks.python.python_view import PythonView

MAX_FRAMES = 8  # innermost frames that may belong to the standard library
# The function of a frame outside of Condition.wait(), by module, function and its self's class.
_OUTER = {
    ("threading", "wait", "Event"): "threading.Event",
    ("threading", "acquire", "Semaphore"): "threading.Semaphore",
    ("threading", "acquire", "BoundedSemaphore"): "threading.Semaphore",
    ("threading", "__enter__", "Semaphore"): "threading.Semaphore",
    ("threading", "_wait", "Barrier"): "threading.Barrier",
    ("threading", "_enter", "Barrier"): "threading.Barrier",
    ("queue", "get", ""): "queue.Queue",
    ("queue", "put", ""): "queue.Queue",
    ("queue", "join", ""): "queue.Queue",
    ("concurrent.futures._base", "result", ""): "Future",
    ("concurrent.futures._base", "exception", ""): "Future",
    ("gevent._threading", "get", ""): "queue.Queue",
}
# gevent's own, of threads that stay native when all others are greenlets (gevent 20.12 to 26).
_CONDITIONS = {"threading": "Condition", "gevent._threading": "_Condition"}
_TAKES_WAIT_LOCK = ("gevent._threading", "acquire_with_timeout")
_JOINS = ("join", "_wait_for_tstate_lock")
_IMPORTLIB = ("importlib._bootstrap", "_frozen_importlib")
STACK_REACH = 1 << 16  # a parked thread sleeps on a word of its own frames, this near to rsp
OBJECT_REACH = 4 << 10  # from rsp on: the frames between sem_wait() and the method of a lock
MAX_MEMBERS = 16  # words of a lock's object
PARKED = "PyMutex or parking lot"
STACK_BYTES = 512  # from the stack pointer up
_STRUCT = "_gil_runtime_state"


def guess_by_library_frames(view: PythonView, tid: int) -> LockGuess | None:
    """Return what the standard library's frames say about a wait; None if none is innermost."""
    frames = view.frames(tid)[:MAX_FRAMES]
    if not frames:
        return None
    first = frames[0]
    if first.module in _IMPORTLIB and first.name == "acquire":
        return _guess_module_lock(view, first)
    if first.module == "threading" and first.name in _JOINS:
        return _guess_thread_join(view, frames)
    if (first.module, first.name) == _TAKES_WAIT_LOCK and frames[1:]:
        frames = frames[1:]
        first = frames[0]
    kind = _CONDITIONS.get(first.module or "")
    if kind and first.name == "wait" and _class_of_self(view, first) == kind:
        return _guess_condition_wait(view, frames)
    return None


def _class_of_self(view: PythonView, frame: PyFrame) -> str:
    """Return the class of a frame's self, without its module."""
    subject = view.variable(frame, "self")
    return view.type_name(subject).rpartition(".")[2] if subject else ""


def _guess_condition_wait(view: PythonView, frames: tuple[PyFrame, ...]) -> LockGuess:
    """Condition.wait() sleeps on a lock of its own that notify() releases."""
    kind, subject = "threading.Condition", view.variable(frames[0], "self")
    for frame in frames[1:]:
        if frame.name == "wait_for" and frame.module == "threading":
            continue
        place = frame.module or "", frame.name
        label = _OUTER.get((*place, "")) or _OUTER.get((*place, _class_of_self(view, frame)))
        if label is None:
            break
        kind, subject = label, view.variable(frame, "self")
    name = view.name_of_object(subject) if subject else None
    evidence = f"the innermost Python frames wait in {kind}"
    return LockGuess(kind, name=name, object=subject, event=True, evidence=(evidence,))


def _guess_thread_join(view: PythonView, frames: tuple[PyFrame, ...]) -> LockGuess:
    """Thread.join(): the other Thread object is `self`."""
    subject = next(
        (s for f in frames[:2] if f.name in _JOINS and (s := view.variable(f, "self"))), None
    )
    ident = view.integer_attribute(subject, "_ident")
    name = view.text_attribute(subject, "_name")
    evidence = f"the innermost Python frame joins thread {name or '?'}"
    return LockGuess(
        "Thread.join", name=name, object=subject, owner_ident=ident, evidence=(evidence,)
    )


def _guess_module_lock(view: PythonView, frame: PyFrame) -> LockGuess:
    """importlib's _ModuleLock: `owner` is an ident, `name` the module."""
    subject = view.variable(frame, "self")
    name = view.text_attribute(subject, "name")
    owner = view.integer_attribute(subject, "owner")
    evidence = f"the innermost Python frame takes the lock of module {name or '?'}"
    if owner:
        evidence += f"; its owner attribute is {owner:#x}"
    return LockGuess(
        "module lock", name=name, object=subject, owner_ident=owner, anonymous=not owner,
        evidence=(evidence,),
    )  # fmt: skip


@futex_classifier(20)
def classify_gil(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """The GIL of an interpreter: a mutex and a condition variable of _gil_runtime_state."""
    view = context.python_view
    if view is None:
        return None
    for interpreter in view.python.interpreters:
        gil = view.gil(interpreter.address)
        if gil is None or thread.tid not in gil.waiting:
            continue
        evidence = (
            f"the word lies in the GIL at {gil.address:#x}: the thread {gil.waiting[thread.tid]}"
        )
        holder = next((t for t in view.python.threads() if t.address == gil.holder), None)
        if holder is None:
            free = not gil.holder
            note = "nobody holds it at this moment" if free else "its holder is unknown"
            return LockGuess(
                GIL, object=gil.address, evidence=(evidence, note), anonymous=not free, free=free
            )
        return LockGuess(
            GIL, object=gil.address, evidence=(evidence,),
            owner_tid=holder.tid if holder.alive else None, owner_ident=holder.ident,
        )  # fmt: skip
    return None


@futex_classifier(30)
def classify_parking_lot(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """A thread parked by 3.13+ (gh-111877) sleeps in a wait_entry on its own stack, with the key.

    The key is the address of what is waited for: a PyMutex byte, a PyEvent, a queue.
    Reference: Python/parking_lot.c.
    """
    view, stack = context.python_view, thread.sp
    if view is None or not 0 <= call.address - stack < STACK_REACH:
        return None
    layout = view.reader.layout
    entry_at, key_at = layout.offset("wait_entry", "sema"), layout.offset("wait_entry", "addr")
    if entry_at is None or key_at is None:  # before 3.13, or an unknown build
        return None
    if not _are_in_same_mapping(context, call.address, stack):
        return None
    try:
        key = view.reader.u64(call.address - entry_at + key_at)
    except UnreadableMemory:
        return None
    evidence = f"the wait entry on the thread's own stack names {key:#x}"
    waited_for = view.awaited_lock_object(thread.tid, key)
    if waited_for is not None:
        return _guess_for_lock_object(view, thread, *waited_for, evidence)
    guess = _guess_by_struct(view, thread, key, evidence)
    # On musl those who wait for a condition or a barrier sleep on their own stacks too.
    return None if guess.kind == PARKED and context.runs_on_musl else guess


@futex_classifier(64, of_libc=True)
def classify_lock_with_owner(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """A PyThread lock of an extension's object, which keeps the owner's pthread_t right behind it.

    So do the FastRLock of Cython code (h5py, lupa, cupy: `_real_lock`, `_owner`) and CPython's own
    RLock and buffered files. The object is found by the words on the stack of who waits.
    """
    view, idents = context.python_view, {base for base in context.pthreads_by_tid.values() if base}
    if view is None or call.may_be_shared or read_u32(context.target, call.address):
        return None
    stack = split_into_words(read_up_to(context.target, thread.sp, OBJECT_REACH))
    words = dict.fromkeys((*thread.registers.values(), *stack))
    for word in words:
        if not word or word % WORD:
            continue
        members = split_into_words(read_up_to(context.target, word, MAX_MEMBERS * WORD))
        for lock, owner in pairwise(members[2:]):  # behind the object's header
            if lock == call.address and owner in idents and (kind := view.type_name(word)):
                evidence = f"the {kind} at {word:#x} has the lock, and its owner's pthread_t"
                return LockGuess(
                    kind,
                    name=view.name_of_object(word),
                    object=word,
                    owner_ident=owner,
                    evidence=(evidence,),
                )
    return None


@futex_classifier(95)
def classify_parked_on_own_stack(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """Without a decoded CPython the key of a parked thread is not known."""
    stack = thread.sp
    near = 0 <= call.address - stack < STACK_REACH
    if not near or call.may_be_shared or not _are_in_same_mapping(context, call.address, stack):
        return None
    if context.runs_on_musl:
        return None
    evidence = "the word lies on the thread's own stack, and what it stands for cannot be read"
    return LockGuess(PARKED, evidence=(evidence,))


def _are_in_same_mapping(context: LockContext, word: int, stack: int) -> bool:
    region = context.target.region_at(word)
    return region is not None and region.start <= stack < region.end


def _guess_by_struct(view: PythonView, thread: Thread, key: int, evidence: str) -> LockGuess:
    """Name a parked word by the struct that it lies in."""
    layout = view.reader.layout
    for struct, start, label in _runtime_structs(view):
        size = layout.size(struct)
        if size is None or not 0 <= key - start < size:
            continue
        member = _member_at_offset(layout, struct, key - start)
        # A thread parks on its own thread state's `state` while the world is stopped (3.13+,
        # gh-111569).
        if "stoptheworld" in member or (struct, member) == ("PyThreadState", "state"):
            kind = "stop-the-world"
        else:
            kind = "import lock" if member.startswith("imports.lock") else "internal PyMutex"
        owner = _owner_of_recursive_mutex(view, struct, start, member)
        return LockGuess(
            kind, name=f"{label}.{member}", object=key,
            anonymous=owner is None, owner_ident=owner,
            evidence=(evidence, f"which is {member} of {label}"),
        )  # fmt: skip
    at = layout.offset("PyObject", "ob_mutex")
    type_name = view.type_name(key - at) if at is not None else ""
    if at is not None and type_name:
        return LockGuess(
            "critical section", name=view.name_of_object(key - at), object=key - at, anonymous=True,
            evidence=(evidence, f"which is the mutex of an object of type {type_name}"),
        )  # fmt: skip
    guess = guess_by_library_frames(view, thread.tid)
    if guess is not None:
        return guess._replace(evidence=(evidence, *guess.evidence))
    return LockGuess(PARKED, object=key, anonymous=True, evidence=(evidence,))


def _runtime_structs(view: PythonView) -> Iterator[tuple[str, int, str]]:
    """Yield (struct, address, label) of the runtime's own structs, the inner ones first."""
    python = view.python
    for state in python.threads():
        yield "PyThreadState", state.address, f"thread state {state.address:#x}"
    for interpreter in python.interpreters:
        yield "PyInterpreterState", interpreter.address, f"interpreter {interpreter.id}"
    yield "_PyRuntimeState", python.runtime, "_PyRuntime"


def _member_at_offset(layout: Layout, struct: str, offset: int) -> str:
    """Return the innermost member that holds a byte of a struct."""
    fields = layout.struct(struct)
    holding = [
        (field.size, path) for path, field in (fields.fields.items() if fields is not None else ())
        if field.offset <= offset < field.offset + max(field.size, 1) and not field.bit_size
    ]  # fmt: skip
    return min(holding)[1] if holding else f"+{offset:#x}"


def _owner_of_recursive_mutex(view: PythonView, struct: str, start: int, member: str) -> int | None:
    """Return the pthread_t that owns a _PyRecursiveMutex, when the word is part of one."""
    path = member.removesuffix("._bits").removesuffix(".mutex")
    at = view.reader.layout.offset(struct, f"{path}.thread")
    if at is None:
        return None
    try:
        return view.reader.u64(start + at) or None
    except UnreadableMemory:
        return None


@futex_classifier(35)
def classify_shared_semaphore(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """multiprocessing.Lock and the like: a sem_t in shared memory; its holder may live anywhere."""
    view = context.python_view
    if not call.may_be_shared or view is None:
        return None
    waited_for = view.awaited_lock_object(thread.tid, call.address)
    if waited_for is None or waited_for[0].kind != SEMLOCK:
        return None
    address = waited_for[0].address
    evidence = "multiprocessing's semaphores lie in shared memory: another process may hold it"
    return LockGuess(
        SEMLOCK,
        name=view.name_of_object(address),
        object=address,
        shared=True,
        evidence=(evidence,),
    )


@futex_classifier(99)
def classify_shared_memory_word(
    context: LockContext, thread: Thread, call: FutexWait
) -> LockGuess | None:
    """A word in shared memory that looks like no known lock."""
    if not call.may_be_shared:
        return None
    region = context.target.region_at(call.address)
    if module_at(context.target, call.address) is not None:
        return None  # a library's data belong to no other process, whatever the call says
    evidence = "the operation is not process-private: another process may hold it"
    where = (f"the word lies in {region.path}",) if region is not None and region.path else ()
    return LockGuess("shared-memory futex", shared=True, evidence=(evidence, *where))


@futex_classifier(40)
def classify_lock_object(context: LockContext, thread: Thread, call: FutexWait) -> LockGuess | None:
    """A lock object that the thread's innermost frames refer to and whose word this is."""
    view = context.python_view
    if view is None or call.value > 1:
        return None
    waited_for = view.awaited_lock_object(thread.tid, call.address)
    return None if waited_for is None else _guess_for_lock_object(view, thread, *waited_for, "")


def _guess_for_lock_object(
    view: PythonView, thread: Thread, lock: LockObject, path: str, first: str
) -> LockGuess:
    """Describe the wait for a lock object, by what Python code does with it where that is known."""
    evidence = [first] if first else []
    evidence.append(
        f"the word belongs to the {lock.type_name} object at {lock.address:#x}, reached from {path}"
    )
    higher = guess_by_library_frames(view, thread.tid)
    if higher is not None and (higher.lock in (None, lock.address)):
        return higher._replace(evidence=(*evidence, *higher.evidence))
    if lock.kind == HANDLE:
        return LockGuess(
            "Thread.join", object=lock.address, owner_ident=lock.owner, evidence=tuple(evidence)
        )
    name = view.name_of_object(lock.address)
    return LockGuess(
        lock.kind,
        name=name or _attribute_name(path) or view.attribute_name(thread.tid, lock.address),
        object=lock.address,
        owner_ident=lock.owner or None,
        shared=lock.kind == SEMLOCK,
        event=lock.kind == SIMPLE_QUEUE,
        anonymous=not lock.owner,
        lock=lock.address if lock.kind != RLOCK or not lock.owner else None,
        evidence=(*evidence, *((f"{name} refers to it",) if name else ())),
    )


def _attribute_name(path: str) -> str | None:
    """Return "Class.attribute" when the lock was reached as an attribute; "sys.stdout" is one."""
    if path.startswith("sys."):
        return path.partition(",")[0]
    last = path.rpartition(", ")[2]
    return last if ", " in path and "." in last else None


@lock_family("gil-polling")
def find_gil_polling(context: LockContext, thread: Thread) -> Iterator[LockWait]:
    """Yield the GIL for a thread that runs C code of take_gil() while another thread holds it."""
    if not thread.sp or classify_thread_activity(context.target, thread).state != "running":
        return
    view = context.python_view
    if view is None:
        return
    for interpreter in view.python.interpreters:
        gil = view.gil(interpreter.address)
        if gil is None or not gil.holder:
            continue
        holder = next((s for s in view.python.threads() if s.address == gil.holder), None)
        if holder is None or not holder.alive or holder.tid in (None, thread.tid):
            continue
        word = _gil_word_on_stack(view, thread.sp, gil)
        if word is not None:
            yield LockWait(
                tid=thread.tid,
                address=word,
                kind=GIL,
                name=None,
                object=gil.address,
                owner=LockOwner(holder.tid, holder.ident, holder.name, "live"),
                verdict=LIVE_HOLDER,
                confidence=PROBABLE,
                evidence=(
                    f"the thread runs, and its stack refers to {word:#x} of the GIL, which is held",
                ),
                timed=True,
            )
            return


def _gil_word_on_stack(view: PythonView, stack: int, gil: Gil) -> int | None:
    """Return the word of a GIL's mutex or condition variable that the stack refers to."""
    ranges = []
    for member in ("cond", "mutex"):
        field = view.reader.layout.find_field(_STRUCT, member)
        if field is not None:
            ranges.append((gil.address + field.offset, gil.address + field.offset + field.size))
    try:
        words = split_into_words(view.reader.read(stack, STACK_BYTES))
    except (UnreadableMemory, LayoutError):
        return None
    for word in words:
        if any(start <= word < end for start, end in ranges):
            return word
    return None
