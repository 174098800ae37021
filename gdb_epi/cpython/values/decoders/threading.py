# SPDX-License-Identifier: Apache-2.0
"""Threads and what they share: _thread, threading, concurrent.futures, contextvars."""

from __future__ import annotations

from gdb_epi.cpython.values.decoders.builtin_scalars import read_int
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr

_FUTURE_STATES = {
    "PENDING": "pending",
    "RUNNING": "running",
    "CANCELLED": "cancelled",
    "CANCELLED_AND_NOTIFIED": "cancelled",
    "FINISHED": "finished",
}


@decodes("_thread.lock")
def lock(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a lock: locked or not."""
    # Its struct changed within 3.13 (a semaphore, then a PyMutex): the size tells which it is.
    layout = decoder.layout.with_struct_size("lockobject", obj.lineage.root.basicsize)
    at = layout.offset("lockobject", "locked", "lock._bits") if layout is not None else None
    if at is None:
        raise Undecodable("a struct of unknown shape")
    held = decoder.reader.u8(obj.address + at) & 1
    state = "locked" if held else "unlocked"
    return f"<{state} {decoder.type_name(obj)} object at {obj.address:#x}>"


@decodes("_thread.RLock")
def reentrant_lock(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an RLock: its owner's ident and how often it is held."""
    layout = decoder.layout.with_struct_size("rlockobject", obj.lineage.root.basicsize)
    owner = layout.offset("rlockobject", "rlock_owner", "lock.thread") if layout else None
    count = layout.offset("rlockobject", "rlock_count", "lock.level") if layout else None
    if layout is None or owner is None or count is None:
        raise Undecodable("a struct of unknown shape")
    holder = decoder.reader.u64(obj.address + owner)
    times = decoder.reader.u64(obj.address + count)
    if layout.offset("rlockobject", "rlock_count") is None:
        times += bool(holder)  # a _PyRecursiveMutex counts from 0
    state = "locked" if times else "unlocked"
    text = f"{decoder.type_name(obj)} object owner={holder if times else 0} count={times}"
    return f"<{state} {text} at {obj.address:#x}>"


@decodes_repr(("threading", "Thread.__repr__"))
def thread(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Thread.__repr__ does; a thread that was started runs, as far as can be told."""
    started = decoder.attribute(decoder.attribute(obj.address, "_started"), "_flag")
    status = "initial"
    if decoder.repr_of(started) == "True":
        status = "stopped" if _has_thread_ended(decoder, obj.address) else "started"
    if decoder.is_attribute_true(obj.address, "_daemonic"):
        status += " daemon"
    ident = decoder.attribute_text(obj.address, "_ident")
    status += f" {ident}" if ident != "None" else ""
    name = decoder.string(decoder.attribute(obj.address, "_name"))
    return f"<{obj.type.name}({name}, {status})>"


def _has_thread_ended(decoder: ReprDecoder, address: int) -> bool:
    """Tell whether a thread has ended: by its flag and lock, or by its handle (3.13, gh-114271)."""
    for name in ("_os_thread_handle", "_handle"):
        try:
            handle = decoder.attribute(address, name)
        except Undecodable:
            continue
        inner = decoder.field(handle, "PyThreadHandleObject", "handle")
        state = decoder.reader.u32(inner + decoder.offset("ThreadHandle", "state"))
        running = decoder.layout.constant("THREAD_HANDLE_RUNNING")
        if running is None or state not in (running, decoder.layout.constant("THREAD_HANDLE_DONE")):
            decoder.mark_inexact()
        return running is not None and state > running
    if decoder.is_attribute_true(address, "_is_stopped"):
        return True
    # repr() itself looks whether the lock of the thread state was released.
    held = decoder.attribute_text(address, "_tstate_lock")
    if not held.startswith("<locked"):
        decoder.mark_inexact()
    return False


@decodes_repr(("threading", "Condition.__repr__"))
def condition(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Condition.__repr__ does."""
    held_by = decoder.attribute_text(obj.address, "_lock")
    waiters = decoder.attribute(obj.address, "_waiters")
    if decoder.ident(waiters) != "collections.deque":
        raise Undecodable("its waiters are no deque")
    return f"<Condition({held_by}, {decoder.signed_field(waiters, 'dequeobject', 'ob_size')})>"


@decodes_repr(("threading", "Event.__repr__"))
def event(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Event.__repr__ does (3.12+, gh-93696; object's own before)."""
    state = decoder.attribute_text(obj.address, "_flag")
    status = "set" if state == "True" else "unset"
    module = obj.type.module or "?"
    return f"<{module}.{obj.type.qualname} at {obj.address:#x}: {status}>"


def _type_and_address(obj: Obj) -> str:
    if not obj.type.module:
        raise Undecodable("its class has no module")
    return f"{obj.type.module}.{obj.type.qualname} at {obj.address:#x}"


@decodes_repr(("threading", "Semaphore.__repr__"), ("threading", "BoundedSemaphore.__repr__"))
def semaphore(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the __repr__ of both semaphores do (3.10+)."""
    value = decoder.attribute_text(obj.address, "_value")
    if any(base.qualname == "BoundedSemaphore" for base in obj.lineage.types):
        value += f"/{decoder.attribute_text(obj.address, '_initial_value')}"
    return f"<{_type_and_address(obj)}: value={value}>"


@decodes_repr(("threading", "Barrier.__repr__"))
def barrier(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Barrier.__repr__ does (3.10+)."""
    state = read_int(decoder, decoder.attribute(obj.address, "_state"))
    if state == -2:
        return f"<{_type_and_address(obj)}: broken>"
    waiting = decoder.attribute_text(obj.address, "_count") if state == 0 else "0"
    parties = decoder.attribute_text(obj.address, "_parties")
    return f"<{_type_and_address(obj)}: waiters={waiting}/{parties}>"


@decodes_repr(("concurrent.futures._base", "Future.__repr__"))
def future(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what concurrent.futures.Future.__repr__ does."""
    state = decoder.string(decoder.attribute(obj.address, "_state"))
    if state not in _FUTURE_STATES:
        raise Undecodable(f"a future in state {state!r}")
    text = f"state={_FUTURE_STATES[state]}"
    if state == "FINISHED":
        error = decoder.attribute(obj.address, "_exception")
        word, held = ("raised", error)
        if not error or decoder.is_none(error):
            word, held = "returned", decoder.attribute(obj.address, "_result")
        text += f" {word} {decoder.class_name(decoder.obj(held))}"
    return f"<{decoder.class_name(obj)} at {obj.address:#x} {text}>"


@decodes("ContextVar", "_contextvars.ContextVar")
def context_variable(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a ContextVar: var_name, var_default (Include/internal/pycore_context.h)."""
    name, default = decoder.word(obj, 0), decoder.word(obj, 1)
    if decoder.ident(name) != "str":
        raise Undecodable("it has no name")
    rest = f" default={decoder.repr_of(default)}" if default else ""
    return f"<ContextVar name={decoder.repr_of(name)}{rest} at {obj.address:#x}>"


@decodes("Token", "_contextvars.Token")
def context_token(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Token: tok_ctx, tok_var, tok_oldval, tok_used (pycore_context.h)."""
    variable, used = decoder.word(obj, 1), decoder.word(obj, 3) & 0xFFFFFFFF
    if decoder.ident(variable) not in ("ContextVar", "_contextvars.ContextVar") or used > 1:
        raise Undecodable("it has no variable")
    mark = " used" if used else ""
    return f"<Token{mark} var={decoder.repr_of(variable)} at {obj.address:#x}>"
