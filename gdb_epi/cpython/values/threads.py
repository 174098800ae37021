# SPDX-License-Identifier: Apache-2.0
"""Threads, conditions, events and locks of `threading`; module specs."""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes, decodes_repr


@decodes("_thread.lock")
def lock(painter: Painter, found: Obj) -> str:
    """Decode a lock: locked or not."""
    # Its struct changed within 3.13 (a semaphore, then a PyMutex): the size tells which it is.
    layout = painter.layout.with_size("lockobject", found.lineage.root.basicsize)
    at = layout.offset("lockobject", "locked", "lock._bits") if layout is not None else None
    if at is None:
        raise Undecodable("a struct of unknown shape")
    held = painter.reader.u8(found.address + at) & 1
    state = "locked" if held else "unlocked"
    return f"<{state} {painter.type_name(found)} object at {found.address:#x}>"


@decodes("_thread.RLock")
def reentrant_lock(painter: Painter, found: Obj) -> str:
    """Decode an RLock: its owner's ident and how often it is held."""
    layout = painter.layout.with_size("rlockobject", found.lineage.root.basicsize)
    owner = layout.offset("rlockobject", "rlock_owner", "lock.thread") if layout else None
    count = layout.offset("rlockobject", "rlock_count", "lock.level") if layout else None
    if layout is None or owner is None or count is None:
        raise Undecodable("a struct of unknown shape")
    holder = painter.reader.u64(found.address + owner)
    times = painter.reader.u64(found.address + count)
    if layout.offset("rlockobject", "rlock_count") is None:
        times += bool(holder)  # a _PyRecursiveMutex counts from 0
    state = "locked" if times else "unlocked"
    text = f"{painter.type_name(found)} object owner={holder if times else 0} count={times}"
    return f"<{state} {text} at {found.address:#x}>"


@decodes_repr(("threading", "Thread.__repr__"))
def thread(painter: Painter, found: Obj) -> str:
    """Do what Thread.__repr__ does; a thread that was started runs, as far as can be told."""
    started = attribute(painter, attribute(painter, found.address, "_started"), "_flag")
    status = "initial"
    if painter.show(started) == "True":
        status = "stopped" if _has_ended(painter, found.address) else "started"
    if painter.show(attribute(painter, found.address, "_daemonic")) == "True":
        status += " daemon"
    ident = painter.show(attribute(painter, found.address, "_ident"))
    status += f" {ident}" if ident != "None" else ""
    name = painter.string(attribute(painter, found.address, "_name"))
    return f"<{found.type.name}({name}, {status})>"


def _has_ended(painter: Painter, address: int) -> bool:
    """Tell whether a thread has ended: by its flag and lock, or by its handle (3.13, gh-114271)."""
    for name in ("_os_thread_handle", "_handle"):
        try:
            handle = attribute(painter, address, name)
        except Undecodable:
            continue
        inner = painter.field(handle, "PyThreadHandleObject", "handle")
        state = painter.reader.u32(inner + painter.world.offset("ThreadHandle", "state"))
        running = painter.layout.constant("THREAD_HANDLE_RUNNING")
        if running is None or state not in (running, painter.layout.constant("THREAD_HANDLE_DONE")):
            painter.inexact()
        return running is not None and state > running
    if painter.show(attribute(painter, address, "_is_stopped")) == "True":
        return True
    # repr() itself looks whether the lock of the thread state was released.
    held = painter.show(attribute(painter, address, "_tstate_lock"))
    if not held.startswith("<locked"):
        painter.inexact()
    return False


@decodes_repr(("threading", "Condition.__repr__"))
def condition(painter: Painter, found: Obj) -> str:
    """Do what Condition.__repr__ does."""
    held_by = painter.show(attribute(painter, found.address, "_lock"))
    waiters = attribute(painter, found.address, "_waiters")
    if painter.obj(waiters).lineage.ident != "collections.deque":
        raise Undecodable("its waiters are no deque")
    return f"<Condition({held_by}, {painter.signed(waiters, 'dequeobject', 'ob_size')})>"


@decodes_repr(("threading", "Event.__repr__"))
def event(painter: Painter, found: Obj) -> str:
    """Do what Event.__repr__ does (3.12+, gh-93696; object's own before)."""
    state = painter.show(attribute(painter, found.address, "_flag"))
    status = "set" if state == "True" else "unset"
    module = found.type.module or "?"
    return f"<{module}.{found.type.qualname} at {found.address:#x}: {status}>"


@decodes_repr(
    ("_frozen_importlib", "ModuleSpec.__repr__"), ("importlib._bootstrap", "ModuleSpec.__repr__")
)
def module_spec(painter: Painter, found: Obj) -> str:
    """Do what ModuleSpec.__repr__ does."""
    texts: list[str] = []
    for name in ("name", "loader", "origin", "submodule_search_locations"):
        value = painter.show(attribute(painter, found.address, name))
        if value != "None" or len(texts) < 2:
            texts.append(f"{name}={value}")
    return f"{found.type.name}({', '.join(texts)})"
