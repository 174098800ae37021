# SPDX-License-Identifier: Apache-2.0
"""Futex words that belong to Python: the GIL, PyMutex and the parking lot, and lock objects."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.runtime.gil import Gil, read_gil
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.locks.context import FutexWait, Guess, LockContext, classifier
from gdb_epi.locks.python.lock_objects import HANDLE, RLOCK, SEMLOCK, SIMPLE_QUEUE, PyLock
from gdb_epi.locks.python.view import LockWorld
from gdb_epi.locks.waits.stdlib_waits import python_wait
from gdb_epi.target.api import Thread

STACK_REACH = 1 << 16  # a parked thread sleeps on a word of its own frames, this near to rsp
GIL = "GIL"


@classifier(20)
def gil(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """The GIL of an interpreter: a mutex and a condition variable of _gil_runtime_state."""
    world = context.world
    if world is None:
        return None
    for interpreter in world.python.interpreters:
        known = gil_of(context, world, interpreter.address)
        if known is None or thread.tid not in known.waiting:
            continue
        doing = known.waiting[thread.tid]
        said = f"the word lies in the GIL at {known.address:#x}: the thread {doing}"
        holder = next(
            (t for i in world.python.interpreters for t in i.threads if t.address == known.holder),
            None,
        )
        if holder is None:
            free = not known.holder
            note = "nobody holds it at this moment" if free else "its holder is unknown"
            return Guess(
                GIL, object=known.address, evidence=(said, note), anonymous=not free, free=free
            )
        return Guess(
            GIL, object=known.address, evidence=(said,),
            owner_tid=holder.tid if holder.alive else None, owner_ident=holder.ident,
        )  # fmt: skip
    return None


def gil_of(context: LockContext, world: LockWorld, interpreter: int) -> Gil | None:
    """Return an interpreter's GIL, read once; None when it cannot be read."""
    if interpreter not in context.lazy.gils:
        try:
            known = read_gil(world.reader, world.python.runtime, interpreter)
        except (UnreadableMemory, LayoutError):
            known = None
        context.lazy.gils[interpreter] = known
    return context.lazy.gils[interpreter]


