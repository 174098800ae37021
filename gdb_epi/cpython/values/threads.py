# SPDX-License-Identifier: Apache-2.0
"""Threads, conditions, events and locks of `threading`; module specs."""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr


@decodes("_thread.lock")
def lock(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a lock: locked or not."""
    # Its struct changed within 3.13 (a semaphore, then a PyMutex): the size tells which it is.
    layout = decoder.layout.with_size("lockobject", found.lineage.root.basicsize)
    at = layout.offset("lockobject", "locked", "lock._bits") if layout is not None else None
    if at is None:
        raise Undecodable("a struct of unknown shape")
    held = decoder.reader.u8(found.address + at) & 1
    state = "locked" if held else "unlocked"
    return f"<{state} {decoder.type_name(found)} object at {found.address:#x}>"


@decodes("_thread.RLock")
def reentrant_lock(decoder: ReprDecoder, found: Obj) -> str:
    """Decode an RLock: its owner's ident and how often it is held."""
    layout = decoder.layout.with_size("rlockobject", found.lineage.root.basicsize)
    owner = layout.offset("rlockobject", "rlock_owner", "lock.thread") if layout else None
    count = layout.offset("rlockobject", "rlock_count", "lock.level") if layout else None
    if layout is None or owner is None or count is None:
        raise Undecodable("a struct of unknown shape")
    holder = decoder.reader.u64(found.address + owner)
    times = decoder.reader.u64(found.address + count)
    if layout.offset("rlockobject", "rlock_count") is None:
        times += bool(holder)  # a _PyRecursiveMutex counts from 0
    state = "locked" if times else "unlocked"
    text = f"{decoder.type_name(found)} object owner={holder if times else 0} count={times}"
    return f"<{state} {text} at {found.address:#x}>"


@decodes_repr(("threading", "Thread.__repr__"))
def thread(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Thread.__repr__ does; a thread that was started runs, as far as can be told."""
    started = attribute(decoder, attribute(decoder, found.address, "_started"), "_flag")
    status = "initial"
    if decoder.show(started) == "True":
        status = "stopped" if _has_ended(decoder, found.address) else "started"
    if decoder.show(attribute(decoder, found.address, "_daemonic")) == "True":
        status += " daemon"
    ident = decoder.show(attribute(decoder, found.address, "_ident"))
    status += f" {ident}" if ident != "None" else ""
    name = decoder.string(attribute(decoder, found.address, "_name"))
    return f"<{found.type.name}({name}, {status})>"


def _has_ended(decoder: ReprDecoder, address: int) -> bool:
    """Tell whether a thread has ended: by its flag and lock, or by its handle (3.13, gh-114271)."""
    for name in ("_os_thread_handle", "_handle"):
        try:
            handle = attribute(decoder, address, name)
        except Undecodable:
            continue
        inner = decoder.field(handle, "PyThreadHandleObject", "handle")
        state = decoder.reader.u32(inner + decoder.context.offset("ThreadHandle", "state"))
        running = decoder.layout.constant("THREAD_HANDLE_RUNNING")
        if running is None or state not in (running, decoder.layout.constant("THREAD_HANDLE_DONE")):
            decoder.inexact()
        return running is not None and state > running
    if decoder.show(attribute(decoder, address, "_is_stopped")) == "True":
        return True
    # repr() itself looks whether the lock of the thread state was released.
    held = decoder.show(attribute(decoder, address, "_tstate_lock"))
    if not held.startswith("<locked"):
        decoder.inexact()
    return False


@decodes_repr(("threading", "Condition.__repr__"))
def condition(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Condition.__repr__ does."""
    held_by = decoder.show(attribute(decoder, found.address, "_lock"))
    waiters = attribute(decoder, found.address, "_waiters")
    if decoder.obj(waiters).lineage.ident != "collections.deque":
        raise Undecodable("its waiters are no deque")
    return f"<Condition({held_by}, {decoder.signed(waiters, 'dequeobject', 'ob_size')})>"


@decodes_repr(("threading", "Event.__repr__"))
def event(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Event.__repr__ does (3.12+, gh-93696; object's own before)."""
    state = decoder.show(attribute(decoder, found.address, "_flag"))
    status = "set" if state == "True" else "unset"
    module = found.type.module or "?"
    return f"<{module}.{found.type.qualname} at {found.address:#x}: {status}>"


@decodes_repr(
    ("_frozen_importlib", "ModuleSpec.__repr__"), ("importlib._bootstrap", "ModuleSpec.__repr__")
)
def module_spec(decoder: ReprDecoder, found: Obj) -> str:
    """Do what ModuleSpec.__repr__ does."""
    texts: list[str] = []
    for name in ("name", "loader", "origin", "submodule_search_locations"):
        value = decoder.show(attribute(decoder, found.address, name))
        if value != "None" or len(texts) < 2:
            texts.append(f"{name}={value}")
    return f"{found.type.name}({', '.join(texts)})"