@classifier(30)
def parking_lot(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """A thread parked by 3.13+ (gh-111877) sleeps in a wait_entry on its own stack, with the key.

    The key is the address of what is waited for: a PyMutex byte, a PyEvent, a queue.
    Reference: Python/parking_lot.c.
    """
    world, stack = context.world, thread.registers.get("rsp", 0)
    if world is None or not 0 <= call.address - stack < STACK_REACH:
        return None
    layout = world.reader.layout
    entry_at, key_at = layout.offset("wait_entry", "sema"), layout.offset("wait_entry", "addr")
    if entry_at is None or key_at is None:  # before 3.13, or an unknown build
        return None
    if not _same_mapping(context, call.address, stack):
        return None
    try:
        key = world.reader.u64(call.address - entry_at + key_at)
    except UnreadableMemory:
        return None
    said = f"the wait entry on the thread's own stack names {key:#x}"
    found = world.waiting_object(thread.tid, key)
    if found is not None:
        return _of_object(world, thread, found[0], found[1], said)
    return _by_place(context, world, thread, key, said)


@classifier(95)
def on_own_stack(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """Without a decoded CPython the key of a parked thread is not known."""
    stack = thread.registers.get("rsp", 0)
    near = 0 <= call.address - stack < STACK_REACH
    if not near or call.shared or not _same_mapping(context, call.address, stack):
        return None
    said = "the word lies on the thread's own stack, and what it stands for cannot be read"
    return Guess("PyMutex or parking lot", evidence=(said,))


def _same_mapping(context: LockContext, one: int, other: int) -> bool:
    region = context.target.region_at(one)
    return region is not None and region.start <= other < region.end


def _by_place(context: LockContext, world: LockWorld, thread: Thread, key: int, said: str) -> Guess:
    """Name a parked word by the struct that it lies in."""
    layout = world.reader.layout
    for struct, start, label in _places(world):
        size = layout.size(struct)
        if size is None or not 0 <= key - start < size:
            continue
        member = _member(layout, struct, key - start)
        owner = _recursive_owner(world, struct, start, member)
        return Guess(
            _kind_of_member(struct, member), name=f"{label}.{member}", object=key,
            anonymous=owner is None, owner_ident=owner,
            evidence=(said, f"which is {member} of {label}"),
        )  # fmt: skip
    at = layout.offset("PyObject", "ob_mutex")
    if at is not None:
        kind = world.locks.type_name(key - at)
        if kind:
            return Guess(
                "critical section", name=world.name(key - at), object=key - at, anonymous=True,
                evidence=(said, f"which is the mutex of an object of type {kind}"),
            )  # fmt: skip
    state = python_wait(world, thread.tid)
    if state is not None:
        return state._replace(evidence=(said, *state.evidence))
    return Guess("PyMutex or parking lot", object=key, anonymous=True, evidence=(said,))


def _places(world: LockWorld) -> Iterator[tuple[str, int, str]]:
    """Yield (struct, address, label) of the runtime's own structs, the inner ones first."""
    python = world.python
    for one in python.threads():
        yield "PyThreadState", one.address, f"thread state {one.address:#x}"
    for interpreter in python.interpreters:
        yield "PyInterpreterState", interpreter.address, f"interpreter {interpreter.id}"
    yield "_PyRuntimeState", python.runtime, "_PyRuntime"


def _kind_of_member(struct: str, member: str) -> str:
    """Return what it means to park on a member of the runtime's own structs.

    A thread parks on its own thread state's `state` while the world is stopped (3.13+, gh-111569).
    """
    if "stoptheworld" in member or (struct, member) == ("PyThreadState", "state"):
        return "stop-the-world"
    return "import lock" if member.startswith("imports.lock") else "internal PyMutex"


def _member(layout: Layout, struct: str, offset: int) -> str:
    """Return the innermost member that holds a byte of a struct."""
    whole = layout.struct(struct)
    if whole is None:
        return f"+{offset:#x}"
    holding = [
        (field.size, path) for path, field in whole.fields.items()
        if field.offset <= offset < field.offset + max(field.size, 1) and not field.bit_size
    ]  # fmt: skip
    return min(holding)[1] if holding else f"+{offset:#x}"


def _recursive_owner(world: LockWorld, struct: str, start: int, member: str) -> int | None:
    """Return the pthread_t that owns a _PyRecursiveMutex, when the word is part of one."""
    path = member.removesuffix("._bits").removesuffix(".mutex")
    at = world.reader.layout.offset(struct, f"{path}.thread")
    if at is None:
        return None
    try:
        return world.reader.u64(start + at) or None
    except UnreadableMemory:
        return None


@classifier(35)
def shared_semaphore(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """multiprocessing.Lock and the like: a sem_t in shared memory; its holder may live anywhere."""
    world = context.world
    if not call.shared or world is None:
        return None
    found = world.waiting_object(thread.tid, call.address)
    if found is None or found[0].kind != SEMLOCK:
        return None
    name = world.name(found[0].address)
    said = "multiprocessing's semaphores lie in shared memory: another process may hold it"
    return Guess(SEMLOCK, name=name, object=found[0].address, shared=True, evidence=(said,))


@classifier(99)
def shared_word(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """A word in shared memory that looks like no known lock."""
    if not call.shared:
        return None
    region = context.target.region_at(call.address)
    said = "the operation is not process-private: another process may hold it"
    where = (f"the word lies in {region.path}",) if region is not None and region.path else ()
    return Guess("shared-memory futex", shared=True, evidence=(said, *where))


@classifier(40)
def lock_object(context: LockContext, thread: Thread, call: FutexWait) -> Guess | None:
    """A lock object that the thread's innermost frames refer to and whose word this is."""
    world = context.world
    if world is None or call.value > 1:
        return None
    found = world.waiting_object(thread.tid, call.address)
    if found is None:
        return None
    return _of_object(world, thread, found[0], found[1], "")


def _of_object(world: LockWorld, thread: Thread, lock: PyLock, path: str, said: str) -> Guess:
    """Describe the wait for a lock object, by what Python code does with it where that is known."""
    evidence = [said] if said else []
    evidence.append(
        f"the word belongs to the {lock.type_name} object at {lock.address:#x}, reached from {path}"
    )
    higher = python_wait(world, thread.tid)
    if higher is not None and (higher.lock in (None, lock.address)):
        return higher._replace(evidence=(*evidence, *higher.evidence))
    if lock.kind == HANDLE:
        return Guess(
            "Thread.join", object=lock.address, owner_ident=lock.owner, evidence=tuple(evidence)
        )
    name = world.name(lock.address)
    return Guess(
        lock.kind,
        name=name or _attribute_name(path) or world.attribute_name(thread.tid, lock.address),
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
